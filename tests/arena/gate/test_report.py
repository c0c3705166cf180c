"""Exit codes, the summary, SARIF for code scanning, and JUnit."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from arena.gate.findings import GateCause, GateFinding
from arena.gate.junit import to_junit
from arena.gate.project import Project
from arena.gate.report import CheckStatus
from arena.gate.sarif import to_sarif
from parsers import reports
from parsers.outcomes import Outcome
from parsers.sarif import parse_sarif
from tests.arena.gate import CRASH, LOST, SCAN, SPEC, report_of

AT_BASE = replace(CRASH, cause=GateCause.CRASH_AT_BASE)


# the result


@pytest.mark.parametrize(
    ("findings", "status", "strict", "code"),
    [
        ((), CheckStatus.DECIDED, False, 0),
        ((), CheckStatus.SKIPPED, False, 0),
        ((), CheckStatus.UNDECIDED, False, 3),
        ((CRASH,), CheckStatus.DECIDED, False, 1),
        ((CRASH,), CheckStatus.UNDECIDED, False, 1),
        ((AT_BASE,), CheckStatus.DECIDED, False, 0),
        ((AT_BASE,), CheckStatus.UNDECIDED, False, 3),
        ((AT_BASE,), CheckStatus.DECIDED, True, 1),
    ],
)
def test_exit_code(
    findings: tuple[GateFinding, ...], status: CheckStatus, strict: bool, code: int
) -> None:
    report = report_of(*findings, status=status, strict=strict)
    assert report.exit_code == code
    assert report.to_json()["result"] == {0: "pass", 1: "not safe", 3: "undecided"}[code]


def test_summary_has_what_blocks_first() -> None:
    text = report_of(AT_BASE, LOST, CRASH).to_text()
    assert text.splitlines() == [
        "not safe: mini aaaaaaaaaaaa..bbbbbbbbbbbb",
        "tests: decided: 3 tests",
        "poc: decided: BASE: it does not build",
        "sast: decided: 1 of 1 changed files scanned",
        "blocks: test-fails: upper word: failed at HEAD, passes at BASE",
        "blocks: crash: src/text.c:26: fuzz/corpus/two: heap-buffer-overflow (write) in twice",
        "note: crash-at-base: src/text.c:26: fuzz/corpus/two: heap-buffer-overflow (write) in twice",
    ]


def test_summary_lists_few_of_many_and_lets_no_escape_through() -> None:
    many = [replace(CRASH, subject=f"\x1b[31m{n}\n{n}") for n in range(50)]
    lines = report_of(*many).to_text().splitlines()
    assert sum(line.startswith("blocks: crash") for line in lines) == 20
    assert lines[-1] == "crash: 50 in all; the first 20 are listed"
    assert not any("\x1b" in line for line in lines)


def test_summary_says_what_the_change_touches_and_lacks() -> None:
    report = replace(
        report_of(),
        project=Project(SPEC, "ci/project.toml", differs=True),
        changed_tests=("tests/a.c", "tests/b.c"),
        submodules=("deps/zlib",),
    )
    assert report.to_text().splitlines()[-3:] == [
        "note: 2 files of the tests differ, such as tests/a.c",
        "note: ci/project.toml differs at HEAD; BASE's was used",
        "note: submodule deps/zlib was empty: its files are in no commit",
    ]


# SARIF: what code scanning asks for beyond the standard


def run_of(*findings: GateFinding, status: CheckStatus = CheckStatus.DECIDED) -> dict[str, Any]:
    log = json.loads(to_sarif(report_of(*findings, status=status)))
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    assert len(log["runs"]) == 1
    run: dict[str, Any] = log["runs"][0]
    return run


def test_sarif_result_has_a_rule_a_place_and_a_fingerprint() -> None:
    run = run_of(CRASH, SCAN, LOST)
    assert run["automationDetails"]["id"] == "arena-gate/mini/"
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["crash/heap-buffer-overflow", "c-gets"]
    for rule in rules:
        assert {"shortDescription", "fullDescription", "help"} <= rule.keys()
    assert rules[0]["properties"]["tags"] == ["security", "external/cwe/cwe-122"]
    assert len(run["results"]) == 2, "a test has no place in the code"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == "error" and result["message"]["text"]
        assert result["partialFingerprints"]["primaryLocationLineHash"].endswith(":1")
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/a%20file.c", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 7, "endLine": 8}


def test_sarif_fingerprint_stays_when_lines_move_and_tells_repeats_apart() -> None:
    moved = replace(SCAN, line=70, end_line=71)
    marks = [
        result["partialFingerprints"]["primaryLocationLineHash"]
        for result in run_of(SCAN, moved, replace(SCAN, facts={"code": "gets(x);"}))["results"]
    ]
    assert marks[0].removesuffix(":1") == marks[1].removesuffix(":2")
    assert marks[2].partition(":")[0] != marks[0].partition(":")[0]


def test_sarif_levels() -> None:
    warning = replace(SCAN, cause=GateCause.SAST_WARNING)
    levels = [result["level"] for result in run_of(CRASH, AT_BASE, SCAN, warning)["results"]]
    assert levels == ["error", "warning", "error", "warning"]


def test_sarif_without_findings_is_whole_and_one_that_is_undecided_is_not() -> None:
    assert run_of()["results"] == []
    assert run_of()["invocations"][0]["executionSuccessful"] is True
    undecided = run_of(status=CheckStatus.UNDECIDED)["invocations"][0]
    assert undecided["executionSuccessful"] is False
    notice = undecided["toolExecutionNotifications"][0]
    assert notice["message"]["text"] == "poc could not be decided: BASE: it does not build"


def test_sarif_is_read_back() -> None:
    odd = replace(SCAN, path="src/\udcff.c", line=0, message="\ud800 \x1b[1m" + "x" * 5000)
    log = parse_sarif(to_sarif(report_of(CRASH, odd)))
    assert [(f.path, f.line, f.cwe) for f in log.findings] == [
        ("src/text.c", 26, ("CWE-122",)),
        ("src/\udcff.c", 1, ("CWE-242",)),
    ]
    assert not log.errors


# JUnit


def test_junit_has_a_case_for_each_test_and_finding() -> None:
    report = report_of(CRASH, AT_BASE, replace(AT_BASE, subject="corpus/old"))
    tests = replace(report.parts[0], findings=(LOST,))
    text = to_junit(replace(report, parts=(tests, *report.parts[1:])))
    read = reports.parse("junit", {"output": text.encode()}, None)
    assert read.outcomes == {
        "tests > upper word": Outcome.FAILED,
        "tests > upper empty": Outcome.PASSED,
        "tests > old": Outcome.SKIPPED,
        "poc > fuzz/corpus/two": Outcome.FAILED,
        "poc > corpus/old": Outcome.SKIPPED,
        "sast > sast": Outcome.PASSED,
    }
    assert read.complete and not read.problems


def test_junit_has_an_error_for_what_is_undecided() -> None:
    text = to_junit(report_of(status=CheckStatus.UNDECIDED))
    read = reports.parse("junit", {"output": text.encode()}, None)
    assert read.outcomes["poc > poc"] is Outcome.ERROR


def test_junit_holds_no_character_that_xml_forbids() -> None:
    odd = replace(CRASH, subject="a\x00\ud800\x1b<&>\n", message="\x07")
    read = reports.parse("junit", {"output": to_junit(report_of(odd)).encode()}, None)
    assert read.complete
