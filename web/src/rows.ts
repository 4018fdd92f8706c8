// rows.ts - the rows of the timeline: devices, cores and RISCs in the order of the file, and
// what is folded.
//
// A device is a row with its ops, above its cores. A core is a block of rows, one for each
// RISC; folded, it is one row with a thin strip for each RISC. A RISC is a row with a strip for
// each depth; folded, only depth 0.
//
// A process is a device whose cores are its threads, each with one row; below them are its plots.
//
// Invariant: `list` and `blocks` are ordered by y and leave no gaps between them.

import { font } from "./canvas";
import { Device, Timeline, Track } from "./timeline_data";

export const AXIS_PX = 26; // the time axis above the rows
export let LEFT_PX = 132; // the names of the rows beside them, at least
const LEFT_OF_RUN_PX = 186; // names of threads are longer than those of cores
const LEFT_MOST_PX = 340; // a longer name of a device is cut
export const DEVICE_NAME_PX = 18; // where it begins
export const CORE_PX = 58; // of these, for cores; the rest is for RISCs
const STRIP_PX = 15; // one depth of a RISC: high enough for a name
const OPS_PX = 17;
const THIN_PX = 4; // a RISC in a folded core
const PADDING_PX = 3; // under the strips of a row
const PLOT_PX = 36;

export type Kind = "device" | "core" | "risc" | "plot";
export const ALL_DEPTHS = -1; // a strip where inner bars are painted over outer ones
const MANY_TRACKS = 24; // with more, cores are folded at first: the whole grid is the overview
const MANY_PROCESSES = 12; // with more, only their group is in sight at first

export interface Strip {
    track: number; // of a row of ops: the device
    depth: number;
    y: number;
    height: number;
}

export interface Row {
    key: string;
    kind: Kind; // of what one fold makes it: a folded core is a row of kind core
    label: string;
    device: number;
    tracks: number[];
    y: number;
    height: number;
    strips: Strip[];
    until: number; // of a device: where its rows end; the ops stay in sight up to there
    plot: number; // index, or -1
}

// A core with all its rows, for the label beside them.
export interface Block {
    key: string;
    label: string;
    isDispatch: boolean;
    y: number;
    height: number;
    number: number; // counts the cores of a device, for the shade of every second one
}

interface Core {
    key: string;
    label: string;
    device: number;
    tracks: number[];
}

export class Rows {
    list: Row[] = [];
    blocks: Block[] = [];
    height = 0;
    readonly folded = new Set<string>();
    private cores: Core[] = [];
    private plots = new Map<number, number[]>(); // by device

    constructor(private timeline: Timeline) {
        const { tracks, devices } = timeline.data;
        for (let t = 0; t < tracks.length; t++) {
            const track = tracks[t];
            const key = coreKey(groupId(devices, track.device), track.x, track.y);
            const last = this.cores[this.cores.length - 1];
            if (last?.key === key) last.tracks.push(t);
            else this.cores.push({ key, label: `${track.x},${track.y}`, device: track.device, tracks: [t] });
        }
        (timeline.data.plots ?? []).forEach(({ device }, i) => this.plots.set(device, [...this.plots.get(device) ?? [], i]));
        LEFT_PX = Math.max(timeline.isRun ? LEFT_OF_RUN_PX : LEFT_PX, Math.min(LEFT_MOST_PX, widthOfNames(timeline)));
        this.foldAtFirst();
        this.layOut();
    }

    private foldAtFirst(): void {
        const { devices, tracks } = this.timeline.data;
        const ofChips = tracks.filter(t => this.timeline.isChip(t.device)).length;
        if (ofChips > MANY_TRACKS) {
            for (const core of this.cores) if (this.timeline.isChip(core.device)) this.folded.add(core.key);
        }
        const group = devices.findIndex(device => device.kind === "processes");
        const processes = tracks.filter(t => t.device === group).length;
        if (processes > MANY_PROCESSES) this.folded.add(deviceKey(groupId(devices, group)));
    }

    toggle(key: string): void {
        if (!this.folded.delete(key)) this.folded.add(key);
        this.layOut();
    }

    foldAll(kind: Kind, fold: boolean): void {
        for (const key of this.keys(kind)) {
            if (fold) this.folded.add(key);
            else this.folded.delete(key);
        }
        this.layOut();
    }

    private keys(kind: Kind): string[] {
        const { devices, tracks } = this.timeline.data;
        if (kind === "device") return devices.map((_, i) => deviceKey(groupId(devices, i)));
        if (kind === "core") return this.cores.map(c => c.key);
        return tracks.map(t => this.riscKey(t));
    }

    // Unfolds whatever hides a depth of a track, and returns the row it is in then.
    reveal(track: number, depth: number): Row | null {
        const { devices, tracks } = this.timeline.data;
        const { device, x, y } = tracks[track];
        this.folded.delete(deviceKey(groupId(devices, device)));
        this.folded.delete(coreKey(groupId(devices, device), x, y));
        if (depth > 0) this.folded.delete(this.riscKey(tracks[track]));
        this.layOut();
        return this.list.find(row => row.kind === "risc" && row.tracks[0] === track) ?? null;
    }

    // The first track of a core, or -1 if the log has none there.
    trackAt(device: number, x: number, y: number): number {
        return this.timeline.data.tracks.findIndex(t => t.device === device && t.x === x && t.y === y);
    }

