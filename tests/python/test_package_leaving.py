"""The end of the interpreter, other processes, and sizes that no machine has."""

import subprocess
import sys

import pytest
import starling


def run(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("settings", ["steps=10**9, batch=2", ""])
def test_a_daemon_thread_in_the_middle_of_a_run_does_not_take_the_process_with_it(settings):
    ended = run(f"""
import threading, time, starling
begun = threading.Event()
def score(x):
    begun.set()
    time.sleep(0.01)
    return -(x * x).sum(axis=1) / 2, -x
def draw():
    starling.sample(score, dim=2, particles=16, {settings})
threading.Thread(target=draw, daemon=True).start()
begun.wait()
time.sleep(0.2)
print("the end")
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the end\n", "")


def test_a_forked_process_can_run_on_threads_of_its_own():
    ended = run("""
import multiprocessing, starling
def draw(_):
    settings = dict(dim=2, particles=2000, steps=30, batch=2, threads=2)
    return starling.sample(lambda x: -x, **settings).draws["x"].sum()
here = draw(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(draw, range(4)) == [here] * 4
print("the same")
""")
    assert (ended.returncode, ended.stdout) == (0, "the same\n"), ended.stderr


def test_dimensions_that_do_not_fit_are_named():
    with pytest.raises(MemoryError, match="dim: 1000000000000 parameters do not fit into memory"):
        starling.sample(lambda x: -x, dim=10**12, steps=3, batch=2)
