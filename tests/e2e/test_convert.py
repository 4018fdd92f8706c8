#!/usr/bin/python3
"""test_convert.py TTPROF SOURCE_ROOT - `ttprof convert`: what is in a run or a .tracy file is in the .tracy file made from it."""
import os

import runs
import tap

FORMS = {
    "statistics": ["--csvexport"], "self times": ["--csvexport", "-e"], "each zone": ["-u"], "each zone, self times": ["-u", "-e"], "messages": ["-m"],
    "zones and plots": ["-u", "--upstream", "--plot"],
}  # fmt: skip


def rows(t, folder, of, options):
    done = tap.run([t.ttprof, "zones", of, *options], folder)
    # The number of a thread is its system id for a run with upstream's columns.
    cut = [",".join(row.split(",")[:5] + row.split(",")[6:]) if "--upstream" in options else row for row in done.stdout.decode().split("\n")]
    return sorted(cut) if done.code == 0 else done


def check_run(t, folder):
    runs.sample(folder / "run")
    for version in "0.10", "0.14":
        made = tap.run([t.ttprof, "convert", "run", f"{version}.tracy", "--format", version], folder)
        t.ok(made.code == 0 and not made.stdout, f"convert: a run, version {version}", made)
        for name, options in FORMS.items():
            more = [] if "--upstream" in options else ["--fork"]
            t.equal(rows(t, folder, f"{version}.tracy", options + more), rows(t, folder, "run", options), f"a run as a {version} file: {name}")
    by_thread = tap.run([t.ttprof, "zones", "0.10.tracy", "--by", "thread"], folder).stdout.decode()
    t.ok("trainer 100: " in by_thread and "worker 200: " in by_thread, "threads are named by process", by_thread)


def check_files(t, folder, golden):
    """There and back again: the rows of the other version, then again those of the first."""
    for name, other in ("fork/medium", "0.14"), ("upstream/medium", "0.10"), ("fork/callstack", "0.14"), ("own/up-wide", "0.10"):
        first, own = golden / f"{name}.tracy", "0.10" if other == "0.14" else "0.14"
        there = tap.run([t.ttprof, "convert", first, "there.tracy", "--format", other, "--compression", "zstd", "--level", "9"], folder)
        back = tap.run([t.ttprof, "convert", "there.tracy", "back.tracy", "--format", own, "--compression", "lz4"], folder)
        t.equal((there.code, back.code), (0, 0), f"{name}: converted to {other} and back")
        for form, options in {**FORMS, "device zones": ["-g"]}.items():
            for file in "there.tracy", "back.tracy":
                more = [] if "--upstream" in options else ["--fork"]
                t.equal(rows(t, folder, file, options + more), rows(t, folder, first, options + more), f"{name}, {file}: {form}")


def check_bad(t, folder):
    for words, code, said in (
        (["run", "."], 2, "is a folder: only .tracy files can be written"),
        (["0.10.tracy", "0.10.tracy"], 2, "cannot be converted into itself"),
        (["run"], 2, "missing argument"),
        (["run", "x.tracy", "--format", "0.11"], 2, "use one of: 0.10 0.14"),
        (["run", "x.tracy", "--level", "23"], 2, "--level must be from 0 to 22"),
        (["nowhere", "x.tracy"], 3, "nowhere"),
    ):
        bad = tap.run([t.ttprof, "convert", *words], folder)
        t.ok(bad.code == code and said in bad.stderr.decode() and not os.path.exists(folder / "x.tracy"), f"convert: {said}", bad)


def test(t):
    folder = t.folder("convert")
    check_run(t, folder)
    check_bad(t, folder)
    golden = t.shared("golden", "tracy")
    if golden:
        check_files(t, folder, golden)
    else:
        t.skip("files of the real tools", "golden/tracy is not beside the project (../shared)")


tap.main(test)
