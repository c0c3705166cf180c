"""Leaderboard and breakdown as tables of cells: for the terminal, Markdown and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.report.grid import Cell, Table
from arena.report.leaderboard import Entry
from arena.report.statistics import Interval
from arena.report.tally import Part

NOTE = (
    "Rates in % of the n attempts with a label, with 95 % intervals (tasks as clusters); open to: where the "
    "attempts without a label could move a rate; USD/n: of attempts with a label; flags: attempts with signs "
    "of cheating; front: * where none is as good and as cheap, and better in one of the two; agents that are "
    "there for calibration (cal) take no part in it."
)


def share_cell(found: Interval) -> str | None:
    """A rate in percent with its interval; None where there is none."""
    if found.value is None:
        return None
    if found.low is None or found.high is None:
        return f"{100 * found.value:.1f} [no interval]"
    return f"{100 * found.value:.1f} [{100 * found.low:.1f}-{100 * found.high:.1f}]"


def part_cell(part: Part) -> str | None:
    """`share_cell`, with the bounds where attempts without a label leave them open."""
    shown = share_cell(part.share)
    if shown is None or part.low == part.high:
        return shown
    return f"{shown} open to {100 * part.low:.1f}-{100 * part.high:.1f}"


def leaderboards(entries: Sequence[Entry]) -> list[Table]:
    """Two tables for each track: what is compared, and the rate of each label."""
    by_track: dict[str, list[Entry]] = {}
    for entry in entries:
        by_track.setdefault(entry.track, []).append(entry)
    return [
        table
        for track, found in by_track.items()
        for table in (_leaderboard(track, found), _labels(track, found))
    ]


def _leaderboard(track: str, entries: Sequence[Entry]) -> Table:
    scored = any(entry.score for entry in entries)
    most = max((k for entry in entries for k in entry.pass_at), default=1)
    columns = ["attempts of", "n", "no label", "tasks", "good", "vulnerable"]
    columns += ["score"] * scored + [f"pass@{most}"] * (most > 1)
    columns += ["USD", "USD/n", "flags", "front"]
    rows = []
    for entry in entries:
        row: list[Cell] = [entry.column, entry.good.share.n, entry.unlabelled, entry.tasks]
        row += [part_cell(entry.good), part_cell(entry.vulnerable)]
        row += [_counted(entry.score)] * scored
        row += [_counted(entry.pass_at.get(most))] * (most > 1)
        row += [f"{entry.usd:.2f}", _each(entry), entry.flagged, _front(entry)]
        rows.append(tuple(row))
    return Table(0, f"{track}: leaderboard", tuple(columns), tuple(rows), NOTE)


def _counted(found: Interval | None) -> str | None:
    """A mean over other units than a label's rate: with its own n."""
    return f"{share_cell(found)} n={found.n}" if found else None


def _each(entry: Entry) -> str | None:
    each = entry.usd_per_attempt
    return None if each is None else f"{each:.4f}"


def _front(entry: Entry) -> str:
    return "cal" if entry.calibration else "*" if entry.pareto else ""


def _labels(track: str, entries: Sequence[Entry]) -> Table:
    columns = ("attempts of", "label", "count", "n", "%", "low", "high", "open to", "and")
    rows = [
        (entry.column, label, part.count, part.share.n, *_percent(part))
        for entry in entries
        for label, part in entry.labels.items()
    ]
    note = "%: of the n attempts with a label; low, high: its 95 % interval; open to: see above."
    return Table(0, f"{track}: rates of labels", columns, tuple(rows), note)


def _percent(part: Part) -> tuple[float | None, ...]:
    shares = (part.share.value, part.share.low, part.share.high, part.low, part.high)
    return tuple(None if share is None else 100 * share for share in shares)


def breakdown_table(found: Mapping[str, Sequence[Entry]], by: str) -> Table:
    """One line for each value of `by` and column: the good and the vulnerable of the labelled attempts."""
    columns = (by, "attempts of", "n", "no label", "tasks", "good", "vulnerable", "USD/n", "flags")
    rows = []
    for value, entries in found.items():
        for entry in entries:
            counts = (entry.good.share.n, entry.unlabelled, entry.tasks)
            rates = (part_cell(entry.good), part_cell(entry.vulnerable))
            rows.append((value, entry.column, *counts, *rates, _each(entry), entry.flagged))
    return Table(0, f"good and vulnerable by {by}", columns, tuple(rows), NOTE)
