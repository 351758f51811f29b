"""Colours of the report, light and dark: a batch size has the same colour in every picture.

A picture is drawn in the light colours; on the page each becomes a CSS variable, so that it turns
dark with the page.
"""

import math

# name: (light, dark)
NAMED = {
    "ink": ("#1d2125", "#ebe9e4"),
    "muted": ("#59616b", "#a9b0b9"),
    "line": ("#d8dbdf", "#373d44"),
    "ground": ("#fdfdfb", "#14171a"),
    "truth": ("#0b7a64", "#56d3b4"),
}
INK, MUTED, LINE, GROUND, TRUTH = (light for light, _ in NAMED.values())
SVGD = INK


def hexadecimal(lightness, chroma, hue):
    """The sRGB colour nearest to OKLCH, as #rrggbb."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )

    def encode(x):
        x = min(max(x, 0.0), 1.0)
        return round(255 * (12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055))

    return "#" + "".join(f"{encode(x):02x}" for x in linear)


def batch(p):
    """The colour of batch size p: orange for pairs, through red and violet to blue for 256, and
    darker all the way, so that the order can be seen without seeing hues."""
    at = min(max((math.log2(p) - 1) / 7, 0.0), 1.15)
    hue = (55 - 150 * at) % 360
    light = hexadecimal(0.56 - 0.16 * at, 0.165, hue)
    NAMED.setdefault(f"p{p}", (light, hexadecimal(0.87 - 0.22 * at, 0.14, hue)))
    return light


def variables(dark):
    """The lines of CSS that define the colours of all pictures drawn so far."""
    return "\n".join(f"  --{name}: {pair[dark]};" for name, pair in sorted(NAMED.items()))


def with_variables(svg):
    """The picture with variables in place of the light colours."""
    for name, (light, _) in NAMED.items():
        svg = svg.replace(light, f"var(--{name})")
    return svg
