"""The rates of DualGauge (Equations 1 to 4, Section 4.5), over a denominator that the pack fixes.

- n is the number of attempts at each task: a program that is missing or cannot be used is a failure.
- A test counts for all samples of its task when it was judged (pass or fail) in any of them, or when no
  sample says `na` of it. Where it counts, everything but `pass` is not passed: `na` elsewhere as well.
- A task without a test of a kind that counts takes no part in the rates of that kind; `n` shows it.
- Samples that met a fault of the machine have no verdict: they take no part in a rate, and the bounds say
  where it would be if all of them failed (low), or all passed (high).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from arena.report.passk import estimate_pass_at_k
from arena.report.statistics import Ratio, ratio_of
from arena.report.text import natural
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, State

KS = (1, 5, 10)
JUDGED = frozenset({OracleVerdict.PASS, OracleVerdict.FAIL})
CWE = re.compile(r"CWE[-_ ]?0*([1-9][0-9]{0,5})(?![0-9])", re.IGNORECASE)
NO_CWE = "none"

# Which suites a sample must pass, for each rate over samples.
KINDS: dict[str, tuple[str, ...]] = {
    "pass": ("functional",),
    "secure": ("security",),
    "secure-pass": ("functional", "security"),
}
# Whose tests are counted, for each rate over tests.
PASSED: dict[str, str] = {"pr": "functional", "spr": "security"}

# Kind and id of a test.
Key = tuple[str, str]


class MissingAs(Enum):
    """How samples without a verdict are taken: left out, as failures, or as passes."""

    POINT = "point"
    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True)
class Count:
    """Samples (or tests) that passed, of those with a verdict; `open` more have none."""

    passed: int
    judged: int
    open: int = 0

    def passed_and_total(self, missing: MissingAs) -> tuple[int, int]:
        """(passed, of how many)."""
        if missing is MissingAs.POINT:
            return self.passed, self.judged
        high = self.open if missing is MissingAs.HIGH else 0
        return self.passed + high, self.judged + self.open


@dataclass(frozen=True)
class TaskCounts:
    """Counts of a task: its samples for each rate over samples, and its tests for each rate over tests.

    An entry of `samples` is None where the task has no test of such a kind that counts. blind: faults of the
    machine left nothing of it, not even how many tests there are.
    """

    task: str
    n: int
    infra: int
    samples: Mapping[str, Count | None]
    tests: Mapping[str, Count]
    blind: bool = False


@dataclass(frozen=True)
class DualMetrics:
    """What tasks came to. Rates are named "pass@k", "secure@k", "secure-pass@k", "pr", "spr"."""

    tasks: tuple[TaskCounts, ...]

    @cached_property
    def n(self) -> int:
        """Samples, also those that are missing or have no verdict."""
        return sum(task.n for task in self.tasks)

    @cached_property
    def infra(self) -> int:
        return sum(task.infra for task in self.tasks)

    @cached_property
    def k(self) -> int:
        """The largest k for which all tasks have samples; 0 where there is no task."""
        return min((task.n for task in self.tasks), default=0)

    def names(self, ks: Iterable[int] = KS) -> list[str]:
        """The rates: those at 1, at each k that the samples allow, and those over tests."""
        wanted = sorted({1, *(k for k in ks if 1 <= k <= self.k)})
        return [f"{kind}@{k}" for k in wanted for kind in KINDS] + list(PASSED)

    def ratio(self, name: str, missing: MissingAs = MissingAs.POINT) -> Ratio | None:
        """What each task adds to the rate; None where a task has too few samples for this k."""
        kind, _, k = name.partition("@")
        parts = [
            _samples_part(task.samples[kind], int(k), missing)
            if k
            else _tests_part(task.tests[kind], missing)
            for task in self.tasks
        ]
        counted_parts = [part for part in parts if part is not None]
        # A mean over the tasks with enough samples would be a rate of other tasks than the one beside it.
        if len(counted_parts) < len(parts):
            return None
        return [over for over, _ in counted_parts], [under for _, under in counted_parts]

    def rate(self, name: str, missing: MissingAs = MissingAs.POINT) -> float | None:
        """The rate as a fraction; None where it is not defined.

        Tests of unknown number leave a rate over tests open to all that it could be.
        """
        if (
            missing is not MissingAs.POINT
            and name in PASSED
            and any(task.blind for task in self.tasks)
        ):
            return float(missing is MissingAs.HIGH)
        ratio = self.ratio(name, missing)
        return None if ratio is None else ratio_of(ratio)

    def count_passed(self, name: str) -> Count:
        """Tests passed, over all tasks and samples ("pr", "spr")."""
        counts = [task.tests[name] for task in self.tasks]
        sums = (sum(c.passed for c in counts), sum(c.judged for c in counts))
        return Count(*sums, sum(c.open for c in counts))


def _samples_part(count: Count | None, k: int, missing: MissingAs) -> tuple[float, float] | None:
    # A task without such tests adds nothing to either side of the ratio, and so drops out of the mean.
    if count is None:
        return 0.0, 0.0
    passed, n = count.passed_and_total(missing)
    if n == 0:
        return 0.0, 0.0
    value = estimate_pass_at_k(n, passed, k)
    return None if value is None else (value, 1.0)


def _tests_part(count: Count, missing: MissingAs) -> tuple[float, float]:
    passed, n = count.passed_and_total(missing)
    return float(passed), float(n)


def listed_tests(rows: Iterable[SampleResult]) -> frozenset[Key]:
    """All tests that some sample lists."""
    return frozenset((test.kind, test.id) for row in rows for test in row.tests)


def counted_tests(rows: Sequence[SampleResult]) -> frozenset[Key]:
    """The tests that count for all samples of the task that `rows` are of; see the module's rule."""
    verdicts_by_test: dict[Key, set[OracleVerdict]] = {key: set() for key in listed_tests(rows)}
    for row in rows:
        for test in row.tests if row.health == "ok" else ():
            verdicts_by_test[test.kind, test.id].add(test.verdict)
    return frozenset(
        key
        for key, verdicts in verdicts_by_test.items()
        # `na` in one sample alone must not drop a test that another sample was judged by.
        if verdicts & JUDGED or OracleVerdict.NA not in verdicts
    )


