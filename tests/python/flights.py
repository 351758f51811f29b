"""What tests of flights share: a target, a short run of it, and waiting for other processes."""

import threading

import numpy as np

import starling

SETTINGS = dict(particles=50, steps=60, seed=5, threads=1)


def target(x):
    return -0.5 * np.sum(x**2, axis=1), -x


def begin(**settings):
    return starling.Flight(target, dim=2, **{**SETTINGS, **settings})


def wait_until(holds, run):
    """However slow the machine is, but not longer than the process runs."""
    for _ in range(60_000):
        if holds():
            return
        assert run.poll() is None, "it ended before"
        threading.Event().wait(0.01)
    raise AssertionError("not after ten minutes")
