#!/usr/bin/python3
"""test_run_folders.py TTPROF SOURCE_ROOT - run folders that lost something, that somebody made up, and that others must not write to."""
import csv
import io
import json
import os
import pathlib
import resource
import shutil
import signal
import stat
import struct
import subprocess

import runs
import tap

ZONES = 200000  # of each of two threads
PROGRAM = """
#define TTPROF_ENABLE
#include <pthread.h>
#include <string.h>
#include <ttprof/host.h>
static void *work(void *unused)
{
    for (int i = 0; i < %d; i++) {
        TTPROF_ZONE("work");
    }
    return unused;
}
int main(void)
{
    static char text[10000];
    pthread_t other;
    memset(text, 'x', sizeof text - 1);
    ttprof_message(text);
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
""" % ZONES
MEMORY_MOST = 400 << 10  # kB; what reads sizes from a file takes gigabytes


def compile_program(t):
    (t.scratch / "work.c").write_text(PROGRAM)
    done = tap.run(["cc", "-O2", "-I", t.root / "include", "work.c", t.ttprof.parent / "libttprof.a", "-llz4", "-pthread", "-o", "work"], t.scratch)
    return t.scratch / "work" if t.ok(done.code == 0, "a program that records is linked", done) else None


def run_of(root):
    return next((pathlib.Path(root) / "runs").iterdir())


def zones(t, run, *options):
    """Its exit code, the number of zones, and what it said."""
    done = tap.run([t.ttprof, "zones", run, "--csv", "-", *options], t.scratch)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    return done.code, sum(int(r["Count"]) for r in rows), done.stderr.decode()


def info(t, run):
    return json.loads(tap.run([t.ttprof, "info", "--json", run], t.scratch).stdout)


# --- what is missing ---------------------------------------------------------------------
def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def check_whole(t, run):
    code, count, said = zones(t, run, "--strict")
    t.equal((code, count, said), (0, 2 * ZONES, ""), "a whole run: every zone, and no finding")
    process = info(t, run)["processes"][0]
    t.equal((process["missing"], sum(process["lost"].values())), (0, 0), "nothing is lost or missing")
    return process["events"]


def check_missing(t, program):
    out = t.folder("whole")
    tap.run([t.ttprof, "run", "--quiet", "--no-device", "--policy", "block", "-o", out, "--", program], t.scratch)
    events = check_whole(t, run_of(out))
    damages = [("half of the stream", "stream", cut), ("no stream", "stream", os.remove), ("half of the texts", "blobs", cut),
               ("no texts", "blobs", os.remove), ("no table", "table", os.remove)]
    for what, ending, damage in damages:
        copy = t.folder("damaged") / "run"
        shutil.copytree(run_of(out), copy)
        path = next(copy.glob(f"host/*.{ending}"))
        damage(path)
        code, count, said = zones(t, copy, "--strict")
        t.ok(code == 1 and f"{path.name}" in said and "missing or shorter" in said, f"{what}: the file is named, --strict exits 1", (code, said))
        t.equal(zones(t, copy)[0], 0, f"{what}: what is there is shown")
        if ending == "stream":
            process = info(t, copy)["processes"][0]
            t.equal(process["events"] + process["missing"], events, f"{what}: what is missing is counted")
            t.ok(count < 2 * ZONES and f"missing from the files ({process['missing']} in all)" in said, f"{what}: and told", said)
        elif ending == "blobs":
            t.equal(count, 2 * ZONES, f"{what}: zones are not affected")
            done = tap.run([t.ttprof, "zones", "-m", copy], t.scratch)
            t.ok(b"long texts" in done.stderr and b"(1 in all)" in done.stderr, f"{what}: the text is counted", done)
        else:
            t.ok(f"missing from the files ({events} in all)" in said, f"{what}: its events are counted", said)
    copy = t.folder("damaged") / "run"
    shutil.copytree(run_of(out), copy)
    for path in copy.glob("host/*"):
        path.unlink()
    code, count, said = zones(t, copy, "--strict")
    t.ok((code, count) == (1, 0) and "files of 1 of 1 processes" in said and f"({events} in all)" in said,
         "no file of the process at all: the control page knows how much there was", (code, said))


