// header.ts - the top of the page: title, sources, totals, notes.

import { h } from "./dom";
import { grouped, plural } from "./format";
import { Arch, Note, Report } from "./model";

const NOTES_IN_SIGHT = 3;

export interface Total {
    name: string;
    value: string;
    more: string;
}

export function header(report: Report, totals: Total[]): HTMLElement {
    const facts = h("p", { class: "facts" });
    facts.append(h("span", {}, report.sources.join(", ") || "no source"));
    if (report.arch) facts.append(h("span", {}, archLine(report.arch)));
    const tiles = totals.map(t =>
        h("div", { class: "tile" }, h("dt", {}, t.name), h("dd", {}, t.value, h("small", {}, t.more))));
    return h("header", { class: "page-head" },
        h("div", { class: "head-text" },
            h("p", { class: "brand" }, "ttprof ", h("span", {}, report.ttprof)),
            h("h1", {}, report.title), facts),
        tiles.length > 0 ? h("dl", { class: "tiles" }, ...tiles) : null,
        notes(report.notes));
}

function archLine(arch: Arch): string {
    return `${arch.name}, ${plural(arch.cores, "core")}, DRAM ${grouped(arch.dram_gbps, 0)} GB/s`;
}

// Problems are always visible; the other notes are folded if there are many.
function notes(all: Note[]): HTMLElement | null {
    if (all.length === 0) return null;
    const box = h("div", { class: "notes", id: "notes" });
    const trouble = all.filter(n => n.level !== "info");
    const info = all.filter(n => n.level === "info");
    box.append(...folded(trouble, "more warnings", true));
    box.append(...folded(info, "notes", info.length <= NOTES_IN_SIGHT));
    return box;
}

function folded(list: Note[], word: string, someInSight: boolean): HTMLElement[] {
    const seen = someInSight ? list.slice(0, NOTES_IN_SIGHT) : [];
    const rest = list.slice(seen.length);
    const out: HTMLElement[] = [];
    if (seen.length > 0) out.push(h("ul", {}, ...seen.map(line)));
    if (rest.length > 0) {
        out.push(h("details", {},
            h("summary", {}, `${rest.length} ${word}`), h("ul", {}, ...rest.map(line))));
    }
    return out;
}

function line(note: Note): HTMLElement {
    return h("li", { class: "note-" + note.level }, note.text);
}
