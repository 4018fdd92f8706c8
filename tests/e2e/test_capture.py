#!/usr/bin/env python3
"""test_capture.py TTPROF SOURCE_ROOT - `ttprof capture` and clients of both generations: recorded ones, made-up ones, and
ones that misbehave."""
import csv
import io
import json
import os
import signal
import socket
import struct
import subprocess
import time

import tap
import tracy_client

# Recorded sessions that ended with the program, and their protocol.
RECORDED = {
    "fork/short": 66, "fork/medium": 66, "fork/ondemand": 66, "fork/callstack": 66, "own/fork-wide": 66,
    "upstream/short": 82, "upstream/medium": 82, "upstream/ondemand": 82, "upstream/callstack": 82, "own/up-wide": 82,
}  # fmt: skip


def start(t, folder, *args, program=None):
    """A capture that runs until it is waited for with finish()."""
    return subprocess.Popen([str(a) for a in (program or t.ttprof, *([] if program else ["capture"]), *args)], cwd=folder,
                            env=tap.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def finish(process):
    try:
        out, err = process.communicate(timeout=tap.SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    if b"Sanitizer" in err or b": runtime error: " in err:
        tap.complaints.append(err.decode(errors="replace"))
    return tap.Result(out, err, process.returncode)


def capture(t, folder, client, *args):
    return finish(start(t, folder, "-o", "out.tracy", "-f", "-p", client.port, *args))


def rows(t, folder, *options, name="out.tracy"):
    """The rows of csvexport, in some order."""
    got = tap.run([t.ttprof, "csvexport", *options, name], folder)
    return sorted(csv.reader(io.StringIO(got.stdout.decode())))


def zone_count(t, folder, name="out.tracy"):
    table = rows(t, folder, name=name)
    return sum(int(row[5]) for row in table if row[5] != "counts")


def recorded(t):
    golden = t.shared("golden", "tracy")
    for name, protocol in RECORDED.items():
        sentence = f"the recorded session {name} gives the rows that the reference saved"
        if not golden:
            t.skip(sentence, "golden/tracy is not beside the project")
            continue
        folder = t.folder("recorded")
        client = tracy_client.Replay(golden / name, protocol)
        done = capture(t, folder, client)
        client.stop()
        wrong = [str(done)] if done.code else []
        if client.missing:
            wrong.append(f"not asked when the reference did: {client.missing}")
        for form, options in {"plain": [], "u": ["-u"], "m": ["-m"]}.items():
            want = golden / f"{name}.{form}.csv"
            if want.exists() and rows(t, folder, "--compat", *options) != sorted(csv.reader(io.StringIO(want.read_text()))):
                wrong.append(f"{form} differs")
        t.ok(not wrong, sentence, wrong)


def made_up(t):
    for protocol in (66, 82, 83):
        folder = t.folder("session")
        client = tracy_client.Session(protocol, zones=5000)
        done = capture(t, folder, client)
        client.stop()
        t.equal((done.code, zone_count(t, folder)), (0, 5000), f"protocol {protocol}: every zone of a client is captured")
        asked = sorted(q[:2] for q in client.queries)
        t.equal(asked, [(0, 0), (1, 0x1001), (1, 0x1002), (1, 0x1003), (2, 7), (3, 0x2001)], f"protocol {protocol}: each name is asked for once")
        t.equal(client.offered, [p for p in (66, 82, 83) if p <= protocol], f"protocol {protocol} is found")
        head = (folder / "out.tracy").read_bytes()[:4]
        t.equal(head, b"tr\xfdP" if protocol == 82 else b"tlZ\4", f"protocol {protocol}: the file is one that its viewer opens")
        t.equal(rows(t, folder)[-1][:3], ["text1", "text3", "42"], f"protocol {protocol}: names are those of the client")
    folder = t.folder("format")
    for version, head in {"0.10": b"tlZ\4", "0.14": b"tr\xfdP"}.items():
        client = tracy_client.Session(82)
        done = capture(t, folder, client, "--format", version)
        client.stop()
        t.equal((done.code, (folder / "out.tracy").read_bytes()[:4], zone_count(t, folder)), (0, head, 1000), f"--format {version} decides the file")
        t.equal(client.offered, [66, 82] if version == "0.10" else [82], f"--format {version}: its protocol is offered first")
    client = tracy_client.Session(66, family=socket.AF_INET6)
    done = capture(t, folder, client)
    client.stop()
    t.equal((done.code, zone_count(t, folder)), (0, 1000), "a client that listens on ::1 only is found")
    os.symlink(t.ttprof, folder / "tracy-capture")
    client = tracy_client.Session(66)
    done = finish(start(t, folder, "-o", "link.tracy", "-a", "127.0.0.1", "-p", client.port, program=folder / "tracy-capture"))
    client.stop()
    t.equal((done.code, zone_count(t, folder, "link.tracy")), (0, 1000), "a link named tracy-capture captures")


def refusals(t):
    folder = t.folder("refusals")
    (folder / "there.tracy").write_text("precious")
    done = finish(start(t, folder, "-o", "there.tracy"))
    t.equal((done.code, (folder / "there.tracy").read_text()), (4, "precious"), "an output that exists is not overwritten without -f")
    t.equal(finish(start(t, folder, "-o", "no/such/folder/a.tracy")).code, 5, "an output that cannot be written is noticed before")
    for args in ([], ["-o", "a.txt"], ["-o", "a.tracy", "-p", "0"], ["-o", "a.tracy", "-x"], ["-o", "a.tracy", "--all", "-a", "h"]):
        t.equal(finish(start(t, folder, *args)).code, 1, f"a wrong command line ends with 1: {' '.join(args)}")
    client = tracy_client.Session(99)
    done = capture(t, folder, client)
    client.stop()
    t.ok(done.code == 1 and b"\nThe client you are trying to connect to uses incompatible protocol version.\n" in done.stdout, "another protocol number ends with 1", done)
    t.equal(client.offered, [66, 82, 83], "every protocol number is tried")
    t.ok(b"supports protocol 66" in done.stdout + done.stderr, "the supported ones are named", done)

    for status, code, text in ((tracy_client.NOT_AVAILABLE, 2, b"no longer able to sent"), (b"", 3, b"disconnected during the initial"), (b"\1welcome", 3, b"disconnected during the initial"), (b"x", 3, b"disconnected during the initial")):
        client = tracy_client.Refusal(status)
        done = capture(t, folder, client)
        client.stop()
        t.ok(done.code == code and text in done.stdout, f"status {status!r} ends with {code}", done)
    t.ok(not (folder / "out.tracy").exists(), "no file is left without a trace")


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def order(t):
    """Servers that are first, second, or too late."""
    folder = t.folder("order")
    early = tracy_client.Session(82, is_late=True)
    first = start(t, folder, "-o", "out.tracy", "-f", "-p", early.port)
    time.sleep(0.1)
    early.listen()
    done = finish(first)
    early.stop()
    t.equal((done.code, zone_count(t, folder)), (0, 1000), "a capture may be started before its client")

    client = tracy_client.Session(66, ends=False, once=True)
    first = start(t, folder, "-o", "first.tracy", "-p", client.port)
    tap.until(lambda: len(client.queries) >= 5)
    second = start(t, folder, "-o", "second.tracy", "-p", client.port)
    time.sleep(0.1)
    first.send_signal(signal.SIGINT)
    done, late = finish(first), finish(second)
    client.stop()
    t.equal((done.code, zone_count(t, folder, "first.tracy")), (0, 1000), "the first server loses nothing")
    t.equal((late.code, (folder / "second.tracy").exists()), (2, False), "a second server waits and is refused in the end")


def stops(t):
    folder = t.folder("stops")
    for protocol in (66, 82):
        client = tracy_client.Session(protocol, ends=False)
        process = start(t, folder, "-o", "out.tracy", "-f", "-p", client.port)
        tap.until(lambda: len(client.queries) >= 5)
        process.send_signal(signal.SIGINT)
        done = finish(process)
        client.stop()
        t.equal((done.code, zone_count(t, folder), [q[0] for q in client.queries[-2:]]), (0, 1000, [9, 0]), f"protocol {protocol}: Ctrl-C asks the client to end, drains and saves")
    client = tracy_client.Session(82, ends=False)
    done = capture(t, folder, client, "-s", "1")
    client.stop()
    t.equal((done.code, zone_count(t, folder), client.queries[-1][0]), (0, 1000, 0), "-s ends a capture")

    client = tracy_client.Session(82, answers=False, ends=False)
    process = start(t, folder, "-o", "out.tracy", "-f", "-p", client.port)
    tap.until(lambda: len(client.queries) >= 2)
    process.send_signal(signal.SIGINT)
    tap.until(lambda: client.queries[-1][0] == 9)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    client.stop()
    t.equal((done.code, zone_count(t, folder), rows(t, folder)[0][:3]), (0, 1000, ["???", "???", "0"]), "a client that never answers: a second Ctrl-C saves what it sent")

    client = tracy_client.Silent()
    process = start(t, folder, "-o", "none.tracy", "-p", client.port)
    tap.until(lambda: client.offered)
    process.send_signal(signal.SIGTERM)
    done = finish(process)
    client.stop()
    t.equal((done.code, (folder / "none.tracy").exists()), (3, False), "a client without a welcome: nothing is saved")


def nonsense(t):
    folder = t.folder("nonsense")
    for what, damage in {"a length of 0": b"\0\0\0\0", "a huge length": b"\xff\xff\xff\x7f", "a damaged block": b"\4\0\0\0\xff\xff\xff\xff", "an unknown item": tracy_client.pack(b"\xfa"), "an item that is cut": tracy_client.pack(b"\x13\1")}.items():
        client = tracy_client.Session(82, damage=damage)
        done = capture(t, folder, client)
        client.stop()
        t.ok(done.code == 0 and zone_count(t, folder) == 1000 and b"what came before is saved" in done.stderr, f"{what} ends the session, and what came before is saved", done)


def announce(port, client, program, pid, protocol, active=1):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(struct.pack("<HHIQi", 3, client.port if client else 1, protocol, pid, active) + program + b"\0", ("127.0.0.1", port))


def many(t):
    folder = t.folder("all")
    port = free_port(socket.SOCK_DGRAM)
    clients = {101: tracy_client.Session(66, zones=300), 102: tracy_client.Session(82, zones=400), 103: tracy_client.Session(82, zones=500, ends=False)}
    process = start(t, folder, "--all", "-o", "all.tracy", "-p", port)
    names = {pid: f"all-pro_gram-{pid}.tracy" for pid in clients}

    def are_known():
        for pid, client in clients.items():
            announce(port, client, b"pro/gram", pid, client.protocol)
        announce(port, None, b"newer", 104, 84)
        time.sleep(0.02)
        return (folder / names[101]).exists() and (folder / names[102]).exists() and len(clients[103].queries) >= 5

    tap.until(are_known)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    for client in clients.values():
        client.stop()
    t.equal((done.code, [zone_count(t, folder, name) for name in names.values()]), (0, [300, 400, 500]), "--all captures every client that announces itself")
    t.equal([c.offered for c in clients.values()], [[66], [82], [82]], "the protocol is that of the announcement")
    t.equal(done.stderr.count(b"speaks protocol 84, which is not supported"), 1, "a protocol that is not supported is named once")


def now():
    time.sleep(0.02)
    ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    time.sleep(0.02)
    return ns


def one_folder(t):
    """Clients of two processes that are there, one within the other: one run has both on one axis."""
    folder = t.folder("one-folder")
    port = free_port(socket.SOCK_DGRAM)
    clients = [tracy_client.Timed(p, now(), pid, program, is_late=True) for p, pid, program in ((66, os.getppid(), b"first"), (82, os.getpid(), b"second"))]
    begun = now()
    inner = (now(), now())
    clients[0].timed = [("outer", begun, now())]
    clients[1].timed = [("inner", *inner), ("later", now(), now())]
    for client in clients:
        client.listen()
    process = start(t, folder, "--all", "-o", "run/", "-p", port)
    tracy = folder / "run" / "tracy"

    def are_there():
        for client in clients:
            announce(port, client, client.program, client.pid, client.protocol)
        time.sleep(0.02)
        return len(list(tracy.glob("*.tracy"))) == 2

    tap.until(are_there)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    t.ok(done.code == 0 and sorted(f.name for f in tracy.iterdir()) == sorted(f"{c.pid}.tracy" for c in clients), "--all into a folder: a run with a file for each client", done)
    got = tap.run([t.ttprof, "csvexport", "-u", "run"], folder)
    at = {r["name"]: (int(r["ns_since_start"]), int(r["ns_since_start"]) + int(r["exec_time_ns"])) for r in csv.DictReader(io.StringIO(got.stdout.decode()))}
    order = [at["outer"][0], *at["inner"], at["outer"][1], *at["later"]] if len(at) == 3 else [1, 0]
    t.equal(order, sorted(order), "the zones of both are in the order in which they happened")
    info = json.loads(tap.run([t.ttprof, "info", "run", "--json"], folder).stdout)
    t.equal(sorted((p["pid"], p["program"], p["clock"]) for p in info["processes"]), sorted((c.pid, c.program.decode(), "real") for c in clients), "info lists both")
    page = tap.run([t.ttprof, "timeline", "run", "-o", "page.html"], folder)
    t.ok(page.code == 0 and (folder / "run" / "manifest.json").exists(), "which timeline draws", page)
    for client in clients:
        client.stop()


def folders(t):
    folder = t.folder("folders")

    def one(*args):
        client = tracy_client.Session(66, zones=10)
        done = finish(start(t, folder, "-o", "run/", "-p", client.port, *args))
        client.stop()
        return done

    done = one()
    t.ok(done.code == 0 and zone_count(t, folder, "run") == 10, "one client becomes a run, too", done)
    t.equal(one().code, 4, "a run that exists is not overwritten without -f")
    t.equal((one("-f", "--format", "0.14").code, zone_count(t, folder, "run"), len(list((folder / "run" / "tracy").iterdir()))), (0, 10, 1), "-f replaces it")
    (folder / "run" / "precious").write_text("x")
    done = one("-f")
    t.ok(done.code == 5 and zone_count(t, folder, "run") == 10 and b"not of captures" in done.stderr, "but not what is something else", done)
    (folder / "empty").mkdir()
    process = start(t, folder, "-o", "empty", "-p", free_port(socket.SOCK_STREAM))
    t.ok(tap.until((folder / "empty" / "processes.log").exists), "an empty folder may be there")
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    t.equal((finish(process).code, (folder / "empty").exists()), (3, False), "nothing is left without a trace")
    t.equal(finish(start(t, folder, "-o", "run/precious/x/")).code, 5, "a folder that cannot be made is noticed before")


def test(t):
    recorded(t)
    made_up(t)
    refusals(t)
    order(t)
    stops(t)
    nonsense(t)
    many(t)
    one_folder(t)
    folders(t)


tap.main(test)
