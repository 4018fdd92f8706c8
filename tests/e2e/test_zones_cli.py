#!/usr/bin/python3
"""test_zones_cli.py TTPROF SOURCE_ROOT - `ttprof zones` and `ttprof info RUN` on a run that is written by hand."""
import json
import shutil

import runs
import tap

TABLE = """\
Total %     Total      Self  Count      Mean       Min       P50       P90       P99       Max       Std  Open  Zone  Source    
--------------------------------------------------------------------------------------------------------------------------------
30.00 %  3.000 μs  2.400 μs      2  1.500 μs  1.000 μs  1.500 μs  1.900 μs  1.990 μs  2.000 μs  707.1 ns     1  step  train.c:10
12.00 %  1.200 μs  1.200 μs      3    400 ns    200 ns    400 ns    560 ns    596 ns    600 ns    200 ns     0  load  load.c:7  
"""
NARROW = """\
Total %     Total      Self  Count      Mean       Min       Max  Open  Zone
----------------------------------------------------------------------------
30.00 %  3.000 μs  2.400 μs      2  1.500 μs  1.000 μs  2.000 μs     1  step
12.00 %  1.200 μs  1.200 μs      3    400 ns    200 ns    600 ns     0  load
left out for a narrow terminal: P50, P90, P99, Std, Source
"""
FINDINGS = """\
ttprof: zones: process 100, thread 101: lost host events (4 in all): zones around the loss may \
be missing; use larger rings or --policy block, or free disk space
ttprof: zones: process 100, thread 100: host zones without an end (1 in all): they are closed when their process was last known to \
be alive, and marked; the process was killed, or never ends them
ttprof: zones: process 100, thread 101: ends of host zones without a start (1 in all): they are ignored; their starts were \
lost, or the program ends a zone twice or on another thread
"""
INFO = """\
run            run
span           0.000010 s
processes      2 seen, 2 recorded events
threads        3
places         2 in the sources
events         15, lost 4 (full 4)

Process 100, /usr/bin/trainer
  time         0.000000 s to 0.000010 s
  ended        signal 9
  threads      2
  events       13, lost 4 (full 4)
  clock error  20 ns

Process 200, worker
  time         0.000001 s to 0.000010 s
  ended        exit code 0
  rank         1
  threads      1
  events       2, lost 0
  clock error  20 ns

odd data       4 in all
"""
STATISTICS = """\
name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns
step,src/train.c,10,3000,30.000000,2,1500,1000,2000,707.106781
load,src/load.c,7,1200,12.000000,3,400,200,600,200.000000
"""
UNWRAPPED = """\
name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text
step,src/train.c,10,,"",1000,1000,1,
step,src/train.c,10,,"",6000,2000,3,
load,src/load.c,7,,"a, b",1100,200,1,
load,src/load.c,7,,"",1400,400,1,
load,src/load.c,7,,"",4000,600,2,
"""
# Columns: what, options behind the folder, standard output.
OUTPUTS = [
    ("the table", "", TABLE),
    ("one row of it", "--top 1 --sort Count --percentiles 50",
     "Total %     Total      Self  Count    Mean     Min     P50     Max     Std  Open  Zone  Source  \n"
     "------------------------------------------------------------------------------------------------\n"
     "12.00 %  1.200 μs  1.200 μs      3  400 ns  200 ns  400 ns  600 ns  200 ns     0  load  load.c:7\n"),
    ("self times of a rank", "--self --rank 1 --percentiles 50",
     "Total %     Total      Self  Count      Mean       Min       P50       Max   Std  Zone  Source    \n"
     "--------------------------------------------------------------------------------------------------\n"
     "20.00 %  2.000 μs  2.000 μs      1  2.000 μs  2.000 μs  2.000 μs  2.000 μs  0 ns  step  train.c:10\n"),
    ("zones of threads as CSV", "--by thread --csv - --percentiles 50 -f LOAD",
     "Total % [%],Total [ns],Self [ns],Count,Mean [ns],Min [ns],P50 [ns],Max [ns],Std [ns],Process,Thread,Zone,Source,Function,File,Line\r\n"
     "6.0,600,600,2,300.0,200,300.0,400,141.4213562373095,100 trainer,100,load,load.c:7,load,src/load.c,7\r\n"
     "6.0,600,600,1,600.0,600,600.0,600,0.0,100 trainer,101 loader,load,load.c:7,load,src/load.c,7\r\n"),
    ("statistics as csvexport", "--csvexport", STATISTICS),
    ("statistics of a process", "--csvexport --process 200", STATISTICS.split("\n")[0] + "\nstep,src/train.c,10,2000,20.000000,1,2000,2000,2000,0.000000\n"),
    ("self times as csvexport -e", "--csvexport -e -f step -c -s ;",
     STATISTICS.split("\n")[0].replace(",", ";") + "\nstep;src/train.c;10;2400;24.000000;2;1200;400;2000;1131.370850\n"),
    ("the truncated mean", "--truncated_mean 50 -f load",
     STATISTICS.split("\n")[0] + ",percentile_ns,truncated_mean_ns\nload,src/load.c,7,1200,12.000000,3,400,200,600,200.000000,400,300\n"),
    ("each zone as a row", "-u", UNWRAPPED),
    ("each zone with the columns of upstream", "-u --upstream -f step",
     "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\nstep,src/train.c,10,1000,1000,100,\nstep,src/train.c,10,6000,2000,200,\n"),
    ("messages", "-m -s ;", "MessageName;total_ns\n`TT_SIGNPOST: start`;500\nhalf way;4700\n"),
]
# Columns: what, arguments, exit code, standard error behind "ttprof: zones: ".
BAD = [
    ("no run in the default folder", "", 3, "generated/profiler: No such file or directory; check the path"),
    ("a folder that is no run", "empty", 4, "empty: not a run folder: it has no host/ and no processes.log; 'ttprof run' makes one in generated/profiler/runs"),
    ("a file in place of a run", "file", 4, "file: not a run folder: it has no host/ and no processes.log; 'ttprof run' makes one in generated/profiler/runs"),
    ("two runs", "run run", 2, "unexpected argument 'run'"),
    ("a percentile that is none", "run --percentiles 50,x", 2, "--percentiles: 'x' is not a number from 0 to 100"),
    ("a percentile above all", "run --percentiles 101", 2, "--percentiles: '101' is not a number from 0 to 100"),
    ("seventeen percentiles", "run --percentiles " + ",".join(["1"] * 17), 2, "--percentiles: at most 16 are allowed"),
    ("a column that is not there", "run --sort Colour", 2, "--sort: unknown column 'Colour'; valid columns: Total %, Total, Self, Count, Mean, Min, P50, "
     "P90, P99, Max, Std, Open, Zone, Source, Function, File, Line"),
    ("rows below zero", "run --top -1", 2, "--top must not be negative, got -1"),
    ("two forms", "run -u -m", 2, "--unwrap, --messages and --gpu exclude each other"),
    ("children without a parent", "run -u -x a", 2, "-x and -t need each other and --unwrap: -u -x CHILDREN -t PARENT"),
    ("children of statistics", "run -x a -t b", 2, "-x and -t need each other and --unwrap: -u -x CHILDREN -t PARENT"),
    ("plots without zones", "run --plot", 2, "--plot needs --unwrap"),
    ("plots of the other generation", "run -u --plot", 2, "--plot needs --upstream"),
    ("both generations", "run -u --fork --upstream", 2, "--fork and --upstream exclude each other"),
    ("a truncated mean of messages", "run -m --truncated_mean 5", 2, "--truncated_mean is for statistics only"),
    ("a form as JSON", "run -u --json", 2, "--csv, --json, --sort and --top do not apply to the csvexport formats, which go to stdout or -o FILE"),
    ("two documents", "run --csv a.csv --json", 2, "--csv and --json exclude each other"),
    ("-o of the table", "run -o out.txt", 2, "-o is for the csvexport formats; use --csv FILE"),
    ("no separator", "run -u --sep=", 2, "--sep must not be empty"),
    ("a place that cannot be written", "run --csv nowhere/out.csv", 3, "nowhere/out.csv: cannot write: No such file or directory; choose another file"),
]


