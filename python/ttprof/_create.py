"""The way of values from the host to the chips and back: tensors from whatever holds values, and parts for each chip of a mesh."""
import ctypes
import random

from . import _values
from ._errors import DeviceError
from ._runtime import CHIPS, Spec, functions as c, text
from ._tensor import DRAM_MEMORY_CONFIG, DataType, Layout, Tensor, of_handle


def _four(shape):
    """The shape as the runtime has it."""
    if len(shape) > 4:
        raise ValueError(f"a tensor has at most 4 dimensions, not {len(shape)}")
    return (1,) * (4 - len(shape)) + tuple(shape)


def _spec(shape, dtype, layout, memory_config):
    return Spec((ctypes.c_uint32 * 4)(*_four(shape)), int(dtype), int(layout), (memory_config or DRAM_MEMORY_CONFIG)._memory())


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


def _to(tensor, *arguments, **named):
    """to(device) or to(layout)."""
    if arguments and isinstance(arguments[0], Layout):
        return to_layout(tensor, *arguments, **named)
    return to_device(tensor, *arguments, **named)


Tensor.to = _to
