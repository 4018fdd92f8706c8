#!/usr/bin/python3
"""test_ttnn_run.py TTPROF SOURCE_ROOT - what is recorded of a program of ttprof.ttnn: the ops report, the lines that ops come
from, zones and messages, real time, the simulator's own time, the profiler's data, fixtures of pytest, the op profiler of 2023.
"""
import csv
import json
import re
import sys

import pythons
import tap

OPS = """\
import ttprof.ttnn as ttnn

def layer(x, w):
    y = ttnn.linear(x, w, activation="gelu")
    return ttnn.softmax(y) + ttnn.softmax(y)

with ttnn.open_device() as device:
    x, w = ttnn.rand((32, 32), device=device), ttnn.rand((32, 32), device=device)
    for _ in range(2):
        x = layer(x, w)
    ttnn.host_op(device, "shuffle", sorted, [3, 1])
    trace = ttnn.begin_trace_capture(device)
    y = ttnn.relu(x)
    ttnn.end_trace_capture(device, trace)
    for _ in range(3):
        ttnn.execute_trace(device, trace)
    print(device.simulation_time_ns > 0)
"""


def run(t, program, *options, name="program.py", **env):
    """Runs a program under `ttprof run`; its folder and what was said."""
    out = t.folder("out")
    (out / name).write_text(program, encoding="utf-8")
    return out, tap.run([t.ttprof, "run", "--quiet", *options, "-o", out, "--", sys.executable, out / name], t.scratch, **pythons.environment(t), **env)


def zones(t, out, *options):
    done = tap.run([t.ttprof, "zones", out, *options], t.scratch)
    return done.stdout.decode()


def table(t, out):
    return list(csv.DictReader(zones(t, out, "--csv", "-").splitlines()))


def call_sites(t, out):
    """As records of ops have them, in JSON."""
    return [json.loads(text) for text in re.findall(r'"call_site": ("[^"]*")', zones(t, out, "-m"))]


def check_report(t):
    out, done = run(t, OPS, "-r")
    found = list(out.glob("reports/*/ops_perf_results_*.csv"))
    if not t.ok(done.code == 0 and len(found) == 1 and done.stdout.startswith(b"True\n"), "a program gets its ops report", done):
        return
    rows = list(csv.DictReader(found[0].read_text(encoding="utf-8").splitlines()))
    codes = [r["OP CODE"] for r in rows]
    layer = ["MatmulDeviceOperation", "SoftmaxDeviceOperation", "SoftmaxDeviceOperation", "BinaryNgDeviceOperation"]
    t.equal(codes[:9], layer * 2 + ["shuffle"], "with its ops in their order")
    t.equal([r["METAL TRACE REPLAY SESSION ID"] for r in rows if r["OP CODE"] == "UnaryDeviceOperation" and r["METAL TRACE ID"]], ["1", "2", "3"], "and the replays of a trace")
    t.ok(all(r["DEVICE KERNEL DURATION [ns]"] for r in rows[:8]), "all measured on the device")
    t.equal([bool(list(out.glob(f"reports/*/{name}"))) for name in ("tracy_profile_log_host.tracy", "profile_log_device.csv")], [True, True], "the .tracy file and the device log are beside it")
    sites = call_sites(t, out)
    path = str(out / "program.py")
    t.equal(sites, [f"{path}:4 layer", f"{path}:5 layer", f"{path}:5 layer", f"{path}:11 <module>", f"{path}:13 <module>"],
            "each record says which line its op comes from, once")
    check_site_column(t, out)


def check_site_column(t, out):
    done = tap.run([t.ttprof, "ops", out, "--add", "site", "--csv", "-"], t.scratch)
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    path = out / "program.py"
    lines = [f"{path}:{at}" for at in ("4 layer", "5 layer", "5 layer", "5 layer", "4 layer", "5 layer", "5 layer", "5 layer", "11 <module>")]
    t.equal([r["CALL SITE"] for r in rows][:9], lines, "--add site is a column of it")
    tap.run([t.ttprof, "ops", out, "--json", t.scratch / "ops.json"], t.scratch)
    said = (t.scratch / "ops.json").read_text(encoding="utf-8")
    t.equal([json.loads(text) for text in re.findall(r'"CALL SITE": ?("[^"]*:\d+ [^"]*")', said)][:9], lines, "as is one of the JSON and the page")


