"""`arena cases`: imports vulnerabilities, a folder each, lists them, and shows what each lacks."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, print_err
from arena.report.text import one_line, visible

if TYPE_CHECKING:
    from arena.building.cases.importing import ImportOutcome
    from arena.building.cases.loader import LoadedCase
    from arena.building.oss_fuzz.attach import Attached


DEFAULT = Path("cases")
TITLES = ("case", "project", "crash", "cwe", "fixes", "lacks")
TRIAGE_TITLES = ("case", "project", "crash", "likely", "looks", "size", "same")
SECONDS_BETWEEN_LINES = 2.0
MAX_REASONS = 20
app = typer.Typer(no_args_is_help=True)


@app.command(
    "import", help="Import cases from ARVO's metadata, OSS-Fuzz reports, case files or a pack."
)
def import_(
    source: Annotated[Path, typer.Argument(help="A folder or a file; see docs/cases.md.")],
    store: options.CasesOut = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite cases that the store already has.")
    ] = False,
    oss_fuzz: options.OssFuzz = None,
    mirrors: options.Mirrors = None,
    as_json: options.Json = False,
) -> None:
    from arena.building.cases.importing import import_cases
    from arena.building.oss_fuzz.attach import attach
    from arena.building.oss_fuzz.checkout import Checkout

    target = chosen_store(store)
    checkout = Checkout(oss_fuzz) if oss_fuzz else None  # first: it is refused unless it is one
    progress = _Progress()
    outcome = import_cases(source, target, replace, progress.report_import)
    if outcome.imported:
        remember_store(target)
    attached = attach(target, outcome.imported, checkout, mirrors, progress)
    if as_json:
        emit(
            {
                "imported": len(outcome.imported),
                "rejected": [vars(rejection) for rejection in outcome.rejected],
                "kept": len(outcome.already_stored),
                "ready": attached.ready,
                "pocs": attached.pocs,
                "lacks": dict(attached.lacks.most_common()),
                "store": str(target),
            }
        )
    else:
        _print_outcome(outcome, target)
        print_attached(attached)


@app.command("list", help="List all cases, with what each still lacks to be confirmed.")
def list_(
    store: options.CasesOut = None,
    repositories: options.Repositories = None,
    project: options.Projects = None,
    lacking: options.Lacking = None,
    triage: Annotated[
        bool,
        typer.Option("--triage", help="Only those that lack nothing, with their likely VICs."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    from arena.building.cases.store import folders, load_from
    from arena.building.selecting import select_cases
    from tasks.loader import TaskError

    target = chosen_store(store)
    cases: list[LoadedCase] = []
    problems: list[str] = []
    for folder in folders(target):
        try:
            cases.append(load_from(folder, repositories))
        except TaskError as error:  # one case file that is wrong does not hide the others
            problems.append(str(error))
    cases = select_cases(cases, project or (), lacking or ())
    rows = _triage_rows(cases) if triage else [_facts(case) for case in cases]
    if as_json:
        emit({"store": str(target), "cases": rows, "problems": problems})
    else:
        _print_rows(rows, TRIAGE_TITLES if triage else TITLES)
        print_err(f"cases in {one_line(str(target))}: {len(rows)}")
    for problem in problems:
        print_err(f"arena: {problem}")
    raise typer.Exit(UNMET if problems else OK)


@app.command("show", help="Show all facts of one case.")
def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="A case's id.")],
    store: options.CasesOut = None,
    repositories: options.Repositories = None,
    as_json: options.Json = False,
) -> None:
    from arena.building.cases.store import find

    case = find(chosen_store(store), id_, repositories)
    spec = case.spec.model_dump(mode="json", by_alias=True)
    local = None if case.repository is None else str(case.repository)
    facts_of_case = {"lacks": list(case.lacks), "folder": str(case.folder), "clone": local}
    if as_json:
        emit({**spec, **facts_of_case})
        return
    for section, value in {**spec, **facts_of_case}.items():
        if isinstance(value, dict):
            print(f"[{section}]")
            for name, item in value.items():
                print("  " + one_line(f"{name} = {item}"))
        else:
            print(one_line(f"{section} = {value}"))


def chosen_store(store: Path | None) -> Path:
    """The store of the option, else the store last imported to from this folder, else ./cases."""
    if store is not None:
        return store
    note = _note()
    try:
        last = note.read_text("utf-8").strip()
    except FileNotFoundError:
        return DEFAULT
    # Not the default: cases would silently be taken from another store.
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{note}: cannot be read ({error}); give --store") from error
    return Path(last) if last else DEFAULT


def _note() -> Path:
    from arena.store.store import home

    return home() / "cases.txt"


def remember_store(store: Path) -> None:
    from tasks.writing import write_whole

    try:
        _note().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_note(), os.fsencode(store.resolve()) + b"\n")
    except OSError as error:
        print_err(f"{_note()}: {error.strerror}; --store will be needed to find {store} again")


class _Progress:
    """A line on stderr every two seconds, as long as an import takes."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def report_import(self, outcome: ImportOutcome) -> None:
        self(f"{len(outcome.imported)} imported, {len(outcome.rejected)} rejected so far")

    def __call__(self, text: str) -> None:
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            print_err(text)


