"""Gradients beside their log densities: what is wrong is named before the run, what is right is
left alone."""

import numpy as np
import pytest

import starling

SETTINGS = dict(particles=60, steps=3, seed=2, threads=1, progress=False)
SD = np.array([1.0, 0.1, 30.0])


def density(x):
    return -0.5 * np.sum((x / SD) ** 2, axis=1)


def score(x):
    return -x / SD**2


def both(change=lambda s: s):
    return lambda x: (density(x), change(score(x)))


def second(factor):
    return both(lambda s: s * np.array([1, factor, 1]))


WRONG = {
    "halved": (
        both(lambda s: s / 2),
        r"the gradient is 0\.5 times the slope of the log density, in every parameter",
    ),
    "flipped": (
        both(lambda s: -s),
        r"the gradient is -1 times the slope.*its sign is wrong, in every parameter",
    ),
    "one halved": (
        second(0.5),
        r"the gradient of parameter x\[2\] is 0\.5 times the slope of the log density",
    ),
    "one flipped": (
        second(-1),
        r"the gradient of parameter x\[2\] is -1 times the slope.*its sign is wrong",
    ),
    "one absent": (second(0), r"the gradient of parameter x\[2\] is (-)?0 times the slope"),
    "a term too much": (
        both(lambda s: s + np.array([0, 0, 5.0])),
        r"parameter x\[3\] is not the slope of the log density",
    ),
}


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_is_named_before_the_run(name, precision):
    function, text = WRONG[name]
    with pytest.raises(starling.TargetError, match=text) as caught:
        starling.sample(function, dim=3, precision=precision, **SETTINGS)
    assert caught.value.flight.done == 0 and "check=False" in str(caught.value)
    starling.sample(function, dim=3, precision=precision, check=False, **SETTINGS)


def test_the_callers_names_are_used():
    with pytest.raises(starling.TargetError, match="parameter slope is 0.5 times"):
        starling.sample(starling.Function(second(0.5), names=["a", "slope", "c"]), **SETTINGS)


def laplace(x):
    return -np.abs(x).sum(axis=1), -np.sign(x)


def with_a_wall(x):
    """Falls by a step beyond 1, of which the score knows nothing, and is minus infinity beyond
    3."""
    density = -0.5 * np.sum(x**2, axis=1) - 5.0 * (np.abs(x) > 1).any(axis=1)
    return np.where((np.abs(x) > 3).any(axis=1), -np.inf, density), -x


def large(x):
    """A density of a million data: single numbers have a sixteenth of resolution there, and come as
    doubles."""
    x = x.astype(np.float32)
    return (np.float32(-1e6) - np.float32(0.5) * (x**2).sum(axis=1, dtype=np.float32)).astype(
        float
    ), -x.astype(float)


def rough(x):
    """The density by a sum whose last digits are noise, the score to two digits."""
    return -0.5 * np.sum(x**2, axis=1) + 1e-9 * np.sin(1e12 * x[:, 0]), -x * 1.01


def single(x):
    x = x.astype(np.float32)
    return -np.float32(0.5) * (x**2).sum(axis=1), -x


def steep(x):
    with np.errstate(over="ignore"):
        return -np.exp(5 * x).sum(axis=1) - x.sum(axis=1) ** 2, -5 * np.exp(5 * x) - 2 * x.sum(
            axis=1
        )[:, None]


def flat(x):
    return np.zeros(len(x)), np.zeros_like(x)


def constant_slope(x):
    return x.sum(axis=1), np.ones_like(x)


def writes_to_its_argument(x):
    x *= -1
    return -0.5 * np.sum(x**2, axis=1), x.copy()


RIGHT = dict(
    normal=lambda x: (-0.5 * np.sum(x**2, axis=1), -x),
    laplace=laplace,
    wall=with_a_wall,
    large=large,
    rough=rough,
    single=single,
    steep=steep,
    flat=flat,
    constant_slope=constant_slope,
    writes=writes_to_its_argument,
)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("dim", [1, 4, 150])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_gradient_is_left_alone(name, dim, precision):
    checked = starling.sample(RIGHT[name], dim=dim, precision=precision, step_size=0.01, **SETTINGS)
    plain = starling.sample(
        RIGHT[name], dim=dim, precision=precision, step_size=0.01, check=False, **SETTINGS
    )
    assert np.array_equal(checked.unconstrained, plain.unconstrained), "the draws are the same"


@pytest.mark.parametrize("seed", range(30))
def test_noise_is_no_fault(seed):
    """A density over data, of which each call sees another tenth: its slopes are all noise."""
    data, rng = np.random.default_rng(7).normal(3, 1, size=(1000, 2)), np.random.default_rng(seed)

    def noisy(x):
        rows = data[rng.choice(1000, rng.choice([1, 10, 100]))]
        apart = rows[None] - x[:, None]
        return -0.5 * 1000 / len(rows) * (apart**2).sum(axis=(1, 2)), 1000 / len(rows) * apart.sum(
            axis=1
        )

    starling.sample(noisy, dim=2, step_size=1e-4, **SETTINGS)


