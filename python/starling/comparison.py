"""compare(): the log evidence of several models side by side, and LOO where it is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .result import Result


def compare(results: Mapping[str, Result]) -> Any:
    """A pandas DataFrame with a row for each result, by its name, the best first: `log_evidence`
    and its `se`, the `difference` to the best and `difference_se`, `verdict` and `doubt`. Where log
    likelihoods are known, `elpd_loo` and `elpd_se` of arviz.loo stand beside them. Only models of
    the same data can be compared: docs/evidence.md."""
    import pandas

    if not isinstance(results, Mapping) or not results:
        raise TypeError(
            f"results: must be a dictionary of results by name; got {type(results).__name__}"
        )
    rows = {name: _row(name, result) for name, result in results.items()}
    table = pandas.DataFrame.from_dict(rows, orient="index")
    table = table.sort_values("log_evidence", ascending=False, kind="stable", na_position="last")
    best = table.iloc[0]
    table.insert(2, "difference", table["log_evidence"] - best["log_evidence"])
    table.insert(3, "difference_se", np.hypot(table["se"], best["se"]))
    table.iloc[0, 3] = 0.0
    return table


def _row(name: str, result: Any) -> dict[str, Any]:
    found = result.log_evidence if isinstance(result, Result) else None
    if found is None:
        raise ValueError(f"results: {name} must have a log evidence: sample with evidence=True")
    value, se = (np.nan if found[key] is None else found[key] for key in ("value", "se"))
    row = dict(log_evidence=value, se=se, verdict=result.verdict, doubt=found["doubt"])
    return {**row, **_loo(result)}


def _loo(result: Result) -> dict[str, float]:
    """Of one observed variable; of several, ArviZ does not know which."""
    try:
        import arviz

        likelihoods = result.log_likelihood()
    except (ImportError, ValueError):
        return {}
    if len(likelihoods) != 1:
        return {}
    found = arviz.loo(result.to_arviz())
    return dict(elpd_loo=float(found.iloc[0]), elpd_se=float(found.iloc[1]))
