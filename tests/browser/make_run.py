#!/usr/bin/python3
"""make_run.py FOLDER [--loose] - a run folder by hand, and what its page must show.

Writes the files of a run as include/ttprof/recording.h says they look, with a device log and its
clocks, and FOLDER/expected.json: every zone of every row on the axis of the run. Shares nothing
with the program, so that a misreading on either side shows.

    --loose    the clocks of the chips are not synced with the host's
"""
import json
import pathlib
import random
import struct
import sys

ORIGIN = 5_000_000_000_000  # CLOCK_MONOTONIC when the run began
KINDS = ["NOTHING", "ZONE_BEGIN", "ZONE_END", "ZONE_TEXT", "ZONE_NAME", "ZONE_VALUE", "ZONE_COLOUR", "MESSAGE", "SIGNPOST",
         "OP", "FRAME_MARK", "FRAME_START", "FRAME_END", "PLOT_INT", "PLOT_REAL", "ALLOC", "FREE", "LOCK_WAIT",
         "LOCK_OBTAIN", "LOCK_RELEASE", "LOCK_WAIT_SHARED", "LOCK_OBTAIN_SHARED", "LOCK_RELEASE_SHARED", "LOCK_MARK",
         "FIBER_ENTER", "FIBER_LEAVE", "CLOCK", "LOST"]
KIND = {name: i for i, name in enumerate(KINDS)}
STRING, LOCATION, THREAD, THREAD_NAME, CLOCK, CLOCK_PAIR, APP_INFO, PROGRAM = range(1, 9)
MONOTONIC = 1
CAPACITY = 1 << 16  # words of a ring
HOSTILE = '</script><img src=x onerror="alert(1)">'
GHZ = 1.25
CYCLE_0 = 11_017_870_000_000  # of chip 0 when the axis shows 0; chip 1 started later


class Thread:
    """The events of one thread, and the zones they make."""

    def __init__(self, process, serial, tid, name):
        self.process, self.serial, self.tid, self.name = process, serial, tid, name
        self.words, self.stack, self.zones, self.events = [], [], [], 0
        self.lost = 0

    def put(self, kind, at, *more):
        self.words += [KIND[kind] << 56 | (ORIGIN + at), *more]
        self.events += 1

    def put_text(self, kind, at, text, attribute=0):
        data = text.encode()
        padded = data + bytes(-len(data) % 8)
        self.put(kind, at, attribute << 32 | len(data), *struct.unpack(f"<{len(padded) // 8}Q", padded))

    def begin(self, at, name, **place):
        location = self.process.location(name, **place)
        self.put("ZONE_BEGIN", at, location)
        self.stack.append({"name": name, "start": at, "depth": len(self.stack), "open": False, "text": None,
                           "line": place.get("line", 10), "colour": place.get("colour", 0)})

    def end(self, at):
        zone = self.stack.pop()
        self.put("ZONE_END", at)
        self.zones.append({**zone, "end": at})

    def say(self, at, text):
        self.put_text("ZONE_TEXT", at, text)
        self.stack[-1]["text"] = text

    def leave_open(self, until):
        while self.stack:
            self.zones.append({**self.stack.pop(), "end": until, "open": True})


class Process:
    def __init__(self, pid, parent, birth, start, end, program):
        self.pid, self.parent, self.birth, self.start, self.end = pid, parent, birth, start, end
        self.table, self.strings, self.locations, self.threads = b"", {}, {}, []
        self.entry(PROGRAM, struct.pack("<II", self.string(program), 0))
        self.entry(CLOCK, struct.pack("<II", 1, MONOTONIC))
        for at in (start, end):
            self.entry(CLOCK_PAIR, struct.pack("<IIQQ", 1, 20, ORIGIN + at, ORIGIN + at))

    def entry(self, kind, fields):
        fields += bytes(-len(fields) % 8)
        self.table += struct.pack("<II", 8 + len(fields), kind) + fields

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            data = text.encode()
            self.entry(STRING, struct.pack("<II", self.strings[text], len(data)) + data)
        return self.strings[text]

    def location(self, name, function="work", file="src/train.c", line=10, colour=0):
        key = (name, function, file, line, colour)
        if key not in self.locations:
            self.locations[key] = len(self.locations) + 1
            self.entry(LOCATION, struct.pack("<IIIIII", self.locations[key], self.string(name), self.string(function),
                                             self.string(file), line, colour))
        return self.locations[key]

    def thread(self, tid, name):
        t = Thread(self, len(self.threads) + 1, tid, name)
        self.entry(THREAD, struct.pack("<IIQ", t.serial, tid, ORIGIN + self.start))
        if name:
            self.entry(THREAD_NAME, struct.pack("<II", t.serial, self.string(name)))
        self.threads.append(t)
        return t

    def write(self, host, is_over):
        head = struct.pack("<IIQIIQQQIIQ", 0x54505454, 1, 256 + len(self.table), self.pid, self.parent, ORIGIN + self.start,
                           self.birth, ORIGIN + self.end if is_over else 0, int(is_over), 0, 0)
        (host / f"{self.pid}-0.table").write_bytes(head.ljust(256, b"\0") + self.table)
        for t in self.threads:
            assert len(t.words) <= CAPACITY
            head = struct.pack("<IIIIQQII", 0x52505454, 1, t.serial, t.serial - 1, CAPACITY, 0, 0, 1).ljust(64, b"\0")
            head += struct.pack("<QQQQQQ", len(t.words), t.events, t.lost, 0, 0, 0).ljust(64, b"\0")
            head += struct.pack("<QI", 0, 1).ljust(64, b"\0")
            words = struct.pack(f"<{len(t.words)}Q", *t.words).ljust(CAPACITY * 8, b"\0")
            (host / f"{self.pid}-0.{t.serial - 1}.ring").write_bytes(head.ljust(4096, b"\0") + words)


