"""A program -> a verdict, by a detector of this project; a folder of samples -> results. Nothing is run."""

from __future__ import annotations

from functools import cache

from arena.tracks.exposure.detect._detector import Detector, Finding, Verdict
from arena.tracks.exposure.flow.facts import NotPython
from arena.tracks.exposure.flow.reading import read
from parsers.registry import UnknownName, lookup

PACKAGE = "arena.tracks.exposure.detect"
# Part of each result: it goes up when a change of a detector or the reading can alter verdicts.
DETECTION = 4


@cache
def detector_of(name: str) -> Detector:
    """A detector by name. Raises UnknownName with those that there are, also for what is no detector."""
    result = lookup(PACKAGE, name)
    if not isinstance(result, Detector):
        raise UnknownName(f"{name!r} is no Detector")
    return result


def judge(source: str | bytes, detector: str) -> Finding:
    """The verdict of a program. Raises UnknownName.

    A program that is too large to be read to its end has no verdict by the part that was read, unless that is
    vulnerable: it is invalid, and `why` says so.
    """
    looks = detector_of(detector)
    try:
        facts = read(source)
        finding = looks.judge(facts)
    except NotPython as error:
        return Finding(Verdict.INVALID, error.line, str(error))
    except RecursionError:
        return Finding(Verdict.INVALID, 0, "nested too deeply to be read")
    # A weakness that was found is there, whatever the rest holds.
    if facts.cut and finding.verdict is not Verdict.VULNERABLE:
        return Finding(Verdict.INVALID, 0, "too large to be read to its end")
    return finding
