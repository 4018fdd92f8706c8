// train_charts.ts - the charts of a training run: bars, phases, calls over time, cores.

import { h } from "./dom";
import { fixed, grouped, percent } from "./format";
import { Table } from "./model";
import { cut, drawing, explain, s } from "./svg";
import { nameColour } from "./zone_colours";

const WIDTH = 900;
const NAMES = 330;
const ROW = 20;

export interface Bar {
    name: string;
    value: number; // ms
    colour?: string;
}

// Horizontal bars, one below the other, in the order they come.
export function bars(id: string, title: string, list: Bar[]): HTMLElement {
    const most = list.reduce((a, b) => Math.max(a, b.value), 0);
    const room = WIDTH - NAMES - 90;
    const rows = list.map((bar, i) => {
        const y = i * ROW;
        const width = most > 0 ? (Math.max(0, bar.value) / most) * room : 0;
        const box = s("rect", { x: NAMES, y: y + 3, width: Math.max(0.5, width), height: ROW - 6, rx: 2, fill: bar.colour ?? nameColour(bar.name) });
        return explain(s("g", {},
            s("rect", { x: 0, y, width: WIDTH, height: ROW, fill: "transparent" }),
            s("text", { x: NAMES - 8, y: y + ROW / 2, class: "end" }, cut(bar.name, NAMES - 10)),
            box,
            s("text", { x: NAMES + width + 6, y: y + ROW / 2 }, fixed(bar.value, 3) + " ms")),
        bar.name, [["time", fixed(bar.value, 4) + " ms"]]);
    });
    return h("figure", {}, h("figcaption", {}, title), drawing(id, title, WIDTH, Math.max(ROW, list.length * ROW), ...rows));
}

export interface Line {
    name: string;
    points: [x: number, y: number][];
    colour: string;
}

// Values over iterations or calls, from zero up.
export function lines(id: string, title: string, unitX: string, list: Line[], withLines: boolean): HTMLElement {
    const height = 240, left = 70, foot = 28, top = 8;
    const xs = list.flatMap(line => line.points.map(p => p[0]));
    const most = list.reduce((a, line) => line.points.reduce((b, p) => Math.max(b, p[1]), a), 0) || 1;
    const first = xs.reduce((a, b) => Math.min(a, b), xs[0] ?? 0);
    const last = xs.reduce((a, b) => Math.max(a, b), xs[0] ?? 1);
    const x = (v: number) => left + (last > first ? (v - first) / (last - first) : 0.5) * (WIDTH - left - 20);
    const y = (v: number) => height - foot - (v / most) * (height - foot - top);
    const marks: Node[] = [];
    const decimals = Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(most)))); // so that no two labels are equal
    for (let i = 0; i <= 4; i++) {
        const v = (most * i) / 4;
        marks.push(s("line", { x1: left, x2: WIDTH - 20, y1: y(v), y2: y(v), class: "grid" }),
            s("text", { x: left - 8, y: y(v), class: "end" }, grouped(v, decimals)));
    }
    marks.push(s("text", { x: left, y: height - 8 }, `${unitX} ${first}`), s("text", { x: WIDTH - 20, y: height - 8, class: "end" }, String(last)));
    for (const line of list) {
        if (withLines && line.points.length > 1) {
            marks.push(s("polyline", { points: line.points.map(p => `${x(p[0])},${y(p[1])}`).join(" "), fill: "none", stroke: line.colour, "stroke-width": 2 }));
        }
        for (const p of line.points) {
            const dot = s("circle", { cx: x(p[0]), cy: y(p[1]), r: withLines ? 4 : 2.5, fill: line.colour });
            marks.push(explain(dot, line.name, [[unitX, String(p[0])], ["time", fixed(p[1], 4) + " ms"]]));
        }
    }
    const legend = h("ol", { class: "keys inline" }, ...list.map(line => {
        const dot = h("i", { class: "dot" });
        dot.style.background = line.colour;
        return h("li", {}, dot, line.name);
    }));
    return h("figure", {}, h("figcaption", {}, title), drawing(id, title, WIDTH, height, ...marks), legend);
}

