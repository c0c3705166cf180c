"""A sandbox that ended itself is told from one that somebody or something else ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.sandbox import engine
from harness.sandbox.base import Backend, Command, SandboxDied, SandboxEnded, SandboxSpoilt
from tests.conftest import SMALL

pytestmark = [pytest.mark.docker, pytest.mark.slow]
END = "prlimit --pid 1 --nproc=0:0; kill -9 $(pgrep -x sleep)"
"""What ends a first process of one's own user: it cannot fork any more."""


@pytest.fixture
def weak(docker: Backend, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A sandbox whose first process is the commands' own user, as where an engine cannot switch users."""
    monkeypatch.setattr(engine, "KEEPER", "1000")
    box = docker.create(docker.resolve("arena/cpp"), SMALL)
    box.start()
    yield box
    box.stop()


def test_a_command_that_ends_its_own_sandbox_is_told(weak: Any) -> None:
    with pytest.raises(SandboxEnded) as ended:
        weak.exec(Command(f"echo so far; {END}; sleep 9"))
    assert ended.value.output == b"so far\n"
    with pytest.raises(SandboxEnded):
        weak.get(["a"], "/src")
    with pytest.raises(SandboxEnded):
        weak.exec(Command("true"))


def test_a_sandbox_that_is_killed_from_outside_has_not_ended_itself(weak: Any) -> None:
    weak._container.kill()
    with pytest.raises(SandboxDied) as died:
        weak.exec(Command("true"))
    assert not isinstance(died.value, SandboxSpoilt)


def test_what_an_engine_does_not_remember_is_nobodys_doing(
    weak: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was started anew, and took its containers with it."""
    monkeypatch.setattr(weak._client.api, "events", lambda **_: iter(()))
    with pytest.raises(SandboxDied) as died:
        weak.exec(Command(f"{END}; sleep 9"))
    assert not isinstance(died.value, SandboxSpoilt)


@pytest.mark.parametrize("word", ["kill", "oom"])
def test_who_was_killed_or_had_no_memory_has_not_ended_itself(
    weak: Any, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    seen = [{"Action": "start"}, {"Action": word}, {"Action": "die"}]
    monkeypatch.setattr(weak._client.api, "events", lambda **_: iter(seen))
    with pytest.raises(SandboxDied) as died:
        weak.exec(Command(f"{END}; sleep 9"))
    assert not isinstance(died.value, SandboxSpoilt)
