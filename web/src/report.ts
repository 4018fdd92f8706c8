// report.ts - the perf report: which parts it has and what its columns mean.
//
// The only file, with roofline.ts and advice.ts, that knows column names.

import { adviceById, adviceView } from "./advice";
import { h, section } from "./dom";
import { Explorer } from "./explorer";
import { duration, grouped, percent, plural } from "./format";
import { writeCondition } from "./filter";
import { Total, header } from "./header";
import { Report, Table, findTable } from "./model";
import { boundColour, roofline } from "./roofline";
import { StackChart } from "./stack";
import { TableView } from "./table";

const LONG_GAP_US = 6.5; // the limit of the section "High Op-to-Op Gap"
const FEW_CORES = 10; // fewer leave most of any chip idle

export function perfReport(report: Report, root: HTMLElement): void {
    const ops = findTable(report, "ops");
    const summary = findTable(report, "summary");
    const advice = findTable(report, "advice");
    const diag = findTable(report, "diag");
    root.append(header(report, ops ? totals(ops) : []));
    if (!ops) {
        const sentence = h("p", { class: "empty" }, "This report has no ops.");
        root.append(section("ops", "Operations", "", sentence));
        if (diag) root.append(diagSection(diag));
        return;
    }

    const explorer = opsExplorer(ops, advice, report.min_percentage);
    const roof = roofline(ops, report.arch, row => explorer.open(row));
    explorer.onFilter = mask => roof.setMask(mask);
    const charts = h("div", { class: "charts" });
    if (summary) charts.append(timeSection(summary, ops, explorer));
    charts.append(section("roof", "Roofline", "", roof.element));
    root.append(charts, section("ops", "Operations", "", explorer.element));
    if (advice) {
        const rows = new Map(ops.rows.map((_, row) => [ops.text(row, "ID"), row]));
        const open = (id: string) => explorer.open(rows.get(id) ?? 0);
        root.append(section("advice", "Advice", "", adviceView(advice, ops, open)));
    }
    if (diag) root.append(diagSection(diag));
}

function isSignpost(ops: Table, row: number): boolean {
    return ops.text(row, "OP Code").includes("(signpost)");
}

function totals(ops: Table): Total[] {
    const time = ops.sum("Device Time");
    const gap = ops.sum("Op-to-Op Gap");
    const all = time + gap;
    let host = 0;
    let signposts = 0;
    ops.rows.forEach((_, row) => {
        if (isSignpost(ops, row)) signposts++;
        else if (ops.text(row, "Bound") === "HOST") host++;
    });
    const others: string[] = [];
    if (host > 0) others.push(grouped(host, 0) + " on the host");
    if (signposts > 0) others.push(plural(signposts, "signpost"));
    const share = (us: number) => (all > 0 ? `${percent((100 * us) / all)} of total` : "");
    return [
        { name: "Device time", value: duration(time), more: share(time) },
        { name: "Op-to-op gap", value: duration(gap), more: share(gap) },
        {
            name: "Ops", value: grouped(ops.rows.length - signposts, 0),
            more: others.join(", ") || "all on the device",
        },
    ];
}

function opsExplorer(ops: Table, advice: Table | null, minPercentage: number): Explorer {
    const byId = adviceById(advice);
    const classes = (row: number) => {
        if (isSignpost(ops, row)) return "signpost";
        const isSmall = ops.number(row, "Total %") < minPercentage; // NaN, a missing share, is not small
        return isSmall && ops.text(row, "Bound") !== "HOST" ? "dim" : "";
    };
    return new Explorer(ops, {
        grow: "OP Code",
        bar: "Total %",
        chips: "Bound",
        chipColour: bound => `var(--${boundColour(bound)})`,
        rowClass: classes,
        decorate: (td, row, column) => decorate(ops, td, row, column),
        details: {
            title: "OP Code",
            lists: ["Advice"],
            more: row => byId.get(ops.text(row, "ID")) ?? [],
        },
        examples: ["matmul", "total>1", "device time>100", "gap>6.5", "cores<10", "fidelity:hifi4"],
    });
}

function decorate(ops: Table, td: HTMLElement, row: number, column: string): void {
    if (column === "Bound" && td.textContent) {
        const badge = h("span", { class: "badge" }, td.textContent);
        badge.style.setProperty("--tone", `var(--${boundColour(td.textContent)})`);
        td.replaceChildren(badge);
    } else if (column === "OP Code") {
        // The kind of op, then its shape in a lighter tone.
        const text = td.textContent ?? "";
        const kind = text.split(" ", 1)[0];
        const shape = text.slice(kind.length);
        td.replaceChildren(h("b", {}, kind), h("span", { class: "shape" }, shape));
    } else if (column === "Op-to-Op Gap" && ops.number(row, column) > LONG_GAP_US) {
        td.classList.add("bad");
    } else if (column === "Cores" && ops.number(row, column) < FEW_CORES) {
        td.classList.add("bad");
    }
}

function timeSection(summary: Table, ops: Table, explorer: Explorer): HTMLElement {
    // Grouped by category, a segment is not an op and cannot be looked up in the table.
    const hasOps = summary.column("Op Category") >= 0;
    const pick = (row: number) => explorer.filterBy(segmentFilter(summary, ops, row));
    const chart = new StackChart(summary, {
        id: "stack",
        key: "Op Code",
        value: "Device Time Sum",
        bar: "Device",
        group: "Op Category",
        groups: ["Compute", "TM", "DM", "Host", "Other"],
        short: key => key.replace(/ \(in0:.*\)$/, "").replace(/(?:Device)?Operation$/, ""),
        onPick: hasOps ? pick : undefined,
    });
    const view = new TableView(summary, {
        grow: "Op Code",
        bar: "Total %",
        onSelect: hasOps ? pick : undefined,
        decorate: (td, row, column) => {
            if (column !== "Op Code") return;
            const dot = h("i", { class: "dot" });
            dot.style.background = chart.rowColour(row);
            td.prepend(dot);
        },
    });
    view.element.classList.add("short");
    const hint = hasOps ? "click a segment to filter the ops" : "";
    return section("time", "Where device time goes", hint, chart.element, view.element);
}

// The summary key is the op code up to its first blank, maybe with the layout of input 0 behind:
// "Matmul (in0:dram_interleaved)" stands for ops "Matmul ..." with "..._DRAM_INTERLEAVED" there.
function segmentFilter(summary: Table, ops: Table, row: number): string {
    const parts = /^(.*?)(?: \(in0:(.*)\))?$/s.exec(summary.text(row, "Op Code"));
    const conditions = [writeCondition("OP Code", "=", parts?.[1] ?? "")];
    if (parts?.[2] && ops.column("Input 0 Memory") >= 0) {
        conditions.push(writeCondition("Input 0 Memory", ":", parts[2]));
    }
    const device = summary.text(row, "Device");
    if (device !== "" && ops.column("Device") >= 0) conditions.push(writeCondition("Device", "=", device));
    return conditions.join(" ");
}

function diagSection(diag: Table): HTMLElement {
    const view = new TableView(diag, { grow: "Remedy" });
    view.element.classList.add("wrap");
    return section("diag", "Findings in this data", "", view.element);
}
