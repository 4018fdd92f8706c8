#!/usr/bin/env python3
"""`ttprof run` around a program that uses the software device: host and device on one axis, manifest, logs and
reports in the reference's folders, parallel runs in one of them."""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess

import tap

GATHER = ["--sync-host-device", "-r", "-o", "out"]


def wrap(t, here, *words, **env):
    return tap.run([t.ttprof, "run", *words], here, **env)


def one(folder, pattern="*"):
    found = sorted(pathlib.Path(folder).glob(pattern))
    assert len(found) == 1, f"{pattern} in {folder}: {found}"
    return found[0]


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def table(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(lines)))


# --- an independent reading of the clocks --------------------------------------------------
def host_ns(chip, cycle):
    """Host time of a cycle by device_clocks.json: straight between mean points, else the nearest one's own line."""
    epochs = chip["epochs"]
    before = [e for e in epochs if e["cycle"] <= cycle] or epochs[:1]
    e = before[-1]
    rate = e["cycles_per_ns"]
    after = epochs[len(before)] if len(before) < len(epochs) and epochs[0]["cycle"] <= cycle else None
    if after:
        rate = ((after["cycle"] - e["cycle"] + after["cycle_fraction"] - e["cycle_fraction"]) /
                (after["host"] - e["host"] + after["host_fraction"] - e["host_fraction"]))
    return e["host"] + e["host_fraction"] + (cycle - e["cycle"] - e["cycle_fraction"]) / rate


def device_spans(log, clocks):
    """{chip: (first, last)} of all markers of programs, in host ns."""
    lines = pathlib.Path(log).read_text(encoding="utf-8").splitlines()[1:]
    rows = csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True)
    chips = {c["id"]: c for c in clocks["chips"]}
    spans = {}
    for r in rows:
        if int(r["run host ID"]) == 0:
            continue
        chip = int(r["PCIe slot"])
        at = host_ns(chips[chip], int(r["time[cycles since reset]"]))
        low, high = spans.get(chip, (at, at))
        spans[chip] = (min(low, at), max(high, at))
    return spans


# --- host zones ----------------------------------------------------------------------------
def zones(t, run):
    """Zones of the run as csvexport -u prints them: name, ns since start, duration."""
    done = tap.run([t.ttprof, "zones", run, "--unwrap"], t.scratch)
    t.ok(done.code == 0, "ttprof zones reads the run", done)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def zone_of(rows, name):
    found = [r for r in rows if r["name"] == name]
    assert found, f"no zone {name}"
    start = int(found[0]["ns_since_start"])
    return start, start + int(found[0]["exec_time_ns"])


# --- two chips -----------------------------------------------------------------------------
def check_two_chips(t):
    here = t.folder("two")
    done = wrap(t, here, *GATHER, "--", t.ttprof, "sim", "run", "allgather2")
    t.ok(done.code == 0, "a wrapped run ends with the command's code", done)
    t.ok(done.stdout.startswith(b"allgather2 on "), "and standard output is the command's alone", done)
    text = done.stderr.decode()
    t.ok("2 devices are aligned with the host; the error is at most " in text, "the error of the sync is stated", done)
    t.ok("ttprof zones out/runs/" in text and "ttprof timeline out/runs/" in text, "the end says how to go on", done)
    run = one(here / "out" / "runs")
    clocks = load(run / ".logs" / "device_clocks.json")
    t.ok([c["synced"] for c in clocks["chips"]] == [True, True] and clocks["host_clock"] == "program",
         "device_clocks.json has both chips, on the program's clock", clocks)
    check_enclosed(t, run, clocks)
    check_manifest(t, here, run)
    check_published(t, here, run)
    check_report(t, here, run, text)
    return here


