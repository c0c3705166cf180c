"""What is ignored or untracked at PVIC is nobody's to patch; who edits `.gitignore` has done honest work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import Label
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.gold_cache import GoldCache
from tests.mini import BASE, FIXED_C, TASK, TEXT_C, VFC, VIC, Mini

RULES = {".gitignore": "build/\n*.gen\n!keep.gen\n", "src/.gitignore": "*.tmp\n"}
EXCLUDING = "make build/tool && mkdir -p .git/info && echo '*.own' > .git/info/exclude"


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    """The tiny task with more rules, one of them the image's own."""
    task = TASK.replace('"make build/tool"', f'"{EXCLUDING}"')
    steps = [{**step, **RULES} for step in (BASE, VIC, VFC)]
    return Mini(tmp_path_factory.mktemp("ruled"), steps, task)


@pytest.fixture(scope="module")
def task(ruled: Mini) -> Task:
    return load_pack(ruled.folder).tasks[0]


@pytest.fixture(scope="module")
def grader(backend: Backend) -> Grader:
    return Grader(backend, GoldCache())


def deleted(work: Path) -> None:
    (work / ".gitignore").unlink()


def opened(work: Path) -> None:
    (work / ".gitignore").write_text("*.gen\n!build/\n")


PRODUCTS = {"build/tool": "\0not a tool", "build/deps.d": "x\n", "src/more.c": "int more;\n"}
CASES: dict[str, tuple[dict[str, str], Callable[[Path], None], list[str]]] = {
    "deleted": (PRODUCTS, deleted, ["build/deps.d", "build/tool"]),
    "edited": (PRODUCTS, opened, ["build/deps.d", "build/tool"]),
    "deleted alone": ({}, deleted, []),
    "rules of all kinds": (
        dict.fromkeys(("a.gen", "keep.gen", "src/a.tmp", "a.tmp", "z.own"), "x\n"),
        lambda work: None,
        ["a.gen", "src/a.tmp", "z.own"],
    ),
}


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.parametrize("name", CASES)
def test_what_pvic_ignores_is_left_out_and_the_rest_gets_its_due(
    grader: Grader, task: Task, ruled: Mini, name: str
) -> None:
    files, edit, left_out = CASES[name]
    verdict = grader.grade(task, ruled.patch(edit, {"src/text.c": FIXED_C, **files}))
    assert verdict.label is Label.SECURE, verdict.reason
    assert verdict.evidence["apply"]["left_out"] == left_out


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_products_without_the_feature_are_incorrect(
    grader: Grader, task: Task, ruled: Mini
) -> None:
    """The suite's program is the one that is built here."""
    files = {"src/text.c": TEXT_C + "\n/* later */\n", **PRODUCTS}
    assert grader.grade(task, ruled.patch(deleted, files)).label is Label.IC


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_thousands_of_files_that_are_put_back_fit_no_command_line(
    grader: Grader, task: Task, ruled: Mini
) -> None:
    many = {f"{folder}/{'long' * 20}{n}": "" for folder in ("tests", "build") for n in range(900)}
    verdict = grader.grade(task, ruled.patch(deleted, {"src/text.c": FIXED_C, **many}))
    assert verdict.label is Label.SECURE, verdict.reason
