"""Targets from NumPy, JAX, PyTorch, C and numba say the same, and are called as promised."""

import ctypes
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import starling

PRECISION = np.array([[2.0, 0.6], [0.6, 1.0]])
COMMON = dict(dim=2, particles=100, steps=50, seed=3, threads=1, progress=False)

C_SOURCE = """
#include <stddef.h>
#include <time.h>
int one(size_t d, const double* x, double* g, double* logp, void* user) {
  (void)user;
  if (d != 2) return 7;
  g[0] = -(2 * x[0] + .6 * x[1]);
  g[1] = -(.6 * x[0] + x[1]);
  *logp = .5 * (g[0] * x[0] + g[1] * x[1]);
  return 0;
}
int all(size_t n, size_t d, const double* x, double* g, double* logp, void* user) {
  for (size_t i = 0; i < n; ++i)
    if (one(d, x + i * d, g + i * d, logp + i, user)) return 7;
  return 0;
}
static volatile long told = 0;
void tell(void) { ++told; }
/* Until it is told 20 times. */
int patient(size_t n, size_t d, const double* x, double* g, double* logp, void* user) {
  const struct timespec nap = {0, 1000000};
  const long before = told;
  for (int naps = 0; told < before + 20; ++naps) {
    if (naps == 60000) return 7;
    nanosleep(&nap, 0);
  }
  return all(n, d, x, g, logp, user);
}
"""


def numpy_target(x):
    scores = -x @ PRECISION
    return 0.5 * np.sum(scores * x, axis=1), scores


def run(target, **settings):
    result = starling.sample(target, **{**COMMON, **settings})
    return result.unconstrained, result.log_density


def assert_alike(target, tolerance, **settings):
    for ours, theirs in zip(run(target, **settings), run(numpy_target, **settings)):
        assert np.allclose(ours, theirs, rtol=0, atol=tolerance)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("cc: no C compiler here")
    folder = tmp_path_factory.mktemp("c")
    (folder / "target.c").write_text(C_SOURCE)
    file = folder / "target.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", file, folder / "target.c"], check=True
    )
    return ctypes.CDLL(str(file))


@pytest.mark.parametrize("precision, tolerance", [("double", 1e-12), ("single", 1e-4)])
def test_c_functions_agree_with_numpy(library, precision, tolerance):
    assert_alike(starling.CFunction(library.all, batched=True), tolerance, precision=precision)
    assert_alike(starling.CFunction(library.one, batched=False), tolerance, precision=precision)
    address = ctypes.cast(library.one, ctypes.c_void_p).value
    assert_alike(starling.CFunction(address, batched=False), tolerance, precision=precision)


def test_a_c_function_that_fails_is_a_target_error(library):
    for function, batched in [(library.all, True), (library.one, False)]:
        with pytest.raises(starling.TargetError, match="step 0, particle 0.*returned 7"):
            starling.sample(starling.CFunction(function, batched=batched), **{**COMMON, "dim": 3})


def test_a_c_function_runs_while_python_does_something_else(library):
    over = threading.Event()

    def tell():
        while not over.is_set():
            library.tell()
            time.sleep(0.001)

    other = threading.Thread(target=tell)
    other.start()
    try:
        flight = starling.Flight(
            starling.CFunction(library.patient, 2, batched=True), particles=10, steps=10
        )
        flight.step(4)  # which comes back only when the other thread has moved on
        assert flight.done == 4
    finally:
        over.set()
        other.join()


def test_a_numba_cfunc_agrees_with_numpy():
    numba = pytest.importorskip("numba", reason="numba is not installed")
    types = numba.types
    size = types.uint64 if sys.maxsize > 2**32 else types.uint32

    @numba.cfunc(
        types.int32(
            size,
            types.CPointer(types.double),
            types.CPointer(types.double),
            types.CPointer(types.double),
            types.voidptr,
        )
    )
    def of_one(d, x, grad, logp, user):
        grad[0] = -(2.0 * x[0] + 0.6 * x[1])
        grad[1] = -(0.6 * x[0] + x[1])
        logp[0] = 0.5 * (grad[0] * x[0] + grad[1] * x[1])
        return 0

    assert_alike(starling.CFunction(of_one, batched=False), 1e-12)


