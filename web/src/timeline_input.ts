// timeline_input.ts - mouse and keys of the timeline.

import { tooltip } from "./canvas";
import { describe } from "./hit";
import { AXIS_PX, CORE_PX, LEFT_PX } from "./rows";
import { Mode, TimelineView } from "./timeline";

const CLICK_PX = 4; // a press that moves less is a click
const WHEEL_LINE_PX = 16; // browsers that count the wheel in lines
const ZOOM_PER_PX = 0.0018; // a notch of a usual wheel, 100 px, is a fifth
const KEY_ZOOM = 0.7;
const KEY_PAN = 0.2; // of the width

export function listen(view: TimelineView): void {
    const { overlay } = view;
    overlay.addEventListener("wheel", event => wheel(view, event), { passive: false });
    overlay.addEventListener("pointerdown", event => press(view, event));
    overlay.addEventListener("pointermove", event => hover(view, event));
    overlay.addEventListener("pointerleave", () => {
        view.pointer = -1;
        view.setHover(null);
        view.touched();
        tooltip.hide();
    });
    overlay.addEventListener("dblclick", event => {
        const hit = view.mode === "pan" ? view.hit(event.offsetX, event.offsetY) : null;
        if (!hit) return;
        const start = hit.lanes.starts[hit.index];
        const length = hit.lanes.ends[hit.index] - start;
        view.show(start - length * 0.1, start + length * 1.1);
    });
}

// Over the names of the rows the wheel scrolls, as it does in any list.
function wheel(view: TimelineView, event: WheelEvent): void {
    if (event.offsetX < LEFT_PX) return;
    event.preventDefault();
    const unit = event.deltaMode === 0 ? 1 : WHEEL_LINE_PX;
    const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isAcross) view.panBy((event.deltaX || event.deltaY) * unit);
    else view.zoomAt(event.offsetX, Math.exp(event.deltaY * unit * ZOOM_PER_PX));
    tooltip.hide();
}

type Gesture = Mode | "label";

function gestureOf(view: TimelineView, event: PointerEvent): Gesture {
    if (event.offsetX < LEFT_PX) return "label";
    if (event.offsetY < AXIS_PX) return event.shiftKey || view.mode === "ruler" ? "ruler" : "pan";
    if (view.mode !== "pan") return view.mode;
    return event.shiftKey ? "select" : "pan";
}

function press(view: TimelineView, event: PointerEvent): void {
    if (event.button !== 0) return;
    const { overlay } = view;
    const gesture = gestureOf(view, event);
    const begun = { x: event.offsetX, y: event.offsetY, range: view.range, top: view.element.scrollTop };
    const from = view.timeAt(begun.x);
    let isDrag = false;
    overlay.setPointerCapture(event.pointerId);
    view.element.focus({ preventScroll: true });

    const moved = (move: PointerEvent) => {
        const [dx, dy] = [move.offsetX - begun.x, move.offsetY - begun.y];
        isDrag ||= Math.hypot(dx, dy) >= CLICK_PX;
        if (!isDrag) return;
        tooltip.hide();
        const to = view.timeAt(Math.max(LEFT_PX, Math.min(view.element.clientWidth, move.offsetX)));
        const [low, high] = [Math.max(0, Math.min(from, to)), Math.min(view.timeline.total, Math.max(from, to))];
        if (gesture === "ruler") {
            view.ruler = { from: low, to: high };
            view.touched();
        } else if (gesture === "select") {
            view.select({ from: low, to: high });
        } else {
            view.element.scrollTop = begun.top - dy;
            const shift = gesture === "pan" ? dx * view.cyclesPerCssPixel : 0;
            view.show(begun.range.from - shift, begun.range.to - shift);
        }
    };
    const released = (up: PointerEvent) => {
        overlay.removeEventListener("pointermove", moved);
        overlay.removeEventListener("pointerup", released);
        overlay.removeEventListener("pointercancel", released);
        if (!isDrag && up.type === "pointerup") click(view, gesture, up);
    };
    overlay.addEventListener("pointermove", moved);
    overlay.addEventListener("pointerup", released);
    overlay.addEventListener("pointercancel", released);
}

function click(view: TimelineView, gesture: Gesture, event: PointerEvent): void {
    if (gesture === "label") fold(view, event);
    else if (gesture === "select") view.select(null);
    else if (gesture === "ruler") {
        view.ruler = null;
        view.touched();
    } else {
        view.pin(view.hit(event.offsetX, event.offsetY));
        const about = view.marks.at(event.offsetX, event.offsetY);
        if (about) view.onPinText(about);
    }
}

function fold(view: TimelineView, event: PointerEvent): void {
    const y = view.rowY(event.offsetY);
    const row = event.offsetY < AXIS_PX ? null : view.rows.at(y, view.element.scrollTop);
    if (!row) return;
    if (row.kind === "plot") return;
    const isCore = row.kind === "risc" && event.offsetX < CORE_PX && view.timeline.isChip(row.device);
    view.rows.toggle(isCore ? view.rows.blockAt(y)?.key ?? row.key : row.key);
    view.fold();
}

function hover(view: TimelineView, event: PointerEvent): void {
    view.pointer = event.offsetX;
    view.touched();
    view.overlay.style.cursor = event.offsetX < LEFT_PX ? "pointer" : view.mode === "pan" ? "default" : "crosshair";
    const hit = event.buttons === 0 ? view.hit(event.offsetX, event.offsetY) : null;
    view.setHover(hit);
    const about = event.buttons === 0 ? view.marks.at(event.offsetX, event.offsetY) : null;
    if (about) {
        tooltip.show(event, about.title, about.lines);
        return;
    }
    if (!hit) {
        tooltip.hide();
        return;
    }
    const { title, lines } = describe(view.timeline, hit);
    tooltip.show(event, title, lines);
}

export interface Commands {
    focusSearch: () => void;
    step: (direction: 1 | -1) => void;
    clear: () => void;
}

// Keys work everywhere except where they are typed or move something else.
export function listenToKeys(view: TimelineView, commands: Commands): void {
    document.addEventListener("keydown", event => {
        const target = event.target as HTMLElement;
        if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")) return;
        if (event.key.startsWith("Arrow") && target.closest(".scroller")) return;
        const action = actionFor(view, commands, event.key);
        // Enter on a button presses the button.
        if (!action || (event.key === "Enter" && target.closest("button"))) return;
        event.preventDefault();
        action();
    });
}

function actionFor(view: TimelineView, commands: Commands, key: string): (() => void) | null {
    const middle = () => (view.pointer >= LEFT_PX ? view.pointer : LEFT_PX + view.plotWidth / 2);
    const pan = (direction: number) => () => view.panBy(direction * KEY_PAN * view.plotWidth);
    switch (key) {
    case "w": case "+": case "=": return () => view.zoomAt(middle(), KEY_ZOOM);
    case "s": case "-": return () => view.zoomAt(middle(), 1 / KEY_ZOOM);
    case "a": case "ArrowLeft": return pan(-1);
    case "d": case "ArrowRight": return pan(1);
    case "f": return () => view.fit();
    case "/": return commands.focusSearch;
    case "n": case "Enter": return () => commands.step(1);
    case "N": return () => commands.step(-1);
    case "Escape": return commands.clear;
    default: return null;
    }
}
