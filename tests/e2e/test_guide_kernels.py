#!/usr/bin/python3
"""test_guide_kernels.py TTPROF SOURCE_ROOT - kernels with every macro run with a profile, and what they say about themselves is in the log.

The kernels that the guides print are built as they stand, with a prelude for what they leave out. A kernel of our own has all macros
together, in C and C++, by GCC and by clang.
"""
import collections
import re
import shutil

import profiles
import tap

COMPILER = "riscv64-unknown-elf-gcc"
CHIPS = ["wormhole", "blackhole"]
ITERATIONS, LOOPS, TILES = 4, 3, 4  # of the guides' loops
PRELUDE = f"""
enum {{ cb_id = 0 }};
constexpr int iterations = {LOOPS};
#define ITERATIONS {ITERATIONS}
inline bool check_preconditions() {{ return %s; }}
"""
SCOPES = ("DeviceZoneScopedN", "DeviceZoneScopedMainN", "DeviceZoneScopedMainChildN")
SOURCE, TARGET = 0x1000000, 0x2000000


def line_of(text, macro, name):
    return 1 + text[:re.search(rf'{macro}\("{name}"', text).start()].count("\n")


def check_firmware(t, rows, riscs, title):
    """Around every kernel there are the zones of the firmware and of the start-up code."""
    found = profiles.zones(rows)
    if not t.ok(found is not None, f"{title}: every zone that starts ends", len(rows)):
        return
    by = {(z.risc, z.name): z for z in found}
    bad = []
    for risc in riscs:
        stem = risc.split("_")[0]
        firmware, kernel = by.get((risc, f"{stem}-FW")), by.get((risc, f"{stem}-KERNEL"))
        own = [r for r in rows if r.risc == risc and r.file.startswith("kernel") and r.file.endswith((".c", ".cpp")) and r.type != "ZONE_TOTAL"]
        if not firmware or not kernel or not firmware.start < kernel.start < kernel.end < firmware.end or \
                not all(kernel.start < r.time < kernel.end for r in own):
            bad.append((risc, firmware, kernel))
    t.ok(not bad and {r.risc for r in rows} == set(riscs), f"{title}: firmware and kernel zones are around it on {len(riscs)} RISCs", bad)


def counts(rows, risc):
    """What a RISC recorded besides its firmware: (type, name or number) -> how often."""
    return collections.Counter((r.type, r.name or r.id) for r in rows if r.risc == risc and not r.name.endswith(("-FW", f"{risc.split('_')[0]}-KERNEL")))


# --- the guides' kernels -------------------------------------------------------------------
def expected(block):
    """The markers that one RISC records, from the source: each scope is entered once, the loops are known."""
    want = collections.Counter()
    for macro, name in re.findall(r'(Device\w+)\("([^"]+)"', block):
        if macro in SCOPES:
            want["ZONE_START", name] = want["ZONE_END", name] = 1
        elif macro.startswith("DeviceZoneScopedSum"):
            want["ZONE_TOTAL", name] = 1
        elif macro == "DeviceTimestampedData":
            want["TS_DATA", name] = LOOPS
    for number in re.findall(r"DeviceRecordEvent\((\d+)\)", block):
        want["TS_EVENT", int(number)] = 1
    return want


def check_values(t, rows, block, title):
    for macro, name in re.findall(r'(Device\w+)\("([^"]+)"', block):
        of = [r for r in rows if r.name == name]
        line = line_of(block, macro, name)
        t.ok(of and all(r.line == line and r.file.startswith("kernel") for r in of), f"{title}: {name} has its file and line", of[:2])
        if macro.startswith("DeviceZoneScopedSum"):
            # An empty scope takes a few cycles from one clock to the other.
            t.ok(all(ITERATIONS <= r.data <= 40 * ITERATIONS for r in of), f"{title}: {name} adds up {ITERATIONS} rounds", of)
        if macro == "DeviceTimestampedData":
            by_risc = {risc: [r.data for r in sorted(of, key=lambda r: r.time) if r.risc == risc] for risc in {r.risc for r in of}}
            t.ok(all(v == list(range(LOOPS)) for v in by_risc.values()), f"{title}: {name} has its values in order", by_risc)
    numbers = [int(n) for n in re.findall(r"DeviceRecordEvent\((\d+)\)", block)]
    for risc in {r.risc for r in rows} if numbers else ():
        events = sorted((r.time, r.id) for r in rows if r.risc == risc and r.type == "TS_EVENT")
        t.ok([e[1] for e in events] == numbers and len({e[0] for e in events}) == len(numbers), f"{title}: events of {risc} in order", events)


