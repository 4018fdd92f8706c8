#!/usr/bin/python3
"""test_profile_this.py TTPROF SOURCE_ROOT - a command run once or twice, and its ops report.

The device is read between ops, so that a host's times show it; in a stitched report they must not. The host's clock on the
software device is the device's own: runs of the same kind have the same times to the nanosecond.
"""
import csv
import io
import re

import tap

READING = 100_000  # ns: no op of these takes the host so long without reading
HOST = ["HOST DURATION [ns]", "PROGRAM CACHE HIT", "PROGRAM HASH", "ATTRIBUTES"]


def command(t, what="mlp --size 64 --runs 2"):
    return f"{t.ttprof} sim run {what}"


def profile(t, name, *words, **env):
    """(finished program, rows of the report, folder)"""
    out = t.folder(name)
    done = tap.run([t.ttprof, "profile-this", "-o", out, *words], t.scratch, **env)
    found = sorted(out.glob("reports/*/ops_perf_results_*.csv"))
    text = found[0].read_text(encoding="utf-8") if found else ""
    return done, list(csv.DictReader(io.StringIO(text, newline=""))), out


def ops(rows):
    return [r for r in rows if r["OP TYPE"] == "tt_dnn_device"]


def key(row):
    return row["OP CODE"], row["GLOBAL CALL COUNT"], row["METAL TRACE ID"], row["METAL TRACE REPLAY SESSION ID"]


def device_cells(row):
    return {k: v for k, v in row.items() if k.startswith(("DEVICE", "OP TO OP", "CORE", "METAL TRACE", "PM FPU"))}


def host_cells(rows):
    """By op as it was asked for: replays repeat what their capture has."""
    return {key(r)[:2]: [r[k] for k in HOST] for r in ops(rows)}


def check_stitch(t):
    read = ["--quiet", "--op-support-count", "2", "-c", command(t)]
    one, with_device, _ = profile(t, "one", *read, TTPROF_WATERMARK="1")
    host, without, _ = profile(t, "host", "--host-only", *read, TTPROF_WATERMARK="1")
    both, stitched, out = profile(t, "both", "--stitch", *read, TTPROF_WATERMARK="1")
    t.equal([one.code, host.code, both.code], [0, 0, 0], "one run, one without device profiling, and two runs go well")
    slow = [int(r["HOST DURATION [ns]"]) for r in ops(with_device)]
    t.ok(slow and max(slow) > READING, "times of the host in one run contain reading the device", slow)
    fast = [int(r["HOST DURATION [ns]"]) for r in ops(stitched)]
    t.ok(fast and max(fast) < READING, "in the stitched report they do not", fast)
    t.equal(host_cells(stitched), host_cells(without), "its host's half is that of a run without device profiling")
    t.equal([key(r) for r in stitched], [key(r) for r in with_device], "its rows are those of one run, replays too, in the same order")
    t.equal([device_cells(r) for r in stitched], [device_cells(r) for r in with_device], "its device's half is that of the run with it")
    t.equal(len({r["METAL TRACE REPLAY SESSION ID"] for r in stitched}), 3, "both replays are there")
    t.equal(sum(1 for _ in out.glob("runs/*/manifest.json")), 2, "both runs are kept")
    starts = [int(r["HOST START TS"]) for r in stitched if not r["METAL TRACE ID"]]
    t.equal(starts, sorted(starts), "rows that are no replays follow the clock of the second run")


def check_replays_without_device(t):
    """A run that leaves the device alone tells of its replays all the same."""
    done, rows, out = profile(t, "traces", "--host-only", "-c", command(t))
    t.ok(b"has no effect" not in done.stderr, "nothing is said to have no effect", done)
    told = tap.run([t.ttprof, "zones", "-m", out], t.scratch).stdout.decode()
    counts = {what: len(re.findall(f"TT_METAL_TRACE_{what}: 0, 0", told)) for what in ("BEGIN", "ENQUEUE_PROGRAM", "END", "REPLAY", "RELEASE")}
    t.equal(counts, {"BEGIN": 1, "ENQUEUE_PROGRAM": 3, "END": 1, "REPLAY": 2, "RELEASE": 1}, "every event of a trace is told once")
    t.equal([r["DEVICE KERNEL DURATION [ns]"] for r in ops(rows)], [""] * 6, "its report has every op, and no device's numbers")


