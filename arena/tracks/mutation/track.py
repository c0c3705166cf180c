"""Attempts of the track `mutation`: a suite of security tests for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.jobs import Needs, Stage
from arena.lazy import Lazy
from arena.models.completion import PINS, Completion, CompletionRequest
from arena.models.direct import DIRECT, DirectSolver, instruction_of
from arena.models.endings import verdict_without_answer
from arena.models.provenance import planned_provenance
from arena.protocols import Answers, Checked, Facts, Matrix, Say, Setup
from arena.report.grid import Figure, Table
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.provenance import Provenance
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
from arena.tracks.mutation.answers import MAX_SUITE, read_suites, suite_in
from arena.tracks.mutation.check import check_program
from arena.tracks.mutation.classify import load_classifier
from arena.tracks.mutation.figures import figure_2, figure_3
from arena.tracks.mutation.generate.prompts import prompt_for
from arena.tracks.mutation.intervals import compare
from arena.tracks.mutation.labels import SHIPPED, TRIVIAL, TRIVIALS
from arena.tracks.mutation.lines import lines_of, samples_of
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.proven import COUNTS, prove_all, tally
from arena.tracks.mutation.results import State
from arena.tracks.mutation.runner.pool import RunnerFault
from arena.tracks.mutation.score import SuiteScorer, Unit
from arena.tracks.mutation.scoring import kind_of_mutants, make_scorer, open_bed
from arena.tracks.mutation.summary import metrics_of
from arena.tracks.mutation.tables import differences, tables
from arena.tracks.mutation.tasks.pack import folder_of, insecure_file, load_programs
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.tasks.secmutbench import Dataset
from arena.tracks.mutation.trivial import suite
from arena.tracks.mutation.verdicts import verdict_of
from arena.tracks.mutation.version import SCORER
from harness.extras import need
from harness.grade.ports import ResultCache
from harness.grade.verdict import Verdict
from harness.protocols import Charge, Solution
from tasks.derived_file import DerivedFile
from tasks.loader import TaskError

# classifier: of kills; mutants: stored, ours, or "" (stored where there are any).
OPTIONS: Mapping[str, Option] = {"classifier": Option("behaviour"), "mutants": Option("")}
PROMPTS = ("full",)
TRIVIAL_AGENTS = tuple(TRIVIAL + name for name in TRIVIALS)
# Of a reply, unless pinned: the paper's 2048 cut longer suites.
MAX_TOKENS = 8192
# Each is started when it is needed: how many really are is the engine's to say.
MAX_WORKERS = 256
MAX_LISTED_PROBLEMS = 20


def open_track(setup: Setup, cache: ResultCache, say: Say) -> MutationTrack:
    """The track; test runner and gateway are started when they are needed.

    Raises MissingExtra, TaskError, ValueError or UnknownName.
    """
    need("mutation")
    options = options_of(setup, OPTIONS)
    expect_no_scanner(setup)
    data = load_programs(setup.pack)
    # There may be a problem for each program.
    for problem in data.problems[:MAX_LISTED_PROBLEMS]:
        say(f"problem: {problem}")
    if not data.programs:
        raise TaskError(f"{setup.pack}: no usable program in it")
    # Only for its errors: an unknown classifier is refused before anything is run.
    load_classifier(options["classifier"])
    options["mutants"] = kind_of_mutants(options["mutants"], data.programs)
    return MutationTrack(data, setup, options, cache, say)


class MutationTrack:
    """The programs of a dataset or pack."""

    pins: Mapping[str, Any] = {**PINS, "max_tokens": MAX_TOKENS}

    def __init__(
        self,
        data: Dataset,
        setup: Setup,
        options: Mapping[str, Any],
        cache: ResultCache,
        say: Say,
    ) -> None:
        self.pack_name = data.name
        self._pack, self._cache, self._options, self._say = setup.pack, cache, options, say
        self._pack_version, self._setup = data.version, setup
        self._programs = {program.id: program for program in data.programs}
        self._direct = DirectSolver(setup, cache, self.pins)
        # Most calls, such as `describe` and `answers`, need no test runner.
        self._scorer: Lazy[SuiteScorer] = Lazy(self._scoring)

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate). Agents: `direct` (the model itself), `shipped`, and
        `trivial:NAME`.

        Raises TaskError, ValueError, UnknownName, or EngineUnavailable.
        """
        tasks = [self._program(name).id for name in matrix.tasks] or list(self._programs)
        columns = [self._column(name, matrix, tasks) for name in agents_of(matrix)]
        return keys_of(tasks, columns, matrix.replicates)

    def _column(self, agent: str, matrix: Matrix, tasks: Sequence[str]) -> Column:
        if agent == SHIPPED:
            return self._shipped_column(tasks)
        if agent in TRIVIAL_AGENTS:
            # Some programs have no such suite: an empty one would count as an answer.
            return Column(agent, does=lambda task: bool(self._trivial(agent, self._programs[task])))
        if agent != DIRECT:
            raise unknown_agent(agent, (DIRECT, SHIPPED, *TRIVIAL_AGENTS))
        prompts, models = tuple(matrix.prompts) or PROMPTS, models_of(matrix, agent)
        self._direct.expect(models)
        # Only for its errors: any program shows whether there is such a prompt.
        for name in prompts:
            prompt_for(name, self._programs[tasks[0]])
        return Column(agent, models, lambda task: prompts)

    def _trivial(self, agent: str, program: Program) -> str:
        return suite(agent.removeprefix(TRIVIAL), program, lambda: self._scorer.get().runner)

    def _shipped_column(self, tasks: Sequence[str]) -> Column:
        # A file of blank lines is no suite.
        have = {task for task in tasks if self._programs[task].security_tests.strip()}
        if not have:
            raise ValueError(f"agent {SHIPPED!r}: no program of these came with security tests")
        if len(have) < len(set(tasks)):
            self._say(
                f"agent {SHIPPED!r}: only {len(have)} of {len(set(tasks))} programs have tests"
            )
        return Column(SHIPPED, does=have.__contains__)

    def _program(self, name: str) -> Program:
        """Return the program. Raises TaskError, which lists the available programs."""
        program = self._programs.get(name)
        if program is None:
            listed_names = ", ".join(list(self._programs)[:50])
            raise TaskError(f"{self._pack}: no task {name[:200]!r}; known: {listed_names}")
        return program

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Raises TaskError."""
        return [_facts(self._program(name)) for name in tasks or self._programs]

    def show(self, name: str) -> dict[str, Any]:
        """A program's facts, and its mutants with why each that does not count is left out.

        Raises TaskError, or EngineUnavailable.
        """
        program = self._program(name)
        # A runner of its own: nothing is scored here, so the scorer stays unopened.
        with open_bed(1) as runner:
            mutants = prove_all(program, Prover(runner), self._cache)
        rows = [
            f"{m.mutant.operator}:{m.mutant.variant} {m.mutant.id}: {m.left or COUNTS}"
            for m in mutants
        ]
        return {**vars(_facts(program)), "mutants": rows, "counted": tally(mutants)}

    def derived_files(self, tasks: Sequence[str]) -> Iterator[DerivedFile]:
        """The insecure versions of these programs (none: all); none for a JSON file.

        Raises TaskError.
        """
        # Programs of a JSON file have no folder to put anything in.
        if (folder := folder_of(self._pack)) is not None:
            for name in tasks or self._programs:
                yield insecure_file(folder / self._program(name).id)

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        """A worker of the test runner to grade in; no container."""
        return Needs(sandboxes=int(stage is Stage.GRADE))

    def provenance(self, key: AttemptKey, stage: Stage) -> Provenance:
        """Raises TaskError."""
        if stage is Stage.SOLVE:
            return planned_provenance(key, self._setup.prices, self._direct.pins)
        return Provenance(
            grader_version=f"scorer {SCORER}",
            pack_version=self._pack_version,
            task_digest=self._program(key.task).digest,
        )

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        """The suite. Raises ModelUnavailable where there is no answer."""
        say("agent")
        program = self._program(key.task)
        if key.agent == SHIPPED:
            return Solution(program.security_tests.encode())
        if key.agent.startswith(TRIVIAL):
            return Solution(self._trivial(key.agent, program).encode())
        prompt = prompt_for(key.prompt, program)
        request = CompletionRequest(prompt.messages, program.digest, key.replicate)

        def read(answer: Completion) -> tuple[bytes, Mapping[str, Any]]:
            solution = suite_in(answer.text, program, answer.cut)
            return solution.patch, solution.note

        return self._direct.solve(key.model, request, read, charge)

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """Raises SandboxDied, TaskBroken or EngineUnavailable."""
        # Before the scorer is opened: without an answer nothing is run.
        if lacking := verdict_without_answer(solution.note):
            return lacking
        scorer = self._scorer.get()
        say("tests")
        program = self._program(key.task)
        return verdict_of(scorer.score(_unit(program, solution)))

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """Scores with their counts and intervals, and by group; see `summary.py`."""
        return metrics_of(lines_of(attempts, facts))

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        """SecMutBench's Tables 4 to 8."""
        return tables(lines_of(attempts, facts))

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
        """SecMutBench's Figures 2 and 3."""
        lines = lines_of(attempts, facts)
        return [
            Figure("Figure 2. Kills by category", figure_2(lines)),
            Figure("Figure 3. SMS by CWE", figure_3(lines)),
        ]

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        return differences(compare(samples_of(first, facts), samples_of(second, facts)))

    def answers(self, path: Path) -> Answers:
        """The suites of a folder or a JSONL file; see `answers.py`. Raises ValueError."""
        return read_suites(path, self._programs)

    def check(self, tasks: Sequence[str], workers: int, say: Say) -> Iterator[Checked]:
        """The suites hold, and the reference suite kills the mutants that it should; see `check.py`."""
        # A list, so that an unknown name is refused before workers are started.
        programs = [self._program(name) for name in tasks] or list(self._programs.values())

        def check_or_report_fault(program: Program) -> Checked:
            try:
                return check_program(program, prover, runner)
            # A fault with one program does not end the check of the others.
            except RunnerFault as fault:
                return Checked(program.id, [("machine", str(fault))], infra=True)

        with open_bed(workers) as runner, ThreadPoolExecutor(workers) as pool:
            prover = Prover(runner)
            yield from pool.map(check_or_report_fault, programs)

    @contextmanager
    def _scoring(self) -> Iterator[SuiteScorer]:
        classifier, mutants = self._options["classifier"], self._options["mutants"]
        with open_bed(MAX_WORKERS) as runner:
            yield make_scorer(runner, classifier, mutants, self._cache)

    def missing(self) -> str:
        return ""

    def close(self) -> None:
        """End the test runner's workers and the gateway."""
        self._direct.close()
        self._scorer.close()


def _unit(program: Program, solution: Solution) -> Unit:
    """The unit to score. Where an answer has no suite, its note says why."""
    source = solution.patch.decode("utf-8", "replace")
    # An agent may leave a file of any size, and it would be compiled in the runner.
    if len(solution.patch) > MAX_SUITE:
        why = f"the suite is longer than {MAX_SUITE >> 20} MiB"
        return Unit(program, "", State.NOT_COLLECTED, why)
    if source.strip():
        return Unit(program, source)
    state_name, why = (
        solution.note.get("state"),
        "; ".join(map(str, solution.note.get("notes", ()))),
    )
    return Unit(program, "", State(state_name) if state_name in set(State) else State.NO_CODE, why)


def _facts(program: Program) -> TaskFacts:
    return TaskFacts(
        program.id,
        program.title or program.entry_point,
        language="python",
        cwes=(program.cwe,),
        instruction=instruction_of(prompt_for(PROMPTS[0], program).messages),
    )


TRACK = MutationTrack
