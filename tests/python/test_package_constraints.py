"""Parameters within bounds: each transform against differences and against Stan's formulas, the
same in NumPy, JAX and PyTorch, and right in a run."""

import math
import pickle

import numpy as np
import pytest

import starling
from starling.constraints import NumpyMath
from starling.space import Parameters

EACH = {
    "positive": starling.positive(),
    "positives": starling.positive((2, 3)),
    "interval": starling.interval(-1, 4, 2),
    "simplex": starling.simplex(4),
    "simplexes": starling.simplex(3, (2,)),
    "ordered": starling.ordered(4),
    "cholesky_corr": starling.cholesky_corr(4),
    "two factors": starling.cholesky_corr(3, 2),
    "real": (2, 2),
}
ALL = {name.replace(" ", "_"): one for name, one in EACH.items()}


def points(space, n=5):
    return np.random.default_rng(3).normal(size=(n, space.dim))


def slopes(function, x, step=1e-5):
    """d function / dx_a by central differences: an axis more."""
    columns = []
    for a in range(len(x)):
        up, down = x.copy(), x.copy()
        up[a] += step
        down[a] -= step
        columns.append((function(up) - function(down)) / (2 * step))
    return np.stack(columns, axis=-1)


def free_numbers(name, value):
    """As many numbers of a parameter as it is free in."""
    if name.startswith("simplex"):
        return value[..., :-1].ravel()
    if name in ("cholesky_corr", "two factors"):
        i, j = np.tril_indices(value.shape[-1], -1)
        return value[..., i, j].ravel()
    return value.ravel()


@pytest.mark.parametrize("name", EACH)
def test_the_log_of_the_determinant_is_that_of_differences(name):
    space = Parameters({"p": EACH[name]})
    for x in points(space):
        matrix = slopes(lambda at: free_numbers(name, space.variables(at[None])["p"][0]), x)
        _, expected = np.linalg.slogdet(matrix)
        assert np.isclose(space.forward(x[None], NumpyMath)[1][0], expected, atol=1e-6)


@pytest.mark.parametrize("name", EACH)
def test_gradients_are_pulled_back_as_differences_say(name):
    space = Parameters({"p": EACH[name]})
    weights = np.random.default_rng(4).normal(size=space.shapes["p"])

    def log_density(at):
        values, log_jacobian = space.forward(at[None], NumpyMath)
        return np.sum(weights * np.sin(values["p"])) + log_jacobian[0]

    for x in points(space):
        g = weights * np.cos(space.variables(x[None])["p"])
        pulled = space.pull(x[None], {"p": g})[0]
        assert np.allclose(pulled, slopes(log_density, x), atol=1e-6)
        if name != "real":  # without the determinant it is not the slope
            assert not np.allclose(pulled - space.pull(x[None], {"p": 0 * g})[0], pulled, atol=1e-3)


def stan_simplex(y):
    """Reference manual, unit simplex by stick breaking: one number after another."""
    size, left, x, log_jacobian = len(y) + 1, 1.0, [], 0.0
    for k, one in enumerate(y, start=1):
        z = 1 / (1 + math.exp(-(one + math.log(1 / (size - k)))))
        log_jacobian += math.log(z) + math.log(1 - z) + math.log(left)
        x.append(left * z)
        left -= x[-1]
    return np.array([*x, left]), log_jacobian


def stan_ordered(y):
    x = [y[0]]
    for one in y[1:]:
        x.append(x[-1] + math.exp(one))
    return np.array(x), float(np.sum(y[1:]))


def stan_cholesky_corr(y):
    """Reference manual, Cholesky factors of correlation matrices, from canonical partial
    correlations."""
    size = int((1 + math.sqrt(1 + 8 * len(y))) / 2)
    z, x, log_jacobian = iter(np.tanh(y)), np.zeros((size, size)), 0.0
    x[0, 0] = 1
    for i in range(1, size):
        squares = 0.0
        for j in range(i):
            one = next(z)
            log_jacobian += 0.5 * math.log(1 - squares) + math.log(1 - one**2)
            x[i, j] = one * math.sqrt(1 - squares)
            squares += x[i, j] ** 2
        x[i, i] = math.sqrt(1 - squares)
    return x, log_jacobian


def stan_interval(y):
    u = 1 / (1 + np.exp(-y))
    return -1 + 5 * u, float(np.sum(np.log(5 * u * (1 - u))))


@pytest.mark.parametrize(
    "name, stan",
    [
        ("simplex", stan_simplex),
        ("ordered", stan_ordered),
        ("cholesky_corr", stan_cholesky_corr),
        ("interval", stan_interval),
        ("positive", lambda y: (np.exp(y[0]), float(y[0]))),
    ],
)
def test_values_and_determinants_are_those_of_stan(name, stan):
    space = Parameters({"p": EACH[name]})
    for x in points(space):
        values, log_jacobian = space.forward(x[None], NumpyMath)
        expected, expected_log = stan(x)
        assert np.allclose(values["p"][0], expected, atol=1e-12)
        assert np.isclose(log_jacobian[0], expected_log, atol=1e-10)


def test_values_keep_their_bounds_and_come_back():
    space = Parameters(ALL)
    x = points(space, 50)
    v = space.variables(x)
    assert (v["positive"] > 0).all() and (np.abs(v["interval"] - 1.5) < 2.5).all()
    assert np.allclose(v["simplexes"].sum(axis=-1), 1) and (v["simplexes"] > 0).all()
    assert (np.diff(v["ordered"], axis=-1) > 0).all()
    factors = v["two_factors"]
    assert np.allclose(np.einsum("ncij,ncij->nci", factors, factors), 1)
    assert np.allclose(space.unconstrain(v), x, atol=1e-9)


