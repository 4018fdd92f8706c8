// svg.ts - building drawings of elements, for charts that have few marks: a pie, bars, a line.

import { tooltip } from "./canvas";

type Attributes = Record<string, string | number>;

export function s(tag: string, attributes: Attributes = {}, ...children: (Node | string)[]): SVGElement {
    const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, String(value));
    el.append(...children);
    return el;
}

// A drawing of that many units that takes the width it is given.
export function drawing(id: string, label: string, width: number, height: number, ...children: Node[]): SVGElement {
    const about: Attributes = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "drawing" };
    if (id) about.id = id;
    return s("svg", about, ...children);
}

// Text cut to about that many units, at a size of 12.
export function cut(text: string, width: number): string {
    const letters = Math.floor(width / 6.6);
    if (text.length <= letters) return text;
    return letters < 4 ? "" : text.slice(0, letters - 1) + "…";
}

// Sets the tooltip of an element.
export function explain(el: SVGElement, title: string, lines: [string, string][]): SVGElement {
    el.addEventListener("pointermove", event => tooltip.show(event as PointerEvent, title, lines));
    el.addEventListener("pointerleave", () => tooltip.hide());
    return el;
}
