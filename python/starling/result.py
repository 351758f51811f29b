"""What a run came to: draws, diagnostics, the verdict; and the way to other tools."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from . import _starling, held_out_file
from .ending import let_go_at_end
from .frames import TableFile, is_table
from .functions import whole
from .groups import arviz_groups, inference_data
from .judged import Judged
from .labels import labelled
from .model_file import packed
from .notebook import table_of
from .predictions import BATCH, over_draws
from .thinning import Thinned, Variable, thinned
from .words import python_names_in_errors, refuse_file


class Result(Judged):
    """The particles at the end of one or more runs, and what they are worth: of sample, or read
    from files by load."""

    def __init__(
        self, outcomes: list, *, interrupted: bool = False, files: Any = None, space: Any = None
    ):
        self._outcomes = list(outcomes)
        if not self._outcomes:
            raise ValueError("outcomes: there must be at least one run; got none")
        self._files, self._space = files, space if files is None else files.space
        # Of predict and log_likelihood.
        self._made: dict[str, dict[str, np.ndarray]] = {} if files is None else dict(files.made)
        self._summary = (
            json.loads(_starling.summary(self._outcomes)) if files is None else files.summary
        )
        self.interrupted = interrupted
        #: Of sample(..., predict=, data=): how held-out rows are predicted, and the verdict on it.
        self.held_out, self.predictions_verdict, self.predictions_reason = (
            (None, None, None) if files is None else files.held_out
        )
        let_go_at_end(self)

    def _let_go(self) -> None:
        """At the end of the interpreter."""
        self._outcomes.clear()

    @property
    def draws(self) -> dict[str, np.ndarray]:
        """An array per parameter, by name: (N, ...), or (runs, N, ...) of several runs. theta[1],
        theta[2] are one theta, as are b[0], b[1]; names whose indices leave gaps stay alone. For a
        Stan model: constrained, with transformed parameters and generated quantities."""
        return {v.name: self._of(v) for v in self._variables()}

    def _variables(self) -> list[Variable]:
        return [
            v
            for v in map(Variable._make, _starling.variables(self.names))
            if v.group == "posterior"
        ]

    def _of(self, v: Variable) -> np.ndarray:
        return _stacked([run.draws[:, v.columns].reshape(-1, *v.shape) for run in self._outcomes])

    @property
    def unconstrained(self) -> np.ndarray:
        """The positions, (N, d), or (runs, N, d). A Stan model's are in draws.npz alone."""
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
    def trace(self) -> list[dict[str, Any]]:
        """What was seen at each look, of all runs."""
        return [
            {"run": run + 1, **row}
            for run, outcome in enumerate(self._outcomes)
            for row in outcome.trace
        ]

    def summary(self) -> Any:
        """A pandas DataFrame with a row per parameter: mean, sd, quantiles, spread identity, R-hat
        of several runs. With a certificate also how far off exact moves find the mean, in sd, and
        the error of that: mean_off, mean_off_se. A model's coords stand in place of indices."""
        import pandas

        listed = self._summary["parameters"] if self._summary else self._figures()
        table = pandas.DataFrame(listed).set_index("name")
        if self.certificate:
            off = {
                one["parameter"]: one
                for one in self.certificate["estimates"]
                if one["of"] == "value"
            }
            for column, key in (("mean_off", "error"), ("mean_off_se", "se")):
                table[column] = [off.get(name, {}).get(key) for name in table.index]
        table.index = pandas.Index(labelled(list(table.index), self._space), name="name")
        return table

    def _figures(self) -> list[dict[str, Any]]:
        """What draws alone tell."""
        values = np.concatenate([run.draws for run in self._outcomes])
        q05, q50, q95 = np.quantile(values, [0.05, 0.5, 0.95], axis=0)
        columns = dict(
            name=self.names,
            mean=values.mean(axis=0),
            sd=values.std(axis=0),
            q05=q05,
            q50=q50,
            q95=q95,
        )
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def predict(
        self, function: Callable, *, seed: int | None = None, batch: int = BATCH, name: str = "y"
    ) -> dict[str, np.ndarray]:
        """What a function makes of each draw: arrays (N, ...), or (runs, N, ...), by name; to_arviz
        then has them as posterior_predictive.

        function(draws): a dictionary with an array (n, ...) for each variable, n draws at a time.
            It returns an array (n, ...), which is called `name`, or a dictionary of them. Of a
            target of from_jax with parameters it gets what the log density gets, one draw.
        seed: with one the function is called with a second argument to draw from: a NumPy
            generator, or a JAX key.
        batch: draws at a time."""
        return self._keep("posterior_predictive", function, seed, batch, name)

    def made_of_draws(self, function: Callable) -> dict[str, np.ndarray]:
        """As predict, and not kept for to_arviz."""
        kept = self._made.get("posterior_predictive", {})
        try:
            return self.predict(function)
        finally:
            self._made["posterior_predictive"] = kept

    def predict_table(
        self, data: Any, *, missing: str = "refuse", observation: bool = False, threads: int = 0
    ) -> Any:
        """What a regression says of new rows of its table: a pandas DataFrame of mean, sd, q05, q50
        and q95, by the numbers of the rows from 0; of a multinomial one by row and class.

        data: a file, a frame of pandas or Polars, a pyarrow.Table or a dictionary of columns. It
            must have the columns of the run's table, in any order; it may have others too.
        missing: "drop" drops rows with missing values; "refuse" names them in an error.
        observation: of a new observation with its noise, not of its expected value."""
        if missing not in ("refuse", "drop"):
            raise ValueError(f"missing: must be one of refuse, drop; got {missing!r}")
        import pandas

        runs = [(outcome.draw_names, outcome.draws) for outcome in self._outcomes]
        with TableFile(data) if is_table(data) else nullcontext() as table:
            file = os.fspath(data) if table is None else table.path
            with python_names_in_errors():
                rows, classes, figures = _starling.predict(
                    json.dumps(self._summary or {}),
                    runs,
                    file,
                    missing == "drop",
                    bool(observation),
                    whole("threads", threads, 0),
                )
        index = pandas.Index(np.asarray(rows) - 1, name="row")
        if classes:
            index = pandas.MultiIndex.from_product([index, classes], names=["row", "class"])
        return pandas.DataFrame(figures, index=index, columns=["mean", "sd", "q05", "q50", "q95"])

    def log_likelihood(
        self, function: Callable | None = None, *, batch: int = BATCH, name: str = "y"
    ) -> dict[str, np.ndarray]:
        """The log likelihood of each observation at each draw, by a function as for predict;
        to_arviz then has it, so that arviz.loo works. A PyMC or NumPyro model knows it by
        itself."""
        group = "log_likelihood"
        if function is not None:
            return self._keep(group, function, None, batch, name)
        if group not in self._made:
            runs = self._outcomes if self._space else []
            known = [self._space.log_likelihood(run.positions) for run in runs]
            if not (known and known[0]):
                raise ValueError(f"{group}: is not known for this target; give a function of draws")
            self._made[group] = {key: _stacked([one[key] for one in known]) for key in known[0]}
        return self._made[group]

    def _keep(
        self, group: str, function: Callable, seed: int | None, batch: int, name: str
    ) -> dict[str, np.ndarray]:
        several = len(self._outcomes) > 1
        draws = [
            {key: values[k] if several else values for key, values in self.draws.items()}
            for k in range(len(self._outcomes))
        ]
        made = over_draws(function, self, draws, seed=seed, batch=batch, name=name)
        made = {key: _stacked([one[key] for one in made]) for key in made[0]}
        self._made[group] = {**self._made.get(group, {}), **made}
        return made

    def to_arviz(self) -> Any:
        """As ArviZ has it: InferenceData (0.x) or a DataTree (1.x), a chain per run. Dimensions are
        the model's; else they are labelled with the names' own indices: theta[1] is theta[1] there,
        b[0] is b[0]. Beside the posterior, where they are known: the positions as
        unconstrained_posterior, log_likelihood, posterior_predictive, observed_data,
        constant_data."""
        return inference_data(arviz_groups(self))

    def save(
        self, folder: str | os.PathLike, *, formats: str = "csv,npz", force: bool = False
    ) -> None:
        """Writes the folder that the command line writes: draws, summary.json, config.toml,
        trace.csv; for a model model.npz: its dims, coords and data, and the log likelihood and
        the predictions that were made so far; held_out.json where predictions were judged."""
        refuse_file(folder)
        beside = packed(self._space, self._made) | held_out_file.packed(
            self.held_out, self.predictions_verdict, self.predictions_reason
        )
        with python_names_in_errors():
            if self._files is None:
                _starling.write(self._outcomes, folder, formats, force, beside)
            else:
                self._files.write(folder, formats, force, beside)

    def thin(
        self, count: int, *, weights: bool = False, scores: Any = None, threads: int = 0
    ) -> Thinned:
        """The `count` particles that say most, of all runs together, chosen one after another so
        that their kernel Stein discrepancy is least; with weights=True also weights of at least 0
        and sum 1 that make it least. A result that was read from files has no scores: bring them,
        an array (N, d) of grad log density at `unconstrained`."""
        return thinned(self._outcomes, self._variables(), count, weights, scores, threads)

    def plot(self, kind: str = "marginals", **how: Any) -> Any:
        """marginals, pairs, trace, or flow (of snapshots that plots.record kept), as a matplotlib
        figure."""
        from . import plots

        return plots.draw(self, kind, **how)

    def __copy__(self) -> Result:
        return self  # no draw of it changes

    def __deepcopy__(self, _: Any) -> Result:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._files is None:
            raise TypeError(
                "result: cannot be pickled; use save(folder) and load(folder), or its draws, "
                "which are arrays"
            )
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        runs = f"{len(self._outcomes)} runs of " if len(self._outcomes) > 1 else ""
        s = self._summary
        if s is None:
            draws = f"{len(self._outcomes[0].draws)} draws of {', '.join(self.draws)}"
            return f"<starling.Result: {runs}{draws}>"
        return (
            f"<starling.Result: {runs}{s['particles']} particles in {s['dim']} dimensions after "
            f"{s['steps_done']} steps; {self.verdict}: {self.reason}>"
        )

    def _repr_html_(self) -> str:
        listed = self._summary["parameters"] if self._summary else self._figures()
        labels = labelled([one["name"] for one in listed], self._space)
        shown = [{**one, "name": label} for one, label in zip(listed, labels)]
        return table_of(shown, self.verdict, self.reason)


def _stacked(arrays: list) -> Any:
    if arrays[0] is None:
        return None
    return arrays[0] if len(arrays) == 1 else np.stack(arrays)
