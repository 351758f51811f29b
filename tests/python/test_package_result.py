"""Results: shapes, summaries, files, ArviZ; and kernels, rules and seeds as the command line writes
them."""

import os

import numpy as np
import pytest

import starling
from starling import kernels, rules
from starling.words import python_names

SETTINGS = dict(particles=40, steps=30, seed=2, threads=1, progress=False)


def target(x):
    return -0.5 * np.sum(x**2, axis=1), -x


@pytest.fixture(scope="module")
def one():
    return starling.sample(starling.Function(target, names=["mu", "tau[1]", "tau[2]"]), **SETTINGS)


@pytest.fixture(scope="module")
def three():
    return starling.sample(
        starling.Function(target, names=["mu", "tau[1]", "tau[2]"]), runs=3, **SETTINGS
    )


def test_draws_are_named_arrays(one, three):
    assert {name: array.shape for name, array in one.draws.items()} == {"mu": (40,), "tau": (40, 2)}
    assert {name: array.shape for name, array in three.draws.items()} == {
        "mu": (3, 40),
        "tau": (3, 40, 2),
    }
    assert one.unconstrained.shape == (40, 3) and three.unconstrained.shape == (3, 40, 3)
    assert one.log_density.shape == (40,) and three.log_density.shape == (3, 40)
    assert np.array_equal(one.draws["tau"], one.unconstrained[:, 1:])
    assert np.array_equal(three.draws["mu"][0], one.draws["mu"]), "the first of several is the one"
    assert len({run.tobytes() for run in three.unconstrained}) == 3
    assert np.allclose(one.log_density, target(one.unconstrained)[0], rtol=1e-15)


def test_the_summary_is_a_table(one, three):
    pytest.importorskip("pandas", reason="pandas is not installed")
    table = one.summary()
    assert list(table.index) == one.names == ["mu", "tau[1]", "tau[2]"]
    assert table["mean"].to_numpy() == pytest.approx(one.unconstrained.mean(axis=0), rel=1e-12)
    assert table["sd"].to_numpy() == pytest.approx(one.unconstrained.std(axis=0), rel=1e-9)
    assert "r_hat" in three.summary() and "r_hat" not in table


def test_the_verdict_is_one_of_six_and_has_a_reason(one):
    assert (
        one.verdict
        in ("converged", "cannot tell", "still moving", "collapsed", "noisy", "diverged")
        and len(one.reason) > 20
    )
    assert (
        one.diagnostics["verdict"] == one.verdict
        and python_names(one.diagnostics["verdict_reason"]) == one.reason
    )
    assert one.trace[0]["run"] == 1 and one.trace[-1]["step"] == 30
    assert not one.interrupted


def test_it_shows_itself(one, three):
    assert repr(one).startswith("<starling.Result: 40 particles in 3 dimensions after 30 steps; ")
    assert "3 runs of 40 particles" in repr(three)
    assert "<th>tau[1]</th>" in one._repr_html_() and one.verdict in one._repr_html_()
    wild = starling.sample(
        starling.Function(lambda x: -x, names=["<script>&", "b"]), **SETTINGS
    )._repr_html_()
    assert "<script>" not in wild and "&lt;script&gt;&amp;" in wild
    many = starling.sample(lambda x: -x, dim=50, **SETTINGS)._repr_html_()
    assert "and 10 more" in many and many.count("<tr>") == 41


