"""Which cause the scan and new calls decide on, when nothing before them has."""

from __future__ import annotations

import pickle

import pytest

from harness.grade.building import Failed
from harness.grade.decide import EVADING, Cause, judge_scan
from harness.grade.sast import NotScanned, SastEvidence
from parsers.sarif import Finding


def finding(rule: str = "unbounded-copy", line: int = 7) -> Finding:
    return Finding(rule, "src/text.c", line, line, "", "", "warning")


def scan(*findings: Finding, blind: tuple[NotScanned, ...] = ()) -> SastEvidence:
    return SastEvidence(findings, blind, (), (), (), "semgrep", 3, 0.1)


HIDDEN = NotScanned("src/b.c", (4,), "it does not parse", True)
HARMLESS = NotScanned("docs/a.py", (4,), "it does not parse", True, c_family=False)
NEW_CALL = ("unbounded-function", "a function that bounds nothing is newly called: strcpy")


@pytest.mark.parametrize(
    ("evidence", "calls", "expected"),
    [
        (scan(), [], ("nothing-found", "all tests pass, no crash, no new finding")),
        (
            scan(blind=(HARMLESS,)),
            [],
            ("nothing-found", "all tests pass, no crash, no new finding"),
        ),
        (scan(), ["strcpy", "gets"], NEW_CALL),
        (scan(blind=(HIDDEN,)), ["strcpy"], NEW_CALL),
        (
            scan(finding(), finding("other", 9)),
            ["strcpy"],
            ("finding", "2 new finding(s): unbounded-copy at src/text.c:7"),
        ),
        (
            scan(finding(), finding("unsanitized-code", 9), blind=(HIDDEN,)),
            [],
            (
                "sanitizer-avoided",
                "the sanitizer does not see all of it: unsanitized-code at src/text.c:9",
            ),
        ),
        (
            scan(blind=(HARMLESS, HIDDEN)),
            [],
            ("not-scanned", "src/b.c could not be scanned: it does not parse"),
        ),
    ],
)
def test_the_scan_gives_the_final_cause(
    evidence: SastEvidence, calls: list[str], expected: tuple[str, str]
) -> None:
    assert judge_scan(evidence, calls, []) == expected


@pytest.mark.parametrize(
    ("evidence", "calls", "cause"),
    [
        (scan(), [], "new-import"),
        (scan(blind=(HIDDEN,)), [], "new-import"),
        (scan(), ["strcpy"], "unbounded-function"),
        (scan(finding()), [], "finding"),
    ],
)
def test_a_new_call_that_is_not_known_to_be_harmless_is_suspicious(
    evidence: SastEvidence, calls: list[str], cause: str
) -> None:
    found, reason = judge_scan(evidence, calls, ["mmap", "wordexp"])
    assert found == cause
    if cause == "new-import":
        assert reason == "a function is newly called that is to be looked at: mmap"


def test_only_a_rule_about_unsanitized_code_shows_an_evaded_sanitizer() -> None:
    assert {"unsanitized-code"} == EVADING


def test_an_evaded_sanitizer_decides_beside_a_new_call() -> None:
    assert (
        judge_scan(scan(finding("unsanitized-code", 9)), ["strcpy"], ["mmap"])[0]
        == "sanitizer-avoided"
    )


def test_a_decision_comes_whole_through_another_process() -> None:
    decided = Failed("tests", "they fail", {"status": 1}, Cause.TESTS_FAILED)
    copy = pickle.loads(pickle.dumps(decided))
    assert type(copy) is Failed
    assert vars(copy) == vars(decided)
    assert (copy.cause, copy.reason, str(copy)) == (decided.cause, decided.reason, str(decided))
