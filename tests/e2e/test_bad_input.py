#!/usr/bin/python3
"""test_bad_input.py TTPROF SOURCE_ROOT - what every wrong input, output and option leads to.

Each case stands in a table with its input, the exact message and the exit code. Cases that must
fail name output files that exist already: these must stay as they were, and nothing may be left
beside them.
"""
import csv
import os
import re
import shlex

import tap

COLUMNS = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "CORE COUNT",
           "DEVICE KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]", "INPUT_0_MEMORY"]
CELLS = ["UnaryDeviceOperation", "tt_dnn_device", "1", "0", "", "64", "1000", "500", "DEV_0_L1_INTERLEAVED"]
SIZES = [f"{tensor}_{axis}" for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0") for axis in "WZYX"]
MATMUL = {"OP CODE": "MatmulDeviceOperation", "MATH FIDELITY": "HiFi4", **{s: "32" for s in SIZES},
          "INPUT_0_DATATYPE": "BFLOAT16", "INPUT_1_DATATYPE": "BFLOAT16", "OUTPUT_0_DATATYPE": "BFLOAT16",
          "INPUT_1_MEMORY": "DEV_0_DRAM_INTERLEAVED", "OUTPUT_0_MEMORY": "DEV_0_DRAM_INTERLEAVED"}
GIB = 1 << 30


def line(cells):
    return ",".join(cells) + "\n"


HEAD, ROW = line(COLUMNS), line(CELLS)


def table(without=None, **odd):
    """Two ops; `without`: a column that is left out; odd: other cells of the second op."""
    names = {"arch": "DEVICE ARCH", "call": "GLOBAL CALL COUNT", "device": "DEVICE ID", "cores": "CORE COUNT",
             "duration": "DEVICE KERNEL DURATION [ns]", "gap": "OP TO OP LATENCY [ns]", "width": "INPUT_0_X"}
    more = {}
    if "width" in odd:
        more = dict(MATMUL)
    first = {**dict(zip(COLUMNS, CELLS)), **more}
    second = {**first, **{names[k]: v for k, v in odd.items()}}
    if "arch" in odd:
        first["DEVICE ARCH"] = odd["arch"]
    keep = [c for c in second if c != without]
    return line(keep) + line([first[c] for c in keep]) + line([second[c] for c in keep])


def cut(name, *parts, size=GIB):
    """A sparse file: the parts with NUL bytes between them, `size` in all."""
    def write(folder):
        with open(folder / name, "wb") as f:
            f.write(parts[0].encode())
            f.truncate(size)
            f.seek(0, os.SEEK_END)
            f.write("".join(parts[1:]).encode())
    return write


def make(*names):
    """Folders."""
    return lambda folder: [(folder / n).mkdir() for n in names]


def links(**to):
    return lambda folder: [os.symlink(target, folder / name.replace("_", ".")) for name, target in to.items()]


def unreadable(folder):
    (folder / "in.csv").write_text(HEAD + ROW)
    (folder / "in.csv").chmod(0)


def unwritable(folder):
    (folder / "in.csv").write_text(HEAD + ROW)
    (folder / "out.csv").write_text("before\n")
    (folder / "out.csv").chmod(0o444)


NO_COLUMN = "a report needs the table of ops that tt-metal writes (ops_perf_results_*.csv)"
BAD_RANGE = "Invalid --id-range format. Please use 'START-END', 'START-', or '-END'.\n"
BAD_ROWS = "rows of the table that cannot be read"
LEFT_OUT = "they are skipped; export the table again, or check the line"
NO_UTF8 = "is not UTF-8; convert the file to UTF-8"
OPEN_QUOTE = "unclosed quote; the file is truncated or damaged"
LONG_CELL = "a cell of over 16 MB; the file is damaged or not a table of ops"
RAGGED = "more than the 9 cells of the header; quote cells that contain commas, or export the file again"
MISSING = "they are treated as missing; correct the cell or export the file again"
NO_TIME = ("device ops without a duration above zero (1 in all): their time is 0 and their rates are empty; "
           "check that the device profiler was on for the whole run")
ABSURD = "numbers that no device can have measured (1 in all): they are treated as missing; check the run that wrote them"
NO_DEVICE = ("device ops without a device id (1 in all): they are kept as rows without a device; "
             "check the run that wrote them")
NO_SIZES = ("matmuls or convolutions without all sizes, memories and data types (1 in all): "
            "their derived cells are empty; record the run with tensor columns")
NOTES = """\
Detected CSV format: v1 (legacy format)
Architecture: wormhole, Worker cores: 64
Warning: 'HOST START TS' column not found. CSV will not be sorted.
No signposts found in the file. Using the entire file for analysis.
"""
ONE_DEVICE = NOTES + "Detected data from 1 devices. Merging device data...\n"
COLUMN_NAMES = ("ID, Total %, Bound, OP Code, Device, Device Time, Op-to-Op Gap, Cores, DRAM, DRAM %, FLOPs, FLOPs %, "
                "Math Fidelity, Output Datatype, Input 0 Datatype, Input 1 Datatype, DRAM Sharded, Input 0 Memory, "
                "Inner Dim Block Size, Output Subblock H, Output Subblock W, Global Call Count, Advice")

# Files that cannot be read as a table. Columns: what, in.csv, exit code, stderr behind
# "ttprof: report: ", stdout (empty unless told).
FILES = [
    *((f"the column '{c}' is missing", table(without=c), 1, f"in.csv: line 1: missing column '{c}'; {NO_COLUMN}")
      for c in COLUMNS if c != "DEVICE ID"),
    ("the column 'DEVICE ID' is missing", table(without="DEVICE ID"), 1, "",
     "CSV 'in.csv' is missing the 'DEVICE ID' column.\n"),
    ("the header is not UTF-8", b"\xff" + HEAD.encode() + ROW.encode(), 1, f"in.csv: line 1: byte 0xff at offset 0 {NO_UTF8}"),
    ("the body is UTF-16", (HEAD + ROW).encode("utf-16"), 1, f"in.csv: line 1: byte 0xff at offset 0 {NO_UTF8}"),
    ("the file is empty", "", 1, "in.csv: is empty; a table starts with a line of column names"),
    ("the file holds blank lines only", "\n  \r\n\t\n", 1, "in.csv: is empty; a table starts with a line of column names"),
    ("the file holds a byte order mark only", "\ufeff", 1, "in.csv: is empty; a table starts with a line of column names"),
    ("a quote of the header is never closed", '"' + HEAD + ROW, 1, f"in.csv: line 1: {OPEN_QUOTE}"),
    ("a header of 1 GiB", cut("in.csv", ""), 1, "in.csv: line 1: over 4 MB of column names; not a table of ops"),
    ("a header of 100,000 columns", "a," * 100_000 + "\n", 1, "in.csv: line 1: over 65536 columns; not a table of ops"),
    ("the input is a directory", make("in.csv"), 1, "in.csv: is a directory; name the CSV file in it"),
    ("the input is not there", lambda folder: None, 1, "in.csv: No such file or directory; check the path"),
    ("the input is a link to nothing", links(in_csv="gone"), 1, "in.csv: No such file or directory; check the path"),
    ("the input may not be read", unreadable, 1, "in.csv: Permission denied"),
    ("there is a header and nothing else", HEAD, 0, "",
     NOTES + "No device operations found in the CSV data.\nNo operations to display after applying filters.\n"),
]

# Rows that cannot be taken: the report comes out without them. Columns: what, in.csv, the same table without the row,
# stderr behind "ttprof: report: in.csv: ", how many.
ROWS_ODD = [
    ("a row has three cells too many", HEAD + ROW + ROW.replace("\n", ",x,y,z\n") + ROW, HEAD + ROW + "\n" + ROW, f"line 3: {RAGGED}", 1),
    ("the number of a ragged line counts blank lines and line ends in quotes",
     HEAD + "\n" + ROW.replace("UnaryDeviceOperation", '"Un\na\r\nryDeviceOperation"') + "  \n" + ROW + ROW.replace("\n", ",x\n"),
     HEAD + "\n" + ROW.replace("UnaryDeviceOperation", '"Un\na\r\nryDeviceOperation"') + "  \n" + ROW, f"line 8: {RAGGED}", 1),
    ("the last row is ragged and has no line end", HEAD + ROW + "a" + "," * 9, HEAD + ROW, f"line 3: {RAGGED}", 1),
    ("every second row is ragged", HEAD + (ROW + ROW.replace("\n", ",x\n")) * 2000, HEAD + (ROW + "\n") * 2000, f"line 3: {RAGGED}", 2000),
    ("a row is not UTF-8", (HEAD + ROW).encode() + b"a,\xe2\x28,c\n" + ROW.encode(), HEAD + ROW + "\n" + ROW,
     f"line 3: byte 0xe2 at offset {len(HEAD + ROW) + 2} {NO_UTF8}", 1),
    ("the end of the file cuts a character off", (HEAD + ROW).encode() + b"a,b,\xe2\x82", HEAD + ROW,
     f"line 3: byte 0xe2 at offset {len(HEAD + ROW) + 4} {NO_UTF8}", 1),
    ("a quote is never closed", HEAD + ROW + '"' + ROW + ROW, HEAD + ROW + "\n" + ROW, f"line 3: {OPEN_QUOTE}", 1),
    ("a line of 1 GiB", cut("in.csv", HEAD), HEAD, f"line 2: column 'OP CODE': {LONG_CELL}", 1),
    ("a quoted cell of 1 GiB", cut("in.csv", HEAD + '"', '",b\n'), HEAD, f"line 2: column 'OP CODE': {LONG_CELL}", 1),
    ("a quoted cell of 1 GiB that is never closed", cut("in.csv", HEAD + '"'), HEAD, f"line 2: {OPEN_QUOTE}", 1),
]

# Cells that no device has measured: the report comes out, as if the cell were empty. Columns:
# what, table, the same table with an empty cell, stderr lines behind "ttprof: report: in.csv: line 3: ".
CELLS_ODD = [
    ("duration 1e999", table(duration="1e999"), table(duration=""),
     [f"column 'DEVICE KERNEL DURATION [ns]': '1e999': {ABSURD}", f"column 'DEVICE KERNEL DURATION [ns]': {NO_TIME}"]),
    ("duration inf", table(duration="inf"), table(duration=""),
     [f"column 'DEVICE KERNEL DURATION [ns]': 'inf': {ABSURD}", f"column 'DEVICE KERNEL DURATION [ns]': {NO_TIME}"]),
    ("duration 'lots'", table(duration="lots"), table(duration=""),
     [f"column 'DEVICE KERNEL DURATION [ns]': 'lots': cells that are not a number where one is required (1 in all): {MISSING}",
      f"column 'DEVICE KERNEL DURATION [ns]': {NO_TIME}"]),
    ("gap -5e300", table(gap="-5e300"), table(gap=""), [f"column 'OP TO OP LATENCY [ns]': '-5e300': {ABSURD}"]),
    ("core count 1e300", table(cores="1e300"), table(cores=""), [f"column 'CORE COUNT': '1e300': {ABSURD}"]),
    ("call count of 20 digits", table(call="99999999999999999999"), table(call=""),
     [f"column 'GLOBAL CALL COUNT': '99999999999999999999': {ABSURD}"]),
    ("device id -5", table(device="-5"), table(device=""),
     [f"column 'DEVICE ID': '-5': {ABSURD}", f"column 'DEVICE ID': {NO_DEVICE}"]),
    ("device id 99999999999", table(device="99999999999"), table(device=""),
     [f"column 'DEVICE ID': '99999999999': {ABSURD}", f"column 'DEVICE ID': {NO_DEVICE}"]),
    ("device id 'x'", table(device="x"), table(device=""),
     [f"column 'DEVICE ID': 'x': cells that are not a number where one is required (1 in all): {MISSING}",
      f"column 'DEVICE ID': {NO_DEVICE}"]),
    ("dimension of 20 digits", table(width="99999999999999999999"), table(width=""),
     [f"column 'INPUT_0_X': '99999999999999999999': {ABSURD}",
      f"column 'INPUT_0_X': {NO_SIZES}"]),
    ("dimension 'wide'", table(width="wide"), table(width=""),
     [f"column 'INPUT_0_X': 'wide': cells that are not a number where one is required (1 in all): {MISSING}",
      f"column 'INPUT_0_X': {NO_SIZES}"]),
]

# Outputs that cannot be written; {report} is what a run without them prints. Columns: what,
# what stands in the folder beside in.csv, options, stderr behind "ttprof: report: ", stdout,
# files that are made all the same.
NO_FOLDER = "cannot write: No such file or directory; choose another file"
IS_FOLDER = "cannot write: Is a directory; choose another file"
NO_SPACE = "cannot write: No space left on device; free some space or choose another file"
SUMMARY = "Writing CSV stacked report to"
PICTURE = "Plotting PNG stacked report to"
OUTPUTS = [
    ("--csv in no folder", None, "--csv no/out.csv", f"no/out.csv: {NO_FOLDER}", f"{ONE_DEVICE}Writing CSV output to no/out.csv\n", []),
    ("--csv on a full disk", None, "--csv /dev/full", f"/dev/full: {NO_SPACE}", f"{ONE_DEVICE}Writing CSV output to /dev/full\n", []),
    ("--csv onto a folder", make("out"), "--csv out", f"out: {IS_FOLDER}", f"{ONE_DEVICE}Writing CSV output to out\n", []),
    ("--html in no folder", None, "--html no/out.html", f"no/out.html: {NO_FOLDER}", "{report}Writing HTML report to no/out.html\n", []),
    ("--html on a full disk", None, "--html /dev/full", f"/dev/full: {NO_SPACE}", "{report}Writing HTML report to /dev/full\n", []),
    ("--html onto a folder", make("out"), "--html out", f"out: {IS_FOLDER}", "{report}Writing HTML report to out\n", []),
    ("--summary-file in no folder", None, "--summary-file no/s", f"no/s.csv: {NO_FOLDER}", f"{{report}}{SUMMARY} no/s.csv\n", []),
    ("--summary-file on a full disk", links(s_csv="/dev/full"), "--summary-file s", f"s.csv: {NO_SPACE}",
     f"{{report}}{SUMMARY} s.csv\n", []),
    ("--summary-file onto a folder", make("s.csv"), "--summary-file s", f"s.csv: {IS_FOLDER}", f"{{report}}{SUMMARY} s.csv\n", []),
    ("the picture on a full disk", links(s_png="/dev/full"), "--summary-file s", f"s.png: {NO_SPACE}",
     f"{{report}}{SUMMARY} s.csv\n{PICTURE} s.png\n", ["s.csv"]),
    ("the picture onto a folder", make("s.png"), "--summary-file s", f"s.png: {IS_FOLDER}",
     f"{{report}}{SUMMARY} s.csv\n{PICTURE} s.png\n", ["s.csv"]),
    ("--csv onto a file that may not be written", unwritable, "--csv out.csv",
     "out.csv: cannot write: Permission denied; choose another file", f"{ONE_DEVICE}Writing CSV output to out.csv\n", []),
]

# Command lines. Columns: what, arguments, exit code, stderr behind "ttprof: ", stdout.
LINES = [
    ("no input", "report", 2, "report: missing argument; usage: ttprof report CSV...", ""),
    ("an unknown option", "report in.csv --nosuch", 2, "report: unknown option '--nosuch'; 'ttprof report --help' lists all", ""),
    ("an option misspelt", "report in.csv --colr", 2, "report: unknown option '--colr'; did you mean '--color'?", ""),
    ("an unknown letter", "report in.csv -z", 2, "report: unknown option '-z'; 'ttprof report --help' lists all", ""),
    ("an ambiguous beginning", "report in.csv --no-s", 2, "report: option '--no-s' is ambiguous: --no-summary, --no-stacked-report, --no-stack-by-in0", ""),
    ("no value", "report in.csv --csv", 2, "report: --csv needs a value: --csv FILE", ""),
    ("an option in place of a value", "report in.csv --html --json", 2, "report: --html needs a value: --html FILE", ""),
    ("a value where none goes", "report in.csv --json=yes", 2, "report: --json takes no value", ""),
    ("a bad choice", "report in.csv --group-by size", 2, "report: --group-by: invalid value 'size'; use one of: op memory category", ""),
    ("a bad number", "report in.csv --min-percentage few", 2, "report: --min-percentage: 'few' is not a number", ""),
    ("a bad whole number", "report in.csv --top 1e3", 2, "report: --top: '1e3' is not a valid integer", ""),
    ("a number of 20 digits", "report in.csv --top 99999999999999999999", 2,
     "report: --top: '99999999999999999999' is not a valid integer", ""),
    ("an output onto the input", "report in.csv --csv in.csv", 2, "report: 'in.csv' is an input; choose another output file", ""),
    ("the same by another path", "report in.csv --html ./in.csv", 2, "report: './in.csv' is an input; choose another output file", ""),
    ("two outputs into one file", "report in.csv --csv d.csv --summary-file d", 2,
     "report: 'd.csv' would be written twice; use a different file for each output", ""),
    ("two documents on standard output", "report in.csv --json --csv -", 2,
     "report: only one of --json, --csv - and --html - can go to stdout", ""),
    ("--top -1", "report in.csv --top -1", 2, "report: --top must not be negative, got -1", ""),
    ("--sort by no column", "report in.csv --sort nosuch", 2, f"report: --sort: unknown column 'nosuch'; valid columns: {COLUMN_NAMES}", ""),
    ("an unknown --arch", "report in.csv --arch tpu9", 2,
     "report: --arch: unknown architecture 'tpu9'; 'ttprof arch' lists the known ones", ""),
    *((f"two documents for standard output: {two}", f"report in.csv {two}", 2,
       "report: only one of --json, --csv - and --html - can go to stdout", "")
      for two in ("--csv - --json", "--html - --json", "--csv - --html -")),
    *((f"--id-range '{r}'", f"report in.csv --id-range '{r}'", 1, "", BAD_RANGE) for r in ("-", "a-b", "1-2-3", "5", "", "1-x")),
    ("--id-range=-", "report in.csv --id-range=-", 1, "", BAD_RANGE),
    ("an unknown command", "xyzzy in.csv", 2, "unknown command 'xyzzy'; 'ttprof help' lists all", ""),
    ("a command misspelt", "rport in.csv", 2, "unknown command 'rport'; did you mean 'ttprof report'?", ""),
    ("help on an unknown command", "help xyzzy", 2, "help: unknown command 'xyzzy'; 'ttprof help' lists all", ""),
    ("help on a command misspelt", "help reprot", 2, "help: unknown command 'reprot'; did you mean 'report'?", ""),
    ("completion for no such shell", "help --completion ksh", 2, "help: --completion: invalid value 'ksh'; use one of: bash zsh fish", ""),
    ("an unknown chip", "arch tpu9", 2, "arch: unknown architecture 'tpu9'; 'ttprof arch' lists all", ""),
    ("an argument too many", "version now", 2, "version: unexpected argument 'now'", ""),
]

# ---- device logs ----
DEVICE_HEAD = ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
               "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
               "trace id counter, zone name, type, source line, source file, meta data\n")
