"""What the positions of a target mean: draws that are made of them, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .constraints import Constraint, NumpyMath, Real, shape_of
from .functions import checked_names

MANY = 512  # positions at a time, where each gives many numbers


class Space:
    """How draws are made of positions. `names` are those of a position's numbers, `shapes` those of
    the variables of a draw. A model also says which dimensions they have (`dims`, `coords`),
    what was observed, and how likely that is."""

    names: list[str]
    shapes: dict[str, tuple[int, ...]]
    dims: Mapping[str, tuple[str, ...]] = {}
    coords: Mapping[str, Any] = {}
    observed_data: Mapping[str, Any] = {}
    constant_data: Mapping[str, Any] = {}
    has_prior = False  # that can be drawn
    improper: Mapping[str, str] = {}  # variables whose prior has no integral, and that prior

    def variables(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Arrays of (N, ...), of positions (N, d)."""
        raise NotImplementedError

    def log_likelihood(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Of each observation, (N, ...); empty where it is not known apart."""
        return {}

    def prior(self, count: int, seed: int) -> np.ndarray:
        """Positions (count, d) that are drawn from the prior."""
        raise NotImplementedError

    def refuse_improper(self) -> None:
        """Where the log evidence is wanted."""
        for name, prior in self.improper.items():
            raise ValueError(
                f"evidence: {name} has the prior {prior}, which has no integral: the evidence would"
                " be known up to a factor that means nothing; give it a proper prior"
            )

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        """The positions of these draws."""
        raise TypeError("start: must be an (N, d) array or a result for this target; got a mapping")

    def within_bounds(self, parts: list[np.ndarray]) -> np.ndarray:
        """Positions, of parts side by side that must be numbers."""
        x = np.concatenate(parts, axis=1)
        for name, column in zip(self.names, x.T):
            if not np.isfinite(column).all():
                name = name.partition("[")[0]
                raise ValueError(f"start: {name} has values outside its bounds")
        return x

    def each(self, function: Any, random: bool) -> Any:
        """A function of the user's over draws, as one of positions: (x, seed of each) to arrays
        with a row for each position. None: it takes arrays of many draws as they are."""
        return None

    @property
    def columns(self) -> list[str]:
        """A name for each number of a draw."""
        return checked_names(
            [name for variable, shape in self.shapes.items() for name in numbered(variable, shape)]
        )

    def constrain(self, x: np.ndarray) -> np.ndarray:
        """Draws as columns, (N, K)."""
        made = self.variables(x)
        return np.concatenate(
            [
                np.asarray(made[name], dtype=np.float64).reshape(len(x), -1)
                for name in self.shapes
                if np.prod(self.shapes[name], dtype=int) > 0
            ],
            axis=1,
        )


class Parameters(Space):
    """Parameters by name, each with a constraint, one after another."""

    def __init__(self, parameters: Mapping[str, Any]):
        self.constraints = {
            name: _constraint(name, given) for name, given in _mapping(parameters).items()
        }
        self.shapes = {name: one.shape for name, one in self.constraints.items()}
        self.names = checked_names(
            [n for name, one in self.constraints.items() for n in numbered(name, one.free)]
        )
        self.columns  # names that clash come out now

    @property
    def dim(self) -> int:
        return len(self.names)

    def parts(self, x: Any) -> dict[str, Any]:
        """The free numbers of each parameter, of one position or of many."""
        made, begin = {}, 0
        for name, one in self.constraints.items():
            end = begin + int(np.prod(one.free, dtype=int))
            made[name] = x[..., begin:end].reshape((*x.shape[:-1], *one.free))
            begin = end
        return made

    def forward(self, x: Any, math: Any) -> tuple[dict[str, Any], Any]:
        """The parameters, and the log of the Jacobian's determinant."""
        values, total = {}, 0
        for name, y in self.parts(x).items():
            values[name], logs = self.constraints[name].forward(y, math)
            total = total + logs.reshape((*x.shape[:-1], -1)).sum(-1)
        return values, total

    def variables(self, x: np.ndarray) -> dict[str, np.ndarray]:
        return self.forward(x, NumpyMath)[0]

    def pull(self, x: np.ndarray, gradients: Mapping[str, Any]) -> np.ndarray:
        """Scores at positions (N, d), from gradients by the parameters."""
        missing = [name for name in self.shapes if name not in gradients]
        if missing:
            raise ValueError(
                f"target: must return a gradient for each parameter; got none for {missing[0]}"
            )
        pulled = []
        for name, y in self.parts(x).items():
            g, wanted = np.asarray(gradients[name]), (len(x), *self.shapes[name])
            if g.shape != wanted:
                raise ValueError(
                    f"target: must return a gradient of shape {in_letters(self.shapes[name])} for "
                    f"{name}, N = {len(x)}; got {g.shape}"
                )
            pulled.append(self.constraints[name].pull(y, g).reshape(len(x), -1))
        return np.concatenate(pulled, axis=1)

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        given = given_values(values, self.shapes)
        with np.errstate(all="ignore"):
            free = [one.inverse(given[name]) for name, one in self.constraints.items()]
        return self.within_bounds([part.reshape(len(part), -1) for part in free])


def given_values(
    values: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, np.ndarray]:
    """Those of each parameter, as arrays (N, ...)."""
    given: dict[str, np.ndarray] = {}
    for name, shape in shapes.items():
        if name not in values:
            raise ValueError(f"start: must have every parameter; got none for {name}")
        value = np.asarray(values[name], dtype=np.float64)
        first = next(iter(given.values()), value)
        if value.ndim < 1 or value.shape[1:] != shape or len(value) != len(first):
            raise ValueError(
                f"start: {name} must be of shape {in_letters(shape)}; got {value.shape}"
            )
        given[name] = value
    return given


def numbered(name: str, shape: tuple[int, ...]) -> list[str]:
    """b[0,0], b[0,1], ... as Python counts."""
    return [
        f"{name}[{','.join(map(str, index))}]" if shape else name for index in np.ndindex(*shape)
    ]


def in_letters(shape: tuple[int, ...]) -> str:
    return f"({', '.join(['N', *map(str, shape)])}{',' if not shape else ''})"


def in_batches(function: Any, x: np.ndarray) -> dict[str, np.ndarray]:
    """function(x), a few positions at a time."""
    parts = [function(x[first : first + MANY]) for first in range(0, len(x), MANY)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def is_shape(given: Any) -> bool:
    """A tuple of whole numbers."""
    return type(given) is tuple and all(isinstance(n, (int, np.integer)) for n in given)


def _mapping(parameters: Any) -> Mapping[str, Any]:
    if not isinstance(parameters, Mapping) or not parameters:
        raise TypeError(
            'parameters: must be a dictionary such as {"b": (3,), "sigma": starling.positive()}; '
            f"got {parameters!r}"
        )
    return parameters


def _constraint(name: str, given: Any) -> Constraint:
    if isinstance(given, Constraint):
        return given
    if is_shape(given):
        return Real(shape_of(given))
    raise TypeError(
        f"parameters: {name} must be a shape such as (3,) or a constraint such as "
        f"starling.positive(); got {given!r}"
    )