@pytest.mark.parametrize("which", ["one", "three"])
def test_what_is_saved_is_loaded(request, tmp_path, which):
    result = request.getfixturevalue(which)
    folder = tmp_path / "run"
    result.save(folder, formats="csv,npz,zarr")
    paths = [folder, folder / "draws.npz", folder / "draws.zarr"] + (
        [folder / "draws.csv"] if which == "one" else []
    )
    for path in paths:
        loaded = starling.load(path)
        assert list(loaded.draws) == list(result.draws) and np.array_equal(
            loaded.log_density, result.log_density
        )
        assert all(
            np.array_equal(loaded.draws[name], values) for name, values in result.draws.items()
        ), path
    assert "40 draws of mu, tau" in repr(starling.load(paths[1]))
    assert (
        starling.load(folder).verdict == result.verdict and starling.load(paths[1]).verdict is None
    )
    before = sorted(os.listdir(folder))
    with pytest.raises(FileExistsError):
        result.save(folder)
    assert sorted(os.listdir(folder)) == before
    result.save(folder, force=True, formats="npz")
    with pytest.raises(ValueError, match="format"):
        result.save(tmp_path / "other", formats="hdf5")
    with pytest.raises(FileNotFoundError):
        starling.load(tmp_path / "nowhere")
    (tmp_path / "draws.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="draws.npz"):
        starling.load(tmp_path / "draws.npz")


@pytest.mark.parametrize("which, chains", [("one", 1), ("three", 3)])
def test_arviz_takes_it(request, which, chains):
    pytest.importorskip("arviz", reason="ArviZ is not installed")
    result = request.getfixturevalue(which)
    data = result.to_arviz()
    assert data["posterior"]["mu"].shape == (chains, 40) and data["posterior"]["tau"].shape == (
        chains,
        40,
        2,
    )
    assert np.array_equal(np.squeeze(data["posterior"]["tau"]), result.draws["tau"])
    assert np.array_equal(np.squeeze(data["sample_stats"]["lp"]), result.log_density)


def test_a_result_without_runs_is_refused():
    with pytest.raises(ValueError, match="outcomes"):
        starling.Result([])


def test_until_converged_stops_early():
    result = starling.sample(
        "normal", dim=1, until_converged=True, **{**SETTINGS, "particles": 200, "steps": 20000}
    )
    assert result.verdict == "converged" and result.diagnostics["steps_done"] < 20000
    assert result.settings["until_converged"] is True


def test_a_cloud_that_diverges_says_so():
    with pytest.raises(starling.Diverged, match="lower the step size") as caught:
        starling.sample(
            lambda x: -(x**3),
            dim=1,
            start=np.full((20, 1), 1e80),
            advance="constant",
            step_size=1e200,
            **{**SETTINGS, "particles": None},
        )
    assert isinstance(caught.value, ArithmeticError) and caught.value.flight.done == 0


def test_seeds_are_numbers_or_generators():
    def draws(seed):
        return starling.sample(target, dim=2, **{**SETTINGS, "seed": seed})

    assert np.array_equal(draws(2).unconstrained, draws(np.int64(2)).unconstrained)
    a, b, c = (draws(np.random.default_rng(seed)).unconstrained for seed in (1, 1, 2))
    assert np.array_equal(a, b) and not np.array_equal(a, c)
    source = np.random.default_rng(1)
    first, second = draws(source), draws(source)
    assert first.settings["seed"] != second.settings["seed"], "a generator moves on"
    runs = starling.sample(target, dim=2, runs=2, **{**SETTINGS, "seed": np.random.default_rng(1)})
    assert np.array_equal(runs.unconstrained[0], a), "and is asked once for all runs"


def test_kernels_are_the_texts_of_the_command_line():
    k = kernels
    assert str(k.gaussian() + 0.1 * k.polynomial(a=1, m=2)) == "gaussian+0.1*polynomial:a=1,m=2"
    assert str(np.float64(0.5) * k.imq()) == "0.5*imq" and str(2 * k.matern32()) == "2.0*matern32"
    assert (
        str(k.riesz_smooth(a=np.float64(0.25), s=2)) == "riesz-smooth:a=0.25,s=2"
        and str(k.sinc()) == "sinc"
    )
    for wrong in (lambda: 2 * (k.imq() + k.gaussian()), lambda: 2 * (3 * k.imq())):
        with pytest.raises(
            ValueError, match="kernel: a sum, or a term with a weight, takes no further weight"
        ):
            wrong()
    for wrong in (lambda: k.imq() + "gaussian", lambda: "2" * k.imq()):
        with pytest.raises(TypeError):
            wrong()
    by_text = starling.sample(target, dim=2, kernel="gaussian+0.1*polynomial:a=1,m=2", **SETTINGS)
    composed = starling.sample(
        target, dim=2, kernel=k.gaussian() + 0.1 * k.polynomial(a=1, m=2), **SETTINGS
    )
    assert np.array_equal(by_text.unconstrained, composed.unconstrained)
    with pytest.raises(ValueError, match="kernel weight"):
        starling.sample(target, dim=2, kernel=-1 * k.imq(), **SETTINGS)


@pytest.mark.parametrize(
    "make",
    [
        "gaussian",
        "gaussian_paper",
        "imq",
        "matern32",
        "matern52",
        "polynomial",
        "sinc",
        "riesz_smooth",
    ],
)
def test_every_kernel_is_known_to_the_engine(make):
    one = 1 if make in ("sinc", "riesz_smooth") else 2
    starling.Flight(target, dim=one, particles=20, steps=2, kernel=getattr(kernels, make)()).step(2)


@pytest.mark.parametrize(
    "rule, settings",
    [
        (rules.adagrad(), dict(advance="adagrad")),
        (rules.adagrad_sum(0.2), dict(advance="adagrad-sum", step_size=0.2)),
        (rules.constant(np.float32(0.25)), dict(advance="constant", step_size=0.25)),
        (rules.adam(), dict(advance="adam")),
        (
            rules.decay(0.5, tau=20, power=0.7),
            dict(advance="decay", step_size=0.5, decay_tau=20, decay_power=0.7),
        ),
        (rules.rmsprop(), dict(advance="rmsprop")),
        (rules.rk4(0.3), dict(advance="rk4", step_size=0.3)),
        (rules.splitting(0.01), dict(advance="splitting", step_size=0.01)),
    ],
)
@pytest.mark.filterwarnings("ignore:kernel riesz")
def test_rules_are_settings_of_the_command_line(rule, settings):
    more = dict(kernel="riesz", batch=2) if rule.name == "splitting" else {}
    a = starling.sample(target, dim=1, advance=rule, **more, **SETTINGS)
    b = starling.sample(target, dim=1, **settings, **more, **SETTINGS)
    assert np.array_equal(a.unconstrained, b.unconstrained) and a.settings == b.settings


def test_thinning_keeps_the_particles_that_say_most(one, three):
    few = one.thin(10, weights=True)
    assert len(set(few.chosen)) == 10 and few.draws["tau"].shape == (10, 2)
    assert np.array_equal(few.draws["mu"], one.draws["mu"][few.chosen])
    assert abs(few.weights.sum() - 1) < 1e-12 and few.weights.min() >= 0
    plain = one.thin(10)
    assert np.array_equal(plain.chosen, few.chosen) and np.allclose(plain.weights, 0.1)
    assert few.discrepancy <= plain.discrepancy < plain.discrepancy_of_independent_draws
    assert np.allclose(few.mean(few.draws["tau"]), few.weights @ few.draws["tau"])
    by_hand = one.thin(10, scores=-one.unconstrained)  # the scores of this target
    assert np.array_equal(by_hand.chosen, plain.chosen)
    assert three.thin(100).chosen.max() >= 80, "of all runs together"


def test_thinning_refuses_what_cannot_be(one, tmp_path):
    with pytest.raises(ValueError, match="at most the number of particles"):
        one.thin(41)
    with pytest.raises(ValueError, match="must be of the shape"):
        one.thin(4, scores=np.zeros((39, 3)))
    one.save(tmp_path / "run")
    with pytest.raises(ValueError, match="this result has none"):
        starling.load(tmp_path / "run").thin(4)
