"""NumPyro's SteinVI on the regressions of networks.py: a mixture of five normal guides.

Steps (Adagrad, .05), the RBF kernel and the start within .1 of 0 are those of NumPyro's own example
of a Bayesian network. Five guides AutoNormal and one draw of each in a step keep it short: a step
computes a gradient for each pair of guides, so that 20 of them would take 16 times as long.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.einstein import RBFKernel, SteinVI
from numpyro.infer import init_to_uniform
from numpyro.infer.autoguide import AutoNormal
from numpyro.optim import Adagrad

GUIDES = 5
DRAWS = 20  # of each guide, to predict with


def posterior(apply, prior_sds, x, y, log_noise, own, rows, guides, steps, seed):
    """Weights (guides x DRAWS, ...) by name, and `own` numbers of the noise."""

    def model(x, y):
        weights = {
            name: numpyro.sample(name, dist.Normal(0, sd).to_event(sd.ndim))
            for name, sd in prior_sds.items()
        }
        of_noise = numpyro.sample("own", dist.Normal(0, 1).expand([own]).to_event(1))
        with numpyro.plate("rows", len(x), subsample_size=rows) as chosen:
            z = (y[chosen] - apply(weights, x[chosen])[:, 0]) * jnp.exp(-of_noise[0])
            numpyro.factor("y", log_noise(z, of_noise))

    guide = AutoNormal(model, init_loc_fn=partial(init_to_uniform, radius=0.1))
    stein = SteinVI(
        model,
        guide,
        Adagrad(0.05),
        RBFKernel(),
        num_stein_particles=guides,
        num_elbo_particles=1,
    )
    found = stein.run(jax.random.key(seed), steps, x, y, progress_bar=False).params
    random = np.random.default_rng(seed)
    draws = {}
    for name in (*prior_sds, "own"):
        loc, scale = (np.asarray(found[f"{name}_auto_{part}"]) for part in ("loc", "scale"))
        made = loc + scale * random.normal(size=(DRAWS, *loc.shape))
        draws[name] = made.reshape(-1, *loc.shape[1:])
    return draws, draws.pop("own").astype(np.float32)
