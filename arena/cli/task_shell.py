"""`arena tasks shell`: into the sandbox of a task, with a patch applied and everything built."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import choose_backend, print_err

if TYPE_CHECKING:
    from tasks.loader import Task

HELP = "A shell in a task's sandbox, as its suite or its PoC would find it."
SOLUTIONS = ("gold", "fixed")


def command(
    id_: Annotated[str, typer.Argument(metavar="ID", help="A task's id.")],
    line: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND]...", help="Run this in place of a shell."),
    ] = None,
    pack: options.Pack = "starter",
    patch: Annotated[
        str, typer.Option("--patch", help="gold, fixed, a file, or an attempt; default: none.")
    ] = "",
) -> None:
    from harness.grade.decide import Decided
    from harness.grade.sandbox_image import build_image
    from tasks.loader import TaskError

    task = named_task(pack, id_)
    try:
        image = build_image(choose_backend("docker"), task, patch_of(task, patch), print_err)
    except Decided as decided:
        raise TaskError(f"--patch {patch}: {decided.reason}") from decided
    lines = f"tests: {task.spec.tests.command}\npoc: {task.spec.poc.command} (/tmp/case/poc)"
    raise typer.Exit(look_into(image, task.spec.environment.workdir, line or (), lines))


def named_task(pack: str, id_: str) -> Task:
    """The task of a pack, or a task that `arena tasks build` removed from it. Raises TaskError."""
    from arena.building.pipeline import LOST
    from tasks.loader import TaskError, find_pack, load_pack, load_task

    folder = find_pack(pack)
    try:
        return load_pack(folder).task(id_)
    except TaskError:
        # A task that was taken out is the one that its author wants to look into.
        lost = {path.parent.name: path.parent for path in folder.glob(f"{LOST}/*/task.toml")}
        if id_ not in lost:
            raise
        return load_task(lost[id_])


def patch_of(task: Task, name: str) -> bytes:
    """The bytes of a patch by its name. Raises TaskError, LookupError, OSError."""
    if name in SOLUTIONS:
        return task.solution(name)
    if not name or Path(name).is_file():
        return Path(name).read_bytes() if name else b""
    from arena.store.store import Store

    store = Store()
    return store.blob(store.attempt(name).patch or "")


def look_into(
    image: str, workdir: str, line: list[str] | tuple[str, ...] = (), notice: str = ""
) -> int:
    """A shell, or `line`, in a container of `image` without a network that is removed then; its exit code."""
    for text in (*notice.splitlines(), f"{image}; nothing that is done there is kept"):
        print_err(text)
    # Without a terminal for a single command: its output may go into a pipe.
    kind = ["-i"] if line else ["-it"]
    argv = ["docker", "run", "--rm", *kind, "--network", "none", "-w", workdir, image]
    return subprocess.run([*argv, *(line or ("/bin/sh",))], check=False).returncode
