"""Looking at a page as a reader would: contrast, what sticks out, labels that touch."""

from contextlib import contextmanager


@contextmanager
def seen(browser, file, scheme, width):
    """The page as seen in one scheme and width, all details open; `heard` is what it said and asked
    for."""
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True
    )
    page = context.new_page()
    page.set_default_timeout(120_000)  # milliseconds
    page.heard = []
    address = file.as_uri()
    page.on("console", lambda message: page.heard.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
    page.on(
        "request",
        lambda asked: (
            asked.url in (address, "data:,") or page.heard.append(f"request: {asked.url}")
        ),
    )
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    yield page
    context.close()


# The contrast of each element that has text of its own with the ground behind it (WCAG 2).
CONTRASTS = """() => {
  const numbers = c => { const m = c.match(/[\\d.]+/g).map(Number);
    return m.length < 4 ? [...m, 1] : m; };
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) {
    const c = numbers(getComputedStyle(e).backgroundColor);
    if (c[3] === 1) return c; } return [255, 255, 255]; };
  return [...document.querySelectorAll('body *')]
    .filter(e => e.getClientRects().length
      && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
    .map(e => { const s = getComputedStyle(e), inside = e instanceof SVGElement;
      const a = light(numbers(inside ? s.fill : s.color)), b = light(ground(e));
      const size = parseFloat(s.fontSize);
      return { text: e.textContent.trim().slice(0, 40),
               contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05),
               large: !inside && (size >= 24 || (size >= 18.66 && s.fontWeight >= 700)) }; });
}"""

# Elements beyond the right edge, but for those in a box that scrolls and those hidden on purpose.
STICKING_OUT = """() => [...document.querySelectorAll('body *')]
  .filter(e => !['.scroll', 'svg', '.skip', '.hidden'].some(kind => e.closest(kind)))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.outerHTML.slice(0, 80))"""

LABELS = """[...document.querySelectorAll('figure svg')].filter(s => s.getClientRects().length)
  .map(s => [...s.querySelectorAll('text')].filter(t => t.textContent.trim())
    .map(t => [t.textContent.trim(), t.getBoundingClientRect()]))"""

# Pairs of labels in one figure that lie over each other by more than two pixels each way.
OVERLAPPING_LABELS = (
    "() => "
    + LABELS
    + """.flatMap(all => all.flatMap(([a, p], i) => all.slice(i + 1)
  .filter(([b, q]) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2
                   && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4)
  .map(([b, q]) => a + ' | ' + b)))"""
)

# Labels beyond the edges of the screen.
CUT_OFF = (
    "() => "
    + LABELS
    + """.flat().filter(([a, p]) => p.left < -1 || p.right > innerWidth + 1).map(([a, p]) => a)"""
)

# Cells of tables that a reader does not see without scrolling sideways, and cells whose column has
# no name in sight.
LOST_CELLS = """() => [...document.querySelectorAll('table')]
  .filter(t => t.getClientRects().length).flatMap(t => {
  const heads = [...t.querySelectorAll('thead th')]
    .filter(h => getComputedStyle(h.closest('thead')).position !== 'absolute').length;
  return [...t.querySelectorAll('tbody th, tbody td')]
    .filter(c => { const r = c.getBoundingClientRect();
      return r.width < 1 || r.left < -1 || r.right > innerWidth + 1
        || c.scrollWidth > c.clientWidth + 1
        || (c.tagName === 'TD' && !heads && getComputedStyle(c, '::before').content.length < 3); })
    .map(c => c.outerHTML.slice(0, 80)); })"""
