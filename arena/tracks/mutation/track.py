"""Attempts of the track `mutation`: one suite of security tests for one program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.jobs import Needs, Stage
from arena.protocols import Answers, Checked, Facts, Matrix, Say, Setup
from arena.report.grid import Figure, Table
from arena.report.metrics import rates
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.tracks.asking import PINS, Answer
from arena.tracks.choices import (
    Column,
    Option,
    agents_of,
    expect_no_scanner,
    keys_of,
    models_of,
    options_of,
    unknown_agent,
)
from arena.tracks.direct import DIRECT, Direct, instruction_of
from arena.tracks.held import Held
from arena.tracks.mutation.classify import load_classifier
from arena.tracks.mutation.generate.generation import question, read
from arena.tracks.mutation.generate.prompts import prompt_for
from arena.tracks.mutation.labels import SHIPPED
from arena.tracks.mutation.results import State
from arena.tracks.mutation.score import Scorer, Unit
from arena.tracks.mutation.scoring import kind_of_mutants, make_scorer, open_bed
from arena.tracks.mutation.suites import MAX_SUITE, Suite
from arena.tracks.mutation.tasks.pack import load_programs
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.tasks.secmutbench import Dataset
from arena.tracks.mutation.verdicts import verdict_of
from harness.extras import need
from harness.grade.ports import Keeper
from harness.grade.verdict import Verdict
from harness.protocols import Charge, Solution
from tasks.loader import TaskError

OPTIONS: Mapping[str, Option] = {"classifier": Option("behaviour"), "mutants": Option("")}
"""classifier: of kills; mutants: stored, ours, or "" (stored where there are any)."""
PROMPTS = ("full",)
MOST_WORKERS = 256
"""Each is started when it is needed: how many really are is the engine's to say."""
TOLD_PROBLEMS = 20


def open_track(setup: Setup, keeper: Keeper, say: Say) -> MutationTrack:
    """The track; testbed and gateway are started when they are needed.

    Raises MissingExtra, TaskError, ValueError or UnknownName.
    """
    need("mutation")
    options = options_of(setup, OPTIONS)
    expect_no_scanner(setup)
    data = load_programs(setup.pack)
    for problem in data.problems[:TOLD_PROBLEMS]:
        say(f"problem: {problem}")
    if not data.programs:
        raise TaskError(f"{setup.pack}: no usable program in it")
    load_classifier(options["classifier"])
    options["mutants"] = kind_of_mutants(options["mutants"], data.programs)
    return MutationTrack(data, setup, options, keeper, say)


class MutationTrack:
    """The programs of one dataset or pack."""

    def __init__(
        self,
        data: Dataset,
        setup: Setup,
        options: Mapping[str, Any],
        keeper: Keeper,
        say: Say,
    ) -> None:
        self.pack_name = data.name
        self._pack, self._keeper, self._options, self._say = setup.pack, keeper, options, say
        self._programs = {program.id: program for program in data.programs}
        self._direct = Direct(setup, keeper, PINS)
        self._scorer: Held[Scorer] = Held(self._scoring)

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate). Agents: `direct` (the model itself), `shipped`.

        Raises TaskError, ValueError or UnknownName.
        """
        tasks = [self._program(name).id for name in matrix.tasks] or list(self._programs)
        columns = [self._column(name, matrix, tasks) for name in agents_of(matrix)]
        return keys_of(tasks, columns, matrix.replicates)

    def _column(self, agent: str, matrix: Matrix, tasks: Sequence[str]) -> Column:
        if agent == SHIPPED:
            return self._shipped(tasks)
        if agent != DIRECT:
            raise unknown_agent(agent, (DIRECT, SHIPPED))
        prompts, models = tuple(matrix.prompts) or PROMPTS, models_of(matrix, agent)
        self._direct.expect(models)
        for name in prompts:
            prompt_for(name, self._programs[tasks[0]])
        return Column(agent, models, lambda task: prompts)

    def _shipped(self, tasks: Sequence[str]) -> Column:
        have = {task for task in tasks if self._programs[task].security_tests.strip()}
        if not have:
            raise ValueError(f"agent {SHIPPED!r}: no program of these came with security tests")
        if len(have) < len(set(tasks)):
            self._say(
                f"agent {SHIPPED!r}: only {len(have)} of {len(set(tasks))} programs have tests"
            )
        return Column(SHIPPED, does=have.__contains__)

    def _program(self, name: str) -> Program:
        """Raises TaskError listing the known ones."""
        found = self._programs.get(name)
        if found is None:
            known = ", ".join(list(self._programs)[:50])
            raise TaskError(f"{self._pack}: no task {name[:200]!r}; known: {known}")
        return found

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Raises TaskError."""
        return [_facts(self._program(name)) for name in tasks or self._programs]

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        """A worker of the testbed to grade in; no container."""
        return Needs(sandboxes=int(stage is Stage.GRADE))

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        """The suite. Raises ModelUnavailable where there is no answer."""
        say("agent")
        program = self._program(key.task)
        if key.agent == SHIPPED:
            return Solution(program.security_tests.encode())
        asked = question(prompt_for(key.prompt, program), program, key.replicate)

        def suite(answer: Answer) -> tuple[bytes, Mapping[str, Any]]:
            row = read(answer, program)
            return row["tests"].encode("utf-8", "replace"), {k: row[k] for k in ("state", "notes")}

        return self._direct.solve(key.model, asked, suite, charge)

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """Raises SandboxDied, TaskBroken or EngineUnavailable."""
        scorer = self._scorer.get()
        say("tests")
        program = self._program(key.task)
        return verdict_of(scorer.score(Unit(program, _suite(key, solution))))

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """Rates of the labels, with the bounds that unlabelled attempts leave open."""
        return rates(attempts, "mutation")

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

    @contextmanager
    def _scoring(self) -> Iterator[Scorer]:
        classifier, mutants = self._options["classifier"], self._options["mutants"]
        with open_bed(MOST_WORKERS) as bed:
            yield make_scorer(bed, classifier, mutants, self._keeper)

    def missing(self) -> str:
        return ""

    def close(self) -> None:
        """End the testbed's workers and the gateway."""
        self._direct.close()
        self._scorer.close()


def _suite(key: AttemptKey, solution: Solution) -> Suite:
    """What is scored. Where an answer held no suite, its note tells why."""
    source = solution.patch.decode("utf-8", "replace")
    if len(solution.patch) > MAX_SUITE:
        why = f"the suite is longer than {MAX_SUITE >> 20} MiB"
        return Suite(key.task, "", key.prompt, key.replicate, State.NOT_COLLECTED, why)
    if source.strip():
        return Suite(key.task, source, key.prompt, key.replicate)
    told, why = solution.note.get("state"), "; ".join(map(str, solution.note.get("notes", ())))
    state = State(told) if told in set(State) else State.NO_CODE
    return Suite(key.task, "", key.prompt, key.replicate, state, why)


def _facts(program: Program) -> TaskFacts:
    return TaskFacts(
        program.id,
        program.title or program.entry_point,
        language="python",
        cwes=(program.cwe,),
        instruction=instruction_of(prompt_for(PROMPTS[0], program).messages),
    )


TRACK = MutationTrack
