"""python3 -m tracy [OPTIONS] [-m module | scriptfile] [arg] ...

Replaces itself by `ttprof run` with the same words. Scripts and modules run in this interpreter.
"""
import os
import pathlib
import sys

from ttprof import _library


def main():
    program = _library.program()
    if not program:
        sys.exit("tracy: ttprof was not found; put it into PATH, or set TTPROF_LIBRARY to the folder of its libraries")
    # Children find the packages that this interpreter found, wherever it was started.
    os.environ["TTPROF_PACKAGES"] = str(pathlib.Path(__file__).resolve().parents[1])
    words = sys.argv[1:]
    own = ["--interpreter", sys.executable] if words and sys.executable else []
    sys.stdout.flush()
    os.execv(program, [program, "run", *own, *words])


if __name__ == "__main__":
    main()
