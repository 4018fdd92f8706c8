#!/usr/bin/python3
"""same_state.py TTPROF TTPROF... - every workload on both chips, by several builds of the program.

Their images are the same; so must be what a run prints, how it ends, and the hash of all memories
and events of its devices, in every build, on one thread and on two, with slow and with fast dispatch.
Prints what differs; exits with 1 when anything does.
"""
import itertools
import os
import sys
import tempfile

import tap
from test_workloads import CHIPS, SMALL

THREADS = ("1", "2")
DISPATCHES = ("slow", "fast")


def run(program, name, chip, dispatch, threads, scratch):
    options = [name, "--arch", chip, *SMALL[name].split(), "--threads", threads, "--hash", "--json", "--device", f"dispatch={dispatch}"]
    return str(tap.run([program, "sim", "run", *options], scratch))


def main():
    programs = [os.path.abspath(p) for p in sys.argv[1:]]
    n_different = 0
    with tempfile.TemporaryDirectory(prefix="ttprof-same-") as scratch:
        for name, chip, dispatch in itertools.product(SMALL, CHIPS, DISPATCHES):
            found = {(p, n): run(p, name, chip, dispatch, n, scratch) for p in programs for n in THREADS}
            want = next(iter(found.values()))
            wrong = [how for how, got in found.items() if got != want or '"state":[' not in got]
            n_different += len(wrong)
            for program, threads in wrong:
                print(f"{name} on {chip}, dispatch={dispatch}, {threads} threads, {program}:\n{tap.difference(found[program, threads], want)}")
    print(f"{len(SMALL) * len(CHIPS) * len(DISPATCHES)} runs by {len(programs)} programs: {n_different} differ")
    return n_different > 0 or len(programs) < 2


sys.exit(main())
