// advice.ts - advice, most worthwhile first.
//
// A model repeats its layers, so the same advice comes for hundreds of ops. Each distinct piece
// of advice is shown once, with the share of the total time of the ops it concerns and links to
// them, the most costly first.

import { pieces } from "./details";
import { button, h } from "./dom";
import { percent, plural } from "./format";
import { Table } from "./model";

const LINKS_AT_FIRST = 6;
const LINKS_MORE = 200;
const ITEMS_AT_FIRST = 8;

interface Item {
    text: string;
    ids: { id: string; code: string; share: number }[];
    share: number;
}

export function adviceView(advice: Table, ops: Table, openId: (id: string) => void): HTMLElement {
    const shares = new Map<string, number>();
    ops.rows.forEach((_, row) => shares.set(ops.text(row, "ID"), ops.number(row, "Total %") || 0));
    const root = h("div", { class: "advice" });
    for (const [name, items] of group(advice, shares)) {
        const list = h("ul", { class: "advice-list" });
        const makers = items.map(item => () => itemView(item, openId));
        grow(list, makers, ITEMS_AT_FIRST, ITEMS_AT_FIRST * 5, "more advice");
        const ops = new Set(items.flatMap(i => i.ids.map(o => o.id))).size;
        root.append(h("h3", {}, name, h("span", { class: "muted" }, " " + plural(ops, "op"))), list);
    }
    return root;
}

// The advice that concerns each op, for its details panel.
export function adviceById(advice: Table | null): Map<string, string[]> {
    const out = new Map<string, string[]>();
    advice?.rows.forEach((_, row) => {
        const id = advice.text(row, "ID");
        out.set(id, [...(out.get(id) ?? []), ...pieces(advice.text(row, "Advice"))]);
    });
    return out;
}

function group(advice: Table, shares: Map<string, number>): Map<string, Item[]> {
    const sections = new Map<string, Map<string, Item>>();
    advice.rows.forEach((_, row) => {
        const name = advice.text(row, "Section");
        const id = advice.text(row, "ID");
        const share = shares.get(id) ?? 0;
        const items = sections.get(name) ?? new Map<string, Item>();
        sections.set(name, items);
        for (const text of pieces(advice.text(row, "Advice"))) {
            const item = items.get(text) ?? { text, ids: [], share: 0 };
            items.set(text, item);
            item.ids.push({ id, code: advice.text(row, "OP Code"), share });
            item.share += share;
        }
    });
    const out = new Map<string, Item[]>();
    for (const [name, items] of sections) {
        const isPraise = (item: Item) => Number(item.text.startsWith("✅"));
        const sorted = [...items.values()].sort((a, b) => isPraise(a) - isPraise(b) || b.share - a.share);
        for (const item of sorted) item.ids.sort((a, b) => b.share - a.share);
        if (sorted.length > 0) out.set(name, sorted);
    }
    return out;
}

function itemView(item: Item, openId: (id: string) => void): HTMLElement {
    const links = h("ul", { class: "op-links" });
    const makers = item.ids.map(op => () => {
        const link = button("", "op-link", () => openId(op.id));
        link.setAttribute("data-advice-id", op.id);
        link.append(h("b", {}, op.id), " " + op.code);
        link.title = op.code;
        return h("li", {}, link);
    });
    grow(links, makers, LINKS_AT_FIRST, LINKS_MORE, "more");
    const weight = `${plural(item.ids.length, "op")} · ${percent(item.share)} of total time`;
    return h("li", {}, h("p", {}, item.text), h("p", { class: "muted" }, weight), links);
}

// Fills a list with its first elements and, if there are others, a button that adds some more.
function grow(
    list: HTMLElement, makers: (() => HTMLElement)[], first: number, step: number, word: string,
): void {
    let done = 0;
    const add = (n: number) => {
        const upTo = Math.min(makers.length, done + n);
        for (; done < upTo; done++) list.append(makers[done]());
        if (done === makers.length) return;
        const left = makers.length - done;
        const more = h("li", { class: "more" }, button(`${left} ${word}`, "op-link", () => {
            more.remove();
            add(step);
        }));
        list.append(more);
    };
    add(first);
}
