// device.ts - the device page: a timeline with a heat map beside it, statistics of the
// selection, and the tables of the document.

import { currentState, setState, viewState } from "./device_state";
import { tables, totals } from "./device_tables";
import { button, h, section } from "./dom";
import { grouped } from "./format";
import { header } from "./header";
import { HeatMap } from "./heatmap";
import { describe } from "./hit";
import { About } from "./marks";
import { Minimap } from "./minimap";
import { Report } from "./model";
import { Kind } from "./rows";
import { Search } from "./search";
import { Selection } from "./selection";
import { Mode, TimelineView } from "./timeline";
import { DeviceReport, Timeline } from "./timeline_data";
import { listen, listenToKeys } from "./timeline_input";
import { nameColour } from "./zone_colours";

const KEYS = "wheel zooms · drag pans · double click zooms to a bar · shift-drag selects, on the axis it measures · "
    + "w s a d zoom and pan · f all · / search · n N next, previous · Esc clears";

export function deviceReport(report: Report, root: HTMLElement): void {
    const timeline = new Timeline((report as DeviceReport).timeline);
    root.classList.add("wide");
    root.append(header(report, totals(timeline)));
    if (timeline.data.tracks.length === 0) {
        const what = timeline.isRun ? "Nothing was recorded in this run." : "This log has no zones.";
        const sentence = h("p", { class: "empty" }, what);
        root.append(section("timeline", "Timeline", "", sentence));
        tables(report, root);
        window.ttprof = { state: () => ({ state: currentState() }), colour: nameColour };
        setState("ready");
        return;
    }
    new DevicePage(timeline, report, root);
}

class DevicePage {
    private view: TimelineView;
    private search: Search;
    private heat: HeatMap;
    private minimap: Minimap;
    private selection: Selection;
    private pinned = h("div", { id: "pinned", "aria-live": "polite" });
    private modes: Partial<Record<Mode, HTMLButtonElement>> = {};
    private unit: HTMLButtonElement;
    private reached: Record<string, number> = {}; // milliseconds since the page was requested

    constructor(private timeline: Timeline, report: Report, root: HTMLElement) {
        this.view = new TimelineView(timeline);
        this.search = new Search(this.view);
        this.heat = new HeatMap(this.view, timeline);
        this.minimap = new Minimap(this.view);
        this.selection = new Selection(this.view, name => this.pickName(name));
        this.unit = button("", "tool", () => this.switchUnit());
        this.unit.hidden = Number.isNaN(timeline.axisNs) || timeline.isRun;
        this.showUnit();
        this.connect();
        const statistics = section("selection", "Statistics of the selection", "", this.selection.element);
        statistics.querySelector(".card-head")?.append(this.selection.aside);
        root.append(this.layOut(), statistics);
        tables(report, root);
        this.view.start();
        this.minimap.start();
        this.heat.start();
        this.view.fold();
        this.showRuns();
        this.showPinned(null);
        this.load().catch(error => this.fail(error));
    }

    // Dispatch cores run until the device is closed, perhaps long after the last program: the page
    // then opens with the programs.
    private showRuns(): void {
        const { data, offsets, total, isRun } = this.timeline;
        if (isRun || data.runs.length === 0 || !data.tracks.some(track => track.dispatch)) return;
        const from = data.runs.reduce((least, run) => Math.min(least, offsets[run[0]] + run[4]), total);
        const to = data.runs.reduce((most, run) => Math.max(most, offsets[run[0]] + run[5]), 0);
        const edge = (to - from) / 20;
        if (to - from < total / 2) this.view.show(from - edge, to + edge);
    }

    private connect(): void {
        listen(this.view);
        listenToKeys(this.view, {
            focusSearch: () => this.search.box.focus(),
            step: direction => this.search.step(direction),
            clear: () => this.clear(),
        });
        this.view.onChange = () => {
            this.minimap.redraw();
            this.selection.changed();
        };
        this.view.onPin = hit => this.showPinned(hit && describe(this.timeline, hit));
        this.view.onPinText = about => this.showPinned(about);
        this.heat.onPick = (device, x, y) => {
            const track = this.view.rows.trackAt(device, x, y);
            if (track >= 0) this.view.scrollTo(this.view.rows.reveal(track, 0));
        };
        window.ttprof = { state: () => this.state(), colour: nameColour };
    }

    private layOut(): HTMLElement {
        const side = h("aside", { class: "side", "aria-label": "Heat map and details" },
            ...(this.heat.isEmpty ? []
                : [h("h3", {}, "Cores by zone", h("span", { class: "muted" }, " of the whole log")), this.heat.element]),
            this.pinned);
        return section("timeline", "Timeline", KEYS, this.toolbar(), this.remarks(),
            h("div", { class: "device-panes" },
                h("div", { class: "device-main" }, this.minimap.element, this.view.element), side));
    }

