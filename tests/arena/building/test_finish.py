"""Which suite a task gets, and in which image: the fuzz target's, or one with what the tests need besides."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.building import finish
from arena.building.cases.importing import import_cases
from arena.building.cases.loader import LoadedCase, load_case
from arena.building.draft import CannotDraft
from arena.building.oracle.result import AcquiredOracle, OracleProblem
from tasks.loader import Task, load_task
from tests.mini import Mini

MADE: list[str] = []
SAID: list[str] = []
"""The images that were asked for last."""
PLAIN, WHOLE = "arena/cpp", "arena/whole"
NO_GLIB = "tests-do-not-build"


@pytest.fixture
def case(mini: Mini, tmp_path: Path) -> LoadedCase:
    import_cases(mini.folder, tmp_path / "cases")
    found = load_case(tmp_path / "cases/mini-twice")
    assert found.spec.environment
    where = found.spec.environment.model_copy(update={"image": "", "recipe": "mini/1"})
    return replace(found, spec=found.spec.model_copy(update={"environment": where}))


def tried(
    case: LoadedCase,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    outcomes: Mapping[tuple[str, str], str],
    nothing: bool = False,
    here: tuple[str, ...] = (),
) -> tuple[list[tuple[str, str]], str, Task]:
    """The (suite, image) that were tried in order, the loss, and the task that was written."""
    seen: list[tuple[str, str]] = []

    def acquire(_: object, task: Task, *__: object, **___: object) -> AcquiredOracle:
        seen.append((task.spec.tests.command, task.spec.environment.image))
        code = outcomes[seen[-1]]
        problems = (OracleProblem(code, f"seen: {code}"),) if code else ()
        return AcquiredOracle(task.id, 1, problems=problems)

    def furnished(one: LoadedCase, _: object, __: object, ___: object, needs: object) -> LoadedCase:
        if needs and nothing:
            return one
        assert one.spec.environment and needs in ((), ("mini",))
        image = WHOLE if needs else PLAIN
        MADE.append(image)
        where = one.spec.environment.model_copy(update={"image": image, "recipe": ""})
        return replace(one, spec=one.spec.model_copy(update={"environment": where}))

    tests = load_task(folder).spec.tests
    both = [tests.model_copy(update={"command": name}) for name in ("make check", "ctest")]
    monkeypatch.setattr(finish, "suites", lambda *_: both)
    monkeypatch.setattr(finish, "acquire", acquire)
    monkeypatch.setattr(finish, "furnished", furnished)
    monkeypatch.setattr(finish, "needs_of", lambda *_: ("mini",))
    MADE.clear()
    SAID.clear()
    backend = SimpleNamespace(find=lambda name: name if name in here else None)
    means: Any = SimpleNamespace(grader=SimpleNamespace(backend=backend), cache=None)
    lost = ""
    try:
        finish.take_oracle(case, folder, means, SAID.append)
    except CannotDraft as error:
        lost = f"{error.code}: {error}"
    return seen, lost, load_task(folder)


@pytest.fixture
def folder(mini: Mini, tmp_path: Path) -> Path:
    """A task of its own whose evidence is not taken yet."""
    made = tmp_path / "pack"
    shutil.copytree(mini.folder, made)
    (task,) = made.glob("*/task.toml")
    (task.parent / finish.EVIDENCE).unlink(missing_ok=True)
    return task.parent


def test_the_image_with_what_the_tests_need_comes_first(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """harfbuzz configures its tests of shaping where there is GLib; the others pass without."""
    for _ in range(2):  # the second time its task has that image already
        seen, lost, task = tried(case, folder, monkeypatch, {("make check", WHOLE): ""})
        assert (seen, lost) == ([("make check", WHOLE)], "")
        assert task.spec.environment.image == WHOLE and task.spec.tests.command == "make check"
        (folder / finish.EVIDENCE).unlink()


def test_with_less_only_what_that_may_change_is_tried_and_last(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {
        ("make check", WHOLE): NO_GLIB,
        ("ctest", WHOLE): "not-reached",
        ("make check", PLAIN): "no-test-passes",
    }
    seen, lost, _ = tried(case, folder, monkeypatch, outcomes)
    assert seen == list(outcomes)
    assert lost.startswith(
        "no-test-passes: make check with the needs of mini: seen: tests-do-not-build; ctest with "
    )
    outcomes = {
        ("make check", WHOLE): "flaky-only",
        ("ctest", WHOLE): NO_GLIB,
        ("ctest", PLAIN): "",
    }
    assert tried(case, folder, monkeypatch, outcomes)[0] == list(outcomes)


def test_a_suite_is_tried_no_more_where_the_task_is_at_fault(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {("make check", PLAIN): "poc-does-not-crash"}
    seen, lost, _ = tried(case, folder, monkeypatch, outcomes, nothing=True)
    assert seen == list(outcomes) and lost.startswith("poc-does-not-crash: ")


def test_what_is_tried_and_why_it_does_not_serve_is_told(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {("make check", WHOLE): NO_GLIB, ("ctest", WHOLE): ""}
    tried(case, folder, monkeypatch, outcomes)
    assert [
        "suite make check with the needs of mini",
        f"it does not serve: {NO_GLIB}: seen: {NO_GLIB}",
        "suite ctest with the needs of mini",
    ] == SAID


@pytest.mark.parametrize("broken", ["pvic-does-not-build", "poc-does-not-crash"])
def test_an_image_with_more_in_which_the_task_is_broken_is_not_tried_again(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Libraries besides may change what the fuzz target is built of."""
    outcomes = {
        ("make check", WHOLE): broken,
        ("make check", PLAIN): NO_GLIB,
        ("ctest", PLAIN): "",
    }
    seen, lost, task = tried(case, folder, monkeypatch, outcomes)
    assert (seen, lost, task.spec.environment.image) == (list(outcomes), "", PLAIN)
    (folder / finish.EVIDENCE).unlink()
    seen, lost, task = tried(case, folder, monkeypatch, {**outcomes, ("ctest", PLAIN): NO_GLIB})
    assert seen == list(outcomes) and lost.startswith(f"{NO_GLIB}: ")


