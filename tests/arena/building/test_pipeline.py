"""From a case to a checked task, on the tiny library: the whole pipeline with real builds and replays."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from arena.building import confirm as confirm_module
from arena.building import pipeline as pipeline_module
from arena.building.candidates import find_fix_loss
from arena.building.cases.importing import import_cases
from arena.building.cases.loader import LoadedCase, load_case
from arena.building.confirm import confirm
from arena.building.confirmation import Confirmation, proof_spec
from arena.building.draft import FIXED, CannotDraft
from arena.building.funnel import CaseProgress
from arena.building.fuzzing.campaign import fuzz_case
from arena.building.merging import CaseInWork
from arena.building.oss_fuzz.checkout import RecipeLost
from arena.building.pipeline import Pipeline
from arena.building.task_completion import SUPPLIED, BuildContext, fixed_method, take_fixed
from arena.building.triage import triage_cases
from arena.store.store import Store
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Health, Label, Verdict
from harness.sandbox.base import Backend
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from szz.repository import Repository
from tasks.kinds import TaskKind
from tasks.loader import load_pack
from tests.arena.building.entered import ROOT, files_entered
from tests.mini import Mini
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


@pytest.fixture
def case(mini: Mini, tmp_path: Path) -> LoadedCase:
    """Without the VIC and the instruction that its pack has: those are what is searched and drafted."""
    import_cases(mini.folder, tmp_path / "cases")
    (tmp_path / "cases/mini-twice/instruction.md").unlink()
    found = load_case(tmp_path / "cases/mini-twice")
    return replace(found, spec=found.spec.model_copy(update={"proof": None}))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


# The files of "The way of a case" in docs/architecture.md.
WALK = re.compile(r"^- `((?:arena/building|szz|arena/tracks/repo)/[\w./]+)`: ", re.M)
INSTRUCTION = """\
Add a further mode, named twice, to the program in mini.c. When the program is called with this mode, it writes the
content of the file that follows on the command line two times, one directly after the other. The other modes stay
as they are, and the usage line names the new mode beside them.
"""


@pytest.mark.nightly
@pytest.mark.local
def test_a_case_becomes_a_checked_task_and_the_second_time_nothing_is_built(
    case: LoadedCase,
    store: Store,
    local: Backend,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[str] = []
    means = BuildContext(Grader(local, store), store, seconds=1)
    pipeline = Pipeline(
        tmp_path / "pack", means, on_step=lambda _, step: heard.append(step), workers=1
    )
    walk = WALK.findall((ROOT / "docs/architecture.md").read_text("utf-8"))
    with files_entered(walk) as entered:
        (journey,) = pipeline.build([case])
    assert entered == walk
    assert journey.lost == "review" and "remove its first line" in journey.reason
    assert journey.held and not journey.checked and journey.review and journey.builds <= 3
    assert heard[0] == "confirm" and heard[-1] == "done"
    assert any(step.startswith("revision 1 of ") for step in heard[1 : heard.index("gold")]), heard
    pack = load_pack(tmp_path / "pack")
    (task,) = pack.tasks
    assert task.id.startswith("task-") and "mini" not in task.id
    assert (tmp_path / "pack/repositories" / case.spec.project / "history.bundle").is_file()
    assert task.evidence["reach"]["reaches"] and task.evidence["fail_to_pass"]
    assert task.neighbours is not None and "harmless" in journey.around
    assert task.other_values is not None and journey.other_values == task.other_values.describe()
    before = (task.folder / "oracle/evidence.json").stat().st_mtime_ns
    path = task.folder / "instruction.md"
    path.write_text(path.read_text().partition("\n")[2])
    (short,) = pipeline.build([case])
    assert (short.lost, short.checked, path.is_file()) == ("instruction", False, True)
    path.write_text(INSTRUCTION)
    (again,) = pipeline.build([case])
    assert (again.lost, again.checked) == ("", True)
    assert (task.folder / "oracle/evidence.json").stat().st_mtime_ns == before
    assert again.seconds < journey.seconds

    def doubtful(*args: Any, **options: Any) -> Confirmation:
        return replace(confirm(*args, **options), doubt="older, maybe")

    monkeypatch.setattr(pipeline_module, "confirm", doubtful)
    (doubted,) = pipeline.build([case])
    assert (doubted.lost, doubted.reason) == ("doubtful", "older, maybe")
    assert doubted.held and not doubted.checked and (task.folder / "task.toml").is_file()


def test_a_case_that_lacks_something_is_lost_with_that_reason(
    case: LoadedCase, store: Store, local: Backend, tmp_path: Path
) -> None:
    bare = replace(case, spec=case.spec.model_copy(update={"environment": None}))
    found = confirm(bare, local, store, BuildBudget())
    assert (found.proof.lost, found.proof.confirmed) == ("incomplete", False)
    assert "how to build" in found.proof.reason
    gone = replace(case, spec=case.spec.model_copy(update={"fix": ("0" * 40,)}))
    assert confirm(gone, local, store, BuildBudget()).proof.lost == "fix-unknown"
    (tmp_path / "empty").mkdir()
    broken = replace(case, repository=tmp_path / "empty")
    found = confirm(broken, local, store, BuildBudget())
    assert (
        found.proof.lost == "unreadable" and "not a readable git repository" in found.proof.reason
    )


@pytest.mark.slow
def test_an_instruction_that_does_not_hold_is_told_before_an_oracle_is_taken(
    case: LoadedCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pipeline_module, "take_supplied_neighbours", lambda *_: pytest.fail("hours")
    )
    folder, means = tmp_path / "task-1", Mock()
    (folder / "solution").mkdir(parents=True)
    (folder / "solution/gold.patch").write_text("--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n")
    (folder / "instruction.md").write_text("Mend it.")
    one = CaseInWork(case, CaseProgress(case.id, task="task-1"))
    Pipeline(tmp_path, means)._finish(one)
    assert one.progress.lost == "instruction" and "length" in one.progress.reason
    assert folder.is_dir() and not one.progress.oracle


@pytest.mark.slow
def test_a_task_that_fails_late_leaves_the_pack_with_its_reason(
    case: LoadedCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise CannotDraft("not-reached", "no test runs\nwhat gold adds")

    monkeypatch.setattr(pipeline_module, "take_supplied_neighbours", fail)
    (tmp_path / "task-1").mkdir()
    one = CaseInWork(case, CaseProgress(case.id, task="task-1"))
    means: Any = None
    heard: list[tuple[str, str]] = []
    pipeline = Pipeline(
        tmp_path, means, on_step=lambda told, step: heard.append((step, told.lost)), workers=1
    )
    pipeline._each([one], pipeline._finish, 1e12)
    told = (tmp_path / ".lost/task-1/lost.txt").read_text()
    assert told == "not-reached: no test runs what gold adds\n"
    assert (tmp_path / ".lost/repositories").readlink() == Path("../repositories")
    assert heard == [("oracle", ""), ("done", "not-reached")] and not (tmp_path / "task-1").exists()


@pytest.mark.slow
def test_each_way_to_a_fixed_patch_is_told_with_its_label(
    case: LoadedCase, mini: Mini, tmp_path: Path
) -> None:
    shutil.copytree(mini.folder, tmp_path / "pack")
    (folder,) = (path.parent for path in (tmp_path / "pack").glob("*/task.toml"))
    (folder / FIXED).unlink(missing_ok=True)
    label = Label.IC
    grader: Any = SimpleNamespace(
        grade_cached=lambda *_: Verdict(label, Health.OK, "one test lost")
    )
    heard: list[str] = []
    means = BuildContext(grader, MemoryCache())
    with pytest.raises(CannotDraft, match="by merge it grades IC: one test lost"):
        take_fixed(case, folder, means, heard.append)
    label = Label.SECURE
    how = take_fixed(case, folder, means, heard.append)
    assert how == "merge" and (folder / FIXED).is_file()
    (case.folder / "fixed.patch").unlink()  # the case states none
    # An interrupt later on, and the same command again: the way is still known, for this patch only.
    assert take_fixed(case, folder, means, heard.append) == SUPPLIED
    assert fixed_method(case, folder, SUPPLIED, means.cache) == "merge"
    (folder / FIXED).write_text("by hand")
    assert fixed_method(case, folder, SUPPLIED, means.cache) == SUPPLIED
    assert heard == [f"fixed, by merge{end}" for end in ("", ": IC", "", ": C&S")]


def test_an_image_that_cannot_be_had_loses_its_case_and_no_other(
    case: LoadedCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise RecipeLost("arvo-image", "no PoC in it")

    monkeypatch.setattr(pipeline_module, "draft_repair", lost)
    one = CaseInWork(case, CaseProgress(case.id))
    means: Any = None
    pipeline = Pipeline(
        tmp_path, means, on_step=lambda *_: None, workers=1, kinds=(TaskKind.REPAIR,)
    )
    pipeline._each([one], pipeline._draft_repair, 1e12)
    assert one.progress.kinds == {"repair": "arvo-image: no PoC in it"}


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False])
def test_a_reason_of_any_bytes_and_a_folder_that_is_gone_end_no_run(
    case: LoadedCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    def fail(*_: object) -> None:
        raise CannotDraft("check", "no\udcff \x1b[2Jpath")

    monkeypatch.setattr(pipeline_module, "take_supplied_neighbours", fail)
    if there:
        (tmp_path / "task-1").mkdir()
    one = CaseInWork(case, CaseProgress(case.id, task="task-1"))
    means: Any = None
    Pipeline(tmp_path, means)._finish(one)
    found = [path.read_text() for path in tmp_path.glob(".lost/*/lost.txt")]
    assert (
        one.progress.lost == "check"
        and found
        == ["check: no\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}[2Jpath\n"] * there
    )


def test_every_loss_is_told_as_it_happens(
    case: LoadedCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever step it is in: of a case whose time is over, whose gold is too large, and whose repair fails."""
    heard: list[tuple[str, str]] = []
    means: Any = SimpleNamespace(grader=SimpleNamespace(backend=None), cache=None)
    pipeline = Pipeline(tmp_path, means, on_step=lambda told, step: heard.append((step, told.lost)))
    pipeline.workers = 1

    def fail(*_: object) -> None:
        raise CannotDraft("too-complex", "much")

    monkeypatch.setattr(pipeline_module, "with_built_image", fail)
    one = CaseInWork(case, CaseProgress(case.id, confirmed=True), proof=Proof())
    pipeline._draft(one)
    assert heard == [("done", "too-complex")]
    pipeline._each([one], lambda one: pipeline.on_step(one.progress, "repair"), 1e12)
    assert heard[1:] == [("repair", "too-complex")]
    late = CaseInWork(case, CaseProgress(case.id))
    pipeline.seconds = 1
    pipeline._each([late], lambda one: None, 0)
    assert heard[2:] == [("done", "out-of-time")]


