"""Programs and tools that are named on the command line, and the opinions about the programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.output import print_err

if TYPE_CHECKING:
    from arena.tracks.exposure.tools._panel import Examination, Opinion
    from arena.tracks.exposure.tools._tool import Rules, Tool, ToolProgram, ToolWeakness

ScenarioOption = Annotated[
    str, typer.Option("--task", "-t", help="A scenario's id, such as cwe-89-1.")
]
WithOption = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        help="bandit, semgrep:RULES, codeql[:SUITE], sarif:FILE or tool:COMMAND (repeatable).",
    ),
]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rule", help="RULE=CWE,...: a tool's rule also covers these CWEs; RULE=: it covers none."
    ),
]
JoinOption = Annotated[
    str,
    typer.Option(
        "--join",
        help="How to join verdicts with --with: any (default), all, or replace (the tools instead of ours).",
    ),
]
STDIN = "-"
MAX_PROGRAM = 4 << 20
_CWE = re.compile(r"(?:CWE-)?0*([1-9][0-9]{0,4})", re.IGNORECASE)


@dataclass(frozen=True)
class Beside:
    """Tools that take part in a verdict, the user's table of their rules, and how verdicts are joined."""

    tools: Mapping[str, Tool]
    rules: Rules
    how: str


def tools_from_options(specs: Sequence[str], rules: Sequence[str], how: str) -> Beside | None:
    """What the options say; None without a tool. Raises ValueError."""
    from arena.tracks.exposure.tools._joining import JOINS

    if how and how not in JOINS:
        raise ValueError(f"--join: {how[:40]!r} is none of {', '.join(JOINS)}")
    if specs:
        return Beside(tools_for(specs), rules_for(rules), how or JOINS[0])
    if rules or how:
        raise ValueError("--join, --rule: only with --with TOOL")
    return None


def tools_for(specs: Sequence[str]) -> dict[str, Tool]:
    """Tools by what the user named. Raises ValueError."""
    from arena.tracks.exposure.tools._panel import BUILTIN
    from arena.tracks.exposure.tools._tool import tool_of

    result: dict[str, Tool] = {}
    for spec in specs:
        if spec in result or spec == BUILTIN:
            raise ValueError(f"--with: {spec[:80]} is there already")
        result[spec] = tool_of(spec)
    return result


def rules_for(items: Sequence[str]) -> Rules:
    """The user's table of rules. Raises ValueError."""
    result: dict[str, tuple[str, ...]] = {}
    for item in items:
        rule, equals, listed = item.rpartition("=")
        if not (rule and equals):
            raise ValueError(f"--rule: {item[:80]!r} is no RULE=CWE,...")
        numbers = [_CWE.fullmatch(part.strip()) for part in listed.split(",") if part.strip()]
        if None in numbers:
            raise ValueError(f"--rule: {rule[:80]}: {listed[:80]!r} is no CWE such as CWE-89")
        result[rule] = tuple(f"CWE-{match[1]}" for match in numbers if match)
    return result


def weakness_for(scenario: str, detector: str, pack: str) -> ToolWeakness:
    """What a scenario, or a detector in its place, looks for. Raises ValueError, UnknownName, TaskError."""
    from arena.tracks.exposure.judging import detector_of
    from arena.tracks.exposure.tasks.pack import load_exposure
    from arena.tracks.exposure.tools._tool import ToolWeakness

    if scenario and detector:
        raise ValueError("--task, --detector: one of them")
    if not scenario and not detector:
        raise ValueError("--task: name a scenario, or a --detector in its place")
    if detector:
        return ToolWeakness(detector_of(detector).cwes, detector)
    spec = load_exposure(pack).scenario(scenario).spec
    detector_of(spec.detector)
    return ToolWeakness((spec.cwe,), spec.detector)


def sources_of(
    files: Sequence[Path], scenario: str, weakness: ToolWeakness
) -> Iterator[tuple[ToolProgram, bytes]]:
    """Each program in turn, with the names that a report may call it by. Raises ValueError."""
    from arena.tracks.exposure.tools._tool import ToolProgram

    for path in files:
        if str(path) == STDIN:
            program = ToolProgram(STDIN, (STDIN,), scenario, weakness)
            # As bytes: a program declares its own encoding.
            yield program, sys.stdin.buffer.read(MAX_PROGRAM)
            continue
        folder = path if path.is_dir() else path.parent
        for inner in _inside(path) if path.is_dir() else [path]:
            names = (
                inner.as_posix(),
                inner.relative_to(folder).as_posix(),
                inner.absolute().as_posix(),
                inner.resolve().as_posix(),
            )
            program = ToolProgram(str(inner), tuple(dict.fromkeys(names)), scenario, weakness)
            yield program, _content(inner)


def _inside(folder: Path) -> Iterator[Path]:
    """The programs of a folder. A pipe or a device of that name could be read for ever, and is left out."""
    for path in sorted(folder.rglob("*.py")):
        if path.is_file():
            yield path
        elif not path.is_dir():
            print_err(f"{path}: no file, left out")


def _content(path: Path) -> bytes:
    """Up to MAX_PROGRAM bytes of a file, which the reading then refuses as too long."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_PROGRAM)
    except OSError as error:
        raise ValueError(f"FILE: {path}: {error.strerror}") from error


def opinions(
    files: Sequence[Path], weakness: ToolWeakness, beside: Beside | None
) -> Iterator[tuple[str, Opinion]]:
    """Label and verdict of each program: ours in turn, or joined once all tools have scanned."""
    from arena.tracks.exposure.tools._joining import join
    from arena.tracks.exposure.tools._panel import examine, ours

    sources = sources_of(files, "", weakness)
    if beside is None:
        yield from ((program.label, ours(program, source)) for program, source in sources)
        return
    examined = examine(sources, beside.tools, beside.rules)
    print_notes(examined)
    for item in examined.programs:
        yield item.program.label, join(item.opinions, beside.how)


def print_notes(examined: Examination) -> None:
    for note in examined.notes:
        print_err(note)
