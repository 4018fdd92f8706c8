"""Devices: opening, closing, whose thread they are, and how a failed call becomes an exception."""
import atexit
import collections
import ctypes
import os
import re
import sys
import threading

from ._errors import DeviceError
from ._runtime import CHIPS, ERROR_BYTES, functions as c, text

_open = []  # devices, so that none is forgotten: its files are written when it is closed
_PERF_VARIABLES = ("TT_METAL_DEVICE_PROFILER", "TT_METAL_PROFILER_MID_RUN_DUMP", "TT_METAL_PROFILER_CPP_POST_PROCESS")


def call_site():
    """File, line and function of the nearest caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame = frame.f_back
    code = frame.f_code
    return code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)


def _thread_text(number, name):
    return f"{name!r} ({number})"


class CoreCoord(collections.namedtuple("CoreCoord", "x y")):
    """A core, or the size of a grid of cores."""


class MeshShape(tuple):
    """Rows and columns of a mesh: MeshShape(1, 2) or MeshShape((1, 2))."""

    def __new__(cls, *sides):
        sides = sides[0] if len(sides) == 1 and not isinstance(sides[0], int) else sides
        if not sides or not all(isinstance(s, int) and s > 0 for s in sides):
            raise ValueError(f"a mesh has whole numbers of rows and columns, not {tuple(sides)}")
        return super().__new__(cls, sides)

    def mesh_size(self):
        """Number of chips."""
        size = 1
        for side in self:
            size *= side
        return size

    def __repr__(self):
        return f"MeshShape({', '.join(map(str, self))})"


class Device:
    """One chip or a mesh of them. Belongs to the thread that opened it."""

    def __init__(self, config, chips, shape=None, number=0):
        why = ctypes.create_string_buffer(ERROR_BYTES)
        self._mesh = c.ttrt_open_chips(None if config is None else text(config), None if chips is None else text(chips), why)
        if not self._mesh:
            raise DeviceError(why.value.decode("utf-8", "replace"))
        self._thread, self._thread_name = threading.get_ident(), threading.current_thread().name
        self._process = os.getpid()
        self._number = number
        self._n_chips = c.ttrt_n_devices(self._mesh)
        self._shape = shape or MeshShape(1, self._n_chips)
        self._dead = collections.deque()  # tensors whose last reference is gone, perhaps on another thread
        self._held = {}  # what each captured trace uses
        self._capturing = None
        self._pending = []  # reads under way: (queue, events before it, values)
        self._n_events = collections.Counter()  # by queue
        self._has_perf = all(os.environ.get(name) == "1" for name in _PERF_VARIABLES)
        self._is_lost = False  # a chip is: closing it fails, which has been said
        self._calls = 0  # under way: a thread that Python ends at exit may be inside one
        _open.append(self)

    # --- calls -----------------------------------------------------------------------------
    def _check_owner(self):
        if not self._mesh:
            raise DeviceError("the device is closed")
        if os.getpid() != self._process:
            raise DeviceError(f"the device belongs to process {self._process}; this is process {os.getpid()}: open a device of its own here")
        here = threading.get_ident()
        if here != self._thread:
            raise DeviceError(f"the device belongs to thread {_thread_text(self._thread, self._thread_name)}; "
                              f"it cannot be used from thread {_thread_text(here, threading.current_thread().name)}")

    def _free_dead(self):
        while self._dead:
            c.ttrt_free(self._mesh, self._dead.popleft())

    def _raise_error(self):
        error = c.ttrt_error(self._mesh)
        if error:
            error = error.decode("utf-8", "replace")  # before it is cleared
            self._is_lost = bool(c.ttrt_clear_error(self._mesh))
            raise DeviceError(f"{error}\nthe device cannot go on; close it" if self._is_lost else error)

    def call(self, function, *arguments):
        """Calls a function of the runtime with this mesh; its error becomes an exception."""
        self._check_owner()
        self._free_dead()
        self._calls += 1
        try:
            result = function(self._mesh, *arguments)
        finally:
            self._calls -= 1
        self._raise_error()
        return result

    def run(self, function, *arguments):
        """The same for an op: its record names the line that called us."""
        self._check_owner()
        file, line, name = call_site()
        c.ttrt_call_site(self._mesh, text(file), line, text(name))
        return self.call(function, *arguments)

    def hold(self, *buffers):
        """A trace that is being captured keeps these."""
        if self._capturing is not None:
            self._held[self._capturing].extend(b for b in buffers if b is not None)

    # --- about it --------------------------------------------------------------------------
    def id(self):
        """Number of the chip on its board, of a mesh of its first chip."""
        return self._number

    @property
    def shape(self):
        return self._shape

    def get_num_devices(self):
        return self._n_chips

    def get_device_ids(self):
        return list(range(self._number, self._number + self._n_chips))

    @property
    def is_open(self):
        return bool(self._mesh)

    def compute_with_storage_grid_size(self):
        """Cores that ops may use, across and down."""
        x, y = ctypes.c_int(), ctypes.c_int()
        self.call(c.ttrt_grid, ctypes.byref(x), ctypes.byref(y))
        return CoreCoord(x.value, y.value)

    core_grid = property(compute_with_storage_grid_size)

    def use_grid(self, x, y):
        """Limits ops to this part of the grid; 0, 0: no limit."""
        self.call(c.ttrt_use_grid, x, y)

    def num_command_queues(self):
        return self.call(c.ttrt_n_queues)

    @property
    def simulation_time_ns(self):
        """Real time that the simulator has taken so far. Recorded host times leave it out."""
        return self.call(c.ttrt_simulation_ns)

    def enable_program_cache(self):
        self.call(c.ttrt_enable_program_cache, True)

    def disable_and_clear_program_cache(self):
        self.call(c.ttrt_clear_program_cache)
        self.call(c.ttrt_enable_program_cache, False)

    def clear_program_cache(self):
        self.call(c.ttrt_clear_program_cache)

    def num_program_cache_entries(self):
        return self.call(c.ttrt_program_cache_entries)

    # --- closing ---------------------------------------------------------------------------
    def close(self):
        """Waits, reads the profiler, writes its files and closes. A second call does nothing."""
        if not self._mesh:
            return
        self._check_owner()
        mesh, self._mesh = self._mesh, None
        _open.remove(self)
        self._dead.clear()  # freed with the mesh
        self._held.clear()
        code = c.ttrt_close(mesh)
        self._pending.clear()
        if code < 0 and not self._is_lost:
            raise DeviceError(f"closing the device: {os.strerror(-code)}; see stderr")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        state = f"{self._n_chips} chip{'s' if self._n_chips > 1 else ''}" if self._mesh else "closed"
        return f"<software device {self._number}: {state}>"


@atexit.register
def _close_all():
    """At the end of the interpreter, when no other thread of Python runs any more but those that it does not wait for."""
    for device in list(_open):
        if os.getpid() != device._process:
            continue  # a copy after a fork: the parent closes it
        if device._calls and device._thread != threading.get_ident():
            sys.stderr.write(f"ttprof: {device} is in use by thread {device._thread_name!r} and is not closed: its files are incomplete\n")
            continue
        c.ttrt_use_thread(device._mesh)
        device._thread = threading.get_ident()
        try:
            device.close()
        except DeviceError as e:
            sys.stderr.write(f"ttprof: {e}\n")


# --- opening -----------------------------------------------------------------------------
def _words(config, n_queues, n_chips=None):
    """The configuration: what is asked for in the call comes after TTPROF_DEVICE, so it counts."""
    words = os.environ.get("TTPROF_DEVICE", "") if config is None else config
    if n_queues != 1:
        words += f" cqs={n_queues}"
    if n_chips and n_chips > 1 and not re.search(r"\b(board|devices)=", words):
        words += " board=n300" if n_chips == 2 and "arch=" not in words else f" devices={n_chips}"
    return words


def _visible():
    """Chips that the environment leaves; None: all of the board."""
    listed = os.environ.get("TT_VISIBLE_DEVICES", "").strip()
    return [word.strip() for word in listed.split(",")] if listed else None


def _is_given(value):
    return value is not None and value is not Ellipsis


def open_device(device_id=0, *, config=None, num_command_queues=1, l1_small_size=None, trace_region_size=None,
                dispatch_core_config=None, worker_l1_size=None):
    """Opens one chip of the board. `config`: words as in TTPROF_DEVICE, which is used without it.

    Sizes of regions and the kind of dispatch cores are accepted for the sake of programs written for hardware; the
    software device needs none of them.
    """
    del l1_small_size, trace_region_size, dispatch_core_config, worker_l1_size
    if not isinstance(device_id, int) or device_id < 0:
        raise ValueError(f"device_id is the number of a chip, not {device_id!r}")
    chips = _visible()
    if chips is not None and device_id >= len(chips):
        raise DeviceError(f"no device {device_id}: TT_VISIBLE_DEVICES has {len(chips)}")
    chip = chips[device_id] if chips else str(device_id)
    return Device(_words(config, num_command_queues), chip, MeshShape(1, 1), int(chip) if chip.isdigit() else device_id)


def open_mesh_device(mesh_shape=None, *, config=None, physical_device_ids=None, num_command_queues=1, l1_small_size=None,
                     trace_region_size=None, dispatch_core_config=None, offset=None, worker_l1_size=None):
    """Opens a mesh: a MeshShape or (rows, columns), or without one (or with ...) all chips of the board."""
    del l1_small_size, trace_region_size, dispatch_core_config, worker_l1_size, offset
    shape = MeshShape(mesh_shape if not isinstance(mesh_shape, int) else (1, mesh_shape)) if _is_given(mesh_shape) else None
    chips = [str(chip) for chip in physical_device_ids] if physical_device_ids else _visible()
    if shape:
        if shape.mesh_size() > CHIPS:
            raise ValueError(f"{shape} has {shape.mesh_size()} chips; a mesh has at most {CHIPS}")
        if chips is None:
            chips = [str(chip) for chip in range(shape.mesh_size())]
        if len(chips) < shape.mesh_size():
            raise DeviceError(f"{shape} needs {shape.mesh_size()} chips; there are {len(chips)}")
        chips = chips[:shape.mesh_size()]
    words = _words(config, num_command_queues, max(map(int, chips)) + 1 if chips else None)
    return Device(words, ",".join(chips) if chips else None, shape, int(chips[0]) if chips else 0)


def open_devices():
    """Those of this process that are open."""
    return [device for device in _open if device._process == os.getpid()]
