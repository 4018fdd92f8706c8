#!/usr/bin/python3
"""test_workloads.py TTPROF SOURCE_ROOT - every example workload on both chips, by small sizes.

A workload checks its own numbers and says so by its exit code; here its figures are compared with
what is known in closed form, and its end state (--hash) must not depend on threads, parking or
luck. What is wrong on the command line must be told.
"""
import json

import tap

# Options that keep a run short, also under sanitizers; the loops and sizes are the smallest that
# still show what the workload is there for.
SMALL = {
    "loopback": "--pages 24",
    "eltwise_add": "--tiles 48 --grid 3x2",
    "matmul_tiled": "--size 128 --grid 2x2",
    "reduce": "--tiles 2 --grid 4x2",
    "mcast": "--size 16384 --grid 4x3",
    "pipeline": "--pages 64 --cores 4 --slow-stage 2",
    "full_buffer": "--runs 3 --grid 2x2",
    "cycle_count": "--loops 200 --grid 2x2",
    "imbalance": "--loops 5 --grid 4x2",
    "multi_op": "--ops 10 --grid 2x2",
    "allgather2": "--size 4096",
    "matmul_peak": "--size 128 --grid 2x2",
    "mlp": "--size 64 --grid 4x2",
    "stream": "--size 64 --loops 3 --grid 4x2",
    "transformer_block": "--size 32 --grid 4x2",
    "training_step": "--size 32 --loops 2 --grid 2x2",
    "rollover": "--grid 4x4",
    "deadlock": "",
}
CHIPS = ("wormhole", "blackhole")
# What must not change the end state: (options, device keys).
SAME = [("--threads 2", "quantum=8"), ("", "park=off"), ("", "")]
# Who never parks is never seen to be stuck: a deadlock then ends by its time limit only. The others are slow.
ALWAYS_PARKS = {("deadlock", "wormhole"), ("deadlock", "blackhole"), ("transformer_block", "blackhole"), ("rollover", "blackhole")}


def sim(t, command, env=None):
    return tap.run([t.ttprof, "sim", *command.split(" ")], t.scratch, **(env or {}))


def results(t, name, chip, more="", keys=""):
    options = ["run", name, "--arch", chip, "--json", "--hash", *SMALL[name].split(), *more.split()]
    done = tap.run([t.ttprof, "sim", *options, *(["--device", keys] if keys else [])], t.scratch)
    try:
        return done, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done, {}


def check_all(t, names):
    """Runs every workload; returns what they found. The thread sanitizer, which is slow, looks at threads only."""
    same = SAME[:1] if b"__tsan_init" in t.ttprof.read_bytes() else SAME
    found = {}
    for name in names:
        want = 1 if name == "deadlock" else 0
        for chip in CHIPS:
            done, result = results(t, name, chip)
            passed = done.code == want and result.get("passed") is (want == 0)
            t.ok(passed, f"{name} on {chip} ends with {want}", done)
            found[name, chip] = result
            hows = [how for how in same if how[1] != "park=off" or (name, chip) not in ALWAYS_PARKS]
            others = [(how, results(t, name, chip, *how)[1]) for how in hows]
            differs = [str(how) for how, other in others if not other or other.get("state") != result.get("state")]
            t.ok(not differs, f"{name} on {chip}: the end state depends on nothing", differs)
    return found


def check_dispatch(t, names):
    """Whoever launches the programs, their results are the same: all checks of a workload pass, and where they allow an
    error it is the same one."""
    for board in ("n150", "n300", "p150"):
        for name in names:
            want = 1 if name == "deadlock" else 0
            errors = {}
            for how in ("slow", "fast"):
                done, result = on_board(t, name, board, how, SMALL[name])
                t.ok(done.code == want and result.get("passed") is (want == 0), f"{name} on {board}, {how}: ends with {want}", done)
                errors[how] = result.get("figures", {}).get("error of an op, worst")
            t.equal(errors["fast"], errors["slow"], f"{name} on {board}: the error does not depend on the dispatch")


