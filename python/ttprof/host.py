"""Zones, messages, signposts and frames of the program's own, in the recording of `ttprof run`.

Outside a run every function does nothing. Zones are those of their thread; they lie among the zones
of Python functions, and end when they are told to, in any order.
"""
import functools
import inspect
import os
import sys

from ttprof import _library

WHITE = 0xF0F8FF  # the usual colour of messages
TRACE, DEBUG, INFO, WARNING, ERROR, FATAL = range(6)  # levels of messages

_recorder = None  # libttprof; None: nothing is recorded
_agent = None  # libttprof-python: it knows which zones are open


def _declare(recorder, agent):
    from ctypes import c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32
    text = [c_char_p, c_size_t]
    for library, name, returns, takes in (
            (recorder, "ttprof_location_make", c_uint32, text * 3 + [c_uint32, c_uint32]),
            (recorder, "ttprof_message_put", None, text + [c_int, c_uint32]),
            (recorder, "ttprof_signpost_put", None, [c_char_p, c_char_p]),
            (recorder, "ttprof_thread_name_put", None, [c_char_p]),
            (recorder, "ttprof_app_info_put", None, text),
            (recorder, "ttprof_is_recording", c_int, []),
            (recorder, "ttprof_flush", None, []),
            (agent, "ttprof_python_enable", c_int, [c_int]),
            (agent, "ttprof_python_disable", None, []),
            (agent, "ttprof_python_hide", None, [c_char_p]),
            (agent, "ttprof_python_zone_begin", c_uint32, [c_uint32]),
            (agent, "ttprof_python_zone_end", c_int, [c_uint32] + text + [c_uint32]),
            (recorder, "ttprof_frame_put", None, [c_char_p]),
            (recorder, "ttprof_plot_real_put", None, [c_char_p, c_double]),
            (recorder, "ttprof_plot_int_put", None, [c_char_p, c_int64])):
        function = getattr(library, name)
        function.restype, function.argtypes = returns, takes


def _open():
    """In a run: loads the libraries."""
    global _recorder, _agent
    if not os.environ.get("TTPROF_RUN") and not os.environ.get("TTPROF_TRACY"):
        return
    try:
        agent = _library.load("ttprof-python")
        recorder = _library.load("ttprof")
        _declare(recorder, agent)
    except OSError:
        return  # of another installation, or none: `ttprof run` has told so
    if recorder.ttprof_is_recording():
        _recorder, _agent = recorder, agent
        hide(os.path.dirname(os.path.abspath(__file__)))


def hide(folder):
    """Functions in this folder are not recorded."""
    if _agent:
        _agent.ttprof_python_hide(os.fsencode(folder))


def is_recording():
    return _recorder is not None


def _bytes(text):
    return (text if isinstance(text, str) else str(text)).encode(errors="surrogateescape")


def location(file, function, name, line, color=0):
    """The number of a place in a source; equal ones have equal numbers."""
    f, g, n = _bytes(file), _bytes(function), _bytes(name)
    return _recorder.ttprof_location_make(f, len(f), g, len(g), n, len(n), line & 0xFFFFFFFF, color & 0xFFFFFF)


def zone_begin(place):
    """Begins a zone at a location; returns its number for zone_end()."""
    return _agent.ttprof_python_zone_begin(place)


def zone_end(number=0, name="", color=0):
    """Ends this zone, or the last one begun in the thread; True if there is none."""
    n = _bytes(name)
    return bool(_agent.ttprof_python_zone_end(number, n, len(n), color & 0xFFFFFF))


class zone:
    """A zone that lasts as long as the block, or each call of the function that it decorates.

    The name is optional: without it a decorated function gives its own, and a block that of the function
    that it is in.
    """

    def __init__(self, name=None, color=0):
        self.name, self.color = name, color
        self._open = []  # of with-blocks that use this object, the innermost last

    def __enter__(self):
        if _agent:
            frame = sys._getframe(1)
            code = frame.f_code
            self._open.append(zone_begin(location(code.co_filename, code.co_name, self.name or code.co_name, frame.f_lineno, self.color)))
        return self

    def __exit__(self, *_):
        if self._open:
            zone_end(self._open.pop())

    def _place(self, function):
        code = getattr(inspect.unwrap(function), "__code__", None)
        name = self.name or getattr(function, "__qualname__", "zone")
        return location(code.co_filename if code else "", getattr(function, "__name__", name), name, code.co_firstlineno if code else 0, self.color)

    def __call__(self, function):
        if not _agent:
            return function
        place = self._place(function)
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def wrapped(*arguments, **named):
                number = zone_begin(place)
                try:
                    return await function(*arguments, **named)
                finally:
                    zone_end(number)
        else:
            @functools.wraps(function)
            def wrapped(*arguments, **named):
                number = zone_begin(place)
                try:
                    return function(*arguments, **named)
                finally:
                    zone_end(number)
        return wrapped


def start_tracy_zone(source, functName, lineNum=0, color=0, *, line_number=None):
    """Begins a zone of this thread, to be ended by stop_tracy_zone()."""
    if _agent:
        zone_begin(location(source, functName, functName, lineNum if line_number is None else line_number, color))


def stop_tracy_zone(name="", color=0):
    """Ends the zone begun last in this thread; may rename or recolour it. True if none was open."""
    return zone_end(0, name, color) if _agent else True


def message(text, color=WHITE, level=INFO):
    if _recorder:
        t = _bytes(text)
        _recorder.ttprof_message_put(t, len(t), level, color & 0xFFFFFF)


def signpost(header, text=None):
    """A message that divides reports into sections, and opens and closes windows of the recording."""
    if _recorder:
        _recorder.ttprof_signpost_put(_bytes(header), _bytes(text) if text else None)


def frame(name=None):
    """The end of a frame of this set; None: the main set."""
    if _recorder:
        _recorder.ttprof_frame_put(_bytes(name) if name else None)


def plot(name, value):
    if not _recorder:
        return
    if isinstance(value, int) and -2**63 <= value < 2**63:
        _recorder.ttprof_plot_int_put(_bytes(name), value)
    else:
        _recorder.ttprof_plot_real_put(_bytes(name), float(value))


def thread_name(name):
    if _recorder:
        _recorder.ttprof_thread_name_put(_bytes(name))


def app_info(text):
    if _recorder:
        t = _bytes(text)
        _recorder.ttprof_app_info_put(t, len(t))


def enable(with_lines=False):
    """Records the functions of this thread until disable(). False: they cannot be recorded now."""
    return bool(_agent) and _agent.ttprof_python_enable(with_lines) == 0


def disable():
    if _agent:
        _agent.ttprof_python_disable()


_open()
