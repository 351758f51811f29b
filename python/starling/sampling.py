"""sample(): a whole run, with progress, Ctrl-C and checkpoints."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .flight import Flight
from .functions import Function, whole
from .held_out import judge, pair
from .kernels import Kernel
from .network_result import NetworkResult
from .network_run import given_to, sample_network
from .networks import Network
from .numpyro_models import refuse_arguments_of
from .progress import bar_of
from .ranks import Ranks
from .result import Result
from .rules import Rule
from .settings import plain_settings
from .targets import as_target, with_table

IN_STAGES = 25  # steps between checkpoints of a run in stages, whose length nobody knows
FAR = 2**40


def sample(
    target: Any = None,
    *model_arguments: Any,
    dim: int | None = None,
    names: Sequence[str] | None = None,
    particles: int | None = None,
    batch: int | str | None = None,
    steps: int | None = None,
    until_converged: bool = False,
    seed: int | np.random.Generator | None = None,
    runs: int = 1,
    start: Any = None,
    threads: int | None = None,
    precision: str | None = None,
    device: str | None = None,
    blocks: int | None = None,
    method: str | None = None,
    prefit: int | str | None = None,
    metric: str | None = None,
    certify: int | str | None = None,
    exact: int | str | None = None,
    polish: int | str | None = None,
    temper: bool = False,
    evidence: bool = False,
    kernel: str | Kernel | None = None,
    bandwidth: float | str | None = None,
    advance: str | Rule | None = None,
    step_size: float | None = None,
    deal: str | None = None,
    replace: bool = False,
    grow_batch: str | None = None,
    domain: str | None = None,
    progress: bool | str = "auto",
    callback: Callable[[Flight], Any] | None = None,
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int | None = None,
    force: bool = False,
    check: bool = True,
    comm: Any = None,
    predict: Callable | None = None,
    **more: Any,
) -> Result | NetworkResult:
    """Draws samples from a target.

    By default it uses method="auto", with nothing to tune: scout, fly, certify, settle. With
    method="paper" it is RBM-SVGD as in the paper. Any of these settings chooses "paper" too: batch,
    steps, until_converged, precision, device, kernel, bandwidth, advance, step_size, deal, replace,
    grow_batch, domain, a start that is a text.

    target: a PyMC model, by default that of the `with` around the call; a function of an (N, d)
        array that returns scores or (log densities, scores); from_numpy(...), from_jax(...),
        from_torch(...), from_numpyro(...); stan(...), plugin(...), a BridgeStan model;
        CFunction(...); builtin(...) or the name of a built-in target. A network of
        from_jax_network(...) or from_torch_module(...) is judged by what it predicts. It has
        data=(x, y) of held-out rows, particles (20), steps (2000), step_size, noise (0; with 1 the
        second half is stochastic SVGD), seed, threads, progress, callback; docs/networks.md.
    dim: the dimension, for a function; or give names, or start as an (N, d) array.
    names: of the numbers of a position, for a function.
    Settings that are None have the defaults of the command line (`starling sample --help`), and the
        same meaning; a further setting of it can be given by its name, with _ for -.
    seed: a whole number, or a NumPy generator, which gives one.
    method: "auto" or "paper".
    prefit, certify, exact, polish: of "auto", each a number or "none": climbs of the scout, HMC
        moves of the check, HMC moves that correct the cloud, steps after them. prefit and certify
        work with "paper" too.
    metric: of "auto": "none", "diagonal", "dense", "low-rank" or "bent".
    temper: whether to search for modes by tempering too, far from what the scout found. It begins
        as wide as the prior of a PyMC or NumPyro model; for another target give draws as the start.
        start="scout": 8 times wider than the scout's modes, whatever the prior is.
    evidence: whether to compute the log evidence too: result.log_evidence; docs/evidence.md.
    device: "cpu", "cuda" or "cuda:N": where the target's densities and gradients are computed, and
        the steps of "paper" too. On a GPU a function must be one of from_jax(...), from_torch(...)
        or Function(..., on_card=...). With comm "cuda" is a GPU for each rank of a machine, in
        turn.
    blocks: blocks of particles: docs/many_machines.md.
    start: where to begin: an earlier result, draws of prior(...), an (N, d) array, or for a target
        with parameters a dictionary of them. "auto" then needs no scout. For "paper" also
        "normal:MEAN,SD", "uniform:LO,HI", or a file.
    progress: True: a bar (tqdm); False; or "auto": a bar on a terminal and in a notebook, else a
        line every ten seconds on stderr.
    callback: called with the flight a hundred times in a run, or after each step of "auto"; if it
        returns True, the run stops.
    check: whether a function that gives log densities and scores is checked before the first
        step: a score that is not the slope of the log density is an error. It takes three calls of
        the function.
    checkpoint: a file that keeps the state, every checkpoint_every steps (default a tenth of them;
        with "auto" 25) and at Ctrl-C. force: whether it may replace the checkpoint of another run;
        another file is never replaced.
    comm: a communicator of mpi4py. Its ranks all call sample with the same settings. Each asks the
        target for its own particles, and each has the whole result. It has the bits of one process
        with as many blocks (default 64). Ctrl-C, or a callback that returns True, on any rank stops
        all. Only the first shows progress and writes files.

    predict: predict(draws, x) of held-out rows data=(x, y), as in Result.predict; it returns a mean
        and an sd for each row. result.held_out has how well they are predicted,
        result.predictions_verdict and result.predictions_reason what that means.

    Ctrl-C returns the particles so far. Their verdict is never "converged". An exception in the
    target is raised as it is. A note names the step, and its attribute `flight` has the state."""
    if isinstance(target, Network):
        return sample_network(target, given_to(sample, locals()))
    refuse_arguments_of(target, model_arguments, more)
    held_out = None
    if predict is not None:
        if "data" not in more:
            raise TypeError("predict: needs held-out rows too: data=(x, y)")
        if not callable(predict):
            raise TypeError(f"predict: must be a function; got {type(predict).__name__}")
        held_out = pair("data", more.pop("data"))
    target, more = with_table(target, more)
    settings = dict(
        particles=particles,
        batch=batch,
        steps=steps,
        until_converged=until_converged,
        seed=seed,
        runs=whole("runs", runs, 1),
        threads=threads,
        precision=precision,
        device=device,
        blocks=blocks,
        kernel=kernel,
        bandwidth=bandwidth,
        advance=advance,
        step_size=step_size,
        deal=deal,
        replace=replace,
        grow_batch=grow_batch,
        domain=domain,
        method=method,
        prefit=prefit,
        metric=metric,
        certify=certify,
        exact=exact,
        polish=polish,
        temper=temper,
        evidence=evidence,
        **more,
    )
    if checkpoint is not None and runs != 1:
        raise ValueError(f"checkpoint: holds one run; remove it for several runs; got {runs} runs")
    if checkpoint_every is not None:
        whole("checkpoint_every", checkpoint_every, 1)
    if not (callback is None or callable(callback)):
        raise TypeError(f"callback: must be a function; got {type(callback).__name__}")
    settings = plain_settings(settings)  # a generator is asked once, whatever the number of runs
    chosen = as_target(target, names)
    if not isinstance(check, (bool, np.bool_)):
        raise TypeError(f"check: must be True or False; got {check!r}")
    checked = check and isinstance(chosen, Function)
    ranks = None if comm is None else Ranks(comm)
    with (
        contextlib.nullcontext() if ranks is None else ranks.interrupts_deferred()
    ):  # Ctrl-C is heard in a step, by all
        outcomes, interrupted = [], False
        for run in range(runs):
            flight = Flight(
                chosen.with_gradient_check() if checked and run == 0 else chosen,
                dim=dim,
                start=start,
                run=run,
                comm=ranks,
                **settings,
            )
            try:
                interrupted = not _fly(
                    flight,
                    progress if ranks is None or ranks.first else False,
                    callback,
                    checkpoint,
                    checkpoint_every,
                    force,
                    ranks,
                )
                outcomes.append(flight._outcome(interrupted))
            except BaseException as error:
                # Of an exception that cannot be changed, or in an old Python, it stays as it is.
                with contextlib.suppress(Exception):
                    error.flight = flight
                    stage = f" of the stage {flight.stage}" if flight.stage else ""
                    error.add_note(
                        f"starling: in step {flight.done}{stage}; the state so far is this "
                        "exception's .flight"
                    )
                raise
            if interrupted and (ranks is None or ranks.first):
                so_far = (
                    f"{flight.done} steps, in the stage {flight.stage}"
                    if flight.stage
                    else f"{flight.done} of {flight.total} steps"
                )
                warnings.warn(
                    f"interrupted after {so_far}: these are the particles so far", stacklevel=2
                )
            if interrupted:
                break
        result = Result(outcomes, interrupted=interrupted, space=chosen.space)
        if predict is not None:
            judge(result, predict, held_out)
        for warning in result.warnings if ranks is None or ranks.first else ():
            warnings.warn(warning, stacklevel=2)
        return result


def _fly(
    flight: Flight,
    progress: bool | str,
    callback: Callable | None,
    checkpoint: Any,
    every: int | None,
    force: bool,
    ranks: Ranks | None,
) -> bool:
    """To the end, or False at Ctrl-C."""
    if ranks is not None:  # they stop at the same steps
        ranks.same("callback and checkpoint", (callback is None, checkpoint is None, every))
    if checkpoint is not None:
        every = every or (IN_STAGES if flight.stage else max(1, flight.total // 10))
        # Now, rather than finding out after hours that it cannot be written.
        flight.save(checkpoint, force=force)
    look = 0 if not callback else 1 if flight.stage else max(1, flight.total // 100)
    with bar_of(flight, progress) as bar:

        def tell(done: int) -> None:
            if flight.stage:
                bar.total = flight.total
                bar.set_description(flight.stage)
            bar.update(done - bar.n)

        try:
            while not flight.over:
                stops = [FAR if flight.stage else flight.total - flight.done]
                stops += [look - flight.done % look] if look else []
                stops += [every - flight.done % every] if checkpoint else []
                flight.step(min(stops), tell=tell)
                if checkpoint and (flight.done % every == 0 or flight.over):
                    flight.save(checkpoint)
                if callback and _stops(callback, flight, ranks):
                    break
        except KeyboardInterrupt:
            if flight.stage and flight.done == 0:  # there is no cloud yet
                raise
            if checkpoint:
                flight.save(checkpoint)
            return False
        tell(flight.done)
    return True


def _stops(callback: Callable, flight: Flight, ranks: Ranks | None) -> bool:
    if ranks is None:
        return bool(callback(flight))
    answer, error = False, None
    with ranks.interrupts_deferred():  # Ctrl-C is heard in the next step, by all
        try:
            answer = bool(callback(flight))
        except Exception as failed:
            error = failed
        ranks.agree(error)
        return ranks.any(answer)