def check_usual_grid(t, names):
    """Fast dispatch leaves 8x7 cores of an n300, to which the usual grid of 8x8 adapts."""
    for name in names:
        small, _, asked = SMALL[name].replace("--size 128", "--size 256").partition("--grid")
        done, result = on_board(t, name, "n300", "fast", small) if asked else (None, {"passed": True})
        t.ok(result.get("passed"), f"{name} chooses a grid that the device has", done)
    done, result = on_board(t, "eltwise_add", "n300", "fast", "--tiles 112")
    t.equal(result.get("figures", {}).get("cores"), 56, "all cores that are there")


def on_board(t, name, board, dispatch, options):
    command = [t.ttprof, "sim", "run", name, "--json", *options.split(), "--device", f"board={board} dispatch={dispatch}"]
    done = tap.run(command, t.scratch)
    return done, json.loads(done.stdout or "{}")


def check_figures(t, found):
    for chip in CHIPS:
        of = {name: found[name, chip].get("figures", {}) for name in SMALL}
        loops = of["cycle_count"].get("clock to clock", 0)
        t.ok(abs(loops - 52 * 200) <= 10, f"{chip}: 200 rounds of 52 cycles", loops)
        t.ok(of["mcast"].get("multicast / one unicast", 9) < 1.5, f"{chip}: multicast is about one unicast", of["mcast"])
        t.ok(of["mcast"].get("each / multicast", 0) > 4, f"{chip}: unicast to each takes much longer", of["mcast"])
        weights = [(i + 1) * (3 if i == 4 else 1) for i in range(8)]
        ratio = sum(weights) / 8 / max(weights)
        t.ok(abs(of["imbalance"].get("mean / max", 0) - ratio) < 0.01 * ratio, f"{chip}: mean / max is {ratio:.4f}", of["imbalance"])
        t.ok(of["full_buffer"].get("zones") == 4 * 5 * 3 * 125, f"{chip}: zones of 3 runs", of["full_buffer"])
        t.ok(of["full_buffer"].get("zones, one more run") == 4 * 5 * 4 * 125, f"{chip}: zones of 4 runs", of["full_buffer"])
        t.ok(of["rollover"].get("torn, read high-low-high") == 0, f"{chip}: the safe clock is never torn", of["rollover"])
        t.ok(of["transformer_block"].get("ops", 0) >= 20, f"{chip}: a transformer block has 20 ops or more", of["transformer_block"])
        raw = of["allgather2"].get("send to receive, raw clocks", 0)
        t.ok(raw < 0 < of["allgather2"].get("send to receive, true time", 0), f"{chip}: unsynced clocks show the receive before the send",
             of["allgather2"])


def check_fidelity(t):
    """Once the engine is what takes the time, a phase more costs 16 cycles a tile product: at least those of the second
    of two passes, when all operands are there."""
    for chip in CHIPS:
        runs = [results(t, "matmul_tiled", chip, f"--size 256 --format bfp8 --fidelity {f}") for f in ("LoFi", "HiFi3", "HiFi4")]
        took = [result.get("figures", {}).get("core 0,0", 0) for _, result in runs]
        t.ok(all(done.code == 0 for done, _ in runs), f"{chip}: products of bfp8 are right", runs[0][0])
        t.ok(8 * 8 * 16 <= took[2] - took[1] <= 2 * 8 * 8 * 16, f"{chip}: HiFi4 takes 16 cycles a product more than HiFi3", took)
        t.ok(0 < took[0] < took[1], f"{chip}: LoFi takes less", took)
        figures = runs[2][1].get("figures", {})
        t.equal(figures.get("core 0,0: FPU busy"), figures.get("core 0,0: FLOP of peak"), f"{chip}: FLOP % is what the busy counter says")


