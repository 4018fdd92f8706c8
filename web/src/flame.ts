// flame.ts - a flame graph: nested boxes, width is time. A click zooms to a box; a click on the
// background or Escape zooms out. The search box marks the boxes with a text in their names.

import { font, fitText, keepDrawn, prepare, tooltip } from "./canvas";
import { h } from "./dom";
import { duration, fixed, percent, plural } from "./format";
import { Table } from "./model";
import { groupColour, nameColour, readTheme } from "./zone_colours";

const ROW_PX = 24;
const GAP_PX = 1;

interface Frame {
    name: string;
    depth: number;
    x: number; // of the whole, 0 to 1
    width: number;
    ms: number;
    colour: string; // "": by its name
    isGroup: boolean; // a process or thread, not a zone
    more: [string, string][];
}

// What else a table may say of a frame.
function moreOf(table: Table, row: number): [string, string][] {
    const out: [string, string][] = [];
    const self = table.number(row, "Self"), count = table.number(row, "Count"), open = table.number(row, "Open");
    if (!Number.isNaN(self)) out.push(["self", duration(1000 * self)]);
    if (!Number.isNaN(count)) out.push(["zones", plural(count, "zone")]);
    if (open > 0) out.push(["without an end", plural(open, "zone")]);
    if (table.text(row, "Source")) out.push(["at", table.text(row, "Source")]);
    return out;
}

export class FlameGraph {
    readonly element: HTMLElement;
    private canvas = h("canvas", { id: "flame-graph", role: "img", "aria-label": "Flame graph", tabindex: 0 });
    private where = h("p", { class: "muted", id: "flame-where" });
    private box = h("input", {
        id: "flame-find", type: "search", placeholder: "Mark frames by name", "aria-label": "Mark frames by name", autocomplete: "off", spellcheck: "false",
    });
    private found = h("span", { class: "muted", id: "flame-found", role: "status" });
    private wanted = "";
    private frames: Frame[];
    private from = 0; // visible part of the whole
    private to = 1;

    // `of`: what a share is part of.
    constructor(table: Table, private of = "of the step") {
        this.frames = table.rows.map((_, row) => ({
            name: table.text(row, "Name"),
            depth: table.number(row, "Depth"),
            x: table.number(row, "X"),
            width: table.number(row, "Width"),
            ms: table.number(row, "Time"),
            colour: colourOf(table, row),
            isGroup: Number.isNaN(table.number(row, "Count")),
            more: moreOf(table, row),
        }));
        this.to = this.end();
        this.element = h("div", { class: "chart" },
            h("div", { class: "search" }, this.box, this.found), this.where, this.canvas);
        this.box.addEventListener("input", () => this.find());
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
            ? `${frame.name}: ${fixed(frame.ms, 2)} ms, ${percent(100 * frame.width)} ${this.of}; Escape shows all`
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
        tooltip.show(event, frame.name, [["time", fixed(frame.ms, 3) + " ms"], [this.of, percent(100 * frame.width)], ...frame.more]);
    }

    private isFound(frame: Frame): boolean {
        return this.wanted !== "" && frame.name.toLowerCase().includes(this.wanted);
    }

    // The time of marked frames; those inside another marked one are not counted twice.
    private find(): void {
        this.wanted = this.box.value.toLowerCase();
        let marked = 0, width = 0, end = -1;
        for (const frame of this.frames) {
            if (!this.isFound(frame)) continue;
            marked++;
            if (frame.x < end) continue;
            width += frame.width;
            end = frame.x + frame.width;
        }
        this.found.textContent = this.wanted ? `${plural(marked, "frame")}, ${percent(100 * width)} ${this.of}` : "";
        this.draw();
    }

    private draw(): void {
        const depths = this.frames.reduce((most, frame) => Math.max(most, frame.depth + 1), 1);
        const width = this.canvas.clientWidth;
        const ctx = prepare(this.canvas, width, depths * (ROW_PX + GAP_PX));
        const theme = readTheme();
        ctx.font = font(12, 600);
        ctx.textBaseline = "middle";
        for (const frame of this.frames) {
            const x0 = Math.max(0, this.left(frame.x));
            const x1 = Math.min(width, this.left(frame.x + frame.width));
            if (x1 - x0 < 0.3) continue;
            const y = frame.depth * (ROW_PX + GAP_PX);
            ctx.globalAlpha = this.wanted && !this.isFound(frame) ? 0.25 : 1;
            ctx.fillStyle = frame.colour || (frame.isGroup ? groupColour(theme.dark) : nameColour(frame.name, theme.dark));
            ctx.fillRect(x0, y, Math.max(0.5, x1 - x0 - GAP_PX), ROW_PX);
            ctx.fillStyle = frame.colour ? "#ffffff" : frame.isGroup ? theme.onMuted : theme.onBar;
            ctx.globalAlpha = 1;
            ctx.fillText(fitText(ctx, frame.name, x1 - x0 - 8), x0 + 4, y + ROW_PX / 2);
        }
    }
}

// A table without colours has them by name.
function colourOf(table: Table, row: number): string {
    if (table.column("Colour") < 0) return "";
    return /^#[0-9A-F]{6}$/.test(table.text(row, "Colour")) ? table.text(row, "Colour") : "#95A5A6";
}
