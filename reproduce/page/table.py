"""A table of numbers under a picture."""

from dataclasses import dataclass


@dataclass
class Table:
    """`head` names the columns; the first cell of a row names the row."""

    caption: str
    head: list
    rows: list


def with_error(value, error):
    """0.0123 ± 0.0004: the error to two digits, the value to the same place."""
    if error <= 1e-9 * abs(value):  # nothing varied
        return f"{value:.3g}"
    places = max(0, 1 - int(f"{error:.0e}".split("e")[1]))
    return f"{value:.{places}f} ± {error:.{places}f}"
