"""`arena tasks build`: cases in, a pack of checked tasks and the funnel out."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.cases import chosen_store
from arena.cli.common import OK, UNMET, choose_backend, emit, print_err
from arena.cli.confirm import named_cases
from arena.report.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

    from arena.building.funnel import CaseProgress
    from tasks.kinds import TaskKind

HELP = "Build a pack of checked tasks from cases."

ENGINES = ("local", "ray")
FUNNEL = "funnel.json"
PICTURE = "funnel.html"
# Between two funnels that are kept while a build goes on.
KEEP_INTERVAL_S = 5.0


Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CASE]...", help="A case.toml, its folder, a case store, or an id."),
]
Out = Annotated[Path, typer.Option("--out", help="The pack's folder; existing tasks are kept.")]
Everything = Annotated[
    bool, typer.Option("--all", help="All cases of the store, the most promising first.")
]
Hours = Annotated[
    float, typer.Option("--budget-hours", min=0, help="Begin nothing after so long; 0: no end.")
]


def _limit_option(name: str, what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--max-{name}", min=0, help=f"Most {what}; 0: no limit."
    )
    return option


MaxFiles = Annotated[int, _limit_option("files", "files that gold may change")]
MaxLines = Annotated[int, _limit_option("lines", "lines that gold may change")]
MaxComplexity = Annotated[
    int, _limit_option("complexity", "cyclomatic complexity of the functions that gold changes")
]
Kinds = Annotated[
    str,
    typer.Option("--kinds", help="Of tasks: write, repair, reproduce, end-to-end; with commas."),
]
Again = Annotated[
    bool,
    typer.Option(
        "--again", help="Set aside tasks that the pack has of these cases; build them anew."
    ),
]
Licence = Annotated[str, typer.Option("--licence", help="A new pack's licence.")]


def build(
    case: Words = None,
    *,
    out: Out,
    everything: Everything = False,
    budget_hours: Hours = 0.0,
    store: options.Cases = None,
    repositories: options.Repositories = None,
    project: options.Projects = None,
    model: options.OneModel = "",
    api_base: options.ApiBase = "",
    max_files: MaxFiles = 0,
    max_lines: MaxLines = 0,
    max_complexity: MaxComplexity = 0,
    kinds: Kinds = "write",
    licence: Licence = "unknown",
    again: Again = False,
    engine: options.EngineName = "local",
    address: options.Address = "",
    builds: options.Builds = 40,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.building.complexity import Complexity
    from arena.building.ordering import order_by_expected_yield
    from arena.building.plan import BuildPlan, build_here, build_on_ray
    from arena.building.triage import triage_cases
    from tasks.loader import TaskError

    if bool(case) == everything:
        raise TaskError("name cases, or give --all")
    cases = named_cases(case or [str(chosen_store(store))], store, repositories, project)
    if everything:
        cases = order_by_expected_yield(
            cases, triage_cases([case for case in cases if not case.lacks])
        )
    bounds = Complexity(max_files, max_lines, complexity=max_complexity)
    plan = BuildPlan(out.resolve(), sandbox, builds, bounds, parse_kinds(kinds), licence, workers)
    plan = replace(plan, seconds=budget_hours * 3600, model=model, api_base=api_base, again=again)
    if engine not in ENGINES:
        raise TaskError(f"--engine: {engine!r} is none; known: {', '.join(ENGINES)}")
    with BuildTable(len(cases), out) as table:
        if engine == "ray":
            all_progress = build_on_ray(plan, cases, table.show_step, address)
        else:
            choose_backend(sandbox)  # what it has to say is said here, not in a table
            all_progress = build_here(plan, cases, table.show_step)
    emit_progress(all_progress, out, as_json)
    raise typer.Exit(OK if all(progress.is_settled for progress in all_progress) else UNMET)


def parse_kinds(text: str) -> tuple[TaskKind, ...]:
    """Raises ValueError for a kind that is none."""
    from tasks.kinds import TaskKind

    kind_names = [str(kind) for kind in TaskKind]
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names or (strange := sorted({*names} - {*kind_names})):
        strange_name = repr(strange[0]) if names else "none"
        raise ValueError(
            f"--kinds: {strange_name} is no kind of task; known: {', '.join(kind_names)}"
        )
    return tuple(TaskKind(name) for name in names)


def emit_progress(all_progress: list[CaseProgress], out: Path, as_json: bool) -> None:
    """Keep the funnel in the pack's folder, and print it with what became of each case."""
    from arena.building.funnel import funnel, text

    counts = funnel(all_progress)
    _write_funnel(counts, out)
    if as_json:
        emit(counts)
    else:
        _print(text(counts), all_progress, out)


def _write_funnel(counts: dict[str, Any], out: Path) -> None:
    from arena.building.picture import picture
    from tasks.loader import TaskError
    from tasks.writing import write_whole

    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / FUNNEL, json.dumps(counts, indent=1).encode())
        write_whole(out / PICTURE, picture(counts).encode("utf-8", "replace"))
    except OSError as error:
        raise TaskError(f"--out: {out} cannot be a pack's folder: {error.strerror}") from error


