#!/usr/bin/python3
"""test_timeline_cli.py TTPROF SOURCE_ROOT - the timeline command: what RUN may be, messages, exit codes.

What stands in the page is looked at by tests/unit/test_run_timeline.c and tests/browser/test_run_page.py.
"""
import json
import re

import runs
import tap

LOG = """ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, \
trace id counter, zone name, type, source line, source file, meta data
0,1,1,BRISC,7,1000,0,1024,,,BRISC-FW,ZONE_START,5,a.cc,
0,1,1,BRISC,7,1500,0,1024,,,BRISC-FW,ZONE_END,5,a.cc,
"""
LOOSE = ("ttprof: timeline: Device 0 is not aligned with {}: do not compare its zone starts with other rows; "
         "run again with --sync-host-device\n")
DONE = "ttprof: timeline: the page is page.html\n"
OPEN = ("ttprof: timeline: process 100, thread 100: host zones without an end (1 in all): they are closed when their process was "
        "last known to be alive, and marked; the process was killed, or never ends them\n")


def clocks(synced):
    epoch = {"cycle": 1000, "cycle_fraction": 0, "host": 6000, "host_fraction": 0, "cycles_per_ns": 1.0, "rate_error": 0,
             "error_ns": 25.0, "reach_ns": 1e6, "residual_ns": 1}
    return json.dumps({"pid": 100, "host_clock": "monotonic",
                       "chips": [{"id": 0, "synced": synced, "nominal_ghz": 1.0, "error_ns": 25.0, "epochs": [epoch]}]})


def put_log(logs, text=LOG, clock_text=None):
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "profile_log_device.csv").write_text(text)
    if clock_text is not None:
        (logs / "device_clocks.json").write_text(clock_text)


def document(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S).group(1))


def groups(page):
    return [d["label"] for d in document(page)["timeline"]["devices"]]


HOST = ["Processes", "trainer 100", "worker 200 rank 1"]


def check_inputs(t):
    """Each row: what, what makes it, RUN, labels of the groups in the page, stderr without the findings of the host."""
    def run_only(folder):
        runs.sample(folder / "run")

    def with_log(text=LOG, clock_text=None, where="run/.logs"):
        def make(folder):
            if where.startswith("run/"):
                runs.sample(folder / "run")
            put_log(folder / where, text, clock_text)
        return make

    def newest(folder):
        runs.sample(folder / "root" / "runs" / "2026_11_16_10_00_00")
        runs.write(folder / "root" / "runs" / "2026_11_16_11_00_00", [], [["start", 5, 7, 8, 1, "/bin/true", "true"]])

    host = "the host"
    alone = "the host's clock"
    for what, make, run, want, said in (
        ("a run without devices", run_only, "run", HOST, ""),
        ("a run with a device that is synced", with_log(clock_text=clocks(True)), "run", [*HOST, "Device 0"], ""),
        ("a run with a device that is not", with_log(clock_text=clocks(False)), "run", [*HOST, "Device 0"], LOOSE.format(host)),
        ("a run with a device and no clocks", with_log(), "run", [*HOST, "Device 0"], LOOSE.format(host)),
        ("a run whose clocks are no JSON", with_log(clock_text="{"), "run", [*HOST, "Device 0"], None),
        ("a run whose device log is none", with_log(text="nothing\n"), "run", HOST, None),
        ("the newest run of a folder", newest, "root", ["Processes"], ""),
        ("a .logs folder", with_log(where=".logs", clock_text=clocks(True)), ".logs", ["Device 0"], ""),
        ("a folder with .logs", with_log(where=".logs"), ".", ["Device 0"], LOOSE.format(alone)),
        ("a device log", with_log(where="a"), "a/profile_log_device.csv", ["Device 0"], LOOSE.format(alone)),
    ):
        folder = t.folder("input")
        make(folder)
        got = tap.run([t.ttprof, "timeline", run, "-o", "page.html"], folder)
        stderr = "".join(line + "\n" for line in got.stderr.decode().splitlines() if ": host " not in line and "lost host" not in line and "ends of host" not in line)
        is_told = stderr == said + DONE if said is not None else "the devices are not aligned" in stderr or "the devices are left out" in stderr
        t.ok(got.code == 0 and got.stdout == b"" and is_told, what, got)
        t.equal(groups(folder / "page.html"), want, f"{what}: what the page has")


