#!/usr/bin/env python3
"""test_run_tracy.py TTPROF SOURCE_ROOT - programs with a Tracy client of their own under `ttprof run`: every one is captured,
and none delays the end for ever."""
import csv
import io
import json
import sys

import tap

# A program with a client. It ends once its client is served, as TRACY_NO_EXIT asks of real ones.
PROGRAM = """
import os, socket, sys, threading, time
sys.path.insert(0, {e2e!r})
import tracy_client
class Socket(socket.socket):
    def bind(self, at):
        super().bind((at[0], int(os.environ["TRACY_PORT"])))
tracy_client.socket.socket = Socket
assert os.environ["TRACY_NO_EXIT"] == os.environ["TRACY_ONLY_LOCALHOST"] == "1"
def welcome(protocol, program=b"demo", make=tracy_client.welcome):
    old, new = (4711).to_bytes(8, "little"), os.getpid().to_bytes(8, "little")
    return make(protocol, program).replace(old, new, 1)
tracy_client.welcome = welcome
over = threading.Event()
def greet(self, connection, make=tracy_client.Client.greet):
    try:
        make(self, connection)
    finally:
        if self.is_served:
            over.set()
tracy_client.Client.greet = greet
client = tracy_client.{client}
while {is_killed} and not client.is_served:
    time.sleep(0.001)
if {is_killed}:
    os.kill(os.getpid(), 9)
over.wait()
client.stop()
assert not getattr(client, "missing", []), client.missing
"""


def program(t, client, is_killed=False):
    return [sys.executable, "-c", PROGRAM.format(e2e=str(t.root / "tests" / "e2e"), client=client, is_killed=is_killed)]


def captured(folder):
    return sorted(folder.glob("runs/*/tracy/*.tracy"))


def count(t, path, folder):
    """Zones of a .tracy file, by name."""
    done = tap.run([t.ttprof, "csvexport", path], folder)
    rows = [line.split(",") for line in done.stdout.decode().splitlines()[1:]]
    return {row[0]: int(row[5]) for row in rows}


def check_one(t, protocol):
    folder = t.folder(f"one{protocol}")
    done = tap.run([t.ttprof, "run", "--no-python", "-o", folder, "--", *program(t, f"Session({protocol}, zones=300, once=True)")], folder)
    files = captured(folder)
    t.ok(done.code == 0 and len(files) == 1, f"protocol {protocol}: the client is captured without -r", done)
    t.equal([sum(count(t, f, folder).values()) for f in files], [300], f"protocol {protocol}: with all its zones")
    logs = list(folder.glob(".logs/tracy_profile_log_host.tracy"))
    t.equal([f.read_bytes() for f in logs], [f.read_bytes() for f in files], f"protocol {protocol}: under its usual name, too")
    t.ok(b"300 zones" in done.stderr and b"no zones" not in done.stderr, f"protocol {protocol}: the last lines say so", done)


def check_report(t):
    folder = t.folder("report")
    done = tap.run([t.ttprof, "run", "--no-python", "-r", "-o", folder, "--", *program(t, "Session(66, zones=20, once=True)")], folder)
    logs = folder / ".logs"
    rows = (logs / "tracy_ops_times.csv").read_text(encoding="utf-8").splitlines()
    t.equal((done.code, len(rows)), (0, 21), "-r: a row for every zone")
    t.ok((logs / "tracy_ops_data.csv").exists(), "-r: and the messages")


def check_two(t):
    folder = t.folder("two")
    one, other = program(t, "Session(66, zones=30, once=True)"), program(t, "Session(82, zones=50, once=True)")
    script = "import subprocess, sys; sys.exit(sum(p.wait() for p in [subprocess.Popen(w) for w in %r]))" % [one, other]
    done = tap.run([t.ttprof, "run", "--no-python", "-o", folder, "--", sys.executable, "-c", script], folder)
    zones = sorted(sum(count(t, f, folder).values()) for f in captured(folder))
    t.equal((done.code, zones), (0, [30, 50]), "two clients at once have a port and a file each")
    main = next(folder.glob(".logs/*.tracy"))
    t.equal(count(t, main, folder), {"text1": 80}, "the file of the run has the zones of both")
    t.equal(count(t, folder, folder), {"text1": 80}, "and so has the run")

