#!/usr/bin/python3
"""make_device_page.py - builds a device page without the C side, for work on the front end.

    make_device_page.py OUT.html                    a small made-up log
    make_device_page.py OUT.html --zones 1000000    many zones, to feel zooming
    make_device_page.py OUT.html --devices 2 --oddities
    make_device_page.py OUT.html --partial          details of a part of the zones only
    make_device_page.py OUT.html --case NAME        hostile, empty, single or late

The page follows the contract of web/README.md, "The device page": levels of detail, columns of
varints, zlib, base64. The made-up data is the same on every run.
"""
import argparse
import base64
import json
import pathlib
import random
import zlib

import make_page
from make_page import HOSTILE, column

RISCS = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"]
LEVEL_STEP = 4
MOST_LEVELS = 7
START, DURATION, SITE, DEPTH, REPAIRED, RUN = range(6)  # fields of a zone; a span has its count at RUN


class Log:
    """Zones by track, with names and sites as they come up."""

    def __init__(self):
        self.devices, self.tracks, self.zones, self.runs = [], [], [], []
        self.names, self.sites = {}, {}

    def site(self, name, file="", line=0):
        index = self.names.setdefault(name, len(self.names))
        return self.sites.setdefault((index, file, line), len(self.sites))

    def add_device(self, number, mhz=1000, t0=11017522886706, arch="wormhole_b0"):
        self.devices.append({"id": number, "arch": arch, "mhz": mhz, "t0": str(t0), "span": 0})

    def add_track(self, device, x, y, risc, zones, dispatch=False):
        zones.sort(key=lambda z: (z[START], z[DEPTH]))
        depths = max((z[DEPTH] for z in zones), default=0) + 1
        self.tracks.append({"device": device, "x": x, "y": y, "risc": risc, "zones": len(zones),
                            "depths": depths, "dispatch": dispatch})
        self.zones.append(zones)
        end = max((z[START] + z[DURATION] for z in zones), default=0)
        self.devices[device]["span"] = max(self.devices[device]["span"], end)


