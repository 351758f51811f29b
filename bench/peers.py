# Times Starling beside JAX, BlackJAX and NumPyro: the same problems, step rule, start and one core;
# a table, and JSON. Python 3.11 with bench/requirements.txt; see bench/README.md. From the top:
# python bench/peers.py [--json FILE]
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from functools import partial
from importlib import metadata

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EARLY = 5  # steps after which programs without chance must agree to rounding
PIP = "pip install -r bench/requirements.txt"

# target: mixture is 1/3 N(-2,1) + 2/3 N(2,1), normal is N(0, I); start: mean and sd; bandwidth: h
# of exp(-r^2 / 2h); goal: a peer, and how many times as fast as it Starling should be.
Problem = namedtuple(
    "Problem", "name target batch particles dim steps start bandwidth step_size goal"
)
PROBLEMS = [
    Problem("rbm-256", "mixture", "2", 256, 1, 500, (-10, 1), 0.35, 0.2, ("jax", 8)),
    Problem("rbm-1e6", "normal", "2", 10**6, 2, 5, (0, 3), 1.0, 0.1, ("jax", 8)),
    Problem("svgd-256", "mixture", "all", 256, 1, 500, (-10, 1), 0.35, 0.2, ("blackjax", 30)),
    Problem("svgd-512-d56", "normal", "all", 512, 56, 20, (0, 3), 56.0, 0.1, ("jax", 1)),
]


