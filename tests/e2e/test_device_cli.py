#!/usr/bin/python3
"""test_device_cli.py TTPROF SOURCE_ROOT - `ttprof device` and `ttprof info` as a user runs them.

Files, folders, packed input, filters, setups, documents, threads. Where an option takes a part of
the log, the oracle is a log that holds only that part.
"""
import gzip
import io
import json
import os
import re
import shutil
import statistics
import sys
import tarfile

import tap

LOG = "profile_log_device.csv"
FILES = {  # by the name that --skip has for them
    "stats": "device_stats.txt", "health": "profiler_health.json", "perf-report": "cpp_device_perf_report.csv",
    "op-to-op": "per_core_op_to_op_times.csv", "rearranged": "device_rearranged_timestamps.csv", "html": "device_perf.html",
    "log": LOG, "tarball": "device_perf_results.tgz",
}
ON_REQUEST = {"analysis-data": "device_analysis_data.json", "chrome-trace": "device_chrome_tracing.json"}
HEAD = ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
        "trace id counter, zone name, type, source line, source file, meta data\n")
SAMPLE = "--devices 2 --grid 3x2 --ops 7 --eth 1 --dispatch 2 --zones 3 --sum-zones --counters --mid-run 1"


class Bench:
    """Logs, and runs of the program in fresh folders."""

    def __init__(self, t):
        self.t, self.folder = t, t.folder("logs")
        self.truth = self.make("in.csv", SAMPLE)
        self.make("odd.csv", SAMPLE + " --oddities")
        self.make("old.csv", "--form 2023-03 --grid 3x2")
        self.log = (self.folder / "in.csv").read_bytes()
        self.plain_folder = t.folder("plain")
        self.plain = self.device(self.folder / "in.csv", "-o", "out", cwd=self.plain_folder)
        self.files = content(self.plain_folder / "out")

    def make(self, name, options):
        truth = self.folder / "truth.json"
        done = tap.run([sys.executable, self.t.root / "tools" / "make-device-log", *options.split(), "-o", self.folder / name,
                        "--truth", truth], self.folder)
        if done.code != 0:
            raise RuntimeError(f"make-device-log: {done}")
        made = json.loads(truth.read_text())
        truth.unlink()
        return made

    def device(self, *arguments, cwd=None, stdin=b"", **env):
        # Empty is as good as not set, whatever the caller has.
        env = {"TT_METAL_HOME": "", "TT_METAL_PROFILER_DIR": "", **env}
        return tap.run([self.t.ttprof, "device", *arguments], cwd or self.folder, stdin, **env)

    def into(self, *arguments, **more):
        """A run that writes to `out` in a fresh folder: what it said, and the files."""
        cwd = self.t.folder("run")
        done = self.device(*arguments, "-o", "out", cwd=cwd, **more)
        return done, content(cwd / "out")

    def stats(self, *arguments, **more):
        return self.device(*arguments, "--print-only", **more).stdout.decode()


def content(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()} if folder.exists() else None


def without(files, *names):
    return {k: v for k, v in files.items() if k not in names}


def unpacked(tarball):
    with tarfile.open(fileobj=io.BytesIO(tarball)) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}


def finding(name, kind, health):
    return next((f["count"] for f in json.loads(health[name])["findings"] if f["kind"] == kind), 0)


def strict_json(data):
    """As the standard has it: no NaN, no infinities, no key twice."""
    def once(pairs):
        if len({k for k, _ in pairs}) != len(pairs):
            raise ValueError("a key stands there twice")
        return dict(pairs)

    def never(word):
        raise ValueError(word)
    return json.loads(data, parse_constant=never, object_pairs_hook=once)


def rows_of(t, log, keep):
    """A log with the rows for which keep(cells) holds."""
    lines = log.decode().splitlines(keepends=True)
    path = t.folder("part") / "in.csv"
    path.write_text("".join(lines[:2] + [l for l in lines[2:] if keep(l.split(","))]))
    return path


# --- files ---------------------------------------------------------------------------------------

def check_files(t, b):
    t.equal((b.plain.code, b.plain.stderr.decode()), (0, "ttprof: device: 8 files written to out\n"), "a clean log: a line about the files")
    t.equal(sorted(b.files), sorted(FILES.values()), "-o: eight files, and nothing beside them")
    t.equal(b.files[FILES["stats"]], b.plain.stdout, "device_stats.txt is what is printed")
    t.equal(b.files[LOG], b.log, "the log is copied")
    packed = unpacked(b.files[FILES["tarball"]])
    t.equal(packed, {f"./{k}": v for k, v in without(b.files, FILES["tarball"]).items()}, "the archive holds all the others")
    done, files = b.into("-d", b.folder / "in.csv")
    t.equal((done.stdout, files), (b.plain.stdout, b.files), "-d LOG is LOG")
    done, files = b.into(b.folder / "in.csv", "--no-print-stats")
    t.equal((done.stdout, files), (b"", b.files), "--no-print-stats: nothing printed, the files all the same")
    done, files = b.into(b.folder / "in.csv", "--no-webapp", "--port", "1234")
    t.equal((done.stdout, files), (b.plain.stdout, b.files), "--no-webapp and --port change nothing")
    done, files = b.into(b.folder / "in.csv", "--print-only")
    t.equal((done.code, done.stdout, done.stderr, files), (0, b.plain.stdout, b"", None), "--print-only makes no folder")


