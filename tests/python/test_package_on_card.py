"""Functions of Python's on a card: positions and scores stay there. Here the host stands in the
place of a card; the same tests run on a card where there is one, and fail without one if
STARLING_REQUIRE_GPU=1."""

import pickle

import numpy as np
import pytest

import starling

PRECISION = np.array([[2.0, 0.6], [0.6, 1.0]])
COMMON = dict(
    dim=2,
    particles=101,
    batch=4,
    deal="moebius",
    bandwidth=2.0,
    advance="constant",
    step_size=0.1,
    steps=70,
    seed=3,
    progress=False,
    threads=1,
)


def numbers(result):
    """All draws, (N, d)."""
    return np.column_stack([part.reshape(len(part), -1) for part in result.draws.values()])


def numpy_normal(x):
    s = -x @ PRECISION.astype(x.dtype)
    return 0.5 * (x * s).sum(axis=1), s


def jax_normal():
    pytest.importorskip(
        "jax"
    )  # no product of matrices: on a card JAX makes those with ten bits, unless told otherwise
    return starling.from_jax(lambda x: -(x[0] * x[0] + 0.6 * x[0] * x[1] + 0.5 * x[1] * x[1]))


def torch_normal():
    torch = pytest.importorskip("torch")

    def log_density(x):
        return -0.5 * ((x @ torch.as_tensor(PRECISION, dtype=x.dtype, device=x.device)) * x).sum(
            dim=1
        )

    return starling.from_torch(log_density)


FRAMEWORKS = {"jax": jax_normal, "torch": torch_normal}


def needs(name, card):
    """The framework's own part for a card."""
    if card == "card" and name == "jax":
        jax = pytest.importorskip("jax")
        try:
            jax.devices("cuda")
        except RuntimeError as error:
            pytest.skip(f"JAX has no card: {error}")
    if card == "card" and name == "torch" and not pytest.importorskip("torch").cuda.is_available():
        pytest.skip("PyTorch has no card")


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_function_flies_on_a_card_as_on_the_host(card, name):
    needs(name, card)
    target = FRAMEWORKS[name]()
    there = starling.sample(target, device="cuda", precision="single", **COMMON)
    here = starling.sample(numpy_normal, precision="double", **COMMON)
    assert (
        np.abs(numbers(there) - numbers(here)).max() < 1e-4
    )  # seventy steps of single precision, rows that travel
    assert there.log_density.shape == here.log_density.shape


def test_torch_flies_in_double_precision(card):
    needs("torch", card)
    there = starling.sample(torch_normal(), device="cuda", precision="double", **COMMON)
    here = starling.sample(numpy_normal, precision="double", **COMMON)
    assert np.abs(numbers(there) - numbers(here)).max() < 1e-10


def test_scores_that_are_wrong_are_seen(card):
    needs("jax", card)
    target = jax_normal()
    own = starling.Function(
        target.function, on_card=lambda x: tuple(1.3 * part for part in target.function.on_card(x))
    )
    there = starling.sample(own, device="cuda", precision="single", **COMMON)
    here = starling.sample(numpy_normal, precision="double", **COMMON)
    assert np.abs(numbers(there) - numbers(here)).max() > 1e-2


def test_jax_in_double_precision_needs_x64(card):
    needs("jax", card)
    with pytest.raises(
        ValueError,
        match="precision: must be single on a GPU, since JAX computes in single precision",
    ):
        starling.sample(jax_normal(), device="cuda", precision="double", **COMMON)


def test_a_function_of_numpy_is_refused(card):
    with pytest.raises(ValueError, match="device: cuda needs a function that works on a GPU"):
        starling.sample(numpy_normal, device="cuda", **COMMON)


def test_an_exception_comes_back_as_itself_and_the_steps_before_it_stand(card):
    needs("jax", card)
    target, calls = jax_normal(), []

    def failing(x):
        calls.append(x.shape)
        if len(calls) == 20:
            raise KeyError("on purpose")
        return target.function.on_card(x)

    own = starling.Function(target.function, on_card=failing)
    with pytest.raises(KeyError, match="on purpose") as caught:
        starling.sample(own, device="cuda", precision="single", check=False, **COMMON)
    assert caught.value.flight.done < 20
    assert set(calls) == {(101, 2)}
    assert np.isfinite(caught.value.flight.positions).all()


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda s: s[:-1], r"must return scores of shape \(101, 2\) and float32"),
        (lambda s: s.astype("int32"), "int32"),
        (lambda s: np.asarray(s).tolist(), "got list"),
        (lambda s: (s, s, s), "got a tuple of 3"),
    ],
)
def test_what_is_no_score_is_refused(card, wrong, words):
    needs("jax", card)
    target = jax_normal()
    own = starling.Function(target.function, on_card=lambda x: wrong(target.function.on_card(x)[1]))
    with pytest.raises(ValueError, match=words):
        starling.sample(own, device="cuda", precision="single", check=False, **COMMON)


def test_scores_that_are_no_numbers_are_named(card):
    needs("jax", card)
    target = jax_normal()

    def spoiled(x):
        densities, scores = target.function.on_card(x)
        return densities, scores.at[7, 1].set(float("nan"))

    own = starling.Function(target.function, on_card=spoiled)
    with pytest.raises(
        starling.TargetError, match="step 0, particle 7: the score of parameter 1 is nan"
    ):
        starling.sample(own, device="cuda", precision="single", check=False, **COMMON)


def test_a_wrong_gradient_on_the_host_is_found_before_the_first_step(card):
    needs("jax", card)
    target = jax_normal()

    def wrong(x):
        densities, scores = target.function(x)
        return densities, 2 * scores

    own = starling.Function(wrong, on_card=target.function.on_card)
    with pytest.raises(starling.TargetError, match="is 2 times the slope of the log density"):
        starling.sample(own, device="cuda", precision="single", **COMMON)


def test_a_run_goes_on_on_the_host(card, tmp_path):
    needs("torch", card)
    target = torch_normal()
    flight = starling.Flight(
        target,
        device="cuda",
        precision="double",
        **{k: v for k, v in COMMON.items() if k != "progress"},
    )
    flight.step(30)
    again = pickle.loads(
        pickle.dumps(
            starling.Flight(
                starling.from_torch(ring),
                dim=2,
                particles=8,
                batch=2,
                steps=3,
                device="cuda",
                precision="double",
            )
        )
    )
    assert again.step(3).over
    whole = starling.sample(numpy_normal, precision="double", **COMMON)
    assert np.abs(flight.step(40).positions - numbers(whole)).max() < 1e-10


def ring(x):
    return -(((x * x).sum(dim=1) - 1) ** 2)


def test_bad_arguments():
    with pytest.raises(TypeError, match="on_card: must be a function; got int"):
        starling.Function(numpy_normal, on_card=3)
