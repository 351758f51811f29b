"""The page of a run in stages: the same checks in a browser, its certificate, and what it says
where it cannot tell."""

import json

import numpy as np
import pytest
import starling
from look import LOST_CELLS, seen
from starling.__main__ import main
from test_report_page import (  # noqa: F401  the same checks, on the page that `view` gives here
    VIEWS,
    test_does_not_scroll_sideways,
    test_headings_go_down_one_level_at_a_time,
    test_ids_are_unique_across_all_pictures,
    test_is_dark_when_asked_and_light_when_not,
    test_labels_in_figures_neither_touch_nor_leave_the_screen,
    test_says_nothing_on_the_console_and_asks_for_nothing,
    test_text_can_be_read_against_its_ground,
)

NAMES = ["mu", '<script>alert("x")</script>', "a_name_that_is_much_too_long_for_a_picture[1]"]


def page_of(result, place):
    result.save(place)
    assert main(["report", str(place)]) == 0
    return place / "report.html"


@pytest.fixture(scope="module")
def result():
    target = starling.Function(lambda x: (-0.5 * (x**2).sum(1), -x), 3, NAMES)
    return starling.sample(target, particles=300, seed=1, progress=False)


@pytest.fixture(scope="module")
def file(result, tmp_path_factory):
    return page_of(result, tmp_path_factory.mktemp("staged") / "run")


@pytest.fixture(scope="module", params=VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
def view(request, browser, file):
    with seen(browser, file, *request.param) as page:
        yield page


def test_the_page_has_the_verdict_and_the_certificate(view, result):
    assert (
        "Converged" in view.locator("header .outcome").inner_text()
        and result.verdict == "converged"
    )
    assert "HMC moves of 256 particles" in view.locator("header .outcome").inner_text()
    assert f"{result.gradients['total']} gradients" in view.locator("header .lead").inner_text()
    certificate = view.locator("main table").nth(1)
    assert [
        row.locator("th").inner_text() for row in certificate.locator("tbody tr").all()
    ] == NAMES
    assert "Confirmed: 256 particles made 20 HMC" in view.locator("main").inner_text()
    assert view.locator("figure").count() == 3  # marginals, pairs, identities
    assert "gradients, settle" in view.locator("dl.settings").inner_text()
    assert "particles of the flight and the moves" in view.locator("dl.settings").inner_text()
    assert "kernel" not in view.locator("dl.settings").inner_text()
    assert 'method="auto"' in view.locator("pre.command").inner_text()


def test_the_tables_lose_no_column_on_a_narrow_screen(browser, file):
    with seen(browser, file, "light", 420) as page:
        assert page.evaluate(LOST_CELLS) == []


def test_the_call_on_the_page_gives_the_same_draws(result, file, browser):
    with seen(browser, file, "light", 900) as page:
        call = page.locator("pre.command").inner_text()
    target = starling.Function(lambda x: (-0.5 * (x**2).sum(1), -x), 3, NAMES)
    again = eval(call, {"starling": starling, "target": target})
    assert np.array_equal(again.unconstrained, result.unconstrained)


def test_the_page_says_where_it_cannot_tell_or_was_not_certified(tmp_path):
    modes = starling.sample(
        starling.builtin("mixture", means="-10;10"),
        particles=200,
        seed=1,
        steps=200,
        progress=False,
    )
    page = page_of(modes, tmp_path / "modes").read_text()
    assert (
        modes.verdict != "converged"
        and "<h2>Groups</h2>" in page
        and "shares of the groups are not known" in page
    )
    weighed = starling.sample(
        starling.builtin("mixture", means="-10;10"), particles=200, seed=1, progress=False
    )
    page = page_of(weighed, tmp_path / "weighed").read_text()
    assert (
        weighed.verdict == "converged"
        and "2 separate groups" in page
        and "importance sampling" in page
    )
    runs = (  # nine particles are too few to be sure, but for some seeds
        starling.sample(
            lambda x: (-0.5 * (x**2).sum(1), -x), dim=2, particles=9, seed=seed, progress=False
        )
        for seed in range(1, 20)
    )
    few = next(run for run in runs if run.verdict == "cannot tell")
    page = page_of(few, tmp_path / "few").read_text()
    assert "<strong>Cannot tell</strong>" in page and "<h2>Groups</h2>" not in page
    assert 'class="outcome doubt"' in page and "HMC moves could not confirm the cloud" in page
    alone = page_of(
        starling.sample(lambda x: -x, dim=2, particles=200, progress=False), tmp_path / "alone"
    ).read_text()
    assert (
        "HMC did not check it" in alone
        and "The certificate" not in alone
        and 'class="outcome doubt"' in alone
    )


@pytest.mark.parametrize(
    "change, said",
    [
        (dict(certificate=3), "certificate: must have a finding"),
        (dict(certificate={"finding": "moved"}), "certificate: must"),
        (
            dict(
                certificate={
                    "finding": "moved",
                    "estimates": [{"parameter": "a", "of": "value", "error": "x"}],
                }
            ),
            "certificate",
        ),
        (dict(gradients={"fly": "many"}), "gradients: must be numbers by stage"),
        (dict(modes="two"), "modes: must be a number"),
        (dict(groups=[{"share": 1}]), "groups: must be a list"),
        (
            dict(groups=[{"share": "x", "se": None, "particles": 1, "mean": {}}]),
            "groups: must have numbers",
        ),
    ],
)
def test_a_summary_that_is_wrong_is_named(change, said, file, tmp_path, capsys):
    summary = {**json.loads((file.parent / "summary.json").read_text()), **change}
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    assert main(["report", str(tmp_path)]) == 65
    assert said in capsys.readouterr().err