# A client whose zones are at real times, with the recorded program as its child. The pauses make them wider than the error of
# any clock but one that is mistaken for another.
TIMED = """
import os, subprocess, sys, time
sys.path.insert(0, {e2e!r})
import tracy_client
class Socket(tracy_client.socket.socket):
    def bind(self, at):
        super().bind((at[0], int(os.environ["TRACY_PORT"])))
tracy_client.socket.socket = Socket
def now():
    time.sleep(0.02)
    ns = time.clock_gettime_ns({clock})
    time.sleep(0.02)
    return ns
client = tracy_client.Timed({protocol}, time.clock_gettime_ns({clock}) if {has_clock} else 1000, os.getpid(), is_late=True, once=True)
child = subprocess.Popen([{recorded!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
client.timed.append(("before", now(), now()))
child.stdin.write(b"x")
child.stdin.flush()
child.stdout.read(1)
client.timed.append(("during", now(), now()))
child.stdin.write(b"z")
child.stdin.close()
child.wait()
client.timed.append(("after", now(), now()))
client.listen()
while not client.is_served or 0 not in [q[0] for q in client.queries]:
    time.sleep(0.001)
client.stop()
"""


def spans(t, run, folder):
    """Start and end of each zone of a run, by name."""
    done = tap.run([t.ttprof, "csvexport", "-u", run], folder)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    return {r["name"]: (int(r["ns_since_start"]), int(r["ns_since_start"]) + int(r["exec_time_ns"])) for r in rows}


def timed(t, folder, recorded, protocol, has_clock=True, *options):
    script = TIMED.format(e2e=str(t.root / "tests" / "e2e"), clock="time.CLOCK_MONOTONIC_RAW", protocol=protocol, recorded=str(recorded), has_clock=has_clock)
    return tap.run([t.ttprof, "run", "--no-python", *options, "-o", folder, "--", sys.executable, "-c", script], folder)


def check_together(t, recorded, protocol):
    folder = t.folder(f"together{protocol}")
    done = timed(t, folder, recorded, protocol)
    at = spans(t, folder, folder)
    if not t.ok(done.code == 0 and set(at) == {"before", "recorded", "during", "after"}, f"{protocol}: one run has the zones of a client and of the recorder", done):
        return
    order = [at["before"][0], at["before"][1], at["recorded"][0], *at["during"], at["recorded"][1], *at["after"]]
    t.equal(order, sorted(order), f"{protocol}: in the order in which they happened")
    zones = tap.run([t.ttprof, "zones", folder, "--csv", "-"], folder)
    t.equal(sorted(r["Zone"] for r in csv.DictReader(io.StringIO(zones.stdout.decode()))), sorted(at), f"{protocol}: they are in one table")
    info = json.loads(tap.run([t.ttprof, "info", folder, "--json"], folder).stdout)
    t.equal(([p["clock"] for p in info["processes"]], info["odd"]), (["real", "real"], 0), f"{protocol}: info lists both processes, with real clocks")
    page = folder / "page.html"
    made = tap.run([t.ttprof, "timeline", folder, "-o", page], folder)
    t.ok(made.code == 0 and b"tracy-clock" not in made.stderr and page.stat().st_size > 10000, f"{protocol}: one timeline", made)


def check_clock(t, recorded):
    folder = t.folder("clock")
    done = timed(t, folder, recorded, 66, False, "-r")
    info = tap.run([t.ttprof, "info", folder], folder)
    run = next(folder.glob("runs/*"))
    line = next(x.split("\t") for x in (run / "processes.log").read_text().splitlines() if x.startswith("tracy\t"))
    t.ok(done.code == 0 and line[6] == "arrival" and int(line[5]) > 0, "a client with a clock of its own begins when it arrives, within an error", line)
    t.ok(b"its times are right within" in info.stderr, "which info tells", info)
    if not t.ok((folder / ".logs" / "tracy_ops_times.csv").exists(), "-r: there are tables", done):
        return
    rows = list(csv.DictReader(io.StringIO((folder / ".logs" / "tracy_ops_times.csv").read_text())))
    t.equal({r["name"] for r in rows}, {"before", "recorded", "during", "after"}, "-r: the tables have all processes, too")
    (run / "processes.log").write_text("".join(x + "\n" for x in (run / "processes.log").read_text().splitlines() if not x.startswith("tracy\t")))
    info = tap.run([t.ttprof, "info", folder], folder)
    t.ok(b"its times begin at 0" in info.stderr and b"not aligned" in info.stdout, "a file that the log does not mention begins at 0", info)
    next(run.glob("tracy/*.tracy")).write_bytes(b"nonsense")
    left = tap.run([t.ttprof, "zones", folder], folder)
    t.ok(left.code == 0 and b"recorded" in left.stdout and b".tracy" in left.stderr, "a damaged capture is named, and the rest is shown", left)


