#!/usr/bin/python3
"""test_csvexport.py TTPROF SOURCE_ROOT - `tracy-csvexport` by our link gives the rows of the real one for all recorded traces."""
import csv
import io
import math
import os
import re

import tap

# The name of a table says how it was made.
OPTIONS = {
    "plain": [], "self": ["-e"], "u": ["-u"], "u-self": ["-u", "-e"], "m": ["-m"], "f-LEAF": ["-f", "LEAF"], "c-f-LEAF": ["-c", "-f", "LEAF"],
    "sep": ["-s", ";"], "u-x-leaf_loop-p-middle": ["-u", "-x", "leaf,loop", "-p", "middle"], "g": ["-g"], "u-p": ["-u", "-p"], "t-90": ["-t", "90"],
}  # fmt: skip
WAYS = ("", "-zstd", "-lz4hc", "-lz4", "-lz4-1", "-zstd-4")  # the same trace, saved otherwise


def tables(tracy):
    """The expected tables of a trace: what they are called, options, text."""
    for name, options in OPTIONS.items():
        for way in WAYS:
            base = tracy.name[: -len(".tracy")]
            table = tracy.parent / f"{base[:len(base) - len(way)] if way else base}.{name}.csv"
            if base.endswith(way) and table.exists():
                yield name, options, table.read_text()
                break
    probe = tracy.with_suffix(".txt")
    if tracy.parent.name == "probes" and probe.exists():
        for options, text in re.findall(r"^\[csvexport ?(.*)\]\n((?:.*\n)*?)(?:\n(?=\[)|\Z)", probe.read_text() + "\n", re.M):
            yield options or "plain", options.split(), text.rstrip("\n") + "\n"


def is_near(a, b):
    """Equal but for the last digits of a long sum: the reference adds squares in another order."""
    if a == b:
        return True
    x, y = a.split(","), b.split(",")
    return len(x) == len(y) and all(p == q or (i == 9 and math.isclose(float(p), float(q), rel_tol=1e-9, abs_tol=2e-6)) for i, (p, q) in enumerate(zip(x, y)))


def same_rows(got, want):
    g, w = sorted(got.split("\n")), sorted(want.split("\n"))
    return len(g) == len(w) and all(is_near(a, b) for a, b in zip(g, w))


def compare(t, link, golden):
    n, wrong = 0, []
    for tracy in sorted(golden.glob("*/*.tracy")):
        for name, options, want in tables(tracy):
            got = tap.run([link, "--compat", *options, tracy], link.parent)
            n += 1
            if got.code != 0 or not same_rows(got.stdout.decode(), want):
                wrong.append(f"{tracy.relative_to(golden)} {name}: {tap.difference(chr(10).join(sorted(got.stdout.decode().split(chr(10)))), chr(10).join(sorted(want.split(chr(10)))))}")
    t.ok(n > 300 and not wrong, f"{n} tables of the real tools: equal rows", "\n".join(wrong[:10]) + f"\n{len(wrong)} differ")


def check_letters(t, link, golden):
    fork, upstream = golden / "fork" / "short.tracy", golden / "upstream" / "short.tracy"
    plain = tap.run([link, "-u", upstream], link.parent).stdout
    plots = tap.run([link, "-u", "-p", upstream], link.parent).stdout
    t.ok(plots.startswith(plain) and b"\nload,,," in plots[len(plain) - 1:], "-p means plots in a file of upstream", tap.short(plots))
    columns = tap.run([link, "-u", "--fork", "-x", "leaf", "-p", "middle", upstream], link.parent).stdout.split(b"\n")[0]
    t.ok(columns.endswith(b",special_parent_text"), "--fork: columns and options of the other generation", columns)
    columns = tap.run([link, "--upstream", "-t", "50", fork], link.parent).stdout.split(b"\n")[0]
    t.ok(columns.endswith(b",truncated_mean_ns"), "--upstream: columns and options of the other generation", columns)
    got, want = [tap.run([link, *o, upstream], link.parent).stdout for o in (["--truncated_mean"], ["-t", "90"])]
    t.equal(got, want, "--truncated_mean without a number means 90")
    both = tap.run([link, "--fork", "--upstream", fork], link.parent)
    t.equal((both.code, both.stdout), (1, b""), "both generations at once are refused")
    texts = [row.split(b",")[4] for row in tap.run([link, "-u", "-f", "middle", fork], link.parent).stdout.split(b"\n")[1:-1]]
    t.ok(b'""' in texts and len(set(texts)) > 1, "without --compat a zone without a text has none", texts)


