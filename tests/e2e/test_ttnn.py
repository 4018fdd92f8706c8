#!/usr/bin/python3
"""test_ttnn.py TTPROF SOURCE_ROOT - the package ttprof.ttnn: values of every op against plain Python, tensors from and to whatever
holds values.
"""
import array
import ctypes
import math

import tap
import ttnn_values
from ttnn_values import STEP, close, numbers, raises

ROWS, COLUMNS = 5, 37  # fill no tile


# --- plain Python --------------------------------------------------------------------------
def product(a, b):
    return [[sum(x * b[i][c] for i, x in enumerate(row)) for c in range(len(b[0]))] for row in a]


def turned(a):
    return [list(row) for row in zip(*a)]


def each(function, a):
    return [[function(x) for x in row] for row in a]


def both(function, a, b):
    return [[function(x, b[r % len(b)][c % len(b[0])]) for c, x in enumerate(row)] for r, row in enumerate(a)]


def soft(row):
    top = max(row)
    e = [math.exp(x - top) for x in row]
    return [x / sum(e) for x in e]


def normal(row, epsilon=1e-12):
    mean = sum(row) / len(row)
    spread = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + epsilon)
    return [(x - mean) / spread for x in row]


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


# --- ops -----------------------------------------------------------------------------------
def check_products(t, ttnn, device):
    a, b = numbers(ROWS, COLUMNS), numbers(COLUMNS, 3, 2)
    x, y = ttnn.from_list(a, device=device), ttnn.from_list(b, device=device)
    want = product(a, b)
    t.ok(close((x @ y).to_list(), want), "matmul, as an operator")
    bias = ttnn.from_list([[1.0, -40.0, 2.0]], device=device)
    t.ok(close(ttnn.linear(x, y, bias=bias, activation="relu").to_list(), both(lambda p, q: max(p + q, 0), want, [[1, -40, 2]])), "linear, bias and relu")
    t.ok(close(ttnn.matmul(ttnn.transpose(x), y, transpose_a=True).to_list(), want), "transpose, and an operand that is to be transposed")
    config = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(compute_with_storage_grid_size=(2, 2))
    low = ttnn.ComputeKernelConfig(math_fidelity=ttnn.MathFidelity.LoFi)
    shared = ttnn.matmul(x, y, program_config=config, compute_kernel_config=low, memory_config=ttnn.L1_MEMORY_CONFIG, dtype=ttnn.float32)
    t.ok(close(shared.to_list(), want), "with a program config, a fidelity and a data type")
    t.equal((shared.dtype, shared.memory_config()), (ttnn.float32, ttnn.L1_MEMORY_CONFIG), "which its result has")
    batch = ttnn.from_list([a, numbers(ROWS, COLUMNS, 5)], device=device)
    t.ok(close((batch @ y).to_list(), [want, product(numbers(ROWS, COLUMNS, 5), b)]), "a batch with one right matrix")
    table = numbers(6, COLUMNS)
    ids = ttnn.from_list([[0, 5, 2], [1, 1, 3]], device=device)
    t.equal(ttnn.embedding(ids, ttnn.from_list(table, device=device)).to_list(), [[table[0], table[5], table[2]], [table[1], table[1], table[3]]], "embedding")


def check_functions(t, ttnn, device):
    a = numbers(ROWS, COLUMNS)
    x = ttnn.from_list(a, device=device)
    positive = ttnn.from_list(each(lambda v: abs(v) + 1, a), device=device)
    for name, function in (("relu", lambda v: max(v, 0.0)), ("abs", abs), ("neg", lambda v: -v), ("square", lambda v: v * v),
                           ("exp", math.exp), ("gelu", gelu), ("tanh", math.tanh), ("sigmoid", lambda v: 1 / (1 + math.exp(-v))),
                           ("silu", lambda v: v / (1 + math.exp(-v)))):
        t.ok(close(getattr(ttnn, name)(x).to_list(), each(function, a), 2 * STEP), f"{name} of every value")
    for name, function in (("sqrt", math.sqrt), ("reciprocal", lambda v: 1 / v), ("rsqrt", lambda v: 1 / math.sqrt(v))):
        t.ok(close(getattr(ttnn, name)(positive).to_list(), each(lambda v, f=function: f(abs(v) + 1), a), 2 * STEP), f"{name} of every value")


