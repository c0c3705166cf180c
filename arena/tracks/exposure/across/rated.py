"""A task with its severities: its wordings as Equation 2 takes them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.tracks.exposure.across.outcomes import TaskOutcomes, counts_json
from arena.tracks.exposure.assessment import ScoreInputs
from arena.tracks.exposure.cvss.representative import CvssSeverity
from arena.tracks.exposure.scores import Wording, aggregate


@dataclass(frozen=True)
class RatedSubject:
    """cwe: the task's CWE with the highest severity. shown: severities of each wording's vulnerable samples.

    without: CWEs without a severity, which may be worse than those with a severity.
    """

    task: TaskOutcomes
    inputs: ScoreInputs
    cwe: str
    severity: CvssSeverity
    shown: tuple[tuple[float, ...], ...]
    without: tuple[str, ...] = ()

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the wordings that take part."""
        return tuple(n for n, wording in enumerate(self.task.wordings) if wording.takes_part)

    @cached_property
    def measured_wordings(self) -> tuple[Wording, ...]:
        """The wordings that take part; () where there is none."""
        return tuple(self.wording(n) for n in self.numbers)

    def wording(self, number: int, vulnerable: int = 0, safe: int = 0) -> Wording:
        """A wording with that many more samples. Without a severity from its samples it has the task's."""
        worded, own_score = self.task.wordings[number], self.severity.score
        shown = [*self.shown[number], *[own_score] * vulnerable]
        return Wording(
            len(shown),
            worded.valid + vulnerable + safe,
            self.inputs.perplexities.get(worded.text) if worded.text else None,
            None
            if all(item == own_score for item in shown)
            else aggregate(shown, self.inputs.base),
        )

    def to_json(self) -> dict[str, Any]:
        samples = [sample for wording in self.task.wordings for sample in wording.samples]
        failed = Counter(cwe for sample in samples for cwe in sample.cwes)
        rows = [
            {
                "name": worded.name,
                "text": worded.text,
                **vars(wording),
                "p": wording.probability,
                "takes_part": worded.takes_part,
                "counts": worded.to_json(),
            }
            for n, worded in enumerate(self.task.wordings)
            for wording in [self.wording(n)]
        ]
        return {
            "cwe": self.cwe,
            "cwes": list(self.task.cwes),
            "cvss": self.severity.to_json(),
            "without_cvss": list(self.without),
            "shown": dict(sorted(failed.items())),
            "counts": counts_json(self.task.counts),
            "wordings": rows,
        }