def check_killed(t):
    folder = t.folder("killed")
    done = tap.run([t.ttprof, "run", "--no-python", "-o", folder, "--", *program(t, "Session(66, zones=10, once=True)", is_killed=True)], folder)
    t.ok(done.code == 128 + 9 and not tap.of_run(folder), "a client that dies ends the run", done)


def check_unknown(t):
    folder = t.folder("unknown")
    made = ("Session(66, once=True, is_late=True); client.protocol = 99; "
            "client.session = lambda connection: connection.sendall(b'\\1'); client.listen()")
    done = tap.run([t.ttprof, "run", "--no-python", "-o", folder, "--", *program(t, made)], folder)
    t.ok(done.code == 0 and b"protocol 99" in done.stderr and not captured(folder), "a client of another protocol is named, and let go", done)


def check_real(t, path, protocol):
    """What a real client has sent once, in the same pieces, each after the same queries."""
    sent = t.shared("golden", "tracy", path + ".c2s.bin")
    if not sent:
        t.skip(f"a replay of {path}", "the golden data are not there")
        return
    base = sent.with_name(sent.name.removesuffix(".c2s.bin"))
    folder = t.folder(path.replace("/", "-"))
    done = tap.run([t.ttprof, "run", "--no-python", "-o", folder, "--", *program(t, f"Replay({str(base)!r}, {protocol})")], folder)
    files = captured(folder)
    t.ok(done.code == 0 and len(files) == 1, f"{path}: is captured", done)
    rows = [tap.run([t.ttprof, "csvexport", f], folder).stdout.splitlines() for f in files]
    want = base.with_name(base.name + ".plain.csv").read_bytes().splitlines()
    t.equal([sorted(r) for r in rows], [sorted(want)], f"{path}: gives the rows of the reference's tools")


def check_none(t):
    folder = t.folder("none")
    done = tap.run([t.ttprof, "run", "-o", folder, "--", "true"], folder)
    t.ok(done.code == 0 and not captured(folder) and not list(folder.glob("runs/*/tracy")), "a program without a client leaves nothing", done)


def check_own_port(t):
    """What is not a stream, or not on TRACY_PORT, is not redirected."""
    folder = t.folder("ports")
    script = """
import os, socket
port = int(os.environ["TRACY_PORT"])
udp = socket.socket(type=socket.SOCK_DGRAM); udp.bind(("127.0.0.1", port)); print(udp.getsockname()[1] == port)
tcp = socket.socket(); tcp.bind(("127.0.0.1", port)); print(tcp.getsockname()[1] != port)
six = socket.socket(); six.bind(("127.0.0.1", 0)); print(six.getsockname()[1] != port)
print(tcp.getsockname()[1])
"""
    done = tap.run([t.ttprof, "run", "--no-python", "--quiet", "-o", folder, "--", "env", "-i", sys.executable, "-c", script], folder)
    said = done.stdout.decode().split()
    log = next(folder.glob("runs/*/processes.log")).read_text(encoding="utf-8")
    noted = [line.split("\t")[4] for line in log.splitlines() if line.startswith("port\t")]
    t.equal((said[:3], noted), (["True"] * 3, said[3:]), "only the client's socket gets a port of its own, which the log tells")


def checks(t):
    for protocol in (66, 82):
        check_one(t, protocol)
    check_report(t)
    check_two(t)
    recorded = t.ttprof.parent / "tests" / "programs" / "step_zone"
    for protocol in (66, 82):
        check_together(t, recorded, protocol)
    check_clock(t, recorded)
    check_killed(t)
    check_unknown(t)
    for path, protocol in (("fork/short", 66), ("fork/medium", 66), ("upstream/short", 82)):
        check_real(t, path, protocol)
    check_none(t)
    check_own_port(t)


tap.main(checks)
