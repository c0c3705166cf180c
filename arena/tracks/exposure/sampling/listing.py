"""samples.json: what was sampled, how, and what became of each sample.

    {"form": 1, "track": "exposure", "model", "mode", "pack",
     "parameters": {"samples", "reformulations", and what was pinned: "temperature", "top_p", "max_tokens"},
     "scenarios": {id: digest},
     "rows": [{"scenario", "wording", "sample", "state", "file", "notes", "usage"}]}

`file` is "" where there is no program: `state` is then "no-code" or "missing", and `notes` say why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from arena.tracks.exposure.reading import read_object
from arena.tracks.exposure.sampling.state import CompletionState, Mode

MAX_ROWS = 200_000
MAX_WORDINGS = 1_000
MAX_SAMPLES = 10_000
MAX_SHORT = 500
# Characters of parameters as JSON.
MAX_FACTS = 64 << 10
WITH_CODE = (CompletionState.CODE, CompletionState.CUT)

Short = Annotated[str, StringConstraints(max_length=MAX_SHORT)]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]


def _writable(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that go on into reports: JSON has no NaN and no infinity (which 1e999 reads as)."""
    try:
        # Raises for NaN and infinity, which no JSON parser of a browser takes.
        text = json.dumps(facts, allow_nan=False)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if len(text) > MAX_FACTS:
        raise ValueError(f"more than {MAX_FACTS} characters")
    return facts


Facts = Annotated[dict[str, Any], AfterValidator(_writable)]


class ListedRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class ListedRow(ListedRecord):
    """A sample. `file` is relative to the folder, "" without a program."""

    scenario: Id
    wording: int = Field(ge=0, lt=MAX_WORDINGS, strict=True)
    sample: int = Field(ge=0, lt=MAX_SAMPLES, strict=True)
    state: CompletionState
    file: Short = ""
    notes: tuple[Short, ...] = Field(default=(), max_length=20)
    usage: dict[str, Any] = Field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int]:
        return self.scenario, self.wording, self.sample

    @model_validator(mode="after")
    def _check_file(self) -> ListedRow:
        """A file's name follows from its row, so that no listing can point elsewhere."""
        expected_file = file_of(*self.key) if self.state in WITH_CODE else ""
        # A path of the listing's own choice is never opened.
        if self.file != expected_file:
            raise ValueError(f"file: is {self.file[:80]!r}, and {expected_file!r} is expected")
        return self


class Listing(ListedRecord):
    """A whole samples.json. `scenarios`: digests of what the model was prompted with."""

    form: Literal[1] = 1
    track: Literal["exposure"] = "exposure"
    model: Short
    mode: Mode
    pack: Short
    parameters: Facts = Field(default_factory=dict)
    scenarios: dict[Id, Short] = Field(default_factory=dict)
    rows: tuple[ListedRow, ...] = Field(default=(), max_length=MAX_ROWS)

    @model_validator(mode="after")
    def _unique(self) -> Listing:
        visited: set[tuple[str, int, int]] = set()
        for row in self.rows:
            if row.key in visited:
                raise ValueError(f"{row.scenario}/{row.wording}/{row.sample} is there twice")
            visited.add(row.key)
        return self


def file_of(scenario: str, wording: int, sample: int) -> str:
    return f"{scenario}/{wording}/{sample}.py"


def read_listing(path: Path) -> Listing:
    """A samples.json. Raises ValueError naming the file and the field."""
    content = read_object(path)
    try:
        return Listing.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{path}: {first_mistake(error)}") from error


def first_mistake(error: ValidationError) -> str:
    """The first mistake, in a single line: field, and what is wrong."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part)[:80] for part in first["loc"])
    message = " ".join(str(first["msg"]).removeprefix("Value error, ").split())[:300]
    return f"{field}: {message}" if field else message
