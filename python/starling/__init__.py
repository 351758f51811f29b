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
from .flight import Flight, resume
from .frameworks import from_jax, from_pymc, from_torch
from .functions import CFunction, Function, Target
from .gradients import Check, check
from .jax_rows import from_jax_rows
from .pool import Pool, pool
from .result import Result, load
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
    "Plugin",
    "Pool",
    "Result",
    "Rows",
    "Stan",
    "Target",
    "TargetError",
    "builtin",
    "check",
    "from_jax",
    "from_jax_rows",
    "from_pymc",
    "from_rows",
    "from_torch",
    "kernels",
    "load",
    "plots",
    "plugin",
    "pool",
    "resume",
    "rules",
    "sample",
    "simd_level",
    "stan",
    "__version__",
]
