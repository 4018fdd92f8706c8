#!/usr/bin/python3
"""test_python_tools.py TTPROF SOURCE_ROOT - Python programs with a profiler, debugger or coverage of their own: theirs has
its way, and the run says once what it could not record. pytest, its fixture and its workers."""
import importlib.util
import sys

import tap
from pythons import Recorded, environment, record, tracy

REPLACED = "the program set a profile function of its own: from then on that thread's functions are not recorded"
AWAY = "the program set a profile function of its own for a while: what it called meanwhile is not recorded"
TAKEN = "the program has a profile function of its own: the functions of that thread are not recorded"
TRACED = "the program has a trace function of its own, such as a debugger's or coverage: lines are not recorded"

SETS = """
import sys, threading
seen = []
def theirs(frame, event, arg): seen.append(event)
def measured(): return len("x")
def before(): pass
def after(): pass
def main():
    before()
    sys.setprofile(theirs)
    measured()
    sys.setprofile(None)
    after()
main()
after()
assert seen.count("call") == 1 and seen.count("c_call") == 2, seen
thread = threading.Thread(target=after)
thread.start()
thread.join()
"""
RESTORES = """
import sys
seen = []
def theirs(frame, event, arg): seen.append(event)
def measured(): return len("x")
def main():
    old = sys.getprofile()
    sys.setprofile(theirs)
    measured()
    sys.setprofile(old)
    del old
    measured()
main()
measured()
assert seen.count("call") == 1, seen
"""
IN_THREADS = """
import sys, threading
seen = []
def theirs(frame, event, arg): seen.append(event)
def measured(): return len("x")
threading.setprofile(theirs)
for _ in range(3):
    thread = threading.Thread(target=measured)
    thread.start()
    thread.join()
threading.setprofile(None)
measured()
assert seen.count("call") > 3, seen
"""
CPROFILE = """
import cProfile, pstats, io
def measured(): return sum([1, 2])
def main():
    profile = cProfile.Profile()
    profile.runcall(measured)
    out = io.StringIO()
    pstats.Stats(profile, stream=out).print_stats()
    assert "measured" in out.getvalue() and "built-in method builtins.sum" in out.getvalue(), out.getvalue()
main()
"""


def check_profilers(t):
    r = record(t, SETS)
    counts = r.counts("script.py")
    t.ok(r.done.code == 0 and counts["before"] == 1 and not counts["measured"] and counts["after"] == 0, "sys.setprofile: theirs works, ours has ended", (r.done, counts))
    t.equal((r.said(), r.strict().code), ([REPLACED], 0), "which is said once, with zones balanced")
    r = record(t, RESTORES)
    t.equal((r.done.code, r.counts("script.py")["measured"], r.said()), (0, 2, [AWAY]), "what sys.getprofile() gave can be set again, and ours goes on")
    t.equal(r.strict().code, 0, "with zones balanced")
    r = record(t, IN_THREADS)
    t.equal((r.done.code, r.counts("script.py")["measured"], r.said()), (0, 1, [REPLACED]), "threading.setprofile: said once for three threads")
    r = record(t, CPROFILE)
    t.equal((r.done.code, r.said(), r.counts("script.py")["measured"]), (0, [REPLACED], 0), "cProfile works")
    folder = t.folder("cprofile")
    (folder / "script.py").write_text("def f(): pass\nf()\n")
    done = tracy(t, folder, "--no-device", "-o", "out", "-m", "cProfile", "script.py")
    t.ok(done.code == 0 and b"script.py:1(f)" in done.stdout and Recorded(t, folder, done, "out").said() == [REPLACED], "python -m cProfile under it", done)
    text = "import sys, tracy\nsys.setprofile(lambda *a: None)\ndef f(): pass\nwith tracy.Profiler(): f()\nassert sys.getprofile()\n"
    r = record(t, text, "-p")
    t.equal((r.done.code, r.said(), dict(r.counts())), (0, [TAKEN], {}), "Profiler.enable() leaves a profile function alone")


TRACES = """
import sys, tracy
lines = []
def theirs(frame, event, arg):
    lines.append(event)
    return theirs
def measured():
    x = 1
    return len("x")
sys.settrace(theirs)
with tracy.Profiler():
    measured()
sys.settrace(None)
assert lines.count("line") > 2, lines
"""
TRACES_LATER = TRACES.replace("sys.settrace(theirs)\nwith tracy.Profiler():\n    measured()\n",
                              "with tracy.Profiler():\n    measured()\n    sys.settrace(theirs)\n    measured()\nassert sys.gettrace() is theirs\n")
DEBUGGED = "def f(x):\n    return x + 1\nprint(f(1))\nprint(f(2))\n"


