// canvas.ts - shared by all drawings: sharp pixels, the colours of the page, a tooltip, and a
// redraw when the size or the colour scheme changes.

import { h, oncePerFrame } from "./dom";

export interface Box {
    x: number;
    y: number;
    w: number;
    h: number;
}

// Sets the canvas to that many CSS pixels and returns a context that draws in them at the
// screen's resolution.
export function prepare(
    canvas: HTMLCanvasElement, width: number, height: number,
): CanvasRenderingContext2D {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.style.height = height + "px";
    const ctx = canvas.getContext("2d") as CanvasRenderingContext2D;
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.clearRect(0, 0, width, height);
    return ctx;
}

// A colour of the style sheet, so that light, dark and print are decided in one place.
export function colour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

export function font(size: number, weight = 400): string {
    return `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
}

// The text cut to a width, or "" if not even a few letters fit.
export function fitText(ctx: CanvasRenderingContext2D, text: string, width: number): string {
    if (ctx.measureText(text).width <= width) return text;
    const letters = Math.floor((text.length * width) / ctx.measureText(text).width) - 1;
    return letters < 4 ? "" : text.slice(0, letters) + "…";
}

// Calls draw now and after every change of size, pixel ratio, colour scheme or medium.
export function keepDrawn(canvas: HTMLCanvasElement, draw: () => void): void {
    const redraw = oncePerFrame(draw);
    let width = -1;
    new ResizeObserver(() => {
        if (canvas.clientWidth === width) return; // the height is ours: it follows the drawing
        width = canvas.clientWidth;
        redraw();
    }).observe(canvas.parentElement ?? canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    window.addEventListener("resize", redraw);
    // Paper gets light colours; main.ts switches the page before these run.
    window.addEventListener("beforeprint", draw);
    window.addEventListener("afterprint", draw);
}

// One tooltip for the whole page: only one thing can be under the pointer.
class Tooltip {
    private el = h("div", { class: "tooltip", role: "tooltip", hidden: true });

    show(event: MouseEvent, title: string, lines: [string, string][]): void {
        const list = h("dl");
        for (const [name, value] of lines) list.append(h("dt", {}, name), h("dd", {}, value));
        this.el.replaceChildren(h("strong", {}, title), list);
        if (!this.el.isConnected) document.body.append(this.el);
        this.el.hidden = false;
        const gap = 14;
        const { offsetWidth: w, offsetHeight: ht } = this.el;
        const x = event.clientX + gap + w > innerWidth ? event.clientX - gap - w : event.clientX + gap;
        const y = Math.min(event.clientY + gap, innerHeight - ht - 4);
        this.el.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
    }

    hide(): void {
        this.el.hidden = true;
    }
}

export const tooltip = new Tooltip();
