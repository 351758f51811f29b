"""What a run came to: draws, diagnostics, the verdict; and the way to other tools."""
from __future__ import annotations

import html
import json
import os
from typing import Any

import numpy as np

from . import _starling


class Result:
    """The particles at the end of one or more runs, and what they are worth."""

    def __init__(self, outcomes: list, *, interrupted: bool = False):
        self._outcomes = list(outcomes)
        if not self._outcomes:
            raise ValueError("outcomes: must be of at least one run; got none")
        self._summary = json.loads(_starling.summary(self._outcomes))
        self.interrupted = interrupted

    @property
    def draws(self) -> dict[str, np.ndarray]:
        """An array per parameter, by name: (N, ...), or (runs, N, ...) of several runs. For a Stan model: constrained,
        with transformed parameters and generated quantities."""
        runs = [(outcome.draw_names, outcome.draws) for outcome in self._outcomes]
        return _named(runs)

    @property
    def unconstrained(self) -> np.ndarray:
        """The positions, (N, d), or (runs, N, d)."""
        return _stacked([outcome.positions for outcome in self._outcomes])

    @property
    def log_density(self) -> np.ndarray:
        """Of each particle, (N,) or (runs, N); NaN where the target gives scores alone."""
        return _stacked([outcome.log_density for outcome in self._outcomes])

    @property
    def names(self) -> list[str]:
        """Of the draws, one for each number: theta[1], theta[2], ..."""
        return self._outcomes[0].draw_names

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was resolved, enough to repeat the run."""
        return self._outcomes[0].settings

    @property
    def diagnostics(self) -> dict[str, Any]:
        """summary.json of the command line: parameters, Stein discrepancies, times, the verdict and why."""
        return self._summary

    @property
    def trace(self) -> list[dict[str, Any]]:
        """What was seen at each look, of all runs."""
        return [{"run": run + 1, **row} for run, outcome in enumerate(self._outcomes) for row in outcome.trace]

    @property
    def verdict(self) -> str:
        """converged, cannot tell, still moving, collapsed, noisy or diverged."""
        return self._summary["verdict"]

    @property
    def reason(self) -> str:
        """The verdict in a sentence."""
        return self._summary["verdict_reason"]

    @property
    def warnings(self) -> list[str]:
        return self._summary["warnings"]

    def summary(self) -> Any:
        """A pandas DataFrame with a row per parameter: mean, sd, quantiles, spread identity, R-hat of several runs."""
        import pandas

        return pandas.DataFrame(self._summary["parameters"]).set_index("name")

    def to_arviz(self) -> Any:
        """As ArviZ has it: InferenceData (0.x) or a DataTree (1.x), a chain per run."""
        import arviz

        chains = {name: values if len(self._outcomes) > 1 else values[None] for name, values in self.draws.items()}
        density = self.log_density if len(self._outcomes) > 1 else self.log_density[None]
        groups = {"posterior": chains, "sample_stats": {"lp": density}}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups)
        return arviz.from_dict(**groups)

    def save(self, folder: str | os.PathLike, *, formats: str = "csv,npz", force: bool = False) -> None:
        """Writes the folder that the command line writes: draws, summary.json, config.toml, trace.csv."""
        _starling.write(self._outcomes, os.fspath(folder), formats, force)

    def plot(self, kind: str = "marginals", **how: Any) -> Any:
        """marginals, pairs, trace, or flow (of snapshots that plots.record kept), as a matplotlib figure."""
        from . import plots

        return plots.draw(self, kind, **how)

    def __repr__(self) -> str:
        s = self._summary
        runs = f"{len(self._outcomes)} runs of " if len(self._outcomes) > 1 else ""
        return (f"<starling.Result: {runs}{s['particles']} particles in {s['dim']} dimensions after {s['steps_done']} "
                f"steps; {self.verdict}: {self.reason}>")

    def _repr_html_(self) -> str:
        cells = ["mean", "sd", "q05", "q50", "q95", "spread_identity"]
        head = "".join(f"<th>{cell}</th>" for cell in ["", *cells])
        rows = "".join(
            f"<tr><th>{html.escape(p['name'])}</th>"
            + "".join(f"<td>{'' if p[cell] is None else format(p[cell], '.4g')}</td>" for cell in cells) + "</tr>"
            for p in self._summary["parameters"][:40])
        more = len(self._summary["parameters"]) - 40
        rest = f"<p>and {more} more</p>" if more > 0 else ""
        return (f"<p><b>{html.escape(self.verdict)}</b>: {html.escape(self.reason)}</p>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}")


class Loaded:
    """Draws read from files: of a folder of a run, draws.csv, draws.npz or draws.zarr."""

    def __init__(self, path: str | os.PathLike):
        self._runs = [(names, values) for names, values in _starling.read(os.fspath(path))]
        summary = os.path.join(path, "summary.json")
        self.diagnostics: dict[str, Any] | None = None
        if os.path.exists(summary):
            with open(summary, encoding="utf-8") as stream:
                self.diagnostics = json.load(stream)

    @property
    def draws(self) -> dict[str, np.ndarray]:
        return _named(self._runs)

    @property
    def log_density(self) -> np.ndarray | None:
        """Of each draw, where it was written down."""
        names = self._runs[0][0]
        return _stacked([values[:, names.index("lp__")] for _, values in self._runs]) if "lp__" in names else None

    @property
    def verdict(self) -> str | None:
        return self.diagnostics and self.diagnostics["verdict"]

    def plot(self, kind: str = "marginals", **how: Any) -> Any:
        """marginals or pairs, as a matplotlib figure."""
        from . import plots

        return plots.draw(self, kind, **how)

    def __repr__(self) -> str:
        runs = f"{len(self._runs)} runs of " if len(self._runs) > 1 else ""
        return f"<starling.Loaded: {runs}{len(self._runs[0][1])} draws of {', '.join(self.draws)}>"


def load(path: str | os.PathLike) -> Loaded:
    """Reads what Result.save or the command line wrote: a folder, draws.csv, draws.npz or draws.zarr."""
    return Loaded(path)


def _stacked(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.stack(arrays)


def _named(runs: list[tuple[list[str], np.ndarray]]) -> dict[str, np.ndarray]:
    variables = _starling.variables(runs[0][0])
    return {name: _stacked([values[:, columns].reshape(-1, *shape) for _, values in runs])
            for group, name, shape, columns in variables if group == "posterior"}
