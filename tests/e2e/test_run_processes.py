#!/usr/bin/env python3
"""Several device processes in one run: one after the other, at once, and one that opens its device twice. Every op has
its own row with its own times; tt-metal's files hold all of them under unique ids."""
import csv
import io
import json
import os
import pathlib
import re
import shutil

import tap

KERNEL = "DEVICE KERNEL DURATION [ns]"


def wrap(t, here, *words, **env):
    return tap.run([t.ttprof, "run", *words], here, TTNN_OP_PROFILER="1", **env)


def ops(t, here, *words):
    """Rows of an ops report: dicts, without signposts; and the terminal's text."""
    done = tap.run([t.ttprof, "ops", *words, "--csv", "-"], here)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    return [r for r in rows if r["OP TYPE"] != "signpost"], done.stderr.decode()


def run_of(here, root):
    return sorted((here / root / "runs").iterdir())[-1]


def times(rows):
    return [(r["OP CODE"], r["CORE COUNT"], r[KERNEL], r["DEVICE FW DURATION [ns]"]) for r in rows]


def ids(rows):
    return [r["GLOBAL CALL COUNT"] for r in rows]


def alone(t, here, root, *words, **env):
    """What a process measures when it is the only one."""
    done = wrap(t, here, "-o", root, "--", t.ttprof, "sim", "run", *words, **env)
    rows, _ = ops(t, here, root)
    assert done.code == 0 and rows, done
    return rows


def log_ids(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()[1:]
    rows = csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True)
    return {r["run host ID"] for r in rows} - {"0"}


def table(path):
    return list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text(encoding="utf-8"))))


# --- one after the other -------------------------------------------------------------------
def check_two(t):
    here = t.folder("two")
    small, large = ["mlp", "--size", "64"], ["mlp"]
    want = times(alone(t, here, "a", *large)) + times(alone(t, here, "b", *small))
    done = wrap(t, here, "-o", "r", "--", "sh", "-c", f"{t.ttprof} sim run mlp; {t.ttprof} sim run mlp --size 64")
    t.equal(done.code, 0, "two device processes in one run")
    rows, said = ops(t, here, "r")
    t.equal(times(rows), want, "every op has the times of its own process")
    t.equal({r["GLOBAL CALL COUNT"] for r in rows}, set(ids(rows)), "under its own id")
    t.equal(len(set(ids(rows))), len(rows), "which is unique")
    t.ok(f"expected {len(rows)}, measured {len(rows)}, 100 %" in said, "the coverage counts both", said)
    run = run_of(here, "r")
    t.equal(len(list((run / "devices").iterdir())), 2, "the files of both are kept")
    logs = here / "r" / ".logs"
    t.equal(log_ids(logs / "profile_log_device.csv"), set(ids(rows)), "the log of the run has the ops of both")
    t.equal([r["GLOBAL CALL COUNT"] for r in table(logs / "cpp_device_perf_report.csv")], ids(rows),
            "and so has the runtime's report")
    legacy, _ = ops(t, here, "r", "--force-legacy-device-logs")
    t.equal(times(legacy), want, "the logs give the same durations as the runtime's reports")
    latencies = [r["OP TO OP LATENCY [ns]"] for r in legacy]
    single, _ = ops(t, here, "b", "--force-legacy-device-logs")
    t.equal(latencies[len(want) - len(single):], [r["OP TO OP LATENCY [ns]"] for r in single],
            "no gap is measured from one process to the next")
    check_unmerged(t, here, run, rows)
    check_commands(t, here, run, len(rows))


def check_unmerged(t, here, run, rows):
    """A run that was killed before its files were merged."""
    copy = here / "killed"
    shutil.copytree(run, copy, symlinks=True)
    (copy / "attachments.json").unlink()
    shutil.rmtree(copy / ".logs")
    (copy / ".logs").mkdir()
    again, _ = ops(t, here, "killed")
    t.equal((times(again), ids(again)), (times(rows), ids(rows)), "a run that was killed gives the same ops")


