"""`arena catalogue`: rebuilds real tasks from anybody's clones."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.build import BuildTable, emit_progress, parse_kinds
from arena.cli.common import OK, UNMET, choose_backend, emit, print_err
from arena.report.text import one_line, visible

if TYPE_CHECKING:
    from arena.building.catalogue.entries import CatalogueEntry
    from arena.building.catalogue.parts import PartSources


Catalogue = Annotated[
    Path | None,
    typer.Option("--catalogue", help="The catalogue's folder; default: the one that ships."),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="PROJECT/CASE, CASE or PROJECT; default: all."),
]
app = typer.Typer(no_args_is_help=True)


@app.command("list", help="List the entries: projects, weaknesses, sizes, labels.")
def list_(
    name: Names = None,
    catalogue: Catalogue = None,
    as_json: options.Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a table for documents.")
    ] = False,
) -> None:
    from arena.building.catalogue.overview import COLUMNS, markdown_table, row_of, summary_of

    rows = [row_of(entry) for entry in _select_entries(name, catalogue)]
    if as_json:
        emit({"catalogue": str(_catalogue_folder(catalogue)), "entries": rows})
    elif markdown:
        print(visible(markdown_table(rows)), end="")
    else:
        cells = [[one_line("" if row[n] is None else str(row[n])) for n in COLUMNS] for row in rows]
        table = [list(COLUMNS), *cells]
        # Heads count too, so that no column is narrower than its own.
        widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS))]
        for line in table:
            print("  ".join(map(str.ljust, line, widths)).rstrip())
        print_err(summary_of(rows))


@app.command(help="Show all facts of one entry.")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="PROJECT/CASE or CASE.")],
    catalogue: Catalogue = None,
    as_json: options.Json = False,
) -> None:
    from arena.building.cases.store import to_toml

    for entry in _select_entries([name], catalogue):
        if as_json:
            spec = entry.case.model_dump(mode="json", by_alias=True)
            emit({"folder": str(entry.folder), "instruction": entry.instruction, "case": spec})
        else:
            print(visible(f"# {entry.folder}\n{to_toml(entry.case)}\n{entry.instruction}"))


@app.command(help="Check that each entry's commits, recipe and PoC are in your clones, as stated.")
def verify(
    name: Names = None,
    catalogue: Catalogue = None,
    oss_fuzz: options.OssFuzz = None,
    mirrors: options.Mirrors = None,
    as_json: options.Json = False,
) -> None:
    from arena.building.catalogue.building import verify_entries

    chosen = _select_entries(name, catalogue)
    sources = _sources(oss_fuzz, mirrors)
    # A store of its own: checking must change none of the user's.
    with tempfile.TemporaryDirectory() as store:
        results = verify_entries(chosen, Path(store), sources)
    if as_json:
        emit({"entries": [progress.to_json() for progress in results]})
    else:
        for entry, progress in zip(chosen, results, strict=True):
            print(one_line(f"{entry.name}: {progress.reason or 'as stated'}"))
    lost = sum(bool(progress.lost) for progress in results)
    print_err(f"{len(results) - lost} of {len(results)} can be built")
    # Nothing was graded here: what is missing is in the clones.
    raise typer.Exit(UNMET if lost else OK)


@app.command(help="Make the tasks of entries from your own clones, and compare what comes out.")
def build(
    name: Names = None,
    *,
    out: Annotated[Path, typer.Option("--out", help="The pack's folder; it is gone on with.")],
    catalogue: Catalogue = None,
    oss_fuzz: options.OssFuzz = None,
    mirrors: options.Mirrors = None,
    kinds: Annotated[str, typer.Option("--kinds", help="Of tasks, with commas.")] = "write",
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.building.catalogue.building import build_entries
    from arena.building.fuzzing.campaign import fuzz_case
    from arena.building.plan import BuildPlan, build_here
    from arena.store.store import Store

    chosen = _select_entries(name, catalogue)
    sources = _sources(oss_fuzz, mirrors)
    backend, cache = choose_backend(sandbox), Store()
    plan = BuildPlan(out.resolve(), sandbox, kinds=parse_kinds(kinds), workers=workers)
    with BuildTable(len(chosen), out) as table:
        results = build_entries(
            chosen,
            plan.pack,
            sources,
            lambda case, minutes: fuzz_case(case, backend, cache, minutes, print_err),
            lambda cases: build_here(plan, cases, table.show_step),
            table.show_step,
        )
    emit_progress(results, out, as_json)
    checked = sum(progress.checked for progress in results)
    print_err(f"{checked} of {len(results)} are tasks, as stated")
    raise typer.Exit(OK if checked == len(results) else UNMET)


@app.command(help="Take a checked task of a pack into a catalogue.")
def add(
    pack: Annotated[str, typer.Argument(metavar="PACK", help="The pack's folder.")],
    task: Annotated[
        list[str] | None, typer.Option("--task", "-t", help="Only this task (repeatable).")
    ] = None,
    *,
    catalogue: Annotated[
        Path, typer.Option("--catalogue", help="The catalogue's folder; it is made.")
    ],
    read_by: Annotated[
        str, typer.Option("--read-by", help="Who read the VIC against the fix and found it right.")
    ] = "",
    note: Annotated[str, typer.Option("--note", help="By what it is right.")] = "",
    as_json: options.Json = False,
) -> None:
    from arena.building.catalogue.adding import add_entry
    from tasks.kinds import TaskKind
    from tasks.loader import TaskError, find_pack, load_pack

    tasks = load_pack(find_pack(pack))
    named = (
        # Further kinds of a task are made of the same case: an entry is needed once.
        [tasks.task(id_) for id_ in task] if task else list(tasks.tasks_of_kinds([TaskKind.WRITE]))
    )
    rows: list[dict[str, Any]] = []
    for checked_task in named:
        try:
            entry = add_entry(checked_task, tasks.tasks, catalogue, read_by, note)
            rows.append({"task": checked_task.id, "entry": entry.name, "problem": ""})
        except TaskError as error:  # one task that is no entry does not keep the others out
            rows.append({"task": checked_task.id, "entry": "", "problem": str(error)})
    if as_json:
        emit({"catalogue": str(catalogue), "tasks": rows})
    else:
        for row in rows:
            print(one_line(f"{row['task']}: {row['entry'] or row['problem']}"))
    raise typer.Exit(UNMET if any(row["problem"] for row in rows) else OK)


def _catalogue_folder(catalogue: Path | None) -> Path:
    from arena.building.catalogue.entries import SHIPPED

    return catalogue or SHIPPED


def _select_entries(names: list[str] | None, catalogue: Path | None) -> list[CatalogueEntry]:
    """The named entries, or all. Raises TaskError."""
    from arena.building.catalogue.entries import entries, find_entries

    folder = _catalogue_folder(catalogue)
    return find_entries(folder, names) if names else list(entries(folder))


def _sources(oss_fuzz: Path | None, mirrors: Path | None) -> PartSources:
    from arena.building.catalogue.parts import PartSources
    from arena.building.oss_fuzz.checkout import Checkout

    return PartSources(Checkout(oss_fuzz) if oss_fuzz else None, mirrors)
