"""What Python still holds of the engine when the interpreter ends, and letting go of it.

A global of a script lives as long as a function of that script, since functions hold the globals
that they were written among; and a cache of another library's C code (JAX has several) holds such
functions beyond the end of the interpreter. A daemon thread holds its variables as long. Results
and flights among them would never be freed, and nanobind would report them as lost. So they are
kept track of, and let go of when the modules are taken down: after every function that was
registered with atexit."""

from __future__ import annotations

import weakref
from typing import Any

from . import _starling

_open: dict[int, weakref.ref] = {}


def let_go_at_end(owner: Any) -> None:
    """Calls owner._let_go() when the interpreter ends, if the owner is still there."""
    key, alive = id(owner), _open

    def forget(gone: weakref.ref) -> None:
        if alive.get(key) is gone:
            del alive[key]

    _open[key] = weakref.ref(owner, forget)


class _ModuleEnd:
    """Held by the engine's module alone: deleted with what that module holds."""

    def __init__(self) -> None:
        self._open = _open

    def __del__(self) -> None:
        for reference in list(self._open.values()):
            owner = reference()
            if owner is not None:
                owner._let_go()


_starling._module_end = _ModuleEnd()