def check_enclosed(t, run, clocks):
    rows = zones(t, run)
    names = {r["name"] for r in rows}
    want = {"CreateDevice", "AttachDeviceProfiler", "SyncHostDevice", "RunWorkload", "AllGather", "LaunchProgram",
            "WaitProgramDone", "ReadDeviceProfilerResults", "DetachDeviceProfiler"}
    t.ok(want <= names, "the host's side of the run is there", want - names)
    gather, launch = zone_of(rows, "AllGather"), zone_of(rows, "LaunchProgram")
    spans = device_spans(run / ".logs" / "profile_log_device.csv", clocks)
    t.equal(sorted(spans), [0, 1], "both chips have markers of programs")
    error = max(c["error_ns"] for c in clocks["chips"])
    offset = zones_offset(rows)
    for chip, (first, last) in spans.items():
        low, high = gather[0] + offset, gather[1] + offset
        t.ok(low - error <= first and last <= high + error, f"the host zone encloses the work of chip {chip}",
             (low, first, last, high, error))
        t.ok(first >= launch[0] + offset - error, f"which begins after its launch on chip {chip}",
             (launch, offset, first))
    total = max(s[1] for s in spans.values()) - min(s[0] for s in spans.values())
    t.ok(0 < total <= gather[1] - gather[0] + 2 * error, "and takes no longer than it", (total, gather))


def zones_offset(rows):
    """From the zones' axis to the device's host clock: that stands at one second when the device is opened, and the
    first zone behind it begins then."""
    return 1000000000 - zone_of(rows, "AttachDeviceProfiler")[0]


def check_manifest(t, here, run):
    m = load(run / "manifest.json")
    t.equal(m["words"][1:], ["sim", "run", "allgather2"], "the manifest has the command, word by word")
    t.equal(m["cwd"], str(here.resolve()), "and where it ran")
    t.equal(m["exit"], {"code": 0, "signal": None, "interrupted": False}, "how it ended")
    t.equal(m["options"], {"report": True, "output-folder": "out", "sync-host-device": True},
            "the options that were given")
    t.equal(m["environment"].get("TT_METAL_PROFILER_SYNC"), "1", "the environment that they made")
    t.ok(m["recorded"]["processes"] == 1 and m["recorded"]["events"] > 20 and m["recorded"]["host_bytes"] > 0,
         "what was recorded", m["recorded"])
    t.equal(m["lost"], {"events": 0}, "that nothing was lost")
    t.equal([(d["id"], d["synced"]) for d in m["devices"]], [(0, True), (1, True)], "the devices")
    t.ok(m["clock"]["source"] in ("tsc", "monotonic") and m["host"]["cores"] >= 1, "clock and host", m)
    t.equal(list(m)[:4], ["ttprof", "stamp", "command", "words"], "its keys are in a fixed order")
    t.equal(m["problems"], [], "and no problems")


def check_published(t, here, run):
    logs = here / "out" / ".logs"
    own = {p.name: p.stat().st_ino for p in (run / ".logs").iterdir()}
    shown = {p.name: p.stat().st_ino for p in logs.iterdir() if not p.is_symlink()}
    t.equal(shown, own, "the root's .logs are the files of the run")
    t.equal((logs / "run").resolve(), run.resolve(), "and lead to it")
    t.ok({"tracy_ops_times.csv", "tracy_ops_data.csv", "tracy_profile_log_host.tracy"} <= set(own), "with the tables of zones and messages, and a .tracy file", own)
    again = tap.run([t.ttprof, "zones", "-m", "-s", ";", logs / "tracy_profile_log_host.tracy"], logs)
    t.equal(again.stdout, (logs / "tracy_ops_data.csv").read_bytes(), "the .tracy file has the messages of the table")
    t.equal((logs / "tracy_ops_data.csv").read_text(encoding="utf-8").splitlines()[0], "MessageName;total_ns",
            "in the form of the export tool")
    t.ok(len(table(logs / "tracy_ops_times.csv")) > 10, "one row per zone")


