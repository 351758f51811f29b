"""Control variates for the drift of random batches: what they would gain, at equal cost.

    python3 bench/control_variates.py [POSTERIORS]

A batch of p has the drift's variance Lambda (1/(p-1) - 1/(N-1)), Lambda the variance of F_ij over j
(Lemma 1). With a control variate the batch sums F - beta G and the exact mean of beta G over all N
is added, so Lambda is that of F - beta G, beta the best there is. The cost of G is counted in pairs
of F, and the plain batch gets as many more particles: printed is variance with / variance without,
at equal cost. Below 1 the control variate wins. Needs numpy."""

import os
import sys

import numpy as np


def gaussian_forces(x, s, h):
    delta = x[:, None] - x[None]
    k = np.exp(-(delta**2).sum(-1) / (2 * h))
    return k[..., None] * (s[None] + delta / h)


def bandwidth(x):
    r2 = ((x[:, None] - x[None]) ** 2).sum(-1)[np.triu_indices(len(x), 1)]
    return np.median(np.sqrt(r2)) ** 2 / (2 * np.log(len(x)))


def constant(x, s, h, rng):
    return np.broadcast_to(s[None], (len(x), *s.shape)), lambda d, p: 0.1 * p


def bilinear(x, s, h, rng):
    y = x - x.mean(0)
    g = (1 + y @ y.T)[..., None] * s[None] + y[:, None]
    # 4 d^2 flops a particle for the means and their use; 4 d more for each pair
    return g, lambda d, p: (4 * d * d + 4 * d * p) / (6 * d + 20)


def fourier(features):
    def make(x, s, h, rng):
        w = rng.standard_normal((features, x.shape[1])) / np.sqrt(h)
        b = rng.uniform(0, 2 * np.pi, features)
        c, z = np.cos(x @ w.T + b), np.sin(x @ w.T + b)
        k = 2 / features * c @ c.T
        grad = -2 / features * np.einsum("if,jf,fa->ija", c, z, w)
        # features, their sums over all and over the batch, and both again for each particle
        return k[..., None] * s[None] + grad, lambda d, p: features * (10 * d + 20) / (6 * d + 20)

    return make


def lam(f):
    """Mean over i of the variance over j != i."""
    n = len(f)
    off = ~np.eye(n, dtype=bool)
    rows = f[off].reshape(n, n - 1, -1)
    return ((rows - rows.mean(1, keepdims=True)) ** 2).sum(-1).sum(1).mean() / (n - 2)


def best(f, g):
    """Lambda of F - beta G for the best beta."""
    n = len(f)
    off = ~np.eye(n, dtype=bool)
    a, b = (v[off].reshape(n, n - 1, -1) for v in (f, g))
    a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    beta = (a * b).sum() / (b * b).sum()
    return lam(f - beta * g)


def ratio(f, g, extra, d, p):
    n = len(f)
    left = lambda q: max(1 / (q - 1) - 1 / (n - 1), 0)
    plain = lam(f) * left(min(p + extra(d, p), n))
    return best(f, g) * left(p) / plain if plain > 0 else np.inf


def mixture(steps, n=256, p=8, seed=0):
    """Section 4.1 on its way: RBM-SVGD from N(-10, 1), h = .35, AdaGrad .2."""
    rng = np.random.default_rng(seed)
    x, memory = rng.normal(-10, 1, (n, 1)), None

    def score(x):
        a, b = np.exp(-((x + 2) ** 2) / 2) / 3, 2 * np.exp(-((x - 2) ** 2) / 2) / 3
        far = a + b < 1e-250
        t = np.where(far, x < 0, a / np.where(far, 1, a + b))
        return -(x - np.where(far, np.sign(x) * 2, 2 - 4 * t))

    for _ in range(steps):
        s, drift = score(x), np.empty_like(x)
        for batch in np.array_split(rng.permutation(n), n // p):
            f = gaussian_forces(x[batch], s[batch], 0.35)
            own = f[np.arange(len(batch)), np.arange(len(batch))]
            drift[batch] = own / n + (n - 1) / (n * (len(batch) - 1)) * (f.sum(1) - own)
        memory = drift**2 if memory is None else 0.9 * memory + 0.1 * drift**2
        x = x + 0.2 * drift / (1e-6 + np.sqrt(memory))
    return x, score(x), 0.35


def logistic(d=20, rows=500, n=256, seed=1):
    """Draws around the mode of a logistic regression, in the Laplace frame, with its true
    scores."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((rows, d))
    y = rng.random(rows) < 1 / (1 + np.exp(-a @ rng.standard_normal(d)))
    w = np.zeros(d)
    for _ in range(30):
        q = 1 / (1 + np.exp(-a @ w))
        hessian = a.T @ (a * (q * (1 - q))[:, None]) + np.eye(d)
        w = w + np.linalg.solve(hessian, a.T @ (y - q) - w)
    frame = np.linalg.cholesky(np.linalg.inv(hessian))
    z = rng.standard_normal((n, d))
    x = w + z @ frame.T
    s = (y - 1 / (1 + np.exp(-x @ a.T))) @ a - x
    return z, s @ frame, None


def posterior(folder, n=256):
    """Reference draws in their own frame; scores are those of the normal with their moments."""
    draws = np.load(os.path.join(folder, "reference.npz"))
    x = next(draws[k] for k in draws.files if draws[k].ndim >= 2 and draws[k].dtype.kind == "f")
    x = x.reshape(-1, x.shape[-1])
    x = x[:, x.std(0) > 0]
    x = (x - x.mean(0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(x.T).reshape(x.shape[1], -1))).T
    x = x[np.linspace(0, len(x) - 1, n).astype(int)]
    return x, -x, None


def main():
    clouds = [(f"section 4.1, step {k}", mixture(k)) for k in (0, 50, 500)]
    clouds += [("logistic, d = 5", logistic(5)), ("logistic, d = 20", logistic(20))]
    for folder in sys.argv[1:]:
        for name in sorted(os.listdir(folder)):
            if os.path.exists(os.path.join(folder, name, "reference.npz")):
                try:
                    clouds.append((name, posterior(os.path.join(folder, name))))
                except np.linalg.LinAlgError:
                    pass  # parameters that determine each other
    makers = [
        ("constant", constant),
        ("bilinear", bilinear),
        *((f"fourier {m}", fourier(m)) for m in (8, 32, 128)),
    ]
    print(f"{'cloud':<44} {'d':>3} {'p':>3} " + " ".join(f"{name:>11}" for name, _ in makers))
    for name, (x, s, h) in clouds:
        h = h or bandwidth(x)
        f, d = gaussian_forces(x, s, h), x.shape[1]
        made = [make(x, s, h, np.random.default_rng(2)) for _, make in makers]
        for p in (2, 8, 32):
            print(
                f"{name:<44.44} {d:>3} {p:>3} "
                + " ".join(f"{ratio(f, g, extra, d, p):>11.2f}" for g, extra in made),
                flush=True,
            )


main()
