"""A sandbox that ended itself is told from one that somebody or something else ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.command import Command
from harness.sandbox import engine
from harness.sandbox.base import Backend, SandboxDied, SandboxEnded, SandboxSpoilt
from harness.sandbox.container import DockerSandbox
from harness.sandbox.engine import EngineFeatures, connect
from tests.conftest import SMALL

pytestmark = [pytest.mark.docker, pytest.mark.slow]
# What ends a first process of one's own user: it cannot fork any more.
END = "prlimit --pid 1 --nproc=0:0; kill -9 $(pgrep -x sleep)"


@pytest.fixture
def weak(docker: Backend) -> Iterator[Any]:
    """A sandbox of an engine that can neither filter system calls nor switch users."""
    image = docker.resolve("arena/cpp")
    box = DockerSandbox(
        connect(), image, SMALL, means=EngineFeatures(filters=False, switches=False)
    )
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


@pytest.mark.parametrize(
    ("status", "itself"),
    [(0, True), (139, True), (137, False), (143, False), (255, False)],
)
def test_where_an_engine_remembers_nothing_the_status_tells(status: int, itself: bool) -> None:
    """It is busy, or was started anew and took its containers with it."""

    class Forgetful:
        def events(self, **_: Any) -> Iterator[Any]:
            return iter(())

    state = {"ExitCode": status, "FinishedAt": "2026-01-02T03:04:05.678Z"}
    assert engine.ended_by_itself(Forgetful(), {"Id": "0", "State": state}) is itself


@pytest.mark.parametrize("word", ["kill", "oom"])
def test_who_was_killed_or_had_no_memory_has_not_ended_itself(
    weak: Any, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    seen = [{"Action": "start"}, {"Action": word}, {"Action": "die"}]
    monkeypatch.setattr(weak._client.api, "events", lambda **_: iter(seen))
    with pytest.raises(SandboxDied) as died:
        weak.exec(Command(f"{END}; sleep 9"))
    assert not isinstance(died.value, SandboxSpoilt)
