#!/usr/bin/python3
"""progress.py - runs a long command and reports its progress: tools/progress.py NAME COMMAND...

On a terminal ninja's own status line does that. Elsewhere, as in a log of CI, the lines of single
steps are left out and one line comes every few seconds; everything else that is printed passes.
"""
import os
import re
import selectors
import subprocess
import sys
import time

BEAT_SECONDS = 20
STEP = re.compile(r"\[(\d+)/(\d+)\] ")  # ninja's
NOISE = re.compile(r"ninja: (Entering directory|no work to do)")


def lines_of(pipe, beat):
    """Lines of a pipe as they arrive; calls beat() after some seconds without one."""
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ)
    rest = b""
    while True:
        if not selector.select(BEAT_SECONDS):
            beat()
            continue
        data = os.read(pipe.fileno(), 1 << 16)
        *whole, rest = (rest + data).split(b"\n")
        yield from (line.decode(errors="replace") for line in whole)
        if not data:
            if rest:
                yield rest.decode(errors="replace")
            return


class Follower:
    """Runs a command; prints a progress line after BEAT_SECONDS without output."""

    def __init__(self, name):
        self.name, self.state = name, ""
        self.started = self.spoken = time.monotonic()

    def say(self):
        self.spoken = time.monotonic()
        print(f"  ... {self.name}{self.state}, {self.spoken - self.started:.0f} s", flush=True)

    def run(self, command, hear, **more):
        """Exit code. hear(line) gets every line but ninja's steps; it returns True if it printed one."""
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        for line in lines_of(child.stdout, self.say):
            if step := STEP.match(line):
                self.state = f": step {step[1]} of {step[2]}"
            elif not NOISE.match(line) and hear(line):
                self.spoken = time.monotonic()
            if time.monotonic() - self.spoken >= BEAT_SECONDS:
                self.say()
        return child.wait()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    name, *command = sys.argv[1:]
    if sys.stdout.isatty():
        os.execvp(command[0], command)
    print(f"{name} ...", flush=True)
    return Follower(name).run(command, lambda line: (print(line, flush=True), True)[1])


if __name__ == "__main__":
    sys.exit(main())
