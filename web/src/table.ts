// table.ts - a table of any length: sortable heads, and only the rows in view in the document.
//
// The view walks the column metadata and knows nothing about what the columns mean; a report
// adds meaning with the hooks of TableOptions.
//
// Invariant: `shown` lists the rows that pass the mask, in sort order. The body holds a padding
// row, the rows [first, last) of `shown`, and a padding row; the three together are as high as
// all rows would be.

import { h, oncePerFrame } from "./dom";
import { formatCell } from "./format";
import { Table } from "./model";

const ROW_PX = 30; // also in style.css, as --row
const PADDING_PX = 18; // of a cell, left and right together
const OVERSCAN = 8; // rows kept ready above and below the view
const MAX_PX = 12e6; // browsers lose precision, then rows, in elements much higher than this
const MAX_PRINTED = 2000;

export interface TableOptions {
    grow?: string; // the column that takes the spare width
    bar?: string; // a column drawn as a bar behind its number, relative to its greatest cell
    rowClass?: (row: number) => string;
    decorate?: (td: HTMLElement, row: number, column: string) => void;
    onSelect?: (row: number) => void;
    onShown?: (shown: Uint32Array) => void;
}

export class TableView {
    readonly element: HTMLElement;
    private head = h("tr");
    private above = h("tr", { class: "padding", "aria-hidden": "true" });
    private below = h("tr", { class: "padding", "aria-hidden": "true" });
    private body = h("tbody", {}, this.above, this.below);
    private inView = new Map<number, HTMLTableRowElement>(); // by position in `shown`
    private sizes = h("colgroup");
    private grid: HTMLTableElement;
    private empty = h("p", { class: "empty", hidden: true }, "No row matches.");
    private columns: number[] = [];
    private order: Uint32Array;
    private mask: Uint8Array | null = null;
    private shown: Uint32Array;
    private sortCol = -1;
    private descending = false;
    private selected = -1;
    private idCol: number;
    private barMax: number;

    constructor(private table: Table, private options: TableOptions = {}) {
        this.order = Uint32Array.from(table.rows, (_, i) => i);
        this.shown = this.order;
        this.idCol = table.column("ID");
        this.barMax = options.bar ? table.max(options.bar) : 0;
        const rowCount = table.rows.length + 1; // the head is a row too
        this.grid = h("table", { role: "grid", "aria-label": table.title, "aria-rowcount": rowCount },
            this.sizes, h("thead", {}, this.head), this.body);
        const kind = options.onSelect ? "scroller pickable" : "scroller";
        this.element = h("div", { class: kind, tabindex: 0 }, this.grid, this.empty);
        this.element.addEventListener("scroll", oncePerFrame(() => this.render()));
        this.body.addEventListener("click", e => this.clicked(e));
        this.element.addEventListener("keydown", e => this.key(e));
        new ResizeObserver(() => this.render()).observe(this.element);
        window.addEventListener("beforeprint", () => this.render(MAX_PRINTED));
        window.addEventListener("afterprint", () => this.render());
        this.showDetail(false);
    }

    shownColumns(): number[] {
        return this.columns;
    }

    showDetail(detail: boolean): void {
        const columns = this.table.columns;
        this.columns = columns.map((_, i) => i).filter(i => detail || !columns[i].detail);
        this.buildHead();
        this.renderAnew();
    }

    // Null shows every row; otherwise the rows whose byte is not 0.
    setMask(mask: Uint8Array | null): void {
        this.mask = mask;
        this.element.scrollTop = 0;
        this.refresh();
    }

    // Other rows under the same heads; the order stays.
    setTable(table: Table): void {
        this.table = table;
        this.order = this.ordered();
        this.barMax = this.options.bar ? table.max(this.options.bar) : 0;
        this.grid.setAttribute("aria-rowcount", String(table.rows.length + 1));
        this.selected = -1;
        this.mask = null;
        this.buildHead();
        this.refresh();
    }