def check_sums(t, ttnn, device):
    a, b = numbers(ROWS, COLUMNS), numbers(ROWS, COLUMNS, 4)
    x, y = ttnn.from_list(a, device=device), ttnn.from_list(b, device=device)
    t.equal((x + y).to_list(), both(lambda p, q: p + q, a, b), "add")
    t.equal((x - y).to_list(), both(lambda p, q: p - q, a, b), "subtract")
    t.equal((x * y).to_list(), both(lambda p, q: p * q, a, b), "multiply")
    for what, small in (("a row", numbers(1, COLUMNS, 2)), ("a column", numbers(ROWS, 1, 2)), ("a value", [[3.0]])):
        z = ttnn.from_list(small, device=device)
        t.equal((x - z).to_list(), both(lambda p, q: p - q, a, small), f"{what} is broadcast")
        t.equal((z - x).to_list(), both(lambda p, q: q - p, a, small), f"{what} on the left is, too")
    t.equal((2 * x + 1).to_list(), each(lambda p: 2 * p + 1, a), "a factor and a summand that are numbers")
    t.equal((1 - x).to_list(), each(lambda p: 1 - p, a), "a number minus a tensor")
    t.equal((x / 2).to_list(), each(lambda p: p / 2, a), "a tensor divided by a number")
    t.ok(close(ttnn.divide(x, y + 8).to_list(), both(lambda p, q: p / (q + 8), a, b), 2 * STEP), "and by a tensor")


def check_rows(t, ttnn, device):
    a = numbers(ROWS, COLUMNS)
    x = ttnn.from_list(a, device=device)
    t.ok(close(ttnn.softmax(x).to_list(), [soft(row) for row in a]), "softmax")
    t.ok(close(ttnn.softmax(x, dim=1, scale=0.5).to_list(), [soft([v / 2 for v in row]) for row in a]), "softmax of scaled values")
    t.ok(close(ttnn.layer_norm(x).to_list(), [normal(row) for row in a], 2 * STEP), "layer_norm")
    weight, bias = numbers(1, COLUMNS, 3), numbers(1, COLUMNS, 6)
    full = ttnn.layer_norm(x, weight=ttnn.from_list(weight, device=device), bias=ttnn.from_list(bias, device=device), epsilon=0.5)
    want = both(lambda p, q: p + q, both(lambda p, q: p * q, [normal(row, 0.5) for row in a], weight), bias)
    t.ok(close(full.to_list(), want, 4 * STEP), "layer_norm with weight and bias")
    for name, function in (("sum", sum), ("mean", lambda v: sum(v) / len(v)), ("max", max)):
        op = getattr(ttnn, name)
        t.ok(close(op(x, -1).to_list(), [[function(row)] for row in a]), f"{name} along the last dimension")
        t.ok(close(op(x, 0).to_list(), [[function(column) for column in turned(a)]]), f"{name} along the one before")
        t.ok(close(op(x, 1, keepdim=False).to_list(), [function(row) for row in a]), f"{name} without the dimension")
        t.ok(close(op(x).to_list(), [[function([function(row) for row in a])]]), f"{name} of all")
    t.ok("only the last two" in raises(ttnn.sum, ttnn.ones((2, 2, 2), device=device), 0), "other dimensions are refused")


