"""ttprof.py - how GDB shows the types of src/base: `str`, VEC(T) and `struct map`.

    (gdb) source tools/gdb/ttprof.py
    (gdb) print name
    $1 = "MatmulDeviceOperation"
    (gdb) print rows
    $2 = VEC of 2, room for 16 = {3, 5}
    (gdb) print names
    $3 = map of 2 = {["BRISC-FW"] = 0, ["MATMUL"] = 1}
"""
import gdb

MOST = 1 << 20  # elements: more is a struct that was not set yet


def length(value):
    """A count that is safe to iterate over; an uninitialised variable may hold any value."""
    n = int(value)
    return n if n <= MOST else 0


class Str:
    """str: a pointer and a length, not NUL-terminated."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        n = int(self.value["n"])
        if n > MOST:
            return f"str of {n} bytes at {self.value['p']}"
        return self.value["p"].lazy_string(length=n) if n else '""'

    def display_hint(self):
        return "string" if 0 < int(self.value["n"]) <= MOST else None


class Vec:
    """VEC(T): struct { T *v; size_t n, cap; }."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"VEC of {int(self.value['n'])}, room for {int(self.value['cap'])}"

    def children(self):
        for i in range(length(self.value["n"])):
            yield f"[{i}]", self.value["v"][i]

    def display_hint(self):
        return "array"


class Map:
    """struct map: texts and the id that each was given."""

    def __init__(self, value):
        self.keys = value["keys"]

    def to_string(self):
        return f"map of {int(self.keys['n'])}"

    def children(self):
        for i in range(length(self.keys["n"])):
            yield f"{i}.key", self.keys["v"][i]
            yield f"{i}.id", i

    def display_hint(self):
        return "map"


def find(value):
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return None
    if kind.tag == "str":
        return Str(value)
    if kind.tag == "map":
        return Map(value)
    # VEC(T) makes a struct without a name; some are declared with one.
    return Vec(value) if [f.name for f in kind.fields()] == ["v", "n", "cap"] else None


find.__name__ = "ttprof"
gdb.pretty_printers[:] = [p for p in gdb.pretty_printers if getattr(p, "__name__", "") != "ttprof"] + [find]
