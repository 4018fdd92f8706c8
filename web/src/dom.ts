// dom.ts - building elements. Text from the data only ever becomes text nodes: an op may be
// named "<script>", and nothing here can turn that into markup.

type Child = Node | string | null;

export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Record<string, string | number | boolean> = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const el = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === true) el.setAttribute(name, "");
        else if (value !== false) el.setAttribute(name, String(value));
    }
    for (const child of children) {
        if (child !== null) el.append(child);
    }
    return el;
}

export function button(label: string, className: string, onClick: () => void): HTMLButtonElement {
    const el = h("button", { type: "button", class: className }, label);
    el.addEventListener("click", onClick);
    return el;
}

// One titled card of the page; the id is what the navigation jumps to.
export function section(id: string, title: string, aside: string, ...children: Child[]): HTMLElement {
    return h(
        "section",
        { class: "card", id, "aria-labelledby": id + "-title" },
        h("div", { class: "card-head" },
            h("h2", { id: id + "-title" }, title),
            aside ? h("span", { class: "muted" }, aside) : null),
        ...children);
}

// Runs a function at most once a frame, however often it is asked for.
export function oncePerFrame(run: () => void): () => void {
    let pending = false;
    return () => {
        if (pending) return;
        pending = true;
        requestAnimationFrame(() => {
            pending = false;
            run();
        });
    };
}
