#!/usr/bin/python3
"""test_python.py TTPROF SOURCE_ROOT - Python programs are recorded: every call of Python and C functions once, lines,
regions, filters, zones of the program's own; and the program does not notice."""
import collections
import json
import re

import tap
from pythons import Recorded, environment, record, tracy

# Counts its own calls with a profile function in Python, and prints them, if it is told so.
TRUTH = """
import collections, contextlib, functools, json, sys

class Base:
    def method(self, n):
        return n if n == 0 else self.method(n - 1)
    @classmethod
    def of_class(cls):
        return cls()
    @staticmethod
    def static():
        return sorted([3, 1], key=lambda x: -x)
    @property
    def value(self):
        return 1

class Derived(Base):
    def method(self, n):
        return super().method(n)
    def __enter__(self):
        return self
    def __exit__(self, *_):
        return True

def counter(n):
    for i in range(n):
        yield i

def nested():
    def inner(x):
        return x + 1
    return [inner(i) for i in range(3)], {inner(i) for i in range(2)}

def raises(depth):
    if depth == 0:
        raise ValueError("x")
    raises(depth - 1)

def catches():
    try:
        raises(5)
    except ValueError:
        pass
    for wrong in (len, int, float.fromhex):
        try:
            wrong([])
        except TypeError:
            pass

def unfinished():
    g = counter(10)
    next(g)
    next(g)
    g.close()

def delegating():
    yield from counter(4)
    got = yield
    return got

def throwing():
    g = delegating()
    next(g)
    try:
        g.throw(KeyError("k"))
    except KeyError:
        pass

@contextlib.contextmanager
def section():
    yield 1

@functools.lru_cache(maxsize=None)
def cached(n):
    return n

def deep(n):
    return n and deep(n - 1)

def work():
    Derived().method(4)
    Base.of_class().static()
    Base().value
    list(counter(5)), list(delegating())
    nested()
    catches()
    unfinished()
    throwing()
    with section(), Derived():
        raise KeyError
    [cached(i % 2) for i in range(6)]
    deep(600)
    items = []
    for i in range(7):
        items.append(i)
    "a,b".split(",")
    exec(compile("def made():\\n    return 1\\nmade()", "made.py", "exec"), {"__name__": "made"})

def truth():
    calls, natives = collections.Counter(), collections.Counter()
    def profile(frame, event, arg):
        if event == "call" and frame.f_code.co_filename.endswith(("script.py", "made.py")):
            calls[frame.f_code.co_qualname] += 1
        elif event == "c_call" and frame.f_code.co_filename.endswith("script.py"):
            natives[arg.__name__] += 1
    sys.setprofile(profile)
    work()
    sys.setprofile(None)
    print(json.dumps([calls, natives]))

if __name__ == "__main__":
    truth() if sys.argv[1:] == ["truth"] else work()
"""


def check_truth(t):
    folder = t.folder("truth")
    (folder / "script.py").write_text(TRUTH)
    calls, natives = json.loads(tap.run(["python3", "script.py", "truth"], folder).stdout)
    r = record(t, TRUTH, folder=folder)
    counts = {k: v for k, v in r.counts("script.py").items() if k not in ("<module __main__>", "Base", "Derived")}
    counts["made"] = r.counts("made.py")["made"]
    counts["<module>"] = r.counts("made.py")["<module made>"]
    t.equal(counts, {k: v for k, v in calls.items() if k != "truth"}, "every call of a Python function is a zone, by its qualified name")
    bodies = [word for name in ("<module __main__>", "Base", "Derived") for word in ("--python-exclude", f"__main__.{name}")]
    own = record(t, TRUTH, "--python-include", "__main__", *bodies)
    found = own.counts("<C>")
    bare = collections.Counter()
    for name, n in found.items():
        bare[name.rsplit(".", 1)[-1]] += n
    del natives["setprofile"]
    t.equal(dict(bare), natives, "and every call of a C function")
    t.ok(found["list.append"] == 7 and found["len"] == 1 and found["generator.close"] == found["generator.throw"] == 1,
         "under its own name, those of builtins without a module", found)
    done = r.strict()
    t.equal(done.code, 0, "all zones end, exceptions or not")
    rows = {row["Zone"]: (row["Source"], row["Function"]) for row in r.table() if row["File"].endswith("script.py")}
    line = TRUTH.split("\n").index("    def of_class(cls):")
    t.equal((rows["Base.of_class"], rows["nested.<locals>.inner"][1]), ((f"script.py:{line}", "of_class"), "inner"), "a zone has the file and the first line")


