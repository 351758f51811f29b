"""Is a gradient that of its log density? check() compares it with differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .functions import Function, Target, whole
from .targets import as_target

MOST = 200  # coordinates that check() tries
SHOWN = 6  # numbers of a point in a sentence


class Check:
    """Gradients beside differences of the log density, at some points. `right` is None where
    nothing could be compared."""

    def __init__(
        self,
        names: list[str],
        gradient: np.ndarray,
        slope: np.ndarray,
        wrong: np.ndarray,
        points: np.ndarray,
        why_not: str = "",
    ):
        self.names, self.gradient, self.slope, self.wrong = names, gradient, slope, wrong
        self.right = False if wrong.any() else None if why_not else True
        self._why_not, self._points = why_not, points

    @property
    def sentence(self) -> str:
        lost = np.argwhere(self.wrong & ~np.isfinite(self.gradient))
        if len(lost):
            return self._no_number(*lost[0], more=len(lost) - 1)
        if self._why_not:
            return self._why_not
        if self.right:
            return "the gradient is the slope of the log density"
        scale = np.fmax(np.abs(self.gradient), np.abs(self.slope))
        off = [
            factor_or_pair(self.gradient[w, a], self.slope[w, a], scale[w, a])
            for a, w in enumerate(self.wrong.T)
            if w.any()
        ]
        return fault_in_words(
            [name for name, w in zip(self.names, self.wrong.T) if w.any()],
            off,
            int(np.isfinite(self.slope).any(axis=0).sum()),
        )

    def _no_number(self, point: int, parameter: int, more: int) -> str:
        """Of a gradient that is NaN or infinite, where the log density is a number."""
        at = ", ".join(f"{x:.4g}" for x in self._points[point, :SHOWN])
        rest = ", ..." if self._points.shape[1] > SHOWN else ""
        others = f"; {more} more {'is' if more == 1 else 'are'} none either" if more else ""
        return (
            f"the gradient of parameter {self.names[parameter]} is "
            f"{self.gradient[point, parameter]:g} at point {point + 1}, ({at}{rest}), where it "
            f"must be a number{others}"
        )

    def __bool__(self) -> bool:
        return self.right is not False

    def __repr__(self) -> str:
        lines = [f"{'parameter':<16} {'gradient':>14} {'slope':>14} {'difference':>12}"]
        error = np.where(np.isfinite(self.slope), np.abs(self.gradient - self.slope), -1)
        error[self.wrong] += np.nanmax(error, initial=1)  # those that count first
        worst = np.argmax(error, axis=0) if len(error) else []
        order = sorted(range(len(self.names)), key=lambda a: not self.wrong[:, a].any())
        for a in order[:20] if len(error) else []:
            g, s = self.gradient[worst[a], a], self.slope[worst[a], a]
            mark = "   wrong" if self.wrong[:, a].any() else ""
            lines.append(f"{self.names[a]:<16} {g:14.7g} {s:14.7g} {g - s:12.2g}{mark}")
        if len(self.names) > 20:
            lines.append(f"... and {len(self.names) - 20} more")
        return "\n".join([*lines, f"at {len(self.gradient)} points: {self.sentence}"])


def check(
    target: Any, *, dim: int | None = None, at: Any = None, points: int = 5, seed: int = 1
) -> Check:
    """Compares the gradient of a target with central differences of its log density.

    target, dim: as for sample. at: an (n, d) array of points; else `points` of them are drawn from
    N(0, 1). Print what comes back; `right` is True, False, or None where the target gives no log
    density or answers differently when asked twice."""
    own = as_target(target)
    if at is None:
        at = np.random.default_rng(seed).normal(size=(whole("points", points, 1), _dim(own, dim)))
    at = np.atleast_2d(np.asarray(at, dtype=np.float64))
    n, d = at.shape
    chosen = np.arange(d) if d <= MOST else np.linspace(0, d - 1, MOST).astype(int)
    evaluate, names = _evaluator(own, d)
    names = [names[a] for a in chosen]
    density, gradient = evaluate(at)
    # Where the density is a number, or is not known, the gradient must be numbers.
    known = np.ones(n, bool) if density is None or np.isnan(density).all() else np.isfinite(density)
    lost = ~np.isfinite(gradient[:, chosen]) & known[:, None]
    none = np.full((n, len(chosen)), np.nan), lost, at
    if density is None or np.isnan(density).all():
        return Check(
            names,
            gradient[:, chosen],
            *none,
            "the target gives no log density, so there is nothing to compare",
        )
    again = evaluate(at)
    same = dict(rtol=1e-8, equal_nan=True)  # data in another order give other last digits
    if not (
        np.allclose(again[0], density, **same)
        and np.allclose(again[1], gradient, atol=1e-8, **same)
    ):
        return Check(
            names,
            gradient[:, chosen],
            *none,
            "the target gives different answers for the same points, so nothing can be compared",
        )
    eps = rounding_of(density)
    step = np.cbrt(eps) * np.maximum(1, np.abs(at[:, chosen]))
    moved = np.repeat(at[:, None, :], 2 * len(chosen), axis=1)
    for k, a in enumerate(chosen):
        moved[:, 2 * k, a] += step[:, k]
        moved[:, 2 * k + 1, a] -= step[:, k]
    values = evaluate(moved.reshape(-1, d))[0].reshape(n, len(chosen), 2)
    up, down, here = values[..., 0], values[..., 1], density[:, None]
    with np.errstate(invalid="ignore", over="ignore"):
        width = (
            moved[:, 0::2][:, np.arange(len(chosen)), chosen]
            - moved[:, 1::2][:, np.arange(len(chosen)), chosen]
        )
        slope = (up - down) / width
        g = gradient[:, chosen]
        size = np.fmax(np.abs(g), np.abs(slope))
        noise = 50 * eps * np.fmax(np.abs(here), 1) / width
        sides = (
            np.abs((up - here) - (here - down)) * 2 / width
        )  # how much the slope changes: a kink, or a bend
        wrong = np.abs(g - slope) > 1e-4 * size + noise + sides
    slope[~np.isfinite(slope)] = np.nan
    return Check(names, g, slope, (wrong & np.isfinite(slope) & np.isfinite(g)) | lost, at)


def _dim(own: Target, dim: int | None) -> int:
    if dim is None:
        dim = getattr(own, "dim", None) or len(getattr(own, "names", ())) or None
    if dim is None and own.name != "guest":
        from .flight import Flight

        return len(Flight(own, particles=2, batch="all", steps=1).names)
    if dim is None:
        raise ValueError("dim: must be given for this target, unless at is an (n, d) array")
    return whole("dim", dim, 1)


def _evaluator(
    own: Target, d: int
) -> tuple[Callable[[np.ndarray], tuple[Any, np.ndarray]], list[str]]:
    """What gives (log densities or None, scores), and the names of the parameters."""
    from .flight import Flight

    seeds = iter(
        range(1, 1000)
    )  # another one each time: a target that sees a part of its data at a time shows it

    def flight_at(x: np.ndarray) -> Any:
        return Flight(
            own,
            dim=d if own.name in ("guest", "normal", "funnel") else None,
            start=x,
            batch="all",
            steps=1,
            seed=next(seeds),
        )

    def of_flight(x: np.ndarray) -> tuple[Any, np.ndarray]:
        rows = x if len(x) > 1 else np.repeat(x, 2, axis=0)  # a batch has two at least
        flight = flight_at(rows)
        density = flight._outcome().log_density
        return density[: len(x)], flight.step(1).scores[: len(x)]

    def of_function(x: np.ndarray) -> tuple[Any, np.ndarray]:
        returned = own(x.copy())
        density, scores = returned if isinstance(returned, tuple) else (None, returned)
        return None if density is None else np.asarray(density), np.asarray(
            scores, dtype=np.float64
        )

    names = flight_at(np.zeros((2, d))).names
    return (of_function if isinstance(own, Function) else of_flight), names


def rounding_of(density: np.ndarray) -> float:
    """Of the numbers that the density was computed in: single ones may come in a double array."""
    single = density.dtype.itemsize < 8 or np.array_equal(
        density, density.astype(np.float32), equal_nan=True
    )
    return float(np.finfo(np.float32 if single else np.float64).eps)


def factor_or_pair(gradient: np.ndarray, slope: np.ndarray, size: np.ndarray) -> Any:
    """The factor between both, if it is one number; else the pair that is farthest apart."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = gradient / slope
    middle = float(np.median(ratio))
    if np.isfinite(ratio).all() and np.ptp(ratio) <= 0.1 * max(abs(middle), 0.1) and len(ratio) > 1:
        return middle
    worst = int(np.argmax(np.abs(gradient - slope) / size))
    return float(gradient[worst]), float(slope[worst])


def fault_in_words(names: list[str], off: list[Any], tried: int) -> str:
    """What is wrong, in words: the first parameter, or all of them by one factor."""
    if not isinstance(off[0], float):
        more = f", and {len(names) - 1} more are wrong" if len(names) > 1 else ""
        return (
            f"the gradient of parameter {names[0]} is not the slope of the log density: "
            f"{off[0][0]:.4g} where that is {off[0][1]:.4g}{more}"
        )
    factor = f"{off[0]:.3g} times the slope of the log density" + (
        ": its sign is wrong" if off[0] < 0 else ""
    )
    same = all(
        isinstance(one, float) and abs(one - off[0]) <= 0.05 * max(abs(off[0]), 0.1) for one in off
    )
    if len(names) > 1 and same and len(names) == tried:
        return f"the gradient is {factor}, in every parameter"
    more = f", and {len(names) - 1} more are wrong" if len(names) > 1 else ""
    return f"the gradient of parameter {names[0]} is {factor}{more}"