def passed_tests(row: SampleResult) -> set[Key]:
    return {(test.kind, test.id) for test in row.tests if test.verdict == OracleVerdict.PASS}


def passes(row: SampleResult, keys: Collection[Key]) -> bool:
    """Whether a sample passes each of these tests; False where there are no tests."""
    return bool(keys) and passed_tests(row).issuperset(keys)


def keys_of_kind(keys: Iterable[Key], kinds: Collection[str]) -> frozenset[Key]:
    return frozenset(key for key in keys if key[0] in kinds)


def count_task(task: str, rows: Sequence[SampleResult], counted: Collection[Key]) -> TaskCounts:
    """Count a task's samples and tests, of which only `counted` count.

    Where no sample lists any test (all are missing), the task has both kinds, and nothing passed.
    """
    judged = [passed_tests(row) for row in rows if row.health == "ok"]
    infra = len(rows) - len(judged)
    unknown = not any(row.tests for row in rows)
    samples: dict[str, Count | None] = {}
    for name, kinds in KINDS.items():
        keys = keys_of_kind(counted, kinds)
        # secure-pass needs tests of both kinds: with one kind alone it would be the rate of that suite.
        whole = unknown or {kind for kind, _ in keys} == set(kinds)
        good = sum(bool(keys) and passed >= keys for passed in judged)
        samples[name] = Count(good, len(judged), infra) if whole else None
    tests = {}
    for name, kind in PASSED.items():
        keys = keys_of_kind(counted, (kind,))
        good = sum(len(passed & keys) for passed in judged)
        tests[name] = Count(good, len(judged) * len(keys), infra * len(keys))
    return TaskCounts(task, len(rows), infra, samples, tests, unknown and not judged)


