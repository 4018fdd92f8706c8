// flame.ts - a flame graph: nested boxes, width is time. A click zooms to a box; a click on the
// background or Escape zooms out.

import { font, fitText, keepDrawn, prepare, tooltip } from "./canvas";
import { h } from "./dom";
import { fixed, percent } from "./format";
import { Table } from "./model";

const ROW_PX = 24;
const GAP_PX = 1;

interface Frame {
    name: string;
    depth: number;
    x: number; // of the whole, 0 to 1
    width: number;
    ms: number;
    colour: string;
}

export class FlameGraph {
    readonly element: HTMLElement;
    private canvas = h("canvas", { id: "flame-graph", role: "img", "aria-label": "Flame graph", tabindex: 0 });
    private where = h("p", { class: "muted", id: "flame-where" });
    private frames: Frame[];
    private from = 0; // visible part of the whole
    private to = 1;

    constructor(table: Table) {
        this.frames = table.rows.map((_, row) => ({
            name: table.text(row, "Name"),
            depth: table.number(row, "Depth"),
            x: table.number(row, "X"),
            width: table.number(row, "Width"),
            ms: table.number(row, "Time"),
            colour: /^#[0-9A-F]{6}$/.test(table.text(row, "Colour")) ? table.text(row, "Colour") : "#95A5A6",
        }));
        this.to = this.end();
        this.element = h("div", { class: "chart" }, this.where, this.canvas);
        this.canvas.addEventListener("pointermove", event => this.hover(event));
        this.canvas.addEventListener("pointerleave", () => tooltip.hide());
        this.canvas.addEventListener("click", event => this.zoom(this.at(event)));
        this.canvas.addEventListener("keydown", event => {
            if (event.key === "Escape") this.zoom(null);
        });
        this.zoom(null);
        keepDrawn(this.canvas, () => this.draw());
    }

    // Zones that overlap may add up to more than the step.
    private end(): number {
        return this.frames.reduce((most, frame) => Math.max(most, frame.x + frame.width), 1e-9);
    }

    private zoom(frame: Frame | null): void {
        this.from = frame ? frame.x : 0;
        this.to = frame ? frame.x + frame.width : this.end();
        this.where.textContent = frame
            ? `${frame.name}: ${fixed(frame.ms, 2)} ms, ${percent(100 * frame.width)} of the step; Escape shows all`
            : "hover for times, click to zoom";
        this.canvas.dataset.zoom = frame ? frame.name : "";
        if (this.canvas.isConnected) this.draw();
    }

    private left(x: number): number {
        return ((x - this.from) / (this.to - this.from)) * this.canvas.clientWidth;
    }

    private at(event: MouseEvent): Frame | null {
        const depth = Math.floor(event.offsetY / (ROW_PX + GAP_PX));
        return this.frames.find(f =>
            f.depth === depth && event.offsetX >= this.left(f.x) && event.offsetX < this.left(f.x + f.width)) ?? null;
    }

    private hover(event: PointerEvent): void {
        const frame = this.at(event);
        if (!frame) {
            tooltip.hide();
            return;
        }
        tooltip.show(event, frame.name, [["time", fixed(frame.ms, 3) + " ms"], ["of the step", percent(100 * frame.width)]]);
    }

    private draw(): void {
        const depths = this.frames.reduce((most, frame) => Math.max(most, frame.depth + 1), 1);
        const width = this.canvas.clientWidth;
        const ctx = prepare(this.canvas, width, depths * (ROW_PX + GAP_PX));
        ctx.font = font(12, 600);
        ctx.textBaseline = "middle";
        for (const frame of this.frames) {
            const x0 = Math.max(0, this.left(frame.x));
            const x1 = Math.min(width, this.left(frame.x + frame.width));
            if (x1 - x0 < 0.3) continue;
            const y = frame.depth * (ROW_PX + GAP_PX);
            ctx.fillStyle = frame.colour;
            ctx.fillRect(x0, y, Math.max(0.5, x1 - x0 - GAP_PX), ROW_PX);
            ctx.fillStyle = "#ffffff";
            ctx.fillText(fitText(ctx, frame.name, x1 - x0 - 8), x0 + 4, y + ROW_PX / 2);
        }
    }
}
