#!/usr/bin/python3
"""test_run.py TTPROF SOURCE_ROOT - ttprof run from the outside: options, environment, what is executed, exit
codes, signals, the terminal, folders, snapshots and everything that can go wrong around a command."""
import fcntl
import os
import pathlib
import pty
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

import tap



def wrapped(t, *arguments, folder=None, **env):
    return tap.run([t.ttprof, "run", *arguments], folder or t.folder("run"), **env)


def environment_of(t, *options, **env):
    """The command's variables as a dictionary, and the folder in which it ran."""
    folder = t.folder("env")
    done = wrapped(t, *options, "env", "-0", folder=folder, **env)
    pairs = [v.split(b"=", 1) for v in done.stdout.split(b"\0") if b"=" in v]
    return {k.decode(): v.decode() for k, v in pairs}, folder, done


def runs_of(root):
    return sorted((pathlib.Path(root) / "runs").iterdir()) if (pathlib.Path(root) / "runs").exists() else []


def lines(done):
    return done.stderr.decode().splitlines()


# --- the command line ------------------------------------------------------------------------------------
def check_grammar(t):
    done = wrapped(t)
    t.ok(done.code == 2 and b"usage: ttprof run" in done.stderr, "no words at all: usage, exit code 2", done)
    done = wrapped(t, "-v")
    t.ok(done.code == 0 and done.stdout.startswith(b"Usage: ttprof run"), "options alone: usage, exit code 0", done)
    done = wrapped(t, "-p", "echo", "-r", "--op", "5")
    t.equal(done.stdout, b"-r --op 5\n", "options end at the first word")
    done = wrapped(t, "-vp", "--", "echo", "--", "-x")
    t.equal(done.stdout, b"-- -x\n", "letters in one word; what is behind -- is the command's")
    for options in (["--op", "5"], ["--op-support-count=5"], ["--op-support", "5"]):
        env, _, done = environment_of(t, *options)
        t.equal(env.get("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT"), "5", f"{' '.join(options)} is --op-support-count 5")
    wrong = [
        (["--nosuch", "true"], "unknown option '--nosuch'"),
        (["--op-support-count", "x", "true"], "'x' is not a valid integer"),
        (["--op-support-count", "-5", "true"], "must not be negative, got -5"),
        (["-t"], "needs a value"),
        (["-t", "0", "true"], "--port must be between 1 and 65535, got 0"),
        (["-t", "x", "true"], "'x' is not a valid integer"),
        (["--web-app-port", "65535", "true"], "--web-app-port must be between 1 and 65534, got 65535"),
        (["--dump", "--no", "true"], "is ambiguous"),
        (["--ring-size", "1", "true"], "must be between 64K and 1G, got '1'"),
        (["--ring-size", "4Q", "true"], "must be between 64K and 1G, got '4Q'"),
        (["--max-size", "12", "true"], "must be at least 64K, got '12'"),
        (["--snapshot-on", "KILL", "true"], "signal 'KILL' cannot be used"),
        (["--snapshot-on", "NONE", "true"], "signal 'NONE' cannot be used"),
        (["--policy", "never", "true"], "invalid value 'never'"),
        (["--flight", "--policy", "block", "true"], "use only one of them"),
        (["--for", "-1", "true"], "must be positive seconds"),
        (["--skip", "-1", "true"], "must not be negative, got -1"),
        (["--start-at", "", "true"], "1 to 255 bytes"),
        (["--stop-at", "x" * 256, "true"], "1 to 255 bytes"),
        (["--check-exit-code", "--ignore-exit-code", "true"], "exclude each other"),
    ]
    for options, message in wrong:
        done = wrapped(t, *options)
        t.ok(done.code == 2 and message.encode() in done.stderr and not done.stdout,
             f"{' '.join(options)[:60]}: {message}", done)


