"""libttprof-runtime as ctypes sees it: the structures and functions of ttprof/runtime.h and ttprof/profiler.h."""
import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from . import _library

CHIPS = 32
NO_UNARY = 11  # TTRT_UNARIES
ERROR_BYTES = 256
NONE = 1 << 63  # TTPROF_NONE


class Memory(ctypes.Structure):
    """struct ttrt_memory"""
    _fields_ = [(name, c_int) for name in ("buffer", "layout", "shard_x", "shard_y")]


class Spec(ctypes.Structure):
    """struct ttrt_spec"""
    _fields_ = [("shape", c_uint32 * 4), ("dtype", c_int), ("layout", c_int), ("memory", Memory)]


class How(ctypes.Structure):
    """struct ttrt_how"""
    _fields_ = ([("fidelity", c_int), ("memory", Memory), ("dtype", c_int), ("is_typed", c_bool), ("has_memory", c_bool)]
                + [(name, c_int) for name in ("config", "grid_x", "grid_y", "in0_block_w", "out_subblock_h", "out_subblock_w",
                                              "per_core_m", "per_core_n")]
                + [("name", c_char_p)])


class Event(ctypes.Structure):
    """struct ttrt_event"""
    _fields_ = [("queue", c_int), ("number", c_uint32 * CHIPS)]


class Analysis(ctypes.Structure):
    """struct ttprof_analysis"""
    _fields_ = [("name", c_char_p), ("start", c_uint64), ("end", c_uint64), ("duration_ns", c_uint64)]


class ProgramPerf(ctypes.Structure):
    """struct ttprof_program_perf"""
    _fields_ = [("runtime_id", c_uint64), ("trace_id", c_uint64), ("trace_counter", c_uint64), ("analyses", POINTER(Analysis)),
                ("n_analyses", c_size_t), ("n_cores", c_uint32), ("n_available_cores", c_uint32)]


class DurationSummary(ctypes.Structure):
    """struct ttprof_duration_summary"""
    _fields_ = [("count", c_uint64), ("min_ns", c_uint64), ("max_ns", c_uint64), ("avg_ns", c_double), ("bucket_start", c_uint64),
                ("bucket_width", c_uint64), ("underflow", c_uint64), ("overflow", c_uint64), ("buckets", POINTER(c_uint64)),
                ("n_buckets", c_size_t)]


