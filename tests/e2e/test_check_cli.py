#!/usr/bin/python3
"""test_check_cli.py TTPROF SOURCE_ROOT - `ttprof check`: metrics, verdicts, report files, merging, bad input."""
import json

import tap
import train_tables


def table(path, kernel, devices=(0,)):
    made = train_tables.Table(devices)
    made.op("ns::Matmul", kernel)
    made.signpost("start")
    made.op("ns::Matmul", 2 * kernel)
    made.op("Add", kernel)
    made.signpost("stop")
    made.op("Add", 5 * kernel)
    return made.write(path)


def metrics(t, folder, *arguments):
    done = tap.run([t.ttprof, "check", *arguments, "--json"], folder)
    document = json.loads(done.stdout)
    return done, {row["Metric"]: row["Value"] for row in document["tables"][0]["rows"]}, document["passed"]


KERNEL = "DEVICE KERNEL DURATION [ns]"


def check_metrics(t, folder):
    table(folder / "a.csv", 1000)
    table(folder / "b.csv", 2000)
    done, m, passed = metrics(t, folder, "a.csv", "b.csv", "--batch-size", "27")
    t.equal([m[f"{k} {KERNEL}"] for k in ("AVG", "MIN", "MAX")], [13500.0, 9000.0, 18000.0], "several tables are several iterations")
    t.equal([round(m[f"{k} DEVICE KERNEL SAMPLES/S"], 3) for k in ("AVG", "MIN", "MAX")], [2e6, 1.5e6, 3e6], "samples per second come from the durations")
    t.ok(passed and done.code == 0 and len(m) == 18, "three columns are measured, and without expectations all is well", done)
    t.equal(metrics(t, folder, "a.csv", "--signposts")[1][f"AVG {KERNEL}"], 3000.0, "signposts cut")
    t.equal(metrics(t, folder, "a.csv", "--op", "Matmul")[1][f"AVG {KERNEL}"], 3000.0, "an op is found behind its name space")
    t.equal(metrics(t, folder, "a.csv", "--warmup", "1")[1][f"AVG {KERNEL}"], 8000.0, "rows of warm-up are left out")
    m = metrics(t, folder, "a.csv", "--per-op", "--column", "DEVICE KERNEL")[1]
    t.equal((m[f"Add: AVG {KERNEL}"], round(m[f"Add: STD {KERNEL}"], 3)), (3000.0, 2828.427), "each op has mean and deviation")


def check_places(t, folder):
    for stamp, ns in (("2026_01_01_00_00_00", 1), ("2026_02_01_00_00_00", 10)):
        (folder / "root/reports" / stamp).mkdir(parents=True)
        table(folder / "root/reports" / stamp / f"ops_perf_results_{stamp}.csv", ns)
    for place in ("root", "root/reports", "root/reports/2026_02_01_00_00_00"):
        t.equal(metrics(t, folder, place)[1][f"AVG {KERNEL}"], 90.0, f"{place} stands for its newest report")


def check_verdicts(t, folder):
    done = tap.run([t.ttprof, "check", "a.csv", "--expected", "9100"], folder)
    t.ok(done.code == 0 and b"pass" in done.stdout and b"FAIL" not in done.stdout, "what is within the margin passes", done)
    for expected, text in (("9200", "(9062.0, 9338.0)"), ("8800", "(8668.0, 8932.0)")):
        done = tap.run([t.ttprof, "check", "a.csv", "--expected", expected], folder)
        t.equal((done.code, done.stderr.decode()),
                (1, f"ttprof: check: AVG {KERNEL} 9000.0 is outside of expected range {text}\n"
                    "ttprof: check: Some performance metrics are outside of expected range, see above for details.\n"), f"{expected} is too far off")
    done = tap.run([t.ttprof, "check", "a.csv", "--expected", f"MAX {KERNEL}=10000", "--margin", "0.2"], folder)
    t.equal(done.code, 0, "metric and margin can be named")
    for measured, code, text in (("0.9", 0, "PASS: 0.9000 s (within tolerance: 0.8000 - 1.0000)\n"),
                                 ("1.2", 1, "ttprof: check: 1.2000 s > 1.0000 s (20.0 % worse than expected: performance regression)\n"),
                                 ("0.7", 1, "ttprof: check: 0.7000 s < 0.8000 s (30.0 % better than expected: update baseline)\n")):
        done = tap.run([t.ttprof, "check", "--measured", measured, "--expected-time", "1"], folder)
        t.equal((done.code, (done.stdout + done.stderr).decode()), (code, text), f"{measured} s for 1 s")


