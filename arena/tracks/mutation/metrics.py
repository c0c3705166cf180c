"""The scores of SecMutBench (Equations 1 to 6), by any group, in percent.

All rates are pooled: over the mutants of all valid suites together, not averages of programs' scores. That
is how the published rows are computed (reference tests: 889 of 1,869 semantic, SMS 47.6); the original's
`calculate_metrics` also averages over programs, and no table of the paper shows that average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.report.scores import Score, Sums, divide, ratio, score_values
from arena.report.text import natural
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.results import MutantResult, SampleResult, State

# Scores are reported in percent, as in the paper.
PERCENT = 100.0


@dataclass(frozen=True)
class MutationMetrics:
    """Counts, and the scores that follow from them, in percent; None where there is nothing to divide by.

    suites: those that count (health ok). valid: those that pass on the secure program. detecting: valid
    suites that fail on the insecure program. mutants: those that valid suites met. floored: those of them
    that the program's functional suite, itself valid, met too; floor_kills: which it killed semantically.
    """

    suites: int
    valid: int
    detecting: int
    mutants: int
    kills: Mapping[Category, int]
    infra: int = 0
    floored: int = 0
    floor_kills: int = 0

    @property
    def kill_count(self) -> int:
        return sum(self.kills.values())

    @property
    def sums(self) -> dict[str, int]:
        """The counts by name, as scores take them."""
        semantic = self.kills.get(Category.SEMANTIC, 0)
        counted = (self.suites, self.valid, self.detecting, self.mutants, self.kill_count, semantic)
        return dict(zip(COUNTS, (*counted, self.floored, self.floor_kills), strict=True))

    @cached_property
    def scores(self) -> dict[str, float | None]:
        """Each of SCORES."""
        return score_values(SCORES, self.sums)

    @property
    def ms(self) -> float | None:
        return self.scores["ms"]

    @property
    def sms(self) -> float | None:
        return self.scores["sms"]

    @property
    def floor(self) -> float | None:
        return self.scores["floor"]

    @property
    def inflation(self) -> float | None:
        return self.scores["inflation"]

    @property
    def spr(self) -> float | None:
        return self.scores["spr"]

    @property
    def eff_sms(self) -> float | None:
        return self.scores["eff_sms"]

    @property
    def vd(self) -> float | None:
        return self.scores["vd"]


def _inflation(sums: Sums) -> Any:
    return divide(SCORES["ms"].formula(sums), SCORES["sms"].formula(sums))


def _effective_sms(sums: Sums) -> Any:
    import numpy as np

    # SMS has no denominator then, but the paper's Equation 5 gives such a set of suites 0.
    none_is_valid = (np.asarray(sums["suites"]) > 0) & (np.asarray(sums["valid"]) == 0)
    effective = SCORES["sms"].formula(sums) * SCORES["spr"].formula(sums) / PERCENT
    return np.where(none_is_valid, 0.0, effective)


COUNTS = (
    *("suites", "valid", "detecting", "mutants", "killed", "semantic"),
    *("floored", "floor_kills"),
)
SCORES: dict[str, Score] = {
    "ms": ratio("killed", "mutants", PERCENT),  # Equation 3: of all mutants that valid suites met
    "sms": ratio("semantic", "mutants", PERCENT),  # Equation 2: those of them killed semantically
    # SMS of the programs' functional suites on the same mutants: the score without any security test
    "floor": ratio("floor_kills", "floored", PERCENT),
    "inflation": Score(_inflation),  # Equation 4: MS / SMS; none where no kill is semantic
    "spr": ratio(
        "valid", "suites", PERCENT
    ),  # secure-pass rate: suites that pass on the secure program
    "eff_sms": Score(
        _effective_sms
    ),  # Equation 5: SMS x SPR; 0 where there are suites and none is valid
    "vd": ratio("detecting", "suites", PERCENT),  # Equation 6: passes on secure, fails on insecure
}


def measure(samples: Iterable[SampleResult]) -> MutationMetrics:
    """Count suites. Those that met a fault of the machine are only counted as such."""
    rows = list(samples)
    ok = [sample for sample in rows if sample.health == "ok"]
    valid = [sample for sample in ok if sample.secure_passes]
    mutants = [mutant for sample in valid for mutant in sample.mutants]
    return MutationMetrics(
        suites=len(ok),
        valid=len(valid),
        detecting=sum(sample.detects for sample in ok),
        mutants=len(mutants),
        kills=_kills(mutants),
        infra=len(rows) - len(ok),
        floored=sum(mutant.floor is not None for mutant in mutants),
        floor_kills=sum(mutant.floor is True for mutant in mutants),
    )


def _kills(mutants: Iterable[MutantResult]) -> dict[Category, int]:
    kills = dict.fromkeys(Category, 0)
    for mutant in mutants:
        if mutant.category is not None:
            kills[mutant.category] += 1
    return kills


def states(samples: Iterable[SampleResult]) -> dict[str, int]:
    """How many suites have each state, and how many met a fault of the machine."""
    counted = {str(state): 0 for state in State} | {"infra": 0}
    for sample in samples:
        counted[str(sample.state) if sample.health == "ok" else "infra"] += 1
    return {name: number for name, number in counted.items() if number}


GROUPS: dict[str, Callable[[SampleResult], str]] = {
    "cwe": lambda sample: sample.cwe,
    "difficulty": lambda sample: sample.difficulty,
    "prompt": lambda sample: sample.prompt,
}


def measure_by_group(samples: Iterable[SampleResult], group: str) -> dict[str, MutationMetrics]:
    """`measure` for each CWE, difficulty or prompt, in natural order. Raises KeyError for another group."""
    group_of = GROUPS[group]
    groups: dict[str, list[SampleResult]] = {}
    for sample in samples:
        groups.setdefault(group_of(sample), []).append(sample)
    return {name: measure(groups[name]) for name in sorted(groups, key=natural)}


def measure_by_operator(samples: Iterable[SampleResult]) -> dict[str, MutationMetrics]:
    """Mutants by operator; a suite counts for each operator of which it met a mutant."""
    groups: dict[str, list[SampleResult]] = {}
    for sample in samples:
        for operator in {mutant.operator for mutant in sample.mutants}:
            mutants = tuple(mutant for mutant in sample.mutants if mutant.operator == operator)
            groups.setdefault(operator, []).append(sample.model_copy(update={"mutants": mutants}))
    return {name: measure(groups[name]) for name in sorted(groups)}


def summary_json(
    metrics: MutationMetrics, states: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The contract's `summary`, with the counts behind each score beside it."""
    return {
        **metrics.scores,
        "kills": {str(category): metrics.kills.get(category, 0) for category in Category},
        "killed": metrics.kill_count,
        "mutants": metrics.mutants,
        "suites": metrics.suites,
        "valid": metrics.valid,
        "detecting": metrics.detecting,
        "infra": metrics.infra,
        "floored": metrics.floored,
        "floor_kills": metrics.floor_kills,
        **({"states": dict(states)} if states is not None else {}),
    }
