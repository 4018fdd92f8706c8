#!/usr/bin/python3
"""test_kernel.py TTPROF SOURCE_ROOT - kernels from source: the guides' fragments, the whole API in C and C++,
exact messages, and the images that the build makes.

Without riscv64-unknown-elf-gcc only the messages are checked.
"""
import json
import os
import re
import shutil
import struct

import tap

COMPILER = "riscv64-unknown-elf-gcc"
CHIPS = ["wormhole", "blackhole"]
VARIANTS = ["off", "prof", "full"]
RISCS = ["brisc", "ncrisc", "trisc0", "trisc1", "trisc2", "erisc"]

# What the guides' fragments use without saying where it comes from.
PRELUDE = """
enum { cb_id = 0 };
constexpr int iterations = 3;
#define ITERATIONS 4
inline bool check_preconditions() { return true; }
"""

DATA_C = """
void kernel_main(void)
{
    uint32_t a = get_arg_val(0), b = get_common_arg_val(1), at = get_arg_addr(2) + get_common_arg_addr(3);
    uint32_t place = get_absolute_logical_x() + get_absolute_logical_y() + get_relative_logical_x() + get_relative_logical_y();
    place += my_x[0] + my_y[noc_index] + ttk_grid_x() + ttk_grid_y() + ttk_device() + ttk_n_devices() + ttk_n_banks();
    InterleavedAddrGen pages = {.bank_base_address = a, .page_size = 1024};
    InterleavedAddrGenFast tiles = {.bank_base_address = a, .page_size = 2048, .data_format = TT_FORMAT_BFLOAT16};
    InterleavedPow2AddrGen pow2 = {.bank_base_address = a, .log_base_2_of_page_size = 9};
    uint64_t rectangle = get_noc_multicast_addr(1, 1, 4, 4, at);
    noc_async_read(get_noc_addr(1, 2, a), at, 64);
    noc_async_read(get_noc_addr(a), at, b);
    noc_async_read(get_noc_addr(3, pages) + get_noc_addr(4, pow2), at, 64);
    noc_async_read(get_noc_addr_from_bank_id(2, a), at, 64);
    noc_async_read_one_packet(get_noc_addr(1, 2, a), at, 64);
    noc_async_read_tile(0, tiles, at);
    noc_async_read_tile(0, a, 5);
    noc_async_read_page(1, pow2, at);
    noc_async_read_barrier();
    noc_async_write(at, get_noc_addr(1, 2, a), 64);
    noc_async_write_one_packet(at, get_noc_addr(1, 2, a), 64);
    noc_async_write_posted(at, get_noc_addr(1, 2, a), b);
    noc_async_write_tile(1, pages, at);
    noc_async_write_tile(1, a, at);
    noc_async_write_page(1, pages, at);
    noc_async_write_multicast(at, rectangle, 64, 16);
    noc_async_write_multicast_loopback_src(at, rectangle, 64, 17);
    noc_inline_dw_write(get_noc_addr(1, 2, a), 7);
    noc_async_write_barrier();
    noc_async_writes_flushed();
    noc_async_posted_writes_flushed();
    noc_async_atomic_barrier();
    noc_async_full_barrier();
    ttk_semaphore *semaphore = TTK_L1(ttk_semaphore, get_semaphore(1));
    noc_semaphore_set(semaphore, 0);
    noc_semaphore_wait(semaphore, 1);
    noc_semaphore_wait_min(semaphore, 2);
    noc_semaphore_inc(get_noc_addr(1, 2, at), 1);
    noc_semaphore_inc_multicast(rectangle, 1, 16);
    noc_semaphore_set_remote(at, get_noc_addr(1, 2, at));
    noc_semaphore_set_multicast(at, rectangle, 16);
    noc_semaphore_set_multicast_loopback_src(at, rectangle, 17);
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    cb_wait_front(b, 1);
    cb_pop_front(b, 1);
    if (cb_pages_available_at_front(0, 1) && cb_pages_reservable_at_back(0, 2))
        place += get_write_ptr(0) + get_read_ptr(1) + get_tile_size(2);
    remote_cb out = remote_cb_open(1, 2, at, 4, 2048, 0, 1);
    remote_cb_reserve_back(&out, 1);
    remote_cb_push_back(&out, at, 1);
    remote_cb_wait_front(&out, 1);
    remote_cb_pop_front(&out, 1);
    *TTK_L1(uint32_t, at) = place + remote_cb_read_ptr(&out) + (uint32_t)ttk_cycles() + ttk_cycles_low();
    ttk_delay(100);
    invalidate_l1_cache();
}
"""
# The same in C++: what has template arguments or a class there.
TO_CPP = [("get_arg_val(", "get_arg_val<uint32_t>("), ("get_common_arg_val(", "get_common_arg_val<uint32_t>("),
          ("InterleavedAddrGen ", "InterleavedAddrGen<true> "), ("InterleavedAddrGenFast ", "InterleavedAddrGenFast<true> "),
          ("InterleavedPow2AddrGen ", "InterleavedPow2AddrGen<true> "), ("TT_FORMAT_BFLOAT16", "DataFormat::Float16_b"),
          ("get_noc_addr_from_bank_id(", "get_noc_addr_from_bank_id<true>("), ("reduce_tile(", "reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>("),
          ("exp_tile_init(", "exp_tile_init<true>(")]
