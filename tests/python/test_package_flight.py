"""Flights: stepped, looked at, pickled, left alone while they step."""

import copy
import pickle
import threading

import numpy as np
import pytest
from flights import SETTINGS, begin, target

import starling


def test_steps_add_up_whatever_their_size():
    whole, parts = begin().step(60), begin()
    for count in (0, 1, 7, 20, 1000):
        parts.step(count)
    assert parts.over and parts.done == parts.total == 60
    assert np.array_equal(whole.positions, parts.positions)
    assert np.array_equal(
        parts.result().unconstrained,
        starling.sample(target, dim=2, progress=False, **SETTINGS).unconstrained,
    )
    for wrong, kind in ((-1, ValueError), (1.5, TypeError), ("1", TypeError), (True, TypeError)):
        with pytest.raises(kind, match="count"):
            parts.step(wrong)


def test_a_result_on_the_way_changes_nothing():
    flight = begin().step(30)
    half = flight.result()
    assert half.diagnostics["steps_done"] == 30 and np.array_equal(
        half.unconstrained, flight.positions
    )
    assert np.array_equal(flight.step(30).positions, begin().step(60).positions)


def test_what_is_seen_are_copies():
    flight = begin().step(1)
    for name in ("positions", "scores", "drifts"):
        seen = getattr(flight, name)
        assert seen.shape == (50, 2) and seen.dtype == np.float64
        kept = seen.copy()
        seen[:] = 7
        assert np.array_equal(getattr(flight, name), kept)
    assert "50 particles in 2 dimensions, step 1 of 60" in repr(flight)
    assert (
        flight.trace[0]["step"] == 0
        and flight.settings["target"] == "guest"
        and flight.names == ["x[1]", "x[2]"]
    )


@pytest.mark.parametrize(
    "settings", [{}, dict(batch=2), dict(precision="single", advance="adam"), dict(replace=True)]
)
def test_a_pickled_flight_goes_on_bit_for_bit(settings):
    flight = begin(**settings).step(25)
    other = pickle.loads(pickle.dumps(flight))
    assert other.done == 25 and other.target.function is target
    assert np.array_equal(flight.step(100).positions, other.step(100).positions)
    assert [row["step"] for row in flight.trace] == [row["step"] for row in other.trace]


def jax_log_density(x):
    return -0.5 * x @ x


def test_flights_of_jax_are_pickled_and_those_of_c_are_not():
    pytest.importorskip("jax", reason="JAX is not installed")
    flight = starling.Flight(starling.from_jax(jax_log_density), dim=2, **SETTINGS).step(10)
    other = pickle.loads(pickle.dumps(flight))
    assert np.array_equal(flight.step(10).positions, other.step(10).positions)
    with pytest.raises(TypeError, match="a C function cannot be pickled"):
        pickle.dumps(starling.CFunction(123456, 2, batched=True))
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(starling.Flight(lambda x: -x, dim=2, **SETTINGS))


def likelihood(x, rows, weights):
    return -0.5 * weights.sum() * (x**2).sum(axis=1), -weights.sum() * x


@pytest.mark.parametrize(
    "own", [starling.Function(target, 2), starling.from_rows(likelihood, 10, dim=2)]
)
def test_a_target_of_an_earlier_pickle_lacks_what_came_later_and_flies(own):
    """It knew neither of loops nor of densities on a GPU."""
    earlier = copy.copy(own)
    later = {"_loop", "_single_on_card", "_computes_on_card"} & set(vars(earlier))
    assert {"_loop", "_single_on_card"} <= later
    for name in later:
        delattr(earlier, name)
    kept = pickle.loads(pickle.dumps(earlier))
    flights = [starling.Flight(one, particles=64, seed=1).step(2) for one in (kept, own)]
    assert np.array_equal(*(flight.positions for flight in flights))
    assert kept.with_gradient_check().user_target(None, 64) is not None


def test_tell_stops_a_step_and_its_errors_come_through():
    assert begin(steps=10**9).step(10**9, tell=lambda done: done > 0).done < 10**9
    with pytest.raises(ZeroDivisionError):
        begin(steps=10**9).step(10**9, tell=lambda done: 1 / 0)


def test_a_flight_in_flight_is_left_alone():
    seen = []

    def nosy(x):
        with pytest.raises(ValueError, match="flight: must not be used during a step"):
            seen.append(flight.positions)
        with pytest.raises(ValueError, match="flight: must not be used"):
            flight.step()
        seen.append(flight.done)
        return -x

    flight = starling.Flight(nosy, dim=2, **SETTINGS)
    flight.step(3)
    assert seen == [0, 1, 2] and flight.positions.shape == (50, 2)


def test_flights_in_threads_are_as_those_without():
    flights = [begin(seed=seed) for seed in range(8)]
    threads = [threading.Thread(target=flight.step, args=(60,)) for flight in flights]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, flight in enumerate(flights):
        assert np.array_equal(flight.positions, begin(seed=seed).step(60).positions)


def test_progress_is_shown_when_asked_for(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    quiet = dict(dim=2, **SETTINGS)
    starling.sample(target, progress=False, **quiet)
    starling.sample(target, **quiet)
    assert capsys.readouterr().err == "", "no terminal, no bar"

    def slow(x):
        threading.Event().wait(0.3)
        return -x

    starling.sample(slow, progress=True, dim=2, **{**SETTINGS, "steps": 10})
    assert "/10 [" in capsys.readouterr().err
