"""Two other ways to learn the noise of networks, beside that of the package (networks.py).

    python bench/networks_noise.py [--sets choose] [--splits 2]

"mixture": a row teaches the noise by the networks that explain it, as it is for the mixture of all.
"held back": a first run without a fifth of the rows chooses the factor of the noise's unit, with
the best log likelihood of them; a run over all rows has it."""

from __future__ import annotations

import argparse

import networks
import numpy as np
import starling
from starling.held_out import look_at
from starling.likelihoods import Regression
from starling.noise import math_of

SHIFTS = np.linspace(-1, 1, 41)  # of the logarithm of the unit
SCORE = Regression.score


def score_of_mixture(self, outputs, own, y):
    """As Regression.score, for Student's noise, with the weights of each row's networks."""
    math = math_of(outputs)
    log_unit, a = math.split(own[:, None], [self.outputs], axis=2)
    smaller = math.exp(-math.clip(log_unit, -20, 20))
    z = (y - outputs) * smaller
    along_z, along_a = self.noise.slopes(z, a)
    nu = 2 + 10 * math.exp(math.clip(a, -20, 10))
    height = (-(nu + 1) / 2 * math.log1p(z * z / nu)).sum(axis=2, keepdims=True)
    weight = math.exp(height - height.max(axis=0, keepdims=True))
    weight = weight / weight.mean(axis=0, keepdims=True)
    of_own = ((-along_z * z - 1) * weight).sum(axis=1), (along_a * weight).sum(axis=1)
    return -along_z * smaller, math.concatenate(of_own, axis=1)


def fitted(train, seed):
    network = starling.from_jax_network(
        lambda key: networks.init(key, train[0].shape[1]),
        networks.apply,
        train,
        data_batch=networks.ROWS,
    )
    how = dict(particles=networks.PARTICLES, steps=networks.STEPS, seed=seed, progress=False)
    return network, starling.sample(network, **how).unconstrained


def look(network, particles, rows, shift=0.0):
    shifted = particles.copy()
    shifted[:, network.model.dim] += shift
    f = network.predicted(shifted, network.inputs(rows[0]))
    return look_at(0, network.likelihood, f, rows[1])


def held_back(train, seed, split):
    order = np.random.default_rng([split, 8]).permutation(len(train[1]))
    cut = int(0.8 * len(order))
    learned, back = ([part[rows] for part in train] for rows in (order[:cut], order[cut:]))
    first = fitted(learned, seed)
    return max(SHIFTS, key=lambda shift: look(*first, back, shift).log_likelihood)


def measured(name, splits):
    looks = {"as it is": [], "mixture": [], "held back": []}
    for k in range(splits):
        train, test = networks.split(name, k)
        whole = fitted(train, k + 1)
        looks["as it is"].append(look(*whole, test))
        looks["held back"].append(look(*whole, test, held_back(train, k + 1, k)))
        Regression.score = score_of_mixture
        looks["mixture"].append(look(*fitted(train, k + 1), test))
        Regression.score = SCORE
    for way, some in looks.items():
        score = np.mean([one.log_likelihood for one in some])
        shares = " | ".join(
            f"{100 * np.mean([one.inside[band][0] for one in some]):.0f}" for band in some[0].inside
        )
        print(f"| {name} | {way} | {score:.3f} | {shares} |", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--sets", default="choose", help="report, choose, or names with commas")
    asked.add_argument("--splits", type=int, default=2)
    given = asked.parse_args()
    known = {"report": networks.REPORT, "choose": networks.CHOOSE}
    print("| set | noise | log likelihood | 50 % | 80 % | 95 % |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in known.get(given.sets, given.sets.split(",")):
        measured(name, given.splits)


if __name__ == "__main__":
    main()
