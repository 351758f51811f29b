"""A Stan program from Python: compiled by what is there, data as a dictionary."""

import json
import os
import stat

import numpy as np
import pytest
from conftest import ROOT

import starling
from starling.targets import with_table
from starling.words import python_names

PROGRAM = "data {\n  int N;\n}\nparameters {\n  real x;\n}\nmodel {\n  x ~ normal(0, 1);\n}\n"


@pytest.fixture
def program(tmp_path, monkeypatch, binary):
    """A program, a cache of its own, and a make that copies a library of the tests to where
    BridgeStan's would be."""
    library = binary.parent / "tests" / "libraries" / "stan_full.so"
    if not library.is_file():
        pytest.fail(f"{library}: must be built; build test_foreign")
    (tmp_path / "bin").mkdir()
    make = tmp_path / "bin" / "make"
    make.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/calls"\ncp "{library}" "$3"\n')
    make.chmod(make.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("BRIDGESTAN", str(tmp_path / "bridgestan"))
    file = tmp_path / "model.stan"
    file.write_text(PROGRAM)
    return file


def test_a_program_is_compiled_once_and_sampled(program):
    target = starling.stan(program)
    assert (
        target.settings["model"].endswith("/model_model.so")
        and "starling/stan/bridgestan-" in target.settings["model"]
    )
    result = starling.sample(target, particles=20, steps=3, progress=False)
    assert len(result.names) > 0
    again = starling.sample(str(program), particles=20, steps=3, progress=False)
    assert np.array_equal(again.unconstrained, result.unconstrained)
    assert len((program.parent / "calls").read_text().splitlines()) == 1


def test_data_may_be_a_dictionary(program):
    target = starling.stan(
        program, data={"N": np.int64(2), "y": np.array([[1.5, 2], [3, 4]]), "z": [1]}
    )
    with open(target.settings["data"], encoding="utf-8") as stream:
        assert json.load(stream) == {"N": 2, "y": [[1.5, 2.0], [3.0, 4.0]], "z": [1]}
    file = target.settings["data"]
    del target
    assert not os.path.exists(file), "gone with the target"
    with pytest.raises(TypeError, match="data: must be numbers, lists and arrays; got set"):
        starling.stan(program, data={"N": {1}})


def test_a_file_and_its_data_are_enough_for_sample(program):
    target, left = with_table(str(program), {"data": {"N": 2}, "temper": True})
    with open(target.settings["data"], encoding="utf-8") as stream:
        assert json.load(stream) == {"N": 2}
    assert left == {"temper": True}


def test_the_text_of_a_program_is_refused():
    with pytest.raises(ValueError, match="model: must be a file; got the text of a program"):
        starling.stan(PROGRAM)


def test_messages_name_no_copy_of_the_data():
    copy = "/home/me/.cache/starling/stan/stanli-4e18256ab098f804/data.json: no x"
    assert python_names(copy) == "data: no x"
    assert python_names("/tmp/starling-z9t2_agm/data.json: no x") == "data: no x"
    assert python_names("/home/me/data.json: no x") == "/home/me/data.json: no x"


def test_without_a_compiler_it_says_what_to_install(program, monkeypatch):
    monkeypatch.delenv("BRIDGESTAN")
    monkeypatch.setattr("sys.executable", str(program.parent / "nowhere"))
    with pytest.raises(
        ValueError, match="no compiler for it was found: `pip install stanli`, or set BRIDGESTAN"
    ):
        starling.stan(program)


def test_a_program_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.stan"):
        starling.stan(tmp_path / "nowhere.stan")


def test_stanli_compiles_a_real_one(tmp_path, monkeypatch):
    pytest.importorskip("stanli", reason="stanli is not installed")
    monkeypatch.delenv("BRIDGESTAN", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with open(ROOT / "examples" / "stan" / "eight_schools.json", encoding="utf-8") as stream:
        data = json.load(stream)
    target = starling.stan(ROOT / "examples" / "stan" / "eight_schools.stan", data=data)
    assert starling.check(target).right is True
