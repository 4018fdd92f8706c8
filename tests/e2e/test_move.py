#!/usr/bin/python3
"""test_move.py TTPROF SOURCE_ROOT - every bundled kernel, moved to five addresses, is what the linker makes of it there.

tests/programs/put_image moves the images. Needs the cross compiler: objects are compiled as tools/build-kernels does, and
linked at each address.
"""
import concurrent.futures
import importlib.machinery
import importlib.util
import shutil
import struct
import subprocess

import tap

OFFSETS = [0x0, 0x1230, 0x77F0, 0x8800, 0xFFF0]  # from kernel_config
LOCAL_RAM = 0xFFB00000


def build_kernels(root):
    """tools/build-kernels as a module."""
    loader = importlib.machinery.SourceFileLoader("build_kernels", str(root / "tools" / "build-kernels"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("build_kernels", loader))
    loader.exec_module(module)
    return module


def memory(elf, base):
    """What an ELF file puts into L1 from its base on, in whole words."""
    at, size, count = *struct.unpack_from("<I", elf, 28), *struct.unpack_from("<HH", elf, 42)
    out = bytearray()
    for i in range(count):
        kind, offset, virtual, physical, n, total, *_ = struct.unpack_from("<8I", elf, at + i * size)
        address = virtual if virtual < LOCAL_RAM else physical
        n_memory = total if virtual < LOCAL_RAM else n
        if kind != 1 or not n_memory:
            continue
        out += bytes(max(0, address - base + n_memory - len(out)))
        out[address - base : address - base + n] = elf[offset : offset + n]
    return bytes(out + bytes(-len(out) % 4))


class Linker:
    """Links kernels as the compiler does, without its overhead."""

    def __init__(self, module, folder):
        self.module, self.folder = module, folder
        library = subprocess.run([module.COMPILER, *module.FLAGS, "-print-libgcc-file-name"], stdout=subprocess.PIPE, check=True)
        flags = [f[4:] for f in module.FLAGS if f.startswith("-Wl,")]
        self.head = [module.COMPILER.replace("-gcc", "-ld"), "-melf32lriscv", *flags, f"-T{module.ROOT}/kernel/image.ld"]
        self.tail = [library.stdout.decode().strip()]

    def memories(self, image):
        """Name of the image, and the address and memory of each link."""
        name, source, chip, variant, risc, _ = image
        stem = self.folder / name.replace("/", "-")
        command, _ = self.module.command_of(source, chip, variant, risc, False)
        subprocess.run([*command[:-1], "-c", "-o", f"{stem}.o"], check=True)
        data, out = self.module.slot_of(chip, risc, False)[2], []
        for offset in OFFSETS:
            base = self.module.LAYOUT["kernel_config"][self.module.CHIPS.index(chip)] + offset
            places = [f"--defsym=TTK_SLOT={base:#x}", f"--defsym=TTK_DATA={data:#x}"]
            subprocess.run([*self.head, *places, f"{stem}.o", *self.tail, "-o", f"{stem}.elf"], check=True)
            with open(f"{stem}.elf", "rb") as file:
                out.append((base, memory(file.read(), base)))
        return name, out


def test(t):
    program = t.ttprof.parent / "tests" / "programs" / "put_image"
    module = build_kernels(t.root)
    if not shutil.which(module.COMPILER):
        t.skip("moved kernels are what the linker makes at their addresses", f"{module.COMPILER} is not installed")
        return
    linker = Linker(module, t.folder("linked"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        linked = list(pool.map(linker.memories, (i for i in module.images(None) if not i[5])))
    asked = "".join(f"{name} {base:#x}\n" for name, links in linked for base, _ in links)
    moved = tap.run([program], t.scratch, stdin=asked.encode())
    t.ok(moved.code == 0, "every bundled kernel can be moved and keeps its ids", moved.stderr.decode())
    at, wrong = 0, []
    for name, links in linked:
        for base, want in links:
            (n,) = struct.unpack_from("<I", moved.stdout, at) if at + 4 <= len(moved.stdout) else (0,)
            if moved.stdout[at + 4 : at + 4 + n] != want:
                wrong.append(f"{name} at {base:#x}")
            at += 4 + n
    t.ok(len(linked) > 400 and not wrong, "moved kernels are what the linker makes at their addresses", "\n".join(wrong[:10]))


tap.main(test)
