"""A field that is not seen: the temperature of a plate some time ago, from 60 sensors now.

    python examples/heat.py [--plot heat.png]

40 x 40 cells, 100 particles. The heat equation is linear and the prior a Gaussian field, so the
posterior is known exactly: the run is checked against it. Positions are the field in units of its
prior, u = L z with z ~ N(0, 1): of 1600 numbers the data then say something new of at most 60, and
the other directions are as wide as the prior says.
"""

import argparse

import numpy as np
import starling

CELLS, SENSORS, NOISE = 40, 60, 0.05
LENGTH, TIME = 0.15, 0.004  # of the prior's correlation; since then, at conductivity 1

random = np.random.default_rng(1)
at = (np.arange(CELLS) + 0.5) / CELLS

# Along one axis: the prior's root, and the heat equation with edges kept at 0, by sines. Both
# are the same along the other axis, so that u -> A u A^T for a field u.
correlation = np.exp(-(((at[:, None] - at[None]) / LENGTH) ** 2) / 2)
root = np.linalg.cholesky(correlation + 1e-6 * np.eye(CELLS))
waves = np.sqrt(2 / CELLS) * np.sin(np.pi * np.outer(at, np.arange(1, CELLS + 1)))
waves[:, -1] /= np.sqrt(2)
later = waves * np.exp(-((np.pi * np.arange(1, CELLS + 1)) ** 2) * TIME) @ waves.T

where = random.choice(CELLS**2, SENSORS, replace=False)  # cells with a sensor


def field(z):
    """Temperatures then, (N, cells, cells), of positions (N, d)."""
    return root @ z.reshape(-1, CELLS, CELLS) @ root.T


def sensors(z):
    """What the sensors would show now."""
    return (later @ field(z) @ later.T).reshape(len(z), -1)[:, where]


def adjoint(seen):
    """The way back of `sensors`, from (N, sensors) to (N, d)."""
    now = np.zeros((len(seen), CELLS**2))
    now[:, where] = seen
    then = later.T @ now.reshape(-1, CELLS, CELLS) @ later
    return (root.T @ then @ root).reshape(len(seen), -1)


truth = random.normal(size=(1, CELLS**2))
y = sensors(truth)[0] + NOISE * random.normal(size=SENSORS)


def log_density(z):
    misfit = (y - sensors(z)) / NOISE
    value = -(misfit**2).sum(axis=1) / 2 - (z**2).sum(axis=1) / 2
    return value, adjoint(misfit) / NOISE - z


def exact():
    """Mean and sd of each cell under the posterior."""
    forward = adjoint(np.eye(SENSORS))  # its rows are those of the forward matrix
    gain = np.linalg.solve(forward @ forward.T + NOISE**2 * np.eye(SENSORS), forward)
    roots = np.kron(root, root)
    seen = forward @ roots.T  # of sensors with cells
    variance = (roots**2).sum(axis=1) - np.sum(seen * (gain @ roots.T), axis=0)
    return field((y @ gain)[None])[0], np.sqrt(variance).reshape(CELLS, CELLS)


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--plot")
    plot = asked.parse_args().plot
    result = starling.sample(log_density, dim=CELLS**2, particles=100, seed=1, exact=100)
    print(result.verdict + ":", result.reason)
    fields = field(result.unconstrained)
    mean, sd = fields.mean(axis=0), fields.std(axis=0, ddof=1)
    right_mean, right_sd = exact()
    error = np.sqrt(np.mean(((mean - right_mean) / right_sd) ** 2))
    print(f"mean: off by {error:.2f} posterior sds, root mean square; 100 exact draws: 0.10")
    print(f"sd: {np.mean(sd / right_sd):.2f} of the exact one in the mean over cells")
    print(f"sd over the prior's: {right_sd.mean():.2f} exact, {sd.mean():.2f} here")
    if plot:
        draw(plot, {"truth": field(truth)[0], "mean": mean, "sd": sd, "exact sd": right_sd})


def draw(file, pictures):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(pictures), figsize=(12, 3), layout="constrained")
    for one, (name, picture) in zip(axes, pictures.items()):
        figure.colorbar(one.imshow(picture, origin="lower"), ax=one)
        one.set_title(name)
    figure.savefig(file)


if __name__ == "__main__":
    main()
