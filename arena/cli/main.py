"""`arena`: combines the commands, and turns a user's mistake into a line and exit code 2."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Annotated, Any

import typer
import typer.main

from arena.cli.commands import AllCommands
from arena.cli.common import MISTAKE, UNLABELLED, print_err
from arena.interrupt import expect_containers, handle_interrupts

app = typer.Typer(
    name="arena",
    cls=AllCommands,
    help="Measures whether what coding agents write is both correct and secure.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        from arena.version import installed

        print(f"arena {installed()}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Run before any command: read keys from a file `.env` and report their names. `--version` ends here."""
    from harness.gateway.dotenv import take_keys

    if taken := take_keys():
        path, names = taken
        print_err(f"{', '.join(names)} from {path}")
    if context.invoked_subcommand is None:
        from arena.cli.runs import print_standing

        print_standing()


def _mistakes() -> tuple[type[Exception], ...]:
    from arena.store.store import StoreUnusable, UnknownRun
    from harness.agents import NotInstalled
    from harness.sandbox.base import SandboxRefused
    from parsers.registry import UnknownName
    from tasks.loader import TaskError

    return (
        StoreUnusable,
        UnknownRun,
        SandboxRefused,
        UnknownName,
        NotInstalled,
        TaskError,
        ValueError,
    )


def _faults() -> tuple[type[Exception], ...]:
    from arena.jobs import EngineFault
    from arena.store.faults import ArtefactDamaged, ArtefactMissing, StoreBusy, StoreDamaged
    from harness.grade.grader import INFRA

    return (*INFRA, ArtefactDamaged, ArtefactMissing, StoreBusy, StoreDamaged, EngineFault)


def _as_store_fault(raised: Exception) -> BaseException:
    """An OSError of a full disk as what the store raises for it, which ends a command without a traceback."""
    if not isinstance(raised, OSError):
        return raised
    from arena.store.faults import as_disk_full

    return as_disk_full(raised)


@cache
def build_commands() -> Any:
    """The group of all commands; typer builds a new tree at each call of `app`."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command; the entry point is `arena.start.main`."""
    handle_interrupts()  # an installation of before that entry point begins here
    expect_containers()
    try:
        build_commands()()
    except BrokenPipeError:
        # The reader has gone, such as `head`: flushing at the exit would raise once more.
        os._exit(0)
    except Exception as raised:
        from harness.extras import describe_missing_extra

        lacking = describe_missing_extra(raised)
        error = lacking or _as_store_fault(raised)
        # most mistakes need none of the imports that the other kinds do
        is_plain = isinstance(error, ValueError)
        if lacking or is_plain or isinstance(error, _mistakes()):
            print_err(f"arena: {error}")
            sys.exit(MISTAKE)
        if isinstance(error, _faults()):
            print_err(f"arena: {error}")
            sys.exit(UNLABELLED)
        raise
