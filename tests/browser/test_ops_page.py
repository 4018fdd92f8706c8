#!/usr/bin/python3
"""test_ops_page.py - drives pages of the ops report in a real browser.

    test_ops_page.py PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...]

Beside each page stand PAGE.csv and PAGE.json, written by the same run of the program from the same
logs: what the page holds and shows must be what they hold.
"""
import csv
import json
import sys

import browser
import test_report_page

KERNEL = "DEVICE KERNEL DURATION [ns]"
GAP = "OP TO OP LATENCY [ns]"
CALM = {"ok", "host only", "capture", "signpost"}

checks = []
check = browser.registrar(checks)


def number(text):
    return float(text.replace(",", ""))


class Page(test_report_page.Page):
    """An ops report: rows are known by their place in the document."""

    def __init__(self, driver, path):
        super().__init__(driver, path)
        with open(path.with_suffix(".csv"), newline="", encoding="utf-8") as f:
            self.csv = [*csv.DictReader(f)]
        self.beside = {t["id"]: t["rows"] for t in json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["tables"]}

    def column(self, name):
        return [self.cell(r, name) for r in self.ops]

    def ids(self):
        return self.js("return [...document.querySelectorAll('#ops tr[data-index]')].map(r => r.dataset.index)")

    def rendered_rows(self):
        """Texts by column of the rows in the document, by row."""
        return {int(i): dict(cells) for i, cells in self.js(
            "return [...document.querySelectorAll('#ops tr[data-index]')].map(r => [r.dataset.index,"
            " [...r.children].map(c => [c.dataset.col, c.textContent])])")}

    def expect_order(self, column, descending):
        rows = range(len(self.ops))
        present = [i for i in rows if self.cell(self.ops[i], column) not in (None, "")]
        missing = [i for i in rows if self.cell(self.ops[i], column) in (None, "")]
        present.sort(key=lambda i: self.cell(self.ops[i], column), reverse=descending)
        expected = [str(i) for i in present + missing]
        self.wait(f"rows sorted by {column}", lambda: self.ids() == expected[:len(self.ids())])

    def states(self, row):
        """What became of the cells of a row that are not simply there, by column."""
        text = self.cell(self.ops[row], "CELL STATES")
        return dict(one.rsplit("=", 1) for one in text.split("; ")) if text else {}

    def expect_state(self, row, column, state, text):
        self.type_filter(f"call count={self.cell(self.ops[row], 'GLOBAL CALL COUNT')}")
        self.wait_shown(1)
        found = self.js("const td = [...document.querySelectorAll('#ops tr[data-index] td')].find(d => d.dataset.col === arguments[0]);"
                        "return [td.parentElement.dataset.index, td.dataset.state, td.textContent, getComputedStyle(td).color]", column)
        plain = self.js("return getComputedStyle(document.querySelector('#ops tr[data-index] td')).color")
        assert found[:3] == [str(row), state, text] and found[3] != plain, (found, plain)

    def texts(self, section):
        """The cells of a short table, row by row."""
        return self.js("return [...document.querySelectorAll('#' + arguments[0] + ' tr[data-index]')].map(r => [...r.children].map(c => c.textContent))",
                       section)


def same_cell(cell, text):
    if cell is None:
        return text == ""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return float(text) == float(cell)
    return text == str(cell)


@check("the document holds the rows of the table and of the JSON document", data=True)
def holds(page):
    assert len(page.ops) == len(page.csv) == len(page.beside["ops"])
    for i, (row, beside, told) in enumerate(zip(page.ops, page.csv, page.beside["ops"])):
        for name, at in page.columns.items():
            assert name not in beside or same_cell(row[at], beside[name]), f"row {i}, {name}: {row[at]!r}, CSV {beside[name]!r}"
            assert name == "CELL STATES" or row[at] == told[name], f"row {i}, {name}: {row[at]!r}, JSON {told[name]!r}"
    for name in ("coverage", "diag", "bad"):
        rows = page.tables.get(name, {}).get("rows", [])
        assert rows == [list(row.values()) for row in page.beside.get(name, [])], name


@check("the cells are those of the document", data=True)
def shows(page):
    page.need_ops()
    page.wait_shown(len(page.ops))
    page.click("#more-columns")
    for top in (0, 10 ** 9):
        page.scroll(top)
        wanted = str(0 if top == 0 else len(page.ops) - 1)
        page.wait("the rows", lambda wanted=wanted: wanted in page.ids())
        for i, cells in page.rendered_rows().items():
            assert len(cells) == len(page.columns), f"{len(cells)} columns"
            for name, text in cells.items():
                value = page.cell(page.ops[i], name)
                if isinstance(value, bool):
                    value = "yes" if value else "no"
                if isinstance(value, (int, float)):
                    assert abs(number(text) - value) <= 0.0051, f"row {i}, {name}: '{text}', {value}"
                else:
                    value = page.states(i).get(name, "") if value is None else value
                    assert text == value, f"row {i}, {name}: '{text}', {value}"
    page.scroll(0)
    page.click("#more-columns")


