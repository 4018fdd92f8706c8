"""Tensors: data types, layouts, memory, and the way of values from the host to the chips and back."""
import ctypes
import enum
import random

from . import _values
from ._errors import DeviceError
from ._runtime import CHIPS, Memory, Spec, functions as c, text


class DataType(enum.IntEnum):
    BFLOAT16 = 0
    FLOAT32 = 1
    BFLOAT8_B = 2
    UINT32 = 3


class Layout(enum.IntEnum):
    TILE = 0
    ROW_MAJOR = 1


class BufferType(enum.IntEnum):
    DRAM = 0
    L1 = 1


class TensorMemoryLayout(enum.IntEnum):
    INTERLEAVED = 0
    HEIGHT_SHARDED = 1
    WIDTH_SHARDED = 2
    BLOCK_SHARDED = 3


class CoreGrid:
    """A rectangle of cores: CoreGrid(y=4, x=8)."""

    def __init__(self, *, y, x):
        self.y, self.x = y, x

    def __eq__(self, other):
        return isinstance(other, CoreGrid) and (self.y, self.x) == (other.y, other.x)

    def __hash__(self):
        return hash((self.y, self.x))

    def __repr__(self):
        return f"CoreGrid(y={self.y}, x={self.x})"


class MemoryConfig:
    """Where the pages of a tensor are. `core_grid`: the cores that hold shards, in L1."""

    def __init__(self, memory_layout=TensorMemoryLayout.INTERLEAVED, buffer_type=BufferType.DRAM, core_grid=None):
        self.memory_layout, self.buffer_type, self.core_grid = TensorMemoryLayout(memory_layout), BufferType(buffer_type), core_grid

    def _memory(self):
        grid = self.core_grid
        return Memory(int(self.buffer_type), int(self.memory_layout), grid.x if grid else 0, grid.y if grid else 0)

    def is_sharded(self):
        return self.memory_layout != TensorMemoryLayout.INTERLEAVED

    def __eq__(self, other):
        return isinstance(other, MemoryConfig) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        cores = f", core_grid={self.core_grid}" if self.core_grid else ""
        return f"MemoryConfig(memory_layout={self.memory_layout.name}, buffer_type={self.buffer_type.name}{cores})"


DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)


class Shape(tuple):
    """The logical shape."""

    @property
    def rank(self):
        return len(self)

    def __repr__(self):
        return f"Shape({list(self)})"


class _Buffer:
    """A tensor of the runtime. Its memory is free some time after the last reference is gone."""

    def __init__(self, device, handle):
        self.device, self.handle = device, handle
        device.hold(self)

    def __del__(self):
        try:  # on any thread, and perhaps when the interpreter is half gone: only note it
            if self.device._mesh:
                self.device._dead.append(self.handle)
        except (AttributeError, TypeError):
            pass


