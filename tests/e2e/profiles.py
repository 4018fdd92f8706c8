"""profiles.py - profiled runs for the tests of this folder: how one is made, the rows of its log, its zones."""
import collections
import csv

import tap

HEAD = ["PCIe slot", "core_x", "core_y", "RISC processor type", "timer_id", "time[cycles since reset]", "data",
        "run host ID", "trace id", "trace id counter", "zone name", "type", "source line", "source file", "meta data"]
RISCS = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"]

Row = collections.namedtuple("Row", "chip x y risc id time data run trace counter name type line file meta")
# A zone from its start to its end; `run` is the program's number without the chip.
Zone = collections.namedtuple("Zone", "chip x y risc name start end run line file")


def make_row(cells):
    number = [int(c) if c else -1 for c in cells[4:10]]
    return Row(*(int(c) for c in cells[:3]), cells[3], *number, *cells[10:12], int(cells[12] or 0), *cells[13:])


def run(t, cwd, *arguments, **env):
    return tap.run([t.ttprof, "sim", *arguments, "--profile", "-o", "out"], cwd, **env)


def rows(folder):
    """The rows of the log that run() left in a folder."""
    with open(folder / "out" / ".logs" / "profile_log_device.csv", encoding="utf-8") as f:
        first = f.readline()
        head = [c.strip() for c in f.readline().split(",")]
        assert first.startswith("ARCH: ") and head == HEAD, (first, head)
        return [make_row(cells) for cells in csv.reader(f, quoting=csv.QUOTE_NONE)]


def zones(all_rows, name=None, **match):
    """Zones by the ends that close what was opened last, in the order of their ends; None when they are not balanced."""
    stacks, found = collections.defaultdict(list), []
    for row in all_rows:
        stack = stacks[row[:4]]
        if row.type == "ZONE_START":
            stack.append(row)
        elif row.type == "ZONE_END":
            if not stack or stack[-1].name != row.name:
                return None
            start = stack.pop()
            found.append(Zone(*row[:4], row.name, start.time, row.time, row.run >> 10, start.line, start.file))
    if any(stacks.values()):
        return None
    return [z for z in found if name in (None, z.name) and all(getattr(z, k) == v for k, v in match.items())]


def took(zone):
    return zone.end - zone.start
