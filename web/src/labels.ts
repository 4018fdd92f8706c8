// labels.ts - the text of the timeline: names on bars, names of rows, times on the axis.

import { fitText, font } from "./canvas";
import { NamedBar } from "./paint";
import { AXIS_PX, afterName, CORE_PX, DEVICE_NAME_PX, deviceFont, LEFT_PX, Row } from "./rows";
import { Tick } from "./time_axis";
import { TimelineView } from "./timeline";

// Measuring a text takes longer than drawing it, and names repeat.
const widths = new Map<string, number>();

function cut(ctx: CanvasRenderingContext2D, text: string, room: number): string {
    let width = widths.get(text);
    if (width === undefined) {
        width = ctx.measureText(text).width;
        widths.set(text, width);
    }
    if (width <= room) return text;
    const letters = Math.floor((text.length * room) / width) - 1;
    return letters < 4 ? "" : text.slice(0, letters) + "…";
}

export function drawNames(ctx: CanvasRenderingContext2D, view: TimelineView, bars: NamedBar[], scale: number): void {
    const { data } = view.timeline;
    const { theme } = view;
    ctx.font = font(10.5);
    ctx.textBaseline = "middle";
    ctx.save();
    ctx.beginPath();
    ctx.rect(LEFT_PX, AXIS_PX, view.plotWidth, view.element.clientHeight - AXIS_PX);
    ctx.clip();
    for (const bar of bars) {
        const frame = bar.isRun ? view.timeline.frame(bar.key) : null;
        const name = frame ? frame[1] : bar.isRun ? String(data.runs[bar.key][1]) : view.timeline.siteName(bar.key);
        const text = cut(ctx, name, bar.width / scale - 7);
        if (text === "") continue;
        ctx.fillStyle = bar.isRun ? theme.text : view.isFaint(name) ? theme.muted : name.endsWith("-FW") ? theme.onMuted : theme.onBar;
        ctx.fillText(text, LEFT_PX + bar.x / scale + 4, AXIS_PX + (bar.y + bar.height / 2) / scale + 0.5);
    }
    ctx.restore();
}

export function drawRowLabels(ctx: CanvasRenderingContext2D, view: TimelineView, height: number): void {
    const { theme, rows } = view;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, AXIS_PX, view.element.clientWidth, height - AXIS_PX);
    ctx.clip();
    ctx.textBaseline = "middle";
    const floor = AXIS_PX + rows.list[0].height; // the first row is a device, and the ops of one lie on top
    for (const block of rows.blocks) {
        const y = view.screenY(block.y);
        if (y > height || y + block.height < AXIS_PX) continue;
        if (block.number % 2 === 1) {
            ctx.fillStyle = theme.raised;
            ctx.fillRect(0, y, LEFT_PX, block.height);
        }
        if (block.label === "") continue;
        // The name of a core stays visible, below the ops, as long as one of its rows is.
        const at = Math.min(Math.max(y, floor), y + block.height - 18);
        triangle(ctx, 10, at + 9, rows.folded.has(block.key), theme.muted);
        ctx.font = font(11.5, 600);
        ctx.fillStyle = block.isDispatch ? theme.muted : theme.text;
        ctx.fillText(block.label, 18, at + 9.5);
        if (block.isDispatch && block.height >= 34) {
            ctx.font = font(9.5);
            ctx.fillText("dispatch", 18, at + 22);
        }
    }
    for (const row of rows.list) {
        const y = view.screenY(row.y);
        if (row.kind === "device" || y > height || y + row.height < AXIS_PX) continue;
        const [track] = row.tracks.map(t => view.timeline.data.tracks[t]);
        if (!view.timeline.isChip(row.device)) {
            hostLabel(ctx, view, row, y);
            continue;
        }
        if (row.kind === "risc" && track.depths > 1) triangle(ctx, CORE_PX + 4, y + 9, rows.folded.has(row.key), theme.muted);
        const text = row.tracks.length > 1 ? `${row.tracks.length} RISCs` : track.risc;
        ctx.font = font(10.5);
        ctx.fillStyle = theme.muted;
        ctx.fillText(cut(ctx, text, LEFT_PX - CORE_PX - 14), CORE_PX + 11, y + 9.5);
    }
    for (const row of rows.list) if (row.kind === "device") deviceLabel(ctx, view, row);
    ctx.restore();
    ctx.fillStyle = theme.line;
    ctx.fillRect(LEFT_PX - 1, 0, 1, height);
}

