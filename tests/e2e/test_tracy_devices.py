#!/usr/bin/python3
"""test_tracy_devices.py TTPROF SOURCE_ROOT - device zones towards Tracy: of a live program in both generations, and in the files made of a run. The same zones are in each."""
import collections
import json
import re
import socket
import subprocess
import threading

import tap

MISMATCH = b"\x02"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Upstream(threading.Thread):
    """Stands between a capture and a program: refuses protocol 66, so that the capture comes again with 82."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.client = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            server, _ = self.listener.accept()
            head = b""
            while len(head) < 12 and (more := server.recv(12 - len(head))):
                head += more
            if head[8:12] == b"\x42\0\0\0":
                server.sendall(MISMATCH)
                server.close()
            elif len(head) == 12:
                client = tap.until(lambda: self.connect())
                client.sendall(head)
                threading.Thread(target=relay, args=(client, server), daemon=True).start()
                relay(server, client)

    def connect(self):
        try:
            return socket.create_connection(("127.0.0.1", self.client))
        except OSError:
            return None


def relay(one, other):
    try:
        while data := one.recv(1 << 16):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def zones(t, folder, file):
    """(start, name, file, duration) of all device zones."""
    done = tap.run([t.ttprof, "zones", "-g", file], folder)
    rows = [row.rsplit(",", 3) for row in done.stdout.decode().splitlines()[1:]]
    return sorted((int(start), name, place, int(duration)) for name, place, start, duration in rows)


def host_span(t, folder, file):
    rows = tap.run([t.ttprof, "zones", "--upstream", "-u", file], folder).stdout.decode()
    spans = [(int(s), int(d)) for s, d in re.findall(r"^[^,\n]*,[^,\n]*,\d+,(\d+),(\d+),\d+,", rows, re.M)]
    return min(s for s, _ in spans), max(s + d for s, d in spans)


def logged(logs):
    """The names of all zones in the log, and the sum of their cycles by name."""
    names, cycles, last = collections.Counter(), collections.Counter(), 0
    for row in (logs / "profile_log_device.csv").read_text().splitlines()[2:]:
        c = row.split(",")
        kind, name, time = c[11], c[10], int(c[5])
        names[name] += kind == "ZONE_START"
        cycles[name] += time if kind == "ZONE_END" else -time if kind == "ZONE_START" else 0
    return +names, cycles


def live(t, folder, protocol, *words, options=()):
    """A run that is captured while it goes on. Returns the folder of its logs."""
    port = free_port()
    where = Upstream(port).port if protocol == 82 else port
    capture = subprocess.Popen([t.ttprof, "capture", "-p", str(where), "-o", "live.tracy"], cwd=folder, env=tap.environment(), stdout=subprocess.DEVNULL)
    command = ["env", "TTPROF_TRACY=wait", f"TTPROF_TRACY_PORT={port}", t.ttprof, "sim", "run", *words]
    done = tap.run([t.ttprof, "run", "--quiet", *options, "-o", "out", "--", *command], folder)
    t.ok(done.code == 0 and capture.wait(tap.SECONDS) == 0, f"{words[0]}, protocol {protocol}: a run is captured while it goes on", done)
    return folder / "out" / ".logs"


def shift(rows):
    return [(start - rows[0][0], *rest) for start, *rest in rows]


def check_live(t, protocol, *words, options=()):
    folder = t.folder(f"live{protocol}")
    what = f"{words[0]}, protocol {protocol}"
    logs = live(t, folder, protocol, *words, options=options)
    rows = zones(t, folder, "live.tracy")
    names, cycles = logged(logs)
    t.equal(collections.Counter(name for _, name, _, _ in rows), names, f"{what}: every zone of the device log is in the trace")
    health = json.loads((logs / "profiler_health.json").read_text())
    t.ok(2 * len(rows) <= health["markers"], f"{what}: not more than the markers that were read", health)
    start, end = host_span(t, folder, "live.tracy")
    t.ok(rows and start <= rows[0][0] and max(s + d for s, _, _, d in rows) <= end, f"{what}: between the first and the last zone of the host", (start, end, rows[:1]))
    if "--sync-host-device" not in options and words[0] == "loopback":  # 1 GHz: a cycle is a ns
        sums = collections.Counter()
        for _, name, _, duration in rows:
            sums[name] += duration
        t.equal(+sums, +cycles, f"{what}: the times of the log")
    file = folder / "made.tracy"
    made = tap.run([t.ttprof, "convert", "out", file, "--format", "0.14" if protocol == 82 else "0.10"], folder)
    t.equal(made.code, 0, f"{what}: the run becomes a file")
    t.equal(shift(zones(t, folder, file)), shift(rows), f"{what}: with the same zones")
    by = tap.run([t.ttprof, "csvexport", "-m", "live.tracy"], folder).stdout.decode()
    t.equal("not aligned with the host" in by, "--sync-host-device" not in options, f"{what}: a message says whether its clock is aligned")
    return folder


def check_files(t):
    folder = t.folder("files")
    done = tap.run([t.ttprof, "run", "-r", "--quiet", "-o", "out", "--", t.ttprof, "sim", "run", "loopback"], folder)
    names, _ = logged(folder / "out" / ".logs")
    rows = zones(t, folder, folder / "out" / ".logs" / "tracy_profile_log_host.tracy")
    t.ok(done.code == 0 and collections.Counter(r[1] for r in rows) == names, "run -r: the file for Tracy has the zones of the devices", done)
    for form in "0.10", "0.14":
        file = f"{form}.tracy"
        made = tap.run([t.ttprof, "convert", "out", file, "--format", form], folder)
        t.equal((made.code, zones(t, folder, file)), (0, rows), f"convert, {form}: the same zones at the same times")
        again = tap.run([t.ttprof, "convert", file, f"again{form}.tracy", "--format", "0.14" if form == "0.10" else "0.10"], folder)
        t.equal((again.code, zones(t, folder, f"again{form}.tracy")), (0, rows), f"convert, {form}: and in the other version of it")
    exported = tap.run([t.ttprof, "csvexport", "-g", "0.14.tracy"], folder)
    t.equal(len(exported.stdout.splitlines()) - 1, sum(names.values()), "csvexport -g shows them")
    host = tap.run([t.ttprof, "zones", "--upstream", "-u", "0.10.tracy"], folder).stdout
    start, end = host_span(t, folder, "0.10.tracy")
    t.ok(host and start <= rows[0][0] and max(s + d for s, _, _, d in rows) <= end, "inside the zones of the host", (start, end, rows[:1]))


def check_off(t):
    """Nobody connected, and somebody who gets no zones of devices: the run is the same."""
    logs = {}
    for name, options in (("alone", []), ("off", ["--disable-device-data-push-to-tracy"]), ("on", [])):
        folder = t.folder(name)
        if name == "alone":
            tap.run([t.ttprof, "run", "--quiet", "-o", "out", "--", t.ttprof, "sim", "run", "loopback"], folder)
            logs[name] = folder / "out" / ".logs"
        else:
            logs[name] = live(t, folder, 66, "loopback", options=options)
            t.equal(bool(zones(t, folder, "live.tracy")), name == "on", f"device zones are sent: {name}")
    for name in "off", "on":
        for file in "profile_log_device.csv", "zone_ids.csv":
            t.ok((logs["alone"] / file).read_bytes() == (logs[name] / file).read_bytes(), f"{file} is the same with a server, {name}")
    events = [tap.run([t.ttprof, "zones", "--csv", "-", logs[n].parent], logs[n]).stdout.decode().splitlines() for n in ("alone", "on")]
    counts = [sorted(row.split(",")[0] for row in table) for table in events]
    t.equal(counts[0], counts[1], "and so are the zones of the host that are recorded")


def test(t):
    check_live(t, 66, "loopback")
    check_live(t, 82, "loopback")
    check_live(t, 66, "allgather2", options=["--sync-host-device"])
    check_live(t, 82, "transformer_block", options=["--sync-host-device"])
    check_files(t)
    check_off(t)


tap.main(test)
