"""States of a repository, its project.toml, and the corpus in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.gate import corpus
from arena.gate.checkout import GitState, ProjectCheckout
from arena.gate.corpus import (
    BaseTarget,
    choose_inputs,
    compare_replays,
    describe_missing_corpus,
)
from arena.gate.findings import GateCause
from arena.gate.project import FuzzTarget, load_project
from arena.gate.states import LATE, Replays, batch_size
from parsers.crashes import Crash, StackFrame
from szz.repository import Repository
from tasks.loader import TaskError
from tests.arena.gate import PROJECT
from tests.mini import git, write

FIRST = {"a.c": "int a;\n" * 9, "ci/project.toml": PROJECT, ".gitignore": "*.o\n", "gone.c": "1"}
TARGET = FuzzTarget(command="./fuzz {poc}", corpus=("corpus", "bugs/*.bin"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, FIRST)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "First")
    return tmp_path


@pytest.fixture
def checkout(folder: Path) -> Iterator[ProjectCheckout]:
    with Repository(folder) as repository:
        yield ProjectCheckout(repository)


def test_working_tree_has_new_files_and_leaves_no_trace(
    folder: Path, checkout: ProjectCheckout
) -> None:
    write(folder, {"new.c": "int n;\n", "a.o": "object"})
    (folder / "gone.c").unlink()
    objects = sorted((folder / ".git").rglob("*"))
    state = checkout.state(".")
    assert set(checkout.files(state.tree)) == {"a.c", "ci/project.toml", ".gitignore", "new.c"}
    assert (state.commit, state.label) == ("", "working tree")
    assert sorted((folder / ".git").rglob("*")) == objects


def test_unknown_commit_is_a_mistake(checkout: ProjectCheckout) -> None:
    with pytest.raises(ValueError, match="no such commit"):
        checkout.state("nowhere")


def test_changes_have_contents_and_renames(folder: Path, checkout: ProjectCheckout) -> None:
    (folder / "a.c").rename(folder / "b.c")
    (folder / "gone.c").unlink()
    (folder / "link").symlink_to("b.c")
    write(folder, {"new.c": "n"})
    changes = checkout.changes(checkout.state("HEAD"), checkout.state("."))
    assert changes.before == {"a.c": b"int a;\n" * 9, "gone.c": b"1"}
    assert changes.after == {"b.c": b"int a;\n" * 9, "new.c": b"n"}
    assert changes.renames == {"a.c": "b.c"}
    assert changes.paths == {"a.c", "b.c", "gone.c", "new.c"}
    assert "link" not in checkout.files(checkout.state(".").tree)


def test_attributes_of_a_change_leave_nothing_out(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, checkout: ProjectCheckout
) -> None:
    write(
        folder, {".gitattributes": "a.c export-ignore\n*.h export-subst\n", "v.h": "$Format:%H$\n"}
    )
    out = tmp_path_factory.mktemp("out")
    checkout.write(checkout.state(".").tree, out)
    assert (out / "a.c").is_file()
    assert (out / "v.h").read_text() == "$Format:%H$\n"


# project.toml


def test_project_of_base_counts(folder: Path, checkout: ProjectCheckout) -> None:
    write(folder, {"ci/project.toml": PROJECT.replace("make check", "true")})
    base, head = checkout.state("HEAD"), checkout.state(".")
    project = load_project(folder / "ci/project.toml", checkout, base, head)
    assert (project.spec.tests.command, project.differs) == ("make check", True)
    assert not load_project(folder / "ci/project.toml", checkout, base, base).differs


def test_mistake_in_project_of_base_names_it(folder: Path, checkout: ProjectCheckout) -> None:
    write(folder, {"ci/project.toml": "schema = 1\n"})
    git(folder, "commit", "-qam", "Break it")
    state = checkout.state("HEAD")
    with pytest.raises(TaskError, match=r"^HEAD:ci/project\.toml: name: Field required"):
        load_project(folder / "ci/project.toml", checkout, state, state)


def test_project_that_a_change_brings_names_no_scanner(
    folder: Path, checkout: ProjectCheckout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = PROJECT + '[sast]\nscanner = "tool:scan {root}"\n'
    write(folder, {"new.toml": text})
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "project.toml"
    elsewhere.write_text(text)
    base = checkout.state("HEAD")
    with pytest.raises(TaskError, match=r"sast\.scanner"):
        load_project(folder / "new.toml", checkout, base, base)
    assert load_project(elsewhere, checkout, base, base).path == ""


# the corpus


def test_inputs_of_base_and_head_each_content_once(folder: Path, checkout: ProjectCheckout) -> None:
    write(folder, {"corpus/a": "1", "corpus/deep/b": "2", "bugs/c.bin": "3", "bugs/d.txt": "4"})
    git(folder, "add", "-A")
    base = checkout.state(".")
    (folder / "corpus/a").unlink()
    write(folder, {"corpus/e": "2", "corpus/f": "5"})
    head = checkout.state(".")
    trees = [checkout.files(state.tree) for state in (head, base)]
    chosen, left_out = choose_inputs(checkout, TARGET, trees)
    assert list(chosen.values()) == ["bugs/c.bin", "corpus/deep/b", "corpus/f", "corpus/a"]
    assert not left_out


def test_inputs_that_are_not_replayed_are_reported(
    folder: Path, checkout: ProjectCheckout, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, {"corpus/a": "12345", "corpus/b": "1", "corpus/c": "2"})
    monkeypatch.setattr(corpus, "MAX_INPUTS", 2)
    monkeypatch.setattr(corpus, "MAX_INPUT_BYTES", 4)
    chosen, left_out = choose_inputs(checkout, TARGET, [checkout.files(checkout.state(".").tree)])
    assert list(chosen.values()) == ["corpus/b"]
    assert [(f.cause, f.subject, f.message) for f in left_out] == [
        (GateCause.NOT_REPLAYED, "corpus/c", "not replayed: there are more than 2 inputs"),
        (GateCause.NOT_REPLAYED, "corpus/a", "not replayed: larger than 4 bytes"),
    ]


FRAME = StackFrame("twice", "/src/mini/src/text.c", 26)
CRASH = Crash("address", "heap-buffer-overflow", "write", 1, None, (FRAME,), "CWE-122", "")
CORPUS = {"id1": "corpus/a", "id2": "corpus/b", "id3": "corpus/c"}


def test_crash_is_new_unless_base_crashes_on_the_same_input() -> None:
    replays = Replays((CRASH, LATE, None), {0: "digest"}, True)
    at_base = BaseTarget().add(["id1", "id2"], Replays((None, LATE), {}, True))
    first, second = compare_replays(CORPUS, replays, at_base, "/src/mini", {"src/text.c": "x"})
    assert (first.cause, first.path, first.line) == (GateCause.CRASH, "src/text.c", 26)
    assert (first.facts["report"], first.facts["input"]) == ("digest", "corpus/a")
    assert (second.cause, second.path, second.line) == (GateCause.CRASH_AT_BASE, "corpus/b", 1)
    assert second.message == "timeout; BASE crashes on it as well: timeout"


@pytest.mark.parametrize(
    ("at_head", "at_base", "causes"),
    [
        (False, True, [GateCause.SANITIZER_OFF]),
        (False, False, []),
        (False, None, []),
        (True, True, []),
        (None, True, []),
    ],
)
def test_sanitizer_that_only_base_has_is_switched_off(
    at_head: bool | None, at_base: bool | None, causes: list[GateCause]
) -> None:
    replays = Replays((None, None, None), {}, at_head)
    found = compare_replays(CORPUS, replays, BaseTarget({}, at_base), "/src/mini", {})
    assert [finding.cause for finding in found] == causes


def test_base_target_is_kept_as_json() -> None:
    target = BaseTarget({"id1": ""}).add(["id2"], Replays((CRASH,), {}, False))
    assert BaseTarget.from_json(target.to_json()) == target
    assert target.crashes == {"id1": "", "id2": "heap-buffer-overflow (write) in twice"}
    assert target.reports_errors is False


@pytest.mark.parametrize(("timeout", "size"), [(60.0, 12), (10.0, 12), (1.0, 50), (0.1, 71)])
def test_batch_ends_before_its_command_does_though_all_are_late(timeout: float, size: int) -> None:
    assert batch_size(timeout) == size


@pytest.mark.parametrize("commit", ["abc", ""])
def test_a_corpus_that_is_only_on_disk_is_named(tmp_path: Path, commit: str) -> None:
    target = FuzzTarget(command="./fuzz {poc}", corpus=("pocs", "bugs/*.bin"))
    head = GitState("HEAD", commit, "tree")
    missing = "poc.corpus names no file of BASE or HEAD"
    assert describe_missing_corpus(target, tmp_path, head) == missing
    (tmp_path / "pocs").mkdir()
    on_disk = ": pocs is on disk, and untracked files count only with HEAD `.`" if commit else ""
    assert describe_missing_corpus(target, tmp_path, head) == missing + on_disk