def arguments():
    parser = argparse.ArgumentParser(
        description="Starling beside JAX, BlackJAX and NumPyro, on one core"
    )
    parser.add_argument(
        "--starling", default=os.path.join(ROOT, "build/release/starling"), metavar="PATH"
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    parser.add_argument(
        "--repeats", type=int, default=7, help="timed runs of each program, at least 3 (default 7)"
    )
    parser.add_argument(
        "--only", action="append", choices=[p.name for p in PROBLEMS], help="only this problem"
    )
    args = parser.parse_args()
    if args.repeats < 3:
        parser.error(f"--repeats: must be at least 3; got {args.repeats}")
    if not os.access(args.starling, os.X_OK):
        parser.error(
            f"--starling: must be the built program (scripts/run builds it); got {args.starling}"
        )
    return args


ARGS = arguments()
# Before JAX is imported: its threads, and Starling's process, inherit the one core. Linux only.
CORE = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax
except ImportError as error:
    sys.exit(f"peers: package {error.name} is missing; {PIP}")
jax.config.update("jax_enable_x64", True)


def log_density(target, x):
    """Of one particle, up to a constant: for the peers that differentiate it."""
    if target == "normal":
        return -0.5 * jnp.sum(x * x)
    return jnp.logaddexp(-0.5 * jnp.sum((x + 2) ** 2), jnp.log(2.0) - 0.5 * jnp.sum((x - 2) ** 2))


def score(target, x):
    """grad log pi of all rows; in the mixture the component at 2 has the share 1 / (1 + exp(-4x -
    log 2))."""
    return -x if target == "normal" else 4.0 * jax.nn.sigmoid(4.0 * x + jnp.log(2.0)) - 2.0 - x


def fading_adagrad(step_size):
    """Starling's step rule as optax wants it: memory = g^2 first, then 0.9 memory + 0.1 g^2."""

    def begin(x):
        return jnp.zeros((), jnp.int32), jax.tree.map(jnp.zeros_like, x)

    def update(g, state, x=None):
        k, memory = state
        memory = jax.tree.map(
            lambda m, g: jnp.where(k == 0, g * g, 0.9 * m + 0.1 * g * g), memory, g
        )
        move = jax.tree.map(lambda m, g: -step_size * g / (1e-6 + jnp.sqrt(m)), memory, g)
        return move, (k + 1, memory)

    return optax.GradientTransformation(begin, update)


def jax_loop(problem, drift_of):
    """Our own JAX program; drift_of(key, x, memory) -> rows in some new order, their memory, their
    drift."""

    def step(k, state):
        key, x, m = state
        key, use = jax.random.split(key)
        x, m, g = drift_of(use, x, m)
        m = jnp.where(k == 0, g * g, 0.9 * m + 0.1 * g * g)
        return key, x + problem.step_size * g / (1e-6 + jnp.sqrt(m)), m

    def run(x, seed, steps):
        return jax.lax.fori_loop(0, steps, step, (jax.random.key(seed), x, jnp.zeros_like(x)))[1]

    return jax.jit(run)


def pair_drift(problem, x, y, sx, sy):
    """Phi_x for partners x, y: s_x / N + (N-1)/N (K s_y + K (x - y) / h); p = 2."""
    n, h = problem.particles, problem.bandwidth
    u = x - y
    k = jnp.exp(-jnp.sum(u * u, axis=-1, keepdims=True) / (2 * h))
    return sx / n + (n - 1) / n * k * (sy + u / h)


def jax_rbm(problem, one_sort=False):
    """A random permutation of the rows each step; then neighbours are partners: no scatter. JAX's
    own permutation sorts twice at large n, to be safe from equal keys; with one_sort they are let
    be."""
    n, d = problem.particles, problem.dim

    def drift_of(key, x, m):
        order = (
            jnp.argsort(jax.random.bits(key, (n,), "uint32"))
            if one_sort
            else jax.random.permutation(key, n)
        )
        x, m = x[order], m[order]
        pairs = x.reshape(n // 2, 2, d)
        s = score(problem.target, pairs)
        return x, m, pair_drift(problem, pairs, pairs[:, ::-1], s, s[:, ::-1]).reshape(n, d)

    return jax_loop(problem, drift_of)


def jax_rbm_matching(problem):
    """Partners as Starling deals them by default: i meets c - i mod N - 1; without its reshuffle
    every 64 steps."""
    n = problem.particles
    i = jnp.arange(n - 1)

    def drift_of(key, x, m):
        c = jax.random.randint(key, (), 0, n - 1)
        partner = jnp.mod(c - i, n - 1)
        alone = jnp.where(c % 2 == 0, c // 2, (c + n - 1) // 2)  # meets the last row
        partner = jnp.append(jnp.where(i == alone, n - 1, partner), alone)
        s = score(problem.target, x)
        return x, m, pair_drift(problem, x, x[partner], s, s[partner])

    return jax_loop(problem, drift_of)


def jax_svgd(problem):
    """Full SVGD by N x N matrices: Phi = (K s + (rowsum(K) x - K x) / h) / N."""
    n, h = problem.particles, problem.bandwidth

    def drift_of(key, x, m):
        if problem.dim == 1:
            r2 = (x - x.T) ** 2
        else:
            q = jnp.sum(x * x, axis=1)
            r2 = q[:, None] + q[None, :] - 2 * x @ x.T
        k = jnp.exp(-r2 / (2 * h))
        g = (k @ (score(problem.target, x) - x / h) + jnp.sum(k, axis=1, keepdims=True) * x / h) / n
        return x, m, g

    return jax_loop(problem, drift_of)


def blackjax_svgd(problem):
    """BlackJAX's own step and kernel; bandwidth fixed, our step rule, its loop compiled whole."""
    import blackjax

    # rbf_kernel is exp(-r^2 / length_scale)
    method = blackjax.svgd(
        jax.grad(partial(log_density, problem.target)),
        fading_adagrad(problem.step_size),
        update_kernel_parameters=lambda state: state,
    )

    def run(x, seed, steps):
        state = method.init(x, {"length_scale": jnp.asarray(2 * problem.bandwidth)})
        return jax.lax.fori_loop(0, steps, lambda k, s: method.step(s), state).particles

    return jax.jit(run)


def numpyro_svgd(problem):
    """NumPyro's SVGD (SteinVI with point guides); a kernel of fixed bandwidth, our step rule."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.contrib.einstein import SVGD
    from numpyro.contrib.einstein.stein_kernels import SteinKernel

    class FixedGaussian(SteinKernel):
        mode = "norm"

        def compute(self, rng_key, particles, particle_info, loss_fn):
            return lambda x, y: jnp.exp(-jnp.sum((x - y) ** 2) / (2 * problem.bandwidth))

    def model():
        normal = dist.Normal(jnp.zeros(problem.dim), 1.0)
        mixture = dist.MixtureSameFamily(
            dist.Categorical(jnp.array([1 / 3, 2 / 3])), dist.Normal(jnp.array([-2.0, 2.0]), 1.0)
        ).expand([1])
        numpyro.sample("x", (normal if problem.target == "normal" else mixture).to_event(1))

    optimizer = numpyro.optim.optax_to_numpyro(fading_adagrad(problem.step_size))
    method = SVGD(model, optimizer, FixedGaussian(), num_stein_particles=problem.particles)
    fresh = method.init(jax.random.key(0))

    def run(x, seed, steps):
        state = fresh._replace(optim_state=optimizer.init({"x_auto_loc": x}))
        state = jax.lax.fori_loop(0, steps, lambda k, s: method.update(s)[0], state)
        return method.get_params(state)["x_auto_loc"]

    return jax.jit(run)


def time_jax(run, start, path, seed, steps):
    begin = time.perf_counter()
    x = np.asarray(run(start, seed, steps).block_until_ready())
    return time.perf_counter() - begin, np.concatenate([np.mean(x, axis=0), np.std(x, axis=0)])


def time_starling(problem, extra, start, path, seed, steps):
    command = [
        ARGS.starling,
        "sample",
        problem.target,
        "--advance=adagrad",
        "--threads=1",
        "--json",
        "--quiet",
        f"--particles={problem.particles}",
        f"--batch={problem.batch}",
        f"--steps={steps}",
        f"--start={path}",
        f"--bandwidth={problem.bandwidth}",
        f"--step-size={problem.step_size}",
        f"--seed={seed + 1}",
        *extra,
    ]
    command += [f"--dim={problem.dim}"] if problem.target == "normal" else []
    summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    rows = summary["parameters"]
    return summary["seconds"], np.array([r["mean"] for r in rows] + [r["sd"] for r in rows])


def programs(problem):
    """name -> (run, or the reason why not; the Starling row that deals alike)."""
    rows = {"starling": (partial(time_starling, problem, []), "starling")}
    if problem.batch == "2":
        shuffle = "starling --deal shuffle"
        rows[shuffle] = partial(time_starling, problem, ["--deal=shuffle"]), shuffle
        rows["jax"] = partial(time_jax, jax_rbm(problem)), shuffle
        rows["jax, one sort"] = partial(time_jax, jax_rbm(problem, one_sort=True)), shuffle
        rows["jax, matching"] = partial(time_jax, jax_rbm_matching(problem)), "starling"
        return rows
    for name, make in {"jax": jax_svgd, "blackjax": blackjax_svgd, "numpyro": numpyro_svgd}.items():
        try:
            rows[name] = partial(time_jax, make(problem)), "starling"
        except ImportError as error:
            rows[name] = f"not run: package {error.name} is missing; {PIP}", "starling"
    return rows


def agreement(problem, here, reference, early):
    """How far means and sds are apart, at worst over the coordinates, and whether that is
    allowed."""
    difference = np.abs(np.mean(here, axis=0) - np.mean(reference, axis=0))
    if problem.batch == "all":
        # No chance in it, so the first steps must agree to rounding. The step rule magnifies
        # rounding where the drift is near zero, so the end need only agree within the error of as
        # many independent draws.
        error = np.mean(reference, axis=0)[problem.dim :].max() / problem.particles**0.5
        text = f"{early:.0e} after {EARLY} steps, {difference.max():.0e} at the end"
        return text, bool(early < 1e-9 and difference.max() < error)
    error = np.sqrt((np.var(here, axis=0, ddof=1) + np.var(reference, axis=0, ddof=1)) / len(here))
    return f"{(difference / error).max():.1f} standard errors", bool((difference / error).max() < 5)


def measure(problem, folder):
    start = np.random.default_rng(1).normal(*problem.start, (problem.particles, problem.dim))
    path = os.path.join(folder, problem.name + ".npy")
    np.save(path, start)
    start, rows = jnp.asarray(start), programs(problem)
    runs = {name: run for name, (run, _) in rows.items() if callable(run)}
    # These runs warm up, and compile.
    early = {name: run(start, path, 0, EARLY)[1] for name, run in runs.items()}
    times, moments = {name: [] for name in runs}, {name: [] for name in runs}
    for repeat in range(ARGS.repeats):
        for name, run in runs.items():  # in turns, so that a busy moment meets all
            seconds, found = run(start, path, repeat, problem.steps)
            times[name].append(seconds / problem.steps)
            moments[name].append(found)
    median = {name: statistics.median(t) for name, t in times.items()}
    for name, (run, alike) in rows.items():
        row = {"problem": problem.name, "program": name, "steps": problem.steps}
        if name not in runs:
            yield {**row, "note": run}
            continue
        row.update(
            seconds_per_step=median[name], fastest=min(times[name]), slowest=max(times[name])
        )
        row.update(
            ratio=median[name] / median["starling"], ratio_alike=median[name] / median[alike]
        )
        mean_sd = np.mean(moments[name], axis=0)[[0, problem.dim]]
        row.update(mean=float(mean_sd[0]), sd=float(mean_sd[1]))
        apart = float(np.abs(early[name] - early["starling"]).max())
        row["agreement"], row["agrees"] = agreement(
            problem, moments[name], moments["starling"], apart
        )
        if name == problem.goal[0]:
            row.update(goal=problem.goal[1], met=bool(row["ratio"] >= problem.goal[1]))
        yield row


def show(row):
    begin = f"| {row['problem']} | {row['program']} |"
    if "note" in row:
        return print(f"{begin} | | | | | | {row['note']} |", flush=True)
    goal = f"{row['goal']}: {'met' if row['met'] else 'MISSED'}" if "goal" in row else ""
    agrees = (
        ""
        if row["program"] == "starling"
        else ("yes: " if row["agrees"] else "NO: ") + row["agreement"]
    )
    print(
        f"{begin} {row['seconds_per_step'] * 1e6:.1f} | {row['ratio']:.2f} | "
        f"{row['ratio_alike']:.2f} | {goal} "
        f"| {row['mean']:.4f} | {row['sd']:.4f} | {agrees} |",
        flush=True,
    )


def main():
    installed = {package.name: package.version for package in metadata.distributions()}
    packages = ("jax", "jaxlib", "optax", "blackjax", "numpyro", "numpy")
    found = {name: installed.get(name, "missing") for name in packages}
    found["python"] = platform.python_version()
    info = json.loads(
        subprocess.run([ARGS.starling, "info", "--json"], stdout=subprocess.PIPE, check=True).stdout
    )
    load = os.getloadavg()[0]
    print(", ".join(f"{name} {number}" for name, number in found.items()))
    print(
        f"starling {info.get('version')}; {platform.machine()}, core {CORE} for all programs, load "
        f"{load:.1f}; "
        f"median of {ARGS.repeats}, double precision\n"
    )
    print(
        "| problem | program | us per step | time / Starling's | dealt alike | goal | mean | sd | "
        "agrees |"
    )
    print("|" + " --- |" * 9)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for problem in (p for p in PROBLEMS if not ARGS.only or p.name in ARGS.only):
            for row in measure(problem, folder):
                rows.append(row)
                show(row)
    if ARGS.json:
        with open(ARGS.json, "w") as file:
            json.dump(
                {
                    "versions": found,
                    "starling": info,
                    "machine": platform.machine(),
                    "core": CORE,
                    "load": load,
                    "repeats": ARGS.repeats,
                    "rows": rows,
                },
                file,
                indent=2,
            )
    sys.exit(0 if all(row.get("agrees", True) for row in rows) else 1)


main()
