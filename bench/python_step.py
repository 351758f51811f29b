# What a target written in NumPy costs per step beyond its own evaluation:
# docs/python_advanced.md.
# From the top, after scripts/test: PYTHONPATH=build/release/python python bench/python_step.py
# [--json FILE]
#
# Three flights of the same cloud, N(0, I), N = 1000, d = 10, one thread:
#   python   a NumPy function, -x
#   c        a C function of all particles that computes -x, called without Python (ctypes; needs
#   cc)
#   builtin  the engine's own normal target
# and the two functions alone, called as often from a loop. Reported per step, in microseconds of
# processor time (a busy machine disturbs it less than the clock on the wall), the median of rounds
# in which all take turns:
#   added = (python - its function alone) - (c - its function alone)
# that is, what the crossing costs: the array, the interpreter's lock, two copies of 80 kB, checks.
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
void often(size_t count, size_t n, size_t d, const double* x, double* grad) {
  while (count--) {
    negative(n, d, x, grad, 0, 0);
    __asm__ volatile("" : : "r"(grad) : "memory"); /* each time anew */
  }
}
"""


def numpy_target(x):
    return -x


def numpy_alone(count):
    x = np.zeros((PARTICLES, DIM))
    for _ in range(count):
        numpy_target(x)


def c_alone(library):
    x, grad = np.zeros((PARTICLES, DIM)), np.zeros((PARTICLES, DIM))
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    return lambda count: library.often(
        size(count), size(PARTICLES), size(DIM), pointer(x.ctypes.data), pointer(grad.ctypes.data)
    )


def compiled(folder):
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("cc: must be there to compile the function to compare with")
    source, library = pathlib.Path(folder, "negative.c"), pathlib.Path(folder, "negative.so")
    source.write_text(C_SOURCE)
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", library, source], check=True)
    return ctypes.CDLL(str(library))


def flight_of(target, steps):
    return starling.Flight(target, dim=DIM, particles=PARTICLES, steps=steps, threads=1, seed=1)


def timed(work):
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def main():
    parser = argparse.ArgumentParser(description="What a target in NumPy adds to a step")
    parser.add_argument("--steps", type=int, default=100, help="per round (default 100)")
    parser.add_argument("--rounds", type=int, default=61, help="(default 61)")
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        targets = {
            "python": numpy_target,
            "c": starling.CFunction(library.negative, batched=True),
            "builtin": "normal",
        }
        total = args.steps * (args.rounds + 1)
        flights = {name: flight_of(target, total) for name, target in targets.items()}
        alone = {"python alone": numpy_alone, "c alone": c_alone(library)}
        rounds = {name: [] for name in (*flights, *alone, "added")}
        for turn in range(args.rounds + 1):
            now = {name: timed(lambda: flight.step(args.steps)) for name, flight in flights.items()}
            now |= {name: timed(lambda: call(args.steps)) for name, call in alone.items()}
            now["added"] = now["python"] - now["python alone"] - (now["c"] - now["c alone"])
            if turn > 0:  # the first warms up
                for name, seconds in now.items():
                    rounds[name].append(seconds / args.steps * 1e6)
    figures = {name: statistics.median(values) for name, values in rounds.items()}
    for name, value in figures.items():
        low, high = np.quantile(rounds[name], [0.25, 0.75])
        print(f"{name:12} {value:7.1f} us per step, quartiles {low:.1f} to {high:.1f}")
    print(f"goal: at most {GOAL:g} us added: {'met' if figures['added'] <= GOAL else 'missed'}")
    if args.json:
        pathlib.Path(args.json).write_text(
            json.dumps({"us_per_step": figures, "goal_us": GOAL}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