def test_far_out_nothing_is_lost():
    space = Parameters({"p": starling.simplex(3), "r": starling.interval(0, 1)})
    x = np.array([[800.0, -800.0, 900.0], [-800.0, 800.0, -900.0]])
    values, log_jacobian = space.forward(x, NumpyMath)
    assert all(np.isfinite(value).all() for value in values.values())
    assert np.isfinite(log_jacobian).all()
    assert np.isfinite(space.pull(x, {name: np.ones_like(v) for name, v in values.items()})).all()


def weights_of(space):
    random = np.random.default_rng(5)
    return {name: random.normal(size=shape) for name, shape in space.shapes.items()}


def numpy_target():
    w = weights_of(Parameters(ALL))

    def log_density(p):
        n = len(p["positive"])
        total = sum((w[name] * np.sin(v)).reshape(n, -1).sum(axis=1) for name, v in p.items())
        return total, {name: w[name] * np.cos(v) for name, v in p.items()}

    return starling.from_numpy(log_density, ALL)


def assert_as_numpy(target, tolerance):
    ours = numpy_target()
    assert target.names == ours.names and target.space.columns == ours.space.columns
    x = points(ours.space)
    for theirs, own in zip(target(x), ours(x)):
        assert np.allclose(theirs, own, atol=tolerance)


def test_jax_says_the_same():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    w = weights_of(Parameters(ALL))

    def log_density(p):
        return sum(jax.numpy.sum(w[name] * jax.numpy.sin(v)) for name, v in p.items())

    jax.config.update("jax_enable_x64", True)
    try:
        assert_as_numpy(starling.from_jax(log_density, ALL), 1e-10)
    finally:
        jax.config.update("jax_enable_x64", False)


def test_torch_says_the_same():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    w = {name: torch.tensor(one) for name, one in weights_of(Parameters(ALL)).items()}

    def log_density(p):
        return sum((w[name] * torch.sin(v)).reshape(len(v), -1).sum(dim=1) for name, v in p.items())

    assert_as_numpy(starling.from_torch(log_density, ALL), 1e-10)


def exponential(p):
    """Of a positive number: exp(-s), whose mean and sd are 1."""
    return -p["s"], {"s": -np.ones_like(p["s"])}


def twice_the_jacobian(p):
    return np.log(p["s"]) - p["s"], {"s": 1 / p["s"] - 1}


def test_a_run_has_the_density_of_the_parameter_and_not_of_the_position():
    means = []
    for function in (exponential, twice_the_jacobian):
        target = starling.from_numpy(function, {"s": starling.positive()})
        result = starling.sample(target, seed=1, progress=False)
        means.append(result.draws["s"].mean())
    se = 1 / math.sqrt(1000)
    assert abs(means[0] - 1) < 4 * se
    assert abs(means[1] - 1) > 10 * se, "the Jacobian twice is another density"


def test_results_files_and_summaries_are_of_the_parameters(tmp_path):
    target = numpy_target()
    result = starling.sample(target, particles=50, method="paper", steps=2, progress=False)
    assert {name: values.shape[1:] for name, values in result.draws.items()} == {
        name: tuple(shape) for name, shape in target.space.shapes.items()
    }
    assert result.unconstrained.shape == (50, target.space.dim)
    assert (result.draws["positive"] > 0).all() and "ordered[0]" in result.summary().index
    result.save(tmp_path / "out")
    again = starling.load(tmp_path / "out")
    assert np.array_equal(again.draws["cholesky_corr"], result.draws["cholesky_corr"])
    assert np.array_equal(again.unconstrained, result.unconstrained)
    with pytest.raises(FileExistsError, match="choose another folder or add force=True"):
        result.save(tmp_path / "out")
    result.save(tmp_path / "out", force=True)


def test_a_flight_of_parameters_is_pickled_and_goes_on():
    target = starling.from_numpy(exponential, {"s": starling.positive()})
    flight = starling.Flight(target, particles=20, batch=4, steps=20, seed=1).step(10)
    copy = pickle.loads(pickle.dumps(flight)).step(10)
    assert np.array_equal(copy.result().draws["s"], flight.step(10).result().draws["s"])


def no_gradient(p):
    return -p["s"]


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda: starling.from_numpy(exponential, {"s": 3}), TypeError, "s must be a shape such"),
        (lambda: starling.from_numpy(exponential, []), TypeError, "must be a dictionary such as"),
        (lambda: starling.from_numpy(exponential, {"s": (0,)}), ValueError, "at least 1; got 0"),
        (lambda: starling.from_numpy(3, {"s": ()}), TypeError, "must be a function; got int"),
        (lambda: starling.interval(2, 1), ValueError, "low must be below high; got 2 and 1"),
        (lambda: starling.interval(0, np.inf), ValueError, "high must be a number; got inf"),
        (lambda: starling.simplex(1), ValueError, "simplex: must be at least 2; got 1"),
        (lambda: starling.from_numpy(exponential, {"s": (), "s[0]": (), "": ()}), ValueError, "na"),
        (
            lambda: starling.from_numpy(no_gradient, {"s": ()})(np.zeros((2, 1))),
            TypeError,
            "got ndarray. Without gradients use starling.from_jax",
        ),
        (
            lambda: starling.from_numpy(lambda p: (p["s"], {}), {"s": ()})(np.zeros((2, 1))),
            ValueError,
            "a gradient for each parameter; got none for s",
        ),
        (
            lambda: starling.from_numpy(lambda p: (p["s"], {"s": np.zeros(3)}), {"s": ()})(
                np.zeros((2, 1))
            ),
            ValueError,
            r"a gradient of shape \(N,\) for s, N = 2; got \(3,\)",
        ),
    ],
)
def test_what_is_wrong_is_named(make, kind, words):
    with pytest.raises(kind, match=words):
        make()
