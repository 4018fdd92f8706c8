#!/usr/bin/python3
"""test_layers.py TTPROF SOURCE_ROOT - the shape of the tree: who includes whom, and house rules.

    base -> arch -> sim
    base -> arch -> trace -> formats -> collect -> analyse -> table -> profiler
    both -> runtime -> app -> cli; profiler -> present -> app

A file may include its own folder, public headers and the folders before its own on its line; cli may use
workloads/, too; record includes nothing of ours, as it is linked into other people's programs, and others include
record/format/ only. That no code reaches upward without an #include is shown by the link of each layer, see
src/meson.build.
The host programs of workloads/ see base/ and the device as its users do; what runs on the device (kernel/ and the
kernels of workloads/) and include/ see public headers only; C++ headers for hosts see the C++ library, too.
"""
import re

import tap

DEVICE = ["base", "arch", "sim"]
DATA = ["base", "arch", "trace", "formats", "collect", "analyse", "table", "profiler"]
PUBLIC = {"ttprof", "tracy"}  # folders of include/
TREES = ["src", "workloads", "include", "kernel"]
FOR_DEVICES = {"include", "kernel"}
FREESTANDING = {"stdbool.h", "stddef.h", "stdint.h"}  # what there is without a C library
FOR_HOST_CPP = re.compile(r"include/(tracy/.*|ttprof/host\w*)\.hpp$")  # with the C++ library
LONGEST = 900
LIBC = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
    arpa/inet cpuid dirent dlfcn elf endian fcntl netinet/in netinet/tcp linux/futex linux/membarrier poll pthread sched spawn sys/auxv sys/eventfd sys/mman sys/prctl sys/resource
    sys/socket sys/stat sys/syscall sys/time sys/types sys/uio sys/un sys/wait syscall sys/utsname unistd lz4 lz4frame lz4hc""".split())


def allowed_folders():
    allowed = {"record": {"record"}, "workloads": {"base", "workloads", "sim/ttdev.h", "runtime/runtime.h"}}
    allowed |= {name: set() for name in FOR_DEVICES}
    for chain in (DEVICE, DATA):
        for i, name in enumerate(chain):
            allowed[name] = set(chain[:i + 1])
    allowed["runtime"] = {*DEVICE, *DATA, "runtime"}
    allowed["present"] = {*DATA, "present"}
    allowed["app"] = {*allowed["runtime"], "present", "app", "record/process_log_write.h"}
    allowed["cli"] = {*allowed["app"], "cli", "workloads"}
    return allowed


ALLOWED = allowed_folders()
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)(.*)$')
NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
HEAP = re.compile(r"\b(malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|vasprintf)\s*\(")


def include_breach(path, folder, quoted, system, rest):
    """What is wrong with one #include line; None: nothing."""
    if system:
        if FOR_HOST_CPP.search(path.as_posix()):
            return None if re.fullmatch(r"\w+", system) else f"{folder} includes <{system}>; host headers need the C++ library only"
        if folder in FOR_DEVICES:
            return None if system in FREESTANDING else f"{folder} includes <{system}>; devices have no C library"
        is_foreign = folder == "record" and system.removesuffix(".h") not in LIBC and system.split("/")[0] not in PUBLIC
        return f"record includes <{system}>; it needs libc, pthreads and lz4 only" if is_foreign else None
    target = quoted.split("/")[0]
    if "/" not in quoted:
        is_known = "generated" in rest or (path.parent / quoted).exists()
        return None if is_known else f'"{quoted}" is neither beside the file nor marked as generated'
    is_shared = folder != "base" and quoted.startswith("record/format/")  # how a recording is packed
    if target in PUBLIC or is_shared or not ALLOWED[folder].isdisjoint({target, quoted}):
        return None
    return f'{folder} may not include "{quoted}"'


def code_files(root):
    return sorted(p for tree in TREES for p in (root / tree).rglob("*") if p.suffix in (".c", ".h", ".cpp", ".hpp"))


def folder_of(name):
    """The folder whose rules hold for a file. A kernel names its RISCs: workloads/reduce/sum.compute.c."""
    if name.parts[0] == "src":
        return name.parts[1]
    return "kernel" if len(name.suffixes) > 1 else name.parts[0]


def breaches(root):
    """Every breach below root, as file:line: sentence."""
    found = []
    for path in code_files(root):
        name = path.relative_to(root)
        folder = folder_of(name)
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        if folder not in ALLOWED:
            found.append(f"{name}:1: the folder has no place in the layers")
            continue
        for number, line in enumerate(lines, 1):
            hit = INCLUDE.match(line)
            wrong = hit and include_breach(path, folder, *hit.groups())
            if wrong:
                found.append(f"{name}:{number}: {wrong}")
            if re.search(r"\b(TODO|FIXME)\b", line):
                found.append(f"{name}:{number}: an open end: {line.strip()}")
        if len(lines) > LONGEST:
            found.append(f"{name}:{LONGEST + 1}: longer than {LONGEST} lines")
        code = NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        for number, line in enumerate(code.splitlines(), 1):
            hit = folder != "base" and HEAP.search(line)
            if hit:
                found.append(f"{name}:{number}: {hit.group(1)} belongs to src/base; use an arena or base/data/mem.h")
    return found


