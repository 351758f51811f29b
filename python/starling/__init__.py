"""Samples from a probability distribution known up to a constant, by moving a cloud of particles.

    import numpy as np, starling
    result = starling.sample(lambda x: (-np.sum(x**2, axis=1) / 2, -x), dim=3)
    print(result.summary(), result.verdict)

See docs/python.md.
"""

from .main_interpreter import require_main_interpreter

require_main_interpreter()  # before anything else is loaded

from . import kernels, plots, rules
from ._starling import Diverged, TargetError, simd_level
from ._starling import version as __version__
from .comparison import compare
from .constraints import cholesky_corr, interval, ordered, positive, simplex
from .files import load
from .flight import Flight, resume
from .frameworks import from_jax, from_numpy, from_torch
from .functions import CFunction, Function, Target
from .gradients import Check, check
from .jax_rows import from_jax_rows
from .network_result import NetworkResult, Prediction
from .networks import Network, from_jax_network, from_torch_module
from .numpyro_models import from_numpyro
from .pool import Pool, pool
from .predictions import Prior, prior
from .pymc_models import from_pymc
from .result import Result
from .rows import Rows, from_rows
from .sampling import sample
from .targets import Builtin, Plugin, Stan, builtin, plugin, stan

__all__ = [
    "Builtin",
    "CFunction",
    "Check",
    "Diverged",
    "Flight",
    "Function",
    "Network",
    "NetworkResult",
    "Plugin",
    "Pool",
    "Prediction",
    "Prior",
    "Result",
    "Rows",
    "Stan",
    "Target",
    "TargetError",
    "builtin",
    "check",
    "cholesky_corr",
    "compare",
    "from_jax",
    "from_jax_network",
    "from_jax_rows",
    "from_numpy",
    "from_numpyro",
    "from_pymc",
    "from_rows",
    "from_torch",
    "from_torch_module",
    "interval",
    "kernels",
    "load",
    "ordered",
    "plots",
    "plugin",
    "pool",
    "positive",
    "prior",
    "resume",
    "rules",
    "sample",
    "simd_level",
    "simplex",
    "stan",
    "__version__",
]
