"""Noise of observations around what is expected: its density, slopes and quantiles, in its own
unit. What else the noise learns is one number a, where it has any. Slopes are of arrays of NumPy,
of JAX or of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

REACH = 1e6  # units within which a quantile is looked for


class NormalNoise:
    name, shapes = "normal", 0

    def log_density(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        return self.height(z, a) - np.log(2 * np.pi) / 2

    def along_z(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The slope of the log density."""
        return -z

    def height_and_slopes(self, z: np.ndarray, a: np.ndarray) -> tuple:
        """And the slopes along z and along a."""
        return self.height(z, a), -z, a  # there is no a: its shape is (..., 0)

    def height(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The log density less that at 0."""
        return -z * z / 2

    def below(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The probability of less than z."""
        return _normal_below(z)

    def sd(self, a: np.ndarray) -> float:
        return 1.0


class StudentNoise:
    """Student's t with nu = 2 + 10 exp(a) degrees of freedom: more of them are about normal, and
    with more than 2 there is an sd. a ~ N(0, 1) allows nu from 3 to 100."""

    name, shapes = "student", 1

    def log_density(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        nu = _freedom(a)
        return _log_gamma_ratio(nu / 2) - np.log(np.pi * nu) / 2 + self.height(z, a)

    def height(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        nu = _freedom(a)
        return -(nu + 1) / 2 * math_of(z).log1p(z * z / nu)

    def along_z(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        nu = _freedom(a)
        return -(nu + 1) * z / (nu + z * z)

    def height_and_slopes(self, z: np.ndarray, a: np.ndarray) -> tuple:
        nu = _freedom(a)
        more, squares = nu + 1, z * z
        in_nu = squares / nu
        log, pull = math_of(z).log1p(in_nu), more / (nu + squares)
        along_nu = pull * in_nu - log + _slope_of_log_gamma_ratio(nu)
        return log * (-0.5 * more), -pull * z, along_nu * (0.5 * nu - 1)

    def below(self, z: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Hill's expansion (1970) about the normal distribution: 2e-4 off at most with nu = 2, and
        1e-5 with 3."""
        nu = _freedom(a)
        b = 48 * (nu - 0.5) ** 2
        w = np.sqrt((nu - 0.5) * np.log1p(z * z / nu))
        fourth = ((4 * w**2 + 33) * w**2 + 240) * w**2 + 855
        as_normal = w + (w**3 + 3 * w) / b - w * fourth / (10 * b * (b + 0.8 * w**4 + 100))
        return _normal_below(np.sign(z) * as_normal)

    def sd(self, a: np.ndarray) -> np.ndarray:
        nu = _freedom(a)
        return np.sqrt(nu / (nu - 2))


NOISES = {noise.name: noise for noise in (NormalNoise(), StudentNoise())}


def math_of(array: Any) -> Any:
    """NumPy, or jax.numpy for an array of JAX, or torch for a tensor: what is used of them has the
    same names in all three."""
    if isinstance(array, (np.ndarray, np.generic, float)):
        return np
    if type(array).__module__.partition(".")[0] == "torch":
        import torch

        return torch
    import jax

    return jax.numpy


def _freedom(a: np.ndarray) -> np.ndarray:
    math = math_of(a)
    return 2 + 10 * math.exp(math.clip(a, -20, 10))


def _log_gamma_ratio(x: np.ndarray) -> np.ndarray:
    """log Gamma(x + 1/2) - log Gamma(x) for x >= 1, by Stirling's series at u = x + 3."""
    u = x + 3
    series = np.log(u) / 2 - 1 / (8 * u) + 1 / (192 * u**3) - 1 / (640 * u**5)
    return series + sum(np.log((x + k) / (x + k + 0.5)) for k in range(3))


def _slope_of_log_gamma_ratio(nu: np.ndarray) -> np.ndarray:
    """Its slope along x = nu / 2, less 1/nu: of the series, with h = 1 / (2 u), and of the sum over
    k, with p = nu (nu + 5)."""
    p, h = nu * (nu + 5), (nu + 6) ** -1
    q = h * h
    series = h + q * (0.5 - q * (0.25 - 0.5 * q))
    return series + (4 * p + 40) / (p * (p + 4)) + 2 * (p + 6) ** -1 - nu**-1


def _normal_below(z: np.ndarray) -> np.ndarray:
    """By erf of Abramowitz and Stegun 7.1.26: 1e-7 off, far below what N networks can show."""
    x = z / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = 1.061405429
    for a in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + a
    return (1 + np.sign(x) * (1 - series * t * np.exp(-x * x))) / 2