# What the check must see: file, text, the breach (None: it is fine).
MADE_UP = [
    ("src/formats/a.c", '#include "analyse/perf/perf.h"\n', '1: formats may not include "analyse/perf/perf.h"'),
    ("src/formats/b.c", '#include "base/text/str.h"\n#include "trace/x.h"\n#include "formats/b.h"\n#include "ttprof/layout.h"\n', None),
    ("src/base/a.c", '\n#include "cli/command.h"\n', '2: base may not include "cli/command.h"'),
    ("src/collect/a.c", '#include "sim/tile/tile.h"\n', '1: collect may not include "sim/tile/tile.h"'),
    ("src/collect/b.c", '#  include "runtime/op.h"\n', '1: collect may not include "runtime/op.h"'),
    ("src/runtime/a.c", '#include "sim/tile/tile.h"\n', None),
    ("src/sim/a.c", '#include "runtime/op.h"\n', '1: sim may not include "runtime/op.h"'),
    ("src/present/a.h", '#include "cli/command.h"\n', '1: present may not include "cli/command.h"'),
    ("src/analyse/a.c", '#include "../cli/command.h"\n', '1: analyse may not include "../cli/command.h"'),
    ("src/cli/a.c", '#include "sim/tile/tile.h"\n#include "trace/x.h"\n#include "table/table.h"\n', None),
    ("src/record/a.c", '#include <pthread.h>\n#include <lz4.h>\n#include "record/ring.h"\n#include "ttprof/host.h"\n', None),
    ("src/record/b.c", '#include "base/text/str.h"\n', '1: record may not include "base/text/str.h"'),
    ("src/record/c.c", "#include <zstd.h>\n", "1: record includes <zstd.h>; it needs libc, pthreads and lz4 only"),
    ("src/cli/b.c", '#include "web_files.h" // generated: the page\n', None),
    ("src/cli/c.c", '#include "web_files.h"\n', '1: "web_files.h" is neither beside the file nor marked as generated'),
    ("src/extra/a.c", "", "1: the folder has no place in the layers"),
    ("src/cli/d.c", "int x;\n" * (LONGEST + 1), f"{LONGEST + 1}: longer than {LONGEST} lines"),
    ("src/cli/e.c", "int x;\n" * LONGEST, None),
    ("src/cli/f.c", "// TODO more\n", "1: an open end: // TODO more"),
    ("src/cli/g.c", "\nvoid f(void *p) { free (p); }\n", "2: free belongs to src/base; use an arena or base/data/mem.h"),
    ("src/cli/h.c", '/* free(p)\n malloc(1) */ void mem_free(void *p); // free(p)\nconst char *s = "free(\\"x\\")";\n', None),
    ("src/base/b.c", "void *f(void) { return malloc(1); }\n", None),
    ("workloads/a/a.c", '#include <math.h>\n#include "base/data/vec.h"\n#include "sim/ttdev.h"\n#include "workloads/workloads.h"\n', None),
    ("workloads/b/b.c", '#include "sim/machine.h"\n', '1: workloads may not include "sim/machine.h"'),
    ("workloads/c/c.c", "void f(void *p) { free(p); }\n", "1: free belongs to src/base; use an arena or base/data/mem.h"),
    ("workloads/d/d.brisc.c", '#include "ttprof/kernel.h"\n', None),
    ("workloads/e/e.all.cpp", '#include "base/data/vec.h"\n', '1: kernel may not include "base/data/vec.h"'),
    ("workloads/f/f.h", "int x;\n" * (LONGEST + 1), f"{LONGEST + 1}: longer than {LONGEST} lines"),
    ("kernel/a.c", '#include "sim/ttdev.h"\n', '1: kernel may not include "sim/ttdev.h"'),
    ("kernel/b.h", "#include <string.h>\n", "1: kernel includes <string.h>; devices have no C library"),
    ("include/ttprof/a.h", '#include <stdint.h>\n#include "ttprof/layout.h"\n', None),
    ("include/ttprof/b.hpp", "// FIXME\n", "1: an open end: // FIXME"),
    ("include/ttprof/host_x.hpp", '#include <mutex>\n#include "ttprof/host.h"\n', None),
    ("include/tracy/a/b.hpp", "#include <cstdio>\n#include <string>\n", None),
    ("include/tracy/c.hpp", "#include <fmt/core.h>\n", "1: include includes <fmt/core.h>; host headers need the C++ library only"),
    ("include/tracy/d.h", "#include <string.h>\n", "1: include includes <string.h>; devices have no C library"),
    ("include/ttprof/d.hpp", "#include <mutex>\n", "1: include includes <mutex>; devices have no C library"),
    ("include/ttprof/c.h", '#include "base/text/str.h"\n', '1: include may not include "base/text/str.h"'),
]


def test(t):
    found = breaches(t.root)
    files = code_files(t.root)
    missing = [tree for tree in TREES if sum(t.root / tree in p.parents for p in files) < 5]
    t.ok(not missing, "the sources are there", missing)
    t.ok(not found, f"{len(files)} files keep the layers and the house rules", "\n".join(found))
    for name, text, breach in MADE_UP:
        tree = t.folder("tree")
        path = tree / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        what = text.strip().splitlines()[0][:50] if text.strip() else "an unknown folder"
        t.equal(breaches(tree), [f"{name}:{breach}"] if breach else [], f"{'seen' if breach else 'let pass'}: {name}: {what}")


tap.main(test)
