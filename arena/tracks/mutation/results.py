"""The result of a suite: its state, and each mutant that it met.

Checked when it is read back: an imported run may hold anything.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from arena.models import endings
from arena.tracks.mutation.classify import Category


class State(StrEnum):
    """What became of a suite. Only `valid` ones are run on mutants (SecMutBench, Section 4.5)."""

    VALID = "valid"
    MISSING = "missing"
    NO_CODE = "no-code"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    OUT_OF_TOKENS = "out-of-tokens"
    OTHER_LANGUAGE = "other-language"
    NOT_COMPILED = "does-not-compile"
    BAD_IMPORT = "imports-what-is-not-there"
    NOT_COLLECTED = "cannot-be-imported"
    NO_TEST = "no-test"
    PASSES_NOTHING = "passes-nothing"
    FAILS_ON_SECURE = "fails-on-secure"
    STOPPED = "stopped-on-secure"
    PROGRAM = "program-cannot-be-imported"


MEANING: dict[State, str] = {
    State.VALID: "passes on the secure program",
    State.MISSING: "there is no suite for the program",
    **{State(name): meaning for name, meaning in endings.MEANING.items()},
    State.OTHER_LANGUAGE: "the reply's code is not Python",
    State.NOT_COMPILED: "the suite does not compile",
    State.BAD_IMPORT: "the suite imports what is not there",
    State.NOT_COLLECTED: "the suite raises when it is imported",
    State.NO_TEST: "the suite contains no test",
    State.PASSES_NOTHING: "no test passes on the secure program, and none fails",
    State.FAILS_ON_SECURE: "a test fails on the secure program",
    State.STOPPED: "the run on the secure program took too long, died or reported too much",
    State.PROGRAM: "the program itself cannot be imported here, whatever the suite",
}

Short = Annotated[str, StringConstraints(max_length=500)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MutantResult(Record):
    """A mutant under a suite; `category` is None, and `reason` "", where it survived.

    floor: whether the program's functional suite kills it semantically; None where that is not valid.
    """

    id: Short
    operator: Short
    killed: bool
    category: Category | None = None
    reason: str = ""
    variant: Short = ""
    stopped: Short = ""
    floor: bool | None = None

    @model_validator(mode="after")
    def _check_category(self) -> MutantResult:
        if self.killed == (self.category is None):
            raise ValueError("a killed mutant has a category, and a surviving one has none")
        return self


class SampleResult(Record):
    """A suite for a program. `sample` numbers the suites from the same prompt.

    health is "ok", or "infra" where the machine was at fault: such a suite takes no part in any rate.
    classifier: which classified the kills. evidence: digest of the runs and their results.
    """

    id: Short
    cwe: Short = ""
    difficulty: Short = ""
    model: Short = ""
    prompt: Short = ""
    sample: int = 0
    classifier: Short = ""
    state: State = State.VALID
    why: str = ""
    health: Literal["ok", "infra"] = "ok"
    secure_passes: bool
    insecure_fails: bool
    tests: int = 0
    mutants: tuple[MutantResult, ...] = ()
    evidence: Short = ""

    @property
    def detects(self) -> bool:
        """VD of SecMutBench's Equation 6: passes on the secure version and fails on the insecure version."""
        return self.secure_passes and self.insecure_fails

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.id, self.model, self.prompt, self.sample