DEVICE_ROWS = "".join(f"0,1,1,BRISC,{i},{time},0,1024,,,BRISC-{zone},ZONE_{phase},1,a.cc,\n" for zone, phase, i, time in (
    ("FW", "START", 7, 100), ("KERNEL", "START", 8, 150), ("KERNEL", "END", 8, 1150), ("FW", "END", 7, 1200)))
DEVICE_LOG = DEVICE_HEAD + DEVICE_ROWS
NO_LOG = ("line 2: not the column names of a device log (PCIe slot, core_x, core_y, RISC processor type, timer_id, "
          "time[cycles since reset], ...), and the rows have neither 15 nor 6 cells; name a profile_log_device.csv")
NO_ROW = "rows that are not markers (1 in all): they are skipped; check the line, the disk or the program that wrote it"
CUT = "the log is truncated (1 in all): the part before the cut is used; copy the file again, or wait until it is written"
PARTS = "tarball, stats, health, perf-report, op-to-op, rearranged, analysis-data, chrome-trace, html, log"
NO_TIME_AT = "is not a time; use cycles as in the log, or +N cycles from the first marker of a device"

# Files that are no device log. Columns: what, in.csv, exit code, stderr behind "ttprof: COMMAND: ".
DEVICE_FILES = [
    ("the log is not there", lambda folder: None, 3, "in.csv: No such file or directory; check the path"),
    ("the log is empty", "", 4, "in.csv: is empty; the device wrote no log"),
    ("the log holds blank lines only", " \n\r\n\t\n", 4, "in.csv: is empty; the device wrote no log"),
    ("the log is a folder", make("in.csv"), 3, "in.csv: is a directory; name the CSV file in it"),
    ("the log is a link to nothing", links(in_csv="gone"), 3, "in.csv: No such file or directory; check the path"),
    ("the log may not be read", unreadable, 3, "in.csv: Permission denied"),
    ("a table of ops in place of a log", HEAD + ROW + ROW, 4, f"in.csv: {NO_LOG}"),
    ("a text in place of a log", "Lorem ipsum\ndolor sit amet\nconsectetur\n", 4, f"in.csv: {NO_LOG}"),
    ("bytes in place of a log", bytes(range(256)) * 40, 4, f"in.csv: {NO_LOG}"),
    ("a picture in place of a log", b"\x89PNG\r\n\x1a\n" + bytes(500), 4, f"in.csv: {NO_LOG}"),
    ("1 GiB of nothing in place of a log", cut("in.csv", ""), 4, f"in.csv: {NO_LOG}"),
    ("rows of seven cells without names", "ARCH: a, b: 1\nwhat\n" + "1,2,3,4,5,6,7\n" * 9, 4, f"in.csv: {NO_LOG}"),
    ("six columns of other names, and no numbers", "a,b,c,d,e,f\nu,v,w,x,y,z\n" * 9, 4, f"in.csv: {NO_LOG}"),
]

