"""The names of ttnn on the software device.

    from ttprof import ttnn

    device = ttnn.open_device(device_id=0)
    a = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
    print(ttnn.to_list(ttnn.relu(a @ a)))
    ttnn.close_device(device)

docs/ttnn.md lists them, and says what differs from ttnn.
"""
import contextlib
import types

from . import host as _host, profiler
from ._create import (ConcatMeshToTensor, ReplicateTensorToMesh, ShardTensorToMesh, empty, from_values, full, ones, rand, to_buffer,
                      to_device, to_layout, to_list, to_numpy, to_torch, zeros)
from ._device import CoreCoord, Device, MeshShape, open_device, open_mesh_device
from ._errors import DeviceError
from ._ops import (ComputeKernelConfig, MathFidelity, MatmulMultiCoreReuseMultiCastProgramConfig, MatmulMultiCoreReuseProgramConfig,
                   abs_, add, all_gather, concat_heads, divide, embedding, exp, gelu, gelu_backward, host_op, layer_norm,
                   layer_norm_backward, linear, matmul, max_, mean, multiply, neg, read_results, reciprocal, reduce_scatter, relu,
                   rsqrt, scale, sgd, sigmoid, silu, softmax, softmax_backward, split_heads, sqrt, square, subtract, sum_, tanh,
                   transpose)
from ._perf import (get_all_kernel_duration_summary, get_all_programs_perf_data, get_latest_kernel_duration_summary,
                    get_latest_programs_perf_data)
from ._queues import Event, copy_host_to_device_tensor, event_synchronize, record_event, wait_for_event
from ._runtime import functions as _c
from ._tensor import (DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, BufferType, CoreGrid, DataType, Layout, MemoryConfig, Shape, Tensor,
                      TensorMemoryLayout, synchronize_device)
from ._traces import begin_trace_capture, end_trace_capture, execute_trace, release_trace
from .host import start_tracy_zone, stop_tracy_zone

bfloat16, float32, bfloat8_b, uint32 = DataType
TILE_LAYOUT, ROW_MAJOR_LAYOUT = Layout
TILE_SIZE = 32
MeshDevice = Device
abs, max, sum = abs_, max_, sum_  # pylint: disable=redefined-builtin
sub, mul, div, mm = subtract, multiply, divide, matmul
from_torch = from_buffer = from_list = from_numpy = as_tensor = from_values
WormholeComputeKernelConfig = BlackholeComputeKernelConfig = ComputeKernelConfig


def close_device(device):
    """Waits, reads the profiler, writes its files and closes. A second call does nothing."""
    device.close()


close_mesh_device = close_device


@contextlib.contextmanager
def manage_device(device_id=0, **options):
    """A device for a block."""
    with open_device(device_id, **options) as device:
        yield device


def ReadDeviceProfiler(device):  # pylint: disable=invalid-name
    """Waits, and reads what the chips have recorded; does nothing if they are not profiled."""
    device.run(_c.ttrt_read_device_profiler)


def tracy_message(source, color=_host.WHITE):
    """A message in the recording."""
    _host.message(source, color)


def tracy_frame():
    """The end of a frame in the recording."""
    _host.frame()


def from_device(tensor, blocking=True, cq_id=None):
    """A copy on the host."""
    return tensor.cpu(blocking, cq_id)


def deallocate(tensor, force=True):
    """Gives the tensor's memory back."""
    tensor.deallocate(force)


def get_device_tensors(tensor):
    """The values of each chip, as tensors of the host."""
    return [Tensor(tensor.shape, tensor.dtype, tensor.layout, hosts=[tensor.values(chip)]) for chip in range(tensor._n_chips())]


def _split_qkv(input_tensor, *, num_heads, transpose_key=True, **options):
    q, k, v = split_heads(input_tensor, num_heads, **options)
    return q, transpose(k, **options) if transpose_key else k, v


transformer = types.SimpleNamespace(split_query_key_value_and_split_heads=_split_qkv, concatenate_heads=concat_heads)
__all__ = [name for name in globals() if not name.startswith("_") and not name.endswith("_") and name not in ("contextlib", "types")]