def check_report(t, here, run, text):
    report = one(here / "out" / "reports")
    t.ok(f"the report is in out/reports/{report.name}" in text, "the report is named", text)
    t.equal(report.name, load(run / "manifest.json")["stamp"], "by the time of the run")
    names = {p.name for p in report.iterdir()}
    t.ok({"device_stats.txt", "device_perf.html", "profile_log_device.csv"} <= names, "it has the device's statistics",
         names)
    t.equal((report / "profile_log_device.csv").read_bytes(), (run / ".logs" / "profile_log_device.csv").read_bytes(),
            "and its log")


# --- reports -------------------------------------------------------------------------------
def sections(path):
    return [line.strip("= ") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("====")]


def check_logs_only(t, here):
    (here / "out" / ".logs" / "tracy_ops_times.csv").unlink()
    done = wrap(t, here, "--process-logs-only", "-o", "out", "-n", "again", "-a", "device_fw_duration", "-a", "nothing")
    t.equal(done.code, 0, "--process-logs-only makes a report of the logs that are there")
    report = one(here / "out" / "reports" / "again")
    t.equal(set(sections(report / "device_stats.txt")), {"device_fw_duration"}, "of the analyses that -a names")
    t.ok(b"no analysis 'nothing'" in done.stderr, "and says which there are not", done)
    t.ok((here / "out" / ".logs" / "tracy_ops_times.csv").exists(), "tables of zones are made again")
    t.equal(len(list((here / "out" / "runs").iterdir())), 1, "nothing is run")
    done = wrap(t, here, "--process-logs-only", "-o", "nowhere")
    t.ok(done.code == 1 and b"no logs to report on" in done.stderr, "without logs there is nothing to do",
         done)


def check_opened_once(t, here):
    """Files of the run are passed on as what was read, not read again."""
    if not shutil.which("strace"):
        t.skip("the device log is read once", "there is no strace")
        return
    tap.run(["strace", "-f", "-e", "trace=openat", "-o", "opened", t.ttprof, "run", "--process-logs-only", "-o", "out"], here,
            ASAN_OPTIONS="detect_leaks=0")  # looking for leaks needs ptrace, which strace has taken
    lines = [line for line in (here / "opened").read_text().splitlines() if "O_RDONLY" in line and "ENOENT" not in line]
    opened = {name: sum(f"/{name}" in line for line in lines) for name in ("profile_log_device.csv", "tracy_ops_times.csv", "tracy_ops_data.csv")}
    t.equal(opened, {"profile_log_device.csv": 2, "tracy_ops_times.csv": 1, "tracy_ops_data.csv": 1},
            "the device log is opened to be read and to be copied, the tables of the host only to be copied")


def check_device_only(t, here):
    """Without a word of the host there is one table of times between ops."""
    logs = here / "alone" / ".logs"
    logs.mkdir(parents=True)
    shutil.copy(here / "out" / ".logs" / "profile_log_device.csv", logs)
    done = wrap(t, here, "--process-logs-only", "-o", "alone")
    report = one(here / "alone" / "reports")
    t.equal([p.name for p in report.glob("per_core_op_to_op_times*")], [f"per_core_op_to_op_times_{report.name}.csv"],
            "times between ops are written once")
    t.ok((report / "device_stats.txt").exists() and done.code == 0, "beside the statistics", done)


def check_unsynced(t):
    here = t.folder("unsynced")
    done = wrap(t, here, "-o", "out", "--", t.ttprof, "sim", "run", "reduce", "--grid", "1x1")
    t.ok(b"the device is not aligned with the host; use --sync-host-device" in done.stderr,
         "a device without sync is said to be unaligned", done)
    run = one(here / "out" / "runs")
    chip, = load(run / ".logs" / "device_clocks.json")["chips"]
    t.ok(not chip["synced"] and chip["error_ns"] is None and len(chip["epochs"]) == 1,
         "its clock is known at one point only", chip)
    t.ok(not (here / "out" / "reports").exists(), "without -r there is no report")
    done = wrap(t, here, "-o", "out", "--quiet", "--", "true")
    t.equal((done.code, done.stderr), (0, b""), "--quiet says nothing")
    left = sorted(p.name for p in (here / "out" / ".logs").iterdir())
    t.equal(left, ["run"], "a run without a device takes the place of the logs before")