COMPUTE_C = """
void kernel_main(void)
{
    uint32_t n = get_arg_val(0);
    binary_op_init_common(0, 1, 16);
    mm_init(0, 1, 16);
    ttk_set_fidelity(n);
    for (uint32_t i = 0; i < n; i++) {
        cb_wait_front(0, 2);
        tile_regs_acquire();
        matmul_tiles(0, 1, 0, i, 0);
        add_tiles_init(0, 1);
        add_tiles(0, 1, 0, 1, 1);
        sub_tiles(0, 1, 0, 1, 1);
        mul_tiles_bcast_rows(0, 1, 0, 1, 1);
        add_tiles_bcast_cols(0, 1, 0, 1, 1);
        sub_tiles_bcast_scalar(0, 1, 0, 1, 1);
        copy_tile_init(0);
        copy_tile(0, 0, 2);
        transpose_wh_tile(0, 1, 3);
        reduce_tile(0, 1, 0, 0, 4);
        exp_tile_init();
        exp_tile(0);
        gelu_tile(0); relu_tile(0); sqrt_tile(0); recip_tile(0); rsqrt_tile(0); tanh_tile(0); sigmoid_tile(0);
        abs_tile(0); neg_tile(0); square_tile(0); sfpu_exp(1); sfpu_scale(1, 0x3f000000);
        tile_regs_commit();
        cb_pop_front(0, 2);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        MATH(ttk_set_fidelity(1);)
        UNPACK(n += get_tile_size(0);)
        PACK(n += get_tile_size(16);)
    }
}
"""
ETH_C = """
void kernel_main(void)
{
    uint32_t from = get_arg_val(0);
    if (eth_is_linked() && eth_peer() < ttk_n_devices())
        eth_send(from, from + 64, 64);
    eth_send_barrier();
    eth_wait(1);
    noc_async_write_tile(eth_received(), from, from);
    noc_async_write_barrier();
}
"""
MARKERS = """
void kernel_main(void)
{
    DeviceZoneScopedMainN("MAIN");
    DeviceZoneScopedMainChildN("CHILD");
    { DeviceZoneScopedN("A"); DeviceZoneScopedSumN1("B"); DeviceZoneScopedSumN2("C"); }
    DeviceTimestampedData("D", 1);
    DeviceTimestampedData("E", 1ull << 40, 2);
    DeviceRecordEvent(9);
    DeviceValidateProfiler(1 == 1);
}
"""


def cpp(source):
    for old, new in TO_CPP:
        source = re.sub(r"(?<!\w)" + re.escape(old), lambda _: new, source)
    return source


def build(t, folder, name, text, *options, **env):
    (folder / name).write_text(text, encoding="utf-8")
    return tap.run([t.ttprof, "kernel", "build", name, *options], folder, **env)


def fits(t, done, what):
    t.ok(done.code == 0 and not done.stderr, f"{what} builds", done)


