"""How a campaign goes on, with turns that are told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.building.fuzzing import campaign, libfuzzer
from arena.building.fuzzing.campaign import FuzzOutcome
from harness.command import Command, ExecResult

KILLED = ExecResult(137, b"", 80, "timeout", over=True, cpu=20)
RAN = ExecResult(0, b"#100: cov: 5 ft: 5", 20, cpu=20)
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
    monkeypatch.setattr(campaign._Campaign, "_replayed", lambda *_: None)
    case: Any = SimpleNamespace(id="1")
    one = campaign._Campaign(case, nothing, nothing, nothing, "", "", FuzzOutcome("1"), print)
    one._fuzz(box, "/out/target", [], 100, nothing)
    assert forked == [False] * 3 + [True] * 2
