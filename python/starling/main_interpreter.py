"""Refuses a subinterpreter: the engine's module and NumPy's live in the main one alone, and half
of them loaded elsewhere would end the process at its exit."""

from __future__ import annotations


def _is_main() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):  # 3.13 on; before
        try:
            interpreters = __import__(name)
            return interpreters.get_current() == interpreters.get_main()
        except (ImportError, AttributeError):
            continue
    return True  # nothing here makes others


def require_main_interpreter() -> None:
    if not _is_main():
        raise ImportError(
            "starling: must be imported in the main interpreter; got a subinterpreter (use "
            "multiprocessing instead)"
        )