def _print(lines: list[str], all_progress: list[CaseProgress], out: Path) -> None:
    for line in lines:
        print(line)
    for progress in all_progress:
        if progress.lost:
            print(one_line(f"{progress.case}: {progress.lost}: {progress.reason}"))
        for note in progress.notes:
            print(one_line(f"{progress.case}: note: {note}"))
        for difference in progress.differences:
            print(one_line(f"{progress.case}: differs from [expected]: {difference}"))
    print_err(f"the funnel is in {out / FUNNEL}, as a picture in {out / PICTURE}")


class BuildTable:
    """A live table of projects on a terminal; elsewhere a line for each step of each case, and its loss.

    out: folder for the funnel of the cases begun, rewritten as cases end, so that an ended build has it too.
    """

    COLUMNS = ("project", "cases", "done", "confirmed", "tasks", "builds", "minutes", "now", "lost")

    def __init__(self, total: int, out: Path) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        self._total, self._is_live = total, console.is_terminal
        # So that the first case that ends is kept at once.
        self._out, self._written_at = out, -KEEP_INTERVAL_S
        self._lock = threading.Lock()
        self._now: dict[str, tuple[CaseProgress, str]] = {}
        self._reported: set[tuple[str, str]] = set()
        # Case -> when it began, its step, when that began (seconds of `time.monotonic`).
        self._steps: dict[str, tuple[float, str, float]] = {}
        # Step -> the seconds that it took in each case.
        self._durations: dict[str, list[float]] = {}
        self._live = Live(console=console, refresh_per_second=2, get_renderable=self.table)

    def __enter__(self) -> BuildTable:
        if self._is_live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_live:
            self._live.stop()

    def show_step(self, progress: CaseProgress, step: str) -> None:
        """Called from the engine's threads."""
        ended = step == "done"
        if ended and progress.lost:
            step = f"{progress.lost}: {progress.reason}"
        with self._lock:
            # The engine may report an end twice: when the case ends, and with all results.
            is_repeated = ended and (progress.case, step) in self._reported
            if ended:
                self._reported.add((progress.case, step))
            self._now[progress.case] = (progress, step)
            if not self._is_live and not is_repeated:
                print_err(one_line(f"{progress.case}: {self._with_times(progress, step)}"))
        if ended:
            self._write_begun()

    def _with_times(self, progress: CaseProgress, step: str) -> str:
        """A step with the seconds since the case began, and those that the step took in cases before."""
        from statistics import median  # imports fractions and random: not for `arena --help`

        from arena.sweep.progress import duration

        now = time.monotonic()
        begun, before, since = self._steps.get(progress.case, (now, "", now))
        if before:
            self._durations.setdefault(before, []).append(now - since)
        self._steps[progress.case] = (begun, step, now)
        past = self._durations.get(step)
        expected = f", about {duration(median(past))}" if past else ""
        return f"{step} ({duration(now - begun)} since its start{expected})"

    def _write_begun(self) -> None:
        """Keep the funnel of the cases that were begun, unless that was done just now."""
        from arena.building.funnel import funnel

        with self._lock:
            now = time.monotonic()
            # With thousands of cases a funnel for each end would be most of the work.
            if now - self._written_at < KEEP_INTERVAL_S:
                return
            self._written_at = now
            begun = [_mark_interrupted(progress) for progress, _ in self._now.values()]
            _write_funnel(funnel(begun), self._out)

    def table(self) -> Table:
        """The projects whose cases were begun, and what became of these."""
        from rich.table import Table

        with self._lock:
            begun = list(self._now.values())
        table = Table(title=f"{len(begun)} of {self._total} cases begun")
        for name in self.COLUMNS:
            table.add_column(
                name, justify="left" if name in ("project", "now", "lost") else "right"
            )
        for name in dict.fromkeys(progress.project for progress, _ in begun):
            table.add_row(*_row(name, [row for row in begun if row[0].project == name]))
        return table


def _mark_interrupted(progress: CaseProgress) -> CaseProgress:
    """The progress of a case whose build is ended now: interrupted, unless it was lost or held before."""
    if progress.lost or progress.held:
        return progress
    reason = "the build was ended; the same command goes on with it"
    return replace(progress, lost="interrupted", reason=reason)


def _row(project: str, begun: list[tuple[CaseProgress, str]]) -> list[str]:
    """The row of a project in the live table, from its cases, each with the step that it is in."""
    project_progress = [progress for progress, _ in begun]
    lost = Counter(entry.lost for entry in project_progress if entry.lost)
    now = [f"{entry.case}: {step}" for entry, step in begun if not (entry.lost or entry.held)]
    numbers = (
        len(project_progress),
        sum(bool(entry.lost) or entry.held for entry in project_progress),
        sum(entry.confirmed for entry in project_progress),
        sum(entry.held for entry in project_progress),
        sum(entry.builds for entry in project_progress),
        round(sum(entry.seconds for entry in project_progress) / 60),
    )
    losses = ", ".join(f"{count} {code}" for code, count in lost.most_common(3))
    return [one_line(project)[:20], *map(str, numbers), one_line(", ".join(now[:2]))[:40], losses]