def check_settled(t, program):
    """A process that was killed leaves its rings, which `ttprof run` drains: its totals are those of the stream."""
    out = t.folder("killed")
    script = f"import os, subprocess, signal; p = subprocess.Popen(['{program}', 'wait']); os.waitpid(p.pid, os.WUNTRACED); p.kill(); p.wait()"
    (t.scratch / "stop.c").write_text(PROGRAM.replace("return 0;", "raise(SIGSTOP);\n    return 0;").replace("#include <string.h>", "#include <signal.h>\n#include <string.h>"))
    done = tap.run(["cc", "-O2", "-I", t.root / "include", "stop.c", t.ttprof.parent / "libttprof.a", "-llz4", "-pthread", "-o", "stop"], t.scratch)
    script = script.replace(str(program), str(t.scratch / "stop"))
    done = tap.run([t.ttprof, "run", "--quiet", "--no-device", "--no-python", "--policy", "block", "-o", out, "--", "python3", "-c", script], t.scratch)
    run = run_of(out)
    t.equal(zones(t, run, "--strict")[:2], (0, 2 * ZONES), "a killed process: every zone is there, nothing is missing")
    path = next(run.glob("host/*.stream"))
    events = info(t, run)["processes"][0]["events"]
    cut(path)
    process = info(t, run)["processes"][0]
    t.equal(process["events"] + process["missing"], events, "half of its stream: what is missing is counted")
    t.ok(done.code == 0, "and the run went well", done)


