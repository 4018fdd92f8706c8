#!/usr/bin/python3
"""test_ops_damage.py TTPROF SOURCE_ROOT - whatever was lost or damaged, `ttprof ops` gives the whole report and says what is missing.

A run is recorded once, each case damages a copy of its files. Cases that take traces or several devices have logs of their own."""
import collections
import csv
import json
import re
import shutil

import ops_logs
import tap

DATA, TIMES, CPP, LOG = "tracy_ops_data.csv", "tracy_ops_times.csv", "cpp_device_perf_report.csv", "profile_log_device.csv"
RAW = "--force-legacy-device-logs"
ALL_OK = ["signpost", "1024 ok", "2048 ok", "3072 ok", "signpost"]
WHOLE = "device 0: expected 3, measured 3, 100 %"
RAISE = "raise the program support count to {} (--op-support-count)"
WAYS = ((), (RAW,))
KERNEL = "DEVICE KERNEL DURATION [ns]"


class Logs:
    """A folder of logs, to be damaged and read."""

    def __init__(self, t, name, source=None):
        self.t, self.path = t, t.folder(name) / "logs"
        if source:
            self.path.mkdir()
            for file in (DATA, TIMES, CPP, LOG):
                shutil.copyfile(source / file, self.path / file)

    def change(self, file, change):
        """change: what the lines of a file become."""
        path = self.path / file
        lines = path.read_bytes().decode().splitlines(keepends=True)
        path.write_bytes("".join(change(lines)).encode())

    def drop(self, file, pattern):
        before = len((self.path / file).read_bytes())
        self.change(file, lambda lines: [one for one in lines if not re.search(pattern, one)])
        assert len((self.path / file).read_bytes()) < before, f"no line of {file} has {pattern}"

    def ops(self, *words):
        """Rows as 'id[/session] state', coverage lines, JSON tables, standard error."""
        done = tap.run([self.t.ttprof, "ops", self.path, "--json", "-", "--unmatched", *words], self.path.parent)
        assert done.code == 0, done
        tables = {p["id"]: p["rows"] for p in json.loads(done.stdout)["tables"]}
        lines = [x.removeprefix("ttprof: ops: ") for x in done.stderr.decode().splitlines()]
        coverage = [x for x in lines if re.match(r"(device \d+: (expected|measured) |host: )", x)]
        return [name_row(r) for r in tables["ops"]], coverage, tables, lines

    def strict(self, *words):
        return tap.run([self.t.ttprof, "ops", self.path, "--strict", "-q", "--csv", "strict.csv", *words], self.path.parent).code


def name_row(row):
    if row["ROW STATE"] == "signpost":
        return "signpost"
    session = row.get("METAL TRACE REPLAY SESSION ID")
    return f"{row['GLOBAL CALL COUNT']}{'' if session is None else f'/{session}'} {row['ROW STATE']}"


def expect(t, logs, what, rows, coverage, *words, strict=1):
    """The states of all rows, the coverage lines, the exit code of --strict; the tables for more."""
    what += ", from the log" if RAW in words else ""
    got_rows, got_coverage, tables, lines = logs.ops(*words)
    t.equal((got_rows, got_coverage), (rows, coverage), f"{what}: states of rows, coverage")
    t.equal(logs.strict(*words), strict, f"{what}: exit code of --strict")
    return {r["GLOBAL CALL COUNT"]: r for r in tables["ops"] if r["GLOBAL CALL COUNT"]}, tables, lines


# ---- one run, damaged in many ways ----
def record(t, *arguments):
    folder = t.folder("run")
    done = tap.run([t.ttprof, "run", "-r", *arguments], folder)
    return folder / "out" / ".logs", done


def record_run(t):
    logs, done = record(t, "-o", "out", "--", t.ttprof, "sim", "run", "mlp", "--grid", "2x2")
    t.ok(done.code == 0 and WHOLE in done.stderr.decode(), "a run is recorded and reported", done)
    return logs


def check_whole(t, run):
    logs = Logs(t, "whole", run)
    for words in WAYS:
        expect(t, logs, "nothing is damaged", ALL_OK, [WHOLE], *words, strict=0)


def check_host_alone(t, run):
    logs = Logs(t, "host-alone", run)
    logs.drop(CPP, "^2048,")
    logs.drop(LOG, ",2048,")
    for words in WAYS:
        rows, _, _ = expect(t, logs, "1. host op without device data", ["signpost", "1024 ok", "2048 not measured", "3072 ok", "signpost"],
                            ["device 0: expected 3, measured 2, 66.7 %"], *words)
        row = rows[2048]
        t.ok(row["CELL STATES"] == {"*": "missing"} and row[KERNEL] is None and row["HOST DURATION [ns]"] > 0 and row["PM COMPUTE [ns]"] > 0,
             "the host's half of its row is there, the device's cells are empty", row)


