// hit.ts - finds and describes the bar under the pointer.

import { grouped, plural } from "./format";
import { Lanes } from "./lanes";
import { Row } from "./rows";
import { Timeline, ZONES } from "./timeline_data";
import { timeText } from "./time_axis";

export interface Hit {
    kind: "zone" | "span" | "run";
    lanes: Lanes;
    index: number;
    device: number;
    track: number; // of a run: -1
    depth: number;
    level: number;
}

// The innermost bar of a row at a height and a time; `reach` makes thin bars easier to hit.
export function findHit(
    timeline: Timeline, row: Row, y: number, time: number, cyclesPerPixel: number,
): Hit | null {
    const strip = row.strips.find(s => y >= s.y && y <= s.y + s.height);
    if (!strip) return null;
    const reach = 2 * cyclesPerPixel;
    if (row.kind === "device") {
        const lanes = timeline.runs;
        const index = lanes.at(lanes.lane(row.device, strip.depth), time, reach);
        return index < 0 ? null : { kind: "run", lanes, index, device: row.device, track: -1, depth: strip.depth, level: ZONES };
    }
    const [piece] = timeline.pieces(row.device, time, time + cyclesPerPixel, cyclesPerPixel);
    if (!piece) return null;
    const { lanes, level } = piece;
    const deepest = strip.depth >= 0 ? strip.depth : lanes.depthsOf(strip.track) - 1;
    const outermost = Math.max(0, strip.depth);
    // An exact hit takes precedence over a near one.
    for (const near of [0, reach]) {
        for (let depth = deepest; depth >= outermost; depth--) {
            const lane = lanes.lane(strip.track, depth);
            const index = lane < 0 ? -1 : lanes.at(lane, time, near);
            if (index < 0) continue;
            const kind = level === ZONES ? "zone" : "span";
            return { kind, lanes, index, device: row.device, track: strip.track, depth, level };
        }
    }
    return null;
}

export function zoneHit(timeline: Timeline, lanes: Lanes, index: number): Hit {
    const track = lanes.trackOf(index);
    const { device } = timeline.data.tracks[track];
    return { kind: "zone", lanes, index, device, track, depth: lanes.depthOf(index), level: ZONES };
}

export function sameHit(a: Hit | null, b: Hit | null): boolean {
    return a === b || (a !== null && b !== null && a.lanes === b.lanes && a.index === b.index);
}

export function hitName(timeline: Timeline, hit: Hit): string {
    const key = hit.lanes.keys[hit.index];
    if (hit.kind !== "run") return timeline.siteName(key);
    const frame = timeline.frame(key);
    return frame ? frame[1] : `run ${timeline.data.runs[key][1]}`;
}

type Lines = [string, string][];

// Title and lines for the tooltip and the panel.
export function describe(timeline: Timeline, hit: Hit): { title: string; lines: Lines } {
    const start = hit.lanes.starts[hit.index];
    const cycles = hit.lanes.ends[hit.index] - start;
    const ns = timeline.ns(hit.device, cycles);
    const lines: Lines = [["Duration", timeline.isRun ? `${grouped(cycles, 0)} ns` : `${grouped(cycles, 0)} cycles`]];
    if (!Number.isNaN(ns) && !(timeline.isRun && cycles < 1000)) lines.push(["", timeText(ns)]);
    if (hit.kind === "run") lines.push(...runLines(timeline, hit));
    else if (timeline.isChip(hit.device)) lines.push(...zoneLines(timeline, hit));
    else lines.push(...hostLines(timeline, hit));
    if (timeline.isRun) {
        lines.push(["Begins", `${grouped(start, 0)} ns`], ["", `${timeText(start)} into the run`]);
        const { loose, about } = timeline.data.devices[hit.device];
        if (timeline.isChip(hit.device) && about) lines.push([loose ? "Note" : "Clock", about]);
        return { title: hitName(timeline, hit), lines };
    }
    lines.push(["Begins", timeline.absolute(hit.device, start)]);
    const after = start - timeline.offsets[hit.device];
    const afterNs = timeline.ns(hit.device, after);
    lines.push(["In", `${grouped(after, 0)} cycles` + (Number.isNaN(afterNs) ? "" : ` · ${timeText(afterNs)}`)]);
    return { title: hitName(timeline, hit), lines };
}

