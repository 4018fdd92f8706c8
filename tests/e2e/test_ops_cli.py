#!/usr/bin/python3
"""test_ops_cli.py TTPROF SOURCE_ROOT - `ttprof ops` on logs that are written by hand: inputs, outputs, messages."""
import csv
import io
import json
import os
import re
import tarfile

import ops_logs
import tap

NAMES = ["MatmulDeviceOperation", "SoftmaxDeviceOperation", "BinaryNgDeviceOperation"]
HEAD = """\
Op                       Call   Device  Cores  Kernel   Share   Gap before  FPU     State
-----------------------------------------------------------------------------------------
BinaryNgDeviceOperation   3072       0      8  2.00 μs  50.0 %     8.00 μs  25.0 %  ok   
MatmulDeviceOperation     1024       0      8  1.00 μs  25.0 %     0.00 μs  50.0 %  ok   
... and 1 more, all shorter

3 ops, 3 measured on devices, 2 signposts; kernel time 4.00 μs, between ops 17.00 μs
device 0: expected 3, measured 3, 100 %
"""


def whole(folder, devices=(0,)):
    """Logs in which nothing is missing."""
    ops_logs.write_host(folder, NAMES, devices)
    ops_logs.write_cpp(folder, [ops_logs.cpp_row(n, d, kernel=2000 if n == 2 else 1000) for d in devices for n in range(len(NAMES))])


def ops(t, folder, *words, **env):
    return tap.run([t.ttprof, "ops", *words], folder, **env)


def rows_of(text):
    return [*csv.DictReader(io.StringIO(text, newline=""))]


def table(t, folder, *words):
    done = ops(t, folder, *words, "--csv", "-")
    return rows_of(done.stdout.decode()), done


def check_printed(t):
    folder = t.folder("printed")
    whole(folder / "logs")
    done = ops(t, folder, "logs", "--print", "2", "--csv", "ops.csv")
    t.equal(done.stdout.decode(), HEAD, "the longest ops, the sums and the coverage are printed")
    t.equal(done.stderr.decode(), "ttprof: ops: table written to ops.csv\n", "where the table is, is told on standard error")
    done = ops(t, folder, "logs", "--csv", "-")
    t.ok(done.stdout.startswith(b"OP CODE,OP TYPE,") and done.stdout.count(b"\r\n") == 6, "--csv - prints the table alone", done)
    t.equal(done.stderr.decode(), "ttprof: ops: device 0: expected 3, measured 3, 100 %\n", "the coverage is told beside it")
    done = ops(t, folder, "logs", "-q", "--csv", "again.csv")
    t.ok(not done.stdout and not done.stderr and (folder / "again.csv").read_bytes() == (folder / "ops.csv").read_bytes(),
         "--quiet says nothing; the same logs give the same bytes", done)


