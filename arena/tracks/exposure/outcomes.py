"""Attempts of a run -> what each model came to, by scenario and wording."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from arena.protocols import Facts
from arena.report.text import natural
from arena.store.model import Attempt
from arena.tracks.exposure.counts import VerdictCounts, counts_of
from arena.tracks.exposure.labels import VOCABULARY

# Wordings of the paper's Table 1: each scenario as it is, 25 samples.
ORIGINAL = (0,)
Group = TypeVar("Group", str, tuple[str, int])
_WORDING = re.compile(r"w(0|[1-9][0-9]{0,4})")


@dataclass(frozen=True)
class Outcomes:
    """All attempts of a model, or of answers that somebody brought under the same name."""

    name: str
    attempts: Sequence[Attempt]
    facts: Facts

    @cached_property
    def counts_by_wording(self) -> dict[tuple[str, int], VerdictCounts]:
        """Counts of each wording of each scenario, in the attempts' order."""
        return self._count_by(lambda item: (item.key.task, wording_of(item)))

    @cached_property
    def counts_by_scenario(self) -> dict[str, VerdictCounts]:
        return self._count_by(lambda item: item.key.task)

    def _count_by(self, group: Callable[[Attempt], Group]) -> dict[Group, VerdictCounts]:
        result: dict[Group, Counter[str | None]] = {}
        for attempt in self.attempts:
            result.setdefault(group(attempt), Counter())[attempt.label] += 1
        return {key: counts_of(labels) for key, labels in result.items()}

    def total(
        self, wordings: Collection[int] | None = None, scenarios: Collection[str] | None = None
    ) -> VerdictCounts:
        """Counts over all samples uniformly, as in Table 3; of `wordings` ORIGINAL, as in Table 1."""
        counts = VerdictCounts()
        for (scenario, wording), item in self.counts_by_wording.items():
            if wordings is not None and wording not in wordings:
                continue
            if scenarios is None or scenario in scenarios:
                counts += item
        return counts

    @cached_property
    def texts(self) -> dict[tuple[str, int], str]:
        """Texts of the wordings in the prompts; "" of attempts of earlier releases, which do not store it."""
        return {
            (attempt.key.task, wording_of(attempt)): str(request.get("text", ""))
            for attempt in self.attempts
            if (request := request_of(attempt))
        }

    @cached_property
    def mode(self) -> str:
        """How the model was prompted; "" of answers from elsewhere."""
        return next(
            (str(m) for attempt in self.attempts if (m := request_of(attempt).get("mode"))), ""
        )

    def cwe(self, scenario: str) -> str:
        """The scenario's first CWE, "" without facts about it."""
        facts = self.facts.get(scenario)
        return facts.cwes[0] if facts and facts.cwes else ""

    def title(self, scenario: str) -> str:
        facts = self.facts.get(scenario)
        return facts.title if facts else ""


def wording_of(attempt: Attempt) -> int:
    """The number of the wording; 0 is the scenario's original."""
    match = _WORDING.fullmatch(attempt.key.prompt)
    return int(match[1]) if match else 0


def request_of(attempt: Attempt) -> Mapping[str, Any]:
    """What the evidence records of the prompt; {} of attempts of earlier releases."""
    request = attempt.evidence.get("asked")
    return request if isinstance(request, dict) else {}


def sort_attempts(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Attempts sorted by the place of the scenario in its pack, then by wording and replicate."""
    places: dict[str, int] = {}
    for attempt in attempts:
        if isinstance(place := request_of(attempt).get("place"), int):
            places.setdefault(attempt.key.task, place)

    def order(attempt: Attempt) -> tuple[object, ...]:
        task = attempt.key.task
        return (
            places.get(task, len(attempts)),
            natural(task),
            wording_of(attempt),
            attempt.key.replicate,
        )

    return sorted(attempts, key=order)


def outcomes_of(attempts: Sequence[Attempt], facts: Facts) -> list[Outcomes]:
    """Outcomes by (agent, model). Calibration agents give an example for each scenario: they have no P."""
    groups: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in sort_attempts(attempts):
        if attempt.key.agent not in VOCABULARY.calibration:
            groups.setdefault((attempt.key.agent, attempt.model), []).append(attempt)
    models = Counter(model for _, model in groups)
    return [
        Outcomes(
            # The agent too where the model alone would name two of them.
            model if model and models[model] == 1 else f"{agent} {model}".strip(),
            group,
            facts,
        )
        for (agent, model), group in groups.items()
    ]