def check_skip(t, b):
    for name, file in FILES.items():
        done, files = b.into(b.folder / "in.csv", "--skip", name)
        t.equal((done.code, done.stdout), (0, b.plain.stdout), f"--skip {name}: the statistics are printed all the same")
        if name == "tarball":
            t.equal(files, without(b.files, file), "--skip tarball: the others are the same")
            continue
        t.equal(without(files, FILES["tarball"]), without(b.files, file, FILES["tarball"]), f"--skip {name}: the others are the same")
        t.equal(sorted(unpacked(files[FILES["tarball"]])), sorted(f"./{f}" for f in files if f != FILES["tarball"]),
                f"--skip {name}: not in the archive either")
    _, files = b.into(b.folder / "in.csv", "--skip", "html , log,tarball")
    t.equal(files, without(b.files, FILES["html"], LOG, FILES["tarball"]), "--skip takes a list")
    done, files = b.into(b.folder / "in.csv", "--skip", ",".join(FILES))
    t.equal((done.code, files), (0, {}), "--skip of everything leaves an empty folder")
    for name, options in (("analysis-data", ["--analysis-data", "compact"]), ("chrome-trace", ["--chrome-trace"])):
        _, files = b.into(b.folder / "in.csv", *options)
        t.equal(sorted(files), sorted([*FILES.values(), ON_REQUEST[name]]), f"{' '.join(options)}: one more file")
        t.ok(f"./{ON_REQUEST[name]}" in unpacked(files[FILES["tarball"]]), f"{' '.join(options)}: in the archive too")
        _, files = b.into(b.folder / "in.csv", *options, "--skip", name)
        t.equal(files, b.files, f"--skip {name} wins over {options[0]}")
    for option, name in (("--no-artifacts", "tarball"), ("--no-plots", "html")):
        t.equal(b.into(b.folder / "in.csv", option)[1], b.into(b.folder / "in.csv", "--skip", name)[1], f"{option} is --skip {name}")


def check_folders(t, b):
    """Where the log is and the files go when nothing is said."""
    for what, env, root in (("TT_METAL_PROFILER_DIR", {"TT_METAL_PROFILER_DIR": "here"}, "here"),
                            ("TT_METAL_HOME", {"TT_METAL_HOME": "home"}, "home/generated/profiler"),
                            ("TT_METAL_PROFILER_DIR before TT_METAL_HOME", {"TT_METAL_PROFILER_DIR": "here", "TT_METAL_HOME": "home"}, "here"),
                            ("neither", {}, "generated/profiler")):
        cwd = t.folder("root")
        (cwd / root / ".logs").mkdir(parents=True)
        (cwd / root / ".logs" / LOG).write_bytes(b.log)
        done = b.device(cwd=cwd, **env)
        t.equal((done.code, done.stderr.decode()), (0, f"ttprof: device: 8 files written to {root}/output/device\n"),
                f"{what}: the log of the profiler's folder, the files beside it")
        t.equal(sorted(content(cwd)), sorted([f"{root}/.logs/{LOG}", *(f"{root}/output/device/{f}" for f in FILES.values())]),
                f"{what}: nothing is written elsewhere")
        done = b.device("-o", "a/b", cwd=cwd, **env)
        t.equal((done.code, sorted(content(cwd / "a" / "b"))), (0, sorted(FILES.values())), f"{what}: -o counts from where one stands")
        done = b.device(b.folder / "old.csv", cwd=cwd, **env)
        t.equal((cwd / root / "output" / "device" / LOG).read_bytes(), (b.folder / "old.csv").read_bytes(),
                f"{what}: a log that is named, files in the default folder, replaced")
    cwd = t.folder("same")
    (cwd / LOG).write_bytes(b.log)
    (cwd / "mine.txt").write_text("mine\n")
    for turn in ("once", "twice"):
        done = b.device(LOG, "-o", ".", cwd=cwd)
        t.equal((done.code, sorted(content(cwd))), (0, sorted([*FILES.values(), "mine.txt"])), f"into the folder of the log, {turn}")
        t.equal(((cwd / LOG).read_bytes(), (cwd / "mine.txt").read_text()), (b.log, "mine\n"), f"log and other files stay, {turn}")

    for name in FILES.values():
        if name != LOG:
            cwd = t.folder("clash")
            (cwd / name).write_bytes(b.log)
            done = b.device(name, "-o", ".", cwd=cwd)
            t.ok((cwd / name).read_bytes() == b.log, f"a log named {name} is not written over", done)


# --- input ---------------------------------------------------------------------------------------

