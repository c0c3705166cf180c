"""`arena tasks build`: cases in, a pack of checked tasks and the funnel out."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import OK, UNMET, choose_backend, emit, print_err
from arena.cli.confirm import CasesArgument, named_cases
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.building.funnel import CaseProgress

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
    from arena.building.finish import BuildContext
    from arena.building.funnel import funnel, text
    from arena.building.instruction.model_call import litellm_ask
    from arena.building.picture import picture
    from arena.building.pipeline import Pipeline
    from arena.store.store import Store
    from harness.grade.grader import Grader
    from szz.proof.witness import BuildBudget
    from tasks.writing import write_whole

    cases = named_cases(case, store, repositories)
    cache = Store()
    grader = Grader(choose_backend(sandbox), cache)
    ask = litellm_ask(model, api_base or None) if model else None
    means = BuildContext(grader, cache, ask, model)
    with Bar(len(cases)) as bar:
        pipeline = Pipeline(
            out,
            means,
            BuildBudget(builds),
            Complexity(max_files, max_lines),
            bar.on_step,
            workers,
            licence,
        )
        all_progress = pipeline.build(cases)
    counts = funnel(all_progress)
    write_whole(out / FUNNEL, json.dumps(counts, indent=1).encode())
    write_whole(out / PICTURE, picture(counts).encode("utf-8", "replace"))
    if as_json:
        emit(counts)
    else:
        _print(text(counts), all_progress, out)
    raise typer.Exit(OK if all(progress.settled for progress in all_progress) else UNMET)


def _print(lines: list[str], all_progress: list[CaseProgress], out: Path) -> None:
    for line in lines:
        print(line)
    for progress in all_progress:
        if progress.lost:
            print(one_line(f"{progress.case}: {progress.lost}: {progress.reason}"))
    print_err(f"the funnel is in {out / FUNNEL}, as a picture in {out / PICTURE}")


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

    def on_step(self, progress: CaseProgress, step: str) -> None:
        """Called from the engine's threads."""
        with self._lock:
            if step == "done":
                self._bar.advance(self._task)
            elif self._live:
                self._bar.update(self._task, now=f"{progress.case}: {step}"[:60])
            else:
                print_err(f"{progress.case}: {step}")
