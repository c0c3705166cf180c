"""Attempts of the track `repo`: agent -> patch -> verdict."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from arena.jobs import Needs, Stage
from arena.models.attempt_models import Models, models_for
from arena.protocols import Answers, Checked, Facts, Matrix, Say, Setup
from arena.report.grid import Figure, Table
from arena.report.metrics import rates
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.provenance import NOTHING_RECORDED, Provenance
from arena.tracks.backend import choose_backend, known_scanner
from arena.tracks.choices import (
    ANSWERS,
    NEUTRAL,
    UNASKED,
    Column,
    Option,
    agents_of,
    keys_of,
    models_of,
    options_of,
)
from arena.tracks.repo.across import across_kinds
from arena.tracks.repo.check import check_tasks
from arena.tracks.repo.figures import figures_of
from arena.tracks.repo.predictions import left_out, read_predictions
from harness.agents import NoSolution, ReplayDiffers
from harness.agents._at_pvic import workspace_of
from harness.agents._make import make_agent
from harness.agents._named import expect_told_apart, read_agent
from harness.agents._unasked import expect_answered, expect_asked
from harness.grade.environment import limits_of, prepare
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache, ResultCache
from harness.grade.verdict import Verdict
from harness.grade.version import GRADER_VERSION
from harness.protocols import Agent, Budget, Charge, Ended, Job, Solution
from harness.sandbox.base import SandboxRefused
from parsers.patch import parse_patch
from tasks.instruction.templates import known_prompt, wrap
from tasks.loader import Pack, Task, load_pack

# outcomes: "write" lets `arena tasks check` write gold's outcomes, taken anew, into the pack.
#
# kinds: which kinds of task (`tasks.kinds`) are run or checked where no task is named, such as
# "repair,reproduce", or "all"; by default `write` where the pack has such.
OPTIONS: Mapping[str, Option] = {"outcomes": Option("", ("", "write")), "kinds": Option("")}
# In a scanner's version before that of its rules (`harness.grade.sast.semgrep`).
RULES = "; rules "
# What is pinned where a setup does not say otherwise: the same inputs give the same attempt (law 5).
PINS = {"temperature": 0}


def open_track(setup: Setup, cache: ResultCache, say: Say) -> RepoTrack:
    """The track with its sandbox backend. Raises TaskError, ValueError or UnknownName."""
    options = options_of(setup, OPTIONS)
    pack = load_pack(setup.pack)
    # A misspelt scanner is a mistake of the command line: named before a sandbox or an agent starts.
    if setup.scanner:
        known_scanner(setup.scanner)
    models = models_for(setup, cache, {**PINS, **setup.pinned})

    def grader() -> Grader:
        return Grader(choose_backend(setup.sandbox, say), cache, setup.scanner or None)

    write = options["outcomes"] == "write"
    named = [kind.strip() for kind in options["kinds"].split(",") if kind.strip()]
    kinds = [task.kind for task in pack.tasks] if named == ["all"] else named
    return RepoTrack(pack, grader, setup.caps, setup.trust_agents, models, write, kinds)


class RepoTrack:
    """A pack, a grader, and the agents that are named.

    make_grader: called when the grader is first needed, after a user's mistakes were looked for.
    """

    pins = PINS

    def __init__(
        self,
        pack: Pack,
        make_grader: Callable[[], Grader],
        budget: Budget | None = None,
        trust_agents: bool = False,
        models: Models | None = None,
        write_outcomes: bool = False,
        kinds: Collection[str] = (),
    ) -> None:
        self.pack, self._make_grader, self._models = pack, make_grader, models
        self._write_outcomes, self._kinds = write_outcomes, {*kinds}
        self.pack_name = pack.spec.name
        self._budget = budget or Budget()
        self._trust = trust_agents
        self._tasks = {task.id: task for task in pack.tasks}
        self._agent = functools.cache(self._representative)

    @cached_property
    def grader(self) -> Grader:
        """Raises UnknownName or EngineUnavailable."""
        return self._make_grader()

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate), agent by agent.

        An agent that asks no model is there once for all models, and a calibration agent once for all
        prompts. Raises UnknownName, ValueError, TaskError or SandboxRefused.
        """
        chosen = [task.id for task in self._choose_tasks(matrix.tasks)]
        prompts = [known_prompt(name) for name in matrix.prompts or NEUTRAL]
        agents = [read_agent(name) for name in agents_of(matrix)]
        expect_told_apart(agents)
        columns = [self._column(agent.key, matrix, prompts) for agent in agents]
        keys = keys_of(chosen, columns, matrix.replicates)
        self.expect()
        return keys

    def _choose_tasks(self, names: Sequence[str]) -> list[Task]:
        """The named tasks, or those of the kinds that the options name. Raises TaskError."""
        if names:
            return [self._task(name) for name in names]
        return list(self.pack.tasks_of_kinds(self._kinds))

    def expect(self) -> None:
        """Open the sandbox backend. Raises UnknownName, or EngineUnavailable with what is missing."""
        _ = self.grader

    def _column(self, name: str, matrix: Matrix, prompts: Sequence[str]) -> Column:
        agent = make_agent(name, self.pack.tasks[0])
        self._allow(name, agent)
        worded = prompts if agent.runs_model_output else NEUTRAL
        models: Sequence[str] = UNASKED
        if agent.asks_model:
            models = models_of(matrix, name)
            self._expect(name, agent, models)
        return Column(name, models, lambda task: worded)

    def _expect(self, name: str, agent: Agent, models: Sequence[str]) -> None:
        """Look for what a real agent needs, before anything is spent."""
        if self._models is None:
            raise ValueError(f"agent {name!r} needs a model: --model NAME")
        for (
            model
        ) in models:  # before the agent: a misspelt one is a mistake, a missing agent is not
            self._models.expect(model)
        agent.expect()

    def _allow(self, name: str, agent: Agent) -> None:
        backend = self.grader.backend
        if agent.runs_model_output and not backend.isolates_model_output and not self._trust:
            raise SandboxRefused(
                f"agent {name!r} runs what a model writes, and the {backend.name} sandbox does not isolate "
                f"enough for that ({backend.not_isolated()[0]}); use --sandbox docker, or --trust-agents"
            )

    def _task(self, name: str) -> Task:
        return self._tasks.get(name) or self.pack.task(name)  # which names those that there are

    def _representative(self, agent: str) -> Agent:
        """What is true of an agent for all tasks."""
        return make_agent(agent, self.pack.tasks[0])

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Raises TaskError."""
        return [_facts(self._task(name)) for name in tasks or self._tasks]

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        """A sandbox from the task's image; a real agent gets more room than a task has by itself."""
        task = self._task(key.task)
        limits = limits_of(task)
        if stage is Stage.SOLVE:
            limits = limits.max_limits(self._agent(key.agent).room)
        builds = 1 if stage is Stage.GRADE else 0
        return Needs(task.spec.environment.image, 1, builds, limits.memory, limits.disk)

    def provenance(self, key: AttemptKey, stage: Stage) -> Provenance:
        """Prices and effort of what is solved; grader, pack, task, image and scanner of what is graded.

        Raises any of `harness.grade.grader.INFRA`, as grading would without an image or a scanner.
        """
        if stage is Stage.SOLVE:
            return self._models.provenance(key) if self._models else NOTHING_RECORDED
        task = self._task(key.task)
        version = self.grader.scanner(task).version if task.asks.patch else ""
        scanner, _, rules = version.partition(RULES)
        return Provenance(
            grader_version=f"grader {GRADER_VERSION}",
            pack_version=self.pack.spec.version,
            task_digest=task.digest,
            image_digest=self.grader.backend.resolve(task.spec.environment.image),
            scanner=scanner,
            rules=rules,
        )

    def solve(
        self, key: AttemptKey, say: Say = lambda _: None, charge: Charge | None = None
    ) -> Solution:
        """What the agent leaves, ungraded."""
        say("agent")
        task = self._task(key.task)
        agent = make_agent(key.agent, task)
        model = None
        if agent.asks_model and self._models is not None:
            prepare(self.grader.backend, task)  # its time is not the agent's
            model = self._models.access(key, charge)
        prompt = wrap(task.instruction, task.spec.environment.workdir, key.prompt)
        workspace = workspace_of(self.grader.backend, task)
        try:
            solution = agent.solve(Job(workspace, prompt, self._budget, model))
        finally:
            workspace.close()
        if not isinstance(solution, Solution):
            what = type(solution).__name__
            raise NoSolution(f"agent {key.agent!r}: solve() must return Solution, not {what}")
        return solution

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """Raises ModelUnavailable, ModelEnded, ReplayDiffers or NeverAsked: there is nothing to be judged."""
        expect_answered(key.model, solution)
        if solution.ended is Ended.DIVERGED:
            raise ReplayDiffers(str(solution.note.get("diverged", key.model)))
        if key.model:
            expect_asked(key.agent, solution)
        return self.grader.grade_cached(self._task(key.task), solution.patch, say)

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """Rates of the labels, with the bounds that unlabelled attempts leave open."""
        return rates(attempts, "repo")

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        """Across the kinds of task, where a run has several."""
        return across_kinds(attempts, facts)

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
        """SecureAgentBench's Figures 4 to 7, labels by complexity, and new findings by CWE."""
        return figures_of(attempts, facts)

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        return []

    def answers(self, path: Path) -> Answers:
        """The predictions of a file or folder; those for tasks of further packs are left out, unless all are.

        Raises PredictionError, TaskError, and what `expect` does.
        """
        predictions = read_predictions(path)
        own_tasks = self._tasks
        ours = [prediction for prediction in predictions if prediction.instance_id in own_tasks]
        if not ours:
            self._task(predictions[0].instance_id)
        others = dict.fromkeys(p.instance_id for p in predictions if p.instance_id not in own_tasks)
        self.expect()
        return Answers(
            [
                (
                    AttemptKey(prediction.instance_id, ANSWERS, prediction.model),
                    Solution(prediction.patch),
                )
                for prediction in ours
            ],
            [left_out(list(others), self.pack.spec.name)] if others else [],
        )

    def check(self, tasks: Sequence[str], workers: int, say: Say) -> Iterator[Checked]:
        """Gold must grade CV, fixed C&S or CS, an empty patch NO; nothing may leak."""
        cache = MemoryCache() if self._write_outcomes else self.grader.cache
        grader = Grader(self.grader.backend, cache, shipped=False)
        for checked in check_tasks(grader, self._choose_tasks(tasks), workers):
            if self._write_outcomes and checked.ok:
                grader.ship(self._task(checked.task))
            yield checked

    def missing(self) -> str:
        """Why the sandbox backend cannot be used just now; "" when it can."""
        return self.grader.backend.available()

    def close(self) -> None:
        """End the gateway, if it was opened."""
        if self._models is not None:
            self._models.close()


def _facts(task: Task) -> TaskFacts:
    spec, changed = task.spec, parse_patch(task.solution("gold")).files
    return TaskFacts(
        task=task.id,
        title=spec.title,
        language=spec.weakness.language,
        project=spec.source.repository or PurePosixPath(spec.environment.workdir).name,
        cwes=spec.weakness.cwe,
        instruction=task.instruction,
        image=spec.environment.image,
        details={
            "kind": str(task.kind),
            "level": spec.level,
            "case": spec.source.case or f"{spec.source.repository or ''}@{spec.source.vfc}",
            "files": len(changed),
            "lines": sum(len(change.added) + len(change.deleted) for change in changed),
            "digest": task.digest,
        },
    )


TRACK = RepoTrack
