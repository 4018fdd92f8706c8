"""What a program says itself: zones, messages, frames, in the recording of the process."""
import ctypes
import threading
from ctypes import c_char_p, c_int, c_size_t, c_uint32, c_uint64

from . import _library
from ._device import call_site

_INFO = 2  # TTPROF_INFO
_MESSAGE_COLOUR = 0xF0F8FF
_stacks = threading.local()


class _Zone(ctypes.Structure):
    """ttprof_zone"""
    _fields_ = [("is_open", c_uint32)]


class _Recorder:
    """The functions of ttprof/host.h that are used here."""
    _DECLARED = {
        "ttprof_location_make": (c_uint32, [c_char_p, c_size_t] * 3 + [c_uint32, c_uint32]),
        "ttprof_zone_begin_at": (_Zone, [c_uint32]),
        "ttprof_zone_end": (None, [_Zone]),
        "ttprof_zone_name": (None, [_Zone, c_char_p, c_size_t]),
        "ttprof_zone_colour": (None, [_Zone, c_uint32]),
        "ttprof_message_put": (None, [c_char_p, c_size_t, c_int, c_uint32]),
        "ttprof_frame_put": (None, [c_char_p]),
        "ttprof_is_recording": (c_int, []),
        "ttprof_now": (c_uint64, []),
    }

    def __getattr__(self, name):
        library = _library.load("ttprof")
        if name == "gate":
            value = ctypes.POINTER(c_uint32).in_dll(library, "ttprof_gate")
        else:
            value = library[name]
            value.restype, value.argtypes = self._DECLARED[name]
        setattr(self, name, value)
        return value

    def is_on(self):
        return self.gate[0] != 0


recorder = _Recorder()


def _bytes(value):
    data = str(value).encode("utf-8", "replace")
    return data, len(data)


def _stack():
    if not hasattr(_stacks, "zones"):
        _stacks.zones = []
    return _stacks.zones


def start_tracy_zone(source, functName=None, lineNum=None, color=0, *, line_number=None, function_name=None):  # pylint: disable=invalid-name
    """Begins a zone of this thread. `line_number` is another name of `lineNum`."""
    name = functName if functName is not None else function_name
    line = lineNum if lineNum is not None else line_number
    if name is None:
        raise TypeError("start_tracy_zone() needs a file, a function and a line; the function is missing")
    if lineNum is not None and line_number is not None:
        raise TypeError("start_tracy_zone() got lineNum and line_number, which are the same")
    if line is None:
        raise TypeError("start_tracy_zone() needs a file, a function and a line; the line is missing")
    zone = _Zone(0)
    if recorder.is_on():
        location = recorder.ttprof_location_make(*_bytes(source), *_bytes(name), None, 0, int(line) & 0xFFFFFFFF, int(color) & 0xFFFFFF)
        zone = recorder.ttprof_zone_begin_at(location) if location else zone
    _stack().append(zone)


def stop_tracy_zone(name="", color=0):
    """Ends the innermost zone of this thread, with another name or colour if given. True if there was none."""
    zones = _stack()
    if not zones:
        return True
    zone = zones.pop()
    if zone.is_open:
        if name:
            recorder.ttprof_zone_name(zone, *_bytes(name))
        if color:
            recorder.ttprof_zone_colour(zone, int(color) & 0xFFFFFF)
        recorder.ttprof_zone_end(zone)
    return False


class zone:  # pylint: disable=invalid-name
    """A zone as a context: with zone("load"): ..."""

    def __init__(self, name, color=0):
        self.name, self.color = name, color

    def __enter__(self):
        file, line, _ = call_site()
        start_tracy_zone(file, self.name, line, self.color)
        return self

    def __exit__(self, *_):
        stop_tracy_zone()


def tracy_message(source, color=_MESSAGE_COLOUR):
    """A message of any length, with a colour."""
    if recorder.is_on():
        recorder.ttprof_message_put(*_bytes(source), _INFO, int(color) & 0xFFFFFF)


message = tracy_message


def tracy_frame():
    """The end of a frame."""
    recorder.ttprof_frame_put(None)
