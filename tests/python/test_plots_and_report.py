"""Pictures of results, and the page of a run in a browser; test_report_command.py has the command
that makes it."""

import sys

import matplotlib
import numpy as np
import pytest
import starling
from look import LOST_CELLS, seen
from matplotlib import pyplot
from starling import plots
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

matplotlib.use("agg")
NASTY = '<script>alert("x")</script>&$y$'
NAMES = [
    NASTY,
    "mu",
    "theta[1]",
    "theta[2]",
    "a_name_that_is_much_too_long_for_a_picture[1]",
    "tau",
    "eta",
]


@pytest.fixture(scope="module")
def several():
    """Three runs in seven dimensions that collapse somewhat."""
    target = starling.Function(lambda x: (-0.5 * (x**2).sum(1), -x), 7, NAMES)
    return starling.sample(target, particles=60, steps=100, runs=3, seed=1, progress=False)


@pytest.fixture(scope="module")
def plane():
    """One run in the plane that converges, and its snapshots."""
    snapshots = []
    settings = dict(dim=2, particles=200, steps=100, seed=1, batch=20, progress=False)
    return starling.sample(
        "normal", **settings, callback=plots.record(snapshots, every=10)
    ), snapshots


@pytest.fixture(scope="module")
def folder(several, tmp_path_factory):
    """The folder of three runs, with its page."""
    place = tmp_path_factory.mktemp("report") / "<b>three"
    several.save(place)
    assert main(["report", str(place)]) == 0
    return place


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    pyplot.close("all")


def panels(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def test_draws_a_histogram_for_each_parameter_and_overlays_runs(several, plane):
    figure = several.plot()
    assert [ax.get_title() for ax in panels(figure)][1:4] == ["mu", "theta[1]", "theta[2]"]
    assert all(len(ax.patches) == 3 for ax in panels(figure))  # an outline for each run
    assert all(len(ax.patches) == 2 for ax in panels(plane[0].plot()))  # an outline and its filling
    figure.canvas.draw()  # a name with $ in it is no formula


def test_says_how_many_parameters_it_left_out():
    result = starling.sample("normal", dim=20, particles=20, steps=10, seed=1, progress=False)
    assert len(panels(result.plot())) == plots.MARGINALS
    assert result.plot().get_suptitle().startswith(f"{plots.MARGINALS} of 20 parameters")
    assert result.plot("pairs").get_suptitle().startswith(f"{plots.PAIRS} of 20 parameters")
    assert len(panels(result.plot(names="x"))) == 20


def test_chooses_parameters_by_name(several):
    assert [ax.get_title() for ax in panels(several.plot(names=["tau", "theta"]))] == [
        "tau",
        "theta[1]",
        "theta[2]",
    ]
    assert len(panels(several.plot("pairs", names=["mu", "tau"]))) == 3
    with pytest.raises(ValueError, match="names: must be among .*; got 'the'"):
        several.plot(names=["the"])


def test_draws_pairs_with_a_point_for_each_particle(several):
    figure = several.plot("pairs", names=["mu", "tau"])
    (scatter,) = [ax for ax in figure.axes if ax.lines]
    assert [len(line.get_xdata()) for line in scatter.lines] == [60, 60, 60]
    assert np.array_equal(scatter.lines[1].get_ydata(), several.draws["tau"][1])


def test_draws_the_trace_of_each_run(several):
    drift, ksd, noise, identity = several.plot("trace").axes
    for run in (1, 2, 3):
        rows = [row for row in several.trace if row["run"] == run]
        assert np.array_equal(drift.lines[run - 1].get_ydata(), [row["drift"] for row in rows])
        assert np.array_equal(drift.lines[run - 1].get_xdata(), [row["step"] for row in rows])
    assert len(ksd.collections) == 3 and len(identity.collections) == 3  # bands


def test_draws_what_was_loaded(several, folder):
    loaded = starling.load(folder)
    assert [ax.get_title() for ax in panels(plots.draw(loaded))] == [
        ax.get_title() for ax in panels(several.plot())
    ]
    assert len(loaded.plot("trace").axes) == len(several.plot("trace").axes)
    with pytest.raises(ValueError, match="trace: this result has only draws"):
        starling.load(folder / "draws.npz").plot("trace")
    with pytest.raises(
        ValueError, match="kind: must be one of marginals, pairs, trace, flow; got 'pie'"
    ):
        several.plot("pie")


def test_draws_the_flow_in_the_plane_and_on_the_line(plane):
    result, snapshots = plane
    assert snapshots[-1][0] == 100 and np.array_equal(snapshots[-1][1], result.unconstrained)
    figure = result.plot("flow", snapshots=snapshots)
    assert [ax.get_title() for ax in panels(figure)][::5] == [f"step {snapshots[0][0]}", "step 100"]
    (line,) = result.plot("flow", snapshots=snapshots, axes=[1]).axes
    assert np.array_equal(
        line.lines[0].get_ydata(), [positions[0, 1] for _, positions in snapshots]
    )
    (line,) = result.plot("flow", snapshots=snapshots + snapshots, axes=[1]).axes  # of two runs
    assert len({path.get_color() for path in line.lines}) == 2


def test_animates_the_flow(plane):
    for axes, density in (
        ((0,), lambda x: np.exp(-0.5 * x[:, 0] ** 2)),
        ((0, 1), lambda x: np.exp(-(x**2).sum(1))),
    ):
        film = plots.animate(plane[1], axes=axes, density=density)
        film._draw_frame(3)
        (ax,) = film._fig.axes
        assert ax.get_title() == f"step {plane[1][3][0]}"
        if len(axes) == 2:
            assert np.array_equal(ax.lines[0].get_xdata(), plane[1][3][1][:, 0])
        film._draw_was_started = True  # it was drawn here, by hand


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ({}, "snapshots: must be a list"),
        (
            {"snapshots": [(1, np.zeros(3))]},
            r"snapshots: must have positions of shape \(N, d\); got \(3,\)",
        ),
        (
            {"snapshots": [(1, np.zeros((3, 2)))], "axes": (0, 2)},
            r"axes: must be one or two numbers from 0 to 1",
        ),
    ],
)
def test_names_what_is_wrong_with_snapshots(plane, how, fault):
    with pytest.raises(ValueError, match=fault):
        plane[0].plot("flow", **how)


