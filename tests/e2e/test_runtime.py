#!/usr/bin/python3
"""test_runtime.py TTPROF SOURCE_ROOT - a program that is linked with the runtime's library, and what is recorded of it.

tests/runtime/app.c runs ops, captures and replays a trace, sets markers and runs an op of the host.
"""
import collections
import csv
import json
import re

import tap

MARKERS = 10  # five before the read-out, five behind it
LIBRARIES = ["-lz", "-lzstd", "-llz4", "-lm", "-pthread"]


def compile_program(t, name, *libraries, source="app.c"):
    path = t.scratch / name
    done = tap.run(["cc", "-O2", "-Wall", "-I", t.root / "include", t.root / "tests/runtime" / source, *libraries, "-o", path], t.scratch)
    return path if t.ok(done.code == 0, f"{name} is linked", done) else None


def check_results(t, program, name):
    done = tap.run([program], t.scratch)
    t.equal((done.code, done.stdout, done.stderr), (0, b"-12 1 2\n", b""), f"{name}: results are right, nothing else is said")


def check_errors(t, program):
    done = tap.run([program, "board=n999"], t.scratch)
    t.equal((done.code, done.stdout), (1, b""), "a device that there is not: exit code")
    t.ok(re.fullmatch(rb"app: .*n999.*\n", done.stderr), "a device that there is not is named", done)
    done = tap.run([program], t.scratch, TT_METAL_DEVICE_PROFILER="1", TTPROF_LEVEL="much")
    t.ok(done.code == 1 and re.fullmatch(rb"app: .*TTPROF_LEVEL.*\n", done.stderr), "a variable that makes no sense is named", done)


def messages(t, out):
    done = tap.run([t.ttprof, "zones", "-m", "-s", ";", out], t.scratch)
    rows = csv.reader(done.stdout.decode().splitlines(keepends=True), delimiter=";", quotechar="`")
    return [row[0] for row in rows]


def check_recording(t, program):
    out = t.folder("run")
    done = tap.run([t.ttprof, "run", "--quiet", "-o", out, "--", program], t.scratch, TTNN_OP_PROFILER="1", TT_METAL_PROFILER_TRACE_TRACKING="1")
    t.equal((done.code, done.stdout), (0, b"-12 1 3\n"), "the recorded run has the same results, and a program of markers")
    texts = messages(t, out)
    heads = collections.Counter(m.split(":")[0] for m in texts)
    traces = {k: v for k, v in heads.items() if k.startswith("TT_METAL_TRACE")}
    want = {"BEGIN": 1, "ENQUEUE_PROGRAM": 1, "END": 1, "REPLAY": 3, "RELEASE": 1}
    t.equal(traces, {f"TT_METAL_TRACE_{k}": v for k, v in want.items()}, "every event of a trace is told once")
    ops = [m for m in texts if m.startswith("TT_DNN_DEVICE_OP")]
    t.equal(len(ops), 3 + MARKERS, "every op is told once, a captured one too")
    t.equal([m.split(",")[3].strip() for m in ops], ["false", "true", "false", "false"] + ["true"] * (MARKERS - 1), "hits are told as they were")
    ids = [int(re.split(r" ->|$", m.split("\n")[0].split(", ")[4])[0]) for m in ops]
    t.equal(ids, list(range(ids[0], ids[0] + 1024 * len(ops), 1024)), "ids count up by 1024")
    t.equal(sum("half_way" in m for m in ops), 1, "the marker's identifier is in its record")
    t.equal(heads["TT_DNN_FALL_BACK_OP"], 1, "the op of the host is told")
    log = next(out.rglob("profile_log_device.csv"))
    rows = list(csv.DictReader(log.read_text(encoding="utf-8").splitlines()[1:], skipinitialspace=True))
    runs = {(int(r["run host ID"]), r["trace id counter"]) for r in rows if r["zone name"] == "BRISC-FW"}
    captured = ids[2]
    want = {(i, "") for i in ids if i != captured} | {(captured, str(n)) for n in (1, 2, 3)}
    t.equal(runs, want, "the device ran every op once, the captured one in replays only")


def check_report(t, program):
    """The whole set of 'ttprof run -r': every op of the program with its device's numbers, markers, and the op of the host."""
    out = t.folder("report")
    done = tap.run([t.ttprof, "run", "--quiet", "-r", "-o", out, "--", program], t.scratch)
    found = list(out.glob("reports/*/ops_perf_results_*.csv"))
    if not t.ok(done.code == 0 and len(found) == 1, "a program of its own gets its ops report", done):
        return
    rows = list(csv.DictReader(found[0].read_text(encoding="utf-8").splitlines()))
    code = collections.Counter((r["OP CODE"], r["OP TYPE"], r["DEVICE KERNEL DURATION [ns]"] != "") for r in rows)
    t.equal(code, {("BinaryNgDeviceOperation", "tt_dnn_device", True): 2, ("UnaryDeviceOperation", "tt_dnn_device", False): 1,
                   ("UnaryDeviceOperation", "tt_dnn_device", True): 3, ("ProfilerNoopOperation", "tt_dnn_device", True): MARKERS,
                   ("count", "python_fallback", False): 1}, "ops, what was captured, its three replays, markers, the host's own")
    t.equal([r["PROGRAM CACHE HIT"] for r in rows if r["OP CODE"].startswith("Binary")], ["False", "True"], "the second sum is in the program cache")
    t.equal([r["METAL TRACE REPLAY SESSION ID"] for r in rows if r["METAL TRACE ID"]], ["1", "2", "3"], "replays are numbered")
    t.ok(all(int(r["HOST DURATION [ns]"]) > 0 for r in rows), "every op has the host's time")
    t.ok((out / "runs").is_dir() and (out / ".logs" / "tracy_ops_data.csv").exists(), "the run and its logs are there")


