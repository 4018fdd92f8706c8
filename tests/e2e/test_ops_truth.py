#!/usr/bin/python3
"""test_ops_truth.py TTPROF SOURCE_ROOT - the ops report against what the software device really did.

tests/programs/truth_run runs a workload under 'ttprof run -r' and writes down the clocks that its markers hold, when kernels
began and ended, what was moved from and to DRAM, how many products of tiles were made, and which ops were asked for.
"""
import collections
import csv
import io

import tap

BRISC, NCRISC, TRISC0, TRISC1, TRISC2, ERISC = range(6)
RISCS = {"BRISC": BRISC, "NCRISC": NCRISC, "TRISC0": TRISC0, "TRISC1": TRISC1, "TRISC2": TRISC2, "ERISC": ERISC}
AROUND = 300  # cycles of a kernel outside of its zone: start-up code and the marker itself
AROUND_PUSH = 900  # of a push outside of its writes
CLOCK = {"wormhole_b0": 1000, "blackhole": 1350}  # MHz
PEAK = {"wormhole_b0": 288, "blackhole": 512}  # GB/s
TILE_FLOPS = 2 * 32**3

Op = collections.namedtuple("Op", "id code is_hit flops bytes")
Zone = collections.namedtuple("Zone", "fw_start fw_end start end entry exit")


class Core:
    """What one launch did on one core."""

    def __init__(self, cells):
        numbers = [int(c) for c in cells]
        self.chip, self.base, self.x, self.y, is_eth, self.read, self.written, self.products, *self.push = numbers[:10]
        zones = [Zone(*numbers[10 + 6 * i:16 + 6 * i]) for i in range(5)]
        self.zones = {ERISC: zones[0]} if is_eth else dict(enumerate(zones))

    def kernels(self, riscs):
        return [z for risc, z in self.zones.items() if risc in riscs and z.start]


class Launch:
    """One run of a program: all its cores."""

    def __init__(self, cores):
        self.cores = cores
        zones = [z for c in self.cores for z in c.zones.values() if z.fw_start]
        self.fw_start, self.fw_end = min(z.fw_start for z in zones), max(z.fw_end for z in zones)
        self.start, self.end = self.extent(range(6))
        self.mover_start = min(z.start for c in self.cores for z in c.kernels([BRISC, NCRISC, ERISC]))

    def extent(self, riscs):
        zones = [z for c in self.cores for z in c.kernels(riscs)]
        return (min(z.start for z in zones), max(z.end for z in zones)) if zones else (0, 0)

    def start_spread(self):
        starts = [z.start for c in self.cores for z in c.kernels(range(6))]
        return max(starts) - min(starts)

    def per_core(self):
        spans = []
        for core in self.cores:
            zones = core.kernels(range(6))
            if zones:
                spans.append(max(z.end for z in zones) - min(z.start for z in zones))
        return spans


class Truth:
    def __init__(self, path):
        self.ops, cores, self.unread = [], [], None
        for kind, *cells in csv.reader(path.read_text().splitlines()):
            if kind == "op":
                self.ops.append(Op(int(cells[0]), cells[1], bool(int(cells[2])), int(cells[3]), int(cells[4])))
            elif kind == "core":
                cores.append(Core(cells))
            else:
                self.unread = int(cells[0])
        runs, times = collections.defaultdict(list), collections.Counter()
        for core in cores:
            times[core.chip, core.base, core.x, core.y] += 1
            runs[core.base << 10 | core.chip, times[core.chip, core.base, core.x, core.y]].append(core)
        self.launches = {key: Launch(found) for key, found in runs.items()}  # (op id, how often so far), in order of launch


