"""The op library. Each op runs on every chip of its tensors' device and leaves a record with the line that called it."""
import ctypes
import enum

from . import _values
from ._errors import DeviceError
from ._runtime import NO_UNARY, WORK, How, functions as c, text
from ._tensor import Tensor, of_handle

_UNARIES = {name: number for number, name in enumerate(
    ("relu", "abs", "neg", "square", "sqrt", "reciprocal", "exp", "gelu", "tanh", "sigmoid", "rsqrt"))}
_ADD, _SUB, _MUL = range(3)
_SUM, _MEAN, _MAX = range(3)
_Y, _X = 2, 3


class MathFidelity(enum.IntEnum):
    LoFi = 1
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4


class ComputeKernelConfig:
    """How exactly the matrix engine computes. The other settings of hardware are accepted and have no effect."""

    def __init__(self, math_fidelity=MathFidelity.HiFi4, **_):
        self.math_fidelity = MathFidelity(math_fidelity)


class MatmulProgramConfig:
    """Blocks of a matmul; what is not given is chosen by the op."""
    config = 0

    def __init__(self, *, compute_with_storage_grid_size=None, in0_block_w=0, out_subblock_h=0, out_subblock_w=0, per_core_M=0,
                 per_core_N=0, **_):
        self.grid = compute_with_storage_grid_size
        self.in0_block_w, self.out_subblock_h, self.out_subblock_w = in0_block_w, out_subblock_h, out_subblock_w
        self.per_core_m, self.per_core_n = per_core_M, per_core_N


class MatmulMultiCoreReuseProgramConfig(MatmulProgramConfig):
    """Each core reads its own operands."""
    config = 1


class MatmulMultiCoreReuseMultiCastProgramConfig(MatmulProgramConfig):
    """Operands are read once and multicast along rows and columns of cores."""
    config = 2


def _how(memory_config=None, dtype=None, compute_kernel_config=None, program_config=None, core_grid=None):
    """The options of an op as the runtime takes them."""
    how = How()
    if memory_config is not None:
        how.memory, how.has_memory = memory_config._memory(), True
    if dtype is not None:
        how.dtype, how.is_typed = int(dtype), True
    if compute_kernel_config is not None:
        how.fidelity = int(compute_kernel_config.math_fidelity)
    if program_config is not None:
        for name in ("config", "in0_block_w", "out_subblock_h", "out_subblock_w", "per_core_m", "per_core_n"):
            setattr(how, name, getattr(program_config, name))
    grid = core_grid or (program_config and program_config.grid)
    if grid:
        how.grid_x, how.grid_y = (grid.x, grid.y) if hasattr(grid, "x") else grid
    return how


def _run(function, tensors, shape, *arguments, **options):
    """Runs an op of tensors of one device, some of which may be None; its result has this shape."""
    given = [t for t in tensors if t is not None]
    for t in given:
        if not isinstance(t, Tensor):
            raise TypeError(f"{type(t).__name__} is no tensor")
    buffers = [t._on_device() for t in given]
    device = buffers[0].device
    if any(buffer.device is not device for buffer in buffers):
        raise DeviceError("the tensors of an op are on different devices")
    device.hold(*buffers)
    handles = [None if t is None else t._buffer.handle for t in tensors]
    handle = device.run(function, *handles, *arguments, ctypes.byref(_how(**options)))
    return of_handle(device, handle, shape)


# --- products ----------------------------------------------------------------------------
def transpose(input_tensor, dim1=-2, dim2=-1, **options):
    """Exchanges the last two dimensions."""
    shape = list(input_tensor.shape)
    if len(shape) < 2 or {range(len(shape))[dim1], range(len(shape))[dim2]} != {len(shape) - 2, len(shape) - 1}:
        raise ValueError(f"dimensions {dim1} and {dim2} of {shape}: only the last two can be exchanged")
    shape[-2:] = shape[-1], shape[-2]
    return _run(c.ttrt_transpose, [input_tensor], shape, **options)


def linear(input_tensor_a, input_tensor_b, *, bias=None, activation=None, transpose_a=False, transpose_b=False, **options):
    """a x b + bias, then a function such as "relu"."""
    if activation is not None and activation not in _UNARIES:
        raise ValueError(f"activation {activation!r}: there are {', '.join(_UNARIES)}")
    a = transpose(input_tensor_a) if transpose_a else input_tensor_a
    b = transpose(input_tensor_b) if transpose_b else input_tensor_b
    rank = len(a.shape) if len(a.shape) > len(b.shape) else len(b.shape)
    shape = ((1,) * (4 - len(a.shape)) + tuple(a.shape))[:-1] + tuple(b.shape)[-1:]
    return _run(c.ttrt_linear, [a, b, bias], shape[4 - rank:], NO_UNARY if activation is None else _UNARIES[activation], **options)


def matmul(input_tensor_a, input_tensor_b, **options):
    return linear(input_tensor_a, input_tensor_b, **options)


