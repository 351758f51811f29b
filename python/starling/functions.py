"""Targets that call functions of the user's: in NumPy over all particles, or C functions."""

from __future__ import annotations

import copy
import ctypes
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _starling

FIRST = 64  # particles of a card at which the gradient is checked on the host


class Target:
    """A target as the engine takes it: a name and settings; or functions that the engine calls,
    and then the name is guest."""

    name = "guest"
    settings: dict[str, Any] = {}
    space: Any = None  # a Space, where draws are made of positions

    def user_target(self, dim: int | None, particles: int):
        """What the engine calls, in a run of so many particles: a _starling.UserTarget, which owns
        the functions. None for a target that the engine has itself."""
        return None


class _Padded:
    """A function that is called with few different numbers of rows: all particles, or a power of
    two, or a multiple of all. What is missing is the last row again. Exact moves are made
    with fewer and fewer particles. A function that is compiled for each number of rows would be
    compiled hundreds of times."""

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


class _FirstCallCheckOnCard:
    """A function on a GPU whose twin on the CPU is checked first, at some of the same
    positions."""

    def __init__(self, checked: Callable, on_card: Callable):
        self._checked, self._on_card, self._due = checked, on_card, True

    def __call__(self, x: Any) -> Any:
        if self._due:
            self._due = False
            self._checked(x.rows(FIRST))
        return self._on_card(x)


class Function(Target):
    """A function of an (N, d) array that returns scores, or (log densities, scores).

    It is called with all particles once per step, and by the scout and exact moves with any number
    of rows. padded: only with few different numbers, for a function that is compiled for each.
    on_card: the same for device="cuda". It takes positions on the GPU (torch.from_dlpack(x),
    jax.dlpack.from_dlpack(x), cupy.from_dlpack(x)) and returns arrays on the GPU. The positions
    exist only during the call. single_on_card: whether it takes only single precision there, asked
    when a run begins. space: how draws are made from positions. loop(dim, single, block, device): a
    _starling.Loop that computes the same without Python, or None."""

    # What pickles of earlier versions lack.
    _loop: Callable | None = None
    _single_on_card: Callable | None = None

    def __init__(
        self,
        function: Callable,
        dim: int | None = None,
        names: Sequence[str] | None = None,
        *,
        padded: bool = False,
        on_card: Callable | None = None,
        single_on_card: Callable | None = None,
        space: Any = None,
        loop: Callable | None = None,
    ):
        for name, given in (("target", function), ("on_card", on_card)):
            if not (callable(given) or (given is None and name == "on_card")):
                raise TypeError(f"{name}: must be a function; got {type(given).__name__}")
        self._function, self._on_card, self._loop = function, on_card, loop
        self._single_on_card = single_on_card
        self.dim, self.names, self.padded = dim, checked_names(names), bool(padded)
        self.space = space

    @property
    def function(self) -> Callable:
        """Fixed: a run keeps the one that it began with."""
        return self._function

    def user_target(self, dim: int | None, particles: int):
        called = _Padded(self._function, particles) if self.padded else self._function
        return self._with_draws(
            _starling.target_of_function(
                called,
                _dimension(self.dim, dim, self.names),
                self.names,
                self._on_card,
                few_sizes=self.padded,
                single_on_card=self._single_on_card is not None and self._single_on_card(),
                loop_of=self._loop,
            )
        )

    def _with_draws(self, user_target: Any) -> Any:
        if self.space is not None:
            _starling.constrain_by(user_target, self.space.columns, self.space.constrain)
        return user_target

    def named(self, names: Sequence[str]) -> Function:
        """The same, with names for the numbers of a position."""
        if self.names:
            raise ValueError("names: this target has its own names; remove names")
        other = copy.copy(self)
        other.names = checked_names(names)
        return other

    def with_gradient_check(self) -> Function:
        """The same, with a look at its gradient when it is first called."""
        from .first_call import FirstCallCheck

        other = copy.copy(self)
        other._function = FirstCallCheck(self._function, self.names)
        if self._on_card is not None:
            other._on_card = _FirstCallCheckOnCard(other._function, self._on_card)
        return other

    def __call__(self, x):
        return self._function(x)

    def __repr__(self) -> str:
        return f"<starling.Function: {name_of(self._function)}>"


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
        self.batched, self.dim, self.names = bool(batched), dim, checked_names(names)

    def user_target(self, dim: int | None, particles: int):
        return _starling.target_at_address(
            self.address,
            self.batched,
            _dimension(self.dim, dim, self.names),
            self.names,
            self._kept,
        )

    def __getstate__(self):
        raise TypeError(
            "target: a C function cannot be pickled; a Python function or a built-in target can"
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
            "target: must be a C function (ctypes, numba cfunc or an address); got "
            f"{type(function).__name__}"
        )
    if address <= 0:
        raise ValueError("target: must be the address of a function; got a null pointer")
    return address


@contextmanager
def quiet_numpy() -> Iterator[None]:
    """Scouts and exact moves go where a density overflows, which is no news: warnings of NumPy's
    are kept away. Who asked NumPy to raise them as errors has them."""
    warned = {kind: "ignore" for kind, how in np.geterr().items() if how == "warn"}
    with np.errstate(**warned):
        yield


def name_of(function: Any) -> str:
    """How a function is called; of an object that can be called its class."""
    return getattr(function, "__name__", type(function).__name__)


def whole(name: str, value: Any, least: int) -> int:
    """A whole number, or an error that names it."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: must be a whole number; got {value!r}")
    if operator.index(value) < least:
        raise ValueError(f"{name}: must be at least {least}; got {value}")
    if operator.index(value) >= 2**63:
        raise ValueError(f"{name}: must be below 2^63; got {value}")
    return operator.index(value)


def checked_names(names: Sequence[str] | None) -> list[str]:
    given = [] if names is None else [names] if isinstance(names, str) else list(names)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"names: must be texts; got {name!r}")
    times = Counter(given)
    for name in given:
        if times[name] > 1 or name in ("", "lp__"):
            raise ValueError(f"names: must be different, not empty and not lp__; got {name!r}")
        if "\0" in name or _surrogate(name):
            raise ValueError(f"names: must be texts that a file can hold; got {name!r}")
    return given


def _surrogate(name: str) -> bool:
    """Whether it stands for bytes that are no text."""
    return any("\ud800" <= letter <= "\udfff" for letter in name)


def _dimension(own: int | None, asked: int | None, names: Sequence[str]) -> int:
    known = {whole("dim", d, 1) for d in (own, asked) if d is not None}
    if names and known - {len(names)}:
        raise ValueError(
            f"names: must be {min(known)}, one for each dimension (dim); got {len(names)}"
        )
    known |= {len(names)} if names else set()
    if not known:
        raise ValueError(
            "dim: must be given for this target, unless start is an (N, d) array; a NumPyro model "
            "needs starling.from_numpyro(model, ...)"
        )
    if len(known) > 1:
        raise ValueError(f"dim: must be one number; got {' and '.join(map(str, sorted(known)))}")
    return known.pop()
