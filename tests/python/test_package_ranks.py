"""sample(comm=...): ranks that mpirun started have the bits of one process with as many blocks."""

import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import starling
from test_package_on_card import COMMON, jax_normal, needs

# Several on few cores, by root, without what containers forbid.
MANY = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
MPIRUN = shutil.which("mpirun")


def score(x):
    """Log densities and scores of a normal with a wave, by one product over all rows that are asked
    for."""
    metric = np.array([[2.0, 0.3], [0.3, 1.0]])
    return -0.5 * np.einsum("ni,ij,nj->n", x, metric, x) + np.cos(x[:, 0]), -x @ metric - np.stack(
        [np.sin(x[:, 0]), 0 * x[:, 0]], 1
    )


RAW = dict(dim=2, particles=130, batch=4, steps=12, seed=3, progress=False)
STAGED = dict(dim=2, particles=60, seed=3, progress=False)


@pytest.fixture
def ranks(tmp_path):
    """ranks(n, lines): these lines on n ranks, after some that every script begins with; what they
    printed."""
    missing = "mpirun: is not here" if not MPIRUN else ""
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        missing = "mpi4py: is not installed"
    if missing and os.environ.get("STARLING_REQUIRE_MPI") == "1":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)

    def run(n, lines, code=0):
        script = tmp_path / "script.py"
        script.write_text(
            "import sys, time\nimport numpy as np, starling\nfrom mpi4py import MPI\n"
            "from test_package_ranks import score, RAW, STAGED\ncomm = MPI.COMM_WORLD\n"
            + textwrap.dedent(lines)
        )
        path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
        done = subprocess.run(
            [MPIRUN, "-n", str(n), sys.executable, "-m", "mpi4py", str(script)],
            cwd=tmp_path,
            timeout=1400,
            capture_output=True,
            text=True,
            env={**os.environ, **MANY, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        )
        assert (done.returncode == 0) == (code == 0), done.stderr
        return done

    return run


@pytest.mark.parametrize("settings", ["RAW", "STAGED"])
def test_ranks_have_the_bits_of_one_process_and_each_sees_its_own_rows(ranks, tmp_path, settings):
    alone = starling.sample(score, blocks=64, **globals()[settings])
    for n in (2, 3):
        ranks(
            n,
            f"""
            seen = []
            def counted(x):
                seen.append(len(x))
                return score(x)
            result = starling.sample(counted, comm=comm, check=False, **{settings})
            np.save(f"draws-{{comm.size}}-{{comm.rank}}.npy", result.unconstrained)
            np.save(f"seen-{{comm.size}}-{{comm.rank}}.npy", seen)
            """,
        )
        rows = [np.load(tmp_path / f"seen-{n}-{rank}.npy").sum() for rank in range(n)]
        assert max(rows) < 0.7 * sum(rows)
        for rank in range(n):
            np.testing.assert_array_equal(
                np.load(tmp_path / f"draws-{n}-{rank}.npy"), alone.unconstrained
            )


def test_a_state_of_ranks_goes_on_with_another_number_of_them(ranks, tmp_path):
    whole = starling.sample(score, blocks=64, **RAW)
    ranks(
        3,
        """
        settings = {key: RAW[key] for key in RAW if key != "progress"}
        flight = starling.Flight(score, comm=comm, **settings)
        flight.step(5)
        flight.save("state")
        try:
            __import__("pickle").dumps(flight)
        except TypeError as error:
            assert "several ranks" in str(error)
        """,
    )
    assert (tmp_path / "state").is_file()
    ranks(
        2,
        """
        flight = starling.resume("state", score, dim=2, comm=comm)
        flight.step(100)
        positions = flight.positions
        comm.rank or np.save("positions.npy", positions)
        """,
    )
    np.testing.assert_array_equal(np.load(tmp_path / "positions.npy"), whole.unconstrained)
    np.testing.assert_array_equal(
        starling.resume(tmp_path / "state", score, dim=2).step(100).positions, whole.unconstrained
    )


def test_what_one_rank_raises_or_is_told_ends_all(ranks, tmp_path):
    ranks(
        3,
        """
        def fails(x):
            if comm.rank == 1:
                raise ValueError("not here")
            return score(x)
        try:
            starling.sample(fails, comm=comm, check=False, **RAW)
        except Exception as error:
            assert "not here" in str(error), error
            assert isinstance(error, ValueError) == (comm.rank == 1)
        else:
            raise SystemExit("nothing was raised")
        def stops(flight):
            return comm.rank == 2 and flight.done >= 4
        result = starling.sample(score, comm=comm, callback=stops, **RAW)
        assert result._summary['steps_done'] < RAW["steps"], result._summary
        try:
            starling.sample(score, comm=comm, **{**RAW, "seed": comm.rank})
        except RuntimeError as error:
            assert "same settings" in str(error), error
        else:
            raise SystemExit("other seeds were taken")

        def refused(words, **settings):
            try:
                starling.sample(score, comm=comm, **{**RAW, **settings})
            except Exception as error:
                assert words in str(error), error
            else:
                raise SystemExit(f"{words}: nothing was raised")

        def raises(flight):
            if comm.rank == 1:
                raise ValueError("a callback's own")
        other = np.full((RAW["particles"], 2), 1.0 + comm.rank)
        refused("all ranks must have the same start", start=other)
        refused("a callback's own", callback=raises)
        refused("the same on all ranks", callback=raises if comm.rank == 0 else None)
        refused("PathLike", checkpoint=5)
        """,
    )


def test_ctrl_c_on_one_rank_stops_all_with_what_there_is(ranks):
    ranks(
        2,
        """
        import os, signal, threading, warnings
        warnings.simplefilter("ignore")
        for more in (dict(), dict(callback=lambda flight: False)):  # also between callbacks
            calls = []
            def counted(x):
                calls.append(1)
                if comm.rank == 1 and len(calls) == 20:  # steps are taken by then
                    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
                return score(x)
            comm.Barrier()
            result = starling.sample(counted, comm=comm, **more, **{**RAW, "steps": 10**7})
            assert result.interrupted and 0 < result._summary['steps_done'] < 10**7
        """,
    )


def test_ctrl_c_on_one_rank_before_the_first_step_stops_all_too(ranks):
    ranks(
        2,
        """
        import signal, warnings
        warnings.simplefilter("ignore")
        from starling.ranks import Ranks
        for place in ("_join", "same"):  # where all ranks wait for each other
            before = getattr(Ranks, place)
            def pressed(self, *given):
                if comm.rank == 1:
                    signal.raise_signal(signal.SIGINT)
                before(self, *given)
            setattr(Ranks, place, pressed)
            result = starling.sample(score, comm=comm, **{**RAW, "steps": 10**7})
            setattr(Ranks, place, before)
            assert result.interrupted and 0 < result._summary['steps_done'] < 10**7
        """,
    )


def test_a_comm_that_is_none_is_refused(ranks):
    ranks(
        1,
        """
        try:
            starling.sample(score, comm=3, **RAW)
        except TypeError as error:
            assert "comm: must be a communicator of mpi4py" in str(error), error
        else:
            raise SystemExit("a number was taken for a communicator")
        """,
    )  # in a process of its own: an MPI that has begun leaves its marks in the environment
    ranks(
        3,
        """
        try:
            starling.sample(score, comm=comm, blocks=2, **RAW)
        except ValueError as error:
            assert str(error) == "blocks: 2 blocks are too few for 3 ranks", error
        else:
            raise SystemExit("too few blocks were taken")
        """,
    )


def test_ranks_with_a_card_each_have_the_bits_of_one_process(card, ranks, tmp_path):
    needs("jax", card)
    settings = dict(device="cuda", precision="single", blocks=5, **COMMON)
    alone = starling.sample(jax_normal(), **settings)
    ranks(
        3,
        f"""
        import os
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        from conftest import put_the_host_in_the_place_of_cards
        from test_package_on_card import jax_normal
        {card == "host"} and put_the_host_in_the_place_of_cards()
        result = starling.sample(jax_normal(), comm=comm, **{settings})
        np.save(f"draws-{{comm.rank}}.npy", result.unconstrained)
        assert any("go through the CPU" in warning for warning in result.warnings), result.warnings
        try:
            starling.sample("normal", comm=comm, **{settings})
        except ValueError as error:
            assert "use one rank" in str(error), error
        else:
            raise SystemExit("cards had nothing to share out")
        """,
    )
    for rank in range(3):
        np.testing.assert_array_equal(np.load(tmp_path / f"draws-{rank}.npy"), alone.unconstrained)
