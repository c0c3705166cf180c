"""`arena tasks build`: cases in, a pack of checked tasks and the funnel out."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import OK, UNMET, choose_backend, emit, tell
from arena.cli.confirm import CasesArgument, named_cases
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.building.funnel import Journey

FUNNEL = "funnel.json"
PICTURE = "funnel.html"


def build(
    case: CasesArgument,
    out: Annotated[Path, typer.Option("--out", help="The pack's folder; existing tasks are kept.")],
    store: options.Cases = None,
    repositories: options.Repositories = None,
    model: options.OneModel = "",
    api_base: options.ApiBase = "",
    max_files: Annotated[
        int,
        typer.Option("--max-files", min=0, help="Most files that gold may change; 0: no limit."),
    ] = 0,
    max_lines: Annotated[
        int,
        typer.Option("--max-lines", min=0, help="Most lines that gold may change; 0: no limit."),
    ] = 0,
    licence: Annotated[str, typer.Option("--licence", help="A new pack's licence.")] = "unknown",
    builds: options.Builds = 40,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.building.draft import Complexity
    from arena.building.finish import BuildingMeans
    from arena.building.funnel import funnel, text
    from arena.building.instruction.asking import litellm_ask
    from arena.building.picture import picture
    from arena.building.pipeline import Pipeline
    from arena.store.store import Store
    from harness.grade.grader import Grader
    from szz.proof.witness import BuildBudget
    from tasks.writing import write_whole

    cases = named_cases(case, store, repositories)
    keeper = Store()
    grader = Grader(choose_backend(sandbox), keeper)
    ask = litellm_ask(model, api_base or None) if model else None
    means = BuildingMeans(grader, keeper, ask, model)
    with Bar(len(cases)) as bar:
        pipeline = Pipeline(
            out,
            means,
            BuildBudget(builds),
            Complexity(max_files, max_lines),
            bar.heard,
            workers,
            licence,
        )
        journeys = pipeline.build(cases)
    counts = funnel(journeys)
    write_whole(out / FUNNEL, json.dumps(counts, indent=1).encode())
    write_whole(out / PICTURE, picture(counts).encode("utf-8", "replace"))
    if as_json:
        emit(counts)
    else:
        _show(text(counts), journeys, out)
    raise typer.Exit(OK if all(journey.checked for journey in journeys) else UNMET)


def _show(lines: list[str], journeys: list[Journey], out: Path) -> None:
    for line in lines:
        print(line)
    for journey in journeys:
        if journey.lost:
            print(one_line(f"{journey.case}: {journey.lost}: {journey.reason}"))
    tell(f"the funnel is in {out / FUNNEL}, as a picture in {out / PICTURE}")


class Bar:
    """A live bar on a terminal; elsewhere a line for each step of each case."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._live = sys.stderr.isatty()
        self._lock = threading.Lock()
        columns = (
            TextColumn("cases"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[now]}"),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), disable=not self._live)
        self._task = self._bar.add_task("cases", total=total, now="")

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def heard(self, journey: Journey, step: str) -> None:
        """Called from the engine's threads."""
        with self._lock:
            if step == "done":
                self._bar.advance(self._task)
            elif self._live:
                self._bar.update(self._task, now=f"{journey.case}: {step}"[:60])
            else:
                tell(f"{journey.case}: {step}")
