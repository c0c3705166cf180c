"""From a case to a checked task, on the tiny library: the whole pipeline with real builds and replays."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.assembly.confirm import confirm
from arena.assembly.finish import Means
from arena.assembly.funnel import Journey, funnel, text
from arena.assembly.patches import NotMerged, solutions
from arena.assembly.picture import picture
from arena.assembly.pipeline import Pipeline
from arena.store.store import Store
from harness.grade.grader import Grader
from harness.sandbox.base import Backend
from szz.proof.witness import Budget
from szz.repository import Repository
from tasks.cases.importing import import_cases
from tasks.cases.loader import LoadedCase, load_case
from tasks.loader import load_pack
from tests.mini import Mini
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


@pytest.fixture
def case(mini: Mini, tmp_path: Path) -> LoadedCase:
    import_cases(mini.folder, tmp_path / "cases")
    return load_case(tmp_path / "cases/mini-twice")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


@pytest.mark.local
def test_a_case_becomes_a_checked_task_and_the_second_time_nothing_is_built(
    case: LoadedCase, store: Store, local: Backend, tmp_path: Path
) -> None:
    heard: list[str] = []
    means = Means(Grader(local, store), store)
    pipeline = Pipeline(
        tmp_path / "pack", means, heard=lambda _, step: heard.append(step), workers=1
    )
    (journey,) = pipeline.build([case])
    assert (journey.lost, journey.reason) == ("", "")
    assert journey.checked and journey.review and journey.builds <= 3
    assert heard[0] == "confirm" and heard[-1] == "done"
    pack = load_pack(tmp_path / "pack")
    (task,) = pack.tasks
    assert task.id.startswith("task-") and "mini" not in task.id
    assert (tmp_path / "pack/repositories" / case.spec.project / "history.bundle").is_file()
    assert task.evidence["reach"]["reaches"] and task.evidence["fail_to_pass"]
    before = (task.folder / "oracle/evidence.json").stat().st_mtime_ns
    (again,) = pipeline.build([case])
    assert again.checked
    assert (task.folder / "oracle/evidence.json").stat().st_mtime_ns == before
    assert again.seconds < journey.seconds


def test_a_case_that_lacks_something_is_lost_with_that_reason(
    case: LoadedCase, store: Store, local: Backend, tmp_path: Path
) -> None:
    bare = replace(case, spec=case.spec.model_copy(update={"environment": None}))
    found = confirm(bare, local, store, Budget())
    assert (found.proof.lost, found.proof.confirmed) == ("incomplete", False)
    assert "how to build" in found.proof.reason
    gone = replace(case, spec=case.spec.model_copy(update={"fix": ("0" * 40,)}))
    assert confirm(gone, local, store, Budget()).proof.lost == "fix-unknown"
    (tmp_path / "empty").mkdir()
    broken = replace(case, repository=tmp_path / "empty")
    found = confirm(broken, local, store, Budget())
    assert (
        found.proof.lost == "unreadable" and "not a readable git repository" in found.proof.reason
    )


def test_the_contract_of_confirm(case: LoadedCase, store: Store, local: Backend) -> None:
    row = json.loads(json.dumps(confirm(case, local, store, Budget()).to_json()))
    assert {"case", "vic", "pvic", "vfc", "how", "confirmed", "runs", "reason"} <= row.keys()
    assert row["confirmed"] and row["reason"] == ""
    states = {run["commit"]: (run["built"], run["crashed"]) for run in row["runs"]}
    assert states[row["vic"]] == (True, True)
    assert states[row["pvic"]] == states[row["vfc"]] == (True, False)


BODY = b"".join(b"int line%d;\n" % n for n in range(12))


def test_fixed_is_gold_and_the_fix_and_leaves_out_what_conflicts_beside_sources(
    history: Maker,  # noqa: F811
) -> None:
    path, ids = history(
        {b"f.c": BODY, b"NEWS": b"1\n"},
        {b"f.c": BODY + b"bad;\n", b"NEWS": b"1\n"},
        {b"f.c": b"int first;\n" + BODY + b"bad;\n", b"NEWS": b"2\n"},
        {b"f.c": b"int first;\n" + BODY + b"good;\n", b"NEWS": b"3\n"},
    )
    with Repository(path) as repository:
        made = solutions(repository, ids[1], ids[3])
    assert b"+bad;" in made.gold and b"+good;" not in made.gold
    assert b"+good;" in made.fixed and b"+bad;" not in made.fixed
    assert b"NEWS" not in made.fixed and b"first" not in made.fixed
    assert made.note


def test_a_fix_that_cannot_be_brought_back_names_the_file(history: Maker) -> None:  # noqa: F811
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"b\n"}, {b"f.c": b"c\n"}, {b"f.c": b"d\n"})
    with Repository(path) as repository, pytest.raises(NotMerged, match=r"f\.c"):
        solutions(repository, ids[1], ids[3])


def test_the_funnel_counts_each_case_once_and_loses_none() -> None:
    journeys = [
        Journey("a", complete=True, confirmed=True, how="b-szz", candidates=1, task="t", oracle=True, described=True, checked=True),
        Journey("b", complete=True, confirmed=True, how="bisect", lost="no-suite"),
        Journey("c", complete=True, lost="not-reproduced"),
        Journey("d", lost="incomplete"),
    ]  # fmt: skip
    counts = funnel(journeys)
    assert [row["cases"] for row in counts["steps"]] == [4, 3, 2, 1, 1, 1, 1]
    assert sum(sum(row["lost"].values()) for row in counts["steps"]) == 3
    assert counts["how"] == {"b-szz": 1, "bisect": 1}
    assert any("-1  not-reproduced: the PoC does not crash" in line for line in text(counts))


def test_the_picture_shows_each_loss_and_runs_nothing_of_a_case() -> None:
    hostile = "<script>alert(1)</script>"
    lost = Journey("a" + hostile, complete=True, lost="not-reproduced", reason=hostile + "\x1b[2J")
    page = picture(funnel([lost, Journey("b", lost="incomplete")]))
    assert "<script" not in page and "\x1b" not in page and "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "the PoC does not crash" in page and page.count('class="bar"') == 7
    assert "From 0 case(s) to 0 task(s)" in picture(funnel([]))
