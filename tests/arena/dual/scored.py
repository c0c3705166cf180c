"""Samples written by hand: each letter is a test's verdict (p pass, f fail, e error, - na)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from arena.protocols import Facts
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.tracks.dual.evidence import evidence_of
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import OracleResult, SampleResult, TestResult

LETTERS = {
    "p": OracleVerdict.PASS,
    "f": OracleVerdict.FAIL,
    "e": OracleVerdict.ERROR,
    "-": OracleVerdict.NA,
}


def tests(letters: str, kind: str, **more: Any) -> tuple[TestResult, ...]:
    return tuple(
        TestResult(id=f"{kind[0]}{number}", kind=kind, verdict=LETTERS[letter], **more)
        for number, letter in enumerate(letters)
    )


def row(task: str, name: str, functional: str, security: str, **more: Any) -> SampleResult:
    """One sample; `cwe` goes to its security tests."""
    cwe = more.pop("cwe", "")
    own = tests(functional, "functional") + tests(security, "security", cwe=cwe)
    return SampleResult(task=task, sample=name, tests=own, **{"language": "python", **more})


def attempts(rows: Iterable[SampleResult], model: str = "made") -> list[Attempt]:
    """Stored attempts of one column; those that met a fault of the machine have no evidence."""
    found = []
    for number, one in enumerate(rows):
        key = AttemptKey(one.task, "direct", model, replicate=number)
        evidence = evidence_of(one) if one.health == "ok" else {}
        found.append(Attempt(f"{model}-{number}", "run", key, one.health, evidence=evidence))
    return found


def facts_of(rows: Iterable[SampleResult]) -> Facts:
    return {one.task: TaskFacts(one.task, language=one.language, domain=one.domain) for one in rows}


def said(oracle: str, letter: str, judge: bool = False) -> OracleResult:
    return OracleResult(oracle=oracle, verdict=LETTERS[letter], judge=judge)


@st.composite
def results(
    draw: st.DrawFn, kinds: str = "pfe", most_tests: int = 3, infra: bool = True
) -> list[SampleResult]:
    """Up to 5 tasks with 1 to 4 samples."""
    k = draw(st.integers(1, 4))
    rows = []
    for task in "abcde"[: draw(st.integers(1, 5))]:
        sizes = [draw(st.integers(1, most_tests)) for _ in range(2)]
        for number in range(draw(st.integers(1, k))):
            letters = [draw(st.text(kinds, min_size=size, max_size=size)) for size in sizes]
            health = draw(st.sampled_from(("ok", "ok", "infra"))) if infra else "ok"
            rows.append(row(task, str(number), *letters, health=health))
    return rows
