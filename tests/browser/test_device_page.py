#!/usr/bin/python3
"""test_device_page.py - drives device pages in a real browser.

    test_device_page.py PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...]

Opens each page from disk, works it with mouse and keys, and compares pixels, texts and the
state it tells of with the data inside the page. Prints TAP, with what was measured as
diagnostics; a screenshot of each page goes to ARTEFACT_DIR, in dark as well.
"""
import math
import pathlib
import re
import statistics
import sys

import browser
from browser import Skip
from device_page import Page, SHIFT, ZOOM_PER_PX

checks = []
check = browser.registrar(checks)


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


@check("the page gets ready, its overview first", data=True)
def gets_ready(page):
    state = page.state()
    assert state["state"] == "ready", page.js("return document.querySelector('[role=alert]')?.textContent")
    if page.data["tracks"]:
        assert 0 < state["reached"]["overview"] <= state["reached"]["ready"], state["reached"]


@check("a log without zones says so", data=True)
def says_empty(page):
    if page.data["tracks"]:
        raise Skip("this log has tracks")
    assert "no zones" in page.js("return document.getElementById('timeline').textContent")


@check("rows are devices, cores and RISCs in the order of the file", data=True)
def row_order(page):
    page.need_tracks()
    page.reset()
    data = page.data
    wanted = []
    for index in range(len(data["devices"])):
        wanted.append(f"device/{page.group(index)}")
        wanted += [f"risc/{page.group(index)}/{t['x']},{t['y']}/{t['risc']}" for t in data["tracks"] if t["device"] == index]
    state = page.state()
    shown = [row["key"] for row in state["rows"]]
    assert shown == wanted[:len(shown)], shown[:6]
    assert state["rowCount"] == len(wanted)


@check("a device's name is whole beside its rows, with the process that used it", data=True)
def device_names(page):
    page.need_tracks()
    page.reset()
    devices = page.data["devices"]
    names = [d.get("label") or f"Device {d['id']}" for d in devices]
    assert len(set(names)) == len(names), names
    for index, name in enumerate(names):
        is_shared = sum(d["id"] == devices[index]["id"] for d in devices) > 1
        assert not is_shared or re.fullmatch(rf"Device {devices[index]['id']}, process \d+(, attachment \d+)?", name), name
    page.click("[data-fold=device]")  # all devices in sight
    page.home()
    state = page.state()
    rows = [row for row in state["rows"] if row["kind"] == "device"]
    assert [row["label"] for row in rows] == names[:len(rows)] and rows, rows
    card = page.css("card")[0]
    for row in rows:
        end = state["plot"]["left"] - 26  # where the word "ops" begins
        width = page.js("const c = document.createElement('canvas').getContext('2d');"
                        "c.font = '650 11.5px ' + getComputedStyle(document.body).fontFamily; return c.measureText(arguments[0]).width", row["label"])
        assert 18 + width < end, (row["label"], width, end)
        for y in range(math.ceil(row["y"]) + 3, math.floor(row["y"] + row["height"]) - 3):
            between = set(page.line(y)[end - 4:end])
            assert between == {card}, (row["label"], y, between)
    page.reset()


@check("tables name the process of a device that several used", data=True)
def processes_in_tables(page):
    labels = [d.get("label", "") for d in page.data["devices"]]
    if not any("process" in label for label in labels):
        raise Skip("one log")
    for name in ("stats", "ops"):
        table = page.tables[name]
        columns = [c["name"] for c in table["columns"]]
        place = [columns.index(c) for c in ("Device", "Process")]
        shown = {tuple(row[i] for i in place) for row in table["rows"]}
        assert {f"Device {device}, process {pid}" for device, pid in shown} == set(labels), (name, shown)


