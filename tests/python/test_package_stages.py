"""Runs in stages from Python: right with no option, wrong clouds not confirmed, and what a result
says of its stages."""

import subprocess

import numpy as np
import pytest

import starling

QUIET = dict(progress=False, seed=1)
SMALL = dict(particles=64, threads=1, **QUIET)
CORRELATED = np.array([[2.0, 0.6], [0.6, 1.0]])  # a precision


def normal(x):
    return -0.5 * np.sum((x @ CORRELATED) * x, axis=1), -x @ CORRELATED


def scores(x):
    return -x @ CORRELATED


def off(draws, mean, sd, se=0.0):
    """How far means and sds are off, in standard errors of so many independent draws; `se` is the
    reference's, in sd."""
    n = len(draws)
    return (
        np.abs(draws.mean(axis=0) - mean) / sd / np.sqrt(1 / n + se**2),
        np.abs(np.log(draws.std(axis=0) / sd)) / np.sqrt((1 / n + se**2) / 2),
    )


def assert_right(draws, mean, sd, se=0.0):
    means, sds = off(draws, mean, sd, se)
    assert means.max() < 4 and sds.max() < 4, (means, sds)


@pytest.fixture(scope="module")
def regression():
    """Ten coefficients on scales from 1 to 10^5 and the logarithm of the noise, with the posterior
    known exactly: a flat prior gives Student's t for the coefficients and a scaled chi for the
    noise."""
    rng = np.random.default_rng(11)
    n, k = 80, 10
    scale = 10.0 ** -np.linspace(0, 5, k)
    features = (rng.normal(size=(n, k)) + 0.7 * rng.normal(size=(n, 1))) * scale
    y = features @ (rng.normal(size=k) / scale) + 0.5 * rng.normal(size=n)

    def log_density(x):
        beta, log_sigma = x[:, :k], x[:, k]
        left = y - beta @ features.T
        precision = np.exp(-2 * np.maximum(log_sigma, -300))  # ways up may lead anywhere
        square = np.sum(left**2, axis=1)
        return (
            -n * log_sigma - precision * square / 2,
            np.column_stack([precision[:, None] * (left @ features), precision * square - n]),
        )

    best = np.linalg.lstsq(features, y, rcond=None)[0]
    square = np.sum((y - features @ best) ** 2)
    sd = np.sqrt(np.diag(np.linalg.inv(features.T @ features)) * square / (n - k - 2))
    draws = 0.5 * np.log(square / np.random.default_rng(1).chisquare(n - k, size=10**6))
    return log_density, np.append(best, draws.mean()), np.append(sd, draws.std())


def test_a_regression_on_all_scales_is_right_with_no_option(regression):
    target, mean, sd = regression
    assert sd[:10].max() / sd[:10].min() > 5e4
    result = starling.sample(target, dim=11, progress=False)
    assert result.verdict == "converged" and result.certificate["finding"] == "confirmed", result
    assert_right(result.unconstrained, mean, sd)
    pooled = np.array(list(result.pooled.values()))
    assert list(result.pooled) == result.names
    assert (
        np.abs((pooled[:, 0] - mean) / sd).max() < 0.1 and np.abs(pooled[:, 1] / sd - 1).max() < 0.1
    )


def test_the_comparison_sees_a_posterior_of_half_the_data(regression):
    """The negative control: everything halved is another posterior, wider by the root of two."""
    target, mean, sd = regression
    result = starling.sample(
        lambda x: tuple(part / 2 for part in target(x)), dim=11, progress=False
    )
    assert off(result.unconstrained, mean, sd)[1].max() > 10


