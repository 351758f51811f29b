"""A step of a network in PyTorch: weights are leaves of autograd, and PyTorch's Adam moves them.

network_steps.py has the same step in NumPy and the engine, as the formulas read: the twin that
tests compare with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch.optim.adam import adam

from .network_drift import of_predictions
from .network_rule import FADE, FADE_SQUARE, FLOOR, fall
from .network_steps import Steps
from .torch_philox import normals


FUSED_ON_A_CPU = (2, 4)  # from this version of PyTorch on; without it Adam differs by rounding


class Particles:
    """The weights, an array for each of the network's with particles first, and what the likelihood
    and the prior learn, (N, numbers): on the device of the module."""

    def __init__(self, work: Steps, step_size: float, total: int, seed: int, temperature: float):
        network, prior = work.network, work.prior
        self._model, self._likelihood = network.model, network.likelihood
        self._step_size, self._total, self._seed = step_size, total, seed
        self._temperature, self._noise_from = temperature, work.noise_from
        self._groups, self._prior_weight = work.groups, network.prior_weight
        self._rows_for_one = network.data.rows / network.data.batch
        weights, own, learned = work.parts(work.start)
        put, self._own = network.model.put, own.shape[1]
        self._arrays = self._as_slopes_lie(weights, network.data.first)
        self._others = put(np.concatenate([own, learned], axis=1))
        #: All that moves, as it lies in memory; its slopes of the log posterior; what Adam has.
        self._moved = [_in_a_row(one) for one in (*self._arrays, self._others)]
        self._slopes: list = []
        self._means, self._squares = ([torch.zeros_like(x) for x in self._moved] for _ in range(2))
        device = self._others.device
        self._counts = [torch.zeros((), dtype=torch.float32, device=device) for _ in self._moved]
        self._fused = device.type != "cpu" or _version() >= FUSED_ON_A_CPU
        if not self._model.has_prior:
            self._anchors = self._like_weights(put(prior.anchors * prior.unit))
            self._sds = put(prior.units)
            self._sizes = put(np.array([w[0].numel() for w in self._arrays], np.float32))
        self._units, self._by_unit = prior.units.tolist(), {}
        for n, unit in enumerate((*self._units, 1.0)):
            self._by_unit.setdefault(unit, []).append(n)
        self._mobilities: list = []

    def numbers(self) -> Any:
        """Weights and what the likelihood has learned, (N, numbers)."""
        flat = [w.detach().reshape(len(w), -1) for w in self._arrays]
        return torch.cat([*flat, self._others[:, : self._own]], 1)

    def drift(self, k: int, inputs: Any, observed: Any, left_out: Any) -> Any:
        """What is predicted. Step k moves by the slopes that this finds."""
        alone = k >= self._noise_from
        with torch.enable_grad():
            outputs = self._model.over(self._arrays, inputs)
            log_priors = [self._model.log_priors(self._arrays)] if self._model.has_prior else []
            log_priors = [one for one in log_priors if one.requires_grad]  # one may be flat
        with torch.no_grad():
            own = self._others[:, : self._own]
            predicted = outputs.detach()
            seen = predicted, own, observed, left_out
            psi, of_own = of_predictions(self._likelihood, self._groups, alone, *seen, at_once=True)
            along = [psi * self._rows_for_one]
            along += [torch.full_like(one, self._prior_weight) for one in log_priors]
            self._slopes = self._back([outputs, *log_priors], along)
            of_others = [self._rows_for_one * of_own - own]
            if not self._model.has_prior:
                of_others.append(self._usual_prior(alone))
            self._slopes.append(torch.cat(of_others, 1).view(-1))
            return predicted

    def move(self, k: int) -> None:
        eta = self._step_size * fall(k, self._total)
        if k >= self._noise_from:
            self._langevin(k, eta)
            return
        for unit, some in self._by_unit.items():
            self._adam(eta, unit, some)

    def _back(self, roots: list, along: list) -> list:
        """Slopes of the weights, as they lie in memory, each in a memory of its own."""
        grad, made, places = torch.autograd.grad, [], set()
        slopes = grad(roots, self._arrays, along, materialize_grads=True)
        for w, slope in zip(self._arrays, slopes):
            place = slope.untyped_storage().data_ptr()
            if place in places or slope.stride() != w.stride():  # two may be one for autograd
                slope = torch.empty_like(w).copy_(slope)
            places.add(place)
            made.append(_in_a_row(slope))
        return made

    def _as_slopes_lie(self, weights: np.ndarray, inputs: np.ndarray) -> list:
        """The weights as leaves, with the strides of their slopes, so that both can be read in a
        row: backward of a product gives the slopes of a matrix by columns."""
        put = self._model.put
        arrays = [put(part).requires_grad_() for part in self._model.arrays(weights)]
        with torch.enable_grad():
            outputs = self._model.over(arrays, put(inputs))
            zeros = torch.zeros_like(outputs)
            slopes = torch.autograd.grad(outputs, arrays, zeros, materialize_grads=True)
        pairs = zip(arrays, slopes)
        return [torch.empty_like(s).copy_(w.detach()).requires_grad_() for w, s in pairs]

    def _like_weights(self, numbers: Any) -> list:
        """(N, dim) as weights lie in memory."""
        pairs = zip(self._arrays, self._model.arrays(numbers[:, : self._model.dim]))
        return [_in_a_row(torch.empty_like(w).copy_(one)) for w, one in pairs]

    def _usual_prior(self, alone: bool) -> Any:
        """UsualPrior.slopes, added to those of the likelihood. What moves log s."""
        log_s = self._others[:, self._own :]
        s = torch.exp(torch.clip(log_s[0], -10, 10))
        precisions, squares = (s * self._sds) ** -2, []
        pull = precisions * self._prior_weight
        terms = self._slopes, self._moved, self._anchors, (s * pull).unbind(), (-pull).unbind()
        for slope, w, anchor, near, back in zip(*terms):
            if not alone:
                slope.addcmul_(anchor, near)
            slope.addcmul_(w, back)
            squares.append(torch.dot(w, w))
        return torch.stack(squares) * precisions / len(log_s) - self._sizes - log_s

    def _adam(self, eta: float, unit: float, some: list[int]) -> None:
        """In units of the prior's sd a weight is w / unit, and its slope is unit times as large. So
        its step is unit times as large, and Adam's floor is one over that."""
        of = [self._moved, self._slopes, self._means, self._squares, [], self._counts]
        adam(
            *([column[n] for n in some if column] for column in of),
            lr=eta * unit,
            eps=FLOOR / unit,
            beta1=FADE,
            beta2=FADE_SQUARE,
            weight_decay=0.0,
            amsgrad=False,
            maximize=True,
            fused=self._fused,
        )

    def _langevin(self, k: int, eta: float) -> None:
        """Stochastic SVGD in batches of one, include/starling/advance/langevin_step.hpp."""
        if not self._mobilities:
            self._mobilities = self._left_by_adam()
        count, others = self._others.shape
        drawn = normals(self._seed, k, count, self._model.dim + others, self._others.device)
        size = math.sqrt(2 * self._temperature * eta)
        for one, mobility, slope in zip(self._moved, self._mobilities, self._slopes):
            one.addcmul_(mobility, slope, value=eta)
        for w, mobility, z in zip(self._moved, self._mobilities, self._like_weights(drawn)):
            w.addcmul_(mobility.sqrt(), z, value=size)

    def _left_by_adam(self) -> list:
        """The mobilities over eta, from the mean squares that Adam came to remember."""
        left, units = 1 - FADE_SQUARE**self._noise_from, (*self._units, 1.0)
        return [
            1 / ((square / left).sqrt() / unit + 1 / unit**2)
            for square, unit in zip(self._squares, units)
        ]


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in torch.__version__.split(".")[:2])


def _in_a_row(array: Any) -> Any:
    """The same numbers, as they lie in memory without gaps."""
    return array.detach().as_strided((array.numel(),), (1,))
