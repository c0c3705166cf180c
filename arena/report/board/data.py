"""Rows of a store as columns of numbers, which a browser takes over as they are.

100,000 attempts are 4 MB of columns: the page filters and counts them itself, with no server to ask.
"""

from __future__ import annotations

import base64
import sys
import time
from array import array
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any, Protocol

from arena.report.names import cut_apart
from arena.report.provenance import mixing, summary
from arena.report.text import one_line
from arena.report.unlabelled import warnings
from arena.store.model import OPEN, Row, describe_withdrawn, withdrawn_attempts
from arena.vocabulary import Kind, Vocabulary, vocabulary_or_bare

FORM = 2
# Type codes of `array`, little-endian when written; `id` besides: 8 bytes each.
TYPES = {
    "run": "H",
    "task": "I",
    "agent": "H",
    "model": "H",
    "prompt": "H",
    "replicate": "H",
    "label": "B",
    "health": "B",
    "usd": "f",
    "tokens": "I",
    "calls": "I",
    "seconds": "f",
    "score": "f",
}
NAMES = ("agent", "model", "prompt", "health")
LISTS = ("track", "pack", "language", "project", "domain", "cwe", "flag")
# Characters of the parts of a column's name, where there is room and where there is little.
SHORT = {"agent": (24, 16), "model": (24, 10), "prompt": (12, 5)}
NO_SCORE = float("nan")
MAX_NUMBER = 1e30
# Characters of a label that a page takes: a store holds no longer ones.
MAX_LABEL_LENGTH = 40


class BoardRun(Protocol):
    """Facts of a run that the page needs, as in `arena.store.tables.RunRow`. created: s since the epoch."""

    @property
    def id(self) -> str: ...

    @property
    def created(self) -> float: ...

    @property
    def settings(self) -> Mapping[str, Any]: ...


class _Index:
    """Numbers names in the order in which they come."""

    def __init__(self, *first: Hashable) -> None:
        self.numbers: dict[Any, int] = {name: n for n, name in enumerate(first)}

    def __getitem__(self, name: Hashable) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def names(self) -> list[Any]:
        return list(self.numbers)


class _Columns:
    """The columns while they grow, and the names that their numbers stand for."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.values: dict[str, array[Any]] = {name: array(code) for name, code in TYPES.items()}
        self.index = {name: _Index() for name in (*NAMES, *LISTS, "run", "task", "label")}
        # 0 always stands for none.
        self.index["label"], self.index["health"] = _Index(""), _Index("")
        self.runs: list[list[Any]] = []
        self.tasks: list[list[Any]] = []
        self.open_runs: set[str] = set()
        self.labels: set[tuple[str, str]] = set()
        self.marked: dict[str, list[list[int]]] = {"flag": [], "cwe": []}

    def add(self, row: Row) -> None:
        values = self.values
        # Few attempts have any: pairs take less room than columns.
        if row.flags or row.new_cwes:
            self._mark(len(self.ids), row)
        self.ids.append(row.id)
        values["run"].append(self._run(row))
        values["task"].append(self._task(row))
        label = (row.label or "")[:MAX_LABEL_LENGTH]
        for name in NAMES:
            values[name].append(self.index[name][getattr(row, name)])
        values["label"].append(self.index["label"][label])
        values["replicate"].append(row.replicate)
        values["usd"].append(_amount(row.usd))
        # A column has 32 bits, and a larger number in the store must not end the page.
        values["tokens"].append(min(row.tokens, 0xFFFFFFFF))
        values["calls"].append(min(max(row.calls, 0), 0xFFFFFFFF))
        values["seconds"].append(_amount(row.seconds))
        # Scores are shares; a column has no None, so that NaN stands for it.
        scored = row.score is not None and 0 <= row.score <= 1
        values["score"].append(row.score if scored else NO_SCORE)
        self.labels.add((row.track, label))
        if row.health in OPEN:
            self.open_runs.add(row.run)

    def _run(self, row: Row) -> int:
        number = self.index["run"][row.run]
        if number == len(self.runs):
            # The numbers of an index grow by one, so a new one is just behind the end of the list.
            self.runs.append([self.index["track"][row.track], self.index["pack"][row.pack]])
        return number

    def _task(self, row: Row) -> int:
        """The number of a row's task; the same name in two packs is two tasks, and the first facts stay."""
        number = self.index["task"][row.track, row.pack, row.task]
        if number == len(self.tasks):
            index = self.index
            cwes = sorted({index["cwe"][cwe] for cwe in row.cwes})
            facts = [index[name][getattr(row, name)] for name in ("language", "project", "domain")]
            self.tasks.append([*facts, cwes, index["pack"][row.pack], index["track"][row.track]])
        return number

    def _mark(self, number: int, row: Row) -> None:
        for name, marks in (("flag", row.flags), ("cwe", row.new_cwes)):
            self.marked[name] += ([number, self.index[name][mark]] for mark in marks)


