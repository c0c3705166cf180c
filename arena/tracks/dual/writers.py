"""The agents of the track `repo` that write programs: one writer for each agent, model and prompt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from arena.protocols import Say, Setup
from arena.tracks.backend import choose_backend
from arena.tracks.dual.generate.agents import AgentWriter
from arena.tracks.held import Held
from arena.tracks.repo.models import Models, models_for
from harness.agents import CALIBRATION
from harness.agents._make import make_agent
from harness.agents._sealed import Sealed
from harness.grade.ports import Keeper
from harness.protocols import Budget
from harness.sandbox.base import Backend


class Writers:
    """The sandbox backend and the gateway are opened with the first writer, and ended by `close`.

    identity: what of a model and its parameters makes a program.
    """

    def __init__(
        self,
        setup: Setup,
        keeper: Keeper,
        say: Say,
        pins: Mapping[str, Any],
        identity: Callable[[str], tuple[str, ...]],
    ) -> None:
        self._setup, self._keeper, self._say = setup, keeper, say
        self._pins, self._identity = {**pins, **setup.pinned}, identity
        self._backend: Held[Backend] = Held(self._sandboxes)
        self._models: Held[Models] = Held(self._asked)
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str, str], AgentWriter] = {}

    def of(self, agent: str, model: str, prompt: str) -> AgentWriter:
        """Raises ValueError, UnknownName, SandboxRefused or EngineUnavailable."""
        with self._lock:
            key = agent, model, prompt
            if key not in self._made:
                self._made[key] = self._make(*key)
            return self._made[key]

    def _make(self, agent: str, model: str, prompt: str) -> AgentWriter:
        caps = self._setup.caps
        return AgentWriter(
            self._backend.get(),
            agent,
            model,
            self._models.get(),
            self._keeper,
            Budget(caps.seconds, caps.usd, caps.calls, caps.tokens),
            self._setup.trust_agents,
            prompt,
            self._identity(model),
        )

    @contextmanager
    def _sandboxes(self) -> Iterator[Backend]:
        yield choose_backend(self._setup.sandbox, self._say)

    @contextmanager
    def _asked(self) -> Iterator[Models]:
        models = models_for(self._setup, self._keeper, self._pins)
        try:
            yield models
        finally:
            models.close()

    def close(self) -> None:
        self._models.close()
        self._backend.close()


def asks(agent: str) -> bool:
    """Whether an agent of the track `repo` asks a model. Raises UnknownName, or ValueError."""
    if agent.partition(":")[0] in CALIBRATION:
        raise ValueError(f"agent {agent!r} needs a task of the track repo")
    return isinstance(make_agent(agent, None), Sealed)  # type: ignore[arg-type] # calibration looks at it