def check_outputs(t, folder):
    for what, options, want in OUTPUTS:
        done = tap.run([t.ttprof, "zones", "run", *options.split()], folder)
        t.ok(done.code == 0 and done.stdout.decode() == want, f"zones: {what}", tap.difference(done.stdout.decode(), want))
    done = tap.run([t.ttprof, "zones", "run"], folder, COLUMNS="80")
    t.equal(done.stdout.decode(), NARROW, "zones: a narrow terminal shows fewer columns and says so")
    t.equal(done.stderr.decode(), FINDINGS, "zones: what was lost or odd is told at the end")
    done = tap.run([t.ttprof, "zones", "run", "--strict"], folder)
    t.ok(done.code == 1 and b"--strict: found odd data (6 in all)" in done.stderr, "zones: --strict makes it an exit code", done)
    done = tap.run([t.ttprof, "zones", "run", "--open", "--csvexport", "-o", "out.csv"], folder)
    t.ok(done.code == 0 and (folder / "out.csv").read_text() == STATISTICS, "zones: a form goes to a file; open zones are not in it", done)
    rows = json.loads(tap.run([t.ttprof, "zones", "run", "--json", "--open", "--by", "process"], folder).stdout)["rows"]
    t.equal([(r["Process"], r["Zone"], r["Count"], r["Total"]) for r in rows],
            [("100 trainer", "step", 2, 8000), ("200 worker", "step", 1, 2000), ("100 trainer", "load", 3, 1200)],
            "zones: open ones count until their process ended, where asked")


