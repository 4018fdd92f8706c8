#!/usr/bin/env python3
"""test_stand_in.py TTPROF SOURCE_ROOT - a program that stands in for tt-metal under `ttprof run -r`: what it recorded comes
from a .tracy file, and its Tracy client serves it as tt-metal's does (tests/programs/serve_tracy)."""
import csv
import io

import runs
import tap

EXPORT = ["-u", "-p", "TT_DNN", "-x", "CompileProgram,HWCommandQueue_write_buffer"]  # as `python3 -m tracy` of 2025
OPS = 3
RECORD = '{{"op_code": "Matmul", "op_hash": 5, "op_type": "tt_dnn_device", "device_id": 0, "global_call_count": {0}}}'


def serve(t, *words):
    return [t.ttprof.parent / "tests" / "programs" / "serve_tracy", *words]


def run(t, folder, *command):
    return tap.run([t.ttprof, "run", "-r", "-o", folder, "--", *command], folder)


def shell(*commands):
    return "sh", "-c", " & ".join(" ".join(map(str, c)) for c in commands) + " & wait"


def captured(folder):
    return sorted(folder.glob("runs/*/tracy/*.tracy"))


def export(t, path, *options):
    done = tap.run([t.ttprof, "csvexport", "--compat", *options, path], path.parent)
    return sorted(done.stdout.decode().split("\n")) if done.code == 0 else done


def lines(path):
    return sorted(path.read_text().split("\n"))


def table(path):
    return sorted(csv.reader(io.StringIO(path.read_text())))


def report(t, folder, of):
    """The ops report of a folder with logs, as rows."""
    done = tap.run([t.ttprof, "ops", of, "--csv", "-"], folder)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def made(t, folder):
    """A .tracy file of a run with two threads and some ops."""
    p = runs.Process(100, program="/usr/bin/model")
    op, step = p.location("TT_DNN_DEVICE_OP", "run", "src/op.cpp", 5), p.location("step", "main", "src/model.c", 10)
    events = []
    for i in range(OPS):
        at, number = 2000 + 1000 * i, 1024 * (i + 1)
        events += [("ZONE_BEGIN", at, step), ("ZONE_BEGIN", at + 10, op), ("ZONE_TEXT", at + 10, f"id:{number}"), ("ZONE_NAME", at + 11, "named"),
                   ("OP", at + 100 + i, f'TT_DNN_DEVICE_OP: "Matmul", 5, 0, false, {number} ->\n{RECORD.format(number)}'),
                   ("ZONE_END", at + 500), ("ZONE_END", at + 600)]
    p.thread(100, [("SIGNPOST", 1500, "start"), *events])
    p.thread(101, [e for i in range(50) for e in (("ZONE_BEGIN", 1600 + 9 * i, step), ("ZONE_COLOUR", 1601 + 9 * i, 0x112233), ("ZONE_END", 1607 + 9 * i))], "loader")
    runs.write(folder / "made", [p])
    for version in "0.10", "0.14":
        tap.run([t.ttprof, "convert", "made", f"{version}.tracy", "--format", version], folder)
    return folder / "0.10.tracy", folder / "0.14.tracy"


def same(t, got, want, sentence):
    """Everything that a program has recorded is in the capture of it."""
    for options in ["-u"], ["-m"], ["-u", "--upstream", "--plot"], ["-g"]:
        t.equal(export(t, got, *options), export(t, want, *options), f"{sentence}: csvexport {' '.join(options)}")


def check_made(t, files):
    for file in files:
        folder = t.folder("made")
        done = run(t, folder, *serve(t, file))
        got = captured(folder)
        if t.ok(done.code == 0 and len(got) == 1, f"{file.stem}: a program is captured", done):
            same(t, got[0], file, file.stem)
            t.equal(next(folder.glob(".logs/tracy_profile_log_host.tracy")).read_bytes(), got[0].read_bytes(), f"{file.stem}: and has its usual name")
        rows = report(t, folder, folder)
        t.equal([(r["OP CODE"], r["GLOBAL CALL COUNT"], r["HOST DURATION [ns]"]) for r in rows],
                [("start", "", ""), *(("Matmul", str(1024 * (i + 1)), "490") for i in range(OPS))], f"{file.stem}: the ops report")


def check_two(t, files):
    folder = t.folder("two")
    done = run(t, folder, *shell(serve(t, files[0]), serve(t, files[1])))
    got = captured(folder)
    t.ok(done.code == 0 and len(got) == 2 and b"not sent" not in done.stderr, "two at once are captured", done)
    want = sorted(export(t, f, "-u") for f in files)
    t.equal(sorted(export(t, f, "-u") for f in got), want, "two at once: each completely")


