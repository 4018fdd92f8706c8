"""Finds and loads the shared libraries of ttprof.

They lie in one folder: the one named by TTPROF_LIBRARY (`ttprof run` sets it), else `lib` in this
package (the wheel), else the library folder of the prefix that this package is installed in, else
the build folder of the source tree.
"""
import ctypes
import functools
import os
import pathlib
import shutil
import sysconfig

_HERE = pathlib.Path(__file__).resolve().parent
_VERSIONED = {"ttprof": "libttprof.so.0", "ttprof-runtime": "libttprof-runtime.so.0", "ttprof-python": "libttprof-python.so"}


def _prefixes():
    """Folders above the package, from near to far: one of them may be a prefix such as /usr/local."""
    return _HERE.parents[1:5]


def _folders():
    named = os.environ.get("TTPROF_LIBRARY")
    if named:
        yield pathlib.Path(named)
    yield _HERE / "lib"
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    for prefix in _prefixes():
        yield prefix / "lib" / multiarch
        yield prefix / "lib64"
        yield prefix / "lib"
    yield _HERE.parents[1] / "build"


@functools.lru_cache(maxsize=None)
def folder():
    """The folder of the libraries; None if there is none."""
    return next((f for f in _folders() if (f / _VERSIONED["ttprof"]).is_file()), None)


@functools.lru_cache(maxsize=None)
def program():
    """The program `ttprof`; None if there is none."""
    libraries = folder()
    beside = [libraries / "ttprof", libraries.parent / "bin" / "ttprof", libraries.parents[1] / "bin" / "ttprof"] if libraries else []
    found = next((p for p in beside if p.is_file() and os.access(p, os.X_OK)), None)
    return str(found) if found else shutil.which("ttprof")


@functools.lru_cache(maxsize=None)
def load(name):
    """Loads a library: "ttprof", "ttprof-runtime" or "ttprof-python". Raises OSError if that fails.

    A process has one recorder: a library that is loaded already is used, wherever it came from.
    The interpreter's lock is held during calls into "ttprof-python", which uses the interpreter.
    """
    kind = ctypes.PyDLL if name == "ttprof-python" else ctypes.CDLL
    try:
        return kind(_VERSIONED[name], mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        pass
    libraries = folder()
    if not libraries:
        raise OSError(f"{_VERSIONED[name]} not found; set TTPROF_LIBRARY to the folder that has it")
    return kind(str(libraries / _VERSIONED[name]), mode=os.RTLD_NOW)
