"""Networks in PyTorch on their device: the steps of the slow twin, the engine with NumPy."""

import os
import signal

import numpy as np
import pytest
import starling
from small_network import HIDDEN, waves
from starling import network_drift, network_flight
from starling.held_out import pair
from starling.network_groups import LeftOut

torch = pytest.importorskip("torch", reason="torch is not installed")
from starling import torch_network_steps  # noqa: E402

STEPS = 12


def run(network, in_loop, monkeypatch, **how):
    monkeypatch.setattr(network_flight, "loop_pays", lambda *_: in_loop)
    how = dict(dict(particles=5, steps=STEPS, seed=2**32 + 4, progress=False), **how)
    return starling.sample(network, **how)


def batches(x, y, size):
    return [(x[k : k + size], y[k : k + size]) for k in range(0, len(x), size)]


def layers(outputs=1):
    last = torch.nn.Linear(HIDDEN, outputs)
    return torch.nn.Sequential(torch.nn.Linear(1, HIDDEN), torch.nn.Tanh(), last)


def square_prior(weights):
    return -sum((array**2).sum() for array in weights.values())


def with_one_slope_for_two():
    """Slopes of two numbers that are added are one tensor for autograd; a third has none."""

    class Sum(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = layers()
            self.a, self.b, self.c = (torch.nn.Parameter(torch.randn(1)) for _ in range(3))
            self.d = torch.nn.Parameter(torch.tensor(0.3))  # of no dimension

        def forward(self, x):
            return self.layers(x) * self.d + (self.a.view(()) + self.b.view(()))

    return Sum()


def of_two_outputs():
    x, y = waves(90, 1)
    rows = batches(x, np.stack([y, -2 * y], axis=1), 20)
    return starling.from_torch_module(lambda: layers(2), rows)


def of_classes():
    x, y = waves(90, 1)
    return starling.from_torch_module(
        lambda: layers(3), (x, (y > 100).astype(int)), likelihood="classes"
    )


def with_own_prior(log_prior=square_prior, **how):
    return starling.from_torch_module(layers, waves(90, 1), log_prior=log_prior, **how)


CASES = {
    "tails": lambda: (starling.from_torch_module(layers, waves(90, 1), data_batch=30), {}),
    "groups of one size": lambda: (
        starling.from_torch_module(layers, waves(90, 1), prior_weight=0.5),
        dict(particles=8),
    ),
    "own prior, noise": lambda: (
        with_own_prior(prior_weight=2, likelihood="normal"),
        dict(noise=0.5),
    ),
    "batches, noise": lambda: (
        starling.from_torch_module(layers, batches(*waves(90, 1), 20)),
        dict(noise=1),
    ),
    "own prior": lambda: (with_own_prior(data_batch=30), dict(particles=9)),
    "flat prior": lambda: (with_own_prior(lambda weights: torch.zeros(())), {}),
    "batches, two outputs": lambda: (of_two_outputs(), dict(particles=9)),
    "classes, one particle": lambda: (of_classes(), dict(particles=1)),
    "classes": lambda: (of_classes(), {}),
    "one slope for two": lambda: (
        starling.from_torch_module(with_one_slope_for_two, waves(90, 1)),
        {},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_loop_is_its_slow_twin(case, monkeypatch):
    """Up to rounding. Adam magnifies it where a slope is about 0, of few numbers, to a step of .01
    at most."""
    network, how = CASES[case]()
    loop, twin = (run(network, fast, monkeypatch, **how).unconstrained for fast in (True, False))
    start = network.start(len(twin), 2**32 + 4)
    assert np.abs(twin - start).max() > 0.05  # they moved
    apart = np.abs(loop - twin) / np.maximum(1, np.abs(twin))
    assert np.median(apart) < 5e-6 and apart.max() < 0.02


@pytest.mark.parametrize("particles", [5, 8])
def test_pairs_in_pieces_and_adam_of_older_versions_differ_by_rounding(particles, monkeypatch):
    network = CASES["tails"]()[0]
    usual = run(network, True, monkeypatch, particles=particles).unconstrained
    monkeypatch.setattr(network_drift, "MOST", 100)
    monkeypatch.setattr(torch_network_steps, "FUSED_ON_A_CPU", (10**6, 0))
    pieces = run(network, True, monkeypatch, particles=particles).unconstrained
    apart = np.abs(usual - pieces) / np.maximum(1, np.abs(usual))
    assert apart.max() < 0.02 and np.median(apart) < 5e-6


def with_slopes_by_columns_or_rows():
    """More than two rows have slopes with other strides."""

    class Turned(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = layers()[0], torch.nn.Linear(HIDDEN, 2, bias=False)

        def forward(self, x):
            x = torch.tanh(self.first(x))
            y = x @ self.last.weight.mT if len(x) <= 2 else (self.last.weight @ x.mT).mT
            return y.sum(dim=1)

    return Turned()


MADE = [layers, with_one_slope_for_two, with_slopes_by_columns_or_rows]


@pytest.mark.parametrize("particles", [1, 5])
@pytest.mark.parametrize("make", MADE)
def test_slopes_are_those_of_the_slow_twin(make, particles):
    """Adam hides a factor of them. One particle has no kernel, and five are in groups."""
    from starling.torch_network_loop import Particles

    network = starling.from_torch_module(make, waves(90, 1), data_batch=90)
    work = network_flight.Steps(network, network.start(particles, 1), 1)
    away = np.random.default_rng(1).normal(size=work.start.shape[1])  # of the prior's draws
    work.start = (work.start + 2 * away).astype(np.float32)
    _, score = work.predict(0, work.start)
    expected, dim = work.pull(0, work.start, score), network.model.dim
    rows, observed, parts = work._read(0)
    put, out = network.model.put, work.groups.left_out(parts)
    found = Particles(work, 0.01, 10, 1, 0.0)
    seen = network.model.data[rows], put(observed), out and LeftOut(*map(put, out))
    found.drift(0, *seen)
    learned = found._slopes[-1].numpy().reshape(particles, -1)
    np.testing.assert_allclose(learned, expected[:, dim:], rtol=1e-3, atol=1e-3)
    if particles == 1:
        for w, slope, unit, of_twin in zip(
            found._arrays, found._slopes, work.prior.units, network.model.arrays(expected[:, :dim])
        ):
            slope = slope.as_strided(w.shape, w.stride()).numpy() * unit
            np.testing.assert_allclose(slope, of_twin, rtol=1e-4, atol=1e-3)


def test_a_run_in_a_loop_is_the_default_and_the_same_seed_gives_the_same_bits(monkeypatch):
    network = starling.from_torch_module(layers, waves(90, 1), data_batch=30)
    how = dict(particles=5, steps=STEPS, progress=False)
    runs = [starling.sample(network, seed=seed, **how).unconstrained for seed in (4, 4, 5)]
    assert np.array_equal(runs[0], run(network, True, monkeypatch, seed=4).unconstrained)
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])


@pytest.mark.parametrize("when", ["rows", "gradient", "move"])
def test_ctrl_c_leaves_whole_steps(when, monkeypatch):
    """The result is that of a run which is asked for so many steps of the same schedule."""
    from starling import torch_network_loop

    network = starling.from_torch_module(layers, waves(40, 1), data_batch=20)
    Loop, Particles = torch_network_loop.Loop, torch_network_loop.Particles
    at = {"rows": (Loop, "_step"), "gradient": (Particles, "_back"), "move": (Particles, "_adam")}
    kind, name = at[when]
    before, calls = getattr(kind, name), []

    def interrupted(self, *given):
        calls.append(self)
        if len(calls) == 7:
            os.kill(os.getpid(), signal.SIGINT)
        return before(self, *given)

    with monkeypatch.context() as patched, pytest.warns(UserWarning, match="interrupted after"):
        patched.setattr(kind, name, interrupted)
        result = run(network, True, patched)
    done = result.settings["steps"]
    assert result.interrupted and 0 < done < STEPS
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    expected = run(network, True, monkeypatch, callback=lambda step: step == done)
    assert expected.settings["steps"] == done
    assert np.array_equal(result.unconstrained, expected.unconstrained)


def test_a_run_that_diverges_says_where(monkeypatch):
    class Steep(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = layers()

        def forward(self, x):
            return 1e30 * self.layers(x) ** 3

    network = starling.from_torch_module(Steep, waves(40, 1))
    with pytest.raises(starling.Diverged, match=r"diverged by step \d+, particle \d: its p"):
        run(network, True, monkeypatch)


def test_normals_are_those_of_jax():
    """Which are those of the engine, test_network_loop.py. JAX has them of 32 bits."""
    from small_network import jnp
    from starling import jax_philox, torch_philox

    seed = 2**40 + 7
    key = np.array([seed & 0xFFFFFFFF, seed >> 32], np.uint32)
    expected = np.asarray(jax_philox.normals(key, jnp.int32(5), 3, 30_001))
    made = torch_philox.normals(seed, 5, 3, 30_001)  # more than one piece
    assert 3 * 15_001 > torch_philox.BLOCKS_AT_ONCE["cpu"]
    np.testing.assert_allclose(made.numpy(), expected, atol=5e-6)


def test_a_module_may_be_on_any_device_and_looks_at_held_out_rows():
    if not torch.cuda.is_available():
        pytest.skip("torch: there must be a GPU; got none")
    network = starling.from_torch_module(lambda: layers().cuda(), waves(200, 1))
    assert network.model.device.type == "cuda"
    result = starling.sample(network, data=pair("data", waves(200, 2)), steps=300, progress=False)
    assert result.held_out.error < 5
