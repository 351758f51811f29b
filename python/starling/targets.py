"""What to sample from: functions in NumPy, C functions, Stan models, plugins, built-in targets."""

from __future__ import annotations

import ctypes
import errno
import json
import operator
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _starling
from .tables import TABLES, entry_of, no_setting, own, told
from .words import in_own_words


FIRST = 64  # particles of a card at which a function is looked at on the host


class Target:
    """A target as the engine takes it: a name and settings, and for one of Python's own a guest."""

    name = "guest"
    settings: dict[str, Any] = {}

    def guest(self, dim: int | None, particles: int):
        """What the engine calls, in a run of so many particles; None for a target that it has
        itself."""
        return None


class Builtin(Target):
    """One of the engine's own: mixture, normal, banana, funnel, logistic."""

    def __init__(self, name: str, **settings: Any):
        self.name, self.settings = name, settings

    def __repr__(self) -> str:
        return f"starling.builtin({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.settings.items())])})"


class Stan(Builtin):
    """A Stan model: a program, which is compiled if need be, or a library that BridgeStan made from
    one."""

    def __init__(self, model: str | os.PathLike, data: Any = None):
        file, folder = os.fspath(model), None
        if isinstance(data, Mapping):
            folder = tempfile.mkdtemp(prefix="starling-")
            data = _json_file(data, folder)
        try:
            if _starling.is_stan_program(file):
                if not os.path.exists(file):
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
                file, data = _starling.compile_stan(
                    file, "" if data is None else data, sys.executable or "python3"
                )
        except BaseException:
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        super().__init__("stan", model=file, **_given(data or None))
        if folder:  # while this target lives
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @classmethod
    def of(cls, model: Any) -> Stan:
        """The library of a bridgestan.StanModel, whose data are a text: in a file while this target
        lives."""
        if not model.data:
            return cls(model.lib_path)
        folder = tempfile.mkdtemp(prefix="starling-")
        file = os.path.join(folder, "data.json")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(model.data)
        target = cls(model.lib_path, file)
        weakref.finalize(target, shutil.rmtree, folder, ignore_errors=True)
        return target


class Plugin(Builtin):
    """A shared library with the functions of starling/plugin.h."""

    def __init__(self, library: str | os.PathLike, data: str | os.PathLike | None = None):
        super().__init__("plugin", model=os.fspath(library), **_given(data))


def _json_file(data: Mapping, folder: str) -> str:
    """Data as Stan's JSON: arrays of NumPy's are lists there."""

    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        raise TypeError(f"data: must be numbers, lists and arrays; got {type(value).__name__}")

    file = os.path.join(folder, "data.json")
    with open(file, "w", encoding="utf-8") as stream:
        json.dump(dict(data), stream, default=plain)
    return file


def _given(data: str | os.PathLike | None) -> dict[str, str]:
    return {} if data is None else {"data": os.fspath(data)}


