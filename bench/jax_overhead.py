# What functions of JAX cost in a run: docs/performance_jax.md.
# From the top, after scripts/test:
#   PYTHONPATH=build/release/python build/venv/bin/python bench/jax_overhead.py
#       [--model | --device cuda]
#
# Without --model: a light function, N = 1000, d = 4, double precision, one thread of the engine.
#   own     jit(vmap(value_and_grad)) called from a loop of Python, on an array that JAX has already
#   run     a step of a flight whose target is from_jax of the same function
#   engine  a step of a flight whose target is a C function that takes no time
# Medians of rounds in which all take turns, per step: time on the wall and processor time.
#   ratio = (run - engine) / own
#
# With --device cuda: the same where JAX computes on a GPU by default, for functions of several
# costs and numbers of particles, beside the same function called through Python ("python"), and
# whether
# both give the same numbers.
#
# With --model: a hierarchical logistic regression, 1000 rows, 24 groups, 30 parameters, in NumPyro:
# starling.sample as it is, beside NUTS with 4 chains of 1000 + 1000 draws, vectorized or one after
# the other. The first run of each compiles, the second does not.
import argparse
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np
from python_step import compiled

import starling

PARTICLES, DIM, GOAL = 1000, 4, 1.2


def log_density(x):
    return -0.5 * jnp.sum(x * x) - 0.01 * jnp.sum(jnp.log1p(jnp.exp(-x)))


def own_calls():
    of_all = jax.jit(jax.vmap(jax.value_and_grad(log_density)))
    x = jnp.zeros((PARTICLES, DIM))

    def calls(count):
        for _ in range(count):
            jax.block_until_ready(of_all(x))

    return calls


def flight_of(target, steps):
    return starling.Flight(target, dim=DIM, particles=PARTICLES, steps=steps, threads=1, seed=1)


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return np.array([time.perf_counter() - wall, time.process_time() - cpu])


def light_function(steps, rounds):
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        total = steps * (rounds + 1)
        work = {
            "own": own_calls(),
            "run": flight_of(starling.from_jax(log_density), total).step,
            "engine": flight_of(starling.CFunction(library.negative, batched=True), total).step,
        }
        seen = {name: [] for name in work}
        for turn in range(rounds + 1):
            for name, call in work.items():
                seconds = timed(lambda: call(steps))
                if turn > 0:  # the first warms up
                    seen[name].append(seconds / steps * 1e6)
    middle = {name: np.median(values, axis=0) for name, values in seen.items()}
    for name, (wall, cpu) in middle.items():
        print(f"{name:8} {wall:7.1f} us per step, {cpu:7.1f} us of processor time")
    wall, cpu = (middle["run"] - middle["engine"]) / middle["own"]
    print(f"ratio    {wall:.2f} on the wall, {cpu:.2f} of processor time")
    print(f"goal: at most {GOAL:g} of processor time: {'met' if cpu <= GOAL else 'missed'}")


def layered(layers):
    """A function of so many small steps after one another."""
    rng = np.random.default_rng(layers)
    turns = jnp.asarray(rng.normal(size=(layers, 64, 64)) / 8)
    into = jnp.asarray(rng.normal(size=(DIM, 64)))

    def of_layers(x):
        here = jnp.tanh(x @ into)
        for turn in turns:
            here = jnp.tanh(here @ turn)
        return -0.5 * jnp.sum(x * x) - jnp.sum(here**2)

    return of_layers


def on_gpu(steps, rounds):
    jax.config.update("jax_default_matmul_precision", "highest")
    kind = jax.devices()[0]
    print(f"JAX {jax.__version__} on {kind.device_kind} ({kind.platform})")
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        functions = {"light": log_density} | {f"{n} layers": layered(n) for n in (4, 16, 64)}
        for name, function in functions.items():
            for particles in (256, 1000, 4096):
                beside_python(name, function, particles, library, steps, rounds)


