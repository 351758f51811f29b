"""Reads the results of experiments, DIR/NAME.json, and checks their form."""

import json

from catalogue import NAMES

BAD_DATA, MISSING = 65, 66  # exit codes, as those of the command line
VERDICTS = ("holds", "differs", "unclear")
TEXTS = ("name", "title", "paper", "question", "version", "simd", "command", "verdict")


class BadResult(Exception):
    """A file that cannot be read or drawn: one line that names it, and the exit code."""

    def __init__(self, line, code=BAD_DATA):
        super().__init__(line)
        self.code = code


def read(file):
    """The result in a file, checked: what the page relies on is there."""
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadResult(f"{file}: cannot be read: {error.strerror}", MISSING) from None
    except ValueError as error:
        raise BadResult(f"{file}: must be JSON; got {error}") from None
    if not isinstance(result, dict):
        raise BadResult(f"{file}: must be a JSON object; got {type(result).__name__}")
    for key in TEXTS:
        if not isinstance(result.get(key), str):
            raise BadResult(f"{file}: {key}: must be text; got {result.get(key)!r}")
    if result["name"] not in NAMES:
        raise BadResult(f"{file}: name: must be one of {', '.join(NAMES)}; got {result['name']}")
    if result["name"] != file.stem:
        raise BadResult(f"{file}: name: must be that of the file; got {result['name']}")
    if not isinstance(result.get("seconds"), (int, float)):
        raise BadResult(f"{file}: seconds: must be a number; got {result.get('seconds')!r}")
    for key in ("settings", "data"):
        if not isinstance(result.get(key), dict):
            raise BadResult(
                f"{file}: {key}: must be an object; got {type(result.get(key)).__name__}"
            )
    check_claims(file, result.get("claims"))
    return result


def check_claims(file, claims):
    if not isinstance(claims, list):
        raise BadResult(f"{file}: claims: must be a list; got {claims!r}")
    for i, claim in enumerate(claims, 1):
        for key in ("says", "where", "measured", "verdict", "because"):
            if not isinstance(claim, dict) or not isinstance(claim.get(key), str):
                raise BadResult(f"{file}: claim {i}: must have the text {key}")
        if claim["verdict"] not in VERDICTS:
            raise BadResult(
                f"{file}: claim {i}: verdict: must be one of {', '.join(VERDICTS)}; got "
                f"{claim['verdict']}"
            )
