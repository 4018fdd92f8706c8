// details.ts - the panel that shows everything known about one row.

import { button, h } from "./dom";
import { formatExact } from "./format";
import { Table } from "./model";

export interface DetailsOptions {
    title: string; // the column that names the row
    lists: string[]; // columns whose text is a list of pieces joined by " • "
    more?: (row: number) => string[]; // pieces known from elsewhere
    onClose: () => void;
}

// The pieces of a joined text; a missing text has none.
export function pieces(text: string): string[] {
    return text.split(" • ").map(s => s.trim()).filter(s => s !== "");
}

export class Details {
    readonly element = h("aside", {
        id: "details", "aria-label": "Details of the selected row", hidden: true,
    });

    constructor(private table: Table, private options: DetailsOptions) {}

    close(): void {
        this.element.hidden = true;
        this.options.onClose();
    }

    show(row: number): void {
        const close = button("×", "close", () => this.close());
        close.setAttribute("aria-label", "Close details");
        this.element.replaceChildren(
            h("header", {}, h("h3", {}, this.table.text(row, this.options.title)), close),
            ...this.advice(row),
            this.fields(row));
        this.element.hidden = false;
        this.element.scrollTop = 0;
    }

    private advice(row: number): HTMLElement[] {
        const all = this.options.lists.flatMap(name => pieces(this.table.text(row, name)));
        const unique = [...new Set([...all, ...(this.options.more?.(row) ?? [])])];
        if (unique.length === 0) return [];
        return [h("ul", { class: "pieces" }, ...unique.map(text => h("li", {}, text)))];
    }

    private fields(row: number): HTMLElement {
        const list = h("dl", { class: "fields" });
        this.table.columns.forEach((c, col) => {
            if (c.name === this.options.title || this.options.lists.includes(c.name)) return;
            const value = this.table.rows[row][col];
            const text = formatExact(value, c);
            const dd = h("dd", {}, text === "" ? "–" : text);
            if (text === "") dd.classList.add("muted");
            else if (c.unit) dd.append(h("span", { class: "unit" }, " " + c.unit));
            if (c.unit === "%" && typeof value === "number") dd.append(meter(value));
            list.append(h("dt", {}, c.name), dd);
        });
        return list;
    }
}

function meter(value: number): HTMLElement {
    const fill = h("i");
    fill.style.width = Math.min(100, Math.max(0, value)) + "%";
    return h("span", { class: "meter", "aria-hidden": "true" }, fill);
}
