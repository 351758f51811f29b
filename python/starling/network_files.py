"""A run of networks as it lies in a folder. Functions are not in it: load is given them again."""

from __future__ import annotations

import io
import json
import os
from typing import Any
from zipfile import BadZipFile

import numpy as np

from . import _starling
from .held_out_file import figures_of, look_of
from .likelihoods import saved_likelihood
from .network_arrays import arrays_of
from .network_data import Columns
from .network_result import NetworkResult
from .networks import Network
from .words import python_names_in_errors

TEXT, ARRAYS = "network.json", "network.npz"  # what can be read by eye, and the rest


class WeightsAlone:
    """The model of a file whose functions nobody gave: weights by name, and no predictions."""

    def __init__(self, names: list[str], shapes: list[tuple[int, ...]]):
        self.names, self.shapes = names, shapes
        self.dim = sum(int(np.prod(shape)) for shape in shapes)

    def trees(self, x: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(self.names, arrays_of(x, self.shapes)))

    def forward(self, *_: Any) -> np.ndarray:
        raise ValueError(
            "predict: functions are not in files; give the network again: load(folder, "
            "network=starling.from_jax_network(init, apply)), or from_torch_module(make)"
        )


def save(result: NetworkResult, folder: str | os.PathLike, force: bool) -> None:
    network, looks = result.network, result.looks
    about = dict(
        verdict=result.verdict,
        reason=result.reason,
        interrupted=result.interrupted,
        settings=result.settings,
        weights=list(zip(network.model.names, network.model.shapes)),
        outputs=network.model.outputs,
        likelihood=network.likelihood.saved(),
        inputs=network.inputs.saved(),
        looks=[figures_of(look) for look in looks],
    )
    stream = io.BytesIO()
    rows = np.array([look.rows for look in looks])
    np.savez(stream, particles=result.unconstrained, rows=rows)
    texts = {TEXT: json.dumps(about, indent=1).encode(), ARRAYS: stream.getvalue()}
    with python_names_in_errors():
        _starling.write_texts(texts, folder, force)


def is_network(path: str | os.PathLike) -> bool:
    return os.path.isfile(os.path.join(os.fsdecode(path), TEXT))


def read(path: str | os.PathLike, network: Network | None) -> NetworkResult:
    if not (network is None or isinstance(network, Network)):
        raise TypeError(
            "network: must be one of from_jax_network or from_torch_module; got "
            + type(network).__name__
        )
    folder = os.fsdecode(path)
    try:
        with open(os.path.join(folder, TEXT), "rb") as stream:
            about = json.load(stream)
        with np.load(os.path.join(folder, ARRAYS), allow_pickle=False) as arrays:
            particles, rows = arrays["particles"], arrays["rows"]
        alone = WeightsAlone(
            [name for name, _ in about["weights"]],
            [tuple(shape) for _, shape in about["weights"]],
        )
        alone.outputs = about["outputs"]
        found = NetworkResult(
            Network.restored(
                alone, saved_likelihood(about["likelihood"]), Columns(*about["inputs"])
            ),
            particles,
            [look_of(figures, row) for figures, row in zip(about["looks"], rows)],
            (about["verdict"], about["reason"]),
            about["settings"],
            about["interrupted"],
        )
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise ValueError(f"{folder}: must be the folder of a run; got something else") from error
    return found if network is None else _with_functions(found, network)


def _with_functions(found: NetworkResult, network: Network) -> NetworkResult:
    saved, model = found.network, network.model
    if (model.names, model.shapes) != (saved.model.names, saved.model.shapes):
        raise ValueError(
            f"network: must have the weights of the run, {_listed(saved.model)}; got "
            + _listed(model)
        )
    model.outputs = saved.model.outputs
    found._network = Network.restored(model, saved.likelihood, saved.inputs)
    return found


def _listed(model: Any) -> str:
    return ", ".join(f"{name} {list(shape)}" for name, shape in zip(model.names, model.shapes))