def check_tracers(t):
    for options, said in (["-p", "-l"], [TRACED]), (["-p"], []), ([], []):
        r = record(t, TRACES, *options)
        t.equal((r.done.code, r.said(), r.counts("script.py")["measured"]), (0, said, 1), f"sys.settrace keeps its lines, functions are recorded {' '.join(options)}")
    r = record(t, TRACES_LATER, "-p", "-l")
    t.equal((r.done.code, r.counts("script.py")["measured"], r.strict().code), (0, 2, 0), "a trace function that is set within a region stays")
    folder = t.folder("pdb")
    (folder / "script.py").write_text(DEBUGGED)
    with open(folder / "commands", "wb") as f:
        f.write(b"break 2\ncontinue\nargs\nup\np 6 * 7\ncontinue\ncontinue\nquit\n")
    plain = tap.run([sys.executable, "-m", "pdb", "script.py"], folder, stdin=(folder / "commands").read_bytes())
    done = tap.run([sys.executable, "-m", "tracy", "--no-device", "-o", "out", "-m", "pdb", "script.py"], folder,
                   stdin=(folder / "commands").read_bytes(), **environment(t))
    t.ok(done.stdout == plain.stdout and b"x = 1" in done.stdout and b"42" in done.stdout, "pdb: the same as without a profiler", (done, plain))
    t.ok(Recorded(t, folder, done, "out").counts("script.py")["f"] >= 2, "while functions are recorded")


def check_coverage(t):
    if not importlib.util.find_spec("coverage"):
        t.skip("coverage", "there is no module coverage")
        return
    folder = t.folder("coverage")
    (folder / "script.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\nf(1)\n")
    done = tracy(t, folder, "--no-device", "-o", "out", "-m", "coverage", "run", "script.py")
    report = tap.run([sys.executable, "-m", "coverage", "report", "-m"], folder)
    t.ok(done.code == 0 and b"80%" in report.stdout and report.stdout.rstrip().split(b"\n")[2].endswith(b" 4"), "coverage finds the lines that it finds without a profiler", (done, report))
    t.equal(Recorded(t, folder, done, "out").counts("script.py")["f"], 1, "while functions are recorded")


TESTS = """
import pytest
def helper(x): return len(x)
@pytest.mark.parametrize("x", ["a b", "[1]", "c[2] d", "$HOME"])
def test_parameters(x, tracy_profile):
    assert helper(x)
def test_fails(tracy_profile):
    helper("x")
    assert False
def test_other():
    assert helper("y")
"""


def check_pytest(t):
    if not importlib.util.find_spec("pytest"):
        t.skip("pytest", "there is no module pytest")
        return
    folder = t.folder("pytest")
    (folder / "test_it.py").write_text(TESTS)
    quiet = ["-q", "-p", "no:cacheprovider"]

    def tested(*words, options=("-p",)):
        done = tracy(t, folder, "--no-device", "-o", "out", *options, "-m", "pytest", *quiet, *words)
        return Recorded(t, folder, done, "out")
    for name in ("a b", "[1]", "c[2] d", "$HOME"):
        r = tested(f"test_it.py::test_parameters[{name}]")
        t.ok(r.done.code == 0 and b"1 passed" in r.done.stdout and r.counts("test_it.py") == {"test_parameters": 1, "helper": 1},
             f"a parametrised test: [{name}], recorded by the fixture", (r.done, r.counts("test_it.py")))
    r = tested()
    t.ok(r.done.code == 1 and b"1 failed, 5 passed" in r.done.stdout, "a failing test: exit code 1", r.done)
    t.equal(dict(r.counts("test_it.py")), {"test_parameters": 4, "helper": 5, "test_fails": 1}, "only tests with the fixture")
    t.equal(r.strict().code, 0, "with zones balanced")
    r = tested(options=())
    t.equal(r.counts("test_it.py")["helper"], 6, "without -p all of them")
    done = tracy(t, folder, "--no-device", "-o", "out", "-p", "-m", "pytest -q -p no:cacheprovider 'test_it.py::test_parameters[a b]'")
    t.ok(done.code == 0 and b"1 passed" in done.stdout, "one word that holds the whole command", done)
    plain = tap.run([sys.executable, "-m", "pytest", *quiet, "-k", "parameters"], folder, **environment(t))
    t.ok(plain.code == 0 and b"4 passed" in plain.stdout, "outside a run the fixture is there and does nothing", plain)
    done = tracy(t, folder, "--no-device", "-o", "out", "-p", "--check-exit-code", "-m", "pytest", *quiet)
    t.equal(done.code, 4, "--check-exit-code: a failing test ends the run with 4")
    if not importlib.util.find_spec("xdist"):
        t.skip("pytest -n", "there is no module xdist")
        return
    r = tested("-n", "2")
    workers = {pid for (pid, _), zones in r.threads().items() if zones["helper"]}
    t.ok(r.done.code == 1 and r.counts("test_it.py")["helper"] == 5 and 1 <= len(workers) <= 2, "pytest -n: the workers are followed", (r.done, r.threads()))


def test(t):
    check_profilers(t)
    check_tracers(t)
    check_coverage(t)
    check_pytest(t)


if __name__ == "__main__":
    tap.main(test)
