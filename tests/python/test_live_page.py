"""The live page: it is the one that the sources give, and in a browser it computes what the command
line computes."""

import importlib.util
import json
import re
import shlex
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "live" / "index.html"


def build():
    spec = importlib.util.spec_from_file_location("live_build", ROOT / "live" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_in_the_tree_was_built_from_the_files_beside_it():
    made = build()
    page = PAGE.read_text()
    assert made.digest_in(page) == made.digest_of_sources(), (
        "docs/live/index.html must be built anew: scripts/live"
    )
    assert sorted(file.name for file in (ROOT / "live").iterdir() if file.is_file()) == sorted(
        made.OWN
    )
    for name in ("style.css", "page.js"):
        assert (ROOT / "live" / name).read_text() in page


def test_it_is_small_and_asks_nobody_for_anything():
    page = PAGE.read_text()
    assert len(page) < 2_000_000
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)


@contextmanager
def opened(browser, address="", **settings):
    context = browser.new_context(
        **{
            "viewport": {"width": 1200, "height": 900},
            "offline": True,
            "reduced_motion": "reduce",  # else it flies by itself
            **settings,
        }
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.heard = []
    page.on("console", lambda message: page.heard.append(message.text))
    page.on("pageerror", lambda error: page.heard.append(str(error)))
    page.goto(PAGE.as_uri() + address)
    page.wait_for_selector("html[data-ready=yes]")
    yield page
    assert page.heard == []
    context.close()


def positions(page, particles, dim):
    flat = page.evaluate(f"""(() => {{ const all = [];
        for (let i = 0; i < {particles}; i++) for (let a = 0; a < {dim}; a++)
        all.push(starlingLive.coordinate(0, i, a)); return all; }})()""")
    return np.array(flat).reshape(particles, dim)


@pytest.mark.parametrize(
    ("address", "steps", "dim"),
    [("#t=banana&p=2&kernel=imq", 500, 2), ("", 150, 1), ("#t=mixture&n=128&p=4", 60, 2)],
)
def test_the_numbers_are_those_of_the_command_that_it_gives(
    browser, binary, tmp_path, address, steps, dim
):
    """Roundings differ between compilers as they do between the program's own SIMD levels, and
    particles that repel each other amplify them alike: so the page may be as far from one level as
    a hundred times what the levels are apart, or a hundred roundings of a number of size ten a
    step."""
    with opened(browser, address) as page:
        page.evaluate(f"starlingLive.goTo({steps})")
        command = page.evaluate("starlingLive.asCommand()")
        particles = page.evaluate("starlingLive.state.n")
        mine = positions(page, particles, dim)
    levels = []
    for level in (["--simd", "scalar"], []):
        out = tmp_path / f"out{len(levels)}"
        words = shlex.split(command)[1:]
        subprocess.run([str(binary), *level, *words, "--quiet", "--out", str(out)], check=True)
        levels.append(np.load(out / "draws.npz")["draws"])
    apart = np.abs(levels[0] - levels[1]).max()
    allowed = 100 * max(apart, 10 * steps * np.finfo(float).eps)
    assert allowed < 1e-2, "these runs must be steady enough to say anything"
    assert np.abs(mine - levels[0]).max() <= allowed
    assert (
        np.abs(np.roll(mine, 1, axis=0) - levels[0]).max() > 0.1
    )  # and other numbers would be noticed


@pytest.mark.parametrize("target", ["banana", "funnel", "line"])
def test_the_default_run_ends_with_the_verdict_of_the_command_line(
    browser, binary, tmp_path, target
):
    """Figures are rounded in the sentence, to more than compilers differ by. The page names
    parameters by its axes, x and y; those of a funnel are v and x for the command."""
    with opened(browser, f"#t={target}&n=256") as page:
        page.evaluate("starlingLive.take(1)")
        assert page.evaluate("starlingLive.stage()") == "scout"
        page.evaluate("while (!starlingLive.over()) starlingLive.take(1); starlingLive.look()")
        assert page.locator("#stages .now").inner_text() == "verdict"
        said = page.locator("#verdict2").inner_text(), page.locator("#sentence2").inner_text()
        words = shlex.split(page.evaluate("starlingLive.asDefault()"))[1:]
        distance = page.evaluate("starlingLive.figure(2, 0)")
    run = subprocess.run(
        [str(binary), *words, "--json", "--out", str(tmp_path / "out")],
        check=True,
        capture_output=True,
        text=True,
    )
    theirs = json.loads(run.stdout)
    assert said[0] == theirs["verdict"] + ":" == "converged:"
    sentence = said[1].replace("of y:", "of x:") if target == "funnel" else said[1]
    assert sentence == theirs["verdict_reason"]
    assert distance < 0.3  # of a cloud at its start 1 and more


def test_the_weight_1_over_p_and_many_dimensions_collapse_the_cloud(browser):
    with opened(browser, "#t=ring&p=2&dim=2") as page:
        spread = []
        for wrong in (0, 1):
            page.evaluate(
                f"starlingLive.state.wrong = {wrong}; starlingLive.changed(); "
                "starlingLive.goTo(400)"
            )
            spread.append(page.evaluate("starlingLive.figure(0, 4)"))
        assert spread[1] < 0.5 < spread[0]
        page.evaluate(
            "Object.assign(starlingLive.state, {wrong: 0, dim: 30, p: 8}); "
            "starlingLive.changed(); starlingLive.goTo(400)"
        )
        assert page.evaluate("starlingLive.figure(0, 4)") < 0.5


def test_both_flocks_spend_the_same_and_the_address_keeps_everything(browser):
    with opened(browser, "#n=64&p=8&seed=7") as page:
        page.evaluate("starlingLive.goTo(80)")
        assert page.evaluate("[starlingLive.pairs(0), starlingLive.pairs(1)]") == [
            80 * 64 * 8,
            10 * 64 * 64,
        ]
        before = positions(page, 64, 1)
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("starlingLive.steps(0)") == 70
        page.evaluate("starlingLive.goTo(80)")
        assert (positions(page, 64, 1) == before).all()
        page.keyboard.press("ArrowLeft")
        address = page.evaluate("location.hash")
    with opened(browser, address) as page:
        assert page.evaluate(
            "[starlingLive.state.n, starlingLive.state.seed, starlingLive.steps(0)]"
        ) == [64, 7, 70]


def test_formulas_are_understood_or_refused_in_words(browser):
    with opened(browser, "#t=formula&n=100&f=-(x-1)^2/2-2*y^2") as page:
        page.evaluate("starlingLive.goTo(400)")
        assert (
            abs(page.evaluate("starlingLive.figure(0, 6)") - 1) < 0.3
        )  # three standard errors of 100 draws
        assert "(x-1)**2/2" in page.evaluate("starlingLive.asPython()")
        assert page.evaluate("starlingLive.compile('2*(x').fault") == "')' is missing"
        assert "foo" in page.evaluate("starlingLive.compile('foo(x)').fault")


def test_it_is_rebuilt_alike_where_emscripten_is():
    if not shutil.which("emcc"):
        pytest.skip("emcc: is not here; scripts/live installs it")
    if f"<!-- by {build().compiler()} -->" not in PAGE.read_text():
        pytest.skip("emcc: is of another version than the one that built the page")
    done = subprocess.run(
        ["python3", str(ROOT / "live" / "build.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
