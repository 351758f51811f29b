"""A run as it lies in files: read back into what sample gives, and written again."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from typing import Any
from zipfile import BadZipFile

import numpy as np

from . import _starling, held_out_file, model_file, network_files
from .network_result import NetworkResult
from .result import Result

SHOWN = {
    "verdict": str,
    "verdict_reason": str,
    "warnings": list,
    "parameters": list,
    "particles": int,
    "dim": int,
    "steps_done": int,
}  # of summary.json, and their kinds


def load(path: str | os.PathLike, *, network: Any = None) -> Result | NetworkResult:
    """Reads what save or the command line wrote: a folder, draws.csv, draws.npz or draws.zarr. Of a
    folder all comes back; of draws alone neither verdict nor settings nor trace.

    network: of a folder of networks, the functions that are not in it: from_jax_network(init,
        apply) or from_torch_module(make), as in the run; data are not needed. Without it there are
        the verdict, the looks and the weights by name, and no predictions."""
    if network_files.is_network(path):
        return network_files.read(path, network)
    if network is not None:
        raise ValueError(f"network: {os.fsdecode(path)} is not a folder of networks")
    files = RunFiles(path)
    return Result(files.runs, files=files)


class FileRun:
    """One run of those in the files, with the attributes of the engine's outcome."""

    def __init__(self, names: list[str], values: np.ndarray, kept: list[int]):
        self.draw_names = [names[a] for a in kept]
        self.draws = values[:, kept]
        self.log_density = values[:, names.index("lp__")] if "lp__" in names else None
        self.settings: dict[str, Any] = {}
        self.trace: list[dict[str, Any]] = []
        self.unconstrained: np.ndarray | None = self.draws

    @property
    def positions(self) -> np.ndarray:
        if self.unconstrained is None:
            raise ValueError("unconstrained: is not in these files; draws.npz of the run has it")
        return self.unconstrained


class RunFiles:
    """A folder of a run, or one file of draws."""

    def __init__(self, path: str | os.PathLike):
        folder = os.fsdecode(path)
        self._read = _starling.read(folder)
        names = self._read[0][0]
        figures = {
            a
            for group, *_, columns in _starling.variables(names)
            if group != "posterior"
            for a in columns
        }
        kept = [a for a in range(len(names)) if a not in figures]
        self.runs = [FileRun(names, values, kept) for _, values in self._read]
        self.texts = _texts(folder, len(self.runs)) if os.path.isdir(folder) else {}
        self.summary = self._parsed(folder, "summary.json", _summary)
        settings = self._parsed(folder, "config.toml", _flat_toml) or {}
        for k, run in enumerate(self.runs):
            run.settings = settings
            name = "trace.csv" if len(self.runs) == 1 else f"trace-{k + 1}.csv"
            run.trace = self._parsed(folder, name, _trace) or []
        self.space, self.made = self._parsed(folder, model_file.NAME, model_file.unpacked) or (
            None,
            {},
        )
        self.held_out = self._parsed(folder, held_out_file.NAME, held_out_file.unpacked) or (
            None,
            None,
            None,
        )
        self._positions = None
        if self.summary and "unconstrained" in self.summary:
            npz = os.path.join(folder, "draws.npz")
            self._positions = np.load(npz)["unconstrained"] if os.path.exists(npz) else None
            for k, run in enumerate(self.runs):
                several = self._positions is not None and self._positions.ndim == 3
                run.unconstrained = self._positions[k] if several else self._positions

    def _parsed(self, folder: str, name: str, parse: Callable[[bytes], Any]) -> Any:
        """The contents of a file beside the draws, or None where it is not there."""
        if name not in self.texts:
            return None
        try:
            return parse(self.texts[name])
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            BadZipFile,
        ) as error:
            file = os.path.join(folder, name)
            raise ValueError(f"{file}: must be that of a run; got something else") from error

    def write(
        self, folder: str | os.PathLike, formats: str, force: bool, beside: dict[str, bytes]
    ) -> None:
        positions = None if self._positions is None else np.ascontiguousarray(self._positions)
        settings = {
            name: value
            for name, value in self.runs[0].settings.items()
            if name in ("target", "seed")
        }
        if self.summary:
            settings["steps"] = self.summary["steps_done"]
        texts = {**self.texts, **beside}
        _starling.write_again(self._read, positions, settings, texts, folder, formats, force)


def _texts(folder: str, runs: int) -> dict[str, bytes]:
    """The files beside the draws, by name, as they are."""
    names = [
        "summary.json",
        "config.toml",
        "trace.csv",
        model_file.NAME,
        held_out_file.NAME,
        *(f"trace-{k + 1}.csv" for k in range(runs)),
    ]
    texts = {}
    for name in names:
        file = os.path.join(folder, name)
        if os.path.exists(file):
            with open(file, "rb") as stream:
                texts[name] = stream.read()
    return texts


# A byte of a path that is no UTF-8 is a letter of the private range in files, and a surrogate in
# Python.
_BYTES = {0xEF00 + byte: 0xDC00 + byte for byte in range(0x80, 0x100)}


def _summary(text: bytes) -> dict[str, Any]:
    """summary.json, with what a Result shows of it."""
    summary = json.loads(text)
    for name, kind in SHOWN.items():
        if not isinstance(summary[name], kind):
            raise TypeError(name)
    if any("name" not in one for one in summary["parameters"]):
        raise KeyError("parameters")
    return summary


def _trace(text: bytes) -> list[dict[str, Any]]:
    return [_looked(row) for row in csv.DictReader(text.decode().splitlines())]


def _flat_toml(text: bytes) -> dict[str, Any]:
    """config.toml has keys and plain values alone, each in a line: what TOML writes there, JSON
    reads."""
    settings = {}
    for line in os.fsdecode(text).splitlines():
        name, equals, value = line.partition(" = ")
        if equals and not line.startswith("#"):
            read = json.loads(value)
            settings[name.replace("-", "_")] = (
                read.translate(_BYTES) if isinstance(read, str) else read
            )
    settings.pop("version", None)
    return settings


def _looked(row: dict[str, str]) -> dict[str, Any]:
    """A row of trace.csv in the types of Result.trace."""
    return {
        name: value
        if name == "verdict"
        else int(value)
        if name in ("step", "batch")
        else float(value)
        if value
        else np.nan
        for name, value in row.items()
    }
