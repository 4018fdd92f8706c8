#!/usr/bin/python3
"""test_profile.py TTPROF SOURCE_ROOT - profiled runs from the outside: files, rows, settings, conflicts, and doctor."""
import collections
import csv
import json
import re

import profiles
import tap

HEAD = ["PCIe slot", "core_x", "core_y", "RISC processor type", "timer_id", "time[cycles since reset]", "data",
        "run host ID", "trace id", "trace id counter", "zone name", "type", "source line", "source file", "meta data"]
RISCS = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"}
SMALL = ("sim", "run", "cycle_count", "--grid", "2x2", "--loops", "20")


def rows_of(path):
    """The rows of a log as dictionaries; its first two lines are checked."""
    with open(path, encoding="utf-8") as f:
        first = f.readline()
        head = [c.strip() for c in f.readline().split(",")]
        assert first.startswith("ARCH: ") and head == HEAD, (first, head)
        return [dict(zip(HEAD, row)) for row in csv.reader(f, quoting=csv.QUOTE_NONE)]


def log_in(folder):
    return folder / ".logs" / "profile_log_device.csv"


def track(row):
    return row["PCIe slot"], row["core_x"], row["core_y"], row["RISC processor type"]


def are_balanced(rows):
    """Does every end close the zone that was opened last, and is none left open?"""
    open_zones = {}
    for row in rows:
        stack = open_zones.setdefault(track(row), [])
        if row["type"] == "ZONE_START":
            stack.append(row["zone name"])
        elif row["type"] == "ZONE_END" and (not stack or stack.pop() != row["zone name"]):
            return False
    return not any(open_zones.values())


def kernel_cycles(rows):
    """Of all kernels, by track, in the order of their ends."""
    open_zones, found = {}, []
    for row in rows:
        stack, time = open_zones.setdefault(track(row), []), int(row["time[cycles since reset]"])
        if row["type"] == "ZONE_START":
            stack.append(time)
        elif row["type"] == "ZONE_END":
            found.append((track(row), row["zone name"], time - stack.pop()))
    return [f for f in found if f[1].endswith("-KERNEL")]


def zones(rows, name, **match):
    return [r for r in rows if r["zone name"] == name and r["type"] == "ZONE_START" and
            all(r[k] == v for k, v in match.items())]


