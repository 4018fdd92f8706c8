// row_paint.ts - which bars go to which strip, in which colour.

import { Painter, View } from "./paint";
import { ALL_DEPTHS, Row, Strip } from "./rows";
import { Tick } from "./time_axis";
import { TimelineView } from "./timeline";
import { Piece, TimelineData, ZONES } from "./timeline_data";
import { Theme, mixed, nameColour, packed } from "./zone_colours";

export class RowPainter {
    readonly pixels = new Painter();
    readonly levels = new Set<number>(); // that the last image took zones or spans from
    private siteColours = new Uint32Array(0);
    private runColours = new Uint32Array(0);

    // One colour for each site and run, so that painting only looks up a bar's colour.
    colour(data: TimelineData, theme: Theme, isFaint: (name: string) => boolean): void {
        const card = packed(theme.card);
        const names = data.names.map(name => {
            const plain = packed(nameColour(name, theme.dark));
            return isFaint(name) ? mixed(plain, card, 0.8) : plain;
        });
        const own = (rgb: number, name: string) => {
            const plain = packed("#" + rgb.toString(16).padStart(6, "0"));
            return isFaint(name) ? mixed(plain, card, 0.8) : plain;
        };
        this.siteColours = Uint32Array.from(data.sites, site =>
            (site[3] ? own(site[3], data.names[site[0]]) : names[site[0]] ?? 0));
        this.runColours = Uint32Array.from([
            ...data.runs.map(run => runColour("program " + Math.floor(run[1] / 1024), theme)),
            ...(data.frames ?? []).map(frame => runColour(frame[1], theme))]);
    }

    // All rows in sight, into an image of that many real pixels.
    paint(on: TimelineView, view: View, width: number, height: number, scale: number, marks: Tick[]): void {
        const { theme, rows, timeline, range } = on;
        const { pixels } = this;
        const grid = marks.map(t => Math.floor((t.at - view.from) / view.cyclesPerPixel)).filter(x => x >= 0 && x < width);
        pixels.begin(width, height, packed(theme.card), packed(theme.raised), packed(theme.faint), grid);
        this.levels.clear();
        const top = on.element.scrollTop;
        const px = (y: number) => Math.round((y - top) * scale);
        for (const block of rows.blocks) pixels.ground(px(block.y), px(block.y + block.height), block.number % 2 === 1);
        const shades = new Map(rows.blocks.map(b => [b.y, b.number % 2 === 1]));
        let isShaded = false;
        for (const row of rows.list) {
            if (row.kind === "device") continue;
            isShaded = shades.get(row.y) ?? isShaded;
            if (px(row.y + row.height) < 0 || px(row.y) > height) continue;
            const pieces = timeline.pieces(row.device, range.from, range.to, view.cyclesPerPixel);
            for (const piece of pieces) this.levels.add(piece.level);
            this.paintRow(row, pieces, view, isShaded, px);
        }
        // Last, as these cover rows that pass below them.
        for (const row of rows.list) {
            if (row.kind !== "device") continue;
            const shift = rows.shift(row, top);
            if (px(row.y + shift + row.height) < 0 || px(row.y + shift) > height) continue;
            const shifted = (y: number) => px(y + shift);
            pixels.cover(shifted(row.y), shifted(row.y + row.height));
            this.paintRow(row, [{ ...range, lanes: timeline.runs, level: ZONES }], view, false, shifted);
        }
    }

    private paintRow(row: Row, pieces: Piece[], view: View, isShaded: boolean, px: (y: number) => number): void {
        for (const strip of row.strips) {
            this.pixels.startStrip(isShaded);
            for (const piece of pieces) this.paintStrip(row, strip, piece, view);
            this.pixels.endStrip(px(strip.y), px(strip.y + strip.height), row.kind === "device");
        }
    }

    private paintStrip(row: Row, strip: Strip, piece: Piece, view: View): void {
        const isRun = row.kind === "device";
        const colours = isRun ? this.runColours : this.siteColours;
        const isNamed = strip.depth !== ALL_DEPTHS;
        const to = isNamed ? strip.depth : piece.lanes.depthsOf(strip.track) - 1;
        for (let depth = Math.max(0, strip.depth); depth <= to; depth++) {
            const lane = piece.lanes.lane(strip.track, depth);
            if (lane >= 0) this.pixels.paint(piece, lane, view, colours, isNamed);
        }
    }
}

// Runs of one program look alike, and quieter than zones.
function runColour(name: string, theme: Theme): number {
    return mixed(packed(nameColour(name, theme.dark)), packed(theme.card), 0.45);
}