# Logs that are odd, but are read. Columns: what, in.csv, lines of stderr behind
# "ttprof: COMMAND: in.csv: ", the log that gives the same statistics.
DEVICE_ODD = [
    ("nothing behind the two lines on top", DEVICE_HEAD, [], DEVICE_HEAD),
    ("only the first line is there", DEVICE_HEAD.split("\n")[0] + "\n", [f"line 2: (empty): {CUT}"], DEVICE_HEAD),
    ("a row with a word in place of a time", DEVICE_LOG + DEVICE_ROWS.split("\n")[0].replace(",100,", ",soon,") + "\n",
     [f"line 7: 0,1,1,BRISC,7,soon,0,1024,,,BRISC-FW,ZONE_START,1,a.cc,: {NO_ROW}"], DEVICE_LOG),
    ("a row that is cut off in the middle of the log", DEVICE_HEAD + "0,1,1,BR\n" + DEVICE_ROWS, [f"line 3: 0,1,1,BR: {NO_ROW}"], DEVICE_LOG),
    ("a row that is cut off at the end", DEVICE_LOG + "0,1,1,BR", [f"line 7: 0,1,1,BR: {CUT}"], DEVICE_LOG),
    ("a row twice", DEVICE_LOG + DEVICE_ROWS.split("\n")[3] + "\n",
     ["line 7: BRISC: duplicate rows (1 in all): they are used once; a buffer was read twice, "
      "or a log was appended to itself"], DEVICE_LOG),
    ("no clock", DEVICE_LOG.replace(": 1000", ": fast", 1),
     ["line 1: CHIP_FREQ[MHz]: the log does not state the clock of the chip (1 in all): times are in cycles only; "
      "set the clock with --mhz",
      "line 1: ARCH: wormhole_b0, CHIP_FREQ[MHz]: fast, Max Compute Cores: 64: header lines that are damaged or unknown (1 in all): "
      "their content is unknown, or columns are identified by position; check the first two lines of the log"], DEVICE_LOG),
]

