"""Networks in PyTorch: weights as a vector, forward and backward over all particles."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np


class TorchModel:
    """What Network asks of a framework, for PyTorch, by torch.func."""

    in_one_program = False

    def __init__(self, make: Callable, log_prior: Callable | None):
        import torch

        self._torch, self._make = torch, make
        self._module = make()
        if not isinstance(self._module, torch.nn.Module):
            raise TypeError(
                f"make: must return a torch.nn.Module; got {type(self._module).__name__}"
            )
        own = {name: p for name, p in self._module.named_parameters() if p.requires_grad}
        if not own:
            raise ValueError("make: must leave parameters to learn; got none with requires_grad")
        self.names = list(own)
        self.shapes = [tuple(value.shape) for value in own.values()]
        self.dim = sum(int(np.prod(shape)) for shape in self.shapes)
        self._over = torch.vmap(self._outputs, (0, None), randomness="different")
        self.has_prior = log_prior is not None
        if self.has_prior:
            self._slope = torch.vmap(torch.func.grad(lambda w: log_prior(self._by_name(w))))

    def bring(self, inputs: np.ndarray) -> None:
        """The rows to learn from."""
        self._data = self._torch.as_tensor(inputs)

    def count_outputs(self, inputs: np.ndarray) -> None:
        with self._torch.no_grad():
            made = self._outputs(self._vector(self._module), self._torch.as_tensor(inputs))
        self.outputs = int(made.shape[1])

    def trees(self, x: np.ndarray) -> list:
        """A module for each particle."""
        modules = []
        for row in self._torch.as_tensor(x):
            module = copy.deepcopy(self._module)
            with self._torch.no_grad():
                for name, value in self._by_name(row).items():
                    module.get_parameter(name).copy_(value)
            modules.append(module)
        return modules

    def start(self, particles: int, seed: int) -> np.ndarray:
        with self._torch.random.fork_rng(devices=[]):
            self._torch.manual_seed(seed)
            return np.stack([self._vector(self._make()).numpy() for _ in range(particles)])

    def prior_slope(self, x: np.ndarray) -> np.ndarray:
        return self._slope(self._tensor(x)).numpy()

    def forward(self, x: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        with self._torch.no_grad():
            return self._over(self._tensor(x), self._torch.as_tensor(inputs)).numpy()

    def forward_rows(self, x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, Callable]:
        """Outputs, and the way back: what drifts of them are as drifts of x."""
        w = self._tensor(x).requires_grad_(True)
        made = self._over(w, self._data[rows])

        def back(psi: np.ndarray) -> np.ndarray:
            return self._torch.autograd.grad(made, w, self._tensor(psi))[0].numpy()

        return made.detach().numpy(), back

    def _outputs(self, w: Any, inputs: Any) -> Any:
        made = self._torch.func.functional_call(self._module, self._by_name(w), (inputs,))
        if made.shape[:1] != inputs.shape[:1]:
            raise ValueError(
                f"make: the module must return a row for each of {len(inputs)} rows; got "
                f"{tuple(made.shape)}"
            )
        return made.reshape(len(inputs), -1)

    def _by_name(self, w: Any) -> dict[str, Any]:
        values, at = {}, 0
        for name, shape in zip(self.names, self.shapes):
            size = int(np.prod(shape))
            values[name] = w[at : at + size].reshape(shape)
            at += size
        return values

    def _vector(self, module: Any) -> Any:
        own = (module.get_parameter(name) for name in self.names)
        return self._torch.cat([p.detach().float().ravel() for p in own])

    def _tensor(self, x: np.ndarray) -> Any:
        return self._torch.from_numpy(np.array(x, np.float32))  # its own: x belongs to the engine
