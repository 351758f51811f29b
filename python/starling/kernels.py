"""Kernels, composed from the built-in ones: gaussian() + 0.1 * polynomial(a=1, m=2).

A function for each kernel of the engine's table, with its settings as arguments:
help(starling.kernels.polynomial)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from . import _starling
from .tables import TABLES, constructor, missing, python_name


@dataclass(frozen=True)
class Kernel:
    """A sum of built-in kernels, as the command line writes it."""

    text: str
    __array_ufunc__ = None  # a weight may be a number of NumPy's

    def __add__(self, other: Kernel) -> Kernel:
        if not isinstance(other, Kernel):
            return NotImplemented
        return Kernel(f"{self.text}+{other.text}")

    def __rmul__(self, weight: float) -> Kernel:
        if not isinstance(weight, Real):
            return NotImplemented
        if "+" in self.text or "*" in self.text:
            raise ValueError(
                "kernel: a sum, or a term with a weight, takes no further weight; give each term "
                "its own"
            )
        return Kernel(f"{float(weight)!r}*{self.text}")

    def __str__(self) -> str:
        return self.text


def _kernel(entry: dict[str, Any]) -> Callable[..., Kernel]:
    names = {python_name(setting["name"]): setting["name"] for setting in entry["settings"]}

    def make(given: dict[str, Any]) -> Kernel:
        for name, value in given.items():
            if not isinstance(value, Real):
                raise ValueError(f"kernel {entry['name']}, {name}: must be a number; got {value!r}")
        settings = ",".join(f"{names[name]}={value}" for name, value in given.items())
        text = f"{entry['name']}:{settings}" if settings else entry["name"]
        _starling.check_kernel(text)
        return Kernel(text)

    return constructor(__name__, "kernel", entry, make, [], "Kernel")


_made = {python_name(entry["name"]): _kernel(entry) for entry in TABLES["kernels"]}
globals().update(_made)
__all__ = ["Kernel", *_made]


def __dir__() -> list[str]:
    return __all__


def __getattr__(
    name: str,
) -> Callable[..., Kernel]:  # for type checkers, and for a name that is wrong
    raise missing(__name__, name, __all__)
