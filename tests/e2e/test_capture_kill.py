#!/usr/bin/env python3
"""test_capture_kill.py TTPROF SOURCE_ROOT - a client that dies, and a capture that is stopped, at 200 random moments: what
was sent is saved and can be read."""
import random
import signal
import subprocess
import time

import tap
import tracy_client

ZONES = 20000
CLIENTS, CAPTURES = 120, 80


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


def test(t):
    rng = random.Random(18)
    dying_clients(t, rng)
    stopped_captures(t, rng)


tap.main(test)
