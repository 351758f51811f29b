"""The default method with the density on a card: the same method as on the host, also where JAX
counts in single precision. The host stands in the place of a card; the same tests run on a card
where there is one."""

import numpy as np
import pytest
from test_package_on_card import FRAMEWORKS, PRECISION, needs, numbers, numpy_normal

import starling

COMMON = dict(dim=2, particles=256, seed=3, progress=False, threads=1)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_method_stays_and_the_answer_is_right(card, name):
    needs(name, card)
    there = starling.sample(FRAMEWORKS[name](), device="cuda", **COMMON)
    assert there.settings["method"] == "auto"
    assert there.verdict == "converged"
    assert there.certificate["finding"] == "confirmed"
    x = numbers(there)
    covariance = np.linalg.inv(PRECISION)
    sd = np.sqrt(np.diag(covariance))
    error = 1 / np.sqrt(len(x))  # of a mean in sds; a polished cloud is nearer
    assert np.abs(x.mean(axis=0) / sd).max() < 4 * error
    assert np.abs(np.cov(x.T) / np.outer(sd, sd) - covariance / np.outer(sd, sd)).max() < 6 * error


def test_calls_have_few_sizes_and_each_is_of_the_card(card):
    needs("jax", card)
    target, sizes = FRAMEWORKS["jax"](), set()

    def there(x):
        sizes.add(x.shape[0])
        return target.function.on_card(x)

    own = starling.Function(
        target.function, on_card=there, padded=True, single_on_card=lambda: True
    )
    assert starling.sample(own, device="cuda", check=False, **COMMON).verdict == "converged"
    assert sizes and all(n & (n - 1) == 0 for n in sizes)


def test_a_wrong_density_on_the_card_is_what_the_run_sees(card):
    """So the card is asked, and not the function of the host."""
    needs("jax", card)
    target = FRAMEWORKS["jax"]()
    own = starling.Function(
        target.function,
        on_card=lambda x: tuple(1.3 * part for part in target.function.on_card(x)),
        padded=True,
        single_on_card=lambda: True,
    )
    there = starling.sample(own, device="cuda", check=False, **COMMON)
    wanted = np.linalg.inv(PRECISION) / 1.3
    found = np.cov(numbers(there).T)
    assert np.abs(found / wanted - 1).max() < 0.5
    assert abs(np.trace(found) / np.trace(1.3 * wanted) - 1) > 0.1


def test_scores_alone_are_flown_as_on_the_host(card):
    needs("jax", card)
    target = FRAMEWORKS["jax"]()
    own = starling.Function(
        lambda x: numpy_normal(x)[1],
        on_card=lambda x: target.function.on_card(x)[1],
        single_on_card=lambda: True,
    )
    there = starling.sample(own, device="cuda", check=False, **COMMON)
    here = starling.sample(lambda x: numpy_normal(x)[1], check=False, **COMMON)
    assert there.verdict == here.verdict
    assert there.certificate is None and here.certificate is None
    assert np.isnan(here.log_density).all() and np.isnan(there.log_density).all()


def test_a_function_of_the_host_is_refused(card):
    with pytest.raises(ValueError, match="device: cuda needs a function that works on a GPU"):
        starling.sample(numpy_normal, device="cuda", **COMMON)


def test_rows_of_numpy_are_refused(card):
    target = starling.from_rows(
        lambda x, rows, weights: (np.zeros(len(x)), np.zeros_like(x)), 10, dim=2
    )
    with pytest.raises(ValueError, match="device: cuda needs a function that works on a GPU"):
        starling.sample(target, device="cuda", particles=64, progress=False)


def test_log_densities_of_a_wrong_shape_are_named(card):
    needs("jax", card)
    target = FRAMEWORKS["jax"]()

    def there(x):
        values, scores = target.function.on_card(x)
        return values[:-1], scores

    own = starling.Function(target.function, on_card=there, single_on_card=lambda: True)
    with pytest.raises(ValueError, match=r"must return log densities of shape \(\d+,\)"):
        starling.sample(own, device="cuda", check=False, **COMMON)