    select(row: number): void {
        this.selected = row;
        for (const tr of this.inView.values()) {
            tr.setAttribute("aria-selected", String(Number(tr.dataset.index) === row));
        }
    }

    // Brings a row into the middle of the view; false if the mask hides it.
    reveal(row: number): boolean {
        const at = this.shown.indexOf(row);
        if (at < 0) return false;
        const { room, ratio } = this.geometry();
        this.element.scrollTop = Math.max(0, (at * ROW_PX - room / 2) / ratio);
        this.render();
        this.select(row);
        return true;
    }

    private refresh(): void {
        const mask = this.mask;
        this.shown = mask ? this.order.filter(row => mask[row] === 1) : this.order;
        this.empty.hidden = this.shown.length > 0;
        this.options.onShown?.(this.shown);
        this.renderAnew();
    }

    private buildHead(): void {
        this.sizes.replaceChildren();
        this.head.replaceChildren();
        let letters = 0;
        for (const col of this.columns) {
            const c = this.table.columns[col];
            const width = this.widthOf(col);
            letters += width;
            const size = h("col");
            if (c.name !== this.options.grow) size.style.width = `calc(${width}ch + ${PADDING_PX}px)`;
            this.sizes.append(size);
            const name = h("button", { type: "button", "data-col": c.name }, c.name,
                c.unit && !c.name.endsWith(c.unit) ? h("span", { class: "unit" }, " " + c.unit) : null);
            name.addEventListener("click", () => this.sortBy(col));
            this.head.append(h("th", { scope: "col", class: this.table.isNumeric(col) ? "num" : "" }, name));
        }
        this.markSorted();
        this.grid.style.minWidth = `calc(${letters}ch + ${this.columns.length * PADDING_PX}px)`;
    }

    // Letters a column needs: its longest word in the head, and its longest cell. Numbers must
    // never be cut, so their extremes count; of texts a sample will do.
    private widthOf(col: number): number {
        const c = this.table.columns[col];
        const rows = this.table.rows;
        let most = Math.max(...c.name.split(" ").map(w => w.length), c.unit.length);
        if (this.table.isNumeric(col)) {
            for (const v of extremes(this.table.numbers(col))) {
                most = Math.max(most, formatCell(v, c).length);
            }
        } else {
            const step = Math.max(1, Math.floor(rows.length / 400));
            for (let r = 0; r < rows.length; r += step) {
                most = Math.max(most, formatCell(rows[r][col], c).length);
            }
            most += 2; // capitals and badges are wider than the digits that letters are counted in
        }
        if (c.name === this.options.bar) most = Math.max(most, 9);
        return c.name === this.options.grow ? Math.min(most, 36) : Math.min(most, 26);
    }

    // Clicks cycle through one direction, the other, and file order. Measures start with the
    // greatest, which matters most in a profile.
    private sortBy(col: number): void {
        const first = this.table.columns[col].type === "real";
        if (this.sortCol !== col) {
            this.sortCol = col;
            this.descending = first;
        } else if (this.descending === first) {
            this.descending = !first;
        } else {
            this.sortCol = -1;
        }
        this.order = this.ordered();
        this.markSorted();
        this.element.scrollTop = 0;
        this.refresh();
    }

    private ordered(): Uint32Array {
        return this.sortCol < 0
            ? Uint32Array.from(this.table.rows, (_, i) => i)
            : this.table.sorted(this.sortCol, this.descending);
    }

    private markSorted(): void {
        [...this.head.children].forEach((th, i) => {
            if (this.columns[i] !== this.sortCol) th.removeAttribute("aria-sort");
            else th.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
        });
    }

    // Beyond MAX_PX the scroll bar is scaled: one of its pixels is `ratio` pixels of rows.
    private geometry(): { room: number; px: number; ratio: number } {
        const room = Math.max(ROW_PX, this.element.clientHeight - this.head.offsetHeight);
        const tall = this.shown.length * ROW_PX;
        const px = Math.min(tall, MAX_PX);
        return { room, px, ratio: px < tall ? (tall - room) / (px - room) : 1 };
    }

