# Times functions in JAX and PyTorch on a card: their own value and gradient, and steps of Starling
# by them; N = 10^5, d = 10, p = 2. Needs a card, and JAX or PyTorch with their parts for it. From
# the top: PYTHONPATH=build/release/python python bench/on_card.py
import statistics
import time

import numpy as np

import starling

N, D, STEPS, ROWS = 100_000, 10, 200, 500
RNG = np.random.default_rng(1)
DATA = RNG.normal(size=(ROWS, D)).astype(np.float32)
LABELS = (RNG.random(ROWS) < 0.5).astype(np.float32)


def microseconds(call, repeats=7):
    """Of one of STEPS, the median of the repeats; the first call only warms up."""
    seconds = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(seconds[1:]) / STEPS


def a_step(target):
    flight = starling.Flight(
        target,
        dim=D,
        particles=N,
        batch=2,
        deal="moebius",
        bandwidth=float(D),
        step_size=0.01,
        seed=1,
        steps=10**6,
        precision="single",
        device="cuda",
    )
    flight.step(100)
    return microseconds(lambda: flight.step(STEPS))


def tell(what, waited, in_a_row, step):
    print(
        f"{what}: value and gradient {waited:.1f} us each waited for, {in_a_row:.1f} us in a row; "
        f"a step {step:.1f} us, "
        f"{step / waited:.2f} and {step / in_a_row:.2f} times",
        flush=True,
    )


def with_jax():
    import jax
    import jax.numpy as jnp

    data, labels = jnp.asarray(DATA), jnp.asarray(LABELS)

    def banana(x):
        return -0.5 * jnp.sum(x[::2] ** 2) - 0.5 * jnp.sum((x[1::2] - 0.5 * (x[::2] ** 2 - 1)) ** 2)

    def logistic(w):
        z = data @ w
        return jnp.sum(labels * z - jnp.logaddexp(0.0, z)) - 0.5 * jnp.sum(w * w)

    for name, function in (("banana", banana), (f"logistic, {ROWS} rows", logistic)):
        own = jax.jit(jax.vmap(jax.value_and_grad(function)))
        x = jnp.asarray(RNG.normal(size=(N, D)).astype(np.float32))

        def in_a_row():
            for _ in range(STEPS):
                last = own(x)
            last[1].block_until_ready()

        waited = microseconds(lambda: [own(x)[1].block_until_ready() for _ in range(STEPS)])
        tell(
            f"jax {jax.__version__}, {name}",
            waited,
            microseconds(in_a_row),
            a_step(starling.from_jax(function)),
        )


def with_torch():
    import torch

    data, labels = torch.as_tensor(DATA, device="cuda"), torch.as_tensor(LABELS, device="cuda")

    def banana(x):
        a, b = x[:, ::2], x[:, 1::2]
        return -0.5 * (a**2).sum(1) - 0.5 * ((b - 0.5 * (a**2 - 1)) ** 2).sum(1)

    def logistic(w):
        z = w @ data.to(w.device).T
        return (labels.to(w.device) * z - torch.nn.functional.softplus(z)).sum(1) - 0.5 * (
            w * w
        ).sum(1)

    for name, function in (("banana", banana), (f"logistic, {ROWS} rows", logistic)):
        x = torch.randn(N, D, device="cuda")

        def own():
            given = x.detach().requires_grad_(True)
            return torch.autograd.grad(function(given).sum(), given)[0]

        def waited():
            for _ in range(STEPS):
                own()
                torch.cuda.synchronize()

        def in_a_row():
            for _ in range(STEPS):
                own()
            torch.cuda.synchronize()

        tell(
            f"torch {torch.__version__}, {name}",
            microseconds(waited),
            microseconds(in_a_row),
            a_step(starling.from_torch(function)),
        )


print(f"a step of the built-in normal: {a_step('normal'):.1f} us", flush=True)
for part in (with_jax, with_torch):
    try:
        part()
    except (ImportError, RuntimeError, ValueError) as error:
        print(f"{part.__name__}: {error}", flush=True)
