"""What a detector is: a name, examples, and a judgement about a kind of weakness in a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from arena.tracks.exposure.flow.facts import ProgramFacts


class Verdict(StrEnum):
    """The verdict on a program.

    safe: what was analysed makes it so. unknown: it has, or may have, a sink, and what reaches it was not
    followed to where it comes from. not-applicable: it has no sink: no call or literal where the weakness
    could be. invalid: it does not compile.
    """

    VULNERABLE = "vulnerable"
    UNKNOWN = "unknown"
    SAFE = "safe"
    NOT_APPLICABLE = "not-applicable"
    INVALID = "invalid"


@dataclass(frozen=True)
class Finding:
    """`line` is where the reason stands (from 1), 0 where it stands nowhere; `why` is a line for people."""

    verdict: Verdict
    line: int
    why: str


def vulnerable(line: int, why: str) -> Finding:
    return Finding(Verdict.VULNERABLE, line, why)


def safe(line: int, why: str) -> Finding:
    return Finding(Verdict.SAFE, line, why)


def unknown(line: int, why: str) -> Finding:
    return Finding(Verdict.UNKNOWN, line, why)


def not_applicable(why: str, line: int = 0) -> Finding:
    return Finding(Verdict.NOT_APPLICABLE, line, why)


@dataclass(frozen=True)
class DetectorExample:
    """A program with its expected verdict. It is both a test and the documentation."""

    title: str
    source: str
    verdict: Verdict


@dataclass(frozen=True)
class Detector:
    """An entry: `arena/tracks/exposure/detect/<name>.py` with such a PLUGIN.

    cwes: what it looks for. judge: facts -> finding, a vulnerable finding before an unknown finding, and
    that before a safe finding; it never raises for what a program holds.
    """

    title: str
    cwes: tuple[str, ...]
    judge: Callable[[ProgramFacts], Finding]
    examples: tuple[DetectorExample, ...]
