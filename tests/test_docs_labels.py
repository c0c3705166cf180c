"""The documents name each label, each health and each field of the evidence, as the code has them."""

from __future__ import annotations

import ast
import re

from harness.command import ExecResult
from harness.grade.building import CAUSE_OF, summary
from harness.grade.decide import LABEL, Cause
from harness.grade.ports import MemoryCache
from harness.grade.sast.evidence import NotScanned, SastEvidence
from harness.grade.testing import SuiteRun, judge
from harness.grade.verdict import EVIDENCE, MEANING, Health, Label
from parsers.outcomes import Level, Outcome, TestReport
from tests.documents import CODE, rows, text_of


def string_constants(*files: str) -> set[str]:
    nodes = (node for file in files for node in ast.walk(ast.parse(text_of(file))))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def documented(part: str) -> set[str]:
    """Keys of one part of the evidence in the table of docs/labels.md."""
    cells = (row[0] for row in rows("docs/labels.md"))
    found = (
        re.fullmatch(rf"{part}\.(\w+)", token) for cell in cells for token in CODE.findall(cell)
    )
    return {match[1] for match in found if match}


def test_labels_are_all_explained_in_their_order() -> None:
    text = text_of("docs/labels.md")
    table = [row for row in rows("docs/labels.md") if row[0].strip("`") in set(Label)]
    assert [(row[0], row[1]) for row in table] == [
        (f"`{label}`", MEANING[label]) for label in Label
    ]
    causes = {row[0].strip("`"): CODE.findall(row[2]) for row in table}
    assert causes == {
        str(label): [str(cause) for cause in Cause if LABEL[cause] is label] for label in Label
    }
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == [str(label) for label in Label]


def test_health_is_all_explained() -> None:
    text = text_of("docs/labels.md").partition("## Health")[2]
    assert set(Health) <= set(CODE.findall(text))


def test_builds_fail_as_documented() -> None:
    labels = {step: LABEL[cause] for step, cause in CAUSE_OF.items()}
    assert labels == {"build": Label.CE, "tests": Label.IC, "poc": Label.CE}


def test_every_part_of_the_evidence_is_documented() -> None:
    cells = [token for row in rows("docs/labels.md") for token in CODE.findall(row[0])]
    parts = {match[1] for match in (re.fullmatch(r"(\w+)\.\w+", token) for token in cells) if match}
    assert parts == set(EVIDENCE)


DONE = ExecResult(0, b"", 0.0)
RUN = SuiteRun(DONE, TestReport({"a": Outcome.PASSED}, Level.CASES, True, ()), {})
GOLD = {"outcomes": {"a": "passed"}, "unstable": [], "complete": True, "status": 0}


def test_evidence_of_commands_is_documented() -> None:
    command = {*summary(DONE, MemoryCache()), "tail"}
    assert documented("build") == command
    counts = set(judge(GOLD, RUN, ("a",))[1])
    report = {"reports", "filter", "problems", "complete"}
    assert documented("tests") == command | counts | report
    assert documented("poc") == command | {"report", "via", "crash", "historical"}
    assert report <= string_constants("harness/grade/testing.py")
    files = (
        "harness/grade/attack.py",
        "harness/grade/steps/target.py",
        "harness/grade/building.py",
    )
    assert documented("poc") - set(summary(DONE, MemoryCache())) <= string_constants(*files)


def test_evidence_of_applying_is_documented() -> None:
    known = string_constants(
        "harness/grade/steps/build.py", "harness/grade/grader.py", "harness/grade/candidate.py"
    )
    assert documented("apply") == {
        *("bytes", "line_endings", "files", "left_out", "problems", "reason")
    }
    assert documented("oracle") == {"touched"}
    assert documented("apply") | documented("oracle") <= known


def test_evidence_of_sast_is_documented() -> None:
    unseen = NotScanned("a.c", (1,), "", before=False)
    found = SastEvidence((), (unseen,), (), (), (), "", 0, 0.0).to_json()
    assert documented("sast") == set(found)
