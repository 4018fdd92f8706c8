// search.ts - finding zones by name.
//
// The order is time, then row. Each step scans every zone: a few milliseconds for a million,
// less than keeping a sorted list of matches would cost.

import { button, h } from "./dom";
import { grouped, plural } from "./format";
import { zoneHit } from "./hit";
import { Lanes } from "./lanes";
import { TimelineView } from "./timeline";

export class Search {
    readonly box = h("input", {
        id: "find", type: "search", placeholder: "Search zones by name  ( / )", "aria-label": "Search zones by name",
        autocomplete: "off", spellcheck: "false",
    });
    readonly element: HTMLElement;
    matches = 0;
    at = -1; // the place of the current one among the matches, or -1
    private status = h("span", { id: "found", role: "status" });
    private current = -1; // index of a zone
    private wanted = new Uint8Array(0); // by site

    constructor(private view: TimelineView) {
        const before = button("‹", "tool", () => this.step(-1));
        const after = button("›", "tool", () => this.step(1));
        before.id = "find-previous";
        after.id = "find-next";
        before.title = before.ariaLabel = "Previous match (N)";
        after.title = after.ariaLabel = "Next match (n)";
        this.element = h("div", { class: "search" }, this.box, before, after, this.status);
        this.box.addEventListener("input", () => this.find());
        this.box.addEventListener("keydown", event => {
            if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") this.clear();
            else return;
            event.preventDefault();
        });
    }

    get text(): string {
        return this.box.value;
    }

    set(text: string): void {
        this.box.value = text;
        this.find();
    }

    clear(): void {
        if (this.text !== "") this.set("");
        this.box.blur();
    }

    // Also called when the zones are loaded: until then there is nothing to count.
    find(): void {
        const { timeline } = this.view;
        const text = this.text.toLowerCase();
        const isWanted = (name: string) => name.toLowerCase().includes(text);
        const names = timeline.data.names.map(isWanted);
        this.wanted = Uint8Array.from(timeline.data.sites, site => (text !== "" && names[site[0]] ? 1 : 0));
        this.matches = 0;
        this.at = this.current = -1;
        for (const site of timeline.zones?.keys ?? []) this.matches += this.wanted[site];
        this.view.highlight(text === "" ? null : isWanted);
        this.say();
    }

    step(direction: 1 | -1): void {
        const zones = this.view.timeline.zones;
        if (!zones || this.matches === 0) return;
        this.current = this.neighbour(zones, direction);
        this.at = 0;
        for (let i = 0; i < zones.size; i++) {
            if (this.wanted[zones.keys[i]] && isBefore(zones, i, this.current)) this.at++;
        }
        const hit = zoneHit(this.view.timeline, zones, this.current);
        this.view.reveal(hit);
        this.view.pin(hit);
        this.say();
    }

    // The match next to the current one, or to the left edge of the view, in a direction; wraps
    // around at the end.
    private neighbour(zones: Lanes, direction: 1 | -1): number {
        const { from } = this.view.range;
        let next = -1;
        let farthest = -1; // where the search wraps around
        for (let i = 0; i < zones.size; i++) {
            if (!this.wanted[zones.keys[i]]) continue;
            const isAhead = direction > 0
                ? (this.current < 0 ? zones.starts[i] >= from : isBefore(zones, this.current, i))
                : (this.current < 0 ? zones.starts[i] < from : isBefore(zones, i, this.current));
            const isNearer = (than: number) => than < 0 || (direction > 0 ? isBefore(zones, i, than) : isBefore(zones, than, i));
            if (isAhead && isNearer(next)) next = i;
            if (isNearer(farthest)) farthest = i;
        }
        return next < 0 ? farthest : next;
    }

    private say(): void {
        const { zones, isPartial } = this.view.timeline;
        if (this.text === "") this.status.textContent = "";
        else if (!zones) this.status.textContent = "reading the zones …";
        else if (this.at >= 0) this.status.textContent = `${grouped(this.at + 1, 0)} of ${grouped(this.matches, 0)}`;
        else this.status.textContent = plural(this.matches, "match", "matches") + (isPartial ? " in the kept zones" : "");
    }
}

function isBefore(zones: Lanes, a: number, b: number): boolean {
    return zones.starts[a] < zones.starts[b] || (zones.starts[a] === zones.starts[b] && a < b);
}