EXITS = [
    ("def f(:\n", 1, b"SyntaxError"),
    ("import nosuch\n", 1, b"No module named 'nosuch'"),
    ("import sys\ndef f(): sys.exit(3)\nf()\n", 3, b""),
    ("import sys\nsys.exit('with a text')\n", 1, b"with a text"),
    ("import os\ndef f(): os._exit(5)\nf()\n", 5, b""),
    ("raise SystemExit\n", 0, b""),
    ("def f(): raise ValueError('mine')\nf()\n", 1, b"ValueError: mine"),
    ("import os, signal, time\ndef f():\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(9)\nf()\n", 130, b"KeyboardInterrupt"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", 137, b""),
    ("import os\ndef f(): os.abort()\nf()\n", 134, b""),
]


def check_exits(t):
    for text, code, message in EXITS:
        r = record(t, text)
        t.ok(r.done.code == code and message in r.done.stderr, f"exit code {code}: {text.splitlines()[-1][:50]}", r.done)
    r = record(t, "import os\ndef f(): os._exit(5)\ndef g(): f()\ng()\n")
    opened = {row["Zone"] for row in r.table("--open") if int(row.get("Open") or 0)}
    t.ok({"f", "g", "<module __main__>", "posix._exit"} <= opened, "os._exit: zones that did not end are in the recording", opened)
    folder = t.folder("none")
    t.equal(tracy(t, folder, "-o", "out", "-m", "nosuch").code, 1, "a missing module: the interpreter's own exit code")
    t.equal(tracy(t, folder, "-o", "out", "nosuch.py").code, 127, "a missing file: 127, as for any command")


MAIN = """
import multiprocessing, pickle, sys
class Point:
    def __init__(self, x): self.x = x
def square(p): return p.x ** 2
if __name__ == "__main__":
    main = sys.modules["__main__"]
    assert main.Point is Point and main.__file__ == "script.py" or main.__file__.endswith("/script.py"), main
    assert __spec__ is None and pickle.loads(pickle.dumps(Point(3))).x == 3
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(square, [Point(1), Point(2)]) == [1, 4]
    assert not any("site" == p.rsplit("/", 1)[-1] and "python" in p and "dist" not in p for p in sys.path), sys.path
    print(sys.argv[1:])
"""


def check_unnoticed(t):
    words = ["a b", "[x]", "$HOME", "*", "", "-r", "--no-device", "'"]
    r = record(t, MAIN, words=words)
    t.equal((r.done.code, r.done.stdout.decode().strip()), (0, str(words)), "__main__ is the script's, pickling works, arguments are untouched")
    t.ok(r.counts("script.py")["square"] == 2, "functions in spawned processes are recorded", r.counts("script.py"))
    folder = t.folder("module")
    (folder / "package").mkdir()
    (folder / "package" / "__main__.py").write_text("import sys\ndef f(): print(__name__, __spec__.name, sys.argv[1:])\nf()\n")
    done = tracy(t, folder, "-o", "out", "-m", "package", "x y")
    t.equal((done.code, done.stdout), (0, b"__main__ package.__main__ ['x y']\n"), "-m runs a module as the interpreter does")
    done = tracy(t, folder, "-o", "out", "sh", "-c", "exit 7")
    t.equal(done.code, 7, "any other command runs, too, with its exit code")


SITE = """
import sys, threading, time
started = threading.Event()
def early_work(): time.sleep(0.001)
def early():
    started.set()
    while not getattr(sys, "is_done", False): early_work()
thread = threading.Thread(target=early, daemon=True)
thread.start()
started.wait()
sys.theirs = __file__
"""
RUNNING = """
import sys, time
def main():
    time.sleep(0.2)
    sys.is_done = True
    sys.modules["sitecustomize"].thread.join()
    print(sys.theirs)
main()
"""


def check_sitecustomize(t):
    folder, site = t.folder("chained"), t.folder("theirs")
    (site / "sitecustomize.py").write_text(SITE)
    r = record(t, RUNNING, folder=folder, PYTHONPATH=str(site))
    t.equal(r.done.stdout.decode().strip(), str(site / "sitecustomize.py"), "another sitecustomize is imported as usual")
    early = [(thread, zones) for (_, thread), zones in r.threads().items() if zones["early_work"]]
    t.ok(len(early) == 1 and early[0][1]["early_work"] > 5, "a thread that already runs is recorded", r.threads())
    (site / "sitecustomize.py").write_text("raise RuntimeError('of theirs')\n")
    r = record(t, "def f(): pass\nf()\n", PYTHONPATH=str(site))
    t.ok(r.done.code == 0 and b"RuntimeError: of theirs" in r.done.stderr and r.counts("script.py")["f"] == 1,
         "its failure is told by the interpreter, and the program is recorded", r.done)


THREADS = """
import _thread, threading, time, concurrent.futures
def in_thread(): return sum(range(10))
def task(n): return in_thread()
def main():
    threads = [threading.Thread(target=in_thread, name=f"worker {i}") for i in range(3)]
    for th in threads: th.start()
    for th in threads: th.join()
    with concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="pool") as pool:
        list(pool.map(task, range(5)))
    done = threading.Event()
    def raw():
        in_thread()
        done.set()
    _thread.start_new_thread(raw, ())
    done.wait()
    timer = threading.Timer(0, in_thread)
    timer.start()
    timer.join()
if __name__ == "__main__":
    main()
"""


def check_threads(t):
    r = record(t, THREADS)
    threads = r.threads()
    t.equal(r.counts("script.py")["in_thread"], 3 + 5 + 1 + 1, "every thread is recorded, however it was started")
    names = {thread.split(" ", 1)[1] for _, thread in threads if " " in thread}
    t.ok({"worker 0", "worker 1", "worker 2", "pool_0"} <= names, "threads have their names", names)
    t.equal(r.strict().code, 0, "their zones are balanced")


PARTIAL = """
import tracy
def inner(): return len("x")
def outer():
    inner()
    return inner()
def helper(): return outer()
profiler = tracy.Profiler()
outer()
profiler.enable()
outer()
profiler.disable()
outer()
with tracy.Profiler():
    with tracy.Profiler() as again:
        inner()
        again.enable()
    inner()
inner()
def section():
    profiler.enable()
    inner()
def ended():
    section()
    inner()
    profiler.disable()
    inner()
ended()
profiler.disable()
inner()
"""


def check_partial(t):
    r = record(t, PARTIAL, "-p")
    t.equal(dict(r.counts("script.py")), {"outer": 1, "inner": 2 + 2 + 2}, "-p: only between enable() and disable()")
    t.equal(r.counts("<C>")["len"], 6, "with the C functions that are called")
    t.equal(r.strict().code, 0, "with no zone left open")
    t.equal(r.counts()["Profiler.enable"], 0, "our own modules are not recorded")
    r = record(t, PARTIAL)
    t.equal(r.counts("script.py")["outer"], 3, "without -p the whole program is")
    t.equal(record(t, PARTIAL, "-p", "--no-python").counts(), {}, "--no-python: nothing is")
    done = tap.run(["python3", "script.py"], r.folder, **environment(t))
    t.equal((done.code, done.stderr), (0, b""), "outside a run all of it does nothing")


LINES = """\
import tracy
def work(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += other(i)
    return total
def other(i):
    return i * 2
with tracy.Profiler():
    work(4)
"""


def check_lines(t):
    r = record(t, LINES, "-p", "-l")
    counts = r.counts("script.py")
    t.equal(dict(counts), {"work": 1, "work:3": 1, "work:4": 5, "work:5": 4, "work:6": 2, "work:7": 1, "other": 2, "other:9": 2},
            "-p -l: each visit of a line is a zone")
    t.equal(r.strict().code, 0, "and ends with the next line or with its function")
    rows = {row["Zone"]: row for row in r.table()}
    t.ok(int(rows["work:6"]["Total [ns]"]) >= int(rows["other"]["Total [ns]"]), "a line lasts as long as what it calls", rows["work:6"])
    t.equal("work:3" in record(t, LINES, "-l").counts("script.py"), False, "-l without -p has no effect")
    t.equal(dict(record(t, LINES, "--partial", "--lines").counts("script.py")), dict(counts), "long names")


FILTERED = """
import json, helper
def own(): return helper.assist(len("x"))
def deep(n): return n and deep(n - 1)
own()
deep(10)
json.loads("[1]")
"""


def check_filters(t):
    def filtered(*options):
        folder = t.folder("filter")
        (folder / "helper.py").write_text("def assist(n): return detail(n)\ndef detail(n): return abs(n)\n")
        r = record(t, FILTERED, *options, folder=folder)
        t.equal(r.strict().code, 0, f"balanced with {' '.join(options)}")
        return r.counts()

    found = filtered("--python-include", "helper")
    t.equal(dict(found), {"<module helper>": 1, "assist": 1, "detail": 1, "abs": 1}, "--python-include: a module, with its C functions")
    found = filtered("--python-include", "json")
    t.ok({"loads", "JSONDecoder.decode"} <= set(found) and not {"own", "assist"} & set(found), "a package, with its modules", found)
    found = filtered("--python-include", "__main__.d*", "--python-include", "*/helper.py")
    t.ok(found["deep"] == 11 and found["detail"] == 1 and not found["own"], "patterns of names and of files", found)
    found = filtered("--python-exclude", "helper.detail", "--python-exclude", "importlib", "--python-exclude", "_frozen_importlib*", "--python-exclude", "len")
    t.ok(found["assist"] == 1 and not found["detail"] and not found["abs"] and not found["len"] and not found["_find_and_load"],
         "--python-exclude, and the C functions that these call", found)
    found = filtered("--python-include", "__main__", "--python-depth", "4")
    t.ok(found["<module __main__>"] == 1 and found["deep"] == 3 and found["own"] == 1, "--python-depth counts what is recorded", found)
    folder = t.folder("wrong")
    done = tracy(t, folder, "--python-depth", "0", "x.py")
    t.ok(done.code == 2 and b"--python-depth must be at least 1, got 0" in done.stderr, "--python-depth 0 is refused", done)


OWN = """
import threading, tracy
@tracy.zone()
def decorated(): return 1
@tracy.zone("named", 0x00ff00)
def other(): return tracy.stop_tracy_zone()
def begins(): tracy.start_tracy_zone("my_file.py", "across", line_number=42)
def ends(): return tracy.stop_tracy_zone("renamed", color=0x00FF00)
def in_thread():
    assert tracy.stop_tracy_zone() is True
    tracy.start_tracy_zone("t.py", "of a thread", 7, 0xff)
    tracy.stop_tracy_zone()
def main():
    decorated()
    with tracy.zone("block"):
        decorated()
    with tracy.zone():
        pass
    tracy.start_tracy_zone("a.py", "first", 1)
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    tracy.start_tracy_zone("a.py", "second", lineNum=2)
    assert tracy.stop_tracy_zone() is False
    assert tracy.stop_tracy_zone() is False
    assert tracy.stop_tracy_zone() is True
    begins()
    assert ends() is False
    tracy.message("plain")
    tracy.message("in red; \\"quoted\\"\\nsecond line", 0xFF0000)
    tracy.tracy_message("as ttnn", color=0x00ff00)
    tracy.signpost("Header: with a colon")
    tracy.signpost("Header", "with `ticks`")
    tracy.frame()
    tracy.frame("set")
    tracy.tracy_frame()
    tracy.plot("p", 1)
    tracy.plot("p", 2.5)
main()
"""


def check_own(t):
    for options in ([], ["-p"], ["--no-python"]):
        r = record(t, OWN, *options)
        how = " ".join(options) or "the whole program"
        t.equal((r.done.code, r.strict().code), (0, 0), f"zones of the program's own, {how}: balanced per thread")
        zones = {row["Zone"]: row for row in r.table()}
        pieces = {name: int(zones[name]["Count"]) for name in ("decorated", "block", "of a thread", "first", "second") if name in zones}
        own = 2 if options else 4  # with its function, which has the same name
        t.equal(pieces, {"decorated": own, "block": 1, "of a thread": 1, "first": 1, "second": 1}, f"each once, {how}")
        t.equal((zones["across"]["Source"], int(zones["across"]["Count"]) >= 1), ("my_file.py:42", True), f"one that ends in another function, {how}")
        messages = r.messages()
        t.ok("`TT_SIGNPOST: Header: with a colon`" in messages and "`TT_SIGNPOST: Header\nwith ``ticks```" in messages, f"signposts, {how}", messages)
        t.ok('in red; "quoted"\nsecond line' in messages and "as ttnn" in messages, f"messages, {how}", messages)
    r = record(t, OWN)
    zones = {row["Zone"]: row for row in r.table()}
    t.ok("renamed" in tap.run([t.ttprof, "zones", r.root, "-u"], r.folder).stdout.decode(), "stop_tracy_zone() gives another name")


TASKS = """
import asyncio, threading, tracy
async def leaf(n):
    await asyncio.sleep(0)
    return n
async def fetch(n):
    with tracy.zone("waits"):
        await asyncio.sleep(0.001)
        await leaf(n)
    await asyncio.sleep(0)
async def agen():
    for i in range(3):
        await asyncio.sleep(0)
        yield i
async def main():
    for _ in range(3):
        await asyncio.gather(*[asyncio.create_task(fetch(i)) for i in range(4)])
    task = asyncio.create_task(fetch(9), name="special")
    await task
    async for _ in agen():
        pass
asyncio.run(main())
thread = threading.Thread(target=lambda: asyncio.run(main()), name="second loop")
thread.start()
thread.join()
"""


def check_tasks(t):
    r = record(t, TASKS)
    lanes = {thread: zones for (_, thread), zones in r.threads().items() if thread.startswith("fiber ")}
    t.equal(set(lanes), {"fiber main", "fiber main 2", "fiber special", "fiber special 2", "fiber fetch", "fiber fetch 2", "fiber fetch 3", "fiber fetch 4"} & set(lanes) | set(lanes),
            "tasks have lanes")
    fetches = [lane for lane in lanes if re.fullmatch("fiber fetch( \\d+)?", lane)]
    t.ok(4 <= len(fetches) <= 8 and "fiber special" in lanes and "fiber main" in lanes, "as many as there are tasks at once, with their names", sorted(lanes))
    # Called, continued twice in the zone and once after it: two loops of 13 tasks.
    calls = sum(zones["fetch"] for zones in lanes.values())
    t.equal(calls, 2 * 13 * 4, "each continuation of a task is a zone in its lane")
    t.equal(sum(zones["waits"] for zones in lanes.values()), 2 * 13 * 3, "a zone waits with its task")
    outside = sum(zones["waits"] + zones["fetch"] for (_, thread), zones in r.threads().items() if not thread.startswith("fiber "))
    t.equal((outside, r.strict().code), (0, 0), "nothing of it is outside of the lanes, and all are balanced")
    r = record(t, TASKS, "-p")
    t.equal((r.done.code, r.strict().code), (0, 0), "without functions, zones of tasks are balanced, too")


SHARED_ENTRY = """
import ctypes
api = ctypes.pythonapi
entry = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p)(lambda self, arguments: 1)
class Def(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("entry", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]
api.PyCapsule_New.restype = api.PyCFunction_NewEx.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCFunction_NewEx.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
defs, functions = [], []
for i, name in enumerate((b"alpha", b"beta")):
    defs.append(Def(name, ctypes.cast(entry, ctypes.c_void_p), 1, None))
    capsule = api.PyCapsule_New(8 * i + 8, b"record", None)
    functions.append(api.PyCFunction_NewEx(ctypes.addressof(defs[-1]), capsule, "bound"))
for _ in range(3): functions[0]()
functions[1]()
"""


def check_shared_entry(t):
    r = record(t, SHARED_ENTRY)
    t.equal({k: v for k, v in r.counts("<C>").items() if k in ("bound.alpha", "bound.beta")}, {"bound.alpha": 3, "bound.beta": 1},
            "functions that share one entry in C, as those of pybind11, are told apart")


def check_windows(t):
    text = "import tracy\ndef f(): pass\nf()\ntracy.signpost('go')\nf()\nf()\ntracy.signpost('halt')\nf()\n"
    r = record(t, text, "--start-at", "go", "--stop-at", "halt")
    t.equal(r.counts("script.py")["f"], 2, "--start-at and --stop-at: calls between two signposts")
    r = record(t, text, "--start-signpost", "go", "--end-signpost", "halt")
    t.equal(r.counts("script.py")["f"], 2, "their other names")


def check_isolated(t):
    for flag in ("-I", "-S", "-E", "-Bs -I", "-X dev -E"):
        folder = t.folder("isolated")
        (folder / "x.py").write_text("def f(): print('ran')\nf()\n")
        done = tracy(t, folder, "--no-device", "-o", "out", "python3", *flag.split(), "x.py")
        r = Recorded(t, folder, done, "out")
        t.ok(done.stdout == b"ran\n" and r.said() == ["with -I, -S or -E is not recorded"], f"python3 {flag}: said once, and run as usual", done)
    r = record(t, "def f(): pass\nf()\n", words=["-I", "-E"])
    t.equal(r.said(), [], "the same words after a script are its own")


def check_free_code(t):
    text = ("import resource\ndef f():\n    for i in range(300_000):\n        eval(compile('x%d' % (i % 1000), 'made', 'eval'), {'x%d' % (i % 1000): 1})\n"
            "first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\nf()\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first)\n")
    r = record(t, text, "--policy", "block")
    grown = int(r.done.stdout or 0)
    t.ok(0 < grown < 80_000, "a program that makes code without end does not keep it", f"{grown} KB more; {r.done}")


def test(t):
    check_truth(t)
    check_exits(t)
    check_unnoticed(t)
    check_sitecustomize(t)
    check_threads(t)
    check_partial(t)
    check_lines(t)
    check_filters(t)
    check_own(t)
    check_tasks(t)
    check_shared_entry(t)
    check_windows(t)
    check_isolated(t)
    check_free_code(t)


if __name__ == "__main__":
    tap.main(test)
