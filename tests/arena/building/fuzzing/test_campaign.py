"""How a campaign goes on, with turns that are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from arena.building.cases.loader import LoadedCase, load_case
from arena.building.cases.schema import Case
from arena.building.cases.store import save
from arena.building.fuzzing import campaign, libfuzzer
from arena.building.fuzzing.campaign import FuzzOutcome
from arena.building.fuzzing.hints import Hints
from harness.command import Command, ExecResult
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

KILLED = ExecResult(137, b"", 80, "timeout", over=True, cpu=20)
RAN = ExecResult(0, b"#100: cov: 5 ft: 5", 20, cpu=20)
KEPT = ExecResult(0, b"", 0, cpu=0)
BROKEN = ExecResult(1, b"no such file", 20, cpu=20)


@pytest.mark.parametrize(
    ("turns", "executions", "reason"),
    [
        ([RAN, RAN, KILLED, RAN, RAN], 400, ""),
        ([RAN, KILLED, KILLED, RAN, RAN], 300, ""),
        ([RAN, KILLED, KILLED, KILLED], 100, "the target does not fuzz: nothing"),
        ([BROKEN], 0, "the target does not fuzz: no such file"),
        ([RAN, BROKEN], 100, "the target does not fuzz: no such file"),
    ],
)
def test_a_turn_that_hangs_does_not_end_a_campaign(
    turns: list[ExecResult], executions: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five turns of 20 s are the budget; a target that never runs ends it before."""
    left = iter(turns)

    def done(command: Command) -> ExecResult:
        return next(left)

    nothing: Any = SimpleNamespace(keep_crashes=lambda found: None, keep=lambda box: None)
    box: Any = SimpleNamespace(exec=done)
    monkeypatch.setattr(campaign, "crashes_in", lambda box: {})
    case: Any = SimpleNamespace(id="1")
    found = FuzzOutcome("1")
    one = campaign._Campaign(case, nothing, nothing, nothing, "", "", found, lambda text: None)
    one._fuzz(box, "/out/target", [], 100, nothing)
    assert found.executions == executions and not list(left)
    assert found.reason == (reason or "no crash of the record's type and frames")