class Tensor:
    """Values on the host, or on the chips of a device: the same form on each chip."""

    def __init__(self, shape, dtype, layout, *, buffer=None, hosts=None, memory_config=DRAM_MEMORY_CONFIG):
        self._shape, self._dtype, self._layout = Shape(shape), DataType(dtype), Layout(layout)
        self._buffer, self._hosts, self._memory_config = buffer, hosts, memory_config

    # --- about it --------------------------------------------------------------------------
    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    layout = property(lambda self: self._layout)

    def get_dtype(self):
        return self._dtype

    def get_layout(self):
        return self._layout

    def memory_config(self):
        return self._memory_config

    def device(self):
        """The device; None: on the host."""
        return self._buffer.device if self._buffer else None

    def is_allocated(self):
        return bool(self._hosts or (self._buffer and self._buffer.device.is_open))

    def volume(self):
        return _values.volume(self._shape)

    def __len__(self):
        if not self._shape:
            raise TypeError("a tensor without dimensions has no length")
        return self._shape[0]

    def __repr__(self):
        place = f"on {self._buffer.device}" if self._buffer else "on the host" if self._hosts else "deallocated"
        return f"<Tensor {list(self._shape)} {self._dtype.name} {self._layout.name} {place}>"

    def _on_device(self):
        """Its buffer; a sentence if it has none."""
        if self._buffer:
            return self._buffer
        raise DeviceError(f"{self!r} is not on a device" + ("; use to_device" if self._hosts else ""))

    # --- values ----------------------------------------------------------------------------
    def _read(self, chip):
        kind = "I" if self._dtype == DataType.UINT32 else "f"
        if self._hosts:
            return self._hosts[chip if len(self._hosts) > 1 else 0][:]
        buffer = self._on_device()
        values = _values.blank(kind, self.volume())
        function = c.ttrt_ids_to_host if kind == "I" else c.ttrt_to_host
        buffer.device.run(function, chip, buffer.handle, _values.pointer(values))
        return values

    def _n_chips(self):
        return self._buffer.device.get_num_devices() if self._buffer else len(self._hosts or [0])

    def values(self, chip=None):
        """Flat array of the values in row-major order. A mesh of several chips needs the chip's number."""
        if chip is None and self._n_chips() > 1:
            raise ValueError(f"{self._n_chips()} chips have values of this tensor: give chip=, or mesh_composer=ConcatMeshToTensor(...)")
        return self._read(chip or 0)

    def to_list(self, chip=None):
        return _values.nested(self.values(chip), self._shape)

    def to_buffer(self, chip=None):
        """A memoryview with the tensor's shape."""
        view = memoryview(self.values(chip)).cast("B")
        kind = "I" if self._dtype == DataType.UINT32 else "f"
        return view.cast(kind, list(self._shape)) if self._shape else view.cast(kind)

    def item(self):
        if self.volume() != 1:
            raise ValueError(f"{self!r} has {self.volume()} values, not one")
        return self.values()[0]

    def to_numpy(self, chip=None):
        try:
            import numpy
        except ImportError:
            raise ImportError("to_numpy needs numpy, which is not installed; to_list and to_buffer do without") from None
        return numpy.array(self.to_buffer(chip)).reshape(self._shape)

    numpy = to_numpy

    def to_torch(self, chip=None):
        try:
            import torch
        except ImportError:
            raise ImportError("to_torch needs torch, which is not installed; to_numpy, to_list and to_buffer do without") from None
        return torch.tensor(self.to_list(chip))

    def cpu(self, blocking=True, cq_id=None):
        """A copy on the host. Not blocking: the values are there after an event on that queue, or synchronize_device."""
        buffer = self._on_device()
        device = buffer.device
        n = device.get_num_devices()
        if blocking and cq_id in (None, 0):
            hosts = [self._read(chip) for chip in range(n)]
        elif self._dtype == DataType.UINT32:
            raise DeviceError("a queue moves real numbers only; read UINT32 with blocking=True")
        else:
            queue = cq_id or 0
            hosts = [_values.blank("f", self.volume()) for _ in range(n)]
            for chip, values in enumerate(hosts):
                device.run(c.ttrt_read, queue, chip, buffer.handle, _values.pointer(values))
                device._pending.append((queue, device._n_events[queue], values))
            if blocking:
                synchronize_device(device)
        return Tensor(self._shape, self._dtype, self._layout, hosts=hosts)

    def to(self, *arguments, **named):
        """to(device) or to(layout)."""
        if arguments and isinstance(arguments[0], Layout):
            return to_layout(self, *arguments, **named)
        return to_device(self, *arguments, **named)

    def deallocate(self, force=True):
        """Gives its memory back. A trace that uses it keeps it until it is released."""
        del force
        self._buffer = self._hosts = None


def synchronize_device(device, cq_id=None, sub_device_ids=None):
    """Waits until all chips have done what was asked of them."""
    del cq_id, sub_device_ids
    device.run(c.ttrt_synchronise)
    device._pending.clear()


# --- from the host -----------------------------------------------------------------------
def _four(shape):
    """The shape as the runtime has it."""
    if len(shape) > 4:
        raise ValueError(f"a tensor has at most 4 dimensions, not {len(shape)}")
    return (1,) * (4 - len(shape)) + tuple(shape)


def _spec(shape, dtype, layout, memory_config):
    return Spec((ctypes.c_uint32 * 4)(*_four(shape)), int(dtype), int(layout), (memory_config or DRAM_MEMORY_CONFIG)._memory())