def test_bars_suit_whole_numbers_constants_and_values_that_are_no_numbers(plane):
    assert np.array_equal(plots.bins(np.array([0.0, 1, 3])), [-0.5, 0.5, 1.5, 2.5, 3.5])
    low, high = plots.bins(np.array([2.0, 2.0]))
    assert low < 2 < high
    ax = plots.canvas.figure(2, 2).subplots()
    plots.histogram(ax, np.array([[np.nan, 1, 2, np.inf], [np.nan] * 4]))
    plots.histogram(ax, np.full((1, 4), np.nan))


def test_says_that_matplotlib_is_missing(plane, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="matplotlib must be installed"):
        plane[0].plot()


@pytest.fixture(scope="module", params=VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
def view(request, browser, folder):
    """The page of three runs in one scheme and width."""
    with seen(browser, folder / "report.html", *request.param) as page:
        yield page


def test_the_page_says_the_verdict_first_then_all_the_rest(view, several):
    assert several.verdict in view.locator("header .outcome").inner_text().lower()
    said = several.reason.split(": use")[0]  # what to do is in the words of Python here
    assert said.replace("+-", "±") in view.locator("header .outcome").inner_text()
    rows = view.locator("main table").first.locator("tbody tr")
    assert [row.locator("th").inner_text() for row in rows.all()] == NAMES
    assert "R-hat" in view.locator("main table").first.locator("thead").inner_text()
    assert view.locator("main table").nth(1).locator("tbody tr").count() == 3  # the runs
    assert view.locator("figure").count() == 3
    for figure in view.locator("figure").all():
        seen = [svg for svg in figure.locator("svg").all() if svg.is_visible()]
        assert (
            len(seen) == 1
            and seen[0].get_attribute("aria-label")
            and seen[0].bounding_box()["height"] > 100
        )
    assert "starling.sample(target, dim=7, particles=60" in view.locator("pre.command").inner_text()


def test_the_tables_lose_no_column_on_a_narrow_screen(browser, folder):
    with seen(browser, folder / "report.html", "light", 420) as page:
        assert page.locator("tbody td").count() >= 7 * len(NAMES)
        assert page.evaluate(LOST_CELLS) == []


def test_the_page_lets_no_name_become_markup(folder):
    page = (folder / "report.html").read_text()
    assert "<script" not in page and "<b>three" not in page
    assert "&lt;script&gt;" in page and "&lt;b&gt;three" in page


def test_the_page_marks_what_is_off(folder):
    assert "≠</span>" in (folder / "report.html").read_text()