def check_device_alone(t, run):
    logs = Logs(t, "device-alone", run)
    logs.change(DATA, lambda lines: with_message(lines, lambda message: ""))
    logs.drop(TIMES, "id:2048")
    for words in WAYS:
        rows, _, _ = expect(t, logs, "2. device op without host record", ["signpost", "1024 ok", "3072 ok", "signpost", "2048 no host op"],
                            ["device 0: expected 2, measured 2, 100 %; 1 measured without a host op (--unmatched shows them)"], *words)
        t.ok(rows[2048][KERNEL] > 0 and rows[2048]["OP CODE"] is None, "its measured numbers are there", rows[2048])
    plain = tap.run([t.ttprof, "ops", logs.path, "--csv", "-"], logs.path.parent).stdout.decode()
    calls = [row["GLOBAL CALL COUNT"] for row in csv.DictReader(plain.splitlines())]
    t.equal(calls, ["", "1024", "3072", ""], "without --unmatched it is not in the table")


def check_duplicates(t, run):
    logs = Logs(t, "duplicates", run)
    logs.change(DATA, lambda lines: [x.replace(", 3072 ->", ", 1024 ->") for x in lines])
    logs.drop(TIMES, "id:3072")
    for words in WAYS:
        rows, _, _ = expect(t, logs, "5. duplicate id on the host", ["signpost", "1024 ok", "2048 ok", "signpost", "3072 no host op"],
                            ["device 0: expected 2, measured 2, 100 %; 1 with an id used before; "
                             "1 measured without a host op (--unmatched shows them)"], *words)
    logs = Logs(t, "duplicates", run)
    logs.change(LOG, lambda lines: [x.replace(",3072,", ",1024,") for x in lines])
    _, tables, _ = expect(t, logs, "5. duplicate id on the device",
                          ["signpost", "1024 duplicate", "1024 duplicate", "2048 ok", "3072 not measured", "signpost"],
                          ["device 0: expected 3, measured 2, 66.7 %; 1 measured again"], RAW)
    cycles = [r["DEVICE FW START CYCLE"] for r in tables["ops"] if r["GLOBAL CALL COUNT"] == 1024]
    t.ok(cycles[0] < cycles[1], "both measurements have a row, in order of time", cycles)


def check_cut_log(t, run):
    logs = Logs(t, "cut-log", run)
    whole = (logs.path / LOG).read_bytes().decode()
    last = [m for m in re.finditer(r"^0,\d+,\d+,BRISC,.*,3072,.*,ZONE_START,.*\n", whole, re.M)][-1]  # an inner zone of the last core
    (logs.path / LOG).write_bytes(whole[:last.end() - 30].encode())
    rows, _, lines = expect(t, logs, "7. device log cut mid-line", ["signpost", "1024 ok", "2048 ok", "3072 incomplete", "signpost"],
                            ["device 0: expected 3, measured 3, 100 %; 1 with markers missing"], RAW)
    t.ok(rows[3072][KERNEL] > 0 and rows[3072]["CELL STATES"][KERNEL] == "repaired" and rows[2048]["CELL STATES"] == {},
         "what is left of the op is marked, all before it is whole", rows[3072])
    count = whole[:last.start()].count("\n") + 1
    t.ok(any(f"line {count}" in x for x in lines), "the line that is cut is named", lines)


def check_cut_message(t, run):
    logs = Logs(t, "cut-message", run)

    def cut(message):  # as the reference's recorder does it: the end is not there, the closing tick neither
        text, time = message.rsplit("`;", 1)
        big = text.replace('"attributes": {', '"attributes": {"big": "' + "x" * 70_000 + '",')
        return f"{big[:65535]};{time}"
    logs.change(DATA, lambda lines: with_message(lines, cut))
    for words in WAYS:
        rows, _, lines = expect(t, logs, "8. message cut at 64 KiB", ALL_OK, [WHOLE], *words)
        row = rows[2048]
        t.ok(row["OP CODE"] == "UnaryDeviceOperation" and row["PROGRAM HASH"] and row[KERNEL] > 0 and row["PM COMPUTE [ns]"] is None,
             "what stands before the cut is used, what stands behind is empty", row)
        t.ok(any("truncated" in x for x in lines), "the cut is told", lines)


