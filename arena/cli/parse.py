"""`arena parse`: test reports and sanitizer reports from files."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from parsers.crashes import Crash, CrashReading

READ_LIMIT = 64 << 20
REPORT_LIMIT = 4 << 20

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
        format_names = ", ".join(names(reports.__name__))
        raise ValueError(
            f"{file}: in no format that is known by its look; --format: {format_names}"
        )
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


@app.command(
    "crash",
    help="Print the crash that a log reports, or null; exit code 1 if a report in it is not read whole.",
)
def crash(
    file: FileArgument,
    status: Annotated[
        int | None, typer.Option("--status", help="Exit status of the process.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    reading = _crash_in(file, status)
    crash_found = reading.crash
    if as_json:
        emit(crash_found.to_json() if crash_found else None)
    else:
        print(one_line(crash_found.summary) if crash_found else "no crash")
        for line in _signature_lines(crash_found) if crash_found else ():
            print(line)
    if reading.problem:
        print_err(f"{file}: {reading.problem}")
    raise typer.Exit(UNMET if reading.problem else OK)


def _signature_lines(crash: Crash) -> list[str]:
    """A crash in the form of a task's `[poc.signature]`, as TOML."""
    frames = [frame.function for frame in crash.frames if frame.function][:MAX_SIGNATURE_FRAMES]
    access = [f"access = {json.dumps(crash.access)}"] if crash.access else []
    return [
        "[poc.signature]",
        f"kind = {json.dumps(crash.kind)}",
        *access,
        f"frames = {json.dumps(frames)}",
    ]


MAX_SIGNATURE_FRAMES = 3


def _crash_in(path: Path, status: int | None) -> CrashReading:
    """The crash in a log of any size: the first fatal crash of its pieces, which overlap by a report."""
    from parsers.crashes import CrashReading, read_crash

    best, carried = CrashReading(None), ""
    for text in _text_pieces(path):
        piece = carried + text
        reading = read_crash(piece)
        # A fatal crash that is read whole ends the search: later pieces need not be read at all.
        if reading.crash is not None and not reading.problem and not reading.crash.recovered:
            return reading
        if best.crash is None or (best.problem and reading.crash and not reading.problem):
            best = reading
        # A report may lie across the end of a piece.
        carried = piece[-REPORT_LIMIT:]
    # The exit status belongs to the end of the log.
    return best if best.crash is not None else read_crash(carried, status)


def _text_pieces(path: Path) -> Iterator[str]:
    """A file's text, as UTF-16 where it begins with such a mark, in pieces of READ_LIMIT bytes."""
    try:
        with path.open("rb") as stream:
            data = stream.read(READ_LIMIT)
            wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")("replace")
            while data:
                yield decoder.decode(data)
                data = stream.read(READ_LIMIT)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
