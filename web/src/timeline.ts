// timeline.ts - the timeline: rows of bars over a time axis, with names of the rows beside.
//
// There are two layered canvases. The lower one holds the bars and is redrawn when the range,
// the rows or the colours change; the upper one holds what follows the pointer. Both stick to
// the top of a scroll box that is as high as all rows, so that the browser does the scrolling.

import { keepDrawn } from "./canvas";
import { h, oncePerFrame } from "./dom";
import { Hit, findHit, sameHit } from "./hit";
import { drawAxis, drawNames, drawRowLabels } from "./labels";
import { About, Marks } from "./marks";
import { drawOverlay } from "./overlay";
import { RowPainter } from "./row_paint";
import { AXIS_PX, LEFT_PX, Row, Rows } from "./rows";
import { Tick, ticks } from "./time_axis";
import { Timeline, ZONES } from "./timeline_data";
import { Theme, readTheme, spreadColours } from "./zone_colours";

const LEAST_CYCLES = 20; // the closest zoom
const TICK_ROOM_PX = 110;
const STICKY_PX = 60;

export interface Range {
    from: number;
    to: number;
}

export type Mode = "pan" | "ruler" | "select";

export class TimelineView {
    readonly element: HTMLElement;
    readonly bars = h("canvas", { id: "bars", role: "img", "aria-label": "Timeline of the zones of each row" });
    readonly overlay = h("canvas", { id: "overlay", "aria-hidden": "true" });
    readonly rows: Rows;
    readonly marks: Marks;
    theme: Theme = readTheme();
    range: Range;
    mode: Mode = "pan";
    selection: Range | null = null;
    ruler: Range | null = null;
    hover: Hit | null = null;
    pinned: Hit | null = null;
    pointer = -1; // x of the pointer over the plot, for the line that follows it
    showsCycles = false;
    readonly last = { level: ZONES, bars: 0, ms: 0, cyclesPerPixel: 1 };
    // Called after the range, the selection or the rows changed.
    onChange: () => void = () => undefined;
    onPin: (hit: Hit | null) => void = () => undefined;
    onPinText: (about: About) => void = () => undefined;

    private stage: HTMLElement;
    private spacer = h("div");
    private painter = new RowPainter();
    private isWanted: ((name: string) => boolean) | null = null;
    private tallest = 0;
    private redraw: () => void;
    private redrawOverlay: () => void;

    constructor(readonly timeline: Timeline) {
        this.rows = new Rows(timeline);
        this.marks = new Marks(this);
        spreadColours(timeline.data.names);
        this.range = { from: 0, to: timeline.total };
        this.showsCycles = Number.isNaN(timeline.axisNs);
        this.stage = h("div", { class: "stage" }, this.bars, this.overlay);
        this.element = h("div", { class: "timeline", tabindex: 0, "aria-label": "Timeline" }, this.stage, this.spacer);
        this.redraw = oncePerFrame(() => this.draw());
        this.redrawOverlay = oncePerFrame(() => drawOverlay(this));
        this.element.addEventListener("scroll", this.redraw);
        this.colour();
    }

    // Needs to be in the document: its size comes from there.
    start(): void {
        keepDrawn(this.bars, () => {
            if (readTheme().dark !== this.theme.dark) this.colour();
            this.draw();
        });
    }

    get plotWidth(): number {
        return Math.max(1, this.element.clientWidth - LEFT_PX);
    }

    get cyclesPerCssPixel(): number {
        return (this.range.to - this.range.from) / this.plotWidth;
    }

    timeAt(x: number): number {
        return this.range.from + (x - LEFT_PX) * this.cyclesPerCssPixel;
    }

    xOf(time: number): number {
        return LEFT_PX + (time - this.range.from) / this.cyclesPerCssPixel;
    }

    // The height on the screen of a height among all rows, and back.
    screenY(y: number): number {
        return AXIS_PX + y - this.element.scrollTop;
    }

    rowTop(row: Row): number {
        return this.screenY(row.y + this.rows.shift(row, this.element.scrollTop));
    }

    rowY(y: number): number {
        return y - AXIS_PX + this.element.scrollTop;
    }

    // Sets the visible range, kept within the axis and not closer than the closest zoom.
    show(from: number, to: number): void {
        const { total } = this.timeline;
        const length = Math.min(total, Math.max(to - from, Math.min(total, LEAST_CYCLES)));
        const middle = (from + to) / 2;
        const start = Math.max(0, Math.min(total - length, length === to - from ? from : middle - length / 2));
        this.range = { from: start, to: start + length };
        this.changed();
    }

    fit(): void {
        this.show(0, this.timeline.total);
    }

    // The time under x stays where it is.
    zoomAt(x: number, factor: number): void {
        const { total } = this.timeline;
        const { from, to } = this.range;
        const at = this.timeAt(x);
        const length = Math.min(total, Math.max(Math.min(total, LEAST_CYCLES), (to - from) * factor));
        const start = at - ((at - from) / (to - from)) * length;
        this.show(start, start + length);
    }

    panBy(px: number): void {
        const shift = px * this.cyclesPerCssPixel;
        this.show(this.range.from + shift, this.range.to + shift);
    }

