"""Runs the examples of docs/gallery.md and makes their pictures again: python docs/gallery.py
[NAME ...]. It needs the package, matplotlib, and what an example imports."""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "gallery.md"
# Small files, and the same each time.
STYLE = """backend: svg
figure.figsize: 4.5, 3
figure.autolayout: True
font.size: 9
svg.fonttype: none
svg.hashsalt: starling
axes.spines.top: False
axes.spines.right: False
"""


def examples() -> dict[str, tuple[str, str]]:
    """By the name of its picture: the language and the code."""
    found = re.findall(
        r"^```(python|sh)\n(.*?)^```\n\n!\[[^\]]+\]\(gallery/(\w+)\.svg\)$",
        PAGE.read_text(encoding="utf-8"),
        re.S | re.M,
    )
    return {name: (language, code) for language, code, name in found}


def run(name: str, cwd: Path = ROOT) -> None:
    """In a process of its own. The code names files from the top of the repository."""
    language, code = examples()[name]
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "matplotlibrc").write_text(STYLE)
        environment = {
            **os.environ,
            "MATPLOTLIBRC": place,
            "SOURCE_DATE_EPOCH": "0",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        command = [sys.executable, "-c", code] if language == "python" else ["sh", "-ec", code]
        subprocess.run(command, cwd=cwd, env=environment, check=True)


def main(names: list[str]) -> int:
    for name in names or examples():
        if name not in examples():
            sys.exit(f"{name}: must be one of {', '.join(examples())}")
        begin = time.monotonic()
        run(name)
        size = (ROOT / "docs" / "gallery" / f"{name}.svg").stat().st_size
        print(f"{name}: {time.monotonic() - begin:.1f} s, {size // 1000} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
