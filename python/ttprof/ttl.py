"""`import tt_lib as ttl`: the names of 2023. Here only `ttl.profiler` is of use; `ttprof.ttnn` has the ops."""
from . import profiler

__all__ = ["profiler"]