def make_log(count, devices, oddities, grid=(8, 8), mhz=1000):
    """Kernels on every core, run after run: each RISC has firmware, a kernel in it, zones in that."""
    rng = random.Random(11)
    log = Log()
    inner = [("READ-TILES", "reader_matmul.cpp", 41), ("WRITE-TILES", "writer_unary.cpp", 57),
             ("UNPACK", "unpack.h", 112), ("MATMUL-BLOCK", "bmm_large_block.cpp", 88),
             ("PACK", "pack.h", 203), ("CB-WAIT-FRONT", "dataflow_api.h", 301)]
    by_risc = {"BRISC": [0, 5], "NCRISC": [1, 5], "TRISC_0": [2, 5], "TRISC_1": [3], "TRISC_2": [4]}
    sites = [log.site(*place) for place in inner]
    per_track = max(4, count // (devices * grid[0] * grid[1] * len(RISCS)))
    per_run = min(14, max(2, per_track // 4))  # zones of one run on one RISC, firmware and kernel among them
    for device in range(devices):
        log.add_device(device, mhz)
        first = len(log.runs)
        at = 400
        for number in range(max(1, per_track // per_run)):
            length = int(rng.uniform(4000, 9000) * (3 if number % 9 == 4 else 1))
            trace = number % 3 if number % 3 else -1
            log.runs.append([device, (number % 12 + 1) * 1024 + device, trace, number // 12 if trace >= 0 else -1,
                             at, at + length, 0 if oddities and number % 10 == 7 else 1])
            at += length + rng.choice([250, 400, 3000])
        for y in range(1, grid[1] + 1):
            for x in range(1, grid[0] + 1):
                for risc in RISCS:
                    family = risc.split("_")[0]
                    outer = (log.site(family + "-FW", family.lower() + ".cc", 322),
                             log.site(family + "-KERNEL", family.lower() + "k.cc", 48))
                    zones = make_track(rng, log, first, outer, [sites[i] for i in by_risc[risc]], per_run,
                                       1 + 0.05 * x + 0.03 * y * (risc == "NCRISC"), oddities)
                    log.add_track(device, x, y, risc, zones, dispatch=(x, y) == (1, 1))
    return log


def make_track(rng, log, first, outer, sites, per_run, slow, oddities):
    zones = []
    device = log.runs[first][0]
    for index in range(first, len(log.runs)):
        if log.runs[index][0] != device:
            break
        start, end = log.runs[index][4:6]
        begin = start + rng.randrange(0, 90)
        length = int((end - begin) * rng.uniform(0.84, 0.9) * min(1.1, slow / 1.2))
        zones.append((begin, length, outer[0], 0, 0, index + 1))
        kernel, kernel_end = begin + 60, begin + length - 40
        zones.append((kernel, kernel_end - kernel, outer[1], 1, 0, index + 1))
        step = (kernel_end - kernel) // (per_run - 1)
        for i in range(per_run - 2):
            at = kernel + i * step + rng.randrange(1, max(2, step // 8))
            repaired = int(oddities and rng.random() < 0.02)
            zones.append((at, int(step * rng.uniform(0.3, 0.8)), sites[i % len(sites)], 2, repaired, index + 1))
    return zones


def merge(lane, width):
    """Spans of one lane: zones shorter than the width join a span until it is that long."""
    spans, times = [], {}
    start = end = count = 0

    def close():
        if count:
            spans.append((start, end - start, max(times, key=times.get), lane[0][DEPTH], 0, count))

    for zone in lane:
        at, length, site, zones = zone[START], zone[DURATION], zone[SITE], zone[RUN]
        if count and length < width and at - end < width and end - start < width:
            end = max(end, at + length)
            count += zones
            times[site] = times.get(site, 0) + length
        else:
            close()
            start, end, count, times = at, at + length, zones, {site: length}
    close()
    return spans


def make_levels(log):
    """Widths from coarse to fine, and for each the spans of every track."""
    span = max((d["span"] for d in log.devices), default=0)
    total = sum(len(z) for z in log.zones)
    if total < 200:
        return [], []
    durations = sorted(z[DURATION] for zones in log.zones for z in zones[:40])
    finest = max(1, durations[len(durations) // 2])
    widths = [finest * LEVEL_STEP ** i for i in range(MOST_LEVELS) if finest * LEVEL_STEP ** i < span / 300]
    lanes = []
    for zones in log.zones:
        by_depth = {}
        for z in zones:
            by_depth.setdefault(z[DEPTH], []).append((*z[:RUN], 1))
        lanes.append([by_depth[d] for d in sorted(by_depth)])
    levels = []
    for width in widths:  # each level from the one before it: less to look at every time
        lanes = [[merge(lane, width) for lane in track] for track in lanes]
        levels.append([sorted((s for lane in track for s in lane), key=lambda s: (s[START], s[DEPTH])) for track in lanes])
    return widths[::-1], levels[::-1]


def varints(values):
    out = bytearray()
    for v in values:
        while v >= 128:
            out.append(v & 127 | 128)
            v >>= 7
        out.append(v)
    return out


def differences(tracks, field):
    for bars in tracks:
        before = 0
        for bar in bars:
            yield bar[field] - before
            before = bar[field]


def encode(tracks, is_zones):
    def plain(field):
        return (bar[field] for bars in tracks for bar in bars)

    data = varints(differences(tracks, START)) + varints(plain(DURATION)) + varints(plain(SITE))
    data += varints(bar[DEPTH] * 2 + bar[REPAIRED] for bars in tracks for bar in bars)
    if is_zones:
        data += varints(d * 2 if d >= 0 else -d * 2 - 1 for d in differences(tracks, RUN))
    else:
        data += varints(plain(RUN))
    return base64.b64encode(zlib.compress(bytes(data), 6)).decode()


def make_heat(log):
    cells = {}
    names = [site[0] for site in log.sites]
    for track, zones in zip(log.tracks, log.zones):
        for z in zones:
            key = (track["device"], track["x"], track["y"], names[z[SITE]])
            count, total, most = cells.get(key, (0, 0, 0))
            cells[key] = (count + 1, total + z[DURATION], max(most, z[DURATION]))
    return [[*key, *value] for key, value in cells.items()]


def make_tables(log, oddities):
    stats = {}
    for track, zones in zip(log.tracks, log.zones):
        for z in zones[:200]:
            stats.setdefault((track["risc"], z[SITE]), []).append(z[DURATION])
    names = list(log.names)
    places = list(log.sites)
    rows = [[names[places[site][0]], risc, len(d), sum(d), sum(d) / len(d), min(d), max(d)] for (risc, site), d in stats.items()]
    tables = [{"id": "stats", "title": "Device statistics", "rows": rows,
               "columns": [column("Zone"), column("RISC"), column("Count", "int"), column("Sum", "real", "cycles"),
                           column("Mean", "real", "cycles", 1), column("Min", "real", "cycles"), column("Max", "real", "cycles")]},
              {"id": "ops", "title": "Ops", "rows": [[f"run {r[1]}", r[0], r[2], r[4], r[5] - r[4]] for r in log.runs],
               "columns": [column("Run"), column("Device", "int"), column("Trace", "int"), column("Start", "int", "cycles"),
                           column("Duration", "int", "cycles")]}]
    if oddities:
        tables.append({"id": "diag", "title": "Findings in this data", "rows": [
            ["zone without an end", 17, "its end was put at the end of its run"], ["time went back", 2, "the marker was left out"]],
            "columns": [column("Finding"), column("Count", "int"), column("What was done")]})
    return tables


def keep_part(log):
    """Zones of the first fifth and of a stretch after the middle only, as a page of a large log has them."""
    windows = []
    for index, device in enumerate(log.devices):
        span = device["span"]
        windows += [[index, 0, span // 5], [index, span // 2, span * 13 // 20]]
    kept = []
    for track, zones in zip(log.tracks, log.zones):
        inside = [(f, t) for d, f, t in windows if d == track["device"]]
        kept.append([z for z in zones if any(z[START] < t and z[START] + z[DURATION] > f for f, t in inside)])
    return kept, windows


def make_document(log, title, oddities=False, partial=False):
    widths, levels = make_levels(log)
    heat, of = make_heat(log), sum(len(z) for z in log.zones)
    zones, windows = keep_part(log) if partial else (log.zones, None)
    for track, inside in zip(log.tracks, zones):
        track["zones"] = len(inside)
    timeline = {
        "devices": log.devices, "aligned": False, "tracks": log.tracks, "names": list(log.names),
        "sites": [list(s) for s in log.sites], "runs": log.runs, "widths": widths,
        "spans": [[len(track) for track in level] for level in levels],
        "blocks": {"levels": [f"level{i}" for i in range(len(levels))], "zones": "zones"},
        "kept": {"zones": sum(len(z) for z in zones), "of": of,
                 "rule": "Kept are the stretches with most zones a cycle." if partial else "All zones are kept."},
        "heat": heat}
    if windows:
        timeline["windows"] = windows
    document = {"ttprof": "0.1.0", "kind": "device", "title": title, "sources": ["made_up_device_log.csv"],
                "notes": [], "arch": None, "min_percentage": 0, "tables": make_tables(log, oddities), "timeline": timeline}
    blocks = {f"level{i}": encode(level, False) for i, level in enumerate(levels)}
    blocks["zones"] = encode(zones, True)
    return document, blocks


def make_case(name):
    """Logs that break pages."""
    log = Log()
    if name == "hostile":
        log.add_device(0)
        sites = [log.site(text, '</script><b>"file".cc', 7) for text in (HOSTILE, "</script><script>alert(2)</script>", "<!--", "")]
        log.runs.append([0, 1024, -1, -1, 0, 9000, 1])
        log.add_track(0, 1, 1, "<b>BRISC</b>", [(i * 1000, 800, sites[i % 4], 0, 0, 1) for i in range(9)])
    elif name == "single":
        log.add_device(3, mhz=0)
        log.add_track(0, 5, 7, "ERISC", [(0, 1, log.site("ERISC-FW", "erisc.cc", 12), 0, 0, 0)])
    elif name == "late":
        # Times that 32 bits, and in places a float of 24 bits, would not hold.
        log.add_device(0, t0=2 ** 63 + 12345)
        outer, kernel = log.site("BRISC-FW", "brisc.cc", 1), log.site("LONG", "long.cc", 2)
        log.runs.append([0, 5 * 1024, 1, 0, 2 ** 33 + 5, 2 ** 41 + 2 ** 33, 1])
        zones = [(2 ** 33 + 5, 2 ** 41, outer, 0, 0, 1)]
        zones += [(2 ** 33 + 10 + i * 2 ** 36, 2 ** 35 + 1, kernel, 1, 0, 1) for i in range(30)]
        zones += [(2 ** 33 + 20 + i * 2 ** 36, 3 + i, log.site("SHORT", "short.cc", 3), 2, 0, 1) for i in range(30)]
        log.add_track(0, 1, 1, "BRISC", zones)
        log.add_track(0, 1, 1, "NCRISC", [(2 ** 40 + 7, 100, kernel, 0, 0, 0)])
    return make_document(log, "Device timeline")


def write_page(target, document, blocks):
    more = "".join(f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in blocks.items())
    pathlib.Path(target).write_text(make_page.make_page(document, more), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Builds a device page from made-up data.")
    parser.add_argument("out")
    parser.add_argument("--zones", type=int, default=6000)
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--grid", default="4x3", help="columns and lines of cores, as in 8x8")
    parser.add_argument("--oddities", action="store_true", help="repaired zones, incomplete runs, a table of oddities")
    parser.add_argument("--partial", action="store_true", help="keep the details of a part of the zones only")
    parser.add_argument("--case", choices=["hostile", "empty", "single", "late"])
    args = parser.parse_args()
    if args.case:
        document, blocks = make_case(args.case)
    else:
        columns, lines = map(int, args.grid.split("x"))
        log = make_log(args.zones, args.devices, args.oddities, (columns, lines))
        document, blocks = make_document(log, "Device timeline", args.oddities, args.partial)
    write_page(args.out, document, blocks)


if __name__ == "__main__":
    main()
