#!/usr/bin/python3
"""test_convert.py TTPROF SOURCE_ROOT - `ttprof convert`: what is in a run or a .tracy file is in the .tracy file made from it."""
import csv
import io
import json
import os

import ops_logs
import runs
import tap

FORMS = {
    "statistics": ["--csvexport"], "self times": ["--csvexport", "-e"], "each zone": ["-u"], "each zone, self times": ["-u", "-e"], "messages": ["-m"],
    "zones and plots": ["-u", "--upstream", "--plot"],
}  # fmt: skip


def rows(t, folder, of, options):
    done = tap.run([t.ttprof, "zones", of, *options], folder)
    # The number of a thread is its system id for a run with upstream's columns.
    cut = [",".join(row.split(",")[:5] + row.split(",")[6:]) if "--upstream" in options else row for row in done.stdout.decode().split("\n")]
    return sorted(cut) if done.code == 0 else done


def check_run(t, folder):
    runs.sample(folder / "run")
    for version in "0.10", "0.14":
        made = tap.run([t.ttprof, "convert", "run", f"{version}.tracy", "--format", version], folder)
        t.ok(made.code == 0 and not made.stdout, f"convert: a run, version {version}", made)
        for name, options in FORMS.items():
            more = [] if "--upstream" in options else ["--fork"]
            t.equal(rows(t, folder, f"{version}.tracy", options + more), rows(t, folder, "run", options), f"a run as a {version} file: {name}")
    by_thread = tap.run([t.ttprof, "zones", "0.10.tracy", "--by", "thread"], folder).stdout.decode()
    t.ok("trainer 100: " in by_thread and "worker 200: " in by_thread, "threads are named by process", by_thread)


MOST = 65534  # bytes of a message of Tracy
# What an op record is too long for: only with blanks; with its kernels; with its tensors; in any case.
LONG = {
    1024: {"attributes": {f"a{i}": "x" * 50 for i in range(900)}, "input_tensors": [], "kernel_info": {}},
    2048: {"attributes": {"a": "1"}, "input_tensors": [], "kernel_info": {"compute_kernels": [{"name": "k" * 66000, "source": "s", "math_fidelity": "LoFi"}]}},
    3072: {"attributes": {"a": "1"}, "input_tensors": [{"layout": "L" * 5000, "dtype": str(i)} for i in range(40)]},
    4096: {"attributes": {"a": "1"}, "op_type": "x" * MOST},
}


def ops_of(t, folder, name):
    done = tap.run([t.ttprof, "ops", name, "--csv", "-"], folder)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def check_long(t, folder):
    """Op records of any length are in the run; in a .tracy file they are shortened as tt-metal does it."""
    p = runs.Process(100)
    events = []
    for i, (number, more) in enumerate(LONG.items()):
        record = json.dumps({"op_code": "Matmul", "op_hash": number, "op_type": "tt_dnn_device", "device_id": 0, "global_call_count": number, **more}, indent=12)
        events.append(("OP", 2000 + i, *p.long(f'TT_DNN_DEVICE_OP: "Matmul", {number}, 0, true, {number} ->\n{record}')))
    p.thread(100, events)
    runs.write(folder / "long", [p])
    made = tap.run([t.ttprof, "convert", "long", "long.tracy"], folder)
    t.ok(made.code == 0 and b"op records that are longer than a message of Tracy, 65,534 bytes (3 in all)" in made.stderr, "convert: op records that lose something are counted", made)
    t.equal(tap.run([t.ttprof, "convert", "--strict", "long", "strict.tracy"], folder).code, 1, "convert: --strict refuses them")
    texts = list(csv.reader(io.StringIO(tap.run([t.ttprof, "csvexport", "-m", "-s", ";", "long.tracy"], folder).stdout.decode()), delimiter=";", quotechar="`"))[1:]
    t.ok(all(len(text) + 2 <= MOST for text, _ in texts) and len(texts) == len(LONG), "convert: every message fits", [len(text) for text, _ in texts])
    parts = [text.split("\n", 1) for text, _ in texts]
    t.equal([part[0] for part in parts[:3]], [f'TT_DNN_DEVICE_OP: "Matmul", {n}, 0, true, {n} ->' for n in list(LONG)[:3]], "convert: name, hash, device and id stay")
    records = [json.loads(part[1]) for part in parts[:3]]
    t.equal([{k: v for k, v in record.items() if k in more} for record, more in zip(records, LONG.values())],
            [LONG[1024], {"attributes": {"a": "1"}, "input_tensors": []}, {"input_tensors": LONG[3072]["input_tensors"][:8]}], "convert: blanks go first, then kernels, then attributes and tensors")
    t.equal(records[2]["input_tensors_original_count"], 40, "convert: how many tensors there were is kept")
    t.ok(parts[3][0].startswith("ttprof: an op record of ") and "does not fit" in parts[3][0], "convert: a record that does not fit is replaced by a message", parts[3][0][:100])
    rows = ops_of(t, folder, "long.tracy")
    t.equal([(row["GLOBAL CALL COUNT"], row["ATTRIBUTES"][:9], row["INPUT_7_DATATYPE"]) for row in rows], [("1024", "{'a0': 'x", ""), ("2048", "{'a': '1'", ""), ("3072", "", "7")], "ops: shortened records are read")
    rows = ops_of(t, folder, "long")
    t.equal([(row["GLOBAL CALL COUNT"], row.get("INPUT_39_DATATYPE")) for row in rows], [("1024", ""), ("2048", ""), ("3072", "39"), ("4096", "")], "ops: the run has all of them whole")


