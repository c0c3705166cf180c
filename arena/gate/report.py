"""What a gate comes to: its checks, findings and exit code, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.gate.checkout import GitState
from arena.gate.findings import Effect, GateFinding, effect_of
from arena.gate.project import Project
from arena.output import OK, UNLABELLED, UNMET
from arena.report.text import one_line

# Findings of one cause in the text.
MAX_LISTED = 20


class CheckStatus(StrEnum):
    """Whether a check came to a result. SKIPPED: the project does not have it."""

    DECIDED = "decided"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class GateCheck:
    """The step `tests` (with builds), `poc` or `sast`. reason: counts, or why it is undecided."""

    step: str
    status: CheckStatus
    reason: str


@dataclass(frozen=True)
class GatePart:
    """A check with its findings. tests: HEAD's outcomes by name. inputs: kind of crash ("") by path."""

    check: GateCheck
    findings: tuple[GateFinding, ...] = ()
    tests: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GateReport:
    """The comparison of HEAD with BASE.

    changed_tests: files of `tests.files` that differ. submodules: their files were not there. seconds: of
    wall time by step; `base` and `head` are the builds and tests of the project, `target` is
    the target's build, a part of `poc`.
    """

    project: Project
    base: GitState
    head: GitState
    parts: tuple[GatePart, ...]
    changed_tests: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    strict: bool = False

    @property
    def findings(self) -> tuple[GateFinding, ...]:
        return tuple(finding for part in self.parts for finding in part.findings)

    def does_block(self, finding: GateFinding) -> bool:
        """Whether a finding blocks, by its cause, the project's `sast.blocks` and `--strict`."""
        effect = effect_of(finding, self.project.spec.sast.blocks)
        return effect is Effect.BLOCKS or (self.strict and effect is Effect.STRICT)

    @property
    def exit_code(self) -> int:
        """0 where nothing blocks, 1 where something does, 3 where a check is undecided."""
        # First: what was found blocks, even where another check could not be decided.
        if any(map(self.does_block, self.findings)):
            return UNMET
        undecided = any(part.check.status is CheckStatus.UNDECIDED for part in self.parts)
        return UNLABELLED if undecided else OK

    def to_json(self) -> dict[str, Any]:
        return {
            "result": RESULTS[self.exit_code],
            "project": self.project.id,
            "base": vars(self.base),
            "head": vars(self.head),
            "strict": self.strict,
            "checks": [vars(part.check) for part in self.parts],
            "findings": [
                {**vars(finding), "facts": dict(finding.facts), "blocks": self.does_block(finding)}
                for finding in self.findings
            ],
            "changed_tests": list(self.changed_tests),
            "submodules": list(self.submodules),
            "project_differs": self.project.differs,
            "seconds": dict(self.seconds),
        }

    def to_text(self) -> str:
        """A summary for people: the result, the checks, and findings that block first."""
        head = f"{RESULTS[self.exit_code]}: {self.project.id} {self.base.label}..{self.head.label}"
        return "\n".join(map(one_line, (head, *self._lines())))

    def _lines(self) -> Iterator[str]:
        for part in self.parts:
            yield f"{part.check.step}: {part.check.status}: {part.check.reason}"
        order = sorted(self.findings, key=lambda finding: not self.does_block(finding))
        listed: Counter[str] = Counter()
        for finding in order:
            listed[finding.cause] += 1
            if listed[finding.cause] <= MAX_LISTED:
                yield self._line(finding)
        for cause, count in listed.items():
            if count > MAX_LISTED:
                yield f"{cause}: {count} in all; the first {MAX_LISTED} are listed"
        if self.changed_tests:
            first = self.changed_tests[0]
            yield f"note: {len(self.changed_tests)} files of the tests differ, such as {first}"
        if self.project.differs:
            yield f"note: {self.project.path} differs at HEAD; BASE's was used"
        for path in self.submodules[:MAX_LISTED]:
            yield f"note: submodule {path} was empty: its files are in no commit"

    def _line(self, finding: GateFinding) -> str:
        word = "blocks" if self.does_block(finding) else "note"
        place = f"{finding.path}:{finding.line}" if finding.path else ""
        parts = (str(finding.cause), place, finding.subject, finding.message)
        return f"{word}: " + ": ".join(dict.fromkeys(filter(None, parts)))


# The result in words, by exit code.
RESULTS = {OK: "pass", UNMET: "not safe", UNLABELLED: "undecided"}
