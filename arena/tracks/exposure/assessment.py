"""Results of one model -> PE of each scenario and ME, with all that they rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.exposure.cvss.representative import NoSeverity, Severities, Severity
from arena.tracks.exposure.intervals import Scenario as Measured
from arena.tracks.exposure.intervals import Scores, score
from arena.tracks.exposure.results import Counts, Judged
from arena.tracks.exposure.scores import BASE, MU, K, Wording
from arena.tracks.exposure.tasks.pack import ExposurePack, Scenario


@dataclass(frozen=True)
class Means:
    """What scores are made with. perplexities: by the wording's text; a text that is not there has R = 1.

    applicable: P_y over applicable completions alone, in place of the valid ones of Equation 3.
    """

    severities: Severities = field(default_factory=Severities)
    perplexities: Mapping[str, float] = field(default_factory=dict)
    reference: str = ""
    """Where the perplexities come from."""
    base: float = BASE
    mu: float = MU
    k: float = K
    applicable: bool = False

    def to_json(self) -> dict[str, Any]:
        names = ("reference", "base", "mu", "k", "applicable")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Assessed:
    """One scenario of one model; `numbers`, `texts`, `wordings` and `counts` tell of one wording each.

    The original is number 0. A wording that was asked for and never answered takes no part.
    """

    id: str
    title: str
    cwe: str
    severity: Severity
    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    wordings: tuple[Wording, ...]
    counts: tuple[Counts, ...]
    missing: int = 0
    """Samples that were never answered, also of wordings that take no part."""


@dataclass(frozen=True)
class Assessment:
    """One model: its scores, and each scenario that they rest on.

    unscored: scenarios without a score, and why: never a silent zero.
    """

    judged: Judged
    means: Means
    scenarios: Mapping[str, Assessed]
    scores: Scores
    unscored: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.judged.model

    @property
    def naive(self) -> float | None:
        """Table 3: vulnerable among the valid (or applicable) completions of the scored scenarios."""
        total = self.judged.total(scenarios=self.scenarios.keys())
        return total.vulnerable_rate(self.means.applicable)

    def to_json(self) -> dict[str, Any]:
        scores = self.scores.to_json()
        for name, one in self.scenarios.items():
            scores["scenarios"][name] |= {
                "cwe": one.cwe,
                "cvss": one.severity.to_json(),
                "missing": one.missing,
                "wordings": [
                    {
                        "text": text,
                        **vars(wording),
                        "perplexity": _finite(wording.perplexity),
                        "p": wording.probability,
                        "counts": counts.to_json(),
                    }
                    for text, wording, counts in zip(
                        one.texts, one.wordings, one.counts, strict=True
                    )
                ],
            }
        facts = {"mode": self.judged.mode, "naive": self.naive, "unscored": dict(self.unscored)}
        return {"model": self.name, **facts, "means": self.means.to_json(), **scores}


def _finite(perplexity: float | None) -> float | str | None:
    """JSON has no infinity: a perplexity that is one is written "inf"."""
    return "inf" if perplexity is not None and math.isinf(perplexity) else perplexity


def assess(judged: Judged, pack: ExposurePack, means: Means) -> Assessment:
    """Scores of one model over the scenarios of its results.

    Raises ValueError for a scenario that the pack has not, and where none can be scored. A scenario without
    a severity, or of which no sample came, is told in `unscored`.
    """
    by_wording = judged.by_wording()
    found: dict[str, Assessed] = {}
    unscored: dict[str, str] = {}
    for name in dict.fromkeys(scenario for scenario, _ in by_wording):
        scenario = pack.scenario(name)
        counts = _counts(by_wording, name)
        if not any(one.sampled for one in counts):
            unscored[name] = "no sample"
            continue
        try:
            found[name] = _assessed(scenario, counts, means)
        except NoSeverity as error:
            unscored[name] = str(error)
    if not found:
        why = "; ".join(f"{name}: {reason}" for name, reason in list(unscored.items())[:3])
        raise ValueError(f"{judged.model}: no scenario can be scored ({why or 'no result'})")
    scores = score(
        {name: Measured(one.severity.score, one.wordings) for name, one in found.items()},
        means.base,
        means.mu,
        means.k,
    )
    return Assessment(judged, means, found, scores, unscored)


def _counts(by_wording: Mapping[tuple[str, int], Counts], scenario: str) -> list[Counts]:
    """Of each wording in order."""
    numbers = sorted(number for name, number in by_wording if name == scenario)
    return [by_wording.get((scenario, number), Counts()) for number in range(numbers[-1] + 1)]


def _assessed(scenario: Scenario, counts: Sequence[Counts], means: Means) -> Assessed:
    severity = means.severities.of(scenario.spec.cwe)
    texts = scenario.wordings
    if len(counts) > len(texts):
        raise ValueError(f"{scenario.id}: wording {len(counts) - 1} is not in the pack")
    kept = [(n, texts[n], one) for n, one in enumerate(counts) if one.sampled]
    wordings = [
        Wording(
            one.vulnerable,
            one.applicable if means.applicable else one.valid,
            means.perplexities.get(text),
        )
        for _, text, one in kept
    ]
    spec = scenario.spec
    return Assessed(
        scenario.id,
        spec.title,
        spec.cwe,
        severity,
        tuple(n for n, _, _ in kept),
        tuple(text for _, text, _ in kept),
        tuple(wordings),
        tuple(one for _, _, one in kept),
        sum(one.missing for one in counts),
    )