# --- made-up folders -----------------------------------------------------------------------
def measured(t, argv):
    """The exit code and the most memory in kB."""
    child = subprocess.Popen([str(a) for a in argv], cwd=t.scratch, env=tap.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    return child.returncode, usage.ru_maxrss, said


def check_small(t, run, what):
    base = measured(t, [t.ttprof, "version"])[1]
    for command in (["zones", run], ["info", run], ["timeline", run, "-o", t.scratch / "page.html"]):
        code, kilobytes, said = measured(t, [t.ttprof, *command])
        t.ok(code == 0 and kilobytes - base < MEMORY_MOST, f"{what}: {command[0]} takes little memory", (code, kilobytes, said))
    return zones(t, run)[2]


def tampered(t, name, change):
    """A run with one process, one thread and one zone; `change` gets the process before it is written."""
    p = runs.Process(100)
    step = p.location("step", "main", "a.c", 1)
    p.thread(100, [("ZONE_BEGIN", 2000, step), ("ZONE_END", 3000)])
    change(p)
    return runs.write(t.folder(name) / "run", [p])


def check_tampered(t):
    def wide_ring(p):
        head = bytearray(p.rings[0])
        struct.pack_into("<QQ", head, 16, 1 << 30, 0)
        struct.pack_into("<Q", head, 64, 1 << 30)
        p.rings[0] = bytes(head)

    def far_ring(p):
        head = bytearray(p.rings[0])
        struct.pack_into("<I", head, 8, (1 << 24) - 1)
        p.rings[0] = bytes(head)

    def far_ids(p):
        p.entry(runs.THREAD, struct.pack("<IIQ", (1 << 16), 5, 1000))
        p.entry(runs.CLOCK, struct.pack("<II", (1 << 16), 1))
        p.entry(runs.STRING, struct.pack("<II", (1 << 16), 0))

    said = check_small(t, tampered(t, "ring", wide_ring), "a ring of 2^30 words in its header")
    t.ok("100-1: the header of a ring is invalid" in said, "the ring is named", said)
    said = check_small(t, tampered(t, "thread", far_ring), "a ring of thread 2^24 - 1")
    t.ok("not in the table" in said, "so is the thread", said)
    folder = tampered(t, "tables", far_ids)
    table = next(folder.glob("host/*.table"))
    for pid in range(1000, 2000):
        shutil.copy(table, table.with_name(f"{pid}-1.table"))
    said = check_small(t, folder, "1000 tables with ids that they cannot have")
    t.ok("an entry is invalid" in said and "(3003 in all)" in said, "each is counted", said)


def check_pipes(t):
    """A pipe in the place of a file: nobody waits for a writer."""
    for name in ("control", "processes.log", "host/100-1.table", "host/100-1.1.ring", "host/100-1.stream", "host/7-1.blobs"):
        folder = runs.sample(t.folder("pipe") / "run")
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        for command in (["zones", folder], ["info", folder], ["timeline", folder, "-o", t.scratch / "page.html"]):
            done = tap.run([t.ttprof, *command], t.scratch)
            t.ok(done.code == 0 and b"is not a regular file" in done.stderr, f"a pipe as {name}: {command[0]} tells and goes on", done)


# --- who may write -----------------------------------------------------------------------
def modes(folder):
    """Of everything in the folder, by path relative to it."""
    found = {}
    for path in [folder, *pathlib.Path(folder).rglob("*")]:
        if not path.is_symlink():
            found[str(path.relative_to(folder))] = stat.S_IMODE(path.stat().st_mode)
    return found


def check_modes(t, program):
    for mask in (0o000, 0o022, 0o077):
        out = t.folder("modes") / "out"
        script = f"{program}; {t.ttprof} sim run mlp --size 64 >/dev/null; find $TTPROF_RUN -perm -o+w ! -type l"
        done = subprocess.run([str(t.ttprof), "run", "-r", "-o", str(out), "--", "sh", "-c", script], cwd=t.scratch, env=tap.environment(), check=False,
                              capture_output=True, preexec_fn=lambda mask=mask: os.umask(mask))
        found = modes(out)
        t.ok(done.returncode == 0 and len(found) > 10, f"umask {mask:03o}: a run with reports", done)
        t.equal(done.stdout, b"", f"umask {mask:03o}: nothing in it can be written by others while it runs")
        t.equal([p for p, mode in found.items() if mode & 0o002], [], f"umask {mask:03o}: nor afterwards")
        t.equal([p for p, mode in found.items() if mode & mask], [], f"umask {mask:03o}: it is honoured, by .logs, too")


def check_users(t):
    """Who gives up root's rights cannot open the log any more, but was in it from the start."""
    title = "programs that give up root's rights are in the log to their end"
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        t.skip(title, "needs root and setpriv")
        return
    os.chmod(t.scratch, 0o755)  # others may load the library
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    python = "import os; os.setuid(65534); os.execv('/bin/sh', ['sh', '-c', '/bin/echo done; exit 6'])"
    for what, command, last, code in (("setpriv", [*user, "sh", "-c", "/bin/echo done; exit 5"], "sh", 5), ("setuid", ["python3", "-c", python], "sh", 6)):
        out = t.folder("user") / "out"
        done = tap.run([t.ttprof, "run", "--quiet", "-o", out, "--", *command], t.scratch)
        log = (run_of(out) / "processes.log").read_text()
        lines = [line.split("\t") for line in log.splitlines()]
        shell = os.path.basename(os.path.realpath("/bin/sh"))
        begun = [os.path.basename(line[5]) for line in lines if line[0] == "start"]
        ended = [line[4] for line in lines if line[0] == "exit"]
        t.equal((done.code, done.stdout, begun[-2:], ended[-2:]), (code, b"done\n", [shell, "echo"], ["0", str(code)]), f"{what}: {title}")
        t.equal(stat.S_IMODE((run_of(out) / "processes.log").stat().st_mode) & 0o022, 0, f"{what}: which they may not write to")
    out = t.folder("user") / "out"
    script = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    alone = tap.run(["python3", "-c", script], t.scratch).stdout
    t.equal(tap.run([t.ttprof, "run", "--quiet", "--no-python", "-o", out, "--", "python3", "-c", script], t.scratch).stdout, alone, "others have no descriptor more than alone")


# --- paths and failures -------------------------------------------------------------------
def deep_folder(t, characters):
    """A folder whose absolute path has this many characters; made step by step, as no system call takes such a path."""
    base = t.folder("deep")
    left = characters - len(str(base))
    path = str(base)
    while left:
        n = min(200, left - 1) if left - 1 <= 200 or left > 202 else left // 2 - 1
        path += "/" + "d" * n
        left -= n + 1
    return path


def check_paths(t, program):
    recorded = 0
    for characters in (3900, 3980, 3990, 4000, 4020, 4060, 4090):
        path = deep_folder(t, characters)
        done = tap.run([t.ttprof, "run", "--no-device", "--policy", "block", "-o", path, "--", program], t.scratch)
        if os.path.exists(path):
            recorded += 1
            said = tap.run([t.ttprof, "zones", path, "--csv", "-"], t.scratch)
            t.ok(said.code == 0 and f",{2 * ZONES},".encode() in said.stdout, f"a path of {characters} characters: recorded and read", said)
        else:
            t.ok(b"too long" in done.stderr and b"without being recorded" in done.stderr and done.code == 0,
                 f"a path of {characters} characters: said to be too long", done)
    t.ok(0 < recorded < 7, "some of these paths are short enough", recorded)


def check_failures(t, program):
    for command, line in ((["false"], "exited with code 1"), (["sh", "-c", "exit 77"], "exited with code 77"), (["sh", "-c", "kill -9 $$"], "ended by signal 9 (Killed)")):
        done = tap.run([t.ttprof, "run", "-o", t.folder("failed"), "--", *command], t.scratch)
        said = done.stderr.decode()
        t.ok(line in said and "linked" not in said, f"{command}: what became of it is told, and nothing is said about linking", said)
    (t.scratch / "silent.c").write_text("#define TTPROF_ENABLE\n#include <ttprof/host.h>\nint main(void)\n{\n    return ttprof_is_recording() ? 0 : 3;\n}\n")
    made = tap.run(["cc", "-I", t.root / "include", "silent.c", t.ttprof.parent / "libttprof.a", "-llz4", "-pthread", "-o", "silent"], t.scratch)
    done = tap.run([t.ttprof, "run", "-o", t.folder("silent"), "--", t.scratch / "silent"], t.scratch)
    t.ok(made.code == 0 and done.code == 0 and b"linked with libttprof recorded none" in done.stderr, "a program that is linked, but records nothing, is not said to be unlinked", done)
    done = tap.run([t.ttprof, "run", "-o", t.folder("unlinked"), "--", "true"], t.scratch)
    t.ok(b"no program is linked with libttprof" in done.stderr, "one that is not linked is", done)


# --- interrupted ---------------------------------------------------------------------------
def check_interrupted(t):
    """Ctrl-C while the compiler runs: no temporary folder is left."""
    temporary, tools = t.folder("tmp"), t.folder("tools")
    compiler = tools / "riscv64-unknown-elf-gcc"
    compiler.write_text("#!/bin/sh\n: >" + str(tools / "runs") + "\nexec sleep 1000\n")
    compiler.chmod(0o755)
    (t.scratch / "k.c").write_text("void kernel_main(void)\n{\n}\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        (tools / "runs").unlink(missing_ok=True)
        env = tap.environment(TMPDIR=str(temporary), PATH=f"{tools}:{os.environ['PATH']}")
        child = subprocess.Popen([str(t.ttprof), "kernel", "build", "k.c", "-o", "k.elf"], cwd=t.scratch, env=env, stderr=subprocess.DEVNULL, start_new_session=True)
        t.ok(tap.until((tools / "runs").exists), "the compiler runs")
        t.ok(any(temporary.iterdir()), "there is a temporary folder")
        os.killpg(child.pid, number)
        t.equal((child.wait(), list(temporary.iterdir())), (-number, []), f"{number.name}: it ends of the signal, and nothing is left")


def test(t):
    program = compile_program(t)
    if not program:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    check_missing(t, program)
    check_settled(t, program)
    check_tampered(t)
    check_pipes(t)
    check_modes(t, program)
    check_users(t)
    check_paths(t, program)
    check_failures(t, program)
    check_interrupted(t)


tap.main(test)
