#!/usr/bin/python3
"""test_python_processes.py TTPROF SOURCE_ROOT - Python programs of many processes: fork, spawn, forkserver, subprocess and
exec, with threads and asyncio in each. All are recorded, their zones balanced, with their parents."""
import json
import re
import sys

import tap
from pythons import Recorded, environment, record

# Eight processes below each other and beside each other; each has a thread and tasks of its own.
TREE = """
import asyncio, json, multiprocessing, os, subprocess, sys, threading

def own_work(): return sum(range(10))
async def step(n):
    await asyncio.sleep(0)
    own_work()
async def tasks():
    await asyncio.gather(*[asyncio.create_task(step(n), name=f"task {n}") for n in range(2)])

def work(name):
    own_work()
    thread = threading.Thread(target=own_work, name=f"thread of {name}")
    thread.start()
    thread.join()
    asyncio.run(tasks())
    print(json.dumps([name, os.getpid(), os.getppid()]), flush=True)

def child(name, below):
    work(name)
    for how, next_name, rest in below:
        start(how, next_name, rest)

def start(how, name, below):
    if how == "os.fork":
        pid = os.fork()
        if pid == 0:
            child(name, below)
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(pid, 0)
    elif how == "subprocess":
        subprocess.run([sys.executable, "script.py", json.dumps([name, below])], check=True, env={})
    else:
        process = multiprocessing.get_context(how).Process(target=child, args=(name, below))
        process.start()
        process.join()
        assert process.exitcode == 0

if __name__ == "__main__":
    if sys.argv[1:]:
        child(*json.loads(sys.argv[1]))
    else:
        child("root", [["os.fork", "forked", [["spawn", "spawned below", []]]],
                       ["spawn", "spawned", [["fork", "forked below", []], ["subprocess", "run below", []]]],
                       ["subprocess", "run", [["os.fork", "forked by run", []]]]])
"""


def check_tree(t):
    for way in ("", "forkserver"):
        text = TREE.replace('["spawn", "spawned",', f'["{way}", "spawned",') if way else TREE
        r = record(t, text)
        told = [json.loads(line) for line in r.done.stdout.decode().splitlines()]
        t.ok(r.done.code == 0 and len(told) == 8, f"a tree of 8 processes runs{way and ', with ' + way}", r.done)
        threads = r.threads()
        for name, pid, _ in told:
            of = {thread: zones for (p, thread), zones in threads.items() if p == pid}
            main = [zones for thread, zones in of.items() if thread.split(" ")[0] == str(pid)]
            named = [zones for thread, zones in of.items() if thread.endswith(f"thread of {name}")]
            lanes = {thread for thread in of if thread.startswith("fiber task ")}
            t.ok(main and main[0]["own_work"] == 1 and named and named[0]["own_work"] == 1 and lanes == {"fiber task 0", "fiber task 1"},
                 f"{name}: its main thread, its thread and its tasks", of)
            work = sum(zones["work"] for zones in of.values())
            t.equal(work, 1, f"{name}: calls of its own only")
        opened = {int(row["Process"].split()[0]) for row in r.table("--open", "--by", "process") if int(row.get("Open") or 0)}
        # Those that end by os._exit are inside of functions then; multiprocessing does so after a fork.
        forks = {"forked", "forked by run", "forked below", "spawned" if way else ""}
        t.equal({name for name, pid, _ in told if pid in opened} - forks, set(), "zones are balanced in all that end otherwise")
        log = [line.split("\t") for line in next((r.root / "runs").glob("*/processes.log")).read_text().splitlines()]
        parents = {int(f[2]): int(f[4]) for f in log if f[0] == "fork"}
        parents.update({int(f[2]): int(f[4]) for f in log if f[0] == "start"})
        t.ok(all(parents.get(pid) == parent for name, pid, parent in told if name != "root"), "the log has each with its parent", (told, parents))


POOLS = """
import concurrent.futures, multiprocessing, os
def square(n): return n * n
if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(2) as pool:
            assert pool.map(square, range(6), chunksize=1) == [n * n for n in range(6)]
            pool.close()
            pool.join()
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(how)) as pool:
            assert list(pool.map(square, range(6))) == [n * n for n in range(6)]
"""


