#!/usr/bin/python3
"""test_train_cli.py TTPROF SOURCE_ROOT - `ttprof train` on made-up training runs: numbers, files, odd tables."""
import ast
import csv
import io
import json
import re
import sys

import tap
import train_tables


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def numbers(row, *names):
    return [float(row[n]) for n in names]


PHASES = ("forward_ms", "backward_ms", "gradient_sync_ms", "optimizer_ms", "other_ms", "total_ms")


def check_tables(t):
    folder = t.folder("train")
    train_tables.training(4, (0, 1)).write(folder / "ops_perf_results_x.csv")
    done = tap.run([t.ttprof, "train", folder, "--csv", "out", "--json", "t.json", "--html", "t.html", "--flame", "flame", "--timeline", "t.svg",
                    "--batch", "8", "--seq-len", "256", "--flops", "fwd=0.16,bwd=0.32", "--roofline", "fwd=1,bwd=2,opt=0.5"], folder)
    t.ok(done.code == 0, "a folder with a table is analysed", done)
    text = done.stdout.decode()
    t.ok("80 ops in 4 steps on 2 devices" in text and "one step: device 0, iteration 2, 10 ops, 9.750 ms in kernels, 19.802 ms from marker to marker\n" in text, "it says what there is", text[:300])

    ops = {r["Op"]: r for r in rows(folder / "out/train_ops.csv")}
    t.equal(ops["Matmul"]["Calls"], "32", "calls are those of both devices")
    t.equal(round(float(ops["Matmul"]["Device Time per Step [ms]"]), 6), round(2 * (7_000_000 + 4 * 100) / 1e6, 6), "time per step is the sum by the steps")
    t.equal(sum(float(r["Device Time Share [%]"]) for r in ops.values()).__round__(6), 100.0, "shares are of the whole")
    phases = rows(folder / "out/train_phases.csv")
    t.equal([(r["Device"], r["Iteration"]) for r in phases], [(f"device_{d}", str(i)) for d in (0, 1) for i in range(2, 6)], "a row for each device and iteration")
    t.equal(numbers(phases[0], *PHASES, "bwd_ag_ms", "sync_rs_ms"), [3, 5, 0.5, 1, 0.25, 9.75, 0.1, 0.5], "phases and collectives are as they were made")
    zones = {r["Zone"]: float(r["Total [ms]"]) for r in rows(folder / "out/train_zones.csv")}
    t.equal({k: round(v, 6) for k, v in zones.items()},
            {"Backward (full)": 5, "Forward (full)": 3, "[BWD] attention": 2.9, "[FWD] attention": 2, "[BWD] mlp": 2, "Optimizer Step (full)": 1.5, "[FWD] mlp": 1},
            "zones are as they were made")
    pies = [r for r in rows(folder / "out/train_pies.csv") if r["Metric"] == "Device Time" and r["Value"] == "sum"]
    t.equal(pies[0]["Label"], "Matmul — 71.8%", "slices have labels")
    overhead = rows(folder / "out/train_overhead.csv")
    t.equal(overhead[-1]["Op"], "── WHOLE STEP ──", "the overhead ends with the whole step")
    result = rows(folder / "out/train_result.csv")[0]
    t.equal(list(result)[:14], "name batch_size n_blocks tp dp grad_acc dram_peak_mb runner_type fwd_ms bwd_ms opt_ms grad_sync_ms step_time_ms profiler".split(),
            "the result table has its columns")
    t.equal(numbers(result, "fwd_roofline_perc", "total_roofline_perc", "fwd_mfu_perc", "t/s", "total_ccl_ms"), [33.33, 17.67, 33.33, 103423.90, 0.6],
            "roofline, utilisation and throughput are right")
    t.equal(numbers(result, "step_time_ms", "kernel_ms"), [19.80, 9.75], "a step lasts from marker to marker; kernel time is named as such")
    t.equal([r["step_ms"] for r in phases], ["", "19.802", "19.802", "19.802"] * 2, "so does each iteration, if the marker before it was recorded")

    document = json.loads((folder / "t.json").read_text(encoding="utf-8"))
    t.equal((document["kind"], document["steps"], document["devices"], document["iteration"]), ("train", 4, [0, 1], 2), "the document says what it is")
    tables = {table["id"]: table["rows"] for table in document["tables"]}
    t.equal(len(tables["series"]), 80, "the document has every call")
    t.equal([f["Name"] for f in tables["flame"]][:3], ["Whole Step", "Forward (full)", "[FWD] attention"], "the flame graph begins with the step")
    for name in ("t.html", "flame/flamegraph_dev0_iter2.html"):
        page = (folder / name).read_text(encoding="utf-8")
        t.ok(page.startswith("<!DOCTYPE html>") and not re.search(r"(?:src|href)=[\"']?https?:", page), f"{name} is one self-contained page")
    t.ok(b"<svg" in (folder / "t.svg").read_bytes()[:200], "the op timeline is a drawing")
    again = tap.run([t.ttprof, "train", folder, "--json", "-"], folder)
    t.ok(json.loads(again.stdout)["kind"] == "train", "the document goes to standard output when asked")


