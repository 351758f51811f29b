"""Names as they were given, in every place where draws are seen: the dictionary, ArviZ, files and
what comes back."""

import numpy as np
import pytest

import starling

SETTINGS = dict(particles=30, steps=3, seed=2, threads=1, progress=False)


def named(*names):
    return starling.sample(
        starling.Function(lambda x: (-0.5 * (x**2).sum(axis=1), -x), names=list(names)), **SETTINGS
    )


def labels(result):
    """What ArviZ writes beside the figures of each parameter."""
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    return list(arviz.summary(result.to_arviz(), kind="stats").index)


@pytest.mark.parametrize(
    "names",
    [
        ("b[0]", "b[1]", "b[2]"),
        ("b[1]", "b[2]"),
        ("b[0,1]", "b[0,2]"),
        ("a", "b[3]", "b[7]"),
        ("w[Soil type]", "w[km, h]"),
        ("m", "s_log__"),
        ("b", "b[1]"),
        ("odd.1", "b[01]"),
    ],
)
def test_names_are_those_given(names, tmp_path):
    result = named(*names)
    assert result.names == list(names)
    assert labels(result) == [
        name.replace(",", ", ") if name.startswith("b[0,") else name for name in names
    ]
    result.save(tmp_path / "run", formats="csv,npz,zarr")
    for file in ("draws.csv", "draws.npz", "draws.zarr"):
        loaded = starling.load(tmp_path / "run" / file)
        assert loaded.names == list(names), file
        assert labels(loaded) == labels(result)
        for name, values in result.draws.items():
            assert np.array_equal(loaded.draws[name], values), file


def test_an_array_holds_names_that_count_from_zero_or_one():
    result = named("b[0]", "b[1]", "b[2]", "c[1]", "c[2]")
    assert {name: values.shape for name, values in result.draws.items()} == {
        "b": (30, 3),
        "c": (30, 2),
    }
    assert np.array_equal(result.draws["b"], result.unconstrained[:, :3])
    posterior = result.to_arviz()["posterior"]
    assert list(posterior["b_dim_0"].values) == [0, 1, 2] and list(posterior["c_dim_0"].values) == [
        1,
        2,
    ]
    alone = named("b[1]", "b[3]").draws
    assert list(alone) == ["b[1]", "b[3]"], "nobody may find b[3] where b[2] would be"


def test_the_readers_of_stan_csv_never_show_another_name(tmp_path):
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    cmdstanpy = pytest.importorskip("cmdstanpy", reason="cmdstanpy is not installed")
    names = [
        "b[0]",
        "b[1]",
        'w[Soil "type", 1]',
        "w[a = b]",
        "m[1,1]",
        "m[1,2]",
        "m[2,1]",
        "m[2,2]",
        "s_log__",
    ]
    result = named(*names)
    result.save(tmp_path / "run", formats="csv")
    file = str(tmp_path / "run" / "draws.csv")
    m = result.draws["m"]
    assert np.array_equal(m[:, 0, 1], result.unconstrained[:, 5])
    posterior = arviz.from_cmdstan(file).posterior
    fit = cmdstanpy.from_csv(file)
    for read in (lambda name: np.squeeze(posterior[name].values), fit.stan_variable):
        assert np.array_equal(read("b_0"), result.unconstrained[:, 0])
        assert np.array_equal(read("b_1"), result.unconstrained[:, 1]), (
            "b[1] is not the first of an array"
        )
        assert np.array_equal(read("w_Soil__type___1"), result.unconstrained[:, 2])
        assert np.array_equal(read("w_a___b"), result.unconstrained[:, 3])
        assert np.array_equal(read("m"), m), "a matrix named row by row"
        assert np.array_equal(read("s_log__x"), result.unconstrained[:, 8]), (
            "no figure of a sampler"
        )


def test_the_zarr_is_read_with_the_names_given(tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    result = named("b[0]", "b[1]", "w[Soil type]", "km/h", "chain")
    result.save(tmp_path / "run", formats="zarr")
    posterior = xarray.open_datatree(tmp_path / "run" / "draws.zarr", engine="zarr")[
        "posterior"
    ].load()
    assert set(posterior.data_vars) == {"b", "w[Soil type]", "km_h", "chain_"}
    assert list(posterior["b_dim_0"].values) == [0, 1]
    assert np.array_equal(posterior["w[Soil type]"][0], result.draws["w[Soil type]"])
    assert np.array_equal(posterior["chain_"][0], result.draws["chain"])
    assert list(result.draws) == ["b", "w[Soil type]", "km/h", "chain"]


def test_the_weights_of_a_regression_have_the_names_of_their_columns(tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"{a:.4f},{b:.4f},{'yes' if a > b else 'no'}" for a, b in rng.normal(size=(50, 2))]
    (tmp_path / "d.csv").write_text("\n".join(['"Soil type","Slope, deg",y', *rows]) + "\n")
    target = starling.builtin("logistic", data=tmp_path / "d.csv")
    result = starling.sample(target, **SETTINGS)
    assert result.names == ["w[Soil type]", "w[Slope, deg]", "intercept", "log_alpha"]
    assert labels(result) == result.names
