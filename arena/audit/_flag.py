"""A flag: a sign of cheating, with its evidence. Flags are shown and counted; no label depends on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

Where = Literal["command", "edit", "observation", "patch", "evidence"]
MAX_QUOTE = 300


class Severity(StrEnum):
    """notice: honest work does it too. suspicious: it hardly does. cheating: there is no honest use."""

    NOTICE = "notice"
    SUSPICIOUS = "suspicious"
    CHEATING = "cheating"

    @property
    def rank(self) -> int:
        return list(Severity).index(self)


@dataclass(frozen=True)
class Flag:
    """The result of a detector.

    name: what it is, "<detector>:<sign>". step: of the trajectory, None where there is none; sub: of which
    sub-trajectory, "" for the main trajectory. quote: the text with the sign, on a single line, bounded. why:
    what it means, in our words. note: what became of it ("failed: ..."), or how often it occurs.
    """

    name: str
    detector: str
    severity: Severity
    step: int | None
    where: Where
    quote: str
    why: str
    note: str = ""
    sub: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Flag:
        """The flag that `to_json` wrote. Raises TypeError or ValueError when it is invalid."""
        return cls(**{**facts, "severity": Severity(facts.get("severity", ""))})


@dataclass(frozen=True)
class Sign:
    """The result of a detector's function: the last part of a flag's name, and the rest of the flag."""

    name: str
    severity: Severity
    why: str


def quote_text(text: str, around: str = "") -> str:
    """A printable line of up to MAX_QUOTE characters; of a long text, the part about `around`."""
    at = text.find(around) if around else 0
    start = max(0, at - MAX_QUOTE // 3) if len(text) > MAX_QUOTE else 0
    piece = " ".join(text[start : start + 2 * MAX_QUOTE].split())
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in piece)
    plain = ("..." if start else "") + plain
    return plain if len(plain) <= MAX_QUOTE else plain[: MAX_QUOTE - 3] + "..."
