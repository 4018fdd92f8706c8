"""tap.py - what the tests of this folder share: TAP lines, a scratch folder, bounded runs."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 900  # to end what hangs; no run takes a tenth of it, even with sanitizers


def until(condition):
    """Waits until condition() is true; its value, a false one after SECONDS."""
    end = time.monotonic() + SECONDS
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return value


def of_run(folder):
    """Living processes that belong to the run in the folder, or to one below it."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            environ = (entry / "environ").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if any((variable + b"/").startswith(b"TTPROF_RUN=" + os.fsencode(folder) + b"/") for variable in environ.split(b"\0")):
            found.append(entry.name)
    return found


class Result:
    """What a program left behind: bytes of both streams and its exit code."""

    def __init__(self, stdout, stderr, code):
        self.stdout, self.stderr, self.code = stdout, stderr, code

    def __str__(self):
        return f"exit code {self.code}\nstdout: {self.stdout!r}\nstderr: {self.stderr!r}"


def environment(**more):
    """The caller's, without what changes the output of ttprof."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS") and not k.startswith(("TTPROF_", "TT_METAL_"))}
    return {**env, "LC_ALL": "C.UTF-8", **more}


complaints = []  # of sanitizers, whatever else a test looks at


def run(argv, cwd, stdin=b"", **env):
    """Runs a program to its end. `stdin` is bytes or an open file."""
    feed = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    try:
        done = subprocess.run([str(a) for a in argv], cwd=cwd, env=environment(**env), timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **feed)
    except subprocess.TimeoutExpired as e:
        return Result(e.stdout or b"", e.stderr or b"", f"none, stopped after {SECONDS} s")
    if b"Sanitizer" in done.stderr or b": runtime error: " in done.stderr:
        complaints.append(f"{' '.join(str(a) for a in argv)}\n{done.stderr.decode(errors='replace')}")
    return Result(done.stdout, done.stderr, done.returncode)


def short(value, most=600):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def difference(got, want):
    """Where two texts part; both values when they are short or no texts."""
    if not isinstance(got, (str, bytes)) or type(got) is not type(want) or len(got) + len(want) < 600:
        return f"got:  {short(got)}\nwant: {short(want)}"
    newline = "\n" if isinstance(got, str) else b"\n"
    g, w = got.split(newline), want.split(newline)
    at = next((i for i, (a, b) in enumerate(zip(g, w)) if a != b), min(len(g), len(w)))
    return (f"line {at + 1} of {len(g)}, {len(w)} wanted\n"
            f"got:  {short(g[at] if at < len(g) else None)}\nwant: {short(w[at] if at < len(w) else None)}")


class Tap:
    """The checks of one test program, with its arguments and its scratch folder."""

    def __init__(self, ttprof, root, scratch):
        self.ttprof = pathlib.Path(ttprof).resolve()
        self.root = pathlib.Path(root).resolve()
        self.scratch = pathlib.Path(scratch)
        self.number = self.failed = 0

    def ok(self, passed, sentence, diagnostics=""):
        self.number += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.number} - {sentence}", flush=True)
        if not passed and str(diagnostics):
            print("# " + str(diagnostics).replace("\n", "\n# "), flush=True)
        return bool(passed)

    def equal(self, got, want, sentence):
        return self.ok(got == want, sentence, difference(got, want))

    def skip(self, sentence, why):
        self.number += 1
        print(f"ok {self.number} - {sentence} # SKIP {why}", flush=True)

    def folder(self, name):
        """A fresh folder inside the scratch folder."""
        path = self.scratch / f"{name}-{len(os.listdir(self.scratch))}"
        path.mkdir()
        return path

    def sample(self, path, *options):
        """A made-up ops table."""
        made = run([sys.executable, self.root / "tools" / "make-sample", *options, "-o", path], self.scratch)
        if made.code != 0:
            raise RuntimeError(f"make-sample: {made}")
        return path

    def device_log(self, path, *options):
        """A made-up device log."""
        made = run([sys.executable, self.root / "tools" / "make-device-log", *options, "-o", path], self.scratch)
        if made.code != 0:
            raise RuntimeError(f"make-device-log: {made}")
        return path

    def shared(self, *parts):
        """A file or folder of the golden data, which is not part of the project; None: not there."""
        path = self.root.parent.joinpath("shared", *parts)
        return path if path.exists() else None


def end_processes(scratch):
    """Ends what a failed check may have left running: processes whose folder is inside the scratch folder."""
    for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            if pathlib.Path(os.readlink(link)).is_relative_to(scratch):
                os.kill(int(link.parent.name), signal.SIGKILL)
        except OSError:
            pass  # it has just ended


def main(test):
    """Runs test(tap) with the arguments TTPROF SOURCE_ROOT; exits with 1 when a check failed."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} TTPROF SOURCE_ROOT")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # a test that takes too long cleans up, too
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:  # of nohup, or of a shell's background; children would inherit it
            signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(prefix="ttprof-e2e-") as scratch:
        tap = Tap(sys.argv[1], sys.argv[2], scratch)
        try:
            test(tap)
        finally:
            end_processes(scratch)
    tap.ok(not complaints, "no sanitizer complained", "\n".join(complaints[:3]))
    print(f"1..{tap.number}")
    sys.exit(1 if tap.failed else 0)
