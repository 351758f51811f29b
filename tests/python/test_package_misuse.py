"""Bad input of every kind: an error of the right type that names it, never a crash."""

import subprocess

import numpy as np
import pytest

import starling

GOOD = dict(dim=2, particles=20, steps=3, progress=False)


def good(x):
    return -x


class Odd:
    """Says that it is an array and is none."""

    shape, ndim, dtype = (20, 2), 2, np.dtype("f8")


class Odder(Odd):
    def __dlpack__(self, **_):
        raise KeyError("mine")


RETURNS = {
    "too narrow": (
        lambda x: x[:, :1],
        ValueError,
        r"scores of shape \(N, 2\) for N = 20; got \(20, 1\)",
    ),
    "too short": (lambda x: x[1:], ValueError, r"of shape \(N, 2\) for N = 20; got \(19, 2\)"),
    "flat": (lambda x: x.ravel(), ValueError, r"of shape \(N, 2\) for N = 20; got \(40,\)"),
    "turned": (lambda x: x.T, ValueError, r"got \(2, 20\)"),
    "a number": (lambda x: np.float64(1), TypeError, "a log density alone"),
    "a plain number": (lambda x: 1.0, TypeError, "a log density alone"),
    "a log density": (
        lambda x: -(x**2).sum(axis=1) / 2,
        TypeError,
        "a log density alone: give its gradient, or use starling.from_jax",
    ),
    "nothing": (lambda x: None, TypeError, "scores as an array.*got NoneType"),
    "a list": (lambda x: x.tolist(), TypeError, "got list"),
    "three things": (lambda x: (x, x, x), ValueError, "got a tuple of 3"),
    "no things": (lambda x: (), ValueError, "got a tuple of 0"),
    "complex": (lambda x: x + 1j, TypeError, "real numbers.*complex"),
    "objects": (lambda x: x.astype(object), TypeError, "real numbers.*object"),
    "texts": (lambda x: x.astype(str), TypeError, "real numbers.*<U"),
    "booleans": (lambda x: x > 0, TypeError, "real numbers.*bool"),
    "dates": (lambda x: x.astype("M8[s]"), TypeError, "real numbers.*datetime64"),
    "records": (lambda x: np.zeros(x.shape, [("a", "f8")]), TypeError, "real numbers"),
    "NaN": (lambda x: x * np.nan, ValueError, "step 0, particle 0.*nan"),
    "infinity": (lambda x: np.where(x == x[3], np.inf, x), ValueError, "particle 3.*inf"),
    "pretence": (lambda x: Odd(), TypeError, "target: must return scores"),
    "failing pretence": (lambda x: Odder(), TypeError, "target: must return scores"),
    "densities too few": (
        lambda x: (x[1:, 0], x),
        ValueError,
        r"log densities of shape \(N,\) for N = 20; got \(19,\)",
    ),
    "densities in a column": (
        lambda x: (x[:, :1], x),
        ValueError,
        r"log densities of shape \(N,\) for N = 20; got \(20, 1\)",
    ),
    "densities are none": (lambda x: (None, x), TypeError, "log densities.*got NoneType"),
    "densities complex": (lambda x: (x[:, 0] * 1j, x), TypeError, "log densities as real numbers"),
    "the wrong way round": (lambda x: (x, x[:, 0]), ValueError, "scores of shape"),
    "no argument": (lambda: 1, TypeError, "takes 0 positional arguments"),
}


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", RETURNS)
def test_a_wrong_return_is_named(name, precision):
    function, kind, text = RETURNS[name]
    with pytest.raises(kind, match=text) as caught:
        starling.sample(function, precision=precision, **GOOD)
    assert not isinstance(caught.value, RuntimeError) and caught.value.flight.done == 0


class Own(np.ndarray):
    pass


FINE = {
    "Fortran order": lambda x: np.asfortranarray(-x),
    "strided": lambda x: np.repeat(-x, 2, axis=0)[::2],
    "half precision": lambda x: (-x).astype("f2"),
    "foreign bytes": lambda x: (-x).astype(">f8"),
    "long double": lambda x: (-x).astype(np.longdouble),
    "a class of its own": lambda x: np.asfortranarray(-x).view(Own),
    "whole numbers": lambda x: np.round(-x).astype(int),
    "densities of NaN": lambda x: (np.full(len(x), np.nan), -x),
}


@pytest.mark.parametrize("name", FINE)
def test_what_is_a_cloud_of_numbers_is_taken(name):
    kept = {}

    def watched(x):
        returned = FINE[name](x)
        kept["scores"] = np.array(returned[1] if isinstance(returned, tuple) else returned, float)
        return returned

    flight = starling.Flight(watched, dim=2, particles=20, steps=3, batch="all").step(1)
    assert np.array_equal(flight.scores, kept["scores"])


