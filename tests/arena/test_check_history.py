"""`arena tasks check` on a history with merges: parents are git's, not neighbours in a list."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.store.store import Store
from arena.tracks.repo.check import check_task
from harness.grade.grader import Grader
from harness.grade.verdict import TaskBroken
from tasks.bundle import write_bundle
from tasks.loader import Task, load_pack
from tasks.plumbing import git
from tests.mini import Mini
from tests.tasks.test_bundle import Clone


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return Clone(tmp_path_factory.mktemp("check") / "clone")


def problems(
    clone: Clone, mini: Mini, folder: Path, monkeypatch: pytest.MonkeyPatch, **ids: str
) -> list[str]:
    """What the check of the history says of a task with these commits."""
    from arena.tracks.repo import check

    given = load_pack(mini.folder).tasks[0]
    source: dict[str, Any] = {"pvic": clone.pvic, "vic": clone.vic, "vfc": clone.vfc, **ids}
    spec = given.spec.model_copy(update={"source": given.spec.source.model_copy(update=source)})
    write_bundle(clone.folder, [clone.later, clone.other], folder / "repositories/mini")
    gold = git(clone.folder, "diff", "--binary", source["pvic"], source["vic"])
    (folder / given.id / "solution").mkdir(parents=True)
    (folder / given.id / "solution/gold.patch").write_text(gold)
    monkeypatch.setattr(check, "CHECKS", (check._history,))
    monkeypatch.setattr(check, "WARNINGS", ())
    found = check_task(cast("Grader", None), Task(folder / given.id, spec))
    return [f"{where}: {message}" for where, message in found.problems]


CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "as it is": ({}, []),
    "a merge as VIC": ({"pvic": "vic", "vic": "merge"}, []),
    "second parent": ({"pvic": "side", "vic": "merge"}, ["is not the first parent"]),
    "grandparent": ({"pvic": "root"}, ["is not the first parent"]),
    "a root as VIC": ({"pvic": "root", "vic": "root"}, ["is not the first parent", "git apply"]),
    "neighbour on another branch": (
        {"pvic": "later", "vic": "other", "vfc": "other"},
        ["is not the first parent", "does not come after"],
    ),
    "fix before": ({"vfc": "root"}, ["does not come after"]),
    "fix on another branch": ({"pvic": "vfc", "vic": "later", "vfc": "other"}, ["does not come"]),
    "VIC as its own fix": ({"vfc": "vic"}, ["does not come after"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_who_comes_after_whom(
    name: str, clone: Clone, mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, expected = CASES[name]
    given = {field: getattr(clone, commit) for field, commit in ids.items()}
    said = problems(clone, mini, tmp_path, monkeypatch, **given)
    assert len(said) == len(expected), said
    for part, message in zip(expected, said, strict=True):
        assert part in message


@pytest.mark.slow
def test_a_commit_that_is_not_in_the_bundle_is_named(
    clone: Clone, mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = problems(clone, mini, tmp_path, monkeypatch, vfc="0" * 40)
    assert found == ["task.toml: source.vfc: not in the history"]


def test_what_gold_printed_last_is_told_and_all_of_it_is_kept(
    mini: Mini, store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from arena.cli.tasks import _show_checked
    from arena.tracks.repo import check

    log = b"".join(b"line %d \x1b[31m\n" % number for number in range(100))

    def fails(grader: Grader, task: Task) -> list[check.Problem]:
        raise TaskBroken("mini: gold: does not build", log)

    monkeypatch.setattr(check, "CHECKS", (fails,))
    grader = cast("Grader", SimpleNamespace(cache=store))
    found = check_task(grader, load_pack(mini.folder).tasks[0])
    assert store.blob(found.facts["log"]) == log
    _show_checked(found, store, as_json=False)
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if "| line" in line] == [
        f"      | line {number} \N{REPLACEMENT CHARACTER}[31m" for number in range(80, 100)
    ]
    assert str(store.blob_path(found.facts["log"])) in said[-1]
