#!/usr/bin/python3
"""test_install.py TTPROF SOURCE_ROOT - what `make install` puts there is complete: programs outside the tree are built with it.

Every example in a comment of a public header is built with the flags of pkg-config and run, and so is
the first host program of README.md.
"""
import json
import os
import re
import shutil

import tap

EXAMPLE = re.compile(r"^//     #include.*\n(?://(?:     .*)?\n)+", re.M)
PACKAGES = {"host.h": "ttprof", "host.hpp": "ttprof", "runtime.h": "ttprof-runtime", "profiler.h": "ttprof-runtime"}


def install(t):
    """The folder that is /usr/local to what is installed."""
    target = t.folder("target")
    done = tap.run(["meson", "install", "-C", t.ttprof.parent, "--no-rebuild", "--quiet", "--destdir", target], t.scratch)
    t.equal(done.code, 0, "it is installed")
    with open(t.ttprof.parent / "meson-info" / "intro-buildoptions.json", encoding="utf-8") as f:
        prefix = next(o["value"] for o in json.load(f) if o["name"] == "prefix")
    return target / prefix.lstrip("/")


def examples(t, folder):
    """Examples of public headers as files: header, file."""
    for header in sorted(p for ext in ("h", "hpp") for p in (t.root / "include" / "ttprof").glob(f"*.{ext}")):
        for number, block in enumerate(EXAMPLE.findall(header.read_text(encoding="utf-8"))):
            path = folder / f"{header.stem}_{number}{'.cpp' if header.suffix == '.hpp' else '.c'}"
            path.write_text("".join(re.sub("^//(?:     )?", "", line) + "\n" for line in block.splitlines()), encoding="utf-8")
            yield header.name, path


def flags(t, prefix, package):
    found = next(prefix.rglob(f"{package}.pc"))
    done = tap.run(["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", package], t.scratch,
                   PKG_CONFIG_PATH=str(found.parent))
    t.ok(done.code == 0, f"pkg-config knows {package}", done)
    return done.stdout.decode().split()


def compile_and_run(t, source, options, name, *, run=(), **env):
    compiler = "g++" if source.suffix == ".cpp" else "cc"
    if not shutil.which(compiler):
        t.skip(name, f"no {compiler}")
        return
    program = source.with_suffix("")
    done = tap.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-DTTPROF_ENABLE", source, *options, "-o", program], source.parent)
    if t.ok(done.code == 0, f"{name} is compiled", done):
        done = tap.run([*run, program], source.parent, **env)
        t.ok(done.code == 0 and not done.stdout, f"{name} runs", done)


def check_examples(t, prefix):
    folder = t.folder("examples")
    found = list(examples(t, folder))
    t.equal({header for header, _ in found}, set(PACKAGES), "headers with examples")
    known = {package: flags(t, prefix, package) for package in sorted(set(PACKAGES.values()))}
    for header, source in found:
        compile_and_run(t, source, known[PACKAGES[header]], f"the example of {header}", TT_METAL_DEVICE_PROFILER="1")
    log = list(folder.rglob("profile_log_device.csv"))
    t.ok(log, "the profiler of the examples has written its log", os.listdir(folder))


def check_readme(t, prefix):
    """As it is written there, once the compiler and the loader know the folders."""
    text = (t.root / "README.md").read_text(encoding="utf-8")
    source = t.folder("readme") / "train.c"
    source.write_text(re.search(r"^```c\n(// train\.c.*?)^```$", text, re.M | re.S)[1], encoding="utf-8")
    command = re.search(r"^\$ (cc .*train\.c .*)$", text, re.M)[1]
    library = next(prefix.rglob("libttprof.so"))
    places = {"CPATH": str(prefix / "include"), "LIBRARY_PATH": str(library.parent)}
    done = tap.run(["sh", "-c", command], source.parent, **places)
    t.ok(done.code == 0, f"README.md: {command}", done)
    done = tap.run([prefix / "bin" / "ttprof", "run", "-o", "out", "--", "./train"], source.parent, LD_LIBRARY_PATH=str(library.parent))
    t.ok(done.code == 0, "README.md: the program is recorded", done)
    done = tap.run([prefix / "bin" / "ttprof", "zones", "out", "--csv", "-"], source.parent)
    t.ok(re.search(rb"(?m)^[^\n]*,3,[^\n]*,step,", done.stdout), "README.md: its three steps are there", done)


def check_headers(t, prefix):
    """Each installed header of the project can be included alone."""
    for header in sorted((prefix / "include" / "ttprof").iterdir()):
        compiler = "g++" if header.suffix == ".hpp" else "cc"
        sentence = f"{header.name} needs nothing that is not installed"
        if shutil.which(compiler):
            done = tap.run([compiler, "-fsyntax-only", "-I", prefix / "include", "-include", header, "-x", "c++" if compiler == "g++" else "c", os.devnull], t.scratch)
            t.ok(done.code == 0, sentence, done)
        else:
            t.skip(sentence, f"no {compiler}")


def check_python(t, prefix):
    """Installed packages find the program and the libraries of their prefix, wherever that is."""
    package = next(prefix.rglob("tracy/__main__.py"), None)
    if not (t.ttprof.parent / "libttprof-python.so").exists():
        t.skip("python3 -m tracy", "an interpreter cannot load what a sanitizer has changed")
        return
    folder = t.folder("python")
    (folder / "script.py").write_text("import tracy\ndef f(): tracy.message('from f')\nf()\n")
    done = tap.run(["python3", "-m", "tracy", "--no-device", "-o", "out", "script.py"], folder, PYTHONPATH=str(package.parents[1]), PATH="/usr/bin:/bin")
    zones = tap.run([prefix / "bin" / "ttprof", "zones", "out", "--csv", "-", "-f", "f"], folder).stdout.decode()
    t.ok(done.code == 0 and "script.py:2" in zones, "python3 -m tracy records with what is installed", (done, zones))
    (folder / "ops.py").write_text("import ttnn\nwith ttnn.open_device() as d:\n    print(ttnn.relu(ttnn.ones((1, 2), device=d)).to_list())\n")
    done = tap.run(["python3", "-m", "tracy", "--no-device", "-o", "ops", "ops.py"], folder, PYTHONPATH=str(package.parents[1]), PATH="/usr/bin:/bin")
    t.ok(done.code == 0 and done.stdout == b"[[1.0, 1.0]]\n", "and runs ops on the software device", done)
    done = tap.run([prefix / "bin" / "ttprof", "run", "--no-device", "-o", "bare", "python3", "-c", "def g(): pass\ng()"], folder)
    zones = tap.run([prefix / "bin" / "ttprof", "zones", "bare", "--csv", "-"], folder).stdout.decode()
    t.ok(done.code == 0 and ",g,<string>:1," in zones, "and so does ttprof run", (done, zones))


def test(t):
    if not shutil.which("meson") or not shutil.which("pkg-config"):
        t.skip("an installed product", "no meson or no pkg-config")
        return
    prefix = install(t)
    check_headers(t, prefix)
    check_examples(t, prefix)
    check_readme(t, prefix)
    check_python(t, prefix)


tap.main(test)