def check_guides(t):
    guides = t.shared("guides")
    if not guides:
        t.skip("the guides' fragments build", "the guides are not part of the project")
        return
    folder = t.folder("guides")
    (folder / "prelude.h").write_text(PRELUDE, encoding="utf-8")
    blocks = [b for path in sorted(guides.glob("*.txt"))
              for b in re.findall(r"^```cpp\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S) if "kernel_main" in b]
    t.ok(len(blocks) >= 9, "the guides print kernels", len(blocks))
    for i, block in enumerate(blocks):
        risc = RISCS[i % 5] if "noc_async" not in block else "ncrisc"
        done = build(t, folder, f"fragment{i}.cpp", block, "--prelude", "prelude.h", "--risc", risc, "--arch", CHIPS[i % 2])
        named = re.search(r"Device\w+", block)
        fits(t, done, f"fragment {i + 1} of the guides, with {named.group() if named else 'no marker'},")


def check_api(t):
    folder = t.folder("api")
    for chip in CHIPS:
        for suffix, change in ((".c", str), (".cpp", cpp)):
            for stem, text in (("data.dm", DATA_C), ("tiles.compute", COMPUTE_C), ("eth.erisc", ETH_C), ("markers.all", MARKERS)):
                done = build(t, folder, stem + suffix, change(text), "--arch", chip, "--variant", "off", "-DA", "-D", "B=2")
                fits(t, done, f"{stem}{suffix} for {chip}")
    wrong = build(t, folder, "bad.c", 'void kernel_main(void)\n{\n    DeviceRecordEvent("x");\n}\n', "--variant", "off")
    t.ok(wrong.code == 4 or b"warning" in wrong.stderr, "arguments of empty macros are checked", wrong)
    text = "#include <tools/profiler/kernel_profiler.hpp>\n#include \"dataflow_api.h\"\n#include \"compute_kernel_api.h\"\n"
    fits(t, build(t, folder, "old.cpp", text + "void kernel_main() {}\n"), "a source with the older headers' names")
    text = "struct A { virtual void f() = 0; ~A() { *TTK_L1(volatile int, 8) = 1; } };\nstruct B : A { void f() override {} };\n" \
           "static B b;\nFORCE_INLINE uint32_t at(volatile tt_l1_ptr uint32_t *p) { return *p; }\n" \
           "void kernel_main() { static_assert(get_compile_time_arg_val(1) == 7); b.f();\n" \
           "    cb_push_back(0, at(reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_semaphore(0)))); }\n"
    fits(t, build(t, folder, "usual.cpp", text, "-DKERNEL_COMPILE_TIME_ARGS=1,7"), "a source with the usual words")
    text = "namespace NAMESPACE {\nvoid MAIN {\n    mm_init();\n    acquire_dst();\n    release_dst();\n}\n}\n"
    fits(t, build(t, folder, "older.cpp", text), "a compute kernel of the older form")
    fits(t, build(t, folder, "global.cpp", "struct A { int v; A() : v(get_arg_val<int>(0)) {} };\nstatic A a;\n"
                  "void kernel_main() { *TTK_L1(volatile int, 0x28000) = a.v; }\n"), "a source with a constructor")


def check_names(t):
    """Names of zones arrive as they are written, whatever the assembler makes of their characters."""
    folder = t.folder("names")
    names = {'"50% {a|b} %0"': "50% {a|b} %0", '"two " "parts"': "two parts", "MACRO": "a macro", '"quo\\"te"': 'quo"te', '"Größe"': "Größe"}
    body = "".join(f"    {{ DeviceZoneScopedN({n}); }}\n    DeviceTimestampedData({n}, 1);\n" for n in names)
    text = f'#define MACRO "a macro"\nvoid kernel_main(void)\n{{\n{body}}}\n'
    for name in ("names.c", "names.cpp"):
        fits(t, build(t, folder, name, text), f"{name} with zones of odd names")
        image = (folder / "names.elf").read_bytes()
        for written in names.values():
            t.equal(image.count(b"\0" + written.encode() + b"\0" + name.encode() + b"\0"), 2, f"{name} has twice the zone {written}")
        done = build(t, folder, name, 'void kernel_main(void) { DeviceZoneScopedN("a,b"); }\n')
        t.ok(done.code != 0 and b"a zone's name has a comma" in done.stderr.replace(b"\\'", b"'"), f"{name}: a comma is refused", done)


def check_clang(t):
    """The headers are no matter of one compiler."""
    target = ["clang", "--target=riscv32", "-march=rv32im", "-mabi=ilp32"]
    folder = t.folder("clang")
    if not shutil.which("clang") or tap.run([*target, "-x", "c", "-fsyntax-only", "-"], folder).code:
        t.skip("the headers are understood by clang", "no clang for riscv32")
        return
    for chip, suffix, change in [(chip, *form) for chip in CHIPS for form in ((".c", str), (".cpp", cpp))]:
        standard = "c11" if suffix == ".c" else "c++17"
        for risc, text in (("NCRISC", DATA_C), ("TRISC1", COMPUTE_C), ("ERISC", ETH_C), ("BRISC", MARKERS)):
            (folder / f"{risc}{suffix}").write_text(change(text), encoding="utf-8")
            done = tap.run([*target, f"-std={standard}", "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-O2", "-c", f"-I{t.root}/include",
                            "-DTTK_PROFILE=2", f"-DTTK_{chip.upper()}", f"-DTTK_{risc}", "-include", "ttprof/kernel.h",
                            "-o", "made.o", f"{risc}{suffix}"], folder)
            t.ok(done.code == 0, f"clang understands the headers for {risc} of {chip} in {suffix}", done)


def check_outputs(t):
    folder = t.folder("out")
    scratch = t.folder("tmp")
    done = build(t, folder, "add.compute.c", COMPUTE_C, TMPDIR=str(scratch))
    t.equal([re.sub(r"\d+ of", "N of", line) for line in done.stdout.decode().splitlines()],
            [f"add.trisc{i}.elf: TRISC{i}, wormhole, variant prof, N of 16384 bytes" for i in range(3)], "a line names each image")
    done = build(t, folder, "tiles.c", COMPUTE_C, "-o", "x/y.elf")
    t.equal(done.code, 3, "an output folder that is not there is an error")
    done = build(t, folder, "tiles.c", COMPUTE_C, "-o", "y.elf")
    t.equal(sorted(p.name for p in folder.glob("*.elf")),
            [f"{n}.trisc{i}.elf" for n in ("add", "y") for i in range(3)], "a source that works on tiles is a compute kernel")
    t.equal(list(scratch.iterdir()), [], "no temporary file stays")
    other = t.folder("elsewhere")
    for place in (folder, other):
        build(t, place, "copy.c", DATA_C)
    t.ok((folder / "copy.elf").read_bytes() == (other / "copy.elf").read_bytes(), "the same source makes the same bytes")
    done = tap.run([t.ttprof, "kernel", "build", "workloads/loopback/copy.brisc.c", "-o", folder / "product.elf",
                    "--variant", "full"], t.root)
    pack = images_of(t)
    if pack and done.code == 0:
        t.ok((folder / "product.elf").read_bytes() == pack["wormhole/full/brisc/loopback/copy"],
             "the command makes the bytes that the build made")


MESSAGES = [
    (["kernel"], 2, "kernel: missing argument; usage: ttprof kernel COMMAND"),
    (["kernel", "bild"], 2, "unknown command 'kernel bild'; did you mean 'ttprof kernel build'?"),
    (["kernel", "build"], 2, "kernel build: missing argument; usage: ttprof kernel build FILE"),
    (["kernel", "build", "a.c", "b.c"], 2, "kernel build: unexpected argument 'b.c'"),
    (["kernel", "build", "a.txt"], 2, "kernel build: a.txt: unknown source type; use .c, .cpp, .cc or .cxx"),
    (["kernel", "build", "nosuch.c"], 3, "kernel build: nosuch.c: No such file or directory; check the path"),
    (["kernel", "build", "a.c", "--risc", "risc"], 2,
     "kernel build: --risc: invalid value 'risc'; use one of: brisc ncrisc trisc0 trisc1 trisc2 erisc dm compute all"),
    (["kernel", "build", "a.c", *["-DX"] * 33], 2, "kernel build: --define can be given at most 32 times"),
]


def check_messages(t):
    folder = t.folder("messages")
    (folder / "a.c").write_text("void kernel_main(void) {}\n", encoding="utf-8")
    for words, code, text in MESSAGES:
        done = tap.run([t.ttprof, *words], folder)
        t.equal((done.code, done.stderr.decode()), (code, f"ttprof: {text}\n"), f"{' '.join(words)[:60]}: {text[:50]}")
    done = tap.run([t.ttprof, "kernel", "build", "a.c"], folder, PATH="/nowhere")
    t.equal((done.code, done.stderr.decode()), (3, f"ttprof: kernel build: {COMPILER} is not installed, but needed to build kernels; "
            "install the Debian package gcc-riscv64-unknown-elf\n"), "without the compiler the message names the package")


def check_refusals(t):
    folder = t.folder("refused")
    done = build(t, folder, "wrong.c", "void kernel_main(void)\n{\n    nosuch();\n}\n")
    lines = done.stderr.decode().splitlines()
    t.ok(done.code == 4 and lines[1].startswith("wrong.c:3:5: error: implicit declaration of function 'nosuch'"),
         "the compiler's lines are shown", done)
    t.equal(lines[-1], f"ttprof: kernel build: wrong.c: {COMPILER} failed for BRISC", "and the source is named")
    done = build(t, folder, "header.c", 'void kernel_main(void) { get_arg_val("x", 1); }\n')
    t.ok("ttprof/kernel/core.h:" in done.stderr.decode() and str(folder) not in done.stderr.decode(),
         "own headers are shown by the names a kernel includes them by", done)
    for suffix, change in ((".c", str), (".cpp", cpp)):
        text = "void kernel_main(void)\n{\n    const char *name = \"x\";\n    DeviceZoneScopedN(name);\n    *TTK_L1(volatile char, 0x30000) = *name;\n}\n"
        for variant in ("off", "prof"):
            done = build(t, folder, f"name{suffix}", change(text), "--variant", variant)
            lines = done.stderr.decode().replace("\\'", "'").splitlines()
            clear = [l for l in lines if l.startswith(f"name{suffix}:4:5: error: static assertion failed: ") and "a zone's name must be a string literal" in l]
            t.ok(done.code == 4 and len(clear) == 1 and len(lines) <= 6 and sum("error:" in l for l in lines) == 1,
                 f"a zone's name that is not a literal is one error of one line, {suffix}, {variant}", done)
        for variant in ("off", "prof"):
            text = "void kernel_main(void)\n{\n    DeviceRecordEvent(65535);\n    DeviceRecordEvent(70000);\n}\n"
            done = build(t, folder, f"event{suffix}", change(text), "--variant", variant)
            errors = [l for l in done.stderr.decode().splitlines() if "error:" in l]
            t.ok(done.code == 4 and len(errors) == 1 and errors[0].startswith(f"event{suffix}:4:5: error: ") and
                 errors[0].endswith("the number of an event must be between 0 and 65535"), f"an event of 17 bits is an error, {suffix}, {variant}", done)
    big = "static const uint32_t table[8000] = {1};\nvoid kernel_main(void) { *TTK_L1(uint32_t, 0x28000) = table[get_arg_val(0)]; }\n"
    done = build(t, folder, "large.ncrisc.c", big)
    t.ok(done.code == 4 and re.fullmatch(r"ttprof: kernel build: large\.ncrisc\.c: the NCRISC kernel needs 3\d{4} bytes, "
         r"the slot has 16384\n", done.stderr.decode()), "an image larger than its slot: both sizes", done)
    done = build(t, folder, "local.trisc0.c", "uint32_t v[600];\nvoid kernel_main(void) { v[get_arg_val(0)] = 1; __asm__ volatile(\"\" ::\"r\"(v)); }\n")
    t.equal((done.code, done.stderr.decode()), (4, "ttprof: kernel build: local.trisc0.c: data up to 0xffb00d6c, local RAM ends at 0xffb00800\n"),
            "variables that do not fit local RAM")
    done = build(t, folder, "empty.c", "int x;\n")
    t.ok(done.code == 4 and "kernel_main" in done.stderr.decode(), "a source without kernel_main", done)
    t.equal([p.name for p in folder.glob("*.elf")], [], "no image is written for a source with an error")


# --- code ---------------------------------------------------------------------------------------
def listing(t, folder, name, text, *options):
    """Instructions of kernel_main as (mnemonic, operands)."""
    done = build(t, folder, name, text, "--variant", "off", "-o", "listed.elf", *options)
    if done.code:
        raise RuntimeError(str(done))
    dump = tap.run(["riscv64-unknown-elf-objdump", "-d", "--no-show-raw-insn", "listed.elf"], folder).stdout.decode()
    body = dump[dump.index("<kernel_main>:"):]
    return re.findall(r"^\s+([0-9a-f]+):\s+(\S+)\s*([^\n#<]*)", body, re.M)


def loops(code):
    """Innermost backward jumps: the mnemonics from target to jump."""
    at = {int(a, 16): i for i, (a, _, _) in enumerate(code)}
    spans = [(at[int(o.split(",")[-1].strip(), 16)], i) for i, (_, m, o) in enumerate(code)
             if m[0] in "bj" and re.search(r"[0-9a-f]{4,}\s*$", o) and int(o.split(",")[-1].strip(), 16) in at]
    spans = [(a, b) for a, b in spans if a <= b]
    return [[code[i][1] for i in range(a, b + 1)] for a, b in spans if not any(c > a and d < b or c >= a and d < b for c, d in spans)]


def check_code(t):
    folder = t.folder("code")
    polls = "noc_async_read_barrier(); noc_async_write_barrier(); cb_wait_front(1, 2); cb_reserve_back(2, 1); " \
            "noc_semaphore_wait(TTK_L1(ttk_semaphore, 0x100), 3); noc_semaphore_wait_min(TTK_L1(ttk_semaphore, 0x110), 3);"
    for chip in CHIPS:
        code = listing(t, folder, f"polls-{chip}.c", f"void kernel_main(void) {{ {polls} }}\n", "--arch", chip)
        found = loops(code)
        t.ok(len(found) == 6 and all(len(loop) <= 5 and not any(m.startswith("s") and m in ("sw", "sb", "sh") for m in loop) for loop in found),
             f"{chip}: waiting is a loop of loads without stores", found)
        read = "void kernel_main(void)\n{\n    for (uint32_t i = 0, n = get_arg_val(0); i < n; i++) {\n" \
               "        noc_async_read(get_noc_addr(i, 2, 0x1000), 0x30000, 1024);\n        noc_async_read_barrier();\n    }\n}\n"
        code = listing(t, folder, f"read-{chip}.c", read, "--arch", chip)
        t.ok(len(code) <= 45, f"{chip}: a read and its barrier take few instructions", code)


# --- the product's images -----------------------------------------------------------------------
def images_of(t):
    """The archive of the build: name -> bytes; None: not there (an installed program)."""
    path = t.ttprof.parent / "images.pack"
    if not path.exists():
        return None
    data = path.read_bytes()
    count, = struct.unpack_from("<I", data, 8)
    rows = [struct.unpack_from("<III", data, 12 + 12 * i) for i in range(count)]
    return {data[a:data.index(0, a)].decode(): data[b:b + n] for a, b, n in rows}


def layout_of(t):
    text = (t.root / "include" / "ttprof" / "layout.h").read_text(encoding="utf-8")
    return {n: [int(w, 0), int(b, 0)] for n, w, b in re.findall(r"X\((\w+),\s*(\w+),\s*(\w+)\)", text)}


def sections_of(elf):
    at, = struct.unpack_from("<I", elf, 32)
    size, count, names = struct.unpack_from("<HHH", elf, 46)
    heads = [struct.unpack_from("<10I", elf, at + i * size) for i in range(count)]
    text = heads[names][4]
    return {elf[text + h[0]:elf.index(0, text + h[0])].decode(): h for h in heads}


def slot_name(risc, is_firmware):
    if risc == "erisc":
        return ("eth_firmware" if is_firmware else "eth_kernel",) * 2
    size = "trisc" if risc.startswith("trisc") else risc
    if is_firmware:
        return f"fw_{risc}", f"fw_{size}"
    return f"kernel_{risc}", "kernel_brisc" if risc == "brisc" else "kernel_other"


def image_fault(name, elf, layout):
    """What is wrong with an image; None: nothing."""
    chip, variant, risc, kind = name.split("/", 3)
    is_firmware = kind == "firmware"
    column = CHIPS.index(chip)
    base, size = slot_name(risc, is_firmware)
    slot, most = layout[base][column], layout[size + "_bytes"][column]
    sections = sections_of(elf)
    note = struct.unpack_from("<4I", elf, sections[".ttprof.image"][4])
    if note != (0x4D495454, column, RISCS.index(risc) | is_firmware << 8, VARIANTS.index(variant)):
        return f"{name}: says it is {note}"
    end = max(h[3] + h[5] for n, h in sections.items() if n in (".text", ".rodata") and h[5])
    end += sections.get(".data", [0] * 10)[5]
    if sections[".text"][3] != slot or end > slot + most:
        return f"{name}: {sections['.text'][3]:#x} to {end:#x}, the slot is {slot:#x} and {most} bytes"
    if ".rela.text" not in sections or ".symtab" not in sections or any(n.startswith(".debug") for n in sections):
        return f"{name}: sections {sorted(sections)}"
    return None


def check_images(t):
    pack = images_of(t)
    if not pack:
        t.skip("the images of the build", "no images.pack beside the program")
        return
    layout = layout_of(t)
    wanted = {f"{c}/{v}/{r}/firmware" for c in CHIPS for v in VARIANTS for r in RISCS}
    t.ok(wanted <= set(pack), "firmware for every chip, variant and RISC", sorted(wanted - set(pack)))
    kernels = {n.split("/", 2)[2] for n in pack}
    t.ok(all(f"{c}/{v}/{k}" in pack for c in CHIPS for v in VARIANTS for k in kernels), "every kernel for every chip and variant")
    faults = [f for f in (image_fault(n, e, layout) for n, e in pack.items()) if f]
    t.ok(not faults, f"{len(pack)} images fit their slots and say what they are", "\n".join(faults))
    t.ok(list(pack) == sorted(pack), "the archive is in order")
    folder = t.folder("pack")
    done = tap.run([t.root / "tools" / "build-kernels", "again.pack", "again.S", "--reuse", t.ttprof.parent / "images.pack"],
                   folder, PATH=os.environ["PATH"])
    t.ok(done.code == 0 and (folder / "again.pack").read_bytes() == (t.ttprof.parent / "images.pack").read_bytes(),
         "an archive can be used again", done)
    (folder / "no.pack").write_text("nothing\n", encoding="utf-8")
    done = tap.run([t.root / "tools" / "build-kernels", "x.pack", "x.S", "--reuse", "no.pack"], folder)
    t.equal((done.code, done.stderr.decode()), (1, "build-kernels: no.pack is not an archive of images\n"), "anything else is refused")


# --- on the device --------------------------------------------------------------------------------
# Sources by name.
RUNS = {
    "state.cpp": """
struct A { uint32_t v; A(uint32_t x) : v(x + get_arg_val<uint32_t>(1)) {} };
static A a(40), b(50);
uint32_t data[3] = {1, 2, 3}, zero[2];
void kernel_main() {
    uint32_t *out = TTK_L1(uint32_t, get_arg_val<uint32_t>(0));
    out[0] = a.v; out[1] = b.v; out[2] = data[2]++; out[3] = zero[1]++;
    char text[16], copy[16];
    for (unsigned i = 0; i < 16; i++) text[i] = char(i * get_arg_val<uint32_t>(1));
    memcpy(copy, text, get_arg_val<uint32_t>(2)); memset(copy, 9, 2); memmove(text + 1, text, 8);
    out[4] = uint32_t(memcmp(copy, text, 16)); out[5] = uint32_t(copy[0]) << 8 | uint32_t(text[8]);
    out[6] = get_absolute_logical_x() << 8 | get_absolute_logical_y(); out[7] = my_x[0] == get_arg_val<uint32_t>(3);
    out[8] = get_arg_val<uint32_t>(4) / get_arg_val<uint32_t>(1); out[9] = uint32_t(uint64_t(out[8]) * 1000000007ull >> 7);
}""",
    "words.c": """
void kernel_main(void) {
    uint32_t x = get_arg_val(0), y = get_arg_val(1), at = get_arg_val(2), own = at + 1024;
    for (uint32_t i = 0; i < 64; i++) *TTK_L1(uint32_t, own + 4 * i) = 0x100 + i;
    noc_async_write(own, get_noc_addr(x, y, at), 32);
    noc_async_write_posted(own + 32, get_noc_addr(x, y, at + 32), 16);
    noc_async_posted_writes_flushed();
    noc_async_write_barrier();
    noc_inline_dw_write(get_noc_addr(x, y, at + 4), 0xabc);
    noc_inline_dw_write(get_noc_addr(x, y, at + 8), 0xdef);
    noc_semaphore_inc(get_noc_addr(x, y, at), 5);
    noc_semaphore_inc(get_noc_addr(x, y, at + 12), 6);
    noc_async_full_barrier();
    noc_async_read(get_noc_addr(x, y, at), own + 512, 64);
    noc_async_read_barrier();
    *TTK_L1(uint32_t, own) = *TTK_L1(volatile uint32_t, own + 512 + 4);
}""",
    "many.c": """
void kernel_main(void) {
    uint32_t at = get_arg_val(0), high = noc_index, a = high ? 3 : 1, b = high ? 1 : 3;
    uint64_t others = get_noc_multicast_addr(get_arg_val(a), get_arg_val(a + 1), get_arg_val(b), get_arg_val(b + 1), 0);
    for (uint32_t i = 0; i < 5000; i++) *TTK_L1(uint32_t, at + 64 + 4 * i) = i;
    noc_async_write_multicast(at + 64, others | (at + 64), 20000, 5);
    *TTK_L1(uint32_t, at) = 77;
    noc_semaphore_set_multicast_loopback_src(at, others | at, 6);
    noc_async_write_barrier();
    noc_semaphore_inc_multicast(others | at, 3, 5);
    noc_async_atomic_barrier();
}""",
    "banks.cpp": """
void kernel_main() {
    uint32_t at = get_arg_val<uint32_t>(0), banks = ttk_n_banks(), base = 0x1000000, wrong = 0;
    InterleavedAddrGenFast<true> tiles = {base, 2048, DataFormat::Float16_b};
    InterleavedPow2AddrGen<true> pow2 = {base, 11};
    for (uint32_t page = 0; page < 3 * banks + 1; page++) {
        *TTK_L1(volatile uint32_t, at) = page * 3 + 1;
        noc_async_write_tile(page, tiles, at);
        noc_async_write_barrier();
    }
    for (uint32_t page = 0; page < 3 * banks + 1; page++) {
        noc_async_read(get_noc_addr_from_bank_id<true>(page % banks, base + page / banks * 2048), at, 64);
        noc_async_read_page(page, pow2, at + 2048);
        noc_async_read_tile(page, base, at + 4096);
        noc_async_read_barrier();
        for (uint32_t i = 0; i < 3; i++) wrong += *TTK_L1(volatile uint32_t, at + 2048 * i) != page * 3 + 1;
    }
    *TTK_L1(uint32_t, at) = banks << 8 | wrong;
}""",
}
# Source, core, RISC, arguments, core to read from. X and Y are virtual coordinates of a logical core, L is the first
# free byte of L1.
STATE = ("state.cpp", "1,2", "brisc", "L,3,16,X1,1000000", "1,2")
STATE_WORDS = "2b 35 3 0 9 915 102 1 51615 54466459"
WORDS = ("words.c", "0,0", "brisc", "X1,Y0,L", "1,0")
WORDS_WORDS = "105 abc def 109 104 105 106 107 108 109 10a 10b"
MANY = ("many.c", "1,1", "ncrisc", "L,X0,Y0,X2,Y1", "2,1")
BANKS = ("banks.cpp", "3,3", "ncrisc", "L", "3,3")
# Device, NoC, what runs, offset from L, words that must be there.
DEVICE = [
    ("board=n150", 0, STATE, 0, STATE_WORDS), ("arch=blackhole", 0, STATE, 0, STATE_WORDS), ("arch=blackhole l0=on", 0, STATE, 0, STATE_WORDS),
    ("board=n150", 0, WORDS, 0, WORDS_WORDS), ("board=n150", 1, WORDS, 0, WORDS_WORDS), ("arch=blackhole", 0, WORDS, 0, WORDS_WORDS),
    ("arch=blackhole l0=on", 1, WORDS, 0, WORDS_WORDS),
    ("board=n150", 0, MANY, 20052, "1385 1386 1387 0"), ("board=n150", 1, MANY, 20052, "1385 1386 1387 0"),
    ("arch=blackhole", 0, MANY, 20052, "1385 1386 1387 0"), ("arch=blackhole", 1, MANY, 20052, "1385 1386 1387 0"),
    ("board=n150", 1, MANY, 0, "50"), ("board=n150", 0, (*MANY[:4], "1,1"), 0, "4d"),
    ("board=n150", 1, BANKS, 0, "c00"), ("board=p150", 0, BANKS, 0, "800"), ("board=p100", 1, BANKS, 0, "700"),
]


def place_of(arch, word):
    """X and Y of the small logical cores used here; L behind two circular buffers of 4 pages."""
    is_wormhole = arch == "wormhole"
    if word == "L":
        return (0x28000 if is_wormhole else 0x2C000) + 2 * 4 * 2048
    if word[0] in "XY":
        return int(word[1:]) + (18 if is_wormhole else 1 if word[0] == "X" else 2)
    return int(word)


def check_device(t):
    folder = t.folder("device")
    built = set()
    for config, noc, (source, core, risc, arguments, reader), offset, want in DEVICE:
        arch = "blackhole" if "blackhole" in config or "p1" in config else "wormhole"
        name = f"{source.split('.')[0]}-{arch}.elf"
        if name not in built:
            fits(t, build(t, folder, source, RUNS[source], "--arch", arch, "--risc", risc, "-o", name), name)
            built.add(name)
        args = ",".join(str(place_of(arch, word)) for word in arguments.split(","))
        at = place_of(arch, "L") + offset
        done = tap.run([t.ttprof, "sim", "kernel", name, "--device", config, "--noc", noc, "--cores", core, "--args", args, "--cb", "0:4x2048",
                        "--cb", "1:4x2048", "--json", "--read", f"L1:{reader}:{at}+{4 * len(want.split())}"], folder)
        data = bytes.fromhex(json.loads(done.stdout)["reads"][0]["bytes"]) if done.code == 0 else b""
        got = " ".join(f"{int.from_bytes(data[i:i + 4], 'little'):x}" for i in range(0, len(data), 4))
        t.equal((got, done.stderr.decode()), (want, ""), f"{source} on {config}, NoC {noc}")


def test(t):
    check_messages(t)
    check_names(t)
    check_clang(t)
    check_images(t)
    if not shutil.which(COMPILER):
        t.skip("kernels are built", f"no {COMPILER}")
        return
    check_guides(t)
    check_api(t)
    check_outputs(t)
    check_refusals(t)
    check_code(t)
    check_device(t)


tap.main(test)
