"""Runs of gold's suite with replaced words in its tests, all in a single sandbox."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from arena.building.oracle.culprits import Broken
from arena.building.oracle.other_words import TestTexts, read_test_texts
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
from harness.grade.sast.files import added_lines
from harness.grade.testing import SuiteRun, outcomes_of, run_suite
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from parsers.outcomes import TestReport
from tasks.loader import Task
from tasks.other_values import OtherValues

# Names for what belongs to a run and to no test of it.
STATUS = "(exit status)"
COMPLETE = "(whole report)"
_WORD = re.compile("[A-Za-z][0-9A-Za-z]*|[0-9]+")
# Called after each run: how many there were, and how many tests differ from gold's own run.
OnRun = Callable[[int, int], None]


def ignore_run(_runs: int, _broken: int) -> None:
    """No progress is shown."""


@contextmanager
def open_trials(
    backend: Backend, task: Task, cache: ResultCache, on_run: OnRun
) -> Iterator[Trials]:
    """Gold, built with its suite, in a sandbox. Raises TaskBroken, SandboxFault."""
    image = prepare(backend, task).image
    with sandbox(backend, image, limits_of(task)) as box:
        try:
            owned = oracle.owned_paths(examine(task.solution("gold")).paths, task.owned_globs)
            before = archive.unpack(box.get(owned, task.spec.environment.workdir))
            files = bring_gold(box, task)
            prepare_build(box, task)
            contents = _contents(box, task, archive.names(files.tar))
            build(box, task, task.spec.environment.build, "build", "does not build", cache)
            if task.spec.tests.build:
                build(box, task, task.spec.tests.build, "tests", "tests do not build", cache)
        except Decided as decided:
            raise TaskBroken(f"{task.id}: gold: {decided.reason}") from decided
        suite = outcomes_of(task, lambda: run_suite(backend, box, task, cache))
        new_lines = {
            path: added_lines(before.get(path, b""), contents[path])
            for path in owned
            if path in contents
        }
        yield Trials(backend, box, task, cache, suite, contents, new_lines, on_run)


def _contents(box: Sandbox, task: Task, of_gold: Sequence[str]) -> dict[str, bytes]:
    """The repository's files with gold; if they are too large for an archive, those that fit."""
    workdir = task.spec.environment.workdir
    names = {*list_tracked_files(box, workdir), *of_gold, *examine(task.solution("gold")).paths}
    first = oracle.owned_paths(names, task.owned_globs)  # an archive that is cut short has these
    return archive.unpack(box.get([*first, *sorted(names - {*first})], workdir))


@dataclass
class Trials:
    """contents: the repository's files with gold. suite: gold's outcomes with unchanged tests.

    new_lines: of each test file that gold changes, the numbers of the lines that it adds.
    """

    backend: Backend
    box: Sandbox
    task: Task
    cache: ResultCache
    suite: SuiteOutcomes
    contents: dict[str, bytes]
    new_lines: Mapping[str, Collection[int]]
    on_run: OnRun
    runs: int = 0
    _present: dict[str, bytes] = field(default_factory=dict)

    def find_broken(self, values: OtherValues) -> Broken:
        """Names of the tests that gold does not answer alike with these values. Raises a SandboxFault."""
        run = self.run(values)
        if run is None:
            broken = frozenset((*self.suite["outcomes"], STATUS))
        else:
            broken = unlike(self.suite, run.report, run.done.status, values)
        self.on_run(self.runs, len(broken))
        return broken

    def run(self, values: OtherValues) -> SuiteRun | None:
        """The suite with these values; None where it does not build. Raises a SandboxFault."""
        self.bring(values)
        self.runs += 1
        spec = self.task.spec
        if spec.tests.build:
            line = Command(spec.tests.build, spec.environment.workdir, spec.environment.timeout)
            if not self.box.exec(line).ok:
                return None
        return run_suite(self.backend, self.box, self.task, self.cache)

    def read_texts(self) -> TestTexts:
        """The literals of the tests' files."""
        owned = oracle.owned_paths(self.contents, self.task.owned_globs)
        return read_test_texts(self.contents, owned)

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
