"""Fixtures of pytest: `device`, `mesh_device`, `use_program_cache`.

    @pytest.mark.parametrize("mesh_device", [(1, 2)], indirect=True)
    def test_all_gather(mesh_device): ...

`device` takes options of open_device by way of `device_params`, `mesh_device` a number of chips or a shape.
"""
import pytest


@pytest.fixture
def device_params(request):
    """Options of open_device and open_mesh_device: a dictionary, by indirect parametrisation."""
    return getattr(request, "param", {})


@pytest.fixture
def device(device_params):  # pylint: disable=redefined-outer-name
    """A device of one chip, closed after the test."""
    from . import ttnn
    opened = ttnn.open_device(**{"device_id": 0, **device_params})
    yield opened
    opened.close()


@pytest.fixture
def mesh_device(request, device_params):  # pylint: disable=redefined-outer-name
    """A mesh of all chips, or of as many as the parameter says, closed after the test."""
    from . import ttnn
    opened = ttnn.open_mesh_device(getattr(request, "param", None), **device_params)
    yield opened
    opened.close()


@pytest.fixture
def use_program_cache(request):
    """The program cache is on during the test, and off after it."""
    found = [request.getfixturevalue(name) for name in ("device", "mesh_device") if name in request.fixturenames]
    for opened in found:
        opened.enable_program_cache()
    yield
    for opened in found:
        if opened.is_open:
            opened.disable_and_clear_program_cache()
