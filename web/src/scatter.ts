// scatter.ts - points and limit lines on two logarithmic axes.

import { Box, colour, font, keepDrawn, prepare, tooltip } from "./canvas";
import { h } from "./dom";
import { compact } from "./format";

export interface Point {
    x: number;
    y: number;
    size: number; // 0 to 1
    colour: string; // name of a style sheet colour
    row: number;
}

// y = at, or y = at * x when it slopes.
export interface Limit {
    label: string;
    at: number;
    slopes: boolean;
}

export interface ScatterOptions {
    id: string;
    label: string; // for screen readers
    x: string;
    y: string;
    height: number;
    describe: (row: number) => { title: string; lines: [string, string][] };
    onPick: (row: number) => void;
}

const MARGIN = { left: 58, right: 14, top: 12, bottom: 44 };
const NEAR_PX = 14; // how close the pointer must come to a point

export class Scatter {
    readonly element: HTMLElement;
    private canvas: HTMLCanvasElement;
    private ring = h("div", { class: "ring", hidden: true });
    private rangeX: [number, number];
    private rangeY: [number, number];
    private plot: Box = { x: 0, y: 0, w: 1, h: 1 };
    private mask: Uint8Array | null = null;
    private redrawTimer = 0;

    constructor(private points: Point[], private limits: Limit[], private options: ScatterOptions) {
        // Big points first, so that small ones stay on top and can be pointed at.
        this.points = [...points].sort((a, b) => b.size - a.size);
        [this.rangeX, this.rangeY] = this.ranges();
        this.canvas = h("canvas", { id: options.id, role: "img", "aria-label": options.label });
        this.element = h("div", { class: "chart" }, this.canvas, this.ring);
        this.canvas.addEventListener("mousemove", e => this.moved(e));
        this.canvas.addEventListener("mouseleave", () => this.leave());
        this.canvas.addEventListener("click", e => {
            const point = this.at(e);
            if (point) options.onPick(point.row);
        });
        keepDrawn(this.canvas, () => this.draw());
    }

    // Rows whose byte is 0 are drawn faint, so that a filter on the table shows here too. Tens of
    // thousands of points take a while: they wait until the typing pauses.
    setMask(mask: Uint8Array | null): void {
        this.mask = mask;
        clearTimeout(this.redrawTimer);
        this.redrawTimer = window.setTimeout(() => this.draw(), 120);
    }

    // Room for all points, for the flat limits, and for the corners where slope meets flat.
    private ranges(): [[number, number], [number, number]] {
        let [x0, x1, y0, y1] = [Infinity, 0, Infinity, 0];
        const include = (x: number, y: number) => {
            x0 = Math.min(x0, x);
            x1 = Math.max(x1, x);
            y0 = Math.min(y0, y);
            y1 = Math.max(y1, y);
        };
        for (const p of this.points) include(p.x, p.y);
        const slope = this.limits.find(l => l.slopes);
        for (const flat of this.limits.filter(l => !l.slopes)) {
            include(slope ? flat.at / slope.at : x1, flat.at);
        }
        return [[x0 / 2, x1 * 4], [y0 / 2, y1 * 2]];
    }

    private px(x: number): number {
        const [a, b] = this.rangeX;
        return this.plot.x + (this.plot.w * Math.log(x / a)) / Math.log(b / a);
    }

    private py(y: number): number {
        const [a, b] = this.rangeY;
        return this.plot.y + this.plot.h - (this.plot.h * Math.log(y / a)) / Math.log(b / a);
    }

    private radius(p: Point): number {
        return 3 + 9 * Math.sqrt(p.size); // area follows the value
    }

    private draw(): void {
        const width = this.canvas.clientWidth;
        const height = this.options.height;
        const ctx = prepare(this.canvas, width, height);
        this.plot = {
            x: MARGIN.left, y: MARGIN.top,
            w: Math.max(40, width - MARGIN.left - MARGIN.right), h: height - MARGIN.top - MARGIN.bottom,
        };
        this.drawAxes(ctx);
        ctx.save();
        ctx.beginPath();
        ctx.rect(this.plot.x, this.plot.y, this.plot.w, this.plot.h);
        ctx.clip();
        this.drawPoints(ctx);
        this.drawLimits(ctx);
        ctx.restore();
    }

    private drawAxes(ctx: CanvasRenderingContext2D): void {
        const { x, y, w, h: ht } = this.plot;
        ctx.font = font(11);
        ctx.lineWidth = 1;
        ctx.textBaseline = "middle";
        ctx.textAlign = "center";
        for (const tick of ticks(this.rangeX)) {
            const at = Math.round(this.px(tick.value)) + 0.5;
            this.gridLine(ctx, tick.major, at, y, at, y + ht);
            if (tick.named) ctx.fillText(compact(tick.value), at, y + ht + 12);
        }
        ctx.textAlign = "right";
        for (const tick of ticks(this.rangeY)) {
            const at = Math.round(this.py(tick.value)) + 0.5;
            this.gridLine(ctx, tick.major, x, at, x + w, at);
            if (tick.named) ctx.fillText(compact(tick.value), x - 7, at);
        }
        ctx.fillStyle = colour("text");
        ctx.textAlign = "center";
        ctx.fillText(this.options.x, x + w / 2, y + ht + 33);
        ctx.translate(12, y + ht / 2);
        ctx.rotate(-Math.PI / 2);
        ctx.fillText(this.options.y, 0, 0);
        ctx.rotate(Math.PI / 2);
        ctx.translate(-12, -(y + ht / 2));
        ctx.textAlign = "left";
    }

