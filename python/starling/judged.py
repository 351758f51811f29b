"""What a run was judged to be: verdict, certificate, evidence, as summary.json has them."""

from __future__ import annotations

from typing import Any

from .words import python_names


class Judged:
    """A view of `_summary`, which is None for files of draws alone."""

    _summary: dict[str, Any] | None

    @property
    def diagnostics(self) -> dict[str, Any] | None:
        """summary.json of the command line: parameters, Stein discrepancies, times, the verdict and
        why. None for files of draws alone; then there is no verdict either."""
        return self._summary

    @property
    def verdict(self) -> str | None:
        """converged, cannot tell, still moving, collapsed, noisy or diverged."""
        return self._summary and self._summary["verdict"]

    @property
    def reason(self) -> str | None:
        """The verdict in a sentence."""
        return self._summary and python_names(self._summary["verdict_reason"])

    @property
    def certificate(self) -> dict[str, Any] | None:
        """What exact moves of particles found: `finding` (confirmed, moved or undecided),
        `moves`, `acceptance`, the share `diverged` of the moves whose energy was far off, and
        `estimates` of how far each parameter is off, in its sd. None where the run had no
        certificate. Of several runs that of the one which decided the verdict."""
        return (self._summary or {}).get("certificate")

    @property
    def gradients(self) -> dict[str, int] | None:
        """How many each stage took, for a single particle each, and `total`; None for
        method "paper"."""
        return (self._summary or {}).get("gradients")

    @property
    def modes(self) -> int | None:
        """How many separate modes the scout counted; None for method "paper"."""
        return (self._summary or {}).get("modes")

    @property
    def groups(self) -> list[dict[str, Any]]:
        """Separate groups of particles: `share` of the density with its standard error `se` (None:
        counted, not weighed), `particles`, and the `mean` of each parameter, by name. Empty where
        there is one group. A mode that neither the scout nor a particle met is not counted."""
        return (self._summary or {}).get("groups", [])

    @property
    def log_evidence(self) -> dict[str, Any] | None:
        """Logarithm of the integral of the density: `value`, its standard error `se`, the `method`,
        and `doubt`, a sentence where it cannot be trusted, else None. None where it was not asked
        for (evidence=True). Of several runs their mean."""
        return (self._summary or {}).get("log_evidence")

    @property
    def pooled(self) -> dict[str, tuple[float, float]]:
        """Mean and sd of each parameter over all exact moves, by name: steadier than those of the
        draws. Empty where there were none."""
        return {
            one["name"]: (one["mean"], one["sd"]) for one in (self._summary or {}).get("pooled", [])
        }

    @property
    def warnings(self) -> list[str]:
        return [python_names(line) for line in self._summary["warnings"]] if self._summary else []