SETTINGS = [
    (dict(dim=None), ValueError),
    (dict(dim=0), ValueError),
    (dict(dim=-1), ValueError),
    (dict(dim=2.5), TypeError),
    (dict(dim="2"), TypeError),
    (dict(dim=True), TypeError),
    (dict(seed=-1), ValueError),
    (dict(seed=1.5), ValueError),
    (dict(seed=True), ValueError),
    (dict(seed="x"), ValueError),
    (dict(seed=2**64), ValueError),
    (dict(batch=1), ValueError),
    (dict(batch=21), ValueError),
    (dict(batch="al"), ValueError),
    (dict(batch=2.5), ValueError),
    (dict(kernel="gausian"), ValueError),
    (dict(kernel=3), ValueError),
    (dict(runs=0), ValueError),
    (dict(runs=-1), ValueError),
    (dict(runs=1.5), TypeError),
    (dict(runs=1001), ValueError),
    (dict(particles=0), ValueError),
    (dict(particles=-3), ValueError),
    (dict(particles=1e3), ValueError),
    (dict(particles=[20]), ValueError),
    (dict(steps=-1), ValueError),
    (dict(step_size=np.inf), ValueError),
    (dict(step_size="a"), ValueError),
    (dict(bandwidth=-1), ValueError),
    (dict(bandwidth="med"), ValueError),
    (dict(advance="adma"), ValueError),
    (dict(precision="half"), ValueError),
    (dict(threads=-1), ValueError),
    (dict(deal="x"), ValueError),
    (dict(domain="x"), ValueError),
    (dict(until_converged="no"), TypeError),
    (dict(replace=1), TypeError),
    (dict(start="nrml"), ValueError),
    (dict(start=np.zeros((19, 2))), ValueError),
    (dict(start=np.zeros((20, 3))), ValueError),
    (dict(start=np.zeros(20)), ValueError),
    (dict(start=np.full((20, 2), np.nan)), ValueError),
    (dict(start=np.zeros((20, 2), complex)), TypeError),
    (dict(start=[["a", "b"]] * 20), TypeError),
    (dict(start=[[1, 2], [3]]), ValueError),
    (dict(start="given"), ValueError),
    (dict(start=5), ValueError),
    (dict(start="nowhere.npy"), FileNotFoundError),
    (dict(particle=3), TypeError),
    (dict(curvature=3), TypeError),
    (dict(progress="yes"), ValueError),
    (dict(checkpoint="c", checkpoint_every=0), ValueError),
    (dict(checkpoint="c", checkpoint_every=1.5), TypeError),
    (dict(checkpoint="c", runs=2), ValueError),
    (dict(callback=3), TypeError),
    (dict(names=["a", "a"]), ValueError),
    (dict(names="a"), ValueError),
    (dict(advance=starling.rules.adam(0.1), step_size=0.2), ValueError),
    (dict(advance=starling.rules.adam("fast")), ValueError),
]


@pytest.mark.parametrize(
    "wrong, kind", SETTINGS, ids=lambda value: "-".join(value) if isinstance(value, dict) else ""
)
def test_a_wrong_setting_is_named(wrong, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as caught:
        starling.sample(good, **{**GOOD, **wrong})
    assert not isinstance(caught.value, RuntimeError)
    names = [*wrong, "step_size"] if "advance" in wrong else [*wrong, "nowhere.npy"]
    assert any(name in str(caught.value).replace("-", "_") for name in names)


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (5, TypeError, "target: must be a model or a function; got 5"),
        (None, TypeError, "got NoneType"),
        ("norml", ValueError, "did you mean 'normal'"),
        ("guest", ValueError, "target"),
        ("nowhere.so", FileNotFoundError, "nowhere.so"),
        (__file__, ValueError, "target: must be one of"),
        (starling.stan(__file__), ValueError, "test_package_misuse"),
        (starling.stan("nowhere.so", "data.txt"), ValueError, "data: must be a FILE.json"),
        (starling.Builtin("banana", curvature="x"), ValueError, "curvature"),
        (
            starling.Builtin("banana", correlation=0.5),
            TypeError,
            "correlation: is a setting of normal; the target here is banana",
        ),
        (starling.Builtin("banana", bend=0.5), TypeError, "bend"),
    ],
)
def test_a_wrong_target_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        starling.sample(wrong, **{**GOOD, "dim": None})


def test_a_dimension_that_a_target_does_not_have_is_refused():
    with pytest.raises(ValueError, match="dim: must be 1 for this target; got 3"):
        starling.sample("mixture", **{**GOOD, "dim": 3})
    with pytest.raises(ValueError, match="dim: must be one number; got 2 and 3"):
        starling.sample(starling.Function(good, 3), **GOOD)


@pytest.mark.parametrize(
    "names, kind",
    [
        (["a"], ValueError),
        (["a", "a"], ValueError),
        (["a", 1], TypeError),
        (["a", ""], ValueError),
        (["a", "lp__"], ValueError),
        ("ab", ValueError),
    ],
)
def test_wrong_names_are_refused(names, kind):
    with pytest.raises(kind, match="names|dim: must be one number"):
        starling.sample(starling.Function(good, names=names), **GOOD)


def test_what_is_no_log_density_is_refused():
    for make in (starling.from_jax, starling.from_torch):
        with pytest.raises(TypeError, match="log_density: must be a function; got int"):
            make(3)


def test_settings_have_the_names_the_defaults_and_the_words_of_the_command_line(binary):
    done = subprocess.run(
        [str(binary), "sample", "normal", "--steps", "1", "--dump-config"],
        capture_output=True,
        text=True,
        check=True,
    )
    config = dict(line.split(" = ", 1) for line in done.stdout.splitlines() if " = " in line)
    ours = starling.Flight("normal", steps=1).settings
    compared = 0
    for name, value in ours.items():
        written = config.get(name.replace("_", "-"), config.get(name))
        if written is not None:
            compared += 1
            assert written.strip('"') in (str(value), str(value).lower()), name
    assert compared > 15


def test_sample_names_every_setting_for_all_targets():
    import inspect

    known = inspect.signature(starling.sample).parameters
    groups = {name: group for name, (group, _) in starling._starling.helps().items()}
    general = {name for name, group in groups.items() if group[0].isupper()}
    assert general <= set(known)
    for name in general & set(known):
        assert known[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert known[name].default in (None, starling._starling.defaults()[name]), name
