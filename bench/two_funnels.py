"""Two funnels that share their scale: where "converged" is still wrong.

    python bench/two_funnels.py [SEEDS]

u is the logarithm of a half-normal scale. Given u, six coordinates are normal with that scale
around one of two centres, 3 and -3 in the first coordinate, with shares 1/3 and 2/3. The exact mean
of u is -.635 and its sd 1.111.
"""

import sys

import numpy as np
import starling

DIM = 6
CENTRES = np.zeros((2, DIM))
CENTRES[:, 0] = 3, -3
LOG_SHARES = np.log([1 / 3, 2 / 3])


def two_funnels(x):
    u = x[:, 0]
    with np.errstate(all="ignore"):
        scale = np.exp(u)[:, None]
        z = (x[:, None, 1:] - CENTRES) / scale[:, None]
        parts = LOG_SHARES - (z**2).sum(2) / 2
        top = parts.max(1, keepdims=True)
        each = np.exp(parts - top)
        log_density = top[:, 0] + np.log(each.sum(1)) + (1 - DIM) * u - scale[:, 0] ** 2 / 2
        each /= each.sum(1, keepdims=True)
        score = np.empty_like(x)
        score[:, 0] = 1 - DIM - scale[:, 0] ** 2 + (each * (z**2).sum(2)).sum(1)
        score[:, 1:] = -(each[:, :, None] * z / scale[:, None]).sum(1)
    lost = ~np.isfinite(log_density) | ~np.isfinite(score).all(1)
    log_density[lost], score[lost] = -np.inf, 0
    return log_density, score


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for seed in range(1, seeds + 1):
        run = starling.sample(two_funnels, dim=DIM + 1, particles=256, seed=seed, progress=False)
        u, first = run.unconstrained.reshape(-1, DIM + 1)[:, :2].T
        print(
            f"seed {seed}: {run.verdict}; mean of u {u.mean():.2f}, sd {u.std():.2f}; "
            f"share at 3: {(first > 0).mean():.2f}; {run.gradients['total']} gradients"
        )


if __name__ == "__main__":
    main()
