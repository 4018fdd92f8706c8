#!/usr/bin/python3
"""test_demo.py TTPROF SOURCE_ROOT - the figures of `make demo` mean something: kernel times are those of the work, not of launches,
and following the advice about gaps saves what it promises.
"""
import collections
import csv
import re

import profiles
import tap

CYCLES = 169_000  # kernel time of the block if all cores of an op started at once; a cycle takes 1 ns
SHORT = 4000  # ns: the launch is a visible part of ops that take less
KERNEL, GAP = "DEVICE KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]"
ADVICE = r"High Op-to-Op Gap\n.*Running with tracing could save (\d+) μs"


def block(t, name, keys="", runs=0):
    """The rows of the block's ops with the skew of each, the same of each replay, and the performance report."""
    here = t.folder(name)
    options = (["--device", keys] if keys else []) + (["--runs", str(runs)] if runs else [])
    done = tap.run([t.ttprof, "run", "-r", "--quiet", "-o", "out", "--", t.ttprof, "sim", "run", "transformer_block", *options], here)
    [table] = here.glob("out/reports/*/ops_perf_results_*.csv")
    skews = launch_skews(profiles.rows(here))
    with open(table, encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f) if r[KERNEL]]
    for row in rows:
        row["skew"] = skews[int(row["GLOBAL CALL COUNT"]), int(row["METAL TRACE REPLAY SESSION ID"] or -1)]
    replays = [[r for r in rows if r["METAL TRACE REPLAY SESSION ID"] == str(i + 1)] for i in range(runs)]
    first = [r for r in rows if not r["METAL TRACE ID"]]
    t.equal((done.code, len(first), [len(r) for r in replays]), (0, 20, [20] * runs), f"{name}: 20 ops are measured, and in each replay")
    report = tap.run([t.ttprof, "report", table, "--start-signpost", "start", "--end-signpost", "stop"], here)
    return first, replays, report.stdout.decode()


def launch_skews(rows):
    """By program and replay: cycles between the first kernel of the first core and the first kernel of the last core."""
    starts = collections.defaultdict(dict)
    for row in rows:
        if row.type == "ZONE_START" and row.name.endswith("-KERNEL"):
            cores = starts[row.run, row.counter]
            cores[row.x, row.y] = min(row.time, cores.get((row.x, row.y), row.time))
    return {key: max(cores.values()) - min(cores.values()) for key, cores in starts.items()}


def numbers(rows, column):
    return [int(r[column]) for r in rows]


def span(rows):
    """From the first op's start to the last one's end, in cycles."""
    return max(numbers(rows, "DEVICE FW END CYCLE")) - min(numbers(rows, "DEVICE FW START CYCLE"))


def check_times(t, rows, what):
    kernel = sum(numbers(rows, KERNEL))
    t.ok(abs(kernel - CYCLES) <= 0.1 * CYCLES, f"{what}: kernel time is that of cores that start together", kernel)
    skewed = [r for r in rows if int(r[KERNEL]) >= SHORT and r["skew"] > 0.05 * int(r[KERNEL])]
    t.equal([(r["OP CODE"], r[KERNEL], r["skew"]) for r in skewed], [], f"{what}: launch skew is at most 5 % of an op")


def check_default(t):
    first, replays, report = block(t, "default", runs=2)
    check_times(t, first, "launched one by one")
    t.ok("Matmul Optimization" in report and "High Op-to-Op Gap" not in report, "the host keeps up, and there is no advice about gaps", report)
    for i, rows in enumerate(replays):
        check_times(t, rows, f"replay {i + 1}")
        gaps = numbers(rows, GAP)[1:]
        t.ok(max(gaps) <= 3200, f"replay {i + 1}: at most 3.2 us from one op to the next", gaps)


def check_slow_host(t):
    first, replays, report = block(t, "slow host", "host_enqueue_ns=20000", runs=2)
    found = re.search(ADVICE, report, re.S)
    if not t.ok(found, "a slow host is noticed", report):
        return
    promised = 1000 * int(found[1])
    saved = [span(first) - span(rows) for rows in replays]
    t.ok(promised > 0 and min(saved) >= promised, "a trace saves at least what the advice says", (promised, saved))
    t.ok(max(max(numbers(rows, GAP)[1:]) for rows in replays) <= 3200, "in a replay the host does not matter", saved)


def test(t):
    check_default(t)
    check_slow_host(t)


if __name__ == "__main__":
    tap.main(test)
