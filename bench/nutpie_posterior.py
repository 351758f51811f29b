# Draws from a compiled Stan model by nutpie's NUTS, for `starling bench posteriors --against
# nutpie`: the same library, data and cores as Starling's own runs. nutpie_posterior.py LIBRARY.so
# DATA.json SEED CORES OUT.npz; prints one line of JSON. Exit 77: nutpie is not there, or not as
# this program knows it.
import sys

sys.path[:] = [p for p in sys.path if p]  # not what happens to lie in the working folder
import itertools
import json
import time

CHAINS, DRAWS = 4, 1000
library, data, seed, cores, out = sys.argv[1:]
try:
    import nutpie
    import numpy as np
    from nutpie import _lib
    from nutpie.compile_stan import CompiledStanModel

    # nutpie's own compile_stan_model compiles the program once more; here the library is there
    # already.
    opened = _lib.StanLibrary(library)
    text = open(data, encoding="utf-8").read() if data else None
    model = _lib.StanModel(opened, {}, {}, {}, int(seed), text, lambda *args, **more: None)
    compiled = CompiledStanModel(
        _coords={}, code="", data=None, library=opened, dims={}, model=model
    )
except Exception as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(77)

begin = time.perf_counter()
trace = nutpie.sample(
    compiled, draws=DRAWS, chains=CHAINS, cores=int(cores), seed=int(seed), progress_bar=False
)
seconds = time.perf_counter() - begin

names, columns = [], []
for name, values in trace.posterior.data_vars.items():
    flat = np.asarray(values, dtype=float)
    for at in itertools.product(*(range(n) for n in flat.shape[2:])):
        names.append(name + ("[" + ",".join(str(i + 1) for i in at) + "]" if at else ""))
        columns.append(flat[(slice(None), slice(None), *at)].ravel())
np.savez(out, names=np.array(names), draws=np.stack(columns, axis=1))
steps = [group.n_steps for group in (trace.warmup_sample_stats, trace.sample_stats)]
print(
    json.dumps(
        {
            "gradients": int(sum(int(s.sum()) for s in steps)),
            "seconds": seconds,
            "diverging": int(trace.sample_stats.diverging.sum()),
            "version": nutpie.__version__,
        }
    )
)
