"""Every built-in rule's examples, in one scan."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.grade.sast.ruleset import BUILTIN, BuiltinRules
from harness.grade.sast.scanner import ScanOutput
from harness.grade.sast.semgrep import Semgrep

pytestmark = pytest.mark.rotating(3)

FILES = sorted(BUILTIN.glob("*.yaml"))


@dataclass(frozen=True)
class Example:
    rule: str
    matches: bool
    number: int
    code: str
    extension: str

    @property
    def name(self) -> str:
        kind = "match" if self.matches else "no_match"
        return f"examples/{self.rule}.{kind}.{self.number}{self.extension}"


def load(path: Path) -> dict[str, Any]:
    (rule,) = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)["rules"]
    return dict(rule)


RULES = {path.stem: load(path) for path in FILES}
EXAMPLES = [
    Example(
        name,
        kind == "match",
        number,
        code,
        ".cpp" if "std::" in code or rule["languages"] == ["cpp"] else ".c",
    )
    for name, rule in RULES.items()
    for kind in ("match", "no_match")
    for number, code in enumerate(rule["metadata"]["examples"][kind])
]


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> ScanOutput:
    root = tmp_path_factory.mktemp("rules")
    (root / "examples").mkdir()
    for example in EXAMPLES:
        (root / example.name).write_text(example.code)
    return Semgrep(BuiltinRules()).scan(root)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_complete(name: str) -> None:
    rule = RULES[name]
    assert rule["id"] == name
    assert set(rule["languages"]) <= {"c", "cpp"}
    assert rule["severity"] in ("ERROR", "WARNING")
    assert rule["metadata"]["cwe"].startswith("CWE-")
    examples = rule["metadata"]["examples"]
    assert len(examples["match"]) >= 2
    assert len(examples["no_match"]) >= 2


@pytest.mark.slow
def test_there_are_enough_rules_and_all_are_given_to_semgrep(scan: ScanOutput) -> None:
    assert len(RULES) >= 30
    assert scan.rules == len(RULES) == BuiltinRules().count


@pytest.mark.slow
def test_every_example_is_scanned(scan: ScanOutput) -> None:
    assert scan.scanned == {example.name for example in EXAMPLES}
    assert scan.errors == ()


@pytest.mark.parametrize("name", RULES)
def test_examples_match_or_do_not(scan: ScanOutput, name: str) -> None:
    hits = {finding.path for finding in scan.findings if finding.rule == name}
    for example in (one for one in EXAMPLES if one.rule == name):
        assert (example.name in hits) is example.matches, example.code


def test_findings_tell_cwe_severity_and_code(scan: ScanOutput) -> None:
    by_rule = defaultdict(list)
    for finding in scan.findings:
        by_rule[finding.rule].append(finding)
    for name, findings in by_rule.items():
        assert findings[0].cwe == (RULES[name]["metadata"]["cwe"],)
        assert findings[0].severity in ("error", "warning")
        assert findings[0].code


def test_the_version_changes_with_a_rule_but_not_with_its_examples(tmp_path: Path) -> None:
    text = FILES[0].read_text()
    (tmp_path / "a.yaml").write_text(text)
    version = BuiltinRules(tmp_path).version
    (tmp_path / "a.yaml").write_text(text + "      - |\n        int more;\n")
    assert BuiltinRules(tmp_path).version == version
    (tmp_path / "a.yaml").write_text(text.replace("message: ", "message: now ", 1))
    assert BuiltinRules(tmp_path).version != version
