"""runs.py - run folders written by hand, to the byte of include/ttprof/recording.h: for tests that need exact times."""
import struct

STRING, LOCATION, THREAD, THREAD_NAME, CLOCK, CLOCK_PAIR, PROGRAM = 1, 2, 3, 4, 5, 6, 8
KINDS = ["NOTHING", "ZONE_BEGIN", "ZONE_END", "ZONE_TEXT", "ZONE_NAME", "ZONE_VALUE", "ZONE_COLOUR", "MESSAGE", "SIGNPOST", "OP"]
MONOTONIC = 1  # kind of clock
IN_BLOBS = 1 << 31
CAPACITY = 1 << 13  # words of a ring


class Process:
    """One process, its clock CLOCK_MONOTONIC, its threads with what stands in their rings."""

    def __init__(self, pid, start=1000, program="app"):
        self.pid, self.start = pid, start
        self.entries, self.n_strings, self.n_locations = b"", 0, 0
        self.rings = []
        self.blobs = b""
        self.entry(CLOCK, struct.pack("<II", 1, MONOTONIC))
        self.entry(CLOCK_PAIR, struct.pack("<IIQQ", 1, 20, start, start))
        self.entry(PROGRAM, struct.pack("<II", self.string(program), 0))

    def entry(self, kind, fields):
        fields += bytes(-len(fields) % 8)
        self.entries += struct.pack("<II", 8 + len(fields), kind) + fields

    def string(self, text):
        self.n_strings += 1
        data = text.encode()
        self.entry(STRING, struct.pack("<II", self.n_strings, len(data)) + data)
        return self.n_strings

    def location(self, name, function, file, line):
        strings = [self.string(name) if name else 0, self.string(function), self.string(file)]
        self.n_locations += 1
        self.entry(LOCATION, struct.pack("<6I", self.n_locations, *strings, line, 0))
        return self.n_locations

    def long(self, text):
        """What stands in a ring in place of a text that is too long for it."""
        at, data = len(self.blobs), text.encode()
        self.blobs += data
        return IN_BLOBS | len(data), at

    def thread(self, tid, events, name=None, lost=0):
        """Events: (kind, time, then a number, a text or nothing)."""
        serial = len(self.rings) + 1
        self.entry(THREAD, struct.pack("<IIQ", serial, tid, self.start))
        if name:
            self.entry(THREAD_NAME, struct.pack("<II", serial, self.string(name)))
        words = b"".join(event(*e) for e in events)
        head = struct.pack("<4I2Q2I24x", 0x52505454, 1, serial, serial, CAPACITY, 0, 0, 1)
        head += struct.pack("<6Q16x", len(words) // 8, len(events), lost, 0, 0, 0)
        head += struct.pack("<QI52x", 0, 1)
        self.rings.append(head.ljust(4096, b"\0") + words.ljust(CAPACITY * 8, b"\0"))

    def table(self):
        head = struct.pack("<IIQIIQQ", 0x54505454, 1, 256 + len(self.entries), self.pid, 1, self.start, 7000 + self.pid)
        return head.ljust(256, b"\0") + self.entries


def event(kind, time, *rest):
    word = struct.pack("<Q", KINDS.index(kind) << 56 | time)
    for value in rest:
        if isinstance(value, int):
            word += struct.pack("<Q", value)
        else:
            data = value.encode()
            word += struct.pack("<Q", len(data)) + data + bytes(-len(data) % 8)
    return word


def write(folder, processes, log=()):
    """A run in that folder. Log: lines of processes.log as lists of fields."""
    (folder / "host").mkdir(parents=True)
    (folder / "control").write_bytes(struct.pack("<4I", 0x43505454, 1, 1, 0).ljust(4096, b"\0"))
    (folder / "processes.log").write_text("".join("\t".join(map(str, line)) + "\n" for line in log))
    for p in processes:
        (folder / "host" / f"{p.pid}-1.table").write_bytes(p.table())
        if p.blobs:
            (folder / "host" / f"{p.pid}-1.blobs").write_bytes(p.blobs)
        for i, ring in enumerate(p.rings, 1):
            (folder / "host" / f"{p.pid}-1.{i}.ring").write_bytes(ring)
    return folder


def sample(folder):
    """Two processes with three threads; a zone without an end, an end without a zone, four lost events."""
    a = Process(100, program="/usr/bin/trainer")
    step, load = a.location("step", "main", "src/train.c", 10), a.location(None, "load", "src/load.c", 7)
    a.thread(100, [("SIGNPOST", 1500, "start"), ("ZONE_BEGIN", 2000, step), ("ZONE_BEGIN", 2100, load), ("ZONE_TEXT", 2150, "a, b"),
                   ("ZONE_END", 2300), ("ZONE_BEGIN", 2400, load), ("ZONE_END", 2800), ("ZONE_END", 3000), ("ZONE_BEGIN", 4000, step)])
    a.thread(101, [("ZONE_END", 2000), ("ZONE_BEGIN", 5000, load), ("ZONE_END", 5600), ("MESSAGE", 5700, "half way")], "loader", lost=4)
    b = Process(200, start=2000, program="worker")
    b.location("step", "main", "src/train.c", 10)
    b.thread(200, [("ZONE_BEGIN", 7000, 1), ("ZONE_END", 9000)])
    return write(folder, [a, b], [["start", 1000, 100, 7100, 1, "/usr/bin/trainer", "trainer"],
                                  ["start", 2000, 200, 7200, 100, "/usr/bin/worker", "worker"],
                                  ["rank", 2001, 200, 7200, 1, 2, "OMPI_COMM_WORLD_RANK"],
                                  ["ended", 11000, 200, 7200, 0, 100], ["ended", 11000, 100, 7100, 9, 1]])
