"""`arena compare`: two agents, models or prompts of a run on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import emit

if TYPE_CHECKING:
    from arena.report.grid import Table
    from arena.report.paired import Comparison
    from arena.report.statistics import Interval
    from arena.store.store import Store
    from arena.store.tables import RunRow

NAME = "compare"
HELP = "Compare two agents, models or prompts of a run, or two runs, pairwise on the same tasks."


def command(
    run: options.Run,
    a: Annotated[str, typer.Argument(help="The first agent, model, prompt or run.")],
    b: Annotated[str, typer.Argument(help="The second one.")],
    by: Annotated[str, typer.Option("--by", help="What A and B are: agent, model, prompt or run.")],
    label: Annotated[
        str, typer.Option("--label", help="The label to compare; default: the track's good labels.")
    ] = "",
    where: options.Where = None,
    store: options.StoreAt = "",
    as_json: options.Json = False,
) -> None:
    from arena.report.grid import print_grid
    from arena.report.paired import RUN, compare
    from arena.report.selection import Selection
    from arena.store.store import known_store

    chosen = Selection.parse(where or ())
    opened = known_store(store)
    runs = [opened.run(name) for name in ((a, b) if by == RUN else (run,))]
    if by == RUN:
        a, b = (found.id for found in runs)
    rows = [row for row in opened.rows([found.id for found in runs]) if chosen.matches(row)]
    compared = compare(rows, by, a, b, label)
    sides = [{row.id for row in rows if getattr(row, by) == name} for name in (a, b)]
    tables = _tables(opened, runs, sides)
    name = " and ".join(found.id for found in runs)
    if as_json:
        told = [asdict(table) for table in tables]
        emit({"run": name, **compared.to_json(), "tables": told})
    else:
        _print(name, compared)
        print_grid(tables, wrap=True)


def _tables(store: Store, runs: Sequence[RunRow], sides: Sequence[Set[str]]) -> list[Table]:
    """The track's own scores, compared. sides: ids of the attempts on each."""
    from arena.tracks.opening import track_class

    attempts = [one for run in runs for one in store.attempts(run.id)]
    first, second = ([one for one in attempts if one.id in side] for side in sides)
    facts = {task: fact for run in runs for task, fact in store.tasks(run.id).items()}
    return track_class(runs[0].track).compare(first, second, facts)


def _print(run: str, found: Comparison) -> None:
    from arena.report.text import one_line

    for line in _lines(run, found):
        print(one_line(line))


def _lines(run: str, found: Comparison) -> list[str]:
    counted = f"label {found.label}" if found.label else "good labels"
    (left_a, left_b), (rate_a, rate_b) = found.unpaired, found.rates()
    difference = found.difference()
    differs = [
        f"they differ in {name} as well: a has {one or 'none'!r}, b {other or 'none'!r}"
        for name, (one, other) in found.differs.items()
    ]
    return [
        f"run {run}, by {found.by}: a {found.a}, b {found.b}; {counted}",
        *differs,
        f"pairs: {found.count('n')} of {len(found.tasks)} tasks; attempts without a labelled partner: "
        f"{left_a} of a, {left_b} of b",
        f"both {found.count('both')}, only a {found.count('only_a')}, only b {found.count('only_b')}, "
        f"neither {found.count('neither')}",
        f"a {_cell_text(rate_a)} % of {rate_a.n}",
        f"b {_cell_text(rate_b)} % of {rate_b.n}",
        f"b - a {_points(difference)}, over {difference.n} tasks",
        f"p {found.p:.4g} (McNemar, exact), {found.permutation_p:.4g} (sign flips over tasks)",
    ]


def _points(found: Interval) -> str:
    """A difference of rates in points of percent, with its interval."""
    if found.value is None or found.low is None or found.high is None:
        return "-" if found.value is None else f"{100 * found.value:+.1f} points [no interval]"
    return f"{100 * found.value:+.1f} points [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"


def _cell_text(found: Interval) -> str:
    from arena.report.boards import share_cell

    return share_cell(found) or "-"
