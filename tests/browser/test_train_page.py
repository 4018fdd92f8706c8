#!/usr/bin/python3
"""test_train_page.py - drives pages of a training run in a real browser.

    test_train_page.py PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...]

The first page has all charts; those behind --data only have to have a flame graph.
"""
import sys

import browser
from browser import Skip

FLAME_ROW = 25  # of flame.ts: a box and the gap below it

checks = []
check = browser.registrar(checks)


class Page(browser.Page):
    """A page of charts: marks of drawings, and the boxes of the flame graph."""

    def rows(self, name):
        """The rows of a table of the document, cells by column."""
        table = self.tables.get(name, {"columns": [], "rows": []})
        names = [c["name"] for c in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def marks(self, drawing, tag):
        """Attributes of the marks of a drawing, each with its text."""
        return self.js("return [...document.querySelectorAll('[id=\"' + arguments[0] + '\"] ' + arguments[1])].map(m =>"
                       "Object.fromEntries([...m.attributes].map(a => [a.name, a.value]).concat([['text', m.textContent]])))", drawing, tag)

    def pointer(self, kind, selector, x, y):
        """A real pointer, over a place of an element."""
        self.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        left, top = self.js("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.left, r.top]", selector)
        at = {"x": left + x, "y": top + y, "button": "left", "clickCount": 1}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": at["x"], "y": at["y"]})
        if kind == "click":
            for event in ("mousePressed", "mouseReleased"):
                self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": event, **at})

    def tooltip(self):
        return self.js("const t = document.querySelector('.tooltip'); return t && !t.hidden ? t.textContent : ''")

    def need(self, name):
        if not self.rows(name):
            raise Skip(f"no table '{name}'")


@check("the page shows its data", data=True)
def opens(page):
    assert not page.js("return document.querySelector('[role=alert]')"), page.js("return document.body.textContent")[:200]
    assert page.js("return document.querySelectorAll('section.card').length") > 0


def drawn_bars(page, drawing):
    """Name, printed value and width of each bar."""
    return page.js("return [...document.querySelectorAll('[id=\"' + arguments[0] + '\"] g')].map(g => {"
                   "const t = g.querySelectorAll('text'); return [t[0].textContent, t[1].textContent, Number(g.querySelectorAll('rect')[1].getAttribute('width'))]})",
                   drawing)


def expect_bars(page, drawing, values):
    """Bars as long as their values, in their order; a long name may be cut."""
    bars = drawn_bars(page, drawing)
    most = max(v for _, v in values)
    scale = max(w for _, _, w in bars) / most
    assert len(bars) == len(values), (bars, values)
    for (name, text, width), (wanted, value) in zip(bars, values):
        assert name == wanted or (name.endswith("…") and wanted.startswith(name[:-1])), (name, wanted)
        assert text == f"{value:.3f} ms" and abs(width - max(0.5, value * scale)) < 0.01, (name, text, width, value)


@check("pies have a slice for each share, and say which")
def pies(page):
    groups = {}
    for row in page.rows("pies"):
        groups.setdefault((row["Metric"], row["Value"]), []).append(row)
    assert len(groups) == 6, groups.keys()
    for (metric, value), rows in groups.items():
        name = f"pie-{metric}-{value}".lower().replace(" ", "-")
        shares = [r["Share"] for r in rows if r["Share"] > 0]
        assert abs(sum(shares) - 100) < 0.01, (name, shares)
        assert len(page.marks(name, "path")) == len(shares), name
        labels = page.js("return [...document.getElementById(arguments[0]).closest('figure').querySelectorAll('.keys li')].map(l => l.textContent)", name)
        assert labels == [r["Label"] for r in rows], labels


@check("buttons choose which time the bars show")
def bars(page):
    buttons = page.js("return [...document.querySelectorAll('#bars .chip')].map(b => b.textContent)")
    assert len(buttons) == 6, buttons
    titles = set()
    for i, column in enumerate(buttons):
        page.js("document.querySelectorAll('#bars .chip')[arguments[0]].click()", i)
        pressed = page.js("return [...document.querySelectorAll('#bars .chip')].map(b => b.getAttribute('aria-pressed'))")
        assert pressed == ["true" if k == i else "false" for k in range(6)], pressed
        values = sorted(((r["Op"], r[column]) for r in page.rows("ops") if r[column] is not None), key=lambda v: v[1])
        expect_bars(page, "op-bars", values)
        titles.add(page.js("return document.querySelector('#bars figcaption').textContent"))
    assert len(titles) == 6, titles


@check("a mark under the pointer is explained")
def explains(page):
    row = max(page.rows("ops"), key=lambda r: r["Device sum"])
    page.js("document.querySelectorAll('#bars .chip')[0].click()")
    box = page.js("const g = [...document.querySelectorAll('#op-bars g')].pop().getBoundingClientRect();"
                  "const d = document.getElementById('op-bars').getBoundingClientRect(); return [g.left - d.left + g.width / 2, g.top - d.top + g.height / 2]")
    page.pointer("move", "#op-bars", *box)
    page.wait("the tooltip", lambda: row["Op"] in page.tooltip())
    assert f"{row['Device sum']:.4f} ms" in page.tooltip(), page.tooltip()


@check("phases: their averages as bars, each iteration as a point")
def phases(page):
    average, rows = page.rows("average")[0], page.rows("phases")
    names = [c for c in ("forward_ms", "backward_ms", "gradient_sync_ms", "optimizer_ms", "other_ms") if any(r[c] for r in rows)]
    expect_bars(page, "phase-bars", [(n.removesuffix("_ms").replace("_", " "), average[n]) for n in names])
    own = [r for r in rows if r["Device"] == average["Device"]]
    assert len(page.marks("phase-lines", "polyline")) == len(names)
    assert len(page.marks("phase-lines", "circle")) == len(names) * len(own)
    ys = [float(c["cy"]) for c in page.marks("phase-lines", "circle")]
    values = [r[n] for n in names for r in own]
    assert all((a < b) == (y > z) for a, y in zip(values, ys) for b, z in zip(values, ys) if abs(a - b) > 1e-3), "a longer phase is not higher"


@check("lines of a chart are told apart by their numbers")
def axes(page):
    for drawing in page.js("return [...document.querySelectorAll('svg.drawing')].filter(s => s.querySelector('.grid'))"
                           ".map(s => [...s.querySelectorAll('text.end')].map(t => t.textContent).slice(0, 5))"):
        assert len(set(drawing)) == 5, drawing


@check("the ops of the step are in order, the slow ones red")
def timeline(page):
    rows, boxes = page.rows("timeline"), page.marks("op-timeline", "rect")
    assert len(rows) == len(boxes) > 1
    assert [b["fill"] == "#F44336" for b in boxes] == [bool(r["Slow"]) for r in rows]
    assert any(r["Slow"] for r in rows)
    heights = [float(b["height"]) for b in boxes]
    most = max(range(len(rows)), key=lambda i: rows[i]["Device Time"])
    assert heights[most] == max(heights)


@check("every core has its share of the busiest")
def cores(page):
    page.need("cores")
    for device in {r["Device"] for r in page.rows("cores")}:
        rows = [r for r in page.rows("cores") if r["Device"] == device]
        texts = page.js("return [...document.querySelectorAll('[id=\"cores-' + arguments[0] + '\"] g text')].map(t => Number(t.textContent))", str(device))
        assert all(abs(t - 100 * r["Share"]) <= 0.5 for t, r in zip(texts, rows, strict=True)), (texts, rows[:3])
        fills = {r["Share"]: f for r, f in zip(rows, page.js(
            "return [...document.querySelectorAll('[id=\"cores-' + arguments[0] + '\"] g rect')].map(r => getComputedStyle(r).fill)", str(device)))}
        assert len(set(fills.values())) > 1 or len(fills) == 1, fills


@check("an op is chosen, and each of its calls is a point")
def series(page):
    rows = page.rows("series")
    for op in {r["Op"] for r in rows}:
        page.js("const s = document.getElementById('series-op'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", op)
        counts = page.js("return [...document.querySelectorAll('#series svg')].map(s => s.querySelectorAll('circle').length)")
        wanted = [sum(r["Op"] == op and r[m] is not None for r in rows) for m in ("Device Time", "Host Time", "Time Between Ops")]
        assert counts == wanted, (op, counts, wanted)


@check("tables show their cells and are sorted by a click")
def tables(page):
    rows = page.rows("ops")
    def shown():
        return page.js("return [...document.querySelectorAll('#ops tr[data-index]')].map(r => r.firstChild.textContent)")
    assert shown() == [r["Op"] for r in rows][:len(shown())]
    page.click('#ops button[data-col="Calls"]')
    state = page.js("return document.querySelector('#ops th[aria-sort=ascending], #ops th[aria-sort=descending]').getAttribute('aria-sort')")
    wanted = [r["Op"] for r in sorted(rows, key=lambda r: r["Calls"], reverse=state == "descending")]
    page.wait("the order of calls", lambda: shown() == wanted[:len(shown())])


@check("an op named like markup is text everywhere", data=True)
def hostile(page):
    assert page.js("return document.querySelectorAll('#page script, #page img').length") == 0
    codes = [r["Op"] for r in page.rows("ops") if "<" in r["Op"]]
    if page.path.stem == "train-made":
        assert codes and codes[0] in page.js("return document.getElementById('ops').textContent"), codes


# --- flame graph ---

def frames(page):
    """Boxes with their middle on the drawing, those wide enough to be hit."""
    rows = page.rows("flame")
    end = max(r["X"] + r["Width"] for r in rows)
    width = page.js("return document.getElementById('flame-graph').clientWidth")
    found = [(r, (r["X"] + r["Width"] / 2) / end * width, r["Depth"] * FLAME_ROW + FLAME_ROW // 2) for r in rows if r["Width"] / end * width > 6]
    assert len(found) > 3, "no flame graph"
    return found


def pixel(page, x, y):
    # By way of a canvas that is there to be read: the browser warns about reading the page's own.
    return page.js("const c = document.getElementById('flame-graph'), k = c.width / c.clientWidth;"
                   "const copy = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});"
                   "copy.drawImage(c, Math.round(arguments[0] * k), Math.round(arguments[1] * k), 1, 1, 0, 0, 1, 1);"
                   "return [...copy.getImageData(0, 0, 1, 1).data]", x, y)


def given(row):
    """The colour that the table says; without one it follows from the name."""
    return [int(row["Colour"][k:k + 2], 16) for k in (1, 3, 5)] if "Colour" in row else None


@check("flame graph: every box is drawn in its colour", data=True)
def flame_drawn(page):
    page.wait("the drawing", lambda: page.js("return document.getElementById('flame-graph').width") > 300)
    of_names = {}
    for row, x, y in frames(page):
        seen = pixel(page, x, y - 10)[:3]
        assert seen == (given(row) or of_names.setdefault((row["Name"], row.get("Count") is None), seen)), (row, seen)
        assert seen != pixel(page, x, row["Depth"] * FLAME_ROW + FLAME_ROW - 1)[:3], f"{row['Name']}: no gap below"


@check("flame graph: a box under the pointer tells its time", data=True)
def flame_hover(page):
    for row, x, y in frames(page)[1:5]:
        page.pointer("move", "#flame-graph", x, y)
        page.wait(f"what {row['Name']} is", lambda row=row: page.tooltip().startswith(row["Name"]))
        assert f"{row['Time']:.3f} ms" in page.tooltip(), (page.tooltip(), row)


@check("flame graph: the search marks boxes and adds up their time", data=True)
def flame_search(page):
    rows = page.rows("flame")
    name = frames(page)[-1][0]["Name"]
    box = page.driver.find_element("css selector", "#flame-find")
    whole = page.js("return document.getElementById('flame-graph').toDataURL()")
    page.js("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", box, name)
    found = [r for r in rows if name.lower() in r["Name"].lower()]
    page.wait("the count", lambda: page.js("return document.getElementById('flame-found').textContent").startswith(f"{len(found):,} frame"))
    outer, end = 0, -1
    for row in found:
        if row["X"] >= end:
            outer, end = outer + row["Width"], row["X"] + row["Width"]
    percent = float(page.js("return document.getElementById('flame-found').textContent").split(", ")[1].split(" ")[0].replace(",", ""))
    assert abs(percent - 100 * outer) <= 0.051, (percent, outer)
    assert page.js("return document.getElementById('flame-graph').toDataURL()") != whole
    page.js("arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))", box)
    page.wait("the whole", lambda: page.js("return document.getElementById('flame-graph').toDataURL()") == whole)


@check("flame graph: a click zooms, Escape shows all", data=True)
def flame_zoom(page):
    def zoom():
        return page.js("return document.getElementById('flame-graph').dataset.zoom")
    def drawing():
        return page.js("return document.getElementById('flame-graph').toDataURL()")
    row, x, y = min(frames(page)[1:], key=lambda f: (f[0]["Depth"], f[0]["Width"]))
    whole = drawing()
    page.pointer("click", "#flame-graph", x, y)
    page.wait("the zoom", lambda: zoom() == row["Name"])
    assert f"{row['Time']:.2f} ms" in page.js("return document.getElementById('flame-where').textContent")
    width = page.js("return document.getElementById('flame-graph').clientWidth")
    wanted = given(row) or pixel(page, width / 2, y - 10)[:3]
    page.wait("a box as wide as the page", lambda: all(pixel(page, at, y - 10)[:3] == wanted for at in (3, width / 2, width - 4)))
    page.driver.find_element("css selector", "#flame-graph").send_keys("\ue00c")
    page.wait("the whole", lambda: zoom() == "" and drawing() == whole)


# --- the page ---

@check("the dark scheme changes the page and its charts")
def dark(page):
    def look():
        return page.js("return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.drawing text')).fill]")
    light = look()
    browser.set_dark(page.driver, True)
    page.wait("other colours", lambda: all(a != b for a, b in zip(look(), light)))
    browser.set_dark(page.driver, False)
    page.wait("the light ones", lambda: look() == light)


@check("the page is not wider than the window", data=True)
def fits(page):
    assert page.js("return document.documentElement.scrollWidth <= window.innerWidth")


@check("nothing was written to the console", data=True)
def console(page):
    page.expect_silence()


@check("nothing was asked of the network", data=True)
def network(page):
    page.expect_no_network()


if __name__ == "__main__":
    sys.exit(browser.main(__doc__, Page, checks))
