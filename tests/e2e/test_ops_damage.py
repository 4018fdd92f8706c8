#!/usr/bin/python3
"""test_ops_damage.py TTPROF SOURCE_ROOT - whatever was lost or damaged, `ttprof ops` gives the whole report and says what is missing.

A run is recorded once, each case damages a copy of its files. Cases that take traces or several devices have logs of their own."""
import csv
import io
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


def kinds(tables):
    return [r["Kind"] if "Kind" in r else [*r.values()][0] for r in tables["diag"]]


def expect(t, logs, what, rows, coverage, *words, strict=1):
    """The states of all rows, the coverage lines, the exit code of --strict; the tables for more."""
    got_rows, got_coverage, tables, lines = logs.ops(*words)
    t.equal((got_rows, got_coverage), (rows, coverage), f"{what}: states of rows, coverage")
    t.equal(logs.strict(*words), strict, f"{what}: exit code of --strict")
    return {r["GLOBAL CALL COUNT"]: r for r in tables["ops"] if r["GLOBAL CALL COUNT"]}, tables, lines


# ---- one run, damaged in many ways ----
def record_run(t):
    folder = t.folder("run")
    done = tap.run([t.ttprof, "run", "-r", "-o", "out", "--", t.ttprof, "sim", "run", "mlp", "--grid", "2x2"], folder)
    t.ok(done.code == 0 and WHOLE in done.stdout.decode(), "a run is recorded and reported", done)
    return folder / "out" / ".logs"


def check_whole(t, run):
    logs = Logs(t, "whole", run)
    for words in ((), (RAW,)):
        expect(t, logs, f"nothing is damaged {' '.join(words)}".strip(), ALL_OK, [WHOLE], *words, strict=0)


def check_host_alone(t, run):
    logs = Logs(t, "host-alone", run)
    logs.drop(CPP, "^2048,")
    logs.drop(LOG, ",2048,")
    want = ["signpost", "1024 ok", "2048 not measured", "3072 ok", "signpost"]
    for words in ((), (RAW,)):
        rows, _, _ = expect(t, logs, f"1 host op without device data {' '.join(words)}".strip(), want,
                            ["device 0: expected 3, measured 2, 66.7 %; " + RAISE.format(2)], *words)
        t.ok(rows[2048]["CELL STATES"] == {"*": "missing"} and rows[2048][KERNEL] is None and rows[2048]["HOST DURATION [ns]"] > 0
             and rows[2048]["PM COMPUTE [ns]"] > 0, "the host's half of its row is there, the device's cells are empty", rows[2048])


def check_device_alone(t, run):
    logs = Logs(t, "device-alone", run)

    def without_op(lines):
        text = "".join(lines)
        at = text.index('`TT_DNN_DEVICE_OP: "UnaryDeviceOperation"')
        return [text[:at] + text[text.index("\n`", at) + 1:]]
    logs.change(DATA, without_op)
    logs.drop(TIMES, "id:2048")
    want = ["signpost", "1024 ok", "3072 ok", "signpost", "2048 no host op"]
    for words in ((), (RAW,)):
        rows, _, _ = expect(t, logs, f"2 device op without host record {' '.join(words)}".strip(), want,
                            ["device 0: expected 2, measured 2, 100 %; 1 measured without a host op (--unmatched shows them)"], *words)
        t.ok(rows[2048][KERNEL] > 0 and rows[2048]["OP CODE"] is None, "its measured numbers are there", rows[2048])
    plain = tap.run([t.ttprof, "ops", logs.path, "--csv", "-"], logs.path.parent).stdout.decode()
    t.ok(",2048," not in plain and plain.count("\r\n") == 5, "without --unmatched it is not in the table", plain)


def check_duplicates(t, run):
    logs = Logs(t, "duplicates", run)
    logs.change(DATA, lambda lines: [x.replace(", 3072 ->", ", 1024 ->") for x in lines])
    logs.drop(TIMES, "id:3072")
    want = ["signpost", "1024 ok", "2048 ok", "signpost", "3072 no host op"]
    _, tables, _ = expect(t, logs, "5 an id twice on the host", want,
                          ["device 0: expected 2, measured 2, 100 %; 1 with an id that was used before; "
                           "1 measured without a host op (--unmatched shows them)"])
    logs = Logs(t, "duplicates", run)
    logs.change(LOG, lambda lines: [x.replace(",3072,", ",1024,") for x in lines])
    want = ["signpost", "1024 duplicate", "1024 duplicate", "2048 ok", "3072 not measured", "signpost"]
    expect(t, logs, "5 an id twice on the device", want, ["?"], RAW)


