"""tracy_client.py - small Tracy clients for tests of the capture: one that replays what a real client sent, one that makes
up a session and answers queries, and clients that misbehave."""
import pathlib
import select
import socket
import struct
import threading

MAGIC = b"TracyPrf"
WELCOME, MISMATCH, NOT_AVAILABLE = b"\1", b"\2", b"\3"
# Numbers of items by protocol.
ITEMS = {
    66: {"begin": 15, "end": 17, "terminate": 57, "thread": 59, "string": 99, "thread_name": 100, "place": 71},
    82: {"begin": 19, "end": 25, "terminate": 73, "thread": 75, "string": 119, "thread_name": 120, "place": 87},
    83: {"begin": 19, "end": 25, "terminate": 75, "thread": 77, "string": 122, "thread_name": 123, "place": 90},
}


def pack(data):
    """The bytes as an LZ4 block without matches, behind its length."""
    n = len(data)
    head = bytes([min(n, 15) << 4])
    if n >= 15:
        head += b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255])
    return struct.pack("<I", len(head) + n) + head + data


def welcome(protocol, program=b"demo", begin=1000, pid=4711):
    delay = struct.pack("<Q", 1) if protocol == 66 else b""
    head = struct.pack("<dqq", 1.0, begin, begin + 1000) + delay + struct.pack("<QQQQq", 20, 10**9, 0, pid, 0)
    return head + struct.pack("<BB12sI64s1024s", 0, 2, b"GenuineIntel", 1, program, b"OS: none\n")


