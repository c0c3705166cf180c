"""`arena exposure detect`: verdicts of programs, one line each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import JsonOption, emit, tell
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.exposure.detect._detector import Finding

ScenarioOption = Annotated[
    str, typer.Option("--scenario", help="A scenario's id, such as cwe-89-1.")
]
PackOption = Annotated[str, typer.Option("--pack", help="A pack's folder, or its name.")]
STDIN = "-"
MAX_PROGRAM = 4 << 20


def detect(
    files: Annotated[list[Path], typer.Argument(help="Programs; a folder: all *.py; -: stdin.")],
    scenario: ScenarioOption = "",
    detector: Annotated[
        str, typer.Option("--detector", help="A detector by name, in place of a scenario's.")
    ] = "",
    pack: PackOption = "exposure",
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.exposure.judging import judge

    name = detector_for(scenario, detector, pack)
    counts: Counter[str] = Counter()
    for label, source in programs(files):
        found = judge(source, name)
        counts[found.verdict] += 1
        _show(label, found, as_json)
    if not counts:
        raise ValueError("FILE: there is no program in what was named")
    if not as_json and sum(counts.values()) > 1:
        tell(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))


def detector_for(scenario: str, detector: str, pack: str) -> str:
    """The detector's name. Raises ValueError, UnknownName or TaskError."""
    from arena.tracks.exposure.judging import detector_of

    if bool(scenario) == bool(detector):
        raise ValueError("--scenario: name a scenario, or a --detector in its place")
    if scenario:
        from tasks.exposure.pack import load_exposure

        detector = load_exposure(pack).scenario(scenario).spec.detector
    detector_of(detector)
    return detector


def programs(files: list[Path]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each program, one at a time. Raises ValueError for what cannot be read."""
    for path in files:
        if str(path) == STDIN:
            yield STDIN, sys.stdin.buffer.read(MAX_PROGRAM)
        elif path.is_dir():
            for inner in sorted(path.rglob("*.py")):
                yield str(inner), content(inner)
        else:
            yield str(path), content(path)


def content(path: Path) -> bytes:
    """At most MAX_PROGRAM bytes of a file, which the reading then refuses as too long."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_PROGRAM)
    except OSError as error:
        raise ValueError(f"FILE: {path}: {error.strerror}") from error


def _show(label: str, found: Finding, as_json: bool) -> None:
    if as_json:
        facts = {"verdict": found.verdict, "line": found.line, "why": found.why}
        emit({"file": label, **facts})
        return
    where = f"{label}:{found.line}" if found.line else label
    print(one_line(f"{found.verdict:14} {where}  {found.why}"), flush=True)


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "detect": (detect, "Verdicts of programs: vulnerable, safe, not applicable, or invalid."),
}
"""Name -> function and help, for the group `exposure`."""
