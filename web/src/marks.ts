// marks.ts - marks of a run: signposts as lines through all rows, messages on the rows of their
// threads, plots as step lines in their own rows.

import { font } from "./canvas";
import { compact, grouped } from "./format";
import { AXIS_PX, LEFT_PX, Row } from "./rows";
import { TimelineView } from "./timeline";
import { Mark, Plot, SIGNPOST } from "./timeline_data";
import { timeText } from "./time_axis";

const LABEL_PX = 16; // a signpost's name, below the axis
const LABEL_MOST_PX = 170;
const NEAR_PX = 4;
const LEVELS = ["trace", "debug", "info", "warning", "error", "fatal"];

export interface About {
    title: string;
    lines: [string, string][];
}

interface Label {
    mark: Mark;
    x: number;
    width: number;
}

interface Extent {
    low: number;
    high: number;
}

export class Marks {
    private signposts: Mark[];
    private messages = new Map<number, Mark[]>(); // by track, in order of time
    private labels: Label[] = []; // of the last frame
    private extents = new Map<number, Extent>(); // by plot

    constructor(private view: TimelineView) {
        const all = view.timeline.data.marks ?? [];
        this.signposts = all.filter(mark => mark[2] === SIGNPOST);
        for (const mark of all) {
            if (mark[2] === SIGNPOST) continue;
            const list = this.messages.get(mark[0]);
            if (list) list.push(mark);
            else this.messages.set(mark[0], [mark]);
        }
    }

    draw(ctx: CanvasRenderingContext2D): void {
        const { view } = this;
        ctx.save();
        ctx.beginPath();
        ctx.rect(LEFT_PX, AXIS_PX, view.plotWidth, view.element.clientHeight - AXIS_PX);
        ctx.clip();
        for (const row of this.inSight()) {
            if (row.plot >= 0) this.drawPlot(ctx, row);
            else if (row.kind === "risc") this.drawMessages(ctx, row);
        }
        this.drawSignposts(ctx);
        ctx.restore();
    }

    private inSight(): Row[] {
        const { view } = this;
        if (this.messages.size === 0 && !view.timeline.data.plots?.length) return [];
        return view.rows.list.filter(row => {
            const y = view.screenY(row.y);
            return y + row.height > AXIS_PX && y < view.element.clientHeight;
        });
    }

    // --- messages ----------------------------------------------------------------------------

    private drawMessages(ctx: CanvasRenderingContext2D, row: Row): void {
        const { view } = this;
        const list = this.messages.get(row.tracks[0]) ?? [];
        const y = view.screenY(row.y) + 1;
        let taken = -1;
        for (let i = firstFrom(list, view.range.from); i < list.length && list[i][1] <= view.range.to; i++) {
            const x = Math.round(view.xOf(list[i][1]));
            if (x === taken) continue;
            taken = x;
            ctx.fillStyle = list[i][4] ? rgb(list[i][4]) : view.theme.text;
            ctx.beginPath();
            ctx.moveTo(x - 3.5, y);
            ctx.lineTo(x + 3.5, y);
            ctx.lineTo(x, y + 6);
            ctx.fill();
        }
    }

    // --- signposts ---------------------------------------------------------------------------

    private drawSignposts(ctx: CanvasRenderingContext2D): void {
        const { view } = this;
        const height = view.element.clientHeight;
        this.labels = [];
        ctx.font = font(10.5, 600);
        ctx.textBaseline = "middle";
        let taken = -1; // x of the previous line
        let free = LEFT_PX; // where the next name may start
        for (let i = firstFrom(this.signposts, view.range.from); i < this.signposts.length; i++) {
            const mark = this.signposts[i];
            if (mark[1] > view.range.to) break;
            const x = Math.round(view.xOf(mark[1]));
            if (x === taken) continue;
            taken = x;
            ctx.fillStyle = mark[4] ? rgb(mark[4]) : view.theme.accent;
            ctx.fillRect(x, AXIS_PX, 1, height);
            const text = clipped(ctx, headOf(mark));
            const width = ctx.measureText(text).width + 10;
            if (x < free) continue;
            free = x + width + 2;
            ctx.fillRect(x, height - LABEL_PX, width, LABEL_PX);
            ctx.fillStyle = view.theme.card;
            ctx.fillText(text, x + 5, height - LABEL_PX / 2);
            this.labels.push({ mark, x, width });
        }
    }

    // --- plots -------------------------------------------------------------------------------

    private extent(index: number, plot: Plot): Extent {
        let extent = this.extents.get(index);
        if (extent) return extent;
        extent = { low: 0, high: 0 };
        for (let i = 1; i < plot.points.length; i += 2) {
            extent.low = Math.min(extent.low, plot.points[i]);
            extent.high = Math.max(extent.high, plot.points[i]);
        }
        if (extent.high === extent.low) extent.high = extent.low + 1;
        this.extents.set(index, extent);
        return extent;
    }

