"""What judging found, as data: a row for each sample, and what rows come to for a wording, a scenario or all.

A result file is checked when it is read: it may have been made elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, StringConstraints, ValidationError, model_validator

from arena.tracks.exposure.detect._detector import Finding, Verdict
from arena.tracks.exposure.reading import read_object
from arena.tracks.exposure.sampling.listing import (
    MAX_ROWS,
    MAX_SAMPLES,
    MAX_WORDINGS,
    WITH_CODE,
    Facts,
    Id,
    Record,
    Row,
    Short,
    first_mistake,
    plain,
)
from arena.tracks.exposure.sampling.state import State
from tasks.writing import write_whole

MAX_FILE = 256 << 20
ORIGINAL = (0,)
"""Wordings of the paper's Table 1: each scenario as it is, 25 samples."""
MAX_WHY = 1_000
Why = Annotated[str, StringConstraints(max_length=MAX_WHY)]
Group = TypeVar("Group", str, tuple[str, int])


class JudgedRow(Record):
    """One sample. `verdict` is None exactly where there was no program: `state` then tells, and `why`."""

    scenario: Id
    wording: int = Field(ge=0, lt=MAX_WORDINGS, strict=True)
    sample: int = Field(ge=0, lt=MAX_SAMPLES, strict=True)
    state: State = State.CODE
    verdict: Verdict | None = None
    line: int = Field(default=0, ge=0, strict=True)
    why: Why = ""

    @property
    def key(self) -> tuple[str, int, int]:
        return self.scenario, self.wording, self.sample

    @model_validator(mode="after")
    def _verdict_of_a_program(self) -> JudgedRow:
        if (self.state in WITH_CODE) != (self.verdict is not None):
            told = f"is {self.verdict}, and the state is {self.state}"
            raise ValueError(f"verdict: {told}; what has code has a verdict, and nothing else")
        return self


def judged_row(row: Row, found: Finding | None) -> JudgedRow:
    """A sample with the verdict of its program; None where it has none, which the row's notes explain."""
    verdict, line, why = (found.verdict, found.line, found.why) if found else (None, 0, row.why)
    return JudgedRow(
        scenario=row.scenario,
        wording=row.wording,
        sample=row.sample,
        state=row.state,
        verdict=verdict,
        line=line,
        why=plain(why, MAX_WHY),
    )


class Judged(Record):
    """Samples of one model with their verdicts.

    mode: that of the sampling, "" of programs from elsewhere. detector: who judged, "builtin" for our own;
    detection: its version. digest, scenarios: digests of the pack and of the scenarios that were asked.
    """

    form: Literal[1] = 1
    track: Literal["exposure"] = "exposure"
    model: Short
    mode: Short = ""
    pack: Short
    version: Short = ""
    digest: Short = ""
    scenarios: dict[Id, Short] = Field(default_factory=dict)
    detector: Short = "builtin"
    detection: int | Short = 0
    parameters: Facts = Field(default_factory=dict)
    rows: tuple[JudgedRow, ...] = Field(max_length=MAX_ROWS)
    problems: tuple[Short, ...] = Field(default=(), max_length=1_000)

    @model_validator(mode="after")
    def _unique(self) -> Judged:
        seen: set[tuple[str, int, int]] = set()
        for row in self.rows:
            if row.key in seen:
                raise ValueError(f"rows: {row.scenario}/{row.wording}/{row.sample} is there twice")
            seen.add(row.key)
        return self

    def by_wording(self) -> dict[tuple[str, int], Counts]:
        """Counts of each wording of each scenario, in the rows' order."""
        return self._by(lambda row: (row.scenario, row.wording))

    def by_scenario(self) -> dict[str, Counts]:
        return self._by(lambda row: row.scenario)

    def _by(self, group: Callable[[JudgedRow], Group]) -> dict[Group, Counts]:
        found: dict[Group, dict[str, int]] = {}
        for row in self.rows:
            counted = found.setdefault(group(row), {})
            name = _COUNTED[row.verdict or row.state]
            counted[name] = counted.get(name, 0) + 1
        return {key: Counts(**counted) for key, counted in found.items()}

    def total(
        self, wordings: Collection[int] | None = None, scenarios: Collection[str] | None = None
    ) -> Counts:
        """Counts over all samples uniformly, as in Table 3; of `wordings` ORIGINAL, as in Table 1."""
        counts = Counts()
        for (scenario, wording), one in self.by_wording().items():
            if wordings is not None and wording not in wordings:
                continue
            if scenarios is None or scenario in scenarios:
                counts += one
        return counts


@dataclass(frozen=True)
class Counts:
    """Samples by what became of them. Those that are missing were never answered, and are no samples."""

    vulnerable: int = 0
    safe: int = 0
    not_applicable: int = 0
    invalid: int = 0
    no_code: int = 0
    missing: int = 0

    def __add__(self, other: Counts) -> Counts:
        names = [field.name for field in fields(self)]
        return Counts(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def sampled(self) -> int:
        """Answers that came."""
        return self.valid + self.invalid + self.no_code

    @property
    def valid(self) -> int:
        """Programs that compile: the denominator of Equation 3."""
        return self.applicable + self.not_applicable

    @property
    def applicable(self) -> int:
        """Valid programs that have a place where the weakness could be."""
        return self.vulnerable + self.safe

    @property
    def valid_rate(self) -> float | None:
        """Table 1, valid: of what was sampled. None where nothing was."""
        return self.valid / self.sampled if self.sampled else None

    def vulnerable_rate(self, applicable: bool = False) -> float | None:
        """Table 1, vulnerable: of the valid ones, or of the applicable ones alone. None where there is none.

        Of one wording, this is P_y (Equation 3), which the paper sets to 0 where nothing is valid.
        """
        among = self.applicable if applicable else self.valid
        return self.vulnerable / among if among else None

    def to_json(self) -> dict[str, int]:
        return {"sampled": self.sampled, "valid": self.valid, **vars(self)}


_COUNTED: Mapping[str, str] = {
    Verdict.VULNERABLE: "vulnerable",
    Verdict.SAFE: "safe",
    Verdict.NOT_APPLICABLE: "not_applicable",
    Verdict.INVALID: "invalid",
    State.NO_CODE: "no_code",
    State.MISSING: "missing",
}
"""Verdict, or state of what has none -> the count that it adds to."""


def write_judged(path: Path, judged: Judged) -> None:
    """Raises ValueError where the file cannot be written."""
    content = judged.model_dump(mode="json")
    rows = ",\n".join(json.dumps(row, ensure_ascii=True) for row in content.pop("rows"))
    head = json.dumps(content, ensure_ascii=True, indent=1).removesuffix("\n}")
    try:
        write_whole(path, f'{head},\n "rows": [\n{rows}\n]\n}}\n'.encode())
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error


def load_judged(path: Path) -> Judged:
    """A result file. Raises ValueError, one line that names the file and the field."""
    content = read_object(path, MAX_FILE)
    try:
        return Judged.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{path}: {first_mistake(error)}") from error