def check_conflicts(t):
    together = "Cannot use --dump-device-data-mid-run and {} together"
    skipping = "Skipping runtime analysis (C++ post-processing) due to conflicting options ({}): the report is made from the device log"
    unknown = ("--profiler-capture-perf-counters: unknown counter group '{}'; valid groups: fpu, pack, unpack, l1_0, l1_1, l1_2, l1_3, "
               "l1_4, instrn, all")
    blackhole = "Performance counter groups {} are supported only on Blackhole, but device arch is {}."
    counters = "--profiler-capture-perf-counters"
    cases = [
        (["-r", "--enable-accumulate-profiling", "true"], {}, 2,
         "-r (ops report) cannot be used with --enable-accumulate-profiling: accumulate mode does not store per-op IDs, "
         "so no ops report can be generated"),
        (["-o", "out", "true"], {}, 0, "Setting profiler artifacts folder to out"),
        (["--tracy-tools-folder", "/", "true"], {}, 0, "Setting tracy tool folder to /"),
        (["--tracy-tools-folder", "nosuch", "true"], {}, 1, "Tracy tools folder nosuch does not exist"),
        (["--dump-device-data-mid-run", "--device-trace-profiler", "true"], {}, 1, together.format("--device-trace-profiler")),
        (["--dump-device-data-mid-run", "--profile-dispatch-cores", "true"], {}, 1, together.format("--profile-dispatch-cores")),
        (["true"], {}, 0, "Test process started"),
        (["--check-exit-code", "sh", "-c", "exit 9"], {}, 4, "sh -c exit 9 exited with a non-zero return code"),
        (["--no-runtime-analysis", "true"], {}, 0, skipping.format("--no-runtime-analysis")),
        ([counters, "fpu", "--profile-dispatch-cores", "--enable-sum-profiling", "true"], {}, 0,
         skipping.format(f"--enable-sum-profiling, --profile-dispatch-cores, {counters}")),
        ([counters, "fpu,nosuch", "true"], {}, 2, unknown.format("nosuch")),
        ([counters, "nosuch", "true"], {}, 2, unknown.format("nosuch")),
        ([counters, "", "true"], {}, 2, unknown.format("")),
        ([counters, "fpu,L1", "true"], {}, 0, "Setting performance counter groups: ['fpu', 'L1'] (bitfield: 9)"),
        ([counters, "l1_4,all,pack", "true"], {}, 0, "Setting performance counter groups: ['l1_4', 'all', 'pack'] (bitfield: 47)"),
        ([counters, "fpu,l1_2,l1_4", "true"], {}, 1, blackhole.format("l1_2, l1_4", "undeclared")),
        ([counters, "l1_3", "true"], {"ARCH_NAME": "wormhole_b0"}, 1, blackhole.format("l1_3", "wormhole_b0")),
        ([counters, "l1_3", "true"], {"TT_METAL_DEVICE_ARCH": "blackhole", "ARCH_NAME": "x"}, 0,
         "Setting performance counter groups: ['l1_3'] (bitfield: 128)"),
        ([counters, "l1_3", "true"], {"TTPROF_DEVICE": "arch=blackhole"}, 0, "(bitfield: 128)"),
    ]
    for words, env, code, message in cases:
        done = wrapped(t, *words, **env)
        t.ok(done.code == code and message.encode() in done.stderr, f"{' '.join(words)}: {message[:70]}", done)
    done = wrapped(t, "--quiet", "-o", "out", "true")
    t.equal((done.code, done.stderr), (0, b""), "--quiet says nothing when all is well")


# --- the environment -------------------------------------------------------------------------------------
SWITCHES = {
    "--no-op-info-cache": ["TT_METAL_PROFILER_NO_CACHE_OP_INFO"],
    "--profile-dispatch-cores": ["TT_METAL_DEVICE_PROFILER_DISPATCH"],
    "--enable-sum-profiling": ["TT_METAL_PROFILER_SUM"],
    "--enable-accumulate-profiling": ["TT_METAL_PROFILER_ACCUMULATE"],
    "--dump-device-data-mid-run": ["TT_METAL_PROFILER_MID_RUN_DUMP"],
    "--watermark": ["TTPROF_WATERMARK"],
    "--disable-device-data-dump-to-files": ["TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES"],
    "--disable-device-data-push-to-tracy": ["TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY"],
    "--sync-host-device": ["TT_METAL_PROFILER_SYNC"],
    "--device-trace-profiler": ["TT_METAL_TRACE_PROFILER"],
    "--collect-noc-traces": ["TT_METAL_DEVICE_PROFILER_NOC_EVENTS"],
    "--device-memory-profiler": ["TT_METAL_MEM_PROFILER"],
    "-r": ["TTNN_OP_PROFILER", "TT_METAL_PROFILER_TRACE_TRACKING"],
}
WITHOUT_ANALYSIS = ("--profile-dispatch-cores", "--enable-sum-profiling")
ALWAYS = {"TT_METAL_PROFILER_DIR", "TT_METAL_DEVICE_PROFILER", "TT_METAL_PROFILER_CPP_POST_PROCESS", "TTPROF_RUN",
          "TRACY_PORT", "TRACY_NO_EXIT", "TRACY_ONLY_LOCALHOST"}
PYTHON = {"TTPROF_PYTHON", "TTPROF_LIBRARY"}  # where the agent is built


def ours(env):
    return {k for k in env if k.startswith(("TT_METAL_", "TTPROF_", "TTNN_", "TRACY_"))} - PYTHON


