#!/usr/bin/python3
"""test_report_page.py - drives report pages in a real browser.

    test_report_page.py PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...]

Opens each page from disk, works it as a person would, and compares what it shows with the
data document inside the page. Prints TAP; a screenshot of each page goes to ARTEFACT_DIR.
A check that a page's data cannot serve (no op with a bound, say) is reported as skipped.
"""
import math
import re
import sys

import browser
from browser import Skip

MAX_ROWS_IN_DOM = 150

checks = []
check = browser.registrar(checks)


class Page(browser.Page):
    """A report page: its ops, and the few things a person does with them."""

    def __init__(self, driver, path):
        super().__init__(driver, path)
        ops = self.tables["ops"]
        self.columns = {c["name"]: i for i, c in enumerate(ops["columns"])}
        self.ops = ops["rows"]

    def cell(self, row, name):
        return row[self.columns[name]]

    def need_ops(self):
        if not self.ops:
            raise Skip("no ops in this report")

    def shown(self):
        return self.js("return document.getElementById('shown').textContent")

    def wait_shown(self, count):
        noun = "row" if len(self.ops) == 1 else "rows"
        text = f"{count:,} of {len(self.ops):,} {noun}"
        self.wait(f"'{text}', found '{self.shown()}'", lambda: self.shown() == text)

    def type_filter(self, text):
        box = self.driver.find_element("css selector", "#filter")
        box.send_keys("\ue009a\ue000\ue003" + text)  # control-a, backspace, the text
        self.settle()

    def rendered(self, column):
        """Text of a column in the rows that are in the document, from top to bottom."""
        return self.js("return [...document.querySelectorAll('#ops [data-row-id]')].map(r =>"
                       "[...r.children].find(c => c.dataset.col === arguments[0])?.textContent)", column)

    def ids(self):
        return self.js("return [...document.querySelectorAll('#ops [data-row-id]')].map(r => r.dataset.rowId)")

    def scroll(self, top):
        self.js("document.querySelector('#ops .scroller').scrollTop = arguments[0]", top)

    def expect_order(self, column, descending):
        present = [r for r in self.ops if self.cell(r, column) not in (None, "")]
        missing = [r for r in self.ops if self.cell(r, column) in (None, "")]
        # reverse=True keeps equal cells in file order, as the page does.
        present.sort(key=lambda r: self.cell(r, column), reverse=descending)
        expected = [str(self.cell(r, "ID")) for r in present + missing]
        self.wait(f"rows sorted by {column}", lambda: self.ids() == expected[:len(self.ids())])

    def sort_check(self, column):
        """Clicks a head until each direction was seen, and compares all rendered rows."""
        self.need_ops()
        seen = set()
        for _ in range(2):
            self.click(f'#ops button[data-col="{column}"]')
            state = self.js("return document.querySelector('#ops th:has(button[data-col=\"' + arguments[0]"
                            " + '\"])').getAttribute('aria-sort')", column)
            assert state in ("ascending", "descending"), f"aria-sort is {state}"
            seen.add(state)
            self.expect_order(column, state == "descending")
        assert len(seen) == 2, f"only {seen}"
        self.click(f'#ops button[data-col="{column}"]')  # back to file order


@check("all rows are counted and the first one is shown", data=True)
def opens(page):
    page.need_ops()
    page.wait_shown(len(page.ops))
    page.wait("the first row", lambda: page.ids()[:1] == [str(page.cell(page.ops[0], "ID"))])


@check("a report without ops says so", data=True)
def says_empty(page):
    if page.ops:
        raise Skip("this report has ops")
    assert "no ops" in page.js("return document.getElementById('ops').textContent")


@check("a click on Device Time sorts by number, both ways", data=True)
def sorts_time(page):
    page.sort_check("Device Time")


@check("a click on Total % sorts by number, both ways")
def sorts_share(page):
    page.sort_check("Total %")


@check("a click on Cores sorts by number, both ways")
def sorts_cores(page):
    page.sort_check("Cores")


@check("a click on OP Code sorts by text, both ways")
def sorts_code(page):
    page.sort_check("OP Code")