function runLines(timeline: Timeline, hit: Hit): Lines {
    const frame = timeline.frame(hit.lanes.keys[hit.index]);
    if (frame) {
        const lines: Lines = [["Frame of", timeline.label(hit.device)]];
        return frame[4] ? lines : [...lines, ["Note", "its end was not recorded"]];
    }
    const [, id, trace, replay, , , complete] = timeline.data.runs[hit.lanes.keys[hit.index]];
    // Run ids may be longer than the 32 bits that shifts work on.
    const lines: Lines = [
        ["Run id", String(id)],
        ["Program", `${Math.floor(id / 1024)} (id >> 10)`],
        ["Device", `${id % 1024} (id & 1023)`],
    ];
    if (trace >= 0) lines.push(["Trace id", String(trace)]);
    if (replay >= 0) lines.push(["Replay", String(replay)]);
    if (!complete) lines.push(["Note", "incomplete in the log"]);
    return lines;
}

function sourceText(file: string, line: number): string {
    return line > 0 ? `${file}:${line}` : file;
}

// A zone of a thread, or a program of a process.
function hostLines(timeline: Timeline, hit: Hit): Lines {
    const { data } = timeline;
    const [name, file, line, , func] = data.sites[hit.lanes.keys[hit.index]] ?? [0, "", 0];
    const more = hit.lanes.more[hit.index];
    const isThread = data.devices[hit.device].kind === "process";
    const lines: Lines = [];
    if (hit.kind === "span") lines.push(["Stands for", plural(more, "zone") + (more > 1 ? ", mostly this" : "")]);
    if (isThread) lines.push(["Thread", data.tracks[hit.track].risc.trim()], ["Process", timeline.label(hit.device)]);
    if (func && func !== data.names[name]) lines.push(["Function", func]);
    if (file) lines.push([isThread ? "Source" : "Program", sourceText(file, line)]);
    if (isThread) lines.push(["Depth", String(hit.depth)]);
    if (hit.kind === "zone" && more >= 0) {
        (data.texts?.[more] ?? "").split("\n").forEach((text, i) => lines.push([i === 0 ? "Text" : "", text]));
    }
    if (hit.lanes.isOpen[hit.index]) {
        lines.push(["Note", "its end was not recorded; drawn up to the last time its process was known to be alive"]);
    }
    return lines;
}

function zoneLines(timeline: Timeline, hit: Hit): Lines {
    const { data } = timeline;
    const track = data.tracks[hit.track];
    const [, file, line] = data.sites[hit.lanes.keys[hit.index]] ?? [0, "", 0];
    const more = hit.lanes.more[hit.index];
    const lines: Lines = [];
    if (hit.kind === "span") lines.push(["Stands for", plural(more, "zone") + (more > 1 ? ", mostly this" : "")]);
    const ofDevice = data.devices.length > 1 ? ` of device ${data.devices[track.device].id}` : "";
    lines.push(["Core", `${track.x},${track.y}` + ofDevice]);
    lines.push(["RISC", track.risc + (track.dispatch ? " (dispatch)" : "")]);
    lines.push(["Depth", String(hit.depth)]);
    if (file) lines.push(["Source", sourceText(file, line)]);
    if (hit.kind === "zone" && more >= 0) lines.push(["Run id", String(data.runs[more]?.[1] ?? "?")]);
    if (hit.lanes.isOpen[hit.index]) lines.push(["Note", "one end is missing in the log; drawn up to the edge of its op"]);
    return lines;
}
