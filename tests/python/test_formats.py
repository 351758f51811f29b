"""The files of a run, read by the programs that people have: ArviZ, xarray, CmdStanPy, NumPy,
pandas."""

import json
import subprocess

import arviz
import cmdstanpy
import numpy as np
import pandas as pd
import pytest
import xarray

RUNS = 3
PARTICLES = 40


def starling(binary, *words, code=0):
    done = subprocess.run(
        [str(binary), *map(str, words)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def one(binary, tmp_path_factory):
    """The folder of a run in three dimensions, and its draws as Zarr."""
    folder = tmp_path_factory.mktemp("one") / "run"
    starling(
        binary,
        "sample",
        "normal",
        "--dim",
        3,
        "--particles",
        PARTICLES,
        "--steps",
        20,
        "--quiet",
        "--out",
        folder,
    )
    starling(binary, "convert", folder, folder / "draws.zarr")
    return folder


def stan_csv(values, run):
    """A matrix and a number, the columns as Stan orders them: the first index runs fastest."""
    lines = [
        f"# model = m_model\n# method = sample\n#   num_samples = {len(values)}\n#   num_warmup = 5"
    ]
    lines += [
        "# save_warmup = 0\n# thin = 1\n# algorithm = hmc\n# metric = unit_e",
        f"# id = {run}",
    ]
    lines += ["lp__,accept_stat__,m.1.1,m.2.1,m.1.2,m.2.2,m.1.3,m.2.3,mu"]
    lines += [",".join(repr(float(v)) for v in row) for row in values]
    return "\n".join(lines) + "\n#  Elapsed Time: 0 seconds (Warm-up)\n"


@pytest.fixture(scope="module")
def several(binary, tmp_path_factory):
    """A folder with draws-1.csv .. as of several runs, and what they hold: runs x draws x
    columns."""
    folder = tmp_path_factory.mktemp("several")
    values = np.random.default_rng(1).standard_normal((RUNS, PARTICLES, 9))
    for k in range(RUNS):
        (folder / f"draws-{k + 1}.csv").write_text(stan_csv(values[k], k + 1))
    for to in ("d.npz", "d.zarr", "d.csv"):
        starling(binary, "convert", folder, folder / to)
    return folder, values


def posterior_of(zarr):
    return xarray.open_datatree(zarr, engine="zarr")["posterior"].load()


def matrix(values):
    """(run, draw, 2, 3) from the columns m.1.1, m.2.1, m.1.2 .."""
    return values[:, :, 2:8].reshape(RUNS, PARTICLES, 3, 2).swapaxes(2, 3)


def test_numpy_reads_the_npz(one):
    npz = np.load(one / "draws.npz")
    assert npz["draws"].shape == (PARTICLES, 3) and npz["log_density"].shape == (PARTICLES,)
    assert list(npz["names"]) == ["x[1]", "x[2]", "x[3]"]


def test_pandas_reads_the_csv(one):
    table = pd.read_csv(one / "draws.csv", comment="#")
    assert list(table.columns) == ["lp__", "x.1", "x.2", "x.3"]
    assert np.array_equal(table.to_numpy()[:, 1:], np.load(one / "draws.npz")["draws"])


def test_arviz_reads_the_csv(one):
    data = arviz.from_cmdstan(str(one / "draws.csv"))
    npz = np.load(one / "draws.npz")
    assert np.array_equal(data.posterior["x"][0], npz["draws"])
    assert np.array_equal(data.sample_stats["lp"][0], npz["log_density"])
    assert data.posterior["x"].dims == ("chain", "draw", "x_dim_0")


def test_arviz_reads_the_zarr_as_it_reads_the_csv(one):
    from_zarr = arviz.InferenceData.from_datatree(
        xarray.open_datatree(one / "draws.zarr", engine="zarr")
    )
    from_csv = arviz.from_cmdstan(str(one / "draws.csv"))
    assert list(from_zarr.posterior["x_dim_0"].values) == [1, 2, 3], (
        "x[1] is labelled x[1]; ArviZ counts Stan's from 0"
    )
    from_csv = from_csv.assign_coords(x_dim_0=[1, 2, 3], groups="posterior")
    for group in ("posterior", "sample_stats"):
        assert from_zarr[group].drop_attrs().equals(from_csv[group].drop_attrs()), group
        assert set(from_zarr[group].coords) == set(from_csv[group].coords), group
    assert from_zarr.posterior.attrs["inference_library"] == "starling"
    means = json.loads((one / "summary.json").read_text())["parameters"]
    table = arviz.summary(from_zarr, kind="stats", round_to="none")
    assert np.allclose(table["mean"], [p["mean"] for p in means], rtol=1e-12)


def test_cmdstanpy_reads_the_csv(one):
    fit = cmdstanpy.from_csv(str(one / "draws.csv"))
    assert fit.chains == 1 and fit.num_draws_sampling == PARTICLES
    assert np.array_equal(fit.stan_variable("x"), np.load(one / "draws.npz")["draws"])


def test_several_runs_are_chains_of_a_matrix_the_right_way_round(several):
    folder, values = several
    posterior = posterior_of(folder / "d.zarr")
    assert posterior["m"].dims == ("chain", "draw", "m_dim_0", "m_dim_1")
    assert np.array_equal(posterior["m"], matrix(values))
    assert np.array_equal(posterior["mu"], values[:, :, 8])
    stats = xarray.open_datatree(folder / "d.zarr", engine="zarr")["sample_stats"]
    assert np.array_equal(stats["lp"], values[:, :, 0])
    assert np.array_equal(stats["accept_stat"], values[:, :, 1])
    npz = np.load(folder / "d.npz")
    assert np.array_equal(npz["draws"], values[:, :, 1:]) and np.array_equal(
        npz["log_density"], values[:, :, 0]
    )
    assert list(npz["names"])[1:4] == ["m[1,1]", "m[2,1]", "m[1,2]"]


def test_the_csv_of_several_runs_is_read_as_chains(several):
    folder, values = several
    files = [str(folder / f"d-{k + 1}.csv") for k in range(RUNS)]
    assert np.array_equal(arviz.from_cmdstan(files).posterior["m"], matrix(values))
    fit = cmdstanpy.from_csv(files)
    assert fit.chains == RUNS and np.array_equal(
        fit.stan_variable("m"), matrix(values).reshape(-1, 2, 3)
    )


def test_the_plain_r_hat_is_arvizs(binary, several):
    folder, _ = several
    shown = json.loads(starling(binary, "summary", folder / "d.zarr", "--json"))
    ours = {p["name"]: p["r_hat"] for p in shown["parameters"]}
    theirs = arviz.rhat(posterior_of(folder / "d.zarr").to_dataset(), method="identity")
    assert ours["mu"] == pytest.approx(float(theirs["mu"]), rel=1e-12)
    assert ours["m[2,1]"] == pytest.approx(float(theirs["m"][1, 0]), rel=1e-12)


def test_runs_of_sample_are_chains_in_every_file(binary, tmp_path):
    out = tmp_path / "runs"
    words = [
        "--runs",
        RUNS,
        "--particles",
        PARTICLES,
        "--steps",
        10,
        "--format",
        "csv,npz,zarr",
        "--quiet",
    ]
    starling(binary, "sample", "normal", "--dim", 2, *words, "--out", out)
    draws = np.load(out / "draws.npz")["draws"]
    assert draws.shape == (RUNS, PARTICLES, 2)
    assert len({run.tobytes() for run in draws}) == RUNS, "runs must differ"
    assert np.array_equal(posterior_of(out / "draws.zarr")["x"], draws)
    files = [str(out / f"draws-{k + 1}.csv") for k in range(RUNS)]
    assert np.array_equal(arviz.from_cmdstan(files).posterior["x"], draws)
    assert cmdstanpy.from_csv(files).chains == RUNS