def check_zone_statistics(t):
    """A zone that is entered twice in a step, for 1 and for 3 ms, beside one of 2 ms: every column has its own value."""
    folder = t.folder("zones")
    table = train_tables.Table()
    for number in (1, 2):
        table.marker(f"iteration_{number}")
        train_tables.zone(table, "block", [("Matmul", 3_000_000)])
        train_tables.zone(table, "norm", [("Mean", 500_000), ("Add", 1_500_000)])
        train_tables.zone(table, "block", [("Matmul", 900_000), ("Add", 100_000)])
    table.marker("iteration_3")
    table.write(folder / "a.csv")
    done = tap.run([t.ttprof, "train", "a.csv", "--csv", "out"], folder)
    columns = [*"Occurrences Ops".split(), *(f"{n} [ms]" for n in "Total Average Min Max".split())]
    got = {r["Zone"]: [round(v, 6) for v in numbers(r, *columns)] for r in rows(folder / "out/train_zones.csv")}
    t.equal(got, {"[FWD] block": [2, 3, 4, 2, 1, 3], "[FWD] norm": [1, 2, 2, 2, 2, 2]}, "a zone has its number, sum, average, shortest and longest")
    t.ok(done.code == 0, "zones without phases are analysed", done)


def check_choices(t):
    folder = t.folder("train")
    train_tables.training(3, (0, 5), checkpointing=True).write(folder / "a.csv")
    done = tap.run([t.ttprof, "train", "a.csv", "--device", "5", "--iteration", "3", "--csv", "out"], folder)
    t.ok(b"36 ops in 3 steps on 1 device" in done.stdout and b"device 5, iteration 3" in done.stdout, "device and step can be chosen", done)
    t.ok("[RECOMP] attention  [2.00 ms]" in done.stdout.decode(), "recomputed zones stand apart", done)
    t.ok("[FWD] attention  [2.00 ms]" in done.stdout.decode(), "and do not count as forward", done)
    t.device_log(folder / "profile_log_device.csv", "--ops", "20")
    done = tap.run([t.ttprof, "train", "a.csv", "--csv", "out"], folder)
    shares = [float(r["Share"]) for r in rows(folder / "out/train_cores.csv")]
    t.ok(b"time in kernels" in done.stdout and max(shares) == 1 and min(shares) >= 0, "cores are compared with the busiest", done)


LOG = """Number of parameters: 1234
--- FORWARD_PASS ---
DRAM: Segment Peak 12.50 MB, Allocations 20.00 MB, Deallocations 7.50 MB, Segment Change +12.50 MB
DRAM: Cumulative Peak 40.25 MB, Cumulative Current 30.00 MB
Overall DRAM Peak: 41.00 MB, Final DRAM Usage: 28.00 MB
Full step time 900 ms
Full step time 60 ms
Full step time 50 ms
"""


def naive(steps):
    at, lines = 1_700_000_000_000_000, []
    for n in range(1, steps + 1):
        for name, us in (("dataloader_step_done", 2000), ("forward_pass_done", 10000), ("backward_pass_done", 20000), ("gradient_sync_done", 1000),
                         ("optimizer_step_done", 5000), (f"iteration_{n}", 3000)):
            at += us
            lines.append(f"[NAIVE_PROFILER] {name} timestamp_us={at}\n")
    return "".join(lines)


def check_logs(t):
    folder = t.folder("train")
    t.sample(folder / "a.csv")
    (folder / "run.log").write_text(LOG)
    (folder / "naive.log").write_text(naive(5))
    done = tap.run([t.ttprof, "train", "a.csv", "--log", "run.log", "--csv", "out"], folder)
    t.ok(b"parameters: 1234" in done.stdout and b"peak 41.00 MB" in done.stdout and b"(wall clock): 50.000 ms" in done.stdout, "what the program printed is read", done)
    t.equal(rows(folder / "out/train_result.csv")[0]["profiler"], "wall", "without markers the wall clock tells the step")
    done = tap.run([t.ttprof, "train", "a.csv", "--naive", "naive.log", "--csv", "out", "--batch", "1", "--seq-len", "41"], folder)
    result = rows(folder / "out/train_result.csv")[0]
    t.equal((result["profiler"], numbers(result, "fwd_ms", "step_time_ms", "t/s")), ("naive", [10, 40.33, 1016.54]), "times of the naive profiler stand in")
    t.equal(rows(folder / "out/train_naive.csv")[-1]["step"], "avg (skip 2)", "steps of the naive profiler are averaged behind the warm-up")


