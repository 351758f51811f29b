"""Networks: predictions with bands from few particles, in JAX and PyTorch."""

import numpy as np
import pytest
import starling
from starling.held_out import Look, verdict_of
from starling.likelihoods import Classes, Normal

jax = pytest.importorskip("jax")
jnp = jax.numpy
HIDDEN = 20


def init(key, inputs=1, outputs=1):
    first, last = jax.random.split(key)
    return {
        "first": jax.random.normal(first, (inputs, HIDDEN)) * np.sqrt(2 / inputs),
        "bias": jnp.zeros(HIDDEN),
        "last": jax.random.normal(last, (HIDDEN, outputs)) * np.sqrt(2 / HIDDEN),
    }


def apply(weights, x):
    return jnp.tanh(x @ weights["first"] + weights["bias"]) @ weights["last"]


def waves(rows, seed):
    """y = sin 3x + noise of sd 0.2, in other units: 100 + 10 times that."""
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (rows, 1))
    return x, 100 + 10 * (np.sin(3 * x[:, 0]) + 0.2 * random.normal(size=rows))


def network_of(rows):
    return starling.from_jax_network(init, apply, waves(rows, 1))


@pytest.fixture(scope="module")
def fitted():
    return starling.sample(network_of(300), data=waves(500, 2), seed=1, steps=800, progress=False)


def test_predictions_are_as_good_as_the_noise_allows(fitted):
    assert fitted.held_out.error < 2.4  # the noise has sd 2; y alone has 7
    noise = fitted.predict(np.zeros((1, 1))).sd
    assert 1.7 < noise[0] < 2.6


def test_bands_hold_their_share_of_held_out_values(fitted):
    for band, (share, se) in fitted.held_out.inside.items():
        assert abs(share - band) < 4 * se + 0.03, (band, share)
    assert fitted.verdict in ("settled", "underconfident")


def test_bands_widen_where_there_are_no_rows(fitted):
    known, far = fitted.predict([[0.0], [3.0]], observation=False).sd
    assert far > 3 * known


def test_what_is_said_is_about_predictions_and_never_converged(fitted):
    assert "converged" not in fitted.verdict + fitted.reason
    assert "cannot show the distribution of" in fitted.reason
    assert len(fitted.trace) == 20 and fitted.trace[-1]["step"] == 800


def test_predict_has_the_shape_of_y_and_quantiles_in_order(fitted):
    got = fitted.predict(np.linspace(-1, 1, 7)[:, None], quantiles=[0.1, 0.5, 0.9])
    assert got.mean.shape == got.sd.shape == (7,)
    assert got.quantiles.shape == (3, 7) and got.each.shape == (20, 7)
    assert np.all(np.diff(got.quantiles, axis=0) > 0)


def test_weights_come_back_as_a_batched_tree(fitted):
    weights = fitted.weights
    assert {k: v.shape for k, v in weights.items()} == {
        "first": (20, 1, HIDDEN),
        "bias": (20, HIDDEN),
        "last": (20, HIDDEN, 1),
    }
    x = np.linspace(-1, 1, 5)[:, None]
    each = jax.vmap(apply, (0, None))(weights, fitted.network.inputs(x))[:, :, 0]
    likelihood = fitted.network.likelihood
    expected = each * likelihood.unit + likelihood.centre
    np.testing.assert_allclose(fitted.predict(x).each, expected, rtol=1e-4)


def test_the_same_seed_gives_the_same_bits():
    network = network_of(150)
    runs = [starling.sample(network, seed=s, steps=30, progress=False) for s in (4, 4, 5)]
    assert np.array_equal(runs[0].unconstrained, runs[1].unconstrained)
    assert not np.array_equal(runs[0].unconstrained, runs[2].unconstrained)
    assert runs[0].verdict == "not judged"


def test_drift_of_one_particle_is_the_slope_of_the_log_posterior():
    """N = 1 is ascent to the mode: one step of Adam moves every weight by eta times the sign."""
    x, y = waves(40, 3)
    network = starling.from_jax_network(init, apply, (x, y), data_batch=40)
    start = network.start(1, 7)
    sds = network.model.prior_sds(start[:, :-1])
    inputs, seen = network.inputs(x), network.likelihood.observed(y)

    def log_posterior(v, weight=1.0):
        mean = apply(network.model.tree(v), inputs)
        fit = -jnp.sum(((seen - mean) * jnp.exp(-v[-1])) ** 2) / 2 - len(y) * v[-1]
        return fit - weight * (jnp.sum((v[:-1] / sds) ** 2) + v[-1] ** 2) / 2

    moved = starling.sample(network, particles=1, steps=1, seed=7, progress=False).unconstrained
    signs = np.sign(moved - start)[0]
    slope = np.asarray(jax.jit(jax.grad(log_posterior))(start[0]))
    clear = np.abs(slope) > 1e-2
    assert np.array_equal(signs[clear], np.sign(slope[clear]))
    wrong = np.asarray(jax.jit(jax.grad(lambda v: log_posterior(v, 300.0)))(start[0]))
    assert not np.array_equal(signs[clear], np.sign(wrong[clear]))  # the test sees a wrong prior


