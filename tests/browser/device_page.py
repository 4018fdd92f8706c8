"""device_page.py - a device page under test: its data, decoded here a second time, and the mouse.

The decoder is written from the contract in web/README.md and shares nothing with the page, so
that a misreading on one side shows.
"""
import base64
import bisect
import collections
import math
import re
import zlib

import browser
from browser import Skip

Bar = collections.namedtuple("Bar", "start end site depth repaired more")
SHIFT = 8  # as the driver's protocol counts keys held down
ZOOM_PER_PX = 0.0018  # also in timeline_input.ts: what a pixel of the wheel does
MOST_WHEEL = 1400  # at once: twelve times as large, and what the pointer is at moves by a few pixels


def varints(data):
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        if byte & 128:
            shift += 7
        else:
            out.append(value)
            value = shift = 0
    return out


def decode(text, counts, is_zones):
    """Bars of each track, from the base64 text of a block."""
    if not sum(counts):
        return [[] for _ in counts]
    values = varints(zlib.decompress(base64.b64decode(text)))
    n = sum(counts)
    assert len(values) == 5 * n, f"{len(values)} values for {n} bars"
    starts, durations, sites, depths, more = (values[i * n:(i + 1) * n] for i in range(5))
    tracks, at = [], 0
    for count in counts:
        bars, time, run = [], 0, 0
        for i in range(at, at + count):
            time += starts[i]
            last = more[i]
            if is_zones:
                run += last // 2 if last % 2 == 0 else -(last + 1) // 2
                last = run - 1
            bars.append(Bar(time, time + durations[i], sites[i], depths[i] // 2, depths[i] % 2, last))
        tracks.append(bars)
        at += count
    return tracks


class Lane:
    """Bars of one depth of one track, to be asked by time."""

    def __init__(self, bars):
        self.bars = bars
        self.ends = [b.end for b in bars]

    def between(self, low, high):
        """Bars that touch a stretch of time."""
        for i in range(bisect.bisect_left(self.ends, low), len(self.bars)):
            if self.bars[i].start > high:
                return
            yield self.bars[i]


class Page(browser.Page):
    over = ()  # names of colours that lie over bars: what they hide is not compared

    def __init__(self, driver, path):
        super().__init__(driver, path)
        self.data = self.document["timeline"]
        text = path.read_text(encoding="utf-8")
        blocks = dict(re.findall(r'<script type="text/plain" id="([^"]+)">([^<]*)</script>', text))
        tracks, names = self.data["tracks"], self.data["blocks"]
        self.zones = decode(blocks.get(names["zones"], ""), [t["zones"] for t in tracks], True)
        self.levels = [decode(blocks[name], counts, False) for name, counts in zip(names["levels"], self.data["spans"])]
        self.lanes = {}
        self.wait("ready", lambda: self.js("return document.documentElement.dataset.state") in ("ready", "error"))
        self.home()

    def need_tracks(self):
        if not self.data["tracks"]:
            raise Skip("no tracks in this log")

    def group(self, index):
        """What the keys of a chip's rows name it by: processes may have used the same chip."""
        ids = [d["id"] for d in self.data["devices"]]
        return str(ids[index]) if ids.index(ids[index]) == index else f"{ids[index]}.{index}"

    def state(self):
        return self.js("return window.ttprof.state()")

    def name(self, site):
        return self.data["names"][self.data["sites"][site][0]]

    def lane(self, level, track, depth):
        key = (level, track, depth)
        if key not in self.lanes:
            source = self.zones if level < 0 else self.levels[level]
            self.lanes[key] = Lane([b for b in source[track] if b.depth == depth])
        return self.lanes[key]

    def home(self):
        """Scrolls the page, which a click on a button may have moved, so that the mouse meets the timeline."""
        self.js("document.querySelector('#timeline').scrollIntoView({block: 'start', behavior: 'instant'})")

    # --- the mouse -------------------------------------------------------------------------
    def corner(self, selector="#overlay"):
        return self.js("const r = document.querySelector(arguments[0]).getBoundingClientRect();"
                       "return [r.left, r.top]", selector)

    def mouse(self, corner, kind, x, y, **more):
        event = {"type": kind, "x": corner[0] + x, "y": corner[1] + y, "button": "none", **more}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def wheel(self, x, y, delta, **more):
        self.mouse(self.corner(), "mouseWheel", x, y, deltaX=0, deltaY=delta, **more)
        self.settle()

    def move(self, x, y, selector="#overlay"):
        self.mouse(self.corner(selector), "mouseMoved", x, y)
        self.settle()

    def press(self, x, y, selector="#overlay", count=1):
        corner = self.corner(selector)
        self.mouse(corner, "mouseMoved", x, y)
        for number in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(corner, kind, x, y, button="left", clickCount=number)
        self.settle()

    def drag(self, start, end, selector="#overlay", modifiers=0):
        corner = self.corner(selector)
        self.mouse(corner, "mouseMoved", *start)
        self.mouse(corner, "mousePressed", *start, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        for at in (middle, end):
            self.mouse(corner, "mouseMoved", *at, button="left", buttons=1, modifiers=modifiers)
        self.mouse(corner, "mouseReleased", *end, button="left", clickCount=1, modifiers=modifiers)
        self.settle()

    def key(self, key):
        self.js("document.activeElement.blur()")
        for kind in ("keyDown", "keyUp"):
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": key, **(
                {"text": key} if len(key) == 1 and kind == "keyDown" else {})})
        self.settle()

    def tooltip(self):
        return self.js("const t = document.querySelector('.tooltip'); return t && !t.hidden ? t.textContent : ''")

    # --- the timeline ----------------------------------------------------------------------
    def clear(self):
        """Escape takes away one thing at a time."""
        for _ in range(6):
            state = self.state()
            if not (state["selection"] or state["ruler"] or state["pinned"] or state["search"]["text"]) and state["mode"] == "pan":
                return
            self.key("Escape")
        raise AssertionError("Escape does not clear everything")

    def reset(self):
        """The whole time, everything unfolded, nothing chosen."""
        self.clear()
        self.js("for (const kind of ['device', 'core', 'risc']) document.querySelector(`[data-unfold=${kind}]`).click()")
        self.key("f")
        self.home()
        self.js("document.querySelector('.timeline').scrollTop = 0")
        self.settle()

    def x_of(self, time, state=None):
        state = state or self.state()
        return state["plot"]["left"] + (time - state["range"][0]) / state["cyclesPerPixel"]

    def strip(self, track, depth, kind="risc"):
        """The strip of a track at a depth, scrolled into sight: rows are in the order of tracks, so the way there is halved."""
        low, high, at = 0, self.js("const t = document.querySelector('.timeline'); return t.scrollHeight - t.clientHeight"), 0
        while True:
            self.js("document.querySelector('.timeline').scrollTop = arguments[0]", at)
            self.settle()
            state = self.state()
            floor = state["rows"][0]["y"] + state["rows"][0]["height"]
            strips = [s for row in state["rows"] if row["kind"] == kind for s in row["strips"]
                      if s["y"] >= floor and s["y"] + s["height"] <= state["plot"]["height"]]
            found = [s for s in strips if (s["track"], s["depth"]) == (track, depth)]
            if found:
                return found[0]
            is_above = strips and (track, depth) < (strips[0]["track"], strips[0]["depth"])
            low, high = (low, at - 1) if is_above else (at + 1, high)
            assert low <= high, f"no row of track {track}"
            at = (low + high) // 2

    def shift(self, track):
        return 0 if not self.data["aligned"] else int(self.data["devices"][self.data["tracks"][track]["device"]]["t0"]) - min(
            int(d["t0"]) for d in self.data["devices"])

    def visit(self, track, bar, px=120):
        """Zooms with the wheel at a bar until it is about so wide; returns where its middle is then."""
        self.reset()
        strip = self.strip(track, bar.depth)
        y = strip["y"] + strip["height"] / 2
        middle = (bar.start + bar.end) / 2 + self.shift(track)
        for _ in range(60):
            state = self.state()
            left, width = state["plot"]["left"], state["plot"]["width"]
            x = self.x_of(middle, state)
            # What lies at the very end slips out when the pixel before it is zoomed at.
            self.wheel(left + width / 2, y, x - left - width / 2, modifiers=SHIFT)
            wide = (bar.end - bar.start) / state["cyclesPerPixel"]
            if wide >= px or state["range"][1] - state["range"][0] <= 20:
                break
            step = min(math.log(1.01 * px / wide) / ZOOM_PER_PX, MOST_WHEEL)
            self.wheel(max(left, min(self.x_of(middle), left + width - 1)), y, -step)
        return self.x_of(middle), y

    def sample(self):
        """A zone to try things with: whole, deep, long enough to be hit, from the middle of the log."""
        self.need_tracks()
        windows = self.data.get("windows")
        order = sorted(range(len(self.zones)), key=lambda t: abs(t - len(self.zones) // 2))
        for t in order:
            inside = [w for w in windows or [] if w[0] == self.data["tracks"][t]["device"]]
            good = [b for b in self.zones[t] if b.end > b.start and not b.repaired and (
                not windows or any(b.start >= w[1] and b.end <= w[2] for w in inside))]
            if good:
                deepest = max(b.depth for b in good)
                good = [b for b in good if b.depth == deepest]
                return t, good[len(good) // 2]
        raise Skip("no whole zone")

    # --- pixels ----------------------------------------------------------------------------
    def line(self, y, canvas="#bars"):
        """The colours of one line of a canvas, as #rrggbb. Read from a copy: reading the canvas of
        the page itself often makes the browser change how it keeps it, and say so."""
        return self.js("""const c = document.querySelector(arguments[0]);
            const copy = new OffscreenCanvas(c.width, 1).getContext('2d', {willReadFrequently: true});
            copy.drawImage(c, 0, -Math.round(arguments[1]));
            const d = copy.getImageData(0, 0, c.width, 1).data;
            const out = [];
            for (let i = 0; i < d.length; i += 4) out.push('#' + [d[i], d[i + 1], d[i + 2]].map(
                v => v.toString(16).padStart(2, '0')).join(''));
            return out""", canvas, y)

    def colour(self, name):
        return self.js("return window.ttprof.colour(arguments[0])", name)

    def colours(self):
        """The colour of every name of the page."""
        names = self.data["names"]
        return dict(zip(names, self.js("return arguments[0].map(n => window.ttprof.colour(n))", names)))

    def css(self, *names):
        return self.js("const s = getComputedStyle(document.documentElement);"
                       "return arguments[0].map(n => s.getPropertyValue('--' + n).trim())", names)

    def expect_line(self, track, depth, level_at):
        """Compares every pixel of a strip with the bars that may be there; returns how many were a bar's for sure."""
        strip = self.strip(track, depth)
        state = self.state()
        pixels = self.line(strip["y"])
        ground = set(self.css("card", "raised", "line-faint"))
        over = set(self.css(*self.over))
        colours = self.colours()
        left, scale, begin = state["plot"]["left"], state["cyclesPerPixel"], state["range"][0] - self.shift(track)
        sure = 0
        for x in range(int(state["plot"]["width"])):
            time = begin + x * scale
            # Between two levels either may draw; only what both rule out is wrong.
            levels = {level_at(time - 2 * scale), level_at(time + 3 * scale)}
            bars = [b for level in levels for b in self.lane(level, track, depth).between(time - scale, time + 2 * scale)]
            found = pixels[left + x]
            if found in over:
                continue
            inside = [b for b in bars if b.start <= time - scale and b.end >= time + 3 * scale]
            if len(levels) == 1 and inside and not inside[0].repaired and inside[0].end - inside[0].start >= 6 * scale:
                wanted = {colours[self.name(inside[0].site)]}
                sure += 1
            elif any(b.repaired for b in bars):
                continue
            else:
                wanted = {colours[self.name(b.site)] for b in bars} | ground
            assert found in wanted, f"track {track} depth {depth} pixel {x}: {found}, not one of {sorted(wanted)}"
        return sure