    private toolbar(): HTMLElement {
        const fit = button("Fit", "tool", () => this.view.fit());
        fit.id = "fit";
        fit.title = "Show the whole time (f)";
        return h("div", { class: "toolbar device-tools" },
            this.search.element,
            h("div", { class: "segmented", role: "group", "aria-label": "What dragging does" },
                this.modeButton("pan", "Pan", "Drag to move"),
                this.modeButton("ruler", "Ruler", "Drag to measure (or shift-drag on the axis)"),
                this.modeButton("select", "Select", "Drag to select a time (or shift-drag)")),
            fit, this.unit,
            h("div", { class: "folds" },
                this.foldGroup("device", this.timeline.isRun ? "Groups" : "Devices"), this.foldGroup("core", "Cores"),
                this.foldGroup("risc", this.timeline.isRun ? "Rows" : "RISCs")));
    }

    private modeButton(mode: Mode, label: string, title: string): HTMLButtonElement {
        const el = button(label, "", () => this.setMode(mode));
        el.id = "mode-" + mode;
        el.title = title;
        el.setAttribute("aria-pressed", String(mode === "pan"));
        this.modes[mode] = el;
        return el;
    }

    private setMode(mode: Mode): void {
        this.view.mode = mode;
        for (const [name, el] of Object.entries(this.modes)) el.setAttribute("aria-pressed", String(name === mode));
    }

    private foldGroup(kind: Kind, label: string): HTMLElement {
        const fold = (isFold: boolean) => {
            const el = button(isFold ? "−" : "+", "", () => {
                this.view.rows.foldAll(kind, isFold);
                this.view.fold();
            });
            el.setAttribute(isFold ? "data-fold" : "data-unfold", kind);
            el.title = `${isFold ? "Fold" : "Unfold"} all ${label}`;
            el.setAttribute("aria-label", el.title);
            return el;
        };
        return h("div", { class: "segmented", role: "group", "aria-label": label }, h("span", {}, label), fold(true), fold(false));
    }

    // Notes needed to read the timeline correctly.
    private remarks(): HTMLElement | null {
        const { devices, aligned, kept } = this.timeline.data;
        const remarks: string[] = [];
        if (devices.length > 1 && !aligned) {
            remarks.push("The clocks of the devices are not aligned: each device is drawn from its own first marker, "
                + "so times of different devices cannot be compared.");
        }
        if (kept.zones < kept.of) {
            remarks.push(`${grouped(kept.zones, 0)} of ${grouped(kept.of, 0)} zones are in this page in full detail; `
                + `elsewhere adjacent zones are drawn as one bar. ${kept.rule}`);
        }
        return remarks.length === 0 ? null
            : h("div", { class: "notes", id: "remarks" }, h("ul", {}, ...remarks.map(text => h("li", { class: "note-warning" }, text))));
    }

    private switchUnit(): void {
        this.view.showsCycles = !this.view.showsCycles;
        this.showUnit();
        this.view.changed();
    }

    private showUnit(): void {
        this.unit.textContent = this.view.showsCycles ? "Axis: cycles" : "Axis: time";
    }

    private pickName(name: string): void {
        this.search.set(name);
        const index = this.timeline.data.names.indexOf(name);
        if (index >= 0) this.heat.choose(index);
    }

    // Escape closes the innermost thing first.
    private clear(): void {
        const { view } = this;
        if (view.ruler) {
            view.ruler = null;
            view.touched();
        } else if (view.selection) view.select(null);
        else if (view.pinned) view.pin(null);
        else if (view.mode !== "pan") this.setMode("pan");
        else this.search.clear();
    }

    private showPinned(about: About | null): void {
        if (!about) {
            this.pinned.replaceChildren(h("p", { class: "muted" }, "Click a bar to keep its details here."));
            return;
        }
        const { title, lines } = about;
        const close = button("×", "close", () => this.view.pin(null));
        close.setAttribute("aria-label", "Close details");
        const list = h("dl", { class: "fields" });
        for (const [name, value] of lines) list.append(h("dt", {}, name), h("dd", {}, value));
        this.pinned.replaceChildren(h("header", {}, h("h3", {}, title), close), list);
    }

    private async load(): Promise<void> {
        await this.timeline.load(async () => {
            await this.painted();
            this.minimap.renew();
            if (currentState() === "") this.reach("overview");
        });
        this.search.find();
        this.selection.update();
        await this.painted();
        this.reach("ready");
    }

    private painted(): Promise<void> {
        return new Promise(resolve => requestAnimationFrame(() => {
            this.view.draw();
            resolve();
        }));
    }

    private reach(state: "overview" | "ready"): void {
        this.reached[state] = performance.now();
        setState(state);
    }

    private fail(error: unknown): void {
        setState("error");
        this.view.element.before(h("p", { class: "empty", role: "alert" }, `The zones of this page cannot be read: ${error}`));
        throw error;
    }

    private state(): Record<string, unknown> {
        const { heat, search } = this;
        return {
            state: currentState(), reached: this.reached, ...viewState(this.view),
            search: { text: search.text, matches: search.matches, at: search.at },
            heat: {
                device: heat.device, zone: this.timeline.data.names[heat.name] ?? null, how: heat.how, grid: heat.geometry(),
            },
        };
    }
}