// The ops of a step in order; the slowest in red, and where one phase ends and the next begins.
export function timeline(table: Table): SVGElement {
    const height = 220, foot = 22, top = 20;
    const n = Math.max(1, table.rows.length);
    const step = WIDTH / n;
    const most = table.max("Device Time") || 1;
    const marks: Node[] = [];
    let phase: string | null = null;
    let label = -1000;
    table.rows.forEach((_, row) => {
        const ms = table.number(row, "Device Time");
        const tall = Math.max(0.5, (Math.max(0, ms) / most) * (height - foot - top));
        const name = table.text(row, "Op");
        if (table.text(row, "Phase") !== phase) {
            phase = table.text(row, "Phase");
            marks.push(s("line", { x1: row * step, x2: row * step, y1: top, y2: height - foot, class: "cut" }));
            if (row * step - label > 90) {
                marks.push(s("text", { x: row * step + 2, y: 10 }, cut(phase, 120)));
                label = row * step;
            }
        }
        const isSlow = table.cell(row, "Slow") === true;
        const box = s("rect", { x: row * step, y: height - foot - tall, width: Math.max(0.4, step * 0.9), height: tall, fill: isSlow ? "#F44336" : "#2196F3" });
        marks.push(explain(box, name, [["time", fixed(ms, 4) + " ms"], ["phase", phase]]));
    });
    marks.push(s("text", { x: 0, y: height - 6 }, `${grouped(n, 0)} ops in order; highest ${fixed(most, 3)} ms; red: above the 95th percentile`));
    return drawing("op-timeline", "Ops of the step in order", WIDTH, height, ...marks);
}

// The grid of cores of one device, coloured by time in kernels as a share of the busiest.
export function cores(table: Table, device: string): HTMLElement {
    const rows = table.rows.map((_, row) => row).filter(row => table.text(row, "Device") === device);
    const xs = rows.map(row => table.number(row, "x"));
    const ys = rows.map(row => table.number(row, "y"));
    const x0 = Math.min(...xs), y0 = Math.min(...ys);
    const columns = Math.max(...xs) - x0 + 1, linesOfCores = Math.max(...ys) - y0 + 1;
    const cell = 44;
    const marks: Node[] = [];
    for (const row of rows) {
        const share = table.number(row, "Share");
        const x = (table.number(row, "x") - x0) * cell + 30, y = (table.number(row, "y") - y0) * cell + 20;
        const fill = `color-mix(in srgb, #d7191c ${Math.round(100 * share)}%, #fee8c8)`;
        const box = s("rect", { x, y, width: cell - 2, height: cell - 2, rx: 4 });
        box.style.fill = fill;
        marks.push(explain(s("g", {}, box, s("text", { x: x + cell / 2 - 1, y: y + cell / 2, class: "mid dark" }, String(Math.round(100 * share)))),
            `core ${table.text(row, "x")},${table.text(row, "y")}`,
            [["of the busiest", percent(100 * share)], ["busy", grouped(table.number(row, "Busy"), 0) + " ns"], ["kernels", table.text(row, "Kernels")]]));
    }
    for (let i = 0; i < columns; i++) marks.push(s("text", { x: i * cell + 30 + cell / 2, y: 10, class: "mid" }, String(x0 + i)));
    for (let i = 0; i < linesOfCores; i++) marks.push(s("text", { x: 22, y: i * cell + 20 + cell / 2, class: "end" }, String(y0 + i)));
    const picture = drawing(`cores-${device}`, `Cores of device ${device}`, columns * cell + 40, linesOfCores * cell + 30, ...marks);
    picture.style.maxWidth = `${columns * cell + 40}px`;
    return h("figure", {}, h("figcaption", {}, `Device ${device}: time in kernels, % of the busiest core`), picture);
}