def check_environment(t):
    env, folder, done = environment_of(t)
    t.equal(ours(env), ALWAYS, "what is set without options")
    root = folder / "generated" / "profiler"
    run = runs_of(root)[0] if runs_of(root) else None
    t.equal((env.get("TTPROF_RUN"), env.get("TT_METAL_PROFILER_DIR")), (str(run), str(run)), "both folders are that of the run")
    t.equal((env.get("TT_METAL_DEVICE_PROFILER"), env.get("TT_METAL_PROFILER_CPP_POST_PROCESS")), ("1", "1"), "the device is profiled")
    t.ok(env.get("LD_PRELOAD", "").endswith("/libttprof-preload.so"), "the library is preloaded", done)
    for option, names in SWITCHES.items():
        env, folder, done = environment_of(t, option)
        want = ALWAYS | set(names)
        if option in WITHOUT_ANALYSIS:
            want -= {"TT_METAL_PROFILER_CPP_POST_PROCESS"}
        if option == "--collect-noc-traces":
            want |= {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH"}
            t.equal(env.get("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH"), env["TTPROF_RUN"] + "/.logs", "NoC traces go to the logs")
        t.ok(ours(env) == want and all(env[n] == "1" for n in names), f"{option} sets {', '.join(names)}", done)
    env, _, done = environment_of(t, "--level", "coarse", "--overflow", "stall")
    t.equal((env.get("TTPROF_LEVEL"), env.get("TTPROF_OVERFLOW")), ("coarse", "stall"), "--level and --overflow are passed on")
    env, _, done = environment_of(t, "--no-device", TT_METAL_DEVICE_PROFILER="1",
                                  TT_METAL_PROFILER_NO_CACHE_OP_INFO="1", TT_METAL_PROFILER_SUM="1", TTPROF_FOLLOW="1", TTPROF_PYTHON="lines")
    t.equal(ours(env), ALWAYS - {"TT_METAL_DEVICE_PROFILER", "TT_METAL_PROFILER_CPP_POST_PROCESS"} | {"TT_METAL_PROFILER_SUM"},
            "what the person has set is inherited, what options decide is deleted")
    env, _, done = environment_of(t, "--op-support-count", "0", "--profiler-capture-perf-counters", "pack,instrn", "-p", "-l")
    t.equal(env.get("TT_METAL_PROFILE_PERF_COUNTERS"), "34", "counters")
    has_agent = (t.ttprof.parent / "libttprof-python.so").exists()
    modes = [environment_of(t, *options, TTPROF_PYTHON="x")[0].get("TTPROF_PYTHON") for options in ([], ["-p"], ["-p", "-l"], ["-l"], ["--no-python"])]
    t.equal(modes, ["functions", "partial", "partial,lines", "functions", None] if has_agent else [None] * 5, "Python modes")
    env, _, done = environment_of(t, PYTHONPATH="/theirs:/too")
    t.ok(env["PYTHONPATH"].endswith(":/theirs:/too") if has_agent else env["PYTHONPATH"] == "/theirs:/too", "a folder of ours is in front of PYTHONPATH", done)
    t.ok("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT" not in env, "a support count of 0 sets nothing")
    env, _, done = environment_of(t, LD_PRELOAD="/nosuch/libttprof-preload.so", ASAN_OPTIONS="verbosity=0")
    t.ok(":" not in env["LD_PRELOAD"] and env["ASAN_OPTIONS"].endswith(":verbosity=0"), "the library of a run around it goes", done)


def check_ports(t):
    env, _, done = environment_of(t, "-t", "5000")
    t.ok(env.get("TRACY_PORT") == "5000" and "ttprof: run: Using port 5000" in lines(done), "-t sets TRACY_PORT", done)
    env, _, done = environment_of(t, "--listen")
    t.equal(env.get("TTPROF_TRACY"), "1", "--listen switches the recorder's own client on")
    t.ok(8106 <= int(env.get("TRACY_PORT", "0")) <= 8499, "the port of other clients is a free one", done)
    with socket.socket() as busy:
        busy.bind(("0.0.0.0", 0))
        busy.listen()
        port = busy.getsockname()[1]
        env, _, done = environment_of(t, "-t", str(port))
        t.ok(env.get("TRACY_PORT") == str(port) and f"port {port} is in use" in done.stderr.decode(), "a port in use is told", done)
    env, _, done = environment_of(t, TRACY_PORT="77", TRACY_NO_EXIT="0")
    t.ok(env.get("TRACY_PORT") != "77", "the port of a run around this one is not taken over", done)
    t.equal((env.get("TRACY_NO_EXIT"), env.get("TRACY_ONLY_LOCALHOST")), ("0", "1"), "what a person says about waiting is kept")


# --- what is executed ------------------------------------------------------------------------------------
def program(folder, name, text, mode=0o755):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def check_target(t):
    folder = t.folder("target")
    odd = ["a b", "$HOME", "*", "", "x;y", "'q\"", "\\n", "-x"]
    done = wrapped(t, "/usr/bin/printf", "[%s]\\n", *odd, folder=folder)
    t.equal(done.stdout.decode(), "".join(f"[{w}]\n" for w in odd), "words reach the command as they are")
    done = wrapped(t, "-p", """printf '%s|' a 'b c' "d \\" e" f\\ g '' "" h'i'"j" $""".replace(" $", ""), folder=folder)
    t.equal(done.stdout.decode(), 'a|b c|d " e|f g|||hij|', "one word with blanks is split by the rules of the shell")
    done = wrapped(t, "A_1=x B= env", folder=folder)
    t.ok(b"\nA_1=x\n" in done.stdout and b"\nB=\n" in done.stdout, "with variables in front of it", done)
    for text in ("a | b", "a && b", "a > b", "a `b`", 'a "$b"'):
        done = wrapped(t, text, folder=folder)
        t.ok(done.code == 2 and b"needs a shell" in done.stderr and b"sh -c" in done.stderr, f"{text}: no shell is used", done)
    done = wrapped(t, "echo 'x", folder=folder)
    t.ok(done.code == 2 and b"an unclosed" in done.stderr, "a quote that is not closed", done)
    done = wrapped(t, "  ", folder=folder)
    t.ok(done.code == 2 and b"the command is empty" in done.stderr, "blanks are no command", done)
    blank = program(folder, "my program", "#!/bin/sh\necho \"$0: $1\"\n")
    done = wrapped(t, str(blank), "z", folder=folder)
    t.equal(done.stdout.decode(), f"{blank}: z\n", "a file with a blank in its name is a file")
    done = wrapped(t, str(blank), folder=folder)
    t.equal(done.stdout.decode(), f"{blank}: \n", "also when it is the only word")
    program(folder, "plain", "echo by the shell\n")
    t.equal(wrapped(t, "./plain", folder=folder).stdout, b"by the shell\n", "a text without #! is run as execvp does")


def check_python(t):
    folder = t.folder("python")
    text = "import sys\nprint(__name__, sys.argv, sys.modules['__main__'].__file__)\n"
    program(folder, "a.py", text, 0o644)
    program(folder, "b.py", "#!/usr/bin/env python3\n" + text)
    program(folder, "c", f"#!{sys.executable}\n" + text, 0o644)
    for word in ("a.py", "./a.py", "b.py", "./b.py", "./c"):
        done = wrapped(t, word, "x y", folder=folder)
        t.ok(done.code == 0 and done.stdout.decode().startswith(f"__main__ ['{word}', 'x y']"), f"{word} is run by Python", done)
    done = wrapped(t, "-m", "a", "x", folder=folder)
    t.ok(done.code == 0 and b"a.py', 'x']" in done.stdout, "-m runs a module", done)
    done = wrapped(t, "-m", "a x 'y z'", folder=folder)
    t.ok(done.code == 0 and b"a.py', 'x', 'y z']" in done.stdout, "-m with a quoted command", done)
    program(folder, "wrong.py", "def (:\n", 0o644)
    done = wrapped(t, "wrong.py", folder=folder)
    t.ok(done.code == 1 and b"SyntaxError" in done.stderr, "a syntax error is told as such, exit code 1", done)


def check_missing(t):
    folder = t.folder("missing")
    program(folder, "not-executable", "x\n", 0o644)
    program(folder, "bad-interpreter", "#!/nosuch/interpreter\n")
    (folder / "folder").mkdir()
    program(folder, "here", "#!/bin/sh\n")
    for words, code, message in ((["nosuch-command"], 127, "no such command in PATH"), (["./nosuch"], 127, "No such file"),
                                 (["./not-executable"], 126, "not executable"), (["./folder"], 126, "not an executable file"),
                                 (["./bad-interpreter"], 127, "cannot be executed"), (["here"], 127, "there is a file ./here"),
                                 ([""], 127, "no such command"), (["-m", ""], 1, "")):
        done = wrapped(t, *words, folder=folder)
        t.ok(done.code == code and message.encode() in done.stderr, f"{words}: exit code {code}, {message}", done)
    left = [p for p in runs_of(folder / "generated" / "profiler") if "python" not in (p / "processes.log").read_text()]
    t.equal(left, [], "no folder is left of what was never run")
    # As a shell does: a file that cannot be executed is passed over, and told only if nothing else is found.
    found = t.folder("found")
    for name, mode in (("first", 0o644), ("second", 0o755)):
        (found / name).mkdir()
        program(found / name, "both", "#!/bin/sh\nexit 5\n", mode)
        program(found / name, f"only-{name}", "#!/bin/sh\nexit 6\n", mode)
    path = f"{found / 'first'}:{found / 'second'}:{os.environ['PATH']}"
    for word, code, message in (("only-first", 126, "only-first: found in PATH but not executable; use 'chmod +x'"), ("both", 5, ""), ("only-second", 6, "")):
        done = wrapped(t, "--no-device", word, folder=found, PATH=path)
        t.ok(done.code == code and message.encode() in done.stderr, f"{word} in PATH: exit code {code}", done)


# --- exit codes ------------------------------------------------------------------------------------------
def check_exit_codes(t):
    for words, code in ((["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["sh", "-c", "kill -TERM $$"], 143),
                        (["--ignore-exit-code", "sh", "-c", "exit 7"], 0), (["--ignore-exit-code", "sh", "-c", "kill -9 $$"], 0),
                        (["--check-exit-code", "sh", "-c", "exit 7"], 4), (["--check-exit-code", "sh", "-c", "kill -9 $$"], 4),
                        (["--check-exit-code", "true"], 0), (["--no-capture-tool", "sh", "-c", "exit 7"], 7),
                        (["--no-follow", "sh", "-c", "exit 7"], 7)):
        t.equal(wrapped(t, *words).code, code, f"{' '.join(words)}: exit code {code}")
    env, folder, done = environment_of(t, "--no-capture-tool", "-r")
    t.ok("TTNN_OP_PROFILER" in env and "TTPROF_RUN" not in env and not (folder / "generated").exists(),
         "--no-capture-tool sets the variables and records nothing", done)


# --- signals ---------------------------------------------------------------------------------------------
class Started:
    """A ttprof run under way; `ready` is a file that its command makes."""

    def __init__(self, t, *arguments, name="signal", **env):
        self.folder = t.folder(name)
        self.process = subprocess.Popen([str(t.ttprof), "run", *arguments], cwd=self.folder, env=tap.environment(**env),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # else nohup is inherited
        tap.until(lambda: (self.folder / "ready").exists() or self.process.poll() is not None)

    def kill(self, number):
        os.kill(self.process.pid, number)

    def end(self):
        try:
            out, err = self.process.communicate(timeout=tap.SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, err = self.process.communicate()
            return tap.Result(out, err, "none")
        return tap.Result(out, err, self.process.returncode)

    def leftovers(self):
        """Processes that have this folder's run in their environment."""
        mark = f"TTPROF_RUN={self.folder}/".encode()
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in path.read_bytes() and path.parent.name != str(self.process.pid):
                    found.append(int(path.parent.name))
            except OSError:
                pass
        return found


WAITING = "touch ready; while :; do sleep 0.02; done"


def check_signals(t):
    for number, code in ((signal.SIGINT, 3), (signal.SIGTERM, 3), (signal.SIGHUP, 129), (signal.SIGUSR2, 140)):
        s = Started(t, "sh", "-c", WAITING)
        s.kill(number)
        done = s.end()
        t.ok(done.code == code and not s.leftovers(), f"{number.name} reaches the command and ends the run, exit code {code}", done)
    s = Started(t, "sh", "-c", f"trap 'echo USR1; touch one' USR1; trap 'echo WINCH; touch two' WINCH; trap 'echo INT; exit 0' INT; {WAITING}")
    for number, mark in ((signal.SIGUSR1, "one"), (signal.SIGWINCH, "two")):
        s.kill(number)
        tap.until((s.folder / mark).exists)
    s.kill(signal.SIGINT)
    done = s.end()
    t.equal((done.code, done.stdout), (0, b"USR1\nWINCH\nINT\n"), "a command that takes the signals and ends well was not interrupted")
    s = Started(t, "sh", "-c", f"trap 'exit 9' TERM; {WAITING}")
    s.kill(signal.SIGTERM)
    t.equal(s.end().code, 3, "one that ends with an error was")
    s = Started(t, "sh", "-c", f"trap '' INT; (trap '' INT; sleep 9999) & {WAITING}")
    s.kill(signal.SIGTERM)
    done = s.end()
    t.ok(done.code == 3 and not s.leftovers(), "what is left of an interrupted command is ended", done)
    ignored = program(t.scratch, "ignored", f"#!/bin/sh\ntrap '' HUP INT\nexec {t.ttprof} run sh -c 'touch ready; sleep 0.3; exit 5'\n")
    folder = t.folder("nohup")
    process = subprocess.Popen([ignored], cwd=folder, env=tap.environment(), stderr=subprocess.DEVNULL, start_new_session=True)
    tap.until((folder / "ready").exists)
    os.kill(process.pid, signal.SIGHUP)
    os.kill(process.pid, signal.SIGINT)
    t.equal(process.wait(tap.SECONDS), 5, "signals that were ignored from the start stay ignored")


def check_stragglers(t):
    daemon = "(setsid sh -c '{}; echo late >late' >/dev/null 2>&1 &) ; touch ready; exit 6"
    folder = t.folder("daemon")
    done = wrapped(t, "sh", "-c", daemon.format("sleep 0.4"), folder=folder)
    t.ok(done.code == 6 and (folder / "late").exists(), "processes that outlive the command are waited for", done)
    folder = t.folder("daemon")
    done = wrapped(t, "--no-follow", "sh", "-c", daemon.format("until [ -e told ]; do sleep 0.02; done"), folder=folder)
    t.ok(done.code == 6 and not (folder / "late").exists(), "not with --no-follow", done)
    (folder / "told").touch()
    tap.until((folder / "late").exists)
    s = Started(t, "sh", "-c", "(setsid sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &) ; touch ready; exit 6")
    told = []
    reader = threading.Thread(target=lambda: told.extend(iter(s.process.stderr.readline, b"")))
    reader.start()
    tap.until(lambda: any(b"waiting for" in line for line in told))
    line = next((x for x in told if b"waiting for" in x), b"")
    t.ok(b"sh -c trap" in line and b"Press Ctrl-C to end" in line, "who is waited for is told after two seconds", told)
    s.kill(signal.SIGINT)
    time.sleep(0.3)
    t.ok(s.process.poll() is None, "a process that does not listen to SIGTERM gets some time")
    s.kill(signal.SIGINT)
    code = s.process.wait(tap.SECONDS)
    s.process.stdout.close()
    reader.join(tap.SECONDS)
    t.ok(code == 3 and not s.leftovers(), "the next signal ends it at once", told)


# --- the terminal ----------------------------------------------------------------------------------------
class Terminal:
    """A ttprof run as the foreground job of a terminal of its own."""

    def __init__(self, t, *arguments):
        self.folder = t.folder("tty")
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(self.folder)
            os.execve(str(t.ttprof), [str(t.ttprof), "run", *arguments], tap.environment(TERM="xterm"))
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.text = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        tap.until((self.folder / "ready").exists)

    def read(self):
        try:
            while data := os.read(self.master, 4096):
                self.text += data
        except OSError:
            pass

    def type(self, text):
        os.write(self.master, text)

    def state(self, options=os.WNOHANG | os.WUNTRACED | os.WCONTINUED):
        pid, status = os.waitpid(self.pid, options)
        return status if pid else None

    def end(self):
        status = tap.until(self.state)
        if status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            return "none"
        self.reader.join(5)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)


COUNTING = """import os, signal, socket, time
ours, theirs = socket.socketpair()
ours.setblocking(False)
signal.set_wakeup_fd(ours.fileno())
signal.signal(signal.SIGINT, lambda *_: None)
open("ready", "w").close()
first = theirs.recv(16)
time.sleep(0.3)
theirs.setblocking(False)
try:
    first += theirs.recv(16)
except BlockingIOError:
    pass
print(len(first), "times", flush=True)
os._exit(4)
"""


def check_terminal(t):
    tty = Terminal(t, sys.executable, "-c", COUNTING)
    tty.type(b"\x03")
    code = tty.end()
    t.ok(b"1 times" in tty.text and code == 3, "Ctrl-C reaches the command once, and ttprof stays", (code, tty.text))
    tty = Terminal(t, "sh", "-c", f"touch ready; read line; echo \"got $line\"; {WAITING}")
    tty.type(b"hello\n")
    tap.until(lambda: b"got hello" in tty.text)
    tty.type(b"\x1a")
    status = tap.until(tty.state)
    t.ok(status is not None and os.WIFSTOPPED(status), "Ctrl-Z stops ttprof with the command", status)
    os.killpg(tty.pid, signal.SIGCONT)
    tap.until(lambda: (tty.state() or 0) or True)
    live = tap.until(lambda: b"events/s" in tty.text)
    t.ok(live and b"got hello" in tty.text, "the command reads from the terminal; after two seconds there is a live line", tty.text)
    size = len(tty.text)
    tty.type(b"\x03")
    code = tty.end()
    t.ok(code == 3 and b"\r\x1b[K" in tty.text[size:], "the live line is wiped at the end", (code, tty.text[size:]))


# --- folders ---------------------------------------------------------------------------------------------
CONTROL = "<IIII QQ II QQ q d 256s 256s QQQ II Q"


def control_of(run):
    data = (run / "control").read_bytes()
    names = ("magic version gate is_over opened closed policy ring most for_ns skip ticks start_at stop_at events lost "
             "bytes processes threads passed").split()
    values = dict(zip(names, struct.unpack_from(CONTROL.replace(" ", ""), data)))
    return values | {"size": len(data), "start_at": values["start_at"].rstrip(b"\0"), "stop_at": values["stop_at"].rstrip(b"\0")}


def check_folders(t):
    folder = t.folder("folders")
    done = wrapped(t, "-o", "out/deep/", "-n", "my run/x", "true", folder=folder)
    names = [p.name for p in runs_of(folder / "out" / "deep")]
    t.ok(done.code == 0 and len(names) == 1 and names[0].endswith("_my_run_x") and len(names[0]) == 28, "-o and -n name the run", (done, names))
    for env, root in (({"TT_METAL_PROFILER_DIR": "dir"}, "dir"), ({"TT_METAL_HOME": "home"}, "home/generated/profiler"), ({}, "generated/profiler")):
        done = wrapped(t, "true", folder=folder, **env)
        t.equal(len(runs_of(folder / root)), 1, f"the artifacts folder is {root} with {env}")
    run = runs_of(folder / "generated/profiler")[0]
    left = {p.name for p in run.iterdir()} - {"manifest.json"}
    t.equal(left, {".logs", "control", "host", "processes.log"}, "the library is taken away when all is over")
    c = control_of(run)
    t.equal((c["magic"], c["version"], c["is_over"], c["policy"], c["ring"], c["most"], c["size"]),
            (0x43505454, 1, 1, 0, 4 << 20, 0, 4096), "the control page has its defaults")
    done = wrapped(t, "-o", "w", "--start-signpost", "a b", "--end-signpost", "stop", "--skip", "3", "--for", "1.5", "--policy", "block",
                   "--ring-size", "100K", "--max-size", "1.5G", "true", folder=folder)
    c = control_of(runs_of(folder / "w")[0])
    t.equal([c[k] for k in ("start_at", "stop_at", "skip", "for_ns", "policy", "ring", "most", "opened")],
            [b"a b", b"stop", 3, 1500000000, 2, 131072, 3 << 29, 0], "the window and the limits are in the control page")
    done = wrapped(t, "-o", "f", "--for", "0.05", "sleep", "0.3", folder=folder)
    c = control_of(runs_of(folder / "f")[0])
    t.equal(c["closed"] - c["opened"], 50000000, "--for closes the window when nobody else does")


def check_windows(t):
    """The workload has the signposts start and stop."""
    folder = t.folder("windows")
    workload = [t.ttprof, "sim", "run", "mlp", "--size", "64", "--grid", "2x2"]
    seen = {}
    for name, options in (("all", ["--no-follow"]), ("start", ["--start-at", "start"]), ("both", ["--start-at", "start", "--stop-at", "stop"]),
                          ("skip", ["--start-at", "start", "--skip", "1"]), ("outside", ["--no-follow", "sh", "-c", '"$@"; exit 0', "sh"])):
        wrapped(t, "--no-device", "-o", name, *options, *workload, folder=folder)
        seen[name] = control_of(runs_of(folder / name)[0])
    events = {name: c["events"] for name, c in seen.items()}
    t.ok(events["all"] > events["start"] > events["both"] > 0, "signposts bound what is recorded", events)
    t.ok(0 < seen["both"]["opened"] < seen["both"]["closed"] and seen["both"]["passed"] == 1, "when the window was open is in the control page", seen)
    t.ok(events["skip"] == 0 and seen["skip"]["passed"] == 1, "a window that never opens records nothing", events)
    t.equal(events["outside"], 0, "with --no-follow the command's own process alone is recorded")


def check_parallel(t):
    folder = t.folder("parallel")
    running = [subprocess.Popen([str(t.ttprof), "run", "-o", "root", "sh", "-c", "echo $TTPROF_RUN; sleep 0.1"], cwd=folder,
                                env=tap.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(12)]
    ended = [(p.communicate(timeout=tap.SECONDS)[0].decode().strip(), p.returncode) for p in running]
    runs = {str(p) for p in runs_of(folder / "root")}
    t.ok(len(runs) == 12 and {e[0] for e in ended} == runs and not any(e[1] for e in ended), "runs at once have a folder each", (ended, runs))
    logs = [(pathlib.Path(run) / "processes.log").read_text() for run in runs]
    t.ok(all(text.count("\nexec") + text.startswith("exec") == 2 for text in logs), "and a process log each", logs[0] if logs else "")
    folder = t.folder("nested")
    done = wrapped(t, "-o", "outer", t.ttprof, "run", "-o", "inner", "--quiet", "env", folder=folder)
    env = dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)
    t.ok(done.code == 0 and env.get("TTPROF_RUN") == str(runs_of(folder / "inner")[0]) and ":" not in env["LD_PRELOAD"],
         "a run in a run records into its own folder", done)


def check_snapshots(t):
    fake = "d=$TTPROF_RUN/host; for n in 1-1.0.ring 1-1.stream 1-1.table 1-1.blobs; do echo $n >$d/$n; done; "
    s = Started(t, "--flight", "sh", "-c", f"{fake} trap 'echo USR1' USR1; {WAITING}", name="snapshot")
    run = runs_of(s.folder / "generated/profiler")[0]
    for n in (1, 2):
        s.kill(signal.SIGUSR1)
        tap.until((run / "snapshots" / str(n) / "processes.log").exists)
    s.kill(signal.SIGTERM)
    done = s.end()
    kept = sorted(str(p.relative_to(run / "snapshots" / "2")) for p in (run / "snapshots" / "2").rglob("*") if p.is_file())
    t.equal(kept, ["control", "host/1-1.0.ring", "host/1-1.blobs", "host/1-1.stream", "host/1-1.table", "processes.log"], "a snapshot has all files")
    t.ok(f"snapshot in {run}/snapshots/1; read it with 'ttprof zones" in done.stderr.decode() and b"USR1" not in done.stdout,
         "it is told where it is; the signal is not forwarded", done)
    s = Started(t, "--snapshot-on", "SIGUSR2", "sh", "-c", WAITING)
    run = runs_of(s.folder / "generated/profiler")[0]
    s.kill(signal.SIGUSR2)
    t.ok(tap.until((run / "snapshots" / "1" / "processes.log").exists), "--snapshot-on names the signal")
    s.kill(signal.SIGTERM)
    s.end()


# --- disasters -------------------------------------------------------------------------------------------
def check_disasters(t):
    unrecorded = b"the command runs without being recorded"
    folder = t.folder("disaster")
    (folder / "file").write_text("x")
    done = wrapped(t, "-o", "file/x", "sh", "-c", "echo \"[$TTPROF_RUN]\"; exit 5", folder=folder)
    t.ok(done.code == 5 and unrecorded in done.stderr and done.stdout == b"[]\n", "a folder that cannot be made", done)
    if os.geteuid() == 0:
        t.skip("a folder without permission", "root may write everywhere")
    else:
        (folder / "closed").mkdir(mode=0o555)
        done = wrapped(t, "-o", "closed", "sh", "-c", "exit 5", folder=folder)
        t.ok(done.code == 5 and unrecorded in done.stderr, "a folder without permission", done)
    done = subprocess.run([str(t.ttprof), "run", "-o", "limit", "sh", "-c", "exit 5"], cwd=folder, env=tap.environment(), check=False,
                          stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    t.ok(done.returncode == 5 and unrecorded in done.stderr and not runs_of(folder / "limit"), "no file may be written: nothing is left behind", done)
    check_full_disk(t, folder, unrecorded)
    for text, code in (("import os; os.closerange(0, 1000); os._exit(5)", 5), ("import os; os.chdir('/'); os._exit(6)", 6),
                       ("import os, sys; os.environ.clear(); os.execv('/bin/sh', ['sh', '-c', 'exit 7'])", 7)):
        done = wrapped(t, sys.executable, "-c", text, folder=folder)
        t.ok(done.code == code, f"{text}: exit code {code}", done)
    done = subprocess.run([str(t.ttprof), "run", "sh", "-c", "exit 5"], cwd=folder, env=tap.environment(), check=False, close_fds=True,
                          preexec_fn=lambda: os.closerange(0, 3))
    t.equal(done.returncode, 5, "without standard input, output and error")
    sentence = "a command that gives up root's rights"
    if os.geteuid() == 0 and shutil.which("setpriv"):
        done = wrapped(t, "setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", "exit 5", folder=folder)
        t.ok(done.code == 5 and b"ended as user 65534, who cannot write" in done.stderr, sentence, done)
    else:
        t.skip(sentence, "needs root and setpriv")
    gone = t.folder("gone")
    script = f"mkdir here && cd here && rmdir ../here && exec {t.ttprof} run sh -c 'exit 5'"
    done = tap.run(["sh", "-c", script], gone)
    t.ok(done.code == 5 and unrecorded in done.stderr, "in a folder that is gone", done)


def check_full_disk(t, folder, unrecorded):
    disk = folder / "disk"
    disk.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", disk], check=False,
                                                   stderr=subprocess.DEVNULL).returncode == 0
    if not mounted:
        t.skip("a full disk", "no file system can be mounted here")
        return
    try:
        (disk / "fill").write_bytes(b"x" * 8192)
        done = wrapped(t, "-o", str(disk), "sh", "-c", "exit 5", folder=folder)
        t.ok(done.code == 5 and unrecorded in done.stderr, "a full disk", done)
    finally:
        subprocess.run(["umount", disk], check=False)


def test(t):
    for check in (check_grammar, check_conflicts, check_environment, check_ports, check_target, check_python, check_missing, check_exit_codes,
                  check_signals, check_stragglers, check_terminal, check_folders, check_windows, check_parallel, check_snapshots, check_disasters):
        start = time.monotonic()
        check(t)
        print(f"# {check.__name__}: {time.monotonic() - start:.1f} s", flush=True)


tap.main(test)