def test_a_hierarchical_logistic_model_in_jax_is_right_with_no_option():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    pytest.importorskip("numpyro", reason="NumPyro is not installed")
    from numpyro.diagnostics import effective_sample_size
    from numpyro.infer import MCMC, NUTS

    jnp, before = jax.numpy, jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        rng = np.random.default_rng(3)
        group, z = rng.integers(27, size=250), rng.normal(size=250)
        effects = 0.4 + 0.8 * rng.normal(size=27)
        y = (rng.random(250) < 1 / (1 + np.exp(-effects[group] - 0.7 * z))).astype(float)

        def log_density(x):
            mu, log_tau, slope, eta = x[0], x[1], x[2], x[3:]
            tau = jnp.exp(log_tau)
            logit = mu + tau * eta[group] + slope * z
            prior = -(mu**2 + slope**2 + tau**2) / 8 + log_tau - jnp.sum(eta**2) / 2
            return prior + jnp.sum(y * logit - jnp.logaddexp(0.0, logit))

        result = starling.sample(starling.from_jax(log_density, dim=30), progress=False)
        exact = MCMC(
            NUTS(potential_fn=lambda x: -log_density(x)),
            num_warmup=500,
            num_samples=4000,
            progress_bar=False,
        )
        exact.run(jax.random.key(1), init_params=jnp.zeros(30))
        reference = np.asarray(exact.get_samples())
    finally:
        jax.config.update("jax_enable_x64", before)
    assert result.verdict == "converged", result
    known = np.minimum(
        effective_sample_size(reference[None]), effective_sample_size(reference[None] ** 2)
    )
    assert_right(
        result.unconstrained, reference.mean(axis=0), reference.std(axis=0), 1 / np.sqrt(known)
    )