def check_sites(t):
    """Two lines by turns: each op has its own."""
    program = "import ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((32, 32), device=d)\nfor _ in range(2):\n    ttnn.relu(x)\n    x.device() and ttnn.relu(x)\n"
    out, _ = run(t, program, "--no-device", TTNN_OP_PROFILER="1")
    t.equal([site.rsplit(":")[-1] for site in call_sites(t, out)], ["5 <module>", "6 <module>", "5 <module>", "6 <module>"], "ops of the same kind on two lines are told apart")
    out, _ = run(t, program, "--no-device")
    t.ok("call_site" not in zones(t, out, "-m"), "without op records nothing is told")


TIMES = """\
import time
import ttprof.ttnn as ttnn

def work(name):
    ttnn.start_tracy_zone("times.py", name, 1)
    begin = time.perf_counter_ns()
    while time.perf_counter_ns() - begin < 30_000_000:
        pass
    inside = time.perf_counter_ns() - begin
    ttnn.stop_tracy_zone()
    print(name, inside, time.perf_counter_ns() - begin)

work("before")
device = ttnn.open_device()
work("open")
x = ttnn.rand((256, 256), device=device)
begin = time.perf_counter_ns()
ttnn.start_tracy_zone("times.py", "simulated", 1)
for _ in range(4):
    x = ttnn.softmax(x)
ttnn.synchronize_device(device)
ttnn.stop_tracy_zone()
print("simulated", time.perf_counter_ns() - begin, device.simulation_time_ns)
device.close()
work("closed")
"""


def check_times(t):
    """Zones last as long as they last, less what the simulator takes, which has a plot."""
    out, done = run(t, TIMES, "--no-device")
    said = {line.split()[0]: list(map(int, line.split()[1:])) for line in done.stdout.decode().splitlines()}
    rows = {r["Zone"]: int(r["Total [ns]"]) for r in table(t, out)}
    for name in ("before", "open", "closed"):
        # The zone is longer than what was measured inside it. Before and after it other things happen, too.
        t.ok(said[name][0] <= rows.get(name, 0), f"work of the host takes its time: {name}", (said, rows))
    real, simulation = said["simulated"]
    t.ok(rows["simulated"] <= real - 1, "a zone in which the device works is shorter than in reality", (said, rows))
    plot = [line.split(",") for line in tap.run([t.ttprof, "csvexport", "-u", "--upstream", "--plot", out], t.scratch).stdout.decode().splitlines()]
    values = [float(cells[-1]) for cells in plot if cells[0] == "simulation [ms]"]
    t.ok(len(values) > 3 and values == sorted(values), "the simulator's own time is a plot that grows", values)
    t.ok(values and simulation / 1e6 <= values[-1] + 1e-3, "up to what the device says", (values, simulation))
    manifest = json.loads(next(out.glob("runs/*/manifest.json")).read_text(encoding="utf-8"))
    t.equal([p["clock"] for p in manifest["clock"]["processes"]], ["program"], "the clock is real time without the simulator's")


MARKS = """\
import threading
import ttprof.ttnn as ttnn
ttnn.tracy_message("Starting batch processing")
ttnn.tracy_message("Critical section entered", color=0xFF0000)
ttnn.tracy_message("x" * 100000)
ttnn.start_tracy_zone("my_file.py", "MY_CUSTOM_ZONE", line_number=42)
ttnn.start_tracy_zone("my_file.py", "INNER", 43, 0x0000FF)
def other():
    ttnn.start_tracy_zone("my_file.py", "OTHER", lineNum=44)
    print(ttnn.stop_tracy_zone(), ttnn.stop_tracy_zone())
t = threading.Thread(target=other)
t.start()
t.join()
ttnn.tracy_frame()
print(ttnn.stop_tracy_zone(), ttnn.stop_tracy_zone("MY_CUSTOM_ZONE", color=0x00FF00), ttnn.stop_tracy_zone())
"""


