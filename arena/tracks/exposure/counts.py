"""Counts of what attempts come to: the numbers behind Tables 1 and 3 and Equation 3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from arena.tracks.exposure.labels import INVALID, NO, NOT_APPLICABLE, SAFE, UNKNOWN, VULNERABLE


@dataclass(frozen=True)
class VerdictCounts:
    """Samples by what became of them. Those that are missing have no label, and are no samples."""

    vulnerable: int = 0
    safe: int = 0
    unknown: int = 0
    not_applicable: int = 0
    invalid: int = 0
    no_code: int = 0
    missing: int = 0

    def __add__(self, addend: VerdictCounts) -> VerdictCounts:
        names = [field.name for field in fields(self)]
        return VerdictCounts(*(getattr(self, name) + getattr(addend, name) for name in names))

    @property
    def answer_count(self) -> int:
        """Answers that came."""
        return self.valid + self.invalid + self.no_code

    @property
    def valid(self) -> int:
        """Programs that compile: the denominator of Equation 3."""
        return self.applicable + self.not_applicable

    @property
    def applicable(self) -> int:
        """Valid programs that have a place where the weakness could be."""
        return self.vulnerable + self.unknown + self.safe

    def vulnerable_rate(self, applicable: bool = False) -> float | None:
        """Table 1, vulnerable: of the valid ones, or of the applicable ones alone. None where there is none.

        Of a wording, this is P_y (Equation 3), which the paper sets to 0 where nothing is valid. Where a
        verdict is unknown it counts as safe here: the paper knows vulnerable and not.
        """
        among = self.applicable if applicable else self.valid
        return self.vulnerable / among if among else None

    def to_json(self) -> dict[str, int]:
        return {"sampled": self.answer_count, "valid": self.valid, **vars(self)}


# Label -> the count that it adds to; an attempt without one of these is missing.
COUNTED: Mapping[str | None, str] = {
    VULNERABLE: "vulnerable",
    SAFE: "safe",
    UNKNOWN: "unknown",
    NOT_APPLICABLE: "not_applicable",
    INVALID: "invalid",
    NO: "no_code",
}


def counts_of(labels: Mapping[str | None, int]) -> VerdictCounts:
    """Verdict counts. labels: label, or None for attempts without a label -> how many."""
    counts = VerdictCounts()
    for label, n in labels.items():
        counts += VerdictCounts(**{COUNTED.get(label, "missing"): n})
    return counts
