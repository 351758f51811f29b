"""A step of a network in JAX: rows, gradient, kernel, prior and Adam as one program of XLA.

network_steps.py has the same step in NumPy and the engine, as the formulas read: the twin that
tests compare with."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .jax_philox import normals
from .network_drift import of_predictions
from .network_groups import Groups
from .network_rule import FADE, FADE_SQUARE, FLOOR


class State(NamedTuple):
    """The weights, an array for each of the network's with particles first, and what the likelihood
    and the prior learn, (N, numbers); Adam's fading means of drifts and of their squares."""

    x: tuple[list, Any]
    mean: tuple[list, Any]
    square: tuple[list, Any]


class Run(NamedTuple):
    """What stays the same in all steps of a run."""

    units: list  # the prior's sd of each array
    anchors: list  # the draws that particles are pulled to; empty with a prior of the user's own
    key: Any  # the seed's low and high 32 bits
    temperature: Any


class Rows(NamedTuple):
    """Of some steps: what they read, and how far they go."""

    inputs: Any
    observed: Any
    parts: Any
    places: Any  # (steps, rows of a step) in inputs
    sizes: Any  # (steps, 2): the step size and the correction of Adam's squares
    first: Any
    count: Any


class Program:
    """Compiled once for a network, for steps with the kernel and for steps alone, with noise."""

    def __init__(self, model: Any, likelihood: Any, rows_for_one: float, prior_weight: float):
        import jax

        self._jax, self._model, self._likelihood = jax, model, likelihood
        self._own = likelihood.start(1).shape[1]
        self._rows_for_one = np.float32(rows_for_one)
        self._prior_weight = np.float32(prior_weight)
        compiled = partial(jax.jit, static_argnums=0, donate_argnums=1)
        self.together = compiled(lambda *given: self._steps(False, *given))
        self.alone = compiled(lambda *given: self._steps(True, *given))

    def _steps(self, alone: bool, groups: Groups, state: State, run: Run, rows: Rows) -> tuple:
        """After rows.count steps, or at the first whose predictions are not finite: the state, how
        many steps were taken, and which particles predict finite numbers."""
        jnp = self._jax.numpy

        def more(carry: tuple) -> Any:
            k, _, finite = carry
            return (k < rows.count) & jnp.all(finite)

        def step(carry: tuple) -> tuple:
            k, state, _ = carry
            places = rows.places[k]
            seen = rows.inputs[places], rows.observed[places], rows.parts[places]
            drift, finite = self._drift(alone, groups, state.x, run, *seen)
            move = self._langevin if alone else self._adam
            return k + 1, move(state, drift, run, rows.first + k, rows.sizes[k]), finite

        finite = jnp.ones(len(state.x[1]), bool)
        return self._jax.lax.while_loop(more, step, (jnp.int32(0), state, finite))

    def _drift(
        self,
        alone: bool,
        groups: Groups,
        x: tuple,
        run: Run,
        inputs: Any,
        observed: Any,
        parts: Any,
    ) -> tuple:
        jax, jnp = self._jax, self._jax.numpy
        arrays, others = x
        own, learned = self.parts(others)
        outputs, back = jax.vjp(
            lambda arrays: jax.vmap(self._model.outputs_of, (0, None))(arrays, inputs), arrays
        )
        psi, of_own = of_predictions(
            self._likelihood, groups, alone, outputs, own, observed, groups.left_out(parts)
        )
        of_own = self._rows_for_one * of_own - own
        (slopes,) = back(psi * self._rows_for_one)
        if self._model.has_prior:
            own_prior = self._model.prior_slopes(arrays)
            drifts = [
                unit * (slope + self._prior_weight * prior)
                for unit, slope, prior in zip(run.units, slopes, own_prior)
            ]
            of_learned = learned
        else:
            drifts, of_learned = self._usual_prior(alone, arrays, learned, slopes, run)
        finite = jnp.all(jnp.isfinite(outputs), axis=(1, 2))
        return (drifts, jnp.concatenate([of_own, of_learned], axis=1)), finite

    def parts(self, others: Any) -> tuple:
        """What the likelihood and what the prior learn."""
        return others[:, : self._own], others[:, self._own :]

    def _usual_prior(self, alone: bool, arrays: list, learned: Any, slopes: list, run: Run):
        """UsualPrior.slopes, added to the slopes of the likelihood."""
        jnp = self._jax.numpy
        s = jnp.exp(jnp.clip(learned[0], -10, 10))
        pull = self._prior_weight / s**2
        drifts = [
            slope * unit + ((0 if alone else s[n] * run.anchors[n]) - w / unit) * pull[n]
            for n, (w, slope, unit) in enumerate(zip(arrays, slopes, run.units))
        ]
        squares = jnp.stack([jnp.vdot(w, w) for w in arrays])
        sizes = np.array([w[0].size for w in arrays], np.float32)
        return drifts, squares / (jnp.stack(run.units) * s) ** 2 / len(learned) - sizes - learned

    def _adam(self, state: State, drift: tuple, run: Run, k: Any, sizes: Any) -> State:
        jnp, eta, correction = self._jax.numpy, *sizes
        fresh, fresh_square = np.float32(1 - FADE), np.float32(1 - FADE_SQUARE)
        mean = self._of_all(lambda m, g: np.float32(FADE) * m + fresh * g, state.mean, drift)
        square = self._of_all(
            lambda m, g: np.float32(FADE_SQUARE) * m + fresh_square * (g * g), state.square, drift
        )
        by = self._of_all(
            lambda m, q: eta * m / (jnp.sqrt(q * correction) + np.float32(FLOOR)), mean, square
        )
        return State(self._moved(state.x, by, run), mean, square)

    def _langevin(self, state: State, drift: tuple, run: Run, k: Any, sizes: Any) -> State:
        """Stochastic SVGD in batches of one, include/starling/advance/langevin_step.hpp."""
        jnp, eta, correction = self._jax.numpy, *sizes
        mobility = self._of_all(lambda q: eta / (jnp.sqrt(q * correction) + 1), state.square)
        by = self._of_all(lambda m, g: m * g, mobility, drift)
        count, others = state.x[1].shape
        drawn = normals(run.key, k, count, self._model.dim + others)[:, : self._model.dim]
        for n, (z, m) in enumerate(zip(self._model.arrays(drawn), mobility[0])):
            by[0][n] += jnp.sqrt(2 * run.temperature * m) * z
        return State(self._moved(state.x, by, run), state.mean, state.square)

    def _moved(self, x: tuple, by: tuple, run: Run) -> tuple:
        arrays = [w + unit * move for w, move, unit in zip(x[0], by[0], run.units)]
        return arrays, x[1] + by[1]

    def _of_all(self, function: Any, *trees: Any) -> Any:
        return self._jax.tree_util.tree_map(function, *trees)