def check_heads_and_training(t, ttnn, device):
    heads, rows, depth = 2, 3, 32
    a = numbers(rows, 3 * heads * depth)
    parts = ttnn.split_heads(ttnn.from_list([[a]], device=device), heads)
    want = [[[[row[(p * heads + h) * depth:(p * heads + h + 1) * depth] for row in a] for h in range(heads)]] for p in range(3)]
    t.equal([p.to_list() for p in parts], want, "split_heads")
    t.equal(ttnn.transformer.split_query_key_value_and_split_heads(ttnn.from_list([[a]], device=device), num_heads=heads)[1].to_list(),
            [[turned(head) for head in want[1][0]]], "the key is transposed by the form of ttnn.transformer")
    t.equal(ttnn.concat_heads(parts[0]).to_list(), [[[row[:heads * depth] for row in a]]], "concat_heads")
    a, g = numbers(ROWS, COLUMNS), numbers(ROWS, COLUMNS, 5)
    x, y = ttnn.from_list(a, device=device), ttnn.from_list(g, device=device)
    slope = each(lambda v: (1 + math.erf(v / math.sqrt(2))) / 2 + v * math.exp(-v * v / 2) / math.sqrt(2 * math.pi), a)
    t.ok(close(ttnn.gelu_backward(y, x).to_list(), both(lambda p, q: p * q, g, slope), 4 * STEP), "gelu_backward")
    s = [soft(row) for row in a]
    want = [[p * (q - sum(u * v for u, v in zip(s[r], g[r]))) for p, q in zip(s[r], g[r])] for r in range(ROWS)]
    t.ok(close(ttnn.softmax_backward(y, ttnn.softmax(x)).to_list(), want, 4 * STEP), "softmax_backward")
    n = [normal(row) for row in a]
    want = []
    for r in range(ROWS):
        spread = math.sqrt(sum((v - sum(a[r]) / COLUMNS) ** 2 for v in a[r]) / COLUMNS)
        mean, along = sum(g[r]) / COLUMNS, sum(p * q for p, q in zip(g[r], n[r])) / COLUMNS
        want.append([(q - mean - v * along) / spread for q, v in zip(g[r], n[r])])
    t.ok(close(ttnn.layer_norm_backward(y, x).to_list(), want, 8 * STEP), "layer_norm_backward")
    ttnn.sgd(x, y, 0.5)
    t.ok(close(x.to_list(), both(lambda p, q: p - q / 2, a, g)), "sgd changes the weights")
    t.equal(ttnn.host_op(device, "plain", lambda v, more: v + more, 3, more=4), 7, "an op of the host gives its result")
    t.ok("ZeroDivisionError" in raises(ttnn.host_op, device, "wrong", lambda: 1 / 0), "or its exception")


# --- values --------------------------------------------------------------------------------
class Buffer:
    """An array of another package: as far as numpy's, it has a buffer only."""

    def __init__(self, kind, values, shape):
        self.data = memoryview(array.array(kind, values)).cast("B").cast(kind, shape)

    def tolist(self):
        raise AssertionError("the buffer is not read")


class Torch:
    """What is used of a tensor of torch."""

    def __init__(self, values, dtype="torch.float32", has_numpy=True):
        self.values, self.dtype, self.has_numpy = values, dtype, has_numpy

    def detach(self):
        return self

    cpu = detach

    def float(self):
        return Torch(self.values, has_numpy=self.has_numpy)

    def numpy(self):
        if not self.has_numpy or self.dtype == "torch.bfloat16":
            raise TypeError("no numpy")
        return memoryview(array.array("f", self.values))

    def tolist(self):
        return self.values


def check_sources(t, ttnn, device):
    want = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    flat = [v for row in want for v in row]
    for kind in "fdbBhHiIlLqQ":
        source = memoryview(array.array(kind, [int(v) if kind not in "fd" else v for v in flat])).cast("B").cast(kind, [2, 3])
        back = ttnn.from_buffer(source, device=device)
        t.equal((back.to_list(), back.dtype), (want, ttnn.float32 if kind in "fd" else ttnn.uint32), f"a buffer of '{kind}'")
    letters = (ctypes.c_char * 12)()
    t.ok("has no numbers" in raises(ttnn.from_buffer, letters, device=device), "a buffer of characters is refused")
    t.equal(ttnn.from_buffer(bytes([7, 8]), device=device).to_list(), [7, 8], "bytes are whole numbers")
    backwards = memoryview(array.array("f", flat))[::-2]
    t.equal(ttnn.from_buffer(backwards, device=device).to_list(), flat[::-2], "a buffer with steps")
    big = (ctypes.c_float.__ctype_be__ * 2)(1.5, -2.0)
    t.equal(ttnn.from_buffer(big, device=device).to_list(), [1.5, -2.0], "a buffer of the other byte order")
    t.equal(ttnn.from_torch(Torch([1.0, 2.0]), layout=ttnn.TILE_LAYOUT, device=device).to_list(), [1.0, 2.0], "a tensor of torch, by numpy()")
    t.equal(ttnn.from_torch(Torch([1.0, 2.0], "torch.bfloat16"), device=device).to_list(), [1.0, 2.0], "one of bfloat16, which has no numpy()")
    t.equal(ttnn.from_torch(Torch([1.0, 2.0], has_numpy=False), device=device).to_list(), [1.0, 2.0], "one without numpy, by tolist()")
    t.equal(ttnn.from_list(3, device=device).to_list(), 3, "one number")
    t.ok("no number" in raises(ttnn.from_list, ["a"]), "texts are refused")
    t.ok("different lengths" in raises(ttnn.from_list, [[1, 2], [3]]), "ragged lists are refused")
    t.ok("different depths" in raises(ttnn.from_list, [[1], [[3]]]), "and those of different depths")
    t.ok("at most 4 dimensions" in raises(ttnn.ones, (1,) * 5, device=device), "and five dimensions")
    t.ok("no values" in raises(ttnn.from_list, [[]], device=device), "and no values")
    check_numpy(t, ttnn, device, want)


