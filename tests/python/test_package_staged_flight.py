"""Flights in stages: resumed bit for bit, stopped, watched, and what an exception leaves."""

import os
import pickle
import signal

import numpy as np
import pytest

import starling

SMALL = dict(particles=64, threads=1, progress=False, seed=1)
CORRELATED = np.array([[2.0, 0.6], [0.6, 1.0]])  # a precision


def normal(x):
    return -0.5 * np.sum((x @ CORRELATED) * x, axis=1), -x @ CORRELATED


def parted(flight, file, whole):
    """It goes on as the uninterrupted one did, from a file and from a pickle."""
    flight.save(file)
    for other in (starling.resume(file, normal, dim=2), pickle.loads(pickle.dumps(flight))):
        assert (other.stage, other.done) == (flight.stage, flight.done)
        other.step(10**6)
        assert other.over and np.array_equal(other.positions, whole.positions)
        ours, theirs = other.result(), whole.result()
        assert ours.certificate == theirs.certificate and ours.gradients == theirs.gradients
        assert ours.pooled == theirs.pooled and ours.reason == theirs.reason


@pytest.mark.parametrize("settings", [{}, dict(exact=10), dict(metric="diagonal", certify="none")])
def test_a_resumed_flight_in_stages_is_the_uninterrupted_one(settings, tmp_path):
    settings = dict(dim=2, particles=64, seed=3, threads=1, **settings)
    whole = starling.Flight(normal, **settings).step(10**6)
    flight, seen = starling.Flight(normal, **settings), set()
    assert "step 0, stage scout" in repr(flight)
    while not flight.over:
        if flight.stage not in seen or flight.done in (30, 135):
            parted(flight, tmp_path / "c", whole)
            seen.add(flight.stage)
        flight.step(1)
    assert (
        seen >= {"scout", "fly"}
        and flight.stage == "finished"
        and ("settle" in seen) == ("exact" in settings)
    )
    parted(flight, tmp_path / "c", whole)
    with pytest.raises(ValueError, match="steps: a run of method"):
        starling.resume(tmp_path / "c", normal, dim=2, steps=70)


@pytest.mark.parametrize("call", [1, 3, 40, 150, 200])
def test_a_target_that_throws_leaves_the_state_before(call):
    calls = 0

    def fails(x):
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyError("once")
        return normal(x)

    with pytest.raises(KeyError) as caught:
        starling.sample(fails, dim=2, check=False, **SMALL)
    flight = caught.value.flight
    assert f"of the stage {flight.stage}" in caught.value.__notes__[0]
    if flight.done == 0:
        with pytest.raises(ValueError, match="flight: has no cloud yet"):
            flight.result()
    else:
        assert flight.result().verdict in (
            "converged",
            "cannot tell",
            "still moving",
            "collapsed",
            "noisy",
        )
    assert np.array_equal(
        flight.step(10**6).positions, starling.sample(normal, dim=2, **SMALL).unconstrained
    )


def test_a_run_is_watched_stopped_and_kept(tmp_path, capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    seen = []
    stopped = starling.sample(
        normal,
        dim=2,
        callback=lambda flight: seen.append(flight.stage) or flight.done == 20,
        checkpoint=tmp_path / "c",
        **SMALL,
    )
    assert len(seen) == 20 and set(seen) == {"fly"} and stopped.diagnostics["steps_done"] == 20

    def press(flight):
        if flight.done == 30:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted after 30 steps, in the stage fly"):
        result = starling.sample(
            normal, dim=2, callback=press, checkpoint=tmp_path / "c", force=True, **SMALL
        )
    assert result.interrupted and starling.resume(tmp_path / "c", normal, dim=2).done == 30

    def slow(x):
        signal.sigtimedwait([], 0.02)
        return normal(x)

    starling.sample(slow, dim=2, **{**SMALL, "progress": True})
    shown = capsys.readouterr().err
    assert "fly:" in shown and "certify:" in shown


def test_a_path_of_any_bytes_survives_files_and_checkpoints(tmp_path):
    data = os.path.join(os.fsencode(tmp_path), b"d\xe4ta.csv")
    with open(data, "wb") as stream:
        stream.write(b"a,y\n" + b"".join(b"%d,%d\n" % (i % 7, i % 2) for i in range(40)))
    target = starling.builtin("logistic", data=os.fsdecode(data))
    result = starling.sample(target, **SMALL)
    result.save(tmp_path / "run")
    loaded = starling.load(tmp_path / "run")
    assert loaded.settings["data"] == result.settings["data"] == os.fsdecode(data)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "config.toml").read_bytes() == (
        tmp_path / "run" / "config.toml"
    ).read_bytes()
    flight = starling.Flight(target, particles=64, seed=1, threads=1).step(20)
    flight.save(tmp_path / "c")
    assert np.array_equal(
        starling.resume(tmp_path / "c").step(10**6).positions, result.unconstrained
    )
