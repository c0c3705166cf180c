"""`arena tasks confirm`: find a case's VIC and prove it with the PoC."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.cases import chosen_store
from arena.cli.common import OK, UNLABELLED, UNMET, choose_backend, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.building.cases.loader import LoadedCase
    from arena.building.confirmation import Confirmation

HELP = "Find the VIC of cases and prove it with the PoC."

CasesArgument = Annotated[
    list[str],
    typer.Argument(metavar="CASE...", help="A case.toml, its folder, a case store, or an id."),
]


def named_cases(
    words: list[str],
    store: Path | None,
    repositories: Path | None,
    projects: list[str] | None = None,
) -> list[LoadedCase]:
    """The cases that words stand for: a `case.toml`, its folder, a folder of those, or an id.

    projects: only those of these projects, where any is named. Raises TaskError for an invalid case.
    """
    from arena.building.cases.loader import CASE_FILE, load_case
    from arena.building.cases.store import cases, find
    from arena.building.selecting import select_cases

    loaded: list[LoadedCase] = []
    for word in words:
        path = Path(word)
        # A path first: an id is looked up only where no such file is.
        if path.is_file() or (path / CASE_FILE).is_file():
            loaded.append(load_case(path, repositories))
        elif path.is_dir():
            loaded += cases(path, repositories)
        else:
            loaded.append(find(chosen_store(store), word, repositories))
    return select_cases(loaded, projects or ())


def confirm(
    case: CasesArgument,
    store: options.Cases = None,
    repositories: options.Repositories = None,
    project: options.Projects = None,
    builds: options.Builds = 40,
    neighbours: Annotated[
        bool,
        typer.Option(
            "--neighbours", help="Also replay commits next to the VIC, for more confidence."
        ),
    ] = False,
    search: Annotated[
        bool,
        typer.Option("--search", help="Search the VIC anew where the case states it ([proof])."),
    ] = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.building.confirm import confirm as confirm_case
    from arena.store.store import Store
    from arena.tracks.pool import each
    from szz.proof.witness import BuildBudget

    cases = named_cases(case, store, repositories, project)
    backend, cache = choose_backend(sandbox), Store()
    results: list[Confirmation] = []
    lock = threading.Lock()

    def confirm_one(loaded: LoadedCase) -> None:
        def say(text: str) -> None:
            print_err(f"{loaded.id}: {text}")

        budget = BuildBudget(builds)
        confirmation = confirm_case(loaded, backend, cache, budget, neighbours, say, search)
        with lock:
            results.append(confirmation)
            emit(confirmation.to_json()) if as_json else _print(confirmation)

    each(cases, confirm_one, workers)
    confirmed = sum(confirmation.proof.confirmed for confirmation in results)
    if not as_json:
        print_err(f"{confirmed} of {len(results)} confirmed")
    infra = any(confirmation.proof.lost == "infra" for confirmation in results)
    raise typer.Exit(OK if confirmed == len(results) else UNLABELLED if infra else UNMET)


def _print(confirmation: Confirmation) -> None:
    proof = confirmation.proof
    if proof.confirmed:
        print(
            f"{confirmation.case}: confirmed by {proof.how}, {len(proof.runs)} builds", flush=True
        )
    else:
        print(
            f"{confirmation.case}: not confirmed ({proof.lost}): {one_line(proof.reason)}",
            flush=True,
        )
    for name in ("pvic", "vic", "vfc"):
        if getattr(proof, name):
            print(f"    {name:5} {getattr(proof, name)}")
    for run in proof.runs:
        state = run.signature["kind"] if run.signature else run.reason
        print(f"    {run.commit[:12]}  {run.state:8} {run.seconds:7.1f} s  {one_line(state or '')}")
    for note in proof.notes:
        print(f"    note: {one_line(note)}")
