"""`arena study detect`: verdicts of programs, a line each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import UNLABELLED, emit, print_err
from arena.report.text import one_line
from arena.tracks.exposure.studies._programs import (
    JoinOption,
    RuleOption,
    ScenarioOption,
    WithOption,
    opinions,
    tools_from_options,
    weakness_for,
)

if TYPE_CHECKING:
    from arena.tracks.exposure.tools._panel import Opinion

HELP = "Track exposure: print verdicts on programs: vulnerable, unknown, safe, not applicable or invalid."


def command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Programs, folders (all *.py), or - for stdin."),
    ],
    scenario: ScenarioOption = "",
    detector: Annotated[
        str, typer.Option("--detector", help="A detector's name, instead of the scenario's own.")
    ] = "",
    tools: WithOption = None,
    how: JoinOption = "",
    rules: RuleOption = None,
    pack: options.Pack = "exposure",
    as_json: options.Json = False,
) -> None:
    from arena.tracks.exposure.tools._panel import UNSCANNED

    beside = tools_from_options(tools or (), rules or (), how)
    weakness = weakness_for(scenario, detector, pack)
    counts: Counter[str] = Counter()
    for label, result in opinions(files, weakness, beside):
        counts[result.verdict] += 1
        _print(label, result, as_json)
    if not counts:
        raise ValueError("FILE: there is no program in what was named")
    if not as_json and sum(counts.values()) > 1:
        print_err(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    if counts[UNSCANNED]:
        raise typer.Exit(UNLABELLED)


def _print(label: str, opinion: Opinion, as_json: bool) -> None:
    if as_json:
        facts = {"verdict": opinion.verdict, "line": opinion.line, "why": opinion.why}
        emit({"file": label, **facts})
        return
    where = f"{label}:{opinion.line}" if opinion.line else label
    print(one_line(f"{opinion.verdict:14} {where}  {opinion.why}"), flush=True)
