#!/usr/bin/python3
"""test_wheel.py TTPROF ROOT - the wheels: made, installed into a virtual environment without a network, used, removed.

Of a static build the wheels need nothing but libc.
"""
import pathlib
import re
import sys
import venv

import tap

LIBRARIES = {"libttprof.so.0", "libttprof-runtime.so.0", "libttprof-python.so"}
OF_LIBC = re.compile(r"(libc|libm|libttprof|ld-linux-x86-64)\.so|linux-vdso")


def make(t, folder):
    done = tap.run([t.root / "tools" / "make-wheel", t.ttprof.parent, folder], t.scratch)
    t.ok(done.code == 0, "the wheels are made", done)
    return [pathlib.Path(line) for line in done.stdout.decode().splitlines()]


def files_of(folder):
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts}


def example(t):
    """The first program of the page about Python, and what the page shows of it."""
    page = (t.root / "docs" / "python.md").read_text(encoding="utf-8")
    program = re.search(r"```python\n# train\.py.*?\n(.*?)```", page, re.DOTALL)
    shown = re.search(r"```console\n(.*?)```", page, re.DOTALL)[1]
    zones = re.search(r"\$ ttprof zones out --csvexport[^\n]*\n(.*?)\$", shown, re.DOTALL)[1]
    return "# train.py\n" + program[1], zones.splitlines()


def check_same_bytes(t, wheels):
    again = make(t, t.folder("again"))
    t.ok(len(wheels) == 2 and [w.name for w in wheels] == [a.name for a in again] and all(w.read_bytes() == a.read_bytes() for w, a in zip(wheels, again)),
         "twice, they have the same bytes")


def check_needs(t, site):
    program = (site / "ttprof" / "bin" / "ttprof").read_bytes()
    if b"/lib64/ld-linux" in program[:4096]:
        t.skip("nothing but libc is needed", "not a static build")
        return
    for name in sorted(LIBRARIES):
        said = tap.run(["ldd", site / "ttprof" / "lib" / name], t.scratch).stdout.decode()
        others = [line.strip() for line in said.splitlines() if not OF_LIBC.search(line)]
        t.equal(others, [], f"{name} needs nothing but libc")


def check_example(t, python):
    folder = t.folder("example")
    program, want = example(t)
    (folder / "train.py").write_text(program)
    # As the activated environment has it: its programs come first.
    env = {"PATH": f"{python.parent}:/usr/bin:/bin", "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = tap.run([python, "-m", "tracy", "--quiet", "-o", "out", "train.py"], folder, **env)
    t.ok(done.code == 0, "the first example of the page about Python runs", done)
    shown = tap.run([python.parent / "ttprof", "zones", "out", "--csvexport"], folder, **env)
    rows = sorted(",".join(row.split(",")[i] for i in (0, 2, 5)) for row in shown.stdout.decode().splitlines() if "train.py" in row)
    t.equal(rows, want, "and its zones are those that the page shows")
    ops = tap.run([python, "-c", "from ttprof import ttnn\nwith ttnn.open_device(device_id=0) as d:\n    print(ttnn.to_list(ttnn.relu(ttnn.from_list([[-1.0, 2.0]], device=d))))"], folder, **env)
    t.equal(ops.stdout.decode().split(), ["[[0.0,", "2.0]]"], "ops run on the software device")
    for name in "tt-perf-report", "tracy-capture", "tracy-csvexport":
        helped = tap.run([python.parent / name, "--help"], folder, **env)
        t.ok(helped.code == 0 and b"Usage" in helped.stdout, f"{name} is installed", helped)


def main(t):
    wheels = make(t, t.folder("wheels"))
    check_same_bytes(t, wheels)
    place = t.folder("environment")
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    before = files_of(place)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    done = tap.run([*pip, "install", "--no-index", *wheels], t.scratch)
    t.ok(done.code == 0, "they install into a new environment without a network", done)
    site = next(place.glob("lib/python3*/site-packages"))
    check_needs(t, site)
    check_example(t, python)
    checked = tap.run([*pip, "check"], t.scratch)
    t.ok(checked.code == 0, "their requirements are met", checked)
    gone = tap.run([*pip, "uninstall", "-y", "ttprof", "ttprof-tracy"], t.scratch)
    t.ok(gone.code == 0, "they can be removed", gone)
    t.equal(sorted(files_of(place) - before), [], "and leave nothing")


try:
    import ensurepip  # noqa: F401, pylint: disable=unused-import
except ImportError:
    print("1..0 # SKIP this Python cannot make virtual environments")
    sys.exit(0)
tap.main(main)