# --- the run ---------------------------------------------------------------------------------
def table(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


class Case:
    """A recorded run with its report, by both ways, and its truth."""

    def __init__(self, t, name, config, *settings, options=(), **env):
        self.name = " ".join([name, config, *settings])
        self.here = t.folder(name)
        program = t.ttprof.parent / "tests" / "programs" / "truth_run"
        done = tap.run([t.ttprof, "run", "--quiet", "-r", *options, "-o", "out", "--", program, "truth.csv", name, config, *settings], self.here, **env)
        self.is_fine = t.ok(done.code == 0, f"{self.name}: runs and is recorded", done)
        if not self.is_fine:
            return
        self.truth = Truth(self.here / "truth.csv")
        t.equal(self.truth.unread, 0, f"{self.name}: every time that was stored was read from a clock")
        self.reports = {"C++ report": table(next(self.here.glob("out/reports/*/ops_perf_results_*.csv"))),
                        "device log": self.ops(t, "--force-legacy-device-logs")}
        self.clock = CLOCK[next(r["DEVICE ARCH"] for r in self.reports["C++ report"] if r["DEVICE ARCH"])]

    def ops(self, t, *options):
        path = self.here / "again.csv"
        done = tap.run([t.ttprof, "ops", "out", "--csv", path, "--print", "0", *options], self.here)
        return table(path) if t.ok(done.code == 0, f"{self.name}: ttprof ops {' '.join(options)}", done) else []

    def ns(self, cycles):
        return cycles * 1000 / self.clock


def is_measured(row):
    return row["DEVICE FW START CYCLE"] != ""


def key_of(row):
    return int(row["GLOBAL CALL COUNT"]), int(row["METAL TRACE REPLAY SESSION ID"] or 1)


# --- the device's half -----------------------------------------------------------------------
def wanted(case, way, launch, before):
    """Cells by name: (value, greatest difference of what is printed). `before`: what ran on the device before."""
    start, end = launch.start, launch.end
    cells = {"DEVICE FW START CYCLE": launch.fw_start, "DEVICE FW END CYCLE": launch.fw_end, "CORE COUNT": len(launch.cores)}
    spans = {"DEVICE FW": launch.fw_end - launch.fw_start, "DEVICE KERNEL": end - start}
    for name, risc in RISCS.items():
        first, last = launch.extent([risc])
        if last:
            spans[f"DEVICE {name} KERNEL"] = last - first
    ns = {f"{name} DURATION [ns]": case.ns(span) for name, span in spans.items()}
    ns["DEVICE KERNEL DURATION DM START [ns]"] = case.ns(end - launch.mover_start)
    ns["DEVICE KERNEL FIRST TO LAST START [ns]"] = case.ns(launch.start_spread())
    ns["OP TO OP LATENCY [ns]"] = case.ns(start - before.end) if before else 0
    ns["OP TO OP LATENCY BR/NRISC START [ns]"] = case.ns(launch.mover_start - before.end) if before else 0
    # The runtime's report takes the clock from the rounded duration of the kernel.
    rough = 0.5 / case.ns(end - start) if way == "C++ report" else 0
    off = {k: 0.51 + (rough * v if "LATENCY" in k else 0) for k, v in ns.items()}
    return {**{k: (v, 0) for k, v in cells.items()}, **{k: (v, off[k]) for k, v in ns.items()}}


def per_core(case, launch):
    spans = [case.ns(s) for s in launch.per_core()]
    values = {"MIN": min(spans), "MAX": max(spans), "AVG": sum(spans) / len(spans)}
    return {f"DEVICE KERNEL DURATION PER CORE {k} [ns]": (v, 0.51) for k, v in values.items()}


def check_device(t, case, way, rows):
    """Every measured row has the numbers of its launch, and every launch its row."""
    faults, latest = [], {}
    for row in filter(is_measured, rows):
        launch = case.truth.launches.get(key_of(row))
        if not launch:
            faults.append(f"{key_of(row)}: the device has not run it")
            continue
        cells = wanted(case, way, launch, latest.get(row["DEVICE ID"]))
        if way == "device log":
            cells |= per_core(case, launch)
        faults += [f"{key_of(row)} {name}: '{row[name]}', in truth {want}" for name, (want, off) in cells.items()
                   if not row[name] or abs(float(row[name]) - want) > off]
        latest[row["DEVICE ID"]] = launch
    t.ok(not faults, f"{case.name}: numbers from the {way} are those of the clocks", "\n".join(faults[:20]))
    order = {}
    for row in filter(is_measured, rows):
        order.setdefault(int(row["DEVICE ID"]), []).append(key_of(row))
    ran = {}
    for key in case.truth.launches:
        ran.setdefault(key[0] & 1023, []).append(key)
    t.equal(order, ran, f"{case.name}: rows from the {way} are in the order of the launches, none is missing")


def check_ways(t, case):
    """Both ways say the same, where both say something; latencies are rough in the runtime's report."""
    one, other = case.reports.values()
    faults = []
    for a, b in zip(one, other):
        faults += [f"{a['OP CODE']} {a['GLOBAL CALL COUNT']} {k}: '{v}' and '{b[k]}'" for k, v in a.items()
                   if v and b.get(k) and v != b[k] and "LATENCY" not in k and not (v.isdigit() and b[k].isdigit() and abs(int(v) - int(b[k])) <= 1)]
    t.ok(one and len(one) == len(other) and not faults, f"{case.name}: both ways agree", "\n".join(faults[:20]))


# The zone of a kernel lies in the kernel, and the rest of it is short.
def check_kernels(t, case):
    faults = []
    for key, launch in case.truth.launches.items():
        for core in launch.cores:
            for z in core.kernels(range(6)):
                around = (z.start - z.entry) + (z.exit - z.end)
                if not (z.fw_start < z.entry < z.start < z.end < z.exit < z.fw_end and around <= AROUND):
                    faults.append(f"{key} on {core.x},{core.y}: {z}")
    t.ok(not faults, f"{case.name}: durations are those of the kernels but for {AROUND} cycles", "\n".join(faults[:10]))


# --- the host's half -------------------------------------------------------------------------
def check_host(t, case):
    """Ops in the order in which they were asked for, with what the recorder has of their zones."""
    done = tap.run([t.ttprof, "zones", "out", "-u", "-f", "TT_DNN_DEVICE_OP"], case.here)
    zones = {int(z["zone_text"][3:]): z for z in csv.DictReader(done.stdout.decode().splitlines())}
    rows = [r for r in case.reports["C++ report"] if r["OP TYPE"] == "tt_dnn_device"]
    asked = [r for r in rows if not r["METAL TRACE ID"]]
    t.equal([(int(r["GLOBAL CALL COUNT"]), r["OP CODE"], r["PROGRAM CACHE HIT"]) for r in asked],
            [(o.id, o.code, str(o.is_hit)) for o in case.truth.ops], f"{case.name}: ops, their order and hits in the program cache")
    got = [(r["HOST START TS"], r["HOST DURATION [ns]"], int(r["HOST END TS"])) for r in rows]
    of_rows = [zones[int(r["GLOBAL CALL COUNT"])] for r in rows]
    want = [(z["ns_since_start"], z["exec_time_ns"], int(z["ns_since_start"]) + int(z["exec_time_ns"])) for z in of_rows]
    t.equal(got, want, f"{case.name}: times of the host are those of the ops' zones")


# --- what was computed and moved -------------------------------------------------------------
def check_work(t, case):
    ops = {o.id: o for o in case.truth.ops}
    moved, made = [], []
    for key, launch in case.truth.launches.items():
        op, read, written = ops[key[0]], sum(c.read for c in launch.cores), sum(c.written for c in launch.cores)
        if op.bytes != read + written:
            moved.append(f"{key} {op.code}: {op.bytes} bytes, in truth {read} + {written}")
        row = next(r for r in case.reports["C++ report"] if r["GLOBAL CALL COUNT"] == str(key[0]))
        tiles = sum(c.products for c in launch.cores)
        # A bias is a product, too: of a tile with ones.
        bias = int(row["OUTPUT_0_Y_PAD[LOGICAL]"].split("[")[0]) * int(row["OUTPUT_0_X_PAD[LOGICAL]"].split("[")[0]) // 1024 if row.get("INPUT_2_LAYOUT") else 0
        if op.code == "MatmulDeviceOperation" and op.flops != (tiles - bias) * TILE_FLOPS:
            made.append(f"{key}: {op.flops} operations, in truth {tiles} products of tiles")
    t.ok(not moved, f"{case.name}: every op knows what it moves from and to DRAM", "\n".join(moved[:10]))
    t.ok(not made, f"{case.name}: every matmul knows its operations", "\n".join(made[:10]))


def check_perf(t, case):
    """ttprof report: rates times durations are what was computed; bounds and advice are there."""
    source = next(case.here.glob("out/reports/*/ops_perf_results_*.csv"))
    done = tap.run([t.ttprof, "report", source, "--ignore-signposts", "--csv", "perf.csv"], case.here)
    t.ok(done.code == 0, f"{case.name}: ttprof report", done)
    ops = {o.id: o for o in case.truth.ops}
    faults, seen = [], 0
    for row in table(case.here / "perf.csv"):
        if not row["OP Code"].startswith("Matmul") or float(row["Device Time"]) == 0:  # captured: only replays ran
            continue
        op, seen = ops[int(float(row["Global Call Count"]))], seen + 1
        seconds = float(row["Device Time"]) * 1e-6
        if abs(float(row["FLOPs"]) * 1e12 * seconds - op.flops) > op.flops * 1e-9:
            faults.append(f"{op.id}: {row['FLOPs']} TFLOPs")
        if not 0 < float(row["DRAM"]) * 1e9 * seconds <= op.bytes * (1 + 1e-9):
            faults.append(f"{op.id}: {row['DRAM']} GB/s are more than was moved")
        if not 0 < float(row["FLOPs %"]) <= 100 or not 0 < float(row["DRAM %"]) <= 100:
            faults.append(f"{op.id}: {row['FLOPs %']} %, {row['DRAM %']} %")
        names = ["Bound", "Math Fidelity", "Inner Dim Block Size", "Output Subblock H", "Output Subblock W", "Cores", "Input 0 Memory", "Advice"]
        faults += [f"{op.id}: no {k}" for k in names if not row[k] or row[k] == "nan"]
    t.ok(seen and not faults, f"{case.name}: rates, bounds and advice of {seen} matmuls", "\n".join(faults[:10]))


def check_all(t, case):
    if not case.is_fine:
        return
    for way, rows in case.reports.items():
        check_device(t, case, way, rows)
    check_ways(t, case)
    check_kernels(t, case)
    check_host(t, case)
    check_work(t, case)


# --- single things ---------------------------------------------------------------------------
def check_dram_load(t, config):
    """The column of DRAM's load, from NoC events."""
    case = Case(t, "transformer_block", config, "size=64", options=["--collect-noc-traces"])
    if not case.is_fine:
        return
    rows = case.reports["C++ report"]
    faults = []
    for row in filter(is_measured, rows):
        launch = case.truth.launches[key_of(row)]
        moved = sum(c.read + c.written for c in launch.cores)
        want = 100 * moved / (PEAK[row["DEVICE ARCH"]] * float(row["DEVICE KERNEL DURATION [ns]"]))
        if not row["DRAM BW UTIL (%)"] or abs(float(row["DRAM BW UTIL (%)"]) - want) > 0.051 + want / 50:
            faults.append(f"{key_of(row)}: {row['DRAM BW UTIL (%)']} %, in truth {want:.2f} %")
    t.ok(not faults, f"{case.name}: DRAM BW UTIL is what was moved", "\n".join(faults[:10]))


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def check_net(t):
    """Latency without the profiler: without what the core that pushed longest spent on it between the two ops."""
    case = Case(t, "transformer_block", "board=n150", "size=64", TTPROF_FLUSH_ZONES="1")
    if not case.is_fine:
        return
    rows = case.ops(t, "--force-legacy-device-logs", "--add", "net")
    log = next(case.here.glob("out/.logs/profile_log_device.csv")).read_text().splitlines()[1:]
    pushes, begun = collections.defaultdict(lambda: collections.defaultdict(list)), {}
    for e in csv.DictReader(log, skipinitialspace=True):
        core = e["core_x"], e["core_y"], e["RISC processor type"]
        if e["zone name"] == "PROFILER-DRAM-PUSH" and e["type"] == "ZONE_START":
            begun[core] = int(e["time[cycles since reset]"])
        elif e["zone name"] == "PROFILER-DRAM-PUSH":
            pushes[int(e["run host ID"])][core].append((begun[core], int(e["time[cycles since reset]"])))
    faults, before, n, costs = [], None, 0, []
    last = {}  # by core: what it ran last
    for row in filter(is_measured, rows):
        launch, told = case.truth.launches[key_of(row)], row["OP TO OP LATENCY WITHOUT PROFILER [ns]"]
        if before and pushes[key_of(row)[0]]:
            gap = before.end, launch.start
            zones = max(sum(overlap(z, gap) for z in of_core) for of_core in pushes[key_of(row)[0]].values())
            # The writes that the device saw lie in the zone, which has some code around them.
            writes = max(overlap(last[c.x, c.y].push, gap) for c in launch.cores if (c.x, c.y) in last)
            own = int(row["OP TO OP LATENCY [ns]"]) - int(told or -1)
            if own != zones or not writes <= own <= writes + AROUND_PUSH:
                faults.append(f"{key_of(row)}: {own}, by zones {zones}, by writes {writes}")
            costs.append(own)
            n += own > 0
        before = launch
        last.update({(c.x, c.y): c for c in launch.cores})
    t.ok(n > 2 and not faults, f"{case.name}: latency without the profiler's own time, {n} times less", "\n".join(faults) + str(costs))


    check_device_only(t, case)


def check_device_only(t, case):
    """Pushes carry the id of the op behind them, but it does not begin with them."""
    faults, before = [], None
    rows = case.ops(t, "--device-only")
    for row in rows:
        launch = case.truth.launches[key_of({"METAL TRACE REPLAY SESSION ID": "", **row})]
        want = launch.start - before.end if before else 0
        if int(row["OP TO OP LATENCY [ns]"]) != want:
            faults.append(f"{row['GLOBAL CALL COUNT']}: {row['OP TO OP LATENCY [ns]']}, in truth {want}")
        before = launch
    t.ok(len(rows) == len(case.truth.launches) and not faults, f"{case.name}: the device's half alone, in order", "\n".join(faults))


def check_slowest(t, case):
    rows = sorted(filter(is_measured, case.reports["C++ report"]), key=lambda r: -int(r["DEVICE KERNEL DURATION [ns]"]))
    t.equal([r["OP CODE"] for r in rows[:2]], ["MatmulDeviceOperation"] * 2, f"{case.name}: large matmuls are what takes longest")


def test(t):
    for name, config, *settings in [("mlp", "board=n150"), ("mlp", "board=p150", "size=64", "runs=2"),
                                    ("transformer_block", "board=n150"), ("transformer_block", "board=p150", "size=64"),
                                    ("training_step", "board=n150", "loops=2"), ("training_step", "arch=blackhole", "loops=1"),
                                    ("training_step", "board=n300", "loops=2")]:
        case = Case(t, name, config, *settings)
        check_all(t, case)
        if case.is_fine:
            check_perf(t, case)
        if case.is_fine and case.name == "mlp board=n150":
            check_slowest(t, case)
    check_net(t)
    check_dram_load(t, "board=n150")
    check_dram_load(t, "board=p150")


tap.main(test)