def check_devices(t):
    """The zones of devices are in the file of the run, too, if that is made of several captures."""
    folder = t.folder("devices")
    tap.run([t.ttprof, "run", "-r", "--quiet", "-o", "one", "--", t.ttprof, "sim", "run", "mlp"], folder)
    file = folder / "one" / ".logs" / "tracy_profile_log_host.tracy"
    done = run(t, folder, *shell(serve(t, file), serve(t, file)))
    one, both = ([row.split(",")[0] for row in export(t, path, "-g") if row and not row.startswith("name,")]
                 for path in (file, next(folder.glob(".logs/tracy_profile_log_host.tracy"))))  # fmt: skip
    t.equal((done.code, len(one) > 100, both), (0, True, sorted(one * 2)), "two with devices: the file of the run has the device zones of both")


def check_early(t, files):
    """It has nothing left to do when it starts to listen: only TRACY_NO_EXIT, which the run sets, keeps it there."""
    for file in files:
        folder = t.folder("early")
        done = run(t, folder, *serve(t, file))
        t.ok(done.stdout.startswith(b"ready to exit after ") and len(captured(folder)) == 1, f"{file.stem}: a program that ends at once is captured, {done.stdout.decode().split(chr(10))[0]}", done)


def check_unasked(t, file):
    folder = t.folder("unasked")
    done = run(t, folder, *serve(t, "--unasked", file))
    got = captured(folder)
    if t.ok(done.code == 0 and len(got) == 1 and b"broke" not in done.stderr, "answers that nobody asked for are tolerated", done):
        t.ok(b"an answer to a query that was not sent" in done.stderr, "and counted", done)
        same(t, got[0], file, "with answers that nobody asked for")


def spans(t, path):
    """Zones by their times: of a client that died, names may be missing."""
    return [row[5:7] for row in csv.reader(export(t, path, "-u")) if len(row) > 6 and row[0] != "name"]


def check_killed(t, file):
    folder = t.folder("killed")
    done = run(t, folder, *serve(t, "--die", file))
    got = captured(folder)
    t.ok(done.code == 128 + 9 and len(got) == 1 and b"the connection to its Tracy client broke" in done.stderr and not tap.of_run(folder), "a program that is killed ends the run, which says so", done)
    if got:
        all_zones, kept = spans(t, file), spans(t, got[0])
        t.ok(0 < len(kept) < len(all_zones) and all(zone in all_zones for zone in kept), "what it had sent is kept", (len(kept), len(all_zones)))


def check_logs(t, logs, golden):
    """The run writes its tables as tt-metal of 2026: an op's zone has its own number in special_parent_text, too. That is the column
    TT_DNN_DEVICE_OP_TT_HOST_FUNC in reports of that year; the golden tables are older."""
    t.equal(lines(logs / "tracy_ops_data.csv"), lines(golden / "tracy_ops_data.csv"), "tt-metal: tracy_ops_data.csv is that of the reference")
    old, new = table(golden / "tracy_ops_times.csv"), table(logs / "tracy_ops_times.csv")
    ops = [row for row in old if row[0] == "TT_DNN_DEVICE_OP"]
    t.equal(len(ops), 6, "tt-metal: its ops")
    t.equal(new, sorted([*(row for row in old if row not in ops), *([*row[:8], row[4]] for row in ops)]), "tt-metal: tracy_ops_times.csv is that of the reference, with the numbers of ops")


def check_real(t):
    golden = t.shared("golden", "ops-report", "ttmlir_host_2025_03")
    if not golden:
        t.skip("a recording of tt-metal", "golden/ops-report is not beside the project (../shared)")
        return
    file = next(golden.glob("*.tracy"))
    folder = t.folder("real")
    done = run(t, folder, *serve(t, file))
    got = captured(folder)
    if not t.ok(done.code == 0 and len(got) == 1, "tt-metal: a program is captured", done):
        return
    same(t, got[0], file, "tt-metal")
    for name, options in {"tracy_ops_times.csv": EXPORT, "tracy_ops_data.csv": ["-m", "-s", ";"]}.items():
        t.equal(export(t, got[0], *options), lines(golden / name), f"tt-metal: csvexport gives {name} of the reference, byte for byte")
    check_logs(t, folder / ".logs", golden)
    new, old = report(t, folder, folder), report(t, folder, golden)
    own = [row.pop("TT_DNN_DEVICE_OP_TT_HOST_FUNC [ns]", None) for row in new]
    t.equal(new, old, "tt-metal: the ops report is that of the reference's tables")
    t.equal(own, [row["HOST DURATION [ns]"] for row in old], "tt-metal: but for the column of 2026")
    check_devices(t)
    check_two(t, [file, file])
    check_early(t, [file])
    check_unasked(t, file)
    check_killed(t, file)


def checks(t):
    files = made(t, t.folder("files"))
    check_made(t, files)
    check_two(t, files)
    check_early(t, files)
    for file in files:
        check_unasked(t, file)
        check_killed(t, file)
    check_real(t)


tap.main(checks)
