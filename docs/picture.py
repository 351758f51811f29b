# Draws docs/mixture.svg: the particles at several steps against the density they are to follow.
# Python 3 alone; runs the built binary. From the top of the repository: python3 docs/picture.py
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STARLING = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/starling")
STEPS = [0, 50, 100, 150, 500]
SETTINGS = [
    "--particles",
    "512",
    "--batch",
    "32",
    "--bandwidth",
    "0.35",
    "--step-size",
    "0.2",
    "--start",
    "normal:-10,1",
    "--seed",
    "1",
    "--quiet",
]

LOW, HIGH, TOP = -14.5, 6.5, 0.42  # the part of the plane that is shown
WIDE, TALL, GAP, LEFT = 640, 92, 14, 84  # of one panel, in pixels
KDE = 0.3  # smoothing of the particles' curve

# Colours that read on white and on black; where the reader prefers dark, brighter ones.
STYLE = """
  text { font: 13px sans-serif; fill: #6b6b6b }
  .small { font-size: 11px }
  .axis { stroke: #999; stroke-width: 1 }
  .truth { fill: none; stroke: #d9822b; stroke-width: 2; stroke-dasharray: 5 3 }
  .cloud { fill: #2b6cb0; fill-opacity: .25; stroke: #2b6cb0; stroke-width: 1.6 }
  .particle { stroke: #2b6cb0; stroke-width: 1; stroke-opacity: .35 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ccc } .axis { stroke: #777 }
    .truth { stroke: #f6ad55 } .particle { stroke: #7fb8f0 }
    .cloud { fill: #7fb8f0; stroke: #7fb8f0 }
  }
"""


def particles(steps):
    """The column x of draws.csv after so many steps."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "run")
        subprocess.run(
            [STARLING, "sample", "mixture", *SETTINGS, "--steps", str(steps), "--out", out],
            check=True,
        )
        with open(os.path.join(out, "draws.csv")) as file:
            rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    column = rows[0].index("x")
    return [float(row[column]) for row in rows[1:]]


def bell(x, mean, sd):
    return math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))


def density(x):
    return bell(x, -2, 1) / 3 + 2 * bell(x, 2, 1) / 3


def place(x, y, top):
    return f"{LEFT + (x - LOW) / (HIGH - LOW) * WIDE:.1f},{top + TALL * (1 - y / TOP):.1f}"


def curve(f, top):
    grid = [LOW + (HIGH - LOW) * i / 200 for i in range(201)]
    return " ".join(place(x, f(x), top) for x in grid)


def panel(steps, top):
    cloud = particles(steps)
    floor = top + TALL
    smooth = curve(lambda x: sum(bell(x, p, KDE) for p in cloud) / len(cloud), top)
    ticks = "".join(f"M{place(p, 0, top).split(',')[0]} {floor + 2}v6" for p in cloud)
    return [
        f'<polygon class="cloud" points="{place(LOW, 0, top)} {smooth} {place(HIGH, 0, top)}"/>',
        f'<polyline class="truth" points="{curve(density, top)}"/>',
        f'<line class="axis" x1="{LEFT}" x2="{LEFT + WIDE}" y1="{floor}" y2="{floor}"/>',
        f'<path class="particle" d="{ticks}"/>',
        f'<text x="8" y="{top + TALL - 8}">step {steps}</text>',
    ]


def main():
    height = 40 + len(STEPS) * (TALL + GAP) + 24
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + 12} {height}" '
        'role="img">',
        "<title>512 particles move from N(-10, 1) onto a mixture of two normals</title>",
        f"<style>{STYLE}</style>",
        f'<line class="truth" x1="{LEFT}" x2="{LEFT + 30}" y1="18" y2="18"/>',
        f'<text x="{LEFT + 38}" y="22">the density, 1/3 N(-2, 1) + 2/3 N(2, 1)</text>',
        f'<rect class="cloud" x="{LEFT + 330}" y="11" width="30" height="13"/>',
        f'<text x="{LEFT + 368}" y="22">512 particles, RBM-SVGD, p = 32</text>',
    ]
    for i, steps in enumerate(STEPS):
        svg += panel(steps, 40 + i * (TALL + GAP))
    floor = 40 + len(STEPS) * (TALL + GAP)
    for x in range(-12, 7, 4):
        svg.append(
            f'<text class="small" text-anchor="middle" '
            f'x="{place(x, 0, 0).split(",")[0]}" y="{floor + 12}">{x}</text>'
        )
    svg.append("</svg>")
    with open(os.path.join(ROOT, "docs/mixture.svg"), "w") as file:
        file.write("\n".join(svg) + "\n")


main()
