"""The report in a browser: light and dark, on a telephone and on a wide screen."""

import pytest
from look import CONTRASTS, CUT_OFF, LOST_CELLS, OVERLAPPING_LABELS, STICKING_OUT, seen

ALL = [
    "mixture-density",
    "mixture-error",
    "mixture-runtime",
    "logistic-accuracy",
    "logistic-runtime",
    "lemma",
    "theorem",
    "algorithm-2",
    "growing-batch",
]
VIEWS = [(scheme, width) for scheme in ("light", "dark") for width in (360, 1600)]


@pytest.fixture(scope="session", params=VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
def view(request, browser, quick_run):
    """The page of all experiments in one scheme and width."""
    with seen(browser, quick_run / "report.html", *request.param) as page:
        yield page


def test_says_nothing_on_the_console_and_asks_for_nothing(view):
    assert view.heard == []


def test_does_not_scroll_sideways(view):
    assert view.evaluate("document.documentElement.scrollWidth") <= view.viewport_size["width"]
    assert view.evaluate(STICKING_OUT) == []


def test_tables_lose_no_column_on_a_narrow_screen(browser, quick_run):
    with seen(browser, quick_run / "report.html", "light", 420) as page:
        assert page.locator("tbody td").count() > 20
        assert page.evaluate(LOST_CELLS) == []


def test_text_can_be_read_against_its_ground(view):
    seen = view.evaluate(CONTRASTS)
    assert len(seen) > 100
    assert [entry for entry in seen if entry["contrast"] < (3 if entry["large"] else 4.5)] == []


def test_is_dark_when_asked_and_light_when_not(view):
    red = view.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert (
        red < 60
        if view.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        else red > 200
    )


def test_labels_in_figures_neither_touch_nor_leave_the_screen(view):
    assert view.evaluate(OVERLAPPING_LABELS) == []
    assert view.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("name", ALL)
def test_has_a_section_for_each_experiment(view, results, name):
    section = view.locator(f"section#{name}")
    assert section.locator("h2").inner_text()
    assert "starling reproduce " + name in section.locator("pre.command").inner_text()
    assert view.locator(f'nav a[href="#{name}"]').count() == 1
    if name not in results:
        assert "not run" in section.inner_text().lower()
        return
    assert section.locator("figure").count() >= 1
    for figure in section.locator("figure").all():
        seen = [svg for svg in figure.locator("svg").all() if svg.is_visible()]
        assert len(seen) == 1
        assert seen[0].get_attribute("aria-label") and seen[0].bounding_box()["height"] > 100
        assert figure.locator("figcaption").inner_text()
    claims = results[name]["claims"]
    assert claims
    assert section.locator("ol.claims > li").count() == len(claims)
    for item, claim in zip(section.locator("ol.claims > li").all(), claims):
        assert claim["verdict"] in item.locator(".badge").inner_text()
        assert "Measured" in item.inner_text() and "Because" in item.inner_text()
    assert results[name]["verdict"] in section.locator("h3 .badge").inner_text()
    assert section.locator("table th[scope=col]").count() >= 3


def test_says_the_outcome_and_that_it_was_quick_before_all_else(view, results):
    claims = [claim for result in results.values() for claim in result["claims"]]
    held = sum(claim["verdict"] == "holds" for claim in claims)
    assert f"{held} of {len(claims)}" in view.locator("header .outcome").inner_text()
    assert "quick run" in view.locator("header .notice").inner_text()


def test_headings_go_down_one_level_at_a_time(view):
    levels = view.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below <= above + 1 for above, below in zip(levels, levels[1:]))


def test_ids_are_unique_across_all_pictures(view):
    ids = view.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_every_difference_is_explained(results):
    """The quick run may differ from the paper only where it says why."""
    assert results
    for result in results.values():
        assert result["quick"] is True
        for claim in result["claims"]:
            assert claim["verdict"] in ("holds", "unclear") or len(claim["because"]) > 20, claim
