// stack.ts - stacked bars: what a total is made of, one bar per device or a single one.
//
// Bars lie on their side, because names read from left to right. Segments are ordered by group
// and then by size; segments of one group share a hue.

import { Box, colour, fitText, font, keepDrawn, prepare, tooltip } from "./canvas";
import { h } from "./dom";
import { compact, duration, formatCell, percent } from "./format";
import { Table } from "./model";

export interface StackOptions {
    id: string;
    key: string; // the column that names a segment
    value: string; // the column that gives its length, in μs
    bar: string; // the column that says which bar; may be absent from the table
    group: string; // the column that gives the hue; if absent, the key does
    groups: string[]; // known groups in order; others follow
    short: (key: string) => string; // the key as it fits into a segment
    onPick?: (row: number) => void;
}

interface Segment {
    row: number;
    group: string;
    label: string;
    start: number; // μs from the left end of its bar
    value: number;
    shade: number; // position within its group
}

interface Bar {
    name: string;
    total: number;
    segments: Segment[];
}

const AXIS_PX = 26;
const HUES = ["compute", "tm", "dm", "host", "other", "extra1", "extra2", "extra3"];

export class StackChart {
    readonly element: HTMLElement;
    private canvas: HTMLCanvasElement;
    private bars: Bar[];
    private groupNames: string[];
    private hover: Segment | null = null;

    constructor(private table: Table, private options: StackOptions) {
        this.groupNames = this.findGroups();
        this.bars = this.buildBars();
        this.canvas = h("canvas", { id: options.id, role: "img", "aria-label": this.describe() });
        this.element = h("div", { class: "chart" }, this.canvas, this.legend());
        this.canvas.addEventListener("mousemove", e => this.moved(e));
        this.canvas.addEventListener("mouseleave", () => this.setHover(null));
        this.canvas.addEventListener("click", e => {
            const segment = this.at(e);
            if (segment) options.onPick?.(segment.row);
        });
        keepDrawn(this.canvas, () => this.draw());
    }

    // The colour of the group a row belongs to, for a dot beside its name.
    rowColour(row: number): string {
        return `var(--seg-${this.hue(this.groupOf(row))})`;
    }

    private groupOf(row: number): string {
        const name = this.table.column(this.options.group) >= 0 ? this.options.group : this.options.key;
        return this.table.text(row, name);
    }

    private findGroups(): string[] {
        const present = new Set(this.table.rows.map((_, row) => this.groupOf(row)));
        const known = this.options.groups.filter(g => present.has(g));
        return [...known, ...[...present].filter(g => !known.includes(g)).sort()];
    }

    private hue(group: string): string {
        const known = this.options.groups.indexOf(group);
        const extra = this.options.groups.length + this.groupNames.indexOf(group);
        return HUES[known >= 0 ? known : extra % HUES.length];
    }

    private buildBars(): Bar[] {
        const bars = new Map<string, Bar>();
        const hasBars = this.table.column(this.options.bar) >= 0;
        this.table.rows.forEach((_, row) => {
            const name = hasBars ? this.table.text(row, this.options.bar) : "";
            const bar = bars.get(name) ?? { name, total: 0, segments: [] };
            bars.set(name, bar);
            const value = this.table.number(row, this.options.value) || 0;
            const label = this.options.short(this.table.text(row, this.options.key));
            bar.segments.push({ row, group: this.groupOf(row), label, start: 0, value, shade: 0 });
        });
        const out = [...bars.values()].sort((a, b) => Number(a.name) - Number(b.name));
        for (const bar of out) this.layOut(bar);
        return out;
    }

    private layOut(bar: Bar): void {
        const rank = (s: Segment) => this.groupNames.indexOf(s.group);
        bar.segments.sort((a, b) => rank(a) - rank(b) || b.value - a.value);
        let previous: Segment | null = null;
        for (const s of bar.segments) {
            s.start = bar.total;
            s.shade = previous && previous.group === s.group ? previous.shade + 1 : 0;
            bar.total += s.value;
            previous = s;
        }
    }

    private describe(): string {
        const parts = this.groupTotals().map(([group, us]) => `${group} ${duration(us)}`);
        return `Stacked bars of ${this.options.value}: ${parts.join(", ")}`;
    }

    private groupTotals(): [string, number][] {
        const totals = new Map<string, number>(this.groupNames.map(g => [g, 0]));
        for (const bar of this.bars) {
            for (const s of bar.segments) totals.set(s.group, (totals.get(s.group) ?? 0) + s.value);
        }
        return [...totals];
    }

    private legend(): HTMLElement {
        const totals = this.groupTotals();
        const sum = totals.reduce((a, [, us]) => a + us, 0);
        const items = totals.map(([group, us]) => {
            const dot = h("i", { class: "dot" });
            dot.style.background = `var(--seg-${this.hue(group)})`;
            return h("li", {}, dot, h("b", {}, group || "(none)"),
                h("span", {}, `${duration(us)} · ${percent(sum > 0 ? (100 * us) / sum : 0)}`));
        });
        return h("ul", { class: "legend" }, ...items);
    }

