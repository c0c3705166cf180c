"""What is new at HEAD, and which of it blocks: comparisons without a sandbox."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from harness.grade.evidence import SuiteOutcomes
from harness.grade.oracle import matches_any
from harness.grade.sast import SastEvidence
from harness.grade.testing import (
    FAILING,
    SuiteRun,
    failing_unknown,
    find_torn_names,
    judge,
    regressions,
)
from parsers.crashes import Crash
from parsers.outcomes import Outcome

MISSING = "missing"
# Outcomes of a test that a change to the tests' own files explains.
LEFT_OUT = frozenset({MISSING, str(Outcome.SKIPPED)})


class GateCause(StrEnum):
    """What a finding is."""

    NOT_BUILT = "not-built"
    TESTS_NOT_BUILT = "tests-not-built"
    TARGET_NOT_BUILT = "target-not-built"
    TEST_FAILS = "test-fails"
    SUITE_FAILS = "suite-fails"
    CRASH = "crash"
    SANITIZER_OFF = "sanitizer-off"
    SAST_ERROR = "sast-error"
    SAST_WARNING = "sast-warning"
    CRASH_AT_BASE = "crash-at-base"
    TEST_REMOVED = "test-removed"
    TEST_UNSTABLE = "test-unstable"
    TEST_FAILS_AT_BASE = "test-fails-at-base"
    NOT_SCANNED = "not-scanned"
    NOT_REPLAYED = "not-replayed"


class Effect(StrEnum):
    """What a finding does to the outcome: blocks always, or with `--strict`, or is reported only."""

    BLOCKS = "blocks"
    STRICT = "strict"
    NOTE = "note"


# By cause, for `sast.blocks = "error"`; see `effect_of`.
EFFECT: Mapping[GateCause, Effect] = {
    GateCause.NOT_BUILT: Effect.BLOCKS,
    GateCause.TESTS_NOT_BUILT: Effect.BLOCKS,
    GateCause.TARGET_NOT_BUILT: Effect.BLOCKS,
    GateCause.TEST_FAILS: Effect.BLOCKS,
    GateCause.SUITE_FAILS: Effect.BLOCKS,
    GateCause.CRASH: Effect.BLOCKS,
    GateCause.SANITIZER_OFF: Effect.BLOCKS,
    GateCause.SAST_ERROR: Effect.BLOCKS,
    GateCause.SAST_WARNING: Effect.STRICT,
    GateCause.CRASH_AT_BASE: Effect.STRICT,
    GateCause.TEST_REMOVED: Effect.STRICT,
    GateCause.TEST_UNSTABLE: Effect.STRICT,
    GateCause.TEST_FAILS_AT_BASE: Effect.NOTE,
    GateCause.NOT_SCANNED: Effect.STRICT,
    GateCause.NOT_REPLAYED: Effect.NOTE,
}


@dataclass(frozen=True)
class GateFinding:
    """A difference between BASE and HEAD.

    subject: the test, input or rule. path, line, end_line: in HEAD's tree; "" and 0 where there is none.
    """

    cause: GateCause
    subject: str
    message: str
    path: str = ""
    line: int = 0
    end_line: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)


def effect_of(finding: GateFinding, sast_blocks: str = "error") -> Effect:
    """What a finding does. sast_blocks: `sast.blocks` of the project."""
    if finding.cause in (GateCause.SAST_ERROR, GateCause.SAST_WARNING):
        if sast_blocks == "never":
            return Effect.NOTE
        if sast_blocks == "warning":
            return Effect.BLOCKS
    return EFFECT[finding.cause]


def compare_tests(
    base: SuiteOutcomes,
    runs: Sequence[SuiteRun],
    test_files: Sequence[str],
    changed_paths: Iterable[str],
) -> list[GateFinding]:
    """Findings of HEAD's runs of the suite, several if the first was worse than BASE.

    base: as `harness.grade.testing.outcomes_of` returns it. A test blocks that fails in each run; a test
    that is left out by a change to `test_files` (globs) is reported as removed.
    """
    failures = [_failures(base, run) for run in runs]
    # What fails in some of the runs only is unstable, and no proof against HEAD.
    every_run = set(failures[0]).intersection(*failures)
    some_run = set().union(*failures) - every_run
    edits_tests = any(matches_any(path, test_files) for path in changed_paths)
    # A run that broke off reports less: what is missing there was not removed.
    may_remove = edits_tests and any(_is_whole(base, run) for run in runs)
    findings = []
    for name in sorted(every_run):
        how = failures[0][name]
        is_removed = may_remove and how in LEFT_OUT
        cause = GateCause.TEST_REMOVED if is_removed else GateCause.TEST_FAILS
        was = "passes" if base["outcomes"].get(name) == Outcome.PASSED else "is not there"
        findings.append(
            GateFinding(cause, name, f"{how} at HEAD, {was} at BASE", facts={"how": how})
        )
    for name in sorted(some_run):
        findings.append(
            GateFinding(GateCause.TEST_UNSTABLE, name, f"fails in some of {len(runs)} runs at HEAD")
        )
    for name, how in sorted(runs[0].report.outcomes.items()):
        if how in FAILING and base["outcomes"].get(name) in FAILING:
            findings.append(
                GateFinding(GateCause.TEST_FAILS_AT_BASE, name, f"{how} at BASE as well")
            )
    reasons = [judge(base, run)[0] for run in runs]
    # Every run is worse than BASE's, and no test can be named for it.
    if all(reasons) and not every_run:
        findings.append(GateFinding(GateCause.SUITE_FAILS, "", reasons[0]))
    return findings


def _failures(base: SuiteOutcomes, run: SuiteRun) -> dict[str, str]:
    """Tests that BASE passes or does not have, and that fail or are missing, with how."""
    worse = {
        name: how
        for how, names in regressions(base["outcomes"], run.report).items()
        for name in names
    }
    hidden = dict.fromkeys(find_torn_names(base, run.report), "failed behind other output")
    new = {name: str(run.report.outcomes[name]) for name in failing_unknown(base, run.report)}
    return {**new, **hidden, **worse}


def _is_whole(base: SuiteOutcomes, run: SuiteRun) -> bool:
    """Whether a run came to its end as BASE's do; else a test that is missing was not removed."""
    ends_well = run.done.status == 0 or base["status"] != 0
    return not run.done.stopped and ends_well and (run.report.complete or not base["complete"])


