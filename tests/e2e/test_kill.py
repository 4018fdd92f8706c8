#!/usr/bin/python3
"""test_kill.py TTPROF SOURCE_ROOT - what was recorded is there, however the program ended.

Programs record by a script and keep an account of how far they came (tests/programs); then they are killed, fork, exec,
end in odd ways, and what the reader finds must be what the account says: every call that came back, and at most the one
more that each thread was in. KILLS=5000 and PROCESSES=10 in the environment make it as large as that. The same for a run
on a device with fast dispatch, whose rows must be whole.
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import tap

KILLS = int(os.environ.get("KILLS", "120"))
DEVICE_KILLS = int(os.environ.get("DEVICE_KILLS", "25"))  # on each board
WRITE_KILLS = 12  # of the writes of a run on a device
BREADTH = int(os.environ.get("PROCESSES", "4"))  # of a tree with five generations: 341 processes; 10: 11111


class Programs:
    def __init__(self, t):
        folder = t.ttprof.parent / "tests" / "programs"
        self.write, self.kill = folder / "write_zones", folder / "kill_zones"


def check_kills(t, p):
    """Both halves at a time."""
    seed = random.SystemRandom().randrange(10**9)
    folder = t.folder("kills")
    halves = [subprocess.Popen([p.kill, p.write, folder, str(seed + i * (KILLS // 2)), str(KILLS // 2)], stdout=subprocess.PIPE, text=True,
                               env=tap.environment()) for i in (0, 1)]
    for half in halves:
        text = half.communicate()[0]
        print("# " + text.strip().replace("\n", "\n# "))
        t.ok(half.returncode == 0, f"{KILLS // 2} kills: every completed call is in the files, and none that was not made", text)


class Run:
    """A ttprof run of write_zones."""

    def __init__(self, t, p, *way, options=(), root=None):
        self.t, self.p = t, p
        self.folder = t.folder("run")
        self.root = root or self.folder / "root"
        self.account = self.folder / "account"
        self.argv = [t.ttprof, "run", "-o", self.root, "-n", self.folder.name, *options, p.write, self.account, *way]
        self.start = time.monotonic()

    def begin(self):
        self.process = subprocess.Popen([str(a) for a in self.argv], cwd=self.folder, env=tap.environment(), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True)
        return self

    def end(self):
        try:
            out, err = self.process.communicate(timeout=tap.SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, err = self.process.communicate()
        self.seconds = time.monotonic() - self.start
        return tap.Result(out, err, self.process.returncode)

    def run(self):
        found = [f for f in (self.root / "runs").iterdir() if f.name.endswith(self.folder.name)]
        return found[0] if len(found) == 1 else None

    def check(self):
        return tap.run([self.p.kill, "check", self.run(), self.account], self.folder)

    def slots(self):
        try:
            return int.from_bytes(self.account.read_bytes()[:4], "little")
        except FileNotFoundError:
            return 0

    def pids(self):
        data = self.account.read_bytes()
        return {int.from_bytes(data[64 + 64 * i:][:4], "little") for i in range(self.slots())}

    def leftovers(self):
        """Processes, rings and file locks of the run."""
        run = self.run()
        found = [f.name for f in (run / "host").iterdir() if f.suffix == ".ring"]
        found += [f"process {p}" for p in tap.of_run(run)]
        numbers = {str(f.stat().st_ino) for f in run.rglob("*") if f.is_file()}
        found += [line for line in pathlib.Path("/proc/locks").read_text().splitlines() if line.split()[5].rsplit(":", 1)[-1] in numbers]
        return found


def check_lives(t, p):
    tree = 1 + sum(BREADTH**i for i in range(1, 5))
    for name, way, options, n_threads, code in (
            ("10000 short threads", ["churn", "10000"], [], 10000, 0),
            ("the same with little room", ["churn", "2000"], ["--ring-size", "64K", "--policy", "block"], 2000, 0),
            ("forks in a process with threads", ["forks", "150"], ["--policy", "block"], 150 + 30 + 2, 0),
            ("a program that becomes another one again and again", ["exec", "12"], ["--policy", "block"], None, 0),
            ("recording is stopped and started", ["sessions", "20"], [], 80, 0),
            ("a daemon", ["daemon", "300"], [], 1, 0),
            (f"a tree of {tree} processes", ["tree", "4", str(BREADTH), "3"], [], tree, 0)):
        r = Run(t, p, *way, options=options).begin()
        done = r.end()
        print(f"# {name}: {r.seconds:.1f} s")
        checked = r.check()
        is_all = n_threads is None or f", {n_threads} threads".encode() in checked.stdout
        t.ok(done.code == code and checked.code == 0 and is_all, f"{name}: all is there",
             f"{done}\n{checked}")
        t.equal(r.leftovers(), [], f"{name}: nothing is left")


def check_parallel(t, p):
    root = t.folder("parallel")
    runs = [Run(t, p, "tree", "2", "4", "20", root=root).begin() for _ in range(4)]
    ended = [r.end() for r in runs]
    checked = [r.check() for r in runs]
    t.ok(all(d.code == 0 for d in ended + checked), "four runs at once in one folder do not disturb each other", "\n".join(map(str, ended + checked)))
    t.equal([r.leftovers() for r in runs], [[]] * 4, "and leave nothing")


def check_killed_runs(t, p):
    r = Run(t, p, "threads", options=["--policy", "block", "--ring-size", "64K"]).begin()
    tap.until(lambda: r.slots() >= 4)
    time.sleep(0.05)
    os.killpg(r.process.pid, signal.SIGKILL)
    r.end()
    tap.until(lambda: not tap.of_run(r.run()))
    checked = r.check()
    t.ok(checked.code == 0, "ttprof run and its command are killed: everything until then is there", checked)
    t.equal(tap.run([t.ttprof, "zones", r.run()], t.scratch).code, 0, "and ttprof zones reads it")

    r = Run(t, p, "threads", "60000", options=["--policy", "block", "--ring-size", "64K"]).begin()
    tap.until(lambda: r.slots() >= 4)
    os.kill(r.process.pid, signal.SIGKILL)
    before = r.account.read_bytes()
    r.process.wait()
    tap.until(lambda: not tap.of_run(r.run()))
    checked = r.check()
    t.ok(checked.code == 0 and r.account.read_bytes() != before, "ttprof run alone is killed: its command goes on and records to its end", checked)
    r.end()

    for policy in ("block", "drop-newest", "drop-oldest"):
        r = Run(t, p, "threads", options=["--policy", policy, "--ring-size", "64K"]).begin()
        tap.until(lambda: r.slots() >= 4)
        time.sleep(0.05)
        os.kill(min(r.pids()), signal.SIGKILL)
        done, checked = r.end(), r.check()
        t.ok(done.code == 128 + signal.SIGKILL and checked.code == 0, f"the command is killed, {policy}: its rings are emptied by ttprof run",
             f"{done}\n{checked}")
        t.equal(r.leftovers(), [], "and removed")


class DeviceRun:
    """A ttprof run of a workload with fast dispatch that reads the device after each of its steps; `through` starts it."""

    def __init__(self, t, board, *through):
        self.t, self.folder = t, t.folder("device")
        device = f"board={board} dispatch=fast"
        workload = [t.ttprof, "sim", "run", "training_step", "--size", "32", "--loops", "2", "--grid", "2x2", "--device", device]
        argv = [t.ttprof, "run", "-o", self.folder / "root", "-n", "x", "--dump-device-data-mid-run", "--", *through, *workload]
        self.start = time.monotonic()
        # Looking for leaks needs ptrace, which strace has taken.
        self.process = subprocess.Popen([str(a) for a in argv], cwd=self.folder, env=tap.environment(ASAN_OPTIONS="detect_leaks=0"),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run(self):
        runs = self.folder / "root" / "runs"
        found = list(runs.iterdir()) if runs.is_dir() else []
        return found[0] if found else None

    def log(self):
        return self.run() / ".logs" / "profile_log_device.csv"

    def end(self):
        done = tap.Result(*self.process.communicate(timeout=tap.SECONDS), self.process.returncode)
        if self.run():
            tap.until(lambda: not tap.of_run(self.run()))
        return done

    def kill(self, way):
        """Everything, the tool alone, or its command alone."""
        if way == "all":
            os.killpg(self.process.pid, signal.SIGKILL)
        elif way == "tool":
            self.process.kill()
        else:
            for pid in children(self.process.pid):
                os.kill(pid, signal.SIGKILL)

    def wrong(self, is_strict=True):
        """What cannot be read, or is not whole."""
        if not self.run():
            return None
        zones = tap.run([self.t.ttprof, "zones", self.run()], self.t.scratch)
        if zones.code not in (0, 1):
            return zones
        log = self.log()
        lines = log.read_text(encoding="utf-8").split("\n") if log.exists() else ["", "", ""]
        columns = lines[1].count(",") if len(lines) > 1 else 0
        bad = [line for line in lines[2:-1] if line.count(",") < columns]
        if bad or (lines[-1] and is_strict):
            return f"{log}: {bad or lines[-1]}"
        # A process that dies inside a write leaves what the kernel had copied by then; its reader must say so.
        if lines[-1]:
            said = tap.run([self.t.ttprof, "device", log, "-o", self.folder / "report"], self.t.scratch)
            return None if b"the log is truncated" in said.stderr else said
        return None


def children(pid):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def check_device(t, _):
    for board in ("n150", "p150"):
        check_board(t, board)
        check_writes(t, board)


def check_board(t, board):
    whole = DeviceRun(t, board)
    done = whole.end()
    seconds = time.monotonic() - whole.start
    t.ok(done.code == 0 and whole.wrong() is None, f"{board}: a run with fast dispatch", f"{done}\n{whole.wrong()}")
    moments = random.Random(board)
    wrong, n_runs, n_logs = [], 0, 0
    for i in range(DEVICE_KILLS):
        r = DeviceRun(t, board)
        time.sleep(moments.random() * seconds)
        r.kill(("all", "tool", "command")[i % 3])
        r.end()
        n_runs += r.run() is not None
        n_logs += r.log().exists() if r.run() else 0
        wrong += [w for w in [r.wrong(is_strict=False)] if w]
    print(f"# {board}: {n_runs} runs had begun, {n_logs} had rows")
    t.ok(not wrong and n_runs > DEVICE_KILLS / 4, f"{board}: {DEVICE_KILLS} kills with fast dispatch: what is there can be read, and rows are whole",
         f"{n_runs} runs\n" + "\n".join(map(str, wrong)))


def check_writes(t, board):
    """A moment seldom hits a write of the log: here the command is killed at writes of its own."""
    traced = ("strace", "-f", "-o", "writes", "-e", "trace=write")
    whole = DeviceRun(t, board, *traced) if shutil.which("strace") else None
    if not whole or whole.end().code != 0:
        t.skip(f"{board}: kills at writes", "strace is not there or may not trace")
        return
    pids = [line.split()[0] for line in (whole.folder / "writes").read_text(encoding="utf-8").splitlines() if "write(" in line]
    moments, wrong, n_killed, n_logs = random.Random(board), [], 0, 0
    for n in sorted(moments.sample(range(1, pids.count(pids[0]) + 1), WRITE_KILLS)):
        r = DeviceRun(t, board, *traced, "-e", f"inject=write:signal=SIGKILL:when={n}")
        n_killed += r.end().code == 128 + signal.SIGKILL
        n_logs += r.log().exists()
        wrong += [w for w in [r.wrong()] if w]
    print(f"# {board}: {n_killed} killed at a write, {n_logs} had rows")
    t.ok(not wrong and n_killed > WRITE_KILLS / 2 and n_logs > WRITE_KILLS / 4, f"{board}: {WRITE_KILLS} kills at writes: rows are whole",
         "\n".join(map(str, wrong)))


def test(t):
    p = Programs(t)
    for check in (check_kills, check_lives, check_parallel, check_killed_runs, check_device):
        start = time.monotonic()
        check(t, p)
        print(f"# {check.__name__}: {time.monotonic() - start:.1f} s", flush=True)


tap.main(test)
