"""Functions of JAX that call LAPACK are no loops: such a call waits on one of XLA's threads for the
others, and loops may hold them all."""

import os
import subprocess
import sys

import numpy as np
import pytest

import starling

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytestmark = pytest.mark.skipif(
    starling._starling.xla_handlers() is None, reason="built without XLA's headers"
)


def factor(x):
    return jax.numpy.linalg.cholesky((2 + x[0] ** 2) * jax.numpy.eye(5)).sum()


WAITING = {
    "cholesky": factor,
    "solve": lambda x: jax.numpy.linalg.solve(jax.numpy.eye(5) + x[0], jax.numpy.ones(5)).sum(),
    "eigh": lambda x: jax.numpy.linalg.eigh(jax.numpy.diag(x))[0].sum(),
    "qr": lambda x: jax.numpy.linalg.qr(jax.numpy.eye(2) + x)[1].sum(),
    "inside a loop": lambda x: jax.lax.fori_loop(0, 3, lambda _, y: y + factor(x), 0.0),
    "inside a branch": lambda x: jax.lax.cond(x[0] > 0, factor, lambda x: 0.0, x),
}


@pytest.mark.parametrize("name", WAITING)
def test_a_function_that_waits_for_xlas_threads_is_called_through_python(name):
    target = starling.from_jax(WAITING[name], dim=2)
    assert target._loop(2, True) is None
    x = np.random.default_rng(1).normal(size=(40, 2)).astype(np.float32)
    plain = jax.jit(jax.vmap(jax.value_and_grad(WAITING[name])))
    for got, right in zip(target(x), plain(x)):
        np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-4)


def test_others_are_loops():
    assert starling.from_jax(lambda x: -x @ x, dim=2)._loop(2, True) is not None


PROGRAM = """
import jax, numpy as np, starling
def log_density(x):
    return -x @ x + 0 * jax.numpy.linalg.inv(jax.numpy.eye(150) + x[0]).sum()
target = starling.from_jax(log_density, dim=2)
for _ in range(3):
    assert np.isfinite(target(np.random.default_rng(0).normal(size=(128, 2)))[0]).all()
"""


LONG_ENOUGH = 1800  # seconds; it takes 8, and minutes beside much other work


def test_large_inverses_come_to_an_end():
    """Two loops that waited for each other never did. In a process that can be ended."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=dict(os.environ),
        timeout=LONG_ENOUGH,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
