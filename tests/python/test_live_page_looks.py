"""How the live page looks: it flies by itself, and can be read at every size."""

import pytest
from look import CONTRASTS, STICKING_OUT
from test_live_page import opened


def test_it_begins_to_fly_by_itself_and_stops_where_it_is_asked_to(browser):
    with opened(browser, "#t=banana&n=64", reduced_motion="no-preference") as page:
        page.wait_for_function("starlingLive.steps(0) > 3")
        page.keyboard.press(" ")
        assert not page.evaluate("starlingLive.playing()")
    for address, motion in (("#n=64", "reduce"), ("#n=64&k=20", "no-preference")):
        with opened(browser, address, reduced_motion=motion) as page:
            assert not page.evaluate("starlingLive.playing()")


@pytest.mark.parametrize("width", [400, 800])
def test_small_pages_have_whole_sentences_and_no_gaps(browser, width):
    """A gap is a control that begins more than three lines below the one before it."""
    with opened(browser, "#t=banana&n=64", viewport={"width": width, "height": 900}) as page:
        page.evaluate("starlingLive.goTo(20)")
        for which in (0, 1):
            assert len(page.locator(f"#sentence{which}").inner_text()) > 20
        gaps = page.evaluate("""[...document.querySelectorAll('fieldset')].flatMap(set => {
            const all = [...set.children].map(e => e.getBoundingClientRect());
            const boxes = all.filter(b => b.height);
            return boxes.slice(1).map((b, n) => b.top - boxes[n].bottom).filter(gap => gap > 30);
        })""")
        assert gaps == []


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1200, "dark"), (2500, "light")])
def test_it_can_be_read_at_every_size_and_in_both_schemes(browser, width, scheme):
    with opened(
        browser, "#t=banana&n=64", viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as page:
        page.evaluate("starlingLive.goTo(20)")
        assert page.evaluate(STICKING_OUT) == []
        faint = [
            text
            for text in page.evaluate(CONTRASTS)
            if text["contrast"] < (3 if text["large"] else 4.5)
        ]
        assert faint == []
        unnamed = page.evaluate("""[...document.querySelectorAll('input, select, button')]
            .filter(e => e.getClientRects().length && !(e.labels && e.labels.length)
              && !e.textContent.trim() && !e.getAttribute('aria-label')).map(e => e.id)""")
        assert unnamed == []
