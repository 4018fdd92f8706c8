#!/usr/bin/python3
"""test_report_cli.py TTPROF SOURCE_ROOT - `ttprof report` from the outside, on whole files.

The exact bytes of reports are the business of the golden suite; here it is what must hold
between reports: the same from every way to ask, in every output, for every thread count and
every dialect of CSV.
"""
import csv
import json
import math
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import tap

ESC = b"\x1b["


class Bench:
    """The samples, and a short way to run reports on them."""

    def __init__(self, t):
        self.t = t
        self.folder = t.folder("samples")
        for name, options in (("one", []), ("two", ["--devices", "2"]), ("four", ["--devices", "4"]),
                              ("odd", ["--oddities"]), ("gs", ["--arch", "grayskull"]),
                              ("v1", ["--format", "v1", "--no-signposts"])):
            t.sample(self.folder / f"{name}.csv", *options)
        self.plain = self.report("one.csv")

    def report(self, *arguments, **more):
        return tap.run([self.t.ttprof, "report", *arguments], more.pop("cwd", self.folder), **more)

    def rows(self, *arguments, name="rows.csv"):
        """The table as --csv writes it."""
        done = self.report(*arguments, "--csv", name, "--no-summary")
        if done.code != 0:
            raise RuntimeError(f"report {arguments}: {done}")
        with open(self.folder / name, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def document(self, *arguments):
        done = self.report(*arguments, "--json")
        if done.code != 0:
            raise RuntimeError(f"report {arguments}: {done}")
        return json.loads(done.stdout)


def check_inputs(t, b):
    one, plain = b.folder / "one.csv", b.plain
    t.ok(plain.code == 0 and not plain.stderr and b"Stacked report" in plain.stdout, "a sample is reported", plain)
    t.equal(b.report("-", stdin=one.read_bytes()).stdout, plain.stdout, "'-' reads standard input from a pipe")
    with open(one, "rb") as f:
        t.equal(b.report("-", stdin=f).stdout, plain.stdout, "'-' reads standard input from a file")
    bad = b.report("-", stdin=b"a,b\n")
    t.equal((bad.code, bad.stdout), (1, b"CSV 'stdin' is missing the 'DEVICE ID' column.\n"),
            "standard input has a name in messages")

    both = b.report("v1.csv", "v1.csv")
    t.ok(both.code == 0 and b"\nDetected data from 2 devices. Merging device data...\n" in both.stdout,
         "two files are two hosts: device ids go on counting", both.stdout[:400])
    single, double = b.rows("v1.csv", "--tracing-mode"), b.rows("v1.csv", "v1.csv", "--tracing-mode", "--no-merge-devices")
    on = [sum(r["Device"] == d for r in double) for d in ("0", "1")]
    with_device = sum(r["Device"] != "" for r in single)
    t.equal((len(double), on), (2 * len(single), [with_device] * 2), "every row of both files is there")
    t.equal([r["ID"] for r in double], [str(i) for i in range(2, 2 + len(double))], "ids count through both files")
    differ = b.report("one.csv", "two.csv")
    t.equal((differ.code, differ.stdout, differ.stderr), (1, b"CSV 'two.csv' reports max device ID 1, expected 0\n", b""),
            "files with different numbers of devices are refused")


def check_syntax(t, b):
    want = b.report("--group-by", "op", "--min-percentage", "2", "--no-advice", "one.csv").stdout
    for what, arguments in (
            ("options behind the file", ["one.csv", "--group-by", "op", "--min-percentage", "2", "--no-advice"]),
            ("--name=value", ["--group-by=op", "--min-percentage=2", "--no-advice", "one.csv"]),
            ("beginnings of names", ["--gro", "op", "--min=2", "one.csv", "--no-ad"]),
            ("'--' before the file", ["--group-by", "op", "--min-percentage", "2", "--no-advice", "--", "one.csv"]),
            ("the last of two values", ["--group-by", "category", "--group-by", "op", "--min", "2", "--no-advice", "one.csv"])):
        t.equal(b.report(*arguments).stdout, want, f"{what}: the same report")
    os.symlink("one.csv", b.folder / "--json")
    t.equal(b.report("--", "--json").stdout, b.plain.stdout, "behind '--' even a name like an option is a file")
    os.unlink(b.folder / "--json")
    upto = b.rows("one.csv", "--ignore-signposts", "--id-range", "-1,2")
    t.equal([r["ID"] for r in upto], [str(i) for i in range(2, 13)], "--id-range takes a value with a dash and commas")
    t.equal(b.report("one.csv", "--signpost", "decode").stdout, b.report("one.csv", "--start-signpost", "decode").stdout,
            "--signpost is --start-signpost")
    t.ok(b"Using operations after 'decode'.\n" in b.report("one.csv", "--signpost=decode").stdout, "--signpost is heeded")
    t.equal(b.report("one.csv", "--no-stacked-report").stdout, b.report("one.csv", "--no-summary").stdout,
            "--no-stacked-report is --no-summary")
    t.equal(b.report("one.csv", "--no-stack-by-in0").stdout, b.plain.stdout, "--no-stack-by-in0 changes nothing")
    helped = b.report("--help", "nosuch.csv")
    t.ok(helped.code == 0 and helped.stdout.startswith(b"Usage: ttprof report [OPTIONS] CSV..."), "--help comes before the work", helped)
    os.symlink(t.ttprof, b.folder / "tt-perf-report")
    linked = tap.run([b.folder / "tt-perf-report", "one.csv"], b.folder)
    t.equal((linked.stdout, linked.stderr, linked.code), (b.plain.stdout, b"", 0), "a link named tt-perf-report runs the report")


def same_value(text, value):
    """A cell of the CSV and of the JSON document."""
    if value is None:
        return text in ("", "nan")
    if isinstance(value, bool):
        return text == str(value)
    return text == value if isinstance(value, str) else float(text) == value


def check_documents(t, b):
    for name in ("one", "two", "odd", "gs", "v1"):
        arguments = [f"{name}.csv"] + (["--no-merge-devices"] if name == "two" else [])
        doc, rows = b.document(*arguments), b.rows(*arguments)
        tables = {x["id"]: x for x in doc["tables"]}
        t.equal((doc["kind"], doc["sources"], list(tables)), ("perf-report", arguments[:1], ["ops", "summary", "advice", "diag"]),
                f"{name}: the JSON document names its kind, its source and four tables")
        wrong = [f"{x['id']}: {[c['name'] for c in x['columns']]} and {list(r)}" for x in tables.values() for r in x["rows"]
                 if [c["name"] for c in x["columns"]] != list(r)]
        t.ok(not wrong, f"{name}: every JSON row holds every column of its table", wrong[:1])
        wrong = [f"ID {r['ID']}, {c}: CSV {r[c]!r}, JSON {o[c]!r}" for r, o in zip(rows, tables["ops"]["rows"]) for c in r
                 if not same_value(r[c], o[c]) and not (c == "Math Fidelity" and same_value(r[c].replace(" x nan", ""), o[c]))]
        t.ok(len(rows) == len(tables["ops"]["rows"]) and not wrong, f"{name}: JSON and CSV hold the same numbers", "\n".join(wrong[:3]))
    done = b.report("one.csv", "--json")
    said = b.plain.stdout.decode().split("\n\n")[0].splitlines()
    t.equal(done.stderr.decode().splitlines()[:len(said)], [f"ttprof: report: {line}" for line in said],
            "with --json the messages go to standard error")
    t.equal(b.report("one.csv", "--json", "--no-summary").stdout.count(b'"id":"summary"'), 0, "no summary table with --no-summary")
    check_standard_output(t, b, [f"ttprof: report: {line}" for line in said])
    check_summary_numbers(t, b)


def check_standard_output(t, b, said):
    """A document on standard output stands there alone."""
    folder = t.folder("documents")
    for option, name in (("--csv", "out.csv"), ("--html", "out.html")):
        b.report(b.folder / "one.csv", "--no-summary", option, name, cwd=folder)
        done = b.report(b.folder / "one.csv", "--no-summary", option, "-", cwd=folder)
        want = (folder / name).read_bytes().replace(f"report to {name}".encode(), b"report to -")
        t.equal(done.stdout, want, f"{option} - writes the same to standard output")
        t.equal(done.stderr.decode().splitlines()[:len(said)], said, f"with {option} - the messages go to standard error")
        (folder / name).unlink()
    t.equal(os.listdir(folder), [], "'-' is no file")


def check_summary_numbers(t, b):
    for name in ("one", "odd"):
        tables = {x["id"]: x["rows"] for x in b.document(f"{name}.csv")["tables"]}
        ops = [r for r in tables["ops"] if "signpost" not in r["OP Code"]]
        counted = sum(r["Op Count"] for r in tables["summary"])
        left_out = sum(r["Count"] for r in tables["diag"] if "left out of the stacked report" in r["Finding"])
        t.equal((counted + left_out, left_out), (len(ops), 1 if name == "odd" else 0),
                f"{name}: every op is in a group of the stacked report, or told to be left out")
        share = sum(r["Total %"] for r in tables["summary"])
        t.ok(math.isclose(share, 100, rel_tol=1e-9), f"{name}: the groups make up the whole", share)


def check_order(t, b):
    rows = b.rows("one.csv")
    key = {"Device Time": lambda r: -float(r["Device Time"] or "-inf"), "OP Code": lambda r: r["OP Code"]}
    for column, by in key.items():
        t.equal([r["ID"] for r in b.rows("one.csv", "--sort", column)], [r["ID"] for r in sorted(rows, key=by)],
                f"--sort '{column}' orders the rows and keeps the order of equals")
    largest = sorted(rows, key=lambda r: -float(r["Total %"] or "-inf"))
    top = b.rows("one.csv", "--top", "5")
    t.equal(top, largest[:5], "--top 5: the five largest shares, which stay those of the whole")
    t.equal(b.rows("one.csv", "--top", "5", "--sort", "OP Code"), sorted(rows, key=key["OP Code"])[:5], "--top 5 of another order")
    t.equal(len(b.rows("one.csv", "--top", "100000")), len(rows), "--top of more than there are shows all")
    share = sum(float(r["Total %"]) for r in top)
    line = f"Showing 5 of {len(rows)} rows, {share:.1f} % of the time\n"
    t.ok(line in b.report("one.csv", "--top", "5").stdout.decode(), "--top tells what it leaves out", line)
    json_ids = [r["ID"] for r in b.document("one.csv", "--top", "5")["tables"][0]["rows"]]
    t.equal([str(i) for i in json_ids], [r["ID"] for r in top], "--top holds for JSON as well")


def on_terminal(t, b, *arguments, width=400, **env):
    """Standard output of a report that goes to a terminal."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, width))
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    child = subprocess.Popen([str(t.ttprof), "report", *arguments], cwd=b.folder, env=tap.environment(**env),
                             stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    out, end = b"", time.monotonic() + tap.SECONDS
    try:
        while time.monotonic() < end:
            if not select.select([master], [], [], 1)[0]:
                continue
            part = os.read(master, 1 << 16)
            if not part:
                break
            out += part
    except OSError:
        pass  # the other side is closed: all is read
    finally:
        if child.poll() is None and time.monotonic() >= end:
            child.kill()
        child.communicate()
        os.close(master)
    return out


def check_colours(t, b):
    plain, coloured = b.plain.stdout, b.report("one.csv", "--color").stdout
    t.ok(ESC in coloured and ESC not in plain, "into a pipe there is colour only with --color")
    t.equal(re.sub(rb"\x1b\[[0-9;]*m", b"", coloured).replace(b" ", b""), plain.replace(b" ", b""), "colour adds nothing but colour")
    t.equal(on_terminal(t, b, "one.csv"), coloured, "a terminal gets colour")
    t.equal(on_terminal(t, b, "one.csv", NO_COLOR="1"), plain, "NO_COLOR takes it away")
    t.equal(on_terminal(t, b, "one.csv", NO_COLOR=""), coloured, "an empty NO_COLOR does not")
    t.equal(on_terminal(t, b, "one.csv", "--no-color"), plain, "--no-color takes it away")
    t.equal(b.report("one.csv", "--color", "--no-color").stdout, plain, "--no-color wins over --color")
    t.equal(b.report("one.csv", "--color", NO_COLOR="1").stdout, coloured, "--color wins over NO_COLOR: it was asked for")
    t.ok(ESC not in b.report("odd.csv", "--color").stderr, "findings carry no colour")


def check_width(t, b):
    def table(text):
        """The lines of the report's table and of the stacked one: those with a rule and next to it."""
        return [line for line in text.splitlines() if line.startswith(("ID ", "---", "Total %"))]

    whole = table(b.plain.stdout.decode())
    t.ok(max(map(len, whole)) > 120, "into a pipe the table is whole", whole)
    for width, shown in ((80, 80), (0, 80), (120, 120)):  # 0: a terminal that does not tell
        text = on_terminal(t, b, "one.csv", "--no-color", "--no-advice", width=width).decode()
        lines = table(text)
        t.ok(lines and max(map(len, lines)) <= shown, f"a terminal of {width} columns is not too narrow", lines)
        t.ok("\nleft out for a narrow terminal: Device, " in text, "what is left out is named", text[-300:])
    rows = [line for line in text.splitlines() if re.match(r"\d+ +[\d.]+ %", line)]
    t.ok(rows and max(map(len, rows)) <= 120, "rows are cut to the width, too", rows[:3])


def outputs(t, b, folder, **env):
    """Every output of one report."""
    done = b.report("in.csv", "--html", "out.html", "--csv", "out.csv", cwd=folder, **env)
    shown = b.report("in.csv", "--no-merge-devices", cwd=folder, **env)
    doc = b.report("in.csv", "--json", cwd=folder, **env)
    files = {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "in.csv"}
    return [done.stdout, done.stderr, shown.stdout, doc.stdout, files]


def check_invariance(t, b):
    options = ["--devices", "2", "--oddities", "--rows", "4000"]
    folders = {}
    for what, more in (("LF", []), ("CRLF", ["--crlf"]), ("every cell quoted", ["--quote-all"]),
                       ("every cell quoted, CRLF", ["--quote-all", "--crlf"])):
        folders[what] = t.folder("dialect")
        t.sample(folders[what] / "in.csv", *options, *more)
    want = outputs(t, b, folders["LF"], TTPROF_THREADS="1")
    t.equal(sorted(want[-1]), ["out.csv", "out.html", "out_stacked.csv", "out_stacked.png"],
            "each output is one file, nothing is left beside")
    for threads in ("2", "7"):
        t.equal(outputs(t, b, folders["LF"], TTPROF_THREADS=threads), want, f"{threads} threads give the same bytes as one")
    for what in list(folders)[1:]:
        t.equal(outputs(t, b, folders[what]), want, f"{what}: the same bytes in every output")
    marked = t.folder("dialect")
    (marked / "in.csv").write_bytes(b"\xef\xbb\xbf" + (folders["LF"] / "in.csv").read_bytes())
    t.equal(outputs(t, b, marked), want, "a byte order mark changes nothing")
    (marked / "in.csv").write_bytes((folders["LF"] / "in.csv").read_bytes().rstrip(b"\n"))
    got = outputs(t, b, marked)
    t.ok(got[0] == want[0] and b"the table does not end with a line feed" in got[1], "a missing last line end is told and changes nothing", got[:2])


def check_page(t, b):
    folder = t.folder("page")
    done = b.report(b.folder / "one.csv", "--html", "report.html", cwd=folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    t.equal((done.code, os.listdir(folder)), (0, ["report.html"]), "--html writes one file")
    t.equal(done.stdout, b.plain.stdout + b"Writing HTML report to report.html\n", "with --html the report is printed as well")
    loads = re.findall(r"""(?ix) (?:src|href|action|poster|data)\s*=\s*["']?\s*(?:https?:)?//[^\s"'>]*
                           | url\(\s*["']?\s*(?:https?:)?//[^)]* | @import[^;]*
                           | <link\b(?![^>]*href="data:)[^>]* | <(?:iframe|object|embed)\b[^>]*
                           | \b(?:fetch|importScripts)\s*\( | XMLHttpRequest | WebSocket | EventSource | sendBeacon""", page)
    t.ok(not loads, "the page loads nothing", loads[:3])
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    data, doc = json.loads(inside.group(1)), b.document("one.csv")
    for x in doc["tables"]:
        x["rows"] = [list(r.values()) for r in x["rows"]]
    doc["sources"], doc["notes"] = data["sources"], data["notes"]
    t.equal(data, doc, "the page holds the same tables as --json")
    keys = {tuple(note) for note in data["notes"]}
    t.equal(keys, {("level", "text")}, "the page's notes have the keys that its script reads")
    levels = {note["level"] for note in data["notes"]}
    t.ok(levels <= {"info", "warning", "error"}, "and the levels that it knows", levels)


ODDITIES = [
    "line 452: column 'DEVICE ID': device ops without a device id (1 in all): "
    "they are kept as rows without a device; check the run that wrote them",
    "line 447: column 'MATH FIDELITY': matmuls or convolutions without a known math fidelity (1 in all): "
    "their FLOPs % and Bound are empty; record the run with MATH FIDELITY",
    "line 448: column 'DEVICE KERNEL DURATION [ns]': device ops without a duration above zero (2 in all): "
    "their time is 0 and their rates are empty; check that the device profiler was on for the whole run",
    "line 451: column 'CORE COUNT': matmuls without a core count above zero (1 in all): "
    "their FLOPs % is meaningless; record the run with CORE COUNT",
    "line 449: column 'INPUT_0_W_PAD[LOGICAL]': matmuls or convolutions without all sizes, memories and data types (2 in all): "
    "their derived cells are empty; record the run with tensor columns",
    "line 454: column 'ATTRIBUTES': convolutions without window_hw (1 in all): "
    "their derived cells are empty; record the run with ATTRIBUTES",
    "line 453: column 'INPUT_0_MEMORY': 'HOST': ops left out of the stacked report: their input 0 memory has no layout "
    "(1 in all): group without the memory: --group-by op",
]


def check_oddities(t, b):
    done = b.report("odd.csv")
    said = done.stderr.decode().splitlines()
    for line in ODDITIES:
        t.ok(f"ttprof: report: odd.csv: {line}" in said, f"told: {line[:60]}...", done.stderr.decode())
    rest = [s for s in said if s.removeprefix("ttprof: report: odd.csv: ") not in ODDITIES]
    t.ok(not rest, "nothing else is told", rest)
    t.equal(done.code, 0, "odd data is no error")
    with open(b.folder / "odd.csv", newline="", encoding="utf-8") as f:
        wanted = [str(i) for i, r in enumerate(csv.DictReader(f), 2) if r["OP TYPE"] != "signpost" and i > 32]
    t.equal([r["ID"] for r in b.rows("odd.csv")], wanted, "every op is in the report")
    row = {r["ID"]: r for r in b.rows("odd.csv")}
    for what, at, empty, full in (
            ("HiFi3 has a peak", "446", [], ["FLOPs %", "Bound"]),
            ("no fidelity: rates, but no share of the peak", "447", ["FLOPs %", "Bound"], ["FLOPs", "DRAM %"]),
            ("no duration: no rates", "448", ["DRAM", "DRAM %", "FLOPs", "FLOPs %"], ["Device Time"]),
            ("no sizes: no derived cells", "449", ["DRAM", "FLOPs", "FLOPs %"], ["Device Time", "Math Fidelity"]),
            ("no device: a row without a device", "452", ["Device"], ["FLOPs %", "Device Time"]),
            ("no window: no derived cells", "454", ["FLOPs", "FLOPs %"], ["Device Time"])):
        r = row[at]
        t.ok(not any(r[c] for c in empty) and all(r[c] for c in full), what, r)
    diag = {x["id"]: x for x in b.document("odd.csv")["tables"]}["diag"]["rows"]
    lines = [f"ttprof: report: {r['First seen']}: {r['Finding']} ({r['Count']} in all): {r['Remedy']}" for r in diag]
    t.equal(lines, said, "the documents tell the same findings")


def check_unmeasured(t, b):
    """A matmul that was not measured has no FLOPs, and a missing data type no name."""
    with open(b.folder / "one.csv", newline="", encoding="utf-8") as f:
        table = list(csv.DictReader(f))
    row = next(r for r in table if "Matmul" in r["OP CODE"])
    second = next(r for r in table if "Matmul" in r["OP CODE"] and r is not row)
    row["DEVICE KERNEL DURATION [ns]"] = second["INPUT_1_DATATYPE"] = ""
    with open(b.folder / "unmeasured.csv", "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, row.keys())
        out.writeheader()
        out.writerows(table)
    options = ["unmeasured.csv", "--ignore-signposts"]
    got, other = [r for r in b.rows(*options) if "Matmul" in r["OP Code"]][:2]
    t.equal((got["FLOPs"], got["FLOPs %"]), ("", "nan"), "FLOPs of a matmul that was not measured are empty, like in tt-perf-report")
    t.ok(" x nan => " in other["Math Fidelity"], "the table names a missing data type like tt-perf-report", other)
    told = [r for r in b.document(*options)["tables"][0]["rows"] if "Matmul" in r["OP Code"]][:2]
    t.ok("nan" not in told[1]["Math Fidelity"] and told[0]["FLOPs"] is None and told[0]["FLOPs %"] is None, "a document has nothing there", told)


def check_strict(t, b):
    t.equal(b.report("one.csv", "--strict").code, 0, "--strict lets clean data pass")
    strict = b.report("odd.csv", "--strict")
    t.equal((strict.code, strict.stdout), (1, b.report("odd.csv").stdout), "--strict: odd data gives 1, the report comes out whole")
    last = strict.stderr.decode().splitlines()[-1]
    t.ok(re.fullmatch(r"ttprof: report: --strict: found odd data \(\d+ in all\)", last), "--strict says why", last)


def png_size(path):
    head = path.read_bytes()[:33]
    is_png = head[:8] == b"\x89PNG\r\n\x1a\n" and head[12:16] == b"IHDR"
    return struct.unpack(">II", head[16:24]) if is_png else None


def check_picture(t, b):
    folder = t.folder("picture")
    for name, options, size in (("one", [], (1800, 2400)), ("one", ["--classic-colors"], (1800, 2400)),
                                ("one", ["--group-by", "category"], (1800, 2400)), ("four", [], (1800, 2400)),
                                ("two", ["--no-merge-devices"], (1800, 2400)), ("four", ["--no-merge-devices"], (2400, 2400))):
        done = b.report(b.folder / f"{name}.csv", "--summary-file", "sum", *options, cwd=folder)
        t.equal((done.code, png_size(folder / "sum.png")), (0, size), f"the picture of {name} {' '.join(options)} is {size[0]} x {size[1]}")
    t.equal(sorted(os.listdir(folder)), ["sum.csv", "sum.png"], "--summary-file writes table and picture")
    b.report(b.folder / "one.csv", "--stacked-csv", "old", "--summary-file", "new.x", cwd=folder)
    t.equal(sorted(os.listdir(folder)), ["new.x.csv", "new.x.png", "sum.csv", "sum.png"],
            "--summary-file wins over --stacked-csv and only appends")
    b.report(b.folder / "one.csv", "--csv", "run.1.csv", cwd=folder)
    t.ok({"run.1.csv", "run.1_stacked.csv", "run.1_stacked.png"} <= set(os.listdir(folder)),
         "--csv puts the stacked report beside its file", os.listdir(folder))


def check_chips(t, b):
    for name, options in (("gs", []), ("v1", ["--arch", "grayskull"])):
        shares = [r["FLOPs %"] for r in b.rows(f"{name}.csv", *options) if "Matmul" in r["OP Code"]]
        t.ok(shares and all(shares), f"grayskull has peaks ({name})", shares[:3])
    variants = t.shared("golden", "ops-report", "header_variants")
    if not variants:
        t.skip("older headers are read", "the golden data is not beside the project (../shared)")
        return
    for path in sorted(variants.glob("*.csv")):
        done = b.report(path)
        t.ok(done.code == 0 and "Performance Report" in done.stdout.decode(), f"{path.name} is reported", done)


def test(t):
    b = Bench(t)
    for check in (check_inputs, check_syntax, check_documents, check_order, check_colours, check_width, check_invariance, check_page,
                  check_oddities, check_unmeasured, check_strict, check_picture, check_chips):
        check(t, b)


tap.main(test)
