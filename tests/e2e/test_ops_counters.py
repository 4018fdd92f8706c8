#!/usr/bin/python3
"""test_ops_counters.py TTPROF SOURCE_ROOT - hardware counters and NoC traces in the ops report.

The software device knows what its engines did and what was moved: the report must say the same. What is moved is followed here
link by link, on a map of its own.
"""
import csv
import io
import json
import statistics

import profiles
import tap

CHIPS = {
    "wormhole": {"size": (10, 12), "link": 32, "peak": 288, "clock": 1000, "columns": [1, 2, 3, 4, 6, 7, 8, 9],
                 "rows": [1, 2, 3, 4, 5, 7, 8, 9, 10, 11], "dram": {0: {0, 1, 5, 6, 7, 11}, 5: set(range(12))}},
    "blackhole": {"size": (17, 12), "link": 64, "peak": 512, "clock": 1350, "columns": [*range(1, 8), *range(10, 17)],
                  "rows": list(range(2, 12)), "dram": {0: set(range(12)), 9: set(range(12))}},
}


def said(done):
    return done.stderr.decode()


def report(t, here, *options):
    """(rows of the table, run) of the profile in a folder."""
    done = tap.run([t.ttprof, "ops", "out", "--csv", "ops.csv", "--print", "0", *options], here)
    if not t.ok(done.code == 0, f"{here.name}: ttprof ops", done):
        return [{}], done
    text = (here / "ops.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""))), done


def profiled(t, name, chip, *options):
    here = t.folder(f"{name}-{chip}")
    done = profiles.run(t, here, "run", name, "--arch", chip, *options)
    t.ok(done.code == 0, f"{name} on {chip}: runs with a profile", done)
    return here


# --- counters --------------------------------------------------------------------------------
def near(got, want, points):
    return bool(got) and abs(float(got) - want) <= points


def check_counters(t, chip):
    size, grid, phases = 256, 2, 4
    here = profiled(t, "matmul_tiled", chip, "--size", str(size), "--grid", f"{grid}x{grid}", "--fidelity", "HiFi4",
                    "--profiler-capture-perf-counters", "all")
    rows, done = report(t, here)
    row = rows[0]
    # What the engine does: 16 cycles for a product of two tiles in each phase.
    busy = (size // 32) ** 3 // grid**2 * 16 * phases
    log = profiles.rows(here)
    # They are counted from the kernel's start until the engine is done with what the kernel left it, where the firmware ends.
    starts = {(z.x, z.y): z.start for z in profiles.zones(log, "TRISC-KERNEL", risc="TRISC_1")}
    utils = sorted(100 * busy / (z.end - starts[z.x, z.y]) for z in profiles.zones(log, "TRISC-FW", risc="TRISC_1"))
    for stat, want in (("Min", utils[0]), ("Median", statistics.median(utils)), ("Max", utils[-1])):
        got = row.get(f"FPU Util {stat} (%)")
        t.ok(near(got, want, 0.5), f"{chip}: FPU Util {stat} is the engine's busy time over the cycles of its core", (got, want))
    # Reports of a device alone take the mean of the cores that the op uses.
    got, want = row.get("Avg FPU util on full grid (%)"), statistics.mean(utils)
    t.ok(near(got, want, 0.5), f"{chip}: the average of a report without host ops is that of its cores", (got, want))
    t.ok(near(row.get("SFPU Util Max (%)"), 0, 0), f"{chip}: an idle SFPU is 0.0", row.get("SFPU Util Max (%)"))
    t.ok("nan" not in [c.lower() for c in row.values()], f"{chip}: no cell is nan", row)
    t.ok(b"PERFORMANCE COUNTER STATISTICS - DEVICE 0" in done.stdout and b"\nFPU UTIL\n" in done.stdout,
         f"{chip}: the tables of counters are printed", done.stdout[:300])
    t.ok("NOC Ring 1 Outgoing Util Min (%)" not in row, f"{chip}: what was not recorded has no column", list(row))
    return here


# Metrics of which the software device models every counter, of the groups that "all" stands for.
METRICS = {
    "SFPU Util", "FPU Util", "MATH Util", "Packer Efficiency", "FPU Execution Efficiency", "Unpacker-to-Math Data Flow",
    "Thread 0 Stall Rate", "Thread 1 Stall Rate", "Thread 2 Stall Rate", "SrcA Valid Wait", "SrcB Valid Wait", "SrcA Clear Wait",
    "SrcB Clear Wait", "Pack Idle Wait T2", "Semaphore Zero Wait T2", "Semaphore Full Wait T1", "L1 Unpacker Port Util",
    "NOC Ring 0 Outgoing Util", "NOC Ring 0 Incoming Util", "MATH Instrn Avail Rate T1", "UNPACK Instrn Avail Rate T0",
    "PACK Instrn Avail Rate T2", "NOC Ring 0 Asymmetry", "NOC vs Compute Balance", "Compute-to-Unpack Ratio",
}
ONLY = {"wormhole": set(), "blackhole": {"L1 Packer Port Util", "L1 Read vs Write Ratio"}}


def counted(here):
    """{core: {counter: (value, reference cycles)}} of the only program of a log."""
    found = {}
    for row in profiles.rows(here):
        if row.id == 9090:
            meta = json.loads(row.meta.replace(";", ","))
            found.setdefault((row.x, row.y), {})[meta["counter type"]] = (meta["value"], meta["ref cnt"])
    return found


def check_modelled(t, chip, here):
    """What is not modelled is nowhere: neither in the log nor as 0 or 100 % in a report."""
    info = json.loads(tap.run([t.ttprof, "sim", "info", "--json", "--arch", chip], here).stdout)
    have, lack = set(info["counters"]), set(info["counters_not_modelled"])
    t.equal((len(have), len(have | lack), have & lack), (32 + (chip == "blackhole"), 130 if chip == "wormhole" else 169, set()),
            f"{chip}: sim info: counters that are modelled, and the others")
    cores = counted(here)
    in_log = {name for counters in cores.values() for name in counters}
    t.equal(in_log, {name for name in have if not name.startswith("L1_1")}, f"{chip}: the log has the modelled counters, no others")
    t.ok(all(cycles > 0 for counters in cores.values() for _, cycles in counters.values()), f"{chip}: all of them ran", cores)
    row = report(t, here)[0][0]
    columns = {c for c in row if c.endswith((" Min (%)", " Min"))}
    t.equal({c.split(" Min")[0] for c in columns}, METRICS | ONLY[chip], f"{chip}: a metric is there if all its counters are")
    t.ok(all(row[c] for c in columns), f"{chip}: and it has a value", row)
    text = tap.run([t.ttprof, "sim", "info", "--arch", chip], here).stdout.decode()
    shown = text[text.index("performance counters"):text.index("memory map")]
    t.ok("  fpu                      3 of 3: FPU_COUNTER, SFPU_COUNTER, MATH_COUNTER\n" in shown and all(name in shown for name in have),
         f"{chip}: sim info: the groups with what is modelled of them", shown)
    t.ok(not any(name in shown.replace(",", "").split() for name in lack), f"{chip}: sim info: and nothing else", shown)


def check_unmodelled_group(t):
    """A group of which nothing is modelled is refused: its profile would look as if nothing had happened."""
    here = t.folder("no-such-counters")
    done = tap.run([t.ttprof, "sim", "run", "eltwise_add", "--tiles", "4", "--arch", "blackhole", "--profile", "-o", "out",
                    "--profiler-capture-perf-counters", "fpu,l1_2"], here)
    t.ok(done.code == 2 and "device 0 has no performance counters of the group l1_2; 'ttprof sim info' lists" in said(done),
         "counters: a group that is not modelled", done)


def check_moved(t, banks, tiles):
    """Both operands of every tile come to a core over one of the NoCs, in flits of 32 bytes; the results leave it."""
    asked = own = 0
    for ring, here in enumerate(banks):
        for counters in counted(here).values():
            asked += counters[f"L1_{ring}_NOC_RING{ring}_INCOMING_1"][0]
            own += counters[f"L1_{ring}_NOC_RING{ring}_OUTGOING_0"][0]
    t.equal(asked, tiles * 2 * 2048 // 32, "NoC counters: all tiles that were read")
    t.ok(tiles * 2048 // 32 // 2 < own <= tiles * 2048 // 32, "NoC counters: tiles that were written while math worked", own)


def check_merge(t):
    """L1 bank 0 in one run, bank 1 in another."""
    tables = []
    for bank in ("l1_0", "l1_1"):
        here = t.folder(bank)
        profiles.run(t, here, "run", "eltwise_add", "--tiles", "64", "--grid", "2x2", "--profiler-capture-perf-counters", bank)
        tables.append((report(t, here)[0][0], here))
    (one, here), (two, there) = tables
    check_moved(t, (here, there), 64)
    done = tap.run([t.ttprof, "ops", "out", "--csv", "both.csv", "--print", "0", "--merge-counters", there / "ops.csv"], here)
    if not t.ok(done.code == 0, "--merge-counters: both runs in one table", done):
        return
    both = list(csv.DictReader(open(here / "both.csv", encoding="utf-8", newline="")))[0]
    column = "NOC Ring 1 Incoming Util Max (%)"
    t.ok(column not in one and both[column] == two[column], "--merge-counters: the columns of the second bank", both.get(column))
    t.ok(all(both[c] == one[c] for c in one), "--merge-counters: those of the first are as they were", None)
    t.ok("both.csv" in said(done), "--merge-counters: says what it did", said(done))
    for arguments, code, text in (
            (("--csv", "x.csv", "--merge-counters", "nowhere.csv"), 3, "nowhere.csv: No such file or directory"),
            (("--csv", "-", "--merge-counters", "ops.csv"), 2, "--merge-counters needs a table in a file"),
            (("--json", "x.json", "--merge-counters", "ops.csv"), 2, "--merge-counters needs a table in a file")):
        done = tap.run([t.ttprof, "ops", "out", "--print", "0", *arguments], here)
        t.ok(done.code == code and text in said(done), f"--merge-counters: {text}", done)


# --- NoC traces ------------------------------------------------------------------------------
def way(chip, noc, start, end):
    """Links of a packet: NoC 0 goes right, then down; NoC 1 up, then left."""
    place, step, passed = list(start), 1 - 2 * noc, set()
    for axis in ((0, 1), (1, 0))[noc]:
        while place[axis] != end[axis]:
            passed.add((noc, axis, *place))
            place[axis] = (place[axis] + step) % chip["size"][axis]
    return passed


def targets(chip, x):
    columns = range(min(x["mcast_start_x"], x["mcast_end_x"]), max(x["mcast_start_x"], x["mcast_end_x"]) + 1)
    rows = range(min(x["mcast_start_y"], x["mcast_end_y"]), max(x["mcast_start_y"], x["mcast_end_y"]) + 1)
    return [(c, r) for c in columns for r in rows if c in chip["columns"] and r in chip["rows"]]


def load(chip, here):
    """Link bytes, those of multicasts, DRAM bytes."""
    links = spread = dram = 0
    for path in (here / "out" / ".logs").glob("noc_trace_*.json"):
        for x in json.loads(path.read_text(encoding="utf-8")):
            if "type" not in x or not x["num_bytes"]:
                continue
            noc, core = int(x["noc"][-1]), (x["sx"], x["sy"])
            if "mcast_start_x" in x:
                passed = set().union(*(way(chip, noc, core, p) for p in targets(chip, x)))
                spread += x["num_bytes"] * len(passed)
            else:
                other = (x["dx"], x["dy"])
                passed = way(chip, noc, other, core) if x["type"] == "READ" else way(chip, noc, core, other)
                dram += x["num_bytes"] * (other[1] in chip["dram"].get(other[0], ()))
            links += x["num_bytes"] * len(passed)
    return links, spread, dram


def check_noc(t, name, chip_name, *options, dram_bytes=None):
    chip = CHIPS[chip_name]
    here = profiled(t, name, chip_name, "--collect-noc-traces", *options)
    row = report(t, here, "--analyze-noc-traces")[0][0]
    kernels = [z for z in profiles.zones(profiles.rows(here)) if z.name.endswith("-KERNEL")]
    cycles = max(z.end for z in kernels) - min(z.start for z in kernels)
    links, spread, dram = load(chip, here)
    most = 4 * chip["size"][0] * chip["size"][1] * chip["link"] * cycles
    title = f"{name} on {chip_name}"
    t.equal(row.get("NOC UTIL (%)"), f"{100 * links / most:.1f}", f"{title}: NOC UTIL is what went over all links")
    t.equal(row.get("MULTICAST NOC UTIL (%)"), f"{100 * spread / most:.1f}", f"{title}: MULTICAST NOC UTIL")
    if dram_bytes:
        t.equal(dram, dram_bytes, f"{title}: the trace has every byte of the tensors")
    # GB/s are bytes per ns.
    t.equal(row.get("DRAM BW UTIL (%)"), f"{100 * dram / (cycles * 1000 / chip['clock'] * chip['peak']):.1f}",
            f"{title}: DRAM BW UTIL is bytes over time and peak")
    return here, row


def check_damage(t, here):
    path = next((here / "out" / ".logs").glob("noc_trace_*.json"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    (path.parent / "noc_trace_dev0_old_ID99999.json").write_text("[]", encoding="utf-8")
    rows, done = report(t, here, "--analyze-noc-traces")
    t.ok(float(rows[0].get("DRAM BW UTIL (%)") or 0) > 0, "half a NoC trace: what is there is used", rows[0])
    t.ok(f"{path.name}: NoC traces that cannot be read completely" in said(done), "half a NoC trace: is told", said(done))
    t.ok("noc_trace_dev0_old_ID99999.json: NoC traces of ops that were not measured" in said(done),
         "a NoC trace of no op: is told", said(done))
    rows, done = report(t, here)
    t.ok("NOC UTIL (%)" not in rows[0] or not rows[0]["NOC UTIL (%)"], "NoC traces are read only when asked for", rows[0])


def test(t):
    for chip in CHIPS:
        check_modelled(t, chip, check_counters(t, chip))
        here, _ = check_noc(t, "eltwise_add", chip, "--tiles", "256", dram_bytes=3 * 256 * 2048)
        check_noc(t, "matmul_tiled", chip, "--size", "256", "--grid", "4x4")
    check_noc(t, "mcast", "wormhole")
    check_damage(t, here)
    check_merge(t)
    check_unmodelled_group(t)


tap.main(test)
