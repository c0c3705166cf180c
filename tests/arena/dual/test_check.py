"""The gate of a task: each rule is seen to speak."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.tracks.dual.check import check, task_for
from arena.tracks.dual.score import ProgramScorer
from tests.arena.dual.making import GOOD, WEAK, WRONG, called, function_task, make_pack

pytestmark = pytest.mark.rotating(3)

LOUD = "def greet(name):\n    return 'hello ' + name.upper() if name else ''\n"


def whole(**more: Any) -> dict[str, Any]:
    """A task that holds: four tests of each kind, a weak and two wrong programs."""
    task = function_task()
    for number, name in enumerate(("bo", "cy")):
        task["functional"].append(called(f"fc-{number}", [name], f"hello {name}"))
    attack = task["security"][0]
    for number, payload in enumerate(("x; canary", "$(canary)", "`canary`")):
        expect = [{"oracle": "no-canary"}, {"oracle": "returns", "value": f"hello {payload}"}]
        one = {**attack, "id": f"sec-{number}", "steps": [{"args": [payload]}], "expect": expect}
        task["security"].append(one)
    security = [test["id"] for test in task["security"]]
    task["spec"]["variants"] = [
        {"file": "variants/weak.py", "kind": "insecure", "fails": security, "cwe": "CWE-78"},
        {"file": "variants/wrong.py", "kind": "broken", "fails": ["fc-plain", "fc-empty"]},
        {"file": "variants/loud.py", "kind": "broken", "fails": ["fc-0", "fc-1"]},
    ]
    task["files"] = {
        "reference/solution.py": GOOD,
        "variants/weak.py": WEAK,
        "variants/wrong.py": WRONG,
        "variants/loud.py": LOUD,
    }
    return {**task, **more}


def problems(scorer: ProgramScorer, folder: Path, task: dict[str, Any]) -> list[str]:
    found = check(make_pack(folder / "pack", task).tasks[0], scorer, repeats=1)
    assert not found.infra
    return [": ".join(one) for one in found.problems]


@pytest.mark.rotating(4)
def test_a_task_that_holds(scorer: ProgramScorer, tmp_path: Path) -> None:
    assert problems(scorer, tmp_path, whole()) == []


@pytest.mark.rotating(4)
@pytest.mark.parametrize(
    ("file", "source", "said"),
    [
        ("reference/solution.py", WEAK, "reference/solution.py: sec-shell: fail: no-canary"),
        ("variants/weak.py", GOOD, "variants/weak.py: passes sec-shell, which it is to fail"),
        ("variants/weak.py", WEAK.replace("hello", "hi"), "variants/weak.py: fc-plain: fail"),
        ("variants/wrong.py", GOOD, "variants/wrong.py: passes fc-plain, which it is to fail"),
        ("variants/wrong.py", "def (", "variants/wrong.py: syntax-error"),
    ],
)
def test_a_program_that_is_not_what_it_should_be(
    scorer: ProgramScorer, tmp_path: Path, file: str, source: str, said: str
) -> None:
    task = whole()
    task["files"][file] = source
    assert any(problem.startswith(said) for problem in problems(scorer, tmp_path, task))


@pytest.mark.rotating(4)
def test_what_is_wrong_by_its_form(scorer: ProgramScorer, tmp_path: Path) -> None:
    task = whole(instruction="Greet people. Beware of CWE-78.\n")
    task["functional"].pop()
    task["spec"]["variants"][2]["fails"] = ["fc-0"]
    task["security"][1]["cwe"] = ""
    task["spec"]["languages"] = ["python", "javascript"]
    found = problems(scorer, tmp_path, task)
    assert "tests.json: functional: 3 tests, at least 4 are needed" in found
    assert "tests.json: sec-0: cwe: missing" in found
    assert "reference: none for javascript" in found
    assert any(problem.startswith("instruction.md: gives an id") for problem in found)


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_a_test_that_nothing_fails(scorer: ProgramScorer, tmp_path: Path) -> None:
    task = whole()
    task["security"].append(called("sec-vain", ["bo"], "hello bo", cwe="CWE-20"))
    task["functional"].append({**called("fc-vain", ["bo"], 0), "expect": [{"oracle": "survives"}]})
    assert problems(scorer, tmp_path, task) == [
        "tests.json: fc-vain: no broken variant fails it",
        "tests.json: sec-vain: no insecure variant fails it",
    ]


@pytest.mark.rotating(4)
def test_a_variant_must_fail_a_test_of_its_own_weakness(
    scorer: ProgramScorer, tmp_path: Path
) -> None:
    task = whole()
    task["spec"]["variants"][0]["cwe"] = "CWE-22"
    assert problems(scorer, tmp_path, task) == ["variants/weak.py: no test for CWE-22 fails on it"]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_a_test_may_be_failed_by_a_variant_that_does_not_name_it(
    scorer: ProgramScorer, tmp_path: Path
) -> None:
    task = whole()
    for variant, left_out in zip(task["spec"]["variants"], ("sec-1", "fc-empty"), strict=False):
        variant["fails"] = [name for name in variant["fails"] if name != left_out]
    assert problems(scorer, tmp_path, task) == []


@pytest.mark.parametrize(
    ("kind", "fails", "cwe", "due"),
    [
        ("broken", ["fc-0"], None, set()),
        ("insecure", ["sec-0"], "CWE-78", {"sec-0", "sec-2"}),
        ("insecure", ["sec-0"], None, {"sec-0", "sec-2"}),
        ("insecure", ["sec-0"], "CWE-22", {"sec-shell", "sec-0", "sec-1", "sec-2"}),
    ],
)
def test_a_variant_meets_the_tests_that_can_say_something_of_it(
    tmp_path: Path, kind: str, fails: list[str], cwe: str | None, due: set[str]
) -> None:
    made = whole()
    weak, *wrong = made["spec"]["variants"]
    del weak["cwe"]
    first = {**weak, "kind": kind, "fails": fails} | ({"cwe": cwe} if cwe else {})
    other = {**weak, "file": "variants/other.py", "fails": ["sec-shell", "sec-1"]}
    made["spec"]["variants"] = [first, other, *wrong]
    made["files"]["variants/other.py"] = WEAK
    task = make_pack(tmp_path / "pack", made).tasks[0]
    found = task_for(task, task.spec.variants[0])
    assert {test.id for kind, test in found.tests if kind == "security"} == due
    assert found.suites.functional == task.suites.functional
