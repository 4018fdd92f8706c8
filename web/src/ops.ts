// ops.ts - the ops report: every op with what the host and the devices told of it, and what
// is missing. The only file that knows its column names.

import { h, section } from "./dom";
import { Explorer } from "./explorer";
import { duration, grouped, percent, plural } from "./format";
import { Total, header } from "./header";
import { Report, Table, findTable } from "./model";
import { TableView } from "./table";

const GOOD = new Set(["ok", "host only", "capture", "signpost"]);
const KERNEL = "DEVICE KERNEL DURATION [ns]";
const GAP = "OP TO OP LATENCY [ns]";

export function opsReport(report: Report, root: HTMLElement): void {
    const ops = findTable(report, "ops");
    const coverage = findTable(report, "coverage");
    root.append(header(report, ops ? totals(ops, coverage) : []));
    if (ops) root.append(section("ops", "Ops", "", explorer(ops, reasons(report)).element));
    else root.append(section("ops", "Ops", "", h("p", { class: "empty" }, "This report holds no ops.")));
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
    const kernel = ops.sum(KERNEL) / 1000;
    const gap = ops.sum(GAP) / 1000;
    const signposts = ops.rows.filter((_, row) => ops.text(row, "OP TYPE") === "signpost").length;
    const out: Total[] = [
        { name: "Kernel time", value: duration(kernel), more: "" },
        { name: "Between ops", value: duration(gap), more: "" },
        {
            name: "Ops", value: grouped(ops.rows.length - signposts, 0),
            more: signposts > 0 ? plural(signposts, "signpost") : "",
        },
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
        decorate: (td, _row, column) => {
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