# --- what the host does ----------------------------------------------------------------------
STEP_NS = 400_000
STEPS = 20
LAUNCH = (120_000, 330_000)  # within a step


def train(rng):
    p = Process(100, 90, 7001, 1_000, 9_000_000, "/usr/bin/python3")
    main, loader, idle = p.thread(100, "main"), p.thread(110, "loader"), p.thread(111, "")
    main.begin(2_000, "train", line=5)
    main.put_text("SIGNPOST", 50_000, "start\nthe measured part begins")
    for step in range(STEPS):
        at = 100_000 + step * STEP_NS
        main.put("FRAME_MARK", at, p.string("step"))
        main.begin(at, "step", line=20)
        main.say(at + 100, f"step {step}")
        main.begin(at + 10_000, "prepare", line=21, function="prepare_batch")
        main.end(at + 90_000)
        main.begin(at + LAUNCH[0], "launch", line=30, colour=0xC03070)
        main.put("ZONE_VALUE", at + LAUNCH[0] + 5, 1000 + step)
        main.stack[-1]["text"] = f"value {1000 + step}"
        main.end(at + LAUNCH[1])
        main.put("PLOT_REAL", at + LAUNCH[1], p.string("loss"), struct.unpack("<Q", struct.pack("<d", 10 / (step + 1)))[0])
        main.end(at + STEP_NS - 20_000)
        main.put("ALLOC", at + STEP_NS - 10_000, 0x1000 + step, 4096, 0)
        if step % 5 == 4:
            main.put_text("MESSAGE", at + STEP_NS - 5_000, f"checkpoint {step}", 3 << 24 | 0x10A010)
    main.put("FRAME_MARK", 100_000 + STEPS * STEP_NS, p.string("step"))
    main.put_text("SIGNPOST", 8_200_000, "stop")
    main.end(8_900_000)
    at = 20_000
    while at < 8_000_000:
        loader.begin(at, "read", line=40)
        for _ in range(rng.randrange(4)):
            at += rng.randrange(1_000, 20_000)
            loader.begin(at, rng.choice(["decode", "copy", HOSTILE]), line=41)
            at += rng.randrange(100, 60_000)
            loader.end(at)
        at += rng.randrange(1_000, 40_000)
        loader.end(at)
        at += rng.randrange(0, 90_000)
    loader.lost = 7
    idle.begin(3_000_000, "wait", line=50)
    idle.leave_open(9_000_000)
    return p


def worker():
    p = Process(101, 100, 7002, 600_000, 7_000_000, "/opt/bin/worker")
    t = p.thread(101, "worker")
    for i in range(30):
        t.begin(700_000 + i * 200_000, "serve", file="src/worker.c", line=9)
        t.begin(710_000 + i * 200_000, "answer", file="src/worker.c", line=12)
        t.end(750_000 + i * 200_000)
        t.end(790_000 + i * 200_000)
    return p