# Setups with a mistake. Columns: text, stderr behind "ttprof: device: own.ini: ".
SETUPS = [
    ("detect_ops = maybe\n", "line 1: detect_ops: invalid value 'maybe'; use one of no, yes"),
    ("# mine\n\ndisplay = Count, Mean\n",
     "line 3: display: invalid value 'Mean'; use one of Count, Average, Max, Median, Min, Sum, Range, First"),
    ("display = Max, Min, Max\n", "line 1: display: Max is given twice"),
    ("colour = red\n", "line 1: unknown key 'colour' before the first [analysis]; valid keys: parent, detect_ops and display"),
    ("hello\n", "line 1: expected 'key = value' or [analysis]"),
    ("\0\1\n", "line 1: expected 'key = value' or [analysis]"),
    ("\n[a\n", "line 2: an analysis is written [name]"),
    ("[a] x\n", "line 1: an analysis is written [name]"),
    ("[ ]\n", "line 1: an analysis needs a name: [name]"),
    (2 * "[a]\nacross = core\ntype = event\nmarker.risc = ANY\n", "line 5: [a] is given twice"),
    ("[a]\nacross = row\n", "line 2: across: invalid value 'row'; use one of core, device, ops, dispatch_ops"),
    ("[a]\ntype = mean\n", "line 2: type: invalid value 'mean'; use one of adjacent, session_first_last, op_first_last, op_core_first_last, "
     "launch_first_last, sum, event"),
    ("[a]\nx = y\n", "line 2: unknown key 'x'; valid keys: across, type, start.*, end.*, both.* and marker.*"),
    ("[a]\nmiddle.risc = ANY\n", "line 2: unknown key 'middle.risc'; valid keys: across, type, start.*, end.*, both.* and marker.*"),
    ("[a]\nstart.colour = y\n", "line 2: unknown key 'colour'; valid keys: zone_name, zone_phase, risc, core and timer_id"),
    ("[a]\nend.zone_phase = begin\n",
     "line 2: zone_phase: invalid value 'begin'; use one of ZONE_START, ZONE_END, ZONE_TOTAL, TS_DATA, TS_EVENT"),
    *((f"[a]\nboth.timer_id = {v}\n", f"line 2: timer_id: '{v}' is not a number") for v in ("x", "-1", "1.5", "")),
    *((f"[a]\nboth.core = {v}\n", f"line 2: core: '{v}' is neither ANY nor x, y") for v in ("1", "1, y", "any", "99999999999, 1")),
    ("[a]\nboth.risc =\n", "line 2: risc is empty; use ANY for all"),
    ("[a]\nboth.zone_name =\n", "line 2: zone_name is empty"),
    ("[a]\nboth.zone_name = X,,Y\n", "line 2: empty name between two commas"),
    ("[a]\ntype = sum\n", "[a]: missing across or type"),
    ("[a]\nacross = core\n", "[a]: missing across or type"),
    ("[a]\nacross = core\ntype = sum\nmarker.risc = ANY\n", "[a]: missing marker.zone_name"),
    ("[a]\nacross = core\ntype = adjacent\nend.zone_name = X\n", "[a]: missing start.zone_name; add the zone that starts the interval"),
    ("[a]\nacross = core\ntype = adjacent\nstart.zone_name = X\n", "[a]: missing end.zone_name; add the zone that ends the interval"),
    ("[a]\nacross = core\ntype = adjacent\nboth.zone_name = X\nstart.risc = ANY\n", "[a]: missing risc; use ANY for all"),
    ("[a]\nacross = core\ntype = event\n", "[a]: missing risc; use ANY for all"),
    ("[a]\nacross = core\ntype = op_core_first_last\nboth.zone_name = X\nboth.risc = ANY\n", "[a]: op_core_first_last needs across = ops"),
    ("[a]\nacross = ops\ntype = launch_first_last\nboth.zone_name = X\nboth.risc = ANY\n", "[a]: launch_first_last needs across = core"),
    ("[a]\nacross = dispatch_ops\ntype = adjacent\nboth.zone_name = X\nboth.risc = ANY\n",
     "[a]: across = dispatch_ops needs op_first_last"),
    ("parent = nosuch\n", "parent: Setup nosuch not available"),
    ("parent = own.ini\n", "parent: Setup own.ini not available"),
]

