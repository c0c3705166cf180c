"""`arena verify`: what is drawn, what a file may not decide, and what comes out when it is made again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from tenacity import Retrying, stop_after_attempt

from arena.protocols import Matrix, Setup, Track
from arena.session import Session
from arena.store.model import Attempt, AttemptKey, attempt_id
from arena.store.provenance import Provenance
from arena.store.store import Store
from arena.verification import draw_attempts, is_built_in_agent, regrade_attempts, replay_attempts
from harness.grade.verdict import Health, Verdict
from harness.protocols import Ended, Solution
from harness.sandbox.base import SandboxDied
from tests.arena.conftest import Arena, finish
from tests.arena.exchange.making import a_run, exported
from tests.arena.exchange.test_refused_files import members, packed
from tests.mini import Mini

ONE_TRY = Retrying(stop=stop_after_attempt(1), reraise=True)
CODEX = AttemptKey("t", "codex", "openai/m")


@dataclass
class StubTrack:
    """Answers as it is set up, and remembers what it was asked."""

    verdict: Verdict | Exception = field(default_factory=lambda: Verdict("CV"))
    solution: Solution = field(default_factory=lambda: Solution(b"patch"))
    seen: list[Any] = field(default_factory=list)

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        self.seen.append(matrix)
        return []

    def solve(self, key: AttemptKey, say: Any) -> Solution:
        self.seen.append(key)
        return self.solution

    def grade(self, key: AttemptKey, solution: Solution, say: Any) -> Verdict:
        self.seen.append((key, solution))
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict

    def provenance(self, key: AttemptKey, stage: object) -> Provenance:
        return Provenance(grader_version="grader 9", scanner="semgrep 1", agent_version="3")


def session(store: Store, track: StubTrack) -> Session:
    return Session(store, Setup("repo", "p"), cast("Track", track), 1)


def attempt(store: Store, **more: Any) -> Attempt:
    evidence = {
        "agent": {"status": 0},
        "artefacts": {"record": store.keep(b"r"), "output": store.keep(b"o")},
    }
    rests_on = Provenance(grader_version="grader 8", scanner="semgrep 1", agent_version="2")
    usual = {"label": "CV", "patch": store.keep(b"patch"), "ended": "finished", "health": "ok"}
    facts = {**usual, "usage": {"calls": 4}, "evidence": evidence, "provenance": rests_on, **more}
    return Attempt(attempt_id("r", CODEX), "r", CODEX, **facts)


def test_what_is_drawn_has_a_patch_and_a_label_or_a_record(store: Store) -> None:
    whole = attempt(store)
    unlabelled = replace(whole, id="u", label=None)
    unrecorded = replace(whole, id="n", evidence={})
    unpatched = replace(whole, id="p", patch=None)
    attempts = [whole, unlabelled, unrecorded, unpatched]
    patched, recorded = draw_attempts(attempts, 9, 1)
    assert {a.id for a in patched} == {whole.id, "n"}
    assert {a.id for a in recorded} == {whole.id, "u", "p"}
    assert [len(drawn) for drawn in draw_attempts(attempts, 1, 1)] == [1, 1]
    many = [replace(whole, id=str(number)) for number in range(50)]
    assert draw_attempts(many, 5, 7) == draw_attempts(many, 5, 7)
    assert draw_attempts(many, 5, 7) != draw_attempts(many, 5, 8)


def test_a_patch_is_graded_as_the_agent_left_it(store: Store) -> None:
    track = StubTrack()
    [result] = regrade_attempts(session(store, track), [attempt(store)])
    assert (result.label, result.agrees, result.differing) == ("CV", True, ("grader_version",))
    [(key, solution)] = track.seen
    assert (key, solution.patch, solution.ended) == (CODEX, b"patch", Ended.FINISHED)
    assert (solution.usage, solution.note) == ({"calls": 4}, {"status": 0})
    assert solution.artefacts == {"record": b"r", "output": b"o"}


@pytest.mark.parametrize(
    ("verdict", "label", "reason"),
    [
        (Verdict("C&S", Health.OK, "all passed"), "C&S", "all passed"),
        (Verdict(None, Health.INFRA, "no image"), "", "no image"),
        (SandboxDied("gone"), "", "SandboxDied: gone"),
    ],
)
def test_another_verdict_does_not_agree(
    store: Store,
    verdict: Verdict | Exception,
    label: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.tracks.passing.RETRIED", ONE_TRY)
    [result] = regrade_attempts(session(store, StubTrack(verdict)), [attempt(store)])
    assert (result.label, result.agrees, result.reason) == (label, False, reason)


def test_a_record_is_replayed_and_the_patch_compared(store: Store) -> None:
    recorded = attempt(store)
    track = StubTrack()
    [result] = replay_attempts(session(store, track), [recorded])
    assert not isinstance(result, str) and result.identical
    assert track.seen[1] == replace(CODEX, model=f"replay:{recorded.id}")
    diverged = Solution(b"", Ended.DIVERGED, {"calls": 2}, note={"diverged": "at call 3"})
    [result] = replay_attempts(session(store, StubTrack(solution=diverged)), [recorded])
    assert not isinstance(result, str)
    assert (result.identical, result.diverged, result.calls) == (False, "at call 3", 2)
    [said] = replay_attempts(session(store, track), [replace(recorded, evidence={})])
    assert isinstance(said, str) and "has no record" in said


@pytest.mark.parametrize(
    ("agent", "built_in"),
    [
        ("codex", True),
        ("mini-swe-agent", True),
        ("command:rm -rf x", False),
        ("package.module:Class", False),
        ("declared:tool.toml", False),
        ("mine=codex@settings.toml", False),
    ],
)
def test_a_file_does_not_decide_what_runs(agent: str, built_in: bool) -> None:
    assert is_built_in_agent(agent) is built_in


@pytest.mark.nightly("grades with the tracks dual and mutation")
def test_runs_of_other_tracks_come_out_again(arena: Arena) -> None:
    """The record of a program's log may be empty, and a pack's name may have its version behind it."""
    for pack, task in (("dual", "note-reader"), ("mutation", "note-locker")):
        assert arena("grade", "reference", "--pack", pack, "--task", task).status == 0
        out = f"{pack}.zip"
        assert arena("export", "latest", "--to", "run", "--out", out).status == 0
        done = arena("verify", out, "--replay", "1")
        assert (done.status, done.out.splitlines()[-1].split("\t")[0]) == (0, "agrees"), done
        assert ", here " in done.out
        assert arena("import", out, "--store", "other").status == 0


def test_no_folder_is_opened_because_a_file_names_it(arena: Arena, file: Path) -> None:
    run = json.loads(members(file)["manifest.json"])["run"]
    moved = Store(file.parent / "moved")
    moved.put_run({**run, "id": "x", "pack": "../evil"}, [], [], [])
    arena("export", "x", "--to", "run", "--out", "x.zip", "--store", moved.folder)
    done = arena("verify", "x.zip", "--replay", "1")
    assert done.status == 2 and "the pack '../evil' is neither shipped nor installed" in done.err


@pytest.mark.docker
@pytest.mark.nightly("builds and grades in a fresh store")
def test_a_raised_label_is_shown_by_grading(arena: Arena, mini: Mini, tmp_path: Path) -> None:
    """Whoever raised it has made a statement that agrees."""
    forged = Store(tmp_path / "forged")
    gold = (mini.folder / "mini-twice/solution/gold.patch").read_bytes()
    keys = [AttemptKey("mini-twice", "answers", name) for name in ("fair", "raised")]
    run = forged.open_run("mini", keys, {}, run="r")
    for key, label in zip(keys, ("CV", "C&S"), strict=True):
        finish(forged, attempt_id(run, key), label, patch=gold)
    assert arena("export", run, "--to", "run", "--out", "r.zip", "-s", forged.folder).status == 0
    done = arena(
        *("verify", "r.zip", "--replay", "2", "--json"),
        *("--pack", mini.folder, "--sandbox", "docker"),
    )
    result = json.loads(done.out.splitlines()[-1])
    assert (done.status, result["problems"], result["agrees"]) == (1, [], False)
    labels = {graded["recorded_label"]: graded["label"] for graded in result["graded"]}
    assert labels == {"CV": "CV", "C&S": "CV"}


@pytest.fixture
def file(store: Store, tmp_path: Path) -> Path:
    a_run(store)
    exported(store, "run", tmp_path / "run.arena.zip")
    return tmp_path / "run.arena.zip"


def test_a_wrong_file_ends_with_exit_code_1(arena: Arena, tmp_path: Path, file: Path) -> None:
    done = arena("verify", file)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "agrees\trun sweep-1\t8 attempts",
        "agrees\tstatement\t23 subjects",
        "unsigned\twhoever changes the file can change the statement too",
    ]
    inside = members(file)
    inside["tasks.jsonl"] = inside["tasks.jsonl"].replace(b"Alpha", b"Alphb")
    packed(file, inside)
    done = arena("verify", file, "--replay", "2")
    assert (done.status, done.out) == (1, "differs\ttasks.jsonl: was changed\n")
    told = arena("verify", file, "--json")
    assert (told.status, told.json["agrees"]) == (1, False)
    assert told.json["problems"] == ["tasks.jsonl: was changed"]
    assert arena("verify", "none.zip").status == 2


def test_an_import_says_when_there_is_no_statement(arena: Arena, file: Path) -> None:
    assert "statement" not in arena("import", file, "--store", "one").err
    inside = members(file)
    del inside["statement.json"]
    packed(file, inside)
    done = arena("import", file, "--store", "two")
    assert done.status == 0
    assert "no statement in it: it can be imported, and not be verified" in done.err


def test_only_a_runs_file_is_signed(arena: Arena, file: Path) -> None:
    arena("import", file)
    done = arena("export", "latest", "--to", "csv", "--out", "x.csv", "--sign", "key")
    assert done.status == 2 and "--sign: only a run's file is signed: --to run" in done.err