def test_classes_are_predicted_with_probabilities():
    random = np.random.default_rng(5)
    x = random.normal(size=(500, 2))
    y = (x[:, 0] * x[:, 1] + 0.3 * random.normal(size=500) > 0).astype(int)
    network = starling.from_jax_network(
        lambda key: init(key, 2, 2), apply, (x[:300], y[:300]), likelihood="classes"
    )
    result = starling.sample(network, data=(x[300:], y[300:]), steps=400, seed=2, progress=False)
    assert result.held_out.error < 0.25  # of two classes, half would be guessing
    probabilities = result.predict(x[:3])
    np.testing.assert_allclose(probabilities.mean.sum(axis=1), 1, atol=1e-6)


def test_own_prior_is_followed():
    network = starling.from_jax_network(
        init,
        apply,
        waves(50, 1),
        log_prior=lambda w: -1e6 * sum(jnp.sum(leaf**2) for leaf in w.values()),
    )
    strict = starling.sample(network, steps=300, seed=1, progress=False)
    assert np.median(np.abs(strict.unconstrained[:, :-1])) < 1e-3
    free = starling.sample(network_of(50), steps=300, seed=1, progress=False)
    assert np.median(np.abs(free.unconstrained[:, :-1])) > 1e-2  # what the usual prior leaves


@pytest.mark.parametrize("likelihood", ["normal", "classes"])
def test_scores_of_likelihoods_are_their_slopes(likelihood):
    random = np.random.default_rng(1)
    if likelihood == "normal":
        y = random.normal(size=(4, 2))
        made = Normal(y, scale=False)
        f = random.normal(size=(1, 4, 4))
    else:
        y = np.array([0, 2, 1, 1])
        made = Classes(y, 3)
        f = random.normal(size=(1, 4, 3))
    slopes = np.zeros_like(f)
    for at in np.ndindex(f.shape):
        step = np.zeros_like(f)
        step[at] = 1e-5
        rise = made.log_likelihood(f + step, y) - made.log_likelihood(f - step, y)
        slopes[at] = rise[at[1]] / 2e-5
    np.testing.assert_allclose(made.score(f, made.observed(y)), slopes, atol=1e-5)


def test_quantiles_are_those_of_the_mixture():
    random = np.random.default_rng(2)
    made = Normal(np.zeros(1), scale=False)
    f = np.stack([random.normal(size=(8, 1)), random.normal(size=(8, 1)) / 3], axis=2)
    draws = f[:, 0, 0] + np.exp(f[:, 0, 1]) * random.normal(size=(100000, 8))
    for q in (0.05, 0.5, 0.9):
        share = np.mean(draws < made.quantile(f, q)[0, 0])
        assert abs(share - q) < 5 * np.sqrt(q * (1 - q) / draws.size)


def looks(ends, inside=0.8, rows=400):
    """Looks whose last ones have these log likelihoods."""
    random = np.random.default_rng(3)
    each = random.normal(size=rows)
    return [
        Look(
            step,
            end,
            0.05,
            1.0,
            0.1,
            {0.8: (inside, 0.02)},
            rows=end + each + 0.01 * random.normal(size=rows),
        )
        for step, end in ends
    ]


@pytest.mark.parametrize(
    "word, given",
    [
        ("settled", looks([(50, -1.5), (80, -1.001), (100, -1.0)])),
        ("still improving", looks([(50, -1.5), (80, -1.2), (100, -1.0)])),
        ("getting worse", looks([(50, -0.9), (80, -1.0), (100, -1.0)])),
        ("overconfident", looks([(50, -1.5), (80, -1.0), (100, -1.0)], inside=0.7)),
        ("underconfident", looks([(50, -1.5), (80, -1.0), (100, -1.0)], inside=0.9)),
        ("not judged", []),
    ],
)
def test_verdicts(word, given):
    found, sentence = verdict_of(given, 100, 20, 700)
    assert found == word and "700" in sentence
    assert "weights" not in verdict_of(given, 100, 20, 10)[1]


@pytest.mark.parametrize(
    "error, words, how",
    [
        (TypeError, "kernel: a network has no such setting", dict(kernel="gaussian")),
        (ValueError, "steps: must be at least 1", dict(steps=0)),
        (ValueError, "x: must have 1 columns", dict(data=(np.zeros((3, 2)), np.zeros(3)))),
        (ValueError, "as many rows", dict(data=(np.zeros((3, 1)), np.zeros(2)))),
    ],
)
def test_misuse_is_said(error, words, how):
    network = network_of(50)
    with pytest.raises(error, match=words):
        starling.sample(network, **how)


