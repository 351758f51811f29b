"""starling.pool: rows of a slow function, computed by processes."""

import importlib
import os
import signal
from collections import deque

import numpy as np
import pytest

import starling

pool_of_processes = importlib.import_module("starling.pool")


def normal(x):
    return -np.sum(x**2, axis=1) / 2, -x


def dies_once(x):
    mark = os.environ["STARLING_TEST_MARK"]
    if x[0, 0] > 1.5 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return -x


def dies_at_row_5(x):
    if np.any(x[:, 0] == 5):
        os.kill(os.getpid(), signal.SIGKILL)
    return -x


def refuses_row_5(x):
    if np.any(x[:, 0] == 5):
        raise ValueError("five is too many")
    return -x


def test_gives_what_the_function_gives_for_any_number_of_workers():
    x = np.random.default_rng(1).normal(size=(131, 3))
    for workers in (1, 3):
        with starling.pool(normal, workers) as pooled:
            for _ in range(2):  # the processes stay
                density, score = pooled(x)
                assert np.array_equal(score, -x)
                assert np.array_equal(density, normal(x)[0])


def test_is_a_target():
    settings = dict(dim=2, particles=30, steps=5, batch=2, threads=1)
    with starling.pool(normal, 2) as pooled:
        assert np.array_equal(
            starling.sample(pooled, **settings).unconstrained,
            starling.sample(normal, **settings).unconstrained,
        )


def solver(rows):
    """A linear one: log density and score of two slopes, from 40 observations."""
    x, y = observations(1)
    misfit = y - rows @ x.T
    return -np.sum(misfit**2, axis=1) / 2, misfit @ x


def observations(seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(40, 2))
    return x, x @ [1.0, -2.0] + random.normal(size=40)


def test_predictions_of_a_pooled_solver_are_judged_as_its_own():
    def predict(draws, x):
        return draws["x"] @ x.T, np.ones((len(draws["x"]), len(x)))

    how = dict(dim=2, seed=1, particles=32, predict=predict, data=observations(2), progress=False)
    alone = starling.sample(solver, **how)
    with starling.pool(solver, 2) as pooled:
        shared = starling.sample(pooled, **how)
    np.testing.assert_allclose(shared.unconstrained, alone.unconstrained, atol=1e-6)
    assert shared.predictions_verdict == alone.predictions_verdict
    np.testing.assert_allclose(shared.held_out.rows, alone.held_out.rows, atol=1e-6)


def test_a_worker_that_dies_is_replaced_and_its_rows_are_asked_again(tmp_path, monkeypatch):
    monkeypatch.setenv("STARLING_TEST_MARK", str(tmp_path / "died"))
    x = np.linspace(0, 2, 200)[:, None]
    with starling.pool(dies_once, 2) as pooled:
        assert np.array_equal(pooled(x), -x)
        assert (tmp_path / "died").exists()
        assert np.array_equal(pooled(x), -x)


def test_a_row_that_fails_three_times_is_named():
    x = np.arange(200.0)[:, None]
    with starling.pool(dies_at_row_5, 2) as pooled:
        with pytest.raises(
            RuntimeError,
            match="pool: row 5 failed 3 times; the process that computed it ended by signal 9",
        ):
            pooled(x)
        assert np.array_equal(pooled(x[6:]), -x[6:])  # it can be used again
    with (
        starling.pool(refuses_row_5, 1) as pooled,
        pytest.raises(RuntimeError, match="row 5 .* five is too many") as caught,
    ):
        pooled(x)
    assert isinstance(caught.value.__cause__, ValueError)


def test_misuse_is_told():
    with pytest.raises(TypeError, match="function: must be a function; got int"):
        starling.pool(3)
    with pytest.raises(ValueError, match="workers: must be a whole number of at least 1; got 0"):
        starling.pool(normal, 0)
    pooled = starling.pool(normal, 1)
    with pytest.raises(ValueError, match="must be an array of rows"):
        pooled(np.zeros(3))
    pooled.close()
    with pytest.raises(RuntimeError, match="closed"):
        pooled(np.zeros((2, 1)))


@pytest.mark.parametrize("rows", [200, 100, 250])
def test_shares_of_slow_rows_are_even_and_workers_do_not_wait(monkeypatch, rows):
    """Workers that take as long for each row: none has more rows than a fair share, rounded up. As
    long as there are many pieces, a second one waits at each."""

    class Wire:
        def recv(self):
            return True, None

    class Fake:
        def __init__(self, processes, function):
            self.process, self.wire = self, Wire()
            self.rows, self.busy_until, self.total = deque(), 0, 0

        def is_alive(self):
            return True

        def ask(self, piece, x):
            self.rows.append(piece)
            size = piece[1] - piece[0]
            self.total += size
            if len(self.rows) == 1:
                self.busy_until = now[0] + size

    def ready(self):
        if len(waiting) == 0:
            waiting.append([len(worker.rows) for worker in self._workers])
        busy = [worker for worker in self._workers if worker.rows]
        first = min(busy, key=lambda worker: worker.busy_until)
        now[0] = first.busy_until
        if len(first.rows) > 1:
            begin, end = first.rows[1]
            first.busy_until += end - begin
        return [first]

    now, waiting = [0], []
    monkeypatch.setattr(pool_of_processes, "_Worker", Fake)
    monkeypatch.setattr(pool_of_processes, "_joined", len)
    monkeypatch.setattr(pool_of_processes, "_end_all", lambda workers: None)
    monkeypatch.setattr(starling.Pool, "_ready", ready)
    shared = starling.pool(normal, workers=16)
    assert shared(np.zeros((rows, 3))) == 64
    assert now[0] == -(-rows // 16)
    assert waiting == [[2] * 16]
