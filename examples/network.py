"""A Bayesian network from data to bands: 20 particles, a network of 50 hidden units in JAX.

python examples/network.py [--plot networks.svg]
"""

import argparse

import jax
import jax.numpy as jnp
import numpy as np
import starling

random = np.random.default_rng(1)
x = np.concatenate([random.uniform(-3, -1, 100), random.uniform(0.5, 3, 150)])[:, None]
y = 20 + 5 * np.sin(x[:, 0]) + random.normal(0, 1, len(x))
held_out = random.permutation(len(x))[:100]
train = np.setdiff1d(np.arange(len(x)), held_out)


def init(key):  # initial weights; each particle has its own
    first, last = jax.random.split(key)
    return {
        "first": jax.random.normal(first, (1, 50)),
        "bias": jnp.zeros(50),
        "last": jax.random.normal(last, (50, 1)) / 5,
    }


def apply(weights, x):
    return jnp.tanh(x @ weights["first"] + weights["bias"]) @ weights["last"]


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--plot")
    plot = asked.parse_args().plot

    network = starling.from_jax_network(init, apply, (x[train], y[train]))
    result = starling.sample(network, data=(x[held_out], y[held_out]), seed=1)
    print(result.verdict + ":", result.reason)

    at = np.array([-4.0, -2.0, -0.25, 2.0, 4.0])
    bands = result.predict(at[:, None], quantiles=[0.1, 0.9])
    expected = result.predict(at[:, None], observation=False)
    print("      x    mean      sd   80 % band          sd of the mean")
    for k in range(len(at)):
        low, high = bands.quantiles[:, k]
        print(
            f"{at[k]:7.2f} {bands.mean[k]:7.2f} {bands.sd[k]:7.2f}   {low:6.2f} to {high:6.2f} "
            f"   {expected.sd[k]:7.2f}"
        )
    if plot:
        draw(result, plot)


def draw(result, file):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "starling"  # the same file each time
    import matplotlib.pyplot as plt

    line = np.linspace(-4.5, 4.5, 61)[:, None]
    bands = result.predict(line, quantiles=[0.1, 0.9])
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    axes.fill_between(line[:, 0], *bands.quantiles, alpha=0.25, label="80 % band of y")
    axes.plot(line[:, 0], bands.each.T, color="0.5", linewidth=0.4)
    axes.plot(line[:, 0], bands.mean, color="C0", label="mean")
    axes.plot(x[train, 0], y[train], ".", color="C1", markersize=3, label="learned from")
    axes.plot(x[held_out, 0], y[held_out], ".", color="C3", markersize=3, label="held out")
    axes.set(xlabel="x", ylabel="y")
    axes.legend(fontsize=8, ncols=2)
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    main()