def check_commands(t, here, run, n):
    logs = here / "r" / ".logs"
    done = tap.run([t.ttprof, "device", run, "--print-only"], here)
    counts = re.findall(r"=+ device_kernel_duration =+\s+Count\s+=\s+(\d+)", done.stdout.decode())
    t.ok(done.code == 0 and sum(map(int, counts)) == n and len(counts) == 2,
         "ttprof device reads a run, process by process", done)
    named = tap.run([t.ttprof, "device", logs / "profile_log_device.csv", "--print-only"], here)
    t.equal(named.stdout, done.stdout, "the merged log stands for them")
    done = tap.run([t.ttprof, "device", run, "-o", "all"], here)
    t.equal((done.code, (here / "all" / "profile_log_device.csv").read_bytes()), (0, (logs / "profile_log_device.csv").read_bytes()),
            "and is the log among the files")
    done = tap.run([t.ttprof, "info", run], here)
    text = done.stdout.decode()
    t.ok(len(re.findall(r"(?m)^Device 0 of process \d+", text)) == 2, "ttprof info lists the devices of each process", text)
    shown = json.loads(tap.run([t.ttprof, "info", run, "--json"], here).stdout)
    t.equal([(d["attachment"], d["chips"]) for d in shown["devices"]], [(1, [0]), (1, [0])], "as JSON, too")
    done = tap.run([t.ttprof, "timeline", run, "-o", "page.html"], here)
    page = (here / "page.html").read_text(encoding="utf-8")
    pids = [p.name.split("-")[0] for p in sorted((run / "devices").iterdir())]
    t.ok(done.code == 0 and all(f"Device 0, process {p}" in page for p in pids), "the timeline has a device for each process", done)


# --- many, and at once ---------------------------------------------------------------------
def check_fifty(t):
    here = t.folder("fifty")
    small = ["mlp", "--size", "64"]
    one = alone(t, here, "a", *small)
    done = wrap(t, here, "-r", "--quiet", "-o", "r", "--", "sh", "-c",
                f"i=0; while [ $i -lt 50 ]; do {t.ttprof} sim run {' '.join(small)} >&2 || exit 9; i=$((i+1)); done")
    t.equal(done.code, 0, "50 processes, one after the other, each with one op after the other")
    rows, said = ops(t, here, "r")
    t.equal(times(rows), 50 * times(one), "every op of every process has its row")
    t.equal(len(set(ids(rows))), len(rows), "and an id of its own")
    t.ok(f"device 0: expected {len(rows)}, measured {len(rows)}, 100 %" in said, "the coverage counts all", said)
    logs = here / "r" / ".logs"
    messages = (logs / "tracy_ops_data.csv").read_text(encoding="utf-8")
    t.equal(set(re.findall(r'(?m)^`TT_DNN_DEVICE_OP: .*?, (\d+)(?: ->|`)', messages)), set(ids(rows)),
            "the table of messages has these ids")
    zones = {r["zone_text"] for r in table(logs / "tracy_ops_times.csv") if "TT_DNN" in r["name"]}
    t.equal(zones, {f"id:{i}" for i in ids(rows)}, "and so has the table of zones")


def check_four(t):
    here = t.folder("four")
    board = {"TTPROF_DEVICE": "devices=4 links=none"}
    sizes = [64, 96, 128, 160]
    want = {}
    for chip, size in enumerate(sizes):
        rows = alone(t, here, f"a{chip}", "mlp", "--size", str(size), TT_VISIBLE_DEVICES=str(chip), **board)
        want[chip] = times(rows)
        t.equal({r["DEVICE ID"] for r in rows}, {"0"}, f"chip {chip} alone is device 0")
    words = " ".join(f"TT_VISIBLE_DEVICES={chip} {t.ttprof} sim run mlp --size {size} >&2 &" for chip, size in enumerate(sizes))
    done = wrap(t, here, "-r", "--quiet", "-o", "r", "--", "sh", "-c", f"{words} wait", **board)
    t.equal(done.code, 0, "four processes at once, each with a chip of the board")
    rows, said = ops(t, here, "r")
    t.equal(sorted(times(rows)), sorted(sum(want.values(), [])), "all ops have their own times")
    t.equal(len(set(ids(rows))), len(rows), "and ids")
    t.ok(f"expected {len(rows)}, measured {len(rows)}, 100 %" in said, "the coverage counts all", said)
    starts = {r["DEVICE FW START CYCLE"] for r in rows}
    t.ok(len(starts) == len(rows), "the chips have their own clocks", starts)
    bad = tap.run([t.ttprof, "sim", "run", "mlp"], here, TT_VISIBLE_DEVICES="4", **board)
    t.ok(bad.code == 1 and b"no chip 4: the board has 4" in bad.stderr, "a chip that is not there is an error", bad)
    bad = tap.run([t.ttprof, "sim", "run", "mlp"], here, TT_VISIBLE_DEVICES="one", **board)
    t.ok(bad.code == 2 and b"TT_VISIBLE_DEVICES=one" in bad.stderr, "and so is a word", bad)


