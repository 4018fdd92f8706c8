"""Transfers by way of a command queue, and events that order the queues."""
from . import _values
from ._errors import DeviceError
from ._runtime import functions as c
from ._tensor import DataType


def copy_host_to_device_tensor(host, tensor, cq_id=0):
    """Puts values of the host into a tensor of a device by way of a queue. Returns at once."""
    if host._hosts is None or len(host._hosts) > 1:
        raise DeviceError(f"{host!r} has no values of the host that are the same for all chips")
    if tuple(host.shape) != tuple(tensor.shape):
        raise ValueError(f"values of shape {list(host.shape)} for a tensor of shape {list(tensor.shape)}")
    if host.dtype == DataType.UINT32 and not _values.are_exact(host._hosts[0]):
        raise ValueError("UINT32 values above 2**24 cannot be moved by way of a queue")
    buffer = tensor._on_device()
    values = _values.floats(host._hosts[0])
    buffer.device.run(c.ttrt_write, cq_id or 0, buffer.handle, _values.pointer(values))


class Event:
    """Something that happens on a queue when everything before it is done."""

    def __init__(self, device, queue):
        self.device, self.queue = device, queue
        self._event = device.run(c.ttrt_record_event, queue)
        device._n_events[queue] += 1
        self._number = device._n_events[queue]


def record_event(device, cq_id=0):
    return Event(device, cq_id or 0)


def wait_for_event(cq_id, event):
    """What is asked of the queue from here on waits for the event."""
    event.device.run(c.ttrt_wait_event, cq_id or 0, event._event)


def event_synchronize(event):
    """The host waits for the event."""
    device = event.device
    device.run(c.ttrt_synchronise_event, event._event)
    device._pending = [p for p in device._pending if p[0] != event.queue or p[1] >= event._number]
