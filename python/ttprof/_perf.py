"""What the profiler has measured so far: programs with their durations, and histograms of kernels."""
import collections
import ctypes

from ._device import open_devices
from ._errors import DeviceError
from ._runtime import NONE, DurationSummary, ProgramPerf, functions as c

ProgramExecutionUID = collections.namedtuple("ProgramExecutionUID", "runtime_id trace_id trace_id_counter")
ProgramSingleAnalysisResult = collections.namedtuple("ProgramSingleAnalysisResult", "start_timestamp end_timestamp duration")
ProgramAnalysisData = collections.namedtuple(
    "ProgramAnalysisData", "program_execution_uid program_analyses_results core_count num_available_cores")
KernelDurationSummary = collections.namedtuple(
    "KernelDurationSummary", "count min_ns max_ns avg_ns histogram")
KernelDurationHistogram = collections.namedtuple(
    "KernelDurationHistogram", "min_ns max_ns num_buckets bucket_edges_ns bucket_counts underflow overflow")


_NOT_MEASURED = (1 << 64) - 1


def _profilers():
    """Profilers that have such data: (device, profiler). They need three variables, see the package's page."""
    for device in open_devices():
        profiler = device.call(c.ttrt_profiler) if device._has_perf else None
        if profiler:
            yield device, profiler


def _checked(code, profiler):
    if code < 0:
        raise DeviceError((c.ttprof_profiler_error(profiler) or b"").decode("utf-8", "replace"))


def _number(value):
    return None if value == NONE else value


def _program(p):
    results = {}
    for i in range(p.n_analyses):
        a = p.analyses[i]
        if a.start == _NOT_MEASURED:
            continue
        results[a.name.decode()] = ProgramSingleAnalysisResult(a.start, a.end, a.duration_ns)
    uid = ProgramExecutionUID(p.runtime_id, _number(p.trace_id), _number(p.trace_counter))
    return ProgramAnalysisData(uid, results, p.n_cores, p.n_available_cores)


def _programs(function):
    found = {}
    for device, profiler in _profilers():
        for chip, number in enumerate(device.get_device_ids()):
            out, n = ctypes.POINTER(ProgramPerf)(), ctypes.c_size_t()
            _checked(function(profiler, chip, ctypes.byref(out), ctypes.byref(n)), profiler)
            found[number] = [_program(out[i]) for i in range(n.value)]
    return found


def get_latest_programs_perf_data():
    """Programs of the last read of the profiler: chip -> list."""
    return _programs(c.ttprof_latest_programs_perf_data)


def get_all_programs_perf_data():
    """Programs of all reads: chip -> list."""
    return _programs(c.ttprof_all_programs_perf_data)


def _summary(s):
    edges = [s.bucket_start + i * s.bucket_width for i in range(s.n_buckets + 1)] if s.n_buckets else []
    histogram = KernelDurationHistogram(edges[0] if edges else 0, edges[-1] if edges else 0, s.n_buckets, edges,
                                        [s.buckets[i] for i in range(s.n_buckets)], s.underflow, s.overflow)
    return KernelDurationSummary(s.count, s.min_ns, s.max_ns, s.avg_ns, histogram)


def _summaries(is_latest, least, most, n_buckets):
    found = {}
    for device, profiler in _profilers():
        for chip, number in enumerate(device.get_device_ids()):
            out = DurationSummary()
            _checked(c.ttprof_kernel_duration_summary(profiler, chip, is_latest, least, most, n_buckets, ctypes.byref(out)), profiler)
            if out.count:
                found[number] = _summary(out)
    return found


def get_latest_kernel_duration_summary(min_ns=0, max_ns=0, num_buckets=10):
    """Durations of the kernels of the last read: chip -> summary. min_ns, max_ns 0: those of the values."""
    return _summaries(True, min_ns, max_ns, num_buckets)


def get_all_kernel_duration_summary(min_ns=0, max_ns=0, num_buckets=10):
    """Durations of the kernels of all reads: chip -> summary."""
    return _summaries(False, min_ns, max_ns, num_buckets)
