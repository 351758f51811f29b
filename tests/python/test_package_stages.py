"""Runs in stages from Python: what asks for them, and what a result says of its stages."""

import subprocess

import numpy as np
import pytest
from in_stages import CORRELATED, QUIET, SMALL, assert_right, normal, scores

import starling


def test_scores_alone_are_flown_and_not_certified():
    result = starling.sample(scores, dim=2, **QUIET)
    assert "not checked by HMC: the target gives no log density" in result.reason
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
            "kernel: is an option of method='paper'; method='auto' chooses it itself",
        ),
        (dict(method="auto", step_size=0.1), "step_size: is an option of method='paper'"),
        (
            dict(steps=3, metric="dense"),
            "metric: method='paper' uses the target's own coordinates",
        ),
        (dict(steps=3, exact=5), "exact: method='paper' makes no HMC moves"),
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
    assert list(result.gradients) == ["scout", "fly", "certify", "settle", "look", "total"]
    assert result.gradients["settle"] > 0 and result.gradients["look"] < 4000
    assert result.groups == []
    assert (
        sum(list(result.gradients.values())[:5]) == result.gradients["total"] and result.modes == 1
    )
    assert set(result.certificate) >= {"finding", "moves", "acceptance", "diverged", "estimates"}
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
    own = {100, 200, 300, 400, 500, 800, 1600}  # of its particles, rays and looks
    assert len(sizes) <= 10 and 100 in sizes and sizes - own <= {8, 16, 32, 64}
    sizes.clear()
    plain = starling.sample(counted, dim=2, exact=20, **{**SMALL, "particles": 100})
    assert len(sizes) > 30 and np.allclose(few.unconstrained, plain.unconstrained, atol=1e-8)
