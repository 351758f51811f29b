# The default method with its densities on a card, beside NumPyro's NUTS and BlackJAX's on the same
# card: a hierarchical logistic regression in JAX (100 groups, 10^5 rows x 5, 107 parameters, not
# centred), a logistic regression of 10^6 rows x 50, and normals of many particles. Says seconds,
# where the first run compiles, verdicts, and the least effective size of NUTS. Needs a card and JAX
# for it. From the top:
#     PYTHONPATH=build/release/python python bench/stages_on_card.py [--quick] [--json FILE]
#         [--only starling|rows|normals|large|numpyro|blackjax]
# normals: N = 10^4, 10^5, 10^6 and d = 10, 100, 1000, of them those with N d <= 10^7; large: 10^8.
import argparse
import json
import sys
import tempfile
import time

import numpy as np

parser = argparse.ArgumentParser(description="the default method on a card, beside NUTS")
parser.add_argument("--json", metavar="FILE", help="write the figures here too")
parser.add_argument("--quick", action="store_true", help="fewer rows and draws, to try it out")
parser.add_argument(
    "--only", action="append", help="one of starling, rows, normals, large, numpyro, blackjax"
)
parser.add_argument("--device", default="cuda")
ARGS = parser.parse_args()

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    sys.exit(f"stages_on_card: package {error.name} is missing")
jax.config.update("jax_enable_x64", True)
import starling  # noqa: E402

GROUPS, COLUMNS, ROWS = 100, 5, 5_000 if ARGS.quick else 100_000
PARAMETERS = {"mu": (), "log_tau": (), "b": (COLUMNS,), "z": (GROUPS,)}
FIGURES = []


def wanted(name):
    return not ARGS.only or name in ARGS.only


def wanted_by_name(name):
    return name in (ARGS.only or ())


def tell(**figures):
    FIGURES.append(figures)
    print(", ".join(f"{name} {_short(value)}" for name, value in figures.items()), flush=True)


def _short(value):
    return f"{value:.3g}" if isinstance(value, float) else value


def made_up():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(ROWS, COLUMNS))
    group = rng.integers(GROUPS, size=ROWS)
    effect = 0.3 + 0.7 * rng.normal(size=GROUPS)
    logit = x @ np.array([0.5, -0.5, 0.2, 0.0, 1.0]) + effect[group]
    y = rng.random(ROWS) < 1 / (1 + np.exp(-logit))
    return jnp.asarray(x), jnp.asarray(group), jnp.asarray(y.astype(float))


X, GROUP, Y = made_up()


def log_density(p):
    effect = p["mu"] + jnp.exp(p["log_tau"]) * p["z"]
    logit = X @ p["b"] + effect[GROUP]
    prior = jnp.sum(p["z"] ** 2) + jnp.sum(p["b"] ** 2) + p["mu"] ** 2 + p["log_tau"] ** 2
    return jnp.sum(Y * logit - jnp.logaddexp(0.0, logit)) - prior / 2


def effective(chains):
    """The least effective size of mu, log_tau and b, of an array (chains, draws, parameters): by
    ArviZ where it is installed, else by the spread of the chains' means."""
    try:
        import arviz

        return float(min(arviz.ess(chains[:, :, a]) for a in range(chains.shape[2])))
    except (ImportError, AttributeError):
        m, n, _ = chains.shape
        within = chains.var(1, ddof=1).mean(0)
        between = chains.mean(1).var(0, ddof=1)
        return float(min(m * n, np.min(m * within / np.maximum(between, 1e-300))))


def head(draws):
    """mu, log_tau and b side by side, of arrays by name with any leading shape."""
    return np.concatenate(
        [np.asarray(draws["mu"])[..., None], np.asarray(draws["log_tau"])[..., None]]
        + [np.asarray(draws["b"])],
        axis=-1,
    )


def summed(name, seconds, chains, **more):
    flat = chains.reshape(-1, chains.shape[-1])
    tell(
        what=name,
        seconds=seconds,
        effective=effective(chains),
        log_tau=f"{flat[:, 1].mean():.4f} +- {flat[:, 1].std():.4f}",
        **more,
    )
    return flat


def own_time(rows):
    """Of one value_and_grad of so many particles, waited for."""
    flat = jax.jit(
        jax.vmap(
            jax.value_and_grad(
                lambda v: log_density(
                    {"mu": v[0], "log_tau": v[1], "b": v[2 : 2 + COLUMNS], "z": v[2 + COLUMNS :]}
                )
            )
        )
    )
    at = jnp.zeros((rows, 2 + COLUMNS + GROUPS))
    jax.block_until_ready(flat(at))
    begin = time.perf_counter()
    for _ in range(20):
        jax.block_until_ready(flat(at))
    return (time.perf_counter() - begin) / 20


