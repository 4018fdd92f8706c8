// lanes.ts - bars of one level of detail, ordered for binary search by time.
//
// A lane is one depth of one track. Zones of a track nest, so a search by time in the track as
// a whole would miss long outer zones; the bars of one depth follow each other.
//
// Invariant: the columns are ordered by track, then depth, then start. Lane l holds the bars
// [first[l], first[l + 1]), disjoint in time; the lanes of track t are [base[t], base[t + 1]).

import { Columns, pause, readBlock } from "./blocks";

export interface Bars {
    starts: Float64Array;
    durations: Float64Array;
    keys: Uint32Array; // what decides name and colour: a site, or the index of a run
    depths: Uint32Array; // depth * 2, plus 1 for a bar of which one edge is not in the log
    more: Int32Array; // of a zone its run or -1, of a span its number of zones
}

export class Lanes {
    readonly starts: Float64Array;
    readonly ends: Float64Array;
    readonly keys: Uint32Array;
    readonly more: Int32Array;
    readonly isOpen: Uint8Array; // 1: one edge is not in the log
    readonly first: Uint32Array;
    readonly base: Uint32Array;

    // `counts` bars of each track, in track order; `depths` is at least how many lanes it has.
    constructor(bars: Bars, counts: ArrayLike<number>, depths: ArrayLike<number>) {
        const n = bars.starts.length;
        this.starts = new Float64Array(n);
        this.ends = new Float64Array(n);
        this.keys = new Uint32Array(n);
        this.more = new Int32Array(n);
        this.isOpen = new Uint8Array(n);
        this.base = new Uint32Array(counts.length + 1);
        for (let t = 0, at = 0; t < counts.length; t++) {
            let lanes = depths[t];
            const end = at + counts[t];
            for (; at < end; at++) lanes = Math.max(lanes, (bars.depths[at] >>> 1) + 1);
            this.base[t + 1] = this.base[t] + lanes;
        }
        this.first = new Uint32Array(this.base[counts.length] + 1);
        this.place(bars, counts);
    }

    // A stable counting sort by lane: within a lane the order of the block, by start, stays.
    private place(bars: Bars, counts: ArrayLike<number>): void {
        const { first, base } = this;
        for (let t = 0, at = 0; t < counts.length; t++) {
            const end = at + counts[t];
            for (; at < end; at++) first[base[t] + (bars.depths[at] >>> 1) + 1]++;
        }
        for (let lane = 1; lane < first.length; lane++) first[lane] += first[lane - 1];
        const next = first.slice();
        for (let t = 0, at = 0; t < counts.length; t++) {
            const end = at + counts[t];
            for (; at < end; at++) {
                const to = next[base[t] + (bars.depths[at] >>> 1)]++;
                this.starts[to] = bars.starts[at];
                this.ends[to] = bars.starts[at] + bars.durations[at];
                this.keys[to] = bars.keys[at];
                this.more[to] = bars.more[at];
                this.isOpen[to] = bars.depths[at] & 1;
            }
        }
    }

    get size(): number {
        return this.starts.length;
    }

    depthsOf(track: number): number {
        return this.base[track + 1] - this.base[track];
    }

    // The lane of a depth, or -1 where this level has no bar that deep.
    lane(track: number, depth: number): number {
        return depth < this.depthsOf(track) ? this.base[track] + depth : -1;
    }

    // The first bar of a lane that is not over at that time; first[lane + 1] if all are.
    firstNotOver(lane: number, time: number): number {
        let low = this.first[lane];
        let high = this.first[lane + 1];
        while (low < high) {
            const middle = (low + high) >>> 1;
            if (this.ends[middle] < time) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    // The bar of a lane at that time; if none, the nearest one within `reach`; -1 if none is near.
    at(lane: number, time: number, reach: number): number {
        let best = -1;
        let distance = reach;
        const near = this.firstNotOver(lane, time - reach);
        for (let i = near; i < this.first[lane + 1] && this.starts[i] <= time + reach; i++) {
            const gap = Math.max(this.starts[i] - time, time - this.ends[i], 0);
            if (gap < distance || (best < 0 && gap <= distance)) {
                best = i;
                distance = gap;
            }
            if (this.starts[i] > time) break;
        }
        return best;
    }

    trackOf(index: number): number {
        const lane = this.laneOf(index);
        return upper(this.base, lane) - 1;
    }

    depthOf(index: number): number {
        const lane = this.laneOf(index);
        return lane - this.base[upper(this.base, lane) - 1];
    }

    private laneOf(index: number): number {
        return upper(this.first, index) - 1;
    }
}

// The number of leading elements of an ascending array that are at most `value`.
function upper(sorted: Uint32Array, value: number): number {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (sorted[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Reads a block of zones or spans; `origins` is the start time of each track.
export async function readLanes(
    id: string, counts: number[], depths: number[], origins: number[], hasRuns: boolean,
): Promise<Lanes> {
    const n = counts.reduce((sum, count) => sum + count, 0);
    const columns = new Columns(n > 0 ? await readBlock(id) : new Uint8Array(0), id);
    const starts = columns.read(new Float64Array(n));
    sumByTrack(starts, counts, origins);
    await pause();
    const durations = columns.read(new Float64Array(n));
    const keys = columns.read(new Uint32Array(n));
    await pause();
    const depthColumn = columns.read(new Uint32Array(n));
    const raw = columns.read(new Uint32Array(n));
    columns.end();
    await pause();
    const more = hasRuns ? runsOf(raw, counts) : new Int32Array(raw.buffer);
    return new Lanes({ starts, durations, keys, depths: depthColumn, more }, counts, depths);
}

function sumByTrack(starts: Float64Array, counts: number[], origins: number[]): void {
    let at = 0;
    counts.forEach((count, track) => {
        let time = origins[track];
        for (const end = at + count; at < end; at++) starts[at] = time += starts[at];
    });
}

// Zigzag: 0, -1, 1, -2, 2 are written 0, 1, 2, 3, 4. The sum is the run + 1, 0 for none.
function runsOf(raw: Uint32Array, counts: number[]): Int32Array {
    const runs = new Int32Array(raw.length);
    let at = 0;
    for (const count of counts) {
        let run = 0;
        for (const end = at + count; at < end; at++) {
            run += (raw[at] >>> 1) ^ -(raw[at] & 1);
            runs[at] = run - 1;
        }
    }
    return runs;
}
