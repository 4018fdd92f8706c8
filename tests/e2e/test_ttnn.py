#!/usr/bin/python3
"""test_ttnn.py TTPROF SOURCE_ROOT - the package ttprof.ttnn: values of every op against plain Python, tensors from and to
whatever holds values, errors that leave the device usable, devices and threads, traces, queues, the end of the interpreter.
"""
import array
import ctypes
import gc
import math
import subprocess
import sys
import threading

import tap
import ttnn_places

ROWS, COLUMNS = 5, 37  # fill no tile
STEP = 1 / 128  # of bfloat16, relative


def numbers(rows, columns, first=1):
    """Small whole numbers, exact in every data type."""
    return [[float((first + 3 * r + c) % 8 - 3) for c in range(columns)] for r in range(rows)]


def close(got, want, step=STEP):
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(close(g, w, step) for g, w in zip(got, want))
    return abs(got - want) <= step * max(1.0, abs(want))


def raises(function, *arguments, error=Exception, **named):
    try:
        function(*arguments, **named)
    except error as e:
        return f"{type(e).__name__}: {e}"
    return "nothing was raised"


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


# --- errors --------------------------------------------------------------------------------
def check_errors(t, ttnn, device):
    a, b = ttnn.ones((2, 3), device=device), ttnn.ones((4, 5), device=device)
    said = raises(lambda: a @ b, error=ttnn.DeviceError)
    t.equal(said, "DeviceError: MatmulDeviceOperation: 'ones' (1 x 1 x 2 x 3) x 'ones' (1 x 1 x 4 x 5) is not possible".replace("ones", "full"),
            "shapes that do not fit are an exception")
    t.ok(issubclass(ttnn.DeviceError, RuntimeError), "which is a RuntimeError, as ttnn's")
    t.equal((a + a).to_list(), [[2.0] * 3] * 2, "and the device can be used after it")
    for i in range(3):
        large = raises(ttnn.empty, (1 << 14, 1 << 14), device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
    t.ok("bytes of every core's L1" in large, "so after one for memory", large)
    t.equal((a + a).to_list(), [[2.0] * 3] * 2, "however often")
    ids = ttnn.from_list([1, 2], device=device)
    t.ok("must be tiles of real numbers" in raises(ttnn.relu, ids), "a tensor of the wrong kind")
    t.ok("TypeError" in raises(ttnn.relu, a, colour=3), "an unknown option")
    t.ok("is no tensor" in raises(ttnn.matmul, a, [[1]]) or "has no attribute" in raises(ttnn.matmul, a, [[1]]), "a list as an operand")
    ttnn.deallocate(b)
    t.ok("deallocated" in repr(b) and "not on a device" in raises(ttnn.relu, b), "a tensor that was deallocated")
    with ttnn.open_device(device_id=0) as other:
        t.ok("different devices" in raises(lambda: a + ttnn.ones((2, 3), device=other)), "tensors of two devices")


def check_memory(t, ttnn, device):
    """Tensors without a reference give their memory back; those of a trace keep it."""
    side = 1 << 12
    for _ in range(256):  # 64 MB each: not all fit
        ttnn.empty((side, side), device=device, dtype=ttnn.float32, memory_config=ttnn.DRAM_MEMORY_CONFIG)
    t.ok(True, "tensors that nobody has any more free their memory")
    x = ttnn.ones((2, 2), device=device)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    y = ttnn.relu(x + 1) - 4
    ttnn.end_trace_capture(device, trace, cq_id=0)
    del x
    gc.collect()
    others = [ttnn.full((2, 2), 9, device=device) for _ in range(4)]
    ttnn.execute_trace(device, trace, blocking=False)
    t.equal(y.to_list(), [[-2.0] * 2] * 2, "a trace keeps what it uses")
    ttnn.release_trace(device, trace)
    t.ok("was released" in raises(ttnn.execute_trace, device, trace), "after its release it cannot be replayed")
    t.equal([o.to_list() for o in others], [[[9.0] * 2] * 2] * 4, "and has overwritten nothing")
    t.ok("no trace is being captured" in raises(ttnn.end_trace_capture, device, 0), "an end without a begin")
    trace = ttnn.begin_trace_capture(device)
    t.ok("while a trace is being captured" in raises(y.to_list), "values cannot be read in a capture")
    ttnn.end_trace_capture(device, trace)
    ttnn.execute_trace(device, trace)
    t.ok(True, "which goes on")


# --- devices -------------------------------------------------------------------------------
def check_threads(t, ttnn, device):
    x = ttnn.ones((2, 2), device=device)
    said = []
    worker = threading.Thread(target=lambda: said.extend((raises(ttnn.relu, x), raises(device.close), raises(x.to_list))), name="worker")
    worker.start()
    worker.join()
    t.ok(all("belongs to thread 'MainThread'" in s and "from thread 'worker'" in s for s in said) and len(said) == 3, "another thread is refused, both are named", said)
    tensors = [ttnn.ones((2, 2), device=device) for _ in range(8)]
    worker = threading.Thread(target=tensors.clear)
    worker.start()
    worker.join()
    t.equal(ttnn.relu(x).to_list(), [[1.0] * 2] * 2, "where tensors may be forgotten all the same")


def check_closing(t, ttnn):
    device = ttnn.open_device(device_id=0)
    x = ttnn.ones((2, 2), device=device)
    t.equal((device.id(), device.get_num_devices(), tuple(device.shape), tuple(device.compute_with_storage_grid_size())), (0, 1, (1, 1), (8, 8)), "about a device")
    t.equal(device.num_program_cache_entries(), 0, "its program cache is empty")
    ttnn.relu(x)
    t.equal(device.num_program_cache_entries(), 1, "and is on")
    ttnn.close_device(device)
    ttnn.close_device(device)
    t.ok(not device.is_open and "closed" in repr(device), "closing twice is no error")
    t.equal({raises(f) for f in (x.to_list, lambda: x + x, device.num_program_cache_entries, lambda: ttnn.ones((1,), device=device), lambda: ttnn.synchronize_device(device))},
            {"DeviceError: the device is closed"}, "whatever is asked of a closed one says so")
    t.ok("boord" in raises(ttnn.open_device, config="boord=n150", error=ttnn.DeviceError), "a configuration that makes no sense")
    t.ok("7" in raises(ttnn.open_device, device_id=7, error=ttnn.DeviceError), "a chip that the board does not have")
    with ttnn.manage_device(0, config="board=n300", l1_small_size=1024, trace_region_size=4096) as chip:
        t.equal(chip.get_num_devices(), 1, "one chip of a board with two")
    with ttnn.open_device(0, config="arch=blackhole") as chip:
        t.ok(ttnn.relu(ttnn.ones((3, 3), device=chip)).to_list() == [[1.0] * 3] * 3, "another chip")


def check_lost(t, ttnn):
    """After a fault on a chip nothing works, and the device is closed without another exception."""
    with ttnn.open_device(config="dram_cap=1M dispatch=slow") as device:
        t.ok(raises(ttnn.ones, (1024, 1024), device=device).endswith("dram_cap reached"), "a write by the host that does not fit is refused")
    device = ttnn.open_device(config="dram_cap=1M dispatch=slow")
    x = ttnn.ones((512, 512), device=device)
    t.equal(x.values()[5], 1.0, "a smaller one is not")
    said = {raises(lambda: ttnn.relu(x).values()), raises(ttnn.relu, x), raises(x.values)}
    t.ok(len(said) == 1 and "NoC write to DRAM" in min(said) and min(said).endswith("the device cannot go on; close it"), "a fault on a chip is told by every later call", said)
    t.equal(raises(device.close), "nothing was raised", "but not by closing it")


def check_mesh(t, ttnn):
    with ttnn.open_mesh_device(ttnn.MeshShape(1, 2)) as mesh:
        t.equal((mesh.get_num_devices(), mesh.shape, mesh.get_device_ids()), (2, ttnn.MeshShape((1, 2)), [0, 1]), "a mesh of two chips")
        a = numbers(4, 64)
        parts = ttnn.from_torch(a, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=1))
        t.equal((list(parts.shape), parts.to_list(chip=1)), ([4, 32], [row[32:] for row in a]), "each chip has a part")
        t.ok("give chip=" in raises(parts.to_list), "of which one must be chosen")
        t.equal(ttnn.to_list(parts, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=-1)), a, "or all be put together")
        t.equal([p.to_list() for p in ttnn.get_device_tensors(parts)], [[row[:32] for row in a], [row[32:] for row in a]], "the parts")
        t.equal(ttnn.all_gather(parts, dim=1).to_list(chip=0), a, "all_gather")
        same = ttnn.from_torch(a, device=mesh, mesh_mapper=ttnn.ReplicateTensorToMesh(mesh))
        t.equal(ttnn.reduce_scatter(same, dim=1).to_list(chip=1), [[2 * v for v in row[32:]] for row in a], "reduce_scatter")
        ttnn.close_mesh_device(mesh)
    with ttnn.open_mesh_device(...) as mesh:
        t.equal(mesh.get_num_devices(), 1, "a mesh as the guides write it: all chips of the board")
    t.ok("at most 32" in raises(ttnn.open_mesh_device, (8, 8)), "too large a mesh")
    t.ok("rows and columns" in raises(ttnn.MeshShape, 0, 2), "no mesh")


