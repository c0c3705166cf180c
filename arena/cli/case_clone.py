"""`arena cases clone`: the repositories that cases lack, in the order of how many cases need them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.cases import chosen_store, print_attached
from arena.cli.common import OK, UNMET, emit, print_err
from arena.cli.confirm import named_cases
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.building.cases.cloning import MissingClone

HELP = "Clone the repositories that cases lack, those that unlock most cases first."


def clone(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Cases.")] = None,
    *,
    into: Annotated[Path, typer.Option("--into", help="A folder of clones.")],
    everything: Annotated[bool, typer.Option("--all", help="All cases of the store.")] = False,
    project: options.Projects = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Most clones to make; 0: no limit.")
    ] = 0,
    dependencies: Annotated[
        bool, typer.Option("--dependencies", help="Also what the cases' recipes clone.")
    ] = False,
    only_list: Annotated[
        bool, typer.Option("--list", "--dry-run", help="Print what would be cloned.")
    ] = False,
    store: options.Cases = None,
    oss_fuzz: options.OssFuzz = None,
    as_json: options.Json = False,
) -> None:
    from arena.building.cases.cloning import missing_clones, repositories_of
    from arena.building.oss_fuzz.dependencies import dependencies_of
    from tasks.loader import TaskError

    if bool(ids) == everything:
        raise TaskError("name cases, or give --all")
    target = chosen_store(store)
    cases = named_cases(ids or [str(target)], target, into, project)
    wanted = repositories_of(cases) + (dependencies_of(cases) if dependencies else [])
    rows = missing_clones(wanted, into, target / "repositories")
    rows = rows[:limit] if limit else rows
    if only_list:
        _print_rows(rows, as_json)
        return
    if not rows:
        print_err(f"nothing to clone: {len(cases)} cases in {one_line(str(target))} lack no clone")
    problems = _clone_all(rows, into, as_json)
    if oss_fuzz is not None:
        _attach([case.id for case in cases], target, oss_fuzz, into, as_json)
    raise typer.Exit(UNMET if problems else OK)


def _print_rows(rows: list[MissingClone], as_json: bool) -> None:
    if as_json:
        emit({"missing": [row.to_json() for row in rows]})
        return
    for row in rows:
        problem = f"  not cloned: {row.problem}" if row.problem else ""
        print(f"{len(row.cases):6}  {one_line(row.url + problem)}")


def _clone_all(rows: list[MissingClone], into: Path, as_json: bool) -> int:
    """Clone the repositories in sequence; returns how many failed."""
    from arena.building.cases.cloning import CloneFailed, clone_repository

    problems = 0
    for place, row in enumerate(rows, start=1):
        # One that fails does not keep the others from being cloned.
        outcome: dict[str, Any] = {**row.to_json(), "path": ""}
        try:
            outcome["path"] = str(clone_repository(row.url, into, print_err))
        except CloneFailed as error:
            outcome["problem"] = str(error)
            problems += 1
        if as_json:
            emit(outcome)
        elif outcome["problem"]:
            print(one_line(f"{row.url}: not cloned: {outcome['problem']}"), flush=True)
        else:
            cases = f"{len(row.cases)} case{'s' if len(row.cases) != 1 else ''}"
            print(one_line(f"{row.url}: unlocks {cases}"), flush=True)
        print_err(f"{place}/{len(rows)}")
    return problems


def _attach(ids: list[str], store: Path, oss_fuzz: Path, mirrors: Path, as_json: bool) -> None:
    """Give the cases their environments, as an import with these clones does."""
    from arena.building.oss_fuzz.attach import attach
    from arena.building.oss_fuzz.checkout import Checkout

    attached = attach(store, ids, Checkout(oss_fuzz), mirrors, print_err)
    if as_json:
        lacks = dict(attached.lacks.most_common())
        emit({"ready": attached.ready, "pocs": attached.pocs, "lacks": lacks})
    else:
        print_attached(attached)
