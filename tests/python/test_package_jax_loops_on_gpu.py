"""Functions of JAX as loops on a GPU: rows go there and come back without Python. The host stands
in the place of a GPU, with the same handlers; where there is one, it is asked too."""

import threading
import time

import numpy as np
import pytest
import starling
from starling import jax_loops

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytestmark = pytest.mark.skipif(
    starling._starling.xla_handlers() is None, reason="built without XLA's headers"
)
COMMON = dict(particles=300, seed=3, progress=False, threads=1)


def places():
    try:
        return [-1, jax.local_devices(backend="cuda")[0].local_hardware_id]
    except RuntimeError:
        return [-1]


def log_density(x):
    return -0.5 * jax.numpy.sum(x * x) - jax.numpy.sum(jax.numpy.log1p(jax.numpy.exp(-2 * x)))


def numbers(count, kind=np.float64):
    return np.random.default_rng(count).normal(size=(count, 4)).astype(kind)


@pytest.mark.parametrize("place", places())
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_any_number_of_rows_gives_what_the_plain_function_gives(double, kind, place):
    target = starling.from_jax(log_density, dim=4)
    plain = jax.jit(jax.vmap(jax.value_and_grad(log_density)))
    near = dict(rtol=1e-12, atol=1e-12) if kind == np.float64 else dict(rtol=1e-4, atol=1e-4)
    loop = target._loop(4, kind == np.float32, 64, place)
    for count in (1, 2, 63, 64, 65, 1000):
        x = numbers(count, kind)
        for got, right in zip(loop.evaluate(x), plain(x)):
            assert got.shape == right.shape
            np.testing.assert_allclose(got, right, **near)
            assert not np.allclose(1.3 * np.asarray(got), right, **near)


def test_each_size_of_block_is_a_loop_of_its_own(double):
    target = starling.from_jax(log_density, dim=4)
    small, large = (target._loop(4, False, block, -1) for block in (64, 512))
    assert small is not large and target._loop(4, False, 64, -1) is small
    x = numbers(200)
    for one, other in zip(small.evaluate(x), large.evaluate(x)):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_a_default_run_calls_python_once_for_the_check(card, double):
    target, asked = starling.from_jax(log_density, dim=4), []
    own = starling.Function(
        lambda x: asked.append(len(x)) or target.function(x),
        on_card=lambda x: pytest.fail("the way through Python was taken"),
        dim=4,
        loop=target.function.loop,
    )
    result = starling.sample(own, device="cuda", check=False, **COMMON)
    assert result.verdict == "converged" and len(asked) == 1
    again = starling.sample(target, device="cuda", check=False, **COMMON)
    for name, draws in again.draws.items():
        assert np.array_equal(draws, result.draws[name])


def test_what_the_loop_computes_is_what_the_run_sees(card, double):
    target = starling.from_jax(lambda x: -0.5 * jax.numpy.sum(x * x), dim=2)
    wrong = starling.from_jax(lambda x: -2 * jax.numpy.sum(x * x), dim=2)
    for one, sd in ((target, 1.0), (wrong, 0.5)):
        mixed = starling.Function(
            target.function, on_card=target.function.on_card, dim=2, loop=one.function.loop
        )
        result = starling.sample(mixed, device="cuda", check=False, **COMMON)
        found = np.column_stack([np.reshape(part, (300, -1)) for part in result.draws.values()])
        assert np.abs(found.std(axis=0) / sd - 1).max() < 0.15


def test_a_wrong_gradient_is_found_before_the_run(card, double):
    @jax.custom_jvp
    def bent(x):
        return -0.5 * jax.numpy.sum(x * x)

    bent.defjvp(lambda x, dx: (bent(*x), -2.0 * jax.numpy.sum(x[0] * dx[0])))
    with pytest.raises(starling.TargetError, match="gradient"):
        starling.sample(starling.from_jax(bent, dim=2), device="cuda", **COMMON)


def test_pauses_and_long_work_change_nothing(double):
    """The loop is left after 5 ms without work, and after 200 ms of it."""
    loop = starling.from_jax(log_density, dim=4)._loop(4, False, 64, -1)
    x = numbers(100)
    right = loop.evaluate(x)
    end = time.perf_counter() + 0.5
    while time.perf_counter() < end:
        assert all(np.array_equal(a, b) for a, b in zip(loop.evaluate(x), right))
    for _ in range(5):
        time.sleep(0.01)
        assert all(np.array_equal(a, b) for a, b in zip(loop.evaluate(x), right))


def test_threads_share_a_loop(double):
    loop = starling.from_jax(log_density, dim=4)._loop(4, False, 64, -1)
    right = {count: loop.evaluate(numbers(count)) for count in range(50, 58)}
    wrong = []

    def ask(count):
        for _ in range(100):
            found = loop.evaluate(numbers(count))
            if not all(np.array_equal(a, b) for a, b in zip(found, right[count])):
                wrong.append(count)

    threads = [threading.Thread(target=ask, args=(count,)) for count in right]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_the_function_raises_is_raised_and_the_next_call_is_well(double):
    failing = []

    def called(x):
        if failing:
            raise ValueError("of the user's")
        return x

    @jax.custom_jvp
    def same(x):
        shape = jax.ShapeDtypeStruct((), x.dtype)
        return jax.pure_callback(called, shape, x, vmap_method="expand_dims")

    same.defjvp(lambda x, dx: (same(*x), *dx))
    loop = starling.from_jax(lambda x: log_density(x) + 0 * same(x[0]), dim=4)._loop(
        4, False, 64, -1
    )
    x = numbers(100)
    right = loop.evaluate(x)
    failing.append(True)
    with pytest.raises(Exception, match="of the user's"):
        loop.evaluate(x)
    failing.clear()
    assert all(np.array_equal(a, b) for a, b in zip(loop.evaluate(x), right))


def test_functions_that_wait_have_no_loop_on_the_host(double):
    target = starling.from_jax(
        lambda x: -jax.numpy.linalg.cholesky(jax.numpy.eye(2) + x[0] ** 2).sum(), dim=4
    )
    assert target._loop(4, False, 64, -1) is None


def test_a_gpu_that_is_not_there_has_no_loop(double):
    assert starling.from_jax(log_density, dim=4)._loop(4, False, 64, 99) is None
    assert jax_loops._registered("CUDA") == (starling._starling.xla_handlers_on_cuda() is not None)