    // Makes a bar visible: its row unfolded and on the screen, its time with some margin.
    reveal(hit: Hit): void {
        const start = hit.lanes.starts[hit.index];
        const length = hit.lanes.ends[hit.index] - start;
        const px = length / this.cyclesPerCssPixel;
        if (px < 30 || px > this.plotWidth * 0.9) this.show(start - length * 3, start + length * 4);
        else if (start < this.range.from || start + length > this.range.to) {
            const half = (this.range.to - this.range.from) / 2;
            this.show(start + length / 2 - half, start + length / 2 + half);
        }
        if (hit.track >= 0) this.scrollTo(this.rows.reveal(hit.track, hit.depth));
    }

    scrollTo(row: Row | null): void {
        this.fold();
        if (!row) return;
        const room = this.element.clientHeight - AXIS_PX;
        const top = this.element.scrollTop;
        // The ops of the device cover the first row in sight.
        if (row.y < top + STICKY_PX || row.y + row.height > top + room) {
            this.element.scrollTop = row.y - Math.max(STICKY_PX, (room - row.height) / 3);
        }
    }

    // After a change of the rows: the scroll box follows.
    fold(): void {
        this.tallest = Math.max(this.tallest, this.rows.height);
        this.element.style.height = `${this.tallest + AXIS_PX + 2}px`; // style.css limits it
        this.spacer.style.height = `${Math.max(0, this.rows.height + AXIS_PX - this.element.clientHeight)}px`;
        this.hover = null;
        this.changed();
    }

    changed(): void {
        this.redraw();
        this.onChange();
    }

    // Redraws only the upper canvas.
    touched(): void {
        this.redrawOverlay();
    }

    pin(hit: Hit | null): void {
        this.pinned = hit;
        this.onPin(hit);
        this.touched();
    }

    setHover(hit: Hit | null): boolean {
        const isNew = !sameHit(hit, this.hover);
        this.hover = hit;
        if (isNew) this.touched();
        return isNew;
    }

    select(range: Range | null): void {
        this.selection = range;
        this.touched();
        this.onChange();
    }

    hit(x: number, y: number): Hit | null {
        if (x < LEFT_PX || y < AXIS_PX) return null;
        const top = this.element.scrollTop;
        const row = this.rows.at(this.rowY(y), top);
        return row && findHit(this.timeline, row, this.rowY(y) - this.rows.shift(row, top), this.timeAt(x), this.cyclesPerCssPixel);
    }

    // Fades names that are not wanted; null: none.
    highlight(isWanted: ((name: string) => boolean) | null): void {
        this.isWanted = isWanted;
        this.colour();
        this.redraw();
    }

    isFaint(name: string): boolean {
        return this.isWanted !== null && !this.isWanted(name);
    }

    private colour(): void {
        this.theme = readTheme();
        this.painter.colour(this.timeline.data, this.theme, name => this.isFaint(name));
    }

    draw(): void {
        const begun = performance.now();
        const scale = window.devicePixelRatio || 1;
        const width = this.element.clientWidth;
        const height = this.element.clientHeight;
        if (width === 0 || height === 0) return;
        this.resize(width, height, scale);
        const ctx = this.bars.getContext("2d") as CanvasRenderingContext2D;
        ctx.setTransform(scale, 0, 0, scale, 0, 0);
        ctx.fillStyle = this.theme.card;
        ctx.fillRect(0, 0, width, height);

        const plot = Math.max(1, Math.round(this.plotWidth * scale));
        const view = { from: this.range.from, cyclesPerPixel: (this.range.to - this.range.from) / plot };
        const marks = this.ticks();
        this.painter.paint(this, view, plot, Math.round((height - AXIS_PX) * scale), scale, marks);
        this.painter.pixels.put(ctx, Math.round(LEFT_PX * scale), Math.round(AXIS_PX * scale));
        drawNames(ctx, this, this.painter.pixels.names, scale);
        this.marks.draw(ctx);
        drawRowLabels(ctx, this, height);
        drawAxis(ctx, this, marks, width);
        this.last.level = this.timeline.levelFor(view.cyclesPerPixel);
        this.last.cyclesPerPixel = view.cyclesPerPixel;
        this.last.bars = this.painter.pixels.bars;
        drawOverlay(this);
        this.last.ms = performance.now() - begun;
    }

    // The levels that the last frame took bars from: more than one where details are partial.
    levelsDrawn(): number[] {
        return [...this.painter.levels].sort((a, b) => a - b);
    }

    private ticks(): Tick[] {
        const ns = this.showsCycles ? NaN : this.timeline.axisNs;
        return ticks(this.range.from, this.range.to, this.plotWidth, TICK_ROOM_PX, ns);
    }

    private resize(width: number, height: number, scale: number): void {
        const [w, ht] = [Math.round(width * scale), Math.round(height * scale)];
        for (const canvas of [this.bars, this.overlay]) {
            if (canvas.width === w && canvas.height === ht) continue;
            canvas.width = w;
            canvas.height = ht;
            canvas.style.width = width + "px";
            canvas.style.height = height + "px";
        }
        this.stage.style.height = height + "px";
    }
}
