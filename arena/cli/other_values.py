"""The command `NAME`: find alternative values for the tests of each task, and store them with the task."""

from __future__ import annotations

from typing import Annotated

import typer

from arena import options
from arena.cli.common import choose_backend, emit, print_err

NAME = "other-values"
HELP = "Find words in the literals of each task's tests that gold answers alike when they are replaced."


def command(
    pack: Annotated[str, typer.Argument(help="A pack's folder or name.")],
    task: options.Tasks = None,
    seed: Annotated[int, typer.Option(help="Seed; the same seed tries the same words.")] = 0,
    seconds: Annotated[float, typer.Option(min=1, max=86400, help="Seconds per task.")] = 900.0,
    mismatches: Annotated[
        bool, typer.Option("--mismatches", help="Keep the words; search mismatches anew.")
    ] = False,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
) -> None:
    from arena.building.oracle.other_values import (
        MAX_NUMBER_RUNS,
        MAX_WORD_RUNS,
        NoOtherValues,
        search_mismatches,
        search_other_values,
    )
    from arena.cli.counting import Counting
    from arena.cli.neighbours import AFTER
    from arena.store.store import Store
    from tasks.loader import TaskError, load_pack
    from tasks.other_values import FILE, OtherValues, write
    from tasks.writing import write_whole

    loaded = load_pack(pack)
    chosen = [loaded.task(name) for name in task] if task else list(loaded.tasks)
    backend, store = choose_backend(sandbox), Store()
    with Counting(len(chosen) * (MAX_WORD_RUNS + MAX_NUMBER_RUNS), NAME) as bar:
        for loaded_task in chosen:
            # Bound here: a closure would have the name that the loop has when it is called.
            def report_run(runs: int, broken: int, name: str = loaded_task.id) -> None:
                bar.step(f"{name}: run {runs}, {broken} tests differ")

            note, values = "", OtherValues()
            try:
                facts = (backend, loaded_task, store, seed, seconds, report_run)
                values = (
                    search_mismatches(*facts) if mismatches else search_other_values(*facts).values
                )
                write_whole(loaded_task.folder / FILE, write(values))
            except NoOtherValues as none:
                note = str(none)
            except OSError as error:
                raise TaskError(f"{loaded_task.folder / FILE}: {error.strerror}") from error
            if as_json:
                emit({"task": loaded_task.id, **values.counts(), "note": note})
            else:
                print(f"{loaded_task.id}: {note or values.describe()}", flush=True)
    print_err(AFTER)