# --- messages and buffers ------------------------------------------------------------------
def check_messages(t):
    here = t.folder("messages")
    done = wrap(t, here, "-r", "--device-memory-profiler", "-o", "out", "--", t.ttprof, "sim", "run", "mlp", "--size",
                "64", "--grid", "2x2")
    t.ok(done.code == 0, "a run with signposts and buffers", done)
    run = one(here / "out" / "runs")
    data = (run / ".logs" / "tracy_ops_data.csv").read_text(encoding="utf-8").splitlines()
    posts = [line.rsplit(";", 1)[0] for line in data if "TT_SIGNPOST" in line]
    t.equal(posts, ["`TT_SIGNPOST: start`", "`TT_SIGNPOST: stop`"], "signposts of a workload are messages of the run")
    window = t.folder("window")
    cut = wrap(t, window, "--start-at", "start", "--stop-at", "stop", "-o", "out", "--", t.ttprof, "sim", "run", "mlp",
               "--size", "64", "--grid", "2x2")
    rows = zones(t, one(window / "out" / "runs"))
    count = {n: sum(r["name"] == n for r in rows) for n in ("TT_DNN_DEVICE_OP", "CreateDevice")}
    t.ok(cut.code == 0 and count == {"TT_DNN_DEVICE_OP": 3, "CreateDevice": 0}, "and bound what is recorded", (cut, count))


# --- nothing changes -----------------------------------------------------------------------
def check_same(t):
    here = t.folder("same")
    command = [t.ttprof, "sim", "run", "reduce", "--grid", "2x2", "--hash"]
    plain = tap.run(command + ["--profile", "-o", "plain"], here)
    wrapped = wrap(t, here, "-o", "out", "--no-runtime-analysis", "--", *command)
    t.equal(wrapped.stdout, plain.stdout, "a recorded run computes the same, to the last bit of the device's state")
    name = "profile_log_device.csv"
    t.equal((here / "out" / ".logs" / name).read_bytes(), (here / "plain" / ".logs" / name).read_bytes(),
            "and its device log is the same")
    again = wrap(t, here, "-o", "again", "--no-runtime-analysis", "--", *command)
    first, second = (sorted((r["name"], r["exec_time_ns"]) for r in zones(t, one(here / f / "runs"))
                            if r["name"] not in ("CreateDevice", "CloseDevice"))
                     for f in ("out", "again"))
    t.ok(again.code == 0 and first and first == second, "host zones on the device's clock last the same every time",
         [(a, b) for a, b in zip(first, second) if a != b])


# --- parallel runs -------------------------------------------------------------------------
def check_parallel(t):
    here = t.folder("parallel")
    runs = [subprocess.Popen([str(t.ttprof), "run", "-r", "-o", "out", "--", str(t.ttprof), "sim", "run", name, "--grid",
                              "1x1"], cwd=here, env=tap.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for name in ("reduce", "cycle_count", "reduce")]
    ends = [r.communicate(timeout=tap.SECONDS) for r in runs]
    t.ok(all(r.returncode == 0 for r in runs), "three runs in one folder at once", ends)
    folders = sorted((here / "out" / "runs").iterdir())
    t.equal(len(folders), 3, "each has its own folder")
    t.equal(len(list((here / "out" / "reports").iterdir())), 3, "and its own report")
    shown = {p.name: p.stat().st_ino for p in (here / "out" / ".logs").iterdir() if not p.is_symlink()}
    own = [{p.name: p.stat().st_ino for p in (f / ".logs").iterdir()} for f in folders]
    t.ok(shown in own, "the published logs are those of one of them, whole")
    t.equal(sorted(os.listdir(here / "out")), [".logs", "reports", "runs"], "nothing else is left behind")


def test(t):
    here = check_two_chips(t)
    check_logs_only(t, here)
    check_opened_once(t, here)
    check_device_only(t, here)
    check_unsynced(t)
    check_messages(t)
    check_same(t)
    check_parallel(t)


tap.main(test)
