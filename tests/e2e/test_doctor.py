#!/usr/bin/python3
"""test_doctor.py TTPROF SOURCE_ROOT - what `ttprof doctor` finds on the machine: folders, tools, ports, what earlier
runs left behind, and every common issue of the guides. Settings and conflicts are tested with the device profiler."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess

import tap

STATES = {"ok", "note", "problem"}


def doctor(t, here, limits=(), **env):
    """The exit code, and the checks by name as (state, found, remedy)."""
    def limit():
        for what, most in limits:
            resource.setrlimit(what, (most, most))
    done = subprocess.run([t.ttprof, "doctor", "--json"], cwd=here, env=tap.environment(**env), stdin=subprocess.DEVNULL, timeout=tap.SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit if limits else None, check=False)
    if b"Sanitizer" in done.stderr:
        tap.complaints.append(done.stderr.decode(errors="replace"))
    told = json.loads(done.stdout)
    return done.returncode, {c["name"]: (c["state"], c["found"], c.get("remedy", "")) for c in told["checks"]}


def spawn(t, here, *words, **more):
    return subprocess.Popen([str(w) for w in words], cwd=here, env=tap.environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


# --- all of it -----------------------------------------------------------------------------
def check_all(t):
    here = t.folder("all")
    code, checks = doctor(t, here)
    t.ok(code == 0 and len(checks) > 20, "nothing is wrong here", checks)
    t.ok(all(state in STATES and found and (remedy or state != "problem") for state, found, remedy in checks.values()),
         "each check has a state and a finding", checks)
    t.equal(os.listdir(here), [], "doctor leaves no file behind")
    text = tap.run([t.ttprof, "doctor"], here, ARCH_NAME="grayskull").stdout.decode()
    listed = re.findall(r"^  (ok|note|problem) +(.{21})  \S", text.split("\nChecks:\n")[1], re.M)
    t.equal([name.strip() for _, name in listed], list(checks), "the text lists the same checks")
    t.ok(re.search(r"^  note +architecture .*\n +-> reboot after a reset", text, re.M), "and what to do", text)
    manual = (t.root / "docs" / "doctor.md").read_text(encoding="utf-8")
    t.equal([n for n in checks if f"| {n} |" not in manual], [], "the page names every check")


def check_issues(t):
    """Every heading of the guides' list is answered by a check and stands in the page."""
    guides = sorted(t.shared("guides").glob("*.txt")) if t.shared("guides") else []
    headings = []
    for guide in guides:
        part = re.search(r"^## Common Issues.*?(?=^## |\Z)", guide.read_text(encoding="utf-8"), re.M | re.S)
        headings += re.findall(r"^### Issue: \"?(.*?)\"?$", part.group(), re.M) if part else []
    if not headings:
        t.skip("doctor covers the guides' common issues", "the guides are not here: they are no part of the project")
        return
    told = json.loads(tap.run([t.ttprof, "doctor", "--json"], t.scratch).stdout)["checks"]
    manual = (t.root / "docs" / "doctor.md").read_text(encoding="utf-8")
    t.ok(len(headings) == 7, "the guides have their list", headings)
    for heading in headings:
        t.ok(any(c.get("issue") == heading for c in told), f"a check answers: {heading}", told)
        t.ok(f"| {heading} |" in manual, f"the page has it: {heading}")


