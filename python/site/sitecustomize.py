"""Starts the agent in the Python interpreters of a run.

`ttprof run` puts this folder in front of PYTHONPATH. The interpreter imports this module at its
start, in place of the machine's own sitecustomize, which is imported from here. The program finds
neither this module nor its folder in sys.path.
"""
import os
import sys


def _say(run, sentence):
    """For `ttprof run` to tell at the end, see python.log in ttprof/recording.h."""
    try:
        log = os.open(os.path.join(run, "python.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o664)
        os.write(log, f"{os.getpid()}\t{sentence}\n".encode(errors="replace"))
        os.close(log)
    except OSError:
        pass  # nobody is left to be told


def _start(here):
    run, mode = os.environ.get("TTPROF_RUN"), os.environ.get("TTPROF_PYTHON")
    if not run or mode != "functions":
        return
    try:
        import ctypes
        agent = ctypes.PyDLL(os.path.join(os.environ.get("TTPROF_LIBRARY", ""), "libttprof-python.so"))
        agent.ttprof_python_hide(os.fsencode(here))
        packages = os.environ.get("TTPROF_PACKAGES")
        for name in ("tracy", "ttprof") if packages else ():
            agent.ttprof_python_hide(os.fsencode(os.path.join(packages, name)))
        if agent.ttprof_python_start() == 3:
            _say(run, "an earlier start-up module set a profile function of its own: the functions of that thread are not recorded")
    except Exception as e:  # the program comes first
        _say(run, f"the functions of this interpreter are not recorded: {type(e).__name__}: {e}".replace("\n", " "))


def _offer():
    """`import ttnn` finds the software device if the program has no ttnn of its own."""
    try:
        import ttprof
        ttprof._offer_ttnn()
    except Exception:  # a package of that name that is not ours  # pylint: disable=broad-except
        pass


def _import_theirs(here):
    """What the machine, the virtual environment or the user has under this name."""
    ours = sys.modules.pop("sitecustomize", None)
    sys.path[:] = [p for p in sys.path if os.path.realpath(p or ".") != here]
    sys.path_importer_cache.pop(here, None)
    try:
        import sitecustomize  # noqa: F401, pylint: disable=unused-import,import-self
    except ImportError as e:
        if e.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", ours)


_here = os.path.dirname(os.path.realpath(__file__))
try:
    _import_theirs(_here)
finally:
    _packages = os.environ.get("TTPROF_PACKAGES")
    if _packages and os.environ.get("TTPROF_RUN") and _packages not in sys.path:
        sys.path.append(_packages)
    if _packages and os.environ.get("TTPROF_RUN"):
        _offer()
    _start(_here)
