"""Functions of JAX as compiled loops: the same numbers as through Python."""

import pickle
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
RAW = dict(particles=60, steps=40, batch=2, seed=3, bandwidth=1.0, threads=1)


def log_density(x):
    return -0.5 * jax.numpy.sum(x * x) - jax.numpy.sum(jax.numpy.log1p(jax.numpy.exp(-2 * x)))


def steeper(x):
    return 1.3 * log_density(x)


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture
def through_python(monkeypatch):
    """Within it nothing is a loop."""
    with monkeypatch.context() as patched:
        yield lambda: patched.setattr(jax_loops, "_registered", lambda _: False)


def numbers(count, kind=np.float64, dim=4):
    return np.random.default_rng(count).normal(size=(count, dim)).astype(kind)


@pytest.mark.parametrize("x64", [True, False])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_any_number_of_rows_gives_what_the_plain_function_gives(x64, kind):
    with jax.enable_x64(x64):
        target = starling.from_jax(log_density, dim=4)
        assert target._loop(4, kind == np.float32) is not None
        plain = jax.jit(jax.vmap(jax.value_and_grad(log_density)))
        near = (
            dict(rtol=1e-12, atol=1e-12)
            if x64 and kind == np.float64
            else dict(rtol=1e-5, atol=1e-5)
        )
        for count in (1, 2, 31, 32, 33, 255, 256, 257, 1000):
            x = numbers(count, kind)
            for got, right in zip(target(x), plain(x)):
                assert got.shape == right.shape
                np.testing.assert_allclose(got, right, **near)
                assert not np.allclose(1.3 * np.asarray(got), right, **near)


def tree_target():
    def of_tree(p):
        return -jax.numpy.sum(p["b"] ** 2) - p["s"] ** 2

    return starling.from_jax(of_tree, {"b": (3,), "s": starling.positive()})


def numpyro_target():
    numpyro = pytest.importorskip("numpyro", reason="NumPyro is not installed")
    from numpyro import distributions as dist

    def model():
        b = numpyro.sample("b", dist.Normal(0, 1).expand([3]).to_event(1))
        numpyro.sample("y", dist.Normal(b.sum(), numpyro.sample("s", dist.HalfNormal(1))), obs=0.5)

    return starling.from_numpyro(model)


def pymc_target():
    pymc = pytest.importorskip("pymc", reason="PyMC is not installed")
    with pymc.Model() as model:
        b = pymc.Normal("b", 0, 1, shape=3)
        pymc.Normal("y", b.sum(), pymc.HalfNormal("s", 1), observed=0.5)
    return starling.from_pymc(model)


@pytest.mark.parametrize("make", [tree_target, numpyro_target, pymc_target])
def test_trees_and_models_are_loops_too(make, x64):
    target = make()
    assert target._loop(4, False) is not None
    for got, right in zip(target(numbers(50)), target.function._compiled(numbers(50))):
        np.testing.assert_allclose(got, right, rtol=1e-12, atol=1e-12)


def test_rows_that_are_no_numbers_stay_alone():
    target = starling.from_jax(lambda x: jax.numpy.sum(jax.numpy.log(x)), dim=4)
    x = np.abs(numbers(100))
    right, scores = target(x)
    x[17, 2] = -1
    x[40] = np.inf
    found, _ = target(x)
    others = ~np.isin(np.arange(100), [17, 40])
    assert np.isnan(found[17]) and np.isinf(found[40])
    assert np.array_equal(found[others], right[others]) and np.isfinite(scores).all()