@check("a cell that broke a rule says so, and so does one that is missing")
def cell_states(page):
    bad = page.tables["bad"]["rows"][0]  # row, id, column, rule, value
    row = next(i for i, r in enumerate(page.ops) if page.cell(r, "GLOBAL CALL COUNT") == bad[1])
    page.expect_state(row, bad[2], "bad", "bad")
    assert page.texts("bad")[0][3] == bad[3]
    page.click("#more-columns")
    row = next(i for i in range(len(page.ops)) if page.states(i).get("DEVICE FW DURATION [ns]") == "bad")
    page.expect_state(row, "DEVICE FW DURATION [ns]", "bad", "bad")
    column = "OP TO OP LATENCY BR/NRISC START [ns]"  # tables have a 0 there when it is not known
    row = next(i for i in range(len(page.ops)) if page.states(i).get(column) == "missing")
    page.expect_state(row, column, "missing", "0")
    page.click("#more-columns")
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("states have chips that count and filter, a colour and their meaning")
def row_states(page):
    states = page.column("ROW STATE")
    meaning = dict(page.tables["states"]["rows"])
    assert len(set(states)) >= 4 and set(states) <= set(meaning), set(states)
    for state in set(states):
        page.click(f'[data-row-state="{state}"]')
        page.wait_shown(states.count(state))
        badges = page.js("return [...document.querySelectorAll('#ops .badge')].map(b => [b.textContent, b.title, b.style.getPropertyValue('--tone')])")
        assert badges and all(b[:2] == [state, meaning[state]] for b in badges), badges[:2]
        assert ("bad" in badges[0][2]) == (state not in CALM), badges[0]
        page.click(f'[data-row-state="{state}"]')
    page.wait_shown(len(states))


@check("a click on a row tells what its state means")
def details(page):
    at = next(i for i, s in enumerate(page.column("ROW STATE")) if s == "not measured")
    page.click('[data-row-state="not measured"]')
    page.wait("the first of them", lambda: page.ids()[:1] == [str(at)])
    page.click(f'#ops tr[data-index="{at}"]')
    panel = page.js("return document.getElementById('details').textContent")
    assert dict(page.tables["states"]["rows"])["not measured"] in panel and str(page.cell(page.ops[at], "GLOBAL CALL COUNT")) in panel, panel[:200]
    page.click("#details .close")
    page.click('[data-row-state="not measured"]')
    page.wait_shown(len(page.ops))


@check("rows without a host op have no name and are at the end")
def unmatched(page):
    states = page.column("ROW STATE")
    alone = [i for i, s in enumerate(states) if s == "no host op"]
    assert alone == list(range(len(states) - len(alone), len(states))) and alone, alone
    assert all(page.cell(page.ops[i], "OP CODE") is None and page.cell(page.ops[i], KERNEL) for i in alone)


@check("a click on a head sorts, both ways: numbers and texts")
def sorts(page):
    for column in (KERNEL, GAP, "OP CODE", "GLOBAL CALL COUNT"):
        page.sort_check(column)


@check("words and comparisons filter")
def filters(page):
    shown = [c["name"] for c in page.tables["ops"]["columns"] if not c["detail"]]
    for text, fits in (
            ("softmax", lambda r: any("softmax" in str(page.cell(r, c)).lower() for c in shown)),
            ("kernel duration>2000", lambda r: (page.cell(r, KERNEL) or 0) > 2000),
            ("device id=1 latency>8000", lambda r: page.cell(r, "DEVICE ID") == 1 and (page.cell(r, GAP) or 0) > 8000)):
        page.type_filter(text)
        count = sum(map(fits, page.ops))
        assert 0 < count < len(page.ops), f"{text}: {count}"
        page.wait_shown(count)
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("an op named like markup is shown as text")
def hostile(page):
    codes = page.column("OP CODE")
    code = next(c for c in codes if c and "<" in c)
    page.type_filter('op code="' + code.replace('"', '""') + '"')
    page.wait_shown(codes.count(code))
    assert {r["OP CODE"] for r in page.rendered_rows().values()} == {code}
    assert page.js("return document.querySelectorAll('#page script, #page img').length") == 0
    page.type_filter("")
    page.wait_shown(len(page.ops))


@check("the tiles are the sums of what the host asked for", data=True)
def tiles(page):
    page.need_ops()
    said = dict(page.js("return [...document.querySelectorAll('.tile')].map(t => [t.querySelector('dt').textContent, t.querySelector('dd').textContent])"))
    own = [r for r in page.ops if page.cell(r, "ROW STATE") != "no host op"]
    n_ops = sum(page.cell(r, "OP TYPE") != "signpost" for r in own)
    kernel = sum(page.cell(r, KERNEL) or 0 for r in own) / 1000
    size, unit = (1000, "ms") if kernel >= 1000 else (1, "μs")
    assert said["Ops"].startswith(f"{n_ops:,}"), said
    assert said["Kernel time"].endswith(unit) and abs(number(said["Kernel time"].split()[0]) - kernel / size) < 0.051, (said, kernel)
    expected, measured = (sum(r[name] for r in page.beside["coverage"]) for name in ("Expected", "Measured"))
    assert said["Measured"].startswith(f"{100 * measured / expected:.1f} %"), said


@check("coverage and findings are told", data=True)
def tells(page):
    for name in ("coverage", "diag"):
        rows = page.tables.get(name, {}).get("rows", [])
        if not rows:
            continue
        texts = page.texts(name)
        assert len(texts) == len(rows) and [t[0] for t in texts] == [str(r[0]) for r in rows], texts


@check("the page is not wider than the window", data=True)
def fits_window(page):
    assert page.js("return document.documentElement.scrollWidth <= window.innerWidth")


@check("nothing was written to the console", data=True)
def console(page):
    page.expect_silence()


@check("nothing was asked of the network", data=True)
def network(page):
    page.expect_no_network()


if __name__ == "__main__":
    sys.exit(browser.main(__doc__, Page, checks))
