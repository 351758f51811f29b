"""Kernels, composed from the built-in ones: gaussian() + 0.1 * polynomial(a=1, m=2)."""
from __future__ import annotations

from dataclasses import dataclass
from numbers import Real


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
            raise ValueError("kernel: must be weighted term by term; got a sum or a term with a weight")
        return Kernel(f"{float(weight)!r}*{self.text}")

    def __str__(self) -> str:
        return self.text


def _named(name: str, **settings: float) -> Kernel:
    given = ",".join(f"{key}={value}" for key, value in settings.items() if value is not None)
    return Kernel(f"{name}:{given}" if given else name)


def gaussian() -> Kernel:
    """exp(-r^2 / 2h)."""
    return Kernel("gaussian")


def gaussian_paper() -> Kernel:
    """exp(-r^2 / 2h) / sqrt(2 pi h), as the paper has it."""
    return Kernel("gaussian-paper")


def imq() -> Kernel:
    """The inverse multiquadric (1 + r^2 / 2h)^(-1/2)."""
    return Kernel("imq")


def matern32() -> Kernel:
    """Matern, once differentiable."""
    return Kernel("matern32")


def matern52() -> Kernel:
    """Matern, twice differentiable."""
    return Kernel("matern52")


def polynomial(a: float | None = None, m: int | None = None) -> Kernel:
    """(a x.y + 1)^m."""
    return _named("polynomial", a=a, m=m)


def bilinear() -> Kernel:
    """(1 + (x - m).(y - m)) / d, m the mean of the cloud: exact over all particles, whatever the batches."""
    return Kernel("bilinear")


def sinc(a: float | None = None) -> Kernel:
    """sin(a r) / (pi r), in one dimension."""
    return _named("sinc", a=a)


def riesz(a: float | None = None) -> Kernel:
    """1 / r^a: singular, for pairs and the splitting."""
    return _named("riesz", a=a)


def riesz_smooth(a: float | None = None, s: float | None = None) -> Kernel:
    """1 / r^a mollified by N(0, s^2)."""
    return _named("riesz-smooth", a=a, s=s)
