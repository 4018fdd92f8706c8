#!/usr/bin/python3
"""test_ttnn_guides.py TTPROF SOURCE_ROOT - the scripts that the guides print run on the software device, with the commands that the
guides name, and leave the ops report with its signposts, the run folder and the .tracy file.

Blocks are taken from the guides as they stand; a prelude defines what they leave undefined, and a line calls what they only
define. Without the guides, scripts of our own that use the same calls are run.
"""
import collections
import csv
import re
import sys
import textwrap

import pythons
import tap

WARM_UP, MEASURED = 5, 100  # iterations of the guides' complete example

MODEL = """\
import ttnn as _ttnn
mesh_device = _ttnn.open_mesh_device()
input_tensor = input_batch = _ttnn.ones((32, 32), device=mesh_device)
def model(x):
    return _ttnn.relu(x)
"""
Script = collections.namedtuple("Script", "name mark prelude call options signposts ops zones")
UNARY = "UnaryDeviceOperation"
PARTIAL = ["-p", "-r", "-v"]
SCRIPTS = [  # the block has this text in it
    Script("long runs: read-outs within a loop", "if batch % 100 == 0:", MODEL + "num_batches = 201\n", "mesh_device.close()\n", PARTIAL, [], 201, []),
    Script("a training loop", "for batch in dataloader:", """\
import ttnn as _ttnn
dataloader = range(2)
def train_step(batch):
    return _ttnn.ones((1, 1), device=mesh_device) + batch
""", "", PARTIAL, [], 200, []),
    Script("signposts around runs of a model", 'signpost("Warmup Start")\nfor _ in range(5):', MODEL, "mesh_device.close()\n", PARTIAL,
           ["Warmup Start", "Measurement Start", "Measurement End"], 15, []),
    Script("signposts with messages", 'signpost("Measurement Complete"', MODEL, "mesh_device.close()\n", PARTIAL,
           ["Warmup Start", "Warmup End", "Measurement Phase", "Measurement Complete"], 105, []),
    Script("a section that is profiled", "result = my_expensive_function()",
           MODEL + "def my_expensive_function():\n    return model(input_tensor)\n", "mesh_device.close()\n", PARTIAL, [], 1, ["my_expensive_function", "model"]),
    Script("messages", "ttnn.tracy_message", MODEL, "mesh_device.close()\n", PARTIAL, [], 0, []),
    Script("zones", "ttnn.start_tracy_zone", MODEL, "mesh_device.close()\n", PARTIAL, [], 0, ["MY_CUSTOM_ZONE"]),
    Script("the complete example", "def run_model_with_profiling", MODEL, "run_model_with_profiling(mesh_device, model, input_tensor)\nmesh_device.close()\n", PARTIAL,
           ["Warmup Phase Start", "Warmup Phase End", "Measurement Phase Start", *(f"Iteration {i}" for i in range(0, MEASURED, 10)), "Measurement Phase End"],
           WARM_UP + MEASURED, ["model"]),
    Script("signposts of the report's guide", 'tracy.signpost("Compilation pass")', MODEL + "input_data = input_tensor\n", "mesh_device.close()\n", ["-r", "-p", "-v"],
           ["Compilation pass", "Performance pass"], 11, []),
    Script("a function between enable and disable", "child_function_1()", MODEL + """\
def child_function_1():
    model(input_tensor)
child_function_2 = child_function_1
def funtion_under_test(): # as it is printed
    function_under_test()
""", "mesh_device.close()\n", ["-p", "-r"], [], 2, ["function_under_test", "child_function_1"]),
]

OWN = [  # the same calls in other words
    Script("our own: a loop with signposts, a profiler and read-outs", None, """\
import ttnn
import tracy

def step(x, w):
    return ttnn.softmax(ttnn.linear(x, w, activation="relu"))

chips = ttnn.open_mesh_device(...)
profiler = tracy.Profiler()
x = w = ttnn.ones((32, 32), device=chips)
tracy.signpost("one", "a first step")
x = step(x, w)
ttnn.synchronize_device(chips)
tracy.signpost("more")
profiler.enable()
for i in range(3):
    ttnn.start_tracy_zone("own.py", "ROUND", line_number=i)
    x = step(x, w)
    ttnn.ReadDeviceProfiler(chips)
    ttnn.stop_tracy_zone("ROUND", color=0x00FF00)
profiler.disable()
ttnn.tracy_message("done", color=0xFF0000)
ttnn.close_mesh_device(chips)
""", "", PARTIAL, ["one", "more"], 8, ["ROUND", "step"]),
]


