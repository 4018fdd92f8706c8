#!/usr/bin/env python3
"""The manual flow of 2023: a run without and a run with device profiling, then a report from the folders that both
left. tests/runtime/ops_2023.c sets the location of the logs, and metadata of an op of its own."""
import csv
import io
import os
import pathlib
import tarfile

import tap

OPS = ["my_model", "BinaryNgDeviceOperation", "UnaryDeviceOperation", "BinaryNgDeviceOperation"]  # by global call count
FOLDER = "gp/.logs/my_test/case1"


def table(path):
    return list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text(encoding="utf-8"), newline="")))


def host_rows(folder):
    """{global call count: row} of all ops in a folder, independently of ttprof."""
    rows = {}
    for path in folder.glob("*/profile_log_host.csv"):
        for r in csv.DictReader(path.read_text(encoding="utf-8").splitlines(), skipinitialspace=True):
            rows[int(r["Global Call Count"])] = {**r, "folder": f"{path.parent.name}/{r['Call Count']}"}
    return rows


def firmware(log):
    """The first and last cycle of all firmware in a log, and its cores."""
    rows = list(csv.DictReader(log.read_text(encoding="utf-8").splitlines()[1:], skipinitialspace=True))
    rows = [r for r in rows if r["zone name"].endswith("-FW")]
    times = [int(r["time[cycles since reset]"]) for r in rows]
    return min(times), max(times), len({(r["core_x"], r["core_y"]) for r in rows})


