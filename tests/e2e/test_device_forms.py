#!/usr/bin/python3
"""test_device_forms.py TTPROF SOURCE_ROOT - one run in every form a device log has had.

tools/make-device-log writes the log and what the run did. The statistics that must come out are
worked out here from the latter, in the plainest way, down to the text.
"""
import csv
import json
import statistics
import sys

import tap

LEGACY = ["2023-02", "2023-03", "2023-09"]
NAMED = ["2024-03", "2024-08", "2024-12", "2025-03", "2025-04", "2025-10", "2025-11"]
WITH_META = ["2025-03", "2025-04", "2025-10", "2025-11"]
RISCS = ("BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC")
FW_START, KERNEL_START, KERNEL_END, FW_END = range(4)
OF_NO_RISC = ("id-collides", "op-incomplete")  # findings that name no RISC
SHOWN = ("Count", "Average", "Max", "Median", "Min", "Sum", "Range")

# Runs: what, options, forms. The first one is written in all ten.
RUNS = [
    ("two devices, replays, dumps during the run",
     "--arch grayskull --devices 2 --grid 4x3 --ops 7 --replays 3 --mid-run 2 --zones 3 --dispatch 2 --sum-zones --counters", LEGACY + NAMED),
    ("ethernet cores and three queues of dispatch", "--grid 3x3 --ops 13 --eth 3 --dispatch 5 --devices 3 --seed 7", ["2023-09", *NAMED]),
    ("replays with ethernet cores", "--arch blackhole --grid 5x2 --ops 6 --replays 4 --eth 2 --zones 1 --sum-zones --seed 3", NAMED),
    ("one op on one core", "--grid 1x1 --ops 1 --zones 0", ["2023-09", *NAMED]),
]


class Made:
    """A log, and the times of every RISC of every op as they must be in it."""

    def __init__(self, t, form, options, name="log"):
        self.folder, self.form = t.folder(name), form
        self.log, truth = self.folder / "in.csv", self.folder / "truth.json"
        made = tap.run([sys.executable, t.root / "tools" / "make-device-log", "--form", form, *options, "-o", self.log,
                        "--truth", truth], t.scratch)
        if made.code != 0:
            raise RuntimeError(f"make-device-log: {made}")
        self.truth = json.loads(truth.read_text())
        self.is_legacy = form in LEGACY
        for e in self.truth["executions"]:
            if not e["complete"]:  # its last firmware end is not in the log
                e["cores"][0]["riscs"]["BRISC"][FW_END] = None

    def devices(self):
        return sorted({e["device"] for e in self.truth["executions"]})

    def ops(self, device, incomplete=False):
        """Device ops in the order of the reports: ids by their first time, then executions."""
        of = [e for e in self.truth["executions"] if e["device"] == device]
        ids = list(dict.fromkeys(e["run"] for e in of))
        return [e for e in sorted(of, key=lambda e: ids.index(e["run"])) if e["complete"] or incomplete]

    def cores(self, device):
        """Per core its four kinds of markers in time order: (time, RISC, kind)."""
        found = {}
        for e in self.truth["executions"]:
            for c in e["cores"] if e["device"] == device else ():
                found.setdefault(tuple(c["core"]), []).extend(markers_of(c))
        return {core: in_order(found[core]) for core in found}


def markers_of(core):
    return [(time, risc, kind) for risc, times in core["riscs"].items() for kind, time in enumerate(times) if time is not None]


def in_order(markers):
    return sorted(markers, key=lambda m: (m[0], RISCS.index(m[1])))


# --- the analyses, as they are described ---------------------------------------------------------

def adjacent(series, start, end):
    held, found = None, []
    for m in series:
        if held and m[1:] in end:
            found.append(m[0] - held[0])
            held = None
        elif m[1:] in start:
            held = m
    return found


def first_last(series, start, end):
    first = next((i for i, m in enumerate(series) if m[1:] in start), None)
    if first is None:
        return []
    last = next((i for i in range(len(series) - 1, first, -1) if series[i][1:] in end), None)
    return [] if last is None else [series[last][0] - series[first][0]]


def kinds(riscs, *which):
    return {(r, k) for r in riscs for k in which}


def launches(series):
    """Parts that begin with the firmware of BRISC."""
    found = []
    for m in series:
        if m[1:] == ("BRISC", FW_START):
            found.append([])
        if found:
            found[-1].append(m)
    return found


