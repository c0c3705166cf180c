"""Results written by hand: each letter is a test's verdict (p pass, f fail, e error, - na)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from arena.tracks.dual.oracles._oracle import Verdict
from arena.tracks.dual.results import OracleResult, Result, SampleResult, TestResult

LETTERS = {"p": Verdict.PASS, "f": Verdict.FAIL, "e": Verdict.ERROR, "-": Verdict.NA}


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


def result(*rows: SampleResult, **more: Any) -> Result:
    return Result.model_validate({"name": "made", "samples": rows, **more})


def said(oracle: str, letter: str, judge: bool = False) -> OracleResult:
    return OracleResult(oracle=oracle, verdict=LETTERS[letter], judge=judge)


@st.composite
def results(draw: st.DrawFn, kinds: str = "pfe", most_tests: int = 3, infra: bool = True) -> Result:
    """Results of up to 5 tasks with 1 to 4 planned samples, some of them not listed."""
    k = draw(st.integers(1, 4))
    rows = []
    for task in "abcde"[: draw(st.integers(1, 5))]:
        sizes = [draw(st.integers(1, most_tests)) for _ in range(2)]
        for number in range(draw(st.integers(1, k))):
            letters = [draw(st.text(kinds, min_size=size, max_size=size)) for size in sizes]
            health = draw(st.sampled_from(("ok", "ok", "infra"))) if infra else "ok"
            rows.append(row(task, str(number), *letters, health=health))
    return result(*rows, k=k)
