"""Functions of draws, the groups of ArviZ they go to, and starts that keep the stages."""

import subprocess

import numpy as np
import pytest
from conftest import ROOT

import starling
from starling.progress import SECONDS, Lines

FAST = dict(particles=40, method="paper", steps=5, seed=1, progress=False)


def normal(x):
    return -(x**2).sum(axis=1) / 2, -x


def lines(p):
    """y = a + b t, two parameters by name."""
    return -(p["a"] ** 2 + p["b"] ** 2) / 2, {"a": -p["a"], "b": -p["b"]}


TARGET = starling.from_numpy(lines, {"a": (), "b": ()})
T = np.arange(3.0)


def straight(draws):
    return draws["a"][:, None] + draws["b"][:, None] * T


def test_predictions_are_of_each_draw_in_batches():
    result = starling.sample(TARGET, **FAST)
    made = result.predict(straight, batch=7)
    assert np.array_equal(made["y"], straight(result.draws))
    named = result.predict(lambda draws: {"slope": draws["b"], "line": straight(draws)})
    assert sorted(named) == ["line", "slope"] and named["slope"].shape == (40,)
    data = result.to_arviz()
    assert {"y", "line", "slope"} <= set(data.posterior_predictive.data_vars)
    assert data.posterior_predictive["line"].shape == (1, 40, 3)


def test_positions_are_a_group_where_draws_are_made_of_them(tmp_path, monkeypatch):
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    target = starling.from_numpy(
        lambda p: (-p["s"], {"s": -np.ones_like(p["s"])}), {"s": starling.positive()}
    )
    result = starling.sample(target, runs=2, **FAST)
    result.save(tmp_path / "out")
    for one in (result, starling.load(tmp_path / "out")):
        data = one.to_arviz()
        assert np.allclose(np.log(data.posterior["s"]), data.unconstrained_posterior["s"])
    assert "unconstrained_posterior" not in starling.sample(normal, dim=2, **FAST).to_arviz()
    monkeypatch.setattr(arviz, "__version__", "1.0.0")
    tree = result.to_arviz()
    assert type(tree).__name__ == "DataTree" and tree["posterior"]["s"].shape == (2, 40)


def test_predictions_of_several_runs_and_with_chance():
    result = starling.sample(TARGET, runs=2, **FAST)

    def noisy(draws, random):
        return straight(draws) + random.normal(size=(len(draws["a"]), 3))

    one, same, other = (result.predict(noisy, seed=seed)["y"] for seed in (1, 1, 2))
    assert one.shape == (2, 40, 3)
    assert np.array_equal(one, same) and not np.array_equal(one, other)
    assert not np.array_equal(one[0] - straight({k: v[0] for k, v in result.draws.items()}), one[1])


def test_a_jax_function_predicts_from_what_the_log_density_gets():
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def log_density(p):
        return -(p["a"] ** 2) / 2 - sum((w**2).sum() for w in p["net"]) / 2

    target = starling.from_jax(log_density, {"net": [(2, 3), (3,)], "a": starling.positive()})
    assert target.space.shapes == {"net.0": (2, 3), "net.1": (3,), "a": ()}
    result = starling.sample(target, **FAST)
    made = result.predict(lambda p: p["a"] * (p["net"][0] @ p["net"][1]), name="out")["out"]
    expected = np.einsum("n,nij,nj->ni", *(result.draws[name] for name in ("a", "net.0", "net.1")))
    assert np.allclose(made, expected, atol=1e-5)

    def noisy(p, key):
        return jax.random.normal(key, (2,))

    whole, pieces = (result.predict(noisy, seed=3, batch=size)["y"] for size in (40, 7))
    assert np.array_equal(whole, pieces) and len(np.unique(whole)) == whole.size


@pytest.mark.parametrize("library", ["flax", "equinox"])
def test_networks_are_trees(library):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = np.linspace(-1, 1, 5)[:, None]
    if library == "flax":
        linen = pytest.importorskip("flax.linen", reason="flax is not installed")
        layer = linen.Dense(2)
        network, apply = layer.init(jax.random.key(0), x), layer.apply
    else:
        nn = pytest.importorskip("equinox", reason="equinox is not installed").nn
        network = nn.MLP(1, 2, 3, 1, key=jax.random.key(0))  # has functions among its leaves

        def apply(net, x):
            return jax.vmap(net)(x)

    def log_density(p):
        size = sum(
            (leaf**2).sum() for leaf in jax.tree_util.tree_leaves(p) if hasattr(leaf, "ndim")
        )
        return -size / 2 - (apply(p, x) ** 2).sum()

    target = starling.from_jax(log_density, network)
    assert starling.check(target).right is True
    result = starling.sample(target, **FAST)
    assert result.predict(lambda p: apply(p, x))["y"].shape == (40, 5, 2)


def test_a_log_likelihood_of_ones_own_is_taken_by_loo():
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    y = np.array([0.1, 1.2, 1.9])
    result = starling.sample(TARGET, **{**FAST, "particles": 200})
    with pytest.raises(ValueError, match="is not known for this target; give a function"):
        result.log_likelihood()
    assert "log_likelihood" not in result.to_arviz().groups()
    found = result.log_likelihood(lambda draws: -((y - straight(draws)) ** 2) / 2)
    assert found["y"].shape == (200, 3)
    loo = arviz.loo(result.to_arviz(), pointwise=True)
    assert loo.pareto_k.shape == (3,)


