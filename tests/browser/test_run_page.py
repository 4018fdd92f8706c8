#!/usr/bin/python3
"""test_run_page.py - drives pages of runs in a real browser.

    test_run_page.py PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...]

Beside a page of a run that make_run.py wrote stands its PAGE.json: what the run held, by that
script's own reckoning. A page without one is of a real run, and is compared with itself only.
"""
import json
import math
import sys

import browser
import device_page
from browser import Skip

checks = []
check = browser.registrar(checks)


class Page(device_page.Page):
    over = ("accent", "text")  # signposts, messages

    def __init__(self, driver, path):
        super().__init__(driver, path)
        beside = path.with_suffix(".json")
        self.expected = json.loads(beside.read_text()) if beside.exists() else None

    def need_expected(self):
        if not self.expected:
            raise Skip("a real run")

    def kind(self, device):
        return self.data["devices"][device]["kind"]

    def tracks(self, kind):
        return [t for t, info in enumerate(self.data["tracks"]) if self.kind(info["device"]) == kind]

    def thread(self, label):
        return next(t for t in self.tracks("process") if self.data["tracks"][t]["risc"] == label)

    def zones_named(self, name):
        return [(t, b) for t, bars in enumerate(self.zones) for b in bars if self.name(b.site) == name]

    def hover_text(self, track, bar, px=120):
        x, y = self.visit(track, bar, px)
        self.move(x, y)
        return self.tooltip()


def plain(bars, page):
    return [(page.name(b.site), b.start, b.end, b.depth, bool(b.repaired)) for b in bars]


@check("the page gets ready", data=True)
def gets_ready(page):
    assert page.state()["state"] == "ready", page.js("return document.querySelector('[role=alert]')?.textContent")
    assert page.data["unit"] == "ns" and page.data["aligned"]


@check("rows of the host are above those of the devices", data=True)
def order(page):
    page.reset()
    kinds = [d["kind"] for d in page.data["devices"]]
    assert kinds == sorted(kinds, key=["processes", "process", "chip"].index), kinds
    rows = [r for r in page.state()["rows"] if r["kind"] == "device"]
    labels = [d["label"] for d in page.data["devices"]]
    assert [r["label"] for r in rows] == labels[:len(rows)], rows
    chips = [d["id"] for d in page.data["devices"] if d["kind"] == "chip"]
    assert chips == sorted(chips)


@check("each thread has its zones at their times, and what was said of them")
def threads(page):
    page.need_expected()
    for key, wanted in page.expected["threads"].items():
        track = page.thread(key.split("/")[1])
        device = page.data["devices"][page.data["tracks"][track]["device"]]
        assert device["id"] == int(key.split("/")[0]), device
        assert plain(page.zones[track], page) == [
            (z["name"], z["start"], z["end"], z["depth"], z["open"]) for z in wanted], key
        texts = [page.data["texts"][b.more] if b.more >= 0 else None for b in page.zones[track]]
        assert texts == [z["text"] for z in wanted], key
        places = [page.data["sites"][b.site][2:4] for b in page.zones[track]]
        assert places == [[z["line"], z["colour"]] for z in wanted], key


@check("each process has a row with the programs it ran")
def programs(page):
    page.need_expected()
    rows = {page.data["tracks"][t]["risc"]: page.zones[t] for t in page.tracks("processes")}
    assert [label.strip() for label in rows] == list(page.expected["programs"])
    for label, bars in rows.items():
        assert [(page.name(b.site), b.start, b.end, bool(b.repaired)) for b in bars] == [
            tuple(z) for z in page.expected["programs"][label.strip()]], label
    # Children are moved in below their parent.
    assert [len(label) - len(label.lstrip()) for label in rows] == [0, 2, 2]


@check("zones of the devices stand where the clock models put them, to the ns")
def chips(page):
    page.need_expected()
    for t in page.tracks("chip"):
        info = page.data["tracks"][t]
        key = f"{page.data['devices'][info['device']]['id']}/{info['x']},{info['y']}/{info['risc']}"
        wanted = page.expected["chips"][key]
        found = page.zones[t]
        assert [(page.name(b.site), b.depth) for b in found] == [(z["name"], z["depth"]) for z in wanted], key
        # A cycle is 0.8 ns, and both ends are rounded.
        assert all(abs(b.start - z["start"]) <= 1 and abs(b.end - z["end"]) <= 1 for b, z in zip(found, wanted)), key


