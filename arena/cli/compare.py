"""`arena compare`: two agents, models or prompts of a run on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import emit, print_err

if TYPE_CHECKING:
    from arena.report.grid import Table
    from arena.report.leaderboard import Entry
    from arena.report.paired import Comparison
    from arena.report.selection import Selection
    from arena.report.statistics import Interval
    from arena.store.model import Row
    from arena.store.store import Store
    from arena.store.tables import RunRow

# Characters of a name's line.
MAX_NAME_WIDTH = 24


def command(
    run: options.Run,
    a: Annotated[str, typer.Argument(help="The first agent, model, prompt or run.")] = "",
    b: Annotated[str, typer.Argument(help="The second one.")] = "",
    by: Annotated[
        str, typer.Option("--by", help="What A and B are: agent, model, prompt or run.")
    ] = "",
    every: Annotated[
        bool, typer.Option("--all", help="All pairs of columns, with Holm's correction.")
    ] = False,
    label: Annotated[
        str, typer.Option("--label", help="The label to compare; default: the track's good labels.")
    ] = "",
    where: options.Where = None,
    store: options.StoreAt = "",
    as_json: options.Json = False,
    mix_versions: options.MixVersions = False,
) -> None:
    from arena.report.selection import Selection
    from arena.store.known import known_store

    if every == bool(a or b or by):
        raise ValueError("name A and B and what they are (--by), or all pairs: --all")
    if not every and not (a and b and by):
        raise ValueError("A, B and --by belong together; all pairs: --all")
    chosen, opened = Selection.parse(where or ()), known_store(store)
    if every:
        _print_all(opened, opened.run(run), chosen, label, as_json, mix_versions)
    else:
        _print_two(opened, run, (a, b), by, chosen, label, as_json, mix_versions)


def _print_all(
    store: Store, run: RunRow, chosen: Selection, label: str, as_json: bool, mix_versions: bool
) -> None:
    from arena.report.grid import print_grid
    from arena.report.matrix import contests, table_for_terminal
    from arena.report.names import break_into_lines

    rows = chosen.rows_of_runs(store, run.id)
    warnings = _warnings(rows, mix_versions)
    entries, contest_rows = contests(rows, label)
    if not contest_rows:
        raise ValueError(f"--all: {_describe_missing_pairs(entries)}")
    if as_json:
        output = {"pairs": [contest.to_json() for contest in contest_rows], "warnings": warnings}
        emit({"run": run.id, "label": label, **output})
        return
    names = break_into_lines({entry.column: entry.lines for entry in entries}, MAX_NAME_WIDTH)
    print_grid([table_for_terminal(entries, contest_rows)], wrap=True, names=names)


def _describe_missing_pairs(entries: Sequence[Entry]) -> str:
    """Why there is no pair of columns. entries: the columns without those of agents for calibration."""
    left_out = "agents for calibration (gold, fixed, ...) are left out; two by name: A B --by agent"
    if len(entries) > 1:
        return f"no two columns share a task; {left_out}"
    columns = f"only one column is left: {entries[0].column}" if entries else "no column is left"
    return f"{columns}; {left_out}"


def _print_two(
    store: Store,
    run: str,
    names: tuple[str, str],
    by: str,
    chosen: Selection,
    label: str,
    as_json: bool,
    mix_versions: bool,
) -> None:
    from arena.report.grid import print_grid
    from arena.report.paired import RUN, compare

    runs = [store.run(name) for name in (names if by == RUN else (run,))]
    a, b = [run_row.id for run_row in runs] if by == RUN else names
    # Ids and no prefixes: rows have whole ids.
    rows = chosen.rows_of_runs(store, *(run_row.id for run_row in runs))
    comparison = compare(rows, by, a, b, label)
    sides = [{row.id for row in rows if getattr(row, by) == name} for name in (a, b)]
    warnings = _warnings([row for row in rows if row.id in sides[0] | sides[1]], mix_versions)
    tables = _tables(store, runs, sides)
    name = " and ".join(run_row.id for run_row in runs)
    if as_json:
        tables_json = [asdict(table) for table in tables]
        emit({"run": name, **comparison.to_json(), "tables": tables_json, "warnings": warnings})
    else:
        _print(name, comparison)
        print_grid(tables, wrap=True)


def _warnings(rows: Sequence[Row], mix_versions: bool) -> list[str]:
    from arena.report.provenance import warn_of_mixing

    return warn_of_mixing(rows, mix_versions, print_err)


def _tables(store: Store, runs: Sequence[RunRow], sides: Sequence[Set[str]]) -> list[Table]:
    """The track's scores, compared. sides: ids of the attempts on each."""
    from arena.tracks.opening import track_class

    attempts = [attempt for run in runs for attempt in store.attempts(run.id)]
    first, second = ([attempt for attempt in attempts if attempt.id in side] for side in sides)
    facts = {task: fact for run in runs for task, fact in store.tasks(run.id).items()}
    return track_class(runs[0].track).compare(first, second, facts)


def _print(run: str, comparison: Comparison) -> None:
    from arena.report.text import one_line

    for line in _lines(run, comparison):
        print(one_line(line))


def _lines(run: str, comparison: Comparison) -> list[str]:
    from arena.report.statistics import points

    label_text = f"label {comparison.label}" if comparison.label else "good labels"
    (left_a, left_b), (rate_a, rate_b) = comparison.unpaired, comparison.rates()
    difference = comparison.difference()
    differs = [
        f"they differ in {name} as well: a has {first_value or 'none'!r}, b {second_value or 'none'!r}"
        for name, (first_value, second_value) in comparison.differs.items()
    ]
    return [
        f"run {run}, by {comparison.by}: a {comparison.a}, b {comparison.b}; {label_text}",
        *differs,
        f"pairs: {comparison.count('n')} of {len(comparison.tasks)} tasks; "
        f"attempts without a labelled partner: {left_a} of a, {left_b} of b",
        f"both {comparison.count('both')}, only a {comparison.count('only_a')}, "
        f"only b {comparison.count('only_b')}, neither {comparison.count('neither')}",
        f"a {_cell_text(rate_a)} % of {rate_a.n}",
        f"b {_cell_text(rate_b)} % of {rate_b.n}",
        f"b - a {points(difference)}, over {difference.n} tasks",
        f"p {comparison.p:.4g} (McNemar, exact), {comparison.permutation_p:.4g} (sign flips over tasks)",
    ]


def _cell_text(rate: Interval) -> str:
    from arena.report.boards import share_cell

    return share_cell(rate) or "-"
