"""`arena agents`: which agents there are, and the toolboxes that real ones need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from harness.agents._program import AgentProgram
    from harness.toolbox import Toolbox, Toolboxes

PACKAGE = "harness.agents"
DECLARED, ACP = "declared:", "acp:"
MEGABYTE = 1_000_000
COLUMNS = ("name", "version", "state", "size", "where")

NamesArgument = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of agents.")]
FolderOption = Annotated[
    Path | None,
    typer.Option("--toolboxes", help="The folder of toolboxes; default: the machine's."),
]

app = typer.Typer(no_args_is_help=True)


@app.command("list", help="List all agents and where their toolboxes are.")
def list_(folder: FolderOption = None, as_json: options.Json = False) -> None:
    from harness.toolbox.files import size

    boxes = toolboxes(folder)
    rows = _rows(boxes)
    if as_json:
        emit({"agents": rows})
        return
    table = [COLUMNS, *(tuple(_cell(name, row[name]) for name in COLUMNS) for row in rows)]
    # The last column is not padded: paths are long, and nothing follows them.
    widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS) - 1)]
    for line in table:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*cells, line[-1]]).rstrip())
    if any(row["size"] for row in rows):
        print_err(f"on disk, with what they share: {_cell('size', size(boxes.folder))}")


@app.command(help="Install the toolboxes of agents, once per machine.")
def install(
    names: NamesArgument,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            help="A folder, archive or git clone, for an agent that is in no package registry.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Reinstall existing toolboxes.")] = False,
    folder: FolderOption = None,
) -> None:
    from harness.toolbox import ToolboxError

    if source is not None and len(names) > 1:
        raise ValueError("--source is of one agent; install the others by a command of their own")
    boxes = toolboxes(folder)
    failed = False
    # A list: all names are looked up before the first is installed, so that a typing error costs nothing.
    for program in [find_program(name) for name in names]:
        try:
            with _progress(program.name) as say:
                toolbox = boxes.install(program, source, say, force)
        except ToolboxError as error:  # one that cannot be installed does not hold up the others
            print_err(f"arena: {error}")
            failed = True
        else:
            print(
                one_line(
                    f"{toolbox.name} {toolbox.version} {_cell('size', toolbox.size)} {toolbox.path}"
                )
            )
    raise typer.Exit(UNMET if failed else OK)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that reports a line; at a terminal it updates a bar with the time since the start."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    # A bar is redrawn in place, which only a terminal can do.
    if not console.is_terminal:
        yield print_err
        return
    columns = TextColumn("{task.fields[agent]}"), BarColumn(20), TimeElapsedColumn()
    with Progress(*columns, TextColumn("{task.description}"), console=console) as bar:
        task = bar.add_task("", total=None, agent=one_line(name))
        # A program that is installed prints what it likes, also rich's markup.
        yield lambda text: bar.update(task, description=escape(one_line(text)))


@app.command(help="Check that the programs of toolboxes start in a container of an empty image.")
def check(names: NamesArgument, folder: FolderOption = None) -> None:
    from harness.toolbox.check import problems

    boxes = toolboxes(folder)
    failed = False
    for program in [find_program(name) for name in names]:
        faults = problems(boxes, program, _surroundings(program))
        print(one_line(f"{'BAD' if faults else 'ok '} {program.name} {program.version}"))
        for problem in faults:
            print(f"      {one_line(problem)}", flush=True)
        failed |= bool(faults)
    raise typer.Exit(UNMET if failed else OK)


def _surroundings(program: AgentProgram) -> Callable[[Path], Mapping[str, str]]:
    from harness.agents._program import LaunchSetup

    def env(toolbox: Path) -> Mapping[str, str]:
        # Nothing listens at port 1: a program that calls a model anyway gets no answer.
        nowhere = LaunchSetup(toolbox, "/tmp", "/", "", "http://127.0.0.1:1", "", "", 1, 1.0, 1.0)  # noqa: S108
        return program.launch(nowhere).env

    return env


@app.command(help="Remove the toolboxes of agents, including other versions.")
def remove(names: NamesArgument, folder: FolderOption = None) -> None:
    boxes = toolboxes(folder)
    missing = False
    for program in [find_program(name) for name in names]:
        gone = boxes.remove(program, print_err)
        for path in gone:
            print(one_line(f"removed {path}"))
        if not gone:
            print_err(f"arena: {program.name} has no toolbox in {boxes.folder}")
        missing |= not gone
    raise typer.Exit(UNMET if missing else OK)


def toolboxes(folder: Path | None = None) -> Toolboxes:
    """The toolboxes in a folder that a user named, else in the machine's."""
    from harness.toolbox import Toolboxes, default_folder

    return Toolboxes(folder or default_folder())


def programs() -> Mapping[str, AgentProgram | None]:
    """All agents by name; None for those that are part of the arena and need no toolbox."""
    from harness.agents._make import is_program, load_program
    from parsers.registry import names

    by_name: dict[str, AgentProgram | None] = {}
    for name in names(PACKAGE):
        program = load_program(name)
        by_name[program.name if is_program(program) else name] = (
            program if is_program(program) else None
        )
    return by_name


def find_program(name: str) -> AgentProgram:
    """Raises UnknownName, and ValueError for an agent that is part of the arena."""
    from harness.agents._make import expect_current
    from harness.agents.acp import read_command
    from harness.agents.declared import load
    from parsers.registry import UnknownName

    # Names that an agent had before are reported as old names, and not as unknown.
    expect_current(name)
    if name.startswith(DECLARED):
        return load(Path(name.removeprefix(DECLARED)))
    if name.startswith(ACP):
        return read_command(name.removeprefix(ACP))
    known_programs = programs()
    if name not in known_programs:
        raise UnknownName(f"unknown agent {name!r}; known: {', '.join(known_programs)}")
    program = known_programs[name]
    if program is None:
        raise ValueError(f"agent {name!r} is part of the arena and needs no toolbox")
    return program


def _rows(boxes: Toolboxes) -> list[dict[str, Any]]:
    """A row for each agent, then a row for each toolbox that no present agent would use."""
    rows = []
    present = {toolbox.path: toolbox for toolbox in boxes.list()}
    for name, program in programs().items():
        if program is None:
            rows.append(_row(name, "", "built in"))
            continue
        # A half-installed one is shown too: it takes room on the disk, and can be removed.
        toolbox = boxes.find(program) or boxes.half_installed(program)
        if toolbox is None:
            rows.append(_row(name, program.version, "not installed"))
        else:
            # What is left at the end is used by no agent of this version.
            present.pop(toolbox.path, None)
            rows.append(_row_of(toolbox, "installed"))
    return [*rows, *(_row_of(toolbox, "of another version") for toolbox in present.values())]


def _row_of(toolbox: Toolbox, state: str) -> dict[str, Any]:
    return _row(
        toolbox.name,
        toolbox.version,
        state if toolbox.whole else "half installed",
        str(toolbox.path),
        toolbox.size,
    )


def _row(name: str, version: str, state: str, where: str = "", size: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "version": version,
        "installed": state in ("installed", "built in"),
        "where": where,
        "state": state,
        "size": size,
    }


def _cell(column: str, value: object) -> str:
    if column == "size":
        return f"{int(str(value)) / MEGABYTE:.0f} MB" if value else "-"
    return one_line(str(value) or "-")
