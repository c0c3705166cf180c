"""How far raters of kills agree: Cohen's kappa and a confusion matrix for each two of them.

A rater is a classifier, the judge, or a person; SecMutBench, Section 5.2, found kappa = 0.502 between its
classifier and a person over 120 kills.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.metrics import cohen_kappa

MAX_LABELS = 16 << 20

Ratings = Mapping[str, Category]


class LabelsError(ValueError):
    """A file of labels is wrong; the message names file, line and field."""


@dataclass(frozen=True)
class Agreement:
    """Two raters over the `n` kills that both rated. confusion: (category of one, of the other) -> kills.

    kappa is None where chance explains all, or nothing was rated by both.
    """

    one: str
    other: str
    n: int
    kappa: float | None
    same: int
    confusion: Mapping[tuple[Category, Category], int]

    def to_json(self) -> dict[str, Any]:
        rows = {str(a): {str(b): self.confusion.get((a, b), 0) for b in Category} for a in Category}
        facts = {"one": self.one, "other": self.other, "n": self.n, "same": self.same}
        return {**facts, "kappa": self.kappa, "confusion": rows}


def agreements(raters: Mapping[str, Ratings]) -> list[Agreement]:
    """Each two raters, in the order given."""
    return [
        agreement(one, raters[one], other, raters[other])
        for one, other in itertools.combinations(raters, 2)
    ]


def agreement(one: str, first: Ratings, other: str, second: Ratings) -> Agreement:
    """Two raters over what both have rated."""
    both = [key for key in first if key in second]
    pairs = [(first[key], second[key]) for key in both]
    kappa = cohen_kappa([(str(a), str(b)) for a, b in pairs])
    same = sum(a == b for a, b in pairs)
    return Agreement(one, other, len(pairs), kappa, same, dict(Counter(pairs)))


def load_labels(path: Path) -> dict[str, Category]:
    """Labels of a person: CSV with a header, or JSONL, with `id` (PROGRAM/MUTANT) and `category`.

    Raises LabelsError for the first mistake.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_LABELS + 1)
    except OSError as error:
        raise LabelsError(f"--labels: {path}: {error.strerror}") from error
    if len(data) > MAX_LABELS:
        raise LabelsError(f"--labels: {path}: larger than {MAX_LABELS >> 20} MiB")
    text = data.decode("utf-8-sig", "replace")
    labels: dict[str, Category] = {}
    for number, record in _jsonl(text) if text.lstrip().startswith("{") else _csv(text):
        where = f"--labels: {path}: line {number}"
        key, category = _label(record, where)
        if key in labels:
            raise LabelsError(f"{where}: id: {key[:80]!r} is there twice")
        labels[key] = category
    if not labels:
        raise LabelsError(f"--labels: {path}: no label in it")
    return labels


def _label(record: Any, where: str) -> tuple[str, Category]:
    if not isinstance(record, dict):
        raise LabelsError(f"{where}: not an object with id and category")
    key, said = record.get("id"), record.get("category")
    if not isinstance(key, str) or not key.strip():
        raise LabelsError(f"{where}: id: missing")
    word = said.strip().lower() if isinstance(said, str) else ""
    if word not in set(Category):
        known = ", ".join(Category)
        raise LabelsError(f"{where}: category: {str(said)[:40]!r} is none of {known}")
    return key.strip(), Category(word)


def _csv(text: str) -> Iterator[tuple[int, Any]]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as error:
        yield reader.line_num, f"{error}"


def _jsonl(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                yield number, None
