"""How far detectors agree on the same programs, two by two, and with labels of people.

A program counts for two detectors where both say vulnerable, safe or not-applicable of it; the last two are
both "not vulnerable". The share of agreement has Wilson's interval; kappa is Cohen's.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.report.labels import LabelsError, read_records
from arena.report.ratings import RatedScores, scores
from arena.report.statistics import Interval, cohen_kappa, wilson
from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.tools._panel import ExaminedProgram, Opinion

# Verdict -> whether it says vulnerable; others say neither.
DECIDED = {
    Verdict.VULNERABLE: True,
    Verdict.SAFE: False,
    Verdict.NOT_APPLICABLE: False,
}
MAX_NAME = 4_000


@dataclass(frozen=True)
class VerdictTable:
    """Programs by what two detectors say: both vulnerable, only the first, only the second, neither."""

    both: int = 0
    only_one: int = 0
    only_other: int = 0
    neither: int = 0

    @property
    def n(self) -> int:
        return self.both + self.only_one + self.only_other + self.neither

    @property
    def agreement(self) -> Interval:
        """The share of programs that both say the same of."""
        return wilson(self.both + self.neither, self.n)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None without programs, and where both give every program the same verdict."""
        yes, no = "vulnerable", "not"
        cells = {
            (yes, yes): self.both,
            (yes, no): self.only_one,
            (no, yes): self.only_other,
            (no, no): self.neither,
        }
        return cohen_kappa([pair for pair, n in cells.items() for _ in range(n)])

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            **vars(self),
            "agreement": self.agreement.to_json(),
            "kappa": self.kappa,
        }


@dataclass(frozen=True)
class Difference:
    """A program that a detector calls vulnerable and a second detector does not."""

    file: str
    scenario: str
    first: Opinion
    second: Opinion

    def to_json(self) -> dict[str, Any]:
        named = {"file": self.file, "scenario": self.scenario}
        return {**named, "one": self.first.to_json(), "other": self.second.to_json()}


@dataclass(frozen=True)
class Agreement:
    """Two detectors. left_out: programs that either did not judge, by why (invalid, unscanned)."""

    first: str
    second: str
    total: VerdictTable
    scenarios: Mapping[str, VerdictTable]
    differ: tuple[Difference, ...]
    left_out: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        return {
            "one": self.first,
            "other": self.second,
            "total": self.total.to_json(),
            "scenarios": {name: shared.to_json() for name, shared in self.scenarios.items()},
            "left_out": dict(self.left_out),
            "differ": [difference.to_json() for difference in self.differ],
        }


def agreements(programs: Sequence[ExaminedProgram], detectors: Sequence[str]) -> list[Agreement]:
    """The agreement of each pair of detectors, in the order of `detectors`."""
    return [_agreement(programs, *pair) for pair in itertools.combinations(detectors, 2)]


def _agreement(programs: Iterable[ExaminedProgram], left: str, right: str) -> Agreement:
    counted: dict[str, Counter[tuple[bool, bool]]] = {}
    left_out: Counter[str] = Counter()
    differ: list[Difference] = []
    for examined in programs:
        first, second = examined.opinions[left], examined.opinions[right]
        says = is_vulnerable(first), is_vulnerable(second)
        if says[0] is None or says[1] is None:
            left_out[first.verdict if says[0] is None else second.verdict] += 1
            continue
        program = examined.program
        counted.setdefault(program.scenario, Counter())[says[0], says[1]] += 1
        if says[0] != says[1]:
            differ.append(Difference(program.label, program.scenario, first, second))
    total = _make_shared(sum(counted.values(), Counter()))
    by_scenario = {scenario: _make_shared(counts) for scenario, counts in counted.items()}
    return Agreement(left, right, total, by_scenario, tuple(differ), dict(left_out))


def _make_shared(counts: Counter[tuple[bool, bool]]) -> VerdictTable:
    return VerdictTable(
        counts[True, True], counts[True, False], counts[False, True], counts[False, False]
    )