def check_cut_log(t, run):
    logs = Logs(t, "cut-log", run)
    whole = (logs.path / LOG).read_bytes()
    at = whole.index(b",3072,", len(whole) * 2 // 3)
    (logs.path / LOG).write_bytes(whole[:at + 3])
    expect(t, logs, "7 the log is cut in a line", ["?"], ["?"], RAW)


def check_cut_message(t, run):
    logs = Logs(t, "cut-message", run)

    def cut(lines):
        text = "".join(lines)
        at = text.index('`TT_DNN_DEVICE_OP: "UnaryDeviceOperation"')
        end = text.index("`;", at)
        message = text[at:end].replace('"attributes": {', '"attributes": {"big": "' + "x" * 70000 + '",')
        return [text[:at] + message[:65535] + text[end + 1:]]
    logs.change(DATA, cut)
    rows, _, lines = expect(t, logs, "8 a message is cut at 64 KiB", ALL_OK, [WHOLE])
    print(rows[2048]["OP CODE"], rows[2048]["PROGRAM HASH"], lines)


def check_clock_back(t, run):
    logs = Logs(t, "clock-back", run)

    def back(lines):
        rows = [*csv.reader(lines)]
        at = [rows[0].index(c) for c in ("DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "DEVICE KERNEL START CYCLE", "DEVICE KERNEL END CYCLE")]
        row = rows[2]
        row[at[1]], row[at[3]] = str(int(row[at[0]]) - 5000), str(int(row[at[2]]) - 5000)
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        return [out.getvalue()]
    logs.change(CPP, back)
    rows, tables, lines = expect(t, logs, "9 the clock goes back, in the runtime's report", ALL_OK, [WHOLE])
    print(rows[2048]["CELL STATES"], tables["bad"], lines)
    logs = Logs(t, "clock-back", run)

    def back_in_log(lines):
        return [re.sub(r"^(0,1,1,BRISC,\d+),(\d+)", lambda m: f"{m[1]},{int(m[2]) - 10_000_000}", x)
                if re.match(r"0,1,1,BRISC,\d+,\d+,0,2048,.*(BRISC-KERNEL,ZONE_END|BRISC-FW,ZONE_END)", x) else x for x in lines]
    logs.change(LOG, back_in_log)
    rows, tables, lines = expect(t, logs, "9 the clock goes back, in the log", ["?"], ["?"], RAW)
    print(rows[2048]["CELL STATES"], rows[2048][KERNEL], tables["bad"], lines)


def check_end_without_start(t, run):
    logs = Logs(t, "no-start", run)
    logs.drop(LOG, r"^0,1,1,BRISC,\d+,\d+,0,2048,.*ZONE_START")
    rows, tables, lines = expect(t, logs, "10 ends without starts", ["?"], ["?"], RAW)
    print(rows[2048]["CELL STATES"], rows[2048][KERNEL], tables["bad"], lines)


def check_unknown(t, run):
    logs = Logs(t, "unknown", run)
    logs.change(CPP, lambda lines: [x[:-1] + ("," + ("NEW COLUMN [ns]" if i == 0 else "7")) + "\n" for i, x in enumerate(lines)])
    logs.change(DATA, lambda lines: [x.replace('"tt_dnn_device"', '"tt_quantum_device"') for x in lines])
    logs.change(TIMES, lambda lines: [x[:-1] + ("," + ("new" if i == 0 else "7")) + "\n" for i, x in enumerate(lines)])
    rows, tables, lines = expect(t, logs, "12 unknown columns and an unknown op type", ALL_OK, [WHOLE])
    print(rows[2048]["OP TYPE"], rows[2048]["CELL STATES"], rows[2048][KERNEL], tables["bad"], lines)


def test(t):
    run = record_run(t)
    for part in (check_whole, check_host_alone, check_device_alone, check_duplicates, check_cut_log, check_cut_message,
                 check_clock_back, check_end_without_start, check_unknown):
        part(t, run)


tap.main(test)