def of_handle(device, handle, shape):
    """A tensor that the runtime has made."""
    spec = c.ttrt_spec_of(handle)
    memory = spec.memory
    grid = CoreGrid(y=memory.shard_y, x=memory.shard_x) if memory.layout else None
    config = MemoryConfig(TensorMemoryLayout(memory.layout), BufferType(memory.buffer), grid)
    return Tensor(shape, DataType(spec.dtype), Layout(spec.layout), buffer=_Buffer(device, handle), memory_config=config)


def _place(hosts, shape, dtype, layout, device, memory_config, name):
    """Puts values onto the chips: the same for all, or a list with one per chip."""
    spec = _spec(shape, dtype, layout, memory_config)
    if _values.volume(shape) == 0:
        raise ValueError(f"a tensor of shape {list(shape)} has no values")
    n = device.get_num_devices()
    if len(hosts) not in (1, n):
        raise ValueError(f"values for {len(hosts)} chips, but the device has {n}")
    if dtype == DataType.UINT32 and layout == Layout.ROW_MAJOR and len(hosts) == 1:
        return of_handle(device, device.run(c.ttrt_ids_from_host, _values.pointer(hosts[0]), spec, text(name)), shape)
    if dtype == DataType.UINT32 and not all(map(_values.are_exact, hosts)):
        raise ValueError("UINT32 values above 2**24 can be in a ROW_MAJOR tensor only, with the same values on all chips")
    hosts = [_values.floats(values) for values in hosts]
    kind = ctypes.POINTER(ctypes.c_float)
    each = (kind * CHIPS)(*(_values.pointer(hosts[chip if len(hosts) > 1 else 0]) for chip in range(n)))
    return of_handle(device, device.run(c.ttrt_from_host_each, each, spec, text(name)), shape)


def _default_layout(dtype):
    return Layout.ROW_MAJOR if dtype == DataType.UINT32 else Layout.TILE


def from_values(source, dtype=None, layout=None, device=None, memory_config=None, mesh_mapper=None, name="tensor", **ignored):
    """A tensor from nested lists, numbers, or whatever has the buffer protocol or numpy().

    Real numbers become BFLOAT16 and whole ones UINT32 unless `dtype` says otherwise; floats of 32 and more bits in a
    buffer become FLOAT32. Tiles unless UINT32 or `layout` says otherwise. Without a device it stays on the host.
    """
    for word in ignored:
        if word not in ("spec", "tile", "pad_value", "cq_id"):
            raise TypeError(f"unexpected keyword argument {word!r}")
    is_array = not isinstance(source, (list, tuple, int, float))
    shape, values, is_real = _values.flat(source)
    if dtype is None:
        dtype = (DataType.FLOAT32 if is_array else DataType.BFLOAT16) if is_real else DataType.UINT32
    dtype = DataType(dtype)
    layout = _default_layout(dtype) if layout is None else Layout(layout)
    values = _values.words(values) if dtype == DataType.UINT32 else _values.floats(values)
    hosts = [values]
    if mesh_mapper is not None:
        shape, hosts = mesh_mapper.split(shape, values)
    if device is None:
        return Tensor(shape, dtype, layout, hosts=hosts, memory_config=memory_config or DRAM_MEMORY_CONFIG)
    return _place(hosts, shape, dtype, layout, device, memory_config, name)


def to_device(tensor, device, *, memory_config=None, cq_id=None):
    """The tensor with these values on the chips."""
    del cq_id
    if tensor._hosts is None:
        raise DeviceError(f"{tensor!r} is not on the host")
    return _place(tensor._hosts, tensor.shape, tensor.dtype, tensor.layout, device, memory_config or tensor.memory_config(), "tensor")


def to_layout(tensor, layout, **_):
    """A tensor of the host in another layout."""
    if tensor._hosts is None and Layout(layout) != tensor.layout:
        raise DeviceError("layouts change on the host: from_device, to_layout, to_device")
    return tensor if Layout(layout) == tensor.layout else Tensor(tensor.shape, tensor.dtype, layout, hosts=tensor._hosts)


