#!/usr/bin/python3
"""test_matmul.py TTPROF SOURCE_ROOT - the op library's matmul: what of the chip's peak it reaches, and how its time depends on cores,
fidelity and chip.

Bounds come from the engine's figures. A product of two tiles takes the matrix unit 16 cycles a phase and 4 to issue. Unpacking takes 4 and
the bytes over 80 a cycle for two tiles, over 64 for one; of the eight products of a subblock one unpacks two tiles, the others one. What is
unpacked can be used 5 cycles later. There are two banks: while one is used, the other is filled.
"""
import csv
import json
import math
import re

import tap

FAST = "dispatch=fast numerics=off"
BFP8_TILE, CLOCK = 1088, {"wormhole": 1.0, "blackhole": 1.35}


def engine_cycles(phases):
    """Of a product, on average."""
    product, both, one = 16 * phases + 4, -(-2 * BFP8_TILE // 80) + 4, -(-BFP8_TILE // 64) + 4
    each = [max(product, unpack, (unpack + 5 + product) / 2) for unpack in (both, one)]
    return (each[0] + 7 * each[1]) / 8


def op(t, chip, size, grid, fidelity="LoFi"):
    """Cycles of one matmul."""
    done = tap.run([t.ttprof, "sim", "run", "matmul_peak", "--json", "--arch", chip, "--device", FAST, "--size", str(size),
                    "--grid", f"{grid}x{grid}", "--fidelity", fidelity], t.scratch)
    if not t.ok(done.code == 0, f"matmul_peak of {size} on {grid}x{grid} cores of {chip}, {fidelity}", done):
        return float("nan")
    return json.loads(done.stdout)["figures"]["op"]


def check_peak(t):
    """2048 x 2048 x 2048, bfp8, LoFi, 64 cores: in the report it has more than half of the peak."""
    here = t.folder("peak")
    done = tap.run([t.ttprof, "run", "-r", "--quiet", "-o", "out", "--", t.ttprof, "sim", "run", "matmul_peak", "--device", FAST], here)
    tables = sorted(here.glob("out/reports/*/ops_perf_results*.csv"))
    if not t.ok(done.code == 0 and tables, "a run of matmul_peak has an ops report", done):
        return
    done = tap.run([t.ttprof, "report", str(tables[-1]), "--csv", "report.csv"], here)
    t.ok(done.code == 0, "and a performance report", done)
    with open(here / "report.csv", encoding="utf-8", newline="") as f:
        rows = [r for r in csv.DictReader(f) if "Matmul" in r["OP Code"]]
    t.equal([(r["OP Code"].split(" ", 1)[1], r["Cores"], r["Math Fidelity"]) for r in rows],
            [("2048 x 2048 x 2048", "64", "LoFi BFP8 x BFP8 => BFP8")], "of one matmul on 64 cores")
    t.ok(rows and float(rows[0]["FLOPs %"]) >= 50, "it has at least 50 % of the chip's peak", rows)


def check_cores(t, size=1024):
    """Time falls with the cores: in proportion while the engines are busy, then DRAM and NoC limit it."""
    took = {n: op(t, "wormhole", size, n) for n in (1, 2, 4, 8)}
    bound = (size // 32) ** 3 * engine_cycles(1)
    for n in (1, 2, 4):
        t.ok(bound / n**2 <= took[n] <= 1.25 * bound / n**2 + 8000, f"{n * n} cores take what the engines take and a start", (took, bound))
    t.ok(bound / 64 < took[8] < took[4], "64 cores take less, but more than the engines", (took, bound))


def check_fidelity(t):
    ratio = engine_cycles(4) / engine_cycles(1)
    for chip in CLOCK:
        lofi, hifi4 = (op(t, chip, 1024, 2, f) for f in ("LoFi", "HiFi4"))
        t.ok(abs(hifi4 / lofi / ratio - 1) <= 0.1, f"{chip}: HiFi4 takes {ratio:.2f} times as long as LoFi", (lofi, hifi4))


def check_chips(t):
    ns = {chip: op(t, chip, 1024, 2, "HiFi4") / clock for chip, clock in CLOCK.items()}
    ratio = ns["wormhole"] / ns["blackhole"]
    t.ok(abs(ratio / 1.35 - 1) <= 0.1, "Blackhole is as much faster as its clock, if the engines are what takes the time", ns)


def check_table(t):
    """The table in docs/runtime.md has what the runs give."""
    text = (t.root / "docs" / "runtime.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+), (\w+) \| (\d+) \|((?: \d+ \|)+)$", text, re.MULTILINE)
    t.equal(len(rows), 10, "rows of matmuls in docs/runtime.md")
    for size, chip, cores, cells in rows:
        took = [op(t, chip.lower(), int(size), math.isqrt(int(cores)), f) for f in ("LoFi", "HiFi2", "HiFi4")]
        engines = [(int(size) // 32) ** 3 * engine_cycles(phases) / int(cores) for phases in (1, 4)]
        t.equal(cells.split(" |")[:-1], [f" {cycles / 1000:.0f}" for cycles in took + engines], f"{size} on {cores} cores of {chip}")


def check_data(t):
    """With arithmetic: bit for bit what the host computes, also where blocks and steps do not divide the matrices."""
    for options in ("--size 256 --grid 4x2", "--size 160 --grid 3x2 --format bf16", "--size 352 --grid 2x3 --fidelity HiFi2"):
        for chip in CLOCK:
            done = tap.run([t.ttprof, "sim", "run", "matmul_peak", "--arch", chip, *options.split()], t.scratch)
            t.ok(done.code == 0 and b"passed" in done.stdout, f"{chip}: matmul_peak {options} computes what the host does", done)


def test(t):
    check_peak(t)
    check_cores(t)
    check_fidelity(t)
    check_chips(t)
    check_table(t)
    check_data(t)


tap.main(test)