# Command lines. Columns: what, arguments, exit code, stderr behind "ttprof: ".
DEVICE_LINES = [
    ("no log, and none in the default folder", "device", 3, "device: generated/profiler/.logs/profile_log_device.csv: No such file or directory; check the path"),
    ("two logs", "device in.csv -d in.csv", 2, "device: two logs given: 'in.csv' and 'in.csv'; name one"),
    ("two logs as words", "device in.csv more.csv", 2, "device: unexpected argument 'more.csv'"),
    ("an unknown setup", "device in.csv -s nosuch", 2, "device: Setup nosuch not available"),
    ("a setup without a name", "device in.csv -s ''", 2, "device: Setup  not available"),
    ("a setup file that is not there", "device in.csv -s nosuch.ini", 3, "device: nosuch.ini: No such file or directory; check the path"),
    ("a setup that is a folder", "device in.csv -s ./out", 3, "device: ./out: is a directory; name the CSV file in it"),
    *((f"--{which} '{v}'", f"device in.csv --{which}={v}", 2, f"device: --{which}: '{v}' {NO_TIME_AT}")
      for which in ("from", "to") for v in ("x", "-5", "+", "+x", "", "1.5", "99999999999999999999")),
    *((f"--run-id '{v}'", f"device in.csv --run-id={v}", 2, f"device: --run-id: '{v}' is not a range; use 'A-B', 'A-' or '-B'")
      for v in ("5", "-", "a-b", "1-2-3", "", "1-x")),
    ("--skip of no part", "device in.csv --skip stats,pictures", 2, f"device: --skip: unknown part 'pictures'; valid parts: {PARTS}"),
    ("--skip of an empty part", "device in.csv --skip stats,,log", 2, f"device: --skip: unknown part ''; valid parts: {PARTS}"),
    *((f"--mhz {v}", f"device in.csv --mhz {v}", 2, f"device: --mhz must be between 1 and 100000, got {v}")
      for v in (-1, 0, 100001, 1 << 32, 1 << 62)),
    ("--mhz fast", "device in.csv --mhz fast", 2, "device: --mhz: 'fast' is not a valid integer"),
    ("--html-zones -1", "device in.csv --html-zones -1", 2, "device: --html-zones must be positive, got -1"),
    ("--html-zones many", "device in.csv --html-zones many", 2, "device: --html-zones: 'many' is not a valid integer"),
    ("--analysis-data of no form", "device in.csv --analysis-data some", 2,
     "device: --analysis-data: invalid value 'some'; use one of: compact full"),
    ("no value for -o", "device in.csv -o", 2, "device: --output-folder needs a value: --output-folder FOLDER"),
    ("an unknown option of device", "device in.csv --nosuch", 2, "device: unknown option '--nosuch'; 'ttprof device --help' lists all"),
    ("an option of device misspelt", "device in.csv --percentle", 2,
     "device: unknown option '--percentle'; did you mean '--percentiles'?"),
    ("the output is a file", "device in.csv -o in.csv", 3, "device: in.csv: cannot create folder: File exists; choose another one"),
    ("the output is below a file", "device in.csv -o in.csv/x/y", 3, "device: in.csv: cannot create folder: File exists; choose another one"),
    ("the output has no name", "device in.csv -o ''", 3, "device: : cannot create folder: No such file or directory; choose another one"),
    ("no log for info", "info", 2, "info: missing argument; usage: ttprof info LOG|RUN"),
    ("two logs for info", "info in.csv in.csv", 2, "info: unexpected argument 'in.csv'"),
    ("an option of info misspelt", "info in.csv --jsn", 2, "info: unknown option '--jsn'; did you mean '--json'?"),
]

