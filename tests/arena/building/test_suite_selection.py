"""Which suite a task gets, and in which image: the fuzz target's, or one with what the tests need besides."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.building import suite_selection
from arena.building.cases.importing import import_cases
from arena.building.cases.loader import LoadedCase, load_case
from arena.building.draft import CannotDraft
from arena.building.oracle.result import AcquiredOracle, OracleProblem
from tasks.loader import Task, load_task
from tests.mini import Mini

MADE: list[str] = []
# The images that were asked for last.
SAID: list[str] = []
PLAIN, WHOLE, OLD, OLD_WHOLE = "arena/cpp", "arena/whole", "arena/old", "arena/old-whole"
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
    older: tuple[str, ...] = (),
    suites: tuple[str, ...] = ("make check", "ctest"),
    needs: tuple[str, ...] = ("mini",),
) -> tuple[list[tuple[str, str]], str, Task]:
    """The (suite, image) that were tried in order, the loss, and the task that was written."""
    seen: list[tuple[str, str]] = []

    def acquire(_: object, task: Task, *__: object, **___: object) -> AcquiredOracle:
        seen.append((task.spec.tests.command, task.spec.environment.image))
        code = outcomes[seen[-1]]
        problems = (OracleProblem(code, f"seen: {code}"),) if code else ()
        return AcquiredOracle(task.id, 1, problems=problems)

    def furnished(
        one: LoadedCase, _: object, __: object, ___: object, asked: object, behind: int
    ) -> LoadedCase:
        assert one.spec.environment and asked in ((), ("mini",))
        image = ((PLAIN, WHOLE), (OLD, OLD_WHOLE))[behind][bool(asked)]
        if (asked and nothing) or (behind and image not in older):
            return one
        MADE.append(image)
        where = one.spec.environment.model_copy(update={"image": image, "recipe": ""})
        return replace(one, spec=one.spec.model_copy(update={"environment": where}))

    tests = load_task(folder).spec.tests
    both = [tests.model_copy(update={"command": name}) for name in suites]
    monkeypatch.setattr(suite_selection, "suites", lambda *_: both)
    monkeypatch.setattr(suite_selection, "acquire", acquire)
    monkeypatch.setattr(suite_selection, "with_built_image", furnished)
    monkeypatch.setattr(suite_selection, "needs_of", lambda *_: needs)
    MADE.clear()
    SAID.clear()
    backend: Any = SimpleNamespace(find=lambda name: name if name in here else None)
    cache: Any = None
    lost = ""
    try:
        suite_selection.take_oracle(case, folder, backend, cache, SAID.append)
    except CannotDraft as error:
        lost = f"{error.code}: {error}"
    return seen, lost, load_task(folder)


@pytest.fixture
def folder(mini: Mini, tmp_path: Path) -> Path:
    """A task of its own whose evidence is not taken yet."""
    made = tmp_path / "pack"
    shutil.copytree(mini.folder, made)
    (task,) = made.glob("*/task.toml")
    (task.parent / suite_selection.EVIDENCE).unlink(missing_ok=True)
    return task.parent


@pytest.mark.slow
def test_the_image_with_what_the_tests_need_comes_first(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """harfbuzz configures its tests of shaping where there is GLib; the others pass without."""
    for _ in range(2):  # the second time its task has that image already
        seen, lost, task = tried(case, folder, monkeypatch, {("make check", WHOLE): ""})
        assert (seen, lost) == ([("make check", WHOLE)], "")
        assert task.spec.environment.image == WHOLE and task.spec.tests.command == "make check"
        (folder / suite_selection.EVIDENCE).unlink()


@pytest.mark.slow
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


@pytest.mark.slow
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
    (folder / suite_selection.EVIDENCE).unlink()
    seen, lost, task = tried(case, folder, monkeypatch, {**outcomes, ("ctest", PLAIN): NO_GLIB})
    assert seen == list(outcomes) and lost.startswith(f"{NO_GLIB}: ")


@pytest.mark.slow
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
    (folder / suite_selection.EVIDENCE).unlink()
    elsewhere = replace(case, spec=case.spec.model_copy(update={"project": "elsewhere"}))
    assert tried(elsewhere, folder, monkeypatch, outcomes)[0] == list(outcomes)


@pytest.mark.slow
def test_tests_that_todays_compilers_do_not_build_are_tried_on_the_older_base_last(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON for Modern C++ of 2016 is compiled by libstdc++ 12, and its tests are not."""
    before = {
        ("make check", WHOLE): NO_GLIB,
        ("ctest", WHOLE): "flaky-only",
        ("make check", PLAIN): NO_GLIB,
    }
    outcomes = {**before, ("make check", OLD_WHOLE): ""}
    seen, lost, task = tried(case, folder, monkeypatch, outcomes, older=(OLD, OLD_WHOLE))
    assert (seen, lost, task.spec.environment.image) == (list(outcomes), "", OLD_WHOLE)
    assert SAID[-1] == "suite make check on the older base with the needs of mini"
    (folder / suite_selection.EVIDENCE).unlink()
    outcomes = {**before, ("make check", OLD): "pvic-does-not-build"}
    seen, lost, _ = tried(case, folder, monkeypatch, outcomes, older=(OLD,))
    assert seen == list(outcomes) and lost.startswith(f"{NO_GLIB}: ")


