"""Values of the host: from buffers, arrays, nested lists and numbers to one flat array, and back.

Anything with the buffer protocol is read through it: array.array, bytes, memoryview, numpy arrays. Arrays of torch give
theirs with numpy(). Neither package is needed.
"""
import array
import ctypes
import math
import struct
import sys

_INTEGERS = "bBhHiIlLqQnN"
_MOST_EXACT = 1 << 24  # whole numbers below it are the same as float


def _from_torch(source):
    """A tensor of torch as something with a buffer, or as lists."""
    source = source.detach().cpu()
    if "bfloat16" in str(source.dtype):
        source = source.float()
    try:
        return source.numpy()
    except (RuntimeError, TypeError):
        return source.tolist()


def _from_buffer(view):
    """Flat values of a buffer in row-major order, whatever its strides."""
    order, kind = "@", view.format
    if kind[:1] in "@=<>!":
        order, kind = kind[0], kind[1:]
    if kind not in set(_INTEGERS + "fde?"):
        raise TypeError(f"a buffer of format {view.format!r} has no numbers; floats, doubles, halves and integers can be read")
    data = view.tobytes()
    if kind in "e?nN" or (order in "=<>!" and struct.calcsize(order + kind) != struct.calcsize("@" + kind)):
        return struct.unpack(f"{order}{len(data) // struct.calcsize(order + kind)}{kind}", data), kind in "e"
    values = array.array(kind)
    values.frombytes(data)
    if order in ">!" and sys.byteorder == "little":
        values.byteswap()
    return values, kind in "fd"


def _shape_of(source):
    """The shape of nested lists."""
    shape = []
    while isinstance(source, (list, tuple)):
        shape.append(len(source))
        if not source:
            break
        source = source[0]
    return tuple(shape)


def _flatten(source, shape, values, place=""):
    if not shape:
        if isinstance(source, (list, tuple)):
            raise ValueError(f"nested lists of different depths: a list at [{place}]")
        if isinstance(source, (str, bytes)) or not (hasattr(source, "__float__") or hasattr(source, "__index__")):
            raise TypeError(f"{type(source).__name__} at [{place}] is no number")
        values.append(source)
        return
    if not isinstance(source, (list, tuple)) or len(source) != shape[0]:
        found = len(source) if isinstance(source, (list, tuple)) else f"one {type(source).__name__}"
        raise ValueError(f"nested lists of different lengths: {found} at [{place}], {shape[0]} before")
    for i, part in enumerate(source):
        _flatten(part, shape[1:], values, f"{place}, {i}" if place else str(i))


def flat(source):
    """(shape, values, whether they are real numbers) of whatever holds values."""
    if hasattr(source, "detach") and hasattr(source, "tolist"):
        source = _from_torch(source)
    if isinstance(source, range):
        source = list(source)
    if not isinstance(source, (list, tuple)):
        try:
            view = memoryview(source)
        except TypeError:
            view = None
        if view is not None:
            values, is_real = _from_buffer(view)
            return tuple(view.shape), values, is_real
        if hasattr(source, "tolist"):  # a scalar of numpy, an array of another package
            source = source.tolist()
    shape, values = _shape_of(source), []
    if 0 in shape:
        return shape, values, True
    _flatten(source, shape, values)
    return shape, values, not all(isinstance(v, int) or (hasattr(v, "__index__") and not hasattr(v, "is_integer")) for v in values)


def floats(values):
    """As the runtime takes them."""
    return values if isinstance(values, array.array) and values.typecode == "f" else array.array("f", values)


def words(values):
    """As 32-bit words; what is no such number is refused."""
    out = array.array("I")
    for i, value in enumerate(values):
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(f"value {i} is {value!r}; UINT32 has whole numbers")
        if not 0 <= value < 1 << 32:
            raise ValueError(f"value {i} is {value!r}; UINT32 has 0 to {(1 << 32) - 1}")
        out.append(int(value))
    return out


def are_exact(values):
    """Whether all these words are the same as floats."""
    return not values or max(values) <= _MOST_EXACT


def pointer(values):
    """Address of an array's values for C. The array must live as long as C uses them."""
    kind = ctypes.c_float if values.typecode == "f" else ctypes.c_uint32
    return ctypes.cast((kind * len(values)).from_buffer(values), ctypes.POINTER(kind))


def blank(kind, n):
    """An array for C to write into."""
    return array.array(kind, bytes(4 * n))


def nested(values, shape):
    """Lists in lists."""
    if not shape:
        return values[0]
    values = values.tolist()
    for side in reversed(shape[1:]):
        values = [values[i:i + side] for i in range(0, len(values), side)]
    return values


def volume(shape):
    return math.prod(shape)