def check_odd(t):
    """Nothing in a table is fatal, save that it is none."""
    folder = t.folder("odd")

    def said(name, text, *options):
        (folder / name).write_text(text)
        return tap.run([t.ttprof, "train", name, *options], folder)

    done = said("bare.csv", "OP CODE\nMatmul\n\n")
    t.ok(done.code == 0 and b"missing column 'DEVICE FW DURATION [ns]'" in done.stderr and b"no marker 'compilation_finished'" not in done.stdout,
         "columns may be missing", done)
    done = said("ragged.csv", "OP CODE,DEVICE FW DURATION [ns]\nA,1\nB,2,3\nC,x\nD,-\n")
    t.ok(done.code == 0 and b"3 ops in 3 steps" in done.stdout and b"rows of the table that cannot be read (1 in all)" in done.stderr
         and b"cells that are not a number where one is required (1 in all)" in done.stderr, "odd rows and cells are counted", done)
    t.equal(said("ragged.csv", "OP CODE,DEVICE FW DURATION [ns]\nA,x\n", "--strict").code, 1, "--strict fails on them")
    table = train_tables.Table(group=3)  # markers were lost
    train_tables.step(table, 2)
    table.marker("[FWD] [START] never closed")
    train_tables.step(table, 3)
    table.write(folder / "lost.csv")
    done = tap.run([t.ttprof, "train", "lost.csv", "--csv", "lost"], folder)
    t.equal(numbers(rows(folder / "lost/train_phases.csv")[1], *PHASES), [3, 5, 0.5, 1, 0.25, 9.75], "lost markers do not matter as long as one is left")
    t.ok(b"unpaired zone markers of the training program (1 in all)" in done.stderr, "a zone that never ends is counted", done)
    done = said("header.csv", "OP CODE,ATTRIBUTES\n")
    t.ok(done.code == 0 and b"0 ops" in done.stdout, "a table without rows is no error", done)

    for options, code, text in (
            (["no.csv"], 3, "ttprof: train: no.csv: No such file or directory; check the path\n"),
            (["none.csv"], 4, "ttprof: train: none.csv: line 1: missing column 'OP CODE'; the analyses need a table of ops (ops_perf_results_*.csv)\n"),
            (["lost.csv", "--device", "7"], 2, "ttprof: train: --device: lost.csv has no rows of device 7\n"),
            (["lost.csv", "--top", "0"], 2, "ttprof: train: --top: 0 is out of range\n"),
            (["lost.csv", "--flops", "fwd=x"], 2, "ttprof: train: --flops: 'fwd=x' is neither a number nor a list such as fwd=1.5,bwd=3\n"),
            (["lost.csv", "--timeline", "a.gif"], 2, "ttprof: train: --timeline: 'a.gif' must end in .svg or .png\n"),
            (["lost.csv", "--naive", "a", "--log", "b"], 2, "ttprof: train: --naive and --log exclude each other: both read the output of the program\n"),
            (["empty"], 3, "ttprof: train: empty: no ops_perf_results_*.csv here, in its subfolders or in reports/; make one with 'ttprof ops'\n")):
        (folder / "none.csv").write_text("A,B\n1,2\n")
        (folder / "empty").mkdir(exist_ok=True)
        done = tap.run([t.ttprof, "train", *options], folder)
        t.equal((done.code, done.stderr.decode(), done.stdout), (code, text, b""), f"train {' '.join(options)} is refused")


def check_device(t):
    """A run on the software device: phases against the table of ops it was made from."""
    folder = t.folder("device")
    made = tap.run([t.ttprof, "run", "-r", "--quiet", "-o", "run", "--", t.ttprof, "sim", "run", "training_step"], folder)
    tables = sorted(folder.glob("run/reports/*/ops_perf_results_*.csv"))
    if not t.ok(made.code == 0 and len(tables) == 1, "a training step runs and has a table of ops", made):
        return
    done = tap.run([t.ttprof, "train", "run", "--csv", "out"], folder)
    t.ok(done.code == 0 and b"no marker" not in done.stderr, "its markers are understood", done)
    kernel, marker, wanted = 0.0, "", {}
    for row in rows(tables[0]):
        if row["OP CODE"] != "ProfilerNoopOperation":
            kernel += float(row["DEVICE KERNEL DURATION [ns]"] or 0) / 1e6
            continue
        name = re.search(r"'identifier': '([^']*)'", row["ATTRIBUTES"]).group(1)
        if name != marker:
            wanted.setdefault((marker, name), []).append(kernel)
            marker, kernel = name, 0.0
    forward = wanted[("dataloader_step_done", "forward_pass_done")][1:]  # the first step compiles
    backward = wanted[("forward_pass_done", "backward_pass_done")][1:]
    phases = rows(folder / "out/train_phases.csv")
    t.equal([numbers(r, "forward_ms", "backward_ms") for r in phases], [[round(f, 3), round(b, 3)] for f, b in zip(forward, backward)],
            "forward and backward are the sums of their kernels")