def named_blocks(made, device, incomplete):
    """Results by analysis, block by block (op or core), in setup order."""
    ops = made.ops(device, incomplete)
    series = [in_order(m for c in op["cores"] for m in markers_of(c)) for op in ops]
    kernels = kinds(RISCS, KERNEL_START, KERNEL_END)

    def per_op(start, end=None):
        return [first_last(s, start, end or start) for s in series]
    movers = ("BRISC", "NCRISC")
    blocks = {
        "op2op": [adjacent(s, kinds(RISCS, KERNEL_END), kinds(movers, KERNEL_START)) for s in made.cores(device).values()],
        "device_kernel_first_to_last_start": per_op(kinds(RISCS, KERNEL_START)),
        "device_kernel_duration_per_core":
            [sum((first_last(in_order(markers_of(c)), kernels, kernels) for c in op["cores"]), []) for op in ops],
        "device_fw_duration": per_op(kinds(RISCS, FW_START, FW_END)),
        "device_kernel_duration": per_op(kernels),
        "device_kernel_duration_dm_start": per_op(kinds((*movers, "ERISC"), KERNEL_START, KERNEL_END), kernels),
    }
    for risc in RISCS:
        blocks[f"device_{risc.lower().replace('_', '')}_kernel_duration"] = per_op(kinds([risc], KERNEL_START, KERNEL_END))
    for name, zone in (("wait_front", "CB-COMPUTE-WAIT-FRONT"), ("reserve_back", "CB-COMPUTE-RESERVE-BACK")):
        blocks[f"device_compute_cb_{name}"] = [[op[zone]] for op in ops if op.get(zone)]
    dispatch = [d for d in made.truth["dispatch"] if d["device"] == device]
    blocks["dispatch_total_cq_cmd_op_time"] = [[d["commands"]] for d in dispatch]
    blocks["dispatch_go_send_wait_time"] = [[d["go"]] for d in dispatch]
    return blocks


def legacy_blocks(made, device, _):
    cores = made.cores(device)
    whole = in_order(m for s in cores.values() for m in s)
    t0 = whole[0][0]
    any_start, any_end, brisc = kinds(RISCS, FW_START), kinds(RISCS, FW_END), {("BRISC", FW_START)}

    def per_core(look, *of):
        return {core: look(series, *of) for core, series in cores.items()}
    blocks = {"T0 -> BRISC FW start": per_core(lambda s: [next(m[0] for m in s if m[1:] in brisc) - t0])}
    for risc in ("TRISC_0", "TRISC_1", "TRISC_2", "BRISC", "NCRISC"):
        name = risc.replace("_", "")
        blocks[f"{name} kernel start -> {name} kernel end"] = per_core(adjacent, {(risc, KERNEL_START)}, {(risc, KERNEL_END)})
    blocks["ANY RISC FW start -> ANY RISC FW end"] = per_core(lambda s: [d for l in launches(s) for d in first_last(l, any_start, any_end)])
    blocks["ANY RISC FW end -> BRISC FW start"] = per_core(adjacent, any_end, brisc)
    blocks["T0 -> ANY RISC FW end"] = per_core(lambda s: [max(m[0] for m in s if m[1:] in any_end) - t0])
    blocks["BRISC FW start -> ANY RISC FW end"] = per_core(first_last, any_start, any_end)
    blocks["T0 -> ANY CORE ANY RISC FW end"] = [first_last(whole, any_start, any_end)]
    return blocks


def summary(blocks):
    """Over all blocks of a device; the median is that of the medians."""
    every = [v for b in blocks for v in b]
    return {"Count": len(every), "Average": sum(every) / len(every), "Max": max(every),
            "Median": statistics.median(statistics.median(b) for b in blocks if b),
            "Min": min(every), "Sum": sum(every), "Range": max(every) - min(every)}


def core_map(blocks):
    def cell(x, y):
        b = blocks.get((x, y))
        if not b:
            return "X"
        return f"{statistics.median(b):,.0f}" + (f"±{(max(b) - min(b)) // 2:,.0f}" if len(b) > 1 else "")

    def dram(first):
        return "".join(f"{f'DRAM{first + x // 3}' if x % 3 == 0 else '---':>17}" for x in range(12)) + "\n"
    text = " " * 8 + "".join(f"{x:17}" for x in range(12)) + "\n" + " " * 8 + "=" * 204 + "\n" + " " * 8 + dram(0)
    for y in range(10):
        text += "     ---" + dram(4) if y == 5 else ""
        text += f"{y:2}|| {({1: 'ARC', 3: 'PCI'}).get(y, '---')}" + "".join(f"{cell(x, y):>17}" for x in range(12)) + "\n"
    return text + "\n\n\n"


