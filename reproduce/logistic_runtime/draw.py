"""Table 2: runtime on Covertype."""

import runtime

ABOUT = """Table 2 times 6000 steps of the logistic regression with 512 particles. Each step
computes the score of all particles whatever the batch size, so the gain is smaller than on the
mixture: the paper reports 5.5 times for p = 2 and says that the scores, which are linear in N, are
the reason."""


def pictures(result, space):
    return runtime.pictures(result, space, "Table 2")


def numbers(result):
    return runtime.numbers(result, "Table 2")