def check_marks(t):
    out, done = run(t, MARKS)
    t.equal(done.stdout, b"False True\nFalse False True\n", "each thread has zones of its own; an end without a begin says so")
    rows = {r["Zone"]: (r["Source"], r["Count"]) for r in table(t, out) if r["Source"].startswith("my_file.py")}
    t.equal(rows, {"MY_CUSTOM_ZONE": ("my_file.py:42", "1"), "INNER": ("my_file.py:43", "1"), "OTHER": ("my_file.py:44", "1")}, "zones with a line in all three ways")
    said = zones(t, out, "-m")
    t.ok("Starting batch processing" in said and "Critical section entered" in said and "x" * 100000 in said, "messages, of any length")


PERF = """\
import ttprof.ttnn as ttnn
with ttnn.open_device() as device:
    x = ttnn.ones((32, 32), device=device)
    ttnn.relu(x); ttnn.relu(x)
    ttnn.ReadDeviceProfiler(device)
    first = ttnn.get_latest_programs_perf_data()
    ttnn.relu(x)
    ttnn.ReadDeviceProfiler(device)
    latest, every = ttnn.get_latest_programs_perf_data(), ttnn.get_all_programs_perf_data()
    print([len(d.get(0, [])) for d in (first, latest, every)])
    print(ttnn.get_latest_kernel_duration_summary())
    for p in every.get(0, []):
        d = p.program_analyses_results["DEVICE KERNEL DURATION [ns]"]
        print(p.program_execution_uid.runtime_id, p.program_execution_uid.trace_id, d.duration, d.end_timestamp - d.start_timestamp, p.core_count, p.num_available_cores)
    s = ttnn.get_all_kernel_duration_summary(num_buckets=4)
    print(s[0].count, s[0].min_ns, s[0].max_ns, s[0].avg_ns, sum(s[0].histogram.bucket_counts) + s[0].histogram.overflow, len(s[0].histogram.bucket_edges_ns)) if s else print(s)
print(ttnn.get_all_programs_perf_data())
"""


def check_perf(t):
    mid_run = {"TT_METAL_PROFILER_MID_RUN_DUMP": "1", "TT_METAL_PROFILER_CPP_POST_PROCESS": "1"}
    out, done = run(t, PERF, "-r", **mid_run)
    lines = done.stdout.decode().splitlines()
    at = lines.index("[2, 1, 3]") if "[2, 1, 3]" in lines else None
    if t.ok(at is not None and done.code == 0, "programs of the last read and of all", done):
        report = list(csv.DictReader(next(out.glob("reports/*/ops_perf_results_*.csv")).read_text(encoding="utf-8").splitlines()))
        programs = [list(map(str, line.split())) for line in lines[at + 2:at + 5]]
        want = [[r["GLOBAL CALL COUNT"], "None", r["DEVICE KERNEL DURATION [ns]"], r["DEVICE KERNEL DURATION [ns]"], r["CORE COUNT"], r["AVAILABLE WORKER CORE COUNT"]] for r in report]
        t.equal(programs, want, "with the numbers of the ops report")
        ns = [int(p[2]) for p in programs]
        t.equal(lines[at + 5], f"3 {min(ns)} {max(ns)} {sum(ns) / 3} 3 5", "and their summary")
        t.ok(lines[at + 1].startswith(f"{{0: KernelDurationSummary(count=1, min_ns={ns[2]}, "), "that of the last read", lines[at + 1])
        t.equal(lines[at + 6], "{}", "a closed device has none")
    out, done = run(t, PERF, "-r")
    t.ok(b"[0, 0, 0]\n{}\n{}\n{}\n" in done.stdout, "without mid-run dumps they are empty", done)