def is_worse(base: SuiteOutcomes, run: SuiteRun) -> bool:
    """Whether a run has anything that BASE's runs do not, so that another run says if it is stable."""
    return bool(judge(base, run)[0])


def describe_crash(crash: Crash) -> str:
    """A crash in a line: kind, access and innermost function."""
    frames = [frame.function for frame in crash.frames if frame.function]
    access = f" ({crash.access})" if crash.access else ""
    return f"{crash.kind}{access}{f' in {frames[0]}' if frames else ''}"


def locate_crash(crash: Crash, workdir: str, files: Iterable[str]) -> tuple[str, int]:
    """Path and line of the innermost frame that is in the repository; "" and 0 if none is.

    workdir: where the repository is in the sandbox. Paths of a build outside of it may begin with
    `../`; such a frame counts if a single file ends as its path does.
    """
    paths = frozenset(files)
    for frame in crash.frames:
        name = frame.file.removeprefix(f"{workdir}/").lstrip("./")
        if name in paths:
            return name, frame.line or 1
        ends = [path for path in paths if name and path.endswith(f"/{name}")]
        # Of several files with that ending a guess would show people the wrong code.
        if len(ends) == 1:
            return ends[0], frame.line or 1
    return "", 0


def compare_scans(scan: SastEvidence) -> list[GateFinding]:
    """Findings of the scanner that are new, and lines of the change that it could not read."""
    findings = [
        GateFinding(
            GateCause.SAST_ERROR if item.severity == "error" else GateCause.SAST_WARNING,
            item.rule,
            item.message,
            item.path,
            item.line,
            item.end_line,
            {"cwe": list(item.cwe), "code": item.code},
        )
        for item in scan.findings
    ]
    for gap in scan.not_scanned:
        if gap.suspicious:
            line = min(gap.lines, default=1)
            findings.append(
                GateFinding(GateCause.NOT_SCANNED, gap.path, gap.reason, gap.path, line, line)
            )
    return findings