def test_data_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="y has 2 numbers a row; the network has 1 output"):
        starling.from_jax_network(init, apply, (np.zeros((5, 1)), np.zeros((5, 2))))
    with pytest.raises(ValueError, match="y must be finite"):
        starling.from_jax_network(init, apply, (np.zeros((2, 1)), np.array([0, np.nan])))
    with pytest.raises(TypeError, match="whole numbers from 0 on"):
        starling.from_jax_network(init, apply, waves(9, 1), likelihood="classes")


def of_flax(x):
    nn = pytest.importorskip("flax.linen", reason="flax is not installed")
    net = nn.Sequential([nn.Dense(HIDDEN), nn.tanh, nn.Dense(1)])
    return lambda key: net.init(key, x[:1]), net.apply


def of_equinox(x):
    equinox = pytest.importorskip("equinox", reason="equinox is not installed")
    return (
        lambda key: equinox.nn.MLP(1, 1, HIDDEN, 1, jnp.tanh, key=key),
        lambda net, rows: jax.vmap(net)(rows),
    )


def of_haiku(x):
    haiku = pytest.importorskip("haiku", reason="haiku is not installed")
    net = haiku.without_apply_rng(haiku.transform(lambda rows: haiku.nets.MLP([HIDDEN, 1])(rows)))
    return lambda key: net.init(key, jnp.asarray(x[:1])), net.apply


@pytest.mark.parametrize("library", [of_flax, of_equinox, of_haiku])
def test_networks_of_libraries_learn(library):
    x, y = waves(200, 1)
    network = starling.from_jax_network(*library(x), (x, y))
    result = starling.sample(network, data=waves(200, 2), steps=300, seed=1, progress=False)
    assert result.held_out.error < 5  # y alone has 7
    first = jax.tree_util.tree_leaves(result.weights)[0]
    assert first.shape[0] == 20


def test_torch_modules_learn():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    def make():
        return torch.nn.Sequential(
            torch.nn.Linear(1, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1)
        )

    network = starling.from_torch_module(make, waves(200, 1))
    result = starling.sample(network, data=waves(200, 2), steps=300, seed=1, progress=False)
    assert result.held_out.error < 5
    x = np.array([[0.3]])
    module = result.weights[0]
    with torch.no_grad():
        output = module(torch.as_tensor(network.inputs(x))).numpy()
    likelihood = network.likelihood
    expected = output[0, 0] * likelihood.unit + likelihood.centre
    np.testing.assert_allclose(result.predict(x).each[0], expected, rtol=1e-4)


@pytest.mark.parametrize("factor, word", [(1.0, "settled"), (0.5, "overconfident")])
def test_predictions_of_any_target_are_judged(factor, word):
    """A linear model in NumPy, whose noise has sd 1; and one that says half of that."""
    random = np.random.default_rng(8)
    x = random.normal(size=(400, 2))
    y = x @ [1.0, -2.0] + random.normal(size=400)
    a, b = x[:200], y[:200]

    def log_density(w):
        misfit = b - w @ a.T
        return -(misfit**2).sum(axis=1) / 2, misfit @ a

    def predict(draws, rows):
        means = draws["x"] @ rows.T
        return means, np.full(means.shape, factor)

    result = starling.sample(
        log_density, dim=2, seed=1, predict=predict, data=(x[200:], y[200:]), progress=False
    )
    assert result.predictions_verdict == word, result.predictions_reason
    assert abs(result.held_out.error - 1) < 0.15
    with pytest.raises(TypeError, match="predict: needs held-out rows too"):
        starling.sample(log_density, dim=2, predict=predict)
    with pytest.raises(ValueError, match="data: x and y must have as many rows"):  # before the run
        starling.sample(lambda w: 1 / 0, dim=2, predict=predict, data=(x, y[1:]))
    with pytest.raises(TypeError, match="predict: must return .means, sds.") as failed:
        starling.sample(
            log_density, dim=2, seed=1, predict=lambda *_: 1, data=(x, y), progress=False
        )
    assert failed.value.result.verdict == "converged"


def test_an_interrupted_flight_knows_its_steps():
    flight = starling._starling.FunctionFlight(np.zeros((3, 2), np.float32), 2, 0.5, 0.1, 10, 1)

    def predict(k, x):
        if k == 4:
            raise KeyboardInterrupt
        return x, -x

    with pytest.raises(KeyboardInterrupt):
        flight.take(10, predict, lambda k, x, psi: psi)
    assert flight.done == 4