    // How far a row is drawn below its place when the rows are scrolled to `top`: the ops of a
    // device stay on top while its cores pass below.
    shift(row: Row, top: number): number {
        if (row.kind !== "device" || row.y >= top) return 0;
        return Math.max(0, Math.min(top, row.until - row.height) - row.y);
    }

    // The row drawn at a height.
    at(y: number, top: number): Row | null {
        const isAt = (row: Row) => y >= row.y + this.shift(row, top) && y < row.y + this.shift(row, top) + row.height;
        return this.list.find(row => row.kind === "device" && isAt(row)) ?? this.list.find(isAt) ?? null;
    }

    blockAt(y: number): Block | null {
        return this.blocks.find(block => y >= block.y && y < block.y + block.height) ?? null;
    }

    private riscKey(track: Track): string {
        const id = groupId(this.timeline.data.devices, track.device);
        return `risc/${id}/${track.x},${track.y}/${track.risc}`;
    }

    private layOut(): void {
        this.list = [];
        this.blocks = [];
        this.height = 0;
        let next = 0;
        const { devices } = this.timeline.data;
        devices.forEach((_, index) => {
            const isFolded = this.folded.has(deviceKey(groupId(devices, index)));
            this.addOps(index);
            const ops = this.list[this.list.length - 1];
            let number = 0;
            for (; next < this.cores.length && this.cores[next].device === index; next++) {
                if (!isFolded) this.addCore(this.cores[next], number++);
            }
            if (!isFolded) this.addPlots(index, number);
            ops.until = this.height;
        });
    }

    private addOps(index: number): void {
        const depths = Array.from({ length: this.timeline.runs.depthsOf(index) }, (_, depth) => depth);
        this.add(deviceKey(groupId(this.timeline.data.devices, index)), "device", this.timeline.label(index), index, [],
            OPS_PX, depths.map(depth => ({ track: index, depth })));
    }

    private addPlots(device: number, number: number): void {
        const { devices, plots } = this.timeline.data;
        for (const i of this.plots.get(device) ?? []) {
            const label = (plots ?? [])[i].name;
            const key = `plot/${groupId(devices, device)}/${label}`;
            const y = this.height;
            this.list.push({ key, kind: "plot", label, device, tracks: [], y, height: PLOT_PX, strips: [], until: 0, plot: i });
            this.height += PLOT_PX;
            this.blocks.push({ key, label: "", isDispatch: false, y, height: PLOT_PX, number: number++ });
        }
    }

    private addCore(core: Core, number: number): void {
        const { tracks } = this.timeline.data;
        const y = this.height;
        if (this.folded.has(core.key)) {
            this.add(core.key, "core", core.label, core.device, core.tracks, THIN_PX,
                core.tracks.map(track => ({ track, depth: ALL_DEPTHS })));
        } else {
            for (const t of core.tracks) {
                const key = this.riscKey(tracks[t]);
                const shown = this.folded.has(key) ? 1 : Math.max(1, tracks[t].depths);
                const strips = Array.from({ length: shown }, (_, depth) => ({ track: t, depth }));
                this.add(key, "risc", tracks[t].risc, core.device, [t], STRIP_PX, strips);
            }
        }
        const isDispatch = core.tracks.some(t => tracks[t].dispatch);
        // A thread has one row, which has its name.
        const label = this.timeline.isChip(core.device) ? core.label : "";
        this.blocks.push({ key: core.key, label, isDispatch, y, height: this.height - y, number });
    }

    private add(
        key: string, kind: Kind, label: string, device: number, tracks: number[], px: number,
        strips: { track: number; depth: number }[],
    ): void {
        const placed = strips.map((s, i) => ({ ...s, y: this.height + 1 + i * px, height: px - 1 }));
        // A folded core of one RISC must still be high enough for its label.
        const height = Math.max(STRIP_PX, strips.length * px) + PADDING_PX;
        this.list.push({ key, kind, label, device, tracks, y: this.height, height, strips: placed, until: 0, plot: -1 });
        this.height += height;
    }
}

// Space right of a chip's name, for what is said of its ops.
export function afterName(device: Device): number {
    return device.loose ? 62 : 26;
}

export function deviceFont(): string {
    return font(11.5, 650);
}

// The names of chips that several processes used name the process, too, and would not fit beside the rows otherwise.
function widthOfNames(timeline: Timeline): number {
    const ctx = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    ctx.font = deviceFont();
    const widths = timeline.data.devices.map((device, i) =>
        timeline.isChip(i) ? DEVICE_NAME_PX + ctx.measureText(timeline.label(i)).width + 6 + afterName(device) : 0);
    return Math.ceil(Math.max(0, ...widths));
}

// A unique key for each group of a page: the id of a chip; ids of processes may repeat, and so may those of chips that
// several processes used.
function groupId(devices: Device[], index: number): string {
    const { id, kind } = devices[index];
    if ((kind ?? "chip") !== "chip") return `p${index}`;
    const isFirst = devices.findIndex(d => d.id === id && (d.kind ?? "chip") === "chip") === index;
    return isFirst ? String(id) : `${id}.${index}`;
}

function deviceKey(id: string): string {
    return `device/${id}`;
}

function coreKey(id: string, x: number, y: number): string {
    return `core/${id}/${x},${y}`;
}