def check_files(t, folder, golden):
    """There and back again: the rows of the other version, then again those of the first."""
    for name, other in ("fork/medium", "0.14"), ("upstream/medium", "0.10"), ("fork/callstack", "0.14"), ("own/up-wide", "0.10"):
        first, own = golden / f"{name}.tracy", "0.10" if other == "0.14" else "0.14"
        there = tap.run([t.ttprof, "convert", first, "there.tracy", "--format", other, "--compression", "zstd", "--level", "9"], folder)
        back = tap.run([t.ttprof, "convert", "there.tracy", "back.tracy", "--format", own, "--compression", "lz4"], folder)
        t.equal((there.code, back.code), (0, 0), f"{name}: converted to {other} and back")
        for form, options in {**FORMS, "device zones": ["-g"]}.items():
            for file in "there.tracy", "back.tracy":
                more = [] if "--upstream" in options else ["--fork"]
                t.equal(rows(t, folder, file, options + more), rows(t, folder, first, options + more), f"{name}, {file}: {form}")


def check_bad(t, folder):
    for words, code, said in (
        (["run", "."], 2, "is a folder: only .tracy files become run folders"),
        (["0.10.tracy", "run"], 3, "is not empty"),
        (["0.10.tracy", "0.10.tracy"], 2, "cannot be converted into itself"),
        (["run"], 2, "missing argument"),
        (["run", "x.tracy", "--format", "0.11"], 2, "use one of: 0.10 0.14"),
        (["run", "x.tracy", "--level", "23"], 2, "--level must be from 0 to 22"),
        (["nowhere", "x.tracy"], 3, "nowhere"),
    ):
        bad = tap.run([t.ttprof, "convert", *words], folder)
        t.ok(bad.code == code and said in bad.stderr.decode() and not os.path.exists(folder / "x.tracy"), f"convert: {said}", bad)


def check_folder(t, folder):
    """A .tracy file becomes a run, and ops of two files that are put into one run keep their own numbers."""
    p = runs.Process(100)
    p.thread(100, [("OP", 2000, ops_logs.message(0, 0, "First").split("`")[1]), ("ZONE_BEGIN", 2100, p.location("step", "main", "a.c", 1)), ("ZONE_END", 2200)])
    runs.write(folder / "ops", [p])
    made = [tap.run([t.ttprof, "convert", *words], folder) for words in (["ops", "ops.tracy"], ["ops.tracy", "made/"])]
    t.equal(([m.code for m in made], (folder / "made" / "tracy" / "100.tracy").read_bytes()), ([0, 0], (folder / "ops.tracy").read_bytes()), "convert: a file becomes a run")
    t.equal(rows(t, folder, "made", ["-u"]), rows(t, folder, "ops", ["-u"]), "which has its zones")
    info = tap.run([t.ttprof, "info", "made"], folder)
    t.ok(b"not aligned" in info.stdout and (folder / "made" / "manifest.json").exists(), "and a clock of its own", info)
    os.link(folder / "made" / "tracy" / "100.tracy", folder / "made" / "tracy" / "101.tracy")
    tap.run([t.ttprof, "convert", "made", "both.tracy"], folder)
    for of in "made", "both.tracy":
        said = [row.split(" ->")[0] for row in rows(t, folder, of, ["-m"]) if not isinstance(row, int) and "TT_DNN" in row]
        t.equal(sorted(s.split(", ")[-1] for s in said), ["1024", "2048"], f"{of}: ids of ops are unique")


def test(t):
    folder = t.folder("convert")
    check_run(t, folder)
    check_long(t, folder)
    check_bad(t, folder)
    check_folder(t, folder)
    golden = t.shared("golden", "tracy")
    if golden:
        check_files(t, folder, golden)
    else:
        t.skip("files of the real tools", "golden/tracy is not beside the project (../shared)")


tap.main(test)
