"""Compiled loops of JAX functions at the end of a flight, a script, a process."""

import gc
import os
import subprocess
import sys
import time

import numpy as np
import pytest
import starling

pytest.importorskip("jax", reason="JAX is not installed")
pytestmark = pytest.mark.skipif(
    starling._starling.xla_handlers() is None, reason="built without XLA's headers"
)


def fewest_threads(seconds, enough=0):
    """Of this process, in a while; it ends earlier when there are few enough."""
    until, fewest = time.monotonic() + seconds, 10**6
    while time.monotonic() < until and fewest > enough:
        fewest = min(fewest, len(os.listdir("/proc/self/task")))
        time.sleep(0.01)
    return fewest


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are not listed here")
def test_a_flight_that_is_dropped_leaves_no_thread():
    target = starling.from_jax(lambda x: -0.5 * x @ x, dim=4)
    target(np.ones((100, 4)))
    before = fewest_threads(1)
    flight = starling.Flight(target, particles=60, steps=40, batch=2).step(3)
    del flight
    gc.collect()
    assert fewest_threads(60, before) <= before


def run(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("settings", ["steps=10**9, batch=2", ""])
def test_a_daemon_thread_in_the_middle_of_a_run_does_not_take_the_process_with_it(settings):
    ended = run(f"""
import threading, time, starling
target = starling.from_jax(lambda x: -0.5 * x @ x, dim=2)
begun = threading.Event()
def draw():
    while True:
        flight = starling.Flight(target, particles=16, {settings}).step(1)
        begun.set()
        flight.step(10**9)
threading.Thread(target=draw, daemon=True).start()
begun.wait()
time.sleep(0.2)
print("the end")
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the end\n", "")


def test_the_end_of_a_script_finds_no_leak():
    ended = run("""
import jax, starling
def log_density(x):
    return -0.5 * x @ x
target = starling.from_jax(log_density, dim=2)
result = starling.sample(target, particles=16, seed=1, progress=False)
flight = starling.Flight(target, particles=16, steps=100, batch=2).step(3)
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_forked_process_says_that_jax_cannot_compute_there():
    ended = run("""
import os, warnings, starling
warnings.simplefilter("ignore") # JAX warns of forks
target = starling.from_jax(lambda x: -0.5 * x @ x, dim=2)
flight = starling.Flight(target, particles=40, steps=9, batch=2).step(3)
child = os.fork()
try:
    flight.step(3)
except RuntimeError as error:
    os._exit(7 if child == 0 and "spawn" in str(error) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert (ended.returncode, ended.stdout) == (0, "7\n"), ended.stderr
