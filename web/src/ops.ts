// ops.ts - the ops report: every op with its host and device data, and what is missing. The
// only file that knows its column names.

import { h, section } from "./dom";
import { Explorer } from "./explorer";
import { duration, grouped, percent, plural } from "./format";
import { Total, header } from "./header";
import { Report, Table, findTable } from "./model";
import { TableView } from "./table";

const GOOD = new Set(["ok", "host only", "capture", "signpost"]);
const KERNEL = "DEVICE KERNEL DURATION [ns]";
const GAP = "OP TO OP LATENCY [ns]";
const NO_HOST_OP = "no host op";

export function opsReport(report: Report, root: HTMLElement): void {
    const ops = findTable(report, "ops");
    const coverage = findTable(report, "coverage");
    root.append(header(report, ops ? totals(ops, coverage) : []));
    if (ops) root.append(section("ops", "Ops", "", explorer(ops, reasons(report)).element));
    else root.append(section("ops", "Ops", "", h("p", { class: "empty" }, "This report has no ops.")));
    const more: [string, string][] = [["coverage", "Rows by state"], ["bad", "Rule"], ["diag", "Remedy"]];
    for (const [id, grow] of more) {
        const table = findTable(report, id);
        if (!table) continue;
        const view = new TableView(table, { grow });
        view.element.classList.add("wrap");
        root.append(section(id, table.title, "", view.element));
    }
}

// What each state means, by its name.
function reasons(report: Report): Map<string, string> {
    const states = findTable(report, "states");
    return new Map((states?.rows ?? []).map(row => [String(row[0]), String(row[1])]));
}

function totals(ops: Table, coverage: Table | null): Total[] {
    const rows = ops.rows.map((_, row) => row);
    const alone = rows.filter(row => ops.text(row, "ROW STATE") === NO_HOST_OP);
    const signposts = rows.filter(row => ops.text(row, "OP TYPE") === "signpost").length;
    // Measurements without an op are optional rows: sums are the same with and without them.
    const time = (column: string) =>
        duration((ops.sum(column) - alone.reduce((ns, row) => ns + (ops.number(row, column) || 0), 0)) / 1000);
    const more = [];
    if (signposts > 0) more.push(plural(signposts, "signpost"));
    if (alone.length > 0) more.push(`${grouped(alone.length, 0)} ${NO_HOST_OP}`);
    const out: Total[] = [
        { name: "Kernel time", value: time(KERNEL), more: "" },
        { name: "Between ops", value: time(GAP), more: "" },
        { name: "Ops", value: grouped(rows.length - signposts - alone.length, 0), more: more.join(", ") },
    ];
    const expected = coverage?.sum("Expected") ?? 0;
    if (coverage && expected > 0) {
        const measured = coverage.sum("Measured");
        out.push({
            name: "Measured", value: percent((100 * measured) / expected),
            more: `${grouped(measured, 0)} of ${grouped(expected, 0)}`,
        });
    }
    return out;
}

// The state of a cell, from the row's states: "COLUMN=bad; COLUMN=missing".
function cellState(ops: Table, row: number, column: string): string {
    const start = column + "=";
    return ops.text(row, "CELL STATES").split("; ").find(one => one.startsWith(start))?.slice(start.length) ?? "";
}

function tone(state: string): string {
    return `var(--${GOOD.has(state) ? "bound-flop" : "bad"})`;
}

function explorer(ops: Table, meaning: Map<string, string>): Explorer {
    return new Explorer(ops, {
        grow: "OP CODE",
        bar: KERNEL,
        chips: "ROW STATE",
        chipColour: tone,
        rowClass: row => (ops.text(row, "OP TYPE") === "signpost" ? "signpost" : ""),
        decorate: (td, row, column) => {
            const state = cellState(ops, row, column);
            if (state) {
                td.dataset.state = state;
                td.title = state;
                td.classList.add(state === "missing" ? "muted" : "bad");
                if (td.textContent === "") td.append(state);
            }
            if (column !== "ROW STATE" || !td.textContent) return;
            const badge = h("span", { class: "badge", title: meaning.get(td.textContent) ?? "" }, td.textContent);
            badge.style.setProperty("--tone", tone(td.textContent));
            td.replaceChildren(badge);
        },
        details: {
            title: "OP CODE",
            lists: [],
            more: row => {
                const state = ops.text(row, "ROW STATE");
                return GOOD.has(state) ? [] : [meaning.get(state) ?? state];
            },
        },
        examples: ["matmul", "kernel duration>10000", "latency>6500", "cores<10", "fidelity:hifi4"],
    });
}