def _print_outcome(outcome: ImportOutcome, store: Path) -> None:
    repeated = (
        f", {len(outcome.already_stored)} of them there already and kept"
        if outcome.already_stored
        else ""
    )
    print(visible(f"{len(outcome.imported)} imported into {store}{repeated}"))
    if outcome.reads:
        print_err(
            f"{outcome.reads} of them crash in a read, and have the CWE of the buffer (120, 121, 122) by "
            "SecureAgentBench's Table 7; where you count reads as CWE-125, change `cwe` in case.toml"
        )
    print(f"{len(outcome.rejected)} rejected" + (":" if outcome.rejected else ""))
    grouped: dict[str, list[str]] = {}
    for rejection in outcome.rejected:
        grouped.setdefault(rejection.reason, []).append(rejection.id)
    counts = Counter({reason: len(ids) for reason, ids in grouped.items()})
    # Grouped, since thousands of records are rejected for a handful of reasons.
    for reason, count in counts.most_common(MAX_REASONS):
        named = ", ".join(grouped[reason][:3]) + (", ..." if count > 3 else "")
        print(f"{count:6} {one_line(f'{reason} ({named})')}")
    if len(counts) > MAX_REASONS:
        print(
            visible(
                f"       and {len(counts) - MAX_REASONS} more reasons: see {store}/rejected.json"
            )
        )


def print_attached(attached: Attached) -> None:
    from arena.building.selecting import LACKING

    if attached.pocs:
        print(f"{attached.pocs} PoCs are in the projects' own histories")
    print(f"{attached.ready} ready to be confirmed" + ("; lacking:" if attached.lacks else ""))
    for code, count in attached.lacks.most_common():
        print(f"{count:6} {code}: {LACKING[code]}")


def _facts(case: LoadedCase) -> dict[str, Any]:
    spec = case.spec
    return {
        "case": spec.id,
        "project": spec.project,
        "crash": spec.crash.type,
        "cwe": list(spec.cwe),
        "fixes": len(spec.fix),
        "lacks": list(case.lacks),
    }


def _triage_rows(cases: list[LoadedCase]) -> list[dict[str, Any]]:
    """The facts of each case that lacks nothing, with the results of B-SZZ."""
    from arena.building.triage import triage_cases

    ready = [case for case in cases if not case.lacks]
    rows: list[dict[str, Any]] = []
    for case, triage in zip(ready, triage_cases(ready), strict=True):
        first = triage.candidates[0] if triage.candidates else None
        looks = triage.note
        if first:
            with_tests, dated = (
                first.tests and ", with tests",
                first.dated and ", of the report's days",
            )
            looks = f"{first.looks}{with_tests or ''}{dated or ''}"
        candidate_facts = {"likely": first.commit[:12] if first else "", "looks": looks}
        size = f"{first.files} files, +{first.added} -{first.deleted}" if first else ""
        rows.append({**_facts(case), **triage.to_json(), **candidate_facts, "size": size})
    return rows


def _print_rows(rows: list[dict[str, Any]], titles: tuple[str, ...]) -> None:
    table = [titles, *(tuple(_cell(row[title]) for title in titles) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(titles) - 1)]
    for line in table:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*cells, line[-1]]).rstrip())
    # Before what goes to stderr, which has no buffer and would come first.
    sys.stdout.flush()


def _cell(value: object) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return one_line("; ".join(map(str, value)) or "-")
    return one_line(str(value) or "-")
