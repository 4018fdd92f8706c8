#!/usr/bin/python3
"""test_profile_workloads.py TTPROF SOURCE_ROOT - what the profile of each example workload must show, on both chips where it is cheap.

The numbers are those of the log alone; the workloads' own figures, taken without a profile, are what they are compared with.
"""
import collections
import csv
import json
import statistics

import profiles
import tap

CHIPS = ["wormhole", "blackhole"]
WARNING = "Profiler DRAM buffers were full, markers were dropped! device 0, worker core "


def profiled(t, name, chip, *options, env=None):
    """(rows, zones, folder, run) of a workload."""
    here = t.folder(name)
    done = profiles.run(t, here, "run", name, "--arch", chip, *options, **(env or {}))
    title = f"{name} on {chip}" + (f", {' '.join(options)}" if options else "")
    if not t.ok(done.code == 0, f"{title}: runs with a profile", done):
        return [], [], here, done
    rows = profiles.rows(here)
    zones = profiles.zones(rows)
    t.ok(zones is not None, f"{title}: every zone that starts ends", len(rows))
    return rows, zones or [], here, done


def figures(t, name, chip, *options):
    """Of the same workload without a profile."""
    done = tap.run([t.ttprof, "sim", "run", name, "--arch", chip, "--json", *options], t.scratch)
    return json.loads(done.stdout)["figures"]


def named(zones, name):
    return [z for z in zones if z.name == name]


def by_core(zones):
    """Zones of each core, cores in the order of the logical grid: row by row."""
    cores = collections.defaultdict(list)
    for zone in zones:
        cores[zone.y, zone.x].append(zone)
    return [sorted(cores[key], key=lambda z: z.start) for key in sorted(cores)]


def span(zones):
    return max(z.end for z in zones) - min(z.start for z in zones)


def health(here):
    return json.loads((here / "out" / ".logs" / "profiler_health.json").read_text(encoding="utf-8"))


# --- one after the other -------------------------------------------------------------------
def check_loopback(t, chip):
    plain = figures(t, "loopback", chip)
    rows, zones, here, _ = profiled(t, "loopback", chip)
    t.equal(({r.risc for r in rows}, len({(r.x, r.y) for r in rows})), ({"BRISC"}, 1), f"{chip}: loopback: only a BRISC of one core")
    reads = [profiles.took(z) for z in named(zones, "READ-BARRIER")]
    t.equal((len(reads), health(here)["l1_dropped"]), (100, 0), f"{chip}: loopback: a zone for every page, and none is lost")
    # The kernel's own clocks are around the call, as the zone's are; the second clock of the zone is not in it.
    t.ok(plain["read, shortest"] - 10 <= min(reads) and max(reads) <= plain["read, longest"] + 40,
         f"{chip}: loopback: zones take what the kernel measures without a profile", (min(reads), max(reads), plain))
    t.ok(abs(statistics.mean(reads) - plain["read, mean"]) <= 40, f"{chip}: loopback: their mean as well", (statistics.mean(reads), plain))
    rows, _, _, _ = profiled(t, "loopback", chip, "--enable-sum-profiling")
    sums = [r.data for r in rows if r.type == "ZONE_TOTAL" and r.name == "WRITE-BARRIER"]
    kernel = profiles.zones(rows, "BRISC-KERNEL")[0]
    t.ok(len(sums) == 1 and 100 * 150 < sums[0] < profiles.took(kernel) - sum(reads) / 2, f"{chip}: loopback: the writes as a sum", sums)


