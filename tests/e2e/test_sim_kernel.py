#!/usr/bin/python3
"""test_sim_kernel.py TTPROF SOURCE_ROOT - kernels of one's own on the software device: `ttprof sim kernel`.

Kernels are written here, built by the command under test, and what they leave in memory is read back.
Numbers that depend on the compiler (cycles, addresses of code) stand as <n> in the texts, everything
else is literal. Without riscv64-unknown-elf-gcc only the messages that need no kernel are checked.
"""
import json
import re
import shutil

import tap

COMPILER = "riscv64-unknown-elf-gcc"
BANKS = {"wormhole": 12, "blackhole": 8}
PAGE = 2048

FILL = """
void kernel_main(void)
{
    uint32_t at = get_arg_val(0), n = get_arg_val(1);
    for (uint32_t i = 0; i < n; i++)
        *TTK_L1(uint32_t, at + 4 * i) = 0x100 * (i + 1) + get_absolute_logical_x() + get_common_arg_val(0);
}
"""
# Pages come from DRAM through circular buffer 3; the reader waits for a semaphore before it starts.
READER = """
void kernel_main(void)
{
    noc_semaphore_wait(TTK_L1(ttk_semaphore, get_semaphore(1)), 5);
    for (uint32_t page = 0; page < get_arg_val(1); page++) {
        cb_reserve_back(3, 1);
        noc_async_read_tile(page, get_arg_val(0), get_write_ptr(3));
        noc_async_read_barrier();
        cb_push_back(3, 1);
    }
}
"""
WRITER = """
void kernel_main(void)
{
    for (uint32_t page = 0; page < get_arg_val(1); page++) {
        cb_wait_front(3, 1);
        noc_async_write_tile(page, get_arg_val(0), get_read_ptr(3));
        noc_async_write_barrier();
        cb_pop_front(3, 1);
    }
}
"""
STACK = """
static __attribute__((noinline)) uint32_t deeper(volatile uint32_t *above, uint32_t n)
{
    volatile uint32_t own[32];
    own[n % 32] = above[0] + n;
    return n ? deeper(own, n - 1) + own[1] : own[0];
}
void kernel_main(void)
{
    volatile uint32_t first = 0;
    *TTK_L1(uint32_t, 0x30000) = deeper(&first, get_arg_val(0));
}
"""
# Name of the source, what kernel_main does, what is reported.
FAULTS = [
    ("illegal.c", '__asm__ volatile(".word 0");', "BRISC", "illegal instruction 0x00000000"),
    ("unmapped.ncrisc.c", "*TTK_L1(volatile uint32_t, 0x30000) = *(volatile uint32_t *)0x40000000;", "NCRISC",
     "load from unmapped address 0x40000000"),
    ("misaligned.trisc1.c", '__asm__ volatile("sw zero, 2(%0)" ::"r"(0x30000));', "TRISC_1",
     "store of 4 bytes to misaligned address 0x00030002"),
    ("missing.c", "noc_async_write(0x30000, get_noc_addr(0, 2, 0x30000), 32); noc_async_write_barrier();", "BRISC",
     "NoC command to 0,2, address 0x00030000: no tile or bank there"),
    ("range.c", "noc_async_read(get_noc_addr(1, 1, 1499136 - 32), 0x30000, 64); noc_async_read_barrier();", "BRISC",
     "NoC command to 1,1, address 0x0016DFE0: it is past the end of the target's L1"),
    ("nowhere.c", "((void (*)(void))0x100000)();", "BRISC", "jump to 0x00100000, which has no code"),
    ("wrap.ncrisc.c", "cb_reserve_back(1, 3); cb_push_back(1, 3); cb_push_back(1, 3);", "NCRISC", "push or pop across the end of CB 1"),
    ("stack.c", STACK, "BRISC", "stack pointer 0xFFB00<n> is below the stack limit 0xFFB00428"),
]
QUEUE = ("device 0, queue 0: program 'sim kernel' (id 1) is not done\n"
         "  63 of 64 workers have finished\n"
         "  prefetcher waits: syncs = 0\n"
         "  dispatcher waits: completion counter 48 = 63\n"
         "  subordinate waits: subordinate's pages ready = 1\n")