def folder_bytes(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def profile(t, cwd, *arguments, **env):
    return tap.run([t.ttprof, *arguments, "--profile"], cwd, **env)


# --- files and rows ------------------------------------------------------------------------
def check_small(t):
    here = t.folder("small")
    done = profile(t, here, *SMALL, "-o", "out")
    t.ok(done.code == 0, "a profiled run ends well", done)
    t.ok(done.stdout.decode().startswith("cycle_count on wormhole_b0, board n150, 1 device\n"),
         "standard output holds the workload's results alone", done)
    t.ok(b"the profile is in out/.logs/; read it with 'ttprof device out/.logs/profile_log_device.csv'" in done.stderr,
         "the end says where the files are", done)
    names = {p.name for p in (here / "out" / ".logs").iterdir()}
    want = {"profile_log_device.csv", "zone_ids.csv", "zone_src_locations.log", "new_zone_src_locations.log",
            "profiler_health.json"}
    t.ok(want <= names, "the files of a run are there", names)
    rows = rows_of(log_in(here / "out"))
    t.ok(are_balanced(rows), "every zone that starts ends")
    used = {track(r)[:3] for r in zones(rows, "BRISC-KERNEL")}
    t.equal(len(used), 4, "the kernels of four cores are in the log")
    t.ok(all({track(r)[3] for r in rows if track(r)[:3] == core} == RISCS for core in used), "each with its five RISCs")
    t.equal({r["run host ID"] for r in zones(rows, "TRISC-KERNEL")}, {"1024"}, "the program's id is in the rows")
    t.ok(all(len(r) == 15 for r in rows), "a row has fifteen cells")
    health = json.loads((here / "out" / ".logs" / "profiler_health.json").read_text())
    t.ok(isinstance(health, dict), "profiler_health.json is one object", health)
    return here, rows


def check_same(t, here):
    """The same run gives the same bytes, whatever the folder and the number of threads."""
    for name, more in (("again", ()), ("with two threads", ("--threads", "2"))):
        there = t.folder("same")
        done = profile(t, there, *SMALL, "-o", "out", *more)
        t.ok(done.code == 0, f"the run ends well {name}", done)
        t.equal(folder_bytes(there / "out"), folder_bytes(here / "out"), f"all files have the same bytes {name}")
    before = folder_bytes(here / "out")
    done = profile(t, here, *SMALL, "-o", "out")
    t.ok(done.code == 0 and folder_bytes(here / "out") == before, "a later process replaces the log", done)


def check_reports(t, here, rows):
    done = tap.run([t.ttprof, "device", log_in(here / "out"), "-o", "report"], here)
    t.ok(done.code == 0 and b"device_kernel_duration" in done.stdout, "ttprof device reads the log", done)
    t.equal(done.stderr, b"ttprof: device: 8 files written to report\n", "and finds nothing odd in it")
    done = tap.run([t.ttprof, "info", log_in(here / "out"), "--json"], here)
    info = json.loads(done.stdout)
    t.equal((info["rows"], info["odd"]), (len(rows), 0), "ttprof info counts the same rows")
    # Without LOG it is the one of the default folder.
    done = profile(t, here, *SMALL)
    t.ok(done.code == 0 and log_in(here / "generated" / "profiler").exists(), "the default folder is generated/profiler", done)
    done = tap.run([t.ttprof, "device", "--print-only"], here)
    t.ok(done.code == 0, "ttprof device finds it there", done)


def check_mlp(t):
    here = t.folder("mlp")
    done = profile(t, here, "sim", "run", "mlp", "-o", "out", "--cpp-report")
    t.ok(done.code == 0, "mlp is profiled", done)
    rows = rows_of(log_in(here / "out"))
    t.ok(are_balanced(rows), "its zones are balanced")
    info = json.loads(tap.run([t.ttprof, "info", log_in(here / "out"), "--json"], here).stdout)
    ops = info["devices"][0]["ops"]
    t.equal((ops, info["devices"][0]["incomplete_ops"]), (3, 0), "it has three ops, all complete")
    with open(here / "out" / ".logs" / "cpp_device_perf_report.csv", encoding="utf-8") as f:
        report = list(csv.DictReader(f))
    t.equal(len(report), ops, "the report has a row for each")
    t.ok(all(int(r["DEVICE KERNEL DURATION [ns]"]) > 0 for r in report), "with a duration", report)


def check_grid(t):
    """The log, sim info and arch count the workers of a board alike, and say for which dispatch."""
    here = t.folder("grid")
    chip = json.loads(tap.run([t.ttprof, "arch", "blackhole", "--json"], here).stdout)["rows"][0]
    grids = {("p150", "slow"): ("14x10", 140), ("p150", "fast"): ("13x10", 130), ("p100", "slow"): ("12x10", 120), ("p100", "fast"): ("11x10", 110)}
    for (board, dispatch), (grid, cores) in grids.items():
        device = ("--device", f"board={board}" + " dispatch=slow" * (dispatch == "slow"))
        t.ok(f"{grid} {dispatch}" in chip["Boards"], f"{board}: arch has the grid of {dispatch} dispatch", chip)
        found = json.loads(tap.run([t.ttprof, "sim", "info", "--json", *device], here).stdout)["devices"][0]
        t.equal((f"{found['grid_x']}x{found['grid_y']}", found["workers"], found["dispatch"]), (grid, cores, dispatch),
                f"{board}: sim info has that of {dispatch} dispatch")
        log = f"{board}-{dispatch}"
        done = profile(t, here, "sim", "run", "cycle_count", "--grid", "2x2", "--loops", "2", "-o", log, *device)
        first = log_in(here / log).read_text(encoding="utf-8").split("\n")[0]
        t.equal(first, f"ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: {cores}, Dispatch: {dispatch}", f"{board}: and so has the log")
        text = tap.run([t.ttprof, "info", log_in(here / log)], here).stdout.decode()
        t.ok(f" {cores} with {dispatch} dispatch\n" in text, f"{board}: ttprof info says so", (done, text))
    for env, want in (({}, "fast"), ({"TT_METAL_SLOW_DISPATCH_MODE": "1"}, "slow"), ({"TTPROF_DEVICE": "poison=on"}, "slow")):
        found = json.loads(tap.run([t.ttprof, "sim", "info", "--json"], here, **env).stdout)["devices"][0]
        t.equal(found["dispatch"], want, f"with {env or 'nothing'} set dispatch is {want}")
    t.equal((chip["Grid"], chip["Cores"]), ("13x10", 130), "arch: the chip is that of tt-perf-report, a p150 with fast dispatch")


# --- what the settings do ------------------------------------------------------------------
def check_settings(t, rows):
    here = t.folder("settings")

    def log(name, *arguments, command=SMALL, **env):
        done = profile(t, here, *command, "-o", name, *arguments, **env)
        t.ok(done.code == 0, f"a run with {' '.join(arguments)}", done)
        return rows_of(log_in(here / name))

    only = log("riscs", "--riscs", "brisc,TRISC_1")
    t.equal({track(r)[3] for r in only}, {"BRISC", "TRISC_1"}, "--riscs: only these record")
    coarse = log("coarse", "--level", "coarse", command=("sim", "run", "full_buffer", "--runs", "1", "--grid", "1x1"))
    t.ok(coarse and all(r["zone name"].endswith(("-FW", "-KERNEL")) for r in coarse), "--level coarse: firmware and kernel zones")
    flush = log("flush", "--flush-zones", command=("sim", "run", "multi_op", "--ops", "3"))
    t.ok(zones(flush, "PROFILER-DRAM-PUSH"), "--flush-zones: the profiler's own pushes are zones")
    log("noc", "--collect-noc-traces", command=("sim", "run", "loopback", "--pages", "4"))
    traces = sorted(p.name for p in (here / "noc" / ".logs").glob("noc_trace_*.json"))
    t.ok(traces and all(json.loads((here / "noc" / ".logs" / n).read_text()) for n in traces), "--collect-noc-traces: JSON files", traces)
    (here / "read.brisc.c").write_text("void kernel_main(void) { noc_async_read(get_noc_addr(1, 2, 0x40000), 0x50000, 64); "
                                       "noc_async_read_barrier(); }\n", encoding="utf-8")
    log("noc_kernel", "--collect-noc-traces", command=("sim", "kernel", "read.brisc.c"))
    traces = sorted(p.name for p in (here / "noc_kernel" / ".logs").glob("noc_trace_*"))
    t.ok(traces and all(re.fullmatch(r"noc_trace_dev\d+(_\w+)?_ID\d+\.json", n) for n in traces),
         "--collect-noc-traces: names that tt-npe takes, of sim kernel too", traces)
    counted = log("counters", "--profiler-capture-perf-counters", "fpu", command=("sim", "run", "eltwise_add", "--tiles", "64"))
    values = [r for r in counted if r["timer_id"] == "9090"]
    t.ok(values and len(values) % 3 == 0 and all("counter type" in r["meta data"] for r in values),
         "--profiler-capture-perf-counters: the three counters of the FPU", values[:2])
    mid = log("mid", "--dump-device-data-mid-run")
    when = "time[cycles since reset]"
    t.equal([{**r, when: ""} for r in mid], [{**r, when: ""} for r in rows], "--dump-device-data-mid-run: the same rows")
    t.equal(kernel_cycles(mid), kernel_cycles(rows), "and kernels take as long; firmware that could wait starts a few cycles apart")
    env = log("env", TT_METAL_PROFILER_SUM="1", TTPROF_RISCS="NCRISC")
    t.equal({track(r)[3] for r in env}, {"NCRISC"}, "the environment counts")
    env = log("both", "--riscs", "brisc", TTPROF_RISCS="NCRISC")
    t.equal({track(r)[3] for r in env}, {"BRISC"}, "and the command line counts more")
    done = tap.run([t.ttprof, *SMALL], here, TT_METAL_DEVICE_PROFILER="1", TT_METAL_PROFILER_DIR="by_env")
    t.ok(done.code == 0 and rows_of(log_in(here / "by_env")) == rows, "TT_METAL_DEVICE_PROFILER=1 is --profile", done)
    done = profile(t, here, *SMALL, "-o", "none", "--disable-device-data-dump-to-files")
    t.ok(done.code == 0 and not (here / "none").exists(), "--disable-device-data-dump-to-files: no files", done)


ZONES = """
void kernel_main(void)
{
    for (uint32_t i = 0; i < get_arg_val(0); i++) {
        DeviceZoneScopedN("ROUND");
    }
}
"""


def lost(done):
    """What a run says it lost."""
    return int(re.search(rb"; ([\d,]+) were lost", done.stderr)[1].replace(b",", b""))


def check_mid_run(t):
    """Solution 3 of the guide: what overflows without dumps in mid-run does not with them, in L1 or in DRAM."""
    here, dump = t.folder("mid_run"), "--dump-device-data-mid-run"
    (here / "zones.all.c").write_text(ZONES, encoding="utf-8")
    kernel = ("kernel", "zones.all.c", "--cores", "0,0-1,1", "--args", "500")
    without, given = profiles.run(t, here, *kernel), profiles.run(t, here, *kernel, dump)
    t.equal((lost(without), lost(given)), (4 * 5 * 375 * 2, 0), "500 zones per RISC: 15,000 markers are lost, with dumps in mid-run none")
    found = collections.Counter(z[:4] for z in profiles.zones(profiles.rows(here), "ROUND"))
    t.ok(len(found) == 20 and set(found.values()) == {500}, "500 zones per RISC are in the log", found)
    half = profiles.run(t, here, *kernel, dump, "--overflow", "drop")
    t.equal(lost(half), lost(without), "--overflow drop stays what it is")
    programs = ("run", "multi_op", "--grid", "2x2", "--ops", "200", "--op-support-count", "50")
    without, given = profiles.run(t, here, *programs), profiles.run(t, here, *programs, dump)
    t.ok(lost(without) > 10000 and lost(given) == 0, "200 programs where 50 fit: with dumps in mid-run none is lost", (without, given))
    found = collections.Counter(z[:4] for z in profiles.zones(profiles.rows(here), "BRISC-KERNEL"))
    t.equal(set(found.values()), {2 * 200 + 1}, "all programs are in the log")


def check_sync(t):
    here = t.folder("sync")
    done = profile(t, here, "sim", "run", "allgather2", "-o", "out", "--sync-host-device")
    t.ok(done.code == 0, "two chips are profiled and synced", done)
    rows = rows_of(log_in(here / "out"))
    t.equal({r["PCIe slot"] for r in rows}, {"0", "1"}, "both are in the log")
    t.ok(b"Host sync data for device: 0" in done.stderr and b"Host sync data for device: 1" in done.stderr, "the sync is told", done)
    lines = (here / "out" / ".logs" / "sync_device_info.csv").read_text().splitlines()
    t.ok({line.split(",")[0].strip() for line in lines[1:]} == {"0", "1"}, "sync_device_info.csv has both chips", lines[:3])


def check_kernel(t):
    here = t.folder("kernel")
    (here / "zone.c").write_text('void kernel_main(void)\n{\n    DeviceZoneScopedN("OWN");\n    '
                                 'DeviceTimestampedData("NUMBER", 77);\n    DeviceRecordEvent(5);\n}\n')
    done = profile(t, here, "sim", "kernel", "zone.c", "--cores", "0,0-1,0", "-o", "out")
    t.ok(done.code == 0, "a kernel of one's own is profiled", done)
    rows = rows_of(log_in(here / "out"))
    t.equal(len(zones(rows, "OWN")), 2, "its zone is in the log of both cores")
    t.equal([r["data"] for r in rows if r["zone name"] == "NUMBER"], ["77", "77"], "and its data")
    t.equal([r["timer_id"] for r in rows if r["type"] == "TS_EVENT"], ["5", "5"], "and its event")
    t.ok(all(r["source file"].endswith("zone.c") and r["source line"] == "3" for r in zones(rows, "OWN")), "with file and line")


def check_raw(t):
    here = t.folder("raw")
    done = profile(t, here, *SMALL, "-o", "out", "--dump-raw", "raw")
    t.ok(done.code == 0 and (here / "raw" / "dump.json").exists(), "the words of the device are dumped", done)
    done = tap.run([t.ttprof, "decode", "raw", "-o", "again"], here)
    t.ok(done.code == 0, "ttprof decode reads them", done)
    t.equal(log_in(here / "again").read_bytes(), log_in(here / "out").read_bytes(), "and makes the same log of them")


def check_partial(t):
    here = t.folder("partial")
    done = profile(t, here, "sim", "run", "deadlock", "-o", "out")
    t.ok(done.code == 1 and b"deadlock at cycle" in done.stderr, "a deadlock is told as without a profile", done)
    rows = rows_of(log_in(here / "out"))
    t.ok(zones(rows, "BRISC-FW"), "the cores that stand still are in the log as far as they came", len(rows))
    done = tap.run([t.ttprof, "device", log_in(here / "out"), "--print-only"], here)
    t.ok(done.code == 0, "and ttprof device reads it", done)


# --- what is refused -----------------------------------------------------------------------
REFUSED = [
    (("--dump-device-data-mid-run", "--device-trace-profiler"), {},
     "Cannot dump data mid-run if only profiling trace runs: unset TT_METAL_PROFILER_MID_RUN_DUMP or TT_METAL_TRACE_PROFILER"),
    (("--dump-device-data-mid-run", "--profile-dispatch-cores"), {},
     "Cannot dump data mid-run if profiling dispatch cores: unset TT_METAL_PROFILER_MID_RUN_DUMP or "
     "TT_METAL_DEVICE_PROFILER_DISPATCH"),
    ((), {"TT_METAL_DPRINT_CORES": "all"},
     "Cannot enable both debug printing and profiling: unset the TT_METAL_DPRINT_* variables, or TT_METAL_DEVICE_PROFILER"),
    (("--profiler-capture-perf-counters", "l1_0,l1_1"), {},
     "Multiple L1 perf counter banks cannot be enabled simultaneously. They share the same hardware mux. Set one of the "
     "bits 8, 16, 64, 128 and 256 of TT_METAL_PROFILE_PERF_COUNTERS"),
    (("--profiler-capture-perf-counters", "l1_2"), {},
     "Performance counter groups l1_2 are supported only on Blackhole, but device arch is wormhole_b0."),
    (("--profiler-capture-perf-counters", "fpu,nosuch"), {},
     "--profiler-capture-perf-counters: unknown counter group 'nosuch'; valid groups: fpu, pack, unpack, l1_0, "
     "l1_1, l1_2, l1_3, l1_4, instrn, all"),
    (("--riscs", "RISC9"), {},
     "TTPROF_RISCS: 'RISC9' is not a RISC; use 'all' or a list of: BRISC NCRISC TRISC_0 TRISC_1 TRISC_2 ERISC"),
    (("--op-support-count", "60000001"), {}, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT: 60000001 is not between 0 and 60000000"),
    ((), {"TTPROF_LEVEL": "much"}, "TTPROF_LEVEL: invalid value 'much'; use one of: off coarse all"),
    ((), {"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": "x"}, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT: 'x' is not a number"),
]


def check_refused(t):
    here = t.folder("refused")
    for arguments, env, want in REFUSED:
        done = profile(t, here, *SMALL, *arguments, **env)
        t.equal((done.code, done.stdout, done.stderr.decode()), (2, b"", f"ttprof: sim run: {want}\n"),
                f"refused: {' '.join(arguments) or ' '.join(env)}")
    done = tap.run([t.ttprof, *SMALL, "-o", "out"], here)
    t.equal((done.code, done.stderr), (2, b"ttprof: sim run: profile options need --profile\n"), "-o needs --profile")
    t.ok(not list(here.iterdir()), "nothing was written")
    (here / "file").write_text("")
    done = profile(t, here, *SMALL, "-o", "file")
    t.ok(done.code == 3 and b"cannot create folder" in done.stderr, "a folder that cannot be made is an error", done)
    done = profile(t, here, *SMALL, "-o", "many", "--op-support-count", "1000000")
    t.equal((done.code, done.stderr), (5, b"ttprof: sim run: 1000000 programs do not fit in the profiler's part of the device's "
                                          b"DRAM; use --op-support-count 559240 or less\n"), "too many programs: the most is told")
    done = profile(t, here, *SMALL, "-o", "many", "--op-support-count", "559240")
    t.ok(done.code == 0, "and is accepted", done)
    done = profile(t, here, *SMALL, "-o", "few", "--op-support-count", "42")
    t.ok(b"ttprof: sim run: Profiler program support count must be >= 43. Increasing program support count from 42 to 43.\n"
         in done.stderr and done.stderr.count(b"must be >= 43") == 1, "too few programs are raised, told once", done)


# --- doctor --------------------------------------------------------------------------------
def check_doctor(t):
    here = t.folder("doctor")
    done = tap.run([t.ttprof, "doctor"], here)
    t.ok(done.code == 0 and done.stderr == b"", "doctor finds nothing wrong", done)
    lines = done.stdout.decode().splitlines()
    t.equal(lines[:5], ["Device profiler: off; set TT_METAL_DEVICE_PROFILER=1 to enable it",
                        "Folder of artifacts: generated/profiler/ (will be created)",
                        "Folder of logs: generated/profiler/.logs/ (will be created)", "",
                        "TT_METAL_DEVICE_PROFILER                      0                    default  the device profiler"],
            "its first lines")
    listed = [line.split()[0] for line in lines[4:lines.index("", 4)]]
    t.ok(len(listed) == len(set(listed)) > 30 and all(n.startswith(("TT_METAL_", "TTPROF_")) for n in listed),
         "each variable is listed once", listed)
    manual = (t.root / "docs" / "doctor.md").read_text(encoding="utf-8")
    missing = [n for n in listed if f"| `{n}` |" not in manual]
    t.ok(not missing, "and stands in its page", missing)
    done = tap.run([t.ttprof, "doctor"], here, TT_METAL_NOC_DEBUG_DUMP="1", TT_METAL_PROFILER_DIR=str(here))
    text = done.stdout.decode()
    t.ok(done.code == 0 and text.startswith(
        "Device profiler: on, images of variant 'full', 24,000 bytes of DRAM per RISC, twice\n"
        f"Folder of artifacts: {here}/ (writable)\n"), "what would run is told", text)
    done = tap.run([t.ttprof, "doctor", "--json"], here, TT_METAL_DEVICE_PROFILER="1", TT_METAL_PROFILER_DIR="file/x",
                   TTPROF_LEVLE="1", TT_METAL_WATCHER="3")
    t.equal(json.loads(done.stdout)["problems"], [], "a folder that can be made is no problem")
    (here / "file").write_text("")
    done = tap.run([t.ttprof, "doctor", "--json"], here, TT_METAL_DEVICE_PROFILER="1", TT_METAL_PROFILER_DIR="file/x",
                   TTPROF_LEVLE="1", TT_METAL_WATCHER="3")
    told = json.loads(done.stdout)
    t.equal((done.code, told["profiler_starts"], told["variant"], told["region_bytes"]), (1, False, "prof", 48000),
            "below a file there is no folder")
    t.equal(told["problems"], ["the folder of artifacts is not writable: file/x/; choose another one",
                               "the folder of logs is not writable: file/x/.logs/; choose another one"], "which is told")
    t.equal((told["warnings"], told["others"]),
            (["unknown variable TTPROF_LEVLE; did you mean TTPROF_LEVEL?"], ["TT_METAL_WATCHER=3"]), "and so is the rest")
    setting = {s["variable"]: s for s in told["settings"]}
    t.equal((setting["TT_METAL_DEVICE_PROFILER"]["value"], setting["TT_METAL_DEVICE_PROFILER"]["source"]),
            ("1", "environment"), "values come with their source")
    done = tap.run([t.ttprof, "doctor"], here, TT_METAL_DEVICE_PROFILER="1", TT_METAL_DPRINT_CORES="0,0",
                   TT_METAL_PROFILER_MID_RUN_DUMP="1", TT_METAL_TRACE_PROFILER="1", TTPROF_OVERFLOW="x")
    t.ok(done.code == 1 and done.stdout.decode().split("Problems:\n")[1].split("\n\n")[0].splitlines() == [
        "  TTPROF_OVERFLOW: invalid value 'x'; use one of: drop stall auto",
        "  Cannot enable both debug printing and profiling: unset the TT_METAL_DPRINT_* variables, or TT_METAL_DEVICE_PROFILER",
        "  Cannot dump data mid-run if only profiling trace runs: unset TT_METAL_PROFILER_MID_RUN_DUMP or TT_METAL_TRACE_PROFILER"],
        "all problems are told, not only the first", done)


def check_memory(t):
    here = t.folder("memory")
    done = tap.run([t.ttprof, "sim", "run", "loopback"], here, TT_METAL_MEM_PROFILER="1", TT_METAL_PROFILER_DIR="out")
    t.equal((done.code, done.stderr.decode()), (0, "ttprof: sim run: buffer records are in out/.logs/memory_records.csv\n"),
            "buffers are recorded without profiling")
    with open(here / "out" / ".logs" / "memory_records.csv", encoding="utf-8") as f:
        records = list(csv.DictReader(f))
    t.equal([(r["pool"], r["name"], r["event"], r["bytes"]) for r in records],
            [("Device 0 DRAM", name, "alloc", "204800") for name in ("from", "to")], "with pool, name and size")
    t.equal([p.name for p in (here / "out" / ".logs").iterdir()], ["memory_records.csv"], "and nothing else is")


def test(t):
    check_doctor(t)
    check_refused(t)
    here, rows = check_small(t)
    check_same(t, here)
    check_reports(t, here, rows)
    check_mlp(t)
    check_grid(t)
    check_settings(t, rows)
    check_mid_run(t)
    check_sync(t)
    check_kernel(t)
    check_raw(t)
    check_memory(t)
    check_partial(t)


tap.main(test)