def read_exactly(connection, n):
    data = b""
    while len(data) < n:
        part = connection.recv(n - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


class Client(threading.Thread):
    """Listens on a port that the system chooses; serves one session after another until stop()."""

    def __init__(self, protocol=66, family=socket.AF_INET, is_late=False, once=False):
        super().__init__(daemon=True)
        self.protocol, self.once, self.is_served = protocol, once, False
        self.offered = []  # numbers of servers
        self.queries = []
        self.is_stopped = False
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        if not is_late:
            self.listen()

    def listen(self):
        self.socket.listen(4)
        self.start()

    def run(self):
        while not self.is_stopped:
            if not select.select([self.socket], [], [], 0.05)[0]:
                continue
            connection, _ = self.socket.accept()
            with connection:
                try:
                    self.greet(connection)
                except OSError:
                    pass  # the server has gone

    def greet(self, connection):
        head = read_exactly(connection, 12)
        assert head[:8] == MAGIC
        self.offered.append(struct.unpack("<I", head[8:])[0])
        if self.is_served and self.once:  # a client that is always on serves one server
            connection.sendall(NOT_AVAILABLE)
            return
        if self.offered[-1] != self.protocol:
            connection.sendall(MISMATCH)
            return
        self.is_served = True
        self.session(connection)

    def stop(self):
        self.is_stopped = True
        self.join()
        self.socket.close()

    def session(self, connection):
        raise NotImplementedError

    def take_queries(self, connection, seconds):
        """Reads what has arrived; False: the server has ended the session."""
        if not select.select([connection], [], [], seconds)[0]:
            return True
        try:
            query = read_exactly(connection, 13)
        except OSError:
            return False
        self.queries.append(struct.unpack("<BQI", query))
        return query[0] != 0


class Replay(Client):
    """Sends what a real client sent, in the pieces and in the order of its index: a piece that had come after some queries
    goes out after the same queries. Those for source files and the like need not be asked. `missing`: queries that did not
    come before a long silence."""

    SILENCE = 60  # seconds
    NEEDED = (1, 2, 3, 4, 5, 7, 10, 11)  # names, places, callstacks

    def __init__(self, base, protocol):
        base = pathlib.Path(base)
        self.data, asked = (base.with_name(base.name + end).read_bytes() for end in (".c2s.bin", ".s2c.bin"))
        self.steps = []  # what to send, or queries to wait for
        for line in base.with_name(base.name + ".index.txt").read_text().splitlines():
            if line.startswith("#"):
                continue
            direction, offset, length = line.split()[1], *map(int, line.split()[2:4])
            if direction == "c2s":
                self.steps.append(self.data[offset : offset + length])
            elif offset >= 12:  # after the greeting
                queries = [q[:2] for q in struct.iter_unpack("<BQI", asked[offset : offset + length])]
                self.steps.append({q for q in queries if q[0] in self.NEEDED})
        self.missing = []
        super().__init__(protocol)

    def wait_for(self, wanted, connection):
        """False: the server has ended the session."""
        while late := wanted - {q[:2] for q in self.queries}:
            before = len(self.queries)
            if not self.take_queries(connection, self.SILENCE):
                return False
            if len(self.queries) == before:
                self.missing += sorted(late)
                break
        return True

    def session(self, connection):
        for step in self.steps:
            if isinstance(step, bytes):
                connection.sendall(step)
            elif not self.wait_for(step, connection):
                return
        while not self.is_stopped and self.take_queries(connection, 0.05):
            pass


class Session(Client):
    """Zones of one thread, and an answer to each query. `cut`: bytes after which the connection ends; `answers`: whether
    queries are answered; `damage`: bytes that are sent in place of the last block."""

    def __init__(self, protocol, zones=1000, cut=None, answers=True, damage=None, ends=True, **more):
        self.zones, self.cut, self.answers, self.damage, self.ends = zones, cut, answers, damage, ends
        super().__init__(protocol, **more)

    def introduce(self):
        return welcome(self.protocol)

    def item(self, name, *fields):
        return bytes([ITEMS[self.protocol][name]]) + b"".join(fields)

    def blocks(self):
        wide = 0 if self.protocol == 66 else (1 << 16) + (1 << 32)  # what the widest form leaves out
        items = [self.item("thread", struct.pack("<I", 7))]
        for _ in range(self.zones):
            items.append(self.item("begin", struct.pack("<qQ", (1 << 33) - wide, 0x2001)))
            items.append(self.item("end", struct.pack("<q", (1 << 33) - wide)))
        for at in range(0, len(items), 500):
            yield pack(b"".join(items[at : at + 500]))

    def answer(self, query, key):
        if query == 3:
            return self.item("place", struct.pack("<QQQI", 0x1001, 0x1002, 0x1003, 42), b"\x33\x22\x11")
        if query == 2:
            return self.item("thread_name", struct.pack("<QH", key, 6), b"worker")
        if query == 1:
            return self.item("string", struct.pack("<QH", key, 5), b"text%d" % (key & 3))
        return b""

    def session(self, connection):
        data = WELCOME + self.introduce() + b"".join(self.blocks())
        if self.damage is not None:
            data += self.damage
        elif self.ends:
            data += pack(self.item("terminate"))
        connection.sendall(data if self.cut is None else data[: self.cut])
        if self.cut is not None:
            return
        done = 0
        while not self.is_stopped and self.take_queries(connection, 0.05):
            for query, key, _ in self.queries[done:] if self.answers else []:
                if query == 9:
                    connection.sendall(pack(self.item("terminate")))
                elif self.answer(query, key):
                    connection.sendall(pack(self.answer(query, key)))
            done = len(self.queries)


class Timed(Session):
    """Zones at the times of a clock, which begins at `begin`; made before it listens: client = Timed(..., is_late=True)."""

    def __init__(self, protocol, begin, pid, program=b"timed", **more):
        self.begin, self.pid, self.program = begin, pid, program
        self.timed = []  # name, start and end in ns of the clock
        super().__init__(protocol, **more)

    def introduce(self):
        return welcome(self.protocol, self.program, self.begin, self.pid)

    def zone_item(self, name, ns, *fields):
        """In 82 there is a form for each size, which leaves out what the smaller ones have."""
        if self.protocol == 66:
            return self.item(name, struct.pack("<q", ns), *fields)
        for more, least, form in ((0, (1 << 16) + (1 << 32), "<q"), (1, 1 << 16, "<I"), (2, 0, "<H")):
            if ns >= least:
                return bytes([ITEMS[82][name] + more]) + struct.pack(form, ns - least) + b"".join(fields)
        raise ValueError(ns)

    def blocks(self):
        items, last = [self.item("thread", struct.pack("<I", self.pid))], 0
        for i, (_, start, end) in enumerate(self.timed):
            items.append(self.zone_item("begin", start - last, struct.pack("<Q", 0x2000 + i)))
            items.append(self.zone_item("end", end - start))
            last = end
        yield pack(b"".join(items))

    def answer(self, query, key):
        if query == 3:
            return self.item("place", struct.pack("<QQQI", key + 0x1000, key + 0x1000, 0x1003, 42), b"\x33\x22\x11")
        if query == 1 and key >= 0x3000:
            name = self.timed[key - 0x3000][0].encode()
            return self.item("string", struct.pack("<QH", key, len(name)), name)
        return super().answer(query, key)


class Refusal(Client):
    """Sends this status and closes."""

    def __init__(self, status):
        self.status = status
        super().__init__()

    def greet(self, connection):
        read_exactly(connection, 12)
        connection.sendall(self.status)


class Silent(Client):
    """Accepts and never says anything."""

    def session(self, connection):
        while not self.is_stopped and self.take_queries(connection, 0.05):
            pass
