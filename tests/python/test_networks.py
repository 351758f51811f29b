"""Networks: predictions with bands from few particles."""

import numpy as np
import pytest
import starling
from small_network import HIDDEN, apply, init, jax, jnp, network_of, waves


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


@pytest.mark.parametrize("tails", [True, False])
def test_noise_with_tails_is_learned_where_there_is_any(tails):
    def rows(count, seed):
        random = np.random.default_rng(seed)
        x = random.uniform(-1, 1, (count, 1))
        noise = random.standard_t(2.5, count) if tails else random.normal(size=count)
        return x, np.sin(3 * x[:, 0]) + 0.2 * noise

    scores = {}
    for likelihood in ("student", "normal"):
        network = starling.from_jax_network(init, apply, rows(300, 1), likelihood=likelihood)
        run = starling.sample(network, data=rows(1000, 2), seed=1, steps=600, progress=False)
        scores[likelihood] = run.held_out.rows
    gains = scores["student"] - scores["normal"]
    error = gains.std() / np.sqrt(len(gains))
    assert gains.mean() > 2 * error if tails else abs(gains.mean()) < 0.1


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
    assert np.median(np.abs(strict.unconstrained[:, : network.model.dim])) < 1e-3
    free = starling.sample(network_of(50), steps=300, seed=1, progress=False)
    assert (
        np.median(np.abs(free.unconstrained[:, : network.model.dim])) > 1e-2
    )  # what the usual prior leaves


@pytest.mark.parametrize(
    "error, words, how",
    [
        (TypeError, "kernel: a network has no such setting", dict(kernel="gaussian")),
        (TypeError, "comm: a network runs in one process, on all its cores", dict(comm=object())),
        (ValueError, "steps: must be at least 1", dict(steps=0)),
        (ValueError, "step_size: must be a positive finite number; got 0", dict(step_size=0)),
        (ValueError, "step_size: must be a positive finite number; got '1'", dict(step_size="1")),
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


def test_a_pool_is_refused_with_what_to_do_instead():
    with starling.pool(np.sin, 1) as pooled:
        for how in (dict(init=pooled, apply=apply), dict(init=init, apply=pooled)):
            with pytest.raises(TypeError, match=r"got a pool of processes.*sample\(pool\("):
                starling.from_jax_network(**how, data=waves(9, 1))


def test_an_interrupted_flight_knows_its_steps():
    flight = starling._starling.FunctionFlight(
        np.zeros((3, 2), np.float32), 2, 0.5, 0.1, 10, 1, 0, 0.0, 10, 0, [3]
    )

    def predict(k, x):
        if k == 4:
            raise KeyboardInterrupt
        return x, -x

    with pytest.raises(KeyboardInterrupt):
        flight.take(10, predict, lambda k, x, psi: psi)
    assert flight.done == 4
