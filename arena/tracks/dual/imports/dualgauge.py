"""`arena tasks import dualgauge`: DualGauge-Bench's tests.json files -> a pack, proven by references."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.completion import ModelSettings
    from arena.tracks.dual.tasks.dualgauge.brought import BroughtPrograms
    from arena.tracks.dual.tasks.dualgauge.importing import Prove
    from arena.tracks.dual.tasks.dualgauge.report import ImportedTask

HELP = "Convert DualGauge-Bench's tests.json files into a pack of the track dual."


def command(
    source: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of <n>/tests.json files.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The pack's folder, to be created.")],
    annotations: Annotated[
        Path | None,
        typer.Option("--annotations", help="Annotations for values without a type (TOML or JSON)."),
    ] = None,
    references: Annotated[
        Path | None,
        typer.Option("--references", help="A folder of <n>/<name>.py: programs that must pass."),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Writes a reference where none is brought.")
    ] = "",
    max_usd: Annotated[
        float, typer.Option("--max-usd", min=0, help="Cap for the model, in US dollars.")
    ] = 0.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    workers: options.Workers = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing pack.")] = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.completion import ModelSettings
    from arena.tracks.dual.authoring import PINS
    from arena.tracks.dual.tasks.dualgauge.importing import import_tasks

    settings = None
    if model:
        cap = max_usd or None
        settings = ModelSettings(model, PINS, api_base, prices, allow_unknown_price, cap)
    with _proving(source, references, settings, workers) as prove:
        found = import_tasks(source, out, annotations, force, prove)
    if as_json:
        emit(found.as_json())
        return
    _print(found)


@contextmanager
def _proving(
    source: Path, references: Path | None, settings: ModelSettings | None, workers: int
) -> Iterator[Prove | None]:
    """What proves a pack; None where nothing is there to prove it with, so that no runner is needed."""
    from arena.store.store import Store, home
    from arena.tracks.completion_session import CompletionSession
    from arena.tracks.dual.authoring import ModelAuthor
    from arena.tracks.dual.proving import prove_pack
    from arena.tracks.dual.scoring import make_means, make_scorer, open_runner
    from arena.tracks.dual.tasks.dualgauge.brought import any_brought, brought_for
    from arena.tracks.pool import default_workers

    if settings is None and not any_brought(source, references):
        yield None
        return
    if references is not None and not references.is_dir():
        raise ValueError(f"--references: {references}: no folder")
    with ExitStack() as stack:
        store = Store()
        jobs = workers or default_workers()
        runner = stack.enter_context(open_runner(jobs))
        scorer = make_scorer(make_means(runner, home(), install=False, coverage=False), store)
        author = None
        if settings is not None:
            author = ModelAuthor(stack.enter_context(CompletionSession(settings, store)))

        def prove(folder: Path, imported: ImportedTask) -> ImportedTask:
            def brought(task: str) -> BroughtPrograms:
                return brought_for(task, source, references)

            return prove_pack(folder, imported, brought, scorer, author, print_err, jobs)

        yield prove


def _print(found: ImportedTask) -> None:
    print(f"{found.tasks} tasks: {found.functional} functional, {found.security} security tests")
    if found.unproven:
        print("unproven: no reference has passed these tests, and every result will say so")
    else:
        print(f"{len(found.proven)} proven, {len(found.held)} held")
    print(f"{len(found.quarantined)} tests quarantined, {len(found.soft)} soft")
    for one in found.held:
        print(one_line(f"held: {one.task}: {one.what}"))
    for one in found.quarantined:
        print(one_line(f"quarantined: {one.task} {one.test}: {one.what}"))
    for untyped in found.untyped:
        print(one_line(f"untyped: {untyped.task} {untyped.test}: {untyped.why}"))
    for problem in found.problems:
        print_err(f"problem: {problem.task} {problem.test}: {problem.what}")
