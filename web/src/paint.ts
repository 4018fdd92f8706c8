// paint.ts - bars as pixels.
//
// A screen full of rows may hold some hundred thousand bars of one pixel. Asking the canvas for
// each rectangle takes too long for a smooth zoom, so the bars are put into an image: one line
// of pixels for each strip, copied to every line of the strip's height.

import { Lanes } from "./lanes";
import { Piece } from "./timeline_data";
import { mixed } from "./zone_colours";

const GAP_FROM_PX = 4; // bars at least this wide leave their last pixel free, to tell neighbours apart
const NAMED_FROM_PX = 38; // narrower bars have no room for a name
const HATCH_PX = 6;

export interface View {
    from: number; // the time at the left edge of the first pixel
    cyclesPerPixel: number;
}

export interface NamedBar {
    x: number;
    width: number;
    y: number;
    height: number;
    key: number;
    isRun: boolean;
}

export class Painter {
    bars = 0; // painted in this frame
    names: NamedBar[] = [];
    private image = new ImageData(1, 1);
    private words = new Uint32Array(1);
    private line = new Uint32Array(1);
    private plain = new Uint32Array(1); // an empty line with its grid
    private shaded = new Uint32Array(1);
    private hatched: [x: number, end: number][] = [];
    private card = 0;
    private firstName = 0; // of the strip being painted

    get width(): number {
        return this.image.width;
    }

    begin(width: number, height: number, card: number, shade: number, grid: number, gridAt: number[]): void {
        if (this.image.width !== width || this.image.height !== height) {
            this.image = new ImageData(width, height);
            this.words = new Uint32Array(this.image.data.buffer);
            this.line = new Uint32Array(width);
            this.plain = new Uint32Array(width);
            this.shaded = new Uint32Array(width);
        }
        this.card = card;
        this.words.fill(card);
        this.plain.fill(card);
        this.shaded.fill(shade);
        for (const x of gridAt) this.plain[x] = this.shaded[x] = grid;
        this.bars = 0;
        this.names = [];
    }

    // The empty background of a row.
    ground(from: number, to: number, isShaded: boolean): void {
        const line = isShaded ? this.shaded : this.plain;
        for (let y = Math.max(0, from); y < Math.min(to, this.image.height); y++) this.words.set(line, y * this.width);
    }

    // Background for a row drawn over others, whose names must not show through.
    cover(from: number, to: number): void {
        this.ground(from, to, false);
        this.names = this.names.filter(bar => bar.y + bar.height <= from || bar.y >= to);
    }

    startStrip(isShaded: boolean): void {
        this.line.set(isShaded ? this.shaded : this.plain);
        this.hatched.length = 0;
        this.firstName = this.names.length;
    }

    // Paints a lane between the times of the piece. Bars thinner than a pixel take one, and bars
    // that end within a painted pixel are skipped.
    paint(piece: Piece, lane: number, view: View, colours: Uint32Array, isNamed: boolean): void {
        const { starts, ends, keys, isOpen, first } = piece.lanes;
        const { from, cyclesPerPixel: scale } = view;
        const last = first[lane + 1];
        const line = this.line;
        let taken = Math.max(0, Math.floor((piece.from - from) / scale));
        const limit = Math.min(this.width, Math.ceil((piece.to - from) / scale));
        for (let i = piece.lanes.firstNotOver(lane, piece.from); i < last && starts[i] < piece.to; i++) {
            if (ends[i] <= piece.from && starts[i] < piece.from) continue;
            const begin = Math.max(taken, Math.floor((starts[i] - from) / scale));
            const end = Math.min(limit, Math.max(begin + 1, Math.floor((ends[i] - from) / scale)));
            if (end <= begin) continue;
            const isCut = ends[i] > piece.to; // it continues after this piece
            const colour = colours[keys[i]];
            const stop = end - begin >= GAP_FROM_PX && !isCut ? end - 1 : end;
            // Most bars are a pixel or two wide: a call for each would take longer than they do.
            for (let x = begin; x < stop; x++) line[x] = colour;
            this.bars++;
            if (isOpen[i] && end - begin >= GAP_FROM_PX) this.hatched.push([begin, end - 1]);
            if (isNamed && end - begin >= NAMED_FROM_PX) {
                this.names.push({ x: begin, width: end - begin - 1, y: 0, height: 0, key: keys[i], isRun: false });
            }
            taken = end;
            const until = from + end * scale;
            while (i + 1 < last && ends[i + 1] <= until && starts[i + 1] < until) i++;
        }
    }

    // Copies the painted line to the lines of the strip.
    endStrip(from: number, to: number, isRun: boolean): void {
        const top = Math.max(0, from);
        const bottom = Math.min(to, this.image.height);
        for (let y = top; y < bottom; y++) this.words.set(this.line, y * this.width);
        for (const [x, end] of this.hatched) this.hatch(x, end, top, bottom);
        for (let i = this.firstName; i < this.names.length; i++) {
            this.names[i].y = from;
            this.names[i].height = to - from;
            this.names[i].isRun = isRun;
        }
    }

    private hatch(x: number, end: number, top: number, bottom: number): void {
        const light = mixed(this.line[x], this.card, 0.6);
        for (let y = top; y < bottom; y++) {
            for (let at = x + ((HATCH_PX - ((x + y) % HATCH_PX)) % HATCH_PX); at < end; at += HATCH_PX) {
                this.words[y * this.width + at] = light;
                if (at + 1 < end) this.words[y * this.width + at + 1] = light;
            }
        }
    }

    put(ctx: CanvasRenderingContext2D, x: number, y: number): void {
        ctx.putImageData(this.image, x, y);
    }
}

// How many bars begin in each of `columns` equal parts of the axis; a bar that stands for
// several, or is long, counts evenly over its parts.
export function density(lanes: Lanes, isSpans: boolean, total: number, columns: number): Float64Array {
    const out = new Float64Array(columns);
    const scale = columns / total;
    for (let i = 0; i < lanes.size; i++) {
        const first = Math.min(columns - 1, Math.floor(lanes.starts[i] * scale));
        if (!isSpans) {
            out[first]++;
            continue;
        }
        const last = Math.max(first, Math.min(columns - 1, Math.floor(lanes.ends[i] * scale)));
        const each = lanes.more[i] / (last - first + 1);
        for (let column = first; column <= last; column++) out[column] += each;
    }
    return out;
}
