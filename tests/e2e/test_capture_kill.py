#!/usr/bin/env python3
"""test_capture_kill.py TTPROF SOURCE_ROOT - a client that dies, and a capture that is stopped, at random moments: what was
sent is saved and can be read, and a program goes on without its server. 200 moments are of our own client."""
import random
import signal
import socket
import subprocess
import time

import tap
import tracy_client

ZONES = 20000
CLIENTS, CAPTURES = 60, 40  # by hand, to cut the stream anywhere
PROGRAMS, SERVERS = 100, 100
PROGRAM_ZONES = 1_000_000


def read_back(t, folder):
    """The number of zones in the file; None: it cannot be read."""
    got = tap.run([t.ttprof, "csvexport", "-u", "out.tracy"], folder)
    return len(got.stdout.splitlines()) - 1 if got.code == 0 else None


def capture(t, folder, client):
    return subprocess.Popen([str(t.ttprof), "capture", "-o", "out.tracy", "-f", "-p", str(client.port)], cwd=folder,
                            env=tap.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def dying_clients(t, rng):
    folder, wrong, n_saved = t.folder("clients"), [], 0
    for _ in range(CLIENTS):
        protocol = rng.choice((66, 82))
        head = 1 + len(tracy_client.welcome(protocol))
        cut = rng.choice((rng.randrange(head), rng.randrange(head, head + 200), rng.randrange(head, head + ZONES * 26)))
        (folder / "out.tracy").unlink(missing_ok=True)
        client = tracy_client.Session(protocol, zones=ZONES, cut=cut)
        process = capture(t, folder, client)
        process.communicate(timeout=tap.SECONDS)
        client.stop()
        zones = read_back(t, folder) if (folder / "out.tracy").exists() else None
        is_fine = (process.returncode, zones is None) == ((3, True) if cut < head else (0, False))
        n_saved += bool(zones)
        if not is_fine or (zones or 0) > ZONES:
            wrong.append((protocol, cut, process.returncode, zones))
    t.ok(not wrong and n_saved > CLIENTS // 5, f"{CLIENTS} clients that die: what they sent is saved", (wrong, n_saved))


def stopped_captures(t, rng):
    folder, wrong = t.folder("captures"), []
    for i in range(CAPTURES):
        (folder / "out.tracy").unlink(missing_ok=True)
        client = tracy_client.Session(rng.choice((66, 82)), zones=ZONES, ends=False)
        process = capture(t, folder, client)
        tap.until(lambda: client.offered)
        time.sleep(rng.random() * 0.05)
        process.send_signal(rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
        process.communicate(timeout=tap.SECONDS)
        client.stop()
        zones = read_back(t, folder) if (folder / "out.tracy").exists() else None
        # A signal that comes before the welcome leaves nothing.
        if process.returncode not in (0, 3) or (process.returncode == 0) != (zones is not None):
            wrong.append((i, process.returncode, zones))
    t.ok(not wrong, f"{CAPTURES} captures that are stopped save what they have", wrong)


def own_client(t, folder):
    """A program with our client, connected to our capture."""
    (folder / "out.tracy").unlink(missing_ok=True)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    words = [t.ttprof.parent / "tests" / "programs" / "client_zones", "make", str(PROGRAM_ZONES)]
    server = subprocess.Popen([str(t.ttprof), "capture", "-o", "out.tracy", "-f", "-p", str(port)], cwd=folder,
                              env=tap.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    program = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE,
                               env=tap.environment(TTPROF_TRACY="wait,block", TTPROF_TRACY_PORT=str(port)))  # fmt: skip
    program.stdout.readline()  # it has waited for the connection
    return program, server


def dying_programs(t, rng):
    folder, wrong, some = t.folder("programs"), [], 0
    for i in range(PROGRAMS):
        program, server = own_client(t, folder)
        time.sleep(rng.random() * 0.1)
        program.kill()
        program.communicate(timeout=tap.SECONDS)
        server.communicate(timeout=tap.SECONDS)
        zones = read_back(t, folder) if (folder / "out.tracy").exists() else None
        some += 0 < (zones or 0) < PROGRAM_ZONES
        if server.returncode != 0 or zones is None or zones > PROGRAM_ZONES:
            wrong.append((i, server.returncode, zones))
    t.ok(not wrong and some > PROGRAMS // 5, f"{PROGRAMS} programs that are killed: what they sent is saved", (wrong, some))


def dying_servers(t, rng):
    folder, wrong = t.folder("servers"), []
    for i in range(SERVERS):
        program, server = own_client(t, folder)
        time.sleep(rng.random() * 0.1)
        how = rng.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
        server.send_signal(how)
        server.communicate(timeout=tap.SECONDS)
        program.communicate(timeout=tap.SECONDS)
        zones = read_back(t, folder) if (folder / "out.tracy").exists() else None
        is_fine = program.returncode == 0 and (how == signal.SIGKILL or (server.returncode == 0 and zones is not None))
        if not is_fine:
            wrong.append((i, how, program.returncode, server.returncode, zones))
    t.ok(not wrong, f"{SERVERS} servers that are stopped or killed: the program ends well, and what was stopped is saved", wrong)


def test(t):
    rng = random.Random(18)
    dying_clients(t, rng)
    stopped_captures(t, rng)
    dying_programs(t, rng)
    dying_servers(t, rng)


tap.main(test)
