"""Builds docs/live/index.html, one file that works offline: python3 live/build.py (needs emcc);
--check compares only."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "live" / "index.html"
OWN = [
    "alone.cpp",
    "build.py",
    "default_run.hpp",
    "engine.cpp",
    "flock.hpp",
    "page.html",
    "page.js",
    "ranges.hpp",
    "style.css",
    "targets.hpp",
    "world.hpp",
]
# The library's part: all of a run in stages, and no files, threads or back ends.
COMPILED = [
    "live/engine.cpp",
    "live/alone.cpp",
    "src/cpu/balance.cpp",
    "src/cpu/bilinear.cpp",
    *(f"src/{folder}/*.cpp" for folder in ("exact", "frame", "judge", "scout", "stages")),
    *(
        f"src/run/{name}.cpp"
        for name in (
            "certify",
            "count_groups",
            "edge",
            "evidence_report",
            "flight",
            "lookout",
            "measure",
            "rise",
            "rows_report",
            "stage_report",
            "staged",
        )
    ),
]
# As the library is compiled: no contraction, so that the digits are those of every other build.
# Exceptions of WebAssembly itself (browsers since 2022): the others make a call of JavaScript of
# every call that might throw, and the verdict then took 4 to 11 times as long.
EXCEPTIONS = "-fwasm-exceptions"
FLAGS = [
    "-std=c++20",
    EXCEPTIONS,
    "-ffp-contract=off",
    "-DNDEBUG",
    "-DFMT_HEADER_ONLY",
    "-Wno-c++11-narrowing",  # sizes have 32 bits here, counts 64
    "-include",
    "live/ranges.hpp",
    "-Ilive",
    "-Iinclude",
    "-Isrc",
]
HEADERS = {"Eigen": "eigen3/Eigen", "fmt": "fmt", "hwy": "hwy"}  # of the system
LINK = [
    "MODULARIZE=1",
    "EXPORT_NAME=starlingEngine",
    "SINGLE_FILE=1",
    "ENVIRONMENT=web",
    "ALLOW_MEMORY_GROWTH=1",
    "FILESYSTEM=0",
    "EXPORTED_RUNTIME_METHODS=UTF8ToString",
]


def digest_of_sources() -> str:
    """Of the files in this folder. The library's own headers are tested elsewhere, against the
    command line."""
    whole = hashlib.sha256()
    for name in OWN:
        whole.update(name.encode() + b"\0" + (ROOT / "live" / name).read_bytes() + b"\0")
    return whole.hexdigest()


def digest_in(page: str) -> str:
    found = re.search(r"<!-- built from live/, sha256 ([0-9a-f]{64}) -->", page)
    return found[1] if found else ""


def engine(scratch: Path) -> str:
    """The library as JavaScript with the WebAssembly inside."""
    for name, place in HEADERS.items():  # without the rest of the system's
        (scratch / name).symlink_to(Path("/usr/include") / place)
    names = re.findall(
        r"^[a-z][\w* ]*?\b(live_\w+)\(", (ROOT / "live" / "engine.cpp").read_text(), re.M
    )
    sources = [file for one in COMPILED for file in sorted(ROOT.glob(one))]

    def compiled(source: Path) -> str:  # what computes for speed, the rest for size
        name = source.relative_to(ROOT).as_posix()
        made = str(scratch / (name.replace("/", "_") + ".o"))
        effort = "-O2" if name.startswith(("live/", "src/cpu/")) else "-Os"
        subprocess.run(
            ["emcc", *FLAGS, effort, f"-I{scratch}", "-c", name, "-o", made], cwd=ROOT, check=True
        )
        return made

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, sources))
    out = scratch / "engine.js"
    settings = [*LINK, "EXPORTED_FUNCTIONS=" + ",".join("_" + name for name in names)]
    subprocess.run(
        [
            "emcc",
            "-Os",
            EXCEPTIONS,
            *objects,
            "-o",
            str(out),
            *(word for one in settings for word in ("-s", one)),
        ],
        cwd=ROOT,
        check=True,
        env={"NODE_PATH": "/usr/share/nodejs", **os.environ},
    )  # another node does not look there
    return out.read_text()


def compiler() -> str:
    told = subprocess.run(["emcc", "--version"], capture_output=True, text=True, check=True).stdout
    return "emcc " + re.search(r"\d+\.\d+\.\d+", told)[0]


def assembled(compiled: str) -> str:
    live = ROOT / "live"
    page = (live / "page.html").read_text()
    for mark, text in (
        ("/*STYLE*/", (live / "style.css").read_text()),
        ("/*ENGINE*/", compiled),
        ("/*SCRIPT*/", (live / "page.js").read_text()),
    ):
        assert page.count(mark) == 1 and "</script" not in text
        page = page.replace(mark, text)
    return page.replace(
        "<html",
        f"<!-- built from live/, sha256 {digest_of_sources()} -->\n<!-- by {compiler()} -->\n<html",
        1,
    )


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        page = assembled(engine(Path(scratch)))
    if "--check" in arguments:
        same = PAGE.is_file() and PAGE.read_text() == page
        print(
            f"{PAGE.relative_to(ROOT)}: "
            f"{'is what the sources give' if same else 'must be built anew: scripts/live'}"
        )
        return 0 if same else 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page)
    print(f"{PAGE.relative_to(ROOT)}: {len(page.encode()) // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
