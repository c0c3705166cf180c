"""`arena import`: a run that `arena export --to run` wrote, or results of another program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.exchange.foreign import ForeignRun
    from arena.exchange.foreign_import import Division
    from arena.store.model import Attempt

DETAILS = """
PATH: a file written by `arena export --to run`; a job folder of Harbor; logs of Inspect; a run of
SWE-bench; trajectories of mini-swe-agent; another store, of which all runs are copied. Verdicts of
other programs are shown as `foreign: ...`; with --pack, patches for its tasks are graded here.
"""
MAX_PROBLEM_LINES = 20
DATABASE = "arena.sqlite"


def command(
    path_or_url: Annotated[
        str, typer.Argument(metavar="PATH", help="The file or folder; or the URL of a store.")
    ],
    store: options.StoreAt = "",
    name: Annotated[str, typer.Option("--as", help="A new id for the run.")] = "",
    reader: Annotated[
        str, typer.Option("--from", help="The program that wrote it; default: found by its form.")
    ] = "",
    pack: Annotated[
        str, typer.Option("--pack", "-p", help="Grade patches for tasks of this pack here.")
    ] = "",
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.exchange.foreign_import import find_reader, problem_lines, read_foreign

    path = Path(path_or_url)
    if "://" in path_or_url or (path / DATABASE).is_file():
        _copy_store(path_or_url, store, as_json)
        return
    path = path.resolve() if path.is_symlink() else path  # links below it are not followed
    reader_found = find_reader(path, reader) if path.exists() else None
    if reader_found is None:
        _import_whole(path, store, name, pack, as_json)
        return
    run = read_foreign(reader_found, path)
    for line in problem_lines(run.problems, MAX_PROBLEM_LINES):
        print_err(line)
    if pack:
        _import_graded(run, path, store, name, pack, sandbox, workers, as_json)
    else:
        _report(_store_rest(run, path, store, name), [], run.problems, as_json)


def _copy_store(source: str, store: str, as_json: bool) -> None:
    """Copy all runs of a store into that of `--store`."""
    from arena.exchange.copying import copy_runs
    from arena.store.known import known_store
    from arena.store.store import Store

    copied = []
    for run in copy_runs(known_store(source), Store(store or None)):
        copied.append(vars(run))
        there = "" if run.is_new else "; there already, the same"
        if not as_json:
            print(one_line(f"{run.run}: {run.attempts} attempts{there}"))
    if as_json:
        emit({"runs": copied})
    elif not copied:
        print_err(f"{source}: holds no run")


def _import_whole(path: Path, store: str, name: str, pack: str, as_json: bool) -> None:
    from arena.exchange.foreign_import import READERS
    from arena.exchange.importing import has_statement, import_run
    from arena.store.store import Store
    from parsers.registry import names

    if not path.is_file():
        reader_names = ", ".join(names(READERS))
        raise ValueError(
            f"{path}: no such file; a file that `arena export --to run` wrote is needed, "
            f"or results of {reader_names}"
        )
    if pack:
        raise ValueError("--pack: only for the results of other programs")
    run, attempts, is_new = import_run(Store(store or None), path, name)
    if not has_statement(path):
        print_err("no statement in it: it can be imported, and not be verified (arena verify)")
    if as_json:
        emit({"run": run, "attempts": attempts, "new": is_new})
    else:
        print(run)
        print_err(
            f"{attempts} attempts" + ("" if is_new else "; the run was there already, the same")
        )


def _import_graded(
    run: ForeignRun,
    path: Path,
    store: str,
    name: str,
    pack: str,
    sandbox: str,
    workers: int,
    as_json: bool,
) -> None:
    """Grade what can be graded, and store the rest as a foreign run."""
    from arena.exchange.foreign_import import divide
    from arena.protocols import Setup
    from arena.session import open_session
    from arena.tracks.opening import track_of
    from arena.vocabulary import vocabulary

    track = track_of(pack)
    if not vocabulary(track).patches:
        raise ValueError(f"--pack {pack}: answers of the track {track} are no patches")
    graded: list[Attempt] = []
    with open_session(
        Setup(track, pack, sandbox), workers, store=store or None, say=print_err
    ) as session:
        tasks = {facts.task for facts in session.track.describe(())}
        division = divide(run, tasks)
        if division.answers.found:
            graded = session.grade(division.answers, path.name)
    _say_left_out(division, pack)
    stored = _store_rest(division.rest, path, store, name) if division.rest.attempts else {}
    _report(stored, graded, run.problems, as_json)


def _say_left_out(division: Division, pack: str) -> None:
    left = len(division.rest.attempts)
    if left:
        message = f"{left} attempts are of no task of {pack} or have no patch: not graded"
        print_err(message)


def _store_rest(run: ForeignRun, path: Path, store: str, name: str) -> dict[str, Any]:
    from arena.exchange.foreign import store_foreign
    from arena.store.store import Store

    opened = Store(store or None)
    id_, is_new = store_foreign(opened, run, str(path), name)
    return {"run": id_, "attempts": len(run.attempts), "new": is_new, "from": run.source}


def _report(
    stored: dict[str, Any], graded: Sequence[Attempt], problems: Sequence[str], as_json: bool
) -> None:
    """Print what is in the store now; exits with UNLABELLED where a graded attempt has no label."""
    labelled = sum(attempt.label is not None for attempt in graded)
    if as_json:
        runs = {"graded": graded[0].run, "labelled": labelled} if graded else {}
        emit({**stored, **runs, "problems": list(problems)})
    else:
        for attempt in graded:
            cells = (attempt.key.task, attempt.column, attempt.label or f"({attempt.health})")
            print("\t".join(map(one_line, (*cells, attempt.reason))))
        if graded:
            print_err(f"run {graded[0].run}: {len(graded)} attempts, graded here")
        if stored:
            print(stored["run"])
            note = "" if stored["new"] else "; the run was there already, the same"
            print_err(f"{stored['attempts']} attempts of {stored['from']}, not judged here{note}")
    raise typer.Exit(OK if labelled == len(graded) else UNLABELLED)
