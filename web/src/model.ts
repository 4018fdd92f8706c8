// model.ts - the data document, and columns that can be filtered and sorted quickly.
//
// The document holds rows, because rows are what C prints in one pass. Filtering and sorting
// want columns: a Table makes them on first use and keeps them. A text column becomes a
// dictionary and one code a row, so that a filter looks at each distinct text once, however
// many rows carry it.

export type Cell = number | string | boolean | null;

export interface Column {
    name: string;
    type: "int" | "real" | "text" | "bool";
    unit: string;
    decimals: number;
    detail: boolean; // secondary: hidden by default
}

export interface TableData {
    id: string;
    title: string;
    columns: Column[];
    rows: Cell[][];
}

export interface Arch {
    name: string;
    cores: number;
    dram_gbps: number;
    tflops_per_core: Record<string, number>;
}

export interface Note {
    level: "info" | "warning" | "error";
    text: string;
}

export interface Report {
    ttprof: string;
    kind: string;
    title: string;
    sources: string[];
    min_percentage: number;
    arch: Arch | null;
    notes: Note[];
    tables: TableData[];
}

export interface Dictionary {
    values: string[]; // values[0] is the missing or empty text
    codes: Uint32Array; // one a row
}

export class Table {
    readonly id: string;
    readonly title: string;
    readonly columns: Column[];
    readonly rows: Cell[][];
    private byName: Map<string, number>;
    private numberColumns = new Map<number, Float64Array>();
    private textColumns = new Map<number, Dictionary>();

    constructor(data: TableData) {
        this.id = data.id;
        this.title = data.title;
        this.columns = data.columns;
        this.rows = data.rows;
        this.byName = new Map(data.columns.map((c, i) => [c.name, i]));
    }

    // The index of a column, or -1: which columns exist depends on how the report was made.
    column(name: string): number {
        return this.byName.get(name) ?? -1;
    }

    cell(row: number, name: string): Cell {
        const col = this.column(name);
        return col < 0 ? null : this.rows[row][col];
    }

    text(row: number, name: string): string {
        return cellText(this.cell(row, name));
    }

    number(row: number, name: string): number {
        const v = this.cell(row, name);
        return typeof v === "number" ? v : NaN;
    }

    isNumeric(col: number): boolean {
        const type = this.columns[col].type;
        return type === "int" || type === "real";
    }

    // Missing cells are NaN.
    numbers(col: number): Float64Array {
        let out = this.numberColumns.get(col);
        if (!out) {
            out = new Float64Array(this.rows.length);
            for (let r = 0; r < out.length; r++) {
                const v = this.rows[r][col];
                out[r] = typeof v === "number" ? v : NaN;
            }
            this.numberColumns.set(col, out);
        }
        return out;
    }

    texts(col: number): Dictionary {
        let out = this.textColumns.get(col);
        if (!out) {
            const seen = new Map<string, number>([["", 0]]);
            const codes = new Uint32Array(this.rows.length);
            for (let r = 0; r < codes.length; r++) {
                const v = cellText(this.rows[r][col]);
                let code = seen.get(v);
                if (code === undefined) {
                    code = seen.size;
                    seen.set(v, code);
                }
                codes[r] = code;
            }
            out = { values: [...seen.keys()], codes };
            this.textColumns.set(col, out);
        }
        return out;
    }

    // The sum of the cells that are present; 0 when the column is absent.
    sum(name: string): number {
        const col = this.column(name);
        let total = 0;
        if (col >= 0) {
            for (const v of this.numbers(col)) {
                if (!Number.isNaN(v)) total += v;
            }
        }
        return total;
    }

    max(name: string): number {
        const col = this.column(name);
        let most = 0;
        if (col >= 0) {
            for (const v of this.numbers(col)) {
                if (v > most) most = v;
            }
        }
        return most;
    }

    // All rows in the order of a column. Equal cells keep file order in both directions, and
    // missing cells come last in both.
    sorted(col: number, descending: boolean): Uint32Array {
        const keys = this.isNumeric(col) ? this.numbers(col) : textRanks(this.texts(col));
        const present: number[] = [];
        const missing: number[] = [];
        for (let r = 0; r < keys.length; r++) (Number.isNaN(keys[r]) ? missing : present).push(r);
        const order = Uint32Array.from(present);
        if (descending) order.sort((a, b) => keys[b] - keys[a] || a - b);
        else order.sort((a, b) => keys[a] - keys[b] || a - b);
        const out = new Uint32Array(keys.length);
        out.set(order);
        out.set(missing, order.length);
        return out;
    }
}

export function cellText(v: Cell): string {
    if (v === null || v === undefined) return "";
    if (typeof v === "boolean") return v ? "yes" : "no";
    return String(v);
}

// A number a row that orders like its text, by code units as the C side sorts.
function textRanks(dict: Dictionary): Float64Array {
    const order = dict.values.map((_, i) => i);
    order.sort((a, b) => (dict.values[a] < dict.values[b] ? -1 : 1));
    const rank = new Float64Array(order.length);
    order.forEach((code, i) => (rank[code] = i));
    rank[0] = NaN;
    return Float64Array.from(dict.codes, code => rank[code]);
}

// The table of that id, or null if the report has none or it is empty.
export function findTable(report: Report, id: string): Table | null {
    const data = report.tables.find(t => t.id === id);
    return data && data.rows.length > 0 ? new Table(data) : null;
}
