"""The op profiler of 2023 (`ttl.profiler`): every op leaves files in `<profiler folder>/.logs/<location>`.

`ttprof ops` reads them, and docs/runtime.md says what is in them.
"""
import contextlib
import enum

from ._runtime import functions as c, text


class OpType(enum.Enum):
    python_fallback = "python_fallback"
    tt_dnn_cpu = "tt_dnn_cpu"
    tt_dnn_device = "tt_dnn_device"
    custom_zone = "custom_zone"
    unknown = "unknown"


def get_profiler_flag():
    """Whether ops can be profiled: always."""
    return c.ttrt_get_profiler_flag()


def set_profiler_location(folder):
    """Later ops go there; an existing folder is deleted first, the same one again continues. None: no more files."""
    c.ttrt_set_profiler_location(None if folder is None else text(folder))


def start_profiling(op_name, op_type=OpType.custom_zone):
    """An op of the program begins."""
    c.ttrt_start_profiling(text(op_name), text(OpType(op_type).value))


def stop_profiling(name):
    """The innermost op ends; the name must be its name."""
    if c.ttrt_stop_profiling(text(name)) < 0:
        raise AssertionError(f"Something is wrong, op name mismatch: {name!r} is not the innermost op")


@contextlib.contextmanager
def profiling(op_name, op_type=OpType.custom_zone):
    """Both, around a block."""
    start_profiling(op_name, op_type)
    try:
        yield
    finally:
        stop_profiling(op_name)


def append_meta_data(meta_data):
    """A text in ATTRIBUTES of the innermost op."""
    if c.ttrt_append_meta_data(text(meta_data)) < 0:
        raise AssertionError("no op is open: start_profiling comes first")


def _handle(tensor):
    buffer = tensor._on_device()
    buffer.device._check_owner()
    return buffer.handle


def append_input_data(tensor):
    c.ttrt_append_input_data(_handle(tensor))


def append_output_data(tensor):
    c.ttrt_append_output_data(_handle(tensor))


def set_preferred_name(name):
    """Appended to the name of the innermost op."""
    c.ttrt_set_preferred_name(text(name))