def by_starling():
    target = starling.from_jax(log_density, PARAMETERS)
    for seed in (1, 2, 3):  # the first one compiles
        begin = time.perf_counter()
        result = starling.sample(
            target, particles=1000, seed=seed, device=ARGS.device, progress=False
        )
        seconds = time.perf_counter() - begin
        flat = head(result.draws).reshape(-1, 2 + COLUMNS)
        tell(
            what=f"starling, seed {seed}" + (" (compiles)" if seed == 1 else ""),
            seconds=seconds,
            verdict=str(result.verdict),
            gradients=result.gradients["total"],
            log_tau=f"{flat[:, 1].mean():.4f} +- {flat[:, 1].std():.4f}",
        )


def by_numpyro():
    import numpyro
    from numpyro.infer import MCMC, NUTS

    def model():
        values = {
            name: numpyro.sample(
                name,
                numpyro.distributions.ImproperUniform(
                    numpyro.distributions.constraints.real, (), event_shape=shape
                ),
            )
            for name, shape in PARAMETERS.items()
        }
        numpyro.factor("log_density", log_density(values))

    for chains, warm, draws in ((64, 300, 100),) if not ARGS.quick else ((4, 100, 100),):
        mcmc = MCMC(
            NUTS(model),
            num_warmup=warm,
            num_samples=draws,
            num_chains=chains,
            chain_method="vectorized",
            progress_bar=False,
        )
        begin = time.perf_counter()
        mcmc.run(jax.random.PRNGKey(1))
        got = jax.block_until_ready(mcmc.get_samples(group_by_chain=True))
        summed(
            f"numpyro, {chains} chains of {warm} + {draws}", time.perf_counter() - begin, head(got)
        )


def by_blackjax():
    import blackjax

    shapes = {name: jnp.zeros(shape) for name, shape in PARAMETERS.items()}
    chains, warm, draws = (64, 300, 100) if not ARGS.quick else (4, 100, 100)
    begin = time.perf_counter()
    keys = jax.random.split(jax.random.PRNGKey(1), chains)

    def one(key):
        first, second = jax.random.split(key)
        adapted = blackjax.window_adaptation(blackjax.nuts, log_density)
        (state, found), _ = adapted.run(first, shapes, num_steps=warm)
        kernel = blackjax.nuts(log_density, **found).step

        def step(state, key):
            state, _ = kernel(key, state)
            return state, state.position

        return jax.lax.scan(step, state, jax.random.split(second, draws))[1]

    got = jax.block_until_ready(jax.jit(jax.vmap(one))(keys))
    summed(f"blackjax, {chains} chains of {warm} + {draws}", time.perf_counter() - begin, head(got))


def rows():
    rng = np.random.default_rng(1)
    count, columns = (30_000, 10) if ARGS.quick else (10**6, 50)
    x = rng.normal(size=(count, columns))
    y = rng.random(count) < 1 / (1 + np.exp(-x @ (0.3 * rng.normal(size=columns))))
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, np.column_stack([x, y]).astype(np.float32))
        file.flush()
        for device in ("cpu", ARGS.device, ARGS.device):
            begin = time.perf_counter()
            result = starling.sample(
                "logistic", data=file.name, particles=1000, device=device, progress=False
            )
            weights = np.column_stack([part.reshape(1000, -1) for part in result.draws.values()])
            tell(
                what=f"logistic, {count} rows x {columns}, {device}",
                seconds=time.perf_counter() - begin,
                verdict=str(result.verdict),
                means=" ".join(f"{mean:.4f}" for mean in weights.mean(axis=0)[:3]),
                sds=" ".join(f"{sd:.5f}" for sd in weights.std(axis=0)[:3]),
            )


def normals():
    sizes = [(dim, 10**n) for n in (4, 5, 6) for dim in (10, 100, 1000)]
    most = 10**5 if ARGS.quick else 10**8 if wanted_by_name("large") else 10**7
    for dim, particles in sizes:
        if particles * dim > most:
            continue
        for device in dict.fromkeys(("cpu", ARGS.device)):
            begin = time.perf_counter()
            result = starling.sample(
                "normal", dim=dim, particles=particles, device=device, progress=False
            )
            tell(
                what=f"normal, d = {dim}, N = {particles}, {device}",
                seconds=time.perf_counter() - begin,
                verdict=str(result.verdict),
            )


if wanted("starling"):
    for count in (64, 256, 1000):
        tell(what=f"one value_and_grad of {count} particles", milliseconds=1e3 * own_time(count))
    by_starling()
if wanted("rows"):
    rows()
if wanted("normals") or wanted_by_name("large"):
    normals()
if wanted("numpyro"):
    by_numpyro()
if wanted("blackjax"):
    by_blackjax()
if ARGS.json:
    with open(ARGS.json, "w") as file:
        json.dump(FIGURES, file, indent=2)
