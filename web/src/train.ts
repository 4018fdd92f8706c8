// train.ts - the page of a training run: which charts there are, and what its columns mean.

import { button, h, section } from "./dom";
import { fixed, grouped, plural } from "./format";
import { FlameGraph } from "./flame";
import { Total, header } from "./header";
import { Report, Table, findTable } from "./model";
import { Slice, pie } from "./pie";
import { TableView } from "./table";
import { Bar, bars, cores, lines, timeline } from "./train_charts";

const METRICS = ["Device Time", "Host Time", "Time Between Ops"];
const PHASES: [column: string, name: string, colour: string][] = [
    ["forward_ms", "forward", "#4A90D9"], ["backward_ms", "backward", "#E8833A"], ["gradient_sync_ms", "gradient sync", "#9B59B6"],
    ["optimizer_ms", "optimizer", "#E74C3C"], ["other_ms", "other", "#95A5A6"],
];

interface TrainReport extends Report {
    steps: number;
    devices: number[];
    device?: number;
    iteration?: number;
}

interface FlameReport extends Report {
    of?: string; // what shares are part of
}

export function trainReport(data: Report, root: HTMLElement): void {
    const report = data as TrainReport;
    const table = (id: string): Table | null => {
        const found = findTable(report, id);
        return found && found.rows.length > 0 ? found : null;
    };
    root.append(header(report, totals(report, table("average"))));
    const ops = table("ops"), series = table("series"), pies = table("pies");
    if (pies) root.append(section("shares", "Where the time goes", "top 15 ops of each", piesOf(pies)));
    if (ops) {
        root.append(section("bars", "Time per op", plural(report.steps, "step"), barsOf(ops)),
            section("ops", "Ops", "", view(ops, "Op")));
    }
    appendIf(root, table("overhead"), "Dispatch overhead", "time between ops, for each step", "Op");
    const phases = table("phases"), average = table("average");
    if (phases && average) root.append(section("phases", "Phases", "", phasesOf(phases, average)));
    step(report, root, table);
    const heat = table("cores");
    if (heat) {
        const devices = [...new Set(heat.rows.map((_, row) => heat.text(row, "Device")))];
        root.append(section("cores", "Cores", "", ...devices.map(device => cores(heat, device))));
    }
    appendIf(root, table("anomalies"), "Anomalies", "more than three standard deviations from the mean", "Inputs");
    if (series) root.append(section("series", "Every call of an op", "", seriesOf(series)));
    appendIf(root, table("naive"), "Host times", "of the naive profiler", "step");
    appendIf(root, table("memory"), "DRAM", "MB", "Segment");
    appendIf(root, table("result"), "Result", "", "name");
}

// A page with a flame graph, of a step or of host threads, and perhaps the table of its zones.
export function flameReport(report: Report, root: HTMLElement): void {
    const flame = findTable(report, "flame"), zones = findTable(report, "zones");
    const of = (report as FlameReport).of;
    root.append(header(report, []), section("flame", "Flame graph", "", flame ? new FlameGraph(flame, of).element : null));
    if (zones && zones.rows.length > 0) root.append(section("zones", "Zones", "self time first", new TableView(zones, { grow: "Zone" }).element));
}

function totals(report: TrainReport, average: Table | null): Total[] {
    const list: Total[] = [{ name: "Steps", value: grouped(report.steps, 0), more: plural(report.devices.length, "device") }];
    if (!average) return list;
    const [step, kernels] = [average.number(0, "step_ms"), average.number(0, "total_ms")].map(ms => fixed(ms, 2) + " ms");
    list.unshift({ name: "Kernel time per step", value: kernels, more: average.text(0, "Device") });
    if (!Number.isNaN(average.number(0, "step_ms"))) list.unshift({ name: "Step", value: step, more: "from marker to marker" });
    return list;
}

function view(table: Table, grow: string): HTMLElement {
    const el = new TableView(table, { grow }).element;
    el.classList.add("short");
    return el;
}

function appendIf(root: HTMLElement, table: Table | null, title: string, aside: string, grow: string): void {
    if (table) root.append(section(table.id, title, aside, view(table, grow)));
}