def stats_text(made, incomplete=False):
    """The whole text of device_stats.txt."""
    text = ""
    for device in made.devices():
        found = (legacy_blocks if made.is_legacy else named_blocks)(made, device, incomplete)
        for name, blocks in found.items():
            values = list(blocks.values()) if isinstance(blocks, dict) else blocks
            if not any(values):
                continue
            s = summary(values)
            text += f"\n=================== {name} ===================\n"
            shown = (SHOWN[:5] if made.is_legacy else SHOWN) if s["Count"] > 1 else ["Duration"]
            s["Duration"] = s["Max"]
            for stat in shown:
                unit = "" if stat == "Count" and not made.is_legacy else "[cycles]"
                text += f"{stat:>12} {unit:8} = {f'{s[stat]:,.0f}':>10}\n"
            text += "\n"
            if made.is_legacy and isinstance(blocks, dict):
                text += core_map(blocks)
    return text


# --- the checks ----------------------------------------------------------------------------------

def report(t, made, *options):
    done = tap.run([t.ttprof, "device", "in.csv", "-o", "out", *options], made.folder)
    return done, made.folder / "out"


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.reader(f))


def check_form(t, made, what):
    done, out = report(t, made)
    t.equal((done.code, done.stderr.decode()), (0, "ttprof: device: 8 files written to out\n"), f"{what}: read without findings")
    t.equal(done.stdout.decode(), stats_text(made), f"{what}: the statistics are those of the run")
    health = json.loads((out / "profiler_health.json").read_text())
    n_ops = 0 if made.is_legacy else len(made.truth["executions"])
    t.equal([health[k] for k in ("rows", "markers", "ops", "incomplete_ops", "odd", "findings")],
            [made.truth["rows"], made.truth["rows"], n_ops, 0, 0, []], f"{what}: every row is a marker, every execution an op")
    t.equal(read_csv(out / "device_rearranged_timestamps.csv"), rearranged(made), f"{what}: the rearranged times are those of the run")
    if not made.is_legacy:
        check_ops(t, made, out, what)
    return done.stdout.decode()


def rearranged(made):
    rows = []
    heads = ["Firmware Start", "Kernel start", "Kernel End", "Firmware End"]
    dispatch = dispatch_places(made)
    for device in made.devices():
        rows += [["Clock Frequency [GHz]", repr(made.truth["mhz"] / 1000)], ["PCIe slot", str(device)],
                 ["core x", "core y", *(f"{r} {h}" for r in RISCS[:2] for h in heads)]]
        cores = {**{core: [] for core in dispatch}, **made.cores(device)}
        for x, y in sorted(cores, key=lambda c: c[1] * 100 + c[0]):
            rows.append([str(x), str(y)] + [" ".join(str(m[0]) for m in cores[x, y] if m[1:] == (r, k)) for r in RISCS[:2] for k in range(4)])
    return rows


def dispatch_places(made):
    """Cores of the log that run no op."""
    if made.is_legacy:
        return set()
    rows = [line.split(",")[:3] for line in made.log.read_text().splitlines()[2:] if ",CQ-" in line]
    return {(int(x), int(y)) for _, x, y in rows}


