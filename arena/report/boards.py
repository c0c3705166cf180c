"""Leaderboard and breakdown as tables of cells: for the terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.report.grid import Cell, Table
from arena.report.leaderboard import Entry
from arena.report.statistics import Interval
from arena.report.tally import Part
from arena.vocabulary import HeadScore, vocabulary_or_bare

RATES = "in % of the n attempts with a label, with 95 % intervals (tasks as clusters)"
NOTE = (
    f"Rates {RATES}; open to: where the attempts without a label could move a rate; USD/n: of those with a "
    "label; front: * where none is as good and as cheap, and better in one of the two; agents that are there "
    "for calibration (cal) take no part in it. {}: all USD, of every try, for each attempt with that label."
)
LABELS = (
    "Labels in % of the n attempts with a label; --json, --md and --paper have their intervals."
)
LABELS_WHOLE = f"Labels {RATES}."
BESIDE = (
    "no label: attempts without one; flags: attempts with signs of cheating; USD: of every try."
)
OF_PAPER = "{}: of the track's paper, over all attempts of a column."


def share_cell(rate: Interval) -> str | None:
    """A rate in percent with its interval; None where there is none."""
    if rate.value is None:
        return None
    if rate.low is None or rate.high is None:
        return f"{100 * rate.value:.1f} [no interval]"
    return f"{100 * rate.value:.1f} [{100 * rate.low:.1f}-{100 * rate.high:.1f}]"


def part_cell(part: Part) -> str | None:
    """`share_cell`, with the bounds where attempts without a label leave them open."""
    shown = share_cell(part.share)
    if shown is None or part.low == part.high:
        return shown
    return f"{shown} open to {100 * part.low:.1f}-{100 * part.high:.1f}"


def leaderboards(
    entries: Sequence[Entry], columns: Mapping[str, Any] | None = None, whole: bool = False
) -> list[Table]:
    """Three tables for each track: the leaderboard, the labels, and costs and the track's scores.

    Without a vocabulary no label counts as good, and there is no leaderboard. Each configuration is a row.
    columns: the track's scores, as `Track.metrics` has them. whole: labels with intervals.
    """
    by_track: dict[str, list[Entry]] = {}
    for entry in entries:
        by_track.setdefault(entry.track, []).append(entry)
    return [
        table
        for track, of_track in by_track.items()
        for table in (
            *([_leaderboard(track, of_track)] if vocabulary_or_bare(track).meanings else []),
            _labels(track, of_track, whole),
            _scores_table(track, of_track, columns or {}),
        )
    ]


def _leaderboard(track: str, entries: Sequence[Entry]) -> Table:
    per_good = _per_good(track, entries)
    columns = ("attempts of", "n", "good", "vulnerable", "USD/n", "front", per_good)
    rows = [
        (
            *(entry.column, entry.good.share.n, part_cell(entry.good)),
            *(part_cell(entry.vulnerable), _usd(entry.usd_per_attempt), _front_mark(entry)),
            _usd(entry.usd_per_good),
        )
        for entry in entries
    ]
    note = NOTE.format(per_good)
    return Table(0, f"{track}: leaderboard", columns, tuple(rows), note)


def _per_good(track: str, entries: Sequence[Entry]) -> str:
    """The heading of what a good attempt costs: `USD/C&S` where that is the only good label."""
    labels = {label for entry in entries for label, part in entry.labels.items() if part.count}
    return f"USD/{vocabulary_or_bare(track).good_name(labels)}"


def _labels(track: str, entries: Sequence[Entry], whole: bool) -> Table:
    labels = list(dict.fromkeys(label for entry in entries for label in entry.labels))

    def cell(entry: Entry, label: str) -> Cell:
        part = entry.labels.get(label)
        if whole:
            return part_cell(part) if part else None
        share = part.share.value if part else 0.0
        return None if share is None else 100 * share

    rows = [
        (entry.column, entry.good.share.n, *(cell(entry, label) for label in labels))
        for entry in entries
    ]
    note = LABELS_WHOLE if whole else LABELS
    return Table(0, f"{track}: labels", ("attempts of", "n", *labels), tuple(rows), note)


def _scores_table(track: str, entries: Sequence[Entry], track_scores: Mapping[str, Any]) -> Table:
    heads = [
        score
        for score in vocabulary_or_bare(track).heads
        if any(_head(entry, score, track_scores) for entry in entries)
    ]
    scored = any(entry.score for entry in entries)
    max_k = max((k for entry in entries for k in entry.pass_at), default=1)
    columns = ["attempts of", "tasks", "no label", "flags", "USD", *(score.name for score in heads)]
    columns += ["score"] * scored + [f"pass@{max_k}"] * (max_k > 1)
    rows = []
    for entry in entries:
        row: list[Cell] = [entry.column, entry.tasks, entry.unlabelled, entry.flagged]
        row += [f"{entry.usd:.2f}", *(_head(entry, score, track_scores) for score in heads)]
        row += [_mean_cell(entry.score)] * scored
        row += [_mean_cell(entry.pass_at.get(max_k))] * (max_k > 1)
        rows.append(tuple(row))
    note = " ".join((BESIDE, *(OF_PAPER.format(score.name) for score in heads)))
    return Table(
        0, f"{track}: scores, cost and what is left out", tuple(columns), tuple(rows), note
    )


def _head(entry: Entry, score: HeadScore, track_scores: Mapping[str, Any]) -> str | None:
    value = head_value(entry, score, track_scores)
    return None if value is None else f"{value:.2f}"


def head_value(entry: Entry, score: HeadScore, track_scores: Mapping[str, Any]) -> float | None:
    """The track's score of an entry: by its column, or by agent and model for all prompts; None if absent."""
    agent, model = entry.key.get("agent", ""), entry.key.get("model", "")
    names = (entry.column, f"{agent} {model}".strip(), model)
    result: Any = next((track_scores[name] for name in names if name in track_scores), None)
    for step in score.path:
        result = result.get(step) if isinstance(result, Mapping) else None
    return score.scale * result if isinstance(result, int | float) else None


def _mean_cell(mean: Interval | None) -> str | None:
    """A mean over units that differ from those of a label's rate, with its n."""
    return f"{share_cell(mean)} n={mean.n}" if mean else None


def _usd(amount: float | None) -> str | None:
    return None if amount is None else f"{amount:.4f}"


def _front_mark(entry: Entry) -> str:
    return "cal" if entry.calibration else "*" if entry.pareto else ""


def breakdown_table(entries_by_value: Mapping[str, Sequence[Entry]], by: str) -> Table:
    """A line for each value of `by` and column: the good and the vulnerable of the labelled attempts."""
    all_entries = [entry for entries in entries_by_value.values() for entry in entries]
    per_good = {_per_good(track, all_entries) for track in {entry.track for entry in all_entries}}
    usd_heading = per_good.pop() if len(per_good) == 1 else "USD/good"
    columns = (
        by,
        "attempts of",
        "n",
        "no label",
        "tasks",
        "good",
        "vulnerable",
        "USD/n",
        "flags",
        usd_heading,
    )
    rows = []
    for value, entries in entries_by_value.items():
        for entry in entries:
            counts = (entry.good.share.n, entry.unlabelled, entry.tasks)
            rates = (part_cell(entry.good), part_cell(entry.vulnerable))
            usd = (_usd(entry.usd_per_attempt), entry.flagged, _usd(entry.usd_per_good))
            rows.append((value, entry.column, *counts, *rates, *usd))
    return Table(0, f"good and vulnerable by {by}", columns, tuple(rows), NOTE.format(usd_heading))