class _Padded:
    """A function that is called with few different numbers of rows: all particles, or a power of
    two, or a multiple of all. What is missing is the last row again. Exact moves go on with fewer
    and fewer particles, and a function that is compiled for each number of rows would be compiled
    hundreds of times."""

    def __init__(self, function: Callable, particles: int):
        self._function, self._particles = function, particles

    def __call__(self, x: np.ndarray) -> Any:
        n, most = len(x), self._particles
        size = -(-n // most) * most if n >= most else min(most, max(8, 1 << (n - 1).bit_length()))
        if size == n:
            return self._function(x)
        returned = self._function(
            np.concatenate([x, np.broadcast_to(x[-1:], (size - n, x.shape[1]))])
        )
        return (
            tuple(self._cut(part, n, size) for part in returned)
            if isinstance(returned, tuple)
            else self._cut(returned, n, size)
        )

    @staticmethod
    def _cut(part: Any, n: int, size: int) -> Any:
        return (
            part[:n] if getattr(part, "shape", (0,))[:1] == (size,) else part
        )  # what is wrong is said as it came


class _WatchedOnCard:
    """A function on a card whose twin on the host is looked at first, at some of the same
    positions."""

    def __init__(self, watched: Callable, on_card: Callable):
        self._watched, self._on_card, self._due = watched, on_card, True

    def __call__(self, x: Any) -> Any:
        if self._due:
            self._due = False
            self._watched(x.rows(FIRST))
        return self._on_card(x)


class Function(Target):
    """A function of an (N, d) array that returns scores, or (log densities, scores).

    It is called with all particles once per step, and by the scout and exact moves with any number
    of rows. padded: only with few different numbers, for a function that is compiled anew for each.
    on_card: the same for device="cuda": it takes positions that lie on the card
    (torch.from_dlpack(x), jax.dlpack.from_dlpack(x), cupy.from_dlpack(x)), which are there while
    the call lasts, and returns arrays that lie there too."""

    def __init__(
        self,
        function: Callable,
        dim: int | None = None,
        names: Sequence[str] | None = None,
        *,
        padded: bool = False,
        on_card: Callable | None = None,
    ):
        for name, given in (("target", function), ("on_card", on_card)):
            if not (callable(given) or (given is None and name == "on_card")):
                raise TypeError(f"{name}: must be a function; got {type(given).__name__}")
        self._function, self.dim, self.names, self.padded = (
            function,
            dim,
            _names(names),
            bool(padded),
        )
        self._on_card = on_card
        self._called: dict[
            int, Callable
        ] = {}  # what runs call, which do not hold it: by their particles

    @property
    def function(self) -> Callable:
        """Fixed: a run calls it without holding it."""
        return self._function

    def guest(self, dim: int | None, particles: int):
        called = self._function
        if self.padded:
            called = self._called.setdefault(particles, _Padded(self._function, particles))
        return _starling.guest_of(
            called, _dimension(self.dim, dim, self.names), self.names, self._on_card
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_called": {}}

    def watched(self) -> Function:
        """The same, with a look at its gradient when it is first called."""
        from .gradients import Watched

        other = Function(
            self._function, self.dim, self.names, padded=self.padded, on_card=self._on_card
        )
        other._function = Watched(self._function, self.names)
        if self._on_card is not None:
            other._on_card = _WatchedOnCard(other._function, self._on_card)
        return other

    def __call__(self, x):
        return self._function(x)

    def __repr__(self) -> str:
        return f"<starling.Function: {getattr(self._function, '__name__', type(self._function).__name__)}>"


class CFunction(Target):
    """The address of a C function, called without Python: int(n, d, x, grad, logp, user) over all
    particles (batched), or int(d, x, grad, logp, user) for one, as nutpie and walnuts have it."""

    def __init__(
        self,
        function: Any,
        dim: int | None = None,
        *,
        batched: bool,
        names: Sequence[str] | None = None,
    ):
        self._kept = function  # its code must outlive us
        self.address = _address(function)
        self.batched, self.dim, self.names = bool(batched), dim, _names(names)

    def guest(self, dim: int | None, particles: int):
        return _starling.guest_at(
            self.address, self.batched, _dimension(self.dim, dim, self.names), self.names
        )

    def __getstate__(self):
        raise TypeError(
            "target: a C function cannot be pickled; a function of Python's or a target of Starling's own can"
        )


def _address(function: Any) -> int:
    if isinstance(function, int) and not isinstance(function, bool):
        address = function
    elif hasattr(function, "address"):  # numba cfunc
        address = int(function.address)
    elif isinstance(function, ctypes._CFuncPtr):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    else:
        raise TypeError(
            f"target: must be a C function (ctypes, numba cfunc or an address); got {type(function).__name__}"
        )
    if address <= 0:
        raise ValueError("target: must be the address of a function; got a null pointer")
    return address


def whole(name: str, value: Any, least: int) -> int:
    """A whole number, or an error that names it."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: must be a whole number; got {value!r}")
    if operator.index(value) < least:
        raise ValueError(f"{name}: must be at least {least}; got {value}")
    return operator.index(value)


def _names(names: Sequence[str] | None) -> list[str]:
    given = [] if names is None else [names] if isinstance(names, str) else list(names)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"names: must be texts; got {name!r}")
        if given.count(name) > 1 or name in ("", "lp__"):
            raise ValueError(f"names: must be different, not empty and not lp__; got {name!r}")
    return given


def _dimension(own: int | None, asked: int | None, names: Sequence[str]) -> int:
    known = {whole("dim", d, 1) for d in (own, asked, len(names) or None) if d is not None}
    if not known:
        raise ValueError("dim: must be given for this target, unless start is an (N, d) array")
    if len(known) > 1:
        raise ValueError(f"dim: must be one number; got {' and '.join(map(str, sorted(known)))}")
    return known.pop()


def builtin(name: str, **settings: Any) -> Builtin:
    """A built-in target with its options of the command line: builtin("banana", curvature=0.5)."""
    entry = entry_of("targets", name)
    if entry is not None:  # one that is none is refused with all of them, by the engine
        names = {own(setting["name"]): setting["name"] for setting in entry["settings"]}
        for key, value in settings.items():
            if key not in names:
                raise no_setting("target", entry, key)
            if value is not None:
                with in_own_words():
                    _starling.check_setting("targets", name, names[key], value)
    return Builtin(name, **settings)


builtin.__doc__ += "\n\n" + "\n\n".join(
    f"{entry['name']}: {told(entry)}" for entry in TABLES["targets"]
)


def stan(model: str | os.PathLike, data: Mapping | str | os.PathLike | None = None) -> Stan:
    """A Stan model: MODEL.stan, compiled by what is there (BridgeStan by the environment variable
    BRIDGESTAN, or the package stanli) and kept for the next time, or MODEL.so as BridgeStan
    compiles it; its data as a dictionary or a JSON file."""
    return Stan(model, data)


def plugin(library: str | os.PathLike, data: str | os.PathLike | None = None) -> Plugin:
    """A library with the functions of starling/plugin.h."""
    return Plugin(library, data)


def as_target(target: Any) -> Target:
    """What a user may give for a target, as a Target."""
    if isinstance(target, Target):
        return target
    if isinstance(target, (str, os.PathLike)):
        text = os.fspath(target)
        return Stan(text) if text.endswith((".so", ".stan")) else Builtin(text)
    if hasattr(target, "log_density_gradient") and hasattr(
        target, "lib_path"
    ):  # a bridgestan.StanModel
        return Stan.of(target)
    if isinstance(target, ctypes._CFuncPtr) or hasattr(target, "address"):
        raise TypeError(
            "target: must be starling.CFunction(function, dim, batched=True or False) for a C function"
        )
    return Function(target)