    private gridLine(
        ctx: CanvasRenderingContext2D, major: boolean, x0: number, y0: number, x1: number, y1: number,
    ): void {
        ctx.strokeStyle = colour(major ? "line" : "line-faint");
        ctx.fillStyle = colour("muted");
        ctx.beginPath();
        ctx.moveTo(x0, y0);
        ctx.lineTo(x1, y1);
        ctx.stroke();
    }

    private drawPoints(ctx: CanvasRenderingContext2D): void {
        const colours = new Map<string, string>();
        for (const p of this.points) if (!colours.has(p.colour)) colours.set(p.colour, colour(p.colour));
        const outline = this.points.length < 5000; // thousands of outlines would blur together
        ctx.strokeStyle = colour("card");
        ctx.lineWidth = 1;
        for (const p of this.points) {
            const isOut = this.mask !== null && this.mask[p.row] === 0;
            ctx.globalAlpha = isOut ? 0.08 : 0.75;
            ctx.fillStyle = colours.get(p.colour) ?? "";
            ctx.beginPath();
            ctx.arc(this.px(p.x), this.py(p.y), this.radius(p), 0, 2 * Math.PI);
            ctx.fill();
            if (outline && !isOut) ctx.stroke();
        }
        ctx.globalAlpha = 1;
    }

    // A flat limit begins where the slope reaches it; the slope ends at the highest flat limit.
    private drawLimits(ctx: CanvasRenderingContext2D): void {
        const slope = this.limits.find(l => l.slopes);
        const top = Math.max(...this.limits.filter(l => !l.slopes).map(l => l.at), 0);
        ctx.font = font(11, 600);
        ctx.lineWidth = 1.5;
        ctx.strokeStyle = ctx.fillStyle = colour("roof");
        for (const limit of this.limits) {
            const from = limit.slopes ? this.rangeX[0] : slope ? limit.at / slope.at : this.rangeX[0];
            const to = limit.slopes && top > 0 ? top / limit.at : this.rangeX[1];
            const y = (x: number) => this.py(limit.slopes ? limit.at * x : limit.at);
            ctx.beginPath();
            ctx.moveTo(this.px(from), y(from));
            ctx.lineTo(this.px(to), y(to));
            ctx.stroke();
            if (limit.slopes) this.labelSlope(ctx, limit, to, y);
            else {
                ctx.textAlign = "right";
                ctx.fillText(limit.label, this.plot.x + this.plot.w - 4, y(to) - 8);
                ctx.textAlign = "left";
            }
        }
    }

    private labelSlope(
        ctx: CanvasRenderingContext2D, limit: Limit, to: number, y: (x: number) => number,
    ): void {
        const visibleFrom = Math.max(this.rangeX[0], this.rangeY[0] / limit.at);
        const middle = Math.sqrt(visibleFrom * to);
        const turn = Math.atan2(y(to) - y(visibleFrom), this.px(to) - this.px(visibleFrom));
        ctx.save();
        ctx.translate(this.px(middle), y(middle));
        ctx.rotate(turn);
        ctx.textAlign = "center";
        ctx.fillText(limit.label, 0, -9);
        ctx.restore();
    }

    private at(event: MouseEvent): Point | null {
        let best: Point | null = null;
        let least = Infinity;
        for (const p of this.points) {
            if (this.mask !== null && this.mask[p.row] === 0) continue;
            const away = Math.hypot(this.px(p.x) - event.offsetX, this.py(p.y) - event.offsetY);
            if (away <= least && away < Math.max(NEAR_PX, this.radius(p))) {
                best = p;
                least = away;
            }
        }
        return best;
    }

    private moved(event: MouseEvent): void {
        const point = this.at(event);
        if (!point) return this.leave();
        this.canvas.style.cursor = "pointer";
        const r = this.radius(point) + 3;
        this.ring.hidden = false;
        this.ring.style.width = this.ring.style.height = 2 * r + "px";
        this.ring.style.transform = `translate(${this.px(point.x) - r}px, ${this.py(point.y) - r}px)`;
        const { title, lines } = this.options.describe(point.row);
        tooltip.show(event, title, lines);
    }

    private leave(): void {
        this.canvas.style.cursor = "";
        this.ring.hidden = true;
        tooltip.hide();
    }
}

// Powers of ten are major; on a short axis 2 and 5 are labelled too.
function ticks([from, to]: [number, number]): { value: number; major: boolean; named: boolean }[] {
    const out = [];
    const isShort = to / from < 3000;
    for (let e = Math.floor(Math.log10(from)); e <= Math.log10(to); e++) {
        for (let m = 1; m < 10; m++) {
            const value = m * 10 ** e;
            if (value >= from && value <= to) {
                out.push({ value, major: m === 1, named: m === 1 || (isShort && (m === 2 || m === 5)) });
            }
        }
    }
    return out;
}