WAITS = [
    ("stuck.c", "noc_semaphore_wait(TTK_L1(ttk_semaphore, get_semaphore(1)), 7);",
     QUEUE + "device 0: deadlock at cycle <n>: 1 of 64 cores cannot continue\n"
     "  core 1,2 (NOC0 2-3) BRISC waits at kernel_main+<n> (stuck.elf): semaphore 1 = 5"),
    ("starved.c", "cb_wait_front(1, 2);",
     QUEUE + "device 0: deadlock at cycle <n>: 1 of 64 cores cannot continue\n"
     "  core 1,2 (NOC0 2-3) BRISC waits at kernel_main+<n> (starved.elf): CB 1 received = 0, acked = 0 (4 pages)"),
    ("endless.c", "for (volatile uint32_t i = 0;; i++) ;",
     QUEUE + "device 0: timeout after 500000 ns, at cycle <n>: 1 of 64 cores are running\n"
     "  core 1,2 (NOC0 2-3) BRISC runs at kernel_main+<n> (endless.elf)"),
]


def body(text):
    return text if "kernel_main" in text else f"void kernel_main(void)\n{{\n    {text}\n}}\n"


def build(t, folder, name, text, *options):
    (folder / name).write_text(body(text), encoding="utf-8")
    done = tap.run([t.ttprof, "kernel", "build", name, *options], folder)
    if done.code:
        raise RuntimeError(str(done))


def sim(t, folder, *words, **env):
    return tap.run([t.ttprof, "sim", "kernel", *words], folder, **env)


def plain(text):
    """Numbers that depend on the compiler become <n>."""
    text = re.sub(r"cycle \d+", "cycle <n>", text)
    text = re.sub(r"pc 0x[0-9A-F]+", "pc <n>", text)
    text = re.sub(r"\+0x[0-9a-f]+ \(", "+<n> (", text)
    return re.sub(r"stack pointer 0xFFB00[0-9A-F]{3}", "stack pointer 0xFFB00<n>", text)


def told(text):
    return "".join(f"ttprof: sim kernel: {line}\n" for line in text.splitlines())


def rows(done):
    """The lines of the output, figures as <n>, gaps as one blank."""
    text = re.sub(r"(?<=: )[\d,]+(?= cycles)", "<n>", done.stdout.decode())
    text = re.sub(r"(?m)(?<=\S) +[\d,]+ +[\d,]+\.\d +[\d,]+ +[\d,]+(?=  \S)", " <n> <n> <n> <n>", text)
    return [re.sub(r" +", " ", line) for line in text.splitlines()]


def dump(address, data):
    return [f"{address + i:08x}: {data[i:i + 16].hex(' ')}" for i in range(0, len(data), 16)]


def words(*numbers):
    return b"".join(n.to_bytes(4, "little") for n in numbers)


# --- kernels that run ---------------------------------------------------------------------------
def check_fill(t):
    folder = t.folder("fill")
    for chip, name in (("wormhole", "wormhole_b0, board n150"), ("blackhole", "blackhole, board p150")):
        build(t, folder, "fill.c", FILL, "--arch", chip)
        done = sim(t, folder, "fill.elf", "--args", "0x30000,5", "--read", "L1:0x30000+20")
        first, *rest = rows(done)
        t.ok(done.code == 0 and not done.stderr and re.fullmatch(rf"{name}: <n> cycles from GO to the last kernel's end", first),
             f"{chip}: the chip follows from the image", done)
        t.equal(rest, ["RISC cores shortest mean longest instructions kernel", "BRISC 0,0 <n> <n> <n> <n> fill.elf",
                       *dump(0x30000, words(*range(0x100, 0x600, 0x100)))], f"{chip}: a kernel's stores are read back")
    build(t, folder, "fill.c", FILL, "--variant", "off")
    done = sim(t, folder, "fill.elf", "--cores", "1,2-2,3", "--args=brisc:196608,1", "--common", "-1", "--read", "L1:196608+4",
               "--read", "l1:0x30000+4=four.bin")
    t.equal(rows(done)[2:], ["BRISC 1,2-2,3 <n> <n> <n> <n> fill.elf", "core 1,2", "00030000: 00 01 00 00", "core 2,2",
                             "00030000: 01 01 00 00", "core 1,3", "00030000: 00 01 00 00", "core 2,3", "00030000: 01 01 00 00"],
            "every core of a range; arguments of one RISC, common arguments")
    t.equal((folder / "four.bin").read_bytes(), words(0x100, 0x101, 0x100, 0x101), "to a file: one core after the other")
    runs = [sim(t, folder, "fill.elf", "--cores", "0,0-3,3", "--args", "0x30000,50", "--json", "--hash", "--read", "L1:0x30000+4", *more)
            for more in ([], ["--threads", "2"], ["--device", "park=off"])]
    t.ok(all(r.code == 0 and r.stdout == runs[0].stdout for r in runs), "the same with threads and without parking", runs[1])
    document = json.loads(runs[0].stdout)
    kernel = document["kernels"][0]
    t.ok(document["done"] and document["fault"] == "" and len(document["state"]) == 1 and kernel["runs"] == 16 and
         document["reads"][0]["bytes"][:16] == "0001000001010000", "JSON holds the results", document)
    t.ok(kernel["shortest"] <= kernel["mean"] <= kernel["longest"] < document["cycles"] and
         16 * 3 * 50 < kernel["instructions"] < 16 * kernel["longest"], "and figures that fit each other", document)


