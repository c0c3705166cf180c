"""The severity of a CWE, and its source: the command line, a table computed from feeds, or the paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.tracks.exposure.reading import read_object
from arena.tracks.exposure.scores import BASE, expect_score

# Equation 1 with base 2 over CVEs of January to September 2025.
TABLE_C4: Mapping[str, float] = {
    "CWE-20": 7.9,
    "CWE-22": 7.7,
    "CWE-78": 8.4,
    "CWE-79": 6.4,
    "CWE-89": 7.5,
    "CWE-502": 8.8,
    "CWE-732": 7.7,
    "CWE-798": 8.6,
}
# By how much base 10 in Equation 1 is above base 2: each cell of Table D5 above its cell of Table 2.
SHIFTS_D5: Mapping[str, float] = {
    "CWE-20": 1.0,
    "CWE-22": 1.1,
    "CWE-78": 0.7,
    "CWE-79": 1.1,
    "CWE-89": 1.1,
    "CWE-502": 0.5,
    "CWE-732": 1.0,
    "CWE-798": 0.7,
}
SOURCE_C4 = "paper Table C4, base 2"
SOURCE_D5 = "paper Table C4 and Tables D5 and 2, base 10"
CVSS_OPTION = "--cvss"
BASE_D5 = 10.0

_CWE = re.compile(r"(?:CWE-?)?0*([1-9]\d{0,5})", re.ASCII | re.IGNORECASE)


class NoSeverity(ValueError):
    """A CWE without a value; the message says how to supply a value."""


@dataclass(frozen=True)
class CvssSeverity:
    """A score with its source, and the number of CVEs that it rests on, if available."""

    score: float
    source: str
    n: int | None = None

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Severities:
    """Severities by source, in this order: command line, `table`, the paper's values (C4; D5 for base 10)."""

    assigned: Mapping[str, CvssSeverity] = field(default_factory=dict)
    table: Mapping[str, CvssSeverity] = field(default_factory=dict)
    base: float = BASE

    def severity_of(self, cwe: str) -> CvssSeverity:
        """The severity of "CWE-89". Raises NoSeverity: no default stands for an unknown value."""
        name = cwe_id(cwe)
        # What a user gives comes before what the paper says.
        for place in (self.assigned, self.table, paper(self.base)):
            if name in place:
                return place[name]
        raise NoSeverity(
            f"{name}: no CVSS value; give {CVSS_OPTION} {name}=SCORE, or a table made by `arena study cvss`"
        )


def paper(base: float = BASE) -> dict[str, CvssSeverity]:
    """Table C4, for base 10 shifted by Table D5; its values have a single decimal."""
    if base == BASE_D5:
        # Sums of decimals are not exact in floats.
        moved = {cwe: round(score + SHIFTS_D5[cwe], 1) for cwe, score in TABLE_C4.items()}
        return {cwe: CvssSeverity(score, SOURCE_D5) for cwe, score in moved.items()}
    return {cwe: CvssSeverity(score, SOURCE_C4) for cwe, score in TABLE_C4.items()}


def severities(
    table: Path | None = None, assignments: Sequence[str] = (), base: float = BASE
) -> Severities:
    """Severities of `--cvss-table FILE` and `--cvss CWE-327=7.5`. Raises ValueError naming the mistake."""
    own_severities = {}
    for text in assignments:
        name, sign, score = text.partition("=")
        try:
            if not sign:
                raise ValueError("it is no CWE=SCORE")
            value = expect_score(_float(score), "score")
            cwe = cwe_id(name)
        except ValueError as error:
            raise ValueError(f"{CVSS_OPTION}: {text[:80]!r}: {error}") from error
        if cwe in own_severities:
            raise ValueError(f"{CVSS_OPTION}: {cwe} is there twice")
        own_severities[cwe] = CvssSeverity(value, CVSS_OPTION)
    return Severities(own_severities, load_table(table) if table is not None else {}, base)


def load_table(path: Path) -> dict[str, CvssSeverity]:
    """What `arena study cvss --json` printed: {"CWE-89": {"score": 7.5, "n": 1200}}, or scores alone.

    Raises ValueError naming the file and the entry.
    """
    result: dict[str, CvssSeverity] = {}
    for key, entry in read_object(path).items():
        try:
            cwe = cwe_id(key)
            if cwe in result:
                raise ValueError("is there twice")
            result[cwe] = _entry(entry, path.name)
        except ValueError as error:
            raise ValueError(f"{path}: {key[:80]!r}: {error}") from error
    if not result:
        raise ValueError(f"{path}: no CWE")
    return result


def cwe_id(text: str) -> str:
    """ "cwe-089", "89" and "CWE-89" are all "CWE-89". Raises ValueError."""
    match = _CWE.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text[:40]!r} is no CWE id")
    return f"CWE-{match[1]}"


def _entry(entry: Any, source: str) -> CvssSeverity:
    if not isinstance(entry, dict):
        return CvssSeverity(expect_score(entry, "score"), source)
    n = entry.get("n")
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise ValueError("n: a whole number above 0 is needed")
    return CvssSeverity(expect_score(entry.get("score"), "score"), source, n)


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ValueError("score: it is no number") from error
