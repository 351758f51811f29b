"""Kernels, step rules and targets come from the engine's tables: each has its function, signature
and words."""

import inspect

import numpy as np
import pytest

import starling
from starling import kernels, rules, tables

SETTINGS = dict(dim=1, particles=20, steps=3, seed=1, threads=1, progress=False)
TABLES = starling._starling.tables()


def named(table):
    return {entry["name"]: entry for entry in TABLES[table]}


def test_every_entry_has_its_function():
    for module, table, kind in ((kernels, "kernels", "Kernel"), (rules, "rules", "Rule")):
        assert set(dir(module)) == {kind, *(name.replace("-", "_") for name in named(table))}
        for name, entry in named(table).items():
            function = getattr(module, name.replace("-", "_"))
            signature = inspect.signature(function)
            defaults = {
                key: p.default for key, p in signature.parameters.items() if key != "step_size"
            }
            assert defaults == {s["name"]: s["usual"] for s in entry["settings"]}
            assert function.__name__ == name.replace("-", "_") and function.__doc__.startswith(
                entry["help"]
            )
            assert all(setting["help"] in function.__doc__ for setting in entry["settings"])


@pytest.mark.parametrize("name", named("kernels"))
@pytest.mark.filterwarnings("ignore:kernel riesz")
def test_a_kernel_is_that_of_its_name(name):
    entry = named("kernels")[name]
    plain = getattr(kernels, name.replace("-", "_"))
    usual = {setting["name"]: setting["usual"] for setting in entry["settings"]}
    how = dict(batch=2, advance="constant", step_size=1e-3, **SETTINGS)
    runs = [
        starling.sample(lambda x: -x, kernel=kernel, **how).unconstrained
        for kernel in (name, plain(), plain(**usual))
    ]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
    assert str(plain()) == name


def test_a_new_entry_would_have_one_too():
    entry = dict(
        name="two-words",
        help="A new one",
        settings=[
            dict(
                name="a",
                usual=2.0,
                help="the scale",
                low=0.0,
                high=None,
                range="a positive finite number",
                words=[],
            )
        ],
    )
    made = tables.constructor("here", "kernel", entry, lambda given: given, [], "Kernel")
    assert made() == {} and made(3) == made(a=3) == {"a": 3} and made(a=None) == {}
    assert (
        str(inspect.signature(made)) == "(a: 'float | None' = 2.0) -> 'Kernel'"
        and made.__name__ == "two_words"
    )
    assert "a: the scale (default 2.0; a positive finite number)" in made.__doc__
    with pytest.raises(TypeError, match="b: is not a setting of kernel two-words; it has a"):
        made(b=1)


@pytest.mark.parametrize(
    "call, kind, said",
    [
        (
            lambda: kernels.polynomial(b=1),
            TypeError,
            "b: is not a setting of kernel polynomial; it has a and m$",
        ),
        (
            lambda: kernels.gaussian(h=1),
            TypeError,
            "h: is not a setting of kernel gaussian; it has none$",
        ),
        (
            lambda: kernels.polynomial(a=-1),
            ValueError,
            "kernel polynomial, a: must be a positive finite number; got -1$",
        ),
        (
            lambda: kernels.polynomial(m=2.5),
            ValueError,
            "kernel polynomial, m: must be a whole number from 1 to 64; got 2.5$",
        ),
        (
            lambda: kernels.polynomial(a="x"),
            ValueError,
            "kernel polynomial, a: must be a number; got 'x'$",
        ),
        (lambda: kernels.polynomial(a="1,m=3"), ValueError, "a: must be a number"),
        (lambda: kernels.polynomial(1, 2, 3), TypeError, "polynomial"),
        (
            lambda: kernels.gausian(),
            AttributeError,
            "has no attribute 'gausian'; did you mean gaussian?",
        ),
        (
            lambda: rules.decay(0.5, tua=3),
            TypeError,
            "tua: is not a setting of step rule decay; did you mean tau?",
        ),
        (
            lambda: rules.decay(0.5, tau=-1),
            ValueError,
            "tau: must be a positive finite number; got -1$",
        ),
        (lambda: rules.decay(0.5, 20), TypeError, "decay"),
        (lambda: rules.adm(), AttributeError, "did you mean adam?"),
        (
            lambda: starling.builtin("banana", correlation=1),
            TypeError,
            "correlation: is not a setting of target banana; it has curv",
        ),
        (lambda: starling.builtin("banana", curvatur=1), TypeError, "did you mean curvature?"),
        (
            lambda: starling.builtin("banana", curvature="x"),
            ValueError,
            "curvature: must be a finite number; got 'x'$",
        ),
        (lambda: starling.builtin("normal", dim=0), ValueError, "dim: must be at least 1; got 0$"),
    ],
)
def test_what_is_wrong_is_said_at_once(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_targets_are_told_of():
    assert all(name in starling.builtin.__doc__ for name in named("targets"))
    assert starling.builtin("normal", dim=3, correlation=None).settings == {
        "dim": 3,
        "correlation": None,
    }
    assert {entry["name"] for entry in TABLES["dealers"]} >= {"shuffle", "matching"}