def check_copy(t, here, rows, name, title):
    """The guides read every tile to the same place, so that the last one is written everywhere."""
    last = (here / "in").read_bytes()[-2048:]
    t.ok((here / f"{name}.out").read_bytes() == TILES * last, f"{title}: the tiles are copied")
    for zone in profiles.zones(rows, "ReadFromDRAM") + profiles.zones(rows, "WriteToDRAM"):
        # 2,048 bytes take at least 64 cycles on a NoC, and the way to a bank and back some hundred more.
        t.ok(TILES * 164 < profiles.took(zone) < TILES * 2000, f"{title}: {zone.name} of {zone.risc} takes plausible {profiles.took(zone)} cycles", zone)


def check_guide(t, here, block, number, chip):
    moves = "noc_async" in block
    name, riscs = (f"kernel{number}.dm.cpp", profiles.RISCS[:2]) if moves else (f"kernel{number}.all.cpp", profiles.RISCS)
    (here / name).write_text(block, encoding="utf-8")
    macros = sorted(set(re.findall(r"Device[A-Z]\w+", block)))
    title = f"kernel {number + 1} of the guides ({', '.join(macros)}) on {chip}"
    data = ["--cb", "0:2x2048", "--args", f"{SOURCE:#x},{TARGET:#x},{TILES}", "--write", f"DRAM:{SOURCE:#x}=in",
            "--read", f"DRAM:{TARGET:#x}+{TILES * 2048}={name}.out"] if moves else []
    done = profiles.run(t, here, "kernel", name, "--prelude", "prelude.h", "--arch", chip, "--enable-sum-profiling", *data)
    if not t.ok(done.code == 0 and b"0 were lost" in done.stderr, f"{title} runs, and nothing is lost", done):
        return
    rows = profiles.rows(here)
    check_firmware(t, rows, riscs, title)
    want = expected(block)
    for risc in riscs:
        t.equal(counts(rows, risc), want, f"{title}: the markers of {risc}")
    check_values(t, rows, block, title)
    if moves:
        check_copy(t, here, rows, name, title)


