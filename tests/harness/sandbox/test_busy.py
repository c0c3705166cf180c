"""Limits grow with what the machine has to do, to a bound; a budget never does."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox import busy


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(busy.os, "sched_getaffinity", lambda pid: {0, 1})
    return tmp_path / "loadavg"


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("0.00 0.00 0.00 1/200 4711", 1.0),
        ("4.00 9.00 9.00 3/200 4711", 1.0),  # two tasks for each of two processors
        ("6.00 0.00 0.00 1/200 4711", 1.5),
        ("0.50 0.00 0.00 12/200 4711", 3.0),  # the mean has not risen yet
        ("900.0 0.00 0.00 1/200 4711", 8.0),
        ("", 1.0),
        ("nonsense", 1.0),
    ],
)
def test_a_limit_grows_with_the_tasks_for_each_processor(
    load: Path, text: str, factor: float
) -> None:
    load.write_text(text)
    assert busy.time_limit_factor(load) == factor


def test_without_a_load_average_limits_are_as_stated(load: Path) -> None:
    assert busy.time_limit_factor(load) == 1.0


def test_a_commands_limit_grows_and_a_budget_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy, "time_limit_factor", lambda: 3.0)
    assert busy.extend_limit(Command("make", timeout=100)).timeout == 300
    assert busy.extend_limit(Command("agent", timeout=100, is_budget=True)).timeout == 100


@pytest.mark.each_sandbox
def test_a_sandbox_gives_a_command_the_longer_limit(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy, "time_limit_factor", lambda: 8.0)
    assert box.exec(Command("sleep 1.2", timeout=0.4)).ok
    assert box.exec(Command("sleep 9", timeout=0.4, is_budget=True)).stopped == "timeout"
