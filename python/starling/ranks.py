"""The ranks of a communicator of mpi4py, as a run uses them: every method but `abort` is called by
all of them alike."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LONGEST = 2**30  # bytes of a message: MPI counts in int
BLOCKS = 64  # of rows, where nobody says how many: as under mpirun


class Ranks:
    """comm: of mpi4py, with all ranks of the run. It is copied once, so that messages of others
    stay apart."""

    _key: int | None = None

    def __init__(self, comm: Any):
        self.interrupt_pending = False  # Ctrl-C, which waits for the end of a step
        with self.interrupts_deferred():
            self._join(comm)

    def _join(self, comm: Any) -> None:
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise ImportError(
                "comm: needs mpi4py, and an MPI that it finds: pip install mpi4py"
            ) from error
        if not isinstance(comm, MPI.Intracomm) or comm == MPI.COMM_NULL:
            raise TypeError(
                "comm: must be a communicator of mpi4py, such as MPI.COMM_WORLD; got "
                f"{type(comm).__name__}"
            )
        if Ranks._key is None:
            Ranks._key = MPI.Comm.Create_keyval()
        kept = comm.Get_attr(Ranks._key)
        if kept is None:
            machine = comm.Split_type(MPI.COMM_TYPE_SHARED)
            kept = comm.Dup(), machine.Get_rank()
            machine.Free()
            comm.Set_attr(Ranks._key, kept)
        self._mpi, self.rank, self.size = MPI, comm.Get_rank(), comm.Get_size()
        self._comm, self.rank_on_machine = kept

    @contextmanager
    def interrupts_deferred(self) -> Iterator[None]:
        """Ctrl-C must not come in the middle of what all ranks do together: it is kept until
        it is asked for. A second is not."""
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            yield
            return

        def hear(number: int, frame: Any) -> None:
            if self.interrupt_pending:
                before(number, frame)
            self.interrupt_pending = True

        signal.signal(signal.SIGINT, hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @property
    def first(self) -> bool:
        return self.rank == 0

    def any(self, here: Any) -> bool:
        """Whether anyone says so."""
        return bool(self._comm.allreduce(1 if here else 0, op=self._mpi.MAX))

    def of_first(self, value: Any) -> Any:
        """What the first has, to all."""
        return self._comm.bcast(value, root=0)

    def agree(self, error: Exception | None) -> None:
        """What went wrong on one rank is raised on all: there as it is, elsewhere in its words."""
        said = self._comm.allgather(None if error is None else f"{type(error).__name__}: {error}")
        if error is not None:
            raise error
        for rank, words in enumerate(said):
            if words is not None:
                raise RuntimeError(f"rank {rank}: {words}")

    def same(self, what: str, here: Any) -> None:
        """Raises on all unless all have the same."""
        if len(set(self._comm.allgather(repr(here)))) > 1:
            raise ValueError(f"{what}: must be the same on all ranks")

    def all_gather(self, mine: memoryview, everyone: memoryview, sizes: list[int]) -> None:
        byte = self._mpi.BYTE
        if sum(sizes) <= LONGEST:
            self._comm.Allgatherv(
                [mine, sizes[self.rank], byte], [everyone, (sizes, _places(sizes)), byte]
            )
            return
        for rank, (place, size) in enumerate(zip(_places(sizes), sizes)):
            part = everyone[place : place + size]
            if rank == self.rank:
                part[:] = mine
            self._broadcast(part, rank)

    def gather(self, mine: memoryview, everyone: memoryview, sizes: list[int]) -> None:
        if not self.first:
            self._mpi.Request.Waitall(
                [self._comm.Isend([part, self._mpi.BYTE], 0, 1) for part in _pieces(mine)]
            )
            return
        coming = []
        for rank, (place, size) in enumerate(zip(_places(sizes), sizes)):
            part = everyone[place : place + size]
            if rank == 0:
                part[:] = mine
            else:
                coming += [
                    self._comm.Irecv([piece, self._mpi.BYTE], rank, 1) for piece in _pieces(part)
                ]
        self._mpi.Request.Waitall(coming)

    def broadcast(self, data: memoryview) -> None:
        self._broadcast(data, 0)

    def exchange(
        self, out: memoryview, sent: list[int], into: memoryview, received: list[int]
    ) -> None:
        going, coming, to, come_from = [], [], _places(sent), _places(received)
        for rank in range(self.size):
            part = into[come_from[rank] : come_from[rank] + received[rank]]
            if rank == self.rank:
                part[:] = out[to[rank] : to[rank] + sent[rank]]
            else:
                coming += [
                    self._comm.Irecv([piece, self._mpi.BYTE], rank, 2) for piece in _pieces(part)
                ]
        for rank in range(self.size):
            if rank != self.rank:
                part = out[to[rank] : to[rank] + sent[rank]]
                going += [
                    self._comm.Isend([piece, self._mpi.BYTE], rank, 2) for piece in _pieces(part)
                ]
        self._mpi.Request.Waitall(coming + going)

    def abort(self, code: int) -> None:
        self._comm.Abort(code)

    def _broadcast(self, data: memoryview, root: int) -> None:
        for piece in _pieces(data):
            self._comm.Bcast([piece, self._mpi.BYTE], root)


def _places(sizes: list[int]) -> list[int]:
    places = [0]
    for size in sizes[:-1]:
        places.append(places[-1] + size)
    return places


def _pieces(data: memoryview) -> list[memoryview]:
    return [data[begin : begin + LONGEST] for begin in range(0, len(data), LONGEST)]