# ---- raw dumps and profiled runs ----
ONE_CORE = '{"layout": "v2", "arch": "wormhole_b0", "chips": [{"id": 0, "freq_mhz": 1000, "cores": [{"x": 1, "y": 1, "flat": 0}]}]}'
NO_CHIPS = "dump.json: no valid 'chips'; name a folder that --dump-raw wrote"
NO_NAMES = "dump: no zone_ids.csv and no zone_src_locations.log: zones have no names"
LOST_CORE = ("chip 0, core 1,1: cores whose control vector or buffers could not be read or are invalid (1 in all): "
             "their markers are missing; check the device, or the files of the dump")

# Documents that are no dump: exit code 4. Columns: what, raw/dump.json, lines of stderr behind "ttprof: decode: ".
DUMPS = [
    ("a list in place of a dump", "[1]", ["dump.json: line 1: not an object"]),
    ("a text in place of a dump", '"x"', ["dump.json: line 1: not an object"]),
    ("a dump that is cut off", '{"layout": "v2",\n', ["dump.json: line 2: unexpected end of file"]),
    ("a layout that is there twice", '{"layout": "v9", "layout": "v2"}',
     ["dump.json: 'layout' occurs 2 times: the last one is used", NO_CHIPS]),
    ("no layout", "{}", ["dump.json: unknown 'layout' ''; use v0, v1 or v2"]),
    ("an unknown layout", '{"layout": "v9"}', ["dump.json: unknown 'layout' 'v9'; use v0, v1 or v2"]),
    ("a layout that is a number", '{"layout": 2}', ["dump.json: unknown 'layout' ''; use v0, v1 or v2"]),
    ("no chips", '{"layout": "v2"}', [NO_CHIPS]),
    ("chips that are a number", '{"layout": "v2", "chips": 5}', [NO_CHIPS]),
    ("a chip without an id", '{"layout": "v2", "chips": [{}]}', ["dump.json: a device without 'id' is skipped", NO_CHIPS]),
    ("an id that is a text", '{"layout": "v2", "chips": [{"id": "0"}]}',
     ["dump.json: 'id' is not a number from 0 to 1023", "dump.json: a device without 'id' is skipped", NO_CHIPS]),
    ("a chip without cores", '{"layout": "v1", "chips": [{"id": 3, "cores": []}]}',
     ["dump.json: device 3 has no 'cores' and is skipped", NO_CHIPS]),
    ("a core at no place", '{"layout": "v0", "chips": [{"id": 0, "cores": [{"x": 1, "y": 1, "flat": 256}]}]}',
     ["dump.json: 'flat' is not a number from 0 to 255", "dump.json: a core without 'x', 'y' or 'flat' is skipped",
      "dump.json: device 0 has no 'cores' and is skipped", NO_CHIPS]),
    ("an option that no run can have", '{"layout": "v2", "options": {"TTPROF_LEVEL": "much"}}',
     ["dump.json: unknown option 'TTPROF_LEVEL'", NO_CHIPS]),
]

# Command lines in a folder with a file, an empty folder and a dump without words. Columns: what, arguments, exit code,
# stderr behind "ttprof: ".
RUN = "sim run cycle_count --grid 1x1 --loops 1"
PROFILE_LINES = [
    ("no dump", "decode", 2, "decode: missing argument; usage: ttprof decode DIR"),
    ("two dumps", "decode raw raw", 2, "decode: unexpected argument 'raw'"),
    ("a dump without a name", "decode ''", 2, "decode: empty folder name; use '.' for the current folder"),
    ("an output without a name", "decode raw -o ''", 2, "decode: empty folder name; use '.' for the current folder"),
    ("a dump that is not there", "decode gone", 3, "decode: gone/dump.json: No such file or directory; check the path"),
    ("a folder without a dump", "decode empty", 3, "decode: empty/dump.json: No such file or directory; check the path"),
    ("a file of the dump in place of its folder", "decode raw/dump.json", 3,
     "decode: raw/dump.json/dump.json: Not a directory; check the path"),
    ("no folder behind -o", "decode raw -o", 2, "decode: --output-folder needs a value: --output-folder FOLDER"),
    ("an option of decode misspelt", "decode raw --jsn", 2, "decode: unknown option '--jsn'; did you mean '--json'?"),
    ("a value for --strict", "decode raw --strict=1", 2, "decode: --strict takes no value"),
    ("an argument of doctor", "doctor now", 2, "doctor: unexpected argument 'now'"),
    ("an option of doctor misspelt", "doctor --jsn", 2, "doctor: unknown option '--jsn'; did you mean '--json'?"),
    ("no command of profile", "profile -o x.csv", 2, 'profile: the command must be one argument; quote it: ttprof profile "pytest tests/test_model.py"'),
    ("an option of profile misspelt", "profile --prt 1 true", 2, "profile: unknown option '--prt'; did you mean '--port'?"),
    ("a port that is none", "profile -p 70000 true", 2, "profile: --port must be between 1 and 65535, got 70000"),
    ("a port that is no number", "profile -p web true", 2, "profile: --port: 'web' is not a valid integer"),
    *((f"{option} without --profile", f"{RUN} {option}", 2, "sim run: profile options need --profile")
      for option in ("-o out", "--riscs BRISC", "--level all", "--overflow drop", "--watermark", "--sync-host-device",
                     "--op-support-count 100", "--dump-raw out", "--flush-zones", "--enable-sum-profiling")),
    ("--level of no choice", f"{RUN} --profile --level much", 2,
     "sim run: --level: invalid value 'much'; use one of: off coarse all"),
    ("--overflow of no choice", f"{RUN} --profile --overflow never", 2,
     "sim run: --overflow: invalid value 'never'; use one of: drop stall"),
    ("--riscs of no RISC", f"{RUN} --profile --riscs BRISC,,NCRISC", 2,
     "sim run: TTPROF_RISCS: '' is not a RISC; use 'all' or a list of: BRISC NCRISC TRISC_0 TRISC_1 TRISC_2 ERISC"),
    ("--op-support-count -1", f"{RUN} --profile --op-support-count -1", 2,
     "sim run: TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT: -1 is not between 0 and 60000000"),
    ("--op-support-count many", f"{RUN} --profile --op-support-count many", 2,
     "sim run: --op-support-count: 'many' is not a valid integer"),
    ("a beginning of three options", f"{RUN} --profil", 2,
     "sim run: option '--profil' is ambiguous: --profile, --profiler-capture-perf-counters, --profile-dispatch-cores"),
    ("counters of no group", f"{RUN} --profile --profiler-capture-perf-counters fpu,,pack", 2,
     "sim run: --profiler-capture-perf-counters: unknown counter group ''; valid groups: fpu, pack, unpack, l1_0, "
     "l1_1, l1_2, l1_3, l1_4, instrn, all"),
    ("a profile below a file", f"{RUN} --profile -o file/x", 3, "sim run: file: cannot create folder: File exists; choose another one"),
    ("raw words onto a file", f"{RUN} --profile --dump-raw file", 3, "sim run: file: cannot create folder: File exists; choose another one"),
    ("raw words below a file", f"{RUN} --profile --dump-raw file/x/y", 3,
     "sim run: file: cannot create folder: File exists; choose another one"),
]