@pytest.mark.parametrize("seed", range(10))
def test_two_batches_in_turn_are_no_fault(seed):
    """The worst of noise: every second answer is the same."""
    rng = np.random.default_rng(seed)

    def noisy(x):
        shift = rng.choice([-1.0, 1.0])
        return -0.5 * ((x - shift) ** 2).sum(axis=1), shift - x

    starling.sample(noisy, dim=2, **SETTINGS)


def test_it_costs_three_calls_at_most_and_none_where_there_is_no_density():
    calls = []

    def counted(answer):
        def function(x):
            calls.append(len(x))
            return answer(x)

        return function

    def count(answer, **how):
        calls.clear()
        starling.sample(counted(answer), dim=2, **SETTINGS, **how)
        return len(calls)

    scores, normal = (lambda x: -x), RIGHT["normal"]
    assert count(scores) == count(scores, check=False)
    assert count(normal) == count(normal, check=False) + 3
    assert count(normal, runs=3) == count(normal, runs=3, check=False) + 3, "once for all runs"


def test_check_must_be_yes_or_no():
    with pytest.raises(TypeError, match="check: must be True or False; got 3"):
        starling.sample(RIGHT["normal"], dim=2, check=3, **SETTINGS)


def test_jax_and_torch_pass_in_single_precision():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    starling.sample(
        starling.from_jax(lambda x: -1e3 - jax.numpy.sum(x**2 / 2 + jax.numpy.exp(x)), dim=3),
        **SETTINGS,
    )


def test_check_shows_right_and_wrong():
    right = starling.check(both(), dim=3)
    assert (
        right.right is True
        and right
        and "the gradient is the slope of the log density" in repr(right)
    )
    assert repr(right).splitlines()[0].split() == ["parameter", "gradient", "slope", "difference"]
    assert np.allclose(right.gradient, right.slope, rtol=1e-6)
    wrong = starling.check(starling.Function(second(0.5), names=["a", "b", "c"]))
    assert wrong.right is False and not wrong
    assert "the gradient of parameter b is 0.5 times the slope of the log density" in repr(wrong)
    assert [line.split()[0] for line in repr(wrong).splitlines()[1:4]] == [
        "b",
        "a",
        "c",
    ] and "wrong" in repr(wrong)
    assert starling.check(both(lambda s: -s), dim=3).sentence.startswith(
        "the gradient is -1 times the slope"
    )
    tiny = starling.check(both(lambda s: s * 1.001), dim=3)
    assert tiny.right is False, "a thousandth is seen, too"


@pytest.mark.parametrize("name", [name for name in RIGHT if name not in ("rough", "writes")])
def test_check_lets_right_ones_pass(name):
    assert starling.check(RIGHT[name], dim=3).right is True


def test_check_says_where_it_cannot_tell():
    assert starling.check(lambda x: -x, dim=2).right is None
    rng = np.random.default_rng(1)
    noisy = starling.check(lambda x: (rng.normal(size=len(x)), -x), dim=2)
    assert noisy.right is None and "gives different answers for the same points" in repr(noisy)
    with pytest.raises(ValueError, match="dim: must be given"):
        starling.check(lambda x: -x)


@pytest.mark.parametrize(
    "target, dim", [("banana", None), ("funnel", 4), ("normal", 3), ("mixture", None)]
)
def test_check_takes_every_target(target, dim):
    assert starling.check(target, dim=dim).right is True
    assert (
        starling.check(target, at=np.full((2, dim or (2 if target == "banana" else 1)), 0.3)).right
        is True
    )


def test_check_does_not_blame_a_target_that_sees_a_part_of_its_data(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        f"{a:.4f},{b:.4f},{int(a + 0.3 * rng.normal() > b)}" for a, b in rng.normal(size=(60, 2))
    ]
    (tmp_path / "d.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    part, whole = (
        starling.check(starling.builtin("logistic", data=tmp_path / "d.csv", data_batch=n))
        for n in (10, 60)
    )
    assert part.right is None and "gives different answers for the same points" in part.sentence
    assert whole.right is True


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("with_density", [True, False])
def test_check_fails_a_gradient_that_is_no_number(value, with_density):
    def holed(x):
        gradient = score(x)
        gradient[x[:, 1] > 0.5, 1] = value
        return (density(x), gradient) if with_density else gradient

    at = np.array([[0.1, 0.2, 0.3], [0.4, 0.7, 0.9], [-1.0, 2.0, 0.0]])
    found = starling.check(starling.Function(holed, names=["a", "slope", "c"]), at=at)
    assert found.right is False and not found
    assert found.sentence == (
        f"the gradient of parameter slope is {value:g} at point 2, (0.4, 0.7, 0.9), where it must "
        "be a number; 1 more is none either"
    )
    assert "slope" in repr(found).splitlines()[1] and "wrong" in repr(found).splitlines()[1]
    assert starling.check(holed, at=at[:1]).right is (True if with_density else None)


def test_check_lets_a_gradient_be_anything_where_the_density_is_zero():
    def walled(x):
        outside = (np.abs(x) > 1).any(axis=1)
        gradient = score(x)
        gradient[outside] = np.nan
        return np.where(outside, -np.inf, density(x)), gradient

    assert starling.check(walled, at=[[0.1, 0.02, 0.3], [5.0, 0.0, 0.0]]).right is True
