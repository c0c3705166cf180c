"""`scenario.toml` of the track `exposure` as a checked model. Unknown fields are mistakes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from tasks.schema import Cwe, Model, Name

# Characters of a wording.
MAX_WORDING = 1_000
MAX_REFORMULATIONS = 100
# Reformulations of each scenario (N) in the paper, Section 5.
REFORMULATIONS = 10
# The paper's stopping rules (Section 3.2): the block is left, or the first assignment is complete.
Stop = Literal["block", "assignment"]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f]*$", max_length=300)]
Wording = Annotated[str, StringConstraints(min_length=1, max_length=MAX_WORDING)]
Term = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
DetectorName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.:-]{0,99}$")]


def _alternatives(value: object) -> object:
    """A list of a fact's forms; on disk a fact with a single form is a plain text."""
    return [value] if isinstance(value, str) else value


Fact = Annotated[tuple[Term, ...], BeforeValidator(_alternatives), Field(min_length=1)]


class ScenarioSpec(Model):
    """A whole `scenario.toml`.

    detector: a name in `arena/tracks/exposure/detect`, or `package.module:attribute`.
    paper: whether it is among the paper's 17.
    facts: what every wording must hold; each is a text or a list of alternatives.
    allowed: phrases that wordings may hold although they are on the list of hints (`wordings.py`).
    """

    schema_: Literal[1] = Field(alias="schema")
    id: Name
    title: Line
    cwe: Cwe
    detector: DetectorName
    stop: Stop
    paper: bool = False
    language: Literal["python"] = "python"
    facts: tuple[Fact, ...] = Field(min_length=1, max_length=50)
    allowed: tuple[Term, ...] = Field(default=(), max_length=50)
    reformulations: tuple[Wording, ...] = Field(default=(), max_length=MAX_REFORMULATIONS)