def test_what_is_no_c_function_is_refused():
    for wrong in (True, "f", 1.5, None, numpy_target):
        with pytest.raises(TypeError, match="target: must be a C function"):
            starling.CFunction(wrong, 2, batched=True)
    for wrong in (0, ctypes.CFUNCTYPE(ctypes.c_int)()):
        with pytest.raises(ValueError, match="null"):
            starling.CFunction(wrong, 2, batched=True)
    with pytest.raises(TypeError, match="CFunction"):
        starling.sample(ctypes.CFUNCTYPE(ctypes.c_int)(), dim=2)


def jax_log_density(x):
    import jax.numpy as jnp

    return -0.5 * x @ jnp.asarray(PRECISION, dtype=x.dtype) @ x


@pytest.mark.parametrize("x64", [True, False])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_jax_agrees_with_numpy(x64, precision):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", x64)
    try:
        tolerance = 1e-12 if x64 and precision == "double" else 1e-4
        assert_alike(starling.from_jax(jax_log_density), tolerance, precision=precision)
    finally:
        jax.config.update("jax_enable_x64", False)


@pytest.mark.parametrize("precision, tolerance", [("double", 1e-12), ("single", 1e-4)])
def test_torch_agrees_with_numpy(precision, tolerance):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    def log_density(x):
        return -0.5 * torch.einsum("ni,ij,nj->n", x, torch.tensor(PRECISION, dtype=x.dtype), x)

    assert_alike(starling.from_torch(log_density), tolerance, precision=precision)
    with pytest.raises(ValueError, match=r"log densities of shape \(N,\) for N = 100; got \(\)"):
        run(starling.from_torch(lambda x: -(x**2).sum()))
    with pytest.raises(ValueError, match="log densities of shape"):
        run(starling.from_torch(lambda x: 1.0))


def test_a_target_is_called_once_per_step_and_then_to_judge_the_end():
    shapes = []
    run(lambda x: shapes.append(x.shape) or -x, steps=10)
    assert (
        shapes == [(100, 2)] * 11
    )  # to count groups would cost more than a part of so short a run
    shapes.clear()
    run(lambda x: shapes.append(x.shape) or -x, steps=400)
    assert shapes[:401] == [(100, 2)] * 401
    few = shapes[401:]  # for the count of groups
    assert (
        0 < len(few) <= 40
        and sum(rows for rows, _ in few) <= 1000
        and all(dim == 2 for _, dim in few)
    )
    shapes.clear()
    run(lambda x: shapes.append(x.shape) or -x, steps=10, advance="rk4")
    assert shapes[:41] == [(100, 2)] * 41 and len(shapes) <= 41 + 40


def test_names_are_those_given():
    result = starling.sample(
        starling.Function(numpy_target, names=["a", "b"]), **{**COMMON, "dim": None}
    )
    assert result.names == ["a", "b"] and list(result.draws) == ["a", "b"]
    matrix = starling.Function(lambda x: -x, names=["m[1,1]", "m[2,1]", "m[1,2]", "m[2,2]"])
    draws = starling.sample(matrix, **{**COMMON, "dim": 4}).draws
    assert draws["m"].shape == (100, 2, 2)


def test_a_log_density_that_is_nan_everywhere_has_diverged_and_scores_alone_have_not():
    def failing(x):
        return np.full(len(x), np.nan), -x

    assert (
        starling.sample(failing, **{**COMMON, "particles": 300, "steps": 0}).verdict == "diverged"
    )
    assert (
        starling.sample(lambda x: -x, **{**COMMON, "particles": 300, "steps": 0}).verdict
        == "converged"
    )
