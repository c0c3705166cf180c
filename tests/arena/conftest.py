"""A store in a folder of the test's own, verdicts to put into it, and the command line in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.cli import main as cli
from arena.store.store import AttemptKey, Store
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Solution

KEYS = [AttemptKey(task, agent) for task in ("alpha", "beta") for agent in ("gold", "noop")]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def finish(store: Store, attempt: str, label: str | None = Label.CV, **more: object) -> None:
    """Record an attempt as ended, with as little as that takes."""
    health = Health.OK if label else Health.INFRA
    verdict = Verdict(label, health, str(more.pop("reason", "")), more.pop("evidence", {}))  # type: ignore[arg-type]
    seconds = float(more.pop("seconds", 1.0))  # type: ignore[arg-type]
    made = None if more.get("patch", b"") is None else Solution(**{"patch": b"", **more})  # type: ignore[arg-type]
    store.finish(attempt, verdict, made, seconds)


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Arena = Callable[..., Done]


@pytest.fixture
def arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Arena:
    """Run the command in this process, with a store and a current folder of the test's own."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(*args: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, args)])
        capfd.readouterr()
        status: object = 0
        try:
            cli.main()
        except SystemExit as ended:
            status = ended.code
        said = capfd.readouterr()
        return Done(int(str(status or 0)), said.out, said.err)

    return run
