"""What a tool is: it scans a folder of programs once, gives alerts, and lists what it could not look at.

An entry is `arena/tracks/exposure/tools/<name>.py` with a PLUGIN that makes a tool of what stands behind
`<name>:` on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.grade.sast.scanner import PARTIAL, ScanFailed, ScanOutput
from parsers.registry import lookup, names
from parsers.sarif import Finding

PACKAGE = "arena.tracks.exposure.tools"
MAX_NOTES = 20
# Rule -> the CWEs that it is about.
Rules = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class ToolWeakness:
    """What is looked for: the CWEs of a scenario, and the name of our detector for it."""

    cwes: tuple[str, ...]
    detector: str


@dataclass(frozen=True)
class ToolProgram:
    """A program. names: what a report or a label may call it; scenario: its id, "" without a scenario."""

    label: str
    names: tuple[str, ...]
    scenario: str
    weakness: ToolWeakness


@dataclass(frozen=True)
class Alert:
    """A tool says that a rule is broken there. file: a key of `Staged.programs`; line: 0 if unknown."""

    file: str
    line: int
    rule: str
    cwes: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Staged:
    """Programs that compile, under plain names below `root`; nothing else is there."""

    root: Path
    programs: Mapping[str, ToolProgram]


@dataclass(frozen=True)
class Scan:
    """What a tool gave. unread: file -> why the tool did not see (all of) it.

    rules: those that the tool says it looked with; None where it does not say. version: of tool and rules.
    notes: messages for the user.
    """

    alerts: tuple[Alert, ...]
    unread: Mapping[str, str]
    rules: Rules | None
    version: str
    notes: tuple[str, ...] = field(default=())


class Tool(Protocol):
    """A static analyser."""

    def scan(self, staged: Staged) -> Scan:
        """Raises ScanFailed where the tool gave nothing that counts, ValueError for a user's mistake."""
        ...


def tool_of(spec: str) -> Tool:
    """The tool of `NAME` or `NAME:ARGUMENT`. Raises ValueError listing those that there are."""
    name, _, argument = spec.partition(":")
    tool_names = [name for name in names(PACKAGE) if not name.startswith("_")]
    if name not in tool_names:
        raise ValueError(f"--with: no tool {name[:80]!r}; there are: {', '.join(tool_names)}")
    make: Callable[[str], Tool] = lookup(PACKAGE, name)
    return make(argument)


def scan_of(output: ScanOutput, staged: Staged, rules: Rules | None, version: str) -> Scan:
    """What a scanner of the grader gave. Raises ScanFailed where no rule was applied."""
    if not output.rules:
        raise ScanFailed(f"{version}: no rule was applied")
    # Until the tool says otherwise: what it does not list it has not seen.
    unread = dict.fromkeys(staged.programs.keys() - output.scanned, "not read")
    for error in output.errors:
        blind = error.kind != PARTIAL or error.spans
        if blind and error.path is not None and error.path in staged.programs:
            unread[error.path] = f"{error.kind}: {error.message}"
    strange = sorted({f.path for f in output.findings} - staged.programs.keys())
    alerts = tuple(alerts_of(output.findings, {name: name for name in staged.programs}))
    return Scan(alerts, unread, rules, version, notes_of(strange))


def alerts_of(findings: tuple[Finding, ...], files: Mapping[str, str]) -> Iterator[Alert]:
    """Alerts about our files; `files`: the finding's path -> ours."""
    for finding in findings:
        if finding.path in files:
            place = files[finding.path]
            yield Alert(place, finding.line, finding.rule, finding.cwe, finding.message)


def notes_of(strange: list[str]) -> tuple[str, ...]:
    """A line for each of the first files in `strange`, which are not ours, and a count of the rest."""
    notes = [f"a result about a file that was not named: {path[:200]}" for path in strange]
    more = len(notes) - MAX_NOTES
    return (*notes[:MAX_NOTES], *([f"and about {more} more files"] if more > 0 else ()))
