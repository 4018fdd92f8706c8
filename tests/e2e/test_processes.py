#!/usr/bin/python3
"""test_processes.py TTPROF SOURCE_ROOT - every process of a run is known: who began it, what it executed, how it ended;
none is left, and none is disturbed.

The log is read here a second time, by other code than the program's own.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import tap

DEPTH, BREADTH = 4, 10  # a tree of 11111 processes


class Process:
    def __init__(self, pid, birth):
        self.pid, self.birth = pid, birth
        self.parent = self.end = self.rank = None
        self.wanted = False  # a program was to be executed, and has not begun yet
        self.programs, self.words, self.children = [], [], []

    def shape(self):
        """Names of its programs, how it ended, and the same of its children."""
        names = " ".join(os.path.basename(p) for p in self.programs)
        return (names, self.end, sorted((c.shape() for c in self.children), key=repr))


def unescaped(field):
    return field.replace("\\\\", "\0").replace("\\t", "\t").replace("\\n", "\n").replace("\0", "\\")


def read_log(path):
    """Processes in the order of their first lines; the first is the command itself."""
    known, last, processes = {}, {}, []
    lines = [[unescaped(f) for f in line.split("\t")] for line in path.read_text(encoding="utf-8").splitlines()]
    for what, _, pid, birth, *rest in sorted(lines, key=lambda f: int(f[1])):
        p = known.get((pid, birth)) or (last.get(pid) if birth == "0" else None)
        if not p:
            p = known[pid, birth] = last[pid] = Process(pid, birth)
            processes.append(p)
        if what in ("start", "fork") and not p.parent:
            p.parent = last.get(rest[0])
            if p.parent:
                p.parent.children.append(p)
        if what == "start":
            if p.wanted:
                p.programs.pop(), p.words.pop()
            p.programs.append(rest[1])
            p.words.append(rest[2:])
        if what == "exec":
            p.programs.append(rest[0])
            p.words.append(rest[1:])
        p.wanted = what == "exec"
        if what == "exit" and not p.end:
            p.end = int(rest[0])
        if what == "ended":
            status = int(rest[0])
            p.end = f"signal {status & 127}" if status & 127 else status >> 8
        if what == "rank":
            p.rank = rest
    return processes


def follow(t, command, *options, folder=None, **env):
    """Runs a command under `ttprof run`; what it left, and its processes."""
    folder = folder or t.folder("run")
    done = tap.run([t.ttprof, "run", "-o", folder, *options, "--", *command], t.scratch, **env)
    logs = sorted(folder.glob("runs/*/processes.log"))
    processes = read_log(logs[-1]) if logs else []
    t.ok(not tap.of_run(folder), f"nothing is left of: {str(command[:3])[:60]!r}", tap.of_run(folder))
    return done, processes


def compiled(t, name, *options):
    """The program of tests/support/processes.c; None: it cannot be made here."""
    path = t.scratch / name
    source = t.root / "tests" / "support" / "processes.c"
    made = subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", *options, "-o", path, source, "-pthread"],
                          capture_output=True, check=False)
    return path if made.returncode == 0 else None


def shells(t):
    folder = t.folder("run")
    done, seen = follow(t, ["/bin/sh", "-c", "/bin/echo a | /bin/cat | /usr/bin/wc -l; exit 5"], folder=folder)
    t.equal((done.code, done.stdout.strip()), (5, b"1"), "a pipeline: output and exit code are the command's")
    shell = os.path.basename(os.path.realpath("/bin/sh"))
    t.equal(seen[0].shape(), (shell, 5, [("cat", 0, []), ("echo", 0, []), ("wc", 0, [])]), "a pipeline: three children of the shell")
    manifest = json.loads(next(folder.glob("runs/*/manifest.json")).read_text(encoding="utf-8"))
    t.ok(manifest["processes"] == 4 and b": 4 processes; " in done.stderr, "the manifest and the last lines count those, too, that others waited for", done)
    done, seen = follow(t, ["/usr/bin/env", "-i", "/bin/sh", "-c", "/usr/bin/env -i /bin/false; exit 4"])
    t.equal((done.code, seen[0].shape()), (4, (f"env {shell}", 4, [("env false", 1, [])])), "a clean environment hides nobody")
    done, seen = follow(t, ["/bin/sh", "-c", "exec /usr/bin/env X=1 /bin/sh -c 'exec /bin/false'"])
    t.equal((done.code, seen[0].shape()), (1, (f"{shell} env {shell} false", 1, [])), "one process, four programs")
    odd = "a\tb\nc\\d"
    done, seen = follow(t, ["/bin/echo", odd, "", "ä"])
    t.equal(seen[0].words[-1], ["/bin/echo", odd, "", "ä"], "words of any kind are kept")
    done, seen = follow(t, ["/bin/echo", *(f"word{i}" for i in range(5000))])
    t.ok(len(done.stdout) > 40000 and seen[0].words[-1][-1] == "..." and len(seen[0].words[-1]) > 500,
         "a long command line is cut between words", seen[0].words[-1][-2:])


def python(t):
    script = ("import os, subprocess, sys\n"
              "subprocess.run(['/bin/false'])\n"
              "subprocess.run('exit 9', shell=True, env={})\n"
              "os.posix_spawn('/bin/true', ['true'], {})\n"
              "os.wait()\n"
              "pid = os.fork() or os._exit(3)\n"
              "os.waitpid(pid, 0)\n"
              "os._exit(2)\n")
    done, seen = follow(t, [sys.executable, "-c", script])
    shell = os.path.basename(os.path.realpath("/bin/sh"))
    children = sorted((c.shape() for c in seen[0].children), key=repr)
    t.equal((done.code, seen[0].end, children), (2, 2, [("", 3, []), (shell, 9, []), ("false", 1, []), ("true", 0, [])]),
            "python: subprocess, shell, spawn, fork")


ENDS = {"return": 10, "exit": 11, "_exit": 12, "thread": 13, "_Exit": 14, "quick_exit": 15, "pthread_exit": 0,
        "kill": "signal 9", "syscall": 16}


def ways(t, program):
    done, seen = follow(t, [program, "ends"])
    t.equal({c.words[-1][2]: c.end for c in seen[0].children}, ENDS, "each way to end a process is told")
    for kind, target in (("", program), ("a static program: ", compiled(t, "static", "-static"))):
        if not target:
            t.skip(f"{kind}each way to execute", "no static libc")
            continue
        done, seen = follow(t, [program, "executes", target])
        wants = (360 % 256, 360 % 256, [(target.name, 40, [])] * 9)
        t.equal((done.code, seen[0].end, [c.shape() for c in seen[0].children]), wants, f"{kind}each way to execute is followed")
        t.equal([c.words[-1] for c in seen[0].children], [[str(target), "a\tb", ""]] * 9, f"{kind}each with its words")
        done, seen = follow(t, [program, "spawns", target])
        wants = (120, 120, [(target.name, 40, [])] * 3)
        t.equal((done.code, seen[0].end, [c.shape() for c in seen[0].children]), wants, f"{kind}spawned ones are followed")
    done, seen = follow(t, [program, "alone"])
    t.equal((done.code, seen[0].shape()), (5, ("processes", 5, [("", 5, [("", 6, [])])])),
            "a daemon is waited for, and known by who began it")
    done, seen = follow(t, [program, "leave"])
    t.equal((done.code, seen[0].shape()), (7, ("processes", 7, [("", "signal 9", []), ("", 8, [])])),
            "children that nobody waits for: their ends are known")
    done, seen = follow(t, [program, "miss"])
    t.equal((done.code, len(seen)), (21, 3), "what fails leaves errno as it should be")
    done, seen = follow(t, [program, "box"])
    t.ok(done.code in (30, 31) and seen[0].end == done.code, "a program behind a filter of system calls lives", done)


def limits(t, program):
    done, seen = follow(t, ["/bin/sh", "-c", f"ulimit -f 0; {program} end exit; echo $?"])
    t.equal((done.code, done.stdout), (0, b"11\n"), "a limit on the size of files kills nobody")
    t.equal(seen[0].end, 0, "and the end is known where it can be")
    done, seen = follow(t, ["/bin/sh", "-c", f"ulimit -n 4; {program} end exit; exit 2"])
    t.equal((done.code, [c.end for c in seen[0].children]), (2, [11]), "one free descriptor is enough")
    sanitized = compiled(t, "sanitized", "-fsanitize=address")
    if sanitized and tap.run([sanitized], t.scratch).code == 40:
        done, seen = follow(t, [sanitized, "ends"])
        t.equal({c.words[-1][2]: c.end for c in seen[0].children}, ENDS, "a program with the address sanitizer is followed")
    else:
        t.skip("a program with the address sanitizer is followed", "none can be made")
    if os.geteuid() == 0:
        privileged = shutil.copy(program, t.scratch / "privileged")
        os.chown(privileged, 65534, 65534)
        os.chmod(privileged, 0o4755)
        done, seen = follow(t, ["/bin/sh", "-c", f"{privileged} end return; {privileged} end kill; exit 1"])
        t.equal(seen[0].shape()[1:], (1, [("privileged", "signal 9", []), ("privileged", 10, [])]),
                "a program with another user's rights: what its parent knows")
    else:
        t.skip("a program with another user's rights: what its parent knows", "not root")


def settings(t, program):
    done, seen = follow(t, [program, "end", "exit"], OMPI_COMM_WORLD_RANK="3", OMPI_COMM_WORLD_SIZE="8", RANK="1", WORLD_SIZE="2")
    t.equal(seen[0].rank, ["3", "8", "OMPI_COMM_WORLD_RANK"], "the rank: the first that is set")
    done, seen = follow(t, [program, "end", "exit"], RANK="7", PMI_RANK="x", SLURM_PROCID="2")
    t.equal(seen[0].rank, ["2", "-1", "SLURM_PROCID"], "the rank: RANK alone is too common")
    done, seen = follow(t, ["/bin/sh", "-c", f"/usr/bin/env -i {program} end exit; exec {program} end return"], "--no-follow")
    t.equal((done.code, len(seen), seen[0].end), (10, 1, 10), "--no-follow: the command alone, through its programs")
    blank = t.scratch / "with blank: and colon"
    blank.mkdir()
    done, seen = follow(t, ["/bin/sh", "-c", "/bin/false; exit 3"], folder=blank)
    t.equal((done.code, [c.end for c in seen[0].children]), (3, [1]), "a run folder that the loader could not name")
    inner = t.folder("inner")
    done, seen = follow(t, [t.ttprof, "run", "-o", inner, "--", "/bin/sh", "-c", f"{program} end exit; exit 3"])
    within = [read_log(p) for p in inner.glob("runs/*/processes.log")]
    t.equal((done.code, [p[0].shape()[1:] for p in within]), (3, [(3, [("processes", 11, [])])]), "a run within a run has its own log")
    t.equal(seen[0].end, 3, "and is a process of the outer one")


def tree(t, program):
    done, seen = follow(t, [program, "tree", DEPTH, BREADTH])
    t.equal(done.code, 0, "a tree of processes: each found its children")
    t.equal(len(seen), sum(BREADTH ** k for k in range(DEPTH + 1)), "each is in the log")
    wrong, rows = [], [(seen[0], 0)]
    for p, level in rows:
        if len(p.children) != (BREADTH if level < DEPTH else 0) or p.end != level:
            wrong.append((p.pid, level, len(p.children), p.end))
        rows += [(c, level + 1) for c in p.children]
    t.equal((len(rows), wrong[:5]), (len(seen), []), "each with its parent, its children and its end")


def test(t):
    program = compiled(t, "processes")
    t.ok(program, "the program that begins and ends processes is there")
    shells(t)
    python(t)
    ways(t, program)
    limits(t, program)
    settings(t, program)
    tree(t, program)


tap.main(test)
