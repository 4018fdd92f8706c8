#!/usr/bin/python3
"""test_disasters.py TTPROF SOURCE_ROOT - whatever becomes of disk, rights and descriptors: the command runs, its exit code is
kept, what is missing is told, and nothing of ours is written where it does not belong.

The command is tests/programs/write_zones: threads record before the disaster, after it, and one all through it.
"""
import os
import re
import resource
import shutil
import subprocess

import tap

DONE = 42  # exit code of the command
RINGS = ["--ring-size", "64K", "--policy", "block"]


class Case:
    def __init__(self, t, *way, options=(), root=None, prefix=(), before=None):
        programs = t.ttprof.parent / "tests" / "programs"
        self.folder = t.folder("disaster")
        self.root = root or self.folder / "root"
        self.account = self.folder / "account"
        self.kill = programs / "kill_zones"
        argv = [*prefix, t.ttprof, "run", "-o", self.root, *options, programs / "write_zones", self.account, *way]
        done = subprocess.run([str(a) for a in argv], cwd=self.folder, env=tap.environment(), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=tap.SECONDS, check=False, preexec_fn=before)
        self.done = tap.Result(done.stdout, done.stderr, done.returncode)
        self.text = done.stderr.decode()

    def run(self):
        found = list((self.root / "runs").iterdir()) if (self.root / "runs").exists() else []
        return found[0] if len(found) == 1 else None

    def check(self):
        return tap.run([self.kill, "check", self.run(), self.account], self.folder)

    def account_of(self):
        """Calls that had something to record."""
        data = self.account.read_bytes()
        slots = [data[64 + 64 * i:][:64] for i in range(int.from_bytes(data[:4], "little"))]
        return sum(int.from_bytes(s[24:32], "little") for s in slots)

    def told(self):
        """Events that were recorded and that were lost, as ttprof says at the end."""
        recorded = re.search(r"([\d,]+) events? of [\d,]+ threads? recorded", self.text)
        lost = re.findall(r"([\d,]+) events? (?:is|are) lost", self.text)
        return (int(recorded[1].replace(",", "")) if recorded else 0, sum(int(n.replace(",", "")) for n in lost))


def check_complete(t):
    """Nothing is lost: all files are open by their names, or mapped."""
    for name, argument in (("none", ""), ("close", ""), ("chdir", "/"), ("environment", "")):
        case = Case(t, "through", name, argument, options=RINGS)
        checked = case.check()
        t.ok(case.done.code == DONE and checked.code == 0 and b", 5 threads" in checked.stdout, f"{name}: everything is recorded", f"{case.done}\n{checked}")


def check_partial(t):
    """What cannot be recorded any more is counted and told; the rest is there."""
    is_root = os.geteuid() == 0
    jail = t.folder("jail")
    other = t.folder("other")
    cases = [("fill", other, RINGS, True), ("three", "", RINGS, True), ("bytes", "", RINGS[:2], True), ("chroot", jail, RINGS, is_root), ("rights", "", RINGS, is_root),
             ("shell", 'rm -rf "$TTPROF_RUN"', RINGS, True)]
    for name, argument, options, is_possible in cases:
        if not is_possible:
            t.skip(name, "only root may do that")
            continue
        case = Case(t, "through", name, argument, options=options)
        t.ok(case.done.code == DONE, f"{name}: the command runs to its end and its exit code is kept", case.done)
        if name == "shell":
            t.ok("gone" in case.text or "removed" in case.text or "cannot" in case.text, f"{name}: it is told", case.done)
            continue
        recorded, lost = case.told()
        t.ok(recorded > 0 and lost > 0, f"{name}: it is told that events are lost", case.done)
        made = case.account_of()
        t.ok(made <= recorded + lost <= made * 1.01 + 100, f"{name}: those that are recorded and those that are lost are all", (recorded, lost, made))
    own = list(other.iterdir())
    t.ok(len(own) > 8 and not any(f.stat().st_size for f in own), "no byte of ours is in files that have our descriptors' numbers now", own[:3])


def mounted(t, size):
    disk = t.folder("disk")
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], check=False,
                                            stderr=subprocess.DEVNULL).returncode == 0:
        return disk
    return None


def check_full_disk(t):
    """Little by little: at every size the command runs, and what is told adds up."""
    disk = mounted(t, "64k")
    if not disk:
        t.skip("a full disk", "no file system can be mounted here")
        return
    subprocess.run(["umount", disk], check=False)
    for size in ("40k", "120k", "300k", "500k", "700k", "1000k"):
        disk = mounted(t, size)
        try:
            case = Case(t, "through", "none", "", options=RINGS[:2], root=disk / "root")
            recorded, lost = case.told()
            made = case.account_of()
            is_told = any(x in case.text for x in ("without being recorded", "could not record: No space")) or lost > 0
            t.ok(case.done.code == DONE and is_told, f"a disk of {size}: the command runs, and it is told", case.done)
            t.ok(not recorded or made <= recorded + lost <= made * 1.01 + 100, f"a disk of {size}: all events are accounted for", (recorded, lost, made, case.text))
        finally:
            subprocess.run(["umount", disk], check=False)
    for limit in (0, 4096, 100000, 200000):
        case = Case(t, "through", "none", "", options=RINGS[:2], before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        # The account of the command is a file as well.
        t.ok(case.done.code in (2, DONE, 128 + 25), f"files of {limit} bytes at the most: ttprof goes on", case.done)


def check_rights(t):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        t.skip("a folder without permission", "needs root and setpriv")
        return
    closed = t.folder("closed")
    closed.chmod(0o755)
    os.chmod(t.scratch, 0o755)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = tap.run([*nobody, t.ttprof, "run", "-o", closed / "root", "sh", "-c", "exit 5"], "/")
    t.ok(done.code == 5 and b"Permission denied" in done.stderr and b"without being recorded" in done.stderr, "a folder without permission", done)
    done = tap.run([*nobody, t.ttprof, "run", "sh", "-c", "exit 5"], "/")
    t.ok(done.code == 5 and b"without being recorded" in done.stderr, "the current folder is without permission", done)
    closed.chmod(0o777)
    account = closed / "account"
    account.touch()
    account.chmod(0o666)
    writer = t.ttprof.parent / "tests" / "programs" / "write_zones"
    done = tap.run([*nobody, t.ttprof, "run", "-o", closed / "root", *RINGS, writer, account, "through", "shell",
                    'chmod 555 "$TTPROF_RUN" "$TTPROF_RUN/host"'], closed)
    t.ok(done.code == DONE and b"cannot write: Permission denied" in done.stderr, "the run folder is made read-only in the middle", done)
    for run in (closed / "root" / "runs").iterdir():
        run.chmod(0o755)
        (run / "host").chmod(0o755)


def check_missing(t):
    folder = t.folder("missing")
    for argv, code in ((["no-such-command"], 127), (["./no-such-file"], 127), (["/"], 126), ([__file__ + "x"], 127)):
        done = tap.run([t.ttprof, "run", *argv], folder)
        t.ok(done.code == code and argv[0].encode() in done.stderr and not (folder / "generated" / "profiler" / "runs").exists(), f"{argv[0]}: {code}", done)


def test(t):
    for check in (check_complete, check_partial, check_full_disk, check_rights, check_missing):
        check(t)


tap.main(test)
