# Six posteriors of posteriordb in JAX, with the density on the CPU and on a GPU: the verdict, the
# largest error of a mean in standard deviations of the reference draws, and the smallest and
# largest ratio of the standard deviations. Where nothing is wrong, N = 1000 draws have errors of
# means below about .1 and ratios of .93 to 1.07. Needs a folder with a folder for each posterior,
# with data.json and reference.npz (names, draws of chains). From the top:
#     PYTHONPATH=build/release/python python bench/posteriors_on_card.py FOLDER
#         [--device cpu --device cuda] [--seeds 3] [--only NAME]
import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

try:
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import cholesky
except ImportError as error:
    sys.exit(f"posteriors_on_card: package {error.name} is missing")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")
import starling  # noqa: E402


def normal(x, mean, sd):
    """The log density of the sum of all, up to a constant."""
    x, mean, sd = jnp.broadcast_arrays(x, mean, sd)
    return jnp.sum(-0.5 * ((x - mean) / sd) ** 2 - jnp.log(sd))


def cauchy(x, scale):
    return -jnp.log1p((x / scale) ** 2)


def regression(x, y, p):
    return normal(y, x @ p["beta"], p["sigma"])


def autoregression(data):
    y, k = np.array(data["y"]), data["K"]
    lags = np.column_stack([y[k - lag : len(y) - lag] for lag in range(1, k + 1)])

    def log_density(p):
        mean = p["alpha"] + lags @ p["beta"]
        prior = normal(p["alpha"], 0, 10) + normal(p["beta"], 0, 10) + cauchy(p["sigma"], 2.5)
        return prior + normal(y[k:], mean, p["sigma"])

    return log_density, {"alpha": (), "beta": (k,), "sigma": starling.positive()}


def schools(data):
    y, sigma = np.array(data["y"], float), np.array(data["sigma"], float)

    def log_density(p):
        theta = p["theta_trans"] * p["tau"] + p["mu"]
        prior = normal(p["theta_trans"], 0, 1) + normal(p["mu"], 0, 5) + cauchy(p["tau"], 5)
        return prior + normal(y, theta, sigma)

    return log_density, {"theta_trans": (len(y),), "mu": (), "tau": starling.positive()}


def process_of(data):
    x = np.array(data["x"], float)
    apart, nugget = (x[:, None] - x) ** 2, 1e-10 * np.eye(len(x))

    def process(rho, alpha, standard):
        covariance = alpha**2 * jnp.exp(-0.5 * apart / rho**2) + nugget
        return cholesky(covariance, lower=True) @ standard

    return process


def gaussian_process(data):
    k, process = np.array(data["k"], float), process_of(data)

    def log_density(p):
        rho, alpha = p["rho"], p["alpha"]
        f = process(rho, alpha, p["f_tilde"])
        prior = 24 * jnp.log(rho) - 4 * rho - 0.5 * (alpha / 2) ** 2
        return prior + normal(p["f_tilde"], 0, 1) + jnp.sum(k * f - jnp.exp(f))

    positive = starling.positive()
    return log_density, {"rho": positive, "alpha": positive, "f_tilde": (len(k),)}


def temperatures(data):
    x, y = np.array(data["x"], float), np.array(data["y"], float)

    def log_density(p):
        prior = normal(p["alpha"], data["pmualpha"], data["psalpha"])
        prior += normal(p["beta"], data["pmubeta"], data["psbeta"])
        return prior + normal(y, p["alpha"] + p["beta"] * x, p["sigma"])

    return log_density, {"alpha": (), "beta": (), "sigma": starling.positive()}


def votes(data):
    named = {name: np.array(values, float) for name, values in data.items() if name != "N"}
    ages = [named["age_discrete"] == age for age in (2, 3, 4)]
    columns = [np.ones(data["N"]), named["real_ideo"], named["race_adj"], *ages]
    x = np.column_stack([*columns, named["educ1"], named["gender"], named["income"]])

    def log_density(p):
        return regression(x, named["partyid7"], p)

    return log_density, {"beta": (9,), "sigma": starling.positive()}


def linear(data):
    x, y = np.array(data["X"], float), np.array(data["y"], float)

    def log_density(p):
        return normal(p["beta"], 0, 10) + normal(p["sigma"], 0, 10) + regression(x, y, p)

    return log_density, {"beta": (data["D"],), "sigma": starling.positive()}


MODELS = {
    "arK-arK": autoregression,
    "eight_schools-eight_schools_noncentered": schools,
    "gp_pois_regr-gp_pois_regr": gaussian_process,
    "kilpisjarvi_mod-kilpisjarvi": temperatures,
    "nes1980-nes": votes,
    "sblri-blr": linear,
}


def columns_of(draws, data):
    """By the names of the reference: beta[1], sigma. Where Stan's program makes its effects of
    standard ones, the reference has those effects."""
    draws, found = dict(draws), {}
    if "theta_trans" in draws:
        scaled = draws.pop("theta_trans") * np.reshape(draws["tau"], (-1, 1))
        draws["theta"] = scaled + np.reshape(draws["mu"], (-1, 1))
    if "f_tilde" in draws:
        process = jax.jit(jax.vmap(process_of(data)))
        draws["f"] = np.asarray(process(draws["rho"], draws["alpha"], draws.pop("f_tilde")))
    for name, values in draws.items():
        flat = np.asarray(values).reshape(len(values), -1)
        alone = np.ndim(values) == 1
        found |= {name if alone else f"{name}[{a + 1}]": flat[:, a] for a in range(flat.shape[1])}
    return found


def compared(draws, data, reference):
    names = [str(name) for name in reference["names"]]
    right = reference["draws"].reshape(-1, len(names))
    ours = columns_of(draws, data)
    both = [(ours[name], right[:, a]) for a, name in enumerate(names) if name in ours]
    if len(both) < len(ours):
        raise SystemExit(f"posteriors_on_card: the reference has {names}, the run {list(ours)}")
    errors = [abs(one.mean() - other.mean()) / other.std() for one, other in both]
    ratios = [one.std() / other.std() for one, other in both]
    return max(errors), min(ratios), max(ratios)


def main():
    parser = argparse.ArgumentParser(description="six posteriors, on the CPU and on a GPU")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", action="append", help="cpu or cuda (default: both)")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    for name in args.only or MODELS:
        data = json.loads((args.folder / name / "data.json").read_text())
        reference = np.load(args.folder / name / "reference.npz")
        for device in args.device or ["cpu", "cuda"]:
            platform = jax.local_devices(backend=device)[0]
            with jax.default_device(platform):
                target = starling.from_jax(*MODELS[name](data))
                for seed in range(1, args.seeds + 1):
                    begin = time.perf_counter()
                    run = starling.sample(target, device=device, seed=seed, progress=False)
                    seconds = time.perf_counter() - begin
                    error, least, most = compared(run.draws, data, reference)
                    print(
                        f"{name}, {device}, seed {seed}: {run.verdict}, largest error of a mean "
                        f"{error:.3f} sd, ratios of sds {least:.3f} to {most:.3f}, "
                        f"{run.gradients['total']} gradients, {seconds:.1f} s",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