def check_queues(t, ttnn):
    with ttnn.open_device(num_command_queues=2) as device:
        t.equal(device.num_command_queues(), 2, "two queues")
        x = ttnn.empty((2, 2), device=device)
        backs = []
        for i in range(3):
            ttnn.copy_host_to_device_tensor(ttnn.full((2, 2), i), x, cq_id=1)
            ttnn.wait_for_event(0, ttnn.record_event(device, 1))
            y = x + 1
            ttnn.wait_for_event(1, ttnn.record_event(device, 0))
            backs.append(y.cpu(blocking=False, cq_id=1))
            last = ttnn.record_event(device, 1)
        ttnn.event_synchronize(last)
        t.equal([b.to_list() for b in backs], [[[i + 1.0] * 2] * 2 for i in range(3)], "values by way of the second one, in the order of events")
        t.equal(device._pending, [], "nothing is under way then")
        t.ok("no command queue 2" in raises(ttnn.record_event, device, 2), "a third one is refused")


# --- the end of the interpreter --------------------------------------------------------------
ENDINGS = {
    "a device that nobody closes": ("import ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\ny = x + x\nprint(y.to_list()[0][0])\n", 0, "2.0\n", ""),
    "one of a thread that has ended": ("import threading\nimport ttprof.ttnn as ttnn\nt = threading.Thread(target=lambda: globals().update(d=ttnn.open_device()))\n"
                                       "t.start(); t.join()\nprint(d.is_open)\n", 0, "True\n", ""),
    "an exception": ("import ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\nraise SystemExit(7)\n", 7, "", ""),
    "a child of fork": ("import os\nimport ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\nif os.fork() == 0:\n"
                        "    try:\n        x + x\n    except ttnn.DeviceError as e:\n        print('belongs to process' in str(e), flush=True)\n    raise SystemExit(3)\n"
                        "print(os.waitstatus_to_exitcode(os.wait()[1]), (x + x).to_list()[0])\n", 0, "True\n3 [2.0, 2.0]\n", ""),
    "a thread in the middle of a call": ("import threading\nimport ttprof.ttnn as ttnn\nready = threading.Event()\ndef work():\n    d = ttnn.open_device()\n    x = ttnn.ones((256, 256), device=d)\n"
                                         "    while True:\n        x = ttnn.softmax(x)\n        ready.set()\nthreading.Thread(target=work, daemon=True).start()\nready.wait()\n", 0, "", None),
    "references in a circle": ("import ttprof.ttnn as ttnn\nclass A: pass\na = A()\na.d = ttnn.open_device()\na.x = ttnn.ones((2, 2), device=a.d)\na.a = a\ndel a\n", 0, "", ""),
}


