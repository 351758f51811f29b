"""Runs that are stopped: by an exception, a callback, Ctrl-C; and what is said of them."""

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from flights import SETTINGS, begin, target, wait_until

import starling


def test_an_exception_comes_back_as_itself_with_the_step_and_the_state():
    class Mine(Exception):
        pass

    calls = []

    def moody(x):
        calls.append(len(calls))
        if len(calls) == 31:
            raise Mine("for a reason")
        return target(x)

    with pytest.raises(Mine, match="for a reason") as caught:
        starling.sample(moody, dim=2, progress=False, check=False, **SETTINGS)
    flight = caught.value.flight
    assert flight.done == 30 and "step 30" in caught.value.__notes__[0]
    assert np.array_equal(flight.positions, begin().step(30).positions)
    assert np.array_equal(flight.step(100).positions, begin().step(60).positions), (
        "it goes on as if nothing was"
    )


def test_an_exception_at_the_last_look_has_the_state_too():
    calls = []

    def moody(x):
        calls.append(1)
        return target(x) if len(calls) <= 60 else 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        starling.sample(moody, dim=2, progress=False, check=False, **SETTINGS)
    assert caught.value.flight.over


def test_a_callback_is_called_and_stops_it():
    seen = []
    result = starling.sample(
        target,
        dim=2,
        progress=False,
        callback=lambda flight: seen.append(flight.done) or flight.done >= 20,
        **{**SETTINGS, "steps": 200},
    )
    assert (
        seen == list(range(2, 21, 2))
        and result.diagnostics["steps_done"] == 20
        and not result.interrupted
    )
    with pytest.raises(KeyError) as caught:
        starling.sample(target, dim=2, progress=False, callback=lambda flight: {}[1], **SETTINGS)
    assert caught.value.flight.done == 1


@pytest.mark.parametrize("where", ["target", "callback"])
def test_ctrl_c_returns_what_there_is(where, tmp_path):
    def press(done):
        if done == 20:
            signal.raise_signal(signal.SIGINT)

    calls = []

    def pressed(x):
        calls.append(1)
        press(len(calls) - 1)
        return target(x)

    chosen = (
        dict(target=pressed)
        if where == "target"
        else dict(target=target, callback=lambda f: press(f.done))
    )
    with pytest.warns(UserWarning, match="interrupted after 20 of 60 steps"):
        result = starling.sample(
            dim=2, progress=False, check=False, checkpoint=tmp_path / "c", **chosen, **SETTINGS
        )
    assert result.interrupted and np.array_equal(result.unconstrained, begin().step(20).positions)
    assert starling.resume(tmp_path / "c", target, dim=2).done == 20


def test_ctrl_c_from_outside_stops_a_target_of_the_engines_own(tmp_path):
    file = tmp_path / "state"
    program = textwrap.dedent(f"""
        import starling
        result = starling.sample("normal", dim=2, particles=100, steps=10**9, threads=1,
                                 checkpoint={str(file)!r}, checkpoint_every=10**5, progress=False)
        print(result.interrupted, 0 < result.diagnostics["steps_done"] < 10**9, result.verdict)
    """)
    run = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: file.exists() and starling.resume(file).done > 0, run)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=200)
    finally:
        run.kill()
    assert (out, err, run.returncode) == ("True True cannot tell\n", "", 0)


STAGED = dict(particles=200, seed=1, threads=1, progress=False, dim=2)


def interrupted_at(step, **settings):
    def press(flight):
        if flight.done >= step:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted after"):
        result = starling.sample(target, callback=press, **{**STAGED, **settings})
    assert result.interrupted
    return result


@pytest.mark.parametrize("step", [1, 5, 40])
def test_an_interrupted_run_in_stages_is_never_called_converged(step, tmp_path):
    result = interrupted_at(step)
    assert result.verdict != "converged" and result.certificate is None, result
    assert result.trace[-1]["verdict"] != "converged"
    result.save(tmp_path / "run")
    assert starling.load(tmp_path / "run").verdict == result.verdict
    whole = starling.sample(target, **STAGED)
    assert whole.verdict == "converged", "which is no fault of the target"


def test_an_interrupted_run_of_the_raw_method_is_never_called_converged():
    raw = dict(steps=2000, batch="all", start="normal:0,1")
    result = interrupted_at(600, **raw)
    assert result.verdict == "cannot tell" and "interrupted after 600 steps" in result.reason
    assert result.trace[-1]["verdict"] == "cannot tell"
    same = starling.sample(target, **STAGED, **{**raw, "steps": 600})
    assert same.verdict == "converged", "it is the interruption that decides"


def test_runs_that_were_interrupted_in_one_are_not_called_converged():
    done = []

    def press(flight):
        done.append(flight.done)
        if done.count(1) == 2 and flight.done == 5:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted"):
        result = starling.sample(target, callback=press, runs=3, **STAGED)
    assert len(result.draws["x"]) == 2 and result.verdict != "converged", result


def test_what_is_seen_before_exact_moves_is_not_called_converged():
    flight = starling.Flight(target, **{k: v for k, v in STAGED.items() if k != "progress"})
    flight.step(30)
    assert flight.stage == "fly"
    assert flight.result().verdict != "converged"
    stopped = starling.sample(target, callback=lambda flight: flight.done == 30, **STAGED)
    assert stopped.verdict != "converged" and not stopped.interrupted
