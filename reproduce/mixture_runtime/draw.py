"""Table 1: runtime on the mixture."""

import runtime

ABOUT = """Table 1 times 500 steps with 256 particles, for batch sizes from 2 to 128 and for SVGD.
The count of pairs says that p = 2 should be 128 times cheaper; the paper measured 13.3 times, lays
the rest to MATLAB, and expects nearly the ideal from a compiled language."""


def pictures(result, space):
    return runtime.pictures(result, space, "Table 1")


def numbers(result):
    return runtime.numbers(result, "Table 1")
