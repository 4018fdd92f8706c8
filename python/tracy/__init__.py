"""tracy - marks sections of a Python program and chooses what is recorded.

    python3 -m tracy -p -r script.py

records a run, like `ttprof run`. Outside a run everything here does nothing.
"""
import logging as _logging
import os as _os

from ttprof import host as _host
from ttprof.host import frame, is_recording, message, plot, start_tracy_zone, stop_tracy_zone, zone

__all__ = ["Profiler", "frame", "is_recording", "message", "plot", "signpost", "start_tracy_zone", "stop_tracy_zone",
           "tracy_frame", "tracy_message", "zone"]

_host.hide(_os.path.dirname(_os.path.abspath(__file__)))
_log = _logging.getLogger("tracy")


def signpost(header, message=None):
    """A mark in the recording and in the ops report, with a message if it is given."""
    _host.signpost(header, message)
    _log.info("%s : %s ", header, message) if message else _log.info("%s", header)


def tracy_message(source, color=_host.WHITE):
    message(source, color)


def tracy_frame():
    frame()


class Profiler:
    """Records the functions that its thread calls between enable() and disable().

    It has an effect in a partial run (-p): without -p the whole program is recorded. With -l it records
    lines, too. A profile function of the program's own goes first, and so does a trace function, such as that
    of a debugger or of coverage, for the lines.
    """

    def __init__(self):
        modes = _os.environ.get("TTPROF_PYTHON", "").split(",")
        self._is_active, self._has_lines = "partial" in modes, "lines" in modes
        self._is_on = False

    def enable(self):
        if self._is_active and not self._is_on:
            self._is_on = _host.enable(self._has_lines)

    def disable(self):
        if self._is_on:
            self._is_on = False
            _host.disable()

    def __enter__(self):
        self.enable()
        return self

    def __exit__(self, *_):
        self.disable()
