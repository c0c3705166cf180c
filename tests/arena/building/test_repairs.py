"""The tasks that need no VIC: made of a case that reproduces, one for each fix, checked as others are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.building import pipeline
from arena.building.cases.importing import import_cases
from arena.building.cases.loader import LoadedCase, load_case
from arena.building.draft import CannotDraft
from arena.building.funnel import CaseProgress, funnel, text
from arena.building.merging import CaseInWork
from arena.building.pipeline import Pipeline
from arena.building.repairs import choose_case_per_fix
from arena.building.task_completion import BuildContext
from arena.store.store import Store
from harness.grade.grader import Grader
from harness.sandbox.base import Backend, EngineUnavailable
from tasks.kinds import TaskKind
from tasks.loader import load_pack
from tests.mini.kinds import with_kinds

KINDS = (TaskKind.REPAIR, TaskKind.REPRODUCE)


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    folder = tmp_path_factory.mktemp("repairs")
    import_cases(with_kinds(folder).folder, folder / "cases")
    return load_case(folder / "cases/mini-twice")


def like(case: LoadedCase, id_: str, poc: bytes) -> LoadedCase:
    """A case beside another one, with a PoC of its own."""
    folder = case.folder.with_name(id_)
    shutil.copytree(case.folder, folder)
    text = (folder / "case.toml").read_text().replace(f'id = "{case.id}"', f'id = "{id_}"')
    (folder / "case.toml").write_text(text)
    (folder / "poc").write_bytes(poc)
    return load_case(folder)


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_a_case_that_reproduces_becomes_a_repair_and_an_input(
    case: LoadedCase, local: Backend, tmp_path: Path
) -> None:
    store = Store(tmp_path / "home")
    means = BuildContext(Grader(local, store), store, seconds=1)
    work = Pipeline(tmp_path / "pack", means, workers=1, kinds=KINDS)
    other, safe = like(case, "other", b"twice\n12345678"), like(case, "safe", b"upper\nabc")
    first, second = work.build([case, other])
    assert (first.lost, set(first.kinds)) == ("", {"repair", "reproduce"}), first.reason
    assert second.kinds == {"repair": f"same fix as case {case.id}"}
    pack = load_pack(tmp_path / "pack")
    repair, reproduce = (pack.task(first.kinds[kind]) for kind in KINDS)
    assert not repair.spec.source.vic and repair.spec.source.base
    assert "mini" not in repair.id and reproduce.of is not None
    assert repair.neighbours is not None and other.poc in repair.neighbours.crashing
    assert "heap-buffer-overflow" in repair.instruction and "#0 in twice" in repair.instruction
    assert "reproducer" in reproduce.instruction and "twice" not in reproduce.instruction
    counts = funnel([first, second])
    assert counts["kinds"] == {"repair": 1, "reproduce": 1}
    assert "tasks of other kinds: 1 repair, 1 reproduce" in text(counts)
    assert [row["lost"] for row in counts["funnel"][1:3]] == [{"not-asked": 1}, {"not-asked": 1}]
    (lost,) = Pipeline(tmp_path / "none", means, workers=1, kinds=KINDS).build([safe])
    assert lost.lost == "not-shown" and "before the fix clean" in lost.reason


@pytest.mark.slow
def test_cases_of_one_fix_are_one_repair(case: LoadedCase) -> None:
    def named(id_: str, **change: object) -> CaseInWork:
        spec = case.spec.model_copy(update={"id": id_, **change})
        own = like(case, f"alike-{id_}", id_.encode())
        return CaseInWork(replace(own, spec=spec), CaseProgress(id_))

    crash = case.spec.crash.model_copy(update={"sanitizer": "undefined"})
    work = [named("a"), named("b"), named("c", crash=crash), named("d", fix=("1" * 40,))]
    heads = list(choose_case_per_fix(work))
    assert [head.case.id for head in heads] == ["a", "d"]
    assert heads[0].repair_pocs == (b"b",), "what another sanitizer shows cannot be replayed there"
    assert [one.progress.kinds for one in work[1:3]] == [{"repair": "same fix as case a"}] * 2


@pytest.mark.parametrize(
    ("held", "lost", "stays"),
    [
        ((), CannotDraft("check", "no"), set()),
        (("repair",), CannotDraft("check", "no"), {"repair"}),
        ((), EngineUnavailable("gone"), {"repair", "reproduce"}),
    ],
)
def test_what_holds_no_check_leaves_the_pack(
    case: LoadedCase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    held: tuple[str, ...],
    lost: Exception,
    stays: set[str],
) -> None:
    for kind in KINDS:
        (tmp_path / f"task-1-{kind}").mkdir()
        (tmp_path / f"task-1-{kind}/task.toml").touch()

    def finish(*_: object) -> Iterator[tuple[str, str]]:
        yield from ((kind, f"task-1-{kind}") for kind in held)
        raise lost

    monkeypatch.setattr(pipeline, "finish_repair", finish)
    one = CaseInWork(case, CaseProgress(case.id, kinds={"repair": "task-1-repair"}))
    means: Any = None
    Pipeline(tmp_path, means, kinds=KINDS)._finish_repair(one)
    assert {path.parent.name for path in tmp_path.glob("*/task.toml")} == {
        f"task-1-{kind}" for kind in stays
    }
    assert {kind for kind, told in one.progress.kinds.items() if told.startswith("task-")} == {
        *held
    }
    assert one.progress.lost in ("check", "infra")