def check_host_only(t, program):
    """Replays are told of also when the device is not profiled."""
    out = t.folder("host")
    done = tap.run([t.ttprof, "run", "--quiet", "-r", "--no-device", "-o", out, "--", program], t.scratch)
    heads = collections.Counter(m.split(":")[0] for m in messages(t, out))
    want = {"BEGIN": 1, "ENQUEUE_PROGRAM": 1, "END": 1, "REPLAY": 3, "RELEASE": 1}
    t.equal({k: heads[f"TT_METAL_TRACE_{k}"] for k in want}, want, "without device profiling every event of a trace is told once, too")
    t.ok(done.code == 0 and b"has no effect" not in done.stderr, "and nothing is said to have no effect", done)


def check_without(t, program):
    out = t.folder("run")
    tap.run([t.ttprof, "run", "--quiet", "--no-device", "-o", out, "--", program], t.scratch)
    t.ok(not any(m.startswith("TT_DNN") for m in messages(t, out)), "ops are told only when TTNN_OP_PROFILER asks for it")


def check_naive(t, program):
    done = tap.run([program], t.scratch, TTML_NAIVE_PROFILER="1")
    t.ok(re.fullmatch(rb"\[NAIVE_PROFILER\] half_way timestamp_us=\d+\n-12 1 2\n", done.stdout), "the naive profiler prints a time", done)


WORK_NS = 30000000  # of host_time.c


def zone_rows(t, out):
    done = tap.run([t.ttprof, "zones", out, "--csv", "-"], t.scratch)
    return {r["Zone"]: r for r in csv.DictReader(done.stdout.decode().splitlines())}, done.stderr.decode()


def check_host_time(t, program):
    """The host's own work takes its real time, whether a device is open or not; a virtual clock is never taken for a real one."""
    out = t.folder("warp")
    done = tap.run([t.ttprof, "run", "--no-device", "-o", out, "--", program], t.scratch)
    rows, said = zone_rows(t, out)
    times = {name: int(rows[name]["Total [ns]"]) for name in ("before", "after", "closed")}
    t.ok(done.code == 0 and all(n >= WORK_NS for n in times.values()), "the same work takes as long after opening a device as before", (done, times))
    shares = [float(r["Total % [%]"]) for r in rows.values()]
    t.ok(sum(float(rows[name]["Total % [%]"]) for name in times) <= 100.01 and min(shares) >= 0, "shares are those of the program's own time", rows)
    t.ok("virtual" not in said and b"virtual" not in done.stderr, "and nothing is virtual", (said, done))
    manifest = json.loads(next(out.glob("runs/*/manifest.json")).read_text(encoding="utf-8"))
    t.equal([p["clock"] for p in manifest["clock"]["processes"]], ["program"], "the manifest names the clock")
    out = t.folder("det")
    done = tap.run([t.ttprof, "run", "--no-device", "-o", out, "--", program], t.scratch, TTPROF_DEVICE="clockmode=det")
    t.ok(b"virtual" not in done.stderr, "a program's own configuration comes before that of the environment", done)


def check_virtual(t):
    out = t.folder("virtual")
    done = tap.run([t.ttprof, "run", "--no-device", "-o", out, "--", t.ttprof, "sim", "run", "mlp", "--size", "64"], t.scratch)
    t.ok(b"host times of 1 process are virtual" in done.stderr and b"clockmode=det" in done.stderr, "workloads run on a virtual clock, and the run says so", done)
    rows, said = zone_rows(t, out)
    t.ok(len(rows) > 3 and {r["Total % [%]"] for r in rows.values()} == {""}, "virtual times have no share of real time", rows)
    t.ok("clockmode=det" in said, "and it is said why", said)
    done = tap.run([t.ttprof, "zones", "--csvexport", out], t.scratch)
    t.equal({r["total_perc"] for r in csv.DictReader(done.stdout.decode().splitlines())}, {""}, "the forms of csvexport have none, either")
    manifest = json.loads(next(out.glob("runs/*/manifest.json")).read_text(encoding="utf-8"))
    t.equal([p["clock"] for p in manifest["clock"]["processes"]], ["virtual"], "the manifest names the clock")
    done = tap.run([t.ttprof, "info", out], t.scratch)
    t.ok(re.search(rb"clock +virtual \(clockmode=det\)", done.stdout), "so does info", done)
    out = t.folder("real")
    done = tap.run([t.ttprof, "run", "--no-device", "-o", out, "--", t.ttprof, "sim", "run", "mlp", "--size", "64", "--device", "clockmode=warp"], t.scratch)
    rows, said = zone_rows(t, out)
    t.ok(done.code == 0 and "virtual" not in said and all(r["Total % [%]"] for r in rows.values()), "a workload may run on the other clock", (done, said))


def test(t):
    build = t.ttprof.parent
    shared = compile_program(t, "shared", f"-L{build}", "-lttprof-runtime", f"-Wl,-rpath,{build}")
    static = compile_program(t, "static", build / "libttprof-runtime.a", build / "libttprof.a", *LIBRARIES)
    for name, program in (("shared", shared), ("static", static)):
        if program:
            check_results(t, program, name)
    if shared:
        check_errors(t, shared)
        check_recording(t, shared)
        check_report(t, shared)
        check_host_only(t, shared)
        check_without(t, shared)
        check_naive(t, shared)
    timed = compile_program(t, "timed", f"-L{build}", "-lttprof-runtime", "-lttprof", f"-Wl,-rpath,{build}", source="host_time.c")
    if timed:
        check_host_time(t, timed)
    check_virtual(t)


tap.main(test)
