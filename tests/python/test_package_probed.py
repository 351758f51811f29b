"""What odd functions, threads, forks and copies once did wrong."""

import copy
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from flights import SETTINGS, begin, target

import starling


@pytest.mark.parametrize(
    "change",
    [
        lambda x: setattr(x, "shape", (-1,)),
        lambda x: setattr(x, "dtype", np.int64),
        lambda x: x.setflags(write=False),
        lambda x: setattr(x, "strides", (0, 0)),
    ],
    ids=["shape", "dtype", "flags", "strides"],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_a_function_does_to_its_array_does_not_last(change):
    seen = []

    def changing(x):
        seen.append((x.shape, x.dtype, x.flags.writeable, x.strides))
        scores = -x.copy()
        change(x)
        return scores

    flight = starling.Flight(changing, dim=2, **SETTINGS).step(4)
    assert len(set(seen)) == 1 and seen[0][0] == (50, 2)
    assert np.array_equal(flight.positions, begin().step(4).positions)


@pytest.mark.parametrize("dim", [2**63, 2**64, 10**30])
def test_numbers_that_no_machine_has_are_refused_in_words(dim):
    with pytest.raises(ValueError, match=r"dim: must be below 2\^63; got"):
        starling.sample(target, dim=dim, **SETTINGS)
    with pytest.raises(ValueError, match=r"count: must be below 2\^63"):
        begin().step(dim)


def test_an_exception_that_takes_no_attribute_comes_back_as_itself():
    class Closed(Exception):
        def __setattr__(self, name, value):
            if not name.startswith("__"):
                raise RuntimeError("closed")
            super().__setattr__(name, value)

    def failing(x):
        raise Closed("mine")

    with pytest.raises(Closed, match="mine"):
        starling.sample(failing, dim=2, progress=False, **SETTINGS)


def test_a_fork_in_the_middle_of_another_threads_run_ends_and_reports_no_leak():
    program = """
        import os, sys, threading, time, starling
        flight = starling.Flight("normal", dim=2, particles=2000, steps=10**9, batch=2)
        stop = []
        thread = threading.Thread(
            target=lambda: flight.step(10**9, tell=lambda done: bool(stop)), daemon=True)
        thread.start()
        while flight.done == 0:
            time.sleep(0.01)
        child = os.fork()
        if child == 0:
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.append(1)
        thread.join()
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "")


def test_a_result_is_copied_and_says_how_to_keep_it_where_it_cannot_be_pickled(tmp_path):
    result = begin().step(60).result()
    assert copy.copy(result) is copy.deepcopy(result) is result
    with pytest.raises(TypeError, match=r"result: cannot be pickled; use save\(folder\)"):
        pickle.dumps(result)
    result.save(tmp_path / "out")
    loaded = pickle.loads(pickle.dumps(starling.load(tmp_path / "out")))
    assert np.array_equal(loaded.draws["x"], result.draws["x"])


def test_others_go_on_while_particles_are_chosen():
    result = starling.sample(
        "normal", dim=20, particles=10000, steps=1, batch=2, progress=False, seed=1
    )
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    result.thin(300)
    ended = time.monotonic()
    stop.set()
    thread.join()
    assert sum(began < at < ended for at in ticks) > 5


def test_a_run_in_stages_may_be_watched_by_other_threads():
    flight = starling.Flight(target, dim=10, particles=100, seed=1)
    seen, stop = set(), threading.Event()

    def watch():
        while not stop.is_set():
            seen.add(flight.stage)
            assert flight.done <= flight.total and "stage" in repr(flight)

    threads = [threading.Thread(target=watch) for _ in range(2)]
    for thread in threads:
        thread.start()
    while not flight.over:
        flight.step(10)
    stop.set()
    for thread in threads:
        thread.join()
    assert seen <= {"scout", "fly", "certify", "look", "settle", "finished"} and "fly" in seen
    assert flight.stage == "finished" or flight.over


@pytest.mark.parametrize("ask", ["summary([])", "write([], folder, 'csv', False, {})"])
def test_the_engine_refuses_no_runs_at_all(ask, tmp_path):
    with pytest.raises(ValueError, match="at least one"):
        eval(f"native.{ask}", dict(native=starling._starling, folder=tmp_path / "out"))


@pytest.mark.parametrize("real", [(3, 3), (0, 2), (500, 2), (100,), (2, 50)])
@pytest.mark.parametrize("part", ["scores", "log densities"])
def test_an_object_that_lies_about_its_shape_is_not_read_beyond_its_end(part, real):
    class Lies:
        dtype = np.dtype(float)

        def __init__(self, shape):
            self.shape = shape

        def __array__(self, *_, **__):
            return np.zeros(real)

    def lying(x):
        density, scores = target(x)
        if part == "scores":
            return density, Lies(scores.shape)
        return Lies(density.shape), scores

    with pytest.raises((ValueError, TypeError), match=f"target: must return {part}"):
        starling.sample(lying, dim=2, progress=False, check=False, **SETTINGS)


@pytest.mark.parametrize("name", ["a\0b", "\udcff", "a\ud800"])
def test_names_that_no_file_can_hold_are_refused(name):
    with pytest.raises(ValueError, match="names: must be texts that a file can hold"):
        starling.Function(target, names=[name, "b"])


@pytest.mark.parametrize(
    "wrong, kind, said",
    [
        (dict(count=0), ValueError, "count: must be at least 1"),
        (dict(count=-1), ValueError, "count: must be at least 1"),
        (dict(count=1.5), TypeError, "count: must be a whole number"),
        (dict(count=51), ValueError, "count: must be at most the number of particles"),
        (dict(count=5, threads=-1), ValueError, "threads: must be at least 0"),
        (dict(count=5, weights="yes"), TypeError, "weights: must be True or False"),
        (dict(count=5, scores="x"), TypeError, "scores: must be real numbers; got str"),
        (dict(count=5, scores=5), ValueError, "scores: must be of the shape"),
        (dict(count=5, scores=np.full((50, 2), np.nan)), ValueError, "finite scores, 0; got 5"),
    ],
)
def test_thinning_says_what_is_wrong_in_the_callers_words(wrong, kind, said):
    result = begin().step(5).result()
    with pytest.raises(kind, match=said):
        result.thin(**wrong)


def test_a_folder_that_is_gone_is_named():
    program = """
        import os, tempfile, starling
        place = tempfile.mkdtemp()
        os.chdir(place)
        os.rmdir(place)
        try:
            starling.Flight("normal", dim=2, particles=8, steps=2, batch=2).save("state")
        except FileNotFoundError as error:
            assert "state" in str(error), error
            print("refused")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "refused\n", "")