function piesOf(table: Table): HTMLElement {
    const box = h("div", { class: "pies" });
    for (const metric of METRICS) {
        for (const value of ["sum", "mean"]) {
            const slices: Slice[] = [];
            table.rows.forEach((_, row) => {
                if (table.text(row, "Metric") !== metric || table.text(row, "Value") !== value) return;
                slices.push({
                    name: table.text(row, "Op"), value: table.number(row, "Time"), share: table.number(row, "Share"),
                    label: table.text(row, "Label"), text: grouped(table.number(row, "Time"), 0) + " ns",
                });
            });
            const id = `pie-${metric}-${value}`.toLowerCase().replace(/ /g, "-");
            if (slices.some(one => one.share > 0)) box.append(pie(id, `${metric}, ${value === "sum" ? "total" : "average"}`, slices));
        }
    }
    return box;
}

const BARS: [column: string, title: string][] = [
    ["Device sum", "Device Time: Total (per training step)"], ["Device avg", "Device Time: Average"],
    ["Host sum", "Host Time: Total (per training step)"], ["Host avg", "Host Time: Average"],
    ["Between sum", "Time Between Ops: Total (per training step)"], ["Between avg", "Time Between Ops: Average"],
];

// One of the six, chosen by a button; ascending, as the longest is then nearest to the axis.
function barsOf(ops: Table): HTMLElement {
    const place = h("div");
    const show = (column: string, title: string) => {
        const list: Bar[] = ops.rows
            .map((_, row) => ({ name: ops.text(row, "Op"), value: ops.number(row, column) }))
            .filter(bar => !Number.isNaN(bar.value)).sort((a, b) => a.value - b.value);
        place.replaceChildren(bars("op-bars", title, list));
    };
    const pick = (chosen: number) => {
        show(BARS[chosen][0], BARS[chosen][1]);
        buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(i === chosen)));
    };
    const buttons = BARS.map(([column], i) => button(column, "chip", () => pick(i)));
    pick(0);
    return h("div", {}, h("div", { class: "chips" }, ...buttons), place);
}

// Phases that are zero everywhere are not shown.
function phasesOf(phases: Table, average: Table): HTMLElement {
    const shown = PHASES.filter(([column]) => phases.max(column) > 0);
    const device = average.text(0, "Device");
    const rows = phases.rows.map((_, row) => row).filter(row => phases.text(row, "Device") === device);
    const list = shown.map(([column, name, colour]) => ({ name, value: average.number(0, column), colour }));
    const series = shown.map(([column, name, colour]) => ({
        name, colour, points: rows.map(row => [phases.number(row, "Iteration"), phases.number(row, column)] as [number, number]),
    }));
    return h("div", {}, bars("phase-bars", `Average of the steady iterations, ${device}`, list),
        lines("phase-lines", `Each iteration, ${device}`, "iteration", series, true), view(phases, "Device"));
}

function step(report: TrainReport, root: HTMLElement, table: (id: string) => Table | null): void {
    const where = `device ${report.device ?? 0}, iteration ${report.iteration ?? ""}`;
    const ops = table("timeline"), flame = table("flame"), segments = table("segments");
    if (ops) {
        root.append(section("timeline", "One step: ops in order", where, timeline(ops), segments ? view(segments, "Phase") : null));
    }
    if (flame) root.append(section("flame", "One step: flame graph", where, new FlameGraph(flame).element));
    appendIf(root, table("zones"), "One step: zones", where, "Zone");
    appendIf(root, table("tree"), "One step: nested zones", where, "Zone");
    appendIf(root, table("slowest"), "One step: slowest ops", where, "Op");
}

function seriesOf(series: Table): HTMLElement {
    const names = [...new Set(series.rows.map((_, row) => series.text(row, "Op")))];
    const choice = h("select", { id: "series-op", "aria-label": "Op" }, ...names.map(name => h("option", { value: name }, name)));
    const place = h("div");
    const colours = ["#4A90D9", "#E8833A", "#5BAE5B"];
    const show = () => {
        const rows = series.rows.map((_, row) => row).filter(row => series.text(row, "Op") === choice.value);
        place.replaceChildren(...METRICS.map((metric, i) => lines("", metric, "row", [{
            name: metric, colour: colours[i],
            points: rows.map(row => [series.number(row, "Row"), series.number(row, metric)] as [number, number]).filter(p => !Number.isNaN(p[1])),
        }], false)));
    };
    choice.addEventListener("change", show);
    show();
    return h("div", {}, choice, place);
}