    // Rows that stay in view keep their elements: laying out only what is new keeps scrolling
    // smooth.
    private render(atLeast = 0): void {
        const { room, px, ratio } = this.geometry();
        const top = atLeast ? 0 : this.element.scrollTop;
        const first = Math.max(0, Math.floor((top * ratio) / ROW_PX) - OVERSCAN);
        const count = atLeast || Math.ceil(room / ROW_PX) + 2 * OVERSCAN + 1;
        const last = Math.min(this.shown.length, first + count);
        const above = Math.max(0, top - (top * ratio - first * ROW_PX));
        const below = atLeast ? 0 : Math.max(0, px - above - (last - first) * ROW_PX);
        this.above.style.height = above + "px";
        this.below.style.height = below + "px";
        for (const [at, tr] of this.inView) {
            if (at >= first && at < last) continue;
            tr.remove();
            this.inView.delete(at);
        }
        let next = this.below;
        for (let at = last - 1; at >= first; at--) {
            let tr = this.inView.get(at);
            if (!tr) {
                tr = this.row(this.shown[at], at);
                this.inView.set(at, tr);
                this.body.insertBefore(tr, next);
            }
            next = tr;
        }
    }

    // After a change of order, columns or cells no element can stay.
    private renderAnew(): void {
        for (const tr of this.inView.values()) tr.remove();
        this.inView.clear();
        this.render();
    }

    private row(row: number, at: number): HTMLTableRowElement {
        const cells = this.table.rows[row];
        const tr = h("tr", {
            class: this.options.rowClass?.(row) ?? "",
            "data-row-id": this.idCol >= 0 && String(cells[this.idCol]),
            "data-index": row,
            "aria-rowindex": at + 2,
            "aria-selected": String(row === this.selected),
        });
        for (const col of this.columns) {
            const c = this.table.columns[col];
            const text = formatCell(cells[col], c);
            const td = h("td", { "data-col": c.name, class: this.table.isNumeric(col) ? "num" : "" }, text);
            if (text.length > 24) td.title = text;
            const value = cells[col];
            if (c.name === this.options.bar && typeof value === "number" && this.barMax > 0) {
                td.classList.add("bar");
                td.style.setProperty("--share", `${(100 * value) / this.barMax}%`);
            }
            this.options.decorate?.(td, row, c.name);
            tr.append(td);
        }
        return tr;
    }

    private clicked(event: MouseEvent): void {
        const tr = (event.target as Element).closest("tr[data-index]") as HTMLElement | null;
        if (tr && this.options.onSelect) this.choose(Number(tr.dataset.index));
    }

    private choose(row: number): void {
        this.select(row);
        this.options.onSelect?.(row);
    }

    private key(event: KeyboardEvent): void {
        if (event.target !== this.element || !this.options.onSelect) return;
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined || this.shown.length === 0) return;
        event.preventDefault();
        const at = this.shown.indexOf(this.selected);
        const next = at < 0 ? 0 : Math.min(this.shown.length - 1, Math.max(0, at + step));
        this.choose(this.shown[next]);
        this.keepInView(next);
    }

    private keepInView(at: number): void {
        const { room, ratio } = this.geometry();
        const top = this.element.scrollTop * ratio;
        const bottom = (at + 1) * ROW_PX;
        if (at * ROW_PX < top) this.element.scrollTop = (at * ROW_PX) / ratio;
        else if (bottom > top + room) this.element.scrollTop = (bottom - room) / ratio;
    }
}

function extremes(cells: Float64Array): [number, number] {
    let [least, greatest] = [0, 0];
    for (const v of cells) {
        if (v < least) least = v;
        if (v > greatest) greatest = v;
    }
    return [least, greatest];
}