@check("the whole time is drawn from the coarsest level that fits, each pixel as the data says", data=True)
def overview(page):
    page.need_tracks()
    page.reset()
    state = page.state()
    assert state["range"][0] == 0 and state["range"][1] == state["total"]
    level = next((i for i, w in enumerate(page.data["widths"]) if w <= state["cyclesPerPixel"]), -1)
    assert state["level"] == level, (state["level"], level)
    windows = page.data.get("windows")
    if windows and level < 0:
        raise Skip("drawn from two levels: checked below")
    tracks = range(len(page.zones))
    for track in {tracks[0], tracks[len(tracks) // 2], tracks[-1]}:
        for depth in range(page.data["tracks"][track]["depths"]):
            page.expect_line(track, depth, lambda _: level)


@check("the wheel zooms at the pointer, and back")
def zooms(page):
    page.need_tracks()
    page.reset()
    before = page.state()
    if before["total"] <= 20:
        raise Skip("nothing to zoom into")
    x, y = before["plot"]["left"] + before["plot"]["width"] // 3, 200
    time = before["range"][0] + (x - before["plot"]["left"]) * before["cyclesPerPixel"]
    page.wheel(x, y, -300)
    after = page.state()
    factor = (after["range"][1] - after["range"][0]) / (before["range"][1] - before["range"][0])
    assert near(factor, math.exp(-300 * ZOOM_PER_PX), 1e-6), factor
    assert near(after["range"][0] + (x - after["plot"]["left"]) * after["cyclesPerPixel"], time, after["cyclesPerPixel"] / 50)
    page.wheel(x, y, 10000)
    assert page.state()["range"] == before["range"]


@check("zoomed in, bars are the zones themselves, each pixel as the data says", data=True)
def details(page):
    track, bar = page.sample()
    page.visit(track, bar, 40)
    state = page.state()
    if state["level"] >= 0:
        raise Skip("too short to be told apart at the closest zoom")
    windows = [w for w in page.data.get("windows", []) if w[0] == page.data["tracks"][track]["device"]]
    finest = len(page.data["widths"]) - 1

    def level_at(time):
        return -1 if not page.data.get("windows") or any(w[1] <= time <= w[2] for w in windows) else finest

    sure = sum(page.expect_line(track, depth, level_at) for depth in range(page.data["tracks"][track]["depths"]))
    assert sure >= 10, f"only {sure} pixels are certain"
    assert state["bars"] > 0


@check("outside the kept stretches the finest level is drawn, and a sentence says so", data=True)
def partial(page):
    windows = page.data.get("windows")
    text = page.js("return document.getElementById('remarks')?.textContent ?? ''")
    if not windows:
        assert "in full detail" not in text
        raise Skip("all zones are kept")
    kept = page.data["kept"]
    assert f"{kept['zones']:,} of {kept['of']:,}" in text and kept["rule"] in text, text
    device = windows[0][0]
    edge = windows[0][2]
    track = next(t for t, info in enumerate(page.data["tracks"]) if info["device"] == device)
    page.reset()
    strip = page.strip(track, 0)
    while page.state()["level"] >= 0:
        page.wheel(page.x_of(edge), strip["y"] + 5, -200)
    page.wheel(page.x_of(edge), strip["y"] + 5, -300)
    finest = len(page.data["widths"]) - 1
    assert page.state()["levels"] == [-1, finest], page.state()["levels"]
    inside = [w for w in windows if w[0] == device]
    for depth in range(page.data["tracks"][track]["depths"]):
        page.expect_line(track, depth, lambda t: -1 if any(w[1] <= t <= w[2] for w in inside) else finest)


@check("dragging pans in time and scrolls the rows")
def pans(page):
    track, bar = page.sample()
    page.visit(track, bar, 40)
    before = page.state()
    if before["range"] == [0, before["total"]]:
        raise Skip("nothing to pan to")
    page.drag((500, 150), (420, 150))
    after = page.state()
    shift = min(80 * before["cyclesPerPixel"], before["total"] - before["range"][1])
    assert near(after["range"][0] - before["range"][0], shift, before["cyclesPerPixel"]), (before["range"], after["range"])
    assert near(after["range"][1] - after["range"][0], before["range"][1] - before["range"][0], 1e-3)
    top = "return document.querySelector('.timeline').scrollTop"
    room = page.js("const t = document.querySelector('.timeline'); return t.scrollHeight - t.clientHeight")
    if room >= 60:
        page.js("document.querySelector('.timeline').scrollTop = 0")
        page.settle()
        page.drag((500, 200), (500, 140))
        assert page.js(top) == 60, page.js(top)


@check("the search counts, goes on and back in the order of time, and shows what it found")
def searches(page):
    page.need_tracks()
    page.reset()
    names = page.data["names"]
    text = next((n for n in names if n and not n.endswith("-FW")), names[0])[:12]
    hits = sorted((b.start + page.shift(t), t, b.depth, b) for t, bars in enumerate(page.zones) for b in bars
                  if text.lower() in page.name(b.site).lower())
    box = page.driver.find_element("css selector", "#find")
    page.key("/")
    assert page.js("return document.activeElement.id") == "find", "the key / does not go to the search"
    box.send_keys(text)
    page.wait("the count", lambda: page.state()["search"]["matches"] == len(hits))
    first = page.state()["range"][0]
    expected = next(i for i, hit in enumerate(hits) if hit[0] >= first)
    box.send_keys("\ue007")

    def expect(at):
        page.settle()
        state = page.state()
        assert state["search"]["at"] == at, (state["search"], at)
        start, track, _, bar = hits[at]
        found = state["pinned"]
        assert (found["start"], found["track"], found["name"]) == (start, track, page.name(bar.site)), (found, hits[at])
        assert state["range"][0] <= start <= state["range"][1]
        assert page.strip(track, bar.depth)

    expect(expected)
    page.click("#find-next")
    expect((expected + 1) % len(hits))
    page.key("n")
    expect((expected + 2) % len(hits))
    page.key("N")
    page.click("#find-previous")
    expect(expected)
    page.click("#find-previous")
    expect((expected - 1) % len(hits))
    page.clear()


@check("zones that a search does not mean step back, pixel by pixel")
def search_fades(page):
    track, bar = page.sample()
    name = page.name(bar.site)
    others = [n for n in page.data["names"] if name.lower() not in n.lower() and n]
    if not others:
        raise Skip("one name only")
    x, _ = page.visit(track, bar)
    y = page.strip(track, bar.depth)["y"]
    full = page.line(y)[int(x)]
    assert full == page.colour(name), (full, page.colour(name))
    box = page.driver.find_element("css selector", "#find")
    box.send_keys(others[0])
    page.settle()
    faded = page.line(y)[int(x)]
    assert faded not in (full, *page.css("card", "raised")), "not faded"
    box.send_keys("\ue009a\ue000\ue003" + name)
    page.settle()
    assert page.line(y)[int(x)] == full
    page.reset()


@check("devices, cores and RISCs fold and unfold, all together and one by one")
def folds(page):
    page.need_tracks()
    page.reset()
    data = page.data
    cores = list(dict.fromkeys((t["device"], t["x"], t["y"]) for t in data["tracks"]))
    everything = len(data["devices"]) + len(data["tracks"])
    page.click("[data-fold=core]")
    page.settle()
    state = page.state()
    assert state["rowCount"] == len(data["devices"]) + len(cores)
    assert len(state["folded"]) == len(cores)
    page.click("[data-fold=device]")
    page.settle()
    assert page.state()["rowCount"] == len(data["devices"])
    page.click("[data-unfold=device]")
    page.click("[data-unfold=core]")
    page.settle()
    assert page.state()["rowCount"] == everything
    first = next(row for row in page.state()["rows"] if row["kind"] == "risc")
    page.press(20, first["y"] + 8)
    state = page.state()
    assert state["folded"] == ["core/" + "/".join(first["key"].split("/")[1:3])], state["folded"]
    page.press(20, first["y"] + 8)
    page.press(90, first["y"] + 8)
    state = page.state()
    assert state["folded"] == [first["key"]]
    row = next(row for row in state["rows"] if row["key"] == first["key"])
    assert [s["depth"] for s in row["strips"]] == [0]
    page.press(90, first["y"] + 8)
    page.press(20, page.state()["rows"][0]["y"] + 8)
    assert page.state()["folded"] == [page.state()["rows"][0]["key"]]
    page.reset()
    assert page.state()["folded"] == [] and page.state()["rowCount"] == everything


@check("a folded core shows its innermost zones, a strip for each RISC")
def folded_core(page):
    track, bar = page.sample()
    if bar.depth == 0:
        raise Skip("no zone in a zone")
    x, _ = page.visit(track, bar)
    page.click("[data-fold=core]")
    page.settle()
    found = page.line(page.strip(track, -1, "core")["y"] + 1)[int(x)]
    assert found == page.colour(page.name(bar.site)), found
    page.reset()


@check("hovering tells name, duration in cycles and ns, core, RISC and source line", data=True)
def hovers(page):
    track, bar = page.sample()
    x, y = page.visit(track, bar)
    page.move(x, y)
    state, text = page.state(), page.tooltip()
    info = page.data["tracks"][track]
    device = page.data["devices"][info["device"]]
    _, file, line = page.data["sites"][bar.site]
    if state["level"] < 0:
        assert state["hover"] and (state["hover"]["start"], state["hover"]["end"]) == (
            bar.start + page.shift(track), bar.end + page.shift(track)), (state["hover"], bar)
        assert str(int(device["t0"]) + bar.start) in text, text
    parts = [page.name(bar.site), f"{bar.end - bar.start:,} cycles", f"{info['x']},{info['y']}", info["risc"]]
    parts += [f"{file}:{line}"] if line else []
    missing = [p for p in parts if p not in text]
    assert not missing, f"{missing} not in {text}"
    assert ("s" if device["mhz"] else "cycles") in text
    if device["mhz"] == 1000 and bar.end - bar.start < 1000:
        assert f"{bar.end - bar.start} ns" in text, text
    page.move(5, 5)
    assert page.tooltip() == ""


@check("a click pins the details, a double click zooms to the bar")
def clicks(page):
    track, bar = page.sample()
    x, y = page.visit(track, bar, 60)
    page.press(x, y)
    name = page.name(bar.site)
    assert page.state()["pinned"]["name"] == name
    assert name in page.js("return document.getElementById('pinned').textContent")
    page.key("Escape")
    assert page.state()["pinned"] is None
    page.press(x, y, count=2)
    state = page.state()
    length = bar.end - bar.start
    if length >= 20:
        assert near(state["range"][1] - state["range"][0], min(state["total"], 1.2 * length), 0.01 * length), (state["range"], bar)
    assert state["range"][0] <= bar.start + page.shift(track) and state["range"][1] >= bar.end + page.shift(track)


@check("the lane on top shows runs, and what they are", data=True)
def runs(page):
    page.need_tracks()
    if not page.data["runs"]:
        raise Skip("no runs")
    page.reset()
    device, run_id, trace, _, start, end, _ = page.data["runs"][0]
    row = next(r for r in page.state()["rows"] if r["kind"] == "device")
    y = row["strips"][0]["y"] + 5
    while (end - start) / page.state()["cyclesPerPixel"] < 60:
        page.wheel(page.x_of((start + end) / 2), y, -300)
    page.move(page.x_of((start + end) / 2), y)
    text = page.tooltip()
    parts = [f"run {run_id}", f"{run_id >> 10} (id >> 10)", f"{run_id & 1023} (id & 1023)", f"{end - start:,} cycles"]
    parts += [f"Trace id{trace}"] if trace >= 0 else []
    assert all(p in text for p in parts), text
    broken = [r for r in page.data["runs"] if not r[6] and r[0] == device]
    if broken:
        page.key("f")
        start, end = broken[0][4:6]
        while (end - start) / page.state()["cyclesPerPixel"] < 60:
            page.wheel(page.x_of((start + end) / 2), y, -300)
        low, high = max(page.state()["plot"]["left"], int(page.x_of(start)) + 2), int(page.x_of(end)) - 3
        assert len(set(page.line(row["strips"][0]["y"])[low:high])) == 2, "an incomplete run is not hatched"


@check("the ruler measures cycles and time")
def measures(page):
    page.need_tracks()
    page.reset()
    page.click("#mode-ruler")
    page.home()
    page.drag((300, 100), (500, 100))
    state = page.state()
    scale = state["cyclesPerPixel"]
    assert near(state["ruler"]["to"] - state["ruler"]["from"], 200 * scale, scale * 1e-6), state["ruler"]
    assert near(state["ruler"]["from"], state["range"][0] + (300 - state["plot"]["left"]) * scale, scale * 1e-6)
    assert "cycles" in state["ruler"]["text"]
    mhz = {d["mhz"] for d in page.data["devices"]}
    assert (len(mhz) == 1 and mhz != {0}) == state["ruler"]["text"].endswith("s") or state["ruler"]["text"].endswith("cycles")
    ink = page.line(60, "#overlay")
    assert ink[300] == page.css("text")[0] and ink[500] == page.css("text")[0], (ink[300], ink[500])
    page.key("Escape")
    assert page.state()["ruler"] is None
    page.click("#mode-pan")
    page.home()
    page.drag((300, 10), (400, 10), modifiers=SHIFT)
    assert page.state()["ruler"], "shift-drag on the axis does not measure"
    page.key("Escape")


def expected_statistics(page, low, high):
    by_name = {}
    for track, bars in enumerate(page.zones):
        shift = page.shift(track)
        for b in bars:
            start, end = b.start + shift, b.end + shift
            if start < high and (end > low or start >= low):
                by_name.setdefault(page.data["sites"][b.site][0], []).append(end - start)
    return {page.data["names"][n]: (len(d), sum(d), sum(d) / len(d), min(d), max(d)) for n, d in by_name.items()}


def shown_statistics(page):
    rows = page.js("return [...document.querySelectorAll('#selection tr[data-index]')].map(r => [...r.cells].map(c => c.textContent))")
    return {r[0]: [float(v.replace(",", "")) for v in r[1:6]] for r in rows}


@check("a selection by dragging has its statistics in the table")
def selects(page):
    page.need_tracks()
    page.reset()
    page.click("#mode-select")
    page.home()
    page.drag((320, 120), (560, 120))
    page.click("#mode-pan")
    low, high = page.state()["selection"]
    scale = page.state()["cyclesPerPixel"]
    assert near(high - low, 240 * scale, scale * 1e-6)
    wanted = expected_statistics(page, low, high)

    def matches():
        shown = shown_statistics(page)
        return len(shown) >= min(5, len(wanted)) and all(
            near(a, b, 0.06) for name, row in shown.items() for a, b in zip(row, wanted.get(name, [math.nan] * 5)))

    page.wait("the statistics", matches)
    assert "selected" in page.js("return document.getElementById('selected').textContent")
    page.home()
    page.key("Escape")
    assert page.state()["selection"] is None
    wanted = expected_statistics(page, *page.state()["range"])
    page.wait("the statistics of all", matches)


@check("the heat map has the values of the log for zone and metric, and leads to the core", data=True)
def heat(page):
    page.need_tracks()
    page.reset()
    names, cells = page.data["names"], page.data["heat"]
    page.js("document.querySelector('#heat-grid').scrollIntoView({block: 'center', behavior: 'instant'})")
    of_zero = {c[3] for c in cells if c[0] == 0}
    dispatch = {(k["x"], k["y"]) for k in page.data["tracks"] if k["device"] == 0 and k["dispatch"]}
    accent = page.css("accent")[0]
    for index in sorted(of_zero)[:2]:
        page.js("const s = document.getElementById('heat-zone'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('change'))", str(index))
        for how, value in (("max", lambda c: c[6]), ("mean", lambda c: c[5] / c[4]), ("sum", lambda c: c[5])):
            page.click(f"[data-how={how}]")
            page.settle()
            state = page.state()["heat"]
            assert (state["zone"], state["how"]) == (names[index], how)
            mine = [c for c in cells if c[0] == 0 and c[3] == index]
            mine = [c for c in mine if (c[1], c[2]) not in dispatch] or mine
            label = page.js("return document.querySelector('#heat-grid').ariaLabel")
            assert f" on {len(mine)} core" in label, "dispatch cores count only where the others have no such zone: " + label
            most, least = max(mine, key=value), min(mine, key=value)
            grid = state["grid"]

            def place(cell):
                return (grid["left"] + (cell[1] - grid["x"]) * grid["px"] + 2, grid["top"] + (cell[2] - grid["y"]) * grid["px"] + 2)

            x, y = place(most)
            assert page.line(y, "#heat-grid")[x] == accent, "the greatest value is not in the full colour"
            if value(least) < value(most):
                x, y = place(least)
                assert page.line(y, "#heat-grid")[x] != accent, "the least value looks like the greatest"
    x, y = place(most)
    page.move(x + 3, y + 3, "#heat-grid")
    text = page.tooltip()
    assert f"Core {most[1]},{most[2]}" in text and f"Sum{most[5]:,} cycles" in text and f"Max{most[6]:,} cycles" in text, text
    page.click("[data-fold=core]")
    last = max(mine, key=lambda c: (c[2], c[1]))
    page.js("document.querySelector('#heat-grid').scrollIntoView({block: 'center', behavior: 'instant'})")
    x, y = place(last)
    page.press(x + 3, y + 3, "#heat-grid")
    key = f"core/{page.data['devices'][0]['id']}/{last[1]},{last[2]}"
    state = page.state()
    assert key not in state["folded"], "the core is not unfolded"
    assert any(r["key"].startswith("risc" + key[4:] + "/") for r in state["rows"]), "the core is not in sight"
    page.home()
    page.reset()


@check("the minimap moves the visible window")
def minimap(page):
    track, bar = page.sample()
    page.visit(track, bar, 30)
    before = page.state()
    length = before["range"][1] - before["range"][0]
    if length > before["total"] / 4:
        raise Skip("nothing to move")
    x = before["plot"]["left"] + before["plot"]["width"] // 2
    page.drag((x, 20), (x + 50, 20), "#minimap")
    state = page.state()
    middle = sum(state["range"]) / 2
    assert near(middle, before["total"] * (before["plot"]["width"] // 2 + 50) / before["plot"]["width"], 2 * before["total"] / before["plot"]["width"])
    assert near(state["range"][1] - state["range"][0], length, 1e-3)


@check("keys zoom, pan and fit")
def keys(page):
    page.need_tracks()
    page.reset()
    total = page.state()["total"]
    if total <= 20:
        raise Skip("nothing to zoom into")
    page.move(5, 5)
    page.key("w")
    zoomed = page.state()["range"]
    length = zoomed[1] - zoomed[0]
    assert near(length, max(20, 0.7 * total), 1e-6 * total), (zoomed, total)
    page.key("d")
    right = page.state()["range"]
    assert right[0] > zoomed[0] and near(right[1] - right[0], length, 1e-6 * total)
    page.key("a")
    page.key("s")
    page.key("+")
    page.key("f")
    assert page.state()["range"] == [0, total]


@check("several devices that are not aligned are said to be so", data=True)
def devices(page):
    text = page.js("return document.getElementById('remarks')?.textContent ?? ''")
    assert ("not aligned" in text) == (len(page.data["devices"]) > 1 and not page.data["aligned"])


@check("tables of the document are below, empty ones are not", data=True)
def tables(page):
    for table in page.document["tables"]:
        there = page.js("return document.getElementById(arguments[0])?.textContent ?? null", table["id"])
        assert (there is not None) == bool(table["rows"]), table["id"]
        assert there is None or table["title"] in there


@check("names like markup are text", data=True)
def hostile(page):
    if not any("<" in n for n in page.data["names"]):
        raise Skip("no such name")
    assert page.js("return document.querySelectorAll('#page script, #page img').length") == 0
    bad = next(n for n in page.data["names"] if "<" in n)
    page.wait("the name in the statistics", lambda: bad in page.js("return document.getElementById('selection').textContent"))


@check("the dark scheme changes page and bars")
def dark(page):
    track, bar = page.sample()
    x, _ = page.visit(track, bar, 40)
    y = page.strip(track, bar.depth)["y"]
    light = page.line(y)[int(x)]
    browser.set_dark(page.driver, True)
    page.wait("another bar", lambda: page.line(y)[int(x)] != light)
    assert page.line(y)[int(x)] == page.colour(page.name(bar.site))
    page.key("f")
    browser.screenshot(page.driver, pathlib.Path(sys.argv[2]) / (page.path.stem + "-dark.png"))
    browser.set_dark(page.driver, False)
    page.visit(track, bar, 40)
    page.wait("the light one", lambda: page.line(y)[int(x)] == light)
    page.key("f")


@check("the page is not wider than the window", data=True)
def fits(page):
    assert page.js("return document.documentElement.scrollWidth <= window.innerWidth")


@check("size and speed are measured", data=True)
def figures(page):
    page.need_tracks()
    count = sum(len(z) for z in page.zones)
    if count < 100000:
        raise Skip("too few zones to take any time")
    page.driver.get(page.url)
    page.wait("ready", lambda: page.js("return document.documentElement.dataset.state") == "ready")
    reached = page.state()["reached"]
    page.home()
    state = page.state()
    draw, whole = [], []
    for step in range(20):
        ms = page.driver.execute_async_script("""const [x, y, delta, done] = arguments;
            const o = document.querySelector('#overlay'), r = o.getBoundingClientRect();
            const begun = performance.now();
            o.dispatchEvent(new WheelEvent('wheel', {deltaY: delta, clientX: r.left + x, clientY: r.top + y, cancelable: true}));
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun), 0))""",
                                              state["plot"]["left"] + 300, 200, -60 if step < 10 else 60)
        whole.append(ms)
        draw.append(page.state()["ms"])
    print(f"# {page.path.name}: {count} zones, {page.path.stat().st_size} bytes, overview after {reached['overview']:.0f} ms, "
          f"ready after {reached['ready']:.0f} ms", flush=True)
    print(f"# {page.path.name}: zoom step drawn in {statistics.median(draw):.1f} ms (worst {max(draw):.1f}), "
          f"on the screen after {statistics.median(whole):.1f} ms (median of 20)", flush=True)
    page.reset()


@check("nothing was written to the console", data=True)
def console(page):
    page.expect_silence()


@check("nothing was asked of the network", data=True)
def network(page):
    page.expect_no_network()


if __name__ == "__main__":
    sys.exit(browser.main(__doc__, Page, checks))
