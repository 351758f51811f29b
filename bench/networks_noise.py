"""Three other ways to learn the noise of networks, beside that of the package (networks.py).

    python bench/networks_noise.py [--sets choose] [--splits 2]

"mixture": a row teaches the noise by the networks that explain it, as it is for the mixture of all.
"held back": a first run without a fifth of the rows chooses the factor of the noise's unit, with
the best log likelihood of them; a run over all rows has it.
"left out": at the end it is learned for the mixture, from what networks would predict of a row
without it. For a straight line in the weights that is y - (y - f) / (1 - h), h the leverage."""

from __future__ import annotations

import argparse

import jax
import networks
import numpy as np
import starling
from scipy.optimize import minimize
from starling.held_out import look_at
from starling.likelihoods import Regression
from starling.network_flight import flight_of
from starling.network_rule import KERNEL_WIDTH
from starling.network_steps import Steps
from starling.noise import math_of

MOST_LEVERAGE = 0.9  # above, a straight line says nothing of a network without the row
WAYS = ("as it is", "mixture", "held back", "left out")
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
    """The network, its particles, and the sds of the prior of their weights."""
    network = starling.from_jax_network(
        lambda key: networks.init(key, train[0].shape[1]),
        networks.apply,
        train,
        data_batch=networks.ROWS,
    )
    start, steps = network.start(networks.PARTICLES, seed), networks.STEPS
    work = Steps(network, start, seed, noise_from=steps)
    flight = flight_of(work, networks.STEP_SIZE, steps, 0, seed, 0.0)
    flight.take(steps)
    log_s = np.asarray(flight._program.parts(flight._state.x[1])[1][0])
    sds = [np.full(np.prod(shape), s) for shape, s in zip(network.model.shapes, np.exp(log_s))]
    return network, np.array(flight.particles), work.prior.unit * np.concatenate(sds)


def look(network, particles, rows, own=0.0):
    """`own`: added to the logarithms that are learned of the noise."""
    shifted = particles.copy()
    shifted[:, network.model.dim :] += own
    f = network.predicted(shifted, network.inputs(rows[0]))
    return look_at(0, network.likelihood, f, rows[1])


def left_out(network, particles, prior_sd, rows):
    """What to add to the logarithms that are learned of the noise. The kernel leaves a share of the
    rows' pull."""
    model, likelihood, n = network.model, network.likelihood, networks.PARTICLES
    inputs, y = network.inputs(rows[0]), likelihood.observed(rows[1])[:, 0].astype(float)
    log_unit, a = particles[0, model.dim :].astype(float)
    nu, share = 2 + 10 * np.exp(a), (1 + (n - 1) * (1 + 2 / KERNEL_WIDTH) ** -0.5) / n
    residuals = y - network.predicted(particles, inputs)[:, :, 0]
    slope = jax.grad(lambda w, row: model.outputs_of(model.arrays(w), row[None])[0, 0])
    slopes = jax.jit(jax.vmap(slope, (None, 0)))
    for residual, w in zip(residuals, particles[:, : model.dim]):
        weight = share * (nu + 1) / (nu * np.exp(2 * log_unit) + residual**2)
        h = leverages(np.sqrt(weight)[:, None] * np.asarray(slopes(w, inputs)) * prior_sd)
        residual /= 1 - np.minimum(h, MOST_LEVERAGE)

    def loss(shift):
        own = np.array([log_unit, a]) + shift
        z = residuals * np.exp(-own[0])
        each = likelihood.noise.log_density(z, own[1]) - own[0]
        return own @ own / 2 - np.logaddexp.reduce(each).sum()

    simplex = np.array([[0, 0], [-0.5, 0], [0, -0.5]])
    return minimize(loss, [0, 0], method="Nelder-Mead", options={"initial_simplex": simplex}).x


def leverages(a):
    """diag(a (a^T a + 1)^-1 a^T)."""
    rows, columns = a.shape
    if rows < columns:
        return 1 - np.diag(np.linalg.inv(a @ a.T + np.eye(rows)))
    return np.einsum("ij,ij->i", a @ np.linalg.inv(a.T @ a + np.eye(columns)), a)


def held_back(train, seed, split):
    order = np.random.default_rng([split, 8]).permutation(len(train[1]))
    cut = int(0.8 * len(order))
    learned, back = ([part[rows] for part in train] for rows in (order[:cut], order[cut:]))
    network, particles, _ = fitted(learned, seed)
    units = [np.array([shift, 0]) for shift in SHIFTS]
    return max(units, key=lambda own: look(network, particles, back, own).log_likelihood)


def measured(name, splits, ways):
    looks = {way: [] for way in ways}
    for k in range(splits):
        train, test = networks.split(name, k)
        network, particles, prior_sd = fitted(train, k + 1)
        shifts = {
            "as it is": lambda: 0.0,
            "held back": lambda: held_back(train, k + 1, k),
            "left out": lambda: left_out(network, particles, prior_sd, train),
        }
        for way in looks:
            if way != "mixture":
                looks[way].append(look(network, particles, test, shifts[way]()))
        if "mixture" in looks:
            Regression.score = score_of_mixture
            looks["mixture"].append(look(*fitted(train, k + 1)[:2], test))
            Regression.score = SCORE
    for way, some in looks.items():
        scores = np.array([one.log_likelihood for one in some])
        gains = scores - [one.log_likelihood for one in looks[ways[0]]]
        error = gains.std(ddof=1) / np.sqrt(splits) if splits > 1 else np.nan
        shares = " | ".join(
            f"{100 * np.mean([one.inside[band][0] for one in some]):.0f}" for band in some[0].inside
        )
        gain = f"{gains.mean():.3f} +- {error:.3f}"
        print(f"| {name} | {way} | {scores.mean():.3f} | {gain} | {shares} |", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--sets", default="choose", help="report, choose, or names with commas")
    asked.add_argument("--splits", type=int, default=2)
    asked.add_argument("--ways", default=",".join(WAYS), help="names with commas")
    given = asked.parse_args()
    known = {"report": networks.REPORT, "choose": networks.CHOOSE}
    print("| set | noise | log likelihood | gain on the first way | 50 % | 80 % | 95 % |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in known.get(given.sets, given.sets.split(",")):
        measured(name, given.splits, given.ways.split(","))


if __name__ == "__main__":
    main()
