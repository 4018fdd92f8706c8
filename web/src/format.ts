// format.ts - numbers as people read them.

import { Cell, Column, cellText } from "./model";

// Rounds like C printf (exact value of the double, ties to even), so that the page shows the
// digits the terminal shows. toFixed differs only on exact ties, where it goes away from zero.
export function fixed(v: number, decimals: number): string {
    const s = v.toFixed(decimals);
    const doubled = Math.abs(v) * 2 * 10 ** decimals;
    if (doubled % 2 !== 1 || !/^50*$/.test(v.toFixed(decimals + 25).slice(-25))) return s;
    const isOdd = Number(s[s.length - 1]) % 2 === 1;
    const step = v < 0 ? 1 : -1;
    return isOdd ? (Number(s) + step * 10 ** -decimals).toFixed(decimals) : s;
}

// 1234567.5 -> "1,234,567.5"
export function grouped(v: number, decimals: number): string {
    const s = fixed(v, decimals);
    const dot = s.indexOf(".");
    const whole = dot < 0 ? s : s.slice(0, dot);
    return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (dot < 0 ? "" : s.slice(dot));
}

// Identifiers are printed without commas.
const IDENTIFIERS = new Set([
    "id", "device", "run id", "program", "trace", "replay", "pid", "parent",
    "global call count", "device id", "sub device id", "metal trace id", "metal trace replay session id",
]);

function isIdentifier(column: Column): boolean {
    return IDENTIFIERS.has(column.name.toLowerCase());
}

export function formatCell(v: Cell, column: Column): string {
    if (typeof v !== "number") return cellText(v);
    if (isIdentifier(column)) return String(v);
    return grouped(v, column.decimals);
}

// All significant digits, for the details of one row.
export function formatExact(v: Cell, column: Column): string {
    if (typeof v !== "number" || isIdentifier(column)) return formatCell(v, column);
    if (Number.isInteger(v)) return grouped(v, 0);
    const decimals = Math.max(column.decimals, Math.abs(v) < 0.01 ? 6 : 3);
    return grouped(v, decimals).replace(/0+$/, "").replace(/\.$/, "");
}

// Microseconds in the most readable unit.
export function duration(us: number): string {
    if (us >= 1e6) return grouped(us / 1e6, 2) + " s";
    if (us >= 1e3) return grouped(us / 1e3, 2) + " ms";
    return grouped(us, us >= 100 ? 1 : 2) + " μs";
}

export function percent(v: number): string {
    return grouped(v, v !== 0 && Math.abs(v) < 1 ? 2 : 1) + " %";
}

// A value on a logarithmic axis or in a legend: three digits, thousands as k, M, G.
export function compact(v: number): string {
    const steps: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
    for (const [size, letter] of steps) {
        if (v >= size) return trimmed(v / size) + letter;
    }
    return trimmed(v);
}

function trimmed(v: number): string {
    return String(Number(v.toPrecision(3)));
}

export function plural(n: number, one: string, many = one + "s"): string {
    return `${grouped(n, 0)} ${n === 1 ? one : many}`;
}