@check("the host's launch encloses the device's work", data=True)
def encloses(page):
    launches = [b for name in ("launch", "AllGather") for _, b in page.zones_named(name)]
    assert page.tracks("chip") and launches
    if any(d["loose"] for d in page.data["devices"]):
        raise Skip("the clocks are not aligned")
    for t in page.tracks("chip"):
        for b in page.zones[t]:
            assert any(host.start <= b.start and b.end <= host.end for host in launches), b
    for device, _, _, _, start, end, _ in page.data["runs"]:
        assert page.kind(device) == "chip"
        assert any(host.start <= start and end <= host.end for host in launches), (start, end)


@check("host and device are drawn on one axis, each pixel as the data says", data=True)
def pixels(page):
    page.reset()
    tracks = page.tracks("chip")[:1] + [t for t in page.tracks("process") if not any(
        page.data["sites"][b.site][3] for b in page.zones[t])][:1]
    assert tracks
    level = page.state()["level"]
    for track in tracks:
        for depth in range(page.data["tracks"][track]["depths"]):
            page.expect_line(track, depth, lambda _: level)


@check("a zone has the colour that it was given")
def colours(page):
    page.need_expected()
    track, bar = page.zones_named("launch")[3]
    x, _ = page.visit(track, bar, 60)
    assert page.line(page.strip(track, bar.depth)["y"])[int(x)] == "#c03070"


@check("hovering a host zone tells name, time, source, thread, process and text")
def hovers(page):
    page.need_expected()
    track, bar = page.zones_named("step")[7]
    text = page.hover_text(track, bar._replace(depth=1), 300)
    for part in ("step", f"{bar.end - bar.start:,} ns", "src/train.c:20", "main", "python3 100 rank 0", "step 7",
                 f"{bar.start:,} ns", "work"):
        assert part in text, (part, text)
    track, bar = page.zones_named("wait")[0]
    assert "its end was not recorded" in page.hover_text(track, bar, 40)
    track, bar = page.zones_named("BRISC-KERNEL")[0]
    text = page.hover_text(track, bar)
    for part in ("1,1 of device 0", "BRISC", "within 42 ns of the host", "kernels/brisc.cc:61", "178,000 ns"):
        assert part in text, (part, text)
    track, bar = page.zones_named("sh")[0]
    text = page.hover_text(track, bar)
    for part in ("/bin/sh", "sh -c sleep 1", "pid 102", "ended by signal 9"):
        assert part in text, (part, text)


@check("the search finds zones of host and device")
def searches(page):
    page.need_expected()
    page.reset()
    box = page.driver.find_element("css selector", "#find")
    for name in ("answer", "mul", "serve"):
        box.send_keys("\ue009a\ue000\ue003" + name)
        wanted = sorted((b.start, t) for t, b in page.zones_named(name))
        page.wait("the count", lambda: page.state()["search"]["matches"] == len(wanted))
        box.send_keys("\ue007")
        page.settle()
        pinned = page.state()["pinned"]
        assert (pinned["name"], (pinned["start"], pinned["track"]) in wanted) == (name, True), pinned
    assert "worker.c:9" in page.js("return document.getElementById('pinned').textContent")
    page.reset()


@check("signposts are lines with names through all rows")
def signposts(page):
    page.need_expected()
    page.reset()
    state = page.state()
    assert [s["text"] for s in state["signposts"]] == [text for text, _ in page.expected["signposts"]], state["signposts"]
    accent = page.css("accent")[0]
    for (_, time), shown in zip(page.expected["signposts"], state["signposts"]):
        x = page.x_of(time, state)
        assert abs(shown["x"] - x) <= 1, (shown, x)
        for row in [r for r in state["rows"] if r["kind"] == "risc"][:-1:3]:
            assert page.line(row["y"] + row["height"] / 2)[shown["x"]] == accent, (shown, row)
    page.move(state["signposts"][0]["x"] + 8, state["plot"]["height"] - 8)
    text = page.tooltip()
    for part in ("start", "the measured part begins", "50,000 ns", "main"):
        assert part in text, (part, text)


