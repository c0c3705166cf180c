"""Two agents, models or prompts on the same tasks: attempts are paired, and a task's pairs go together."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.report.clusters import clustered_share
from arena.report.difference import difference_interval
from arena.report.permutation import sign_flip
from arena.report.statistics import Interval, mcnemar
from arena.store.model import Row
from arena.vocabulary import vocabulary_or_bare

SIDES = ("agent", "model", "prompt")
# What two columns may differ in.
RUN = "run"

Key = tuple[Any, ...]
RowTest = Callable[[Row], bool]


@dataclass(frozen=True)
class Pairs:
    """Pairs of a task: how many were good on both sides, only on the first or second, on neither."""

    both: int = 0
    only_a: int = 0
    only_b: int = 0
    neither: int = 0

    @property
    def n(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither


@dataclass(frozen=True)
class Comparison:
    """Two values of the field `by` on the same tasks.

    label: the label that counts as good, "" for all good labels of the track. tasks: by (pack, task).
    unpaired: attempts of a and b without a labelled partner, or without a label. differs: fields with 1
    value on each side, but not the same, so that their effect cannot be separated from that of `by`.
    """

    by: str
    a: str
    b: str
    label: str
    tasks: Mapping[tuple[str, str], Pairs]
    unpaired: tuple[int, int]
    differs: Mapping[str, tuple[str, str]]

    def count(self, name: str) -> int:
        """The sum over tasks of "both", "only_a", "only_b", "neither" or "n"."""
        return sum(getattr(pairs, name) for pairs in self.tasks.values())

    @property
    def p(self) -> float:
        """Exact p of McNemar's test, which takes all pairs for independent."""
        return mcnemar(self.count("only_a"), self.count("only_b"))

    @property
    def permutation_p(self) -> float:
        """p of the sign-flip test over tasks, which holds with replicates as well."""
        return sign_flip([pairs.only_b - pairs.only_a for pairs in self.tasks.values()])

    def rates(self) -> tuple[Interval, Interval]:
        """The good rate of a and of b over the pairs."""
        tasks = self.tasks.values()
        a = clustered_share([(pairs.both + pairs.only_a, pairs.n) for pairs in tasks])
        return a, clustered_share([(pairs.both + pairs.only_b, pairs.n) for pairs in tasks])

    def difference(self) -> Interval:
        """Good rate of b minus that of a, with its 95 % interval; `n` is the tasks."""
        over = [float(pairs.only_b - pairs.only_a) for pairs in self.tasks.values()]
        return difference_interval(over, [float(pairs.n) for pairs in self.tasks.values()])

    def to_json(self) -> dict[str, Any]:
        a, b = self.rates()
        return {
            "by": self.by,
            "a": self.a,
            "b": self.b,
            "label": self.label,
            "pairs": self.count("n"),
            **{name: self.count(name) for name in ("both", "only_a", "only_b", "neither")},
            "p": self.p,
            "permutation_p": self.permutation_p,
            "difference": {**self.difference().to_json(), "of": "b - a"},
            "unpaired": {"a": self.unpaired[0], "b": self.unpaired[1]},
            "tasks": len(self.tasks),
            "rates": {"a": a.to_json(), "b": b.to_json()},
            "differs": {name: list(values) for name, values in self.differs.items()},
        }


def compare(rows: Iterable[Row], by: str, a: str, b: str, label: str = "") -> Comparison:
    """Pair the attempts of `a` and `b` with the same task and replicate, and equal in the remaining fields.

    Only pairs with a label on both sides count. A field besides `by` with a single value on either side
    need not be equal. Raises ValueError for a value that no attempt has (with those that exist), a
    label that no track has, or when there is no pair.
    """
    if by not in (*SIDES, RUN):
        raise ValueError(f"no comparison by {by!r}; known: {', '.join((*SIDES, RUN))}")
    if a == b:
        raise ValueError(f"{by} {a!r} is compared with itself")
    # Read twice, once for either side.
    all_rows = list(rows)
    # Unknown names are refused here, before the fields are compared.
    first, second = (_rows_of_side(all_rows, by, value) for value in (a, b))
    alike, differs = _split_fields(first, second, by)
    # Only the tracks of the two sides: a label of any other is a mistake.
    good = label_test({row.track for row in (*first, *second)}, label)
    comparison = compare_sides(first, second, good, by, (a, b), label, alike)
    if not comparison.tasks:
        raise ValueError(f"no pair: {by} {a!r} and {b!r} {_why_none(first, second, alike)}")
    return replace(comparison, differs=differs)


