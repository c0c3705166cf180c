"""How far executor and oracles agree with people: DualGauge's validation (Section 5.2, Table 2).

The executor is right where it returns a run for a test whose program a person labels as executable; an oracle
where its verdict is the person's. A model's verdicts and the rest are reported separately.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from arena.report.grid import FORMULA, plain
from arena.report.labels import LabelsError, read_records
from arena.report.ratings import RatedScores, scores
from arena.report.statistics import SEED, cohen_kappa
from arena.tracks.dual.metrics import group_by_task
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, TestResult

FIELDS = ("task", "sample", "test", "kind", "executed", "verdict")
# Task, sample and test.
PLACE = tuple[str, str, str]
YES_NO: dict[str, bool | None] = {
    **dict.fromkeys(("true", "yes", "1"), True),
    **dict.fromkeys(("false", "no", "0"), False),
    **dict.fromkeys(("", "null", "none"), None),
}
MAX_ID = 500


@dataclass(frozen=True)
class HumanLabel:
    """A person's label for a test of a sample; None where there is no label."""

    executed: bool | None
    verdict: OracleVerdict | None


@dataclass(frozen=True)
class ValidatedPart:
    """A labelled test as it is stored."""

    label: HumanLabel
    sample: SampleResult
    test: TestResult

    @property
    def is_executed(self) -> bool:
        """Whether the executor gave a run of it."""
        return self.test.verdict != OracleVerdict.ERROR

    @property
    def decided_by(self) -> str:
        return "judge" if self.test.is_judged_by_model else "deterministic"


@dataclass(frozen=True)
class Agreed:
    """Verdicts against labels: scores with `pass` and with `fail` as the class, and Cohen's kappa."""

    passing: RatedScores
    failing: RatedScores
    same: int
    kappa: float | None

    def to_json(self) -> dict[str, Any]:
        facts = {"n": self.passing.n, "same": self.same, "kappa": self.kappa}
        return {**facts, "pass": self.passing.to_json(), "fail": self.failing.to_json()}


def measure_agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreed:
    """From (we say it passes, the person does)."""
    turned = [(not ours, not theirs) for ours, theirs in pairs]
    kappa = cohen_kappa([(str(ours), str(theirs)) for ours, theirs in pairs])
    same = sum(ours == theirs for ours, theirs in pairs)
    return Agreed(scores(pairs), scores(turned), same, kappa)


@dataclass(frozen=True)
class Validation:
    """The executor and the evaluator against labels. Of the evaluator, by kind, oracle and who decided.

    unknown: labels about tests that are not there. untold: labels that say nothing (a template
    not filled in). infra: about samples without a verdict. unjudged: about tests with the verdict `na`.
    """

    executor: RatedScores
    evaluator: Agreed
    by: Mapping[str, Mapping[str, Agreed]]
    judge: Agreed
    unknown: tuple[str, ...]
    untold: int
    infra: int
    unjudged: int

    def to_json(self) -> dict[str, Any]:
        return {
            "executor": self.executor.to_json(),
            "evaluator": self.evaluator.to_json(),
            "by": {
                group: {name: agreement.to_json() for name, agreement in rows.items()}
                for group, rows in self.by.items()
            },
            "judge_against_deterministic": self.judge.to_json(),
            "unknown": list(self.unknown),
            "untold": self.untold,
            "infra": self.infra,
            "unjudged": self.unjudged,
        }


def validate(samples: Sequence[SampleResult], labels: Mapping[PLACE, HumanLabel]) -> Validation:
    """Compare samples with labels. A test with the verdict `error` was not executed, and did not pass."""
    places = {
        (sample.task, sample.sample, test.id): (sample, test)
        for sample in samples
        for test in sample.tests
    }
    unknown = tuple("/".join(place) for place in labels if place not in places)
    judged_parts = [
        ValidatedPart(label, *places[place]) for place, label in labels.items() if place in places
    ]
    labelled = [
        f for f in judged_parts if f.label.executed is not None or f.label.verdict is not None
    ]
    ok = [part for part in labelled if part.sample.health == "ok"]
    judged = [part for part in ok if part.test.verdict != OracleVerdict.NA]
    ran = [(f.is_executed, f.label.executed) for f in judged if f.label.executed is not None]
    rated = [part for part in judged if part.label.verdict is not None]
    return Validation(
        scores(ran),
        measure_agreement(_pairs(rated)),
        {
            "kind": _group_agreement(rated, [part.test.kind for part in rated]),
            "decided_by": _group_agreement(rated, [part.decided_by for part in rated]),
            "oracle": _group_agreement(rated, [part.test.oracle for part in rated]),
        },
        judge_agreement(samples),
        unknown,
        len(judged_parts) - len(labelled),
        len(labelled) - len(ok),
        len(ok) - len(judged),
    )


