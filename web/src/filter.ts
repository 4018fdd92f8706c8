// filter.ts - the little language of the filter box.
//
//   matmul 4096          rows where each word is in some shown text cell
//   op:matmul            ... where the word is in the column "OP Code"
//   op=Matmul            ... where the cell is Matmul, or begins with Matmul and a blank
//   device time>100      ... where the number is greater (also < >= <= =)
//
// A column may be given by the beginning of its name or of a word in it, in any case, with or
// without blanks ("gap" is "Op-to-Op Gap"). Double quotes keep blanks; "" is a quote inside them.
// Text that is not a condition is a word to search for, so half-typed text never fails.

import { Table } from "./model";

export type Predicate = (row: number) => boolean;

const TOKEN = /(?:"(?:[^"]|"")*"?|[^\s"])+/g;
const CONDITION = /^([^<>=:"]*)(>=|<=|[<>=:])(.*)$/s;

export function parseFilter(text: string, table: Table, shownColumns: number[]): Predicate[] {
    const tokens = text.match(TOKEN) ?? [];
    const predicates: Predicate[] = [];
    const words: string[] = []; // plain so far; a later condition may claim some as its column
    for (let i = 0; i < tokens.length; i++) {
        const parts = CONDITION.exec(tokens[i]);
        const named = parts && claimColumn(table, words, parts[1]);
        if (!parts || !named) {
            words.push(tokens[i]);
            continue;
        }
        const isSplit = parts[3] === "" && i + 1 < tokens.length; // "time > 5", "op: matmul"
        const value = unquote(isSplit ? tokens[i + 1] : parts[3]);
        const predicate = condition(table, named.col, parts[2], value);
        if (predicate) {
            predicates.push(predicate);
            words.length -= named.words;
            if (isSplit) i++;
        } else if (value === "") {
            words.length -= named.words; // still being typed: no condition yet
        } else {
            words.push(tokens[i]);
        }
    }
    for (const word of words) predicates.push(anywhere(table, shownColumns, unquote(word)));
    return predicates;
}

// A condition that parseFilter reads back as exactly this column and value.
export function writeCondition(column: string, operator: string, value: string): string {
    const plain = /^[\w.-]+$/.test(value);
    return `${column.toLowerCase()}${operator}${plain ? value : `"${value.replace(/"/g, '""')}"`}`;
}

function unquote(token: string): string {
    return token.replace(/"((?:[^"]|"")*)"?/g, (_, inner: string) => inner.replace(/""/g, '"'));
}

function squeeze(text: string): string {
    return text.toLowerCase().replace(/\s+/g, "");
}

function findColumn(table: Table, text: string): number {
    const want = squeeze(text);
    if (want === "") return -1;
    const names = table.columns.map(c => c.name);
    const tests: ((name: string) => boolean)[] = [
        name => squeeze(name) === want,
        name => squeeze(name).startsWith(want),
        name => name.split(/[\s-]+/).some((_, i, w) => squeeze(w.slice(i).join("")).startsWith(want)),
    ];
    for (const test of tests) {
        const col = names.findIndex(test);
        if (col >= 0) return col;
    }
    return -1;
}

// "device time>5" arrives as the words [.. "device"] and the token "time>5": the longest run of
// words that together with the token's own part names a column belongs to the condition.
function claimColumn(table: Table, words: string[], last: string): { col: number; words: number } | null {
    for (let n = Math.min(3, words.length); n >= 0; n--) {
        const col = findColumn(table, words.slice(words.length - n).join("") + last);
        if (col >= 0) return { col, words: n };
    }
    return null;
}

function condition(table: Table, col: number, operator: string, value: string): Predicate | null {
    if (value.trim() === "") return null;
    if (!table.isNumeric(col)) {
        if (operator === ":") return textPredicate(table, col, contains(value));
        if (operator === "=") return textPredicate(table, col, isOrBeginsWith(value));
        return null;
    }
    const limit = Number(value);
    if (Number.isNaN(limit)) return null;
    const cells = table.numbers(col);
    switch (operator) {
    case ">": return row => cells[row] > limit;
    case "<": return row => cells[row] < limit;
    case ">=": return row => cells[row] >= limit;
    case "<=": return row => cells[row] <= limit;
    default: return row => cells[row] === limit;
    }
}

function contains(value: string): (text: string) => boolean {
    const want = value.toLowerCase();
    return text => text.toLowerCase().includes(want);
}

function isOrBeginsWith(value: string): (text: string) => boolean {
    const want = value.toLowerCase();
    return text => (text.toLowerCase() + " ").startsWith(want + " ");
}

function textPredicate(table: Table, col: number, test: (text: string) => boolean): Predicate {
    const { values, codes } = table.texts(col);
    const hits = Uint8Array.from(values, v => (test(v) ? 1 : 0));
    return row => hits[codes[row]] === 1;
}

function anywhere(table: Table, columns: number[], word: string): Predicate {
    const each = columns
        .filter(col => table.columns[col].type === "text")
        .map(col => textPredicate(table, col, contains(word)));
    return row => each.some(hit => hit(row));
}