def check_axis(t):
    folder = t.folder("axis")
    runs.sample(folder / "run")
    put_log(folder / "run" / ".logs", clock_text=clocks(True))
    tap.run([t.ttprof, "timeline", "run", "-o", "page.html"], folder)
    line = document(folder / "page.html")["timeline"]
    t.equal([run[4:6] for run in line["runs"]], [[5000, 5500]], "a device is where its clock model puts it on the axis of the host")
    notes = " ".join(n["text"] for n in document(folder / "page.html")["notes"])
    for part in ("Device 0 is aligned with the host: its times are within 25 ns", "lost 4 events", "without an end"):
        t.ok(part in notes, f"the page notes: {part}", notes)
    text = tap.run([t.ttprof, "timeline", "run", "-o", "-"], folder).stdout
    t.ok(text == (folder / "page.html").read_bytes(), "-o - writes the page to standard output")
    tap.run([t.ttprof, "timeline", "run", "--process", "200", "--no-device", "-o", "one.html"], folder)
    t.equal(groups(folder / "one.html"), ["Processes", "worker 200 rank 1"], "--process and --no-device leave one process")
    tap.run([t.ttprof, "timeline", "-o", "root.html"], folder, TT_METAL_PROFILER_DIR="run")
    t.equal(groups(folder / "root.html"), [*HOST, "Device 0"], "without RUN it is the profiler's folder")


def check_mistakes(t):
    """Nothing is written, and what was there stays."""
    folder = t.folder("mistakes")
    runs.sample(folder / "run")
    (folder / "empty").mkdir()
    (folder / "in.csv").write_text("a,b\n1,2\n")
    (folder / "page.html").write_text("before\n")
    for what, arguments, code, text in (
        ("no such RUN", "nosuch", 3, "nosuch: No such file or directory; check the path"),
        ("a file that is no device log", "in.csv", 4, None),
        ("an empty folder", "empty", 4, None),
        ("two runs", "run empty", 2, "unexpected argument 'empty'"),
        ("--process of no number", "run --process x", 2, "--process: 'x' is not a process id"),
        ("--process 0", "run --process 0", 2, "--process: '0' is not a process id"),
        ("--process of no process", "run --process 77", 2,
         "--process: no process 77 in 'run'; 'ttprof zones --by process' lists them"),
        ("--max-zones 0", "run --max-zones 0", 2, "--max-zones must be positive, got 0"),
        ("an option misspelt", "run --max-zone", 2, None),
        ("an output below a file", "run -o in.csv/x", 3, None),
    ):
        options = arguments.split()
        options += [] if "-o" in options else ["-o", "page.html"]
        before = sorted(p.name for p in folder.iterdir())
        got = tap.run([t.ttprof, "timeline", *options], folder)
        lines = [line for line in got.stderr.decode().splitlines() if ": host " not in line and "ends of host" not in line]
        is_said = len(lines) == 1 and lines[0].startswith("ttprof: timeline: ") and text in (None, lines[0][len("ttprof: timeline: "):])
        t.ok(got.code == code and is_said, what, got)
        t.ok((folder / "page.html").read_text() == "before\n" and sorted(p.name for p in folder.iterdir()) == before,
             f"{what}: nothing is written")
    got = tap.run([t.ttprof, "timeline", "run", "-o", "page.html", "--strict"], folder)
    t.ok(got.code == 1 and OPEN in got.stderr.decode() and "--strict: found odd data (6 in all)" in got.stderr.decode(),
         "--strict makes odd data an exit code", got)


def test(t):
    check_inputs(t)
    check_axis(t)
    check_mistakes(t)


tap.main(test)