HEAD = "import os, sys\nimport ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\ny = x + x\n"
LEFT_OPEN = {  # ends of the program above, and how many ops it has run
    "nobody closes it": ("", 1),
    "an exception": ("raise SystemExit(7)\n", 1),
    "references in a circle": ("class A: pass\na = A()\na.a, a.d, a.x = a, d, x\ndel a, d, x, y\n", 1),
    "a child of fork": ("if os.fork() == 0:\n    sys.exit(0)\nos.wait()\ny = x + x\n", 2),
}


def check_files(t):
    """Devices that the end of the interpreter closes leave their files."""
    for name, (end, n_ops) in LEFT_OPEN.items():
        folder = t.folder("files")
        (folder / "ending.py").write_text(HEAD + end, encoding="utf-8")
        done = tap.run([sys.executable, folder / "ending.py"], folder, TT_METAL_DEVICE_PROFILER="1", TT_METAL_PROFILER_DIR=str(folder), **ttnn_places.variables(t))
        log = folder / ".logs/profile_log_device.csv"
        ops = {row.split(",")[7] for row in log.read_text(encoding="utf-8").splitlines()[2:]} if log.exists() else set()
        t.equal((len(ops), done.stderr.decode().count("markers from")), (n_ops, 1), f"files of a device that is open at the end are written once: {name}")