@check("the filter narrows to rows that hold the word")
def filters_text(page):
    page.need_ops()
    words = [str(page.cell(r, "OP Code")).split(" ")[0].lower() for r in page.ops]
    word = max(sorted(w for w in set(words) if w.isalnum()), key=words.count, default=None)
    if not word:
        raise Skip("no op with a plain name")
    texts = [i for c, i in page.columns.items()
             if page.tables["ops"]["columns"][i]["type"] == "text"
             and not page.tables["ops"]["columns"][i]["detail"]]
    count = sum(any(word in str(r[i] or "").lower() for i in texts) for r in page.ops)
    page.type_filter(word)
    page.wait_shown(count)
    codes = page.rendered("OP Code")
    assert codes and all(word in c.lower() for c in codes), codes[:5]


@check("the filter compares numbers, with blanks in the column name or without")
def filters_number(page):
    page.need_ops()
    times = sorted(page.cell(r, "Device Time") or 0 for r in page.ops)
    limit = math.floor(times[len(times) // 2])
    count = sum((page.cell(r, "Device Time") or 0) > limit for r in page.ops)
    for text in (f"devicetime>{limit}", f"Device Time > {limit}"):
        page.type_filter("")
        page.wait_shown(len(page.ops))
        page.type_filter(text)
        page.wait_shown(count)


@check("the filter looks into one column", data=True)
def filters_column(page):
    page.need_ops()
    code = str(page.cell(page.ops[-1], "OP Code")).split(" ")[0]
    quoted = code.replace('"', '""')
    count = sum(code.lower() in str(page.cell(r, "OP Code")).lower() for r in page.ops)
    page.type_filter(f'op code:"{quoted}"')
    page.wait_shown(count)
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("op code=WORD is the whole word, in any case, and not the beginning of a longer one")
def filters_whole_word(page):
    page.need_ops()
    codes = [(str(page.cell(r, "OP Code")) + " ").lower() for r in page.ops]
    word = next((c.split(" ")[0] for c in codes if re.fullmatch(r"[a-z]{3,}", c.split(" ")[0])), None)
    if not word:
        raise Skip("no op with a plain name")
    for wanted in (word[:-1], word.upper(), word[:-2]):
        page.type_filter(f"op code={wanted}")
        page.wait_shown(sum(c.startswith(wanted.lower() + " ") for c in codes))
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("a chip shows the rows of one bound, and all again", data=True)
def chip(page):
    page.need_ops()
    bounds = sorted({page.cell(r, "Bound") for r in page.ops} - {"", None})
    if not bounds:
        raise Skip("no op has a bound")
    for bound in bounds:
        page.click(f'button[data-bound="{bound}"]')
        page.wait_shown(sum(page.cell(r, "Bound") == bound for r in page.ops))
        assert set(page.rendered("Bound")) == {bound}
        page.click(f'button[data-bound="{bound}"]')
        page.wait_shown(len(page.ops))


@check("a click on a row opens all its columns, and Escape closes them")
def details(page):
    page.need_ops()
    row = page.ops[0]
    page.click(f'#ops [data-row-id="{page.cell(row, "ID")}"] td[data-col="OP Code"]')
    page.wait("the panel", lambda: not page.js("return document.getElementById('details').hidden"))
    text = page.js("return document.getElementById('details').textContent")
    absent = [c for c in page.columns if c not in ("OP Code", "Advice") and c not in text]
    assert not absent, f"not in the panel: {absent}"
    assert str(page.cell(row, "OP Code")) in text
    page.driver.find_element("css selector", "#details .close").send_keys("\ue00c")
    page.wait("the panel to close", lambda: page.js("return document.getElementById('details').hidden"))


def colours_in(page, canvas):
    """How many distinct colours a canvas holds; a blank one has one."""
    return page.js("""const c = document.querySelector(arguments[0]);
        const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
        return new Set(d).size""", canvas)


@check("the stacked chart is drawn", data=True)
def stack_drawn(page):
    if not page.tables.get("summary", {}).get("rows"):
        raise Skip("no summary")
    page.wait("a drawing", lambda: colours_in(page, "canvas#stack") > 3)


@check("the roofline is drawn, or a sentence says why not", data=True)
def roofline_drawn(page):
    page.need_ops()
    has_points = any((page.cell(r, "FLOPs") or 0) > 0 and (page.cell(r, "DRAM") or 0) > 0 for r in page.ops)
    if page.document["arch"] and has_points:
        page.wait("a drawing", lambda: colours_in(page, "canvas#roofline") > 3)
    else:
        assert "No roofline" in page.js("return document.getElementById('roof').textContent")


@check("a click on the first segment of the chart filters the ops")
def segment(page):
    summary = page.tables.get("summary", {"rows": []})
    names = [c["name"] for c in summary.get("columns", [])]
    if not summary["rows"] or "Op Category" not in names:
        raise Skip("no summary by op")
    page.js("document.querySelector('canvas#stack').scrollIntoView({block: 'center'})")
    # With several bars their names stand to the left.
    bars = {r[names.index("Device")] for r in summary["rows"]} if "Device" in names else {None}
    at = page.js("""const c = document.querySelector('canvas#stack'), r = c.getBoundingClientRect();
        return [r.left + arguments[0], r.top + 10]""", 80 if len(bars) > 1 else 12)
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        page.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
    page.wait("a filter", lambda: page.js("return document.getElementById('filter').value") != "")
    key = page.js("return document.getElementById('filter').value")
    assert key.startswith("op code="), key
    codes = page.rendered("OP Code")
    assert codes and len({c.split(" ")[0] for c in codes}) == 1, codes[:5]
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("scrolled to the end, the last row is in view and few rows are in the document")
def scrolls(page):
    page.need_ops()
    last = str(page.cell(page.ops[-1], "ID"))
    page.scroll(10 ** 9)
    page.wait("the last row", lambda: page.ids()[-1:] == [last])
    inside = page.js("""const s = document.querySelector('#ops .scroller').getBoundingClientRect();
        const r = [...document.querySelectorAll('#ops [data-row-id]')].pop().getBoundingClientRect();
        return r.top >= s.top && r.bottom <= s.bottom + 1""")
    assert inside, "the last row is outside the view"
    count = len(page.ids())
    assert count <= MAX_ROWS_IN_DOM, f"{count} rows in the document"
    page.scroll(0)
    page.wait("the first row", lambda: page.ids()[:1] == [str(page.cell(page.ops[0], "ID"))])


@check("an op named like markup is shown as text", data=True)
def hostile(page):
    rows = [r for r in page.ops if "<" in str(page.cell(r, "OP Code"))]
    if not rows:
        raise Skip("no such op")
    code = page.cell(rows[0], "OP Code")
    page.type_filter("op code=\"" + code.replace('"', '""') + '"')
    page.wait_shown(sum((str(page.cell(r, "OP Code")) + " ").startswith(code + " ") for r in page.ops))
    assert set(page.rendered("OP Code")) == {code}, page.rendered("OP Code")[:3]
    assert page.js("return document.querySelectorAll('#page script, #page img').length") == 0
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("an advice item opens its row", data=True)
def advice(page):
    if not page.tables.get("advice", {}).get("rows"):
        assert not page.js("return document.getElementById('advice')"), "an empty section is shown"
        raise Skip("no advice")
    op = page.js("return document.querySelector('#advice [data-advice-id]').dataset.adviceId")
    page.click(f'#advice [data-advice-id="{op}"]')
    page.wait("the row", lambda: page.js("return document.querySelector('#ops [aria-selected=true]')"
                                         "?.dataset.rowId") == op)
    assert not page.js("return document.getElementById('details').hidden")
    page.click("#details .close")


@check("oddities are listed exactly when there are any", data=True)
def diag(page):
    rows = page.tables.get("diag", {}).get("rows", [])
    text = page.js("return document.getElementById('diag')?.textContent ?? null")
    assert (text is not None) == bool(rows)
    assert not rows or rows[0][0] in text


@check("the dark scheme changes page and drawings")
def dark(page):
    def background():
        return page.js("return getComputedStyle(document.body).backgroundColor")
    def drawing():
        return page.js("return document.querySelector('canvas')?.toDataURL() ?? ''")
    light, drawn = background(), drawing()
    browser.set_dark(page.driver, True)
    page.wait("another background", lambda: background() != light)
    page.wait("another drawing", lambda: drawn == "" or drawing() != drawn)
    browser.set_dark(page.driver, False)
    page.wait("the light one", lambda: background() == light)


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
