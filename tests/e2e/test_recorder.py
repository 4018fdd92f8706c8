#!/usr/bin/python3
"""test_recorder.py TTPROF SOURCE_ROOT - libttprof in programs that are linked and end in all sorts of ways.

tests/record/ends.c records 1 000 zones for each part of it that records; whatever happens then, all of them are there.
"""
import csv
import io
import os
import pathlib
import subprocess

import tap

# How it ends, what it is expected to return, how many zones there are.
ENDS = [("", 0, 1000), ("_exit", 5, 1000), ("abort", 134, 1000), ("kill", 137, 1000), ("exec", 5, 2000),
        ("daemon", 0, 2000), ("late", 0, 2000), ("thread", 0, 2000)]


def compile_program(t, name, source, *more):
    path = t.scratch / name
    done = tap.run(["gcc", "-O2", "-I", t.root / "include", t.root / "tests/record" / source, *more, "-o", path], t.scratch)
    return path if t.equal(done.code, 0, f"{name} is linked") else print(f"# {done}")


def zones(t, program, *words):
    """What the run returned, and how many zones of the name were recorded."""
    out = t.folder("run")
    done = tap.run([t.ttprof, "run", "--quiet", "-o", out, "--", program, *words], t.scratch)
    # Not --csvexport: as the reference it leaves zones out that took no time, which a coarse clock sees many of.
    table = tap.run([t.ttprof, "zones", "--csv", "-", out], t.scratch)
    rows = list(csv.DictReader(io.StringIO(table.stdout.decode())))
    left = list(out.glob("runs/*/host/*.ring"))
    return done, sum(int(r["Count"]) for r in rows if r["Zone"] == "work"), left, table


def check_ends(t, name, program, ends):
    for how, code, count in ends:
        done, found, left, table = zones(t, program, *([how] if how else []))
        t.equal((done.code, found), (code, count), f"{name}: {how or 'return'}: every zone is there")
        if how in ("", "late", "thread"):
            t.equal(left, [], f"{name}: {how or 'return'}: a regular end leaves no ring behind")
        if found != count:
            print(f"# {done}\n# {table}")


def check_privileges(t, program):
    if os.geteuid() != 0:
        t.skip("a program that drops its privileges keeps what it has", "only root has some")
        return
    done, found, _, table = zones(t, program, "drop")
    if done.code == 77:
        t.skip("a program that drops its privileges keeps what it has", "chroot is not allowed here")
        return
    t.equal((done.code, found), (0, 2000), "a program that drops its privileges keeps what it has")
    t.ok(b"1000 in all" in table.stderr, "and what its later threads lose is counted", table)


def check_log(t, static):
    """No library can be preloaded into it: it tells of its processes itself."""
    out = t.folder("log")
    tap.run([t.ttprof, "run", "--quiet", "-o", out, "--", static, "daemon"], t.scratch)
    lines = [line.split("\t") for log in out.glob("runs/*/processes.log") for line in log.read_text().splitlines()]
    starts = [line[2] for line in lines if line[0] == "start"]
    forks = [line[2] for line in lines if line[0] == "fork" and line[4] in starts]
    t.ok(len(starts) == 1 and forks, "a static program and its children are in the log of processes", lines)


def test(t):
    build = t.ttprof.parent
    archive = [build / "libttprof.a", "-llz4", "-lpthread"]
    if b"__asan_init" in subprocess.run(["nm", build / "libttprof.a"], stdout=subprocess.PIPE, check=False).stdout:
        t.skip("the library in programs", "it is built for a sanitizer")
        return
    program = compile_program(t, "with-archive", "ends.c", *archive)
    check_ends(t, "archive", program, ENDS)
    check_privileges(t, program)
    static = compile_program(t, "static", "ends.c", "-static", *archive)
    check_ends(t, "static", static, ENDS[:2])
    check_log(t, static)
    shared = compile_program(t, "with-shared", "ends.c", build / "libttprof.so", f"-Wl,-rpath,{build}")
    check_ends(t, "shared", shared, ENDS[:2])
    hooked = compile_program(t, "with-malloc", "ends.c", "-DHOOK_MALLOC", "-fno-builtin", *archive)
    check_ends(t, "an allocator that records", hooked, [ENDS[0], ENDS[7]])
    loads = compile_program(t, "loads", "loads.c", "-ldl", "-lpthread")
    done, found, _, table = zones(t, loads, pathlib.Path(build / "libttprof.so"))
    t.ok(done.code == 0 and found == 1000, "the library may be loaded and unloaded", f"{found} zones\n{done}\n{table}")


tap.main(test)
