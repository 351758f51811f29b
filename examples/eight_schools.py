"""Eight schools three ways: a NumPyro model, a PyMC model, and a JAX function with parameters by
name. All give the same posterior, with names and labels.

    python examples/eight_schools.py [numpyro] [pymc] [jax]
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import starling

jax.config.update("jax_enable_x64", True)
EFFECT = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERROR = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])


def numpyro_target():
    import numpyro
    import numpyro.distributions as dist

    def schools(error, y=None):
        mu = numpyro.sample("mu", dist.Normal(0, 5))
        tau = numpyro.sample("tau", dist.HalfNormal(5))
        with numpyro.plate("school", len(error)):
            eta = numpyro.sample("eta", dist.Normal(0, 1))
            numpyro.sample("y", dist.Normal(mu + tau * eta, error), obs=y)

    return starling.from_numpyro(schools, ERROR, y=EFFECT)


def pymc_target():
    import pymc

    with pymc.Model(coords={"school": list("ABCDEFGH")}) as model:
        mu = pymc.Normal("mu", 0, 5)
        tau = pymc.HalfNormal("tau", 5)
        eta = pymc.Normal("eta", 0, 1, dims="school")
        pymc.Normal("y", mu + tau * eta, ERROR, observed=EFFECT, dims="school")
    return model


def jax_target():
    def log_density(p):
        off = (EFFECT - p["mu"] - p["tau"] * p["eta"]) / ERROR
        prior = (p["mu"] / 5) ** 2 + (p["tau"] / 5) ** 2 + jnp.sum(p["eta"] ** 2)
        return -(prior + jnp.sum(off**2)) / 2

    return starling.from_jax(log_density, {"mu": (), "tau": starling.positive(), "eta": (8,)})


for way in sys.argv[1:] or ["numpyro", "jax"]:
    target = {"numpyro": numpyro_target, "pymc": pymc_target, "jax": jax_target}[way]()
    result = starling.sample(target, seed=1, progress=False)
    draws = result.draws
    theta = result.predict(
        (lambda p: p["mu"] + p["tau"] * p["eta"])
        if way == "jax"
        else (lambda d: d["mu"][:, None] + d["tau"][:, None] * d["eta"]),
        name="theta",
    )["theta"]
    print(
        f"{way}: mu {draws['mu'].mean():.2f}, tau {draws['tau'].mean():.2f}, school A "
        f"{theta[:, 0].mean():.2f} +- {theta[:, 0].std():.2f}; {result.verdict}"
    )
