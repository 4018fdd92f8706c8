#!/usr/bin/env python3
"""The trace profiler: each replay of a trace is a row, and no op gets the times of one."""
import csv
import io
import pathlib

import tap

REPLAYS = 3
NUMBERS = ["DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "CORE COUNT"]


def table(path):
    return list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text(encoding="utf-8"))))


def replays_of(log):
    """{(trace, replay): (first, last)} of the firmware in a log, whatever it calls the op."""
    lines = pathlib.Path(log).read_text(encoding="utf-8").splitlines()[1:]
    spans = {}
    for r in csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True):
        if r["zone name"] == "TRACE-FW":
            key, at = (r["trace id"], r["trace id counter"]), int(r["time[cycles since reset]"])
            first, last = spans.get(key, (at, at))
            spans[key] = (min(first, at), max(last, at))
    return spans


def check_table(t, name, rows, spans):
    replays = [r for r in rows if r["OP CODE"] == "TraceReplay"]
    found = {(r["METAL TRACE ID"], r["METAL TRACE REPLAY SESSION ID"]): r for r in replays}
    t.equal([(r["METAL TRACE ID"], r["METAL TRACE REPLAY SESSION ID"], r["ROW STATE"], r["GLOBAL CALL COUNT"]) for r in replays],
            [("0", str(i + 1), "ok", "") for i in range(REPLAYS)], f"{name}: a row for each replay, with its trace and number")
    t.equal({k: (int(r["DEVICE FW START CYCLE"]), int(r["DEVICE FW END CYCLE"])) for k, r in found.items()}, spans,
            f"{name}: with the times of that replay")
    others = [r for r in rows if r["OP TYPE"] == "tt_dnn_device" and r not in replays]
    t.equal([r["ROW STATE"] for r in others], ["not recorded"] * 3 + ["capture"] * 3, f"{name}: the ops are there")
    t.equal([r["OP CODE"] for r in others if any(r.get(c) for c in NUMBERS)], [], f"{name}: none has the times of a replay")


def check_own_zone(t, name, path):
    """The column that tables of tt-metal have since June 2026."""
    rows, column = table(path), "TT_DNN_DEVICE_OP_TT_HOST_FUNC [ns]"
    t.equal([*rows[0]][-1], column, f"{name}: the last column is the op's own zone")
    t.equal([r[column] for r in rows], [r["HOST DURATION [ns]"] for r in rows], f"{name}: with the op's host time")


def run(t):
    here = t.folder("traces")
    done = tap.run([t.ttprof, "run", "-r", "-o", "r", "--", t.ttprof, "sim", "run", "mlp", "--size", "64", "--runs", REPLAYS], here,
                   TT_METAL_TRACE_PROFILER="1")
    t.ok(done.code == 0, "a run with the trace profiler", done)
    spans = replays_of(here / "r/.logs/profile_log_device.csv")
    t.equal(sorted(spans), [("0", str(i + 1)) for i in range(REPLAYS)], "the log names trace and replay")
    coverage = b"device 0: expected 3, measured 3, 100 %; 3 outside replays, which the trace profiler does not record\n"
    t.ok(coverage in done.stderr + done.stdout, "the run says what was recorded", done)
    for name, words in (("device report", []), ("log", ["--force-legacy-device-logs"])):
        done = tap.run([t.ttprof, "ops", "r", "--csv", "ops.csv", "--add", "state", "--strict", *words], here)
        t.ok(done.code == 0 and coverage in done.stdout, f"{name}: nothing is missing", done)
        check_table(t, name, table(here / "ops.csv"), spans)
    check_own_zone(t, "run", next((here / "r/reports").glob("*/ops_perf_results_*.csv")))
    done = tap.run([t.ttprof, "ops", "r/.logs", "--csv", "tables.csv"], here)
    check_own_zone(t, "tables of the run", here / "tables.csv")
    names = {r["OP NAME"] for r in table(here / "r/.logs/cpp_device_perf_report.csv")}
    t.equal(names, {""}, "the device report does not name an op, either")
    done = tap.run([t.ttprof, "report", "ops.csv", "--no-summary", "--ignore-signposts"], here)
    t.ok(done.code == 0 and done.stdout.count(b" TraceReplay ") >= REPLAYS, "'ttprof report' shows them", done)


tap.main(run)
