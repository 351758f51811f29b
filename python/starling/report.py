"""python -m starling report DIR: one HTML page of a run, or of the experiments of `starling
reproduce`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .page.read import MISSING, BadFolder, json_of, read
from .page.whole import page

FAILED, CANNOT_WRITE = 1, 73  # exit codes, as those of the command line
OURS = '<p class="kicker">Starling · '  # stands in every page of ours


def main(arguments: argparse.Namespace) -> int:
    """Runs the subcommand; returns the exit code, and says in one line what went wrong."""
    folder = Path(arguments.folder)
    out = Path(arguments.out) if arguments.out else folder / "report.html"
    try:
        if not folder.is_dir():
            found = "a file" if folder.exists() else "no folder"
            raise BadFolder(f"{folder}: must be a folder of results; got {found}", MISSING)
        if (folder / "summary.json").exists():
            refuse_to_replace(out, arguments.force or not arguments.out)
            write(out, page(read(folder)))
        elif experiments(folder):
            if arguments.out:
                refuse_to_replace(out, arguments.force)
            code = reproduced(folder)
            if code != 0:
                return code
            if arguments.out:
                write(out, (folder / "report.html").read_text(encoding="utf-8"))
        else:
            raise BadFolder(
                f"{folder}: must be a folder of `starling sample` or `starling reproduce`; got no "
                "summary.json and no experiment in it",
                MISSING,
            )
    except BadFolder as fault:
        return complain(fault, fault.code)
    except ImportError as error:
        return complain(f"report: matplotlib must be installed: {error}", FAILED)
    except OSError as error:
        return complain(f"{out}: cannot be written: {error.strerror}", CANNOT_WRITE)
    print(out)
    return 0


def complain(line: object, code: int) -> int:
    print(f"starling: {line}", file=sys.stderr)
    return code


def refuse_to_replace(out: Path, force: bool) -> None:
    """Only a page of ours is replaced, and only with --force. The page of the folder itself needs
    none: it is made of the same results again."""
    if not out.exists():
        return
    if not out.is_file() or OURS not in out.read_text(encoding="utf-8", errors="replace"):
        raise BadFolder(
            f"{out}: exists and is not a page of starling; choose another file", CANNOT_WRITE
        )
    if not force:
        raise BadFolder(f"{out}: exists; --force replaces it", CANNOT_WRITE)


def sign(out: Path) -> None:
    """Lists the page among the files of its folder of results, so that --force may replace that
    folder."""
    mark = out.parent / ".starling"
    if (
        mark.is_file()
        and not mark.is_symlink()
        and out.name not in mark.read_text(errors="surrogateescape").splitlines()
    ):
        with open(mark, "a", errors="surrogateescape") as stream:
            stream.write(out.name + "\n")


def write(out: Path, text: str) -> None:
    """Whole or not at all: under another name first."""
    handle, part = tempfile.mkstemp(prefix=f"{out.name}.", suffix=".part", dir=out.parent)
    try:
        with open(handle, "w", encoding="utf-8", errors="replace") as stream:
            os.fchmod(stream.fileno(), 0o644)
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, out)
        sign(out)
    except BaseException:
        os.unlink(part)
        raise


def experiments(folder: Path) -> bool:
    """Whether a JSON file there has claims, as the results of `starling reproduce` have."""
    results = (json_of(file) for file in sorted(folder.glob("*.json")))
    return any(isinstance(result, dict) and "claims" in result for result in results)


def page_program() -> Path:
    """reproduce/page: of the source tree that this file stands in, or installed beside Python or
    the program."""
    places = [Path(__file__).resolve().parents[2], Path(sys.prefix, "share", "starling")]
    program = shutil.which("starling")
    if program:
        places.append(Path(program).resolve().parent.parent / "share" / "starling")
    for place in places:
        if (place / "reproduce" / "page" / "__main__.py").is_file():
            return place / "reproduce" / "page"
    raise BadFolder(
        "reproduce/page: is not installed: the page of this folder needs the sources of starling: "
        "python reproduce/page DIR",
        MISSING,
    )


def reproduced(folder: Path) -> int:
    """The page of the experiments, by the program that `starling reproduce` calls too."""
    return subprocess.run(
        [sys.executable, str(page_program()), str(folder)], check=False
    ).returncode
