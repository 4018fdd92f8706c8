#!/usr/bin/python3
"""run_browser.py TTPROF SOURCE_ROOT ARTEFACT_DIR - report pages of the built program in a real browser.

Makes sample tables and their pages in ARTEFACT_DIR, then hands the pages to test_report_page.py,
which prints TAP and puts a screenshot of each page beside it.
"""
import csv
import pathlib
import subprocess
import sys

SAMPLES = [
    ("sample", []),
    ("two-devices", ["--devices", "2"]),
    ("oddities", ["--oddities"]),
]
REPORT_OPTIONS = {"two-devices": ["--no-merge-devices"]}
HOSTILE = '</script><script>alert("1")</script> & <!--'
GOLDEN = "bh_p100_dlv3.csv"  # a real run; not part of the project
SECONDS = 60


def run(argv, folder):
    done = subprocess.run([str(a) for a in argv], cwd=folder, timeout=SECONDS, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"Bail out! {argv[0]}: exit code {done.returncode}: {done.stderr.decode()[-500:]}")


def derive(source, target, change):
    """A table made from another: its rows, the header first, as `change` gives them."""
    with open(source, newline="", encoding="utf-8") as f, open(target, "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(change(list(csv.reader(f))))
    return target


def rename_op(rows):
    """An op whose name would break out of a page that takes it as markup."""
    at = rows[0].index("OP CODE")
    return [[HOSTILE if i == at and cell == "UnaryDeviceOperation" else cell for i, cell in enumerate(row)] for row in rows]


def make_page(ttprof, table, folder):
    page = folder / f"{table.stem}.html"
    run([ttprof, "report", table, "--html", page, *REPORT_OPTIONS.get(table.stem, [])], folder)
    return page


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    ttprof, root, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    tables = []
    for name, options in SAMPLES:
        tables.append(folder / f"{name}.csv")
        run([sys.executable, root / "tools" / "make-sample", *options, "-o", tables[-1]], folder)
    tables.append(derive(tables[0], folder / "markup.csv", rename_op))
    tables.append(derive(tables[0], folder / "no-ops.csv", lambda rows: rows[:1]))
    golden = root.parent / "shared" / "golden" / "perf-report" / "inputs" / GOLDEN
    if golden.exists():
        tables.append(golden)
    else:
        print("# no page from a real run: the golden data is not beside the project (../shared)", flush=True)
    first, *more = [make_page(ttprof, table, folder) for table in tables]
    test = root / "tests" / "browser" / "test_report_page.py"
    return subprocess.run([sys.executable, "-B", test, first, folder, *more], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
