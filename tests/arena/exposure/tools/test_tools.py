"""Tools over staged programs: alerts, what was not read, and one clear line where a tool gives nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.tracks.exposure.tools._panel import STAGE, UNSCANNED, opinions_of
from arena.tracks.exposure.tools._tool import Scan, Staged, tool_of
from harness.grade.sast.scanner import ScanFailed
from tests.arena.exposure.tools.making import (
    NO_SQL,
    REGEX,
    SQL,
    SQL_BOUND,
    SQL_BUILT,
    SUBSTRING,
    UPLOAD,
    calls,
    codeql,
    log,
    result,
    staged,
)

pytestmark = pytest.mark.slow

RULE = """rules:
- id: built-sql
  languages: [python]
  severity: ERROR
  message: SQL is built
  metadata: {cwe: "CWE-89: SQL injection"}
  pattern: $X.execute($A % $B)
"""


def place(number: int) -> str:
    return f"{STAGE}/program_{number}.py"


def said(scan: Scan, stage: Staged) -> list[str]:
    """Verdict of each program in order."""
    opinions = opinions_of("tool", scan, stage.programs, {})
    return [str(opinions[place(number)].verdict) for number in range(len(opinions))]


@pytest.fixture
def two(tmp_path: Path) -> Staged:
    return staged(tmp_path / "stage", [(SQL_BUILT, SQL), (SQL_BOUND, SQL)])


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


# bandit and semgrep


def test_bandit_gives_alerts_with_the_cwe_of_its_own(tmp_path: Path) -> None:
    nosec = SQL_BUILT.replace("% name)", "% name)  # nosec")
    stage = staged(tmp_path / "s", [(nosec, SQL), (SQL_BOUND, SQL), (NO_SQL, UPLOAD)])
    scan = tool_of("bandit").scan(stage)
    assert said(scan, stage) == ["vulnerable", "safe", UNSCANNED]
    (alert,) = [one for one in scan.alerts if one.rule == "B608"]
    assert (alert.file, alert.line, alert.cwes) == (place(0), 3, ("CWE-89",))


def test_what_bandit_cannot_parse_is_unscanned(tmp_path: Path) -> None:
    stage = staged(tmp_path / "s", [("print 'x'\n", SQL), (SQL_BOUND, SQL)])
    assert said(tool_of("bandit").scan(stage), stage) == [UNSCANNED, "safe"]


def test_semgrep_with_rules_of_a_user(tmp_path: Path) -> None:
    rules = write(tmp_path / "rule.yaml", RULE)
    stage = staged(tmp_path / "s", [(SQL_BUILT, SQL), (SQL_BOUND, SQL), (NO_SQL, UPLOAD)])
    scan = tool_of(f"semgrep:{rules}").scan(stage)
    assert scan.rules == {"built-sql": ("CWE-89",)}
    assert said(scan, stage) == ["vulnerable", "safe", UNSCANNED]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("codeqll", "no tool 'codeqll'; there are: bandit, codeql, sarif, semgrep, tool"),
        ("bandit:x", "bandit takes nothing"),
        ("semgrep", "name a file or a folder"),
        ("semgrep:nowhere", "no such file"),
        ("sarif:", "name a report"),
        ("tool:", "names no command"),
        ("tool:'", "No closing quotation"),
    ],
)
def test_mistakes_in_a_name_are_one_line(spec: str, told: str) -> None:
    with pytest.raises(ValueError, match=told) as error:
        tool_of(spec)
    assert "\n" not in str(error.value)


def test_a_rule_file_that_is_no_yaml_is_told(tmp_path: Path, two: Staged) -> None:
    rules = write(tmp_path / "rule.yaml", "rules: [")
    with pytest.raises(ValueError, match=r"rule\.yaml"):
        tool_of(f"semgrep:{rules}").scan(two)


# any tool


def test_a_command_prints_sarif(tmp_path: Path, two: Staged) -> None:
    report = write(tmp_path / "r", log([result("X1", place(0))], {"X1": ["external/cwe/cwe-089"]}))
    script = write(tmp_path / "tool.py", f"print(open({str(report)!r}).read())")
    scan = tool_of(f"tool:{sys.executable} {script}").scan(two)
    assert said(scan, two) == ["vulnerable", "safe"]


def test_a_command_that_describes_no_rule_looked_with_none(tmp_path: Path, two: Staged) -> None:
    report = write(tmp_path / "r", log([], {}))
    script = write(tmp_path / "tool.py", f"print(open({str(report)!r}).read())")
    with pytest.raises(ScanFailed, match="no rule was applied"):
        tool_of(f"tool:{sys.executable} {script}").scan(two)


# sarif


def test_a_report_names_files_by_uri(tmp_path: Path, two: Staged) -> None:
    rules = {"X1": ["external/cwe/cwe-089"]}
    for uri in ("0.py", "./0.py", "x/../0.py", "file:0.py"):
        report = write(tmp_path / "r.sarif", log([result("X1", uri)], rules))
        assert said(tool_of(f"sarif:{report}").scan(two), two) == ["vulnerable", "safe"]


def test_a_result_about_a_file_that_is_not_ours_is_told(tmp_path: Path, two: Staged) -> None:
    rules = {"X1": ["external/cwe/cwe-089"]}
    both = [result("X1", "0.py"), result("X1", "other.py")]
    report = write(tmp_path / "r.sarif", log(both, rules))
    scan = tool_of(f"sarif:{report}").scan(two)
    assert said(scan, two) == ["vulnerable", "safe"]
    assert scan.notes == ("a result about a file that was not named: other.py",)
    write(report, log([result("X1", "other.py")], rules))
    with pytest.raises(ValueError, match=r"no result is about a program here; first: other\.py"):
        tool_of(f"sarif:{report}").scan(two)


def test_files_that_a_report_does_not_list_as_read_are_unscanned(
    tmp_path: Path, two: Staged
) -> None:
    rules = {"X1": ["external/cwe/cwe-089"]}
    read = [{"location": {"uri": "1.py"}, "roles": ["analysisTarget"]}]
    report = write(tmp_path / "r.sarif", log([], rules, artifacts=read))
    assert said(tool_of(f"sarif:{report}").scan(two), two) == [UNSCANNED, "safe"]


def test_a_file_that_the_tool_failed_on_is_unscanned(tmp_path: Path, two: Staged) -> None:
    where = {"physicalLocation": {"artifactLocation": {"uri": "1.py"}}}
    notice = {"level": "error", "message": {"text": "lost"}, "locations": [where]}
    invocation = {"executionSuccessful": True, "toolExecutionNotifications": [notice]}
    rules = {"X1": ["external/cwe/cwe-089"]}
    report = write(tmp_path / "r.sarif", log([], rules, invocations=[invocation]))
    assert said(tool_of(f"sarif:{report}").scan(two), two) == ["safe", UNSCANNED]


def test_a_name_that_two_programs_have_tells_neither(tmp_path: Path) -> None:
    stage = staged(tmp_path / "s", [(SQL_BUILT, SQL), (SQL_BOUND, SQL)])
    same = dict(stage.programs)
    same[place(1)] = type(same[place(1)])("x/0.py", ("0.py",), "", SQL)
    report = write(tmp_path / "r.sarif", log([result("X1", "0.py")], {"X1": ["CWE-89"]}))
    with pytest.raises(ValueError, match="no result is about a program here"):
        tool_of(f"sarif:{report}").scan(Staged(stage.root, same))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "not SARIF: empty"),
        ("{", "not JSON"),
        ({"version": "2.1.0", "runs": [{"tool": {}}]}, "the tool did not scan"),
    ],
)
def test_a_report_that_is_none_is_told(
    content: Any, told: str, tmp_path: Path, two: Staged
) -> None:
    report = write(tmp_path / "r.sarif", content)
    with pytest.raises(ValueError, match=told) as error:
        tool_of(f"sarif:{report}").scan(two)
    assert str(report) in str(error.value)
    assert "\n" not in str(error.value)


# codeql


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_codeql_makes_one_database_and_runs_the_query_of_each_weakness(
    on_path: Path, two: Staged
) -> None:
    found = log([result("py/sql-injection", place(0), 3)], {"py/sql-injection": []})
    codeql(on_path, {"log": found})
    scan = tool_of("codeql").scan(two)
    assert said(scan, two) == ["vulnerable", "safe"]
    assert "2.99.0" in scan.version
    version, create, analyze = calls(on_path)
    assert version == ["version", "--format=terse"]
    assert create[:2] == ["database", "create"]
    assert {"--language=python", f"--source-root={two.root}"} <= set(create)
    query = "codeql/python-queries:Security/CWE-089/SqlInjection.ql"
    assert analyze[:2] == ["database", "analyze"]
    assert analyze[-3:] == ["--", create[-1], query]
    assert "--format=sarif-latest" in analyze


def test_codeql_keeps_two_scenarios_with_one_cwe_apart(on_path: Path, tmp_path: Path) -> None:
    rule = "py/incomplete-hostname-regexp"
    rules = {rule: ["external/cwe/cwe-020"], "py/incomplete-url-substring-sanitization": []}
    found = [result(rule, place(0)), result(rule, place(1))]
    codeql(on_path, {"log": log(found, rules)})
    stage = staged(tmp_path / "s", [(NO_SQL, REGEX), (NO_SQL, SUBSTRING)])
    assert said(tool_of("codeql").scan(stage), stage) == ["vulnerable", "safe"]


def test_codeql_takes_a_suite(on_path: Path, two: Staged) -> None:
    codeql(on_path, {"log": log([], {"py/sql-injection": ["external/cwe/cwe-089"]})})
    tool_of("codeql:codeql/python-queries:codeql-suites/python-security-extended.qls").scan(two)
    last = calls(on_path)[-1][-1]
    assert last == "codeql/python-queries:codeql-suites/python-security-extended.qls"


def test_what_is_not_in_codeqls_database_is_unscanned(on_path: Path, two: Staged) -> None:
    plan = {"log": log([], {"py/sql-injection": []}), "skips": "?"}
    codeql(on_path, plan)
    assert said(tool_of("codeql").scan(two), two) == ["safe", UNSCANNED]


def test_codeql_is_not_started_without_a_query(on_path: Path, tmp_path: Path) -> None:
    codeql(on_path, {})
    stage = staged(tmp_path / "s", [(NO_SQL, UPLOAD)])
    assert said(tool_of("codeql").scan(stage), stage) == [UNSCANNED]
    assert len(calls(on_path)) == 1


@pytest.mark.parametrize("step", ["create", "analyze"])
def test_a_failing_codeql_is_a_fault_with_its_last_words(
    step: str, on_path: Path, two: Staged
) -> None:
    codeql(on_path, {"log": log([], {"py/sql-injection": []}), "fails": step})
    with pytest.raises(ScanFailed, match=f"database {step} failed .*: out of memory"):
        tool_of("codeql").scan(two)


def test_a_report_without_rules_is_a_fault(on_path: Path, two: Staged) -> None:
    codeql(on_path, {"log": log([], {})})
    with pytest.raises(ScanFailed, match="names no query"):
        tool_of("codeql").scan(two)


def test_codeql_that_is_not_there_is_told(two: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ScanFailed, match="codeql is not installed"):
        tool_of("codeql").scan(two)
