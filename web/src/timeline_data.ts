// timeline_data.ts - the document of a device page or of a run's, and which bars to draw at which
// zoom.
//
// All times in here are cycles on one axis. Every device begins at 0 on it, unless the clocks
// of the devices are aligned: then each begins where its first marker lies after the earliest.
// In the page of a run a cycle is a ns, and its devices are groups of rows: host groups, then
// chips.

import { pause } from "./blocks";
import { grouped } from "./format";
import { Lanes, readLanes } from "./lanes";
import { Report } from "./model";
import { cyclesText, timeText } from "./time_axis";

export interface Device {
    id: number;
    arch: string;
    mhz: number; // 0: not known, so there is no ns
    t0: string; // absolute cycle of the first marker; too long for a number
    span: number;
    kind?: "chip" | "process" | "processes"; // the following ones: of a run only
    label?: string; // also where several processes used the chips
    about?: string;
    loose?: boolean; // its clock is not aligned with the axis
    error?: number | null; // of its times, in ns; null: not known
}

export interface Track {
    device: number; // index, not id
    x: number;
    y: number;
    risc: string;
    zones: number;
    depths: number;
    dispatch: boolean;
}

type Frame = [device: number, name: string, start: number, end: number, complete: number];
export type Mark = [track: number, time: number, kind: number, level: number, colour: number, text: string];
export const SIGNPOST = 1; // kind of a mark; 0 is a message

export interface Plot {
    device: number;
    name: string;
    points: number[]; // time, value, time, value ...
}

type Run = [device: number, id: number, trace: number, replay: number, start: number, end: number, complete: number];

export interface TimelineData {
    devices: Device[];
    aligned: boolean;
    tracks: Track[];
    names: string[];
    sites: [name: number, file: string, line: number, colour?: number, func?: string][];
    runs: Run[];
    widths: number[]; // of the levels of detail, coarse to fine
    spans: number[][]; // a level: spans of each track
    blocks: { levels: string[]; zones: string };
    kept: { zones: number; of: number; rule: string };
    windows?: [device: number, from: number, to: number][];
    heat: [device: number, x: number, y: number, name: number, count: number, sum: number, max: number][];
    unit?: "ns"; // this and the following ones: of a run only
    texts?: string[]; // of host zones
    marks?: Mark[];
    frames?: Frame[];
    plots?: Plot[];
}

export interface DeviceReport extends Report {
    timeline: TimelineData;
}

export const ZONES = -1; // as a level: the zones themselves

// A stretch of time drawn from one level.
export interface Piece {
    from: number;
    to: number;
    lanes: Lanes;
    level: number;
}

export class Timeline {
    readonly offsets: number[]; // where on the axis each device begins
    readonly total: number; // the end of the axis
    readonly levels: (Lanes | null)[];
    zones: Lanes | null = null;
    // A device is a track; runs that overlap stand at different depths. Keys beyond the runs are frames.
    readonly runs: Lanes;
    private windows: { from: number; to: number }[][] | null;

    constructor(readonly data: TimelineData) {
        const t0 = data.devices.map(d => BigInt(d.t0));
        const earliest = t0.reduce((a, b) => (b < a ? b : a), t0[0] ?? BigInt(0));
        this.offsets = t0.map(t => (data.aligned ? Number(t - earliest) : 0));
        this.total = Math.max(1, ...data.devices.map((d, i) => this.offsets[i] + d.span));
        this.levels = data.widths.map(() => null);
        this.runs = runLanes(data, this.offsets);
        const isPartial = data.kept.zones < data.kept.of && data.widths.length > 0;
        this.windows = isPartial ? data.devices.map((_, i) => this.windowsOf(i)) : null;
    }

    get isRun(): boolean {
        return this.data.unit === "ns";
    }

    isChip(device: number): boolean {
        return (this.data.devices[device]?.kind ?? "chip") === "chip";
    }

    label(device: number): string {
        const { label, id } = this.data.devices[device];
        return label ?? `Device ${id}`;
    }

    // The name that statistics give a zone. A dispatcher's zones have the program in their names,
    // "CQ-DISPATCH:1024:<command>": what is left is the command.
    static shortName(name: string): string {
        return /^CQ-DISPATCH:\d+:/.test(name) ? name.slice(name.lastIndexOf(":") + 1) : name;
    }

    // A length of time for people: "1,234 cycles · 1.234 μs", or in the page of a run the time alone.
    length(cycles: number, ns: number): string {
        if (!this.isRun) return cyclesText(cycles, ns);
        return cycles < 1000 ? timeText(cycles) : `${timeText(cycles)} · ${grouped(cycles, 0)} ns`;
    }

    // Of a bar in the lane on top of a device: the frame, or null if it is a run.
    frame(key: number): Frame | null {
        return this.data.frames?.[key - this.data.runs.length] ?? null;
    }

    get isPartial(): boolean {
        return this.data.kept.zones < this.data.kept.of;
    }

