#!/usr/bin/env python3
"""test_run_tracy.py TTPROF SOURCE_ROOT - programs with a Tracy client of their own under `ttprof run`: every one is captured,
and none delays the end for ever."""
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
    done = tap.run([t.ttprof, "run", "-o", folder, "--", *program(t, f"Session({protocol}, zones=300, once=True)")], folder)
    files = captured(folder)
    t.ok(done.code == 0 and len(files) == 1, f"protocol {protocol}: the client is captured without -r", done)
    t.equal([sum(count(t, f, folder).values()) for f in files], [300], f"protocol {protocol}: with all its zones")
    logs = list(folder.glob(".logs/tracy_profile_log_host.tracy"))
    t.equal([f.read_bytes() for f in logs], [f.read_bytes() for f in files], f"protocol {protocol}: under its usual name, too")
    t.ok(b"300 zones" in done.stderr and b"no zones" not in done.stderr, f"protocol {protocol}: the last lines say so", done)


def check_report(t):
    folder = t.folder("report")
    done = tap.run([t.ttprof, "run", "-r", "-o", folder, "--", *program(t, "Session(66, zones=20, once=True)")], folder)
    logs = folder / ".logs"
    rows = (logs / "tracy_ops_times.csv").read_text(encoding="utf-8").splitlines()
    t.equal((done.code, len(rows)), (0, 21), "-r: a row for every zone")
    t.ok((logs / "tracy_ops_data.csv").exists(), "-r: and the messages")


def check_two(t):
    folder = t.folder("two")
    one, other = program(t, "Session(66, zones=30, once=True)"), program(t, "Session(82, zones=50, once=True)")
    script = "import subprocess, sys; sys.exit(sum(p.wait() for p in [subprocess.Popen(w) for w in %r]))" % [one, other]
    done = tap.run([t.ttprof, "run", "-o", folder, "--", sys.executable, "-c", script], folder)
    zones = sorted(sum(count(t, f, folder).values()) for f in captured(folder))
    t.equal((done.code, zones), (0, [30, 50]), "two clients at once have a port and a file each")
    main = next(folder.glob(".logs/*.tracy"))
    t.equal(sum(count(t, main, folder).values()), 50, "the one with most zones is the run's")


def check_killed(t):
    folder = t.folder("killed")
    done = tap.run([t.ttprof, "run", "-o", folder, "--", *program(t, "Session(66, zones=10, once=True)", is_killed=True)], folder)
    t.ok(done.code == 128 + 9 and not tap.of_run(folder), "a client that dies ends the run", done)


def check_unknown(t):
    folder = t.folder("unknown")
    made = ("Session(66, once=True, is_late=True); client.protocol = 83; "
            "client.session = lambda connection: connection.sendall(b'\\1'); client.listen()")
    done = tap.run([t.ttprof, "run", "-o", folder, "--", *program(t, made)], folder)
    t.ok(done.code == 0 and b"protocol 83" in done.stderr and not captured(folder), "a client of another protocol is named, and let go", done)


def check_real(t, path, protocol):
    """What a real client has sent once, in the same pieces, each after the same queries."""
    sent = t.shared("golden", "tracy", path + ".c2s.bin")
    if not sent:
        t.skip(f"a replay of {path}", "the golden data are not there")
        return
    base = sent.with_name(sent.name.removesuffix(".c2s.bin"))
    folder = t.folder(path.replace("/", "-"))
    done = tap.run([t.ttprof, "run", "-o", folder, "--", *program(t, f"Replay({str(base)!r}, {protocol})")], folder)
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
    done = tap.run([t.ttprof, "run", "--quiet", "-o", folder, "--", "env", "-i", sys.executable, "-c", script], folder)
    said = done.stdout.decode().split()
    log = next(folder.glob("runs/*/processes.log")).read_text(encoding="utf-8")
    noted = [line.split("\t")[4] for line in log.splitlines() if line.startswith("port\t")]
    t.equal((said[:3], noted), (["True"] * 3, said[3:]), "only the client's socket gets a port of its own, which the log tells")


def checks(t):
    for protocol in (66, 82):
        check_one(t, protocol)
    check_report(t)
    check_two(t)
    check_killed(t)
    check_unknown(t)
    for path, protocol in (("fork/short", 66), ("fork/medium", 66), ("upstream/short", 82)):
        check_real(t, path, protocol)
    check_none(t)
    check_own_port(t)


tap.main(checks)
