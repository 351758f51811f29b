"""Runs of networks in files: what was saved comes back, and what is missing is said."""

import json

import numpy as np
import pytest
import starling
from small_network import HIDDEN, apply, init, jnp, network_of, waves

X = np.linspace(-1, 1, 5)[:, None]


@pytest.fixture(scope="module")
def fitted():
    return starling.sample(network_of(100), data=waves(50, 2), seed=1, steps=40, progress=False)


@pytest.fixture
def folder(fitted, tmp_path):
    fitted.save(tmp_path / "run")
    return tmp_path / "run"


def same_predictions(a, b):
    for name in ("mean", "sd", "quantiles", "each"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_all_but_functions_comes_back(fitted, folder):
    loaded = starling.load(folder)
    assert (loaded.verdict, loaded.reason) == (fitted.verdict, fitted.reason)
    assert loaded.trace == fitted.trace and loaded.settings == fitted.settings
    assert loaded.held_out.inside == fitted.held_out.inside
    assert np.array_equal(loaded.held_out.rows, fitted.held_out.rows)
    assert np.array_equal(loaded.unconstrained, fitted.unconstrained)
    assert repr(loaded) == repr(fitted)
    for name, values in fitted.weights.items():
        assert np.array_equal(loaded.weights[name], values)
    with pytest.raises(ValueError, match="functions are not in files; give the network again"):
        loaded.predict(X)


def test_with_its_functions_it_predicts_the_same_bits(fitted, folder):
    loaded = starling.load(folder, network=starling.from_jax_network(init, apply))
    same_predictions(loaded.predict(X), fitted.predict(X))
    assert loaded.weights["first"].shape == (20, 1, HIDDEN)


def test_scales_are_those_of_the_run_and_not_of_other_data(fitted, folder):
    other = starling.from_jax_network(init, apply, (10 * X, 0 * X[:, 0]))
    same_predictions(starling.load(folder, network=other).predict(X), fitted.predict(X))


def test_a_loaded_run_can_be_saved_again(fitted, folder, tmp_path):
    network = starling.from_jax_network(init, apply)
    starling.load(folder).save(tmp_path / "again")
    same_predictions(
        starling.load(tmp_path / "again", network=network).predict(X), fitted.predict(X)
    )


def test_classes_and_unjudged_runs_come_back(tmp_path):
    x = np.random.default_rng(5).normal(size=(60, 2))
    y = (x[:, 0] > 0).astype(int)

    def two(key):
        return init(key, 2, 2)

    network = starling.from_jax_network(two, apply, (x, y), likelihood="classes", scale=False)
    judged = starling.sample(network, data=(x, y), steps=20, seed=2, progress=False)
    alone = starling.sample(network, steps=20, seed=2, progress=False)
    for k, run in enumerate((judged, alone)):
        run.save(tmp_path / str(k))
        loaded = starling.load(tmp_path / str(k), network=starling.from_jax_network(two, apply))
        same_predictions(loaded.predict(x), run.predict(x))
        assert (loaded.verdict, loaded.reason) == (run.verdict, run.reason)
    assert judged.held_out.confidence == starling.load(tmp_path / "0").held_out.confidence


def test_torch_modules_come_back(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")

    def make():
        return torch.nn.Sequential(torch.nn.Linear(1, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))

    network = starling.from_torch_module(make, waves(50, 1))
    result = starling.sample(network, steps=20, seed=1, progress=False)
    result.save(tmp_path / "run")
    assert list(starling.load(tmp_path / "run").weights) == network.model.names
    loaded = starling.load(tmp_path / "run", network=starling.from_torch_module(make))
    same_predictions(loaded.predict(X), result.predict(X))
    assert torch.equal(loaded.weights[3][0].weight, result.weights[3][0].weight)


def test_what_is_there_is_replaced_only_if_asked_for(fitted, folder):
    with pytest.raises(FileExistsError, match="add force=True"):
        fitted.save(folder)
    fitted.save(folder, force=True)
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(OSError):
        fitted.save(folder, force=True)
    assert (folder / "mine.txt").read_text() == "mine"


def test_another_network_or_a_broken_file_is_refused(folder):
    def wider(key):
        return dict(init(key), bias=jnp.zeros(HIDDEN + 1))

    with pytest.raises(ValueError, match=r"network: must have the weights of the run, bias \[20\]"):
        starling.load(folder, network=starling.from_jax_network(wider, apply))
    with pytest.raises(TypeError, match="network: must be one of from_jax_network"):
        starling.load(folder, network=apply)
    whole = json.loads((folder / "network.json").read_text())
    for broken in ({}, dict(whole, looks=[{}]), dict(whole, inputs=3), []):
        (folder / "network.json").write_text(json.dumps(broken))
        with pytest.raises(ValueError, match="must be the folder of a run"):
            starling.load(folder)


def test_a_network_without_rows_does_not_run(tmp_path):
    network = starling.from_jax_network(init, apply)
    assert "no rows to learn from" in repr(network)
    with pytest.raises(ValueError, match="network: must have rows to learn from"):
        starling.sample(network)
    run = starling.sample("normal", dim=1, particles=20, steps=2, seed=1, progress=False)
    run.save(tmp_path / "other")
    with pytest.raises(ValueError, match="is not a folder of networks"):
        starling.load(tmp_path / "other", network=network)
