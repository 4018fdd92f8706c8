"""Offers `ttprof.ttnn` under the name `ttnn` (and `ttprof.ttl` as `tt_lib`) to programs that import it.

The finder is the last one that is asked, so an installed module always comes first.
"""
import importlib
import importlib.abc
import importlib.machinery
import sys

_OFFERS = {"ttnn": "ttprof.ttnn", "tt_lib": "ttprof.ttl"}


class _Loader(importlib.abc.Loader):
    def create_module(self, spec):
        module = importlib.import_module(_OFFERS[spec.name])
        # The machinery is about to make the module look as if it were called `ttnn`.
        self._own = {name: getattr(module, name, None) for name in ("__name__", "__spec__", "__loader__", "__package__")}
        sys.stderr.write(f"ttprof: no {spec.name} is installed; {_OFFERS[spec.name]} stands for it: ops run on the software device\n")
        return module

    def exec_module(self, module):
        vars(module).update(self._own)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname not in _OFFERS:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(), origin=_OFFERS[fullname])


def offer():
    """Offers them; a second call changes nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
