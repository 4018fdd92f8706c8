// explorer.ts - a table to work with: filter box, chips for one column, count, details panel.
// Its parts carry fixed ids that tests and links rely on, so a page has one explorer.

import { Details, DetailsOptions } from "./details";
import { button, h, oncePerFrame } from "./dom";
import { grouped, plural } from "./format";
import { parseFilter } from "./filter";
import { Table } from "./model";
import { TableOptions, TableView } from "./table";

export interface ExplorerOptions extends TableOptions {
    chips?: string; // a text column with few distinct values
    chipColour?: (value: string) => string;
    details: Omit<DetailsOptions, "onClose">;
    examples: string[]; // filters that make sense for this table
}

export class Explorer {
    readonly element: HTMLElement;
    // Called with one byte a row, 1 for shown, or null for all, after every change of the filter.
    onFilter: (mask: Uint8Array | null) => void = () => undefined;

    private view: TableView;
    private details: Details;
    private filter = h("input", {
        id: "filter", type: "search", placeholder: "Filter: text, column:text, column>number",
        "aria-label": "Filter rows", autocomplete: "off", spellcheck: "false",
    });
    private count = h("span", { id: "shown", role: "status" });
    private wanted = new Set<number>(); // pressed chips, as codes of the chip column
    private chips: HTMLButtonElement[] = [];

    constructor(private table: Table, private options: ExplorerOptions) {
        this.view = new TableView(table, {
            ...options,
            onSelect: row => this.details.show(row),
            onShown: shown => this.showCount(shown.length),
        });
        this.details = new Details(table, { ...options.details, onClose: () => this.view.select(-1) });
        this.filter.addEventListener("input", oncePerFrame(() => this.apply()));
        this.element = h("div", { class: "explorer" },
            h("div", { class: "toolbar" },
                this.filter, this.chipBar(), this.detailSwitch(), this.count),
            this.help(),
            h("div", { class: "panes" }, this.view.element, this.details.element));
        this.element.addEventListener("keydown", e => {
            if (e.key === "Escape" && e.target !== this.filter) this.details.close();
        });
        this.showCount(table.rows.length);
    }

    private setFilter(text: string): void {
        this.filter.value = text;
        this.apply();
    }

    // A filter set by another view: scroll to the result.
    filterBy(text: string): void {
        this.setFilter(text);
        this.element.scrollIntoView({ block: "nearest" });
    }

    // Selects a row and shows it, dropping a filter that hides it.
    open(row: number): void {
        if (!this.view.reveal(row)) {
            this.clear();
            this.view.reveal(row);
        }
        this.details.show(row);
        this.element.scrollIntoView({ block: "nearest" });
    }

    private clear(): void {
        this.wanted.clear();
        for (const chip of this.chips) chip.setAttribute("aria-pressed", "false");
        this.setFilter("");
    }

    private apply(): void {
        const predicates = parseFilter(this.filter.value, this.table, this.view.shownColumns());
        if (this.wanted.size > 0 && this.options.chips) {
            const { codes } = this.table.texts(this.table.column(this.options.chips));
            predicates.unshift(row => this.wanted.has(codes[row]));
        }
        let mask: Uint8Array | null = null;
        if (predicates.length > 0) {
            mask = new Uint8Array(this.table.rows.length);
            for (let r = 0; r < mask.length; r++) mask[r] = predicates.every(p => p(r)) ? 1 : 0;
        }
        this.view.setMask(mask);
        this.onFilter(mask);
    }

    private showCount(n: number): void {
        this.count.textContent = `${grouped(n, 0)} of ${plural(this.table.rows.length, "row")}`;
    }

    private chipBar(): HTMLElement {
        const label = "Filter by " + (this.options.chips ?? "");
        const bar = h("div", { class: "chips", role: "group", "aria-label": label });
        const col = this.options.chips ? this.table.column(this.options.chips) : -1;
        if (col < 0) return bar;
        const { values, codes } = this.table.texts(col);
        const counts = new Uint32Array(values.length);
        for (const code of codes) counts[code]++;
        const hook = "data-" + this.table.columns[col].name.toLowerCase().replace(/\s+/g, "-");
        const byCount = values.map((_, i) => i).slice(1).sort((a, b) => counts[b] - counts[a]);
        for (const code of byCount) {
            const chip = button(values[code], "chip", () => {
                if (!this.wanted.delete(code)) this.wanted.add(code);
                chip.setAttribute("aria-pressed", String(this.wanted.has(code)));
                this.apply();
            });
            const colour = this.options.chipColour?.(values[code]);
            if (colour) {
                const dot = h("i", { class: "dot" });
                dot.style.background = colour;
                chip.prepend(dot);
            }
            chip.append(h("span", { class: "chip-count" }, " " + grouped(counts[code], 0)));
            chip.setAttribute(hook, values[code]);
            chip.setAttribute("aria-pressed", "false");
            this.chips.push(chip);
            bar.append(chip);
        }
        return bar;
    }

    private detailSwitch(): HTMLElement | null {
        if (!this.table.columns.some(c => c.detail)) return null;
        const box = h("input", { type: "checkbox", id: "more-columns" });
        box.addEventListener("change", () => {
            this.view.showDetail(box.checked);
            this.apply(); // words are searched in the shown columns
        });
        return h("label", { class: "switch" }, box, "More columns");
    }

    private help(): HTMLElement {
        const tries = this.options.examples.map(text =>
            button(text, "example", () => this.setFilter(text)));
        return h("p", { class: "help muted" }, "Try ", ...tries,
            button("clear", "example plain", () => this.clear()));
    }
}
