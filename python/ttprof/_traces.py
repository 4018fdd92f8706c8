"""Traces: ops that are captured once and replayed without the host."""
from ._runtime import functions as c
from ._tensor import synchronize_device


def begin_trace_capture(device, cq_id=0):
    """Ops are captured from here on, and do not run. Returns the trace's number."""
    del cq_id
    trace = device.run(c.ttrt_trace_begin)
    device._held[trace] = []
    device._capturing = trace
    return trace


def end_trace_capture(device, trace_id, cq_id=0):
    del cq_id
    device.run(c.ttrt_trace_end, trace_id)
    device._capturing = None


def execute_trace(device, trace_id, cq_id=0, blocking=True):
    """Replays the trace; waits for it unless `blocking` is false."""
    del cq_id
    device.run(c.ttrt_trace_replay, trace_id)
    if blocking:
        synchronize_device(device)


def release_trace(device, trace_id):
    """The trace cannot be replayed any more; tensors that only it used are free."""
    device.run(c.ttrt_trace_release, trace_id)
    device._held.pop(trace_id, None)
