"""ttnn_values.py - what tests of the package ttprof share: where it is, values, comparisons."""
import os
import sys

STEP = 1 / 128  # of bfloat16, relative


def here(t):
    """This process finds the package of this tree, with this build's libraries."""
    sys.path.insert(0, str(t.root / "python"))
    for name in [n for n in os.environ if n.startswith(("TTPROF_", "TT_METAL_"))]:
        del os.environ[name]
    os.environ["TTPROF_LIBRARY"] = str(t.ttprof.parent)


def numbers(rows, columns, first=1):
    """Small whole numbers, exact in every data type."""
    return [[float((first + 3 * r + c) % 8 - 3) for c in range(columns)] for r in range(rows)]


def close(got, want, step=STEP):
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(close(g, w, step) for g, w in zip(got, want))
    return abs(got - want) <= step * max(1.0, abs(want))


def raises(function, *arguments, error=Exception, **named):
    try:
        function(*arguments, **named)
    except error as e:
        return f"{type(e).__name__}: {e}"
    return "nothing was raised"