def snapshot(folder):
    """Everything in a folder; of large files only the size."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink() or path.is_dir() or not path.is_file():
            found[name] = os.readlink(path) if path.is_symlink() else "folder"
        else:
            is_small = path.stat().st_size < 1 << 20 and os.access(path, os.R_OK)
            found[name] = path.read_bytes() if is_small else path.stat().st_size
    return found


def put(folder, content, name="in.csv"):
    if callable(content):
        content(folder)
    else:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def targets(folder):
    """Output files that exist already, and the options that name them."""
    for name in ("old.csv", "old.html", "old.png", "sum.csv", "sum.png"):
        (folder / name).write_text("before\n")
    return ["--csv=old.csv", "--html=old.html", "--summary-file=sum"]


def check(t, what, folder, argv, code, stderr, stdout, made=()):
    """One run: streams, exit code, and that the folder holds only what it should."""
    before = snapshot(folder)
    got = tap.run([t.ttprof, *argv], folder)
    after = snapshot(folder)
    for name in made:
        if name not in before:
            after.pop(name, None)
    wrong = []
    for sentence, have, want in (("exit code", got.code, code), ("stderr", got.stderr.decode(), stderr),
                                 ("stdout", got.stdout.decode(), stdout), ("files", after, before)):
        if have != want:
            wrong.append(f"{sentence}: {tap.difference(have, want)}")
    t.ok(not wrong, what, "\n".join(wrong))


def said(text, prefix="ttprof: report: "):
    return f"{prefix}{text}\n" if text else ""


def check_files(t):
    for what, content, code, stderr, *stdout in FILES:
        if content is unreadable and os.geteuid() == 0:
            t.skip(what, "root may read everything")
            continue
        folder = t.folder("file")
        put(folder, content)
        options = targets(folder) if code else []
        check(t, what, folder, ["report", *options, "in.csv"], code, said(stderr), "".join(stdout))
        if (folder / "in.csv").is_file():
            (folder / "in.csv").unlink()


def check_rows(t):
    for what, content, like, stderr, n in ROWS_ODD:
        folder = t.folder("row")
        put(folder, content)
        put(folder, like, "like.csv")
        found = f"in.csv: {stderr}: {BAD_ROWS} ({n} in all): {LEFT_OUT}"
        want = tap.run([t.ttprof, "report", "like.csv"], folder).stdout.decode()
        check(t, f"{what}: the report is as if it were not there", folder, ["report", "in.csv"], 0, said(found), want)
        got = tap.run([t.ttprof, "report", "in.csv", "--strict"], folder)
        t.equal(got.code, 1, f"{what}: --strict makes it an error")
        # Every command that reads a table of ops leaves out the same rows and says so.
        others = [["train", "in.csv"], ["ops-diff", "in.csv", "like.csv"]]
        if like != HEAD:
            others.append(["check", "in.csv", "--column", "DEVICE KERNEL"])
        for command in others:
            got = tap.run([t.ttprof, *command], folder)
            t.ok(found in got.stderr.decode(), f"{what}: {command[0]} leaves it out and says so", got)
        (folder / "in.csv").unlink()


def check_cells(t):
    for what, content, like, lines in CELLS_ODD:
        folder = t.folder("cell")
        put(folder, content)
        put(folder, like, "like.csv")
        want = tap.run([t.ttprof, "report", "like.csv"], folder).stdout.decode()
        stderr = "".join(said(f"in.csv: line 3: {text}") for text in lines)
        check(t, f"{what}: the report is as if the cell were empty", folder, ["report", "in.csv"], 0, stderr, want)


def check_kept(t):
    """Odd values that stay in the report, and the unknown chip."""
    folder = t.folder("kept")
    put(folder, table(duration="-1000"))
    got = tap.run([t.ttprof, "report", "in.csv", "--no-summary", "--no-advice"], folder)
    t.equal(got.stderr.decode(), said("in.csv: line 3: column 'DEVICE KERNEL DURATION [ns]': -1000: negative durations "
                                      "(1 in all): they are kept and distort the shares; check the run that wrote them"),
            "a negative duration is told")
    t.ok(got.code == 0 and " 3  -100.0 %         UnaryDeviceOperation        0        -1 μs" in got.stdout.decode(),
         "a negative duration is shown", got)
    put(folder, table(arch="tpu9", width="32"))
    got = tap.run([t.ttprof, "report", "in.csv", "--csv", "out.csv"], folder)
    t.equal(got.code, 0, "an unknown DEVICE ARCH is no error")
    t.ok("\nWarning: Unknown architecture 'tpu9': DRAM % and FLOPs % stay empty.\n" in got.stdout.decode(),
         "an unknown DEVICE ARCH is warned of in the report", got)
    t.equal(got.stderr.decode(), said("in.csv: line 2: column 'DEVICE ARCH': 'tpu9': architectures without a table of peaks (1 in all): "
                                      "DRAM % and FLOPs % are empty; 'ttprof arch' lists the known ones"),
            "an unknown DEVICE ARCH is told with a remedy")
    with open(folder / "out.csv", newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    shares = [r[c] for r in rows for c in ("DRAM %", "FLOPs %")]
    rates = [r[c] for r in rows for c in ("DRAM", "FLOPs")]
    t.ok(len(shares) == 4 and not any(shares) and all(rates), "an unknown DEVICE ARCH leaves rates, but no shares", (shares, rates))


def check_outputs(t):
    for what, content, options, stderr, stdout, made in OUTPUTS:
        if content is unwritable and os.geteuid() == 0:
            t.skip(what, "root may write everything")
            continue
        folder = t.folder("out")
        put(folder, HEAD + ROW)
        report = tap.run([t.ttprof, "report", "in.csv"], folder).stdout.decode()
        put(folder, content or (lambda folder: None))
        check(t, what, folder, ["report", "in.csv", *shlex.split(options)], 1, said(stderr),
              stdout.replace("{report}", report), made)


def check_lines(t):
    for what, arguments, code, stderr, stdout in LINES:
        folder = t.folder("line")
        put(folder, HEAD + ROW)
        command, *rest = shlex.split(arguments)
        options = targets(folder) if command == "report" else []
        check(t, what, folder, [command, *options, *rest], code, said(stderr, "ttprof: "), stdout)


def check_full(t):
    """Standard output itself may be full or closed."""
    folder = t.folder("full")
    put(folder, HEAD + ROW)
    for what, arguments in (("a report", "report in.csv"), ("JSON", "report in.csv --json --no-summary"), ("help", "help report")):
        got = tap.run(["/bin/sh", "-c", f'exec "$0" {arguments} >/dev/full', t.ttprof], folder)
        last = got.stderr.decode().splitlines()[-1:]
        command = arguments.split()[0]
        t.ok(got.code == (3 if command == "help" else 1) and
             last == [f"ttprof: {command}: stdout: cannot write: No space left on device; "
                      "free some space or choose another file"], f"{what} to a full disk", got)


def device_folder(t, content):
    """A log, and an output folder with files in it that must stay as they are."""
    folder = t.folder("device")
    put(folder, content)
    (folder / "out").mkdir()
    for name in ("device_stats.txt", "device_perf.html", "profile_log_device.csv"):
        (folder / "out" / name).write_text("before\n")
    return folder


def check_device_logs(t):
    for what, content, code, stderr in DEVICE_FILES:
        if content is unreadable and os.geteuid() == 0:
            t.skip(what, "root may read everything")
            continue
        for command, options in (("device", ["-o", "out"]), ("info", [])):
            folder = device_folder(t, content)
            check(t, f"{command}: {what}", folder, [command, "in.csv", *options], code, said(stderr, f"ttprof: {command}: "), "")
            if (folder / "in.csv").is_file():
                (folder / "in.csv").unlink()
    for what, content, lines, like in DEVICE_ODD:
        folder = device_folder(t, content)
        put(folder, like, "like.csv")
        want = tap.run([t.ttprof, "device", "like.csv", "--print-only"], folder).stdout.decode()
        stderr = "".join(said(text, "ttprof: device: in.csv: ") for text in lines)
        check(t, f"device: {what}: told, the rest is read", folder, ["device", "in.csv", "--print-only"], 0, stderr, want)
        strict = said(f"--strict: found odd data ({len(lines)} in all)", "ttprof: device: ") if lines else ""
        check(t, f"device: {what}: --strict", folder, ["device", "in.csv", "--print-only", "--strict"], int(bool(lines)), stderr + strict, want)


def check_setups(t):
    without_line = []
    for text, stderr in SETUPS:
        folder = device_folder(t, DEVICE_LOG)
        put(folder, text, "own.ini")
        what = stderr if len(stderr) < 80 else f"{stderr[:77]}..."
        argv = ["device", "in.csv", "-o", "out", "-s", "own.ini"]
        if not stderr.startswith("line "):  # found at the end of an analysis: any of its lines will do
            got = tap.run([t.ttprof, *argv], folder).stderr.decode()
            found = re.match(r"ttprof: device: own.ini: (line \d+: )", got)
            stderr = (found[1] if found else "") + stderr
            without_line += [] if found else [got]
        check(t, f"a setup with a mistake: {what}", folder, argv, 4, said(stderr, "ttprof: device: own.ini: "), "")
    t.ok(not without_line, "every mistake in a setup is told with its line", "".join(without_line))
    folder = device_folder(t, DEVICE_LOG)
    put(folder, "\n[a]\nacross = core\n\n[b]\nacross = core\n", "own.ini")
    got = tap.run([t.ttprof, "device", "in.csv", "-s", "own.ini"], folder)
    t.ok(re.fullmatch(r"ttprof: device: own.ini: line [234]: \[a\]: missing across or type\n", got.stderr.decode()),
         "a mistake in an analysis is told with a line of that analysis, not of the next", got)


def check_device_lines(t):
    for what, arguments, code, stderr in DEVICE_LINES:
        folder = device_folder(t, DEVICE_LOG)
        command, *rest = shlex.split(arguments)
        options = ["-o", "out"] if command == "device" and "-o" not in rest and len(rest) else []
        stats = ""
        if code == 3 and "-o" in rest:  # the statistics are printed before the folder is made
            stats = tap.run([t.ttprof, "device", "in.csv", "--print-only"], folder).stdout.decode()
        check(t, what, folder, [command, *options, *rest], code, said(stderr, "ttprof: "), stats)


def dump_folder(t, document):
    folder = t.folder("dump")
    (folder / "raw").mkdir()
    (folder / "empty").mkdir()
    (folder / "file").write_text("before\n")
    put(folder / "raw", document, "dump.json")
    return folder


def check_dumps(t):
    for what, document, lines in DUMPS:
        stderr = "".join(said(text, "ttprof: decode: ") for text in lines)
        check(t, f"decode: {what}", dump_folder(t, document), ["decode", "raw", "-o", "empty"], 4, stderr, "")
    for what, arguments, code, stderr in PROFILE_LINES:
        check(t, what, dump_folder(t, ONE_CORE), shlex.split(arguments), code, said(stderr, "ttprof: "), "")
    # Without the file of its core there is nothing in a dump, which is told and counted.
    folder = dump_folder(t, ONE_CORE)
    for options, code in ((["--json"], 0), (["--json", "--strict"], 1)):
        got = tap.run([t.ttprof, "decode", "raw", "-o", "out", *options], folder)
        lines = [line for line in got.stderr.decode().splitlines() if line.startswith("ttprof: ")]
        want = [NO_NAMES, "dump: raw/ctrl_0_0.bin: No such file or directory; check the path; the core at 1,1 is skipped", LOST_CORE,
                *["--strict: found odd data (1 in all)"] * code]
        t.equal((got.code, lines), (code, [f"ttprof: decode: {line}" for line in want]), f"decode: a core without its file, {' '.join(options)}")
        t.ok(b'"damaged_cores":1,' in got.stdout.replace(b" ", b""), "its core is counted", got)


def test(t):
    for name in ("TT_METAL_HOME", "TT_METAL_PROFILER_DIR"):
        os.environ.pop(name, None)  # they say where a device log is
    check_files(t)
    check_rows(t)
    check_cells(t)
    check_kept(t)
    check_outputs(t)
    check_lines(t)
    check_full(t)
    check_device_logs(t)
    check_setups(t)
    check_device_lines(t)
    check_dumps(t)


tap.main(test)
