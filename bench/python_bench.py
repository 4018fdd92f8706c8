"""python_bench.py WHAT ANCHORS [N] - costs of recording Python, in one process with its anchors; run by bench/run under
`ttprof run -p`. Prints one line of JSON."""
import ctypes
import gc
import json
import os
import random
import re
import sys
import time

WHAT, ANCHORS = sys.argv[1:3]
N = 4000  # calls or lines between two looks at the clock
anchors = ctypes.PyDLL(ANCHORS)
agent = ctypes.PyDLL(os.path.join(os.environ["TTPROF_LIBRARY"], "libttprof-python.so"))


# --- one call, one line ------------------------------------------------------------------------
def called():
    pass


def calls():
    for _ in range(N):
        called()


def lines():
    for _ in range(N // 4):
        a = 1
        b = a
        c = b


def native_zone():
    """A function of a native module that does nothing."""
    class Method(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char_p), ("entry", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    native_zone.method = Method(b"zone", ctypes.cast(anchors.anchor_zone, ctypes.c_void_p), 1, None)
    return make(ctypes.addressof(native_zone.method), None, None)


zone = native_zone()


def callback(frame, event, arg):
    """Of the shape that tt-metal's has."""
    if event in ("call", "c_call"):
        zone(frame.f_code.co_filename, f"PY_FUNC_{frame.f_code.co_name}", frame.f_lineno)
    elif event in ("return", "c_return", "c_exception"):
        if frame.f_code.co_filename.endswith("wrapper.py") and "local_name" in frame.f_locals:
            zone(frame.f_locals["local_name"], 2)
        else:
            zone("", 1)


def line_callback(frame, event, arg):
    if event == "line":
        zone("", 3)
        zone(frame.f_code.co_filename, f"PY_LINE_{frame.f_code.co_name}", frame.f_lineno)
    return line_callback


def timed(work):
    start = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - start


def with_empty(work):
    anchors.anchor_profile(1)
    took = timed(work)
    anchors.anchor_profile(0)
    return took


def with_empty_trace(work):
    anchors.anchor_trace(1)
    took = timed(work)
    anchors.anchor_trace(0)
    return took


def with_agent(work, has_lines=0):
    agent.ttprof_python_enable(has_lines)
    took = timed(work)
    agent.ttprof_python_disable()
    return took


def with_callback(work):
    sys.setprofile(callback)
    took = timed(work)
    sys.setprofile(None)
    return took


def with_line_callback(work):
    sys.settrace(line_callback)
    took = timed(work)
    sys.settrace(None)
    return took


def least(cases, rounds):
    """The least of each, in turns, so that all see the same machine."""
    got = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            got[name].append(case())
    return {name: min(values) for name, values in got.items()}


# --- a whole program ----------------------------------------------------------------------------
def make_documents(n):
    """Text with records in it, as a service reads them; the same each time."""
    random_ = random.Random(5)
    words = ["matmul", "softmax", "layernorm", "gelu", "add", "reshape", "embedding"]
    for i in range(n):
        ops = [{"name": random_.choice(words), "id": j, "ns": random_.randrange(1, 10**6), "shape": [1, 32, random_.randrange(32, 4096)]}
               for j in range(random_.randrange(5, 25))]
        yield f"2026-11-{1 + i % 28:02d}T12:00:{i % 60:02d} worker-{i % 8} INFO step={i} payload={json.dumps({'step': i, 'ops': ops})} end"


LINE = re.compile(r"^(?P<date>\d{4}-\d\d-\d\dT\S+) (?P<worker>worker-\d+) (?P<level>\w+) step=(?P<step>\d+) payload=(?P<payload>\{.*\}) end$")
CAMEL = re.compile(r"(^|_)([a-z])")


class Record:
    def __init__(self, match):
        self.worker, self.step = match["worker"], int(match["step"])
        self.ops = [self.op(o) for o in json.loads(match["payload"])["ops"]]

    @staticmethod
    def op(o):
        name = CAMEL.sub(lambda m: m[2].upper(), o["name"])
        return name, o["ns"], volume(o["shape"])


def volume(shape):
    product = 1
    for n in shape:
        product *= n
    return product


def summarise(documents):
    totals = {}
    for text in documents:
        record = Record(LINE.match(text))
        for name, ns, elements in record.ops:
            row = totals.setdefault((record.worker, name), [0, 0, 0])
            row[0] += 1
            row[1] += ns
            row[2] += elements
    rows = [{"worker": w, "op": n, "count": c, "ns": ns, "elements": e} for (w, n), (c, ns, e) in sorted(totals.items())]
    return json.dumps(rows, indent=1)


def main():
    if WHAT == "calls":
        got = least({"plain": lambda: timed(calls), "empty": lambda: with_empty(calls), "agent": lambda: with_agent(calls),
                     "callback": lambda: with_callback(calls)}, 800)
    elif WHAT == "lines":
        got = least({"plain": lambda: timed(lines), "empty": lambda: with_empty_trace(lines), "agent": lambda: with_agent(lines, 1),
                     "callback": lambda: with_line_callback(lines)}, 400)
    elif WHAT == "program":
        documents = list(make_documents(150))
        gc.disable()
        work = lambda: summarise(documents)
        got = least({"plain": lambda: timed(work), "empty": lambda: with_empty(work), "agent": lambda: with_agent(work),
                     "callback": lambda: with_callback(work)}, 60)
    else:
        n = int(sys.argv[3])
        agent.ttprof_python_enable(0)
        start = time.perf_counter_ns()
        for _ in range(n // N):
            calls()
        got = {"calls": n // N * N, "ns": time.perf_counter_ns() - start}
        agent.ttprof_python_disable()
    scale = {"calls": N, "lines": N}.get(WHAT, 1)
    print(json.dumps({name: value / scale if name != "calls" else value for name, value in got.items()}))


main()