def full(shape, fill_value, dtype=DataType.BFLOAT16, layout=None, device=None, memory_config=None):
    dtype = DataType(dtype)
    n = _values.volume(shape)
    values = _values.words([fill_value]) if dtype == DataType.UINT32 else _values.floats([fill_value])
    layout = _default_layout(dtype) if layout is None else Layout(layout)
    if device is None:
        return Tensor(shape, dtype, layout, hosts=[values * n])
    return _place([values * n], tuple(shape), dtype, layout, device, memory_config, "full")


def zeros(shape, dtype=DataType.BFLOAT16, layout=None, device=None, memory_config=None):
    return full(shape, 0, dtype, layout, device, memory_config)


def ones(shape, dtype=DataType.BFLOAT16, layout=None, device=None, memory_config=None):
    return full(shape, 1, dtype, layout, device, memory_config)


def rand(shape, device=None, dtype=DataType.BFLOAT16, layout=None, memory_config=None, low=0.0, high=1.0, seed=0):
    """Uniform random values; the same for the same seed, unless it is None."""
    numbers = random.Random(seed)
    n = _values.volume(shape)
    is_whole = DataType(dtype) == DataType.UINT32
    values = [numbers.randrange(int(low), max(int(high), int(low) + 1)) if is_whole else numbers.uniform(low, high) for _ in range(n)]
    layout = _default_layout(dtype) if layout is None else Layout(layout)
    values = _values.words(values) if is_whole else _values.floats(values)
    if device is None:
        return Tensor(shape, dtype, layout, hosts=[values])
    return _place([values], tuple(shape), DataType(dtype), layout, device, memory_config, "rand")


def empty(shape, dtype=DataType.BFLOAT16, layout=None, device=None, memory_config=None):
    """A tensor whose values are not set."""
    dtype = DataType(dtype)
    spec = _spec(shape, dtype, _default_layout(dtype) if layout is None else layout, memory_config)
    return of_handle(device, device.run(c.ttrt_empty, spec, b"empty"), shape)


# --- meshes ------------------------------------------------------------------------------
class ReplicateTensorToMesh:
    """All chips get the same values."""

    def __init__(self, mesh_device):
        self.mesh_device = mesh_device

    def split(self, shape, values):
        return shape, [values]


class ShardTensorToMesh:
    """Each chip gets a part along `dim`."""

    def __init__(self, mesh_device, dim):
        self.mesh_device, self.dim = mesh_device, dim

    def split(self, shape, values):
        n = self.mesh_device.get_num_devices()
        dim = range(len(shape))[self.dim]
        if shape[dim] % n:
            raise ValueError(f"{shape[dim]} along dimension {self.dim} cannot be divided among {n} chips")
        part = (*shape[:dim], shape[dim] // n, *shape[dim + 1:])
        run = _values.volume(part[dim:])  # values in a row of one chip
        hosts = [values[:0] for _ in range(n)]
        for at in range(0, len(values), run):
            hosts[at // run % n].extend(values[at:at + run])
        return part, hosts


class ConcatMeshToTensor:
    """Puts the parts of all chips together along `dim`."""

    def __init__(self, mesh_device, dim):
        self.mesh_device, self.dim = mesh_device, dim

    def join(self, tensor):
        n = tensor._n_chips()
        parts = [tensor._read(chip) for chip in range(n)]
        shape = tensor.shape
        dim = range(len(shape))[self.dim]
        run = _values.volume(shape[dim:])
        values = parts[0][:0]
        for at in range(0, len(parts[0]), run):
            for part in parts:
                values.extend(part[at:at + run])
        return Tensor((*shape[:dim], shape[dim] * n, *shape[dim + 1:]), tensor.dtype, tensor.layout, hosts=[values])


def _joined(tensor, mesh_composer):
    return mesh_composer.join(tensor) if mesh_composer is not None else tensor


def to_list(tensor, *, mesh_composer=None, chip=None):
    return _joined(tensor, mesh_composer).to_list(chip)


def to_buffer(tensor, *, mesh_composer=None, chip=None):
    return _joined(tensor, mesh_composer).to_buffer(chip)


def to_numpy(tensor, *, mesh_composer=None, chip=None):
    return _joined(tensor, mesh_composer).to_numpy(chip)


def to_torch(tensor, *, mesh_composer=None, chip=None, **_):
    return _joined(tensor, mesh_composer).to_torch(chip)


# --- queues ------------------------------------------------------------------------------
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
