"""Files that hold the state of a run: which of them may be replaced, and how they are read."""

from __future__ import annotations

import errno
import os
import stat

from .ranks import Ranks

FIRST_BYTES = b"starling checkpoint "  # of every checkpoint, whatever its version


def place_of(file: str | os.PathLike) -> str | bytes:
    """One name for a file, whatever it is called by."""
    try:
        return os.path.realpath(file)
    except OSError:  # the folder that we are in is gone
        return os.fspath(file)


def refuse_to_replace(file: str | os.PathLike, own: bool, force: bool) -> None:
    """Raises FileExistsError unless the file is not there, or is a checkpoint and either `own`, of
    the flight that writes it, or replaced by `force`. Another file is never replaced."""
    try:
        found = os.stat(file)
    except OSError:  # not there; or it cannot be reached, which writing it will say
        return
    if stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_size == 0):
        return  # writing says so; or there is nothing to lose
    if not (stat.S_ISREG(found.st_mode) and _is_checkpoint(file)):
        raise _exists(file, "exists and is not a checkpoint; choose another file")
    if not (own or force):
        raise _exists(
            file,
            "is the checkpoint of another run; resume() continues it, force=True replaces it",
        )


def read_checkpoint(file: str | os.PathLike, ranks: Ranks | None) -> bytes:
    """Its bytes. Of several ranks the first alone reads it."""
    state, error = b"", None
    try:
        if ranks is None or ranks.first:
            with open(file, "rb") as stream:
                state = stream.read()
    except Exception as failed:
        if ranks is None:
            raise
        error = failed
    if ranks is None:
        return state
    ranks.agree(error)
    return ranks.of_first(state)


def _is_checkpoint(file: str | os.PathLike) -> bool:
    with open(file, "rb") as stream:
        return stream.read(len(FIRST_BYTES)) == FIRST_BYTES


def _exists(file: str | os.PathLike, words: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, words, os.fspath(file))
