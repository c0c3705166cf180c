"""Each track tells on what its verdicts rest: the same facts that a stored verdict is filed under."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.jobs import Stage
from arena.models import provenance
from arena.models.provenance import add_program_facts, planned_provenance, prices_as_text
from arena.protocols import Matrix
from arena.store.model import AttemptKey
from arena.store.provenance import NOTHING_RECORDED, Provenance
from arena.tracks.dual.version import SCORER as DUAL
from arena.tracks.exposure.judging import DETECTION
from arena.tracks.mutation.version import SCORER as MUTATION
from arena.tracks.opening import track_class
from arena.version import installed
from arena.vocabulary import tracks
from harness.grade.version import GRADER_VERSION
from harness.sandbox.base import Backend
from tasks.loader import load_pack
from tests.arena.tracks.opening import made, opened
from tests.mini import Mini

ASKED = AttemptKey("t", "direct", "openai/m")
TABLE = "LiteLLM 1.2 of 2026-05-01"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(provenance, "_table_as_text", lambda: TABLE)
    return TABLE


@pytest.mark.parametrize("track", tracks())
def test_every_track_tells(track: str) -> None:
    assert callable(getattr(track_class(track), "provenance", None))


@pytest.mark.parametrize(
    ("track", "agent", "version"),
    [
        ("exposure", "safe", f"detection {DETECTION}"),
        ("mutation", "shipped", f"scorer {MUTATION}"),
        ("dual", "reference", f"scorer {DUAL}"),
    ],
)
def test_tracks_without_a_sandbox(track: str, agent: str, version: str, table: str) -> None:
    with opened(track, track, pinned={"reasoning_effort": "low"}) as one:
        key = one.attempts(Matrix([agent]))[0]
        graded = one.provenance(key, Stage.GRADE)
        solved = one.provenance(replace(key, agent="direct", model="openai/m"), Stage.SOLVE)
        assert one.provenance(key, Stage.SOLVE) == NOTHING_RECORDED
    assert graded == Provenance(version, graded.pack_version, graded.task_digest)
    assert graded.pack_version and len(graded.task_digest) == 64
    assert solved == Provenance(agent_version=f"arena {installed()}", effort="low", prices=table)


def test_repo_tells_of_image_and_scanner(mini: Mini, local: Backend) -> None:
    pack = load_pack(mini.folder)
    with opened("repo", mini.folder, sandbox="local") as track:
        key = track.attempts(Matrix(["gold"]))[0]
        found = track.provenance(key, Stage.GRADE)
        _, verdict = made(track, key)
        assert track.provenance(key, Stage.SOLVE) == NOTHING_RECORDED
    assert found.grader_version == f"grader {GRADER_VERSION}"
    assert (found.pack_version, found.task_digest) == (pack.spec.version, pack.tasks[0].digest)
    assert found.image_digest == local.resolve(pack.tasks[0].spec.environment.image)
    scanned = verdict.evidence.get("sast", {}).get("tool", f"{found.scanner}; rules {found.rules}")
    assert scanned.endswith(f"{found.scanner}; rules {found.rules}")
    assert found.scanner.startswith("semgrep ") and found.rules.startswith("builtin ")


def test_a_solver_without_a_model_is_billed_by_no_table(table: str) -> None:
    assert (
        planned_provenance(AttemptKey("t", "gold"), "", {"reasoning_effort": "high"})
        == NOTHING_RECORDED
    )
    asked = planned_provenance(replace(ASKED, agent="codex"), None, {"temperature": 0})
    assert asked == Provenance(prices=TABLE)
    assert add_program_facts(asked, {"program": {"version": "1"}}) == replace(
        asked, agent_version="1"
    )


def test_a_file_of_one_s_own_counts_by_its_content(table: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("x = 1\n")
    first = prices_as_text(tmp_path / "own.toml")
    (tmp_path / "own.toml").write_text("x = 2\n")
    second = prices_as_text(str(tmp_path / "own.toml"))
    for told in (first, second):
        assert told.startswith("own.toml ") and told.endswith(f", else {TABLE}")
    assert first != second and prices_as_text("") == prices_as_text(None) == TABLE
    assert prices_as_text(tmp_path / "gone.toml") == f"gone.toml not readable, else {TABLE}"


def test_the_table_has_a_version_and_a_day() -> None:
    name, version, digest, _, day = prices_as_text().split()
    assert name == "LiteLLM" and version[0].isdigit()
    assert (len(digest.strip("(),")), len(day)) == (12, 10)