def check_deadlock(t):
    done = sim(t, "run deadlock")
    text = done.stderr.decode()
    t.ok(done.code == 1 and "CB 3" in text and "2,1" in text and "NCRISC" in text, "a deadlock names circular buffer, core and RISC", done)
    for board in ("n150", "p150"):
        out = t.folder("stuck")
        done = sim(t, f"run deadlock --profile -o {out} --device board={board},dispatch=fast")
        text = done.stderr.decode()
        t.ok(done.code == 1 and "device 0, queue 0: program 'deadlock' (id 1) is not done\n" in text and "CB 3" in text,
             f"{board}: behind a queue it names program and workers, too", done)
        lines = text[:text.index("device 0: deadlock at")].splitlines()
        t.ok(max(map(len, lines)) <= 100, f"{board}: lines about the queue are not too long", lines)
        rows = (out / ".logs" / "profile_log_device.csv").read_text(encoding="utf-8").splitlines()
        t.ok(any("WAIT-FOR-EVER" in row for row in rows), f"{board}: and its profile has the wait that never ended", len(rows))


WRONG = [
    ("run lopback", 2, b"ttprof: sim run: unknown workload 'lopback'; did you mean 'loopback'?\n"),
    ("run nothing", 2, b"ttprof: sim run: unknown workload 'nothing'; 'ttprof sim list' lists all\n"),
    ("run loopback --tiles 3", 2, b"ttprof: sim run: loopback has no option '--tiles'; see 'ttprof sim list loopback'\n"),
    ("run loopback --pages 0", 2, b"ttprof: sim run: --pages: 0 is not between 1 and 10000\n"),
    ("run eltwise_add --grid 8", 2, b"ttprof: sim run: --grid: '8' is not a grid such as 8x8\n"),
    ("run loopback --timeout 0", 2, b"ttprof: sim run: --timeout must be between 0 and 1e9 ms, got 0\n"),
    ("rum loopback", 2, b"ttprof: unknown command 'sim rum'; did you mean 'ttprof sim run'?\n"),
    ("run", 2, b"ttprof: sim run: missing argument; usage: ttprof sim run NAME\n"),
    ("run loopback --device arc=wormhole", 2, b"ttprof: sim run: --device: unknown key 'arc'; did you mean 'arch'?\n"),
    ("run loopback --device board=p150 --arch wormhole", 2,
     b"ttprof: sim run: --device: board=p150 is a blackhole board, not arch=wormhole\n"),
    ("trace loopback --core 1", 2, b"ttprof: sim trace: --core: '1' is not a core such as 0,0\n"),
    ("trace loopback --risc risc", 2,
     b"ttprof: sim trace: 'risc' is not a RISC; use one of: brisc ncrisc trisc0 trisc1 trisc2 erisc\n"),
    ("run eltwise_add --grid 12x8 --tiles 4", 1,
     b"ttprof: sim run: eltwise_add: a grid of 12x8 cores does not fit: the device has 8x8\n"),
]


def check_command_line(t):
    for command, code, text in WRONG:
        done = sim(t, command)
        t.ok(done.code == code and done.stderr == text, f"sim {command}: {text.decode().strip()}", done)
    done = sim(t, "run loopback --pages 2", {"TTPROF_DEVICE": "arch=blackhole"})
    t.ok(done.code == 0 and b"blackhole" in done.stdout, "TTPROF_DEVICE configures the device", done)
    done = sim(t, "run pipeline --timeout 0.001 --pages 8")
    t.ok(done.code == 1 and b"timeout after 1000 ns" in done.stderr, "a run that takes too long is stopped", done)


