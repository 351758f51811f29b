"""Networks of flax, equinox, haiku and PyTorch; weights that are held fixed; rows in batches."""

import numpy as np
import pytest
import starling
from small_network import HIDDEN, apply, init, jax, jnp, waves
from starling.network_data import Batches


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


def test_fixed_torch_parameters_stay_and_are_shared():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    def make():
        module = torch.nn.Sequential(
            torch.nn.Linear(1, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1)
        )
        module[0].requires_grad_(False)
        return module

    network = starling.from_torch_module(make, waves(50, 1))
    assert network.model.names == ["2.weight", "2.bias"]
    modules = starling.sample(network, steps=20, seed=1, progress=False).weights
    first = network.model._module[0].weight
    assert all(torch.equal(one[0].weight, first) for one in modules)
    assert not torch.equal(modules[0][2].weight, modules[1][2].weight)


FIRST = {"first": True, "bias": False, "last": False}


@pytest.mark.parametrize("fixed", [FIRST, ["first"], "first"])
def test_fixed_weights_stay_and_are_shared(fixed):
    network = starling.from_jax_network(init, apply, waves(100, 1), fixed=fixed)
    assert network.model.dim == 2 * HIDDEN
    result = starling.sample(network, data=waves(100, 2), steps=200, seed=1, progress=False)
    given = init(jax.random.PRNGKey(0))["first"]
    assert np.array_equal(result.weights["first"], given)  # one for all particles
    assert result.weights["last"].shape == (20, HIDDEN, 1)
    assert result.held_out.error < 5  # y alone has 7; the others learn
    each = jax.vmap(apply, ({"first": None, "bias": 0, "last": 0}, None))
    x = np.linspace(-1, 1, 5)[:, None]
    likelihood = network.likelihood
    outputs = each(result.weights, network.inputs(x))[:, :, 0]
    expected = outputs * likelihood.unit + likelihood.centre
    np.testing.assert_allclose(result.predict(x).each, expected, rtol=1e-4)


def test_a_name_fixes_all_that_is_below_it():
    def nested(key):
        return {"body": init(key), "head": [jnp.ones(3), jnp.ones(2)]}

    network = starling.from_jax_network(
        nested, lambda w, x: apply(w["body"], x) + w["head"][1].sum(), waves(9, 1), fixed=["body"]
    )
    assert network.model.names == ["head/0", "head/1"]


@pytest.mark.parametrize(
    "error, words, fixed",
    [
        (ValueError, "fixed: must be names of weights, of bias, first, last; got 'fist'", ["fist"]),
        (ValueError, "fixed: must leave weights to learn", ["first", "bias", "last"]),
        (TypeError, "fixed: must be names, or True and False", {"first": True}),
        (TypeError, "fixed: must be names, or True and False", dict(FIRST, last=np.ones(2))),
    ],
)
def test_what_cannot_be_fixed_is_said(error, words, fixed):
    with pytest.raises(error, match=words):
        starling.from_jax_network(init, apply, waves(9, 1), fixed=fixed)


def batches(x, y, size):
    return [(x[k : k + size], y[k : k + size]) for k in range(0, len(x), size)]


def test_batches_have_the_scales_and_steps_of_arrays():
    """All rows in a step: the same rows whether they come in arrays, in one batch or in three."""
    x, y = waves(90, 1)
    given = [(x, y), batches(x, y, 90), batches(x, y, 40)]
    networks = [starling.from_jax_network(init, apply, one, data_batch=90) for one in given]
    runs = [starling.sample(one, seed=3, steps=25, progress=False) for one in networks]
    for network, run in zip(networks[1:], runs[1:]):
        np.testing.assert_allclose(network.inputs.centre, networks[0].inputs.centre, rtol=1e-12)
        np.testing.assert_allclose(network.inputs.unit, networks[0].inputs.unit, rtol=1e-12)
        np.testing.assert_allclose(run.unconstrained, runs[0].unconstrained, atol=1e-3)
    other = starling.sample(networks[0], seed=4, steps=25, progress=False)
    assert np.abs(other.unconstrained - runs[0].unconstrained).max() > 0.1  # it could differ


def test_every_row_of_uneven_batches_is_read_equally_often():
    x = np.arange(10.0)[:, None]
    source = Batches(batches(x, x[:, 0], 4), scale=False, batch=None)
    assert (source.rows, source.batch) == (10, 4)
    seen = []
    stream = source._stream()
    for _ in range(10):  # 40 rows, four passes
        seen.extend(next(stream)[1])
    assert np.array_equal(np.bincount(np.array(seen, int)), np.full(10, 4))


def test_a_loader_of_torch_is_read_again_and_again():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x, y = (torch.as_tensor(part, dtype=torch.float32) for part in waves(200, 1))
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(x, y), batch_size=64, shuffle=True
    )
    network = starling.from_jax_network(init, apply, loader)
    result = starling.sample(network, data=waves(200, 2), steps=300, seed=1, progress=False)
    assert network.data.batch == 64 and network.data.rows == 200
    assert result.held_out.error < 5


def test_batches_that_can_be_read_once_are_refused():
    x, y = waves(20, 1)
    with pytest.raises(TypeError, match="which can be read once"):
        starling.from_jax_network(init, apply, iter(batches(x, y, 5)))
    with pytest.raises(ValueError, match="at least one batch"):
        starling.from_jax_network(init, apply, [])
    with pytest.raises(TypeError, match="must be .x, y."):
        starling.from_jax_network(init, apply, 3)


@pytest.mark.parametrize(
    "library, fixed, left",
    [
        (of_flax, ["params/layers_0"], ["params/layers_2/bias", "params/layers_2/kernel"]),
        (of_equinox, ["layers/0"], ["layers/1/weight", "layers/1/bias"]),
        (of_haiku, ["mlp/~/linear_0"], ["mlp/~/linear_1/b", "mlp/~/linear_1/w"]),
    ],
)
def test_names_of_libraries_can_be_fixed(library, fixed, left):
    x, y = waves(20, 1)
    network = starling.from_jax_network(*library(x), (x, y), fixed=fixed)
    assert network.model.names == left
