"""python -m starling: what the package does without a program of one's own."""

from __future__ import annotations

import argparse
import sys

from . import __version__, report


class Parser(argparse.ArgumentParser):
    """One line and the exit code of the command line for what cannot be understood."""

    def error(self, message: str) -> None:
        self.exit(64, f"starling: {message}; see {self.prog} --help\n")


def main(arguments: list[str]) -> int:
    parser = Parser(
        prog="python -m starling",
        description="Pages of results. Runs are made by starling.sample in "
        "Python, or by the program `starling`.",
    )
    parser.add_argument("--version", action="version", version=f"starling {__version__}")
    commands = parser.add_subparsers(title="commands")
    command = commands.add_parser(
        "report",
        help="one self-contained HTML page of a folder of results",
        description="Makes one HTML page, which loads nothing from the network, of a folder "
        "written by `starling sample`, Result.save or `starling reproduce`.",
    )
    command.add_argument("folder", metavar="DIR", help="folder of results")
    command.add_argument("--out", metavar="FILE", help="the page (default DIR/report.html)")
    command.add_argument(
        "--force", action="store_true", help="replace the page of starling that --out names"
    )
    command.set_defaults(run=report.main)
    given = parser.parse_args(arguments)
    if not hasattr(given, "run"):
        parser.print_help()
        return 0
    return given.run(given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
