// overlay.ts - drawn over the bars: selection, ruler, and the bars under the pointer and pinned.

import { font } from "./canvas";
import { Hit } from "./hit";
import { AXIS_PX, LEFT_PX } from "./rows";
import { Range, TimelineView } from "./timeline";

export function drawOverlay(view: TimelineView): void {
    const scale = window.devicePixelRatio || 1;
    const ctx = view.overlay.getContext("2d") as CanvasRenderingContext2D;
    const width = view.element.clientWidth;
    const height = view.element.clientHeight;
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(LEFT_PX, 0, width - LEFT_PX, height);
    ctx.clip();
    if (view.selection) drawSelection(ctx, view, view.selection, height);
    if (view.pointer >= LEFT_PX) {
        ctx.fillStyle = view.theme.accent;
        ctx.globalAlpha = 0.5;
        ctx.fillRect(Math.round(view.pointer), 0, 1, height);
        ctx.globalAlpha = 1;
    }
    if (view.pinned) outline(ctx, view, view.pinned, 2);
    if (view.hover) outline(ctx, view, view.hover, 1.5);
    if (view.ruler) drawRuler(ctx, view, view.ruler, height);
    ctx.restore();
}

function drawSelection(ctx: CanvasRenderingContext2D, view: TimelineView, range: Range, height: number): void {
    const from = view.xOf(range.from);
    const to = view.xOf(range.to);
    ctx.fillStyle = view.theme.accent;
    ctx.globalAlpha = 0.13;
    ctx.fillRect(from, 0, to - from, height);
    ctx.globalAlpha = 0.8;
    ctx.fillRect(from - 0.5, 0, 1, height);
    ctx.fillRect(to - 0.5, 0, 1, height);
    ctx.globalAlpha = 1;
}

function outline(ctx: CanvasRenderingContext2D, view: TimelineView, hit: Hit, line: number): void {
    const row = view.rows.list.find(r => (hit.track < 0 ? r.kind === "device" && r.device === hit.device : r.tracks.includes(hit.track)));
    const strip = row?.strips.find(s => (hit.track < 0 || s.track === hit.track) && (s.depth < 0 || s.depth === hit.depth));
    if (!row || !strip) return;
    // Far beyond the edges a canvas loses precision, so clip to the visible part first.
    const from = Math.max(LEFT_PX - 4, view.xOf(hit.lanes.starts[hit.index]));
    const to = Math.min(view.element.clientWidth + 4, Math.max(from + 1, view.xOf(hit.lanes.ends[hit.index])));
    const y = view.rowTop(row) + strip.y - row.y;
    if (y < AXIS_PX - strip.height || to < LEFT_PX) return;
    ctx.strokeStyle = view.theme.text;
    ctx.lineWidth = line;
    ctx.strokeRect(from - 0.5, y - 0.5, to - from + 1, strip.height + 1);
}

function drawRuler(ctx: CanvasRenderingContext2D, view: TimelineView, ruler: Range, height: number): void {
    const { theme } = view;
    const from = view.xOf(Math.min(ruler.from, ruler.to));
    const to = view.xOf(Math.max(ruler.from, ruler.to));
    const y = AXIS_PX + 14;
    ctx.fillStyle = theme.text;
    ctx.fillRect(Math.round(from), 0, 1, height);
    ctx.fillRect(Math.round(to), 0, 1, height);
    ctx.fillRect(from, y, to - from, 1);
    const text = rulerText(view, ruler);
    ctx.font = font(12, 600);
    const room = ctx.measureText(text).width + 16;
    const x = Math.min(view.element.clientWidth - room - 4, Math.max(LEFT_PX + 4, (from + to - room) / 2));
    ctx.fillRect(x, y - 11, room, 22);
    ctx.fillStyle = theme.card;
    ctx.textBaseline = "middle";
    ctx.fillText(text, x + 8, y + 0.5);
}

export function rulerText(view: TimelineView, ruler: Range): string {
    const cycles = Math.abs(ruler.to - ruler.from);
    return view.timeline.length(cycles, cycles * view.timeline.axisNs);
}
