# The log evidence by Starling beside dynesty, nautilus and pocoMC: the same densities, whose
# evidence is known, each program with its defaults, on one core; a table, and JSON. Needs Python
# 3.11 with bench/evidence_requirements.txt. From the top:
# PYTHONPATH=build/release/python python bench/evidence_peers.py [--json FILE]
import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections import namedtuple
from importlib import metadata

CORE = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})  # before any of them starts threads; Linux only
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
PIP = "pip install -r bench/evidence_requirements.txt"
try:
    import numpy as np

    import starling
except ImportError as error:
    sys.exit(f"evidence_peers: package {error.name} is missing; {PIP}, and build Starling")

# Priors are N(0, scale^2), the same for all parameters. likelihood(x): of rows, logs and gradients.
Problem = namedtuple("Problem", "name dim scale likelihood truth")
LOG_2_PI = np.log(2 * np.pi)


def log_normal(off, covariance):
    """Of one vector."""
    _, log_det = np.linalg.slogdet(covariance)
    return -(off @ np.linalg.solve(covariance, off) + log_det + len(off) * LOG_2_PI) / 2


def regression(dim):
    """y ~ N(X w, .7^2)."""
    random = np.random.default_rng(1)
    rows, sd, scale = 60, 0.7, 2.0
    features = 0.7 * random.normal(size=(rows, 1)) + random.normal(size=(rows, dim))
    y = features[:, 0] - 0.5 * features[:, -1] + sd * random.normal(size=rows)

    def likelihood(w):
        off = y - w @ features.T
        logs = -(off**2).sum(axis=1) / (2 * sd**2) - rows * (LOG_2_PI / 2 + np.log(sd))
        return logs, off @ features / sd**2

    truth = log_normal(y, sd**2 * np.eye(rows) + scale**2 * features @ features.T)
    return Problem("regression", dim, scale, likelihood, truth)


def correlated(dim):
    """A normal whose neighbours have correlation .9, narrow under its prior."""
    scale, away = 5.0, np.abs(np.subtract.outer(np.arange(dim), np.arange(dim)))
    covariance = 0.9**away
    inverse = np.linalg.inv(covariance)
    constant = log_normal(np.zeros(dim), covariance)

    def likelihood(x):
        slope = -x @ inverse
        return constant + (x * slope).sum(axis=1) / 2, slope

    truth = log_normal(np.zeros(dim), covariance + scale**2 * np.eye(dim))
    return Problem("correlated", dim, scale, likelihood, truth)


def two_modes(dim):
    """.7 N(-3, 1) + .3 N(3, .5^2), in every coordinate."""
    scale = 5.0
    modes = [(np.log(0.7), -3.0, 1.0), (np.log(0.3), 3.0, 0.5)]

    def likelihood(x):
        logs = [
            share - ((x - at) ** 2).sum(axis=1) / (2 * sd**2) - dim * (LOG_2_PI / 2 + np.log(sd))
            for share, at, sd in modes
        ]
        total = np.logaddexp(*logs)
        parts = [
            np.exp(log - total)[:, None] * (at - x) / sd**2 for log, (_, at, sd) in zip(logs, modes)
        ]
        return total, parts[0] + parts[1]

    truth = np.logaddexp(
        *(
            share + log_normal(np.full(dim, at), (scale**2 + sd**2) * np.eye(dim))
            for share, at, sd in modes
        )
    )
    return Problem("two modes", dim, scale, likelihood, truth)


def banana():
    """0 ~ N(b - a^2, .3^2)."""
    scale, sd = 2.0, 0.3

    def likelihood(x):
        off = x[:, 1] - x[:, 0] ** 2
        slope = np.column_stack([2 * x[:, 0] * off, -off]) / sd**2
        return -(off**2) / (2 * sd**2) - LOG_2_PI / 2 - np.log(sd), slope

    a = np.linspace(-8 * scale, 8 * scale, 200_001)
    variance = scale**2 + sd**2  # b given a is integrated by formula
    over_b = np.exp(-(a**4) / (2 * variance) - a**2 / (2 * scale**2))
    total = over_b.sum() * (a[1] - a[0]) / np.sqrt(2 * np.pi * variance)
    truth = np.log(total / (scale * np.sqrt(2 * np.pi)))
    return Problem("banana", 2, scale, likelihood, truth)


PROBLEMS = [regression(3), banana(), two_modes(2), two_modes(10), correlated(20), regression(20)]


