"""What the Python tests share: the binary, one quick run of all experiments, the program that draws
the page."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
# Who starts the tests in the background may have told them not to hear Ctrl-C, which some of them
# send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
COVERTYPE = ROOT.parent / "shared" / "data" / "covtype.csv.xz"


@pytest.fixture(scope="session")
def binary():
    file = Path(os.environ.get("STARLING_BINARY", ROOT / "build" / "release" / "starling"))
    if not file.is_file():
        pytest.fail(
            f"{file}: must be the built binary; build it with scripts/test or set STARLING_BINARY"
        )
    return file


@pytest.fixture(scope="session")
def quick_run(binary, tmp_path_factory):
    """The folder of `starling reproduce --quick`, run once for all tests."""
    folder = tmp_path_factory.mktemp("reproduce") / "out"
    command = [
        str(binary),
        "reproduce",
        "--quick",
        "--out",
        str(folder),
        "--python",
        sys.executable,
    ]
    if COVERTYPE.is_file():
        command += ["--covertype", str(COVERTYPE)]
    else:
        warnings.warn(f"without logistic-accuracy: {COVERTYPE} is not there", stacklevel=1)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=3600)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def results(quick_run):
    """NAME to the contents of NAME.json."""
    return {file.stem: json.loads(file.read_text()) for file in sorted(quick_run.glob("*.json"))}


@pytest.fixture(scope="module")
def double():
    """JAX in double precision."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(scope="module")
def pymc(double):
    return pytest.importorskip("pymc", reason="PyMC is not installed")


@pytest.fixture(scope="session")
def browser():
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("chromium: must be installed to look at pages; the Debian package is chromium")
    with sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=180_000
        )
        yield started
        started.close()


@pytest.fixture
def draw():
    """Runs `python reproduce/page DIR`; the finished process."""

    def run(folder):
        return subprocess.run(
            [sys.executable, str(ROOT / "reproduce" / "page"), str(folder)],
            capture_output=True,
            text=True,
            timeout=1500,
        )

    return run


CARD_ON_HOST = (
    Path(os.environ.get("STARLING_BUILD", ROOT / "build" / "release"))
    / "tests"
    / "libraries"
    / "card_on_host.so"
)


def put_the_host_in_the_place_of_cards():
    """In this process."""
    from starling import _starling

    held = ctypes.CDLL(str(CARD_ON_HOST))
    _starling.open_instead(ctypes.cast(held.card_on_host, ctypes.c_void_p).value)


@pytest.fixture(params=["host", "card"])
def card(request):
    """What stands for device="cuda"; fails without a card if STARLING_REQUIRE_GPU=1."""
    import starling
    from starling import _starling

    if request.param == "card":
        try:
            starling.Flight("normal", dim=2, particles=8, batch=2, steps=1, device="cuda")
        except RuntimeError as error:
            if os.environ.get("STARLING_REQUIRE_GPU") == "1":
                pytest.fail(f"a card is required: {error}")
            pytest.skip(f"no card: {error}")
        yield request.param
        return
    if not CARD_ON_HOST.is_file():
        if os.environ.get("STARLING_REQUIRE_GPU") == "1":
            pytest.skip(f"{CARD_ON_HOST}: is not here")
        pytest.fail(f"{CARD_ON_HOST}: must be built; scripts/test does")
    put_the_host_in_the_place_of_cards()
    yield request.param
    _starling.open_instead(0)