@pytest.mark.parametrize("name", ["summary.json", "config.toml", "trace.csv"])
@pytest.mark.parametrize("text", ["{", "[]", "{}", "a = \n", '{"verdict": 3}', "step\nx\n", "\xff"])
def test_a_damaged_file_beside_the_draws_is_named(name, text, tmp_path):
    begin().step(5).result().save(tmp_path / "run")
    (tmp_path / "run" / name).write_bytes(text.encode("latin-1"))
    try:
        loaded = starling.load(tmp_path / "run")
    except ValueError as error:
        assert str(error) == f"{tmp_path / 'run' / name}: must be that of a run; got something else"
    else:
        assert name != "summary.json" and repr(loaded) and loaded.draws


def rows_doubled(x):
    return -0.5 * (x * x).sum(axis=1), -x


def test_a_pool_is_called_by_several_threads_and_comes_back_from_a_pickle():
    with starling.pool(rows_doubled, 2) as pool:
        x = np.random.default_rng(1).normal(size=(30, 2))
        answers, expected = [], rows_doubled(x)
        threads = [threading.Thread(target=lambda: answers.append(pool(x))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(answers) == 4
        for answer in answers:
            assert all(np.array_equal(a, b) for a, b in zip(answer, expected))
        with pickle.loads(pickle.dumps(pool)) as other:
            assert np.array_equal(other(x)[1], expected[1])
    with pytest.raises(TypeError, match="os.PathLike"):
        starling.load(None)