@pytest.mark.parametrize("near", [True, False])
def test_a_campaign_begins_with_packets_of_what_the_fix_changes(
    near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora: list[list[str]] = []

    def done(command: Command) -> ExecResult:
        words = command.line.partition(" 2>&1")[0].split()
        places = (libfuzzer.ONCE, libfuzzer.NEAR, libfuzzer.CORPUS)
        corpora.append([word for word in words[words.index("/out/target") :] if word in places])
        assert ("-use_value_profile=0" in words) or corpora[-1] != [libfuzzer.ONCE]
        return RAN

    nothing: Any = SimpleNamespace(keep_crashes=lambda found: None, keep=lambda box: None)
    box: Any = SimpleNamespace(exec=done)
    monkeypatch.setattr(campaign, "crashes_in", lambda box: {})
    case: Any = SimpleNamespace(id="1")
    one = campaign._Campaign(case, nothing, nothing, nothing, "", "", FuzzOutcome("1"), print)
    one.near = near
    one._fuzz(box, "/out/target", [], 100, nothing)
    every = [libfuzzer.CORPUS, libfuzzer.NEAR]
    first = [[libfuzzer.ONCE] if near else every] * campaign.NEAR_TURNS
    assert corpora == [*first, every]


def test_a_campaign_goes_on_behind_crashes_once_it_met_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork mode does, and is slower: it starts the target again and again."""
    forked: list[bool] = []

    def done(command: Command) -> ExecResult:
        forked.append("-fork=1" in command.line and "-ignore_crashes=1" in command.line)
        return RAN

    def crashes(_: object) -> dict[str, bytes]:
        return {"crash-1": b"x"} if len(forked) == 3 else {}

    nothing: Any = SimpleNamespace(keep_crashes=lambda found: None, keep=lambda box: None)
    box: Any = SimpleNamespace(exec=done)
    monkeypatch.setattr(campaign, "crashes_in", crashes)
    monkeypatch.setattr(campaign._Campaign, "_replay_input", lambda *_: None)
    case: Any = SimpleNamespace(id="1")
    one = campaign._Campaign(case, nothing, nothing, nothing, "", "", FuzzOutcome("1"), print)
    one._fuzz(box, "/out/target", [], 100, nothing)
    assert forked == [False] * 3 + [True] * 2


def a_campaign(clone: Path, parent: str, store: Path) -> Any:
    facts = {
        "schema": 1,
        "id": "1",
        "project": "p",
        "repository": "r",
        "fix": ("1" * 40,),
        "environment": {"image": "i", "build": "make"},
        "poc": {"command": "/out/t {poc}"},
    }
    save(store, Case.model_validate(facts))
    case, nothing = LoadedCase(store / "1", Case.model_validate(facts), clone), Mock()
    told = FuzzOutcome("1")
    return campaign._Campaign(case, nothing, nothing, nothing, parent, parent, told, print)


@pytest.mark.parametrize(
    ("beside", "turns", "smaller", "taken", "seconds"),
    [
        ([b"own"], [b"new"], b"less", b"less", 20),
        ([b"own"], [b"x", b"x", b"new"], b"own", b"own", 40),
        ([b"own", b"own too"], [], b"own", b"own", 40),
        ([b"other"], [], b"less", b"less", 0),
        ([b"other"], [], b"own too", b"other", 0),
        ([], [b"x", b"own", b"new"], b"own", b"new", 60),
        ([], [b"x", b"own", b"x", b"x", b"x"], b"own", b"own", 80),
    ],
)
def test_a_file_of_the_projects_own_is_the_poc_only_where_nothing_else_is_found(
    history: Maker,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    beside: list[bytes],
    turns: list[bytes],
    smaller: bytes,
    taken: bytes,
    seconds: float,
) -> None:
    path, (parent,) = history({b"t/1.json": b"own", b"t/2.json": b"own too"})
    made, one = campaign._Campaign, a_campaign(path, parent, tmp_path)
    nothing: Any = SimpleNamespace(
        fill=lambda box: None,
        crashes=dict,
        keep=lambda box: None,
        keep_crashes=lambda found: None,
    )
    found = iter(turns)

    @contextmanager
    def sandbox(*_: object) -> Iterator[Any]:
        yield Mock(**{"exec.side_effect": lambda c: RAN if "-max_total_time" in c.line else KEPT})

    monkeypatch.setattr(campaign, "StoredCorpus", lambda _: nothing)
    monkeypatch.setattr(campaign, "sandbox", sandbox)
    monkeypatch.setattr(
        campaign, "crashes_in", lambda _: dict(zip("c", [next(found, b"x")], strict=True))
    )
    monkeypatch.setattr(
        made, "_files_beside_fixes", lambda _: {str(n): text for n, text in enumerate(beside)}
    )
    monkeypatch.setattr(made, "_hints", lambda _: Hints())
    monkeypatch.setattr(made, "_captures_or_packets", lambda *_: ([], []))
    monkeypatch.setattr(
        made,
        "_replay_input",
        lambda _, __, text: (text != b"x" and {"kind": "k", "frames": ["f"]}) or None,
    )
    monkeypatch.setattr(made, "_matches", lambda *_: True)
    monkeypatch.setattr(made, "_is_fixed_by_fix", lambda *_: True)
    monkeypatch.setattr(made, "_minimise", lambda *_: smaller)
    one.run("image", 600, {})
    assert one.outcome.is_found
    assert ((tmp_path / "1/poc").read_bytes(), one.outcome.cpu_seconds) == (taken, seconds)


def test_a_spare_poc_stays_where_the_box_fails(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    path, (parent,) = history({b"t/1.json": b"own"})
    one = a_campaign(path, parent, tmp_path)
    one._keep_fallback(b"own", {"frames": []}, campaign.BESIDE)
    assert (tmp_path / "1/poc").read_bytes() == b"own"
    assert one.cpu_limit == campaign.FALLBACK_CPU_S


def test_a_clone_without_its_trees_has_nothing_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "clone").mkdir()
    assert not a_campaign(tmp_path / "clone", "1" * 40, tmp_path)._is_project_file(b"x")


def test_a_poc_that_is_there_is_not_given_up_for_a_spare(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    path, (parent,) = history({b"t/1.json": b"own"})
    one = a_campaign(path, parent, tmp_path)
    (tmp_path / "1/poc").write_bytes(b"theirs")
    one.case = load_case(tmp_path / "1")
    one._keep_fallback(b"own", {"frames": []}, campaign.BESIDE)
    assert (tmp_path / "1/poc").read_bytes() == b"theirs"


def test_turns_that_take_no_time_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = SimpleNamespace(keep_crashes=lambda found: None, keep=lambda box: None)
    box: Any = SimpleNamespace(exec=lambda command: ExecResult(1, b"", 0.3, cpu=0.02))
    monkeypatch.setattr(campaign, "crashes_in", lambda _: {"crash-1": b"x"})
    monkeypatch.setattr(campaign._Campaign, "_replay_input", lambda *_: None)
    case: Any = SimpleNamespace(id="1")
    one = campaign._Campaign(case, nothing, nothing, nothing, "", "", FuzzOutcome("1"), print)
    one._fuzz(box, "/out/target", [], 10, nothing)
    assert one.outcome.cpu_seconds >= 10
