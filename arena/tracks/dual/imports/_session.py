"""What the imports of the track share: what proves a pack, and how its report is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.output import print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.models.completion import ModelSettings
    from arena.tracks.dual.runner.pool import ProgramRunner
    from arena.tracks.dual.tasks.imported.brought import BroughtPrograms
    from arena.tracks.dual.tasks.imported.placing import Prove
    from arena.tracks.dual.tasks.imported.report import ImportedTask

References = Annotated[
    Path | None,
    typer.Option("--references", help="A folder of <task>/<name>.py: programs that must pass."),
]
Model = Annotated[
    str, typer.Option("--model", "-m", help="Writes a reference where none is brought.")
]
MaxUsd = Annotated[
    float, typer.Option("--max-usd", min=0, help="Cap for the model, in US dollars.")
]
Out = Annotated[Path, typer.Option("--out", help="The pack's folder, to be created.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing pack.")]
Install = Annotated[
    bool, typer.Option("--install", help="Install packages that the programs import.")
]


def settings_of(
    model: str, api_base: str, prices: Path | None, unpriced: bool, max_usd: float
) -> ModelSettings | None:
    """Of the model that writes references, or None."""
    from arena.models.completion import ModelSettings
    from arena.tracks.dual.authoring import PINS

    if not model:
        return None
    return ModelSettings(model, PINS, api_base, prices, unpriced, max_usd or None)


def expect_folder(references: Path | None) -> None:
    """Raises ValueError."""
    if references is not None and not references.is_dir():
        raise ValueError(f"--references: {references}: no folder")


@contextmanager
def proving(
    brought: Callable[[str], BroughtPrograms],
    settings: ModelSettings | None,
    workers: int,
    install: bool = False,
) -> Iterator[tuple[ProgramRunner, Prove]]:
    """The runner, and what proves a pack in it. brought: task -> programs."""
    from arena.models.completion_session import CompletionSession
    from arena.store.store import Store, home
    from arena.tracks.dual.authoring import ModelAuthor
    from arena.tracks.dual.proving import prove_pack
    from arena.tracks.dual.scoring import make_means, make_scorer, open_runner
    from arena.tracks.pool import default_workers

    with ExitStack() as stack:
        store = Store()
        jobs = workers or default_workers()
        runner = stack.enter_context(open_runner(jobs))
        scorer = make_scorer(make_means(runner, home(), install=install, coverage=False), store)
        author = None
        if settings is not None:
            author = ModelAuthor(stack.enter_context(CompletionSession(settings, store)))

        def prove(folder: Path, imported: ImportedTask) -> ImportedTask:
            return prove_pack(folder, imported, brought, scorer, author, print_err, jobs)

        yield runner, prove


def print_import(task: ImportedTask) -> None:
    """Print what was imported, and what it is worth."""
    print(f"{task.tasks} tasks: {task.functional} functional, {task.security} security tests")
    if task.unproven:
        print("unproven: no reference has passed these tests, and every result will say so")
    else:
        print(f"{len(task.proven)} proven, {len(task.held)} held")
    print(f"{len(task.quarantined)} tests quarantined, {len(task.soft)} soft")
    for item in task.held:
        print(one_line(f"held: {item.task}: {item.what}"))
    for item in task.quarantined:
        print(one_line(f"quarantined: {item.task} {item.test}: {item.what}"))
    for untyped in task.untyped:
        print(one_line(f"untyped: {untyped.task} {untyped.test}: {untyped.why}"))
    for problem in task.problems:
        print_err(f"problem: {problem.task} {problem.test}: {problem.what}")
