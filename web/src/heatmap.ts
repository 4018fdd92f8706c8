// heatmap.ts - the grid of cores, coloured by the time of one zone: the slow core stands out.

import { font, keepDrawn, prepare, tooltip } from "./canvas";
import { h } from "./dom";
import { compact, grouped, plural } from "./format";
import { Timeline, TimelineData } from "./timeline_data";
import { timeText } from "./time_axis";
import { TimelineView } from "./timeline";
import { mixed, packed } from "./zone_colours";

const HEAD_PX = 18; // coordinates above and beside the grid
const LEGEND_PX = 30;
const CELL_PX = 40;
const VALUES_FROM_PX = 27; // narrower cells have no room for a number

export type How = "sum" | "max" | "mean";
const HOWS: How[] = ["sum", "max", "mean"];

interface Cell {
    count: number;
    sum: number;
    max: number;
}

export class HeatMap {
    readonly element: HTMLElement;
    readonly isEmpty: boolean; // no device has a grid of cores
    how: How = "sum";
    name = -1;
    device = 0;
    onPick: (device: number, x: number, y: number) => void = () => undefined;
    private canvas = h("canvas", { id: "heat-grid", role: "img" });
    private zones = h("select", { id: "heat-zone", "aria-label": "Zone of the heat map" });
    private buttons: HTMLButtonElement[];
    private cells = new Map<string, Cell>(); // of the chosen device and zone
    private cores = new Map<string, [x: number, y: number]>(); // of the chosen device
    private grid = { x: 0, y: 0, columns: 0, lines: 0, px: 1 };

    constructor(private view: TimelineView, private timeline: Timeline) {
        this.buttons = HOWS.map(how => this.howButton(how));
        const devices = h("select", { id: "heat-device", "aria-label": "Device of the heat map" });
        const chips = [...timeline.data.devices.keys()].filter(i => timeline.isChip(i));
        for (const i of chips) devices.append(h("option", { value: i }, timeline.label(i)));
        devices.hidden = chips.length < 2;
        devices.addEventListener("change", () => this.chooseDevice(Number(devices.value)));
        this.zones.addEventListener("change", () => this.choose(Number(this.zones.value)));
        this.element = h("div", { class: "heat" },
            h("div", { class: "heat-tools" }, this.zones, devices,
                h("div", { class: "segmented", id: "heat-how", role: "group", "aria-label": "Value of the heat map" }, ...this.buttons)),
            h("div", { class: "chart" }, this.canvas));
        this.canvas.addEventListener("pointermove", event => this.hover(event));
        this.canvas.addEventListener("pointerleave", () => tooltip.hide());
        this.canvas.addEventListener("click", event => {
            const core = this.at(event);
            if (core) this.onPick(this.device, core[0], core[1]);
        });
        this.chooseDevice(chips[0] ?? 0);
        this.isEmpty = chips.length === 0;
    }

    start(): void {
        keepDrawn(this.canvas, () => this.draw());
    }

    private howButton(how: How): HTMLButtonElement {
        const el = h("button", { type: "button", "data-how": how, "aria-pressed": String(how === this.how) }, how);
        el.addEventListener("click", () => {
            this.how = how;
            for (const b of this.buttons) b.setAttribute("aria-pressed", String(b === el));
            this.draw();
        });
        return el;
    }

    // Cells of a device. Dispatch cores run one kernel for the whole log: they would hide how the
    // others differ, so they are only in the maps of zones that are theirs alone.
    private cellsOf(device: number): TimelineData["heat"] {
        const { tracks, heat } = this.timeline.data;
        const dispatch = new Set(tracks.filter(t => t.device === device && t.dispatch).map(t => `${t.x},${t.y}`));
        const isDispatch = ([, x, y]: TimelineData["heat"][0]) => dispatch.has(`${x},${y}`);
        const cells = heat.filter(cell => cell[0] === device);
        const ofWorkers = new Set(cells.filter(cell => !isDispatch(cell)).map(cell => cell[3]));
        return cells.filter(cell => !isDispatch(cell) || !ofWorkers.has(cell[3]));
    }

