"""Each label where it is due, on a tiny task, in both sandboxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.agents import CALIBRATION
from harness.agents._at_pvic import workspace_of
from harness.agents._make import make_agent
from harness.grade.environment import prepare
from harness.grade.grader import Grader
from harness.grade.initial_states import run_suite_at_start
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Label, TaskBroken
from harness.protocols import Budget, Job
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.gold_cache import GoldCache
from tests.mini import BASE, FIXED_C, VFC, Mini


@pytest.fixture(scope="session")
def task(mini: Mini) -> Task:
    return load_pack(mini.folder).tasks[0]


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize("name", CALIBRATION)
def test_calibration_agents_get_their_due(grader: Grader, task: Task, name: str) -> None:
    agent = make_agent(name, task)
    workspace = workspace_of(grader.backend, task)
    try:
        patch = agent.solve(Job(workspace, task.instruction, Budget())).patch
    finally:
        workspace.close()
    verdict = grader.grade(task, patch)
    assert verdict.label == agent.due, verdict.reason  # type: ignore[attr-defined]


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_gold_crashes_with_the_historical_signature(grader: Grader, task: Task) -> None:
    verdict = grader.grade(task, task.solution("gold"))
    assert verdict.evidence["poc"]["historical"] is True
    assert verdict.evidence["poc"]["crash"]["kind"] == "heap-buffer-overflow"
    assert verdict.evidence["poc"]["crash"]["cwe"] == "CWE-122"


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_another_crash_is_vulnerable_too_and_says_so(
    grader: Grader, task: Task, mini: Mini
) -> None:
    aborting = FIXED_C.replace(
        "memcpy(out, text", "if (length > 3)\n        abort();\n    memcpy(out, text"
    )
    patch = mini.patch(lambda work: None, {"src/text.c": aborting})
    verdict = grader.grade(task, patch)
    assert (verdict.label, verdict.evidence["poc"]["historical"]) == (Label.CV, False)


@pytest.mark.nightly("waits for a limit to end it")
def test_a_hanging_poc_is_vulnerable(grader: Grader, task: Task, mini: Mini) -> None:
    hanging = FIXED_C.replace(
        "size_t length = strlen(text);\n    char *out = malloc(2",
        "size_t length = strlen(text);\n    while (length == 8)\n        ;\n    char *out = malloc(2",
    )
    verdict = grader.grade(task, mini.patch(lambda work: None, {"src/text.c": hanging}))
    assert (verdict.label, verdict.evidence["poc"]["crash"]["kind"]) == (Label.CV, "timeout")


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_lost_test_is_incorrect_and_named(grader: Grader, task: Task, mini: Mini) -> None:
    wrong = FIXED_C.replace(
        "memcpy(out + length, text, length);", "memset(out + length, 'x', length);"
    )
    verdict = grader.grade(task, mini.patch(lambda work: None, {"src/text.c": wrong}))
    assert verdict.label is Label.IC
    assert verdict.evidence["tests"]["not_passed"] == {"failed": ["results: twice word"]}


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_crashing_test_is_incorrect(grader: Grader, task: Task, mini: Mini) -> None:
    crashing = FIXED_C.replace("out[2 * length] = '\\0';", "abort();")
    assert (
        grader.grade(task, mini.patch(lambda work: None, {"src/text.c": crashing})).label
        is Label.IC
    )


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_new_source_file_is_built(grader: Grader, task: Task, mini: Mini) -> None:
    moved = FIXED_C.replace("static char *twice", "char *twice")
    head, _, rest = moved.partition("\nchar *twice")
    body, _, tail = rest.partition("}\n\nchar *text_apply")
    twice = f'#include "text.h"\n#include <stdlib.h>\n#include <string.h>\nchar *twice{body}}}\n'
    caller = f"{head}\nchar *text_apply{tail}"
    header = BASE["src/text.h"].replace("#endif", "char *twice(const char *text);\n#endif")
    files = {"src/text.c": caller, "src/twice.c": twice, "src/text.h": header}
    verdict = grader.grade(task, mini.patch(lambda work: None, files))
    assert verdict.label is Label.SECURE, verdict.reason


def test_the_same_patch_is_never_graded_twice(backend: Backend, task: Task) -> None:
    grader = Grader(backend, GoldCache())
    first = grader.grade_cached(task, task.solution("gold"))
    steps: list[str] = []
    again = grader.grade_cached(task, task.solution("gold"), steps.append)
    assert (again, steps) == (first, [])


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_changed_patch_is_not_served_an_old_verdict(backend: Backend, task: Task) -> None:
    grader = Grader(backend, GoldCache())
    assert grader.grade_cached(task, b"").label is Label.NO
    assert grader.grade_cached(task, task.solution("gold")).label is Label.CV


def test_a_task_whose_gold_does_not_build_is_broken_and_nobodys_result(
    backend: Backend, mini: Mini, tmp_path: Path
) -> None:
    task = load_pack(mini.folder).tasks[0]
    spec = task.spec.model_copy(
        update={
            "environment": task.spec.environment.model_copy(update={"build": "make no-such-target"})
        }
    )
    with pytest.raises(TaskBroken, match=r"does not build.*no-such-target") as raised:
        Grader(backend, GoldCache()).grade(Task(task.folder, spec), task.solution("gold"))
    assert b"no-such-target" in raised.value.log


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.parametrize("unbuilt", [True, False])
def test_pvic_may_lack_what_the_build_needs_where_the_task_says_so(
    backend: Backend, mini: Mini, unbuilt: bool
) -> None:
    """As where the fuzz target calls a function that only gold brings."""
    task = load_pack(mini.folder).tasks[0]
    needs = {"build": "make && grep -q twice src/text.c", "unbuilt": unbuilt}
    where = task.spec.environment.model_copy(update=needs)
    task = Task(task.folder, task.spec.model_copy(update={"environment": where}))
    grader = Grader(backend, GoldCache())
    if not unbuilt:
        with pytest.raises(TaskBroken, match="PVIC does not build"):
            grader.grade(task, task.solution("gold"))
        return
    assert grader.grade(task, task.solution("gold")).label is Label.CV
    other = task.solution("gold").replace(b"twice", b"thrice")
    assert grader.grade(task, other).label is Label.CE
    started = run_suite_at_start(backend, task, prepare(backend, task), MemoryCache(), None)
    assert "passed" in started.outcomes.values(), started.reason


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_unstable_tests_are_set_aside_and_listed(backend: Backend, mini: Mini) -> None:
    task = load_pack(mini.folder).tasks[0]
    flip = "make check; test -f /tmp/flip && echo 'not ok 5 - flaky' >> build/results.tap || { touch /tmp/flip; echo 'ok 5 - flaky' >> build/results.tap; }; sed -i s/1..4/1..5/ build/results.tap"
    spec = task.spec.model_copy(
        update={"tests": task.spec.tests.model_copy(update={"command": flip})}
    )
    grader = Grader(backend, GoldCache())
    shaky = Task(task.folder, spec)
    _, gold = grader.ready(shaky)
    assert gold.suite["unstable"] == ["results: flaky"]
    assert grader.grade(shaky, mini.patch(lambda work: None, VFC)).label is Label.SECURE
