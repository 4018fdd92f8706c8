"""The one exception of this package that is not Python's own."""


class DeviceError(RuntimeError):
    """The device refused a call, or was lost. The text says which, and why."""