def check_eltwise(t, chip):
    rows, zones, _, _ = profiled(t, "eltwise_add", chip, "--enable-sum-profiling")
    tiles = 4096
    counts = collections.Counter((z.risc, z.name) for z in zones if "-" not in z.name)
    want = {("NCRISC", "READ"): tiles, ("BRISC", "WRITE"): tiles, **{(f"TRISC_{i}", "ADD"): tiles for i in range(3)}}
    t.equal(counts, want, f"{chip}: eltwise_add: a zone for each tile and stage")
    early = 0
    cores = by_core(named(zones, "READ") + named(zones, "WRITE") + [z for z in named(zones, "ADD") if z.risc == "TRISC_1"])
    for core in cores:
        last_read = max(z.start for z in core if z.name == "READ")
        early += all(sum(z.end < last_read for z in core if z.name == name) > len(core) // 6 for name in ("ADD", "WRITE"))
    t.equal(early, len(cores), f"{chip}: eltwise_add: on every core tiles are added and written while others are still read")
    # The reader is never idle, and compute waits for it most of the time.
    kernels = {z[:4]: profiles.took(z) for z in zones if z.name.endswith("-KERNEL")}
    reading, waiting = collections.Counter(), {}
    for zone in named(zones, "READ"):
        reading[zone[:4]] += profiles.took(zone)
    for row in rows:
        if row.name == "CB-COMPUTE-WAIT-FRONT":
            waiting[row[:4]] = row.data
    shares = [min(v / kernels[k] for k, v in of.items()) for of in (reading, waiting)]
    t.ok(len(waiting) == len(reading) == 64 and shares[0] > 0.9 and shares[1] > 0.6, f"{chip}: eltwise_add: the reader sets the pace", shares)
    hz = 1.0 if chip == "wormhole" else 1.35
    rate = 3 * tiles * 2048 / span([z for z in zones if z.name.endswith("-KERNEL")]) * hz
    t.ok(20 < rate < (265 if chip == "wormhole" else 512), f"{chip}: eltwise_add: {rate:.0f} GB/s, less than DRAM has", rate)


def check_matmul(t, chip):
    took = {}
    for fidelity in ("LoFi", "HiFi3", "HiFi4"):
        _, zones, _, _ = profiled(t, "matmul_tiled", chip, "--size", "256", "--grid", "2x2", "--format", "bfp8", "--fidelity", fidelity)
        math = by_core([z for z in zones if z.name == "PASS" and z.risc == "TRISC_1"])
        took[fidelity] = sum(profiles.took(z) for z in math[0])
        t.equal([len(core) for core in math], [2] * 4, f"{chip}: matmul_tiled: two passes a core at {fidelity}")
    # 8 steps of 4 x 4 tiles a core: those of the second pass, at least, pay 16 cycles for a phase more.
    t.ok(64 * 16 <= took["HiFi4"] - took["HiFi3"] <= 128 * 16 + 200 and took["LoFi"] < took["HiFi3"],
         f"{chip}: matmul_tiled: a phase more takes 16 cycles a product", took)
    rows, _, _, _ = profiled(t, "matmul_tiled", chip, "--size", "256", "--grid", "2x2", "--profiler-capture-perf-counters", "fpu")
    busy = [json.loads(r.meta.replace(";", ","))["value"] for r in rows if r.id == 9090 and "\"FPU_COUNTER\"" in r.meta]
    t.equal(busy, [8 * 16 * 64] * 4, f"{chip}: matmul_tiled: the FPU counter of each core is what its products take")


def check_reduce(t, chip):
    rows, zones, _, _ = profiled(t, "reduce", chip)
    waits = by_core(named(zones, "WAIT-LEVEL"))
    levels = [len(core) for core in waits]
    active = [sum(n > level for n in levels) for level in range(max(levels, default=0))]
    t.equal(active, [32, 16, 8, 4, 2, 1], f"{chip}: reduce: half as many cores are active from level to level")
    mean = [statistics.mean(profiles.took(core[level]) for core in waits if len(core) > level) for level in range(6)]
    t.ok(mean[0] > sum(mean[1:]), f"{chip}: reduce: they wait for the first partial sum, and little for the others", mean)
    t.equal((len(named(zones, "SEND")), len({(r.x, r.y) for r in rows})), (63, 64), f"{chip}: reduce: all cores but one send")


def check_mcast(t, chip):
    _, zones, here, _ = profiled(t, "mcast", chip, "--collect-noc-traces")
    took = {z.name: profiles.took(z) for z in zones}
    t.ok(took["MULTICAST"] < 1.5 * took["UNICAST-ONE"] and took["UNICAST-EACH"] > 10 * took["MULTICAST"],
         f"{chip}: mcast: to all takes about as long as to one", took)
    traces = sorted((here / "out" / ".logs").glob("noc_trace_*.json"))
    events = [e for path in traces for e in json.loads(path.read_text(encoding="utf-8")) if "type" in e]
    kinds = collections.Counter(e["type"] for e in events)
    t.equal((kinds["WRITE_MULTICAST"], kinds["WRITE_"]), (1, 64), f"{chip}: mcast: one multicast and 64 writes in the NoC trace")
    event = next(e for e in events if e["type"] == "WRITE_MULTICAST")
    t.equal((event["mcast_end_x"] - event["mcast_start_x"] > 0, event["mcast_end_y"] - event["mcast_start_y"] > 0, event["proc"]),
            (True, True, "BRISC"), f"{chip}: mcast: with its rectangle")


def stage_means(zones, name):
    stages = collections.defaultdict(list)
    for zone in named(zones, name):
        stages[zone.x].append(profiles.took(zone))
    return [statistics.mean(v) for _, v in sorted(stages.items())]


def check_pipeline(t, chip):
    _, zones, here, _ = profiled(t, "pipeline", chip, "--pages", "40", "--slow-stage", "4")
    t.equal((len(named(zones, "WORK")), health(here)["l1_dropped"]), (8 * 40, 0), f"{chip}: pipeline: a zone for each page and stage")
    work = stage_means(zones, "WORK")
    t.ok(min(work[4] / w for i, w in enumerate(work) if i != 4) > 2, f"{chip}: pipeline: one stage is slow", work)
    # Stages 0 .. 6 reserve, stages 1 .. 7 wait.
    reserve, wait = stage_means(zones, "RESERVE-BACK"), stage_means(zones, "WAIT-FRONT")
    t.ok(reserve[3] > 3 * max(reserve[4:]) and reserve[2] > 3 * max(reserve[4:]),
         f"{chip}: pipeline: stages in front of it wait for room", reserve)
    t.ok(min(wait[4:]) > 3 * max(wait[1:4]), f"{chip}: pipeline: stages behind it wait for pages", wait)
    _, zones, here, _ = profiled(t, "pipeline", chip, "--overflow", "stall")
    t.equal((len(named(zones, "WORK")), health(here)["l1_dropped"]), (8 * 64, 0), f"{chip}: pipeline: with --overflow stall nothing of 64 pages is lost")


def check_full_buffer(t, chip):
    """23 runs fill the buffers exactly; of 24 the last one has only its firmware and kernel zones."""
    _, zones, here, done = profiled(t, "full_buffer", chip, "--grid", "2x1")
    cores, found = 2, collections.Counter((z.run, z.risc) for z in named(zones, "TEST-FULL"))
    t.equal(len(named([z for z in zones if z.run <= 23], "TEST-FULL")), cores * 23 * 5 * 125, f"{chip}: full_buffer: all zones of 23 runs")
    full = [run for run in range(1, 48) if all(found[run, risc] == 125 * cores for risc in profiles.RISCS)]
    t.equal((full, sum(found.values())), (list(range(1, 47)), cores * 46 * 5 * 125), f"{chip}: full_buffer: 125 zones a RISC, but in the 24th run")
    last = collections.Counter(z.name.split("-")[1] for z in zones if z.run == 47)
    t.equal(last, {"FW": 5 * cores, "KERNEL": 5 * cores}, f"{chip}: full_buffer: of that one firmware and kernels are there")
    told = [line for line in done.stderr.decode().splitlines() if WARNING in line]
    t.ok(len(told) == 1 and f"bufferEndIndex = 11788 and {5 * cores - 1} more RISCs. " in told[0],
         f"{chip}: full_buffer: one warning counts the buffers that were full", told[:2])
    lost = {(k["core_x"], k["core_y"], k["risc"]): k["dram_dropped"] for k in health(here)["tracks"]}
    t.equal((len(lost), set(lost.values()), health(here)["dram_dropped"]), (5 * cores, {250}, 5 * cores * 250),
            f"{chip}: full_buffer: and what was lost is counted")


def check_cycle_count(t, chip):
    _, zones, _, _ = profiled(t, "cycle_count", chip)
    kernels = [profiles.took(z) for z in zones if z.name.endswith("-KERNEL")]
    t.ok(len(kernels) == 64 * 5 and min(kernels) >= 104000 and max(kernels) <= 1.01 * 104000,
         f"{chip}: cycle_count: 320 kernels of 104,000 cycles", (len(kernels), min(kernels), max(kernels)))


def check_imbalance(t, chip):
    _, zones, here, _ = profiled(t, "imbalance", chip)
    work = [profiles.took(core[0]) for core in by_core(named(zones, "WORK"))]
    want = [(i + 1) * 20 * 52 * (3 if i == 32 else 1) for i in range(64)]
    t.ok(len(work) == 64 and all(abs(a - b) <= 60 for a, b in zip(work, want)), f"{chip}: imbalance: the gradient, and one hot core",
         [(a, b) for a, b in zip(work, want) if abs(a - b) > 60][:3])
    ratio = sum(want) / 64 / max(want)
    t.ok(abs(statistics.mean(work) / max(work) - ratio) < 0.01 * ratio, f"{chip}: imbalance: mean / max is {ratio:.4f}", statistics.mean(work) / max(work))
    done = tap.run([t.ttprof, "device", here / "out" / ".logs" / "profile_log_device.csv", "-o", "report", "--analysis-data", "compact"], here)
    data = json.loads((here / "report" / "device_analysis_data.json").read_text(encoding="utf-8")) if done.code == 0 else {}
    analyses = data["data"]["devices"]["0"]["cores"]["DEVICE"]["analysis"]
    most = analyses["device_kernel_duration_per_core"]["stats"]["Max"]
    op = analyses["device_kernel_duration"]["stats"]["Max"]
    # Cores start one after the other, as the host reaches them.
    t.ok(max(work) < most <= op < most + 64 * 500, f"{chip}: imbalance: the op takes as long as its slowest core", (max(work), most, op))


def check_multi_op(t, chip):
    _, zones, here, done = profiled(t, "multi_op", chip, "--grid", "1x1")
    runs = collections.Counter(z.run for z in zones)
    t.equal(set(runs.items()), {(i, 2 * 10) for i in range(1, 1001)}, f"{chip}: multi_op: all of 1,000 ops, and 1,000 of 1,001")
    told = [line for line in done.stderr.decode().splitlines() if WARNING in line]
    t.ok(len(told) == 1 and "bufferEndIndex = 12000 and 4 more RISCs. " in told[0], f"{chip}: multi_op: one warning counts the full buffers", told)
    t.equal((health(here)["dram_dropped"], health(here)["ops"]), (5 * 4, 2000), f"{chip}: multi_op: the markers of one op are lost")
    firmware = sorted(named(zones, "BRISC-FW"), key=lambda z: z.start)
    hz = 1.0 if chip == "wormhole" else 1.35
    gaps = [b.start - a.end for a, b in zip(firmware, firmware[1:])]
    t.ok(len(gaps) == 1999 and min(gaps) >= 2 * 400 * hz, f"{chip}: multi_op: between ops the host writes twice, at least", min(gaps))


def check_allgather(t, chip):
    _, zones, here, _ = profiled(t, "allgather2", chip, "--sync-host-device")
    plain = figures(t, "allgather2", chip)
    at = {(z.chip, z.name): z for z in zones}
    raw = [at[1 - chip_, "RECEIVE"].end - at[chip_, "SEND"].start for chip_ in (0, 1)]
    t.ok(max(abs(r) for r in raw) > 1e6 and min(raw) < 0, f"{chip}: allgather2: by the chips' own clocks the order is absurd", raw)
    lines = (here / "out" / ".logs" / "sync_device_info.csv").read_text(encoding="utf-8").splitlines()
    cells = [[c.strip() for c in line.split(",")] for line in lines]
    head, link = cells[0], [c for c in cells[1:] if c[3] == ""][-1]
    scale, shift, error = (float(link[head.index(name)]) for name in ("device_frequency_ratio", "device_shift", "error_ns"))
    place = lambda chip_, cycle: cycle if chip_ == 0 else cycle * scale + shift
    true = plain["send to receive, true time"]
    hz = 1.0 if chip == "wormhole" else 1.35
    for chip_ in (0, 1):
        latency = (place(1 - chip_, at[1 - chip_, "RECEIVE"].end) - place(chip_, at[chip_, "SEND"].start)) / hz
        t.ok(latency > 0 and abs(latency - true) <= error + 100, f"{chip}: allgather2: after sync the part of chip {chip_} arrives {latency:.0f} ns later",
             (latency, true, error))


def check_rollover(t, chip):
    rows, zones, _, _ = profiled(t, "rollover", chip, "--grid", "4x4")
    clocks = named(zones, "SAFE-CLOCK") + named(zones, "TORN-CLOCK")
    t.equal(len(clocks), 32, f"{chip}: rollover: two zones a core")
    t.ok(all(z.start < 1 << 32 < z.end for z in clocks), f"{chip}: rollover: they go from before 2^32 cycles to after", clocks[:2])
    tracks = collections.defaultdict(list)
    for row in rows:
        tracks[row[:4]].append(row.time)
    t.ok(all(times == sorted(times) for times in tracks.values()), f"{chip}: rollover: every RISC's markers are in order")
    t.ok(all(1 << 31 < r.time < (1 << 32) + (1 << 28) for r in rows), f"{chip}: rollover: no stamp is torn", [r.time for r in rows][:2])
    took = [profiles.took(z) for z in clocks]
    t.ok(max(took) < 1.2 * min(took), f"{chip}: rollover: zones across the roll-over have their true length", (min(took), max(took)))


def check_gaps(t, chip):
    """From op to op in a replayed trace, with the time the profiler takes and without it."""
    _, _, here, _ = profiled(t, "transformer_block", chip, "--runs", "1", env={"TTPROF_FLUSH_ZONES": "1"})
    tap.run([t.ttprof, "ops", "out", "--csv", "ops.csv", "--add", "net", "--unmatched", "--quiet"], here)
    with open(here / "ops.csv", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    t.equal(len(rows), 40, f"{chip}: transformer_block: 20 ops, and 20 of the replay")
    rows = rows[21:]
    for column, most in (("OP TO OP LATENCY [ns]", 3200), ("OP TO OP LATENCY WITHOUT PROFILER [ns]", 2000)):
        gaps = [int(r[column] or most + 1) for r in rows]
        t.ok(len(gaps) == 19 and 500 < min(gaps) and max(gaps) <= most, f"{chip}: {column} of traced ops is at most {most}", gaps)


def check_deadlock(t):
    here = t.folder("deadlock")
    done = profiles.run(t, here, "run", "deadlock")
    t.ok(done.code == 1 and b"their profile is partial" in done.stderr, "deadlock: the profile is said to be partial", done)
    rows = profiles.rows(here)
    names = collections.Counter((r.risc, r.name, r.type) for r in rows)
    t.equal((names["NCRISC", "WAIT-FOR-EVER", "ZONE_START"], names["BRISC", "WORK", "ZONE_END"]), (1, 16),
            "deadlock: the zone that never ends has its start, all others are whole")
    stuck = next((r for r in rows if r.name == "WAIT-FOR-EVER"), None)
    t.equal((stuck.x, stuck.y), (3, 2), "deadlock: on the core that waits")


BOTH = [check_loopback, check_eltwise, check_matmul, check_reduce, check_mcast, check_pipeline, check_full_buffer, check_imbalance, check_multi_op,
        check_rollover, check_gaps]


def test(t):
    for check in BOTH:
        for chip in CHIPS:
            check(t, chip)
    check_cycle_count(t, "wormhole")
    check_allgather(t, "wormhole")
    check_deadlock(t)


tap.main(test)
