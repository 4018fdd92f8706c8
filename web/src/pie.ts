// pie.ts - shares of a whole: a ring of slices with a legend.

import { h } from "./dom";
import { percent } from "./format";
import { drawing, explain, s } from "./svg";
import { nameColour } from "./zone_colours";

export interface Slice {
    name: string;
    value: number;
    share: number; // percent
    label: string;
    text: string; // the value, with its unit
}

const SIZE = 240;
const OUTER = 116;
const INNER = 62;

function point(turn: number, radius: number): string {
    const angle = 2 * Math.PI * turn - Math.PI / 2;
    return `${(SIZE / 2 + radius * Math.cos(angle)).toFixed(2)} ${(SIZE / 2 + radius * Math.sin(angle)).toFixed(2)}`;
}

// The part of the ring between two turns; a whole turn would start where it ends.
function ring(from: number, to: number): string {
    const end = Math.min(to, from + 0.99999);
    const large = end - from > 0.5 ? 1 : 0;
    return `M ${point(from, OUTER)} A ${OUTER} ${OUTER} 0 ${large} 1 ${point(end, OUTER)} ` +
        `L ${point(end, INNER)} A ${INNER} ${INNER} 0 ${large} 0 ${point(from, INNER)} Z`;
}

export function sliceColour(name: string): string {
    return name === "Others" ? "var(--bound-none)" : nameColour(name);
}

export function pie(id: string, title: string, slices: Slice[]): HTMLElement {
    const shown = slices.filter(one => one.share > 0);
    let turn = 0;
    const paths = shown.map(one => {
        const from = turn;
        turn += one.share / 100;
        const path = s("path", { d: ring(from, turn), fill: sliceColour(one.name), class: "slice" });
        return explain(path, one.name, [["share", percent(one.share)], ["time", one.text]]);
    });
    const list = h("ol", { class: "keys" }, ...slices.map(one => {
        const dot = h("i", { class: "dot" });
        dot.style.background = sliceColour(one.name);
        return h("li", {}, dot, one.label);
    }));
    return h("figure", { class: "pie" }, h("figcaption", {}, title),
        h("div", { class: "pie-parts" }, drawing(id, title, SIZE, SIZE, ...paths), list));
}