# What the notebook reckoned, by name: as it shows it.
SHOWN = """
import json
print("SHOWN", json.dumps({"steps": int(steps), "zones": zones["sum"].to_dict(), "totals": totals.to_dict("index"),
                           "phases": {str(k): v for k, v in phases.to_dict("index").items()}}))
"""


def check_notebook_numbers(t, folder, code, name):
    """Its cells run, and their numbers are those of `ttprof train`."""
    (folder / "cells.py").write_text("import matplotlib\nmatplotlib.use('Agg')\n" + "\n".join(code) + SHOWN, encoding="utf-8")
    done = tap.run([sys.executable, "cells.py"], folder)
    if not t.ok(done.code == 0 and b"SHOWN" in done.stdout, f"{name}: the notebook runs", done):
        return
    shown = json.loads(done.stdout.decode().split("SHOWN", 1)[1])
    tap.run([t.ttprof, "train", "ops_perf_results.csv", "--csv", "out"], folder)

    def same(what, got, want, ms):
        """Values by name; ms: how exactly train writes them."""
        ok = want and got.keys() == want.keys() and all(abs(g - w) <= ms for key in want for g, w in zip(got[key], want[key]))
        t.ok(ok, f"{name}: {what} are those of train", (got, want))

    times = ["Device Time", "Host Time", "Time Between Ops"]
    same("times per op", {op: [v[n] for n in (*times, "Device %")] for op, v in shown["totals"].items()},
         {r["Op"]: numbers(r, *(f"{n} per Step [ms]" for n in times), "Device Time Share [%]") for r in rows(folder / "out/train_ops.csv")}, 1e-9)
    same("phases", {i: [v[n] for n in PHASES] for i, v in shown["phases"].items()},
         {r["Iteration"]: numbers(r, *PHASES) for r in rows(folder / "out/train_phases.csv") if r["Device"] == "device_0"}, 0.00051)
    same("zones", {zone: [v] for zone, v in shown["zones"].items()},
         {r["Zone"]: numbers(r, "Total [ms]") for r in rows(folder / "out/train_zones.csv")}, 1e-9)


def check_notebook(t):
    """The notebook is a valid document whose cells run, on a table of ours."""
    path = t.root / "docs" / "notebook.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    t.equal(notebook["nbformat"], 4, "the notebook is of version 4")
    known = {"markdown": {"cell_type", "metadata", "source", "id"}, "code": {"cell_type", "metadata", "source", "id", "outputs", "execution_count"}}
    t.ok(all(c["cell_type"] in known and set(c) == known[c["cell_type"]] for c in notebook["cells"]), "its cells have the fields they must have")
    t.ok(len({c["id"] for c in notebook["cells"]}) == len(notebook["cells"]), "and ids of their own")
    code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    t.ok(len(code) > 5 and not any(c["outputs"] for c in notebook["cells"] if c["cell_type"] == "code"), "it has code and no stored output")
    for i, text in enumerate(code):
        compile(text, f"cell {i}", "exec")
        ast.parse(text)
    t.ok(True, f"all {len(code)} cells are Python")
    missing = [m for m in ("pandas", "matplotlib") if tap.run([sys.executable, "-c", f"import {m}"], t.scratch).code]
    if missing:
        t.skip("the notebook runs", f"no {' and no '.join(missing)}")
        return
    for name, devices, made in (("made", (0, 1), None), ("device", (0,), ["run", "-r", "--quiet", "-o", "run", "--", t.ttprof, "sim", "run", "training_step"])):
        folder = t.folder("notebook")
        if made:
            tap.run([t.ttprof, *made], folder)
            tables = sorted(folder.glob("run/reports/*/ops_perf_results_*.csv"))
            if not t.ok(len(tables) == 1, "there is a table of a training step", tables):
                continue
            tables[0].rename(folder / "ops_perf_results.csv")
        else:
            train_tables.training(4, devices).write(folder / "ops_perf_results.csv")
        check_notebook_numbers(t, folder, code, name)


def test(t):
    check_tables(t)
    check_zone_statistics(t)
    check_choices(t)
    check_logs(t)
    check_odd(t)
    check_device(t)
    check_notebook(t)


tap.main(test)
