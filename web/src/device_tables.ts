// device_tables.ts - totals and tables of the device page.

import { section } from "./dom";
import { Explorer } from "./explorer";
import { grouped, plural } from "./format";
import { Total } from "./header";
import { Report, Table, findTable } from "./model";
import { TableView } from "./table";
import { timeText } from "./time_axis";
import { Timeline } from "./timeline_data";

function runTotals(timeline: Timeline): Total[] {
    const { devices, tracks, kept, marks } = timeline.data;
    const chips = devices.filter((_, i) => timeline.isChip(i));
    const threads = tracks.filter(t => devices[t.device].kind === "process").length;
    const lives = tracks.filter(t => devices[t.device].kind === "processes");
    const zones = kept.of - lives.reduce((sum, track) => sum + track.zones, 0);
    const processes = lives.length;
    const recording = devices.filter(d => d.kind === "process").length;
    const loose = chips.filter(d => d.loose).length;
    const out: Total[] = [];
    if (processes + recording > 0) {
        out.push({ name: "Processes", value: grouped(Math.max(processes, recording), 0), more: `${plural(threads, "thread")} recorded` });
    }
    if (chips.length > 0) {
        const worst = Math.max(...chips.map(d => d.error ?? Infinity));
        const more = loose > 0 ? "not aligned with the host" : `within ${grouped(Math.ceil(worst), 0)} ns of the host`;
        out.push({ name: chips.length === 1 ? "Device" : "Devices", value: grouped(chips.length, 0), more });
    }
    out.push({ name: "Time", value: timeText(timeline.total), more: `${grouped(timeline.total, 0)} ns` });
    out.push({ name: "Zones", value: grouped(zones, 0), more: plural(marks?.length ?? 0, "mark") });
    return out;
}

export function totals(timeline: Timeline): Total[] {
    if (timeline.isRun) return runTotals(timeline);
    const { devices, tracks, kept, runs } = timeline.data;
    const cores = new Set(tracks.map(t => `${t.device}/${t.x},${t.y}`)).size;
    const time = timeText(timeline.total * timeline.axisNs);
    const archs = [...new Set(devices.map(d => d.arch))].join(", ");
    const mhz = [...new Set(devices.map(d => (d.mhz > 0 ? `${d.mhz} MHz` : "frequency unknown")))].join(", ");
    return [
        { name: devices.length === 1 ? "Device" : "Devices", value: grouped(devices.length, 0), more: `${archs} ${mhz}`.trim() },
        { name: "Cores", value: grouped(cores, 0), more: plural(tracks.length, "RISC") },
        { name: "Time", value: time || `${grouped(timeline.total, 0)}`, more: `${grouped(timeline.total, 0)} cycles` },
        { name: "Zones", value: grouped(kept.of, 0), more: plural(runs.length, "run") },
    ];
}

// Statistics are many and wide, so they get the filter; the others are short lists.
export function tables(report: Report, root: HTMLElement): void {
    for (const data of report.tables) {
        const table = findTable(report, data.id);
        if (!table) continue;
        const title = firstText(table);
        if (data.id === "stats") {
            const explorer = new Explorer(table, { grow: title, details: { title, lists: [] }, examples: examples(table, title) });
            root.append(section(data.id, data.title, "", explorer.element));
        } else {
            const view = new TableView(table, { grow: table.isNumeric(table.column(title)) ? undefined : title });
            if (data.id === "diag") view.element.classList.add("wrap");
            root.append(section(data.id, data.title, plural(table.rows.length, "row"), view.element));
        }
    }
}

// Filters that this table can answer.
function examples(table: Table, title: string): string[] {
    const out = [table.text(0, title)].filter(text => /^[\w-]+$/.test(text)).map(text => text.toLowerCase());
    for (const c of table.columns.filter(c => c.type === "real").slice(0, 2)) out.push(`${c.name.toLowerCase()}>1000`);
    return out;
}

function firstText(table: Table): string {
    return (table.columns.find(c => c.type === "text") ?? table.columns[0]).name;
}
