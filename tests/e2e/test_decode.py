#!/usr/bin/python3
"""test_decode.py TTPROF SOURCE_ROOT - dumps of raw words: decoding gives what the run itself wrote, and damage costs
only what was damaged."""
import json
import random
import shutil

import tap

LOG = ".logs/profile_log_device.csv"


def profile(t, name, folder, *options):
    """A profiled run with a dump; returns its result."""
    return tap.run([t.ttprof, "sim", "run", name, "--profile", "-o", folder, "--dump-raw", f"{folder}-raw", *options],
                   t.scratch)


def decode(t, folder, out, *options):
    return tap.run([t.ttprof, "decode", folder, "-o", out, *options], t.scratch)


def read(t, folder, name=LOG):
    return (t.scratch / folder / name).read_bytes()


RUNS = {
    "mlp": ("mlp",),
    "deadlock": ("deadlock",),
    "two-chips": ("allgather2",),
    "overflow": ("full_buffer", "--grid", "2x2"),
    "stall": ("full_buffer", "--grid", "2x2", "--overflow", "stall"),
    "watermark": ("multi_op", "--grid", "2x2", "--ops", "200", "--watermark", "--op-support-count", "50"),
    "accumulate": ("multi_op", "--grid", "2x2", "--ops", "200", "--enable-accumulate-profiling"),
    "counters": ("eltwise_add", "--grid", "2x2", "--profiler-capture-perf-counters", "fpu"),
    "noc": ("loopback", "--collect-noc-traces"),
}


def check_same(t):
    for name, (workload, *options) in RUNS.items():
        ran = profile(t, workload, name, *options)
        done = decode(t, f"{name}-raw", f"{name}-again")
        t.ok(ran.code in (0, 1) and done.code == 0, f"{name}: the dump is decoded", done)
        t.equal(read(t, f"{name}-again"), read(t, name), f"{name}: the log is that of the run itself")
        rows = read(t, name).count(b"\n") - 2
        t.ok(rows > 10, f"{name}: there are rows", rows)


def check_names(t):
    """Without the ids the names are gone, everything else stays."""
    shutil.copytree(t.scratch / "mlp-raw", t.scratch / "nameless")
    (t.scratch / "nameless/zone_ids.csv").unlink()
    done = decode(t, "nameless", "nameless-out")
    t.ok(done.code == 0 and b"zones have no names" in done.stderr, "a dump without names says so", done)
    t.equal(read(t, "nameless-out").count(b"\n"), read(t, "mlp").count(b"\n"), "and has all its rows")
    shutil.copy(t.scratch / "mlp/.logs/zone_src_locations.log", t.scratch / "nameless")
    decode(t, "nameless", "nameless-out")
    t.equal(read(t, "nameless-out"), read(t, "mlp"), "the log of the compiler's messages gives the same names")


def check_command(t):
    done = tap.run([t.ttprof, "decode", "mlp-raw"], t.scratch)
    t.ok(done.code == 0 and (t.scratch / "mlp-raw" / LOG).exists(), "without -o the files go beside the dump", done)
    t.ok(b"files          mlp-raw/.logs/\n" in done.stdout, "and it says where", done)
    done = decode(t, "overflow-raw", "json-out", "--json")
    found = json.loads(done.stdout)
    device = found["devices"][0]
    t.equal((found["layout"], found["arch"], device["workers"]), ("v2", "wormhole_b0", 64), "--json: what it is")
    # 24 launches in the second part: one is too many for each of 20 RISCs.
    t.equal((device["dram_dropped"], device["l1_dropped"]), (20 * 250, 0), "--json: what was lost")
    t.equal(found["rows"], read(t, "overflow").count(b"\n") - 2, "--json: rows")
    done = decode(t, "overflow-raw", "json-out", "--strict")
    t.ok(done.code == 1 and b"--strict" in done.stderr, "--strict: losses are an exit code", done)
    done = decode(t, "mlp-raw", "json-out", "--strict")
    t.equal(done.code, 0, "--strict: a clean dump passes")
    done = decode(t, "mlp-raw", "json-out", "--cpp-report")
    t.ok((t.scratch / "json-out/.logs/cpp_device_perf_report.csv").exists(), "--cpp-report writes it", done)
    t.equal(tap.run([t.ttprof, "decode"], t.scratch).code, 2, "a folder must be named")
    done = decode(t, "nowhere", "json-out")
    t.ok(done.code == 3 and b"nowhere/dump.json" in done.stderr, "a folder that is not there", done)
    (t.scratch / "odd").mkdir()
    (t.scratch / "odd/dump.json").write_text('{"layout": "v2",\n "chips": [}')
    done = decode(t, "odd", "json-out")
    t.ok(done.code == 4 and b"dump.json: line 2" in done.stderr, "a document that is none", done)


def damage(folder, dice):
    """Something happens to some files, dump.json excepted."""
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".bin", ".csv"))
    for path in dice.sample(files, min(len(files), 12)):
        data = bytearray(path.read_bytes())
        kind = dice.randrange(4)
        if kind == 0:
            path.unlink()
        elif kind == 1:
            path.write_bytes(data[:dice.randrange(len(data) + 1)])
        elif kind == 2 and data:
            for _ in range(20):
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            path.write_bytes(data)
        else:
            path.write_bytes(dice.randbytes(len(data)))


def check_damage(t):
    for seed in range(12):
        dice = random.Random(seed)
        name = ("mlp", "deadlock", "stall", "accumulate")[seed % 4]
        shutil.rmtree(t.scratch / "broken", ignore_errors=True)
        shutil.copytree(t.scratch / f"{name}-raw", t.scratch / "broken")
        damage(t.scratch / "broken", dice)
        done = decode(t, "broken", f"broken-{seed}")
        if not t.ok(done.code == 0, f"seed {seed}, {name}: a damaged dump is decoded", done):
            continue
        health = json.loads(read(t, f"broken-{seed}", ".logs/profiler_health.json"))
        t.ok(health["odd"] > 0, f"seed {seed}: its health says so", health["odd"])
        again = tap.run([t.ttprof, "device", f"broken-{seed}/{LOG}", "--print-only"], t.scratch)
        t.equal(again.code, 0, f"seed {seed}: its log can be read")
        t.equal(decode(t, "broken", "broken-out", "--strict").code, 1, f"seed {seed}: --strict says no")


def check_missing(t):
    """Read-outs that are not there are counted, in the middle and at the end."""
    folders = sorted((t.scratch / "watermark-raw").glob("readout_*"), key=lambda path: int(path.name[8:]))
    t.ok(len(folders) > 2, "a run with several read-outs", folders)
    whole = decode(t, "watermark-raw", "missing-out", "--strict")
    t.ok(b"readout" not in whole.stderr, "a whole dump misses none", whole)
    for what, gone in (("readout_2", folders[:1]), (folders[-1].name, folders[-1:]), (folders[1].name, folders[1:])):
        shutil.rmtree(t.scratch / "missing", ignore_errors=True)
        shutil.copytree(t.scratch / "watermark-raw", t.scratch / "missing")
        for folder in gone:
            shutil.rmtree(t.scratch / "missing" / folder.name)
        done = decode(t, "missing", "missing-out", "--strict")
        t.ok(done.code == 1 and f"{what}: read-outs of a dump that are missing or cannot be read ({len(gone)} in all)".encode() in done.stderr,
             f"without {', '.join(folder.name for folder in gone)} it says so", done)


def test(t):
    check_same(t)
    check_missing(t)
    check_names(t)
    check_command(t)
    check_damage(t)


tap.main(test)
