"""Groups of networks: rows that a group leaves out teach the noise, and move no weight of it."""

import numpy as np
import pytest
import starling
from small_network import apply, init, network_of, waves
from starling import network_groups
from starling.likelihoods import Regression
from starling.network_groups import PARTS, Groups, parts_of
from starling.network_steps import Steps

PARTICLES = 9


def drifts(y, x, positions=None):
    """A step with all rows: where particles are, their groups, and how their weights move."""
    network = starling.from_jax_network(init, apply, (x, y), scale=False, data_batch=len(y))
    work = Steps(network, network.start(PARTICLES, 7), 7)
    _, score = work.predict(0, work.start)
    moved = work.pull(0, work.start, score)
    assert moved.dtype == np.float32
    return work, moved[:, : network.model.dim]


def test_a_network_does_not_feel_a_row_that_its_group_leaves_out():
    x, y = waves(60, 1)
    x, y = x.astype(np.float32), ((y - 100) / 10).astype(np.float32)
    work, before = drifts(y, x)
    assert work.groups.ends == (2, 4, 6, 9)
    parts = parts_of(x, y.reshape(-1, 1))
    for row in (int(np.argmax(parts == 1)), int(np.argmax(parts == 3))):
        changed = y.copy()
        while changed[row] == y[row] or parts_of(x, changed[:, None])[row] != parts[row]:
            changed[row] += np.float32(0.5)
        moved = np.any(drifts(changed, x)[1] != before, axis=1)
        group = parts[row]
        assert not np.any(moved[2 * group : work.groups.ends[group]])
        assert np.sum(moved) == PARTICLES - (work.groups.ends[group] - 2 * group)  # the others do


@pytest.mark.parametrize("noise", ["normal", "student"])
def test_noise_learns_for_the_mixture_of_those_who_leave_the_row_out(noise):
    random = np.random.default_rng(3)
    y = random.normal(size=(12, 2))
    made = Regression(noise, y, scale=False)
    outputs = random.normal(size=(PARTICLES, 12, 2))
    own = np.repeat(random.normal(size=made.start(1).shape), PARTICLES, axis=0)
    groups = Groups.of(PARTICLES, True)
    parts = random.integers(PARTS, size=12)
    left_out = groups.left_out(parts)
    counted = [
        (first, end, row)
        for group, (first, end) in enumerate(groups.bounds)
        for row in np.flatnonzero(parts == group)
    ]
    assert 0 < len(counted) < 12  # some rows are left out by nobody

    def log_likelihood(own):
        one = Regression(noise, y[:1, :1], scale=False)
        total = 0.0
        for first, end, row in counted:
            each = outputs[first:end, row : row + 1]
            mean, m = each.mean(axis=0), end - first
            as_all_differ = np.sqrt((1 + 1 / m - 2 / PARTICLES) / (1 - 1 / m))
            each = mean + as_all_differ * (each - mean)
            for n in range(2):  # outputs are mixtures of their own
                f = one.join(each[:, :, n : n + 1], own[first:end, n::2])
                total += one.log_likelihood(f, y[row : row + 1, n : n + 1])[0]
        return total

    slopes = []
    for at in range(own.shape[1]):
        step = np.zeros_like(own)
        step[:, at] = 1e-5
        slopes.append((log_likelihood(own + step) - log_likelihood(own - step)) / 2e-5)
    of_own = made.score(outputs, own, made.observed(y), left_out)[1]
    np.testing.assert_allclose(of_own, slopes, atol=1e-4)
    of_all = made.score(outputs, own, made.observed(y))[1]
    assert np.max(np.abs(of_all - slopes)) > 0.1  # the test sees who teaches


def share_inside(seed):
    """Of fresh values, in the 80 % band. Networks differ there more than values have noise."""

    def rows(count, seed):
        random = np.random.default_rng(seed)
        x = random.normal(size=(count, 3))
        y = np.abs(x[:, 0]) + np.sin(3 * x[:, 1]) + 0.05 * random.normal(size=count)
        return x, y

    network = starling.from_jax_network(
        lambda key: init(key, 3), apply, rows(200, seed), likelihood="normal"
    )
    held_out = rows(1000, 50 + seed)
    run = starling.sample(network, data=held_out, seed=seed, steps=600, progress=False)
    return run.held_out.inside[0.8][0]


def test_bands_hold_their_share_where_networks_differ(monkeypatch):
    def off():
        """How far the share is from what it should be. Its standard error is .02."""
        return abs(np.mean([share_inside(seed) for seed in range(1, 5)]) - 0.8)

    assert off() < 0.06
    monkeypatch.setattr(network_groups, "GROUPS", 1)  # the control: residuals of rows learned from
    assert off() > 0.09


def test_a_row_is_in_the_same_part_wherever_it_is_read():
    x, y = waves(4000, 1)
    y = y.reshape(-1, 1)
    parts = parts_of(x, y)
    order = np.random.default_rng(1).permutation(len(y))
    assert np.array_equal(parts_of(x[order], y[order]), parts[order])
    expected = len(y) / PARTS
    assert np.all(np.abs(np.bincount(parts, minlength=PARTS) - expected) < 4 * np.sqrt(expected))
    for changed in (parts_of(x, y + 1), parts_of(-x, y)):  # both count, each in its own way
        assert abs(np.mean(changed == parts) - 1 / PARTS) < 4 * np.sqrt(1 / PARTS / len(y))


@pytest.mark.parametrize("x", [np.arange(800).reshape(-1, 1), np.eye(800, dtype=np.uint8)])
def test_parts_of_whole_numbers_are_about_of_one_size(x):
    for y in (np.zeros((800, 1), np.float32), np.arange(800, dtype=np.float32).reshape(-1, 1)):
        assert np.all(np.abs(np.bincount(parts_of(x, y), minlength=PARTS) - 100) < 4 * 10)
    assert np.array_equal(parts_of(0.0 * x, y), parts_of(-0.0 * x, y))


def test_few_particles_and_runs_with_noise_leave_nothing_out():
    counts = [len(Groups.of(n, True).ends) for n in (1, 2, 3, 4, 5, 6, 8, 20)]
    assert counts == [1, 1, 1, 2, 2, 3, 4, 4]
    network = network_of(40)
    for noise_from, groups in ((None, 4), (5, 1)):
        assert len(Steps(network, network.start(20, 1), 1, noise_from).groups.ends) == groups


def test_groups_that_do_not_fit_are_refused():
    for ends in ([], [2], [4], [2, 2, 3], [3, 2, 3]):
        flight = starling._starling.FunctionFlight(
            np.zeros((3, 2), np.float32), 2, 0.5, 0.1, 10, 1, 0, 0.0, 10, 0, ends
        )
        with pytest.raises(ValueError, match="groups: must end one after another, at 3"):
            flight.take(1, lambda k, x: (x, -x), lambda k, x, psi: psi)