_M = _T = c_void_p  # a mesh, a tensor
_HOW = POINTER(How)
_TEXT = c_char_p
_PERF = (c_int, [c_void_p, c_int, POINTER(POINTER(ProgramPerf)), POINTER(c_size_t)])
WORK = ctypes.CFUNCTYPE(None, c_void_p)
_FUNCTIONS = {  # result, parameters
    "ttrt_open_chips": (_M, [_TEXT, _TEXT, _TEXT]),
    "ttrt_close": (c_int, [_M]),
    "ttrt_error": (_TEXT, [_M]),
    "ttrt_clear_error": (c_int, [_M]),
    "ttrt_use_thread": (None, [_M]),
    "ttrt_simulation_ns": (c_uint64, [_M]),
    "ttrt_n_devices": (c_int, [_M]),
    "ttrt_n_queues": (c_int, [_M]),
    "ttrt_grid": (None, [_M, POINTER(c_int), POINTER(c_int)]),
    "ttrt_use_grid": (None, [_M, c_int, c_int]),
    "ttrt_enable_program_cache": (None, [_M, c_bool]),
    "ttrt_program_cache_entries": (c_size_t, [_M]),
    "ttrt_clear_program_cache": (None, [_M]),
    "ttrt_call_site": (None, [_M, _TEXT, c_uint32, _TEXT]),
    "ttrt_empty": (_T, [_M, Spec, _TEXT]),
    "ttrt_from_host_each": (_T, [_M, POINTER(POINTER(c_float)), Spec, _TEXT]),
    "ttrt_ids_from_host": (_T, [_M, POINTER(c_uint32), Spec, _TEXT]),
    "ttrt_to_host": (None, [_M, c_int, _T, POINTER(c_float)]),
    "ttrt_ids_to_host": (None, [_M, c_int, _T, POINTER(c_uint32)]),
    "ttrt_spec_of": (Spec, [_T]),
    "ttrt_free": (None, [_M, _T]),
    "ttrt_synchronise": (None, [_M]),
    "ttrt_write": (None, [_M, c_int, _T, POINTER(c_float)]),
    "ttrt_read": (None, [_M, c_int, c_int, _T, POINTER(c_float)]),
    "ttrt_record_event": (Event, [_M, c_int]),
    "ttrt_wait_event": (None, [_M, c_int, Event]),
    "ttrt_synchronise_event": (None, [_M, Event]),
    "ttrt_trace_begin": (c_int, [_M]),
    "ttrt_trace_end": (None, [_M, c_int]),
    "ttrt_trace_replay": (None, [_M, c_int]),
    "ttrt_trace_release": (None, [_M, c_int]),
    "ttrt_linear": (_T, [_M, _T, _T, _T, c_int, _HOW]),
    "ttrt_unary": (_T, [_M, c_int, _T, _HOW]),
    "ttrt_scale": (_T, [_M, _T, c_float, c_float, _HOW]),
    "ttrt_binary": (_T, [_M, c_int, _T, _T, _HOW]),
    "ttrt_softmax": (_T, [_M, _T, c_float, _HOW]),
    "ttrt_layernorm": (_T, [_M, _T, _T, _T, c_float, _HOW]),
    "ttrt_reduce": (_T, [_M, c_int, c_int, _T, _HOW]),
    "ttrt_transpose": (_T, [_M, _T, _HOW]),
    "ttrt_embedding": (_T, [_M, _T, _T, _HOW]),
    "ttrt_split_heads": (None, [_M, _T, c_int, POINTER(_T), _HOW]),
    "ttrt_concat_heads": (_T, [_M, _T, _HOW]),
    "ttrt_all_gather": (_T, [_M, _T, c_int, _HOW]),
    "ttrt_reduce_scatter": (_T, [_M, _T, c_int, _HOW]),
    "ttrt_gelu_backward": (_T, [_M, _T, _T, _HOW]),
    "ttrt_softmax_backward": (_T, [_M, _T, _T, _HOW]),
    "ttrt_layernorm_backward": (_T, [_M, _T, _T, c_float, _HOW]),
    "ttrt_sgd": (None, [_M, _T, _T, c_float]),
    "ttrt_host_op": (None, [_M, _TEXT, c_int, WORK, c_void_p]),
    "ttrt_read_device_profiler": (None, [_M]),
    "ttrt_profiler": (c_void_p, [_M]),
    "ttrt_read_results": (None, [_M, _TEXT, c_bool, c_int]),
    "ttprof_latest_programs_perf_data": _PERF,
    "ttprof_all_programs_perf_data": _PERF,
    "ttprof_kernel_duration_summary": (c_int, [c_void_p, c_int, c_bool, c_uint64, c_uint64, c_size_t, POINTER(DurationSummary)]),
    "ttprof_profiler_error": (_TEXT, [c_void_p]),
    "ttrt_get_profiler_flag": (c_bool, []),
    "ttrt_set_profiler_location": (None, [_TEXT]),
    "ttrt_start_profiling": (None, [_TEXT, _TEXT]),
    "ttrt_stop_profiling": (c_int, [_TEXT]),
    "ttrt_append_meta_data": (c_int, [_TEXT]),
    "ttrt_append_input_data": (None, [_T]),
    "ttrt_append_output_data": (None, [_T]),
    "ttrt_set_preferred_name": (None, [_TEXT]),
}


class _Functions:
    """The functions above as attributes, looked up when they are first used."""

    def __getattr__(self, name):
        # [] makes a function of our own: others may declare the same one differently.
        function = _library.load("ttprof-runtime")[name]
        function.restype, function.argtypes = _FUNCTIONS[name]
        setattr(self, name, function)
        return function


functions = _Functions()


def text(value):
    """A text for C; what UTF-8 cannot hold is replaced."""
    return str(value).encode("utf-8", "replace").replace(b"\0", b"?")
