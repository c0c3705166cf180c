"""Attempts of the track `dual`: one program for one task, from a model, an agent or the pack itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.jobs import Needs, Stage
from arena.protocols import Answers, Checked, Facts, Matrix, Say, Setup
from arena.report.grid import Figure, Table
from arena.report.metrics import rates
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.store import Store, home
from arena.tracks.asking import Answer
from arena.tracks.choices import (
    NEUTRAL,
    UNASKED,
    Column,
    Option,
    agents_of,
    expect_no_scanner,
    keys_of,
    models_of,
    options_of,
)
from arena.tracks.direct import DIRECT, Direct, instruction_of
from arena.tracks.dual.generate.agents import IMAGE
from arena.tracks.dual.generate.generation import PINS, program_in, question
from arena.tracks.dual.generate.prompts import prompt_for
from arena.tracks.dual.judging import check_task
from arena.tracks.dual.languages.plan import MAX_SOURCE, Candidate
from arena.tracks.dual.results import State
from arena.tracks.dual.samples import Sample
from arena.tracks.dual.score import Scorer
from arena.tracks.dual.scoring import make_means, make_scorer, open_stand
from arena.tracks.dual.tasks.pack import DualPack, DualTask, language_of, load_dual
from arena.tracks.dual.tasks.schema import LANGUAGES, Language
from arena.tracks.dual.verdicts import verdict_of
from arena.tracks.dual.writers import Writers, asks
from arena.tracks.held import Held
from harness.agents._sealed import ROOM
from harness.command import Limits
from harness.extras import need
from harness.grade.ports import Keeper
from harness.grade.verdict import Verdict
from harness.protocols import Charge, Solution
from tasks.loader import TaskError

OPTIONS: Mapping[str, Option] = {
    "language": Option("python", LANGUAGES),
    "install": Option(False),
    "coverage": Option(True),
}
"""language: of the programs; install: packages that programs import; coverage: which statements ran."""
MOST_WORKERS = 256
"""Each is started when it is needed: how many really are is the engine's to say."""


def _reference(task: DualTask, language: Language) -> Path | None:
    return task.references.get(language)


def _variant(kind: str) -> Callable[[DualTask, Language], Path | None]:
    def found(task: DualTask, language: Language) -> Path | None:
        of_kind = (task.variant(one) for one in task.spec.variants if one.kind == kind)
        return next((path for path in of_kind if language_of(path) == language), None)

    return found


SHIPPED: Mapping[str, Callable[[DualTask, Language], Path | None]] = {
    "reference": _reference,
    "insecure": _variant("insecure"),
    "broken": _variant("broken"),
}
"""Calibration: agents that give a program of the pack; due are C&S, CV and IC."""


def open_track(setup: Setup, keeper: Keeper, say: Say) -> DualTrack:
    """The track; stand and gateway are started when they are needed.

    Raises MissingExtra, TaskError or ValueError.
    """
    need("dual")
    options = options_of(setup, OPTIONS)
    expect_no_scanner(setup)
    pack = load_dual(setup.pack)
    for task in pack.tasks:
        check_task(task)
    return DualTrack(pack, setup, options, keeper, say)