def test_a_formatters_commit_is_looked_through_and_never_built(
    case: LoadedCase,
    store: Store,
    local: Backend,
    history: Maker,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = (b"f(a,\n  b);\n", b"f(a, b);\n", b"f(a, c);\n")
    path, ids = history(*({b"a.c": text} for text in texts))
    asked: list[Any] = []

    def prove(of: Any, fixes: Any, candidates: Any, *_: Any, further: Any, **__: Any) -> Proof:
        asked.extend((list(candidates), next(iter(further))))
        return Proof()

    monkeypatch.setattr(confirm_module, "prove", prove)
    spec = case.spec.model_copy(update={"fix": (ids[2],)})
    found = confirm(replace(case, spec=spec, repository=path), local, store, BuildBudget())
    assert found.candidates == (ids[1],)
    assert asked == [[], ("beneath", (ids[0],))]


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({b"fuzz/t.c": b"2\n", b"README": b"2\n"}, "target-only"),
        ({b"README": b"2\n", b"test/b.c": b"2\n"}, "no-source"),
        ({b"CMakeLists.txt": b"2\n", b"README": b"2\n"}, ""),
        ({b"fuzz/t.c": b"2\n", b"CMakeLists.txt": b"2\n"}, ""),
        ({b"simd/x86_64/a.asm": b"2\n", b"README": b"2\n"}, ""),
        ({b"fuzz/t.c": b"2\n", b"src/a.S": b"2\n"}, ""),
        ({b"test/a.py": b"2\n"}, "no-source"),
        ({b"fuzz/t.c": b"2\n", b"a.c": b"2\n"}, ""),
        ({b"fuzz/t.c": b"2\n", b"a.c": b" 1 // one\n"}, "target-only"),
        ({b"fuzz/t.c": b"2\n", b"a.c": b" 1 // one\n", b"b.c": b"2\n"}, ""),
        ({b"fuzz/t.c": b"2\n", b"a.c": b" 1 // one\n", b"CMakeLists.txt": b"\n"}, ""),
        ({b"fuzz/t.c": b"", b"a.c": b"1\n" * 3}, ""),
    ],
)
def test_a_fix_that_mends_nothing_is_no_case(
    case: LoadedCase,
    store: Store,
    local: Backend,
    history: Maker,  # noqa: F811
    changes: dict[bytes, bytes],
    lost: str,
) -> None:
    """As miniz 27871's: its fuzz target calls a function no more. Nothing is built to say so."""
    one = {b"fuzz/t.c": b"1\n", b"a.c": b"1\n"}
    path, ids = history(one, {**one, **changes})
    assert case.spec.poc is not None
    poc = case.spec.poc.model_copy(update={"carry": ("fuzz/*",)})
    case = replace(case, spec=case.spec.model_copy(update={"fix": (ids[1],), "poc": poc}))
    case = replace(case, repository=path)
    (triage,) = triage_cases([case])
    with Repository(path) as repository:
        code, reason = find_fix_loss(repository, case.spec)
    assert code == lost
    assert not lost or triage.note == f"{code}: {reason}"
    if lost:
        found = confirm(case, local, store, BuildBudget())
        assert (found.proof.lost, found.proof.runs) == (lost, ())
        told = fuzz_case(case, local, store, 1.0)
        assert told.reason.startswith(f"{lost}: the fix changes")


