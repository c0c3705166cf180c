"""`tests.filter`: a task's command that turns what its suite printed into a report.

It runs in a fresh sandbox of the task's image, in which no code of the patch ever ran, so that a patch can
bring it nothing but the output itself: the tools are the image's, and there is neither a file nor a process
of the tests.
"""

from __future__ import annotations

from harness.command import Command, ExecResult
from harness.grade.buildable import Buildable
from harness.grade.building import ending, tail
from harness.grade.environment import limits_of, sandbox
from harness.grade.suite_reports import read_report
from harness.sandbox.base import Backend
from parsers.outcomes import Level, TestReport

TIMEOUT_S = 60.0
FOLDER, OUTPUT_FILE, STDERR_FILE = "/tmp", ".arena-output", ".arena-said"  # noqa: S108 - inside the sandbox


def run_filter(backend: Backend, task: Buildable, filter: str, output: bytes) -> ExecResult:
    """Run `filter` with `output` as its input; what it says on stderr is in the result only if it fails.

    Raises a SandboxFault.
    """
    with sandbox(backend, backend.resolve(task.spec.environment.image), limits_of(task)) as box:
        box.put({OUTPUT_FILE: output}, FOLDER)
        shown = f"{{ status=$?; cat {STDERR_FILE}; exit $status; }}"
        # Standard error stays out of the output, or a warning would be read as a part of the report.
        line = f"( {filter}\n) < {OUTPUT_FILE} 2> {STDERR_FILE} || {shown}"
        return box.exec(Command(line, FOLDER, TIMEOUT_S))


def filtered_report(parser: str, filtered: ExecResult, status: int | None) -> TestReport:
    """The report that a filter printed; no outcome counts where it failed or printed no test.

    status: of the suite itself.
    """
    if not filtered.ok:
        last_line = tail(filtered.output, 1).strip()
        why = f"tests.filter failed: {ending(filtered)}" + (f": {last_line}" if last_line else "")
        return TestReport({}, Level.CASES, False, (why,))
    report = read_report(parser, {"output": filtered.output}, status, prefixed=False)
    if report.outcomes:
        return report
    why = f"tests.filter printed no test in the format {parser}"
    return TestReport({}, report.level, False, (why, *report.problems))
