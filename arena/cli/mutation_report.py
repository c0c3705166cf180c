"""`arena mutation report`, `compare`, `show` and `baseline`: what comes after scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import OK, UNLABELLED, JsonOption, emit, tell

if TYPE_CHECKING:
    from arena.tracks.mutation.intervals import Comparison
    from arena.tracks.mutation.results import Baseline, Result

ResultsArgument = Annotated[list[Path], typer.Argument(help="Files of score and baseline.")]


def report(
    results: ResultsArgument,
    number: Annotated[
        list[int] | None, typer.Option("--table", help="4 to 8, as in the paper; default: all.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page here.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Tables as CSV.")] = False,
    as_json: JsonOption = False,
) -> None:
    from arena.report.grid import to_csv
    from arena.tracks.mutation import views

    found, baselines = load(results)
    wanted = number or list(views.TABLES)
    chosen = views.tables(found, baselines, wanted)
    if html is not None:
        from arena.tracks.mutation.page import page

        half = html.with_name(html.name + ".half")
        half.write_text(page(found, baselines), "utf-8")
        half.replace(html)
        tell(f"wrote {html}")
    if as_json:
        emit([vars(table) for table in chosen])
    elif as_csv:
        print(to_csv(chosen), end="")
    elif html is None:
        views.print_tables(found, baselines, wanted)


def load(paths: list[Path]) -> tuple[list[Result], list[Baseline]]:
    """Results and baselines, in the order given. Raises ResultError for the first bad file."""
    from arena.tracks.mutation.results import Result, load_result

    loaded = [load_result(path) for path in paths]
    results = [found for found in loaded if isinstance(found, Result)]
    return results, [found for found in loaded if not isinstance(found, Result)]


def compare(first: Path, second: Path, as_json: JsonOption = False) -> None:
    from arena.tracks.mutation.intervals import compare as compared

    results, baselines = load([first, second])
    if baselines:
        raise ValueError(f"{first}, {second}: two results of `score` are compared")
    found = compared(results[0].samples, results[1].samples)
    differing = [
        f"{name}: {one} and {other}"
        for name in ("scorer", "classifier", "mutants", "dataset")
        if (one := getattr(results[0], name)) != (other := getattr(results[1], name))
    ]
    for difference in differing:
        tell(f"the two were not scored alike: {difference}")
    if as_json:
        names = [result.name for result in results]
        emit({"names": names, "not_alike": differing, **found.to_json()})
    else:
        _print_comparison(found, results)


def _print_comparison(found: Comparison, results: list[Result]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from arena.report.grid import shown

    names = " and ".join(shown(result.name) for result in results)
    table = Table(title=Text(f"{names}: second minus first over {found.n} programs"))
    for column in ("score", "difference", "95 %"):
        table.add_column(column, justify="right" if column != "score" else "left")
    for name, difference in found.differences.items():
        low, high = shown(difference.low), shown(difference.high)
        table.add_row(name, shown(difference.value), f"{low} to {high}")
    console = Console()
    console.print(table)
    for name, test in found.mcnemar.items():
        only = f"only first {test['only_first']}, only second {test['only_second']}"
        console.print(f"{name}: {only} of {test['pairs']} pairs; McNemar p = {test['p']:.4f}")
    if found.only_first or found.only_second:
        tell(
            f"left out: {found.only_first} programs of the first, {found.only_second} of the second"
        )


def show(
    result: Annotated[Path, typer.Argument(help="A file of score.")],
    program: Annotated[str, typer.Argument(help="A program's id.")],
    mutant: Annotated[str, typer.Option("--mutant", help="Only this mutant.")] = "",
    prompt: Annotated[str, typer.Option("--prompt", help="Of several prompts, this.")] = "",
    sample: Annotated[int, typer.Option("--sample", help="Of several samples, this.")] = 0,
    as_json: JsonOption = False,
) -> None:
    from arena.report.text import one_line
    from arena.store.store import Store

    found, _ = load([result])
    wanted = [s for r in found for s in r.samples if s.key == (program, prompt, sample)]
    if not wanted:
        raise ValueError(f"{result}: no suite for the program {program!r} with this prompt, sample")
    told: dict[str, Any] = {"runs": {}}
    if wanted[0].evidence:
        try:
            told = json.loads(Store().blob(wanted[0].evidence))
        except KeyError:
            tell("the evidence is in another store (see ARENA_HOME)")
    if mutant:
        told["runs"] = {k: v for k, v in told["runs"].items() if k == f"mutant {mutant}"}
    if as_json:
        emit({**wanted[0].model_dump(mode="json"), **told})
        return
    print(one_line(f"{program}: {wanted[0].state} {wanted[0].why}"))
    for entry in wanted[0].mutants:
        if not mutant or entry.id == mutant:
            ended = f"{entry.category}: {entry.reason}" if entry.killed else "survived"
            print(one_line(f"mutant {entry.id} {entry.operator} {entry.variant}: {ended}"))
    for name, run in told["runs"].items():
        print(one_line(f"{name}: {run['stopped']} {run['error']}"))
        for test in run["tests"]:
            print("  " + one_line(f"{test['name']}: {test['outcome']} {test['error']}"))


def baseline(
    dataset: Annotated[
        str, typer.Option("--dataset", help="A dataset's JSON file, or a pack's folder or name.")
    ] = "mutation",
    scanner: Annotated[
        str, typer.Option("--scanner", help="bandit, a Semgrep rules folder, p/..., tool:COMMAND.")
    ] = "bandit",
    out: Annotated[Path | None, typer.Option("--json", help="Write the result here.")] = None,
) -> None:
    from arena.tracks.mutation.baselines import detection, run_baseline, scanner_of
    from arena.tracks.mutation.tasks.pack import load_programs

    data = load_programs(dataset)
    for problem in data.problems:
        tell(f"problem: {problem}")
    found = run_baseline(scanner_of(scanner), data.programs, data.name)
    seen = detection(found.programs)
    for lost in found.failed:
        tell(f"not scanned: {lost}")
    print(
        f"{found.version}: {seen.detected} of {seen.n} insecure versions reported, "
        f"{seen.false_alarms} secure ones, {seen.told_apart} told apart"
    )
    if out is not None:
        half = out.with_name(out.name + ".half")
        half.write_text(json.dumps(found.model_dump(mode="json")), "utf-8")
        half.replace(out)
    raise typer.Exit(UNLABELLED if found.failed else OK)
