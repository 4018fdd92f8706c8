"""A fixture for pytest, which finds it through the metadata of the package."""
import pytest

from tracy import Profiler


@pytest.fixture(scope="function")
def tracy_profile():
    """Records the functions that the test calls, in a partial run (-p)."""
    profiler = Profiler()
    profiler.enable()
    yield profiler
    profiler.disable()