# --- other chips, other processes ------------------------------------------------------------
def check_mixed(t):
    here = t.folder("mixed")
    want = times(alone(t, here, "a", "mlp", "--size", "64")) + times(alone(t, here, "b", "mlp", "--size", "64", "--arch", "blackhole"))
    done = wrap(t, here, "-o", "r", "--", "sh", "-c",
                f"{t.ttprof} sim run mlp --size 64; {t.ttprof} sim run mlp --size 64 --arch blackhole")
    rows, _ = ops(t, here, "r")
    t.equal(times(rows), want, "chips with different clocks keep their own")
    legacy, _ = ops(t, here, "r", "--force-legacy-device-logs")
    t.equal(times(legacy), want, "in the logs, too")
    t.ok(b"is of another chip than the first log" in done.stderr, "one log has one clock: the run says which log is not in it", done)


def check_hidden(t):
    """A process without a device before the one with it."""
    here = t.folder("hidden")
    want = times(alone(t, here, "a", "mlp", "--size", "64"))
    done = wrap(t, here, "-o", "r", "--", "sh", "-c",
                f"env -u TT_METAL_DEVICE_PROFILER {t.ttprof} sim run mlp --size 64; {t.ttprof} sim run mlp --size 64")
    rows, said = ops(t, here, "r")
    t.equal([r[KERNEL] for r in rows], [""] * len(want) + [w[2] for w in want], "ops of a process that was not profiled stay empty")
    t.ok(done.code == 0 and f"expected {2 * len(want)}, measured {len(want)}, 50.0 %" in said, "and are missing in the coverage", said)


# --- one process that opens its device twice -------------------------------------------------
def check_twice(t):
    build = t.ttprof.parent
    library = build / "libttprof-runtime.so"
    if not library.exists() or b"__asan_init" in library.read_bytes():
        t.skip("a program that opens its device twice", "this build has no library that a plain program can link")
        return
    here = t.folder("twice")
    program = here / "twice"
    done = tap.run(["cc", "-O2", "-Wall", "-I", t.root / "include", t.root / "tests/runtime/twice.c", f"-L{build}",
                    "-lttprof-runtime", f"-Wl,-rpath,{build}", "-o", program], here)
    assert done.code == 0, done
    done = wrap(t, here, "-r", "--quiet", "-o", "r", "--", program)
    t.equal(done.code, 0, "a program that opens its device twice")
    found = json.loads((run_of(here, "r") / "attachments.json").read_text(encoding="utf-8"))["attachments"]
    t.equal([(a["attachment"], a["more_programs"], a["more_traces"]) for a in found], [(1, 0, 0), (2, 0, 1)],
            "has two attachments; programs have one count, traces start again")
    rows, said = ops(t, here, "r")
    keys = ["OP CODE", "GLOBAL CALL COUNT", "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID"]
    add, negate = "BinaryNgDeviceOperation", "UnaryDeviceOperation"
    t.equal([tuple(r[k] for k in keys) for r in rows],
            [(add, "1024", "", ""), (negate, "2048", "", ""), (negate, "2048", "0", "1"),
             (add, "3072", "", ""), (negate, "4096", "", ""), (negate, "4096", "1", "1"), (negate, "4096", "1", "2")],
            "each replay is of the trace of its own attachment")
    t.ok("expected 5, measured 5, 100 %" in said, "all executions are there", said)
    t.equal([r["OP TO OP LATENCY [ns]"] for r in rows if r["OP CODE"] == add], ["0", "0"], "and gaps end with an attachment")
    tap.run([program], here, TT_METAL_DEVICE_PROFILER="1", TT_METAL_PROFILER_DIR=str(here / "plain"))
    found = json.loads(tap.run([t.ttprof, "info", here / "plain/.logs/profile_log_device.csv", "--json"], here).stdout)
    t.equal((found["devices"][0]["ops"], found["odd"]), (5, 0), "without a run both are in one log, and its clock goes on")
    shown = tap.run([t.ttprof, "timeline", run_of(here, "r"), "-o", "page.html"], here)
    page = (here / "page.html").read_text(encoding="utf-8")
    t.ok(shown.code == 0 and page.count(", attachment 2") >= 1, "the timeline names the attachments", shown)