@pytest.mark.slow
def test_a_fix_of_which_nothing_is_known_loses_no_case(
    case: LoadedCase,
    history: Maker,  # noqa: F811
) -> None:
    path, ids = history({b"a.c": b"1\n"}, {b"a.c": b"1\n", b"README": b"2\n"})
    for other in (ids[0], "1" * 40):
        spec = case.spec.model_copy(update={"fix": (ids[1], other)})
        with Repository(path) as repository:
            assert find_fix_loss(repository, spec) == ("", "")


def test_a_stated_vic_takes_three_builds_and_no_search(
    case: LoadedCase, store: Store, local: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confirm(case, local, store, BuildBudget())
    proof = proof_spec(case.spec, found)
    assert proof and (proof.how, proof.builds, proof.read_by) == (
        "b-szz",
        len(found.proof.runs),
        "",
    )
    monkeypatch.setattr(confirm_module, "trace", lambda *_: pytest.fail("a search"))
    stated = replace(case, spec=case.spec.model_copy(update={"proof": proof}))
    again = confirm(stated, local, store, BuildBudget())
    assert (again.proof.how, len(again.proof.runs), again.doubt) == ("stated", 3, "")
    assert again.proof.vic == found.proof.vic and proof_spec(stated.spec, again) == proof
    doubted = proof.model_copy(update={"read_by": "A. Reader", "conclusion": "doubtful"})
    case = replace(case, spec=case.spec.model_copy(update={"proof": doubted}))
    assert confirm(case, local, store, BuildBudget()).doubt == "A. Reader doubts the VIC"
    wrong = proof.model_copy(update={"vic": proof.pvic, "pvic": proof.vic})
    case = replace(case, spec=case.spec.model_copy(update={"proof": wrong}))
    assert confirm(case, local, store, BuildBudget()).proof.lost == "stated-vic"
    monkeypatch.undo()
    assert confirm(case, local, store, BuildBudget(), search=True).proof.vic == found.proof.vic


def test_the_contract_of_confirm(case: LoadedCase, store: Store, local: Backend) -> None:
    row = json.loads(json.dumps(confirm(case, local, store, BuildBudget()).to_json()))
    assert {"case", "vic", "pvic", "vfc", "how", "confirmed", "runs", "reason"} <= row.keys()
    assert row["confirmed"] and row["reason"] == ""
    states = {run["commit"]: (run["built"], run["crashed"]) for run in row["runs"]}
    assert states[row["vic"]] == (True, True)
    assert states[row["pvic"]] == states[row["vfc"]] == (True, False)


def test_nothing_is_begun_when_the_time_is_over(
    case: LoadedCase, store: Store, local: Backend, tmp_path: Path
) -> None:
    means = BuildContext(Grader(local, store), store)
    (journey,) = Pipeline(tmp_path / "pack", means, seconds=1e-9).build([case])
    assert (journey.lost, journey.builds) == ("out-of-time", 0)