def same_but_name(files, name):
    """Artefacts without the path of the log, which some of them name."""
    kept = without(files, FILES["tarball"], FILES["html"], *[f for f in files if f.startswith(LOG)])
    kept[FILES["health"]] = kept[FILES["health"]].replace(json.dumps(str(name)).encode(), b"LOG")
    return kept


def check_packed(t, b):
    plain = same_but_name(b.files, b.folder / "in.csv")
    packed = {"in.csv.gz": gzip.compress(b.log), "renamed.csv": gzip.compress(b.log),
              "two.gz": gzip.compress(b.log[:50000]) + gzip.compress(b.log[50000:])}
    if shutil.which("zstd"):
        zst = tap.run(["zstd", "-q", "-c"], b.folder, b.log)
        packed["in.csv.zst"] = zst.stdout
    else:
        t.skip("a log packed by zstd gives the same", "there is no zstd here")
    for name, data in packed.items():
        path = b.folder / name
        path.write_bytes(data)
        done, files = b.into(path)
        t.equal((done.code, done.stdout, same_but_name(files, path)), (0, b.plain.stdout, plain), f"{name}: the same as from the plain log")
        copy = LOG + (".zst" if name.endswith(".zst") else ".gz")
        t.equal(([f for f in files if f.startswith(LOG)], files.get(copy)), ([copy], data), f"{name}: copied as it is, under a name that says so")
        done, files = b.into("-", stdin=data)
        t.equal((done.stdout, same_but_name(files, "-")), (b.plain.stdout, plain), f"{name} through standard input: the same")
        t.equal(files[LOG], b.log, f"{name} through standard input: the log is copied unpacked")
    done, files = b.into("-", stdin=b.log)
    t.equal((done.stdout, same_but_name(files, "-"), files[LOG]), (b.plain.stdout, plain, b.log), "the plain log through standard input: the same")