def check_replays(t):
    here = t.folder("replays")
    runs = {"a": ["mlp", "--runs", "3"], "b": ["mlp", "--runs", "2", "--size", "64"]}
    want = sum((times(alone(t, here, root, *words, TT_METAL_TRACE_PROFILER="1")) for root, words in runs.items()), [])
    commands = "; ".join(f"{t.ttprof} sim run {' '.join(words)}" for words in runs.values())
    done = wrap(t, here, "-r", "--quiet", "-o", "r", "--", "sh", "-c", commands, TT_METAL_TRACE_PROFILER="1")
    rows, said = ops(t, here, "r")
    t.equal((done.code, times(rows)), (0, want), "whole replays of two processes keep their times")
    traces = [(r["METAL TRACE ID"], r["METAL TRACE REPLAY SESSION ID"]) for r in rows if r["METAL TRACE ID"]]
    t.equal(traces, [("0", "1"), ("0", "2"), ("0", "3"), ("1", "1"), ("1", "2")], "under traces of their own")
    t.ok("expected 5, measured 5, 100 %" in said, "and are counted", said)


def check_dumps(t):
    here = t.folder("dumps")
    sim = f"{t.ttprof} sim run mlp"
    done = wrap(t, here, "--quiet", "-o", "r", "--", "sh", "-c", f"{sim} --size 64; {sim}; {sim} --size 96", TTPROF_DUMP_RAW=str(here / "raw"))
    run = run_of(here, "r")
    logs = [(run / a["folder"] / "profile_log_device.csv").read_bytes()
            for a in json.loads((run / "attachments.json").read_text(encoding="utf-8"))["attachments"]]
    made = tap.run([t.ttprof, "decode", "raw", "-o", "again"], here)
    t.ok(done.code == 0 and made.code == 0, "raw dumps of three processes are decoded", made)
    found = [p.read_bytes() for p in (here / "again").rglob("profile_log_device.csv")]
    t.equal((len(found), sorted(found)), (3, sorted(logs)), "each gives the log of its process")
    t.ok((here / "again" / ".logs" / "profile_log_device.csv").read_bytes() == logs[0], "that of the first is in the folder itself")


def check_meanwhile(t):
    here = t.folder("meanwhile")
    seen = "$TT_METAL_PROFILER_DIR/.logs/cpp_device_perf_report.csv"
    done = wrap(t, here, "--quiet", "-o", "r", "--", "sh", "-c",
                f"{t.ttprof} sim run mlp >&2; cp {seen} first; {t.ttprof} sim run mlp --size 64 >&2; cp {seen} second")
    run = run_of(here, "r")
    own = [(run / a["folder"] / "cpp_device_perf_report.csv").read_bytes()
           for a in json.loads((run / "attachments.json").read_text(encoding="utf-8"))["attachments"]]
    t.equal((done.code, [(here / n).read_bytes() for n in ("first", "second")]), (0, own),
            "while the run lasts, .logs has the files of the process that wrote last")
    t.ok(not any(p.is_symlink() for p in (run / ".logs").iterdir()), "afterwards it has no links")


def check_dispatch(t):
    """Dispatch cores name their programs in metadata, which the merged log must keep apart, too."""
    here = t.folder("dispatch")
    row = "0,9,9,BRISC,{},{},{},0,,,{},1,cq_dispatch.cpp,{}\n".format
    (here / "rows").write_text(
        row(70, 100, 0, "CQ-DISPATCH,ZONE_START", "") + row(71, 105, 1024, "x,TS_DATA", '{"workers_runtime_id":1024}') +
        row(72, 106, 1, "y,TS_DATA", '{"dispatch_command_type":"CQ_DISPATCH_CMD_WRITE_PACKED"}') + row(70, 1205, 0, "CQ-DISPATCH,ZONE_END", ""))
    each = f"{t.ttprof} sim run mlp --size 64 >&2; cat rows >> $TT_METAL_PROFILER_DIR/.logs/profile_log_device.csv"
    wrap(t, here, "--quiet", "-o", "r", "--", "sh", "-c", f"{each}; {each}")
    run = run_of(here, "r")
    text = (run / ".logs" / "profile_log_device.csv").read_text(encoding="utf-8")
    found = re.findall(r'BRISC,71,\d+,(\d+),.*"workers_runtime_id":(\d+)', text)
    t.equal(found, [("1024", "1024"), ("4096", "4096")], "the merged log has unique programs in its metadata")
    for what, folder in (("read with the logs of all processes", run), ("read from the merged log", run / ".logs")):
        rows, _ = ops(t, here, folder, "--force-legacy-device-logs")
        dispatched = [r["GLOBAL CALL COUNT"] for r in rows if r["DISPATCH TOTAL CQ CMD OP TIME [ns]"] == "1105"]
        t.equal(dispatched, ["1024", "4096"], f"each program has its own dispatch time, {what}")