def board(rows: Iterable[Row], runs: Iterable[BoardRun], live: bool) -> dict[str, Any]:
    """The data of the page, plain enough for JSON.

    rows: of any runs and tracks; runs: at least theirs, for the times of creation; live: whether attempts may
    still be added. Columns are base64 of little-endian numbers; `names` says what their values stand for.
    Raises ValueError for more runs, agents, models or prompts than a column can number (65,536).
    """
    collected = _Columns()
    all_rows = list(rows)
    try:
        for row in all_rows:
            collected.add(row)
    except OverflowError as error:
        # `array` raises OverflowError for a number that its type code cannot hold.
        raise ValueError(f"too many different names or replicates for one page: {error}") from error
    # Runs without any attempt here have no number, and so no place in the columns.
    shown_runs = [run for run in runs if run.id in collected.index["run"].numbers]
    created = {run.id: run.created for run in shown_runs}
    names = {name: index.names() for name, index in collected.index.items()}
    for name, facts in zip(names["run"], collected.runs, strict=True):
        facts += [created.get(name, 0.0), "open" if name in collected.open_runs else "done"]
    # Track and pack of a task are numbers in `tasks` already.
    names["task"] = [task for _, _, task in names["task"]]
    return {
        "form": FORM,
        "n": len(collected.ids),
        "live": live,
        "generated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "names": names,
        "short": {name: _shorten(names[name], widths) for name, widths in SHORT.items()},
        "tasks": collected.tasks,
        "runs": collected.runs,
        "columns": {"id": _encode_base64(bytes.fromhex("".join(collected.ids)))}
        | {
            name: _encode_base64(_little_endian_bytes(column))
            for name, column in collected.values.items()
        },
        "warnings": [*warnings(all_rows), *mixing(all_rows)],
        "withdrawn": describe_withdrawn_of(shown_runs),
        "provenance": [list(fact) for fact in summary(all_rows)],
        "flags": collected.marked["flag"],
        "found": collected.marked["cwe"],
        "vocabularies": {
            track: _vocabulary_json(vocabulary_or_bare(track), collected.labels)
            for track in names["track"]
        },
    }


def describe_withdrawn_of(runs: Iterable[BoardRun]) -> str:
    """What a page of these runs says of their withdrawn attempts; empty where there are none."""
    return describe_withdrawn(sum(len(withdrawn_attempts(run.settings)) for run in runs))


def _shorten(names: Iterable[str], widths: Iterable[int]) -> list[list[str]]:
    """Each name as it stands in figures and tables: for each width cut where all agree."""
    texts = [one_line(name) for name in names]
    cuts = [cut_apart(texts, width) for width in widths]
    return [[cut[name] for cut in cuts] for name in texts]


def _amount(value: float) -> float:
    """The amount; 0 for what is no amount (NaN, infinite, negative), as in `arena.report.tally`."""
    return value if 0 <= value < MAX_NUMBER else 0.0


def _little_endian_bytes(column: array[Any]) -> bytes:
    # JavaScript's typed arrays have the byte order of the reader's machine, which is little-endian nearly
    # everywhere.
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def _encode_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _vocabulary_json(
    words: Vocabulary, track_labels: Collection[tuple[str, str]]
) -> dict[str, Any]:
    """A vocabulary; labels that attempts have and it has not (of another version) come last, of no kind."""
    # "" is an attempt that has no label yet.
    own_labels = {label for track, label in track_labels if track == words.track and label}
    shown = words.shown(own_labels)
    labels = [
        {"label": meaning.label, "meaning": meaning.meaning, "kind": str(meaning.kind)}
        for meaning in shown
    ]
    for label in sorted(own_labels):
        if label not in words.labels:
            labels.append({"label": label, "meaning": "not of this version", "kind": ""})
    return {
        "labels": labels,
        "good": [meaning.label for meaning in shown if meaning.kind is Kind.GOOD],
        "vulnerable": [meaning.label for meaning in shown if meaning.kind is Kind.VULNERABLE],
        "score": words.score,
        "calibration": list(words.calibration),
    }