def check_places(t, folder):
    """Other ways to say which run."""
    root = folder / "generated" / "profiler"
    shutil.copytree(folder / "run", root / "runs" / "2026_11_16_10_20_30")
    runs.write(root / "runs" / "2026_11_15_10_20_30", [])
    done = tap.run([t.ttprof, "zones", "--csvexport"], folder)
    t.equal(done.stdout.decode(), STATISTICS, "zones: the newest run of the default folder")
    done = tap.run([t.ttprof, "zones", "--csvexport"], "/", TT_METAL_PROFILER_DIR=str(root))
    t.equal(done.stdout.decode(), STATISTICS, "zones: the newest run of TT_METAL_PROFILER_DIR")
    done = tap.run([t.ttprof, "zones", root / "runs" / "2026_11_15_10_20_30"], folder)
    t.ok(done.code == 0 and not done.stdout and done.stderr.decode().startswith(
        "ttprof: zones: no process of this run recorded anything; link with -lttprof"), "zones: a run without events says so", done)


def check_damage(t, folder):
    """Each byte of the files may be wrong: there is always an end."""
    for name in ("100-1.table", "100-1.1.ring"):
        copy = shutil.copytree(folder / "run", folder / f"damaged-{name}")
        path = copy / "host" / name
        data = path.read_bytes()
        path.write_bytes(data[:300])
        done = tap.run([t.ttprof, "zones", copy], folder)
        t.ok(done.code == 0 and b"step" in done.stdout and b"that are invalid" in done.stderr, f"zones: {name} is cut off", done)
        codes = set()
        for at in range(0, 320, 8):
            path.write_bytes(data[:at] + b"\xff\xff\xff\x7f" + data[at + 4:])
            codes.add(tap.run([t.ttprof, "zones", copy], folder).code)
        t.equal(codes, {0}, f"zones: any word of {name} may be wrong")


def check_bad(t, folder):
    (folder / "empty").mkdir()
    (folder / "file").write_text("no run\n")
    for what, arguments, code, want in BAD:
        done = tap.run([t.ttprof, "zones", *arguments.split()], folder)
        lines = done.stderr.decode().splitlines()
        t.ok(done.code == code and not done.stdout and f"ttprof: zones: {want}" in lines, f"zones: {what}", done)


def check_info(t, folder):
    done = tap.run([t.ttprof, "info", "run"], folder)
    t.equal(done.stdout.decode(), INFO, "info: a run on one screen")
    said = json.loads(tap.run([t.ttprof, "info", "run", "--json"], folder).stdout)
    t.equal((said["span_ns"], said["odd"], said["processes"][0]["lost"]["full"], said["processes"][1]["rank"]), (10000, 4, 4, 1),
            "info: a run as JSON")


def check_duration(t, folder):
    done = tap.run([t.ttprof, "zones", "run", "--csv", "-", "--min-duration", "0.5"], folder)
    rows = [line.split(",") for line in done.stdout.decode().splitlines()[1:]]
    t.equal([(row[3], row[1]) for row in rows], [("2", "3000"), ("1", "600")], "--min-duration: zones of 500 ns and more")
    done = tap.run([t.ttprof, "zones", "run", "--min-duration", "9"], folder)
    t.ok(b"no zone was recorded that is this long" in done.stderr, "none is that long", done)
    for words, message in ((["--min-duration", "-1"], b"must be microseconds"), (["--min-duration", "1", "-u"], b"is not for the csvexport formats")):
        done = tap.run([t.ttprof, "zones", "run", *words], folder)
        t.ok(done.code == 2 and message in done.stderr, f"{' '.join(words)}: {message.decode()}", done)


def test(t):
    folder = t.folder("zones")
    runs.sample(folder / "run")
    check_outputs(t, folder)
    check_duration(t, folder)
    check_bad(t, folder)
    check_places(t, folder)
    check_damage(t, folder)
    check_info(t, folder)


tap.main(test)