def beside_python(name, function, particles, library, steps, rounds):
    of_all = jax.jit(jax.vmap(jax.value_and_grad(function)))
    x = np.random.default_rng(1).normal(size=(particles, DIM))
    there = jnp.asarray(x)
    target = starling.from_jax(function, dim=DIM)
    block = min(8192, 1 << (particles - 1).bit_length())
    loop = target.function.loop(DIM, False, block)
    if loop is None:
        raise SystemExit("jax_overhead: this build or this JAX has no loop on a GPU")
    near = dict(rtol=1e-9, atol=1e-9) if there.dtype == np.float64 else dict(rtol=1e-3, atol=1e-3)
    for got, right in zip(target(x), of_all(there)):
        np.testing.assert_allclose(got, right, **near)

    def own(count):
        for _ in range(count):
            jax.block_until_ready(of_all(there))

    def through_python(x):
        return tuple(np.asarray(part) for part in of_all(x))

    common = dict(dim=DIM, particles=particles, steps=steps * (rounds + 1), threads=1, seed=1)
    null = starling.CFunction(library.negative, batched=True)
    work = {
        "own": own,
        "loop": starling.Flight(target, **common).step,
        "python": starling.Flight(starling.Function(through_python), **common).step,
        "engine": starling.Flight(null, **common).step,
    }
    seen = {which: [] for which in work}
    for turn in range(rounds + 1):
        for which, call in work.items():
            seconds = timed(lambda: call(steps))
            if turn > 0:
                seen[which].append(seconds[0] / steps * 1e6)
    wall = {which: float(np.median(values)) for which, values in seen.items()}
    ratios = [(wall[which] - wall["engine"]) / wall["own"] for which in ("loop", "python")]
    figures = ", ".join(f"{which} {value:.0f}" for which, value in wall.items())
    print(
        f"{name}, N = {particles}: microseconds of a step: {figures}; "
        f"ratio of the loop {ratios[0]:.2f}, through Python {ratios[1]:.2f}",
        flush=True,
    )


def hierarchical_model():
    import numpyro
    import numpyro.distributions as dist

    rng = np.random.default_rng(0)
    rows, groups = 1000, 24
    group, x = rng.integers(0, groups, rows), rng.normal(size=(rows, 4))
    logits = 0.5 + 0.8 * rng.normal(size=groups)[group] + x @ [1, -0.5, 0.25, 0]
    y = (rng.uniform(size=rows) < 1 / (1 + np.exp(-logits))).astype(int)

    def model():
        mu = numpyro.sample("mu", dist.Normal(0, 2))
        tau = numpyro.sample("tau", dist.HalfNormal(1))
        beta = numpyro.sample("beta", dist.Normal(0, 1).expand([4]).to_event(1))
        with numpyro.plate("groups", groups):
            z = numpyro.sample("z", dist.Normal(0, 1))
        eta = mu + tau * z[jnp.asarray(group)] + jnp.asarray(x) @ beta
        numpyro.sample("y", dist.Bernoulli(logits=eta), obs=jnp.asarray(y))

    return model


def beside_nuts():
    from numpyro.infer import MCMC, NUTS

    model = hierarchical_model()

    class Starling:
        def __init__(self):
            self.target = None

        def run(self, seed):
            self.target = self.target or starling.from_numpyro(model)
            starling.sample(self.target, seed=seed, progress=False)

    class Nuts:
        def __init__(self, method):
            chains = dict(num_warmup=1000, num_samples=1000, num_chains=4, progress_bar=False)
            self.chains = MCMC(NUTS(model), chain_method=method, **chains)

        def run(self, seed):
            self.chains.run(jax.random.key(seed))
            jax.block_until_ready(self.chains.get_samples())

    programs = {"starling": Starling()}
    programs |= {f"nuts, {how}": Nuts(how) for how in ("vectorized", "sequential")}
    for seed, which in ((1, "with compilation"), (2, "again")):
        for name, program in programs.items():
            wall, cpu = timed(lambda: program.run(seed))
            print(f"{name:18} {which:18} {wall:6.2f} s, {cpu:6.2f} s of processor time")


def main():
    parser = argparse.ArgumentParser(description="What functions of JAX cost in a run")
    parser.add_argument("--steps", type=int, default=200, help="per round (default 200)")
    parser.add_argument("--rounds", type=int, default=41, help="(default 41)")
    parser.add_argument("--model", action="store_true", help="a model beside NUTS instead")
    parser.add_argument("--single", action="store_true", help="JAX computes in single precision")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    args = parser.parse_args()
    jax.config.update("jax_enable_x64", not args.single)
    if args.device == "cuda":
        on_gpu(min(args.steps, 50), min(args.rounds, 11))
    else:
        beside_nuts() if args.model else light_function(args.steps, args.rounds)


if __name__ == "__main__":
    main()
