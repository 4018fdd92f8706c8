#!/usr/bin/env python3
"""test_client.py TTPROF SOURCE_ROOT - our own Tracy client and our own capture: ten million zones of four threads over
loopback, with and without a run folder, by both protocols. None is lost, and all are where they belong."""
import csv
import io
import pathlib
import socket
import subprocess

import tap

ZONES = 10_000_000
FORMATS = {"0.10": (66, b"tlZ\4"), "0.14": (82, b"tr\xfdP")}


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def record(t, program, version, *before, **env):
    """Runs a command that waits for a server, and our capture, which offers the version's protocol first. The file is
    of that version whatever the client spoke: what it spoke is what the capture says."""
    folder, port = t.folder("client"), free_port()
    with subprocess.Popen([str(t.ttprof), "capture", "-o", "out.tracy", "--format", version, "-p", str(port)], cwd=folder,
                          env=tap.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:  # fmt: skip
        done = tap.run([*before, program, "make", ZONES], folder, TTPROF_TRACY_PORT=str(port), **env)
        if done.code:
            server.kill()
        out, err = server.communicate(timeout=tap.SECONDS)
    return folder, done, tap.Result(out, err, server.returncode)


def check(t, what, program, version, folder, done, captured):
    protocol, head = FORMATS[version]
    path = folder / "out.tracy"
    t.ok(done.code == 0 and captured.code == 0 and path.exists(), f"{what}, {protocol}: both end well", f"{done}\n{captured}")
    t.equal(path.read_bytes()[:4] if path.exists() else b"", head, f"{what}, {protocol}: the file is of {version}")
    found = tap.run([program, "check", path, ZONES], folder)
    t.equal(found.stdout.decode(), f"{ZONES} zones\n", f"{what}, {protocol}: every zone is there, in its thread, its zone and its order")
    odd = [line for line in captured.stderr.decode().splitlines() if "connecting" not in line]
    t.equal(odd, [], f"{what}, {protocol}: nothing was odd")


def run_has_all(t, folder, done):
    table = tap.run([t.ttprof, "zones", "--csv", "-", folder / "out"], folder)
    rows = csv.DictReader(io.StringIO(table.stdout.decode()))
    t.equal(sum(int(r["Count"]) for r in rows), ZONES, "the run has them, too")
    t.ok(b"lost" not in done.stderr, "and says nothing of losses", done)


def test(t):
    program = pathlib.Path(t.ttprof).parent / "tests" / "programs" / "client_zones"
    for version in FORMATS:
        check(t, "without a folder", program, version, *record(t, program, version, TTPROF_TRACY="wait,block"))
        folder, done, captured = record(t, program, version, t.ttprof, "run", "--listen", "--policy", "block", "-o", "out", "--",
                                        TTPROF_TRACY="wait")  # fmt: skip
        check(t, "in a run", program, version, folder, done, captured)
        run_has_all(t, folder, done)


tap.main(test)
