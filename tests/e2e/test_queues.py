#!/usr/bin/python3
"""test_queues.py TTPROF SOURCE_ROOT - the workload stream: a second command queue moves batches while ops run.

It takes less time with two queues, and a profile of the dispatch cores shows why: the second queue writes pages of the
next batch while kernels run; the first one, which also launches them, never does.
"""
import csv
import json

import tap

CHIPS = ("wormhole", "blackhole")


def figures(t, chip, dispatch):
    done = tap.run([t.ttprof, "sim", "run", "stream", "--arch", chip, "--json", "--device", f"dispatch={dispatch}"], t.scratch)
    t.equal(done.code, 0, f"stream passes on {chip} with {dispatch} dispatch")
    return json.loads(done.stdout or "{}").get("figures", {})


def check_times(t):
    for chip in CHIPS:
        of = figures(t, chip, "fast")
        t.ok(of.get("two queues / one", 9) < 0.85, f"{chip}: transfers on a second queue overlap ops", of)
        t.ok("two queues / one" not in figures(t, chip, "slow"), f"{chip}: slow dispatch has no second queue")


def zones(log):
    """(core, name, start, end) of every zone of a device log, per RISC innermost first."""
    with open(log, encoding="utf-8", newline="") as f:
        next(f)
        rows = [[cell.strip() for cell in row] for row in csv.reader(f)]
    at = {name: i for i, name in enumerate(rows[0])}
    open_zones, out = {}, []
    for row in sorted(rows[1:], key=lambda r: int(r[at["time[cycles since reset]"]])):
        core, time = (row[at["core_x"]], row[at["core_y"]]), int(row[at["time[cycles since reset]"]])
        name, stack = row[at["zone name"]], open_zones.setdefault((core, row[at["RISC processor type"]]), [])
        if row[at["type"]] == "ZONE_START":
            stack.append((name, time))
        elif row[at["type"]] == "ZONE_END" and stack and stack[-1][0] == name:
            out.append((core, name, stack.pop()[1], time))
    return out


def check_timeline(t):
    for chip in CHIPS:
        here = t.folder(chip)
        command = ["run", "-r", "--quiet", "--profile-dispatch-cores", "-o", "out", "--"]
        done = tap.run([t.ttprof, *command, t.ttprof, "sim", "run", "stream", "--arch", chip, "--loops", "4"], here)
        logs = sorted(here.glob("out/reports/*/profile_log_device.csv"))
        if not t.ok(done.code == 0 and logs, f"{chip}: stream is profiled", done):
            continue
        found = zones(logs[-1])
        dispatch = {core for core, name, _, _ in found if name.startswith("CQ-")}
        kernels = [(start, end) for core, name, start, end in found if name.endswith("-KERNEL") and core not in dispatch]
        writes = [zone for zone in found if zone[1].endswith("CQ_DISPATCH_CMD_WRITE_PAGED")]
        during = {}  # by dispatcher, in the order of their first write
        for core, _, start, end in sorted(writes, key=lambda zone: zone[2]):
            during.setdefault(core, []).append(any(start < to and since < end for since, to in kernels))
        t.equal([len(n) for n in during.values()], [8, 8], f"{chip}: both queues wrote four batches of 128 KiB")
        t.equal([any(n) for n in during.values()], [False, True], f"{chip}: the second queue writes while kernels run, the first does not")


def test(t):
    check_times(t)
    check_timeline(t)


tap.main(test)
