"""`arena parse`: test reports and sanitizer reports from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, print_err
from arena.report.text import one_line

NAME = "parse"
HELP = "Parse a test report or a sanitizer report."
READ_LIMIT = 64 << 20

app = typer.Typer(no_args_is_help=True)
FileArgument = Annotated[Path, typer.Argument(help="The file to read.")]


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(READ_LIMIT + 1)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    if len(data) > READ_LIMIT:
        print_err(f"{path}: only the first {READ_LIMIT >> 20} MiB are read")
    return data


@app.command(
    "tests", help="Print the test outcomes in a report; exit code 1 if the report is incomplete."
)
def tests(
    file: FileArgument,
    format_: Annotated[str, typer.Option("--format", help="The format's name, or auto.")] = "auto",
    status: Annotated[
        int | None, typer.Option("--status", help="Exit status of the suite.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    from parsers import reports
    from parsers.registry import names
    from parsers.text import decode

    data = _read(file)
    text = decode(data).text
    if format_ == reports.AUTO and text.strip() and reports.detect(text) is None:
        known = ", ".join(names(reports.__name__))
        raise ValueError(f"{file}: in no format that is known by its look; --format: {known}")
    report = reports.parse(format_, {file.name: data}, status)
    outcomes = {name: str(outcome) for name, outcome in report.outcomes.items()}
    if as_json:
        emit(outcomes)
    else:
        for name, outcome in outcomes.items():
            print(f"{outcome}\t{one_line(name)}")
    for problem in report.problems:
        print_err(f"{file}: {problem.removeprefix(f'{file.stem}: ')}"[:300])
    raise typer.Exit(OK if report.complete else UNMET)


@app.command("crash", help="Print the first crash that a log reports, or null.")
def crash(
    file: FileArgument,
    status: Annotated[
        int | None, typer.Option("--status", help="Exit status of the process.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    from parsers.crashes import parse_crash

    found = parse_crash(_read(file).decode("utf-8", "replace"), status)
    if as_json:
        emit(found.to_json() if found else None)
    else:
        print(one_line(found.summary) if found else "no crash")
