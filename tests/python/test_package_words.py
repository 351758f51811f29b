"""Messages in the caller's own names, and the nearest right one where a name is wrong."""

import re

import numpy as np
import pytest

import starling
from starling.words import python_names

GOOD = dict(dim=2, particles=20, steps=3, progress=False)


def good(x):
    return -x


@pytest.mark.parametrize(
    "wrong, said",
    [
        (dict(stepsize=0.1), "stepsize: is not a setting of a run; did you mean step_size?"),
        (dict(bandwith=1), "bandwith: is not a setting of a run; did you mean bandwidth?"),
        (dict(chekpoint="c"), "chekpoint: is not a setting of a run; did you mean checkpoint?"),
        (dict(xyzzy=1), "xyzzy: is not a setting of a run"),
        (dict(draws=9), "draws: is not a setting of a run; did you mean particles?"),
        (dict(cores=2), "cores: is not a setting of a run; did you mean threads?"),
        (dict(random_seed=1), "random_seed: is not a setting of a run; did you mean seed?"),
        (dict(tune=9), "tune: is not a setting of a run; the default method tunes itself"),
    ],
)
def test_a_setting_that_is_none_is_named_with_the_nearest(wrong, said):
    with pytest.raises(TypeError, match=re.escape(said) + "$"):
        starling.sample(good, **GOOD, **wrong)
    with pytest.raises(TypeError, match=re.escape(said) + "$"):
        starling.Flight(good, dim=2, **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        dict(step_size=-1.0),
        dict(step_size=np.inf),
        dict(step_size="a"),
        dict(grow_batch="x"),
        dict(decay_tau=-1, advance="decay"),
        dict(replace=True, deal="matching"),
        dict(advance="splitting"),
        dict(batch=1),
    ],
)
def test_no_message_names_an_option_of_the_command_line(wrong):
    with pytest.raises((ValueError, TypeError)) as caught:
        starling.sample(good, **GOOD, **wrong)
    assert "--" not in str(caught.value) and not re.search(
        r"\b(step-size|grow-batch|decay-tau|decay-power|data-batch)\b", str(caught.value)
    ), str(caught.value)


def test_obstacles_of_a_table_are_told_at_once_in_the_callers_words(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("id,a,y\nr1,1,0\nr2,,1\nr3,3,1\n")
    with pytest.raises(ValueError) as caught:
        starling.sample(starling.builtin("logistic", data=file), particles=20, steps=3)
    assert "column 1 (id): 3 of 3 values are texts, all different" in str(caught.value)
    assert "column 2 (a): 1 of 3 values are missing, the first in line 3" in str(caught.value)


@pytest.mark.parametrize(
    "text, own",
    [
        (
            "raise --batch, lower --step-size, or let them",
            "raise batch, lower step_size, or let them",
        ),
        ("step-size: must be positive; got -1", "step_size: must be positive; got -1"),
        ("give --positive VALUE to choose one", "give positive=VALUE to choose one"),
        ("drop it or use --scale none", "drop it or use scale='none'"),
        (
            "`--kernel gaussian+0.05*polynomial:m=1`, or more",
            "`kernel='gaussian+0.05*polynomial:m=1'`, or more",
        ),
        ("use --particles 500 or more", "use particles=500 or more"),
        ("give a nearer --start", "give a nearer start"),
        ("lower --step-size 0.5 at least", "lower step_size=0.5 at least"),
        ("take --unknown-thing, a-b: c", "take --unknown-thing, a-b: c"),
    ],
)
def test_options_become_settings(text, own):
    assert python_names(text) == own


@pytest.mark.filterwarnings("ignore:kernel riesz")
def test_verdicts_and_warnings_speak_python():
    result = starling.sample(
        good,
        dim=1,
        kernel="riesz",
        particles=20,
        steps=3,
        batch=2,
        progress=False,
        advance="constant",
        step_size=1e-6,
    )
    assert "--" not in " ".join(
        [result.reason, *result.warnings, repr(result), result._repr_html_()]
    )


def test_save_refuses_the_name_of_a_file(tmp_path):
    result = starling.sample("mixture", particles=20, method="paper", steps=2, progress=False)
    with pytest.raises(ValueError, match=r"folder: must be a folder.*to_arviz\(\).to_netcdf\("):
        result.save(tmp_path / "y.nc")
    with pytest.raises(ValueError, match="draws.csv is in the folder"):
        result.save(str(tmp_path / "y.csv"))
    assert list(tmp_path.iterdir()) == []
    result.save(tmp_path / "v1.2")
    assert (tmp_path / "v1.2" / "draws.csv").is_file()


def test_labels_that_clash_stay_indices():
    from starling.labels import labelled

    class Space:
        dims, coords = {"a": ("k",)}, {"k": ["x", "x"]}

    assert labelled(["a[0]", "a[1]"], Space()) == ["a[0]", "a[1]"]
    Space.coords = {"k": ["x", "y"]}
    assert labelled(["a[0]", "a[1]", "b[1]"], Space()) == ["a[x]", "a[y]", "b[1]"]
