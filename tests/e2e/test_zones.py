#!/usr/bin/python3
"""test_zones.py TTPROF SOURCE_ROOT - the names of markers, from sources to what the loader makes of them.

Kernels are built by every compiler that is there: GCC by `ttprof kernel build`, clang by hand with the same options as far as it has them.
"""
import re
import shutil

import tap

COMPILER = "riscv64-unknown-elf-gcc"
SOURCE = """
static inline __attribute__((always_inline)) void work(uint32_t i)
{
    DeviceZoneScopedN("inlined");
    *TTK_L1(volatile uint32_t, 0x30000) = i;
}
void kernel_main(void)
{
    DeviceZoneScopedN("Gr\\xc3\\xb6\\xc3\\x9f" "e 100%");
    for (uint32_t i = 0; i < 4; i++)
        work(i);
    work(9);
    DeviceTimestampedData("payload", 7);
}
"""
TEMPLATE = """
template <int n> static void work()
{
    DeviceZoneScopedN("inlined");
    *TTK_L1(volatile uint32_t, 0x30000) = n;
}
void kernel_main()
{
    DeviceZoneScopedN("Gr\\xc3\\xb6\\xc3\\x9f" "e 100%");
    work<1>();
    work<2>();
    DeviceTimestampedData("payload", 7);
}
"""
SLOT = {"wormhole": ("0x12000", "0xFFB00400"), "blackhole": ("0x16000", "0xFFB00800")}


def fold(text):
    h = 2166136261
    for byte in text.encode():
        h = (h ^ byte) * 16777619 & 0xFFFFFFFF
    return h & 0xFFFF ^ h >> 16


def flags(t, *without):
    words = (t.root / "kernel" / "flags.txt").read_text(encoding="ascii").split()
    return [w for w in words if not w.startswith(without)]


def build_gcc(t, folder, name, chip):
    return tap.run([t.ttprof, "kernel", "build", name, "--arch", chip, "-o", "made.elf"], folder)


def build_clang(t, folder, name, chip):
    compiler = "clang" if name.endswith(".c") else "clang++"
    cpp = [] if name.endswith(".c") else ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-std=c++17"]
    done = tap.run([compiler, "--target=riscv32", *flags(t, "-Wl,", "--param", "-fno-tree", "-nostdlib", "-msmall"), *cpp, f"-DTTK_{chip.upper()}",
                    "-DTTK_BRISC", "-DTTK_PROFILE=1", f"-I{t.root}/include", "-include", "ttprof/kernel.h", "-c", name, "-o", "made.o"], folder)
    if done.code:
        return done
    slot, data = SLOT[chip]
    return tap.run([COMPILER, *flags(t), f"-Wl,--defsym=TTK_SLOT={slot},--defsym=TTK_DATA={data}", f"-T{t.root}/kernel/image.ld", "made.o", "-lgcc",
                    "-o", "made.elf"], folder)


def check_names(t, title, folder, name, chip):
    done = tap.run([t.ttprof, "sim", "disasm", "made.elf", "--arch", chip], folder)
    found = set(re.findall(r"lui .*# (\w+) of zone (\d+): (.*), (\S+):(\d+)$", done.stdout.decode(), re.M))
    lines = (folder / name).read_text(encoding="utf-8").split("\n")
    want = set()
    for zone, part, types in (("inlined", '"inlined"', ("start", "end")), ("Größe 100%", '"e 100%"', ("start", "end")), ("payload", '"payload"', ("data",))):
        line = 1 + next(i for i, text in enumerate(lines) if part in text)
        id_ = fold(f"{zone},{name},{line},KERNEL_PROFILER")
        want |= {(kind, str(id_), zone, name, str(line)) for kind in types}
    own = {row for row in found if row[3] == name}
    t.equal(sorted(own), sorted(want), f"{title}: markers of the source have their names, lines and ids")
    kernel = {row[0] for row in found if row[2] == "BRISC-KERNEL"}
    t.equal(kernel, {"start", "end"}, f"{title}: so has the zone around the kernel")
    t.equal(done.stderr, b"", f"{title}: nothing is odd")
    done = tap.run([t.ttprof, "sim", "kernel", "made.elf"], folder)
    t.ok(done.code == 0 and not done.stderr, f"{title}: it runs", done)


def check_compilers(t):
    makers = {"gcc": build_gcc}
    if shutil.which("clang") and shutil.which("clang++"):
        makers["clang"] = build_clang
    else:
        t.skip("clang's images have names", "no clang")
    for maker, build in makers.items():
        for name, text in (("some.c", SOURCE), ("some.cpp", SOURCE), ("template.cpp", TEMPLATE)):
            for chip in SLOT:
                folder = t.folder("build")
                (folder / name).write_text(text, encoding="utf-8")
                title = f"{maker}, {name}, {chip}"
                done = build(t, folder, name, chip)
                if t.ok(done.code == 0, f"{title}: builds", done):
                    check_names(t, title, folder, name, chip)


def check_damage(t):
    """An image without what names need runs, and one line says so."""
    folder = t.folder("damage")
    (folder / "some.c").write_text(SOURCE, encoding="utf-8")
    build_gcc(t, folder, "some.c", "wormhole")
    tap.run(["riscv64-unknown-elf-strip", "-o", "stripped.elf", "made.elf"], folder)
    tap.run(["riscv64-unknown-elf-objcopy", "-R", ".ttprof.zones", "-R", ".rela.ttprof.zones", "made.elf", "nameless.elf"], folder)
    for name, why in (("stripped", "it has no relocations (linked without --emit-relocs, or stripped)"), ("nameless", "section .ttprof.zones is missing")):
        for command in ("disasm", "kernel"):
            done = tap.run([t.ttprof, "sim", command, f"{name}.elf"], folder)
            t.ok(done.code == 0, f"sim {command}: a {name} image is taken", done)
            lines = [f"zones have no names: {why}"]
            if (name, command) == ("stripped", "kernel"):
                lines.append(f"cannot be moved, so its programs wait for all before them: {why}")
            t.equal(done.stderr.decode(), "".join(f"ttprof: sim {command}: image '{name}.elf': {line}\n" for line in lines), "with a line")


def check_comma(t):
    """Logs separate cells by commas: a name with one does not build."""
    folder = t.folder("comma")
    (folder / "some.c").write_text('void kernel_main(void)\n{\n    DeviceZoneScopedN("one, two");\n}\n', encoding="utf-8")
    done = build_gcc(t, folder, "some.c", "wormhole")
    t.ok(done.code == 4 and b"some.c:3:" in done.stderr and b"a zone's name has a comma" in done.stderr.replace(b"\\'", b"'"),
         "a zone's name has no comma", done)


def test(t):
    if not shutil.which(COMPILER):
        t.skip("markers have names", f"no {COMPILER}")
        return
    check_compilers(t)
    check_comma(t)
    check_damage(t)


tap.main(test)
