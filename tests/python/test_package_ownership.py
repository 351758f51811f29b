"""What a run calls lives as long as the run, and what a run holds goes with the interpreter."""

import importlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import starling

ROWS = """
import numpy as np, starling
data = np.random.default_rng(1).normal(size=(50, 2))

def make():
    def likelihood(x, rows, weights):
        apart = data[rows][None] - x[:, None]
        return -0.5 * (apart**2).sum(2) @ weights, np.einsum("nbd,b->nd", apart, weights)
    def prior(x):
        return -0.5 * (x**2).sum(1), -x
    def row_scores(x, rows):
        return data[rows] - x
    return starling.from_rows(likelihood, 50, dim=2, prior=prior, row_scores=row_scores,
                              data_batch=10)
"""


def run(text, **more):
    program = textwrap.dedent(text)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=600, **more
    )


def succeeds(text, says=""):
    ended = run(text)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, says, "")


@pytest.mark.parametrize("method", ["auto", "paper"])
@pytest.mark.parametrize("name", ["likelihood", "prior", "row_scores", "values"])
def test_a_run_goes_on_with_the_functions_that_it_began_with(name, method):
    text = f"""
        import gc
        def flight(target):
            return starling.Flight(target, particles=16, seed=1, method={method!r}).step(3)
        target, same = make(), flight(make())
        begun = flight(target)
        for change in (lambda: setattr(target, {name!r}, None),
                       lambda: setattr(target, {name!r}, make().likelihood),
                       lambda: delattr(target, {name!r})):
            try:
                change()
                print("changed")
            except AttributeError:
                pass
        vars(target).clear()  # nobody should; and yet nothing is lost
        gc.collect()
        assert np.array_equal(begun.step(3).positions, same.step(3).positions)
    """
    succeeds(ROWS + textwrap.dedent(text))


@pytest.mark.parametrize("padded", [False, True])
def test_a_function_lives_as_long_as_its_run(padded):
    succeeds(f"""
        import gc, numpy as np, starling
        target = starling.Function(lambda x: (-(x * x).sum(1) / 2, -x), dim=2, padded={padded})
        flight = starling.Flight(target, particles=16, seed=1).step(3)
        vars(target).clear()
        gc.collect()
        flight.step(3)
    """)


def test_what_a_c_function_is_of_lives_as_long_as_its_run():
    succeeds("""
        import ctypes, gc, weakref, starling
        pointer = ctypes.POINTER(ctypes.c_double)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, pointer, pointer, pointer,
                                ctypes.c_void_p)
        def of_one(d, x, score, density, _):
            for a in range(d):
                score[a] = -x[a]
            density[0] = 0.0
            return 0
        function = kind(of_one)
        gone = weakref.ref(function)
        target = starling.CFunction(function, 2, batched=False)
        flight = starling.Flight(target, particles=16, batch=2, steps=9, threads=1).step(3)
        vars(target).clear()
        del function
        gc.collect()
        flight.step(3)
        assert gone() is not None
        del flight, target
        gc.collect()
        assert gone() is None
    """)


def test_functions_of_rows_that_know_their_own_run_are_collected():
    succeeds(
        ROWS
        + textwrap.dedent("""
        import gc, weakref
        class Model:
            def __call__(self, x, rows, weights):
                return self.made.likelihood(x, rows, weights)
        model = Model()
        model.made = make()
        target = starling.from_rows(model, 50, dim=2)
        model.flight = starling.Flight(target, particles=16).step(2)
        gone = weakref.ref(model)
        del model, target
        gc.collect()
        assert gone() is None
    """)
    )


HELD = """
    import ctypes, threading, time, numpy as np, starling
    def density(x):
        return -(x * x).sum(1) / 2, -x
    result = starling.sample(density, dim=2, particles=16, progress=False, seed=1)
    flight = starling.Flight(density, dim=2, particles=16).step(2)
"""


@pytest.mark.parametrize(
    "holder",
    [
        # A cache of C code that is never emptied: JAX has some, which hold functions of a script.
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(density))",
        """
def hold(*kept):
    ready.set()
    time.sleep(1000)
ready = threading.Event()
threading.Thread(target=hold, args=(result, flight), daemon=True).start()
ready.wait()
""",
    ],
    ids=["a function that outlives the interpreter", "a daemon thread"],
)
def test_nothing_is_said_to_leak_whoever_holds_results(holder):
    ended = run(textwrap.dedent(HELD) + holder)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_nothing_is_said_to_leak_after_numpyro():
    pytest.importorskip("numpyro", reason="NumPyro is not installed")
    ended = run(
        textwrap.dedent(HELD)
        + textwrap.dedent("""
        import jax, numpyro, numpyro.distributions as dist
        from numpyro.infer import MCMC, NUTS
        def model():
            numpyro.sample("x", dist.Normal(0, 1))
        mcmc = MCMC(NUTS(model), num_warmup=5, num_samples=5, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0))
    """)
    )
    assert ended.returncode == 0 and "nanobind" not in ended.stderr, ended.stderr


def test_results_are_there_in_functions_that_run_at_exit():
    succeeds(
        """
        import atexit
        def last():
            print(result.draws["x"].shape, result.verdict, flight.done)
        atexit.register(last)  # before starling is imported: it runs after what starling registers
        import starling
        result = starling.sample("normal", dim=2, particles=16, steps=3, batch=2, progress=False)
        flight = starling.Flight("normal", dim=2, particles=16, steps=3, batch=2).step(2)
        """,
        "(16, 2) cannot tell 2",
    )


def test_a_subinterpreter_is_refused_in_a_sentence_and_the_process_goes_on():
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            importlib.import_module(name)
            break
        except ImportError:
            continue
    else:
        pytest.skip("this Python makes no subinterpreters")
    for before in ("", "import starling"):
        ended = run(f"""
            import sys
            {before}
            import {name} as interpreters
            made = interpreters.create()
            text = "import sys; sys.path[:] = " + repr(sys.path) + '''
            try:
                import starling
            except ImportError as error:
                print(error, flush=True)
            '''.replace(" " * 12, "")
            interpreters.run_string(made, text)
            interpreters.destroy(made)
            import starling
            print(starling.sample("normal", dim=1, steps=2, batch=2, particles=8).draws["x"].shape)
        """)
        lines = ended.stdout.splitlines()
        assert ended.returncode == 0 and ended.stderr == "", ended.stderr
        assert lines[0].startswith("starling: must be imported in the main interpreter; got a sub")
        assert lines[1:] == ["(8,)"]


def test_positions_on_a_card_are_refused_after_the_call(card):
    kept = []

    def on_card(x):
        kept.append(x)
        scores = -np.asarray(x.rows(10**9))
        if card == "card":
            torch = pytest.importorskip("torch", reason="PyTorch is not installed")
            return torch.from_numpy(scores).cuda()
        return scores

    target = starling.Function(lambda x: -x, dim=2, on_card=on_card)
    starling.Flight(target, particles=8, batch=2, steps=4, device="cuda").step(2)
    assert kept[0].shape == (8, 2)
    for use in (lambda x: x.rows(1), lambda x: x.__dlpack__()):
        with pytest.raises(ValueError, match="exist only while the target is called"):
            use(kept[0])
