"""One build command that makes the fuzz target too, of which the history lacks the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.command import Command
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.grader import Grader
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.gold_cache import GoldCache
from tests.mini import BASE, FUZZ_C, TASK, VFC, VIC, Mini

BOTH = "make build/tool && make build/fuzz"


@pytest.fixture(scope="module")
def young(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mini, Task]:
    """Mini without the fuzz target in its history, which is carried, and with one build."""
    steps = [{k: v for k, v in step.items() if k != "fuzz/fuzz.c"} for step in (BASE, VIC, VFC)]
    task = (
        TASK.replace(', "fuzz/**"', "")
        .replace("make build/tool", BOTH)
        .replace('build = "make build/fuzz"\n', "")
    )
    mini = Mini(tmp_path_factory.mktemp("young"), steps, task)
    carried = mini.folder / "mini-twice/oracle/carried/fuzz/fuzz.c"
    carried.parent.mkdir(parents=True)
    carried.write_text(FUZZ_C)
    (loaded,) = load_pack(mini.folder).tasks
    return mini, loaded


def broken(work: Path) -> None:
    (work / "src/text.c").write_text("int broken(\n")


def harmless_target(work: Path) -> None:
    gold = {name: text for name, text in VIC.items() if name.startswith(("src/", "tests/"))}
    for name, text in {**gold, "fuzz/fuzz.c": "int main(void) { return 0; }\n"}.items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text)


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.slow
def test_no_patch_brings_a_fuzz_target_of_its_own(young: tuple[Mini, Task], local: Backend) -> None:
    mini, task = young
    verdict = Grader(local, GoldCache()).grade(task, mini.patch(harmless_target))
    assert str(verdict.label) == "CV", verdict.reason


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.slow
def test_a_target_younger_than_the_history_is_brought_for_each_build_and_taken_away(
    young: tuple[Mini, Task], local: Backend
) -> None:
    mini, task = young
    grader = Grader(local, GoldCache())
    labels = {
        "C&S": task.solution("fixed"),
        "CV": task.solution("gold"),
        "CE": mini.patch(broken),
    }
    assert {str(grader.grade(task, patch).label): label for label, patch in labels.items()} == {
        label: label for label in labels
    }
    with sandbox(local, prepare(local, task).image, limits_of(task)) as box:
        said = box.exec(Command("ls; git status --porcelain", "/src/mini")).output.decode()
    assert "fuzz" not in said and "src" in said