    // Lists the zones of the device, the one with most time first; firmware is last, as it lasts
    // as long as the log. Zones of a single program on a dispatcher are left out.
    private chooseDevice(device: number): void {
        const { data } = this.timeline;
        this.device = device;
        this.cores = new Map(data.tracks.filter(t => t.device === device).map(t => [`${t.x},${t.y}`, [t.x, t.y]]));
        const sums = new Map<number, number>();
        for (const [, , , name, , sum] of this.cellsOf(device)) {
            if (Timeline.shortName(data.names[name]) === data.names[name]) sums.set(name, (sums.get(name) ?? 0) + sum);
        }
        const isFirmware = (name: number) => Number(data.names[name].endsWith("-FW"));
        const names = [...sums.keys()].sort((a, b) =>
            isFirmware(a) - isFirmware(b) || (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
        this.zones.replaceChildren(...names.map(name => h("option", { value: name }, data.names[name])));
        this.choose(names.includes(this.name) ? this.name : names[0] ?? -1);
    }

    // A name that the device does not have is ignored.
    choose(name: number): void {
        const cells = this.cellsOf(this.device).filter(cell => cell[3] === name);
        if (name >= 0 && cells.length === 0) return;
        this.name = name;
        this.zones.value = String(name);
        this.cells = new Map(cells.map(([, x, y, , count, sum, max]) => [`${x},${y}`, { count, sum, max }]));
        this.draw();
    }

    private get unit(): string {
        return this.timeline.data.unit ?? "cycles";
    }

    private value(cell: Cell): number {
        return this.how === "mean" ? cell.sum / Math.max(1, cell.count) : cell[this.how];
    }

    // Where the cells are, for tests: the left upper corner of core 0,0 of the grid, its size, its first x and y.
    geometry(): { left: number; top: number; px: number; x: number; y: number } {
        return { left: HEAD_PX, top: HEAD_PX, px: this.grid.px, x: this.grid.x, y: this.grid.y };
    }

    private layOut(): void {
        const xs = [...this.cores.values()].map(c => c[0]);
        const ys = [...this.cores.values()].map(c => c[1]);
        const [x, y] = [Math.min(...xs), Math.min(...ys)];
        const [columns, lines] = [Math.max(...xs) - x + 1, Math.max(...ys) - y + 1];
        const px = Math.max(6, Math.min(CELL_PX, Math.floor((this.canvas.clientWidth - HEAD_PX) / columns)));
        this.grid = { x, y, columns, lines, px };
    }

    private draw(): void {
        if (!this.canvas.isConnected || this.cores.size === 0) return;
        this.layOut();
        const { theme } = this.view;
        const { x: x0, y: y0, columns, lines, px } = this.grid;
        const ctx = prepare(this.canvas, this.canvas.clientWidth, HEAD_PX + lines * px + LEGEND_PX + 6);
        const values = [...this.cells.values()].map(c => this.value(c));
        const [low, high] = [Math.min(...values), Math.max(...values)];
        ctx.font = font(10);
        ctx.textBaseline = "middle";
        ctx.textAlign = "center";
        ctx.fillStyle = theme.muted;
        for (let i = 0; i < columns; i++) ctx.fillText(String(x0 + i), HEAD_PX + (i + 0.5) * px, HEAD_PX / 2);
        for (let i = 0; i < lines; i++) ctx.fillText(String(y0 + i), HEAD_PX / 2, HEAD_PX + (i + 0.5) * px);
        for (const [key, [x, y]] of this.cores) {
            const cell = this.cells.get(key);
            const left = HEAD_PX + (x - x0) * px;
            const top = HEAD_PX + (y - y0) * px;
            if (!cell) {
                ctx.strokeStyle = theme.line;
                ctx.lineWidth = 1;
                ctx.strokeRect(left + 1.5, top + 1.5, px - 3, px - 3);
                continue;
            }
            const share = high > low ? (this.value(cell) - low) / (high - low) : 1;
            ctx.fillStyle = this.shade(share);
            ctx.fillRect(left + 1, top + 1, px - 2, px - 2);
            if (px < VALUES_FROM_PX) continue;
            ctx.fillStyle = share > 0.45 ? theme.card : theme.text;
            ctx.fillText(compact(this.value(cell)), left + px / 2, top + px / 2 + 0.5);
        }
        ctx.textAlign = "left";
        if (values.length > 0) this.legend(ctx, HEAD_PX + lines * px + 10, low, high);
        this.canvas.setAttribute("aria-label", `${this.how} of ${this.timeline.data.names[this.name] ?? "no zone"} `
            + `on ${plural(this.cells.size, "core")}, ${grouped(low, 0)} to ${grouped(high, 0)} ${this.unit}`);
    }

    // From the least to the greatest value, not from zero: cores differ by little, and the
    // difference is what matters. The legend says what the ends are.
    private shade(share: number): string {
        const { theme } = this.view;
        const word = mixed(packed(theme.card), packed(theme.accent), 0.16 + 0.84 * share);
        return `rgb(${word & 255} ${(word >>> 8) & 255} ${(word >>> 16) & 255})`;
    }

    private legend(ctx: CanvasRenderingContext2D, y: number, low: number, high: number): void {
        const width = Math.min(this.canvas.clientWidth - HEAD_PX - 4, this.grid.columns * this.grid.px);
        const steps = 40;
        for (let i = 0; i < steps; i++) {
            ctx.fillStyle = this.shade(i / (steps - 1));
            ctx.fillRect(HEAD_PX + (i * width) / steps, y, width / steps + 0.5, 6);
        }
        ctx.fillStyle = this.view.theme.muted;
        const text = [low, high].map(v => `${compact(v)} ${this.unit}`);
        ctx.fillText(text[0], HEAD_PX, y + 16);
        const end = ctx.measureText(text[1]).width;
        if (width > 2 * end + 20) ctx.fillText(text[1], HEAD_PX + width - end, y + 16);
    }

    private at(event: MouseEvent): [number, number] | null {
        const { x, y, px } = this.grid;
        const cx = Math.floor((event.offsetX - HEAD_PX) / px) + x;
        const cy = Math.floor((event.offsetY - HEAD_PX) / px) + y;
        return this.cores.get(`${cx},${cy}`) ?? null;
    }

    private hover(event: PointerEvent): void {
        const core = this.at(event);
        this.canvas.style.cursor = core ? "pointer" : "";
        if (!core) {
            tooltip.hide();
            return;
        }
        const cell = this.cells.get(`${core[0]},${core[1]}`);
        const lines: [string, string][] = [["Zone", this.timeline.data.names[this.name] ?? "–"]];
        if (!cell) lines.push(["Count", "0"]);
        else {
            lines.push(["Count", grouped(cell.count, 0)]);
            for (const [name, cycles] of [["Sum", cell.sum], ["Mean", cell.sum / Math.max(1, cell.count)], ["Max", cell.max]] as const) {
                const time = timeText(this.timeline.ns(this.device, cycles));
                lines.push([name, `${grouped(cycles, 0)} ${this.unit}${time ? " · " + time : ""}`]);
            }
        }
        tooltip.show(event, `Core ${core[0]},${core[1]}`, lines);
    }
}