def check_reports(t, folder):
    common = ["--report", "out", "--date", "2026_11_16", "--column", "DEVICE KERNEL", "--batch-size", "4"]
    tap.run([t.ttprof, "check", "a.csv", "--model", "one", "--comments", "fast", *common, "--expected", "9000"], folder)
    done = tap.run([t.ttprof, "check", "b.csv", "--model", "two", "--setting", "s", *common, "--expected", "AVG DEVICE KERNEL SAMPLES/S=200000"], folder)
    t.equal(done.code, 1, "the second is too fast")
    t.equal((folder / "out/device_perf_one_fast_2026_11_16.csv").read_text(),
            "Model, Setting, Batch, AVG DEVICE KERNEL SAMPLES/S, MIN DEVICE KERNEL SAMPLES/S, MAX DEVICE KERNEL SAMPLES/S, "
            f"AVG {KERNEL}, Lower Threshold AVG {KERNEL}, Upper Threshold AVG {KERNEL}, MIN {KERNEL}, MAX {KERNEL}\n"
            "one, fast, 4, 444444.4444, 444444.4444, 444444.4444, 9000, 8865.0000, 9135.0000, 9000, 9000", "the report file is as it has always been")
    t.ok((folder / "out/device_perf_two__2026_11_16.csv").exists(), "comments may be empty")
    done = tap.run([t.ttprof, "check", "--merge", "out", "-o", "all.csv"], folder)
    t.equal((done.code, done.stderr.decode()),
            (1, "ttprof: check: two_s AVG DEVICE KERNEL SAMPLES/S is faster than expected with 222222.2222, max expected 203000.0. "
                "Please update perf targets with latest expected perf\nttprof: check: 2 reports merged: all.csv\n"
                "ttprof: check: 1 value is outside of expected range, see above for details\n"), "merged reports are judged")
    lines = (folder / "all.csv").read_text().split("\n")
    t.ok(lines[0].startswith("branch: ") and lines[1].startswith("hash: ") and lines[2].startswith("Model, Setting, Batch, ") and lines[2].endswith(" "),
         "the merged table has its head", lines[:3])
    t.equal([line.split(", ")[0] for line in lines[3:]], ["one", "two", ""], "and a row for each file")


def check_bad(t, folder):
    (folder / "none.csv").write_text("A,B\n1,2\n")
    for options, code, text in (
            (["no.csv"], 3, "no.csv: No such file or directory; check the path"),
            (["none.csv"], 4, "none.csv: line 1: missing column 'OP CODE'; a check needs a table of ops (ops_perf_results_*.csv)"),
            (["a.csv", "--column", "X"], 4, "a.csv: line 1: missing column 'X DURATION [ns]'"),
            (["a.csv", "--op", "Nix"], 4, "a.csv: no op 'Nix'; the table has 2: ns::Matmul, Add"),
            (["a.csv", "--warmup", "99"], 4, "a.csv: no rows left to measure"),
            (["a.csv", "--expected", "AVG X=1", "--column", "DEVICE KERNEL", "--detailed"], 2,
             f"--expected: unknown metric 'AVG X'; valid metrics: AVG {KERNEL}, MIN {KERNEL}, MAX {KERNEL}, STD {KERNEL}"),
            (["a.csv", "--expected", "x"], 2, "--expected: 'x' is not KEY=NUMBER"),
            (["a.csv", "--margin", "2"], 2, "--margin must be between 0 and 1"),
            (["a.csv", "--batch-size", "0"], 2, "--batch-size must be positive, got 0"),
            (["a.csv", "--report", "x"], 2, "--report needs --model NAME; NAME and --comments must not contain '/'"),
            (["--measured", "1"], 2, "--measured and --expected-time must be given together"),
            (["--merge"], 2, "--merge needs report files; name them after the option"),
            (["--merge", "a.csv"], 4, "a.csv: not a report of a check: it needs two lines, names that begin with 'Model' and as many values")):
        done = tap.run([t.ttprof, "check", *options], folder)
        t.equal((done.code, done.stderr.decode(), done.stdout), (code, f"ttprof: check: {text}\n", b""), f"check {' '.join(options)} is refused")
    signposts = train_tables.Table()
    signposts.op("A", 1)
    signposts.write(folder / "plain.csv")
    done = tap.run([t.ttprof, "check", "plain.csv", "--signposts"], folder)
    t.equal((done.code, done.stderr.decode()), (4, "ttprof: check: plain.csv: no signpost 'start'; remove --signposts to use all rows\n"),
            "signposts must be there when they are asked for")


def test(t):
    folder = t.folder("check")
    check_metrics(t, folder)
    check_places(t, folder)
    check_verdicts(t, folder)
    check_reports(t, folder)
    check_bad(t, folder)


tap.main(test)