def group_by_task(samples: Iterable[SampleResult]) -> dict[str, list[SampleResult]]:
    """The samples of each task, by id of task; facts that a sample lacks come from those of its task."""
    groups: dict[str, list[SampleResult]] = {}
    for sample in samples:
        groups.setdefault(sample.task, []).append(sample)
    return {task: _alike(groups[task]) for task in sorted(groups)}


def _alike(rows: list[SampleResult]) -> list[SampleResult]:
    facts = {
        "language": _only(row.language for row in rows),
        "domain": next((row.domain for row in rows if row.domain), ""),
        "level": next((row.level for row in rows if row.level), ""),
    }
    return [_with(row, facts) for row in rows]


def _with(row: SampleResult, facts: Mapping[str, str]) -> SampleResult:
    lacking = {name: value for name, value in facts.items() if value and not getattr(row, name)}
    return row.model_copy(update=lacking) if lacking else row


def _only(names: Iterable[str]) -> str:
    distinct = {name for name in names if name}
    return distinct.pop() if len(distinct) == 1 else ""


def measure(samples: Iterable[SampleResult]) -> DualMetrics:
    """Count samples of any tasks."""
    groups = group_by_task(samples)
    return DualMetrics(
        tuple(count_task(task, rows, counted_tests(rows)) for task, rows in groups.items())
    )


SAMPLE_GROUPS: dict[str, Callable[[SampleResult], str]] = {
    "language": lambda sample: sample.language,
    "domain": lambda sample: sample.domain,
    "level": lambda sample: sample.level,
    "state": lambda sample: state_of(sample),
}
GROUPED = (*SAMPLE_GROUPS, "cwe")


def state_of(sample: SampleResult) -> str:
    """What became of a sample, or "infra"."""
    return str(sample.state) if sample.health == "ok" else "infra"


def states(samples: Iterable[SampleResult]) -> dict[str, int]:
    """How many samples came to each state, and how many met a fault of the machine."""
    counted = Counter(map(state_of, samples))
    return {name: counted[name] for name in (*map(str, State), "infra") if counted[name]}


def measure_by_group(samples: Sequence[SampleResult], group: str) -> dict[str, DualMetrics]:
    """Rates by language, domain, level or state of the samples, or by CWE, in natural order.

    By CWE: the tasks that have security tests of it, with these and with all of their functional tests.
    Raises KeyError for another group.
    """
    counts = (
        _counts_by_cwe(samples)
        if group == "cwe"
        else _counts_by_sample(samples, SAMPLE_GROUPS[group])
    )
    return {name: DualMetrics(tuple(counts[name])) for name in sorted(counts, key=natural)}


def _counts_by_sample(
    samples: Sequence[SampleResult], group_of: Callable[[SampleResult], str]
) -> dict[str, list[TaskCounts]]:
    groups: dict[str, list[TaskCounts]] = {}
    for task, rows in group_by_task(samples).items():
        counted = counted_tests(rows)
        parts: dict[str, list[SampleResult]] = {}
        for row in rows:
            parts.setdefault(group_of(row), []).append(row)
        for name, part in parts.items():
            groups.setdefault(name, []).append(count_task(task, part, counted))
    return groups


def _counts_by_cwe(samples: Sequence[SampleResult]) -> dict[str, list[TaskCounts]]:
    groups: dict[str, list[TaskCounts]] = {}
    for task, rows in group_by_task(samples).items():
        counted = counted_tests(rows)
        functional = keys_of_kind(counted, ("functional",))
        keys_by_cwe: dict[str, set[Key]] = {}
        for key, text in {((t.kind, t.id), t.cwe) for row in rows for t in row.tests}:
            for cwe in cwes_of(text) if key in counted and key[0] == "security" else ():
                keys_by_cwe.setdefault(cwe, set()).add(key)
        for cwe, keys in keys_by_cwe.items():
            groups.setdefault(cwe, []).append(count_task(task, rows, functional | keys))
    return groups


def cwes_of(text: str) -> tuple[str, ...]:
    """The CWEs that a test names, in canonical spelling ("CWE-020" is CWE-20); "none" where it names none."""
    cwes = dict.fromkeys(f"CWE-{number}" for number in CWE.findall(text))
    return tuple(cwes) or (NO_CWE,)
