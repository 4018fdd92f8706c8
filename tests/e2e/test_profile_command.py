#!/usr/bin/python3
"""test_profile_command.py TTPROF SOURCE_ROOT - `ttprof profile`: a quoted command, its device ops as a table with
what the compiler's messages say about each of them."""
import csv
import os
import pathlib
import re
import signal
import subprocess

import tap

TABLE = pathlib.Path("results/perf/device_ops_perf_trace.csv")
LOGS = pathlib.Path("generated/profiler/.logs")
LABELS = ["LOC", "CONST_EVAL_OP", "PROGRAM_METADATA"]
UNLABELLED = ("loc(unknown)", "false", "{}")
# Sends each line of its standard input as a message; | stands for a line break.
TELL = """
#include <stdio.h>
#include <string.h>
#include "ttprof/host.h"
int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\\n")] = '\\0';
        for (char *bar = line; (bar = strchr(bar, '|'));)
            *bar = '\\n';
        if (line[0] == '+')
            ttprof_op(line + 1, strlen(line + 1));
        else
            ttprof_message(line);
    }
}
"""
# Three ops of device 0 that records none by itself: the ids are those of its programs.
OPS = "ttprof sim run full_buffer --grid 1x1 --runs 1"
# Both generations of op messages, one op before any message of the compiler. A line with + is an op record.
MESSAGES = """\
+TT_DNN_DEVICE_OP: "tilize", 122, 0, true, 1024 ->|{"op_code": "tilize"}
MLIR_PROGRAM_METADATA;{'program_index': 0, 'loop_number': 0}
MLIR_OP_LOCATION;loc("up; and away":1:2)
`TT_DNN_DEVICE_OP: "up", 123, 0, false, 2048 ->|{"op_code": "up"}`
MLIR_OP_LOCATION;loc("gelu, say")
MLIR_CONST_EVAL_OP;true
+TT_DNN_DEVICE_OP: "gelu", 124, 0, 3072
`TT_DNN_DEVICE_OP: "cut of
"""


def profile(t, here, *words, **env):
    path = f"{t.ttprof.parent}:{os.environ['PATH']}"
    return tap.run([t.ttprof, "profile", *words], here, PATH=path, **env)


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def heads_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        return next(csv.reader(f))


def labels(row):
    return tuple(row[name] for name in LABELS)


def compile_tell(t, here):
    archive = t.ttprof.parent / "libttprof.a"
    (here / "tell.c").write_text(TELL, encoding="utf-8")
    done = tap.run(["cc", "-DTTPROF_ENABLE", f"-I{t.root / 'include'}", "tell.c", "-o", "tell", archive, "-llz4", "-lpthread"], here)
    t.ok(done.code == 0, "a program that sends messages is built", done)


# --- the table -----------------------------------------------------------------------------
def check_table(t):
    here = t.folder("table")
    if b"__asan_init" in subprocess.run(["nm", t.ttprof.parent / "libttprof.a"], stdout=subprocess.PIPE, check=False).stdout:
        t.skip("labels of ops", "the library is built for a sanitizer")
        return
    compile_tell(t, here)
    (here / "messages").write_text(MESSAGES, encoding="utf-8")
    done = profile(t, here, f"./tell < messages && {OPS} > out.txt")
    t.ok(done.code == 0 and (here / "out.txt").read_text().startswith("full_buffer on "), "the command is run by a shell", done)
    lines = done.stderr.decode().splitlines()
    t.ok(lines[-2:] == [f"ttprof: profile: {TABLE}: 3 ops, 2 with a label",
                        "ttprof: profile: 1 of 4 op messages could not be read; their ops have no label"],
         "what came of it is told", lines[-3:])
    rows = rows_of(here / TABLE)
    t.equal([(r["GLOBAL CALL COUNT"], *labels(r)) for r in rows],
            [("1024", *UNLABELLED),
             ("2048", 'loc("up; and away":1:2)', "false", "{'program_index': 0, 'loop_number': 0}"),
             ("3072", 'loc("gelu, say")', "true", "{'program_index': 0, 'loop_number': 0}")],
            "each op has its labels, those without one say so")
    check_columns(t, here, next((here / "generated/profiler/reports").glob("*/ops_perf_results_*.csv")), "ops report")
    t.ok((here / LOGS / "tracy_ops_data.csv").exists() and not list(here.glob("tracy_*")), "other files are where 'ttprof run' has them")


def check_columns(t, here, report, name):
    rows = [{k: v for k, v in r.items() if k not in LABELS} for r in rows_of(here / TABLE)]
    t.equal(rows, rows_of(report), f"the rest is the {name} of the run")
    t.equal(heads_of(here / TABLE), heads_of(report) + LABELS, "the labels are its last columns")


def check_unlabelled(t):
    here = t.folder("unlabelled")
    done = profile(t, here, OPS)
    t.ok(done.code == 0 and b"3 ops, none with a label: no op messages were recorded\n" in done.stderr, "ops without messages", done)
    t.equal([labels(r) for r in rows_of(here / TABLE)], [UNLABELLED] * 3, "are in the table all the same")
    check_columns(t, here, here / LOGS / "cpp_device_perf_report.csv", "device report")
    # What the runtime tells of its ops takes the place of that table. Signposts are rows, but no ops.
    done = profile(t, here, "ttprof sim run mlp")
    t.ok(done.code == 0 and b"3 ops, 0 with a label\n" in done.stderr, "ops that the runtime tells of", done)
    t.equal([(r["OP TYPE"], *labels(r)) for r in rows_of(here / TABLE)],
            [(kind, *UNLABELLED) for kind in ("signpost", *["tt_dnn_device"] * 3, "signpost")], "have no label of a compiler")