    private geometry(): { left: number; width: number; barPx: number; step: number; scale: number } {
        const isOne = this.bars.length === 1;
        const left = isOne ? 0 : 66;
        const width = Math.max(40, this.canvas.clientWidth - left - 1);
        const barPx = isOne ? 56 : this.bars.length <= 8 ? 26 : 16;
        const most = Math.max(...this.bars.map(b => b.total), 1e-9);
        return { left, width, barPx, step: barPx + (isOne ? 0 : 6), scale: width / most };
    }

    private draw(): void {
        const { left, barPx, step, scale, width } = this.geometry();
        const height = step * this.bars.length + AXIS_PX;
        const ctx = prepare(this.canvas, left + width + 1, height);
        ctx.textBaseline = "middle";
        this.bars.forEach((bar, i) => {
            const y = i * step;
            if (left > 0) {
                ctx.fillStyle = colour("muted");
                ctx.font = font(12);
                ctx.fillText(fitText(ctx, `${this.options.bar} ${bar.name}`, left - 8), 0, y + barPx / 2);
            }
            for (const s of bar.segments) {
                this.drawSegment(ctx, s, { x: left + s.start * scale, y, w: s.value * scale, h: barPx });
            }
        });
        this.drawAxis(ctx, left, height - AXIS_PX + 2, width, scale);
    }

    private drawSegment(ctx: CanvasRenderingContext2D, s: Segment, box: Box): void {
        const { x, y, w, h: barPx } = box;
        if (w <= 0) return;
        const gap = w > 4 ? 1 : 0; // a hairline keeps neighbours apart
        ctx.fillStyle = colour("seg-" + this.hue(s.group));
        ctx.fillRect(x, y, w - gap, barPx);
        // Shades within a group: the further back, the lighter, in four steps.
        const light = s === this.hover ? 0.35 : 0.07 * (s.shade % 4);
        ctx.fillStyle = `rgba(255,255,255,${light})`;
        ctx.fillRect(x, y, w - gap, barPx);
        if (w < 34) return;
        ctx.fillStyle = "#fff";
        ctx.font = font(12, 600);
        const room = w - 14;
        const share = percent(this.share(s));
        if (barPx >= 40) {
            ctx.fillText(fitText(ctx, s.label, room), x + 8, y + barPx / 2 - 9);
            ctx.font = font(12);
            if (ctx.measureText(share).width < room) ctx.fillText(share, x + 8, y + barPx / 2 + 9);
        } else if (barPx >= 20) {
            ctx.fillText(fitText(ctx, s.label, room), x + 8, y + barPx / 2);
        }
    }

    private share(s: Segment): number {
        const bar = this.bars.find(b => b.segments.includes(s));
        return bar && bar.total > 0 ? (100 * s.value) / bar.total : 0;
    }

    private drawAxis(
        ctx: CanvasRenderingContext2D, left: number, y: number, width: number, scale: number,
    ): void {
        const most = width / scale;
        const [unit, size] = most >= 1e6 ? ["s", 1e6] : most >= 1e3 ? ["ms", 1e3] : ["μs", 1];
        const rough = most / Math.max(2, width / 90);
        const power = 10 ** Math.floor(Math.log10(rough));
        const step = [1, 2, 5, 10].map(m => m * power).find(v => v >= rough) ?? rough;
        ctx.font = font(11);
        ctx.fillStyle = colour("muted");
        ctx.strokeStyle = colour("line");
        for (let v = 0; v <= most * 1.0001; v += step) {
            const x = Math.round(left + v * scale) + 0.5;
            ctx.beginPath();
            ctx.moveTo(x, y);
            ctx.lineTo(x, y + 5);
            ctx.stroke();
            const text = `${compact(v / size)} ${unit}`;
            const w = ctx.measureText(text).width;
            ctx.fillText(text, Math.min(left + width - w, Math.max(left, x - w / 2)), y + 14);
        }
    }

    private at(event: MouseEvent): Segment | null {
        const { left, step, barPx, scale } = this.geometry();
        const bar = this.bars[Math.floor(event.offsetY / step)];
        const us = (event.offsetX - left) / scale;
        if (!bar || event.offsetY % step > barPx) return null;
        return bar.segments.find(s => us >= s.start && us < s.start + s.value) ?? null;
    }

    private setHover(segment: Segment | null): void {
        if (!segment) tooltip.hide();
        if (segment === this.hover) return;
        this.hover = segment;
        this.canvas.style.cursor = segment && this.options.onPick ? "pointer" : "";
        this.draw();
    }

    private moved(event: MouseEvent): void {
        const segment = this.at(event);
        this.setHover(segment);
        if (!segment) return;
        const lines: [string, string][] = [];
        this.table.columns.forEach((c, col) => {
            const text = formatCell(this.table.rows[segment.row][col], c);
            if (c.name === this.options.key || text === "") return;
            lines.push([c.name, c.unit ? `${text} ${c.unit}` : text]);
        });
        tooltip.show(event, this.table.text(segment.row, this.options.key), lines);
    }
}