@check("messages are marks on their thread, frames and plots belong to their process")
def marks(page):
    page.need_expected()
    page.reset()
    messages = [m for m in page.data["marks"] if m[2] == 0]
    assert len(messages) == page.expected["messages"]
    track, time = messages[1][0], messages[1][1]
    row = next(r for r in page.state()["rows"] if r["kind"] == "risc" and r["strips"][0]["track"] == track)
    page.move(page.x_of(time), row["y"] + 4)
    for part in ("Message", "checkpoint 9", "warning", "main"):
        assert part in page.tooltip(), (part, page.tooltip())
    page.press(page.x_of(time), row["y"] + 4)
    assert "checkpoint 9" in page.js("return document.getElementById('pinned').textContent")
    frames = page.data["frames"]
    assert len(frames) == page.expected["frames"] and all(f[3] - f[2] == page.expected["step_ns"] for f in frames)
    group = next(r for r in page.state()["rows"] if r["kind"] == "device" and r["label"].startswith("python3"))
    page.move(page.x_of((frames[2][2] + frames[2][3]) / 2), group["strips"][0]["y"] + 5)
    assert "step" in page.tooltip() and "Frame of" in page.tooltip(), page.tooltip()
    plots = {p["name"]: p["points"] for p in page.data["plots"]}
    steps = page.expected["steps"]
    assert plots["loss"][1::2] == [10 / (i + 1) for i in range(steps)]
    assert plots["heap bytes"][1::2] == [4096 * (i + 1) for i in range(steps)]
    row = next(r for r in page.state()["rows"] if r["kind"] == "plot" and r["label"] == "loss")
    page.move(page.x_of(plots["loss"][2] + 1000), row["y"] + row["height"] / 2)
    assert "loss" in page.tooltip() and "Value5" in page.tooltip(), page.tooltip()
    page.reset()


@check("rows fold and unfold, a thread to its outermost zones", data=True)
def folds(page):
    page.reset()
    everything = page.state()["rowCount"]
    data = page.data
    assert everything == len(data["devices"]) + len(data["tracks"]) + len(data["plots"])
    page.click("[data-fold=device]")
    page.settle()
    assert page.state()["rowCount"] == len(data["devices"])
    page.click("[data-unfold=device]")
    page.settle()
    deep = next((t for t in page.tracks("process") if data["tracks"][t]["depths"] > 1), None)
    if deep is not None:
        page.home()
        row = next(r for r in page.state()["rows"] if r["kind"] == "risc" and r["strips"][0]["track"] == deep)
        page.press(40, row["y"] + 8)
        row = next(r for r in page.state()["rows"] if r["kind"] == "risc" and r["strips"][0]["track"] == deep)
        assert [s["depth"] for s in row["strips"]] == [0], row
    page.reset()
    assert page.state()["rowCount"] == everything


@check("the error of the clocks is stated, losses and open zones are told", data=True)
def notes(page):
    text = " ".join(n["text"] for n in page.document["notes"])
    shown = page.js("return document.getElementById('page').textContent")
    loose = [d for d in page.data["devices"] if d["loose"]]
    for d in page.data["devices"]:
        if d["kind"] == "chip":
            assert f"{d['label']} is {'not ' if d['loose'] else ''}aligned with the host" in text, text
    assert all(n["text"] in shown for n in page.document["notes"])
    assert ("--sync-host-device" in text) == bool(loose)
    chips = [d for d in page.data["devices"] if d["kind"] == "chip"]
    if chips and not loose:
        worst = math.ceil(max(d["error"] for d in chips))
        assert worst > 0 and f"within {worst:,} ns of the host" in shown, shown[:500]
    if page.expected and not loose:
        assert "within 42 ns" in text and "lost 7 events" in text and "without an end" in text, text


@check("names like markup are text")
def hostile(page):
    page.need_expected()
    assert page.js("return document.querySelectorAll('#page script, #page img').length") == 0
    page.reset()
    page.wait("the name in the statistics",
              lambda: "</script><img" in page.js("return document.getElementById('selection').textContent"))


@check("the page is not wider than the window, in dark as well", data=True)
def fits(page):
    assert page.js("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.set_dark(page.driver, True)
    page.settle()
    browser.set_dark(page.driver, False)
    page.settle()


@check("nothing was written to the console", data=True)
def console(page):
    page.expect_silence()


@check("nothing was asked of the network", data=True)
def network(page):
    page.expect_no_network()


if __name__ == "__main__":
    sys.exit(browser.main(__doc__, Page, checks))
