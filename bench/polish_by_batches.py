# A default cloud of N(0, I) in few dimensions, and what random batches make of it: 60 steps of
# RBM-SVGD with a kernel of the distance, from that cloud on (docs/recipe.md). From the top:
#     PYTHONPATH=build/release/python python bench/polish_by_batches.py [--particles 10000]
# Three errors, beside those of as many independent draws: W1 of the worst marginal, mean W1 along
# 40 random directions, and of the characteristic function at 200 random frequencies.
import argparse
from statistics import NormalDist

import numpy as np

import starling


def drawn(result):
    return np.column_stack([part.reshape(len(part), -1) for part in result.draws.values()])


def errors(x):
    n, d = x.shape
    right = np.array([NormalDist().inv_cdf((i + 0.5) / n) for i in range(n)])

    def w1(values):
        return np.abs(np.sort(values) - right).mean()

    along = np.random.default_rng(5).normal(size=(40, d))
    along /= np.linalg.norm(along, axis=1)[:, None]
    at = 1.5 * np.random.default_rng(6).normal(size=(200, d))
    found = np.exp(1j * x @ at.T).mean(axis=0) - np.exp(-0.5 * (at**2).sum(axis=1))
    marginal = max(w1(x[:, a]) for a in range(d))
    return marginal, np.mean([w1(x @ v) for v in along]), np.sqrt(np.mean(np.abs(found) ** 2))


def main():
    parser = argparse.ArgumentParser(description="random batches after a default run")
    parser.add_argument("--particles", type=int, default=10_000)
    n = parser.parse_args().particles
    for d in (1, 2, 3):

        def tell(what, figures, dim=d):
            marginal, along, characteristic = figures
            print(
                f"N = {n}, d = {dim}, {what}: W1 of marginals {marginal:.4f}, along directions "
                f"{along:.4f}, characteristic function {characteristic:.4f}",
                flush=True,
            )

        some = [errors(np.random.default_rng(s).normal(size=(n, d))) for s in (1, 2, 3)]
        tell("independent draws", np.mean(some, axis=0))
        common = dict(dim=d, particles=n, progress=False)
        x = drawn(starling.sample("normal", seed=1, **common))
        tell("default run", errors(x))
        for batch in (8, 32):
            for bandwidth in (0.1, 0.5):
                for step_size in (0.02, 0.1):
                    result = starling.sample(
                        "normal",
                        start=x,
                        kernel="gaussian+bilinear",
                        batch=batch,
                        bandwidth=bandwidth,
                        advance="decay",
                        step_size=step_size,
                        steps=60,
                        seed=2,
                        certify="none",
                        **common,
                    )
                    what = f"p = {batch}, bandwidth {bandwidth}, first step {step_size}"
                    tell(what, errors(drawn(result)))


if __name__ == "__main__":
    main()