# --- functions of a value ----------------------------------------------------------------
def unary(name, input_tensor, **options):
    return _run(lambda m, a, how: c.ttrt_unary(m, _UNARIES[name], a, how), [input_tensor], input_tensor.shape, **options)


def _unary(name):
    def op(input_tensor, **options):
        return unary(name, input_tensor, **options)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of every value."
    return op


relu, abs_, neg, square, sqrt, reciprocal, exp, gelu, tanh, sigmoid, rsqrt = map(_unary, _UNARIES)


def scale(input_tensor, factor=1.0, offset=0.0, **options):
    """Every value times a factor, plus an offset."""
    return _run(c.ttrt_scale, [input_tensor], input_tensor.shape, factor, offset, **options)


def silu(input_tensor, **options):
    """x * sigmoid(x)"""
    return multiply(input_tensor, sigmoid(input_tensor), **options)


# --- two operands ------------------------------------------------------------------------
def _fits(a, b):
    """Whether b can be broadcast to a."""
    return len(b) <= len(a) and all(y in (x, 1) for x, y in zip(tuple(a)[::-1], tuple(b)[::-1]))


def _binary(function, a, b, options):
    return _run(lambda m, x, y, how: c.ttrt_binary(m, function, x, y, how), [a, b], a.shape, **options)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def add(input_tensor_a, input_tensor_b, **options):
    """Sum of two tensors, or of a tensor and a number."""
    a, b = input_tensor_a, input_tensor_b
    if _is_number(b):
        return scale(a, 1, b, **options)
    if _is_number(a):
        return scale(b, 1, a, **options)
    return _binary(_ADD, a, b, options) if _fits(a.shape, b.shape) or not _fits(b.shape, a.shape) else _binary(_ADD, b, a, options)


def multiply(input_tensor_a, input_tensor_b, **options):
    """Product, value by value."""
    a, b = input_tensor_a, input_tensor_b
    if _is_number(b):
        return scale(a, b, 0, **options)
    if _is_number(a):
        return scale(b, a, 0, **options)
    return _binary(_MUL, a, b, options) if _fits(a.shape, b.shape) or not _fits(b.shape, a.shape) else _binary(_MUL, b, a, options)


def subtract(input_tensor_a, input_tensor_b, **options):
    """Difference. If the first operand is the one to be broadcast, a second op changes the sign."""
    a, b = input_tensor_a, input_tensor_b
    if _is_number(b):
        return scale(a, 1, -b, **options)
    if _is_number(a):
        return scale(b, -1, a, **options)
    if _fits(a.shape, b.shape) or not _fits(b.shape, a.shape):
        return _binary(_SUB, a, b, options)
    return neg(_binary(_SUB, b, a, options), **options)


def divide(input_tensor_a, input_tensor_b, **options):
    """Quotient: the product with the reciprocal."""
    if _is_number(input_tensor_b):
        return scale(input_tensor_a, 1 / input_tensor_b, 0, **options)
    return multiply(input_tensor_a, reciprocal(input_tensor_b), **options)


# --- along a dimension -------------------------------------------------------------------
def softmax(input_tensor, dim=-1, *, scale=1.0, **options):  # pylint: disable=redefined-outer-name
    """Along the last dimension; `scale` multiplies the values first."""
    if range(len(input_tensor.shape))[dim] != len(input_tensor.shape) - 1:
        raise ValueError(f"softmax along dimension {dim} of {list(input_tensor.shape)}: only the last one is possible")
    return _run(c.ttrt_softmax, [input_tensor], input_tensor.shape, scale, **options)


def layer_norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, **options):
    """Along the last dimension; weight and bias are rows."""
    return _run(c.ttrt_layernorm, [input_tensor, weight, bias], input_tensor.shape, epsilon, **options)


def _reduce(pool, tensor, dim, keepdim, options):
    rank = len(tensor.shape)
    if dim is None:
        if rank > 2 and _values.volume(tensor.shape[:-2]) > 1:
            raise ValueError(f"give a dimension: only matrices can be reduced to one value, not {list(tensor.shape)}")
        one = _reduce(pool, tensor, -1, True, options)
        return one if rank < 2 else _reduce(pool, one, -2, True, options)
    at = range(rank)[dim] - rank
    if at < -2:
        raise ValueError(f"dimension {dim} of {list(tensor.shape)}: only the last two can be reduced")
    shape = list(tensor.shape)
    shape[at] = 1
    axis = _X if at == -1 else _Y
    result = _run(lambda m, a, how: c.ttrt_reduce(m, pool, axis, a, how), [tensor], shape, **options)
    if keepdim:
        return result
    if rank > 2:
        raise ValueError(f"without keepdim=True only matrices can be reduced, not {list(tensor.shape)}")
    if at == -1 and rank == 2:
        result = transpose(result)  # the values are a row again
    result._shape = type(result.shape)(s for i, s in enumerate(tensor.shape) if i - rank != at)
    return result


