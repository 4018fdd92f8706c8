// device_state.ts - what the device page shows, as plain data: tests compare it with the document.

import { Hit, hitName } from "./hit";
import { rulerText } from "./overlay";
import { AXIS_PX, LEFT_PX, Row } from "./rows";
import { TimelineView } from "./timeline";

declare global {
    interface Window {
        ttprof?: { state: () => Record<string, unknown>; colour: (name: string) => string };
    }
}

export function currentState(): string {
    return document.documentElement.dataset.state ?? "";
}

export function setState(state: "overview" | "ready" | "error"): void {
    document.documentElement.dataset.state = state;
}

export function viewState(view: TimelineView): Record<string, unknown> {
    const { timeline } = view;
    const brief = (hit: Hit | null) => hit && {
        kind: hit.kind, name: hitName(timeline, hit), track: hit.track, device: hit.device, depth: hit.depth,
        start: hit.lanes.starts[hit.index], end: hit.lanes.ends[hit.index],
    };
    const inSight = view.rows.list.filter(row =>
        view.rowTop(row) + row.height > AXIS_PX && view.rowTop(row) < view.element.clientHeight);
    const strips = (row: Row) => row.strips.map(s => ({ ...s, y: view.rowTop(row) + s.y - row.y }));
    return {
        range: [view.range.from, view.range.to], total: timeline.total,
        plot: { left: LEFT_PX, top: AXIS_PX, width: view.plotWidth, height: view.element.clientHeight },
        cyclesPerPixel: view.last.cyclesPerPixel, level: view.last.level, levels: view.levelsDrawn(),
        bars: view.last.bars, ms: view.last.ms,
        rows: inSight.map(row => ({
            key: row.key, kind: row.kind, label: row.label, y: view.rowTop(row), height: row.height, strips: strips(row),
        })),
        rowCount: view.rows.list.length, folded: [...view.rows.folded], mode: view.mode,
        selection: view.selection && [view.selection.from, view.selection.to],
        ruler: view.ruler && { ...view.ruler, text: rulerText(view, view.ruler) },
        hover: brief(view.hover), pinned: brief(view.pinned), signposts: view.marks.shown(),
    };
}
