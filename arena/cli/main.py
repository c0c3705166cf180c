"""`arena`: combines the commands, and turns a user's mistake into a line and exit code 2."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Annotated, Any

import typer
import typer.main

from arena.cli import (
    agent_try,
    agents,
    attempts,
    audit,
    build,
    case_clone,
    case_reproduce,
    case_work,
    cases,
    catalogue,
    clean,
    compare,
    confirm,
    demo,
    describe,
    doctor,
    examples,
    export,
    found,
    gate,
    gateway,
    grade,
    import_,
    parse,
    redteam,
    replay,
    report,
    run,
    runs,
    sast,
    serve,
    show,
    sweep,
    szz,
    task_shell,
    tasks,
    verify,
)
from arena.cli.common import MISTAKE, UNLABELLED, print_err
from arena.cli.sections import Sections
from arena.interrupt import expect_containers, handle_interrupts

app = typer.Typer(
    name="arena",
    cls=Sections,
    help="Measures whether what coding agents write is both correct and secure.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
SINGLE = (
    *(demo, doctor, run, runs, attempts, replay, gateway, grade, redteam),
    *(show, report, compare, audit, serve, export, import_, verify, clean, szz, gate),
)
for module in SINGLE:
    app.command(module.NAME, help=module.HELP)(module.command)
for group in (agents, cases, catalogue, tasks, parse, sast, sweep):
    app.add_typer(group.app, name=group.NAME, help=group.HELP)
app.add_typer(found.group("studies", "Studies from the papers of the tracks."), name="study")
tasks.app.add_typer(found.group("imports", "Convert other benchmarks into packs."), name="import")
tasks.app.command("confirm", help="Find the VIC of cases and prove it with the PoC.")(
    confirm.confirm
)
tasks.app.command("shell", help=task_shell.HELP)(task_shell.command)
tasks.app.command("build", help="Build a pack of checked tasks from cases.")(build.build)
tasks.app.command("describe", help="Write or check the instructions of tasks.")(describe.describe)
agents.app.command("try", help=agent_try.HELP)(agent_try.try_)

for name, work, about in (
    (
        "try",
        case_work.try_,
        "Build the fix and its parent only, and replay the PoC: what is worth building.",
    ),
    ("fuzz", case_work.fuzz, "Find a case's PoC again by fuzzing the fix's parent."),
    ("reproduce", case_reproduce.reproduce, case_reproduce.HELP),
    ("clone", case_clone.clone, case_clone.HELP),
    ("log", case_work.log, "What building a revision, or its PoC, printed."),
    ("shell", case_work.shell, "A shell in the sandbox of a revision, built."),
):
    cases.app.command(name, help=about)(work)


examples.give(app)


def _version(asked: bool) -> None:
    if asked:
        from arena.version import installed

        print(f"arena {installed()}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Run before any command: read keys from a file `.env` and report their names. `--version` ends here."""
    from harness.gateway.dotenv import take_keys

    if taken := take_keys():
        path, names = taken
        print_err(f"{', '.join(names)} from {path}")
    if context.invoked_subcommand is None:
        runs.print_standing()


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
    """The tree of click commands. typer makes it anew at each call of `app`, from 58 signatures in 60 ms."""
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