def is_vulnerable(opinion: Opinion) -> bool | None:
    """Whether the opinion is vulnerable; None where it is undecided."""
    return DECIDED.get(Verdict(opinion.verdict)) if opinion.verdict in set(Verdict) else None


@dataclass(frozen=True)
class Rated:
    """A detector against labels, with vulnerable as the class. left_out: labelled, without a verdict."""

    scores: RatedScores
    kappa: float | None
    left_out: int

    def to_json(self) -> dict[str, Any]:
        return {**self.scores.to_json(), "kappa": self.kappa, "left_out": self.left_out}


@dataclass(frozen=True)
class Labelled:
    """All detectors against labels. unknown: labels about files that are not there; untold: empty ones."""

    detectors: Mapping[str, Rated]
    unknown: tuple[str, ...]
    untold: int

    def to_json(self) -> dict[str, Any]:
        rated = {name: detector.to_json() for name, detector in self.detectors.items()}
        return {"detectors": rated, "unknown": list(self.unknown), "untold": self.untold}


def against_labels(
    programs: Sequence[ExaminedProgram], detectors: Sequence[str], labels: Mapping[str, bool | None]
) -> Labelled:
    """Detectors against what people say of the same files. Raises ValueError for an ambiguous name."""
    numbers_by_name = _index_by_name(programs)
    unknown = tuple(name for name in labels if name not in numbers_by_name)
    label_of: dict[int, bool] = {}
    for name, label in labels.items():
        numbers = numbers_by_name.get(name, [])
        if len(numbers) > 1:
            raise ValueError(f"--labels: file: {name[:200]!r} could be {len(numbers)} programs")
        # A program has several names: two labels under two of them may still contradict each other.
        if label is not None and numbers and label_of.setdefault(numbers[0], label) != label:
            raise ValueError(f"--labels: file: {name[:200]!r} is labelled twice, and differs")
    rated = {name: _rate_detector(programs, name, label_of) for name in detectors}
    untold = sum(label is None for name, label in labels.items() if name in numbers_by_name)
    return Labelled(rated, unknown, untold)


def _index_by_name(programs: Sequence[ExaminedProgram]) -> dict[str, list[int]]:
    result: dict[str, list[int]] = {}
    for number, examined in enumerate(programs):
        # A name that is there twice would make its program ambiguous to itself.
        for name in dict.fromkeys((examined.program.label, *examined.program.names)):
            result.setdefault(name, []).append(number)
    return result


def _rate_detector(
    programs: Sequence[ExaminedProgram], detector: str, labels: Mapping[int, bool]
) -> Rated:
    pairs = []
    for number, label in labels.items():
        vulnerable = is_vulnerable(programs[number].opinions[detector])
        if vulnerable is not None:
            pairs.append((vulnerable, label))
    kappa = cohen_kappa([(str(answer), str(label)) for answer, label in pairs])
    return Rated(scores(pairs), kappa, len(labels) - len(pairs))


def load_labels(path: Path) -> dict[str, bool | None]:
    """File -> whether a person says vulnerable; None where they say invalid, or nothing.

    CSV with a header, JSONL or JSON, with `file` and `verdict`. Raises LabelsError for the first mistake.
    """
    labels: dict[str, bool | None] = {}
    for where, record in read_records(path):
        name = record.get("file")
        if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME:
            raise LabelsError(f"{where}: file: missing, or no text of 1 to {MAX_NAME} characters")
        if name.strip() in labels:
            raise LabelsError(f"{where}: file: {name[:80]!r} is there twice")
        labels[name.strip()] = _label(record.get("verdict"), where)
    if not labels:
        raise LabelsError(f"--labels: {path}: no label in it")
    return labels


def _label(value: object, where: str) -> bool | None:
    word = "" if value is None else str(value).strip().lower()
    if word and word not in set(Verdict):
        raise LabelsError(f"{where}: verdict: {str(value)[:40]!r} is none of {', '.join(Verdict)}")
    return DECIDED.get(Verdict(word)) if word else None
