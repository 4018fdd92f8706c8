"""ttnn_places.py - where a test of the Python packages finds them: this tree's, with this build's libraries."""
import os
import sys


def variables(t):
    """Environment of a program that imports them."""
    path = [str(t.root / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path), "TTPROF_LIBRARY": str(t.ttprof.parent), "PYTHONDONTWRITEBYTECODE": "1"}


def here(t):
    """The same for this process."""
    sys.path.insert(0, str(t.root / "python"))
    for name in [n for n in os.environ if n.startswith(("TTPROF_", "TT_METAL_"))]:
        del os.environ[name]
    os.environ["TTPROF_LIBRARY"] = str(t.ttprof.parent)
