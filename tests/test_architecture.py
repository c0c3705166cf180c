"""docs/architecture.md is true: a traced run goes through the files that it lists, in that order."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.sweep.engines.local import LocalEngine
from harness.agents.noop import Noop
from harness.grade.decide import Decided
from harness.sandbox.base import Backend
from tests.arena.conftest import Arena, arena

__all__ = ["arena"]

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
MOST = 12
LISTED = re.compile(r"^\d+\. `([\w./]+)`", re.M)
NAMED = re.compile(r"`((?:arena|harness|parsers|tests|tasks|szz|images)/[\w./]*)`")


def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files of ours on the stack, as they come, at an attempt's begin, in its agent and at its label."""
    seen: list[str] = []

    def watch(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def watched(*args: Any, **more: Any) -> Any:
            stack = [Path(frame.filename) for frame in traceback.extract_stack()[:-1]]
            stack.append(Path(real.__code__.co_filename))
            ours = [path for path in stack if path.is_relative_to(ROOT)]
            seen.extend(str(path.relative_to(ROOT)) for path in ours)
            return real(*args, **more)

        monkeypatch.setattr(owner, name, watched)

    watch(LocalEngine, "submit")
    watch(Noop, "solve")
    watch(Decided, "__init__")
    return seen


@pytest.mark.docker
def test_the_way_of_an_attempt(
    arena: Arena, docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = LISTED.findall(PAGE.read_text("utf-8"))
    seen = traced(monkeypatch)
    done = arena(
        *("run", "--pack", "starter", "--task", "brook-include", "--agent", "noop", "--json"),
        *("--sandbox", "docker"),
    )
    assert [one["label"] for one in done.json["attempts"]] == ["NO"]
    rooms = ("arena/", "harness/")
    assert [one for one in dict.fromkeys(seen) if one.startswith(rooms)] == listed
    assert len(listed) <= MOST


@pytest.mark.parametrize("name", sorted(set(NAMED.findall(PAGE.read_text("utf-8")))))
def test_what_the_page_names_is_there(name: str) -> None:
    assert (ROOT / name).exists()
