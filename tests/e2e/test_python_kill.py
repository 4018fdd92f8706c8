#!/usr/bin/python3
"""test_python_kill.py TTPROF SOURCE_ROOT - Python programs killed at 100 random moments: what was recorded is in the report.

The program counts its calls in a file that it has mapped. A call that was counted has its zone; the one that was going
on when it was killed may have ended or not."""
import os
import random
import signal
import struct
import subprocess
import sys
import time

import tap
from pythons import Recorded, environment

TIMES = int(os.environ.get("KILLS", 100))
SCRIPT = """
import ctypes, mmap, os, threading
with open("counts", "r+b") as f:
    counts = (ctypes.c_uint64 * 3).from_buffer(mmap.mmap(f.fileno(), 4096))
def step(n): return leaf(n)
def leaf(n): return len("x" * (n % 7))
def other(n): return leaf(n)
def loop(function, at):
    n = 0
    while True:
        function(n)
        n += 1
        counts[at] = n # one store: a kill cannot cut it
counts[2] = os.getpid()
threading.Thread(target=loop, args=(other, 1), daemon=True).start()
loop(step, 0)
"""


def check_kill(t, number, delay):
    folder = t.folder("kill")
    (folder / "script.py").write_text(SCRIPT)
    counts = folder / "counts"
    counts.write_bytes(bytes(4096))
    with open(folder / "stderr", "wb") as err:
        run = subprocess.Popen([sys.executable, "-m", "tracy", "--no-device", "--policy", "block", "-o", "out", "script.py"], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=err, env=tap.environment(**environment(t)))
        pid = tap.until(lambda: struct.unpack_from("<Q", counts.read_bytes(), 16)[0])
        tap.until(lambda: struct.unpack_from("<Q", counts.read_bytes(), 0)[0] > 10)
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)
        code = run.wait(tap.SECONDS)
    steps, others = struct.unpack_from("<QQ", counts.read_bytes(), 0)
    found = Recorded(t, folder, None, "out").counts("script.py")
    return t.ok(code == 137 and steps <= found["step"] <= steps + 1 and others <= found["other"] <= others + 1
                and found["leaf"] - found["step"] - found["other"] in (0, 1, 2),
                f"killed after {delay * 1000:.1f} ms: {steps} and {others} calls, all recorded ({number})", (code, steps, others, dict(found), (folder / "stderr").read_text()))


def test(t):
    seed = int(os.environ.get("SEED", 0)) or random.SystemRandom().randrange(1, 1 << 30)
    print(f"# SEED={seed}", flush=True)
    moments = random.Random(seed)
    for number in range(TIMES):
        if not check_kill(t, number, moments.random() ** 3 * 0.3):
            break


if __name__ == "__main__":
    tap.main(test)
