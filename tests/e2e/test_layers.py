#!/usr/bin/python3
"""test_layers.py TTPROF SOURCE_ROOT - the shape of src/: who includes whom, and house rules.

    sim -> runtime
    trace -> formats -> collect -> analyse -> present -> cli

A file may include its own folder, base/, public headers and the folders before its own on its
line; cli may use both lines, and workloads/; record stands alone, as it is linked into other people's programs.
"""
import re

import tap

CHAINS = [["sim", "runtime"], ["trace", "formats", "collect", "analyse", "present", "cli"]]
PUBLIC = {"ttprof", "tracy"}  # folders of include/
LONGEST = 900
LIBC = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
    dirent dlfcn endian fcntl linux/futex poll pthread sched spawn sys/mman sys/socket sys/stat sys/syscall sys/time
    sys/types sys/uio sys/un sys/wait syscall unistd lz4 lz4frame lz4hc""".split())


def allowed_folders():
    allowed = {"base": {"base"}, "record": {"record"}}
    for chain in CHAINS:
        for i, name in enumerate(chain):
            allowed[name] = {"base", *chain[:i + 1]}
    allowed["cli"] |= {name for chain in CHAINS for name in chain} | {"workloads"}
    return allowed


ALLOWED = allowed_folders()
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)(.*)$')
NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
HEAP = re.compile(r"\b(malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|vasprintf)\s*\(")


def include_breach(path, folder, quoted, system, rest):
    """What is wrong with one #include line; None: nothing."""
    if system:
        is_foreign = folder == "record" and system.removesuffix(".h") not in LIBC and system.split("/")[0] not in PUBLIC
        return f"record includes <{system}>; it needs libc, pthreads and lz4 only" if is_foreign else None
    target = quoted.split("/")[0]
    if "/" not in quoted:
        is_known = "generated" in rest or (path.parent / quoted).exists()
        return None if is_known else f'"{quoted}" is neither beside the file nor marked as generated'
    if target in PUBLIC or target in ALLOWED[folder]:
        return None
    return f'{folder} may not include "{quoted}"'


def breaches(root):
    """Every breach in root/src, as file:line: sentence."""
    found = []
    for path in sorted((root / "src").rglob("*.[ch]")):
        name, folder = path.relative_to(root), path.relative_to(root / "src").parts[0]
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
                found.append(f"{name}:{number}: {hit.group(1)} belongs to src/base; use an arena or base/mem.h")
    return found


# What the check must see: file, text, the breach (None: it is fine).
MADE_UP = [
    ("formats/a.c", '#include "analyse/perf.h"\n', '1: formats may not include "analyse/perf.h"'),
    ("formats/b.c", '#include "base/str.h"\n#include "trace/x.h"\n#include "formats/b.h"\n#include "ttprof/layout.h"\n', None),
    ("base/a.c", '\n#include "cli/command.h"\n', '2: base may not include "cli/command.h"'),
    ("collect/a.c", '#include "sim/tile.h"\n', '1: collect may not include "sim/tile.h"'),
    ("collect/b.c", '#  include "runtime/op.h"\n', '1: collect may not include "runtime/op.h"'),
    ("runtime/a.c", '#include "sim/tile.h"\n', None),
    ("sim/a.c", '#include "runtime/op.h"\n', '1: sim may not include "runtime/op.h"'),
    ("present/a.h", '#include "cli/command.h"\n', '1: present may not include "cli/command.h"'),
    ("analyse/a.c", '#include "../cli/command.h"\n', '1: analyse may not include "../cli/command.h"'),
    ("cli/a.c", '#include "sim/tile.h"\n#include "trace/x.h"\n#include "present/table.h"\n', None),
    ("record/a.c", '#include <pthread.h>\n#include <lz4.h>\n#include "record/ring.h"\n#include "ttprof/host.h"\n', None),
    ("record/b.c", '#include "base/str.h"\n', '1: record may not include "base/str.h"'),
    ("record/c.c", "#include <zstd.h>\n", "1: record includes <zstd.h>; it needs libc, pthreads and lz4 only"),
    ("cli/b.c", '#include "web_files.h" // generated: the page\n', None),
    ("cli/c.c", '#include "web_files.h"\n', '1: "web_files.h" is neither beside the file nor marked as generated'),
    ("extra/a.c", "", "1: the folder has no place in the layers"),
    ("cli/d.c", "int x;\n" * (LONGEST + 1), f"{LONGEST + 1}: longer than {LONGEST} lines"),
    ("cli/e.c", "int x;\n" * LONGEST, None),
    ("cli/f.c", "// TODO more\n", "1: an open end: // TODO more"),
    ("cli/g.c", "\nvoid f(void *p) { free (p); }\n", "2: free belongs to src/base; use an arena or base/mem.h"),
    ("cli/h.c", '/* free(p)\n malloc(1) */ void mem_free(void *p); // free(p)\nconst char *s = "free(\\"x\\")";\n', None),
    ("base/b.c", "void *f(void) { return malloc(1); }\n", None),
]


def test(t):
    found = breaches(t.root)
    count = len(list((t.root / "src").rglob("*.[ch]")))
    t.ok(count > 20, "the sources are there", f"{count} files")
    t.ok(not found, f"{count} files keep the layers and the house rules", "\n".join(found))
    for name, text, breach in MADE_UP:
        tree = t.folder("tree")
        path = tree / "src" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        what = text.strip().splitlines()[0][:50] if text.strip() else "an unknown folder"
        t.equal(breaches(tree), [f"src/{name}:{breach}"] if breach else [], f"{'seen' if breach else 'let pass'}: {name}: {what}")


tap.main(test)
