// time_axis.ts - times as text, and the ticks of an axis.

import { grouped } from "./format";

const UNITS: [string, number][] = [["s", 1e9], ["ms", 1e6], ["μs", 1e3], ["ns", 1]];

export function timeText(ns: number): string {
    if (Number.isNaN(ns)) return "";
    const [unit, size] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? UNITS[3];
    const value = ns / size;
    const decimals = Number.isInteger(value) ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
    return `${grouped(value, decimals)} ${unit}`;
}

// "1,234 cycles · 1.234 μs"
export function cyclesText(cycles: number, ns: number): string {
    const text = `${grouped(cycles, Number.isInteger(cycles) || cycles > 100 ? 0 : 1)} cycles`;
    return Number.isNaN(ns) ? text : `${text} · ${timeText(ns)}`;
}

export interface Tick {
    at: number; // in cycles
    label: string;
}

// Ticks at 1, 2 or 5 times a power of ten, about `room` pixels apart. With ns for a cycle given
// the labels are times, otherwise cycles.
export function ticks(from: number, to: number, width: number, room: number, nsPerCycle: number): Tick[] {
    const isTime = !Number.isNaN(nsPerCycle);
    const size = isTime ? nsPerCycle : 1;
    const rough = (((to - from) * room) / Math.max(1, width)) * size;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(m => m * power).find(v => v >= rough) ?? rough;
    const out: Tick[] = [];
    for (let k = Math.ceil((from * size) / step); k * step <= to * size; k++) {
        out.push({ at: (k * step) / size, label: isTime ? tickTime(k * step, step) : tickCycles(k * step, step) });
    }
    return out;
}

// As many decimals as the step needs, so that neighbours differ.
function tickTime(ns: number, step: number): string {
    const [unit, size] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? UNITS[3];
    const decimals = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
    return `${grouped(ns / size, decimals)} ${unit}`;
}

function tickCycles(cycles: number, step: number): string {
    return grouped(cycles, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}
