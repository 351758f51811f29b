"""Networks in PyTorch: weights as a vector, forward and backward over all particles."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .network_arrays import arrays_of


class TorchModel:
    """What Network asks of a framework, for PyTorch, by torch.func."""

    compiles = False  # its steps are plain Python, torch_network_loop.py

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
        self.device = next(iter(own.values())).device
        #: Outputs of arrays with particles first, for the same rows.
        self.over = torch.vmap(self._outputs, (0, None), randomness="different")
        self.has_prior = log_prior is not None
        if self.has_prior:
            self.log_priors = torch.vmap(lambda arrays: log_prior(self._by_name(arrays)))
            self._slope = torch.vmap(
                torch.func.grad(lambda w: log_prior(self._by_name(self.arrays(w))))
            )

    @property
    def loop(self) -> type:
        from .torch_network_loop import Loop

        return Loop

    def put(self, numbers: Any) -> Any:
        """On the device of the module."""
        return self._torch.as_tensor(numbers, device=self.device)

    def bring(self, inputs: np.ndarray) -> None:
        """The rows to learn from."""
        self.data = self.put(inputs)

    def count_outputs(self, inputs: np.ndarray) -> None:
        w = self.put(self._vector(self._module))
        with self._torch.no_grad():
            self.outputs = int(self._outputs(self.arrays(w), self.put(inputs)).shape[1])

    def arrays(self, w: Any) -> list:
        """Those that are learned, out of one vector or of a vector in each row."""
        return arrays_of(w, self.shapes)

    def trees(self, x: np.ndarray) -> list:
        """A module for each particle."""
        modules = []
        for row in self._torch.as_tensor(x):
            module = copy.deepcopy(self._module)
            with self._torch.no_grad():
                for name, value in self._by_name(self.arrays(row)).items():
                    module.get_parameter(name).copy_(value)
            modules.append(module)
        return modules

    def start(self, particles: int, seed: int) -> np.ndarray:
        gpu = [] if self.device.type == "cpu" else [self.device]
        with self._torch.random.fork_rng(devices=gpu):
            self._torch.manual_seed(seed)
            return np.stack([self._vector(self._make()).numpy() for _ in range(particles)])

    def prior_slope(self, x: np.ndarray) -> np.ndarray:
        return self._slope(self._tensor(x)).cpu().numpy()

    def forward(self, x: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        with self._torch.no_grad():
            return self.over(self.arrays(self._tensor(x)), self.put(inputs)).cpu().numpy()

    def forward_rows(self, x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, Callable]:
        """Outputs, and the way back: what drifts of them are as drifts of x."""
        w = self._tensor(x).requires_grad_(True)
        made = self.over(self.arrays(w), self.data[rows])

        def back(psi: np.ndarray) -> np.ndarray:
            return self._torch.autograd.grad(made, w, self._tensor(psi))[0].cpu().numpy()

        return made.detach().cpu().numpy(), back

    def _outputs(self, arrays: list, inputs: Any) -> Any:
        made = self._torch.func.functional_call(self._module, self._by_name(arrays), (inputs,))
        if made.shape[:1] != inputs.shape[:1]:
            raise ValueError(
                f"make: the module must return a row for each of {len(inputs)} rows; got "
                f"{tuple(made.shape)}"
            )
        return made.reshape(len(inputs), -1).float()

    def _by_name(self, arrays: list) -> dict[str, Any]:
        return dict(zip(self.names, arrays))

    def _vector(self, module: Any) -> Any:
        own = (module.get_parameter(name) for name in self.names)
        return self._torch.cat([p.detach().float().ravel() for p in own]).cpu()

    def _tensor(self, x: np.ndarray) -> Any:
        return self.put(np.array(x, np.float32))  # its own: x belongs to the engine
