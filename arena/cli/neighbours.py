"""`arena tasks neighbours`: find inputs around each task's PoC, and keep them with the task."""

from __future__ import annotations

from typing import Annotated

import typer

from arena import options
from arena.cli.common import choose_backend, emit, print_err

NAME = "neighbours"
HELP = (
    "Find inputs near each PoC, harmless ones and ones that crash gold alike; stored with the task."
)
AFTER = (
    "gold's outcomes depend on them: arena tasks check PACK --set outcomes=write takes them anew"
)


def command(
    pack: Annotated[str, typer.Argument(help="A pack's folder or name.")],
    task: options.Tasks = None,
    seed: Annotated[int, typer.Option(help="Seed; the same seed tries the same inputs.")] = 0,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="Seconds per task.")] = 60.0,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
) -> None:
    from arena.building.oracle.neighbours import BATCH, MAX_TRIALS, NoNeighbours, search
    from arena.cli.counting import Counting
    from arena.store.store import Store
    from tasks.loader import TaskError, load_pack
    from tasks.neighbours import FEW, FILE, Neighbours, write
    from tasks.writing import write_whole

    loaded = load_pack(pack)
    chosen = [loaded.task(name) for name in task] if task else list(loaded.tasks)
    backend, store = choose_backend(sandbox), Store()
    with Counting(len(chosen) * MAX_TRIALS // BATCH, "neighbours") as bar:
        for each in chosen:
            # Bound here: a closure would have the name that the loop has when it is called.
            def say(_: int, crashing: int, harmless: int, name: str = each.id) -> None:
                bar.step(f"{name}: {crashing} crash, {harmless} do no harm")

            note, result = "", Neighbours()
            try:
                result = search(backend, each, store, seed, seconds, say)
                write_whole(each.folder / FILE, write(result, each.poc or b""))
            except NoNeighbours as none:
                note = str(none)
            except OSError as error:
                raise TaskError(f"{each.folder / FILE}: {error.strerror}") from error
            if not note and len(result.crashing) < FEW:
                note = f"fewer than {FEW} crash: this task says little beyond its PoC"
            counts = {"crashing": len(result.crashing), "harmless": len(result.harmless)}
            if as_json:
                facts = {"tried": result.tried, "telling": result.telling, "note": note}
                emit({"task": each.id, **counts, **facts})
            else:
                summary = "{crashing} crash, {harmless} do no harm".format(**counts)
                print(f"{each.id}: {summary}{f' ({note})' if note else ''}", flush=True)
    print_err(AFTER)