def check_numpy(t, ttnn, device, want):
    try:
        import numpy
    except ImportError:
        t.skip("arrays of numpy", "numpy is not installed")
        t.ok("to_list" in raises(ttnn.to_numpy, ttnn.from_list(want)), "without numpy, to_numpy says what to use instead")
        return
    for kind in ("float16", "float32", "float64", "int64", "uint8", ">f4"):
        source = numpy.array(want, dtype=kind)
        t.equal(ttnn.from_torch(source, device=device, dtype=ttnn.float32).to_list(), want, f"an array of numpy, {kind}")
    back = ttnn.to_numpy(ttnn.from_torch(numpy.array(want, dtype="float32").T, device=device))
    t.equal((back.tolist(), str(back.dtype)), (turned(want), "float32"), "and back; a transposed one, too")


def check_forms(t, ttnn, device):
    a = numbers(ROWS, COLUMNS)
    for dtype in (ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.uint32):
        for layout in (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT):
            if (dtype, layout) == (ttnn.bfloat8_b, ttnn.ROW_MAJOR_LAYOUT):
                continue
            values = each(abs, a)
            x = ttnn.from_list(values, dtype=dtype, layout=layout, device=device)
            t.equal((x.to_list(), x.dtype, x.layout), (values, dtype, layout), f"{dtype.name} in {layout.name} comes back")
    exact = [0, (1 << 24) + 1, (1 << 32) - 1]
    x = ttnn.from_list(exact, dtype=ttnn.uint32, device=device)
    t.equal(x.to_list(), exact, "whole numbers of 32 bits come back exactly")
    t.ok("above 2**24" in raises(ttnn.from_list, exact, dtype=ttnn.uint32, layout=ttnn.TILE_LAYOUT, device=device), "in tiles they are refused")
    t.ok("whole numbers" in raises(ttnn.from_list, [0.5], dtype=ttnn.uint32) and "0 to" in raises(ttnn.from_list, [-1], dtype=ttnn.uint32), "so are others")
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.CoreGrid(y=2, x=2))
    x = ttnn.ones((4, 32, 64), device=device, memory_config=sharded)
    t.equal((ttnn.relu(x).to_list(), x.memory_config()), ([[[1.0] * 64] * 32] * 4, sharded), "a tensor in shards")
    t.ok("shards must be in L1" in raises(ttnn.ones, (32, 32), device=device, memory_config=ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED)),
         "which must be in L1")
    host = ttnn.from_list(a)
    t.equal((host.device(), host.to_list()), (None, a), "without a device a tensor stays on the host")
    t.ok("not on a device" in raises(ttnn.relu, host), "where no op can use it")
    there = ttnn.to_device(host, device)
    t.equal(ttnn.from_device(there).to_list(), a, "to_device and from_device")
    t.equal(ttnn.to_buffer(there).tolist(), a, "to_buffer has the shape")
    t.ok(ttnn.rand((2, 2)).to_list() == ttnn.rand((2, 2)).to_list() != ttnn.rand((2, 2), seed=1).to_list(), "rand depends on its seed")
    t.equal((ttnn.zeros((1, 2), device=device).to_list(), ttnn.full((2,), 1.5, device=device).to_list()), ([[0.0, 0.0]], [1.5, 1.5]), "zeros and full")
    t.equal(ttnn.sum(ttnn.ones((3, 3), device=device)).item(), 9.0, "item")


def test(t):
    ttnn_values.here(t)
    from ttprof import ttnn
    with ttnn.open_device(device_id=0) as device:
        for check in (check_products, check_functions, check_sums, check_rows, check_heads_and_training, check_sources, check_forms):
            check(t, ttnn, device)


tap.main(test)