def by_starling(problem, seed):
    scale = problem.scale

    def both(x):
        logs, slopes = problem.likelihood(x)
        constant = problem.dim * (LOG_2_PI / 2 + np.log(scale))
        return logs - (x**2).sum(axis=1) / (2 * scale**2) - constant, slopes - x / scale**2

    result = starling.sample(
        both, dim=problem.dim, evidence=True, seed=seed + 1, threads=1, progress=False
    )
    found = result.log_evidence
    return found["value"], found["se"], result.gradients["total"]


def by_dynesty(problem, seed):
    import dynesty
    from scipy.special import ndtri

    sampler = dynesty.NestedSampler(
        lambda x: problem.likelihood(x[None])[0][0],
        lambda u: problem.scale * ndtri(u),
        problem.dim,
        rstate=np.random.default_rng(seed),
    )
    sampler.run_nested(print_progress=False)
    found = sampler.results
    return found.logz[-1], found.logzerr[-1], int(np.sum(found.ncall))


def by_nautilus(problem, seed):
    import nautilus
    from scipy.special import ndtri

    sampler = nautilus.Sampler(
        lambda u: problem.scale * ndtri(u),
        lambda x: problem.likelihood(np.atleast_2d(x))[0],
        n_dim=problem.dim,
        vectorized=True,
        pass_dict=False,
        seed=seed,
    )
    sampler.run(verbose=False)
    return sampler.log_z, sampler.n_eff**-0.5, sampler.n_like  # its manual: about 1 / sqrt(n_eff)


def by_pocomc(problem, seed):
    import pocomc
    from scipy.stats import norm

    sampler = pocomc.Sampler(
        pocomc.Prior([norm(0, problem.scale)] * problem.dim),
        lambda x: problem.likelihood(x)[0],
        vectorize=True,
        random_state=seed,
    )
    sampler.run(progress=False)
    value, error = sampler.evidence()
    return value, error, int(np.max(sampler.results["calls"]))


PROGRAMS = {
    "starling": by_starling,
    "dynesty": by_dynesty,
    "nautilus": by_nautilus,
    "pocomc": by_pocomc,
}


def measure(problem, name, seeds):
    row = {"problem": problem.name, "dim": problem.dim, "program": name}
    found, seconds = [], []
    for seed in range(seeds):
        begin = time.process_time()
        try:
            found.append(PROGRAMS[name](problem, seed))
        except ImportError as error:
            return {**row, "note": f"not run: package {error.name} is missing; {PIP}"}
        seconds.append(time.process_time() - begin)
    off = [float(value - problem.truth) for value, _, _ in found]
    return {
        **row,
        "rms_error": float(np.sqrt(np.mean(np.square(off)))),
        "mean_error": float(np.mean(off)),
        "own_error": float(np.mean([error for _, error, _ in found])),
        "within_2": sum(abs(one) <= 2 * error for one, (_, error, _) in zip(off, found)),
        "runs": seeds,
        "evaluations": statistics.median(count for _, _, count in found),
        "seconds": statistics.median(seconds),
    }


def show(row):
    begin = f"| {row['problem']} | {row['dim']} | {row['program']} |"
    if "note" in row:
        return print(f"{begin} | | | | | {row['note']} |", flush=True)
    print(
        f"{begin} {row['rms_error']:.3f} | {row['own_error']:.3f} | {row['within_2']} of "
        f"{row['runs']} | {row['evaluations']:,.0f} | {row['seconds']:.1f} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description="The log evidence beside that of other programs")
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--only", action="append", choices=PROGRAMS, help="only this program")
    parser.add_argument("--dim", type=int, default=100, help="only problems of at most so many")
    args = parser.parse_args()
    installed = {package.name: package.version for package in metadata.distributions()}
    versions = {
        name: installed.get(name, "missing") for name in ("dynesty", "nautilus-sampler", "pocomc")
    }
    print(", ".join(f"{name} {number}" for name, number in versions.items()))
    print(f"starling {starling.__version__}; {platform.machine()}, one core\n")
    print(
        "| density | d | program | rms error | own error | within 2 | evaluations | CPU seconds |"
    )
    print("|" + " --- |" * 8)
    rows = []
    for problem in PROBLEMS:
        for name in PROGRAMS:
            if problem.dim <= args.dim and (not args.only or name in args.only):
                rows.append(measure(problem, name, args.seeds))
                show(rows[-1])
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"versions": versions, "rows": rows}, file, indent=2)


main()
