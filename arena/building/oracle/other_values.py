"""Finds alternative values for a task's tests by running gold.

All words of the tests' literals are replaced at once. What gold does not answer alike then is traced to the
words, or numbers, that mean something to the product, and these stay. The result is run `tests.runs` times.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from arena.building.oracle.culprits import Broken, leave_out_culprits
from arena.building.oracle.other_words import (
    Substitution,
    TestTexts,
    WordChange,
    draw_substitution,
    read_test_texts,
)
from harness.command import Command
from harness.grade import oracle
from harness.grade.apply import examine
from harness.grade.building import build, prepare_build
from harness.grade.decide import Decided
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.evidence import SuiteOutcomes
from harness.grade.guard import list_tracked_files
from harness.grade.initial_states import bring_gold
from harness.grade.other_values import put_renewed
from harness.grade.ports import ResultCache
from harness.grade.testing import outcomes_of, run_suite
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from parsers.outcomes import Outcome, TestReport
from tasks.loader import Task
from tasks.other_values import OtherValues

# Time for the search, builds left out; a suite that takes long gets fewer runs.
SECONDS = 900.0
# Random exchanges of letters that are tried; the one that breaks the fewest tests is taken.
SUBSTITUTIONS = 3
MAX_WORD_RUNS = 300
# Runs of gold's suite for tracing words and numbers, at most.
MAX_NUMBER_RUNS = 80
STATUS = "(exit status)"
# Names for what belongs to a run and to no test of it.
COMPLETE = "(whole report)"
_WORD = re.compile("[A-Za-z][0-9A-Za-z]*|[0-9]+")
# Called after each run: how many there were, and how many tests it broke.
OnRun = Callable[[int, int], None]


class NoOtherValues(Exception):
    """The task can have none; the message says why."""


def _ignore(_runs: int, _broken: int) -> None:
    return None


@dataclass(frozen=True)
class FoundValues:
    """tests: how many gold passes with them; candidates: words and numbers that were tried; runs: of gold."""

    values: OtherValues
    tests: int
    candidates: int
    runs: int


def search_other_values(
    backend: Backend,
    task: Task,
    cache: ResultCache,
    seed: int = 0,
    seconds: float = SECONDS,
    on_run: OnRun = _ignore,
) -> FoundValues:
    """Alternative values of a task's tests; the same seed tries the same words.

    Raises NoOtherValues, TaskBroken, SandboxFault.
    """
    image = prepare(backend, task).image
    with sandbox(backend, image, limits_of(task)) as box:
        try:
            files = bring_gold(box, task)
            prepare_build(box, task)
            contents = _contents(box, task, archive.names(files.tar))
            build(box, task, task.spec.environment.build, "build", "does not build", cache)
            if task.spec.tests.build:
                build(box, task, task.spec.tests.build, "tests", "tests do not build", cache)
        except Decided as decided:
            raise TaskBroken(f"{task.id}: gold: {decided.reason}") from decided
        suite = outcomes_of(task, lambda: run_suite(backend, box, task, cache))
        owned = oracle.owned_paths(contents, task.owned_globs)
        trials = _Trials(backend, box, task, cache, suite, contents, on_run)
        chance = Random(seed)  # noqa: S311 - no secret
        return _search(trials, read_test_texts(contents, owned), chance, seconds)


def _contents(box: Sandbox, task: Task, of_gold: Sequence[str]) -> dict[str, bytes]:
    """The repository's files with gold; if they are too large for an archive, those that fit."""
    workdir = task.spec.environment.workdir
    names = {*list_tracked_files(box, workdir), *of_gold, *examine(task.solution("gold")).paths}
    first = oracle.owned_paths(names, task.owned_globs)  # an archive that is cut short has these
    return archive.unpack(box.get([*first, *sorted(names - {*first})], workdir))