// A thread, a process or a plot: its name replaces core and RISC.
function hostLabel(ctx: CanvasRenderingContext2D, view: TimelineView, row: Row, y: number): void {
    const { theme, rows } = view;
    const track = view.timeline.data.tracks[row.tracks[0]];
    if (track && (track.depths > 1 || row.kind === "core")) {
        triangle(ctx, 10, y + 9, row.kind === "core" || rows.folded.has(row.key), theme.muted);
    }
    ctx.font = font(11);
    ctx.fillStyle = row.kind === "plot" ? theme.muted : theme.text;
    ctx.fillText(cut(ctx, track ? track.risc : row.label, LEFT_PX - 26), 18, y + (row.kind === "plot" ? row.height / 2 : 9.5));
}

function deviceLabel(ctx: CanvasRenderingContext2D, view: TimelineView, row: Row): void {
    const { theme } = view;
    const { runs } = view.timeline;
    const { height, device } = row;
    const y = view.rowTop(row);
    if (y > view.element.clientHeight || y + height < AXIS_PX) return;
    ctx.fillStyle = theme.card;
    ctx.fillRect(0, y, LEFT_PX, height);
    ctx.fillStyle = theme.line;
    ctx.fillRect(0, y + height - 1, view.element.clientWidth, 1);
    if (y > AXIS_PX) ctx.fillRect(0, y, view.element.clientWidth, 1);
    triangle(ctx, 10, y + height / 2, view.rows.folded.has(row.key), theme.accent);
    ctx.font = deviceFont();
    ctx.fillStyle = theme.accent;
    const isChip = view.timeline.isChip(device);
    const after = isChip ? afterName(view.timeline.data.devices[device]) : 0;
    ctx.fillText(fitText(ctx, row.label, LEFT_PX - DEVICE_NAME_PX - 6 - after), DEVICE_NAME_PX, y + height / 2 + 0.5);
    ctx.font = font(10);
    ctx.fillStyle = theme.muted;
    const { loose, about } = view.timeline.data.devices[device];
    if (isChip) ctx.fillText(loose ? "not aligned" : "ops", LEFT_PX - after, y + height / 2 + 0.5);
    if (runs.first[runs.base[device + 1]] === runs.first[runs.base[device]]) {
        ctx.fillText(isChip ? "no runs in the log" : about ?? "", LEFT_PX + 6, y + height / 2 + 0.5);
    }
}

function triangle(ctx: CanvasRenderingContext2D, x: number, y: number, isFolded: boolean, colour: string): void {
    ctx.fillStyle = colour;
    ctx.beginPath();
    if (isFolded) {
        ctx.moveTo(x - 2, y - 4);
        ctx.lineTo(x + 3, y);
        ctx.lineTo(x - 2, y + 4);
    } else {
        ctx.moveTo(x - 4, y - 2);
        ctx.lineTo(x + 4, y - 2);
        ctx.lineTo(x, y + 3);
    }
    ctx.fill();
}

export function drawAxis(ctx: CanvasRenderingContext2D, view: TimelineView, ticks: Tick[], width: number): void {
    const { theme } = view;
    ctx.fillStyle = theme.raised;
    ctx.fillRect(0, 0, width, AXIS_PX);
    ctx.fillStyle = theme.line;
    ctx.fillRect(0, AXIS_PX - 1, width, 1);
    ctx.font = font(11);
    ctx.textBaseline = "middle";
    ctx.fillStyle = theme.muted;
    ctx.fillText(view.showsCycles ? "cycles" : "time", 10, AXIS_PX / 2);
    for (const tick of ticks) {
        const x = view.xOf(tick.at);
        ctx.fillStyle = theme.line;
        ctx.fillRect(Math.floor(x), AXIS_PX - 7, 1, 7);
        const text = ctx.measureText(tick.label).width;
        if (x + 4 + text > width) continue;
        ctx.fillStyle = theme.text;
        ctx.fillText(tick.label, x + 4, AXIS_PX / 2);
    }
}
