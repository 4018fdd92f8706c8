#!/usr/bin/python3
"""run_browser.py report|device|run|ops|train TTPROF SOURCE_ROOT ARTEFACT_DIR - pages in a real browser.

Makes pages of one kind in ARTEFACT_DIR, then hands them to the test of that kind, as
test_report_page.py, which prints TAP and puts a screenshot of each page beside it.
"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import ops_logs
import train_tables

SAMPLES = [
    ("sample", []),
    ("two-devices", ["--devices", "2"]),
    ("oddities", ["--oddities"]),
]
REPORT_OPTIONS = {"two-devices": ["--no-merge-devices"]}
HOSTILE = '</script><script>alert("1")</script> & <!--'
GOLDEN = "bh_p100_dlv3.csv"  # a real run; not part of the project
SECONDS = 900  # to end what hangs

# Device pages that need no log: name, options of make_device_page.py. How a page is worked with mouse
# and keys is tried on the first; the others only show what they hold. With DEEP=1 (tests/run --deep)
# there is one of a million zones, and it is worked, too, which takes minutes.
DEVICE_PAGES = [("device-small", ["--oddities"])]
DEVICE_DATA_PAGES = [
    ("device-many", ["--zones", "120000", "--grid", "8x8", "--oddities"]),
    ("device-two", ["--devices", "2"]),
    ("device-partial", ["--partial", "--zones", "40000"]),
    *((f"device-{case}", ["--case", case]) for case in ("hostile", "empty", "single", "late")),
]
DEVICE_MILLION = ("device-million", ["--zones", "1000000", "--grid", "8x8", "--oddities"])
DEVICE_LOGS = ["real_wh_excerpt", "syn_multi_device", "syn_counters"]  # folders of the golden data


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


def golden_data(root):
    """Recorded inputs, which are not part of the project."""
    return root.parent / "shared" / "golden"


def without_golden(pages):
    """Words that have the test print a line for each page that could not be made."""
    return [f"--skip={page} # SKIP the golden data is not beside the project (../shared)" for page in pages]


def report_pages(ttprof, root, folder):
    tables = []
    for name, options in SAMPLES:
        tables.append(folder / f"{name}.csv")
        run([sys.executable, root / "tools" / "make-sample", *options, "-o", tables[-1]], folder)
    tables.append(derive(tables[0], folder / "markup.csv", rename_op))
    tables.append(derive(tables[0], folder / "no-ops.csv", lambda rows: rows[:1]))
    skipped = []
    golden = golden_data(root) / "perf-report" / "inputs" / GOLDEN
    if golden.exists():
        tables.append(golden)
    else:
        skipped.append("a page from a real run")
    pages = [make_page(ttprof, table, folder) for table in tables]
    return [*pages[:2], "--data", *pages[2:], *without_golden(skipped)]


def device_pages_of_logs(ttprof, root, folder):
    """Pages that the program itself writes, of logs that are there."""
    pages, skipped = [], []
    for name in DEVICE_LOGS:
        log = golden_data(root) / "device-log" / name / "profile_log_device.csv"
        if not log.exists():
            skipped.append(f"a page of the log {name}")
            continue
        run([ttprof, "device", log, "-o", folder / name], folder)
        # Screenshots are named after the page, so each page needs a name of its own.
        pages.append((folder / name / "device_perf.html").rename(folder / f"device-{name}.html"))
    return pages + without_golden(skipped)


def device_page_of_processes(ttprof, folder):
    """Two processes that use the same chip."""
    run_folder = folder / "device-run"
    shutil.rmtree(run_folder, ignore_errors=True)
    sim = f"'{ttprof}' sim run mlp --size 64"
    run([ttprof, "run", "--quiet", "-o", run_folder, "--", "sh", "-c", f"{sim}; {sim}"], folder)
    run([ttprof, "device", run_folder, "-o", folder / "device-processes"], folder)
    return (folder / "device-processes" / "device_perf.html").rename(folder / "device-processes.html")


def device_pages(ttprof, root, folder):
    def make(kinds):
        for name, options in kinds:
            run([sys.executable, "-B", root / "tests" / "browser" / "make_device_page.py", folder / f"{name}.html", *options], folder)
        return [folder / f"{name}.html" for name, _ in kinds]

    logs = device_pages_of_logs(ttprof, root, folder)
    worked = DEVICE_PAGES + ([DEVICE_MILLION] if os.environ.get("DEEP") else [])
    return [*make(worked), "--data", *make(DEVICE_DATA_PAGES), device_page_of_processes(ttprof, folder), *logs]


def run_pages(ttprof, root, folder):
    """Runs by hand, with clocks that are synced and that are not, and a real one on two chips."""
    pages = []
    for name, options in (("run-synced", []), ("run-loose", ["--loose"])):
        run([sys.executable, "-B", root / "tests" / "browser" / "make_run.py", folder / name, *options], folder)
        pages.append(folder / f"{name}.html")
        run([ttprof, "timeline", folder / name, "-o", pages[-1]], folder)
        shutil.copyfile(folder / name / "expected.json", folder / f"{name}.json")
    real = folder / "run-real"
    shutil.rmtree(real, ignore_errors=True)
    run([ttprof, "run", "--sync-host-device", "-o", real, "--", ttprof, "sim", "run", "allgather2"], folder)
    pages.append(folder / "run-real.html")
    run([ttprof, "timeline", real, "-o", pages[-1]], folder)
    return [pages[0], "--data", *pages[1:]]


def training_run(ttprof, folder):
    """A training step on the software device, recorded, in a folder that may be there from before."""
    shutil.rmtree(folder, ignore_errors=True)
    run([ttprof, "run", "-r", "--quiet", "-o", folder, "--", ttprof, "sim", "run", "training_step"], folder.parent)
    return folder


def write_odd_ops(folder, count=150):
    """Logs of two devices: ops that were not measured, measurements of no op, cells that cannot be, a name like markup."""
    names = ["MatmulDeviceOperation", "SoftmaxDeviceOperation", HOSTILE] * (count // 3)
    rows = [ops_logs.cpp_row(n, d, kernel=1000 + 37 * ((7 * n + d) % 50)) for d in (0, 1) for n in range(count) if (n + d) % 17 != 5]
    rows[3]["DEVICE KERNEL DURATION [ns]"] = -5
    rows[8]["DEVICE FW DURATION [ns]"] = "x"
    ops_logs.write_host(folder, names, (0, 1))
    ops_logs.write_cpp(folder, [*rows, ops_logs.cpp_row(900, 1), ops_logs.cpp_row(901, 0)])


def ops_pages(ttprof, root, folder):
    write_odd_ops(folder / "ops-logs")
    sources = {"ops-odd": [folder / "ops-logs", "--unmatched"], "ops-real": [training_run(ttprof, folder / "ops-run")]}
    for name, words in sources.items():
        files = [word for kind in ("html", "csv", "json") for word in (f"--{kind}", folder / f"{name}.{kind}")]
        run([ttprof, "ops", *words, "--quiet", "--add", "state,net", *files], folder)
    first, *more = (folder / f"{name}.html" for name in sources)
    return [first, "--data", *more]


def train_pages(ttprof, root, folder):
    table = train_tables.training(4, (0, 1), checkpointing=True)
    for i in range(30):
        table.op(HOSTILE, 900_000 if i == 20 else 1000 + i % 3)
    source = folder / "train-made"
    source.mkdir(exist_ok=True)
    table.write(source / "ops_perf_results.csv")
    run([sys.executable, root / "tools" / "make-device-log", "--ops", "20", "-o", source / "profile_log_device.csv"], folder)
    pages = []
    for name, words in (("train-made", [source]), ("train-real", [training_run(ttprof, folder / "train-run")])):
        pages.append(folder / f"{name}.html")
        run([ttprof, "train", *words, "--html", pages[-1], "--flame", folder / f"{name}-flame"], folder)
    flame = next((folder / "train-made-flame").glob("flamegraph_*.html"))
    host = folder / "host-flame.html"
    run([ttprof, "flame", folder / "train-run", "-o", host], folder)
    return [pages[0], "--data", pages[1], flame, host]


def main():
    makers = {"report": report_pages, "device": device_pages, "run": run_pages, "ops": ops_pages, "train": train_pages}
    if len(sys.argv) != 5 or sys.argv[1] not in makers:
        sys.exit(__doc__.strip())
    kind = sys.argv[1]
    ttprof, root, folder = (pathlib.Path(a).resolve() for a in sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    first, *more = makers[kind](ttprof, root, folder)
    test = root / "tests" / "browser" / f"test_{kind}_page.py"
    return subprocess.run([sys.executable, "-B", test, first, folder, *more], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