def check_guides(t):
    guides = t.shared("guides")
    if not guides:
        t.skip("the guides' kernels run with a profile", "the guides are not part of the project")
        return
    blocks = [b for path in sorted(guides.glob("*.txt"))
              for b in re.findall(r"^```cpp\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S) if "kernel_main" in b]
    t.ok(len(blocks) >= 9, "the guides print kernels", len(blocks))
    here = t.folder("guides")
    (here / "prelude.h").write_text(PRELUDE % "true", encoding="utf-8")
    (here / "in").write_bytes(b"".join(bytes([i + 1]) * 2048 for i in range(TILES)))
    for chip in CHIPS:
        for number, block in enumerate(blocks):
            check_guide(t, here, block, number, chip)
    # What the guides say about the check: data that is not valid leaves no profile.
    (here / "prelude.h").write_text(PRELUDE % "false", encoding="utf-8")
    (here / "kernel.brisc.cpp").write_text(next(b for b in blocks if "DeviceValidateProfiler" in b), encoding="utf-8")
    done = profiles.run(t, here, "kernel", "kernel.brisc.cpp", "--prelude", "prelude.h")
    t.ok(done.code == 0 and profiles.rows(here) == [], "a kernel of the guides that finds its data not valid leaves no markers", done)


# --- all macros in one kernel --------------------------------------------------------------
DELAY, STEPS = 200, 3
KERNEL = """
static void part(uint32_t i)
{
    DeviceZoneScopedN("part");
    DeviceZoneScopedSumN1("sum of parts");
    ttk_delay(%d);
    if (i == 1)
        return;
    DeviceZoneScopedSumN2("sum of ends");
    ttk_delay(%d);
}
void kernel_main(void)
{
    DeviceZoneScopedMainN("main");
    DeviceRecordEvent(4711);
    {
        DeviceZoneScopedMainChildN("child");
        for (uint32_t i = 0; i < %d; i++) {
            DeviceTimestampedData("eight bytes", 1ull << 40 | i);
            part(i);
        }
    }
    DeviceTimestampedData("sixteen bytes", 18446744073709551615ull, 77);
    DeviceRecordEvent(65535);
    DeviceValidateProfiler(1 == 1);
}
""" % (DELAY, DELAY, STEPS)
SLOT = {"wormhole": ("0x12000", "0xFFB00400"), "blackhole": ("0x16000", "0xFFB00800")}  # of BRISC


def check_all_macros(t, rows, riscs, title):
    check_firmware(t, rows, riscs, title)
    want = collections.Counter({("ZONE_TOTAL", "sum of parts"): 1, ("ZONE_TOTAL", "sum of ends"): 1, ("TS_EVENT", 4711): 1,
                                ("TS_EVENT", 65535): 1, ("TS_DATA", "eight bytes"): STEPS, ("TS_DATA", "sixteen bytes"): 1})
    for name, n in (("main", 1), ("child", 1), ("part", STEPS)):
        want["ZONE_START", name] = want["ZONE_END", name] = n
    for risc in riscs:
        t.equal(counts(rows, risc), want, f"{title}: the markers of {risc}")
        own = [r for r in rows if r.risc == risc]
        parts = [profiles.took(z) for z in profiles.zones(own, "part")]
        # A step waits twice, but the second one, and twice reads the clock for the sums.
        near = [2 * DELAY <= parts[0] <= 2 * DELAY + 150, DELAY <= parts[1] <= DELAY + 100, 2 * DELAY <= parts[2] <= 2 * DELAY + 150]
        t.ok(all(near), f"{title}: zones of {risc} take what the kernel waits", parts)
        sums = {r.name: r.data for r in own if r.type == "ZONE_TOTAL"}
        t.ok(5 * DELAY <= sums["sum of parts"] <= sum(parts) and 2 * DELAY <= sums["sum of ends"] <= 2 * DELAY + 80,
             f"{title}: sums of {risc}", (sums, parts))
        data = [(r.data, r.meta) for r in own if r.type == "TS_DATA"]
        t.equal(data, [((1 << 40) + i, "") for i in range(STEPS)] + [((1 << 64) - 1, '{"data high":77}')], f"{title}: data of {risc}")
        main = profiles.zones(own, "main")[0]
        t.ok(all(main.start <= r.time <= main.end for r in own if r.file.startswith("kernel.") and r.type != "ZONE_TOTAL"),
             f"{title}: the outermost zone of {risc} holds all others", main)


def check_own(t):
    here = t.folder("own")
    for chip in CHIPS:
        for suffix in (".c", ".cpp"):
            title = f"all macros in a {suffix} by GCC on {chip}"
            (here / f"kernel.all{suffix}").write_text(KERNEL, encoding="utf-8")
            done = profiles.run(t, here, "kernel", f"kernel.all{suffix}", "--arch", chip, "--enable-sum-profiling", "--cores", "0,0-1,0")
            if t.ok(done.code == 0 and b"0 were lost" in done.stderr, f"{title} run", done):
                rows = profiles.rows(here)
                t.equal({(r.x, r.y) for r in rows}, {(1, 1), (2, 1)} if chip == "wormhole" else {(1, 2), (2, 2)}, f"{title}: both cores are there")
                check_all_macros(t, [r for r in rows if r.x == 1], profiles.RISCS, title)
    (here / "kernel.erisc.c").write_text(KERNEL, encoding="utf-8")
    done = profiles.run(t, here, "kernel", "kernel.erisc.c", "--device", "board=n300", "--enable-sum-profiling")
    if t.ok(done.code == 0, "all macros on an Ethernet tile run", done):
        check_all_macros(t, profiles.rows(here), ["ERISC"], "all macros on an Ethernet tile")


def check_without_sums(t):
    here = t.folder("sums")
    (here / "kernel.ncrisc.c").write_text(KERNEL, encoding="utf-8")
    done = profiles.run(t, here, "kernel", "kernel.ncrisc.c")
    found = counts(profiles.rows(here), "NCRISC") if done.code == 0 else {}
    t.ok(("ZONE_TOTAL", "sum of parts") not in found and found["ZONE_START", "part"] == STEPS, "sums are there by option only", done)
    (here / "kernel.ncrisc.c").write_text(KERNEL.replace("1 == 1", "1 == 2"), encoding="utf-8")
    done = profiles.run(t, here, "kernel", "kernel.ncrisc.c")
    t.ok(done.code == 0 and profiles.rows(here) == [], "a program that is not valid leaves no markers", done)
    done = tap.run([t.ttprof, "sim", "kernel", "kernel.ncrisc.c", "--device", "variant=off"], here)
    t.ok(done.code == 0 and b"lost" not in done.stderr, "without a profile the same source runs as well", done)


FAULT = """
void kernel_main(void)
{
    {
        DeviceZoneScopedN("good");
        ttk_delay(100);
    }
    DeviceZoneScopedN("bad");
    *TTK_L1(volatile uint32_t, 0xFFFFFFF0) = 1;
}
"""


def check_failures(t):
    here = t.folder("failures")
    (here / "kernel.brisc.c").write_text(FAULT, encoding="utf-8")
    done = profiles.run(t, here, "kernel", "kernel.brisc.c")
    t.ok(done.code == 1 and b"store to unmapped address 0xFFFFFFF0" in done.stderr and b"their profile is partial" in done.stderr,
         "a kernel that faults is told with its profile", done)
    rows = profiles.rows(here)
    t.equal([(r.name, r.type) for r in rows if r.file == "kernel.brisc.c"],
            [("good", "ZONE_START"), ("good", "ZONE_END"), ("bad", "ZONE_START")], "its markers are there up to the fault")
    # A run that is refused leaves the files of the last one alone.
    before = {p.name: p.read_bytes() for p in (here / "out" / ".logs").iterdir()}
    tap.run([t.ttprof, "kernel", "build", "kernel.brisc.c", "--variant", "off", "-o", "off.elf"], here)
    done = profiles.run(t, here, "kernel", "off.elf")
    t.equal((done.code, done.stdout, done.stderr), (4, b"", b"ttprof: sim kernel: image 'off.elf' is of variant 'off', but the device runs 'prof'; "
            b"build it with --variant prof, or open the device with variant=off\n"), "an image without markers cannot be profiled")
    done = profiles.run(t, here, "kernel", "kernel.brisc.c", "--write", "L1:0xFFFFFFF0=kernel.brisc.c")
    t.ok(done.code == 2 and b"--write" in done.stderr and b"markers" not in done.stderr, "a place that is not there is told alone", done)
    t.equal({p.name: p.read_bytes() for p in (here / "out" / ".logs").iterdir()}, before, "the profile before stays")


# --- clang ---------------------------------------------------------------------------------
def build_clang(t, here, name, chip):
    """As `ttprof kernel build` for BRISC, by clang; the linker is the same."""
    flags = (t.root / "kernel" / "flags.txt").read_text(encoding="ascii").split()
    own = [f for f in flags if not f.startswith(("-Wl,", "--param", "-fno-tree", "-nostdlib", "-msmall"))]
    cpp = [] if name.endswith(".c") else ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-std=c++17"]
    done = tap.run(["clang" if name.endswith(".c") else "clang++", "--target=riscv32", *own, *cpp, f"-DTTK_{chip.upper()}", "-DTTK_BRISC",
                    "-DTTK_PROFILE=1", f"-I{t.root}/include", "-include", "ttprof/kernel.h", "-c", name, "-o", "made.o"], here)
    if done.code:
        return done
    slot, data = SLOT[chip]
    return tap.run([COMPILER, *flags, f"-Wl,--defsym=TTK_SLOT={slot},--defsym=TTK_DATA={data}", f"-T{t.root}/kernel/image.ld", "made.o", "-lgcc",
                    "-o", "kernel.elf"], here)


def check_clang(t):
    here = t.folder("clang")
    if not shutil.which("clang") or tap.run(["clang", "--target=riscv32", "-march=rv32im", "-mabi=ilp32", "-x", "c", "-fsyntax-only", "-"], here).code:
        t.skip("all macros by clang", "no clang for riscv32")
        return
    for chip in CHIPS:
        for suffix in (".c", ".cpp"):
            title = f"all macros in a {suffix} by clang on {chip}"
            (here / f"kernel{suffix}").write_text(KERNEL, encoding="utf-8")
            built = build_clang(t, here, f"kernel{suffix}", chip)
            if not t.ok(built.code == 0, f"{title} build", built):
                continue
            done = profiles.run(t, here, "kernel", "kernel.elf", "--arch", chip, "--enable-sum-profiling")
            if t.ok(done.code == 0, f"{title} run", done):
                check_all_macros(t, profiles.rows(here), ["BRISC"], title)


def test(t):
    if not shutil.which(COMPILER):
        t.skip("kernels from source run with a profile", f"{COMPILER} is not installed")
        return
    check_own(t)
    check_without_sums(t)
    check_failures(t)
    check_clang(t)
    check_guides(t)


tap.main(test)
