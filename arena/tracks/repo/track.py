"""Attempts of the track `repo`: agent -> patch -> verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena.report.metrics import rates
from arena.store.store import Attempt, AttemptKey
from arena.tracks import Say
from arena.tracks.repo.models import Models
from harness.agents import (
    Agent,
    Budget,
    Ended,
    ModelUnavailable,
    NeverAsked,
    ReplayDiffers,
    Solution,
)
from harness.agents._make import make_agent
from harness.agents._sealed import Sealed
from harness.grade.environment import prepare
from harness.grade.grader import Grader
from harness.grade.verdict import Verdict
from harness.sandbox.base import SandboxRefused
from tasks.instruction.templates import wrap
from tasks.loader import Pack


class RepoTrack:
    """One pack, one grader, and the agents that are named."""

    def __init__(
        self,
        pack: Pack,
        grader: Grader,
        budget: Budget | None = None,
        trust_agents: bool = False,
        models: Models | None = None,
    ) -> None:
        self.pack, self.grader, self._models = pack, grader, models
        self._budget = budget or Budget()
        self._trust = trust_agents

    def attempts(
        self,
        agents: Sequence[str],
        replicates: int = 1,
        tasks: Sequence[str] = (),
        models: Sequence[str] = (),
        prompts: Sequence[str] = ("neutral",),
    ) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate), in this order.

        An agent that asks no model is there once for all models, and a calibration agent once for all
        prompts. Raises UnknownName, ValueError or SandboxRefused.
        """
        chosen = [self.pack.task(name) for name in tasks] if tasks else list(self.pack.tasks)
        keys = []
        for name in agents:
            agent = make_agent(name, chosen[0])
            self._allow(name, agent)
            asked = models if isinstance(agent, Sealed) else ("",)
            worded = prompts if agent.runs_model_output else ("neutral",)
            self._expect(name, agent, asked)
            keys += [
                AttemptKey(task.id, name, model, prompt, replicate)
                for task in chosen
                for model in asked
                for prompt in worded
                for replicate in range(replicates)
            ]
        return keys

    def _expect(self, name: str, agent: Agent, models: Sequence[str]) -> None:
        """Look for what a real agent needs, before anything is spent."""
        if not isinstance(agent, Sealed):
            return
        if not models or self._models is None:
            raise ValueError(f"agent {name!r} needs a model: --model NAME")
        agent.installed(self._models.toolboxes)
        for model in models:
            self._models.expect(model)

    def _allow(self, name: str, agent: Agent) -> None:
        backend = self.grader.backend
        if agent.runs_model_output and not backend.isolates_model_output and not self._trust:
            raise SandboxRefused(
                f"agent {name!r} runs what a model writes, and the {backend.name} sandbox does not isolate "
                f"enough for that ({backend.not_isolated()[0]}); use --sandbox docker, or --trust-agents"
            )

    def solve(self, key: AttemptKey, say: Say = lambda _: None) -> Solution:
        """What the agent leaves, ungraded."""
        say("agent")
        task = self.pack.task(key.task)
        agent = make_agent(key.agent, task)
        if isinstance(agent, Sealed) and self._models is not None:
            prepare(self.grader.backend, task)  # its time is not the agent's
            agent.means = self._models.means(key)
        prompt = wrap(task.instruction, task.spec.environment.workdir, key.prompt)
        workspace = self.grader.workspace(task)
        try:
            return agent.solve(workspace, prompt, self._budget)
        finally:
            workspace.close()

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """Raises ModelUnavailable, ReplayDiffers or NeverAsked: then there is nothing to be judged."""
        if solution.ended is Ended.MODEL_UNAVAILABLE:
            raise ModelUnavailable(f"{key.model}: no call was answered")
        if solution.ended is Ended.DIVERGED:
            raise ReplayDiffers(str(solution.note.get("diverged", key.model)))
        if key.model and solution.ended is Ended.CRASHED and not solution.usage.get("calls"):
            raise NeverAsked(f"{key.agent} crashed (status {solution.note.get('status')}) unasked")
        return self.grader.graded(self.pack.task(key.task), solution.patch, say)

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]:
        return rates(attempts)
