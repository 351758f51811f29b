"""pool(): a slow function of rows, computed by several processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import weakref
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

import numpy as np

# Of the rows of a call, however many workers there are: so results do not depend on their number.
PIECES = 64
TRIES = 3
# Bytes of a piece that may wait at a worker while it computes another: so many fit into its pipe,
# whoever reads. Larger ones could make both sides wait for each other.
WAITING = 2**15


def pool(function: Callable, workers: int | None = None) -> Pool:
    """The same function, its rows shared among processes.

    function: of an (n, d) array, that returns scores or (log densities, scores); it must be one
        that other processes can be given: a function of a module, or of a script whose own work
        stands under `if __name__ == "__main__":`; with cloudpickle installed, any function.
    workers: how many processes; as many as there are cores, if not given.

    A call returns when every row is there. A process that dies is replaced, and its rows are asked
    for again, one by one; a row that fails three times is an error that names it. Close it, or use
    it in a with statement, to end the processes; they end with the program in any case."""
    return Pool(function, workers)


class Pool:
    """What pool() returns: call it like the function."""

    def __init__(self, function: Callable, workers: int | None = None):
        if not callable(function):
            raise TypeError(f"function: must be a function; got {type(function).__name__}")
        self._begin(_packed(function), workers)

    def _begin(self, packed: bytes, workers: int | None) -> None:
        count = workers if workers is not None else os.cpu_count() or 1
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ValueError(f"workers: must be a whole number of at least 1; got {workers!r}")
        self._function, self._lock = packed, threading.Lock()
        self._processes = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._count = int(count)
        self._end = weakref.finalize(self, _end_all, self._workers)

    def __reduce__(self) -> Any:
        return _pool_of, (self._function, self._count)  # with processes of its own

    def __call__(self, x: Any) -> Any:
        with self._lock:  # one call after the other, whoever asks
            return self._call(x)

    def _call(self, x: Any) -> Any:
        x = np.ascontiguousarray(x)
        if x.ndim != 2:
            raise ValueError(f"x: must be an array of rows, (n, d); got shape {x.shape}")
        if not self._end.alive:
            raise RuntimeError("pool: is closed")
        edges = sorted({len(x) * piece // PIECES for piece in range(PIECES + 1)})
        asked = [(begin, end) for begin, end in zip(edges, edges[1:])][::-1]  # the next is the last
        asked.sort(key=lambda piece: piece[1] - piece[0])  # larger ones first: so shares are even
        answers: dict[int, Any] = {}
        failures = np.zeros(len(x), int)
        while len(self._workers) < min(self._count, len(asked)):
            self._workers.append(_Worker(self._processes, self._function))
        try:
            while asked or any(worker.rows for worker in self._workers):
                self._hand_out(x, asked)
                for worker in self._ready():
                    self._take(worker, asked, answers, failures)
        except BaseException:  # what is under way is of no use any more
            _end_all(self._workers)
            raise
        return _joined([answers[begin] for begin in sorted(answers)])

    def _hand_out(self, x: np.ndarray, asked: list) -> None:
        """Each has a piece, and a second one that it begins without asking; but the last pieces,
        as many as there are workers, go to who is free first."""
        for n, worker in enumerate(self._workers):
            if asked and not worker.rows:
                if not worker.process.is_alive():
                    self._workers[n] = worker = _Worker(self._processes, self._function)
                worker.ask(asked.pop(), x)
        for worker in self._workers:
            if len(asked) <= len(self._workers):
                return
            begin, end = asked[-1]
            if len(worker.rows) == 1 and x[begin:end].nbytes <= WAITING:
                worker.ask(asked.pop(), x)

    def _ready(self) -> list[_Worker]:
        busy = [worker for worker in self._workers if worker.rows]
        found = set(
            wait([end for worker in busy for end in (worker.wire, worker.process.sentinel)])
        )
        return [
            worker for worker in busy if worker.wire in found or worker.process.sentinel in found
        ]

    def _take(self, worker: _Worker, asked: list, answers: dict, failures: np.ndarray) -> None:
        begin, end = worker.rows.popleft()
        try:
            done, value = worker.wire.recv()
        except (EOFError, OSError):
            done, value = False, None
        if done:
            answers[begin] = value
            return
        if value is None:
            worker.process.join()
            asked.extend(worker.rows)  # what it had not begun
            worker.rows.clear()
        failures[begin:end] += 1
        if end - begin == 1 and failures[begin] == TRIES:
            why = (
                f"the process that computed it ended {_in_words(worker.process.exitcode)}"
                if value is None
                else f"{type(value).__name__}: {value}"
            )
            raise RuntimeError(f"pool: row {begin} failed {TRIES} times; {why}") from value
        asked.extend((row, row + 1) for row in reversed(range(begin, end)))

    def close(self) -> None:
        """Ends the processes."""
        self._end()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _pool_of(packed: bytes, workers: int) -> Pool:
    pool = Pool.__new__(Pool)
    pool._begin(packed, workers)
    return pool


class _Worker:
    """A process, and the rows that it was asked for, in the order of its answers."""

    def __init__(self, processes: Any, function: bytes):
        self.wire, far = processes.Pipe()
        self.process = processes.Process(target=_work, args=(far, function), daemon=True)
        self.process.start()
        far.close()  # theirs alone: when they are gone, nothing keeps it open
        self.rows: deque[tuple[int, int]] = deque()

    def ask(self, rows: tuple[int, int], x: np.ndarray) -> None:
        self.rows.append(rows)
        with contextlib.suppress(
            OSError
        ):  # it has just died: that is found out by who waits for it
            self.wire.send(x[rows[0] : rows[1]])


def _work(wire: Any, packed: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    with contextlib.suppress(EOFError, BrokenPipeError):
        function = None
        while True:
            x = wire.recv()
            try:
                function = function or pickle.loads(packed)
                answer = True, function(x)
                packed_answer = pickle.dumps(answer)
            except Exception as error:
                packed_answer = _packed_error(error)
            wire.send_bytes(packed_answer)


def _packed_error(error: Exception) -> bytes:
    try:
        packed = pickle.dumps((False, error))
        pickle.loads(packed)
        return packed
    except Exception:  # one that cannot travel
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _packed(function: Callable) -> bytes:
    try:
        return pickle.dumps(function)
    except Exception:
        pass
    try:
        import cloudpickle
    except ImportError:
        raise TypeError(
            "function: must be one that can be pickled, such as a function of a module; or "
            "install cloudpickle"
        ) from None
    return cloudpickle.dumps(function)


def _joined(answers: list) -> Any:
    if not answers:
        raise ValueError("x: must have at least one row; got none")
    if isinstance(answers[0], tuple):
        return tuple(
            np.concatenate([np.atleast_1d(np.asarray(answer[n])) for answer in answers])
            for n in range(len(answers[0]))
        )
    return np.concatenate([np.asarray(answer) for answer in answers])


def _in_words(code: int | None) -> str:
    return f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"


def _end_all(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.process.kill()
        worker.wire.close()
    for worker in workers:
        worker.process.join()
    workers.clear()