class DualTrack:
    """One pack in one language."""

    def __init__(
        self,
        pack: DualPack,
        setup: Setup,
        options: Mapping[str, Any],
        keeper: Keeper,
        say: Say,
    ) -> None:
        self.pack_name = pack.spec.name
        self._pack, self._keeper, self._say = pack, keeper, say
        self._options, self._language = options, options["language"]
        self._tasks = {task.id: task for task in pack.tasks}
        self._direct = Direct(setup, keeper, PINS)
        self._scorer: Held[Scorer] = Held(self._scoring)
        self._writers = Writers(setup, keeper, say, PINS, self._direct.identity)

    # what there is to be done

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate) in the language of the options.

        Agents: `direct` (the model itself), `reference`, `insecure` and `broken` (programs of the pack), and
        those of the track `repo`. Raises TaskError, ValueError, UnknownName or SandboxRefused.
        """
        tasks = self._chosen(matrix.tasks)
        columns = [self._column(name, matrix, tasks) for name in agents_of(matrix)]
        return keys_of(tasks, columns, matrix.replicates)

    def _chosen(self, names: Sequence[str]) -> list[str]:
        asked = [self._task(name) for name in names] or list(self._tasks.values())
        fitting = [task.id for task in asked if self._language in task.spec.languages]
        if not fitting:
            raise ValueError(f"options.language: no task of these is meant for {self._language}")
        if len(fitting) < len(asked):
            left = len(asked) - len(fitting)
            self._say(f"{left} of {len(asked)} tasks are not meant for {self._language}")
        return fitting

    def _column(self, agent: str, matrix: Matrix, tasks: Sequence[str]) -> Column:
        prompts = tuple(matrix.prompts) or NEUTRAL
        if agent == DIRECT:
            models = models_of(matrix, agent)
            self._direct.expect(models)
            for name in prompts:
                prompt_for(self._tasks[tasks[0]], self._language, name)
            return Column(agent, models, lambda task: prompts)
        if agent in SHIPPED:
            return self._calibrating(agent, tasks)
        asked = models_of(matrix, agent) if asks(agent) else UNASKED
        for model in asked:
            for name in prompts:
                self._writers.of(agent, model, name)
        return Column(agent, asked, lambda task: prompts)

    def _calibrating(self, agent: str, tasks: Sequence[str]) -> Column:
        have = {task for task in tasks if SHIPPED[agent](self._tasks[task], self._language)}
        if not have:
            raise ValueError(f"agent {agent!r}: the pack has no such program in {self._language}")
        if len(have) < len(set(tasks)):
            self._say(
                f"agent {agent!r}: only {len(have)} of {len(set(tasks))} tasks have such a program"
            )
        return Column(agent, does=have.__contains__)

    def _task(self, name: str) -> DualTask:
        return self._tasks.get(name) or self._pack.task(name)  # which tells the known ones

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Raises TaskError."""
        return [self._facts(self._task(name)) for name in tasks]

    def _facts(self, task: DualTask) -> TaskFacts:
        spec = task.spec
        told = instruction_of(prompt_for(task, self._language).messages)
        return TaskFacts(
            task.id,
            spec.title,
            language=self._language,
            domain=spec.domain,
            cwes=spec.cwe,
            instruction=told,
        )

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        """A worker of the stand to grade in; a container only for an agent of the track `repo`."""
        if stage is Stage.GRADE:
            return Needs()
        if key.agent == DIRECT or key.agent in SHIPPED:
            return Needs(sandboxes=0)
        room = Limits().at_least(ROOM)
        return Needs(IMAGE, memory=room.memory, disk=room.disk)

    # an attempt

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        """The program. Raises ModelUnavailable or another SandboxFault where there is no result."""
        say("agent")
        task = self._task(key.task)
        if key.agent == DIRECT:
            prompt = prompt_for(task, self._language, key.prompt)
            asked = question(prompt, key.replicate)
            return self._direct.solve(
                key.model, asked, lambda answer: self._read(answer, task), charge
            )
        if key.agent in SHIPPED:
            path = SHIPPED[key.agent](task, self._language)
            if path is None:
                raise TaskError(f"{task.folder}: no program for the agent {key.agent!r}")
            return Solution(path.read_bytes())
        writer = self._writers.of(key.agent, key.model, key.prompt)
        return writer.solution(task, self._language, key.replicate)

    def _read(self, answer: Answer, task: DualTask) -> tuple[bytes, Mapping[str, Any]]:
        found = program_in(answer, task, self._language)
        facts = {"state": str(found.state), "notes": list(found.notes)}
        return found.source.encode("utf-8", "replace"), facts

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """Raises SandboxDied, TaskBroken or EngineUnavailable."""
        scorer = self._scorer.get()
        say("tests")
        return verdict_of(scorer.score(self._sample(key, solution)))

    def _sample(self, key: AttemptKey, solution: Solution) -> Sample:
        task, source = self._task(key.task), solution.patch
        state, why = State.NO_CODE, "; ".join(map(str, solution.note.get("notes", ())))
        if solution.note.get("state") == State.OTHER_LANGUAGE:
            state = State.OTHER_LANGUAGE
        elif len(source) > MAX_SOURCE:
            why = f"longer than {MAX_SOURCE >> 20} MiB"
        elif source.strip():
            made = Candidate(self._language, source)
            return Sample(task, str(key.replicate), self._language, made)
        return Sample(task, str(key.replicate), self._language, None, state, why)

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """Rates of the labels, with the bounds that unlabelled attempts leave open."""
        return rates(attempts, "dual")

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        return []

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
        return []

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        return []

    def answers(self, path: Path) -> Answers:
        raise NotImplementedError

    def check(self, tasks: Sequence[str], workers: int, say: Say) -> Iterator[Checked]:
        raise NotImplementedError

    # what is held open

    @contextmanager
    def _scoring(self) -> Iterator[Scorer]:
        folder = self._keeper.folder if isinstance(self._keeper, Store) else home()
        install, coverage = self._options["install"], self._options["coverage"]
        with open_stand(MOST_WORKERS) as stand:
            yield make_scorer(make_means(stand, folder, install, coverage), self._keeper)

    def missing(self) -> str:
        return ""

    def close(self) -> None:
        """End the stand's workers and the gateways."""
        for held in (self._direct, self._scorer, self._writers):
            held.close()


TRACK = DualTrack
