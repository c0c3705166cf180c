"""A gate as JUnit XML: a suite for each check, a case for each test, input or finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from arena.gate.findings import GateFinding
from arena.gate.report import CheckStatus, GatePart, GateReport
from arena.report.text import visible
from harness.grade.testing import FAILING
from parsers.outcomes import Outcome

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"


@dataclass(frozen=True)
class JUnitCase:
    """A test case. kind: FAILURE (blocks), ERROR (undecided), SKIPPED, or "" for a pass."""

    name: str
    kind: str = ""
    message: str = ""


def to_junit(report: GateReport) -> str:
    """The whole document."""
    root = ElementTree.Element("testsuites", {"name": f"arena gate {report.project.id}"})
    for part in report.parts:
        cases = list(_cases(report, part))
        counts = {
            f"{kind}s": str(sum(case.kind == kind for case in cases)) for kind in (FAILURE, ERROR)
        }
        counts["skipped"] = str(sum(case.kind == SKIPPED for case in cases))
        facts = {"name": part.check.step, "tests": str(len(cases)), **counts}
        suite = ElementTree.SubElement(root, "testsuite", facts)
        for case in cases:
            names = {"classname": part.check.step, "name": _text(case.name)}
            element = ElementTree.SubElement(suite, "testcase", names)
            if case.kind:
                ElementTree.SubElement(element, case.kind, {"message": _text(case.message)})
    ElementTree.indent(root)
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"


def _cases(report: GateReport, part: GatePart) -> Iterator[JUnitCase]:
    by_subject: dict[str, list[GateFinding]] = defaultdict(list)
    for finding in part.findings:
        by_subject[finding.subject].append(finding)
    for name, how in {**part.tests, **part.inputs}.items():
        if findings := by_subject.pop(name, None):
            yield _case_of(report, name, findings)
        elif how == Outcome.SKIPPED or how in FAILING:
            # JUnit has no failure that was expected: its readers would count it against the change.
            yield JUnitCase(name, SKIPPED, f"{how}; BASE is not better")
        else:
            yield JUnitCase(name)
    for subject, findings in by_subject.items():
        yield _case_of(report, subject or part.check.step, findings)
    check = part.check
    kinds = {CheckStatus.UNDECIDED: ERROR, CheckStatus.SKIPPED: SKIPPED, CheckStatus.DECIDED: ""}
    if check.status is not CheckStatus.DECIDED or not (part.tests or part.inputs or part.findings):
        yield JUnitCase(check.step, kinds[check.status], check.reason)


def _case_of(report: GateReport, name: str, findings: list[GateFinding]) -> JUnitCase:
    """The findings of a subject; what blocks counts."""
    blocks = any(map(report.does_block, findings))
    texts = (
        f"{finding.path}:{finding.line}: {finding.message}".removeprefix(":0: ")
        for finding in findings
    )
    return JUnitCase(name, FAILURE if blocks else SKIPPED, "; ".join(texts))


def _text(text: str) -> str:
    # XML 1.0 cannot hold most control characters, not even escaped.
    return visible(text).replace("\n", " ")[:4000]
