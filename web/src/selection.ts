// selection.ts - statistics by name of the zones in the selected or visible time range.
//
// A zone that overlaps the range counts with its whole duration: cutting zones at the edges
// would invent durations that the log does not have.

import { h } from "./dom";
import { grouped, plural } from "./format";
import { Cell, Column, Table } from "./model";
import { TableView } from "./table";
import { Range, TimelineView } from "./timeline";
import { Timeline } from "./timeline_data";
import { nameColour } from "./zone_colours";

const WAIT_MS = 120; // after the last change: zooming should not wait for sums

const STATISTICS = ["Sum", "Mean", "Min", "Max"];

function columns(hasNs: boolean, isRun: boolean): Column[] {
    const number = (name: string, unit: string, decimals: number): Column =>
        ({ name, type: "real", unit, decimals, detail: false });
    const out: Column[] = [
        { name: "Zone", type: "text", unit: "", decimals: 0, detail: false },
        number("Count", "", 0),
        ...STATISTICS.map(name => number(name, isRun ? "ns" : "cycles", name === "Mean" ? 1 : 0)),
    ];
    if (hasNs && !isRun) out.push(...STATISTICS.map(name => number(name + " ns", "ns", name === "Mean" ? 1 : 0)));
    return out;
}

// One row for each name that occurs, the one with most time first.
export function statistics(timeline: Timeline, range: Range): Cell[][] {
    const { data, zones } = timeline;
    if (!zones) return [];
    const n = data.names.length;
    const rows = new Map<string, number>(); // the first name that is shown as this
    const rowOf = data.names.map((name, i) => {
        const shown = Timeline.shortName(name);
        return rows.get(shown) ?? (rows.set(shown, i), i);
    });
    const count = new Float64Array(n);
    // For cycles and for ns: sum, least and greatest of each name.
    const sums = [new Float64Array(n), new Float64Array(n)];
    const least = [new Float64Array(n).fill(Infinity), new Float64Array(n).fill(Infinity)];
    const most = [new Float64Array(n), new Float64Array(n)];
    data.tracks.forEach((track, t) => {
        if (data.devices[track.device].kind === "processes") return; // programs are not zones
        const factors = [1, timeline.ns(track.device, 1)];
        for (let lane = zones.base[t]; lane < zones.base[t + 1]; lane++) {
            for (let i = zones.firstNotOver(lane, range.from); i < zones.first[lane + 1] && zones.starts[i] < range.to; i++) {
                if (zones.ends[i] <= range.from && zones.starts[i] < range.from) continue;
                const name = rowOf[data.sites[zones.keys[i]][0]];
                const cycles = zones.ends[i] - zones.starts[i];
                count[name]++;
                for (let unit = 0; unit < 2; unit++) {
                    const value = cycles * factors[unit];
                    sums[unit][name] += value;
                    if (value < least[unit][name]) least[unit][name] = value;
                    if (value > most[unit][name]) most[unit][name] = value;
                }
            }
        }
    });
    const units = timeline.hasNs && !timeline.isRun ? [0, 1] : [0];
    const used = [...count.keys()].filter(name => count[name] > 0).sort((a, b) => sums[0][b] - sums[0][a]);
    return used.map(name => [
        Timeline.shortName(data.names[name]), count[name],
        ...units.flatMap(u => [sums[u][name], sums[u][name] / count[name], least[u][name], most[u][name]]),
    ]);
}

export class Selection {
    readonly element: HTMLElement;
    readonly aside = h("span", { id: "selected", class: "muted", role: "status" });
    private table: TableView;
    private rows: Cell[][] = [];
    private heads: Column[];
    private timer = 0;

    constructor(private view: TimelineView, onPick: (name: string) => void) {
        this.heads = columns(view.timeline.hasNs, view.timeline.isRun);
        this.table = new TableView(this.data(), {
            grow: "Zone",
            bar: "Sum",
            onSelect: row => onPick(String(this.rows[row][0])),
            decorate: (td, row, column) => {
                if (column !== "Zone") return;
                const dot = h("i", { class: "dot" });
                dot.style.background = nameColour(String(this.rows[row][0]));
                td.prepend(dot);
            },
        });
        this.table.element.classList.add("short");
        this.element = this.table.element;
    }

    private data(): Table {
        return new Table({ id: "selection", title: "Statistics of the selection", columns: this.heads, rows: this.rows });
    }

    changed(): void {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.update(), WAIT_MS);
    }

    update(): void {
        const { timeline, selection, range } = this.view;
        const { from, to } = selection ?? range;
        this.rows = statistics(timeline, { from, to });
        this.table.setTable(this.data());
        const zones = this.rows.reduce((sum, row) => sum + Number(row[1]), 0);
        const what = selection ? "of the selected time" : "of the visible time; select to narrow";
        const isPartial = timeline.isPartial ? `, of ${grouped(timeline.data.kept.zones, 0)} kept` : "";
        this.aside.textContent = timeline.zones
            ? `${plural(zones, "zone")}${isPartial} · ${timeline.length(Math.round(to - from), Math.round(to - from) * timeline.axisNs)} ${what} · all rows, whole durations`
            : "reading the zones …";
    }
}