    // A value holds until the next one.
    private drawPlot(ctx: CanvasRenderingContext2D, row: Row): void {
        const { view } = this;
        const plot = (view.timeline.data.plots as Plot[])[row.plot];
        const { low, high } = this.extent(row.plot, plot);
        const top = view.screenY(row.y) + 4;
        const room = row.height - 8;
        const yOf = (value: number) => top + room - ((value - low) / (high - low)) * room;
        ctx.strokeStyle = view.theme.accent;
        ctx.lineWidth = 1.25;
        ctx.beginPath();
        const first = Math.max(0, pointFrom(plot, view.range.from) - 1);
        let y = NaN;
        for (let i = first; 2 * i < plot.points.length; i++) {
            const x = Math.max(LEFT_PX - 2, view.xOf(plot.points[2 * i]));
            if (Number.isNaN(y)) ctx.moveTo(x, yOf(plot.points[2 * i + 1]));
            else ctx.lineTo(x, y);
            y = yOf(plot.points[2 * i + 1]);
            ctx.lineTo(x, y);
            if (plot.points[2 * i] > view.range.to) break;
        }
        if (!Number.isNaN(y)) ctx.lineTo(Math.min(view.xOf(view.timeline.total), view.element.clientWidth + 2), y);
        ctx.stroke();
        ctx.font = font(9.5);
        ctx.textBaseline = "middle";
        ctx.fillStyle = view.theme.muted;
        ctx.fillText(compact(high), LEFT_PX + 4, top + 3);
    }

    // --- under the pointer -------------------------------------------------------------------

    at(x: number, y: number): About | null {
        const { view } = this;
        if (x < LEFT_PX || y < AXIS_PX) return null;
        const label = this.labels.find(l => x >= l.x && x <= l.x + l.width && y >= view.element.clientHeight - LABEL_PX);
        if (label) return this.about(label.mark);
        const row = view.rows.at(view.rowY(y), view.element.scrollTop);
        if (row && row.plot >= 0) return this.aboutPlot(row, view.timeAt(x));
        if (row?.kind === "risc" && y < view.screenY(row.y) + 9) {
            const list = this.messages.get(row.tracks[0]) ?? [];
            const near = nearest(list, view.timeAt(x), NEAR_PX * view.cyclesPerCssPixel);
            if (near) return this.about(near);
        }
        const near = nearest(this.signposts, view.timeAt(x), 1.5 * view.cyclesPerCssPixel);
        return near ? this.about(near) : null;
    }

    private about(mark: Mark): About {
        const { timeline } = this.view;
        const [track, time, kind, level, , text] = mark;
        const { device, risc } = timeline.data.tracks[track];
        const isSignpost = kind === SIGNPOST;
        const body = isSignpost ? text.split("\n").slice(1) : text.split("\n");
        const lines: [string, string][] = body.map((line, i) => [i === 0 ? (isSignpost ? "Message" : "Text") : "", line]);
        if (!isSignpost) lines.push(["Level", LEVELS[level] ?? String(level)]);
        lines.push(["At", `${grouped(time, 0)} ns`], ["", `${timeText(time)} into the run`]);
        lines.push(["Thread", risc], ["Process", timeline.label(device)]);
        return { title: isSignpost ? headOf(mark) : "Message", lines };
    }

    private aboutPlot(row: Row, time: number): About | null {
        const plot = (this.view.timeline.data.plots as Plot[])[row.plot];
        const i = pointFrom(plot, time) - 1;
        if (i < 0) return null;
        const value = plot.points[2 * i + 1];
        return {
            title: plot.name,
            lines: [["Value", grouped(value, Number.isInteger(value) ? 0 : 3)], ["Since", `${timeText(plot.points[2 * i])} into the run`],
                ["Process", this.view.timeline.label(plot.device)]],
        };
    }

    // For tests: the signposts with a name in the last frame.
    shown(): { text: string; x: number }[] {
        return this.labels.map(l => ({ text: headOf(l.mark), x: l.x }));
    }
}

function headOf(mark: Mark): string {
    return mark[5].split("\n", 1)[0];
}

function rgb(colour: number): string {
    return "#" + colour.toString(16).padStart(6, "0");
}

function clipped(ctx: CanvasRenderingContext2D, text: string): string {
    let out = text;
    while (out.length > 4 && ctx.measureText(out).width > LABEL_MOST_PX) out = out.slice(0, Math.floor(out.length * 0.85) - 1) + "…";
    return out;
}

// The first mark that is not before a time.
function firstFrom(list: Mark[], time: number): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (list[middle][1] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The first point of a plot after a time.
function pointFrom(plot: Plot, time: number): number {
    let low = 0;
    let high = plot.points.length / 2;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (plot.points[2 * middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

function nearest(list: Mark[], time: number, reach: number): Mark | null {
    const at = firstFrom(list, time);
    const gap = (i: number) => (i >= 0 && i < list.length ? Math.abs(list[i][1] - time) : Infinity);
    const best = gap(at) < gap(at - 1) ? at : at - 1;
    return gap(best) <= reach ? list[best] : null;
}
