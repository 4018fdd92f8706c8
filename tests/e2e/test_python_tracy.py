#!/usr/bin/python3
"""test_python_tracy.py TTPROF SOURCE_ROOT - `python3 -m tracy` option by option, short and long names, with conflicts,
messages and exit codes; the same words as those of `ttprof run`."""
import json
import os
import pathlib
import signal
import subprocess
import sys

import tap
from pythons import Recorded, environment, tracy

PRINT = "import json, os, sys\nprint(json.dumps([dict(os.environ), sys.argv]))\n"


def printed(t, *options, words=(), **env):
    """The variables and words that a script gets, its folder, and how it ended."""
    folder = t.folder("tracy")
    (folder / "script.py").write_text(PRINT)
    done = tracy(t, folder, *options, "script.py", *words, **env)
    variables, argv = json.loads(done.stdout) if done.stdout.startswith(b"[{") else ({}, [])
    return variables, argv, folder, done


# Option -> variables that the program gets.
SWITCHES = {
    ("--no-op-info-cache",): {"TT_METAL_PROFILER_NO_CACHE_OP_INFO": "1"},
    ("--profile-dispatch-cores",): {"TT_METAL_DEVICE_PROFILER_DISPATCH": "1"},
    ("--enable-sum-profiling",): {"TT_METAL_PROFILER_SUM": "1"},
    ("--enable-accumulate-profiling",): {"TT_METAL_PROFILER_ACCUMULATE": "1"},
    ("--dump-device-data-mid-run",): {"TT_METAL_PROFILER_MID_RUN_DUMP": "1"},
    ("--disable-device-data-dump-to-files",): {"TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES": "1"},
    ("--disable-device-data-push-to-tracy",): {"TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY": "1"},
    ("--sync-host-device",): {"TT_METAL_PROFILER_SYNC": "1"},
    ("--device-trace-profiler",): {"TT_METAL_TRACE_PROFILER": "1"},
    ("--collect-noc-traces",): {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS": "1"},
    ("--device-memory-profiler",): {"TT_METAL_MEM_PROFILER": "1"},
    ("--op-support-count", "5"): {"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": "5"},
    ("--op=5",): {"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": "5"},
    ("--profiler-capture-perf-counters", "fpu,pack"): {"TT_METAL_PROFILE_PERF_COUNTERS": "3"},
    ("--profiler-capture-perf-counters=all",): {"TT_METAL_PROFILE_PERF_COUNTERS": "47"},
    ("-t", "8123"): {"TRACY_PORT": "8123"},
    ("--port", "8124"): {"TRACY_PORT": "8124"},
    ("-r",): {"TTNN_OP_PROFILER": "1", "TT_METAL_PROFILER_TRACE_TRACKING": "1"},
    ("--report",): {"TTNN_OP_PROFILER": "1", "TT_METAL_PROFILER_TRACE_TRACKING": "1"},
    (): {"TT_METAL_DEVICE_PROFILER": "1", "TT_METAL_PROFILER_CPP_POST_PROCESS": "1", "TTPROF_PYTHON": "functions", "TTNN_OP_PROFILER": None},
    ("-p",): {"TTPROF_PYTHON": "partial"},
    ("--partial",): {"TTPROF_PYTHON": "partial"},
    ("-l",): {"TTPROF_PYTHON": "functions"},
    ("-pl",): {"TTPROF_PYTHON": "partial,lines"},
    ("--partial", "--lines"): {"TTPROF_PYTHON": "partial,lines"},
    ("--no-python",): {"TTPROF_PYTHON": None},
    ("--no-device",): {"TT_METAL_DEVICE_PROFILER": None, "TT_METAL_PROFILER_CPP_POST_PROCESS": None},
    ("--no-runtime-analysis",): {"TT_METAL_PROFILER_CPP_POST_PROCESS": None},
    ("--no-capture-tool",): {"TTPROF_RUN": None, "TTPROF_PYTHON": None, "TT_METAL_DEVICE_PROFILER": "1"},
    ("--python-include", "a", "--python-include", "b.*"): {"TTPROF_PYTHON_INCLUDE": "a,b.*"},
    ("--python-exclude", "*/x.py"): {"TTPROF_PYTHON_EXCLUDE": "*/x.py"},
    ("--python-depth", "7"): {"TTPROF_PYTHON_DEPTH": "7"},
    ("--web-app-port", "8081"): {},
    ("--tracy-tools-folder", "/"): {},
    ("--child-functions", "a,b"): {},
    ("-a", "device_kernel_duration", "-a", "x"): {},
    ("--device-analysis-types=x",): {},
    ("-v",): {},
    ("--verbose",): {},
    ("--check-exit-code",): {},
}


def check_options(t):
    for options, wanted in SWITCHES.items():
        variables, argv, _, done = printed(t, *options, words=["-r", "a b"], TT_METAL_DEVICE_PROFILER="0", TTNN_OP_PROFILER="")
        found = {name: variables.get(name) for name in wanted}
        if wanted.get("TTNN_OP_PROFILER", "") is None:
            wanted = {**wanted, "TTNN_OP_PROFILER": ""}
        t.ok(done.code == 0 and found == wanted and argv == ["script.py", "-r", "a b"], f"{' '.join(options) or 'no options'}: {wanted or 'accepted'}", (found, done))
    _, _, folder, done = printed(t, "-o", "an/own folder", "-n", "name")
    runs = [p.name for p in (folder / "an/own folder" / "runs").iterdir()]
    t.ok(len(runs) == 1 and runs[0].endswith("_name") and (folder / "an/own folder" / ".logs").exists(), "-o and -n choose the folder and the name", done)
    _, _, folder, done = printed(t, "--output-folder=long", "--name-append", "n")
    t.ok(list((folder / "long" / "runs").glob("*_n")), "--output-folder and --name-append", done)
    variables, _, folder, done = printed(t)
    t.ok(pathlib.Path(variables["TT_METAL_PROFILER_DIR"]).parent == folder / "generated" / "profiler" / "runs", "the default is generated/profiler", done)
    _, _, folder, done = printed(t, TT_METAL_PROFILER_DIR="elsewhere")
    t.ok((folder / "elsewhere" / "runs").exists(), "or TT_METAL_PROFILER_DIR", done)
    done = printed(t, "-v")[3]
    t.ok(f"command: {sys.executable} script.py".encode() in done.stderr, "-v shows the command: the interpreter itself", done)


WRONG = [
    (["-r", "--enable-accumulate-profiling", "script.py"], 2, "-r (ops report) cannot be used with --enable-accumulate-profiling: accumulate mode does not "
     "store per-op IDs, so no ops report can be generated"),
    (["--tracy-tools-folder", "nosuch", "script.py"], 1, "Tracy tools folder nosuch does not exist"),
    (["--dump-device-data-mid-run", "--device-trace-profiler", "script.py"], 1, "Cannot use --dump-device-data-mid-run and --device-trace-profiler together"),
    (["--dump-device-data-mid-run", "--profile-dispatch-cores", "script.py"], 1, "Cannot use --dump-device-data-mid-run and --profile-dispatch-cores together"),
    (["--nosuch", "script.py"], 2, "unknown option '--nosuch'"),
    (["--op-support-count", "x", "script.py"], 2, "'x' is not a valid integer"),
    (["-t"], 2, "needs a value"),
    (["--profiler-capture-perf-counters", "fpu,l1_2", "script.py"], 1, "Performance counter groups l1_2 are supported only on Blackhole, but device arch is undeclared."),
    (["--check-exit-code", "--ignore-exit-code", "script.py"], 2, "exclude each other"),
]


def check_conflicts(t):
    for words, code, message in WRONG:
        folder = t.folder("wrong")
        (folder / "script.py").write_text("print('ran')\n")
        done = tracy(t, folder, *words)
        t.ok(done.code == code and message.encode() in done.stderr and b"ran" not in done.stdout, f"{' '.join(words)[:60]}: {code}, {message[:60]}", done)
    folder = t.folder("none")
    t.equal(tracy(t, folder).code, 2, "no words at all: 2")
    for words in (["-p"], ["-o", "out"], ["-m"]):
        done = tracy(t, folder, *words)
        t.ok(done.code == 0 and b"Usage" in done.stdout, f"{' '.join(words)} without a command: the usage, 0", done)
    t.ok(tracy(t, folder, "--help").code == 0, "--help")


def check_exits(t):
    folder = t.folder("exits")
    (folder / "script.py").write_text("import sys\nsys.exit(int(sys.argv[1]))\n")
    for options, code in (([], 9), (["--ignore-exit-code"], 0), (["--check-exit-code"], 4)):
        done = tracy(t, folder, "--no-device", "-o", "out", *options, "script.py", "9")
        t.equal(done.code, code, f"a script that exits with 9 {' '.join(options)}: {code}")
    (folder / "loop.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(900)\n")
    started = subprocess.Popen([sys.executable, "-m", "tracy", "--no-device", "-o", "out", "loop.py"], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=tap.environment(**environment(t)))
    started.stdout.readline()
    started.send_signal(signal.SIGTERM)
    t.equal(started.wait(tap.SECONDS), 3, "a run that is interrupted: 3")
    started.stdout.close()


def check_logs_only(t):
    _, _, folder, done = printed(t, "-r", "-o", "out")
    again = tracy(t, folder, "--process-logs-only", "-o", "out")
    t.ok(done.code == again.code == 0 and (folder / "out" / ".logs" / "tracy_ops_times.csv").exists(), "--process-logs-only: tables of an earlier run", again)


def check_files(t):
    folder = t.folder("files")
    (folder / "plain").write_text("#!/bin/sh\necho shell \"$@\"\nexit 6\n")
    (folder / "plain").chmod(0o755)
    done = tracy(t, folder, "-o", "out", "./plain", "a  b")
    t.ok((done.code, done.stdout) == (6, b"shell a  b\n"), "a shell script", done)
    (folder / "named").write_text(f"#!{sys.executable}\nimport sys\ndef f(): print(sys.argv)\nf()\n")
    (folder / "named").chmod(0o755)
    done = tracy(t, folder, "--no-device", "-o", "out", "./named", "x")
    t.ok(done.stdout == b"['./named', 'x']\n" and Recorded(t, folder, done, "out").counts()["f"] == 1, "a Python file without .py", done)
    done = tracy(t, folder, "-o", "out", os.fspath(t.ttprof), "--version")
    t.ok(done.code == 0 and done.stdout.startswith(b"ttprof"), "a native program", done)
    done = tracy(t, folder, "-o", "out", "-m", "json.tool --help")
    t.ok(done.code == 0 and b"json.tool" in done.stdout, "-m with one word that holds the whole command", done)
    other = t.folder("empty")
    done = tap.run([sys.executable, "-m", "tracy", "x.py"], other, PYTHONPATH=str(t.root / "python"), TTPROF_LIBRARY=str(other), PATH="/usr/bin:/bin")
    found = tap.run(["which", "ttprof"], other, PATH="/usr/bin:/bin").code == 0 or (t.root / "build" / "ttprof").exists()
    t.ok(found or (done.code == 1 and b"ttprof was not found" in done.stderr), "without ttprof it says so", done)


def test(t):
    check_options(t)
    check_conflicts(t)
    check_exits(t)
    check_logs_only(t)
    check_files(t)


if __name__ == "__main__":
    tap.main(test)