WRONG = {
    "half the density": lambda x: (normal(x)[0] / 2, scores(x)),
    "twice the density": lambda x: (normal(x)[0] * 2, scores(x)),
    "half the score": lambda x: (normal(x)[0], scores(x) / 2),
    "the wrong way": lambda x: (normal(x)[0], -scores(x)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_a_density_that_its_score_does_not_fit_is_never_confirmed(name):
    with pytest.raises(starling.TargetError, match="the slope of the log density"):
        starling.sample(WRONG[name], dim=2, **QUIET)
    with np.errstate(all="ignore"):
        result = starling.sample(WRONG[name], dim=2, check=False, **QUIET)
    assert result.verdict != "converged", result


@pytest.mark.parametrize("width, word", [(3, "wider"), (1 / 3, "narrower")])
def test_a_cloud_of_the_wrong_width_is_never_confirmed(width, word):
    """N(0, 1) as it is, with nothing done to it but the test."""
    result = starling.sample(
        lambda x: (-0.5 * np.sum((x / width) ** 2, axis=1), -x / width**2),
        dim=3,
        method="auto",
        prefit="none",
        steps=0,
        exact="none",
        **QUIET,
    )
    assert (
        result.verdict == "still moving"
        and word in result.reason
        and result.certificate["finding"] == "moved"
    )
    right = starling.sample(
        lambda x: (-0.5 * np.sum(x**2, axis=1), -x),
        dim=3,
        method="auto",
        prefit="none",
        steps=0,
        exact="none",
        **QUIET,
    )
    assert right.verdict == "converged", "and the right one is"


def test_scores_alone_are_flown_and_not_certified():
    result = starling.sample(scores, dim=2, **QUIET)
    assert "not certified: the target gives scores and no log density" in result.reason
    assert result.certificate is None and result.pooled == {} and result.gradients["certify"] == 0
    assert np.isnan(result.log_density).all()
    assert_right(result.unconstrained, 0, np.sqrt(np.diag(np.linalg.inv(CORRELATED))))


def test_a_setting_of_the_raw_method_asks_for_it():
    for settings in (
        dict(steps=3),
        dict(batch=8),
        dict(kernel="imq"),
        dict(step_size=0.1),  # the default, but given
        dict(start="normal:0,1"),
        dict(method="paper", steps=3),
    ):
        flight = starling.Flight(normal, dim=2, **settings)
        assert (
            flight.settings["method"] == "paper"
            and flight.stage == ""
            and "prefit" not in flight.settings
        )
    for settings in (
        {},
        dict(seed=3),
        dict(replace=False, until_converged=False),
        dict(metric="diagonal"),
        dict(method="auto", steps=30),
        dict(method="auto", device="cpu", precision="double"),
    ):
        flight = starling.Flight(normal, dim=2, **settings)
        assert (
            flight.settings["method"] == "auto"
            and flight.stage == "scout"
            and "kernel" not in flight.settings
        )
    for settings, said in [
        (
            dict(method="auto", kernel="imq"),
            "kernel: is for method='paper'; method='auto' chooses by itself",
        ),
        (dict(method="auto", step_size=0.1), "step_size: is for method='paper'"),
        (
            dict(steps=3, metric="dense"),
            "metric: the raw method flies in the target's own coordinates",
        ),
        (dict(steps=3, exact=5), "exact: the raw method's cloud stays as it is"),
        (dict(method="auto", start="normal:0,1"), "start: the scout of method='auto' finds it"),
        (dict(method="best"), "method: must be"),
        (dict(metric="round"), "metric: must be"),
        (dict(prefit="x"), "prefit: must be"),
        (dict(exact=-1), "exact: must be"),
    ]:
        with pytest.raises(ValueError, match=said):
            starling.sample(normal, dim=2, **settings)


def test_the_result_tells_of_its_stages_and_so_do_its_files(tmp_path):
    pytest.importorskip("pandas", reason="pandas is not installed")
    result = starling.sample(normal, dim=2, exact=10, **SMALL)
    assert list(result.gradients) == ["scout", "fly", "certify", "settle", "count", "total"]
    assert (
        result.gradients["settle"] > 0 and result.gradients["count"] < 300 and result.groups == []
    )
    assert (
        sum(list(result.gradients.values())[:5]) == result.gradients["total"] and result.modes == 1
    )
    assert set(result.certificate) >= {"finding", "moves", "acceptance", "estimates"}
    assert list(result.summary().columns[-2:]) == ["mean_off", "mean_off_se"]
    result.save(tmp_path / "run")
    loaded = starling.load(tmp_path / "run")
    for name in (
        "certificate",
        "gradients",
        "modes",
        "groups",
        "pooled",
        "verdict",
        "reason",
        "settings",
    ):
        assert getattr(loaded, name) == getattr(result, name), name
    loaded.save(tmp_path / "again")
    for file in ("draws.csv", "config.toml", "summary.json", "trace.csv"):
        ours, theirs = ((tmp_path / folder / file).read_text() for folder in ("run", "again"))
        skipped = ("# ", "#\n") if file == "draws.csv" else ()
        lines = [
            [line for line in text.splitlines(True) if not line.startswith(skipped)]
            for text in (ours, theirs)
        ]
        assert lines[0] == lines[1], file
    raw = starling.sample(normal, dim=2, steps=3, **SMALL)
    assert raw.certificate is None and raw.modes is None and raw.pooled == {}
    assert raw.gradients["fly"] == 3 * 64 and raw.gradients["certify"] == 0


def test_runs_are_taken_together():
    runs = starling.sample(normal, dim=2, runs=2, **SMALL)
    one = starling.sample(normal, dim=2, **SMALL)
    assert runs.draws["x"].shape == (2, 64, 2) and np.array_equal(
        runs.draws["x"][0], one.draws["x"]
    )
    assert (
        runs.gradients["fly"] == 2 * one.gradients["fly"]
        and "r_hat" in runs.diagnostics["parameters"][0]
    )


def test_four_modes_in_the_plane_are_weighed():
    # Within .03, as the verdict promises; equal shares, the negative control, would be .15 off.
    four = starling.builtin("mixture", weights=".1,.2,.3,.4", means="-5,-5;-5,5;5,-5;5,5")
    result = starling.sample(four, particles=256, **QUIET)
    assert (
        result.verdict == "converged" and result.modes == 4 and "4 separate groups" in result.reason
    )
    assert [group["share"] for group in result.groups] == pytest.approx(
        [0.4, 0.3, 0.2, 0.1], abs=0.03
    )
    assert all(0 < 2 * group["se"] < 0.03 for group in result.groups)
    assert sum(group["particles"] for group in result.groups) == 256
    right = result.draws["x"] > 0
    assert right[:, 0].mean() == pytest.approx(0.7, abs=0.03) and right[
        :, 1
    ].mean() == pytest.approx(0.6, abs=0.03)
    assert result.groups[0]["mean"]["x[1]"] == pytest.approx(5, abs=0.3)
    assert result.gradients["weigh"] > 0


def test_the_raw_method_counts_groups_and_does_not_call_them_converged():
    two = starling.builtin("mixture", weights="1/2,1/2", means="-10;10")
    for start, particles in (("normal:-10,1", [200, 0]), ("normal:0,5", None)):
        result = starling.sample(two, particles=200, steps=300, start=start, **QUIET)
        assert len(result.groups) == 2 and result.verdict != "converged"
        assert all(group["se"] is None for group in result.groups)
        if particles:
            assert (
                sorted((group["particles"] for group in result.groups), reverse=True) == particles
            )


LIBRARIES = {"stan": ("stan_full.so", starling.stan), "plugin": ("plugin_all.so", starling.plugin)}


@pytest.mark.parametrize("kind", LIBRARIES)
def test_libraries_go_in_stages_as_the_command_line_does(kind, binary, tmp_path):
    name, make = LIBRARIES[kind]
    library = binary.parent / "tests" / "libraries" / name
    if not library.is_file():
        pytest.skip(f"{library}: must be built; build test_foreign")
    ours = starling.sample(make(library), **SMALL)
    subprocess.run(
        [
            str(binary),
            "sample",
            kind,
            str(library),
            "--particles",
            "64",
            "--seed",
            "1",
            "--threads",
            "1",
            "--quiet",
            "--out",
            str(tmp_path / "out"),
        ],
        check=True,
        timeout=600,
    )
    theirs = starling.load(tmp_path / "out")
    assert (
        np.array_equal(ours.unconstrained, theirs.unconstrained)
        and ours.gradients == theirs.gradients
    )
    assert ours.certificate == theirs.certificate and ours.certificate is not None
    assert set(ours.names) - {"z"} <= set(
        ours.pooled
    )  # z is drawn at random by the model: no move can confirm it


def test_a_c_function_goes_in_stages():
    import ctypes

    kind = ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
        ctypes.c_void_p,
    )

    @kind
    def one(d, x, grad, logp, _):
        logp[0] = -0.5 * (x[0] ** 2 + x[1] ** 2)
        grad[0], grad[1] = -x[0], -x[1]
        return 0

    result = starling.sample(starling.CFunction(one, 2, batched=False), **SMALL)
    same = starling.sample(lambda x: (-0.5 * np.sum(x**2, axis=1), -x), dim=2, **SMALL)
    assert result.certificate and np.allclose(result.unconstrained, same.unconstrained, atol=1e-6)


def test_jax_is_compiled_for_few_numbers_of_rows():
    sizes = set()

    def counted(x):
        sizes.add(len(x))
        return normal(x)

    few = starling.sample(
        starling.Function(counted, 2, padded=True), exact=20, **{**SMALL, "particles": 100}
    )
    assert len(sizes) <= 9 and 100 in sizes and sizes - {100, 200, 300, 400} <= {8, 16, 32, 64}
    sizes.clear()
    plain = starling.sample(counted, dim=2, exact=20, **{**SMALL, "particles": 100})
    assert len(sizes) > 30 and np.allclose(few.unconstrained, plain.unconstrained, atol=1e-8)


def laplace(x):
    return -np.abs(x).sum(axis=1), -np.sign(x)


def in_single_numbers(x):
    """A density of a thousand data in single numbers that come as doubles."""
    x = x.astype(np.float32)
    return (np.float32(-1e3) - np.float32(0.5) * (x**2).sum(axis=1, dtype=np.float32)).astype(
        float
    ), -x.astype(float)


@pytest.mark.parametrize(
    "target", [laplace, in_single_numbers, normal], ids=lambda target: target.__name__
)
def test_kinks_and_roundings_are_no_fault_of_a_gradient(target):
    result = starling.sample(target, dim=2, **QUIET)
    assert "what its gradient says" not in result.reason