def blocks(t):
    """Blocks of Python in the guides."""
    guides = t.shared("guides")
    found = []
    for path in sorted(guides.glob("*.txt")) if guides else []:
        text = path.read_text(encoding="utf-8")
        found += re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        found += map(textwrap.dedent, re.findall(r"^\.\.  code-block:: python\n\n((?: {4}.*\n|\n)+)", text, re.M))
    return [block.strip("\n") + "\n" for block in found]


def run(t, arguments, out):
    return pythons.tracy(t, out, *arguments, TT_METAL_DEVICE_PROFILER="1")


def check_run(t, out, done, script, notices=1):
    title = script.name
    told = done.stderr.decode().count("ttprof: no ttnn is installed")
    t.ok(done.code == 0 and told == notices, f"{title}: it runs, and it is told that the software device stands for ttnn ({notices} times)", done)
    root = out / "generated" / "profiler"
    found = list(root.glob("reports/*/ops_perf_results_*.csv"))
    if script.ops == 0 and not script.signposts:
        t.ok(list(root.glob("runs/*")), f"{title}: the run folder is there")
    elif t.ok(len(found) == 1 and list(root.glob("runs/*/manifest.json")), f"{title}: the ops report and the run folder are there", done):
        rows = list(csv.DictReader(found[0].read_text(encoding="utf-8").splitlines()))
        t.equal([r["OP CODE"] for r in rows if r["OP TYPE"] == "signpost"], script.signposts, f"{title}: signposts are rows of the report")
        ops = [r for r in rows if r["OP TYPE"] == "tt_dnn_device"]
        t.equal((len(ops), all(r["DEVICE KERNEL DURATION [ns]"] for r in ops)), (script.ops, True), f"{title}: every op is measured")
        t.ok(list(root.glob("reports/*/tracy_profile_log_host.tracy")), f"{title}: so is the .tracy file")
    shown = tap.run([t.ttprof, "zones", root, "--csv", "-"], t.scratch)
    zones = {r["Zone"] for r in csv.DictReader(shown.stdout.decode().splitlines())}
    missing = [z for z in script.zones if not any(name == z or name.endswith("." + z) for name in zones)]
    t.equal(missing, [], f"{title}: zones are recorded")


def check_script(t, script, block):
    out = t.folder("guide")
    (out / "your_script.py").write_text(script.prelude + block + script.call, encoding="utf-8")
    check_run(t, out, run(t, [*script.options, "your_script.py"], out), script)


FIXTURE = re.compile(r"^def test_\w+\(device, use_program_cache, tracy_profile\):$", re.M)


def check_fixture(t, block):
    title = "a test with the fixtures device, use_program_cache and tracy_profile"
    if tap.run([sys.executable, "-c", "import pytest"], t.scratch).code:
        t.skip(title, "pytest is not installed")
        return
    out = t.folder("pytest")
    body = "    import ttnn\n    x = ttnn.ones((32, 32), device=device)\n    helper(ttnn, x)\n"
    (out / "test_it.py").write_text("def helper(ttnn, x):\n    for _ in range(2):\n        ttnn.relu(x)\n\n" + block + body, encoding="utf-8")
    name = re.search(r"def (\w+)", block)[1]
    done = run(t, ["-p", "-r", "-m", "pytest", "-p", "no:cacheprovider", f"test_it.py::{name}"], out)
    check_run(t, out, done, Script(title, None, "", "", [], [], 2, [name, "helper"]), notices=0)  # pytest keeps what is written
    t.ok(b"1 passed" in done.stdout, f"{title}: the test passes", done)


def test(t):
    for script in OWN:
        check_script(t, script, "")
    check_fixture(t, "def test_own(device, use_program_cache, tracy_profile):\n")
    found = blocks(t)
    if not found:
        t.skip("the scripts of the guides", "the guides are not part of the project")
        return
    for script in SCRIPTS:
        block = [b for b in found if script.mark in b]
        if t.equal(len(block), 1, f"{script.name}: a block of the guides"):
            check_script(t, script, block[0])
    block = [b for b in found if FIXTURE.search(b)]
    if t.equal(len(block), 1, "the fixtures: a block of the guides"):
        check_fixture(t, block[0])
    t.equal(len(found), len(SCRIPTS) + 1, "the guides have no other scripts")


tap.main(test)
