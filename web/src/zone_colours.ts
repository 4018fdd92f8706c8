// zone_colours.ts - the colour of a name: the same in every page, in light and in dark.
//
// Colours of one tone are equally light (OKLCH), so that none stands out and dark text is
// legible on all of them. Firmware zones surround everything and are muted; kernels have a
// colour for each family of RISC, which users look for first.

import { colour } from "./canvas";

interface Palette {
    tones: string[];
    firmware: string;
    kernels: Record<string, string>;
}

const LIGHT: Palette = {
    tones: [
        "#fc9d95", "#f6a476", "#e6b061", "#ccbc60", "#aac874", "#82cf93",
        "#51d2c4", "#50cde8", "#78c2ff", "#9eb7ff", "#c6aafa", "#e89ed8",
        "#e27e76", "#dc8653", "#cb9238", "#b1a035", "#8dac50", "#60b474",
        "#00b7a9", "#00b1cf", "#54a6e7", "#809aec", "#ab8ce0", "#ce7fbd",
    ],
    firmware: "#cdd1d9",
    kernels: { BRISC: "#65a7fa", NCRISC: "#2dc08e", TRISC: "#ab91f2", ERISC: "#e38d3d" },
};
const DARK: Palette = {
    tones: [
        "#eb8d86", "#e59567", "#d5a051", "#bcac50", "#9ab864", "#73bf84",
        "#3cc2b4", "#3cbdd8", "#68b2ef", "#8fa7f4", "#b69ae9", "#d88fc8",
        "#cb6d67", "#c67544", "#b68028", "#9d8d26", "#7b9941", "#50a064",
        "#00a396", "#009eb9", "#4493d0", "#7087d5", "#987aca", "#b86fa9",
    ],
    firmware: "#424853",
    kernels: { BRISC: "#64a1ee", NCRISC: "#37b78a", TRISC: "#a58de6", ERISC: "#d98941" },
};

const NEXT_TONE = 5; // far away on the circle of hues, and prime to the number of tones

export function isDark(): boolean {
    const isForcedLight = document.documentElement.getAttribute("data-theme") === "light";
    return !isForcedLight && matchMedia("(prefers-color-scheme: dark)").matches;
}

// Names whose hashes collide are moved to the next free tone, in alphabetical order, so that
// the names of a page differ as long as there are tones.
const moved = new Map<string, number>();

export function spreadColours(names: string[]): void {
    const taken = new Set<number>();
    const count = LIGHT.tones.length;
    const ofTones = names.filter(name => !name.endsWith("-FW") && !name.endsWith("-KERNEL"));
    for (const name of ofTones.sort()) {
        let tone = hash(name) % count;
        for (let tries = 0; taken.has(tone) && tries < count; tries++) tone = (tone + NEXT_TONE) % count;
        taken.add(tone);
        moved.set(name, tone);
    }
}

// Of what only surrounds things that have a name.
export function groupColour(dark = isDark()): string {
    return (dark ? DARK : LIGHT).firmware;
}

export function nameColour(name: string, dark = isDark()): string {
    const palette = dark ? DARK : LIGHT;
    if (name.endsWith("-FW")) return palette.firmware;
    if (name.endsWith("-KERNEL")) {
        const family = Object.keys(palette.kernels).find(risc => name.startsWith(risc));
        if (family) return palette.kernels[family];
    }
    return palette.tones[moved.get(name) ?? hash(name) % palette.tones.length];
}

// FNV-1a over code units: small, and near names fall far apart.
function hash(text: string): number {
    let h = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    return (h ^ (h >>> 15)) >>> 0;
}

// "#rrggbb" as the word that a pixel of an ImageData is, on the little-endian machines that
// browsers run on.
export function packed(hex: string): number {
    const rgb = parseInt(hex.slice(1), 16);
    return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >>> 16)) >>> 0;
}

export function mixed(a: number, b: number, share: number): number {
    let out = 0xff000000;
    for (const shift of [0, 8, 16]) {
        const from = (a >>> shift) & 0xff;
        const to = (b >>> shift) & 0xff;
        out |= Math.round(from + (to - from) * share) << shift;
    }
    return out >>> 0;
}

// The colours of the page that drawings use, read once for each scheme: asking the style sheet
// costs more than drawing a bar.
export interface Theme {
    dark: boolean;
    card: string;
    raised: string;
    text: string;
    muted: string;
    line: string;
    faint: string;
    accent: string;
    onBar: string; // text on a coloured bar
    onMuted: string; // text on a bar of firmware
}

export function readTheme(): Theme {
    const dark = isDark();
    return {
        dark,
        card: colour("card"), raised: colour("raised"), text: colour("text"), muted: colour("muted"),
        line: colour("line"), faint: colour("line-faint"), accent: colour("accent"),
        onBar: "#12151c",
        onMuted: dark ? "#cfd5e2" : "#3a4252",
    };
}
