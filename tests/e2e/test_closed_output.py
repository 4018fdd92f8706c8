#!/usr/bin/python3
"""test_closed_output.py TTPROF SOURCE_ROOT - files are written whatever becomes of what is printed: a reader that stops reading, or
a full disk behind stdout."""
import os
import signal
import subprocess

import tap
import train_tables


def commands(t):
    """Each that prints and writes: its words, and the files it makes."""
    return {
        "report": (["report", "ops.csv", "--html", "r.html", "--summary-file", "s"], ["r.html", "s.csv", "s.png"]),
        "report --csv": (["report", "ops.csv", "--csv", "r.csv", "--html", "r.html"], ["r.csv", "r.html"]),
        "train": (["train", "train.csv", "--csv", "tables", "--html", "t.html", "--json", "t.json", "--flame", "flame"],
                  ["tables/train_ops.csv", "t.html", "t.json", "flame/flamegraph_dev0_iter2.html"]),
        "device": (["device", "profile_log_device.csv", "-o", "device"], ["device/device_stats.txt", "device/device_perf.html", "device/device_perf_results.tgz"]),
        "ops": (["ops", "profile_log_device.csv", "--csv", "o.csv", "--json", "o.json", "--html", "o.html"], ["o.csv", "o.json", "o.html"]),
        "ops folder": (["ops", "profile_log_device.csv", "-o", "ops", "--no-date"], ["ops/reports/ops_perf_results.csv"]),
        "check": (["check", "ops.csv", "--report", "c", "--model", "m", "--comments", "x", "--date", "d"], ["c/device_perf_m_x_d.csv"]),
        "timeline": (["timeline", "profile_log_device.csv", "-o", "line.html"], ["line.html"]),
        "sim run": (["sim", "run", "mlp", "--profile", "-o", "sim"], ["sim/.logs/profile_log_device.csv"]),
    }


def prepare(t):
    folder = t.folder("closed")
    t.sample(folder / "ops.csv", "--rows", "2000")
    t.device_log(folder / "profile_log_device.csv", "--ops", "20")
    train_tables.training(4).write(folder / "train.csv")
    return folder


def run_closed(t, argv, folder):
    """stdout is a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([str(t.ttprof), *argv], cwd=folder, env=tap.environment(), stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.PIPE,
                          timeout=tap.SECONDS, check=False)
    os.close(write)
    return tap.Result(b"", done.stderr, done.returncode)


def sizes(folder, files):
    return {name: (folder / name).stat().st_size if (folder / name).exists() else None for name in files}


def check_all(t):
    for name, (argv, files) in commands(t).items():
        folder = prepare(t)
        tap.run([t.ttprof, *argv], folder)
        want = sizes(folder, files)
        t.ok(all(want.values()), f"{name}: makes its files", want)
        folder = prepare(t)
        done = run_closed(t, argv, folder)
        t.equal(sizes(folder, files), want, f"{name}: makes the same files when nobody reads what it prints")
        t.ok(done.code in (-signal.SIGPIPE, 0) and b"Broken pipe" not in done.stderr, f"{name}: ends like any program then", done)
        folder = prepare(t)
        with open("/dev/full", "wb") as full:
            got = subprocess.run([str(t.ttprof), *argv], cwd=folder, env=tap.environment(), stdout=full, stderr=subprocess.PIPE, timeout=tap.SECONDS, check=False)
        t.equal(sizes(folder, files), want, f"{name}: makes the same files when stdout is full")
        t.ok(got.returncode == 0 or b"stdout: cannot write: No space left on device" in got.stderr, f"{name}: and says so", got.stderr)


def check_head(t):
    folder = prepare(t)
    done = tap.run(["/bin/sh", "-c", f"'{t.ttprof}' report ops.csv --html r.html | head -1"], folder)
    t.ok((folder / "r.html").exists() and done.stdout.count(b"\n") == 1 and not done.stderr, "report --html r.html | head -1 writes the page", done)


def check_children(t):
    """The programs of `run` get SIGPIPE as it was."""
    folder = t.folder("pipe")
    for before, want in ((signal.SIG_DFL, "0"), (signal.SIG_IGN, "1")):
        done = subprocess.run([str(t.ttprof), "run", "--quiet", "-o", "run", "--", "/bin/sh", "-c", "grep SigIgn /proc/self/status"], cwd=folder,
                              env=tap.environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=tap.SECONDS, check=False, restore_signals=False,
                              preexec_fn=lambda: signal.signal(signal.SIGPIPE, before))  # pylint: disable=cell-var-from-loop
        ignored = int(done.stdout.split()[1], 16) >> (signal.SIGPIPE - 1) & 1
        t.equal(str(ignored), want, f"a program started by run has SIGPIPE {'ignored' if want == '1' else 'at its default'}, as ttprof had")


def test(t):
    check_head(t)
    check_all(t)
    check_children(t)


tap.main(test)
