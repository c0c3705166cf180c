"""Runs the tests with changed values in a sandbox, and judges the outcomes against the fixed program.

A patch that answers gold's tests by a table knows their texts. With changed words in the tests' literals, and
in the outputs that they expect, the same tests ask the same of a program, and a table answers nothing.

The tests' program is the patch's, too: code in it can read what its caller expects, or write the report
itself. So a few tests get an expected output that does not fit their input: these have to fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from harness.grade.building import ROOM, build, null_separated, run_grader_command
from harness.grade.decide import Cause, judge_other_values, judge_wrong_passes
from harness.grade.evidence import Evidence, SuiteOutcomes, TestCounts, TestsEvidence
from harness.grade.ports import ResultCache
from harness.grade.testing import FAILING, SuiteRun, judge, run_suite, tests_evidence
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from parsers.outcomes import Outcome
from tasks.loader import Task
from tasks.other_values import OtherValues

# Folder below ROOM of contents that are copied over the tests' files.
RENEWED = "renewed"
# A copy keeps a script executable, and dates the file now: a build takes it for changed by its time.
COPY = f"""\
xargs -0 -r sh -c 'for f; do cat -- "{ROOM}/{RENEWED}/$f" > "$f" || exit 255; done' sh < {ROOM}/to_renew
"""
NO_VALUES = OtherValues()


def bring_other_values(
    box: Sandbox, task: Task, values: OtherValues | None = None
) -> dict[str, bytes]:
    """Put changed values, by default the task's, into the tests; returns the changed files as they were.

    They are path -> content. Files that are not there are left out, since a task that begins elsewhere may
    have fewer. Raises SandboxDied.
    """
    values = values or task.other_values or NO_VALUES
    workdir = task.spec.environment.workdir
    files = archive.unpack(box.get(sorted(values.files), workdir)) if values.files else {}
    renamed = {path: values.rename(path, data) for path, data in files.items()}
    changed = {path: data for path, data in renamed.items() if data != files[path]}
    put_renewed(box, workdir, changed)
    return {path: files[path] for path in changed}


def put_renewed(box: Sandbox, workdir: str, files: Mapping[str, bytes]) -> None:
    """Give files that are there another content, as if they were edited now. Raises a SandboxFault."""
    if files:
        folder = PurePosixPath(ROOM)
        put = {f"{folder.name}/{RENEWED}/{path}": data for path, data in files.items()}
        box.put(put, str(folder.parent))
        run_grader_command(box, COPY, workdir, {"to_renew": null_separated(files)})


def evidence_of(
    task: Task, gold: SuiteOutcomes, run: SuiteRun, counts: TestCounts
) -> TestsEvidence:
    """The evidence of a run with changed values. gold: outcomes with the same values."""
    values = task.other_values or NO_VALUES
    evidence = tests_evidence(run, counts)
    evidence["words"], evidence["files"] = values.words, len(values.files)
    evidence["wrong_passes"] = find_wrong_passes(values, gold, run)
    return evidence


def list_failing(name: str, gold: SuiteOutcomes) -> list[str]:
    """Tests that gold fails with the task's values, and that `name` means.

    The tests that are built like the target may be run by another program, which gives them longer or shorter
    names: `lexis:functions / recursion` and `recursion`, `read` and `read.test`.
    """
    return [
        test
        for test, outcome in gold["outcomes"].items()
        if outcome in FAILING and (test in name or name in test)
    ]


def find_wrong_passes(values: OtherValues, gold: SuiteOutcomes, run: SuiteRun) -> list[str]:
    """Names of the tests that pass, although what they expect does not fit, and gold's fail for that."""
    return [
        test
        for name in values.failing
        for test in list_failing(name, gold)
        if run.report.outcomes.get(test) is Outcome.PASSED
    ]


def build_suite(box: Sandbox, task: Task, cache: ResultCache) -> None:
    """Build the task's suite with what its files hold now. Raises Failed, for `tests-by-table`."""
    if task.spec.tests.build:
        what = "the tests do not build against it with other values"
        build(box, task, task.spec.tests.build, "tests", what, cache, Cause.TESTS_BY_TABLE)


def run_suite_with_other_values(
    box: Sandbox,
    backend: Backend,
    task: Task,
    gold: SuiteOutcomes,
    cache: ResultCache,
    evidence: Evidence,
) -> None:
    """Run a suite that has passed again with changed values. Raises Decided IC.

    For tasks whose tests are not built like the fuzz target. gold: outcomes, see `outcomes_of`.
    """
    bring_other_values(box, task)
    build_suite(box, task, cache)
    run = run_suite(backend, box, task, cache)
    lost, counts = judge(gold, run)
    evidence["other_values"] = evidence_of(task, gold, run, counts)
    judge_other_values(lost)
    judge_wrong_passes(evidence["other_values"]["wrong_passes"])
