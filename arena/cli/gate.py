"""`arena gate`: is a change to a project safe to merge?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import choose_backend, emit, known_scanner, print_err

if TYPE_CHECKING:
    from arena.gate.report import GateReport

DETAILS = """
Run it in the project's checkout. Exit code 0: pass; 1: not safe; 3: could not be decided.
"""


def command(
    base: Annotated[str, typer.Argument(metavar="BASE", help="A commit, branch or tag.")],
    head: Annotated[str, typer.Argument(metavar="HEAD", help='The same, or "." as it is here.')],
    task: Annotated[
        Path, typer.Option("--task", "-t", help="How the project is built and tested.")
    ] = Path("project.toml"),
    sarif: Annotated[
        Path | None, typer.Option("--sarif", help="Write SARIF 2.1.0 for code scanning.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML.")] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Block on what BASE has already, too, and on removed tests."),
    ] = False,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    scanner: options.Scanner = "",
    store: options.StoreAt = "",
) -> None:
    from arena.gate.junit import to_junit
    from arena.gate.sarif import to_sarif
    from szz.repository import SzzError

    # Before the work, which may take an hour and would be lost.
    for path in (sarif, junit):
        if path is not None and not path.absolute().parent.is_dir():
            raise ValueError(f"{path}: its folder is not there")
    try:
        report = _compare(base, head, task, strict, sandbox, scanner, store)
    except SzzError as error:  # the checkout is none, or lacks objects
        raise ValueError(str(error)) from error
    for path, text in ((sarif, to_sarif), (junit, to_junit)):
        if path is not None:
            path.write_text(text(report), "utf-8")
    if as_json:
        emit(report.to_json())
    else:
        print(report.to_text())
    raise typer.Exit(report.exit_code)


def _compare(
    base: str, head: str, task: Path, strict: bool, sandbox: str, scanner: str, store: str
) -> GateReport:
    from arena.gate.checkout import ProjectCheckout
    from arena.gate.project import load_project
    from arena.gate.run import ChangeGate
    from arena.store.store import Store
    from szz.repository import Repository

    with Repository(Path.cwd()) as repository:
        checkout = ProjectCheckout(repository)
        before, after = checkout.state(base), checkout.state(head)
        project = load_project(task, checkout, before, after)
        tool = known_scanner(scanner or project.spec.sast.scanner)
        cache = Store(store or None)
        gate = ChangeGate(choose_backend(sandbox), cache, checkout, project, tool, print_err)
        return gate.compare(before, after, strict)