def check_report(t, here, rows):
    told = host_rows(here / FOLDER)
    t.equal([r["OP CODE"] for r in sorted(rows, key=lambda r: int(r["GLOBAL CALL COUNT"]))], OPS, "a row for each call")
    by_id = {int(r["GLOBAL CALL COUNT"]): r for r in rows}
    t.equal({i: (r["HOST START TS"], r["HOST DURATION [ns]"], r["OP TYPE"]) for i, r in by_id.items()},
            {i: (r["Start timer count [ns]"], r["Delta timer count [ns]"], r["Type"]) for i, r in told.items()},
            "host times are those of the run without device profiling")
    t.equal({i: r["ATTRIBUTES"] for i, r in by_id.items()}, {i: r["Meta Data"] for i, r in told.items()}, "metadata reach ATTRIBUTES")
    t.equal(by_id[1]["ATTRIBUTES"], "batch=3; first", "also that of append_meta_data")
    for i, r in by_id.items():
        log = here / f"{FOLDER}_device" / told[i]["folder"] / "profile_log_device.csv"
        want = firmware(log) if r["OP TYPE"] == "tt_dnn_device" else ("", "", "")
        t.equal(tuple(r[c] for c in ("DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "CORE COUNT")), tuple(str(w) for w in want),
                f"op {i}: device times are those of the same call in the run with it")
    t.equal([by_id[2][c] for c in ("INPUT_0_Y_PAD[LOGICAL]", "INPUT_0_X_PAD[LOGICAL]", "INPUT_1_DATATYPE", "OUTPUT_0_MEMORY", "DEVICE ID")],
            ["64", "64", "BFLOAT16", "DEV_0_DRAM_INTERLEAVED", "0"], "tensors are there")
    t.ok("'kernel/ops/" in by_id[2]["COMPUTE KERNEL SOURCE"], "and the sources of kernels", by_id[2])
    t.equal([by_id[i]["CALL DEPTH"] for i in (1, 2)], ["1", "2"], "and the depth of calls")
    t.equal({r["ROW STATE"] for r in rows}, {"ok", "host only"}, "nothing is missing")


HEAD = ("Name, Start timer count [ns], Stop timer count [ns], Delta timer count [ns], Global Call Count, Call Count, Stack Size, Inputs, Outputs, "
        "Math Fidelity, Parallelization Strategy, Preferred Name, Meta Data, Type")
LOG = """Chip clock is at 1.2 GHz
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset]
0, 0, 0, NCRISC, 1, 1882735035004
0, 0, 0, NCRISC, 2, 1882735036049
0, 0, 0, NCRISC, 3, 1882735036091
0, 0, 0, NCRISC, 4, 1882735036133
0, 0, 0, BRISC, 1, 1882735032214
0, 0, 0, BRISC, 2, 1882735035364
0, 0, 0, BRISC, 3, 1882735035433
0, 0, 0, BRISC, 4, 1882735035518
0, 1, 0, BRISC, 1, 1882735032300
0, 1, 0, BRISC, 4, 1882735035000
"""


def check_old_logs(t):
    """Folders as tt-metal wrote them in 2023: fewer columns, logs with six of them."""
    here = t.folder("old")
    for path, text in (("ops/add/profile_log_host.csv",
                        f"{HEAD}\nadd, 100, 150, 50, 1, 1, 1, 32_64|TILE|BFLOAT16|dev_2_dram, , HiFi3, , , a=1-b, tt_dnn_device\n"
                        "add, 200, 230, 30, 2, 2, 1, , , , , , , tt_dnn_device\n"),
                       ("ops/unknown_op/profile_log_host.csv", f"{HEAD}\nx, 1, 2, 1, 9, 1, 1, , , , , , , custom_zone\n"),
                       ("ops_device/add/1/profile_log_device.csv", LOG)):
        (here / path).parent.mkdir(parents=True)
        (here / path).write_text(text, encoding="utf-8")
    (here / "ops/add/2").mkdir()
    os.mkfifo(here / "ops/add/2/profile_log_host.csv")
    (here / "ops_device/add/2").mkdir()
    os.mkfifo(here / "ops_device/add/2/profile_log_device.csv")
    done = tap.run([t.ttprof, "ops", "ops", "--csv", "ops.csv", "--add", "state"], here)
    t.ok(done.code == 0 and b"device 2: expected 1, measured 1, 100 %" in done.stdout, "a folder of tt-metal is read", done)
    first, second = table(here / "ops.csv")
    want = {"OP CODE": "add", "ATTRIBUTES": "a=1-b", "MATH FIDELITY": "HiFi3", "CORE COUNT": "2", "DEVICE FW START CYCLE": "1882735032214",
            "DEVICE FW END CYCLE": "1882735036133", "DEVICE FW DURATION [ns]": str(round(3919 / 1.2)),
            "DEVICE KERNEL DURATION [ns]": str(round((36091 - 35364) / 1.2)), "DEVICE NCRISC KERNEL DURATION [ns]": str(round(42 / 1.2)),
            "DEVICE TRISC0 KERNEL DURATION [ns]": "", "INPUT_0_W_PAD[LOGICAL]": "1", "INPUT_0_X_PAD[LOGICAL]": "64",
            "INPUT_0_MEMORY": "dev_2_dram", "DEVICE ID": "2", "ROW STATE": "ok"}
    t.equal({k: first.get(k, "") for k in want}, want, "with the numbers of its log")
    t.equal((second["GLOBAL CALL COUNT"], second["HOST DURATION [ns]"], second["ROW STATE"]), ("2", "30", "device missing"), "a call without a log; a pipe is none")


def test(t):
    check_old_logs(t)
    build, here = t.ttprof.parent, t.folder("flow")
    program = here / "program"
    done = tap.run(["cc", "-O2", "-Wall", "-I", t.root / "include", t.root / "tests/runtime/ops_2023.c", f"-L{build}", "-lttprof-runtime",
                    f"-Wl,-rpath,{build}", "-o", program], here)
    if not t.ok(done.code == 0, "the program is linked", done):
        return
    for device in ("0", "1"):
        done = tap.run([program], here, TT_METAL_DEVICE_PROFILER=device, TT_METAL_PROFILER_DIR=here / "gp")
        t.ok(done.code == 0, f"a run with TT_METAL_DEVICE_PROFILER={device}", done)
    done = tap.run([t.ttprof, "ops", FOLDER, "--no-date", "--add", "state,seed", "--strict"], here)
    t.ok(done.code == 0 and b"device 0: expected 3, measured 3, 100 %\nhost: 1 op, nothing to measure\n" in done.stdout, "the report is made", done)
    report = here / "gp/reports/ops_perf_results.csv"
    check_report(t, here, table(report))
    with tarfile.open(report.with_suffix(".tgz")) as archive:
        names = {n.removeprefix("./") for n in archive.getnames()}
    t.ok({"ops/my_model/profile_log_host.csv", "ops/UnaryDeviceOperation/1/profile_log_host.csv",
          "ops_device/BinaryNgDeviceOperation/2/profile_log_device.csv"} <= names, "the archive has the logs of both runs", names)
    same = report.read_bytes()
    done = tap.run([t.ttprof, "ops", "-i", f"{FOLDER}/", "--no-date", "--add", "state,seed", "-o", "out"], here)
    t.ok(done.code == 0 and (here / "out/reports/ops_perf_results.csv").read_bytes() == same, "-i is the same", done)
    done = tap.run([t.ttprof, "ops", f"{FOLDER}_device", "--csv", "device.csv"], here)
    t.ok(done.code == 0 and b"measured 3, 100 %" in done.stdout, "the folder of the run with device profiling has both halves", done)
    host = here / FOLDER / "my_model/profile_log_host.csv"
    host.write_text(host.read_text(encoding="utf-8") + "cut, 12\n", encoding="utf-8")
    (here / f"{FOLDER}_device/UnaryDeviceOperation/1/profile_log_device.csv").unlink()
    done = tap.run([t.ttprof, "ops", FOLDER, "--csv", "ops.csv", "--strict"], here)
    t.ok(done.code == 1 and b"device 0: expected 3, measured 2, 66.7 %" in done.stdout, "a lost log and a cut row are told", done)


tap.main(test)