def test_what_needs_nothing_is_tried_once_in_each_image(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [("make check", image) for image in (PLAIN, OLD)]
    outcomes = dict.fromkeys(both, NO_GLIB)
    one = ("make check",)
    assert tried(case, folder, monkeypatch, outcomes, older=(OLD,), suites=one, needs=())[0] == both


def test_an_image_that_comes_again_is_not_tried_again(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian 12 may have none of the needs that Debian 11 has: both kinds lead to the same image then."""
    both = {("make check", OLD_WHOLE): NO_GLIB, ("make check", PLAIN): NO_GLIB}
    monkeypatch.setitem(globals(), "WHOLE", OLD_WHOLE)
    one = ("make check",)
    seen, lost, _ = tried(case, folder, monkeypatch, both, older=(OLD_WHOLE,), suites=one)
    assert seen == list(both) and lost.startswith(NO_GLIB)


@pytest.mark.slow
def test_trials_are_bounded(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = ("a", "b", "c")
    places = [*((name, WHOLE) for name in every), ("a", PLAIN), ("b", PLAIN), ("a", OLD_WHOLE)]
    outcomes = dict.fromkeys(places, NO_GLIB)
    assert len(outcomes) == suite_selection.TRIALS
    seen, lost, _ = tried(case, folder, monkeypatch, outcomes, older=(OLD, OLD_WHOLE), suites=every)
    assert seen == list(outcomes) and lost.startswith(NO_GLIB)


@pytest.mark.slow
@pytest.mark.parametrize(
    "evidence", ["", "[]", "[" * 100_000, '{"served": 1}', '{"served": {"command": "ctest"}}']
)
def test_evidence_that_tells_no_suite_changes_no_order(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch, evidence: str
) -> None:
    (folder.parent / "other/oracle").mkdir(parents=True)
    (folder.parent / "other" / suite_selection.EVIDENCE).write_text(evidence)
    assert tried(case, folder, monkeypatch, {("make check", WHOLE): ""})[1] == ""


@pytest.mark.slow
def test_an_image_that_vanished_is_made_again(
    case: LoadedCase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(case, folder, monkeypatch, {("make check", WHOLE): ""})
    seen, *_ = tried(case, folder, monkeypatch, {}, here=(WHOLE,))
    assert not seen and not MADE
    seen, lost, task = tried(case, folder, monkeypatch, {})
    assert (seen, lost, MADE) == ([], "", [PLAIN, WHOLE])
    assert task.spec.environment.image == WHOLE


@pytest.mark.slow
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