def flown(function, **settings):
    return starling.Flight(starling.from_jax(function, dim=4), **RAW | settings).step(40).positions


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_run_is_the_same_as_through_python(x64, through_python, precision):
    here, wrong = flown(log_density, precision=precision), flown(steeper, precision=precision)
    through_python()
    there = flown(log_density, precision=precision)
    near = dict(rtol=1e-9, atol=1e-9) if precision == "double" else dict(rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(here, there, **near)
    assert not np.allclose(wrong, there, **near)


def test_no_python_runs_after_the_first_call(x64, monkeypatch):
    called, traced = [], []

    def counted(x):
        traced.append(x.shape)
        return log_density(x)

    target = starling.from_jax(counted, dim=4)
    score = type(target.function)
    plain = score.__call__
    monkeypatch.setattr(score, "__call__", lambda self, x: called.append(len(x)) or plain(self, x))
    assert starling.sample(target, particles=128, seed=1, check=False).verdict
    assert len(called) == 1 and traced == [(4,)]  # of all rows, one by one, whatever their number


def test_a_pause_changes_nothing(x64):
    """The loop is left, and entered again."""
    target = starling.from_jax(log_density, dim=4)
    here = starling.Flight(target, **RAW).step(40).positions
    flight = starling.Flight(target, **RAW)
    for _ in range(40):
        flight.step(1)
        time.sleep(0.01)
    assert np.array_equal(flight.positions, here)


def test_runs_are_resumed_and_pickled_bit_for_bit(x64, tmp_path):
    target = starling.from_jax(log_density, dim=4)
    whole = starling.Flight(target, **RAW).step(40).positions
    half = starling.Flight(target, **RAW).step(20)
    half.save(tmp_path / "half.checkpoint")
    copied = pickle.loads(pickle.dumps(half))
    resumed = starling.resume(tmp_path / "half.checkpoint", target)
    for flight in (half, copied, resumed):
        assert np.array_equal(flight.step(20).positions, whole)


def test_flights_at_the_same_time_share_a_loop(x64, monkeypatch):
    target = starling.from_jax(log_density, dim=4)
    found, compiled, begin = [None] * 4, [], threading.Barrier(4)
    compile_it = jax_loops.Loops._compiled

    def slowly(*given):
        compiled.append(given)
        time.sleep(0.2)  # the others come in between
        return compile_it(*given)

    monkeypatch.setattr(jax_loops.Loops, "_compiled", slowly)

    def fly(k):
        begin.wait()
        found[k] = starling.Flight(target, **RAW | dict(seed=k)).step(40).positions

    threads = [threading.Thread(target=fly, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    right = [starling.Flight(target, **RAW | dict(seed=k)).step(40).positions for k in range(4)]
    assert len(compiled) == 1
    assert all(np.array_equal(a, b) for a, b in zip(found, right))


def test_a_heavy_function_is_computed_by_several_threads_with_the_same_bits(x64):
    data = jax.numpy.asarray(numbers(2000))
    target = starling.from_jax(lambda x: -jax.numpy.sum(jax.numpy.sin(data @ x) ** 2), dim=4)
    x = numbers(2000)
    right = target(x)
    for _ in range(5):
        assert all(np.array_equal(a, b) for a, b in zip(target(x), right))


def test_what_the_function_raises_while_it_is_traced_is_raised():
    def broken(x):
        raise ZeroDivisionError("of the user's")

    with pytest.raises(ZeroDivisionError, match="of the user's"):
        starling.sample(starling.from_jax(broken, dim=2), particles=16, progress=False)


def calling(function):
    """A log density that calls a function of Python's for its first number."""

    @jax.custom_jvp
    def same(x):
        shape = jax.ShapeDtypeStruct((), x.dtype)
        return jax.pure_callback(function, shape, x, vmap_method="expand_dims")

    same.defjvp(lambda x, dx: (same(*x), *dx))
    return lambda x: -0.5 * jax.numpy.sum(x * x) + 0 * same(x[0])


def test_what_the_function_raises_in_a_step_is_raised_and_the_next_call_is_well():
    failing = []

    def called(x):
        if failing:
            raise ValueError("of the user's")
        return x

    target = starling.from_jax(calling(called), dim=2)
    assert target._loop(2, False) is not None
    flight = starling.Flight(target, **RAW).step(2)
    failing.append(True)
    with pytest.raises(Exception, match="of the user's"):
        flight.step(2)
    failing.clear()
    assert flight.step(2).done == 4


def test_ctrl_c_during_a_call_stops_it():
    import _thread

    def called(x):
        if calls:
            calls.clear()
            _thread.interrupt_main()
        return x

    calls = []
    flight = starling.Flight(starling.from_jax(calling(called), dim=2), **RAW).step(2)
    calls.append(True)
    with pytest.raises(KeyboardInterrupt):
        flight.step(38)
        time.sleep(1)
    assert flight.step(2).done >= 4


@pytest.mark.parametrize("switch", ["jax_debug_nans", "jax_debug_infs", "jax_disable_jit"])
def test_who_watches_jax_sees_each_call(switch):
    target = starling.from_jax(log_density, dim=4)
    jax.config.update(switch, True)
    try:
        assert target._loop(4, False) is None
        assert target(numbers(10))[0].shape == (10,)
    finally:
        jax.config.update(switch, False)
    assert target._loop(4, False) is not None


def test_an_interface_that_jax_refuses_leaves_the_way_through_python(monkeypatch):
    class Refused:
        xla_handlers = staticmethod(lambda: {"starling_refused": "no capsule"})

    monkeypatch.setattr(jax_loops, "_starling", Refused)
    jax_loops._registered.cache_clear()
    try:
        target = starling.from_jax(log_density, dim=4)
        assert target._loop(4, False) is None and target(numbers(10))[0].shape == (10,)
    finally:
        jax_loops._registered.cache_clear()


def test_blocks_are_larger_where_operations_are_small():
    def block(function, dim):
        return jax_loops.block_for(
            jax.make_jaxpr(jax.value_and_grad(function))(np.zeros(dim)).jaxpr
        )

    data = jax.numpy.asarray(numbers(2000))
    assert block(log_density, 4) == jax_loops.MOST
    assert block(lambda x: -jax.numpy.sum((data @ x) ** 2), 4) == jax_loops.LEAST
