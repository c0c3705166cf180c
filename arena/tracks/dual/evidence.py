"""What an attempt's evidence holds of its program and of each test; and back: stored attempts as samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from arena.protocols import Facts
from arena.store.model import Attempt, TaskFacts
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, TestResult
from arena.tracks.dual.version import SCORER
from arena.tracks.evidence import cut

MAX_NAME = 500
KINDS = ("functional", "security")
Named = Callable[[Attempt], str]


def evidence_of(result: SampleResult) -> dict[str, Any]:
    """All data for tables, as JSON. `log` and `report` are digests of the transcript and the observations."""
    suites = {}
    for kind in KINDS:
        tests = judgeable_tests(result, kind)
        suites[kind] = {"passed": sum(map(has_passed, tests)), "tests": len(tests)}
    return {
        "program": {
            "sample": result.sample,
            "state": str(result.state),
            "health": result.health,
            "why": cut(result.why),
            "language": result.language,
            "level": result.level,
            "adapter": result.adapter,
            "tools": result.tools,
            "coverage": result.coverage,
            "digest": result.digest,
            "calls": result.calls,
            "log": result.transcript,
            "scorer": SCORER,
            **({"proof": result.proof} if result.proof else {}),
        },
        "suites": suites,
        "tests": [_test_json(test) for test in result.tests],
    }


def judgeable_tests(result: SampleResult, kind: str) -> list[TestResult]:
    """The tests of a kind that something here can judge."""
    return [
        test for test in result.tests if test.kind == kind and test.verdict is not OracleVerdict.NA
    ]


def has_passed(test: TestResult) -> bool:
    return test.verdict is OracleVerdict.PASS


def _test_json(test: TestResult) -> dict[str, Any]:
    """A test; `report` is the digest of the observation of its run."""
    return {
        "id": test.id,
        "kind": test.kind,
        "verdict": str(test.verdict),
        "oracle": cut(test.oracle),
        "observed": cut(test.observed),
        "why": cut(test.reason),
        "cwe": test.cwe,
        "by_model": test.is_judged_by_model,
        "report": test.evidence,
        "seconds": test.seconds,
        "oracles": [
            {"oracle": o.oracle, "verdict": str(o.verdict), "judge": o.judge, "why": cut(o.reason)}
            for o in test.oracles
        ],
    }


def rows_of(
    attempts: Sequence[Attempt],
    facts: Facts,
    named: Named = lambda attempt: str(attempt.key.replicate),
) -> list[SampleResult]:
    """Attempts as samples, without the texts of tests. named: each sample's name.

    A sample without tests (a fault of the machine, not ended, or of a release that did not store them all)
    has no verdict.
    """
    nothing = TaskFacts("")
    return [
        _row(attempt, facts.get(attempt.key.task, nothing), named(attempt)) for attempt in attempts
    ]


def _row(attempt: Attempt, task: TaskFacts, name: str) -> SampleResult:
    texts = {"task": attempt.key.task, "sample": name, "domain": task.domain}
    # Facts of an imported run are not bounded by us, and the model refuses longer ones.
    texts_cut = {key: text[:MAX_NAME] for key, text in {**texts, "language": task.language}.items()}
    if is_complete(attempt):
        program = attempt.evidence["program"]
        facts = {
            key: program[key] for key in ("state", "language", "level", "proof") if program.get(key)
        }
        try:
            return SampleResult.model_validate(
                {**texts_cut, **facts, "tests": list(map(_read, attempt.evidence["tests"]))}
            )
        except (ValidationError, TypeError, AttributeError):
            pass  # an imported run may hold anything
    return SampleResult.model_validate({**texts_cut, "health": "infra"})


def is_complete(attempt: Attempt) -> bool:
    """Whether the evidence lists all tests of a program."""
    evidence = attempt.evidence
    listed = isinstance(evidence.get("program"), Mapping) and isinstance(
        evidence.get("tests"), list
    )
    return listed and not evidence.get("not_listed")


def _read(test: Mapping[str, Any]) -> dict[str, Any]:
    """Without texts: `oracles` say who decided."""
    fields = {key: test[key] for key in ("id", "kind", "verdict", "oracle", "cwe") if key in test}
    return {**fields, "oracles": test.get("oracles") or ()}
