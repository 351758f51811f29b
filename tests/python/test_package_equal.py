"""The package and the command line are one engine: the same draws and the same files, bit for
bit."""

import json
import os
import subprocess

import numpy as np
import pytest

import starling

RECIPES = {
    "mixture": ("mixture", {}),
    "normal, pairs": ("normal", dict(dim=3, correlation=0.5, batch=2)),
    "single precision": ("normal", dict(dim=3, batch=16, precision="single")),
    "two runs": ("banana", dict(runs=2, curvature=0.3, start="uniform:-1,1")),
    "sum of kernels": ("funnel", dict(dim=3, kernel="imq+0.1*polynomial:a=1.0,m=2", bandwidth=1.5)),
    "all particles": (
        "mixture",
        dict(batch="all", bandwidth="median", advance="adam", step_size=0.05),
    ),
    "with replacement": ("mixture", dict(replace=True, batch=10)),
    "growing": ("normal", dict(dim=1, grow_batch="double:10", advance="decay", decay_tau=30)),
    "torus": ("mixture", dict(domain="torus:9", kernel="matern32")),
    "until converged": ("normal", dict(dim=1, until_converged=True, steps=2000)),
}
COMMON = dict(particles=60, steps=40, seed=7, threads=1)


def words(settings):
    """Settings as the command line takes them."""
    for name, value in settings.items():
        option = "--" + name.replace("_", "-")
        yield from [option] if value is True else [option, str(value)]


def command_line(binary, target, settings, out, *more):
    command = [
        str(binary),
        "sample",
        *target.split(),
        *words(settings),
        "--out",
        str(out),
        "--quiet",
        *map(str, more),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return np.load(out / "draws.npz")


@pytest.mark.filterwarnings("ignore:target")
@pytest.mark.parametrize("name", RECIPES)
def test_draws_and_files_are_those_of_the_command_line(binary, tmp_path, name):
    target, settings = RECIPES[name]
    settings = {**COMMON, **settings}
    theirs = command_line(binary, target, settings, tmp_path / "a")
    ours = starling.sample(target, progress=False, **settings)
    assert np.array_equal(ours.unconstrained, theirs["draws"])
    assert np.array_equal(ours.log_density, theirs["log_density"])
    assert list(theirs["names"]) == ours.names
    ours.save(tmp_path / "b")
    assert sorted(os.listdir(tmp_path / "a")) == sorted(os.listdir(tmp_path / "b"))
    for file in sorted(os.listdir(tmp_path / "a")):
        a, b = ((tmp_path / folder / file) for folder in "ab")
        if file == "draws.npz":
            assert a.read_bytes() == b.read_bytes()
        elif file.startswith("draws") or file == "config.toml":
            assert without_times(a.read_text()) == without_times(b.read_text()), file
    assert untimed(tmp_path / "a" / "summary.json") == untimed(tmp_path / "b" / "summary.json")


def without_times(text):
    return [line for line in text.splitlines() if "seconds" not in line]


def untimed(file):
    summary = json.loads(file.read_text())
    for run in [summary, *summary.get("runs", [])]:
        for key in [key for key in run if key.startswith("seconds")]:
            del run[key]
    return summary


def test_a_function_equals_the_built_in_target_of_the_same_scores(binary, tmp_path):
    theirs = command_line(binary, "normal", {**COMMON, "dim": 3}, tmp_path / "a")
    ours = starling.sample(lambda x: -x, dim=3, progress=False, **COMMON)
    assert np.allclose(ours.unconstrained, theirs["draws"], rtol=0, atol=1e-12)
    assert np.isnan(ours.log_density).all()


@pytest.fixture
def libraries(binary):
    folder = binary.parent / "tests" / "libraries"
    if not (folder / "stan_full.so").is_file():
        pytest.skip(f"{folder}: no libraries of the tests there; build test_foreign")
    return folder


def test_a_stan_model_gives_the_command_lines_draws(binary, libraries, tmp_path):
    data = tmp_path / "d.json"
    data.write_text('{"y": 2.5}')
    model = libraries / "stan_full.so"
    theirs = command_line(binary, f"stan {model}", {**COMMON, "data": data}, tmp_path / "a")
    ours = starling.sample(starling.stan(model, data), progress=False, **COMMON)
    assert list(theirs["names"]) == ours.names == ["mu[1]", "mu[2]", "sigma", "tau", "z"]
    draws = ours.draws
    assert np.array_equal(
        np.column_stack([draws["mu"], draws["sigma"], draws["tau"], draws["z"]]), theirs["draws"]
    )
    # NumPy's exp need not be the C library's: both are good to a unit in the last place or two.
    np.testing.assert_array_max_ulp(np.exp(ours.unconstrained[:, 2]), draws["sigma"], 2)


def test_a_bridgestan_model_is_its_library_and_its_data(libraries, tmp_path):
    class StanModel:  # the attributes of bridgestan.StanModel that matter
        lib_path = str(libraries / "stan_full.so")
        data = '{"y": 2.5}'

        def log_density_gradient(self): ...

    model = StanModel()
    (tmp_path / "d.json").write_text(model.data)
    by_hand = starling.stan(model.lib_path, tmp_path / "d.json")
    a, b = (
        starling.sample(target, progress=False, **COMMON).unconstrained
        for target in (model, by_hand)
    )
    assert np.array_equal(a, b)
    target = starling.targets.as_target(model)
    file = target.settings["data"]
    assert os.path.exists(file)
    del target
    assert not os.path.exists(file)
    StanModel.data = ""
    assert "data" not in starling.targets.as_target(model).settings


def test_a_plugin_gives_the_command_lines_draws(binary, libraries, tmp_path):
    theirs = command_line(binary, f"plugin {libraries / 'plugin_all.so'}", COMMON, tmp_path / "a")
    ours = starling.sample(starling.plugin(libraries / "plugin_all.so"), progress=False, **COMMON)
    assert np.array_equal(ours.unconstrained, theirs["draws"])
