"""ttprof - the software device from Python.

    from ttprof import ttnn

    with ttnn.open_device(device_id=0) as device:
        a = ttnn.from_list([[1.0, 2.0], [3.0, 4.0]], device=device)
        print(ttnn.to_list(ttnn.matmul(a, a)))

`ttprof.ttnn` has the names of ttnn, `ttprof.ttl` those of the op profiler of 2023. Nothing is
loaded before it is used.
"""
from ._errors import DeviceError

__all__ = ["DeviceError", "ttnn", "ttl"]


def __getattr__(name):
    if name in ("ttnn", "ttl"):
        import importlib
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _offer_ttnn():
    """From here on `import ttnn` finds `ttprof.ttnn` if no ttnn is installed."""
    from . import _offer
    _offer.offer()