ON = {"TT_METAL_DEVICE_PROFILER": "1"}
BY_VARIABLES = [
    ("clock sync", {}, "ok", "aligns"), ("clock sync", ON, "note", "not be aligned"),
    ("clock sync", {**ON, "TT_METAL_PROFILER_SYNC": "1"}, "ok", "are aligned"),
    ("host zones", {}, "ok", "ttprof run"), ("host zones", ON, "note", "only 'ttprof run' records the host"),
    ("op records", {"TTNN_OP_PROFILER": "1"}, "note", "by name only"),
    ("op records", {"TTNN_OP_PROFILER": "1", "TT_METAL_PROFILER_NO_CACHE_OP_INFO": "1"}, "ok", "recorded in full"),
    ("device buffers", ON, "ok", "room for 1000 programs"),
    ("device buffers", {**ON, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": "100"}, "note", "room for 100 programs"),
    ("device buffers", {**ON, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": "100", "TTPROF_WATERMARK": "1"}, "ok", "read in time"),
    ("device buffers", {**ON, "TTPROF_OVERFLOW": "stall"}, "ok", "room for 500 programs between two reads, and they are read in time"),
    ("debug prints", {}, "ok", "off"), ("debug prints", {"TT_METAL_DPRINT_CORES": "0,0"}, "note", "cannot profile the device"),
    ("debug prints", {**ON, "TT_METAL_DPRINT_CORES": "0,0"}, "problem", "the same memory"),
    ("architecture", {"ARCH_NAME": "wormhole_b0"}, "ok", "wormhole_b0"), ("architecture", {"ARCH_NAME": "grayskull"}, "note", "timers"),
    ("architecture", {"ARCH_NAME": "wormhole_b0", "TT_METAL_DEVICE_ARCH": "Grayskull"}, "note", "timers"),
    ("clock", {"TTPROF_CLOCK": "monotonic"}, "ok", "CLOCK_MONOTONIC ("),
    ("run around this one", {}, "ok", "none"), ("run around this one", {"TTPROF_RUN": "/nosuch"}, "note", "/nosuch, which has ended"),
    ("Tracy port", {"TRACY_PORT": "http"}, "note", "TRACY_PORT='http' is not a port"),
    ("Tracy port", {"TRACY_PORT": "65536"}, "note", "is not a port"),
    ("web port", {"TRACY_WASM_HTTP_PORT": "-1"}, "note", "is not a port"),
    ("LD_PRELOAD", {}, "ok", "not set"),
    ("LD_PRELOAD", {"LD_PRELOAD": "libm.so.6", "ASAN_OPTIONS": "verify_asan_link_order=0"}, "note", "libm.so.6"),
]


def check_variables(t):
    here = t.folder("variables")
    for name, env, state, found in BY_VARIABLES:
        code, checks = doctor(t, here, **env)
        got = checks[name]
        t.ok(got[0] == state and found in got[1] and code == (state == "problem") and (state == "ok") == (not got[2]),
             f"{name}: {' '.join(f'{k}={v}' for k, v in env.items()) or 'nothing set'}: {state}", (code, got))


# --- the machine ---------------------------------------------------------------------------
def check_folders(t):
    here = t.folder("folders")
    (here / "file").write_text("")
    code, checks = doctor(t, here, TT_METAL_PROFILER_DIR="file/x")
    t.ok(code == 1 and checks["artifacts folder"][:2] == ("problem", "file/x is not writable") and "-o" in checks["artifacts folder"][2],
         "a folder that cannot be made is a problem, profiled or not", (code, checks))
    t.ok(checks["recording"][0] == "problem" and "Not a directory" in checks["recording"][1], "nothing can be recorded there", checks)
    code, checks = doctor(t, here, TT_METAL_PROFILER_DIR="a/b/c")
    t.equal((code, checks["artifacts folder"][:2]), (0, ("ok", "a/b/c will be created")), "one that can be made is not")
    (here / "a").mkdir()
    code, checks = doctor(t, here, TT_METAL_PROFILER_DIR=f"{here}/a/")
    t.equal((code, checks["artifacts folder"][:2]), (0, ("ok", f"{here}/a writable")), "nor is one that is there")
    t.equal(sorted(os.listdir(here)), ["a", "file"], "nothing was made")
    if os.path.isdir("/proc/self"):
        code, checks = doctor(t, here, TT_METAL_PROFILER_DIR="/proc/self/x")
        t.ok(code == 1 and checks["recording"][0] == "problem", "a file system that holds no files is found out", checks)


def check_limits(t):
    here = t.folder("limits")
    code, checks = doctor(t, here, limits=[(resource.RLIMIT_NOFILE, 100)])
    t.ok(code == 0 and checks["limits"][:2] == ("note", "at most 100 open files") and "ulimit -n" in checks["limits"][2], "few open files", checks["limits"])
    code, checks = doctor(t, here, limits=[(resource.RLIMIT_FSIZE, 1 << 20)])
    t.ok(code == 1 and checks["limits"][:2] == ("note", "at most 1048576 bytes per file") and "File too large" in checks["recording"][1],
         "files that are too small for events", checks)


def check_tools(t):
    here = t.folder("tools")
    tools = {"C compiler": "cc", "cross compiler": "riscv64-unknown-elf-gcc", "Python": "python3"}
    code, checks = doctor(t, here, PATH=str(here))
    for name, tool in tools.items():
        t.ok(code == 0 and checks[name][0] == "note" and tool in checks[name][1] and "install" in checks[name][2], f"no {tool}: said, and what needs it", checks[name])
    for tool in tools.values():
        (here / tool).write_text(f"#!/bin/sh\necho '{tool} 9.8.7'\nexec {shutil.which('sleep')} 9999\n")
        (here / tool).chmod(0o755)
    code, checks = doctor(t, here, PATH=str(here))  # which ends, though the tools do not
    for name, tool in tools.items():
        t.equal((code, *checks[name]), (0, "ok", f"{tool} 9.8.7, {here}/{tool}", ""), f"{tool} is found, with its version")


def check_ports(t):
    here = t.folder("ports")
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        name = f"a port that is taken, {address}"
        try:
            server = socket.socket(family, socket.SOCK_STREAM)
            server.bind((address, 0))
        except OSError as e:
            t.skip(name, f"no such address here: {e}")
            continue
        with server:
            server.listen()
            port = server.getsockname()[1]
            env = {"TRACY_PORT": str(port), "TRACY_WASM_HTTP_PORT": str(port)}
            code, checks = doctor(t, here, **env)
            state, found, remedy = checks["Tracy port"]
            t.ok(code == 0 and state == "note" and found.startswith(f"{port} is in use by {os.getpid()} ") and "gives it a free one" in remedy, name, checks)
            t.ok(checks["web port"][0] == "ok" and f"{port} is in use by {os.getpid()}" in checks["web port"][1], "a web port matters to nobody", checks)
        code, checks = doctor(t, here, **env)
        t.equal(checks["Tracy port"][:2], ("ok", f"{port} is free"), "a port that is free again")
    _, checks = doctor(t, here)
    t.ok(checks["Tracy port"][1].startswith("8086 is ") and checks["web port"][1].startswith("8080 is "), "without variables: 8086 and 8080", checks)


# --- what was left behind ------------------------------------------------------------------
def check_runs(t):
    here = t.folder("runs")
    with spawn(t, here, t.ttprof, "run", "--quiet", "sh", "-c", "touch ready; exec sleep 9999", start_new_session=True) as run:
        try:
            t.ok(tap.until((here / "ready").exists), "a run is on its way")
            code, checks = doctor(t, here)
            t.equal((code, *checks["runs left behind"][:2]), (0, "ok", "1 in progress, none left behind"), "a run that goes on is none")
            run.kill()
            run.wait(tap.SECONDS)
            code, checks = doctor(t, here)
            folder = next((here / "generated/profiler/runs").iterdir()).relative_to(here)
            t.ok(code == 0 and checks["runs left behind"][:2] == ("note", f"'ttprof run' was killed in {folder}") and "ttprof zones" in checks["runs left behind"][2],
                 "one whose ttprof was killed is, though its command lives", checks["runs left behind"])
        finally:
            os.killpg(run.pid, signal.SIGKILL)


def check_processes(t):
    here = t.folder("processes")
    done = tap.run([t.ttprof, "run", "--quiet", "--no-follow", "sh", "-c", "sleep 61 > /dev/null 2>&1 & echo $!"], here)
    pid = int(done.stdout)
    try:
        _, checks = doctor(t, here)
        t.ok(checks["processes left behind"][0] == "note" and re.search(rf"\b{pid}\b|more$", checks["processes left behind"][1]),
             "a process that outlives its run is named", checks["processes left behind"])
    finally:
        os.kill(pid, signal.SIGKILL)
    _, checks = doctor(t, here)
    t.ok(not re.search(rf"\b{pid}\b", checks["processes left behind"][1]), "and is gone when it is gone", checks["processes left behind"])
    shutil.copy(shutil.which("sleep"), here / "tracy-capture")
    with spawn(t, here, here / "tracy-capture", "62") as tool:
        tap.until(lambda: pathlib.Path(f"/proc/{tool.pid}/comm").read_text() == "tracy-capture\n")
        _, checks = doctor(t, here)
        tool.kill()
    t.ok(checks["tools left behind"][0] == "note" and str(tool.pid) in checks["tools left behind"][1], "tools of the reference are named", checks["tools left behind"])


def check_libraries(t):
    here = t.folder("libraries")
    _, checks = doctor(t, here, TMPDIR=str(here))
    t.equal(checks["libraries left behind"][:2], ("ok", f"none in {here}"), "no library is left")
    (here / "ttprof-abcdef").mkdir()
    _, checks = doctor(t, here, TMPDIR=str(here))
    t.equal(checks["libraries left behind"][0], "ok", "nor in a folder that is another's")
    (here / "ttprof-abcdef" / "libttprof-preload.so").write_bytes(b"\x7fELF")
    _, checks = doctor(t, here, TMPDIR=str(here))
    t.equal(checks["libraries left behind"][:2], ("note", f"{here}/ttprof-abcdef"), "one that nobody uses is told")
    done = tap.run([t.ttprof, "run", "--quiet", t.ttprof, "doctor", "--json"], here)
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    t.ok(checks["run around this one"]["state"] == "note" and "inside the run" in checks["run around this one"]["found"],
         "inside of a run, doctor says so", done)


def test(t):
    check_all(t)
    check_issues(t)
    check_variables(t)
    check_folders(t)
    check_limits(t)
    check_tools(t)
    check_ports(t)
    check_runs(t)
    check_processes(t)
    check_libraries(t)


if __name__ == "__main__":
    tap.main(test)
