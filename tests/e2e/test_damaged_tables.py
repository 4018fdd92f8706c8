#!/usr/bin/python3
"""test_damaged_tables.py TTPROF SOURCE_ROOT - every command that reads a table of ops: damaged rows cost only themselves, however
many there are, and a table that was cut says so."""
import csv
import io
import re

import tap
import train_tables

BAD = 1500


def commands(t):
    """What reads a table, and how many ops it then says there are."""
    return (("report", ["report", "x.csv", "--csv", "out.csv", "--no-summary", "--ignore-signposts"], lambda done, folder: rows_of(folder / "out.csv")),
            ("check", ["check", "x.csv", "--detailed", "--per-op"], lambda done, folder: None),
            ("train", ["train", "x.csv"], lambda done, folder: int(re.search(rb"(\d+) ops in", done.stdout)[1])),
            ("ops-diff", ["ops-diff", "x.csv", "x.csv", "--only-compare-op-ids"], lambda done, folder: None))


def rows_of(path):
    return len(list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))) - 1


def sample(t, folder):
    """The lines of a made-up table, with its head."""
    return t.sample(folder / "whole.csv").read_text(encoding="utf-8").splitlines(keepends=True)


def check_many(t):
    """Bad rows are left out and all counted; the rows among and after them are used."""
    folder = t.folder("many")
    head, *lines = sample(t, folder)
    columns = head.count(",") + 1
    bad = ["," * (columns + 2) + "\n", 'a,"b"c' + "," * (columns - 2) + "\n"]
    mixed = [lines[0]] + [bad[i % 2] for i in range(BAD)] + lines[1:]
    (folder / "x.csv").write_text(head + "".join(lines), encoding="utf-8")
    want = {name: count(tap.run([t.ttprof, *argv], folder), folder) for name, argv, count in commands(t)}
    plain = {name: tap.run([t.ttprof, *argv], folder).stdout for name, argv, _ in commands(t)}
    (folder / "x.csv").write_text(head + "".join(mixed), encoding="utf-8")
    for name, argv, count in commands(t):
        done = tap.run([t.ttprof, *argv], folder)
        t.ok(f"rows of the table that cannot be read ({BAD} in all)".encode() in done.stderr, f"{name}: all of {BAD} bad rows are counted", done)
        t.equal(count(done, folder), want[name], f"{name}: the rows behind them are used")
        if name != "ops-diff":
            t.equal(done.stdout, plain[name], f"{name}: it prints what it prints without them")


def check_quote(t):
    """A cell that lost its closing quote takes its row with it, and does not make one row of two."""
    folder = t.folder("quote")
    head, *lines = sample(t, folder)
    at = next(i for i, line in enumerate(lines) if '"' in line)
    lines[at + 1:at + 1] = [lines[at]]
    broken = lines[at].rpartition('"')
    damaged = [*lines[:at], broken[0] + broken[2], *lines[at + 1:]]
    (folder / "x.csv").write_text(head + "".join(lines[:at] + lines[at + 1:]), encoding="utf-8")
    plain = {name: tap.run([t.ttprof, *argv], folder).stdout for name, argv, _ in commands(t)}
    (folder / "x.csv").write_text(head + "".join(damaged), encoding="utf-8")
    for name, argv, _ in commands(t):
        done = tap.run([t.ttprof, *argv], folder)
        t.ok(b"rows of the table that cannot be read (1 in all)" in done.stderr, f"{name}: a lost quote is counted", done)
        if name != "ops-diff":
            t.equal(done.stdout, plain[name], f"{name}: and costs its row alone")


def check_cut(t):
    """Cut in the middle of a number: the last row is left out; cut in the last cell: it is told."""
    folder = t.folder("cut")
    train_tables.training(2).write(folder / "whole.csv")
    text = (folder / "whole.csv").read_bytes()
    last = text.rstrip().rfind(b"\n") + 1
    comma = text.find(b",7,", last) # the kernel's time, in ns
    (folder / "x.csv").write_bytes(text[:last])
    plain = {name: tap.run([t.ttprof, *argv], folder).stdout for name, argv, _ in commands(t)[1:3]}
    (folder / "x.csv").write_bytes(text[:comma + 2])
    for name, argv, _ in commands(t)[1:3]:
        done = tap.run([t.ttprof, *argv], folder)
        t.ok(b"line 322: ends before its last column" in done.stderr, f"{name}: a cut table is told", done)
        t.equal(done.stdout, plain[name], f"{name}: a number that may lack digits is not used")
        t.equal(tap.run([t.ttprof, *argv, "--strict"], folder).code, 1, f"{name}: --strict fails")
    (folder / "x.csv").write_bytes(text.rstrip())
    done = tap.run([t.ttprof, "train", "x.csv"], folder)
    t.ok(b"the table does not end with a line feed (1 in all)" in done.stderr and b"cannot be read" not in done.stderr, "a cut last cell is told", done)
    (folder / "x.csv").write_bytes(text)
    done = tap.run([t.ttprof, "train", "x.csv"], folder)
    t.ok(b"line feed" not in done.stderr, "a whole table is not said to be cut", done)


def check_short(t):
    """A row that was split in two is told: both parts lack cells."""
    folder = t.folder("short")
    head, *lines = sample(t, folder)
    cells = lines[3].split(",")
    lines[3] = ",".join(cells[:5]) + "\n" + ",".join(cells[5:])
    (folder / "x.csv").write_text(head + "".join(lines), encoding="utf-8")
    for name, argv, _ in commands(t):
        done = tap.run([t.ttprof, *argv], folder)
        t.ok(b"x.csv: line 5: rows of the table with fewer cells than its header (2 in all)" in done.stderr, f"{name}: short rows are counted", done)


def test(t):
    check_many(t)
    check_quote(t)
    check_cut(t)
    check_short(t)


tap.main(test)
