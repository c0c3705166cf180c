"""The date filter: a program that names a CVE from before a year may stand in any model's training data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from arena.tracks.mutation.tasks.program import Program

# SecMutBench, Section 3.1.
CUT_OFF = 2024
# The number has four digits or more, without an upper end in the syntax of 2014; 19 is the bound of CVE's own
# JSON schema.
_CVE = re.compile(r"\bCVE-(\d{4})-\d{4,19}\b", re.IGNORECASE)


@dataclass(frozen=True)
class DateFilterResult:
    """Programs that stay, in order, and the CVE ids for which the others went."""

    remaining: tuple[Program, ...]
    dropped: dict[str, tuple[str, ...]]


def cves(program: Program) -> list[tuple[int, str]]:
    """(year, id) of all CVEs that any text of a program names, sorted."""
    mutants = (text for m in program.mutants for text in (m.id, m.code, m.description))
    texts = (
        program.id,
        program.title,
        program.origin,
        program.instruction,
        program.secure,
        program.insecure,
        program.functional_tests,
        program.security_tests,
        *mutants,
    )
    dated_cves = {(int(m[1]), m[0].upper()) for text in texts for m in _CVE.finditer(text)}
    return sorted(dated_cves)


def filter_by_date(programs: Iterable[Program], cut_off: int = CUT_OFF) -> DateFilterResult:
    """Programs without those that name a CVE of a year before `cut_off`."""
    recent: list[Program] = []
    dropped: dict[str, tuple[str, ...]] = {}
    for program in programs:
        old = tuple(name for year, name in cves(program) if year < cut_off)
        if old:
            dropped[program.id] = old
        else:
            recent.append(program)
    return DateFilterResult(tuple(recent), dropped)
