"""Attempts of the track `dual`: a program for a task, from a model, an agent or the pack itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.jobs import Needs, Stage
from arena.lazy import Lazy
from arena.models.completion import Completion, expect
from arena.models.direct import DIRECT, DirectSolver, instruction_of
from arena.models.endings import verdict_without_answer
from arena.models.languages import LANGUAGES, Language
from arena.models.provenance import planned_provenance
from arena.protocols import Answers, Checked, Facts, Matrix, Say, Setup
from arena.report.grid import Figure, Table
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.provenance import Provenance
from arena.store.store import Store, home
from arena.tracks.choices import (
    ANSWERS,
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
from arena.tracks.dual.answers import AnswerReader
from arena.tracks.dual.check import REPEATS, check
from arena.tracks.dual.figures import FIGURES
from arena.tracks.dual.generate.agents import IMAGE, Writers, agent_of
from arena.tracks.dual.generate.generation import PINS, program_in, request_for
from arena.tracks.dual.generate.prompts import prompt_for
from arena.tracks.dual.intervals import scores_json
from arena.tracks.dual.judging import check_task
from arena.tracks.dual.languages.plan import MAX_SOURCE, Candidate
from arena.tracks.dual.results import WITHOUT_CODE, State
from arena.tracks.dual.score import ProgramScorer, Sample
from arena.tracks.dual.scoring import (
    make_means,
    make_scorer,
    open_models,
    open_runner,
    read_model_settings,
)
from arena.tracks.dual.shipped import is_shipped, program_of
from arena.tracks.dual.tables import all_tables, comparison, lines_of
from arena.tracks.dual.tasks.dualgauge.importing import open_pack
from arena.tracks.dual.tasks.dualgauge.rendering import to_dict
from arena.tracks.dual.tasks.pack import DualPack, DualTask
from arena.tracks.dual.verdicts import verdict_of
from arena.tracks.dual.version import SCORER
from arena.tracks.pool import each
from harness.agents._sealed import MIN_LIMITS
from harness.command import Limits
from harness.extras import need
from harness.grade.ports import ResultCache
from harness.grade.verdict import Verdict
from harness.protocols import Charge, Solution
from tasks.derived_file import DerivedFile
from tasks.loader import TaskError

# language: of the programs; "" is python, and all for programs that somebody brings.
#
# install: packages that programs import; coverage: which statements ran. k: samples planned for each task
# of what somebody brings; 0 is as many as the fullest has. repeats: runs of each reference, of `check`.
# judge, resolver, agentic: models for tests that only a model can judge, for what the judge does not know,
# and to start what the adapters cannot; models_usd: cap in USD for each of them, 0 for none.
OPTIONS: Mapping[str, Option] = {
    "language": Option("", ("", *LANGUAGES)),
    "install": Option(False),
    "coverage": Option(True),
    "k": Option(0),
    "repeats": Option(REPEATS),
    "judge": Option(""),
    "resolver": Option(""),
    "agentic": Option(""),
    "models_usd": Option(0.0),
}
# Each is started when it is needed: how many really are is the engine's to say.
MAX_WORKERS = 256
UNTRIED = {str(state): state for state in (State.MISSING, State.OTHER_LANGUAGE, *WITHOUT_CODE)}


def open_track(setup: Setup, cache: ResultCache, say: Say) -> DualTrack:
    """The track; program runner and gateway are started when they are needed.

    setup.pack: a pack, or a folder of DualGauge-Bench, which is imported for as long as the track is open.
    Raises MissingExtra, TaskError or ValueError.
    """
    need("dual")
    options = options_of(setup, OPTIONS)
    expect_no_scanner(setup)
    for settings in read_model_settings(setup, options).values():
        # Before anything is run: a misspelt judge is found now and not at the first test that needs it.
        expect(settings, key_needed=not setup.is_plan)
    with ExitStack() as held:
        pack = held.enter_context(open_pack(setup.pack, say))
        return DualTrack(pack, setup, options, cache, say, held.pop_all())


class DualTrack:
    """A pack in use. resources: what its tasks need for as long as it is open."""

    pins = PINS

    def __init__(
        self,
        pack: DualPack,
        setup: Setup,
        options: Mapping[str, Any],
        cache: ResultCache,
        say: Say,
        resources: ExitStack,
    ) -> None:
        self.pack_name = pack.spec.name
        self._pack, self._cache, self._say, self._setup = pack, cache, say, setup
        self._options, self._resources = options, resources
        self._language: Language = options["language"] or LANGUAGES[0]
        # Tasks that are withheld have no proven tests: a verdict by them would blame programs for the import.
        self._run = replace(pack, tasks=tuple(task for task in pack.tasks if not task.is_held))
        self._tasks = {task.id: task for task in self._run.tasks}
        if without := len(pack.tasks) - len(self._tasks):
            say(f"{without} of {len(pack.tasks)} tasks are held, and not run: see import.json")
        self._direct = DirectSolver(setup, cache, PINS)
        self._scorer: Lazy[ProgramScorer] = Lazy(self._scoring)
        self._writers = Writers(setup, cache, say, PINS, self._direct.identity)

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate) in the language of the options.

        Agents: `direct` (the model itself), `reference`, `insecure`, `broken` and `variant:NAME` (programs of
        the pack), and those of the track `repo`. Raises TaskError, ValueError, UnknownName or SandboxRefused.
        """
        tasks = self._choose_tasks(matrix.tasks)
        columns = [self._column(name, matrix, tasks) for name in agents_of(matrix)]
        return keys_of(tasks, columns, matrix.replicates)

    def _choose_tasks(self, names: Sequence[str]) -> list[str]:
        chosen = [self._task(name) for name in names] or list(self._tasks.values())
        if held := next((task for task in chosen if task.is_held), None):
            raise TaskError(f"{held.folder}: is held: {held.spec.held}")
        if not chosen:
            raise TaskError(f"{self._pack.folder}: every task is held")
        fitting = [task for task in chosen if self._language in task.spec.languages]
        if not fitting:
            raise ValueError(f"options.language: no task of these is meant for {self._language}")
        if len(fitting) < len(chosen):
            left = len(chosen) - len(fitting)
            self._say(f"{left} of {len(chosen)} tasks are not meant for {self._language}")
        for task in fitting:
            check_task(task)
        return [task.id for task in fitting]

    def _column(self, agent: str, matrix: Matrix, tasks: Sequence[str]) -> Column:
        prompts = tuple(matrix.prompts) or NEUTRAL
        if agent == DIRECT:
            models = models_of(matrix, agent)
            self._direct.expect(models)
            for name in prompts:
                prompt_for(self._tasks[tasks[0]], self._language, name)
            return Column(agent, models, lambda task: prompts)
        if is_shipped(agent):
            return self._calibrating(agent, tasks)
        models = models_of(matrix, agent) if agent_of(agent).asks_model else UNASKED
        self._writers.expect(agent, models, prompts)
        return Column(agent, models, lambda task: prompts)

    def _calibrating(self, agent: str, tasks: Sequence[str]) -> Column:
        have = {
            task
            for task in tasks
            if program_of(agent, self._tasks[task], self._language) is not None
        }
        if not have:
            raise ValueError(f"agent {agent!r}: the pack has no such program in {self._language}")
        if len(have) < len(set(tasks)):
            self._say(
                f"agent {agent!r}: only {len(have)} of {len(set(tasks))} tasks have such a program"
            )
        return Column(agent, does=have.__contains__)

    def _task(self, name: str) -> DualTask:
        return self._tasks.get(name) or self._pack.task(
            name
        )  # which names the tasks that there are

    def answers(self, path: Path) -> Answers:
        """Programs for the pack's tasks, in the forms of `AnswerReader`. Raises ValueError or TaskError."""
        for task in self._run.tasks:
            check_task(task)
        return AnswerReader(self._run, self._options["language"], self._options["k"]).read(path)

    def check(self, tasks: Sequence[str], workers: int, say: Say) -> Iterator[Checked]:
        """Check that references pass everything, each time, that variants fail the tests that they must, and
        that some variant fails each test."""
        chosen = [self._task(name) for name in tasks] or list(self._pack.tasks)
        repeats = self._options["repeats"]
        with open_runner(workers) as runner:
            means = make_means(runner, self._home(), install=False, coverage=False)
            scorer = make_scorer(means, self._cache, remember=False)
            yield from each(chosen, lambda task: check(task, scorer, repeats), workers)

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Raises TaskError."""
        return [self._facts(self._task(name)) for name in tasks or [t.id for t in self._pack.tasks]]

    def show(self, task: str) -> dict[str, Any]:
        """All of a task, with its tests; if imported, with every field of its file. Raises TaskError."""
        return to_dict(self._task(task))

    def derived_files(self, tasks: Sequence[str]) -> Iterator[DerivedFile]:
        """The variants of these tasks (none: all of the pack). Raises TaskError."""
        for task in [self._task(name) for name in tasks] or self._pack.tasks:
            yield from map(task.derived_file, task.spec.variants)

    def _facts(self, task: DualTask) -> TaskFacts:
        spec, language = task.spec, self._language
        if language not in spec.languages:
            language = spec.languages[0]
        instruction = instruction_of(prompt_for(task, language).messages)
        return TaskFacts(
            *(task.id, spec.title, language),
            domain=spec.domain,
            cwes=spec.cwe,
            instruction=instruction,
        )

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        """A worker of the runner to grade in; a container only for an agent of the track `repo`."""
        if stage is Stage.GRADE:
            return Needs()
        if key.agent in (DIRECT, ANSWERS) or is_shipped(key.agent):
            return Needs(sandboxes=0)
        room = Limits().max_limits(MIN_LIMITS)
        return Needs(IMAGE, memory=room.memory, disk=room.disk)

    def provenance(self, key: AttemptKey, stage: Stage) -> Provenance:
        """Raises TaskError."""
        if stage is Stage.SOLVE:
            return planned_provenance(key, self._setup.prices, self._direct.pins)
        return Provenance(
            grader_version=f"scorer {SCORER}",
            pack_version=self._pack.spec.version,
            task_digest=self._task(key.task).digest,
        )

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        """The program. Raises ModelUnavailable or another SandboxFault where there is no result."""
        say("agent")
        task = self._task(key.task)
        if key.agent == DIRECT:
            prompt = prompt_for(task, self._language, key.prompt)
            request = request_for(prompt, key.replicate)
            return self._direct.solve(
                key.model, request, lambda answer: self._read(answer, task), charge
            )
        if is_shipped(key.agent):
            program = program_of(key.agent, task, self._language)
            if program is None:
                raise TaskError(f"{task.folder}: no program for the agent {key.agent!r}")
            return Solution(program)
        return self._writers.solution(key, task, self._language, charge)

    def _read(self, answer: Completion, task: DualTask) -> tuple[bytes, Mapping[str, Any]]:
        program = program_in(answer, task, self._language)
        facts = {"state": str(program.state), "notes": list(program.notes)}
        return program.source.encode("utf-8", "replace"), facts

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """Raises SandboxDied or EngineUnavailable."""
        if lacking := verdict_without_answer(solution.note):
            return lacking
        scorer = self._scorer.get()
        say("tests")
        sample = self._sample(key, solution)
        proof = {"proof": sample.task.spec.proof}
        return verdict_of(scorer.score(sample).model_copy(update=proof))

    def _sample(self, key: AttemptKey, solution: Solution) -> Sample:
        task, source, note = self._task(key.task), solution.patch, solution.note
        name, language = (
            note.get("sample", str(key.replicate)),
            note.get("language", self._language),
        )
        state = UNTRIED.get(str(note.get("state")), State.NO_CODE)
        why = "; ".join(map(str, note.get("notes", ())))
        if state is State.NO_CODE and len(source) > MAX_SOURCE:
            why = f"longer than {MAX_SOURCE >> 20} MiB"
        elif state is State.NO_CODE and source.strip():
            return Sample(task, name, language, Candidate(language, source))
        return Sample(task, name, language, None, state, why)

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """DualGauge's rates of all attempts as samples of their tasks, and of each column's."""
        lines = lines_of(attempts, facts)
        scores = {line.name: scores_json(line.samples) for line in lines}
        every = [sample for line in lines for sample in line.samples]
        whole = scores_json(every) if len(scores) != 1 else scores[lines[0].name]
        return {**whole, "columns": scores}

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        return all_tables(lines_of(attempts, facts))

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
        lines = lines_of(attempts, facts)
        return [Figure(title, draw(lines)) for title, draw in FIGURES.items() if lines]

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        return comparison(first, second, facts)

    def _home(self) -> Path:
        return self._cache.folder if isinstance(self._cache, Store) else home()

    @contextmanager
    def _scoring(self) -> Iterator[ProgramScorer]:
        install, coverage = self._options["install"], self._options["coverage"]
        wanted = read_model_settings(self._setup, self._options)
        with open_runner(MAX_WORKERS) as runner, open_models(wanted, self._cache) as judges:
            means = make_means(runner, self._home(), install, coverage)
            yield make_scorer(means, self._cache, judges)

    def missing(self) -> str:
        return ""

    def close(self) -> None:
        """End the runner's workers, the gateways, and what was imported."""
        for resource in (self._direct, self._scorer, self._writers, self._resources):
            resource.close()


TRACK = DualTrack
