"""What load gives is what sample gave: draws, verdict, settings, trace, and the way to other
tools."""

import numpy as np
import pytest

import starling

SETTINGS = dict(particles=40, steps=30, seed=2, threads=1, progress=False)


def target(x):
    return -0.5 * np.sum(x**2, axis=1), -x


@pytest.fixture(scope="module", params=[1, 3], ids=["one", "three"])
def pair(request, tmp_path_factory):
    """A result, and the same from its folder."""
    folder = tmp_path_factory.mktemp("load") / "run"
    made = starling.sample(
        starling.Function(target, names=["mu", "tau[1]", "tau[2]"]), runs=request.param, **SETTINGS
    )
    made.save(folder)
    return made, starling.load(folder), folder


def same(a, b):
    return a == b or (a != a and b != b)


def test_it_is_a_result_with_all_that_a_result_has(pair):
    made, loaded, _ = pair
    assert type(loaded) is starling.Result and repr(loaded) == repr(made)
    assert (
        loaded.names == made.names
        and loaded.verdict == made.verdict
        and loaded.reason == made.reason
    )
    assert loaded.diagnostics == made.diagnostics and loaded.warnings == made.warnings
    assert np.array_equal(loaded.unconstrained, made.unconstrained)
    assert np.array_equal(loaded.log_density, made.log_density)
    assert loaded._repr_html_() == made._repr_html_() and not loaded.interrupted
    for name, value in loaded.settings.items():
        assert made.settings[name] == value, name
    assert (
        loaded.settings["particles"] == 40
        and loaded.settings["step_size"] == made.settings["step_size"]
    )
    assert len(loaded.trace) == len(made.trace) > 2
    for ours, theirs in zip(loaded.trace, made.trace):
        assert list(ours) == list(theirs)
        assert all(same(ours[key], theirs[key]) for key in ours), (ours, theirs)


def test_it_has_tables_and_pictures(pair):
    pytest.importorskip("pandas", reason="pandas is not installed")
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    made, loaded, _ = pair
    assert loaded.summary().equals(made.summary())
    assert loaded.to_arviz()["posterior"].equals(made.to_arviz()["posterior"])
    assert arviz.summary(loaded.to_arviz(), kind="stats").equals(
        arviz.summary(made.to_arviz(), kind="stats")
    )
    assert loaded.plot("trace") is not None and loaded.plot("pairs") is not None


def test_it_can_be_saved_again(pair, tmp_path):
    made, loaded, folder = pair
    loaded.save(tmp_path / "again", formats="csv,npz,zarr")
    for file in ("summary.json", "config.toml", "draws.npz"):
        assert (tmp_path / "again" / file).read_bytes() == (folder / file).read_bytes(), file
    once_more = starling.load(tmp_path / "again")
    assert repr(once_more) == repr(made) and len(once_more.trace) == len(made.trace)
    with pytest.raises(FileExistsError):
        loaded.save(tmp_path / "again")
    loaded.save(tmp_path / "again", formats="npz", force=True)


def test_draws_alone_have_figures_but_no_verdict(pair):
    pytest.importorskip("pandas", reason="pandas is not installed")
    made, _, folder = pair
    loaded = starling.load(folder / "draws.npz")
    assert (
        loaded.verdict is None
        and loaded.reason is None
        and loaded.diagnostics is None
        and loaded.trace == []
    )
    assert "40 draws of mu, tau" in repr(loaded) and "<th>tau[1]</th>" in loaded._repr_html_()
    assert loaded.summary()["mean"].to_numpy() == pytest.approx(
        made.summary()["mean"].to_numpy(), rel=1e-12
    )
    with pytest.raises(ValueError, match="trace"):
        loaded.plot("trace")


def test_paths_may_have_any_bytes(tmp_path):
    import os

    folder = os.path.join(os.fsencode(tmp_path), b"gr\xfc\xdfe")
    starling.sample(target, dim=2, **SETTINGS).save(os.fsdecode(folder))
    assert starling.load(os.fsdecode(folder)).names == ["x[1]", "x[2]"]
    data = os.path.join(os.fsencode(tmp_path), b"d\xe4ta.csv")
    with open(data, "wb") as stream:
        stream.write(b"Gr\xf6\xdfe,y\n" + b"".join(b"%d,%d\n" % (i, i % 2) for i in range(20)))
    result = starling.sample(starling.builtin("logistic", data=os.fsdecode(data)), **SETTINGS)
    assert result.names[0] == "w[Größe]" and result.settings["data"] == os.fsdecode(data)
