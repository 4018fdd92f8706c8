"""Tensors: data types, layouts, memory, and their values on the host."""
import enum

from . import _values
from ._errors import DeviceError
from ._runtime import Memory, functions as c


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

    def deallocate(self, force=True):
        """Gives its memory back. A trace that uses it keeps it until it is released."""
        del force
        self._buffer = self._hosts = None


def synchronize_device(device, cq_id=None, sub_device_ids=None):
    """Waits until all chips have done what was asked of them."""
    del cq_id, sub_device_ids
    device.run(c.ttrt_synchronise)
    device._pending.clear()


def of_handle(device, handle, shape):
    """A tensor that the runtime has made."""
    spec = c.ttrt_spec_of(handle)
    memory = spec.memory
    grid = CoreGrid(y=memory.shard_y, x=memory.shard_x) if memory.layout else None
    config = MemoryConfig(TensorMemoryLayout(memory.layout), BufferType(memory.buffer), grid)
    return Tensor(shape, DataType(spec.dtype), Layout(spec.layout), buffer=_Buffer(device, handle), memory_config=config)