    private windowsOf(device: number): { from: number; to: number }[] {
        const shift = this.offsets[device];
        return (this.data.windows ?? [])
            .filter(w => w[0] === device)
            .map(w => ({ from: w[1] + shift, to: w[2] + shift }))
            .sort((a, b) => a.from - b.from);
    }

    // Coarse levels first, so that something is visible at once; `loaded` paints what is there.
    async load(loaded: () => Promise<void>): Promise<void> {
        const { tracks, blocks, spans } = this.data;
        const depths = tracks.map(t => t.depths);
        const origins = tracks.map(t => this.offsets[t.device]);
        for (let level = 0; level < this.levels.length; level++) {
            this.levels[level] = await readLanes(blocks.levels[level], spans[level], depths, origins, false);
            await loaded();
            await pause();
        }
        this.zones = await readLanes(blocks.zones, tracks.map(t => t.zones), depths, origins, true);
        await loaded();
    }

    // The drawing rule: the coarsest level that is not coarser than a pixel, else the zones.
    levelFor(cyclesPerPixel: number): number {
        return this.data.widths.findIndex(width => width <= cyclesPerPixel);
    }

    // A level, or the finest coarser one that is loaded.
    private loaded(level: number): { lanes: Lanes; level: number } | null {
        if (level === ZONES && this.zones) return { lanes: this.zones, level };
        for (let i = level === ZONES ? this.levels.length - 1 : level; i >= 0; i--) {
            const lanes = this.levels[i];
            if (lanes) return { lanes, level: i };
        }
        return null;
    }

    // What to draw of a device between two times, in order, without gaps.
    pieces(device: number, from: number, to: number, cyclesPerPixel: number): Piece[] {
        const level = this.levelFor(cyclesPerPixel);
        const source = this.loaded(level);
        if (!source) return [];
        if (source.level !== ZONES || !this.windows) return [{ from, to, ...source }];
        const finest = this.loaded(this.levels.length - 1) ?? source;
        const out: Piece[] = [];
        let at = from;
        for (const window of this.windows[device]) {
            if (window.to <= at || window.from >= to) continue;
            if (window.from > at) out.push({ from: at, to: window.from, ...finest });
            at = Math.max(at, window.from);
            out.push({ from: at, to: Math.min(to, window.to), ...source });
            at = Math.min(to, window.to);
        }
        if (at < to) out.push({ from: at, to, ...finest });
        return out;
    }

    // The finest loaded bars that leave nothing out.
    whole(): Lanes | null {
        return this.zones && !this.windows ? this.zones : this.loaded(this.levels.length - 1)?.lanes ?? this.zones;
    }

    siteName(site: number): string {
        return this.data.names[this.data.sites[site]?.[0]] ?? "?";
    }

    // Nanoseconds of a number of cycles; NaN where the frequency is not known.
    ns(device: number, cycles: number): number {
        const mhz = this.data.devices[device]?.mhz ?? 0;
        return mhz > 0 ? (cycles * 1000) / mhz : NaN;
    }

    // Nanoseconds a cycle where all devices agree on it, else NaN: the axis is common to all.
    get axisNs(): number {
        const { devices } = this.data;
        return devices.every(d => d.mhz === devices[0].mhz) ? this.ns(0, 1) : NaN;
    }

    get hasNs(): boolean {
        return this.data.devices.length > 0 && this.data.devices.every(d => d.mhz > 0);
    }

    // The cycle count as the log has it.
    absolute(device: number, time: number): string {
        return String(BigInt(this.data.devices[device].t0) + BigInt(Math.round(time - this.offsets[device])));
    }
}

const RUN_LANES = 3; // more runs than this at once are rare; the lane on top must stay low

// One core may begin a run while another still ends the one before. A run goes to the first
// depth that is free at its start.
function runLanes(data: TimelineData, offsets: number[]): Lanes {
    const all = [...data.runs.map(([device, , , , start, end, complete]) => ({ device, start, end, complete })),
        ...(data.frames ?? []).map(([device, , start, end, complete]) => ({ device, start, end, complete }))];
    const order = all.map((_, i) => i);
    order.sort((a, b) => all[a].device - all[b].device || all[a].start - all[b].start);
    const counts = data.devices.map(() => 0);
    const depths = new Uint32Array(order.length);
    const free = data.devices.map(() => new Array<number>(RUN_LANES).fill(-1));
    order.forEach((run, i) => {
        const { device, start, end, complete } = all[run];
        counts[device]++;
        let depth = free[device].findIndex(until => until <= start);
        if (depth < 0) depth = free[device].indexOf(Math.min(...free[device]));
        free[device][depth] = end;
        depths[i] = depth * 2 + (complete ? 0 : 1);
    });
    const starts = Float64Array.from(order, run => all[run].start + offsets[all[run].device]);
    const durations = Float64Array.from(order, run => all[run].end - all[run].start);
    const more = Int32Array.from(order);
    return new Lanes({ starts, durations, keys: Uint32Array.from(order), depths, more }, counts, counts.map(() => 1));
}