# {pid: [programs as (name, start, end, open)]} and the lines of the log
def process_log(folder):
    lines = [
        ("start", 0, 100, 7001, 90, "/usr/bin/python3", "python3", "train.py", "--lr=\\t1"),
        ("rank", 10, 100, 7001, 0, 2, "OMPI_COMM_WORLD_RANK"),
        ("fork", 500_000, 101, 7002, 100),
        ("exec", 550_000, 101, 7002, "/opt/bin/worker", "worker"),
        ("start", 560_000, 101, 7002, 100, "/opt/bin/worker", "worker"),
        ("exit", 7_000_000, 101, 7002, 0),
        ("start", 2_000_000, 102, 7003, 100, "/bin/sh", "sh", "-c", "sleep 1"),
        ("ended", 3_000_000, 102, 7003, 9, 100),
        ("exit", 9_000_000, 100, 7001, 0),
    ]
    text = "".join("\t".join(str(f) for f in (what, ORIGIN + at, *rest)) + "\n" for what, at, *rest in lines)
    (folder / "processes.log").write_text(text, encoding="utf-8")
    return {
        "python3 100": [("python3", 0, 9_000_000, False)],
        "worker 101": [("python3", 500_000, 560_000, False), ("worker", 560_000, 7_000_000, False)],
        "sh 102": [("sh", 2_000_000, 3_000_000, False)],
    }


# --- what the chips do -----------------------------------------------------------------------
def cycle_of(chip, ns):
    return round(CYCLE_0 - chip * 1_000_000_000 + ns * GHZ)


def device_log(folder):
    """A kernel on two cores of each chip while the host is in each of its launches."""
    rows, zones = [], {}
    for chip in (0, 1):
        for x in (1, 2):
            for risc, timer in (("BRISC", 1), ("NCRISC", 2)):
                track = zones.setdefault(f"{chip}/{x},1/{risc}", [])
                for step in range(STEPS):
                    at = 100_000 + step * STEP_NS + LAUNCH[0]
                    bars = [(f"{risc}-FW", 10_000 + 100 * x, 200_000), (f"{risc}-KERNEL", 12_000, 190_000 - 1_000 * chip),
                            ("mul", 20_000 + 7 * step, 90_000)]
                    for depth, (name, start, end) in enumerate(bars):
                        track.append({"name": name, "start": at + start, "end": at + end, "depth": depth})
                        for kind, time in (("ZONE_START", start), ("ZONE_END", end)):
                            rows.append((cycle_of(chip, at + time), f"{chip},{x},1,{risc},{100 * timer + depth},"
                                         f"{cycle_of(chip, at + time)},0,{(step + 1) << 10 | chip},,,{name},{kind},"
                                         f"{60 + depth},kernels/{risc.lower()}.cc,"))
    head = ["ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1250, Max Compute Cores: 4",
            "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
            "trace id counter, zone name, type, source line, source file, meta data"]
    rows.sort()
    (folder / "profile_log_device.csv").write_text("\n".join(head + [row for _, row in rows]) + "\n", encoding="utf-8")
    return zones


def device_clocks(folder, synced):
    def epoch(chip, ns):
        return {"cycle": cycle_of(chip, ns), "cycle_fraction": 0.0, "host": ORIGIN + ns, "host_fraction": 0.0,
                "cycles_per_ns": GHZ, "rate_error": 1e-9, "error_ns": 41.5, "reach_ns": 1e6, "residual_ns": 3.0}

    chips = [{"id": chip, "synced": synced, "nominal_ghz": GHZ, "error_ns": 41.5 if synced else None,
              "epochs": [epoch(chip, 0), epoch(chip, 8_000_000)] if synced else [{**epoch(chip, 0), "error_ns": None}]}
             for chip in (0, 1)]
    (folder / "device_clocks.json").write_text(json.dumps({"pid": 100, "host_clock": "monotonic", "chips": chips}))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--loose"]):
        sys.exit(__doc__.strip())
    run = pathlib.Path(sys.argv[1])
    logs, host = run / ".logs", run / "host"
    for folder in (logs, host):
        folder.mkdir(parents=True, exist_ok=True)
    (run / "control").write_bytes(struct.pack("<III", 0x43505454, 1, 1).ljust(4096, b"\0"))
    processes = [train(random.Random(6)), worker()]
    for p in processes:
        p.write(host, is_over=True)
    expected = {
        "programs": process_log(run),
        "threads": {f"{p.pid}/{t.name or f'thread {t.tid}'}": sorted(t.zones, key=lambda z: (z["start"], z["depth"]))
                    for p in processes for t in p.threads},
        "chips": device_log(logs),
        "signposts": [["start", 50_000], ["stop", 8_200_000]],
        "messages": STEPS // 5, "frames": STEPS, "launch": LAUNCH, "step_ns": STEP_NS, "steps": STEPS, "lost": 7,
    }
    device_clocks(logs, not sys.argv[2:])
    (run / "expected.json").write_text(json.dumps(expected))
    return 0


if __name__ == "__main__":
    sys.exit(main())
