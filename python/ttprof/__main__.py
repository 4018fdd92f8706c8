"""Runs the program `ttprof` of this package: `python3 -m ttprof`, and the commands that a wheel installs."""
import os
import sys

from ttprof import _library


def main():
    program = _library.program()
    if not program:
        sys.exit("ttprof: the program was not found; set TTPROF_LIBRARY to the folder of its libraries")
    # Its other names, such as tracy-capture, are commands of their own.
    name = os.path.basename(sys.argv[0])
    os.execv(program, ["ttprof" if name == "__main__.py" else name, *sys.argv[1:]])


if __name__ == "__main__":
    main()
