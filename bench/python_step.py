# What a target written in NumPy costs per step beyond its own evaluation. See docs/python.md.
# From the top, after scripts/test: PYTHONPATH=build/release/python python bench/python_step.py [--json FILE]
#
# Three flights of the same cloud, N(0, I), N = 1000, d = 10, one thread:
#   python   a NumPy function, -x
#   c        a C function of all particles that computes -x, called without Python (ctypes; needs cc)
#   builtin  the engine's own normal target
# and the NumPy function alone, called as often from a loop of Python's. Reported per step, in microseconds, the median of
# rounds in which the four take turns:
#   added = python - c - (function alone)     what the crossing costs: the array, the lock, two copies of 80 kB, checks
# The C function's own time, a pass over 80 kB, is in the subtrahend: `added` leaves that much out, and `c - builtin` shows
# about how much it is.
import argparse
import ctypes
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy as np

import starling

PARTICLES, DIM, GOAL = 1000, 10, 20.0
C_SOURCE = """
#include <stddef.h>
int negative(size_t n, size_t d, const double* x, double* grad, double* logp, void* user) {
  (void)user; (void)logp;
  for (size_t i = 0; i < n * d; ++i) grad[i] = -x[i];
  return 0;
}
"""


def numpy_target(x):
    return -x


def compiled(folder):
    """The C function, or None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source, library = pathlib.Path(folder, "negative.c"), pathlib.Path(folder, "negative.so")
    source.write_text(C_SOURCE)
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", library, source], check=True)
    return starling.CFunction(ctypes.CDLL(str(library)).negative, batched=True)


def flight_of(target, steps):
    return starling.Flight(target, dim=DIM, particles=PARTICLES, steps=steps, threads=1, seed=1)


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description="What a target in NumPy adds to a step")
    parser.add_argument("--steps", type=int, default=200, help="per round (default 200)")
    parser.add_argument("--rounds", type=int, default=31, help="(default 31)")
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        targets = {"python": numpy_target, "c": compiled(folder), "builtin": "normal"}
        total = args.steps * (args.rounds + 1)
        flights = {name: flight_of(target, total) for name, target in targets.items() if target is not None}
        if "c" not in flights:
            raise SystemExit("cc: must be there to compile the function to compare with")
        x = np.zeros((PARTICLES, DIM))
        rounds = {name: [] for name in (*flights, "alone", "added")}
        for turn in range(args.rounds + 1):
            now = {name: timed(lambda: flight.step(args.steps)) for name, flight in flights.items()}
            now["alone"] = timed(lambda: [numpy_target(x) for _ in range(args.steps)])
            now["added"] = now["python"] - now["c"] - now["alone"]
            if turn > 0:  # the first warms up
                for name, seconds in now.items():
                    rounds[name].append(seconds / args.steps * 1e6)
    figures = {name: statistics.median(values) for name, values in rounds.items()}
    for name, value in figures.items():
        low, high = np.quantile(rounds[name], [0.25, 0.75])
        print(f"{name:8} {value:7.1f} us per step, quartiles {low:.1f} to {high:.1f}")
    print(f"goal: at most {GOAL:g} us added: {'met' if figures['added'] <= GOAL else 'missed'}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"us_per_step": figures, "goal_us": GOAL}, indent=2) + "\n")


if __name__ == "__main__":
    main()