def check_damaged(t, b):
    data = gzip.compress(b.log)
    broken = bytearray(data)
    broken[len(data) // 2:len(data) // 2 + 200] = bytes(200)
    for what, damaged in (("cut off", data[:len(data) // 2]), ("with wrong bytes inside", bytes(broken)), ("with a wrong sum", data[:-8] + bytes(8))):
        (b.folder / "damaged.gz").write_bytes(damaged)
        done, files = b.into(b.folder / "damaged.gz")
        t.equal((done.code, finding(FILES["health"], "log-cut", files) > 0), (0, True), f"a gzip {what}: a report and a finding")
        t.ok("the log is truncated" in done.stderr.decode(), f"a gzip {what} is told", done)
        t.equal(files[FILES["stats"]], done.stdout, f"a gzip {what}: the files are whole")
        t.equal(b.device(b.folder / "damaged.gz", "--print-only", "--strict").code, 1, f"a gzip {what}: --strict exits with 1")
        info = tap.run([t.ttprof, "info", "--json", b.folder / "damaged.gz"], b.folder)
        t.ok(info.code == 0 and strict_json(info.stdout)["odd"] > 0, f"a gzip {what}: info reads it too", info)
    half = b.log[:len(b.log) // 2]
    half = half[:half.rindex(b"\n") + 20]  # a cell or two of the next row
    (b.folder / "half.csv").write_bytes(half)
    (b.folder / "whole.csv").write_bytes(half[:half.rindex(b"\n") + 1])
    done, files = b.into(b.folder / "half.csv")
    t.equal((done.code, finding(FILES["health"], "log-cut", files)), (0, 1), "a log that ends in a row: one finding")
    t.equal(done.stdout.decode(), b.stats(b.folder / "whole.csv"), "a log that ends in a row: the row is left out")


def check_strict(t, b):
    done, files = b.into(b.folder / "in.csv", "--strict")
    t.equal((done.code, done.stdout, files), (0, b.plain.stdout, b.files), "--strict lets clean data pass")
    lax, want = b.into(b.folder / "odd.csv")
    done, files = b.into(b.folder / "odd.csv", "--strict")
    t.equal((lax.code, done.code, done.stdout, files), (0, 1, lax.stdout, want), "--strict: odd data gives 1, all files come out whole")
    odd = strict_json(want[FILES["health"]])["odd"]
    t.equal(done.stderr.decode(), lax.stderr.decode() + f"ttprof: device: --strict: found odd data ({odd} in all)\n", "--strict says why")


# --- what is analysed ----------------------------------------------------------------------------

OWN = """\
# my own
parent = {parent}
detect_ops = no
display = Max, Count

[write zones]
across = core
type = adjacent
both.risc = BRISC
start.zone_phase = ZONE_START
end.zone_phase = ZONE_END
both.zone_name = WRITE-TILES
"""


def zones(log, risc, name):
    """Durations of a zone that does not nest, by device."""
    open_at, found = {}, {}
    for line in log.decode().splitlines()[2:]:
        c = line.split(",")
        if c[3] == risc and c[10] == name:
            if c[11] == "ZONE_START":
                open_at[tuple(c[:3])] = int(c[5])
            else:
                found.setdefault(c[0], []).append(int(c[5]) - open_at[tuple(c[:3])])
    return found


def check_setups(t, b):
    folder = t.folder("setup")
    (folder / "sub").mkdir()
    (folder / "mine.ini").write_text(OWN.format(parent="default_setup"))
    (folder / "sub" / "noext").write_text(OWN.replace("parent = {parent}\n", ""))
    want = "".join(f"\n=================== write zones ===================\n         Max [cycles] = {f'{max(v):,}':>10}\n"
                   f"       Count          = {f'{len(v):,}':>10}\n\n" for _, v in sorted(zones(b.log, "BRISC", "WRITE-TILES").items()))
    t.equal(b.stats(b.folder / "in.csv", "-s", "sub/noext", cwd=folder), want, "a setup of one's own, by a path: only its analyses")
    text = b.stats(b.folder / "in.csv", "--setup", "mine.ini", cwd=folder)
    parts = re.findall(r"=+ (.*?) =+\n((?: .*\n)+)", text)
    t.equal([p[0] for p in parts], ["write zones", "op2op"] * 2, "with a parent: the own analyses first; no ops with detect_ops = no")
    t.ok(all(re.fullmatch(r" +Max .*\n +Count .*\n", p[1]) for p in parts), "with a parent: the own display", parts)
    for path in sorted((t.root / "setups").glob("*.ini")):
        done = b.device(b.folder / "in.csv", "--print-only", "-s", path.stem)
        t.equal((done.code, done.stderr), (0, b""), f"-s {path.stem}")
        t.equal(b.stats(b.folder / "in.csv", "-s", str(path)), done.stdout.decode(), f"-s {path.stem}: the same from the file")
    t.equal(b.stats(b.folder / "in.csv", "-s", "default_setup"), b.plain.stdout.decode(), "default_setup is the default")
    t.equal(b.stats(b.folder / "old.csv", "-s", "legacy_setup"), b.stats(b.folder / "old.csv"), "legacy_setup is the default of six columns")
    quiet = b.stats(b.folder / "in.csv", "--no-op-detection")
    t.equal(re.findall(r"=+ (.*?) =+\n", quiet), ["op2op"] * 2, "--no-op-detection: no statistics per op")
    t.ok(quiet.strip("\n").split("\n\n\n")[0] in b.plain.stdout.decode(), "--no-op-detection: the others stay")


def check_percentiles(t, b):
    lengths = [100, 250, 30, 77, 78, 4000, 512, 513, 90, 91, 92]
    rows, time = "", 1000
    for i, n in enumerate(lengths):
        head = "0,1,1,BRISC"
        for name, at, kind in (("BRISC-FW", 0, "START"), ("BRISC-KERNEL", 5, "START"), ("BRISC-KERNEL", 5 + n, "END"), ("BRISC-FW", 9 + n, "END")):
            rows += f"{head},{7 if name == 'BRISC-FW' else 8},{time + at},0,{1024 * (i + 1)},,,{name},ZONE_{kind},1,a.cc,\n"
        time += n + 50
    folder = t.folder("percentiles")
    (folder / "in.csv").write_text(HEAD + rows)
    plain, text = b.stats("in.csv", cwd=folder), b.stats("in.csv", "--percentiles", cwd=folder)
    quantiles = statistics.quantiles(lengths, n=100, method="inclusive")
    want = [("StdDev", statistics.pstdev(lengths)), *((f"P{p}", quantiles[p - 1]) for p in (50, 90, 95, 99))]
    part = next(p for p in text.split("\n\n\n") if "device_kernel_duration =" in p)
    t.equal(part.splitlines()[-5:], [f"{n:>12} [cycles] = {f'{v:,.0f}':>10}" for n, v in want], "--percentiles: deviation and percentiles")
    t.equal(re.sub(r" +(StdDev|P\d\d) .*\n", "", text), plain, "--percentiles adds lines and changes none")


def check_clock(t, b):
    def durations(files):
        head, *rows = [l.split(",") for l in files[FILES["perf-report"]].decode().splitlines()]
        return [(int(r[head.index("DEVICE KERNEL DURATION [ns]")]),
                 int(r[head.index("DEVICE KERNEL END CYCLE")]) - int(r[head.index("DEVICE KERNEL START CYCLE")])) for r in rows]
    done, files = b.into(b.folder / "in.csv", "--mhz", "500")
    t.equal(done.stdout, b.plain.stdout, "--mhz leaves the cycles as they are")
    t.equal([ns for ns, _ in durations(files)], [2 * c for _, c in durations(b.files)], "--mhz 500: a cycle is 2 ns")
    folder = t.folder("clock")
    (folder / "in.csv").write_bytes(b.log.replace(b"CHIP_FREQ[MHz]: 1000", b"CHIP_FREQ[MHz]: ?", 1))
    done, files = b.into(folder / "in.csv")
    t.equal((done.code, finding(FILES["health"], "clock-unknown", files), done.stdout), (0, 1, b.plain.stdout), "without a clock there are cycles, and a finding")
    done, files = b.into(folder / "in.csv", "--mhz", "1000")
    t.equal((finding(FILES["health"], "clock-unknown", files), durations(files)), (0, durations(b.files)), "--mhz makes up for it")


# --- a part of the log ---------------------------------------------------------------------------

def check_filters(t, b):
    log = b.folder / "in.csv"
    spans, first = {}, {}
    for line in b.log.decode().splitlines()[2:]:
        c = line.split(",")
        time = int(c[5])
        first[c[0]] = min(time, first.get(c[0], time))
        if c[7] != "0":
            low, high = spans.get((c[0], c[7]), (time, time))
            spans[c[0], c[7]] = min(low, time), max(high, time)
    ends = sorted(s[1] for (d, _), s in spans.items() if d == "0")
    starts = sorted(s[0] for (d, _), s in spans.items() if d == "0")

    def span(c):
        return spans.get((c[0], c[7]), (int(c[5]), int(c[5])))
    later = starts[2] - first["0"]
    cases = [  # what, options, which rows
        ("a device", ["--device", "1"], lambda c: c[0] == "1"),
        ("two devices", ["--device", "1|0"], lambda c: True),
        ("a column of cores", ["--core", "1,*"], lambda c: c[1] == "1"),
        ("two cores", ["--core", "2,1 | 3,2"], lambda c: (c[1], c[2]) in (("2", "1"), ("3", "2"))),
        ("RISCs", ["--risc", "TRISC_[12]|ERISC"], lambda c: c[3] in ("TRISC_1", "TRISC_2", "ERISC")),
        ("one letter of a RISC", ["--risc", "?RISC"], lambda c: c[3] in ("BRISC", "ERISC")),
        ("zones", ["--zone", "*-KERNEL"], lambda c: c[10].endswith("-KERNEL")),
        ("an op", ["--op", "2048"], lambda c: c[7] == "2048"),
        ("ops", ["--op", "20*|7169"], lambda c: c[7].startswith("20") or c[7] == "7169"),
        ("a range of run ids", ["--run-id", "2048-4096"], lambda c: 2048 <= int(c[7]) <= 4096),
        ("run ids from", ["--run-id", "3000-"], lambda c: int(c[7]) >= 3000),
        ("run ids up to", ["--run-id", "-3000"], lambda c: int(c[7]) <= 3000),
        ("from a time", ["--device", "0", "--from", str(starts[2])], lambda c: c[0] == "0" and span(c)[0] >= starts[2]),
        ("just after a start", ["--device", "0", "--from", str(starts[2] + 1)], lambda c: c[0] == "0" and span(c)[0] > starts[2]),
        ("up to a time", ["--device", "0", "--to", str(ends[3])], lambda c: c[0] == "0" and span(c)[1] <= ends[3]),
        ("a window", ["--device", "0", "--from", str(starts[1]), "--to", str(ends[4])],
         lambda c: c[0] == "0" and span(c)[0] >= starts[1] and span(c)[1] <= ends[4]),
        ("from the first marker of each device", ["--from", f"+{later}"], lambda c: span(c)[0] - first[c[0]] >= later),
        ("up to a time since the first marker", ["--to", f"+{later}"], lambda c: span(c)[1] - first[c[0]] <= later),
        ("all at once", ["--device", "0", "--core", "[12],*", "--risc", "*RISC*", "--zone", "*RISC-*", "--run-id", "2048-6144"],
         lambda c: c[0] == "0" and c[1] in "12" and "RISC-" in c[10] and 2048 <= int(c[7]) <= 6144),
    ]
    for what, options, keep in cases:
        part = rows_of(t, b.log, keep)
        got, files = b.into(log, *options)
        # What is complete was found in the whole log; in the part nothing may be.
        want, like = b.into(part, "--incomplete-ops")
        t.equal((got.code, got.stdout.decode()), (0, want.stdout.decode()), f"{what}: the statistics are those of a log with only this")
        t.ok(len(got.stdout) > 100, f"{what}: something is left", got)
        for name in ("perf-report", "op-to-op", "rearranged"):
            t.equal(files[FILES[name]].decode(), like[FILES[name]].decode(), f"{what}: so is {FILES[name]}")
        t.equal(files[LOG], b.log, f"{what}: the copy of the log is whole")
    for options in (["--device", "7"], ["--zone", ""], ["--from", "99999999999999999"], ["--core", "99,99"], ["--op", "nosuch"]):
        done, files = b.into(log, *options)
        t.equal((done.code, done.stdout, sorted(files)), (0, b"", sorted(FILES.values())), f"{' '.join(options)}: nothing fits, no statistics")


# --- documents -----------------------------------------------------------------------------------

def check_analysis_data(t, b):
    documents = {}
    for form in ("compact", "full"):
        done, files = b.into(b.folder / "in.csv", "--analysis-data", form)
        t.equal(done.stdout, b.plain.stdout, f"--analysis-data {form} prints the same")
        documents[form] = strict_json(files[ON_REQUEST["analysis-data"]])
    full, compact = documents["full"], documents["compact"]
    t.equal(full["data"]["deviceInfo"], {"arch": "wormhole_b0", "freq": 1000, "max_compute_cores": 64}, "full: deviceInfo")
    t.equal(compact["data"]["deviceInfo"], full["data"]["deviceInfo"], "compact: the same deviceInfo")
    found, rows = {}, b.log.decode().splitlines()[2:]
    for device in ("0", "1"):
        cores = full["data"]["devices"][device]["cores"]
        small = compact["data"]["devices"][device]["cores"]
        whole = cores["DEVICE"]["riscs"]["TENSIX"]
        of_device = [r for r in rows if r.startswith(device + ",")]
        t.equal(len(whole["timeseries"]), len(of_device), f"full, device {device}: every row is in the series of the device")
        t.equal(sum(len(s["timeseries"]) for c, v in cores.items() if c != "DEVICE" for r, s in v["riscs"].items() if r != "TENSIX"),
                len(of_device), f"full, device {device}: every row is in the series of its RISC")
        t.equal({k: v["stats"] for k, v in small["DEVICE"]["analysis"].items()},
                {k: v["stats"] for k, v in cores["DEVICE"]["analysis"].items()}, f"compact, device {device}: the same statistics")
        wrong = [k for k, v in cores["DEVICE"]["analysis"].items() if sorted(v["stats"]) != ["Average", "Count", "Max", "Median", "Min", "Range", "Sum"]]
        t.ok(not wrong, f"full, device {device}: seven figures for a device", wrong)
        t.equal(len(whole["ops"]), len([e for e in b.truth["executions"] if e["device"] == int(device)]), f"full, device {device}: every op")
        t.equal(len(whole["events"]["perf_counter_data"]), len([r for r in of_device if ",TS_DATA," in r and ",BRISC," in r]),
                f"full, device {device}: every datum of BRISC is an event")
        for op in whole["ops"]:
            for name, a in op["analysis"].items():
                found.setdefault((device, name), []).extend(r["duration_cycles"] for r in a["series"])
                s, d = a["stats"], [r["duration_cycles"] for r in a["series"]]
                if [s["Count"], s["Sum"], s["First"], s["Max"], s["Min"], s["Range"], s["Median"]] != \
                   [len(d), sum(d), d[0], max(d), min(d), max(d) - min(d), statistics.median(d)]:
                    t.ok(False, f"full: the figures of {name} are those of its series", a)
    for (device, name), d in found.items():
        s = full["data"]["devices"][device]["cores"]["DEVICE"]["analysis"][name]["stats"]
        t.equal([s["Count"], s["Sum"], s["Max"], s["Min"]], [len(d), sum(d), max(d), min(d)], f"full, device {device}: {name} sums up its ops")
    t.ok("timeseries" not in json.dumps(compact) and "series" not in json.dumps(compact), "compact holds no markers")
    old = strict_json(b.into(b.folder / "old.csv", "--analysis-data", "full")[1][ON_REQUEST["analysis-data"]])
    t.ok("deviceInfo" not in old["data"] and old["data"]["devices"]["0"]["metadata"]["global_min"]["ts"] > 0, "full, six columns: the form of 2023",
         list(old["data"]))


def check_chrome(t, b):
    _, files = b.into(b.folder / "in.csv", "--chrome-trace")
    events = strict_json(files[ON_REQUEST["chrome-trace"]])
    rows = [l.split(",") for l in b.log.decode().splitlines()[2:]]
    mhz = int(b.log.split(b"CHIP_FREQ[MHz]: ")[1].split(b",")[0])
    tracks = {(r[0], r[1], r[2], r[3]) for r in rows}
    names = [(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"]
    t.equal((len(names), len(set(names))), (len(tracks), len(tracks)), "--chrome-trace: a thread per chip, core and RISC, named once")
    t.equal({e["pid"] for e in events}, {int(r[0]) for r in rows}, "--chrome-trace: a process per chip")
    starts = sorted(int(r[5]) for r in rows if r[11] == "ZONE_START" and r[10].endswith("-FW"))
    got = sorted(e["ts"] for e in events if e["ph"] == "B")
    t.ok(len(got) == len(starts) and all(abs(g - s / mhz) < 1e-3 for g, s in zip(got, starts)), "--chrome-trace: times in microseconds", got[:3])
    _, files = b.into(b.folder / "in.csv", "--chrome-trace", "--compat")
    events = strict_json(files[ON_REQUEST["chrome-trace"]])
    number = {"BRISC": 1, "NCRISC": 2, "TRISC_0": 3, "TRISC_1": 4, "TRISC_2": 5}
    for phase, kind in (("B", "ZONE_START"), ("E", "ZONE_END")):
        want = sorted((r[3], number[r[3]] + int(r[1]) * 100 + int(r[2]) * 10000, int(r[5])) for r in rows
                      if r[11] == kind and r[3] in number and r[10] == r[3].split("_")[0] + "-FW")
        got = sorted((e["name"], e["tid"], e["ts"]) for e in events if e["ph"] == phase and e["name"] in number)
        t.equal(got, want, f"--chrome-trace --compat: an event {phase} for each {kind} of firmware, at its own time")
    names = {e["args"]["name"] for e in events if e["ph"] == "M"}
    t.equal(names, {f"({r[1]}, {r[2]})" for r in rows}, "--chrome-trace --compat: every core has a name")


def check_info(t, b):
    before = content(b.folder)
    done = tap.run([t.ttprof, "info", "--json", "in.csv"], b.folder)
    t.equal((done.code, done.stderr), (0, b""), "info --json of a clean log")
    doc = strict_json(done.stdout)
    rows = [l.split(",") for l in b.log.decode().splitlines()[2:]]
    kinds = ("ZONE_START", "ZONE_END", "ZONE_TOTAL", "TS_DATA", "TS_EVENT")
    t.equal([doc[k] for k in ("log", "bytes", "rows", "arch", "mhz", "max_compute_cores", "odd", "unknown_type", *kinds)],
            ["in.csv", len(b.log), len(rows), "wormhole_b0", 1000, 64, 0, 0, *(sum(r[11] == k for r in rows) for k in kinds)],
            "info --json: size, rows, chip, types")
    for device in doc["devices"]:
        of = [r for r in rows if r[0] == str(device["id"])]
        times = [int(r[5]) for r in of]
        t.equal([device[k] for k in ("cores", "dispatch_cores", "ethernet_cores", "tracks", "markers", "zones", "ops", "replayed_ops",
                                     "incomplete_ops", "first_cycle", "last_cycle", "odd")],
                [len({(r[1], r[2]) for r in of}), 2, 1, len({tuple(r[1:4]) for r in of}), len(of), sum(r[11] == "ZONE_START" for r in of),
                 7, 0, 0, min(times), max(times), 0], f"info --json: device {device['id']}")
        t.equal(device["riscs"], "BRISC NCRISC TRISC_0 TRISC_1 TRISC_2 ERISC", f"info --json: the RISCs of device {device['id']}")
    text = tap.run([t.ttprof, "info", "in.csv"], b.folder).stdout.decode()
    said = dict(re.findall(r"^(?:  )?(\S.*?)  +(.*)$", text.split("\nDevice")[0], re.M))
    t.equal([said.get(k) for k in ("log", "size", "rows", "arch", "clock", "compute cores", "ZONE_START", "devices")],
            ["in.csv", f"{len(b.log):,} bytes", f"{len(rows):,}", "wormhole_b0", "1000 MHz", "64", f"{doc['ZONE_START']:,}", "2"],
            "info: the same as text")
    t.equal(re.findall(r"^Device (\d+)$", text, re.M), ["0", "1"], "info: a paragraph for each device")
    columns = {re.match(r"(?:  )?\S+(?: \S+)* +", line).end() for line in text.splitlines() if line and not line.startswith("Device")}
    t.equal(columns, {15}, "info: all values stand in one column")
    for name, form in (("old.csv", "six columns (2023)"), ("in.csv", "columns by name")):
        t.ok(f"form           {form}\n" in tap.run([t.ttprof, "info", name], b.folder).stdout.decode(), f"info names the form of {name}")
    odd = tap.run([t.ttprof, "info", "--json", "odd.csv"], b.folder)
    health = strict_json(b.into(b.folder / "odd.csv")[1][FILES["health"]])
    t.equal((strict_json(odd.stdout)["odd"], len(odd.stderr.splitlines())), (health["odd"], len(health["findings"])),
            "info counts the same odd data as profiler_health.json, and tells it")
    t.equal(tap.run([t.ttprof, "info", "--json", "-"], b.folder, gzip.compress(b.log)).stdout, done.stdout.replace(b'"in.csv"', b'"-"'),
            "info reads packed logs from standard input")
    t.equal(content(b.folder), before, "info writes nothing")


# --- errors leave nothing behind -----------------------------------------------------------------

def check_left_behind(t, b):
    def broken(arguments, prepare=None, **env):
        cwd = t.folder("broken")
        (cwd / "in.csv").write_bytes(b.log)
        if prepare:
            prepare(cwd)
        before = sorted(str(p.relative_to(cwd)) for p in cwd.rglob("*"))
        done = b.device(*arguments, cwd=cwd, **env)
        return done, before, sorted(str(p.relative_to(cwd)) for p in cwd.rglob("*"))
    for what, arguments, prepare, code, message in (
            ("a folder that is a file", ["in.csv", "-o", "in.csv"], None, 3, "in.csv: cannot create folder: File exists; choose another one"),
            ("a folder below a file", ["in.csv", "-o", "in.csv/a/b"], None, 3, "in.csv: cannot create folder: File exists; choose another one"),
            ("a log that is none", ["none.csv", "-o", "out"], lambda f: (f / "none.csv").write_text("a,b\n1,2\n"), 4, None),
            ("an unknown setup", ["in.csv", "-o", "out", "-s", "nosuch"], None, 2, "Setup nosuch not available"),
            ("a wrong window", ["in.csv", "-o", "out", "--from", "soon"], None, 2, None)):
        done, before, after = broken(arguments, prepare)
        t.equal((done.code, after), (code, before), f"{what}: nothing is made")
        if message:
            t.equal(done.stderr.decode(), f"ttprof: device: {message}\n", f"{what}: told")
    if os.geteuid() == 0:
        t.skip("a folder that may not be written: nothing is made", "root may write everything")
    else:
        def locked(folder):
            (folder / "out").mkdir(mode=0o555)
        done, before, after = broken(["in.csv", "-o", "out"], locked)
        t.equal((done.code, after), (3, before), "a folder that may not be written: nothing is made")
        done, before, after = broken(["in.csv", "-o", "out/deeper"], locked)
        t.equal((done.code, after), (3, before), "a folder in one that may not be written: nothing is made")
    for name, file in FILES.items():
        done, before, after = broken(["in.csv", "-o", "out"], lambda f, file=file: (f / "out" / file).mkdir(parents=True))
        t.equal((done.code, done.stderr.decode().splitlines()[0]),
                (3, f"ttprof: device: out/{file}: cannot write: Is a directory; choose another file"), f"a folder in the place of {file}")
        made = {os.path.basename(p) for p in after} - {os.path.basename(p) for p in before}
        t.ok(made <= set(FILES.values()), f"a folder in the place of {file}: no file is left half done", made)
    for name, what in (("stats", "device_stats.txt"), ("html", "device_perf.html"), ("tarball", "device_perf_results.tgz")):
        def full(folder, what=what):
            (folder / "out").mkdir()
            (folder / "out" / what).symlink_to("/dev/full")
        done, before, after = broken(["in.csv", "-o", "out"], full)
        t.equal((done.code, done.stderr.decode().splitlines()[0]), (3, f"ttprof: device: out/{what}: cannot write: No space left on device; "
                "free some space or choose another file"), f"a full disk under {what}")
    done = tap.run(["/bin/sh", "-c", 'exec "$0" device in.csv --print-only >/dev/full', t.ttprof], b.folder)
    t.equal((done.code, done.stderr.decode()), (3, "ttprof: device: stdout: cannot write: No space left on device; "
                                                "free some space or choose another file\n"), "statistics to a full disk")
    done = tap.run(["/bin/sh", "-c", 'exec "$0" info in.csv >/dev/full', t.ttprof], b.folder)
    t.equal((done.code, done.stderr.decode()), (3, "ttprof: info: stdout: cannot write: No space left on device; "
                                                "free some space or choose another file\n"), "info to a full disk")


def check_threads(t, b):
    options = "--grid 8x8 --devices 2 --ops 9 --replays 3 --zones 4 --dispatch 4 --eth 2 --sum-zones --counters --mid-run 3 --oddities"
    b.make("large.csv", options)
    size = (b.folder / "large.csv").stat().st_size
    t.ok(size > 9 << 20, "a log that is worth two lanes", size)
    more = ["--chrome-trace", "--analysis-data", "compact", "--percentiles"]
    want, files = b.into(b.folder / "large.csv", *more, TTPROF_THREADS="1")
    t.equal((want.code, len(files)), (0, 10), "one thread: all files")
    for threads in ("2", "5"):
        done, got = b.into(b.folder / "large.csv", *more, TTPROF_THREADS=threads)
        t.equal((done.code, done.stdout, done.stderr), (want.code, want.stdout, want.stderr), f"{threads} threads print and tell the same")
        t.equal(sorted(got), sorted(files), f"{threads} threads write the same files")
        for name in files:
            t.ok(got.get(name) == files[name], f"{threads} threads: {name} is the same, byte for byte")
        info = [tap.run([t.ttprof, "info", "--json", "large.csv"], b.folder, TTPROF_THREADS=n) for n in ("1", threads)]
        t.equal((info[1].stdout, info[1].stderr), (info[0].stdout, info[0].stderr), f"{threads} threads: info is the same")
    done, got = b.into(b.folder / "large.csv", *more)
    t.ok(got == files, "as many threads as there are cores: the same bytes")
    for name in ("in.csv", "odd.csv", "old.csv"):
        one, two = (b.into(b.folder / name, "--analysis-data", "full", TTPROF_THREADS=n) for n in ("1", "3"))
        t.ok(one[1] == two[1] and one[0].stderr == two[0].stderr, f"{name}: a small log in three lanes gives the same bytes")
    (b.folder / "large.csv").unlink()


def test(t):
    b = Bench(t)
    for check in (check_files, check_skip, check_folders, check_packed, check_damaged, check_strict, check_setups, check_percentiles, check_clock,
                  check_filters, check_analysis_data, check_chrome, check_info, check_left_behind, check_threads):
        check(t, b)


tap.main(test)