def check_health(t):
    here = t.folder("health")
    sim = f"{t.ttprof} sim run mlp --size 64"
    wrap(t, here, "--quiet", "-o", "r", "--", "sh", "-c", f"{sim} >&2; {sim} >&2")
    run = run_of(here, "r")
    found = json.loads((run / "attachments.json").read_text(encoding="utf-8"))["attachments"]
    for a in found:
        with open(run / a["folder"] / "profile_log_device.csv", "a", encoding="utf-8") as f:
            f.write("0,1,1,BRISC,9,1,0,0,,,ALONE,ZONE_END,1,a.cc,\n")
    done = tap.run([t.ttprof, "device", run, "-o", "out"], here)
    tracks = json.loads((here / "out" / "profiler_health.json").read_text(encoding="utf-8"))["tracks"]
    t.equal((done.code, [(k["pid"], k["attachment"]) for k in tracks if "end-without-start" in k["findings"]]),
            (0, [(a["pid"], a["attachment"]) for a in found]), "the health of a run names the process of a track")


def check_damaged(t):
    here = t.folder("damaged")
    sim = f"{t.ttprof} sim run mlp"
    wrap(t, here, "--quiet", "-o", "r", "--", "sh", "-c", f"{sim} >&2; {sim} --size 64 >&2")
    run = run_of(here, "r")
    whole, _ = ops(t, here, run)
    for name, text in (("cut", '{"attachments":[{"fol'), ("foreign", '{"attachments":[{"folder":"devices/../../..","pid":1,"more_programs":99999999999}]}'),
                       ("another list", '[]'), ("nothing", "")):
        (run / "attachments.json").write_text(text, encoding="utf-8")
        done = tap.run([t.ttprof, "info", run], here)
        rows, _ = ops(t, here, run)
        t.ok(done.code == 0 and [r["OP CODE"] for r in rows] == [r["OP CODE"] for r in whole], f"attachments.json: {name}", done)
    (run / "attachments.json").unlink()
    os.mkfifo(run / "attachments.json")
    log = next((run / "devices").iterdir()) / "profile_log_device.csv"
    log.unlink()
    os.mkfifo(log)
    done = tap.run([t.ttprof, "timeline", run, "-o", "page.html"], here)
    t.equal(done.code, 0, "pipes in place of files do not block")


# --- the report's folder -----------------------------------------------------------------------
def check_folder(t):
    here = t.folder("folder")
    wrap(t, here, "-r", "--quiet", "-o", "r", "--", t.ttprof, "sim", "run", "mlp", "--size", "64")
    report = next((here / "r" / "reports").iterdir())
    names = {p.name for p in report.iterdir()}
    want = {f"ops_perf_results_{report.name}.csv", "profile_log_device.csv", "tracy_ops_times.csv", "tracy_ops_data.csv"}
    t.ok(want <= names, "the folder of a report has the tables and the log that it is made of", names)
    done = tap.run([t.ttprof, "ops", "r", "-o", "again", "--no-date", "--quiet"], here)
    names = {p.name for p in (here / "again" / "reports").iterdir()}
    t.ok(done.code == 0 and want - {f"ops_perf_results_{report.name}.csv"} <= names, "and so has that of ttprof ops", names)


def checks(t):
    check_two(t)
    check_twice(t)
    check_replays(t)
    check_dumps(t)
    check_dispatch(t)
    check_health(t)
    check_meanwhile(t)
    check_damaged(t)
    check_folder(t)
    check_fifty(t)
    check_four(t)
    check_mixed(t)
    check_hidden(t)


tap.main(checks)
