// minimap.ts - the whole axis at a glance: where zones begin, and the visible window.

import { keepDrawn, prepare } from "./canvas";
import { h, oncePerFrame } from "./dom";
import { grouped } from "./format";
import { density } from "./paint";
import { LEFT_PX } from "./rows";
import { TimelineView } from "./timeline";

const HEIGHT = 44;

export class Minimap {
    readonly canvas = h("canvas", { id: "minimap", role: "img", "aria-label": "Density of zones over the whole time, with the visible window" });
    readonly element = h("div", { class: "minimap" }, this.canvas);
    readonly redraw = oncePerFrame(() => this.draw());
    private counts: Float64Array | null = null;

    constructor(private view: TimelineView) {
        this.canvas.addEventListener("pointerdown", event => this.press(event));
    }

    start(): void {
        keepDrawn(this.canvas, () => this.draw());
    }

    // New bars arrived: count again.
    renew(): void {
        this.counts = null;
        this.redraw();
    }

    private get width(): number {
        return this.view.plotWidth; // so that both begin and end at the same x
    }

    private xOf(time: number): number {
        return LEFT_PX + (time / this.view.timeline.total) * this.width;
    }

    private draw(): void {
        const { theme, range, timeline } = this.view;
        const ctx = prepare(this.canvas, this.canvas.clientWidth, HEIGHT);
        const columns = Math.round(this.width);
        if (this.counts?.length !== columns) {
            const lanes = timeline.whole();
            this.counts = lanes ? density(lanes, lanes !== timeline.zones, timeline.total, columns) : new Float64Array(columns);
        }
        let most = 0;
        for (const count of this.counts) most = Math.max(most, count);
        ctx.fillStyle = theme.muted;
        ctx.font = "11px sans-serif";
        ctx.textBaseline = "middle";
        ctx.fillText(`density`, 10, 13);
        if (most > 0) ctx.fillText(`≤ ${grouped(most, 0)} a pixel`, 10, 29);
        ctx.fillStyle = theme.accent;
        ctx.globalAlpha = 0.75;
        this.counts.forEach((count, x) => {
            // The square root keeps sparse parts visible beside dense ones.
            const tall = most > 0 ? Math.sqrt(count / most) * (HEIGHT - 4) : 0;
            if (tall > 0) ctx.fillRect(LEFT_PX + x, HEIGHT - Math.max(1, tall), 1, Math.max(1, tall));
        });
        ctx.globalAlpha = 0.72;
        ctx.fillStyle = theme.card;
        const from = this.xOf(range.from);
        const to = Math.max(from + 2, this.xOf(range.to));
        ctx.fillRect(LEFT_PX, 0, from - LEFT_PX, HEIGHT);
        ctx.fillRect(to, 0, LEFT_PX + this.width - to, HEIGHT);
        ctx.globalAlpha = 1;
        ctx.strokeStyle = theme.accent;
        ctx.lineWidth = 1.5;
        ctx.strokeRect(from + 0.75, 0.75, Math.max(1, to - from - 1.5), HEIGHT - 1.5);
    }

    // A press inside the window drags it; elsewhere the window moves there first.
    private press(event: PointerEvent): void {
        if (event.button !== 0 || event.offsetX < LEFT_PX) return;
        const { view } = this;
        const { total } = view.timeline;
        const timeAt = (x: number) => ((x - LEFT_PX) / this.width) * total;
        const length = view.range.to - view.range.from;
        const isInside = event.offsetX >= this.xOf(view.range.from) && event.offsetX <= this.xOf(view.range.to);
        const hold = isInside ? timeAt(event.offsetX) - view.range.from : length / 2;
        const move = (at: PointerEvent) => {
            const from = Math.max(0, Math.min(total - length, timeAt(at.offsetX) - hold));
            view.show(from, from + length);
        };
        move(event);
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.addEventListener("pointermove", move);
        this.canvas.addEventListener("lostpointercapture", () => this.canvas.removeEventListener("pointermove", move), { once: true });
    }
}