def check_code(t):
    done = sim(t, "disasm loopback/copy")
    t.ok(done.code == 0 and b"<kernel_main>:" in done.stdout or b"<_start>:" in done.stdout, "a kernel's instructions have names", done)
    lines = sim(t, "trace loopback --most 50").stdout.decode().splitlines()
    cycles = [int(line.split()[0]) for line in lines]
    t.ok(len(lines) == 50 and cycles == sorted(cycles), "50 instructions of the kernel, in order", lines[:3])
    first, last = cycles[0], cycles[-1] + 1
    window = sim(t, f"trace loopback --from {first} --to {last}").stdout.decode().splitlines()
    t.equal(window[:50], lines, "a window of cycles shows the same")
    fast = sim(t, "trace loopback --most 50 --device dispatch=fast").stdout.decode().splitlines()
    t.equal([line.split()[-1] for line in fast], [line.split()[-1] for line in lines], "a kernel that fast dispatch has moved has the same symbols")
    names = sim(t, "images").stdout.decode().split()
    t.ok(len(names) > 100 and "blackhole/full/trisc1/eltwise_add/add" in names, "images of all chips, variants and RISCs", names[:5])


WHO = ("host", "prefetcher", "dispatcher", "subordinate", "workers", "worker")


def check_launch(t):
    """sim trace --launch: every part does its work after the one before, up to the cycle in which kernel_main begins."""
    for options in ("--launch 1", "--launch 3", "--launch 2 --arch blackhole --core 3,1 --risc ncrisc"):
        done = sim(t, f"trace mlp {options} --device dispatch=fast")
        head, _, *lines = done.stdout.decode().splitlines() or ["", ""]
        rows = [(int(cycle), int(total), int(step), who, what) for cycle, total, step, who, what in (line.split(None, 4) for line in lines)]
        t.ok(done.code == 0 and head.startswith("launch ") and rows, f"mlp {options}: a launch", done)
        t.equal([r[1] for r in rows], [r[0] - rows[0][0] for r in rows], "cycles since the launch")
        t.equal([r[2] for r in rows], [b[0] - a[0] for a, b in zip(rows[:1] + rows, rows)], "and since the line before")
        last = [max((r[0] for r in rows if r[3] == who), default=0) for who in WHO]
        t.ok(all(last) and last == sorted(last), "every part ends after the one before", (WHO, last))
        t.equal(rows[-1][3:], ("worker", "kernel_main"), "and kernel_main is the last")
        wrote = [r[4] for r in rows if r[3] == "dispatcher" and not r[4].startswith("waited")]
        t.equal(wrote, ["knows the place in L1", "wrote arguments", "wrote circular buffers, semaphores", "wrote kernels", "wrote launch messages",
                        "gave the order to send GO"], "the dispatcher writes what a program needs")
    trace = sim(t, "trace eltwise_add --most 1000 --device dispatch=fast").stdout.decode().splitlines()
    begins = [line.split()[0] for line in trace if line.endswith(" kernel_main+0x0")][:1]
    for dispatch in ("fast", "slow"):
        done = sim(t, f"trace eltwise_add --launch 1 --device dispatch={dispatch}")
        t.ok(done.code == 0 and b" GO reaches the first of 64 cores\n" in done.stdout, f"a launch with {dispatch} dispatch", done)
        if dispatch == "fast":
            t.equal(done.stdout.decode().splitlines()[-1].split()[:1], begins, "kernel_main begins when the trace of instructions says")
    done = sim(t, "trace loopback --launch 2")
    t.ok(done.code == 1 and done.stderr == b"ttprof: sim trace: loopback: device 0 has only 1 launches\n", "a launch that there is not", done)


def test(t):
    listed = [line.split()[0] for line in sim(t, "list").stdout.decode().splitlines()]
    t.equal(listed, list(SMALL), "all workloads are listed")
    found = check_all(t, listed)
    check_dispatch(t, listed)
    check_usual_grid(t, listed)
    check_figures(t, found)
    check_fidelity(t)
    check_deadlock(t)
    check_command_line(t)
    check_code(t)
    check_launch(t)


if __name__ == "__main__":
    tap.main(test)