def check_endings(t):
    for name, (program, code, stdout, stderr) in ENDINGS.items():
        path = t.scratch / "ending.py"
        path.write_text(program, encoding="utf-8")
        done = tap.run([sys.executable, path], t.scratch, **ttnn_places.variables(t))
        t.ok((done.code, done.stdout.decode()) == (code, stdout) and stderr in (None, done.stderr.decode()), f"at the end of the interpreter: {name}", done)


def check_offer(t):
    program = t.scratch / "offered.py"
    program.write_text("import ttprof, sys\nttprof._offer_ttnn()\nttprof._offer_ttnn()\nimport ttnn\nimport tt_lib as ttl\nimport ttprof.ttnn\n"
                       "print(ttnn is ttprof.ttnn, ttnn.__name__, ttnn.__spec__.name, ttl.profiler.get_profiler_flag(), len(sys.meta_path))\n"
                       "try:\n    import ttnn2\nexcept ImportError as e:\n    print(e)\n", encoding="utf-8")
    done = tap.run([sys.executable, program], t.scratch, **ttnn_places.variables(t))
    said = done.stdout.decode().splitlines()
    t.ok(said[0].startswith("True ttprof.ttnn ttprof.ttnn True ") and said[1] == "No module named 'ttnn2'", "`import ttnn` finds this package when none is installed", done)
    t.equal(done.stderr.decode().count("no ttnn is installed"), 1, "and says so, once")
    folder = t.folder("own")
    (folder / "ttnn.py").write_text("own = True\n")
    (folder / "p.py").write_text("import ttprof\nttprof._offer_ttnn()\nimport ttnn\nprint(ttnn.own)\n")
    done = tap.run([sys.executable, folder / "p.py"], folder, **ttnn_places.variables(t))
    t.equal((done.stdout, done.stderr), (b"True\n", b""), "one that is installed comes first, and nothing is said")


# --- what C and Python must agree on ---------------------------------------------------------
def check_structures(t):
    from ttprof import _runtime
    pairs = [("struct ttrt_memory", _runtime.Memory, {}), ("struct ttrt_spec", _runtime.Spec, {}), ("struct ttrt_how", _runtime.How, {}), ("ttrt_event", _runtime.Event, {}),
             ("struct ttprof_analysis", _runtime.Analysis, {}), ("struct ttprof_program_perf", _runtime.ProgramPerf, {}), ("struct ttprof_duration_summary", _runtime.DurationSummary, {})]
    lines, want = [], []
    for name, structure, _ in pairs:
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        want.append(ctypes.sizeof(structure))
        for field, _kind in structure._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            want.append(getattr(structure, field).offset)
    names = {"TTRT_UNARIES": _runtime.NO_UNARY, "TTRT_HIFI4": 4, "TTRT_UINT32": 3, "TTRT_ROW_MAJOR": 1, "TTRT_BLOCK_SHARDED": 3, "TTRT_L1": 1, "TTRT_RSQRT": 10,
             "TTRT_MATMUL_MULTICAST": 2, "TTRT_MUL": 2, "TTRT_MAX": 2, "TTRT_DIM_X": 3}
    lines += [f'printf("%d\\n", (int){name});' for name in names]
    source = t.scratch / "sizes.c"
    source.write_text("#include <stddef.h>\n#include <stdio.h>\n#include <ttprof/profiler.h>\n#include <ttprof/runtime.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    done = tap.run(["cc", "-I", t.root / "include", source, "-o", t.scratch / "sizes"], t.scratch)
    sizes = subprocess.run([t.scratch / "sizes"], stdout=subprocess.PIPE, check=False).stdout.split() if done.code == 0 else []
    t.equal([int(s) for s in sizes], want + list(names.values()), "structures and numbers are those of the headers")
    declared = (t.root / "include/ttprof/runtime.h").read_text(encoding="utf-8")
    t.equal([n for n in _runtime._FUNCTIONS if n.startswith("ttrt_") and n not in declared], [], "every function is in the header")


def test(t):
    ttnn_places.here(t)
    from ttprof import ttnn
    with ttnn.open_device(device_id=0) as device:
        for check in (check_products, check_functions, check_sums, check_rows, check_heads_and_training, check_sources, check_forms,
                      check_errors, check_memory, check_threads):
            check(t, ttnn, device)
    check_closing(t, ttnn)
    check_lost(t, ttnn)
    check_mesh(t, ttnn)
    check_queues(t, ttnn)
    check_endings(t)
    check_files(t)
    check_offer(t)
    check_structures(t)


tap.main(test)