def check_clock_back(t, run):
    logs = Logs(t, "clock-back", run)

    def ends_first(lines):
        rows = [*csv.DictReader(lines)]
        for end, start in (("DEVICE FW END CYCLE", "DEVICE FW START CYCLE"), ("DEVICE KERNEL END CYCLE", "DEVICE KERNEL START CYCLE")):
            rows[1][end] = int(rows[1][start]) - 5000
        return [",".join(str(c) for c in row) + "\n" for row in [rows[0].keys(), *(r.values() for r in rows)]]
    logs.change(CPP, ends_first)
    rows, tables, _ = expect(t, logs, "9. clock going back", ALL_OK, [WHOLE])
    bad = {"DEVICE FW END CYCLE": "bad", "DEVICE FW DURATION [ns]": "bad", KERNEL: "bad"}
    t.ok(rows[2048]["CELL STATES"] == bad and all(rows[2048][c] is None for c in bad) and rows[3072][KERNEL],
         "cells that cannot be true are empty, all others stand", rows[2048])
    t.equal([(r["Column"], r["Rule"]) for r in tables["bad"]],
            [(c, "the end is before the start") for c in ("DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]", "DEVICE KERNEL END CYCLE", KERNEL)],
            "they are listed with the rule they break")
    logs = Logs(t, "clock-back", run)
    ends = r"0,1,1,BRISC,\d+,\d+,0,2048,.*(BRISC-KERNEL|BRISC-FW),ZONE_END"
    logs.change(LOG, lambda lines: [re.sub(r"^(0,1,1,BRISC,\d+),(\d+)", lambda m: f"{m[1]},{int(m[2]) - 10**6}", x) if re.match(ends, x) else x
                                    for x in lines])
    rows, _, lines = expect(t, logs, "9. clock going back", ["signpost", "1024 ok", "2048 incomplete", "3072 ok", "signpost"],
                            ["device 0: expected 3, measured 3, 100 %; 1 with markers missing"], RAW)
    whole = Logs(t, "whole", run).ops(RAW)[2]["ops"][2]
    numbers = (KERNEL, "DEVICE FW DURATION [ns]", "OP TO OP LATENCY [ns]", "DEVICE KERNEL DURATION PER CORE AVG [ns]")
    t.ok(rows[2048]["CELL STATES"][KERNEL] == "repaired" and all(abs(rows[2048][c] - whole[c]) < 2000 for c in numbers),
         "what is left of the op tells nearly the same", rows[2048])
    t.ok(any("earlier than the previous row" in x for x in lines), "the clock is told", lines)


def check_end_without_start(t, run):
    logs = Logs(t, "no-start", run)
    logs.drop(LOG, r"^0,1,1,BRISC,\d+,\d+,0,2048,.*ZONE_START")
    rows, _, lines = expect(t, logs, "10. end without start", ["signpost", "1024 ok", "2048 incomplete", "3072 ok", "signpost"],
                            ["device 0: expected 3, measured 3, 100 %; 1 with markers missing"], RAW)
    t.ok(rows[2048]["CELL STATES"][KERNEL] == "repaired" and rows[2048][KERNEL] > 0 and any("zone ends without a start" in x for x in lines),
         "the numbers that are left are marked", rows[2048])


def check_unknown(t, run):
    logs = Logs(t, "unknown", run)
    logs.change(CPP, lambda lines: [x[:-1] + (",NEW COLUMN [ns]\n" if i == 0 else ",7\n") for i, x in enumerate(lines)])
    logs.change(LOG, lambda lines: [x[:-1] + (", new column\n" if i == 1 else ",7\n") if i else x for i, x in enumerate(lines)])
    logs.change(DATA, lambda lines: [x.replace('"tt_dnn_device"', '"tt_quantum_device"') for x in lines])
    for words in WAYS:
        rows, _, lines = expect(t, logs, "12. unknown columns and op type", ALL_OK, [WHOLE], *words)
        t.ok(rows[2048]["OP TYPE"] == "tt_quantum_device" and rows[2048]["CELL STATES"] == {} and rows[2048][KERNEL] > 0,
             "the op is measured as any other, its type stands as it was told", rows[2048])
        t.ok(any("of an unknown type (3 in all)" in x for x in lines), "what is not known is told", lines)


# ---- traces, many ops, many devices ----
def with_message(lines, change):
    """The table with one message changed: that of the second op."""
    text = "".join(lines)
    at = text.index('`TT_DNN_DEVICE_OP: "UnaryDeviceOperation"')
    end = text.index("\n`", at) + 1
    return [text[:at], change(text[at:end]), text[end:]]


def traced(t, name, n_told, n_measured):
    """One op, and two in a trace that is replayed."""
    logs = Logs(t, name)
    ops_logs.write_host(logs.path, ["Before", "First", "Second"])

    def bracketed(lines):
        first = next(i for i, x in enumerate(lines) if '"First"' in x and x.startswith("`"))
        replays = [f"`TT_METAL_TRACE_REPLAY: 0, 5`;{6000 + 500 * i}\n" for i in range(n_told)]
        return [*lines[:first], "`TT_METAL_TRACE_BEGIN: 0, 5`;2900\n", *lines[first:-1], "`TT_METAL_TRACE_END: 0, 5`;5500\n", *replays, lines[-1]]
    logs.change(DATA, bracketed)
    rows = [ops_logs.cpp_row(0)]
    for session in range(1, n_measured + 1):
        for number in (1, 2):
            row = ops_logs.cpp_row(number, **{"METAL TRACE ID": 5, "METAL TRACE REPLAY SESSION ID": session})
            rows.append({c: v + 50_000 * session if c.endswith("CYCLE") else v for c, v in row.items()})
    ops_logs.write_cpp(logs.path, rows)
    return logs