@dataclass
class _Trials:
    """Runs of gold's suite with alternative values, all in a single sandbox."""

    backend: Backend
    box: Sandbox
    task: Task
    cache: ResultCache
    suite: SuiteOutcomes
    contents: dict[str, bytes]
    on_run: OnRun
    runs: int = 0
    _present: dict[str, bytes] = field(default_factory=dict)

    def find_broken(self, values: OtherValues) -> Broken:
        """Names of the tests that gold does not answer alike with these values. Raises a SandboxFault."""
        self.bring(values)
        spec = self.task.spec
        ok = True
        if spec.tests.build:
            line = Command(spec.tests.build, spec.environment.workdir, spec.environment.timeout)
            ok = self.box.exec(line).ok
        if ok:
            run = run_suite(self.backend, self.box, self.task, self.cache)
            broken = unlike(self.suite, run.report, run.done.status, values)
        else:
            broken = frozenset((*self.suite["outcomes"], STATUS))
        self.runs += 1
        self.on_run(self.runs, len(broken))
        return broken

    def bring(self, values: OtherValues) -> None:
        """Put the files that differ from those of the last trial."""
        paths = sorted({*values.files, *self._present})
        wanted = {path: values.rename(path, self.contents[path]) for path in paths}
        changed = {
            path: data
            for path, data in wanted.items()
            if data != self._present.get(path, self.contents[path])
        }
        put_renewed(self.box, self.task.spec.environment.workdir, changed)
        self._present |= changed


def unlike(suite: SuiteOutcomes, report: TestReport, status: int, values: OtherValues) -> Broken:
    """Tests whose outcome differs from gold's; a test's name may come from a literal, and so differ now."""
    pairs = {old: new for words in values.files.values() for old, new in words.items()}
    both = pairs | {new: old for old, new in pairs.items()}

    def neutral(name: str) -> str:
        """The name with the lesser word of each pair, whichever of them is replaced."""
        return _WORD.sub(lambda word: min(word[0], both.get(word[0], word[0])), name)

    now: defaultdict[str, list[str]] = defaultdict(list)
    for name, outcome in report.outcomes.items():
        now[neutral(name)].append(str(outcome))
    before: defaultdict[str, list[str]] = defaultdict(list)
    for name, how in suite["outcomes"].items():
        before[neutral(name)].append(how)
    broken = {
        name
        for name in suite["outcomes"]
        if Counter(before[neutral(name)]) - Counter(now[neutral(name)])
    }
    if not broken and suite["status"] == 0 and status != 0:
        broken.add(STATUS)  # beside a broken test it says nothing of which one
    if not broken and suite["complete"] and not report.complete:
        broken.add(COMPLETE)
    return frozenset(broken)


def _search(trials: _Trials, texts: TestTexts, chance: Random, seconds: float) -> FoundValues:
    """Words first, all together, then numbers. Raises NoOtherValues."""
    substitutions = [draw_substitution(chance, texts.protected) for _ in range(SUBSTITUTIONS)]
    started = time.monotonic()
    substitution = _best(trials, texts, substitutions)
    affordable = _affordable_runs(seconds, time.monotonic() - started, trials.runs)

    groups = texts.word_groups(substitution)
    if not any(groups):
        raise NoOtherValues(f"{trials.task.id}: no word of its tests' literals may be replaced")
    stages = (
        (groups, MAX_WORD_RUNS, affordable),
        (texts.number_groups(substitution), MAX_NUMBER_RUNS, affordable // 4),
    )
    changes: list[WordChange] = []

    def find_broken(before: Sequence[WordChange], some: list[WordChange]) -> Broken:
        return trials.find_broken(texts.values([*before, *some], substitution))

    for candidates, max_runs, affordable_runs in stages:
        runs_of_each_half = min(max_runs, affordable_runs) // 2
        changes += leave_out_culprits(
            candidates, partial(find_broken, tuple(changes)), runs_of_each_half
        )
    values = texts.values(changes, substitution)
    if not values.files:
        raise NoOtherValues(f"{trials.task.id}: gold answers no test alike with other words")
    for _ in range(trials.task.spec.tests.runs):
        if broken := trials.find_broken(values):
            name = min(broken)
            raise NoOtherValues(f"{trials.task.id}: with other words gold's runs differ: {name}")
    passed = sum(how == Outcome.PASSED for how in trials.suite["outcomes"].values())
    tried = {change.word for stage in stages for group in stage[0] for change in group}
    return FoundValues(values, passed, len(tried), trials.runs)


def _affordable_runs(seconds: float, spent: float, runs: int) -> int:
    """The number of further runs that fit into `seconds`, at the mean of those so far (`spent` seconds)."""
    return int((seconds - spent) * runs / spent) if runs and spent else MAX_WORD_RUNS


def _best(trials: _Trials, texts: TestTexts, substitutions: Sequence[Substitution]) -> Substitution:
    """The substitution that breaks the fewest tests when all words are replaced."""

    def count(substitution: Substitution) -> int:
        whole = [change for group in texts.word_groups(substitution) for change in group]
        return len(trials.find_broken(texts.values(whole, substitution))) if whole else 0

    return min(substitutions, key=count)
