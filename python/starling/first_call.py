"""The look at a gradient that sample() takes when a function is first called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._starling import TargetError
from .gradients import MOST, factor_or_pair, fault_in_words, rounding_of

LOOSE = 0.1  # of the slope: gradients by differences, or in single precision, are nearer
FEW = 8  # rows that are too few for a look


class FirstCallCheck:
    """A function whose gradient is looked at when it is first called: three calls more, at the same
    particles and a little beside them; where it is called with few of them, as a scout does, these
    are taken again and again, until each coordinate has one. The draws are those of the function
    alone, unless it keeps a state of its own."""

    def __init__(self, function: Callable, names: list[str]):
        self._function, self._names, self._due = function, names, True

    def __call__(self, x: np.ndarray) -> Any:
        if not self._due:
            return self._function(x)
        self._due = False
        here = x.copy()  # a function may write to its argument
        returned = self._function(x)
        if isinstance(returned, tuple) and len(returned) == 2 and len(here):
            d = here.shape[1]
            names = self._names or (["x"] if d == 1 else [f"x[{a + 1}]" for a in range(d)])
            answer = returned
            if len(here) < FEW:
                here = np.resize(here, (min(max(2 * d, FEW), MOST), d))
                answer = self._tried(here)
            wrong = (
                gradient_fault(self._function, here, answer, names)
                if isinstance(answer, tuple)
                else ""
            )
            if wrong:
                raise TargetError(
                    f"target: {wrong}; starling.check(target) shows more, check=False runs it as "
                    "it is"
                )
        return returned

    def _tried(self, x: np.ndarray) -> Any:
        """What it answers, or nothing if that fails: the run itself will say so."""
        try:
            return self._function(x.copy())
        except Exception:
            return None

    def __reduce__(self) -> Any:
        return _unchecked, (self._function,)


def _unchecked(function: Callable) -> Callable:
    return function


def gradient_fault(function: Callable, x: np.ndarray, returned: tuple, names: list[str]) -> str:
    """What is wrong with the gradient; nothing if it is right or not known.

    Particle i is moved along coordinate i mod d, a thousandth of the cloud's width to either side.
    Simpson's rule on the three scores says how much the density should rise. A particle counts only
    where the density rises alike on both sides and by far more than rounding: no kink, no jump, no
    noise between calls. Nothing is said unless half of all particles count and the target answers
    the same when asked again."""
    try:
        lp, s = (np.array(part, dtype=None) for part in returned)
        n, d = x.shape
        if lp.shape != (n,) or s.shape != (n, d) or lp.dtype.kind != "f" or s.dtype.kind not in "f":
            return ""
        finite = np.isfinite(lp)
        eps = rounding_of(lp[finite]) if finite.any() else 0
        if x.dtype == np.float32 or s.dtype.itemsize < 8:
            eps = max(eps, float(np.finfo(np.float32).eps))
        rows, along = (
            np.arange(n),
            np.arange(n) % d if n >= d else np.linspace(0, d - 1, n).astype(int),
        )
        width = x.std(axis=0, dtype=np.float64)
        width = np.where(
            width > 1e-9 * np.abs(x[0]), width, 1e-3 * np.maximum(1, np.abs(x[0]))
        )  # rows may be alike
        step = (1e-3 if eps < 1e-10 else 1e-2) * width[along]
        sides = []
        for sign in (1, -1):
            moved = x.copy()
            moved[rows, along] = (x[rows, along] + sign * step).astype(
                np.float32 if eps > 1e-10 else x.dtype
            )
            at = moved[rows, along].astype(np.float64)
            density, scores = function(moved)
            sides.append(
                (
                    at,
                    np.asarray(density, dtype=np.float64),
                    np.asarray(scores, np.float64)[rows, along],
                )
            )
        again = function(x.copy())
        if not all(
            np.array_equal(a, np.asarray(b), equal_nan=True) for a, b in zip((lp, s), again)
        ):
            return ""
    except Exception:  # the engine will say what is wrong with what it returns
        return ""
    (above, up, s_up), (below, down, s_down) = sides
    here, s_here, lp = (
        x[rows, along].astype(np.float64),
        s[rows, along].astype(np.float64),
        lp.astype(np.float64),
    )
    with np.errstate(all="ignore"):
        rise, foreseen = up - down, (above - below) / 6 * (s_down + 4 * s_here + s_up)
        size = np.fmax(np.abs(rise), np.abs(foreseen))
        even = np.abs((above - here) - (here - below)) <= 0.02 * (above - below)
        alike = np.abs((up - lp) - (lp - down)) <= 0.1 * size
        clear = size > 1000 * eps * np.fmax(np.abs(lp), np.fmax(np.abs(up), np.abs(down)))
        counts = even & alike & clear & (above > below) & np.isfinite(size)
        wrong = counts & (np.abs(rise - foreseen) > LOOSE * size)
    if counts.sum() < max(2, n / 2) or wrong.sum() < 2:
        return ""
    bad = [
        a
        for a in np.unique(along[wrong])
        if 4 * wrong[along == a].sum() >= 3 * counts[along == a].sum()
    ]
    if not bad:
        return ""
    width = above - below
    off = [
        factor_or_pair((foreseen / width)[w], (rise / width)[w], (size / width)[w])
        for w in (wrong & (along == a) for a in bad)
    ]
    return fault_in_words([names[a] for a in bad], off, len(np.unique(along[counts])))