def check_ops(t, made, out, what):
    """Row by row the durations of each op."""
    head, *rows = read_csv(out / "cpp_device_perf_report.csv")
    def trace_of(e, key):
        return str(e[key] or "") if made.form >= "2025-10" else ""

    def nanos(cycles):
        return str((cycles * 2000 + made.truth["mhz"]) // (2 * made.truth["mhz"]))
    want = []
    for device in made.devices():
        for e in sorted(made.ops(device), key=lambda e: e["run"]):
            every = in_order(m for c in e["cores"] for m in markers_of(c))
            def span(kind_start, kind_end, riscs=RISCS):
                start = [m[0] for m in every if m[1:] in kinds(riscs, kind_start)]
                end = [m[0] for m in every if m[1:] in kinds(riscs, kind_end)]
                return nanos(max(end) - min(start)) if start else ""
            want.append({"GLOBAL CALL COUNT": str(e["run"]), "METAL TRACE ID": trace_of(e, "trace"),
                         "METAL TRACE REPLAY SESSION ID": trace_of(e, "counter"), "DEVICE ID": str(device),
                         "CORE COUNT": str(len(e["cores"])),
                         "DEVICE FW DURATION [ns]": span(FW_START, FW_END),
                         "DEVICE KERNEL DURATION [ns]": span(KERNEL_START, KERNEL_END),
                         "DEVICE BRISC KERNEL DURATION [ns]": span(KERNEL_START, KERNEL_END, ["BRISC"]),
                         "DEVICE TRISC1 KERNEL DURATION [ns]": span(KERNEL_START, KERNEL_END, ["TRISC_1"]),
                         "DEVICE ERISC KERNEL DURATION [ns]": span(KERNEL_START, KERNEL_END, ["ERISC"]),
                         "DEVICE KERNEL START CYCLE": str(min(m[0] for m in every if m[2] == KERNEL_START)),
                         "DEVICE KERNEL END CYCLE": str(max(m[0] for m in every if m[2] == KERNEL_END))})
    got = [dict(zip(head, r)) for r in rows]
    t.equal([{k: r.get(k) for k in want[0]} for r in got], want, f"{what}: the durations of every op are those of the run")


def check_forms(t):
    for what, options, forms in RUNS:
        texts = {form: check_form(t, Made(t, form, options.split()), f"{what}, {form}") for form in forms}
        for group in ([f for f in forms if f in LEGACY], [f for f in forms if f in NAMED and f not in WITH_META],
                      [f for f in forms if f in WITH_META]):
            t.ok(len({texts[f] for f in group}) <= 1, f"{what}: the same statistics from {', '.join(group)}")
        plain, rich = texts["2024-12"], texts["2025-11"]
        parts = [p for p in rich.split("\n\n\n") if "dispatch_" in p]
        t.equal(len(parts) > 0, "--dispatch" in options, f"{what}: paragraphs about dispatch where there is meta data")
        rest = [p.strip("\n") for p in rich.split("\n\n\n") if "dispatch_" not in p]
        t.equal(rest, [p.strip("\n") for p in plain.split("\n\n\n")], f"{what}: meta data changes nothing else")


def check_per_core(t):
    """The kernel of each core of each op, from the full data."""
    made = Made(t, "2025-11", "--devices 2 --grid 3x2 --ops 6 --replays 2 --eth 1".split())
    _, out = report(t, made, "--analysis-data", "full")
    data = json.loads((out / "device_analysis_data.json").read_text())["data"]
    for device in made.devices():
        ops = data["devices"][str(device)]["cores"]["DEVICE"]["riscs"]["TENSIX"]["ops"]
        kernels = kinds(RISCS, KERNEL_START, KERNEL_END)
        want = [sorted(d for c in e["cores"] for d in first_last(in_order(markers_of(c)), kernels, kernels)) for e in made.ops(device)]
        got = [sorted(r["duration_cycles"] for r in op["analysis"]["device_kernel_duration_per_core"]["series"]) for op in ops]
        t.equal(got, want, f"device {device}: the kernel of each core of each op lasts as long as in the run")


def check_oddities(t):
    for options in ("--grid 3x2 --ops 8 --mid-run 1 --dispatch 2", "--devices 2 --replays 3 --ops 5 --grid 2x2 --seed 5"):
        for form in LEGACY + NAMED:
            what = f"oddities, {form} {options}"
            made = Made(t, form, ["--oddities", *options.split()], "odd")
            done, out = report(t, made)
            health = json.loads((out / "profiler_health.json").read_text())
            t.equal({f["kind"]: f["count"] for f in health["findings"]}, made.truth["oddities"], f"{what}: every finding is counted")
            t.equal(health["odd"], sum(made.truth["oddities"].values()), f"{what}: the total is their sum")
            by_track = {}
            for track in health["tracks"]:
                for kind in made.truth["oddities"]:
                    by_track[kind] = by_track.get(kind, 0) + track["findings"].get(kind, {"count": 0})["count"]
            t.equal({k: v for k, v in by_track.items() if v},
                    {k: v for k, v in made.truth["oddities"].items() if k not in OF_NO_RISC},
                    f"{what}: the RISCs that are concerned are named")
            t.equal({(k["chip"], k["core_x"], k["core_y"]) for k in health["tracks"]},
                    {(0, *made.truth["executions"][-1]["cores"][0]["core"])}, f"{what}: only the spoilt core is named")
            t.equal(len(done.stderr.decode().splitlines()), 1 + len(made.truth["oddities"]), f"{what}: a line for each kind")
            t.equal((done.code, done.stdout.decode()), (0, stats_text(made)), f"{what}: the unfinished op is in no statistics of ops")
            if not made.is_legacy:
                done, _ = report(t, made, "--incomplete-ops")
                t.equal(done.stdout.decode(), stats_text(made, True), f"{what}: --incomplete-ops takes it in")


def test(t):
    check_forms(t)
    check_per_core(t)
    check_oddities(t)


tap.main(test)
