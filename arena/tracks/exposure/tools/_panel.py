"""Our detector and tools over the same programs: what each says of each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.judging import DETECTION, judge
from arena.tracks.exposure.tools._rules import about, can_look
from arena.tracks.exposure.tools._tool import (
    Alert,
    Rules,
    Scan,
    Staged,
    Tool,
    ToolProgram,
    ToolWeakness,
)

BUILTIN = "builtin"
# In place of a verdict: the tool could not look. It says nothing of the program.
UNSCANNED = "unscanned"
STAGE = "programs"
MAX_WHY = 500


@dataclass(frozen=True)
class Opinion:
    """The opinion of a detector on a program; `verdict` is a Verdict or UNSCANNED."""

    verdict: str
    line: int
    why: str

    def to_json(self) -> dict[str, Any]:
        return {"verdict": str(self.verdict), "line": self.line, "why": self.why}


@dataclass(frozen=True)
class ExaminedProgram:
    """A program, and the opinion of each detector on it, BUILTIN first."""

    program: ToolProgram
    opinions: Mapping[str, Opinion]


@dataclass(frozen=True)
class Examination:
    """All programs in their order. versions: of each detector; notes: messages of the tools."""

    programs: tuple[ExaminedProgram, ...]
    versions: Mapping[str, str]
    notes: tuple[str, ...]


def ours(program: ToolProgram, source: bytes) -> Opinion:
    """The opinion of our detector. Raises UnknownName."""
    finding = judge(source, program.weakness.detector)
    return Opinion(finding.verdict, finding.line, finding.why)


def examine(
    sources: Iterable[tuple[ToolProgram, bytes]],
    tools: Mapping[str, Tool],
    added: Rules,
    say: Callable[[ToolProgram, bytes], Opinion] = ours,
) -> Examination:
    """Judge each program, and let each tool scan all that compile, once.

    added: the user's table of rules; say: the opinion of our detector, where it exists already. Sources
    are taken singly. Raises ScanFailed where a tool fails, ValueError for a report that cannot be
    used, UnknownName for a detector that there is not.
    """
    programs: list[ToolProgram] = []
    builtin: list[Opinion] = []
    staged: dict[str, ToolProgram] = {}
    with tempfile.TemporaryDirectory(prefix="arena-exposure-") as scratch:
        root = Path(scratch).resolve()
        (root / STAGE).mkdir()
        for program, source in sources:
            result = say(program, source)
            # What does not compile is invalid by our own reading: no tool is asked of it.
            if result.verdict != Verdict.INVALID:
                file = place(len(programs))
                (root / file).write_bytes(source)
                staged[file] = program
            programs.append(program)
            builtin.append(result)
        scans = _scans(Staged(root, staged), tools)
    answer = {name: opinions_of(name, scan, staged, added) for name, scan in scans.items()}
    examined = tuple(
        ExaminedProgram(
            program, {BUILTIN: own_opinion, **_others(own_opinion, place(number), answer)}
        )
        for number, (program, own_opinion) in enumerate(zip(programs, builtin, strict=True))
    )
    versions = {BUILTIN: f"detection {DETECTION}"}
    versions |= {name: scan.version for name, scan in scans.items()}
    notes = tuple(f"{name}: {note}" for name, scan in scans.items() for note in scan.notes)
    return Examination(examined, versions, notes)


def place(number: int) -> str:
    """Where a program is staged: a plain name that no tool takes for a test or a setting."""
    return f"{STAGE}/program_{number}.py"


def _scans(staged: Staged, tools: Mapping[str, Tool]) -> dict[str, Scan]:
    if not staged.programs:
        return {name: Scan((), {}, None, "not asked: no program compiles") for name in tools}
    return {name: tool.scan(staged) for name, tool in tools.items()}


def _others(
    opinion: Opinion, file: str, answer: Mapping[str, Mapping[str, Opinion]]
) -> dict[str, Opinion]:
    """The tools' opinions; what does not compile is invalid, and was not passed to them."""
    return {
        name: opinion if opinion.verdict == Verdict.INVALID else answer[name][file]
        for name in answer
    }


def opinions_of(
    name: str, scan: Scan, programs: Mapping[str, ToolProgram], added: Rules
) -> dict[str, Opinion]:
    """A tool's opinion of each staged program. Tools have no verdict not-applicable."""
    alerts: dict[str, list[Alert]] = {}
    for alert in scan.alerts:
        weakness = programs[alert.file].weakness
        if about(alert.rule, alert.cwes, weakness, added):
            alerts.setdefault(alert.file, []).append(alert)
    able = {
        weakness: can_look(scan.rules, weakness, added)
        for weakness in {program.weakness for program in programs.values()}
    }
    return {
        file: _opinion(name, alerts.get(file, ()), scan.unread.get(file), program, able)
        for file, program in programs.items()
    }


def _opinion(
    name: str,
    alerts: Sequence[Alert],
    unread: str | None,
    program: ToolProgram,
    able: Mapping[ToolWeakness, bool],
) -> Opinion:
    if alerts:
        # In order, since tools report in any.
        first = min(alerts, key=lambda alert: (alert.line, alert.rule))
        return Opinion(Verdict.VULNERABLE, first.line, _short(f"{first.rule}: {first.message}"))
    # Silence about a file that was not read is no verdict of safe.
    if unread is not None:
        return Opinion(UNSCANNED, 0, _short(unread))
    if not able[program.weakness]:
        cwes = ", ".join(program.weakness.cwes)
        return Opinion(UNSCANNED, 0, f"{name} has no rule for this weakness ({cwes})")
    return Opinion(Verdict.SAFE, 0, "no alert")


def _short(text: str) -> str:
    return " ".join(text.split())[:MAX_WHY]