def check_explained(t):
    """docs/ops-report.md has every column, every metric of the counters and every state."""
    page = (t.root / "docs/ops-report.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`([^`\n]+)`", page.split("\n## Columns\n")[1].split("\n## Device only\n")[0]))
    folder = t.folder("explained")
    whole(folder / "logs")
    done = ops(t, folder, "logs", "--add", "state,net,seed,site", "--csv", "-")
    columns = next(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
    forms = [(r"^OUTPUT_\d+_.*", "OUTPUT_<i>_…"), (r"^INPUT_\d+_", "INPUT_<i>_"), (r"^.* MAX KERNEL SIZE \[B\]$", "<class> <n> MAX KERNEL SIZE [B]"),
             (r"^.*_TT_HOST_FUNC \[ns\]$", "<name>_TT_HOST_FUNC [ns]"), (r"^\w+ (Count|Average \[ns\])$", r"<call> \1")]
    names = []
    for column in columns:
        for pattern, form in forms:
            column = re.sub(pattern, form, column) if not column.startswith(("GLOBAL", "CORE COUNT")) else column
        names.append(column)
    t.ok(len(names) > 80, "the table has all its columns", names)
    t.equal([n for n in names if n not in explained], [], "every column is explained")
    metrics = re.findall(r'(?:PERCENT\(|\.name = )"([^"]+)"', (t.root / "src/analyse/counters/counter_formulas.c").read_text(encoding="utf-8"))
    t.ok(len(metrics) > 70, "the metrics of counters are found", len(metrics))
    t.equal([m for m in metrics if m != "T" and m not in explained], [], "every metric is explained")
    states = re.findall(r'^    \[OP_\w+\] = "([a-z ]+)",', (t.root / "src/analyse/ops/op_report.c").read_text(encoding="utf-8"), re.M)
    t.ok(len(states) >= 12, "the states are found", states)
    t.equal([s for s in states[:12] if f"| `{s}` |" not in page], [], "every state is explained")


def check_places(t):
    """Where logs are found, and where reports go."""
    folder = t.folder("places")
    root = folder / "generated" / "profiler"
    whole(root / ".logs")
    expected = ops(t, folder, root / ".logs", "--csv", "-").stdout
    for what, words, where, env in (
        ("the default folder", [], folder, {}), ("a profiler's folder", [root], folder, {}), ("its .logs", [root / ".logs"], folder, {}),
        ("TT_METAL_PROFILER_DIR", [], "/", {"TT_METAL_PROFILER_DIR": str(root)}),
        ("TT_METAL_HOME", [], "/", {"TT_METAL_HOME": str(folder)})):
        done = ops(t, where, *words, "--csv", "-", **env)
        t.ok(done.code == 0 and done.stdout == expected, f"logs are found by {what}", done)
    made = ops(t, folder)
    report = re.search(r"OPs csv generated at: (\S+)", made.stderr.decode())
    name = r"generated/profiler/reports/(\d{4}(?:_\d\d){5})/ops_perf_results_\1\.csv"
    t.ok(report and re.fullmatch(name, report.group(1)), "the report goes beside .logs, under its time", made)
    t.equal((folder / report.group(1)).read_bytes(), expected, "it is the table")
    ops(t, folder, root / ".logs", "-o", "out", "-n", "model", "--no-date")
    t.equal(sorted(p.name for p in (folder / "out/reports/model").iterdir()), ["ops_perf_results_model.csv", "ops_perf_results_model.tgz", "tracy_ops_data.csv", "tracy_ops_times.csv"],
            "-o, -n and --no-date name folder and files")
    (folder / "out/reports/model/mine.txt").write_text("mine")
    ops(t, folder, root / ".logs", "-o", "out", "-n", "model", "--no-date")
    t.ok((folder / "out/reports/model/mine.txt").exists(), "files of others stay in a folder that is used again")
    for _ in range(2):
        ops(t, folder, "-o", "many", "-q")
    t.equal(len(os.listdir(folder / "many/reports")), 2, "two reports of one second have two folders")
    with tarfile.open(folder / "out/reports/model/ops_perf_results_model.tgz") as archive:
        t.equal(sorted(m.name.removeprefix("./") for m in archive if m.isfile()),
                ["ops/tracy_ops_data.csv", "ops/tracy_ops_times.csv", "ops_device/cpp_device_perf_report.csv"], "the archive holds the logs")


def check_device_only(t):
    folder = t.folder("device")
    log = t.device_log(folder / "profile_log_device.csv", "--ops", "4")
    made = ops(t, folder, log, "-o", "out", "--no-date")
    files = ["ops_perf_results.csv", "ops_perf_results.tgz", "per_core_op_to_op_times.csv", "profile_log_device.csv"]
    t.ok(made.code == 0 and sorted(os.listdir(folder / "out/reports")) == files, "a log alone gives tables and copies", made)
    rows = rows_of((folder / "out/reports/ops_perf_results.csv").read_text())
    t.ok(len(rows) == 4 and all(r["DEVICE KERNEL DURATION [ns]"] for r in rows), "each op of it has a row", rows)
    ops(t, folder, log, "-o", "bare", "--no-date", "--no-artifacts")
    t.equal(sorted(os.listdir(folder / "bare/reports")), [files[0], files[2]], "--no-artifacts: no copies")
    whole(folder)
    rows, _ = table(t, folder, ".", "--device-only")
    t.ok(len(rows) == 4 and "OP CODE" not in rows[0], "--device-only takes no notice of the host", rows[:1])
    done = ops(t, folder, ".", "--force-legacy-device-logs", "--csv", "-")
    t.ok(done.code == 0 and b"DEVICE ARCH" in done.stdout, "--force-legacy-device-logs takes the log", done)
    os.remove(folder / "cpp_device_perf_report.csv")
    done = ops(t, folder, ".", "--csv", "forced.csv")
    t.ok(b"Device perf report ./cpp_device_perf_report.csv not found. Falling back to legacy device-log parsing" in done.stderr,
         "without the runtime's report the log is taken, and that is told", done)
    rows, _ = table(t, folder, ".", "--device-only", "-a", "device_fw_duration")
    t.ok(rows and "DEVICE FW DURATION [ns]" in rows[0] and "DEVICE BRISC KERNEL DURATION [ns]" not in rows[0],
         "-a takes one analysis only", rows[:1])


def check_states(t):
    """What is missing has a state, and a line tells how much it is."""
    folder = t.folder("states")
    ops_logs.write_host(folder, NAMES)
    ops_logs.write_cpp(folder, [ops_logs.cpp_row(0), ops_logs.cpp_row(7)])
    rows, done = table(t, folder, ".", "--add", "state,net,seed")
    t.ok(done.code == 0 and b"device 0: expected 3, measured 1, 33.3 %" in done.stderr, "the coverage counts what is missing", done)
    t.equal([r["ROW STATE"] for r in rows], ["signpost", "ok", "not measured", "not measured", "signpost"], "rows have their states")
    t.equal(rows[2]["CELL STATES"], "all of the device=missing", "cells, too")
    t.ok(rows[1]["CALL DEPTH"] == "1" and rows[1]["LaunchProgram Count"] == "0", "columns of 2023 on demand", rows[1])
    plain, _ = table(t, folder, ".")
    t.ok("ROW STATE" not in plain[0] and len(plain) == 5, "none of them is there unasked", plain[0])
    shown, _ = table(t, folder, ".", "--unmatched")
    t.equal([(r["GLOBAL CALL COUNT"], r["OP CODE"]) for r in shown[5:]], [("8192", "")], "--unmatched shows what no host op is known of")
    done = ops(t, folder, ".", "--strict", "-q", "--csv", "strict.csv")
    t.ok(done.code == 1 and (folder / "strict.csv").exists(), "--strict makes it an exit code; the table is there", done)
    done = ops(t, folder, ".", "--json", "-")
    document = json.loads(done.stdout)
    parts = {p["id"]: p["rows"] for p in document["tables"]}
    t.equal((document["kind"], [r["ROW STATE"] for r in parts["ops"]], parts["ops"][2]["CELL STATES"]),
            ("ops-report", [r["ROW STATE"] for r in rows], {"*": "missing"}), "JSON has the states of rows and cells")
    t.equal((parts["coverage"][0]["Expected"], parts["coverage"][0]["Measured"], parts["coverage"][0]["Without a host op"]), (3, 1, 1),
            "and the coverage")
    t.ok(parts["diag"] and len(parts["states"]) > 10, "and what was odd, and what the states mean", parts["diag"])
    done = ops(t, folder, ".", "--html", "page.html")
    page = (folder / "page.html").read_text()
    t.ok(done.code == 0 and page.startswith("<!DOCTYPE html>") and '"kind":"ops-report"' in page and "not measured" in page,
         "the page holds the same", done)


def check_read_back(t):
    """What is written is read by the performance report."""
    folder = t.folder("back")
    whole(folder / "logs", (0, 1))
    ops(t, folder, "logs", "--csv", "ops.csv")
    done = tap.run([t.ttprof, "report", "ops.csv", "--json", "--ignore-signposts"], folder)
    rows = next(p for p in json.loads(done.stdout)["tables"] if p["id"] == "ops")["rows"] if done.code == 0 else []
    t.equal([r["OP Code"].split()[0] for r in rows], ["start", *NAMES, "stop"], "`ttprof report` reads the table")


FOLDERS = "name a profiler folder, its .logs, a run or a device log"
# Columns: what, arguments, exit code, the last line of standard error behind "ttprof: ops: ".
BAD = [
    ("no logs at all", "empty", 0, "No device logs found"),
    ("a folder that is not there", "nowhere", 3, f"nowhere: No such file or directory; {FOLDERS}"),
    ("nothing in the default folder", "", 3, f"generated/profiler: No such file or directory; {FOLDERS}"),
    ("two folders", "logs logs", 2, "unexpected argument 'logs'"),
    ("a file that is no log", "file", 4, None),
    ("an analysis that is none", "logs -a fw", 2, "option '--device-analysis-types': fw is not calculated in device analysis"),
    ("columns that are none", "logs --add state,colour", 2, "--add: unknown columns 'colour'; valid: state, net, seed, site"),
    ("rows below zero", "logs --print -1", 2, "--print must not be negative, got -1"),
    ("a name with a slash", "logs -n a/b", 2, "--name-append: 'a/b' must not contain '/'; it becomes part of file names"),
    ("a date and none", "logs --date --no-date", 2, "--date and --no-date exclude each other"),
    ("an archive and none", "logs --tarball --no-artifacts", 2, "--tarball and --no-artifacts exclude each other"),
    ("two documents for one place", "logs --csv - --json -", 2, "only one of --csv -, --json - and --html - can go to stdout"),
    ("two documents in one file", "logs --csv out --json out", 2, "'out' would be written twice; use a different file for each output"),
    ("an input as output", "logs --csv logs/tracy_ops_data.csv", 2, "'logs/tracy_ops_data.csv' is an input; choose another output file"),
    ("a place that cannot be written", "logs --csv nowhere/out.csv", 3,
     "nowhere/out.csv: cannot write: No such file or directory; choose another file"),
    ("a folder that cannot be made", "logs -o file", 3, "file: cannot create folder: File exists; choose another one"),
]


def check_bad(t):
    folder = t.folder("bad")
    whole(folder / "logs")
    (folder / "empty").mkdir()
    (folder / "file").write_text("no log\n")
    for what, words, code, message in BAD:
        done = ops(t, folder, *words.split())
        last = done.stderr.decode().splitlines()[-1:] or [""]
        told = message is None or last[0] == f"ttprof: ops: {message}"
        t.ok(done.code == code and told and last[0].startswith("ttprof: ops: "), f"bad input: {what}", done)
    left = sorted(os.listdir(folder))
    t.equal(left, ["empty", "file", "logs"], "nothing is left behind")


def check_foreign(t):
    """A table that is none is told by its name, and the other one is used."""
    folder = t.folder("foreign")
    for name, other, told in (("tracy_ops_data.csv", "name,x\n1,2\n", "is not a table of messages: its first line should be 'MessageName;total_ns'; "),
                              ("tracy_ops_times.csv", "hello\n", "is not a table of host zones: its first line should name the columns name, ")):
        whole(folder / name)
        (folder / name / name).write_text(other)
        rows, done = table(t, folder, name)
        t.ok(done.code == 0 and f"ttprof: ops: {name}/{name}: {told}" in done.stderr.decode(), f"{name} of something else is told", done)
        ops_rows = [r for r in rows if r["OP TYPE"] != "signpost"]
        t.equal([(r["GLOBAL CALL COUNT"], r["DEVICE KERNEL DURATION [ns]"], bool(r["HOST DURATION [ns]"])) for r in ops_rows],
                [(str(1024 * n), "2000" if n == 3 else "1000", "data" in name) for n in (1, 2, 3)], "the report has what the other one tells")


def test(t):
    check_printed(t)
    check_foreign(t)
    check_explained(t)
    check_places(t)
    check_device_only(t)
    check_states(t)
    check_read_back(t)
    check_bad(t)


tap.main(test)