def compare_sides(
    first: Sequence[Row],
    second: Sequence[Row],
    good: RowTest,
    by: str,
    names: tuple[str, str],
    label: str = "",
    alike: Sequence[str] = (),
) -> Comparison:
    """Compare the labelled rows of two sides by task and replicate, with the fields `alike` in common."""
    first_by_key, second_by_key = _rows_by_key(first, alike), _rows_by_key(second, alike)
    # A list in the order of one side, since the order of a set would change from call to call.
    shared = [key for key in first_by_key if key in second_by_key]
    tasks = _count_by_task([(first_by_key[key], second_by_key[key]) for key in shared], good)
    # What has no label is in `first` but not in `first_by_key`, and so counts as unpaired.
    unpaired = (len(first) - len(shared), len(second) - len(shared))
    return Comparison(by, *names, label, tasks, unpaired, {})


def _why_none(first: Sequence[Row], second: Sequence[Row], alike: Sequence[str]) -> str:
    """Why two sides have no pair: the fields in which they differ and how to select, or no common task."""
    # Keys without the remaining fields: if these alone do not meet, no choice of fields helps.
    if not _rows_by_key(first, ()).keys() & _rows_by_key(second, ()).keys():
        return "share no task and replicate that are labelled on both sides"
    sides = {name: [sorted({getattr(row, name) for row in rows}) for rows in (first, second)]
             for name in alike}  # fmt: skip
    differ = {name: values for name, values in sides.items() if not {*values[0]} & {*values[1]}}
    reasons = "; ".join(
        f"in {name}: a has {', '.join(map(repr, a))}, b {', '.join(map(repr, b))}"
        for name, (a, b) in differ.items()
    )
    chosen = " ".join(
        f"--where {shlex.quote(f'{name}={value}')}"
        for name, (a, b) in differ.items()
        for value in (a[0], b[0])
    )
    if not differ:
        return f"agree in {' and '.join(alike)} at no task and replicate; see --where"
    return f"differ {reasons}; one of each is compared with {chosen}"


def _rows_of_side(rows: Sequence[Row], by: str, value: str) -> list[Row]:
    matching = [row for row in rows if getattr(row, by) == value]
    if not matching:
        values = ", ".join(repr(name) for name in sorted({getattr(row, by) for row in rows}))
        raise ValueError(f"no attempt has the {by} {value!r}; known: {values or 'none'}")
    return matching


def _split_fields(
    first: Sequence[Row], second: Sequence[Row], by: str
) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """The fields in which a pair must agree, and those with a single value on each side that differs."""
    alike, differs = [], {}
    for name in (field for field in SIDES if field != by):
        first_values, second_values = (
            {getattr(row, name) for row in rows} for rows in (first, second)
        )
        # Pairs would never agree in this field; the comparison goes on, and says that it is mixed up with
        # `by`.
        if len(first_values) == len(second_values) == 1 and first_values != second_values:
            differs[name] = (first_values.pop(), second_values.pop())
        else:
            alike.append(name)
    return alike, differs


def _rows_by_key(rows: Sequence[Row], alike: Sequence[str]) -> dict[Key, Row]:
    """Labelled rows by the values that a pair shares; an attempt that is in several runs is numbered."""
    counts: Counter[Key] = Counter()
    by_key: dict[Key, Row] = {}
    for row in sorted(rows, key=lambda row: (row.run, row.id)):
        key = (row.track, row.pack, row.task, row.replicate, *(getattr(row, n) for n in alike))
        if row.label is not None:
            by_key[*key, counts[key]] = row
        # Attempts without a label are numbered too, or those behind them would get other partners.
        counts[key] += 1
    return by_key


def label_test(tracks: Collection[str], label: str) -> RowTest:
    """A test whether an attempt has the label, or any of the good labels of its track for "".

    Raises ValueError for a label that no track has.
    """
    vocabularies = {track: vocabulary_or_bare(track) for track in sorted(tracks)}
    if not label:
        return lambda row: row.label in vocabularies[row.track].good
    label_names = list(
        dict.fromkeys(name for vocabulary in vocabularies.values() for name in vocabulary.labels)
    )
    if label not in label_names:
        raise ValueError(f"no label {label!r}; known: {', '.join(label_names)}")
    return lambda row: row.label == label


def _count_by_task(pairs: Iterable[tuple[Row, Row]], good: RowTest) -> dict[tuple[str, str], Pairs]:
    counts: dict[tuple[str, str], Counter[tuple[bool, bool]]] = {}
    for before, after in pairs:
        cells = counts.setdefault((before.pack, before.task), Counter())
        # McNemar's four cells: (good on the first side, good on the second).
        cells[good(before), good(after)] += 1
    return {
        task: Pairs(cells[True, True], cells[True, False], cells[False, True], cells[False, False])
        for task, cells in counts.items()
    }