def sum_(input_tensor, dim=None, keepdim=True, **options):
    return _reduce(_SUM, input_tensor, dim, keepdim, options)


def mean(input_tensor, dim=None, keepdim=True, **options):
    return _reduce(_MEAN, input_tensor, dim, keepdim, options)


def max_(input_tensor, dim=None, keepdim=True, **options):
    return _reduce(_MAX, input_tensor, dim, keepdim, options)


# --- moving values -----------------------------------------------------------------------
def embedding(input_tensor, weight, **options):
    """Rows of the table `weight` by their numbers (UINT32, ROW_MAJOR)."""
    options.pop("layout", None)  # the result is tiles
    shape = (*input_tensor.shape, weight.shape[-1])
    return _run(c.ttrt_embedding, [input_tensor, weight], shape, **options)


def split_heads(input_tensor, num_heads, **options):
    """[1, 1, S, 3 H D] -> three tensors of [1, H, S, D]."""
    buffer = input_tensor._on_device()
    device = buffer.device
    device.hold(buffer)
    out = (ctypes.c_void_p * 3)()
    device.run(c.ttrt_split_heads, buffer.handle, num_heads, out, ctypes.byref(_how(**options)))
    rows, width = input_tensor.shape[-2], input_tensor.shape[-1] // (3 * num_heads)
    return tuple(of_handle(device, handle, (1, num_heads, rows, width)) for handle in out)


def concat_heads(input_tensor, **options):
    """[1, H, S, D] -> [1, 1, S, H D]"""
    shape = (1,) * (4 - len(input_tensor.shape)) + tuple(input_tensor.shape)
    return _run(c.ttrt_concat_heads, [input_tensor], (shape[0], 1, shape[2], shape[1] * shape[3]), **options)


def _axis(tensor, dim):
    """A dimension of the tensor as one of the runtime's four."""
    return range(len(tensor.shape))[dim] + 4 - len(tensor.shape)


def all_gather(input_tensor, dim, **options):
    """Every chip gets the parts of all chips, put together along `dim`."""
    shape = list(input_tensor.shape)
    shape[dim] *= input_tensor._n_chips()
    return _run(c.ttrt_all_gather, [input_tensor], shape, _axis(input_tensor, dim), **options)


def reduce_scatter(input_tensor, dim, **options):
    """Sums over the chips; chip i keeps part i along `dim`."""
    shape = list(input_tensor.shape)
    shape[dim] //= input_tensor._n_chips()
    return _run(c.ttrt_reduce_scatter, [input_tensor], shape, _axis(input_tensor, dim), **options)


# --- training ----------------------------------------------------------------------------
def gelu_backward(grad_tensor, input_tensor, **options):
    return _run(c.ttrt_gelu_backward, [grad_tensor, input_tensor], input_tensor.shape, **options)


def softmax_backward(grad_tensor, result_tensor, **options):
    return _run(c.ttrt_softmax_backward, [grad_tensor, result_tensor], result_tensor.shape, **options)


def layer_norm_backward(grad_tensor, input_tensor, *, epsilon=1e-12, **options):
    """Without weights."""
    return _run(c.ttrt_layernorm_backward, [grad_tensor, input_tensor], input_tensor.shape, epsilon, **options)


def sgd(weights, gradient, rate):
    """weights -= rate * gradient, in place."""
    buffers = weights._on_device(), gradient._on_device()
    buffers[0].device.hold(*buffers)
    buffers[0].device.run(c.ttrt_sgd, buffers[0].handle, buffers[1].handle, rate)


def read_results(device, identifier="noop_identifier", dump_results=False, number_of_noops=5):
    """Marker ops of a training loop, a read of the profiler if asked for, marker ops."""
    device.run(c.ttrt_read_results, text(identifier), dump_results, number_of_noops)


# --- ops of the host ---------------------------------------------------------------------
def host_op(device, name, function, *arguments, **named):
    """Calls a function of the host and records it as an op (python_fallback). Returns its result."""
    seen = {}

    def work(_):
        try:
            seen["result"] = function(*arguments, **named)
        except BaseException as e:  # C cannot pass it on  # pylint: disable=broad-except
            seen["error"] = e

    device.run(c.ttrt_host_op, text(name), 0, WORK(work), None)
    if "error" in seen:
        raise seen["error"]
    return seen["result"]


# --- operators ---------------------------------------------------------------------------
def _swapped(function):
    return lambda a, b: function(b, a)


def _add_operators():
    for name, function in (("add", add), ("sub", subtract), ("mul", multiply), ("matmul", matmul), ("truediv", divide)):
        setattr(Tensor, f"__{name}__", lambda a, b, f=function: f(a, b))
    for name, function in (("radd", add), ("rsub", subtract), ("rmul", multiply)):
        setattr(Tensor, f"__{name}__", _swapped(function))
    Tensor.__neg__ = lambda a: neg(a)  # pylint: disable=unnecessary-lambda


_add_operators()
