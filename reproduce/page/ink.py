"""How pictures are drawn: panels, axes, labels beside their lines, and SVG and PNG that come out
the same each time."""

import functools
import io
import re
from dataclasses import dataclass

import colours
import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 8.5,
        "svg.fonttype": "none",
        "text.usetex": False,
        "axes.unicode_minus": True,
        "text.color": colours.INK,
        "axes.labelcolor": colours.MUTED,
        "axes.edgecolor": colours.MUTED,
        "axes.titlecolor": colours.INK,
        "axes.titlesize": 9,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.linewidth": 0.7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": colours.LINE,
        "grid.linewidth": 0.6,
        "xtick.color": colours.MUTED,
        "ytick.color": colours.MUTED,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "xtick.major.size": 3,
        "ytick.major.size": 0,
        "lines.linewidth": 1.6,
        "lines.markersize": 4.5,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
    }
)

PAPER = {
    "color": colours.MUTED,
    "linestyle": (0, (4, 2.5)),
    "linewidth": 1.1,
    "marker": "s",
    "markersize": 4.5,
    "markerfacecolor": "none",
    "markeredgewidth": 1.1,
}  # the paper's own figures, wherever they appear


@dataclass(eq=False)
class Picture:
    """A figure in one layout. `name` is that of the files, `alt` what it shows for one who cannot
    see it."""

    name: str
    figure: Figure
    alt: str
    caption: str

    def __post_init__(self):
        settle(self.figure)


def settle(figure):
    """Lays a figure out once and for all: labels may then be placed by points, and drawing is
    quicker."""
    if figure.get_layout_engine() is not None:
        for ax in figure.axes:
            more_ticks_where_few(ax.xaxis)
            more_ticks_where_few(ax.yaxis)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def more_ticks_where_few(axis):
    """1, 2, 5, 10 where a logarithmic axis spans little more than a power of ten."""
    low, high = sorted(axis.get_view_interval())
    if isinstance(axis.get_major_locator(), LogLocator) and high < 50 * low:
        axis.set_major_locator(LogLocator(10, subs=(1, 2, 5), numticks=12))


@dataclass(frozen=True)
class Space:
    """The room there is: a page, or the width of a telephone."""

    wide: bool

    def panels(self, count, height=2.7, narrow_height=2.25, widths=None, **kinds):
        """A figure with `count` panels, side by side or one below the other."""
        if self.wide:
            kinds["width_ratios"] = widths
        rows, columns = (1, count) if self.wide else (count, 1)
        size = (8.6, height) if self.wide else (3.6, narrow_height * count)
        figure = Figure(figsize=size, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)
        return figure, list(figure.subplots(rows, columns, squeeze=False, **kinds).flat)


def plain(value, _=None):
    """A number as a person writes it: 0.01, 250, 10⁻⁵."""
    if value == 0 or 1e-4 <= abs(value) < 1e5:
        return f"{value:g}".replace("-", "−")
    mantissa, power = f"{value:.2g}".split("e") if "e" in f"{value:.2g}" else (f"{value:g}", "0")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if mantissa == "1" else f"{mantissa}·10{raised}"


def short(value):
    """Three digits, for tables and labels."""
    return "–" if value is None else plain(float(f"{value:.3g}"))


def function_name(name):
    """x^2 as x²."""
    return name.replace("^2", "²")


def log_axis(axis):
    """A logarithmic x or y axis with plain numbers on it."""
    which = axis.axis_name
    getattr(axis.axes, f"set_{which}scale")("log")
    axis.set_major_locator(LogLocator(10, numticks=12))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


def batch_axis(ax, sizes, title="batch size p"):
    """The x axis of batch sizes: doubling is a step, every size measured has its number."""
    ax.set_xscale("log", base=2)
    sizes = sorted(set(sizes))
    ax.xaxis.set_major_locator(FixedLocator(sizes))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda p, _: f"{p:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(sizes[0] / 1.35, sizes[-1] * 1.35)
    ax.grid(False, axis="x")
    ax.set_xlabel(title)


def end_labels(ax, labels, least=11.0):
    """Names of lines at their right ends, moved apart where they would touch; labels are (x, y,
    text, colour)."""
    settle(ax.figure)
    height = ax.figure.get_figheight() * 72 * ax.get_position().height
    places = []
    for x, y, text, colour in labels:
        across, up = ax.transAxes.inverted().transform(ax.transData.transform((x, y)))
        places.append([up, across, text, colour])
    places.sort(key=lambda place: place[0])
    gap = least / height
    for _ in range(60):  # pushes neighbours apart little by little; ends when none touch
        for below, above in zip(places, places[1:]):
            short_of = gap - (above[0] - below[0])
            if short_of > 1e-6:
                below[0] -= short_of / 2
                above[0] += short_of / 2
        for place in places:
            place[0] = min(max(place[0], gap / 3), 1.0)
    for up, across, text, colour in places:
        ax.annotate(
            text,
            (across, up),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            color=colour,
            va="center",
            fontsize=8.5,
            annotation_clip=False,
        )


def note(ax, x, y, text, colour=colours.MUTED, ha="left", va="bottom"):
    """A remark inside a panel, at a fraction of its width and height; each line is a text of its
    own, so that it is aligned in any type."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        down = i if va == "top" else i - len(lines) + 1
        ax.annotate(
            line,
            (x, y),
            xycoords="axes fraction",
            xytext=(0, -10.5 * down),
            textcoords="offset points",
            color=colour,
            fontsize=8,
            ha=ha,
            va=va,
        )


@functools.cache
def svg_of(picture, wide):
    """The figure as SVG text, without dates and with names that no other picture on a page has."""
    key = f"{picture.name}-{'wide' if wide else 'narrow'}"
    matplotlib.rcParams["svg.hashsalt"] = key
    text = io.StringIO()
    picture.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].rstrip()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r' d="([^"]*)"', lambda d: f' d="{shorter(d[1])}"', svg)
    svg = re.sub(r'\bid="', f'id="{key}-', svg)
    return re.sub(r'(url\(|href=")#', rf"\1#{key}-", svg)


def shorter(path):
    """Path coordinates to a hundredth of a point, on one line."""
    return " ".join(re.sub(r"(\.\d\d)\d+", r"\1", path).split())


def inline_svg(picture, wide):
    """The same for a page: its colours and type, its width, a text for those who cannot see it."""
    svg = re.sub(r"'DejaVu Sans'(, [^;\"]*)?", "var(--figure-type)", svg_of(picture, wide))
    box = re.search(r'viewBox="[^"]*"', svg)[0]
    label = picture.alt.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    svg = re.sub(
        r"<svg [^>]*>",
        f'<svg class="{"wide" if wide else "narrow"}" {box} role="img" aria-label="{label}" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">',
        svg,
        count=1,
    )
    return colours.with_variables(svg)


def save(picture, folder):
    """DIR/NAME.svg and DIR/NAME.png on a light ground, for use anywhere."""
    svg = svg_of(picture, wide=True)
    box = re.search(r'viewBox="([^"]*)"', svg)[1].split()
    ground = f'<rect width="{box[2]}" height="{box[3]}" fill="{colours.GROUND}"/>'
    svg = re.sub(r"(<svg [^>]*>)", rf"\1\n{ground}", svg, count=1)
    (folder / f"{picture.name}.svg").write_text(svg + "\n", encoding="utf-8")
    picture.figure.savefig(
        folder / f"{picture.name}.png",
        dpi=160,
        facecolor=colours.GROUND,
        metadata={"Software": None},
    )
