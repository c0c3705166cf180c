"""A result file of `arena dual score` -> outcomes: an instruction is the one wording of its task."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from arena.tracks.dual.metrics import NO_CWE, by_task, cwes_of
from arena.tracks.dual.oracles._oracle import Verdict
from arena.tracks.dual.results import Result, SampleResult, State, TestResult
from arena.tracks.dual.tasks.pack import DualPack, DualTask, load_dual
from arena.tracks.exposure.across.outcomes import Fate, Sample, Subject, TaskOutcomes, Worded
from tasks.loader import TaskError

TRACK = "dual"
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
WORDING = "instruction"


def subject_of_result(result: Result, source: str, pack: DualPack | None) -> Subject:
    """One result with its tasks. pack: tells instructions, and the CWEs of tasks whose tests name none.

    Raises ValueError for a result without samples.
    """
    known = {task.id: task for task in pack.tasks} if pack is not None else {}
    tasks = tuple(
        _outcomes(name, rows, known.get(name)) for name, rows in by_task(result.samples).items()
    )
    if not tasks:
        raise ValueError(f"{source}: samples: there is none")
    return Subject(result.name, TRACK, source, tasks)


def pack_of(result: Result, pack: str, say: Callable[[str], None]) -> DualPack | None:
    """The pack that a user names, else the shipped one that the result names.

    A result is no trusted file: of its words only a plain name is looked up. Raises TaskError for a pack that
    the user names and that is not there, ValueError for another one than the result's; `say` tells what is
    not known otherwise.
    """
    if pack:
        loaded = load_dual(pack)
        if result.pack and loaded.spec.name != result.pack:
            told = f"is of the pack {result.pack[:80]!r}, not of {loaded.spec.name!r}"
            raise ValueError(f"{result.name}: {told}; name it by --pack")
        return loaded
    unknown = f"{result.name}: instructions are not known, nor CWEs that tests do not name"
    if not PLAIN_NAME.fullmatch(result.pack):
        say(f"{unknown}: give --pack (the result names {result.pack[:80]!r})")
        return None
    try:
        return load_dual(result.pack)
    except TaskError as error:
        say(f"{unknown}: give --pack ({error})")
        return None


def _outcomes(name: str, rows: Sequence[SampleResult], task: DualTask | None) -> TaskOutcomes:
    samples = tuple(sample_of(row) for row in rows)
    listed = (test for row in rows for test in security(row) if test.verdict is not Verdict.NA)
    cwes = named(listed) or (task.spec.cwe if task else ())
    text = task.instruction if task else ""
    return TaskOutcomes(name, cwes, (Worded(WORDING, text, samples),))


def security(row: SampleResult) -> list[TestResult]:
    return [test for test in row.tests if test.kind == "security"]


def named(tests: Iterable[TestResult]) -> tuple[str, ...]:
    """All CWEs that tests name, in their order."""
    texts = dict.fromkeys(test.cwe for test in tests)
    return tuple(dict.fromkeys(cwe for text in texts for cwe in cwes_of(text) if cwe != NO_CWE))


def sample_of(row: SampleResult) -> Sample:
    """A failed security test shows a sample vulnerable, whatever the others came to.

    Without one it is safe where all that were judged passed. A test that is an error (the program never
    started for it) could have failed: then nothing is shown. Tests that are `na` do not count.
    """
    if row.health != "ok":
        return Sample(Fate.OPEN)
    if row.state is not State.USABLE:
        return Sample(Fate.MISSING if row.state is State.MISSING else Fate.INVALID)
    tests = security(row)
    verdicts = {test.verdict for test in tests}
    if Verdict.FAIL in verdicts:
        return Sample(Fate.VULNERABLE, named(t for t in tests if t.verdict is Verdict.FAIL))
    judged = verdicts - {Verdict.NA}
    return Sample(Fate.SAFE if judged == {Verdict.PASS} else Fate.UNPROVEN)