def check_traces(t, _):
    expect(t, traced(t, "replayed", 2, 2), "a trace that is replayed",
           ["signpost", "1024 ok", "2048 capture", "3072 capture", "2048/1 ok", "3072/1 ok", "2048/2 ok", "3072/2 ok", "signpost"],
           ["device 0: expected 5, measured 5, 100 %"], strict=0)
    expect(t, traced(t, "never", 0, 0), "3. trace never replayed", ["signpost", "1024 ok", "2048 never replayed", "3072 never replayed", "signpost"],
           ["device 0: expected 1, measured 1, 100 %; 2 captured in traces that never ran"], strict=0)
    expect(t, traced(t, "more", 1, 2), "4. more replays than recorded",
           ["signpost", "1024 ok", "2048 capture", "2048/2 replay unknown", "3072 capture", "3072/2 replay unknown", "2048/1 ok", "3072/1 ok", "signpost"],
           ["device 0: expected 3, measured 3, 100 %; 2 measured in replays that the host did not report"])


def check_lost(t, _):
    """Ops between two reads fill the room of the device; what comes behind is lost."""
    n, between, kept = 880, 220, 40
    logs = Logs(t, "lost")
    ops_logs.write_host(logs.path, [f"Op{i}" for i in range(n)])

    def with_room(room):
        fit = kept * room // 1000
        ops_logs.write_cpp(logs.path, [ops_logs.cpp_row(i) for i in range(n) if i % between < fit])
    with_room(1000)
    states = ["signpost", *(f"{ops_logs.op_id(i)} {'ok' if i % between < kept else 'not measured'}" for i in range(n)), "signpost"]
    expect(t, logs, "6. 82 % of device rows lost", states, ["device 0: expected 880, measured 160, 18.2 %; " + RAISE.format(5500)])
    with_room(5500)
    states = ["signpost", *(f"{ops_logs.op_id(i)} ok" for i in range(n)), "signpost"]
    expect(t, logs, "with the room that was advised nothing is lost", states, ["device 0: expected 880, measured 880, 100 %"], strict=0)


def check_lost_in_run(t, _):
    """The same on a real run: too little room, then what the report advises."""
    work = "-o", "out", "--", t.ttprof, "sim", "run", "training_step", "--loops", "2", "--size", "64", "--grid", "1x1"
    logs, done = record(t, "--op-support-count", "20", *work)
    told = re.search(r"^device 0: expected 206, measured (\d+), .* %; raise the program support count to (\d+) ", done.stderr.decode(), re.M)
    if not t.ok(told and int(told[1]) < 100, "6. a run that has too little room: most is lost, and that is told", done):
        return
    rows, _, _, _ = Logs(t, "lost", logs).ops()
    states = collections.Counter(x.split(" ", 1)[1] for x in rows)
    t.equal((len(rows), states["not measured"]), (206, 206 - int(told[1])), "every op has a row, those that were lost say so")
    _, done = record(t, "--op-support-count", told[2], *work)
    t.ok("device 0: expected 206, measured 206, 100 %\n" in done.stderr.decode(), "with the room that was advised nothing is lost", done)


def check_devices(t, _):
    logs = Logs(t, "devices")
    ops_logs.write_host(logs.path, ["A", "B"], (0, 1, 2, 3))
    ops_logs.write_cpp(logs.path, [ops_logs.cpp_row(n, d) for d in (0, 1, 3) for n in (0, 1)])
    want = [f"{ops_logs.op_id(n, d)} {'device missing' if d == 2 else 'ok'}" for n in (0, 1) for d in (0, 1, 2, 3)]
    lines = [f"device {d}: expected 2, measured 2, 100 %" for d in (0, 1, 2, 3)]
    lines[2] = "device 2: expected 2, measured 0, 0 %; no data of this device"
    expect(t, logs, "11. one device of four missing", ["signpost", *want, "signpost"], lines)


def test(t):
    run = record_run(t)
    for part in (check_whole, check_host_alone, check_device_alone, check_traces, check_duplicates, check_lost, check_lost_in_run, check_cut_log,
                 check_cut_message, check_clock_back, check_end_without_start, check_devices, check_unknown):
        part(t, run)


tap.main(test)