def check_other_run(t):
    """A command that does something else when it runs again."""
    flag = t.scratch / "flag"
    again = command(t, "mlp --size 64")
    first = command(t, "mlp --size 96")
    done, rows, out = profile(t, "differ", "--stitch", "--quiet", "-c", f"if [ -e {flag} ]; then {again}; else touch {flag}; {first}; fi")
    text = done.stderr.decode()
    t.ok("profile-this: matched 0 ops of both runs" in text, "ops of other shapes do not belong together", text)
    t.ok("the runs differ: MatmulDeviceOperation with the same tensors on device 0: 1 without device profiling, 0 with it; "
         "3 ops have no device numbers, 3 measurements are left out" in text, "what differs is said", text)
    t.equal((done.code, [r["DEVICE KERNEL DURATION [ns]"] for r in ops(rows)]), (0, [""] * 3), "no op has the numbers of another one")
    flag.unlink()
    longer = command(t, "mlp --size 64 --runs 1")
    done, rows, out = profile(t, "longer", "--stitch", "--quiet", "-c", f"if [ -e {flag} ]; then {longer}; else touch {flag}; {again}; fi")
    measured = [r["DEVICE KERNEL DURATION [ns]"] != "" for r in ops(rows)]
    t.equal(measured, [True] * 3 + [False] * 3, "ops that both runs have keep their numbers, the others have none")
    t.ok(b"matched 3 ops of both runs" in done.stderr and b"3 ops have no device numbers, 0 measurements are left out" in done.stderr,
         "and both are counted", done)


# --- exit codes and bad input ----------------------------------------------------------------
def check_codes(t):
    for words, code, what in [(["-c", "exit 3"], 3, "of the command"), (["--stitch", "-c", "exit 3"], 3, "of the first run"),
                              (["--ignore-exit-code", "-c", "exit 3"], 0, "0 when it is not wanted"),
                              (["--stitch", "--ignore-exit-code", "-c", "exit 3"], 0, "0 for two runs, too"),
                              (["-c", "kill -9 $$"], 137, "128 + 9 after a signal"), (["-c", "no_such_program_1"], 127, "of a shell that finds nothing")]:
        done, rows, out = profile(t, "code", *words)
        t.equal((done.code, rows), (code, []), f"exit code: {what}")
        t.equal(done.stderr.decode().count("no device was profiled: nothing to report"), 1, f"{what}: nothing to report on is said once")
        t.ok(not list(out.glob("reports/*")), f"{what}: no folder is left behind for it")
    flag = t.scratch / "second"
    done, _, _ = profile(t, "second", "--stitch", "-c", f"if [ -e {flag} ]; then exit 5; fi; touch {flag}")
    t.equal(done.code, 5, "exit code: of the second run when only that one failed")


BAD = [
    ([], "no command given; use -c \"pytest tests/test_model.py\""),
    (["-c", "  "], "no command given; use -c \"pytest tests/test_model.py\""),
    (["-c", "true", "false"], "unexpected argument 'false'; quote the whole command after -c: ttprof profile-this -c \"pytest tests/test_model.py\""),
    (["--stitch", "--host-only", "-c", "true"], "--stitch, --device-only and --host-only exclude each other"),
    (["-d", "-m", "-c", "true"], "--stitch, --device-only and --host-only exclude each other"),
]


def check_bad_input(t):
    for words, text in BAD:
        done = tap.run([t.ttprof, "profile-this", *words], t.scratch)
        t.equal((done.code, done.stdout, done.stderr.decode()), (2, b"", f"ttprof: profile-this: {text}\n"), f"bad input: {' '.join(words) or 'nothing'}")
    blocked = t.scratch / "file"
    blocked.write_text("")
    done = tap.run([t.ttprof, "profile-this", "-o", blocked, "-c", "true"], t.scratch)
    t.ok(done.code == 0 and f"{blocked}: cannot create folder: File exists; choose another one; the command runs without being recorded "
         "(-o chooses the folder)" in done.stderr.decode(), "a folder that cannot be made is named, the command runs all the same", done)


def test(t):
    check_stitch(t)
    check_replays_without_device(t)
    check_other_run(t)
    check_codes(t)
    check_bad_input(t)


tap.main(test)
