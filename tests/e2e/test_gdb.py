#!/usr/bin/python3
"""test_gdb.py TTPROF SOURCE_ROOT - what GDB shows of the types of src/base with tools/gdb/ttprof.py."""
import shutil

import tap

SHOWN = [
    ("shown.text", '"MATMUL"', "a text ends where its length says"),
    ("shown.none", '""', "a text without bytes"),
    ("shown.numbers", "VEC of 3, room for 16 = {1, 4, 9}", "a vector has its elements"),
    ("shown.names", 'map of 2 = {["BRISC-FW"] = 0, ["MATMUL"] = 1}', "a map has its keys and their ids"),
]


def test(t):
    program = t.ttprof.parent / "tests" / "programs" / "gdb_values"
    if not shutil.which("gdb"):
        for _, _, sentence in SHOWN:
            t.skip(sentence, "no gdb")
        return
    commands = ["set width 0", f"source {t.root}/tools/gdb/ttprof.py", "break stop", "run", *(f"output {name}\necho \\n" for name, _, _ in SHOWN)]
    script = t.scratch / "commands"
    script.write_text("\n".join(commands) + "\n")
    done = tap.run(["gdb", "--nx", "--batch", "-iex", "set auto-load no", "-x", script, program], t.scratch)
    if b"ptrace" in done.stderr:
        for _, _, sentence in SHOWN:
            t.skip(sentence, "processes may not be traced here")
        return
    lines = done.stdout.decode().splitlines()[-len(SHOWN):]
    for got, (_, want, sentence) in zip(lines, SHOWN):
        t.equal(got, want, sentence)
    t.equal(len(lines), len(SHOWN), "GDB answers every question")


tap.main(test)