def check_nothing(t):
    here = t.folder("nothing")
    done = profile(t, here, "true")
    t.ok(done.code == 0 and b"0 ops: no device was profiled, the table has only its header\n" in done.stderr, "no device, no ops", done)
    heads = heads_of(here / TABLE)
    t.ok(heads[0] == "GLOBAL CALL COUNT" and heads[-3:] == LABELS and len(heads) > 30 and not rows_of(here / TABLE),
         "the table is there, with its heads", heads)
    done = profile(t, here, "-o", "other.csv", "--quiet", "true")
    t.equal((done.code, done.stderr, heads_of(here / "results/perf/other.csv")), (0, b"", heads), "-o names it, --quiet says nothing")
    done = profile(t, here, "--quiet", "true", "-o", "a/b.csv")
    t.ok(done.code == 0 and (here / "results/perf/a/b.csv").exists(), "folders in the name are made; options may come last", done)
    done = profile(t, here, "--quiet", "-o", here / "there.csv", "true")
    t.ok(done.code == 0 and (here / "there.csv").exists(), "an absolute path is that path", done)


# --- environment, exit codes, signals --------------------------------------------------------
def check_environment(t):
    here = t.folder("environment")
    say = 'echo "$TT_METAL_DEVICE_PROFILER $TT_METAL_CLEAR_L1 $TT_METAL_DEVICE_PROFILER_DISPATCH $TTNN_OP_PROFILER ' \
          '$TT_METAL_PROFILER_CPP_POST_PROCESS ${TRACY_PORT-none}"'
    done = profile(t, here, say, TT_METAL_DEVICE_PROFILER_DISPATCH="1")
    # The port is for a Tracy client in the program, which the run captures.
    t.ok(done.code == 0 and re.fullmatch(rb"1 1 0 1 1 [1-9]\d*\n", done.stdout), "the variables of the reference, and a port", done)
    done = profile(t, here, "-p", "9123", say)
    t.equal((done.code, done.stdout), (0, b"1 1 0 1 1 9123\n"), "-p gives a port")
    done = profile(t, here, "-p", "8086", 'echo "$TRACY_PORT"')
    t.ok(done.code == 0 and 8086 <= int(done.stdout) < 8500, "-p 8086 takes the first free one from there on", done)
    done = profile(t, here, 'cd / && pwd; echo "a  b" | tr a-z A-Z')
    t.equal((done.code, done.stdout), (0, b"/\nA  B\n"), "pipes, quotes and folders are the shell's")


def check_exit_codes(t):
    here = t.folder("codes")
    for words, code, sentence in (
            (["exit 7"], 7, "the command's exit code is kept"), (["kill -9 $$"], 137, "a signal is 128 + its number"),
            (["nosuch-program"], 127, "a missing program is the shell's 127"),
            (["--ignore-exit-code", "exit 7"], 0, "--ignore-exit-code: 0, as the reference has it")):
        done = profile(t, here, "--quiet", *words)
        t.equal(done.code, code, sentence)
        t.ok(heads_of(here / TABLE)[-3:] == LABELS, f"and the table is written: {words[-1]}")
        (here / TABLE).unlink()
    (here / "file").write_text("")
    done = profile(t, here, "-o", here / "file" / "x.csv", "--quiet", "true")
    t.ok(done.code == 1 and done.stderr.startswith(b"ttprof: profile: ") and b"/file: " in done.stderr, "a table that cannot be written: 1", done)
    done = profile(t, here, "-o", here / "file" / "x.csv", "--quiet", "exit 9")
    t.ok(done.code == 9 and done.stderr.startswith(b"ttprof: profile: "), "but a command that failed keeps its code", done)
    done = profile(t, here, "exit 5", TT_METAL_PROFILER_DIR=str(here / "file" / "x"))
    t.ok(done.code == 5 and b"without being recorded" in done.stderr and (here / TABLE).exists(), "unrecorded, the table is there", done)
    for words in ([], ["a", "b"], [" "]):
        done = profile(t, here, *words)
        t.ok(done.code == 2 and b"the command must be one argument; quote it" in done.stderr, f"the command is one word, not {words}", done)


def check_signals(t):
    for number in (signal.SIGINT, signal.SIGTERM):
        here = t.folder("signals")
        with subprocess.Popen([t.ttprof, "profile", "touch ready; exec sleep 9999"], cwd=here, env=tap.environment(), stderr=subprocess.DEVNULL) as p:
            tap.until((here / "ready").exists)
            p.send_signal(number)
            code = p.wait(tap.SECONDS)
        t.ok(code == 3 and (here / TABLE).exists(), f"{signal.Signals(number).name}: 3, and the table is written", code)


def test(t):
    check_table(t)
    check_unlabelled(t)
    check_nothing(t)
    check_environment(t)
    check_exit_codes(t)
    check_signals(t)


if __name__ == "__main__":
    tap.main(test)