def test_what_served_another_task_of_the_project_is_tried_first(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = folder.parent / "before"
    shutil.copytree(folder, before)
    spec = before / "task.toml"
    spec.write_text(spec.read_text().replace(folder.name, before.name))
    outcomes = {
        ("make check", WHOLE): NO_GLIB,
        ("ctest", WHOLE): NO_GLIB,
        ("make check", PLAIN): NO_GLIB,
        ("ctest", PLAIN): "",
    }
    assert tried(case, before, monkeypatch, outcomes)[0] == list(outcomes)
    again = {
        ("ctest", PLAIN): "not-reached",
        ("make check", PLAIN): "flaky-only",
        ("ctest", WHOLE): "",
    }
    seen, _, task = tried(case, folder, monkeypatch, again)
    assert seen == list(again) and task.spec.environment.image == WHOLE
    (folder / finish.EVIDENCE).unlink()
    elsewhere = replace(case, spec=case.spec.model_copy(update={"project": "elsewhere"}))
    assert tried(elsewhere, folder, monkeypatch, outcomes)[0] == list(outcomes)


@pytest.mark.parametrize(
    "evidence", ["", "[]", "[" * 100_000, '{"served": 1}', '{"served": {"command": "ctest"}}']
)
def test_evidence_that_tells_no_suite_changes_no_order(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch, evidence: str
) -> None:
    (folder.parent / "other/oracle").mkdir(parents=True)
    (folder.parent / "other" / finish.EVIDENCE).write_text(evidence)
    assert tried(case, folder, monkeypatch, {("make check", WHOLE): ""})[1] == ""


def test_an_image_that_vanished_is_made_again(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(case, folder, monkeypatch, {("make check", WHOLE): ""})
    seen, *_ = tried(case, folder, monkeypatch, {}, here=(WHOLE,))
    assert not seen and not MADE
    seen, lost, task = tried(case, folder, monkeypatch, {})
    assert (seen, lost, MADE) == ([], "", [PLAIN, WHOLE])
    assert task.spec.environment.image == WHOLE


def test_an_image_that_could_get_nothing_more_is_not_tried(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {("make check", PLAIN): NO_GLIB, ("ctest", PLAIN): ""}
    seen, lost, task = tried(case, folder, monkeypatch, outcomes, nothing=True)
    assert (seen, lost, task.spec.environment.image) == (list(outcomes), "", PLAIN)


def test_a_case_with_an_image_of_its_own_has_no_other(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert case.spec.environment
    where = case.spec.environment.model_copy(update={"image": PLAIN, "recipe": ""})
    own = replace(case, spec=case.spec.model_copy(update={"environment": where}))
    outcomes = {("make check", PLAIN): NO_GLIB, ("ctest", PLAIN): NO_GLIB}
    assert tried(own, folder, monkeypatch, outcomes)[0] == list(outcomes)
