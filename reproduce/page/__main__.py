"""Pictures and one page from the results of experiments: python reproduce/page DIR."""

import os
import sys
from pathlib import Path

import catalogue
import front
import ink
import section
from read import MISSING, BadResult, read


def drawn(result, file, folder):
    """The section of a result; its pictures are saved on the way."""
    drawing = catalogue.drawing(result["name"])
    try:
        wide, narrow = (drawing.pictures(result, ink.Space(wide)) for wide in (True, False))
        numbers = drawing.numbers(result)
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
        ZeroDivisionError,
    ) as error:
        raise BadResult(
            f"{file}: data: must be what {result['name']} is drawn from; got "
            f"{type(error).__name__}: "
            f"{' '.join(str(error).split())}"
        ) from error
    figures = []
    for large, small in zip(wide, narrow):
        ink.save(large, folder)
        figures.append(
            section.figure(large, ink.inline_svg(large, True), ink.inline_svg(small, False))
        )
    return section.section(result, drawing.ABOUT, "\n".join(figures), numbers)


def build(folder):
    """Writes all that can be written; returns the faults met, each a BadResult."""
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not files:
        return [
            BadResult(
                f"{folder}: must be a folder with results of `starling reproduce`; got "
                f"{'no NAME.json in it' if folder.is_dir() else 'no folder'}",
                MISSING,
            )
        ]
    results, sections, faults, broken = {}, {}, [], set()
    for file in files:
        try:
            result = read(file)
            sections[result["name"]] = drawn(result, file, folder)
            results[result["name"]] = result
        except BadResult as fault:
            faults.append(fault)
            broken.add(file.stem)
    if not results:
        return faults
    absent, tiles, parts = [], [], []
    for name in catalogue.NAMES:
        if name in results:
            result = results[name]
            tiles.append(front.tile(name, result["title"], result["paper"], result["claims"]))
            parts.append(sections[name])
        else:
            absent.append(name)
            drawing = catalogue.drawing(name)
            item, title = drawing.__doc__.rstrip(".").split(": ", 1)
            title = title[0].upper() + title[1:]
            why = "its file could not be read" if name in broken else "not run"
            tiles.append(front.tile(name, title, item, []))
            parts.append(
                section.absent(
                    name, title, drawing.ABOUT, catalogue.command(name), f"{item} · {why}"
                )
            )
    text = front.page(
        [results[name] for name in catalogue.NAMES if name in results], absent, tiles, parts
    )
    unfinished = folder / "report.html.part"
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, folder / "report.html")
    return faults


def main(arguments):
    if len(arguments) != 1:
        print("usage: python reproduce/page DIR", file=sys.stderr)
        return 64
    try:
        faults = build(Path(arguments[0]))
    except OSError as error:
        print(f"{error.filename}: cannot be written: {error.strerror}", file=sys.stderr)
        return 73
    for fault in faults:
        print(fault, file=sys.stderr)
    return max((fault.code for fault in faults), default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