def test_wrong_functions_are_named():
    result = starling.sample(TARGET, **FAST)
    with pytest.raises(TypeError, match="function: must be a function of draws; got int"):
        result.predict(3)
    with pytest.raises(ValueError, match=r"a row for each of 40 draws; got y of shape \(3,\)"):
        result.predict(lambda draws: T)
    with pytest.raises(ValueError, match="batch: must be at least 1; got 0"):
        result.predict(straight, batch=0)


def test_generated_quantities_of_stan_go_to_their_groups(tmp_path):
    source = (ROOT / "tests" / "foreign" / "libraries" / "small_stan.c").read_text()
    assert "sigma,tau,z" in source
    (tmp_path / "model.c").write_text(source.replace("sigma,tau,z", "sigma,log_lik,y_rep"))
    command = ["cc", "-O1", "-fPIC", "-shared", "-o", "model.so", "model.c", "-lm"]
    subprocess.run(command, check=True, cwd=tmp_path)
    (tmp_path / "model.json").write_text('{"y": 1}')
    target = starling.stan(tmp_path / "model.so", tmp_path / "model.json")
    result = starling.sample(target, **FAST)
    data = result.to_arviz()
    assert list(data.posterior.data_vars) == ["mu", "sigma"]
    assert list(data.log_likelihood.data_vars) == ["log_lik"]
    assert list(data.posterior_predictive.data_vars) == ["y_rep"]
    assert {"log_lik", "y_rep"} <= set(result.draws), "and stay among the draws"


def test_a_start_alone_keeps_the_stages_and_needs_no_scout():
    first = starling.sample(normal, dim=2, particles=200, seed=1, progress=False)
    for start in (first, first.unconstrained):
        warm = starling.sample(normal, start=start, seed=2, progress=False)
        assert warm.settings["method"] == "auto" and warm.verdict == "converged"
        assert warm.gradients["scout"] == 0 < first.gradients["scout"]
    few = starling.sample(normal, start=first, particles=100, seed=2, progress=False)
    assert len(few.unconstrained) == 100
    raw = starling.sample(normal, start=first, steps=3, progress=False)
    assert raw.settings["method"] == "paper"
    with pytest.raises(ValueError, match="start: must have as many rows as particles, 300"):
        starling.sample(normal, start=first, particles=300, progress=False)
    other = starling.sample(normal, dim=3, particles=50, steps=1, progress=False)
    with pytest.raises(ValueError, match="dim|start"):
        starling.sample(TARGET, start=other, progress=False)


def test_a_start_may_be_parameters_by_name():
    target = starling.from_numpy(
        lambda p: (-p["s"], {"s": -np.ones_like(p["s"])}), {"s": starling.positive()}
    )
    values = np.random.default_rng(1).exponential(size=50)
    flight = starling.Flight(target, start={"s": values}, batch=5, steps=1)
    assert np.allclose(flight.positions[:, 0], np.log(values))
    for wrong, words in (
        ({"s": -values}, "s has values outside its bounds"),
        ({"t": values}, "must have every parameter; got none for s"),
        ({"s": values[:, None]}, r"s must be of shape \(N,\); got \(50, 1\)"),
    ):
        with pytest.raises(ValueError, match=words):
            starling.Flight(target, start=wrong)
    with pytest.raises(TypeError, match="must be an .N, d. array for this target; got a dict"):
        starling.Flight(normal, start={"x": values})


def test_names_may_be_given_to_sample():
    result = starling.sample(normal, names=["a", "b"], **FAST)
    assert list(result.draws) == ["a", "b"]
    for target in (TARGET, "mixture"):
        with pytest.raises(ValueError, match="names: this target has its own names"):
            starling.sample(target, names=["a"], **FAST)
    with pytest.raises(ValueError, match="names: must be 3, one for each dimension"):
        starling.sample(normal, dim=3, names=["a", "b"], **FAST)


def test_few_particles_do_not_change_the_method_silently():
    few = dict(dim=2, particles=2, seed=1, progress=False)
    with pytest.warns(UserWarning, match="2 particles are too few for method"):
        assert starling.sample(normal, **few).settings["method"] == "paper"
    result = starling.sample(normal, method="paper", **few)
    assert not [line for line in result.warnings if "too few for method" in line]


def overflowing(x):
    with np.errstate(invalid=np.geterr()["invalid"]):
        far = np.exp(800 + x[:, 0])  # which overflows, and warns
    return -(x**2).sum(axis=1) / 2 + 0 / far, -x


def test_overflow_in_a_run_is_no_news(recwarn):
    starling.sample(overflowing, dim=2, particles=50, seed=1, progress=False)
    assert [str(one.message) for one in recwarn if "overflow" in str(one.message)] == []
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        starling.sample(overflowing, dim=2, particles=50, seed=1, progress=False)
    with pytest.warns(RuntimeWarning, match="overflow"):
        overflowing(np.zeros((1, 2)))


def test_mean_off_is_explained(binary):
    done = subprocess.run([str(binary), "explain", "mean_off"], capture_output=True, text=True)
    assert done.returncode == 0 and "the shift of the mean by exact moves" in done.stdout


def test_a_log_gets_a_line_every_ten_seconds(capsys):
    now = [100.0]
    shown = Lines(167, 0, clock=lambda: now[0])
    shown.set_description("fly")
    for _ in range(25):
        now[0] += SECONDS / 10
        shown.update(2)
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "starling: step 20 of 167, stage fly, 10 s",
        "starling: step 40 of 167, stage fly, 20 s",
    ]