LEGACY = """\
import tt_lib as ttl
import ttprof.ttnn as ttnn
print(ttl.profiler.get_profiler_flag())
ttl.profiler.set_profiler_location("my_test/case1")
with ttnn.open_device() as device:
    x = ttnn.ones((64, 64), device=device)
    ttl.profiler.start_profiling("my_model", ttl.profiler.OpType.python_fallback)
    ttl.profiler.append_meta_data("batch=3, first")
    ttl.profiler.append_input_data(x)
    y = ttnn.add(x, x)
    ttl.profiler.append_output_data(y)
    ttl.profiler.set_preferred_name("big")
    try:
        ttl.profiler.stop_profiling("other")
    except AssertionError as e:
        print(e)
    ttl.profiler.stop_profiling("my_model")
    with ttl.profiler.profiling("block"):
        pass
    try:
        ttl.profiler.append_meta_data("outside")
    except AssertionError as e:
        print(e)
"""


def check_legacy(t):
    folder = t.folder("legacy")
    (folder / "program.py").write_text("import ttprof\nttprof._offer_ttnn()\n" + LEGACY, encoding="utf-8")
    done = tap.run([sys.executable, "program.py"], folder, TT_METAL_PROFILER_DIR=str(folder), **pythons.environment(t))
    t.equal(done.stdout.decode().splitlines(), ["True", "Something is wrong, op name mismatch: 'other' is not the innermost op", "no op is open: start_profiling comes first"],
            "the op profiler of 2023: names that do not match are an AssertionError")
    logs = folder / ".logs/my_test/case1"
    t.equal(sorted(p.name for p in logs.iterdir()) if logs.is_dir() else None, ["BinaryNgDeviceOperation", "block", "my_model_big"], "every op has a folder")
    row = list(csv.DictReader((logs / "my_model_big/profile_log_host.csv").read_text(encoding="utf-8").splitlines(), skipinitialspace=True))[0]
    t.equal((row["Type"], row["Meta Data"], row["Inputs"], row["Outputs"]),
            ("python_fallback", "batch=3; first", "1_1_64_64|TILE|BFLOAT16|DEV_0_DRAM_INTERLEAVED", "1_1_64_64|TILE|BFLOAT16|DEV_0_DRAM_INTERLEAVED"), "and a row with what was said")
    t.ok("ttprof.ttl" in done.stderr.decode(), "tt_lib is offered like ttnn")


TESTS = """\
import pytest
import ttprof.ttnn as ttnn
pytest_plugins = ["ttprof.pytest_plugin"]

def test_device(device, use_program_cache):
    x = ttnn.ones((32, 32), device=device)
    ttnn.relu(x); ttnn.relu(x)
    assert device.num_program_cache_entries() == 1

@pytest.mark.parametrize("device_params", [{"num_command_queues": 2}], indirect=True)
def test_params(device):
    assert device.num_command_queues() == 2

@pytest.mark.parametrize("mesh_device", [(1, 2), 2], indirect=True)
def test_mesh(mesh_device):
    assert mesh_device.get_num_devices() == 2

def test_all(mesh_device):
    assert mesh_device.get_num_devices() == 1

def test_failure(device):
    ttnn.matmul(ttnn.ones((2, 3), device=device), ttnn.ones((2, 3), device=device))
"""


def check_pytest(t):
    folder = t.folder("tests")
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    if tap.run([sys.executable, "-c", "import pytest"], t.scratch).code:
        t.skip("fixtures of pytest", "pytest is not installed")
        return
    done = tap.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"], folder, **pythons.environment(t))
    said = done.stdout.decode()
    t.ok(done.code == 1 and "5 passed" in said and "1 failed" in said, "fixtures of pytest open devices and close them", done)
    t.ok("test_it.py:22: " in said and "is not possible" in said, "a failing op names its line", done)


def test(t):
    check_report(t)
    check_sites(t)
    check_times(t)
    check_marks(t)
    check_perf(t)
    check_legacy(t)
    check_pytest(t)


tap.main(test)
