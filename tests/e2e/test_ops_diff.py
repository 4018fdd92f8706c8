#!/usr/bin/python3
"""test_ops_diff.py TTPROF SOURCE_ROOT - `ttprof ops-diff`: two reports, a report and a device report, bad input."""
import csv

import tap

REPORT = ["OP CODE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "HOST START TS", "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "CORE COUNT",
          "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]",
          "DEVICE BRISC KERNEL DURATION [ns]"]
DEVICE = ["GLOBAL CALL COUNT", "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "DEVICE ID", "OP NAME", *REPORT[7:], "DEVICE ARCH", "DEVICE KERNEL START CYCLE"]


def op(number, trace="", session=""):
    at = 10000 * number + 1000 * int(session or 0)
    return {"OP CODE": f"Op{number}, (a)", "GLOBAL CALL COUNT": number << 10, "DEVICE ID": 0, "DEVICE ARCH": "blackhole", "HOST START TS": 7 * at,
            "METAL TRACE ID": trace, "METAL TRACE REPLAY SESSION ID": session, "CORE COUNT": 4, "DEVICE FW START CYCLE": at, "DEVICE FW END CYCLE": at + 900,
            "DEVICE FW DURATION [ns]": 900, "DEVICE KERNEL DURATION [ns]": 800 + number, "OP TO OP LATENCY [ns]": "" if number == 3 else 50,
            "DEVICE BRISC KERNEL DURATION [ns]": 700, "OP NAME": "", "DEVICE KERNEL START CYCLE": at + 5}


def rows():
    return [op(number) for number in range(1, 5)] + [op(5, 1, session) for session in (1, 2)]


def write(path, columns, made):
    with open(path, "w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows([columns, *([row.get(name.strip(), row.get(name.strip().upper(), "")) for name in columns] for row in made)])


def diff(t, folder, *arguments):
    done = tap.run([t.ttprof, "ops-diff", *arguments], folder)
    return done.code, done.stdout.decode(), done.stderr.decode()


def changed(at, **cells):
    made = rows()
    made[at].update({name.replace("_", " "): value for name, value in cells.items()})
    return made


def check_reports(t, folder):
    same = (0, "CSV files are identical.\n", "")
    write(folder / "a.csv", REPORT, rows())
    write(folder / "b.csv", [*reversed(REPORT), "NEW COLUMN"], list(reversed(rows())))
    t.equal(diff(t, folder, "a.csv", "b.csv"), same, "neither order nor new columns matter")
    write(folder / "b.csv", REPORT, [dict(row, **{"OP TO OP LATENCY [ns]": row["OP TO OP LATENCY [ns]"] or "None"}) for row in rows()])
    t.equal(diff(t, folder, "a.csv", "b.csv"), same, "words for nothing are nothing")
    write(folder / "b.csv", REPORT, [dict(row, **{"DEVICE ARCH": ""}) for row in rows()])
    t.equal(diff(t, folder, "a.csv", "b.csv"),
            (0, "Allowed differences because one file had empty values for these headers: DEVICE ARCH\nCSV files are identical.\n", ""),
            "columns that came later may be empty on one side")
    write(folder / "b.csv", REPORT, changed(1, DEVICE_ARCH="wormhole_b0", OP_CODE="It's, new"))
    t.equal(diff(t, folder, "a.csv", "b.csv"),
            (1, "CSV files differ:\n - Row 3, Column 1 (header: 'OP CODE'): 'Op2, (a)' != 'It's, new'\n"
                " - Row 3, Column 4 (header: 'DEVICE ARCH'): 'blackhole' != 'wormhole_b0'\n", ""), "cells that differ are listed")
    write(folder / "b.csv", [name.lower() if "KERNEL" in name else name for name in REPORT], [])
    text = (folder / "b.csv").read_text()
    (folder / "b.csv").write_text(text + "".join((folder / "a.csv").read_text().splitlines(True)[1:]).replace(",801,", ",999,"))
    t.equal(diff(t, folder, "a.csv", "b.csv")[:2],
            (1, "CSV files differ:\n - Row 2, Column 12 (header: 'DEVICE KERNEL DURATION [ns]'): '801' != '999'\n"), "cells count whatever the case of their header")
    write(folder / "b.csv", REPORT, rows()[:-1])
    code, out, _ = diff(t, folder, "a.csv", "b.csv")
    t.equal((code, out), (1, "CSV files differ:\n - Row count mismatch: 7 rows vs 6 rows\n - Extra row 7 only present in first file: "
                             '"Op5, (a)",5120,0,blackhole,364000,1,2,4,52000,52900,900,805,50,700\n'), "a row too many is shown")
    code, out, _ = diff(t, folder, "b.csv", "a.csv", "--max-differences", "1")
    t.equal((code, out), (1, "CSV files differ:\n - Row count mismatch: 6 rows vs 7 rows\n ... truncated after 1 differences; there are 2.\n"), "the list is cut and says so")
    with open(folder / "a.csv", encoding="utf-8") as f:
        (folder / "b.csv").write_text(f.read().replace("Op4, (a)", 'x",x,"y'))
    code, out, err = diff(t, folder, "a.csv", "b.csv")
    t.ok(code == 1 and "\n - Rows that cannot be read: 0 in the first file, 1 in the second\n" in out and err.startswith("ttprof: ops-diff: b.csv: line 5: "),
         "what cannot be read is not the same", (code, out, err))


def check_folders(t, folder):
    for root, kernel in (("one", 900), ("two", 901)):
        for stamp in ("2026_01_01_00_00_00", "2026_02_01_00_00_00"):
            (folder / root / "reports" / stamp).mkdir(parents=True)
            made = changed(0, CORE_COUNT=1 if stamp < "2026_02" else kernel)
            write(folder / root / "reports" / stamp / f"ops_perf_results_{stamp}.csv", REPORT, made)
    t.equal(diff(t, folder, "one", "two")[:2], (1, "CSV files differ:\n - Row 2, Column 8 (header: 'CORE COUNT'): '900' != '901'\n"),
            "folders stand for their newest reports")


def check_device_report(t, folder):
    equal = (0, "Ops perf reports are equal\n", "")
    host = {"OP CODE": "(torch) add", "GLOBAL CALL COUNT": 99, "HOST START TS": 5}
    write(folder / "a.csv", REPORT, [host, *rows()])
    write(folder / "cpp.csv", DEVICE, [dict(op(0), **{"GLOBAL CALL COUNT": 0}), *reversed(rows())])
    t.equal(diff(t, folder, "a.csv", "cpp.csv"), equal, "what only one of them can have is left out")
    write(folder / "cpp.csv", DEVICE, [dict(row, **{"CORE COUNT": "4.0", "OP TO OP LATENCY [ns]": row["OP TO OP LATENCY [ns]"] or "-"}) for row in rows()])
    t.equal(diff(t, folder, "a.csv", "cpp.csv"), equal, "numbers are compared as numbers")
    made = rows()
    made[5]["DEVICE FW DURATION [ns]"] = 901
    write(folder / "cpp.csv", DEVICE, made[1:])
    t.equal(diff(t, folder, "a.csv", "cpp.csv"),
            (1, "Ops perf reports are not equal\nreport: 6 ops, device report: 5 ops; 5 in both, 12 columns in common\n"
                "Rows with differences: 2. Columns differing: DEVICE FW DURATION [ns]\n - Op 1024 is only in the report\n"
                " - Op 5120, DEVICE FW DURATION [ns]: '900' in the report, '901' in the device report\n", ""),
            "what is missing or different is told, and one that is missing does not make the others differ")
    t.equal(diff(t, folder, "cpp.csv", "a.csv")[1].splitlines()[3:],
            [" - Op 1024 is only in the report", " - Op 5120, DEVICE FW DURATION [ns]: '901' in the device report, '900' in the report"], "either may come first")
    write(folder / "cpp.csv", DEVICE, made)
    t.equal(diff(t, folder, "a.csv", "cpp.csv", "--only-compare-op-ids"), equal, "ids can be compared alone")
    made[4]["METAL TRACE REPLAY SESSION ID"] = 7
    write(folder / "cpp.csv", DEVICE, made)
    t.equal(diff(t, folder, "a.csv", "cpp.csv", "--only-compare-op-ids")[0], 1, "a replay is part of the id")
    write(folder / "cpp.csv", DEVICE, rows()[:2])
    write(folder / "more.csv", [*DEVICE[1:], DEVICE[0]], [dict(row, **{"OP NAME": "x"}) for row in rows()[2:]])
    text = (folder / "cpp.csv").read_text() + (folder / "more.csv").read_text()
    (folder / "cpp.csv").write_text(text)
    t.equal(diff(t, folder, "a.csv", "cpp.csv"), equal, "dumps are appended to a device report, each with its header")
    lines = text.splitlines(True)
    lines[2] = lines[2].replace("\n", ",,\n")
    (folder / "cpp.csv").write_text("".join(lines))
    t.equal(diff(t, folder, "a.csv", "cpp.csv"), equal, "empty cells after the last column say nothing")
    lines[2] = lines[2].replace(",,\n", ",,7\n")
    (folder / "cpp.csv").write_text("".join(lines))
    t.equal(diff(t, folder, "a.csv", "cpp.csv"),
            (1, "Ops perf reports are not equal\nreport: 6 ops, device report: 5 ops; 5 in both, 12 columns in common\nRows with differences: 1. Columns differing: none\n"
                " - Rows that cannot be read: 0 in the first file, 1 in the second\n - Op 2048 is only in the report\n",
             "ttprof: ops-diff: cpp.csv: line 3: more cells than its header: rows of the device report that do not fit their header (1 in all): "
             "cells that cannot be assigned are skipped; a dump was killed while writing, or the file was edited\n"),
            "a row of a device report that does not fit its header is not compared")
    (folder / "cpp.csv").write_text(text[:text.rindex(",")])
    code, out, err = diff(t, folder, "a.csv", "cpp.csv")
    t.ok(code == 1 and "- Rows that cannot be read: 0 in the first file, 1 in the second\n - Op 5120 is only in the report\n" in out and "truncated" in err,
         "a row that breaks off is not compared", (code, out, err))
    (folder / "root/.logs").mkdir(parents=True)
    write(folder / "root/ops_perf_results.csv", REPORT, rows())
    t.equal(diff(t, folder, "root"), (3, "", "ttprof: ops-diff: root: no cpp_device_perf_report.csv here or in .logs; name the table to compare with\n"),
            "a folder alone must have both")
    write(folder / "root/.logs/cpp_device_perf_report.csv", DEVICE, rows())
    t.equal(diff(t, folder, "root"), equal, "a folder alone: its report and its device report")
    done = tap.run([t.ttprof, "ops-diff"], folder, TT_METAL_PROFILER_DIR="root")
    t.equal((done.code, done.stdout), (0, b"Ops perf reports are equal\n"), "no word: the profiler's folder")


def check_golden(t, folder):
    golden = t.root.parent / "shared/golden/ops-report"
    for name in ("qwen_full_attention", "qwen_linear_attention_winner"):
        if not golden.exists():
            t.skip(f"the report {name} says what the device report says", "the golden data is not beside the project (../shared)")
            continue
        t.equal(diff(t, folder, golden / name / "expected/ops_perf_results.csv", golden / name / "logs/cpp_device_perf_report.csv"),
                (0, "Ops perf reports are equal\n", ""), f"the report {name} says what the device report says")


def check_bad(t, folder):
    write(folder / "a.csv", REPORT, rows())
    (folder / "none.csv").write_text("A,B\n1,2\n")
    (folder / "empty.csv").write_text("")
    (folder / "few.csv").write_text("GLOBAL CALL COUNT,OP NAME,DEVICE FW DURATION [ns]\n1024,,5\n")
    for arguments, code, text in (
            (["no.csv", "a.csv"], 3, "no.csv: No such file or directory; check the path"),
            (["a.csv", "no.csv"], 3, "no.csv: No such file or directory; check the path"),
            (["a.csv"], 2, "'a.csv' is not a folder; name two tables, or a folder with a report and a device report"),
            (["a.csv", "none.csv"], 4, "none.csv: line 1: missing column 'GLOBAL CALL COUNT'; name a table of ops (ops_perf_results_*.csv or "
                                       "cpp_device_perf_report.csv)"),
            (["a.csv", "few.csv"], 1, "Only 2 common columns found; a report and a device report need at least 12"),
            (["a.csv", "a.csv", "--max-differences", "0"], 2, "--max-differences must be positive"),
            (["."], 3, ".: no ops_perf_results_*.csv here, in its subfolders or in reports/; make one with 'ttprof ops'")):
        t.equal(diff(t, folder, *arguments), (code, "", f"ttprof: ops-diff: {text}\n"), f"ops-diff {' '.join(arguments)} is refused")
    code, out, err = diff(t, folder, "a.csv", "empty.csv")
    t.ok(code == 4 and not out and err.startswith("ttprof: ops-diff: empty.csv: "), "an empty file is no table", (code, out, err))


def test(t):
    check_reports(t, t.folder("reports"))
    check_folders(t, t.folder("folders"))
    check_device_report(t, t.folder("device"))
    check_golden(t, t.folder("golden"))
    check_bad(t, t.folder("bad"))


tap.main(test)