def _pairs(parts: Iterable[ValidatedPart]) -> list[tuple[bool, bool]]:
    return [
        (f.test.verdict == OracleVerdict.PASS, f.label.verdict == OracleVerdict.PASS) for f in parts
    ]


def _group_agreement(rated: Sequence[ValidatedPart], names: Sequence[str]) -> dict[str, Agreed]:
    groups: dict[str, list[ValidatedPart]] = {}
    for part, name in zip(rated, names, strict=True):
        groups.setdefault(name, []).append(part)
    return {name: measure_agreement(_pairs(groups[name])) for name in sorted(groups)}


def judge_agreement(samples: Iterable[SampleResult]) -> Agreed:
    """The model's verdicts against the deterministic ones, on all tests that have both."""
    pairs = []
    for sample in samples:
        for test in sample.tests if sample.health == "ok" else ():
            judge, sure = test.judge, test.deterministic
            if judge is not None and sure not in (None, OracleVerdict.NA):
                pairs.append((judge.verdict == OracleVerdict.PASS, sure == OracleVerdict.PASS))
    return measure_agreement(pairs)


def load_labels(path: Path) -> dict[PLACE, HumanLabel]:
    """Labels by task, sample and test. Raises LabelsError for the first mistake."""
    labels: dict[PLACE, HumanLabel] = {}
    for where, record in read_records(path):
        place = _place(record, where)
        if place in labels:
            raise LabelsError(f"{where}: test: {'/'.join(place)[:80]!r} is there twice")
        labels[place] = HumanLabel(_parse_executed(record, where), _verdict(record, where))
    if not labels:
        raise LabelsError(f"--labels: {path}: no label in it")
    return labels


def _place(record: Mapping[str, Any], where: str) -> PLACE:
    names = []
    for field in ("task", "sample", "test"):
        value = record.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip() or len(value) > MAX_ID:
            raise LabelsError(f"{where}: {field}: missing, or no text of 1 to {MAX_ID} characters")
        # A template as CSV has a quote before what a spreadsheet would run; see `grid.plain`.
        quoted = value.startswith("'") and value[1:].lstrip().startswith(FORMULA)
        names.append(value[quoted:].strip())
    return names[0], names[1], names[2]


def _parse_executed(record: Mapping[str, Any], where: str) -> bool | None:
    recorded = record.get("executed")
    word = "" if recorded is None else str(recorded).strip().lower()
    if word not in YES_NO:
        raise LabelsError(f"{where}: executed: {word[:40]!r} is neither true nor false")
    return YES_NO[word]


def _verdict(record: Mapping[str, Any], where: str) -> OracleVerdict | None:
    recorded = record.get("verdict")
    word = "" if recorded is None else str(recorded).strip().lower()
    if word and word not in (OracleVerdict.PASS, OracleVerdict.FAIL):
        raise LabelsError(f"{where}: verdict: {word[:40]!r} is neither pass nor fail")
    return OracleVerdict(word) if word else None


def sample_for_labels(
    samples: Iterable[SampleResult], n: int, seed: int = SEED
) -> list[dict[str, str | None]]:
    """A template for labels: n tasks, each once, with a test and a sample drawn uniformly (Section 5.2).

    The verdicts are left empty, and ours are not shown: whoever labels is to be blind to them.
    """
    random = Random(seed)  # noqa: S311 - draws to be repeated, no secrets
    rows: list[dict[str, str | None]] = []
    tasks = {
        task: [s for s in task_samples if s.tests]
        for task, task_samples in group_by_task(samples).items()
    }
    usable = [task for task, task_samples in tasks.items() if task_samples]
    for task in sorted(random.sample(usable, min(n, len(usable)))):
        sample = random.choice(tasks[task])
        test = random.choice(sample.tests)
        rows.append(
            {
                "task": task,
                "sample": sample.sample,
                "test": test.id,
                "kind": test.kind,
                "executed": None,
                "verdict": None,
            }
        )
    return rows


def write_template(rows: Iterable[Mapping[str, str | None]], as_csv: bool) -> str:
    """A template as CSV or JSONL."""
    if not as_csv:
        return "".join(json.dumps(row) + "\n" for row in rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS)
    writer.writeheader()
    writer.writerows({name: plain(cell) for name, cell in row.items()} for row in rows)
    return out.getvalue()