def check_lanes(t, link, golden):
    """The same bytes for any number of threads: their parts of the rows end anywhere."""
    for options in [], ["-u"], ["-u", "-e"], ["-u", "-x", "leaf,loop", "-p", "middle"], ["-u", "--compat"]:
        one, *others = [tap.run([link, *options, golden / "fork" / "short.tracy"], link.parent, TTPROF_THREADS=n).stdout for n in ("1", "2", "5")]
        t.ok(one.count(b"\n") > 2 and all(o == one for o in others), f"{' '.join(['csvexport', *options])}: as many threads as one likes", tap.short(others[1]))


def check_commands(t, folder, golden):
    """A .tracy file by any name is taken for a run."""
    copy = folder / "capture.data"
    copy.write_bytes((golden / "fork" / "medium.tracy").read_bytes())
    table = tap.run([t.ttprof, "zones", copy, "--by", "thread"], folder)
    t.ok(table.code == 0 and b"middle" in table.stdout, "zones: a .tracy file", table)
    page = tap.run([t.ttprof, "timeline", copy, "-o", "page.html"], folder)
    t.ok(page.code == 0 and b"main-frame" in (folder / "page.html").read_bytes(), "timeline: a .tracy file", page)
    info = tap.run([t.ttprof, "info", copy], folder)
    t.ok(info.code == 0 and b"capture.data" in info.stdout, "info: a .tracy file", info)
    cut = folder / "cut.tracy"
    cut.write_bytes(copy.read_bytes()[:-4000])
    saved = tap.run([t.ttprof, "zones", cut, "--csvexport"], folder)
    t.ok(saved.code == 0 and b"truncated or damaged" in saved.stderr and saved.stdout.count(b"\n") > 1, "a truncated file gives what is before the cut", saved)


def rows_of(table):
    """Rows without the column that only captures and runs have: the time of the ops' own zones."""
    return [{k: v for k, v in row.items() if k != "TT_DNN_DEVICE_OP_TT_HOST_FUNC [ns]"} for row in csv.DictReader(io.StringIO(table.decode()))]


def check_ops(t, folder):
    """The capture of a real run gives the ops report of the tables that its own tools made of it."""
    real = t.shared("golden", "ops-report", "ttmlir_host_2025_03")
    captures = list(real.rglob("*.tracy")) if real else []
    if not captures:
        t.skip("ops of a real capture", "golden/ops-report has none beside the project (../shared)")
        return
    of_tables, of_capture = folder / "tables", folder / "capture"
    for to in of_tables, of_capture:
        to.mkdir()
        for name in "profile_log_device.csv", "cpp_device_perf_report.csv":
            for log in captures[0].parent.rglob(name):
                (to / name).symlink_to(log)
    for name in "tracy_ops_times.csv", "tracy_ops_data.csv":
        (of_tables / name).symlink_to(next(captures[0].parent.rglob(name)))
    (of_capture / "tracy_profile_log_host.tracy").symlink_to(captures[0])
    tables, capture = [rows_of(tap.run([t.ttprof, "ops", where, "--csv", "-"], folder).stdout) for where in (of_tables, of_capture)]
    t.ok(len(tables) > 3, "ops of a real run", tables)
    t.equal(capture, tables, "ops: the capture of a real run gives what its tables give")
    for name, options in {"tracy_ops_times.csv": ["-u", "-p", "TT_DNN", "-x", "CompileProgram,HWCommandQueue_write_buffer"], "tracy_ops_data.csv": ["-m", "-s", ";"]}.items():
        got = tap.run([t.ttprof, "csvexport", "--compat", *options, captures[0]], folder).stdout.decode()
        t.equal(sorted(got.split("\n")), sorted((of_tables / name).read_text().split("\n")), f"{name} of a real run")


def check_bad(t, link):
    for options, said in (["nowhere.tracy"], b"Could not open file nowhere.tracy"), ([], b"name a .tracy file"), (["--nonsense"], b"unknown option"):
        bad = tap.run([link, *options], link.parent)
        t.ok(bad.code == 1 and said in bad.stderr and not bad.stdout, f"exit code 1: {said.decode()}", bad)
    t.equal(tap.run([link, "-V"], link.parent).code, 0, "-V prints the version")


def test(t):
    folder = t.folder("csvexport")
    link = folder / "tracy-csvexport"
    os.symlink(t.ttprof, link)
    check_bad(t, link)
    check_ops(t, folder)
    golden = t.shared("golden", "tracy")
    if golden:
        compare(t, link, golden)
        check_letters(t, link, golden)
        check_lanes(t, link, golden)
        check_commands(t, folder, golden)
    else:
        t.skip("rows of the real tools", "golden/tracy is not beside the project (../shared)")


tap.main(test)
