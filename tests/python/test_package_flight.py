"""Flights: stepped, looked at, pickled, saved, resumed, stopped, and what an exception leaves."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import starling

SETTINGS = dict(particles=50, steps=60, seed=5, threads=1)


def target(x):
    return -0.5 * np.sum(x**2, axis=1), -x


def begin(**settings):
    return starling.Flight(target, dim=2, **{**SETTINGS, **settings})


def wait_until(holds, run):
    """However slow the machine is, but not longer than the process runs."""
    for _ in range(60_000):
        if holds():
            return
        assert run.poll() is None, "it ended before"
        threading.Event().wait(0.01)
    raise AssertionError("not after ten minutes")


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


def test_a_checkpoint_is_resumed_by_both(binary, tmp_path):
    state = tmp_path / "state"
    settings = dict(dim=3, **SETTINGS)
    flight = starling.Flight("normal", **settings).step(25)
    os.mkdir(state)
    flight.save(state / "run-1.checkpoint")
    whole = flight.step(100).positions
    assert np.array_equal(starling.resume(state / "run-1.checkpoint").step(100).positions, whole)
    assert starling.resume(state / "run-1.checkpoint", "normal", steps=70, threads=2).total == 70
    subprocess.run(
        [str(binary), "sample", "--resume", str(state), "--out", str(tmp_path / "out"), "--quiet"],
        check=True,
        timeout=600,
    )
    assert np.array_equal(np.load(tmp_path / "out" / "draws.npz")["draws"], whole)


def test_a_checkpoint_of_the_command_line_is_resumed_here(binary, tmp_path):
    words = "sample mixture --particles 50 --steps 4000000 --seed 5 --threads 1 --checkpoint-every 50 --quiet".split()
    run = subprocess.Popen(
        [str(binary), *words, "--out", str(tmp_path / "out")], stderr=subprocess.DEVNULL
    )
    file = tmp_path / "out-state" / "run-1.checkpoint"
    try:
        wait_until(file.exists, run)
    finally:
        run.kill()
        run.wait()
    flight = starling.resume(file)
    assert flight.done % 50 == 0 and flight.settings["target"] == "mixture"
    other = starling.Flight("mixture", **{**SETTINGS, "steps": 4000000})
    assert np.array_equal(other.step(flight.done).positions, flight.positions)


def test_a_checkpoint_needs_the_target_it_had(tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    begin().step(5).save(mine)
    starling.Flight("mixture", **SETTINGS).save(theirs)
    assert np.array_equal(
        starling.resume(mine, target, dim=2).step(60).positions, begin().step(60).positions
    )
    for file, given, dim, text in [
        (mine, None, None, "target: give it again"),
        (mine, target, 3, str(mine)),
        (mine, target, None, "dim"),
        (mine, "mixture", None, "give it again"),
        (theirs, target, 1, "leave it out"),
        (theirs, "normal", None, "must be mixture"),
    ]:
        with pytest.raises(ValueError, match=text):
            starling.resume(file, given, dim=dim)
    with pytest.raises(ValueError, match="steps"):
        starling.resume(mine, target, dim=2, steps=3)
    with pytest.raises(FileNotFoundError):
        starling.resume(tmp_path / "nowhere")
    mine.write_bytes(mine.read_bytes()[:-3])
    with pytest.raises(ValueError, match=str(mine)):
        starling.resume(mine, target, dim=2)


def test_sample_keeps_its_state_in_a_file(tmp_path):
    file = tmp_path / "run.checkpoint"
    stages = []

    def watch(flight):
        stages.append(starling.resume(file, target, dim=2).done)

    result = starling.sample(
        target,
        dim=2,
        progress=False,
        callback=watch,
        checkpoint=file,
        checkpoint_every=20,
        **SETTINGS,
    )
    assert sorted(set(stages)) == [0, 20, 40, 60]
    assert np.array_equal(starling.resume(file, target, dim=2).positions, result.unconstrained)
    with pytest.raises(OSError):
        starling.sample(target, dim=2, progress=False, checkpoint=tmp_path, **SETTINGS)


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
        result = starling.sample("normal", dim=2, particles=100, steps=10**9, threads=1, checkpoint={str(file)!r},
                                 checkpoint_every=10**5)
        print(result.interrupted, 0 < result.diagnostics["steps_done"] < 10**9)
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
    assert (out, err, run.returncode) == ("True True\n", "", 0)


def test_tell_stops_a_step_and_its_errors_come_through():
    assert begin(steps=10**9).step(10**9, tell=lambda done: done > 0).done < 10**9
    with pytest.raises(ZeroDivisionError):
        begin(steps=10**9).step(10**9, tell=lambda done: 1 / 0)


def test_a_flight_in_flight_is_left_alone():
    seen = []

    def nosy(x):
        with pytest.raises(ValueError, match="flight: must not be used while it takes a step"):
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
