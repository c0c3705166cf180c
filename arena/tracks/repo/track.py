"""Attempts of the track `repo`: agent -> patch -> verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena.report.metrics import rates
from arena.store.store import Attempt, AttemptKey
from arena.tracks import Result, Say
from harness.agents import Agent, Budget, Solution
from harness.agents._make import make_agent
from harness.grade.grader import Grader
from harness.sandbox.base import SandboxRefused
from tasks.loader import Pack, Task


class RepoTrack:
    """One pack, one grader, and the agents that are named."""

    def __init__(
        self, pack: Pack, grader: Grader, budget: Budget | None = None, trust_agents: bool = False
    ) -> None:
        self.pack, self.grader = pack, grader
        self._budget = budget or Budget()
        self._trust = trust_agents

    def attempts(
        self, agents: Sequence[str], replicates: int = 1, tasks: Sequence[str] = ()
    ) -> list[AttemptKey]:
        """Every (task, agent, replicate). Raises UnknownName, ValueError or SandboxRefused."""
        chosen = [self.pack.task(name) for name in tasks] if tasks else list(self.pack.tasks)
        for name in agents:
            self._allow(name, make_agent(name, chosen[0]))
        return [
            AttemptKey(task.id, agent, replicate=replicate)
            for task in chosen
            for agent in agents
            for replicate in range(replicates)
        ]

    def _allow(self, name: str, agent: Agent) -> None:
        backend = self.grader.backend
        if agent.runs_model_output and not backend.isolates_model_output and not self._trust:
            raise SandboxRefused(
                f"agent {name!r} runs what a model writes, and the {backend.name} sandbox does not isolate "
                f"enough for that ({backend.not_isolated()[0]}); use --sandbox docker, or --trust-agents"
            )

    def solve_and_grade(self, key: AttemptKey, say: Say) -> Result:
        task = self.pack.task(key.task)
        solution = self._solve(task, key.agent, say)
        verdict = self.grader.graded(task, solution.patch, say)
        usage = dict(solution.usage)
        return Result(verdict, solution.patch, solution.ended, usage, solution.trajectory)

    def _solve(self, task: Task, name: str, say: Say) -> Solution:
        say("agent")
        workspace = self.grader.workspace(task)
        try:
            return make_agent(name, task).solve(workspace, task.instruction, self._budget)
        finally:
            workspace.close()

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]:
        return rates(attempts)