def check_pools(t):
    r = record(t, POOLS)
    t.equal((r.done.code, r.counts("script.py")["square"]), (0, 6 * 6), "pools of processes: every call in every worker")


EXECS = """
import os, subprocess, sys
code = "def f(): return len('x')\\nf()"
subprocess.run([sys.executable, "-c", code], env={"PATH": "/usr/bin:/bin"}, check=True)
subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": "/nowhere"}, check=True)
subprocess.run(["sh", "-c", f'unset PYTHONPATH TTPROF_PYTHON TTPROF_LIBRARY; exec {sys.executable} -c "$0"', code], check=True)
subprocess.run(f'{sys.executable} -c "{code}"', shell=True, check=True, close_fds=True, start_new_session=True)
os.posix_spawn(sys.executable, [sys.executable, "-c", code], {})
os.wait()
os.execve(sys.executable, [sys.executable, "-c", code], {})
"""


def check_environments(t):
    r = record(t, EXECS)
    calls = sum(zones["f"] for (_, thread), zones in r.threads().items())
    t.equal((r.done.code, calls), (0, 6), "programs without our variables, or with a PYTHONPATH of their own, are followed")
    r = record(t, EXECS, "--no-follow")
    t.equal((r.done.code, r.counts()["f"]), (0, 0), "--no-follow: no children")
    r = record(t, "import os\ndef f(): pass\nf()\nif os.fork() == 0:\n    f()\n    os._exit(0)\nos.wait()\n", "--no-follow")
    t.equal((r.done.code, r.counts()["f"]), (0, 1), "but the command's own process")
    folder = t.folder("outside")
    (folder / "script.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'def f(): pass\\nf()'])\n")
    done = tap.run([t.ttprof, "run", "--no-device", "-o", "out", "sh", "-c", f"{sys.executable} script.py"], folder, **environment(t))
    t.equal(Recorded(t, folder, done, "out").counts()["f"], 1, "Python below any command is recorded")


# A child returns into what its parent has called, so inner() runs 1 + 2 + 3 + 4 times.
FORKS = """
import os, threading, time
def below(n):
    pid = os.fork()
    if pid == 0:
        if n: below(n - 1)
        inner()
        return True
    os.waitpid(pid, 0)
def inner(): pass
def other():
    while not is_over: time.sleep(0.001)
is_over = False
thread = threading.Thread(target=other)
thread.start()
if below(3):
    os._exit(0)
is_over = True
thread.join()
"""


def check_nested(t):
    folder = t.folder("nested")
    (folder / "script.py").write_text("import os\ndef f(): pass\nf()\nprint(os.environ['PYTHONPATH'])\n")
    inner = [t.ttprof, "run", "--quiet", "--no-device", "-o", "inner"]
    done = tap.run([*inner[:-1], "outer", "--", *inner, "--", sys.executable, "script.py"], folder, **environment(t))
    t.equal((done.code, Recorded(t, folder, done, "inner").counts()["f"], Recorded(t, folder, done, "outer").counts()["f"]), (0, 1, 0),
            "a run within a run records its own programs")
    path = done.stdout.decode().strip().split(":")
    t.equal(len(path), len(set(path)), "our folder is in PYTHONPATH once")


def check_forks(t):
    r = record(t, FORKS)
    t.equal((r.done.code, r.counts("script.py")["inner"]), (0, 10), "forks within forks, beside a thread: each child goes on")
    opened = {row["Process"].split()[0] for row in r.table("--open", "--by", "process") if row["Zone"] == "other"}
    t.equal(len(opened), 1, "a thread of the parent is not in its children")
    text = re.sub(r"os._exit\(0\)", "raise SystemExit(0)", FORKS).replace("thread.start()", "").replace("thread.join()", "")
    r = record(t, text)
    done = r.strict()
    t.ok(r.done.code == 0 and b"without a start" not in done.stderr, "a child that returns from what its parent called ends no zone twice", done)


def test(t):
    check_tree(t)
    check_pools(t)
    check_environments(t)
    check_nested(t)
    check_forks(t)


if __name__ == "__main__":
    tap.main(test)
