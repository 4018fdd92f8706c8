// roofline.ts - how close each op comes to the chip's peak.
//
// x is arithmetic intensity, work done for each byte moved: FLOPs [TFLOP/s] / DRAM [GB/s].
// y is the work done per second. An op under the slope is bound by DRAM, under a flat roof by
// the compute units.

import { h } from "./dom";
import { duration, grouped, percent, plural } from "./format";
import { Arch, Table } from "./model";
import { Limit, Point, Scatter } from "./scatter";

const BOUNDS: [string, string][] = [
    ["BOTH", "DRAM and compute"], ["DRAM", "DRAM bound"], ["FLOP", "compute bound"],
    ["SLOW", "below both"], ["HOST", "on the host"], ["", "not rated"],
];

export function boundColour(bound: string): string {
    return "bound-" + (BOUNDS.some(([name]) => name === bound) && bound ? bound.toLowerCase() : "none");
}

export interface Roofline {
    element: HTMLElement;
    setMask: (mask: Uint8Array | null) => void;
}

export function roofline(ops: Table, arch: Arch | null, onPick: (row: number) => void): Roofline {
    const points = findPoints(ops);
    if (!arch) {
        return sentence("No roofline: unknown architecture, no peaks to compare with.");
    }
    if (points.length === 0) {
        return sentence("No roofline: no op in this report has both a FLOP rate and a DRAM rate.");
    }
    const limits = findLimits(ops, arch, points);
    const scatter = new Scatter(points, limits, {
        id: "roofline",
        label: `Roofline of ${plural(points.length, "op")} on ${arch.name}: `
            + limits.map(l => l.label).join(", "),
        x: "arithmetic intensity [FLOP/byte]",
        y: "achieved [TFLOP/s]",
        height: 380,
        describe: row => describe(ops, row),
        onPick,
    });
    scatter.element.append(legend(ops, points));
    return { element: scatter.element, setMask: mask => scatter.setMask(mask) };
}

function sentence(text: string): Roofline {
    return { element: h("p", { class: "empty" }, text), setMask: () => undefined };
}

function findPoints(ops: Table): Point[] {
    const points: Point[] = [];
    const longest = ops.max("Device Time") || 1;
    ops.rows.forEach((_, row) => {
        const flops = ops.number(row, "FLOPs"); // TFLOP/s
        const dram = ops.number(row, "DRAM"); // GB/s
        if (!(flops > 0 && dram > 0)) return;
        points.push({
            x: (flops * 1e12) / (dram * 1e9),
            y: flops,
            size: (ops.number(row, "Device Time") || 0) / longest,
            colour: boundColour(ops.text(row, "Bound")),
            row,
        });
    });
    return points;
}

// "HiFi4 BF16 x BF16 => BF16" -> "HiFi4"
function fidelity(ops: Table, row: number): string {
    return ops.text(row, "Math Fidelity").split(" ")[0];
}

function findLimits(ops: Table, arch: Arch, points: Point[]): Limit[] {
    const used = new Set(points.map(p => fidelity(ops, p.row)));
    const limits: Limit[] = [{
        label: `DRAM ${grouped(arch.dram_gbps, 0)} GB/s`, at: arch.dram_gbps / 1000, slopes: true,
    }];
    for (const [name, perCore] of Object.entries(arch.tflops_per_core)) {
        if (!used.has(name)) continue;
        const peak = perCore * arch.cores;
        limits.push({ label: `${name} ${grouped(peak, 1)} TFLOP/s`, at: peak, slopes: false });
    }
    return limits;
}

function describe(ops: Table, row: number): { title: string; lines: [string, string][] } {
    const flops = ops.number(row, "FLOPs");
    const dram = ops.number(row, "DRAM");
    const lines: [string, string][] = [
        ["ID", ops.text(row, "ID")],
        ["Bound", ops.text(row, "Bound") || "–"],
        ["Device Time", duration(ops.number(row, "Device Time") || 0)],
        ["Achieved", `${grouped(flops, 2)} TFLOP/s (${percent(ops.number(row, "FLOPs %") || 0)} of peak)`],
        ["DRAM", `${grouped(dram, 1)} GB/s (${percent(ops.number(row, "DRAM %") || 0)})`],
        ["Intensity", `${grouped((flops * 1000) / dram, 1)} FLOP/byte`],
        ["Fidelity", ops.text(row, "Math Fidelity")],
    ];
    return { title: ops.text(row, "OP Code"), lines };
}

function legend(ops: Table, points: Point[]): HTMLElement {
    const list = h("ul", { class: "legend" });
    for (const [bound, meaning] of BOUNDS) {
        const count = points.filter(p => ops.text(p.row, "Bound") === bound).length;
        if (count === 0) continue;
        const dot = h("i", { class: "dot round" });
        dot.style.background = `var(--${boundColour(bound)})`;
        const text = `${meaning} · ${plural(count, "op")}`;
        list.append(h("li", {}, dot, h("b", {}, bound || "–"), h("span", {}, text)));
    }
    list.append(h("li", { class: "muted" }, "area = device time"));
    return list;
}
