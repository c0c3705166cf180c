"""How far raters of kills agree: Cohen's kappa and a confusion matrix for each two of them.

A rater is a classifier, the judge, or a person; SecMutBench, Section 5.2, measured kappa = 0.502 between its
classifier and a person over 120 kills.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.report.labels import LabelsError, read_records
from arena.report.statistics import cohen_kappa
from arena.tracks.mutation.classify import Category

Ratings = Mapping[str, Category]


@dataclass(frozen=True)
class JudgeAgreement:
    """Two raters over the `n` kills that both rated. confusion: (first category, second category) -> kills.

    kappa is None where chance explains all, or nothing was rated by both.
    """

    first: str
    second: str
    n: int
    kappa: float | None
    same: int
    confusion: Mapping[tuple[Category, Category], int]

    def to_json(self) -> dict[str, Any]:
        rows = {str(a): {str(b): self.confusion.get((a, b), 0) for b in Category} for a in Category}
        facts = {"one": self.first, "other": self.second, "n": self.n, "same": self.same}
        return {**facts, "kappa": self.kappa, "confusion": rows}


def agreements(raters: Mapping[str, Ratings]) -> list[JudgeAgreement]:
    """Agreement of every two raters, in the order of the arguments."""
    return [
        agreement(first, raters[first], second, raters[second])
        for first, second in itertools.combinations(raters, 2)
    ]


def agreement(left: str, first: Ratings, right: str, second: Ratings) -> JudgeAgreement:
    """Two raters over what both have rated."""
    # A person labels a sample of the kills; what one side left out is no disagreement.
    both = [key for key in first if key in second]
    pairs = [(first[key], second[key]) for key in both]
    kappa = cohen_kappa([(str(a), str(b)) for a, b in pairs])
    same = sum(a == b for a, b in pairs)
    return JudgeAgreement(left, right, len(pairs), kappa, same, dict(Counter(pairs)))


def load_labels(path: Path) -> dict[str, Category]:
    """Labels of a person: CSV with a header, or JSONL, with `id` (PROGRAM/MUTANT) and `category`.

    Raises LabelsError for the first mistake.
    """
    labels: dict[str, Category] = {}
    for where, record in read_records(path):
        key, category = _label(record, where)
        if key in labels:
            raise LabelsError(f"{where}: id: {key[:80]!r} is there twice")
        labels[key] = category
    if not labels:
        raise LabelsError(f"--labels: {path}: no label in it")
    return labels


def _label(record: Mapping[str, Any], where: str) -> tuple[str, Category]:
    key, category_text = record.get("id"), record.get("category")
    if not isinstance(key, str) or not key.strip():
        raise LabelsError(f"{where}: id: missing")
    word = category_text.strip().lower() if isinstance(category_text, str) else ""
    if word not in set(Category):
        categories = ", ".join(Category)
        raise LabelsError(f"{where}: category: {str(category_text)[:40]!r} is none of {categories}")
    return key.strip(), Category(word)