def check_counts(t):
    """A loop of known length: 50 instructions, 2000 times."""
    folder = t.folder("counts")
    loop = 'for (uint32_t i = 0; i < 2000; i++) __asm__ volatile(".rept 50\\nnop\\n.endr");'
    build(t, folder, "loop.all.c", loop, "--variant", "off")
    done = sim(t, folder, *[f"loop.{r}.elf" for r in ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")], "--json")
    kernels = json.loads(done.stdout)["kernels"]
    t.equal([k["risc"] for k in kernels], ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"], "five kernels at once")
    t.ok(all(104000 <= k["shortest"] < 104500 and 104000 <= k["instructions"] < 104500 for k in kernels),
         "52 cycles and instructions a round", kernels)


def check_memory(t):
    folder = t.folder("memory")
    for chip, banks in BANKS.items():
        n = 2 * banks + 3
        data = bytes((i * 7 + i // PAGE) % 251 for i in range(n * PAGE))
        (folder / "in.bin").write_bytes(data)
        for page in (0, 1, banks):
            (folder / f"page{page}.bin").write_bytes(data[page * PAGE:(page + 1) * PAGE])
        (folder / "reader.ncrisc.c").write_text(READER, encoding="utf-8")
        (folder / "writer.brisc.c").write_text(WRITER, encoding="utf-8")
        done = sim(t, folder, "reader.ncrisc.c", "writer.brisc.c", "--arch", chip, "--cb", "3:2x2048", "--sem", "0", "--sem", "5",
                   "--args", f"ncrisc:0x1000000,{n}", "--args", f"brisc:0x2000000,{n}", "--write", "DRAM:0x1000000=in.bin",
                   "--read", f"DRAM:0x2000000+{n * PAGE}=out.bin", "--read", f"DRAM:1:{0x2000000}+16", "--read", "DRAM:0:0x2000800+16")
        t.ok(done.code == 0 and (folder / "out.bin").read_bytes() == data, f"{chip}: pages go through a circular buffer to DRAM", done)
        t.equal(rows(done)[2:], ["BRISC 0,0 <n> <n> <n> <n> writer.brisc.c", "NCRISC 0,0 <n> <n> <n> <n> reader.ncrisc.c",
                                 *dump(0x2000000, data[PAGE:PAGE + 16]), *dump(0x2000800, data[banks * PAGE:banks * PAGE + 16])],
                f"{chip}: and lie where interleaving says")
    done = sim(t, folder, "writer.brisc.c", "--cb", "3:2x2048", "--args", "0x2000000,0", "--write", "L1:0x30000=page1.bin",
               "--cores", "0,0-0,1", "--read", "L1:0x30010+16")
    t.equal(rows(done)[3:], ["core 0,0", *dump(0x30010, data[PAGE + 16:PAGE + 32]), "core 0,1", *dump(0x30010, data[PAGE + 16:PAGE + 32])],
            "L1 is written on every core")


def check_guide(t):
    guides = t.shared("guides")
    text = "".join(p.read_text(encoding="utf-8") for p in sorted(guides.glob("001_*.txt"))) if guides else ""
    found = [b for b in re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S) if "noc_async_read_tile" in b and "kernel_main" in b]
    if not found:
        t.skip("the copy kernel of the guides runs", "the guides are not part of the project")
        return
    folder = t.folder("guide")
    (folder / "copy.cpp").write_text(found[0], encoding="utf-8")
    (folder / "prelude.h").write_text("enum { cb_id = 0 };\n", encoding="utf-8")
    for chip, banks in BANKS.items():
        n = banks + 2
        pages = [bytes((i * 3 + page * 17) % 256 for i in range(PAGE)) for page in range(n)]
        (folder / "in.bin").write_bytes(b"".join(pages))
        for tiles in (1, n):
            done = sim(t, folder, "copy.cpp", "--prelude", "prelude.h", "--arch", chip, "--cb", "0:2x2048", "--args",
                       f"0x1000000,0x2000000,{tiles}", "--write", "DRAM:0x1000000=in.bin", "--read", f"DRAM:0x2000000+{n * PAGE}=out.bin")
            # All tiles pass through the same page of the buffer: the last one read is what is written.
            want = pages[tiles - 1] * tiles + bytes((n - tiles) * PAGE)
            t.ok(done.code == 0 and not done.stderr and (folder / "out.bin").read_bytes() == want,
                 f"{chip}: the copy kernel of the guides moves {tiles} tile{'s' * (tiles > 1)}", done)


def check_ethernet(t):
    folder = t.folder("ethernet")
    build(t, folder, "send.erisc.c", "*TTK_L1(uint32_t, get_arg_val(0)) = 0x1234 + eth_peer(); eth_send(get_arg_val(0), get_arg_val(0), 16); "
          "eth_send_barrier();")
    done = sim(t, folder, "send.elf", "--device", "board=n300", "--args", "0x12000", "--read", "L1:0x12000+4")
    t.equal(rows(done)[2:], ["ERISC channel 8 <n> <n> <n> <n> send.elf", "00012000: 35 12 00 00"], "an Ethernet kernel, on the first channel with a link")
    done = sim(t, folder, "send.elf", "--device", "board=n300", "--args", "0x12000", "--channel", "9")
    t.equal(rows(done)[2:], ["ERISC channel 9 <n> <n> <n> <n> send.elf"], "or on another")
    for more, text in (([], "send.elf is for an Ethernet tile, but this device has no links; try --device board=n300"),
                       (["--device", "board=n300", "--channel", "20"], "--channel: device 0 has no Ethernet channel 20"),
                       (["--device", "board=n300", "--channel", "2"], "program 'sim kernel': device 0 has no linked Ethernet channel 2,0")):
        done = sim(t, folder, "send.elf", *more)
        t.equal((done.code, done.stderr.decode()), (2, told(text)), text)


# --- kernels that fail --------------------------------------------------------------------------
SETUP = ["--cores", "1,2", "--args", "100", "--cb", "1:4x2048", "--sem", "0", "--sem", "5"]


def check_faults(t):
    folder = t.folder("faults")
    for name, text, risc, sentence in FAULTS:
        build(t, folder, name, text)
        elf = name.split(".")[0] + ".elf"
        done = sim(t, folder, elf, *SETUP)
        symbol = "deeper" if "deeper" in text else "kernel_main"
        t.equal((done.code, plain(done.stderr.decode()), done.stdout),
                (1, told(f"device 0, core 1,2 (NOC0 2-3), {risc}, cycle <n>: {sentence}\n  pc <n> {symbol}+<n> ({elf})"), b""), sentence)
    done = sim(t, folder, "illegal.elf", "--json", "--args", "1", "--read", "L1:0x30000+4")
    document = json.loads(done.stdout)
    t.ok(done.code == 1 and not document["done"] and document["cycles"] is None and "illegal instruction" in document["fault"] and
         document["reads"][0]["bytes"] == "00000000", "JSON tells a fault, and memory is read all the same", done)


def check_waits(t):
    folder = t.folder("waits")
    for name, text, report in WAITS:
        build(t, folder, name, text)
        done = sim(t, folder, name.split(".")[0] + ".elf", *SETUP, "--timeout", "0.5")
        t.equal((done.code, plain(done.stderr.decode())), (1, told(report)), report.splitlines()[-1].strip())


# --- files and options --------------------------------------------------------------------------
def check_files(t):
    folder = t.folder("files")
    for name in ("a.c", "b.c", "c.ncrisc.c"):
        build(t, folder, name, FILL)
    build(t, folder, "black.c", FILL, "--arch", "blackhole")
    build(t, folder, "off.ncrisc.c", FILL, "--variant", "off")
    good = (folder / "a.elf").read_bytes()
    changed = {"cut": good[:1000], "head": good[:30], "machine": good[:18] + b"\x03\x00" + good[20:],
               "entry": good[:24] + b"\x00\x00\x00\x10" + good[28:], "headers": good[:28] + b"\xff\xff\xff\x7f" + good[32:]}
    for name, data in changed.items():
        (folder / f"{name}.elf").write_bytes(data)
    (folder / "empty.elf").write_bytes(b"")
    (folder / "text.elf").write_text("this is no image\n" * 10, encoding="utf-8")
    (folder / "bad.c").write_text("void kernel_main(void) { nosuch(); }\n", encoding="utf-8")
    big = "static const uint32_t table[8000] = {1};\nvoid kernel_main(void) { *TTK_L1(uint32_t, 0x30000) = table[get_arg_val(0)]; }\n"
    (folder / "big.c").write_text(big, encoding="utf-8")
    for line, code, text in [
            ("cut.elf", 4, "cut.elf: damaged: section headers outside the file"), ("head.elf", 4, "head.elf: not an ELF file"),
            ("machine.elf", 4, "machine.elf: built for machine 3, not for RISC-V (243)"),
            ("entry.elf", 4, r"entry.elf: entry 0x10000000 is not in the code \(0x12000 to 0x[0-9a-f]+\)"),
            ("headers.elf", 4, "headers.elf: damaged: program headers outside the file"),
            ("big.c", 4, r"big.c: the BRISC kernel needs 3\d{4} bytes, the slot has 24576"),
            ("a.elf b.elf", 2, "a.elf and b.elf are both for BRISC; a RISC runs one kernel"),
            ("a.elf --arch blackhole", 4, "a.elf: built for wormhole_b0, the device is a blackhole"),
            ("a.elf --device board=p100", 4, "a.elf: built for wormhole_b0, the device is a blackhole"),
            ("a.elf --device arch=blackhole", 4, "a.elf: built for wormhole_b0, the device is a blackhole"),
            ("a.elf black.elf", 4, "black.elf: built for blackhole, the device is a wormhole_b0"),
            ("a.elf off.elf", 4, "image 'off.elf' is of variant 'off', but the device runs 'prof'; "
             "build it with --variant prof, or open the device with variant=off"),
            ("a.elf --device variant=off", 4, "image 'a.elf' is of variant 'prof', but the device runs 'off'; "
             "build it with --variant off, or open the device with variant=prof"),
            ("a.elf --args ncrisc:1", 2, "--args: no kernel for ncrisc"),
            ("a.elf --args compute:1", 2, "--args: no kernel for compute"),
            ("a.elf c.elf --args risc:1", 2, "--args: 'risc' is not a RISC; use one of: brisc ncrisc trisc0 trisc1 trisc2 erisc dm compute all"),
            ("a.elf --args 1,two", 2, "--args: '1,two' is not a list of up to 256 32-bit numbers such as 1,0x20"),
            ("a.elf --common 0x100000000", 2, "--common: '0x100000000' is not a list of up to 256 32-bit numbers such as 1,0x20"),
            ("a.elf --args " + ",".join("1" * 129), 2, "--args: program 'sim kernel': 129 arguments for 'a.elf', at most 128 fit"),
            ("a.elf --cores 8,0", 2, "program 'sim kernel': device 0 has no core 8,0"),
            ("a.elf --cb 3", 2, "--cb: '3' is not a circular buffer such as 0:4x2048"),
            ("a.elf --cb 0:3x15", 2, "--cb: program 'sim kernel': CB 0: 3 pages of 15 bytes; use 1 to 65535 pages of a multiple of 16 bytes"),
            ("a.elf --cb 0:1x32 --cb 0:1x32", 2, "--cb: program 'sim kernel': core 0,0 already has CB 0"),
            ("a.elf --cb 0:1000x2048", 2, r"--cb: program 'sim kernel': CB 0 needs 2048000 bytes of L1, but only \d+ are left"),
            ("a.elf --sem x", 2, "--sem: 'x' is not a 32-bit number"),
            ("a.elf --write L1:0x200000=a.c", 2, r"--write: L1:0x200000=a.c: L1: \d+ bytes at 0x200000 are out of range"),
            ("a.elf --write DRAM:12:0=a.c", 2, "--write: DRAM:12:0=a.c: device 0 has no DRAM bank 12"),
            ("a.elf --read L1:0x16dff0+32", 2, "--read: L1:0x16dff0+32: L1: 32 bytes at 0x16dff0 are out of range"),
            ("a.elf --read L1:9,1:0x30000+4", 2, "--read: L1:9,1:0x30000+4: device 0 has no core at 9,1"),
            ("a.elf --write L1:0x30000=nosuch", 3, "--write: nosuch: No such file or directory; check the path"),
    ]:
        done = sim(t, folder, *line.split())
        pattern = text if "\\" in text else re.escape(text)
        t.ok(done.code == code and not done.stdout and re.fullmatch(f"ttprof: sim kernel: {pattern}\n", done.stderr.decode()), f"{line[:40]}: {text}", done)
    done = sim(t, folder, "bad.c")
    t.ok(done.code == 4 and done.stderr.decode().endswith(f"ttprof: sim kernel: bad.c: {COMPILER} failed for BRISC\n"), "a source with an error", done)
    done = sim(t, folder, "black.elf", "--device", "seed=7", TTPROF_DEVICE="board=n300")
    t.ok(done.code == 0 and done.stdout.startswith(b"blackhole, board p150: "), "the image decides over TTPROF_DEVICE", done)
    done = sim(t, folder, "a.c", "--arch", "blackhole", PATH="/nowhere")
    t.ok(done.code == 3 and b"is not installed" in done.stderr, "a source without the compiler", done)


PLACES = "such as L1:0x30000=FILE, DRAM:0x1000000=FILE or DRAM:BANK:0x1000000=FILE"
LENGTHS = "such as L1:0x30000+64, DRAM:0x1000000+4096 or DRAM:BANK:0x1000000+32=FILE"
CORES = "is neither a core such as 0,0 nor a range such as 0,0-3,1"
MESSAGES = [
    ("", 2, "missing argument; usage: ttprof sim kernel FILE..."),
    ("a a a a a a b", 2, "unexpected argument 'b'"),
    ("nosuch.elf", 3, "nosuch.elf: No such file or directory; check the path"),
    ("nosuch.c", 3, "nosuch.c: No such file or directory; check the path"),
    ("empty.elf", 4, "empty.elf: not an ELF file"),
    ("text.elf", 4, "text.elf: not an ELF file"),
    ("empty.elf --cores 1", 2, f"--cores: '1' {CORES}"),
    ("empty.elf --cores 3,3-1,1", 2, f"--cores: '3,3-1,1' {CORES}"),
    ("empty.elf --noc 2", 2, "--noc must be 0 or 1, got 2"),
    ("empty.elf --timeout 0", 2, "--timeout must be between 0 and 1e9 ms, got 0"),
    ("empty.elf --write L1:0x30000", 2, f"--write: 'L1:0x30000' is not a place and a file, {PLACES}"),
    ("empty.elf --write L2:0=x", 2, f"--write: 'L2:0=x' is not a place and a file, {PLACES}"),
    ("empty.elf --read L1:0x30000", 2, f"--read: 'L1:0x30000' is not a place and a length, {LENGTHS}"),
    ("empty.elf --read DRAM:x:0+4", 2, f"--read: 'DRAM:x:0+4' is not a place and a length, {LENGTHS}"),
    ("empty.elf --read L1:1:0+4", 2, f"--read: 'L1:1:0+4' is not a place and a length, {LENGTHS}"),
    ("empty.elf --read L1:0+4=", 2, f"--read: 'L1:0+4=' is not a place and a length, {LENGTHS}"),
    ("empty.elf --read L1:0+0", 2, "--read: 'L1:0+0': the length must be between 1 and 1073741824"),
    ("empty.elf --device arc=wormhole", 2, "--device: unknown key 'arc'; did you mean 'arch'?"),
    ("empty.elf --core 0,0", 4, "empty.elf: not an ELF file"),
    ("empty.elf --coers 0,0", 2, "unknown option '--coers'; did you mean '--cores'?"),
]


def check_messages(t):
    folder = t.folder("messages")
    (folder / "empty.elf").write_bytes(b"")
    (folder / "text.elf").write_text("this is no image\n" * 10, encoding="utf-8")
    for line, code, text in MESSAGES:
        done = sim(t, folder, *line.split())
        t.equal((done.code, done.stderr.decode(), done.stdout), (code, told(text), b""), f"{line}: {text}")
    done = sim(t, folder, "/bin/true")
    t.ok(done.code == 4 and re.fullmatch(r"ttprof: sim kernel: /bin/true: (not a 32-bit ELF file|built for machine \d+, not for RISC-V \(243\)|not an ELF file)\n",
                                         done.stderr.decode()), "a program of the host is refused", done)


def test(t):
    check_messages(t)
    if not shutil.which(COMPILER):
        t.skip("kernels run", f"no {COMPILER}")
        return
    check_fill(t)
    check_counts(t)
    check_memory(t)
    check_guide(t)
    check_ethernet(t)
    check_faults(t)
    check_waits(t)
    check_files(t)


tap.main(test)
