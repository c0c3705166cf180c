"""`arena audit`: flags of stored attempts, told and kept, and no label changed by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.cli import audit as cli
from arena.store.store import AttemptKey, Store, UnknownRun, attempt_id
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Ended, Solution
from tests.arena.audit.trails import ran

HONEST, DIGGING = AttemptKey("t", "codex", "m"), AttemptKey("t", "codex", "m", replicate=1)
OFFLINE = AttemptKey("t", "command:curl https://example.org/x")
OPEN = AttemptKey("t", "codex", "m", replicate=2)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    made.open_run("pack", [HONEST, DIGGING, OFFLINE, OPEN], {}, "r")
    trails = {HONEST: ran("git log -3", "make test"), DIGGING: ran("git reflog"), OFFLINE: None}
    for key, trail in trails.items():
        kept = {} if trail is None else {"atif": json.dumps(trail).encode()}
        solution = Solution(b"", Ended.FINISHED, {}, b"", {"status": 0}, kept)
        verdict = Verdict(Label.SECURE, Health.OK, "fine", {"oracle": {"touched": ["tests/a.c"]}})
        made.finish(attempt_id("r", key), verdict, solution, 1.0)
    return made


def told(capsys: pytest.CaptureFixture[str], store: Store, what: str, **more: Any) -> Any:
    cli.command(what, str(store.folder), more.get("write", False), as_json=True)
    return json.loads(capsys.readouterr().out)


def test_attempts_of_a_run_with_their_flags(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {row["attempt"]: row for row in told(capsys, store, "r")}
    named = {id_: [flag["name"] for flag in row["flags"]] for id_, row in rows.items()}
    assert named == {
        attempt_id("r", HONEST): ["tampering:oracle-files"],
        attempt_id("r", DIGGING): ["history:reflog", "tampering:oracle-files"],
        attempt_id("r", OFFLINE): ["network:download", "tampering:oracle-files"],
    }
    (one,) = told(capsys, store, attempt_id("r", DIGGING)[:8])
    assert one["flags"][0]["quote"] == "git reflog" and one["label"] == "C&S"


def test_flags_are_kept_and_change_no_label(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before = store.attempt(attempt_id("r", DIGGING))
    told(capsys, store, "r", write=True)
    after = store.attempt(before.id)
    assert list(after.flags) == ["history:reflog"]
    assert {flag["name"] for flag in after.evidence["audit"]} > set(after.flags)
    assert (after.label, after.health, after.finished) == (before.label, "ok", before.finished)
    assert {k: v for k, v in after.evidence.items() if k != "audit"} == before.evidence
    assert list(store.attempt(attempt_id("r", HONEST)).flags) == []
    with pytest.raises(UnknownRun, match="nobody"):
        store.set_flags("nobody", (), {})


@pytest.mark.slow
def test_words_for_people_hold_no_escapes(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    key = AttemptKey("t", "command:git reflog \x1b[2J")
    store.open_run("pack", [key], {}, "s")
    store.finish(attempt_id("s", key), Verdict(None, Health.OK), Solution(b""), 1.0)
    cli.command("s", str(store.folder), write=False, as_json=False)
    cli.command("r", str(store.folder), write=False, as_json=False)
    out = capsys.readouterr().out
    assert "\x1b" not in out and "suspicious history:reflog, step 1" in out
    assert "codex m: 2 attempts\n    history    1 of 2 flagged, 0 with notices only" in out


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"not json", b"[" * 100_000, b"{}"])
def test_a_trajectory_that_cannot_be_read_is_told(
    store: Store, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    store.open_run("pack", [HONEST], {}, "s")
    left = Solution(b"", Ended.FINISHED, {}, b"", {}, {"atif": data})
    store.finish(attempt_id("s", HONEST), Verdict(Label.NO), left, 1.0)
    (row,) = told(capsys, store, "s")
    assert [flag["name"] for flag in row["flags"]] == ["audit:unread"]


def test_what_is_neither_a_run_nor_an_attempt(store: Store) -> None:
    with pytest.raises(UnknownRun, match=r"no run 'x'.*; no attempt starts with 'x'"):
        cli.command("x", str(store.folder), write=False, as_json=True)


def test_attempts_without_a_label_are_audited(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    reason = "SandboxEnded: the container ended under a running command"
    key = AttemptKey("t", "codex", "m", replicate=2)
    store.finish(attempt_id("r", key), Verdict(None, Health.INFRA, reason), None, 1.0)
    rows = {row["attempt"]: row for row in told(capsys, store, "r")}
    (flag,) = rows[attempt_id("r", key)]["flags"]
    assert (flag["name"], flag["quote"]) == ("process:ended-sandbox", reason)
