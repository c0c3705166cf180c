"""What `score` found, as data and as the JSON file of the contract; and reading such files back.

A result file is checked when it is read: it may have been made elsewhere.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.version import SCORER

MAX_FILE = 1 << 30


class State(StrEnum):
    """What became of a suite. Only `valid` ones are run on mutants (SecMutBench, Section 4.5)."""

    VALID = "valid"
    MISSING = "missing"
    NO_CODE = "no-code"
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
    State.NO_CODE: "the reply holds no code",
    State.OTHER_LANGUAGE: "the reply's code is not Python",
    State.NOT_COMPILED: "the suite does not compile",
    State.BAD_IMPORT: "the suite imports what is not there",
    State.NOT_COLLECTED: "the suite raises when it is imported",
    State.NO_TEST: "the suite holds no test",
    State.PASSES_NOTHING: "no test passes on the secure program, and none fails",
    State.FAILS_ON_SECURE: "a test fails on the secure program",
    State.STOPPED: "the run on the secure program took too long, died or told too much",
    State.PROGRAM: "the program itself cannot be imported here, whatever the suite",
}

Short = Annotated[str, StringConstraints(max_length=500)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MutantResult(Record):
    """One mutant under one suite; `category` is None, and `reason` "", where it survived."""

    id: Short
    operator: Short
    killed: bool
    category: Category | None = None
    reason: str = ""
    variant: Short = ""
    stopped: Short = ""

    @model_validator(mode="after")
    def _categorised(self) -> MutantResult:
        if self.killed == (self.category is None):
            raise ValueError("a killed mutant has a category, and a surviving one has none")
        return self


class SampleResult(Record):
    """One suite for one program. `sample` numbers the suites that one prompt gave.

    health is "ok", or "infra" where the machine was at fault: such a suite takes no part in any rate.
    """

    id: Short
    cwe: Short = ""
    difficulty: Short = ""
    prompt: Short = ""
    sample: int = 0
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
        """VD of SecMutBench's Equation 6: passes on the secure version and fails on the insecure one."""
        return self.secure_passes and self.insecure_fails

    @property
    def key(self) -> tuple[str, str, int]:
        return self.id, self.prompt, self.sample


class Result(Record):
    """A whole `score`: how it was made, and a record for each suite."""

    name: Short = ""
    dataset: Short = ""
    tests: Short = ""
    classifier: Short = ""
    mutants: Short = ""
    scorer: int = SCORER
    seconds: float = 0.0
    cpu: float = 0.0
    runs: int = 0
    samples: tuple[SampleResult, ...] = Field(max_length=1_000_000)
    trivial: dict[str, tuple[SampleResult, ...]] = {}
    problems: tuple[str, ...] = ()


class BaselineRow(Record):
    """Rules by which a scanner reported the insecure and the secure version of one program."""

    id: Short
    cwe: Short = ""
    insecure: tuple[Short, ...] = ()
    secure: tuple[Short, ...] = ()

    @property
    def tells_apart(self) -> bool:
        """It says something of the insecure version that it does not say of the secure one."""
        return bool(set(self.insecure) - set(self.secure))


class Baseline(Record):
    """A scanner over a dataset. `failed` programs could not be scanned, and take part in no rate."""

    baseline: Short
    version: Short = ""
    dataset: Short = ""
    programs: tuple[BaselineRow, ...]
    failed: tuple[str, ...] = ()


class ResultError(ValueError):
    """A result file is wrong; the message names the file and the field."""


def load_result(path: Path) -> Result | Baseline:
    """A file that `score` or `baseline` wrote, or one in the contract's form. Raises ResultError."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise ResultError(f"{path}: larger than {MAX_FILE >> 20} MiB")
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ResultError(f"{path}: an object is expected")
    try:
        if "baseline" in content:
            return Baseline.model_validate(content)
        return _named(Result.model_validate(content), path)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ResultError(f"{path}: {field}: {first['msg']}") from error


def _named(result: Result, path: Path) -> Result:
    return result if result.name else result.model_copy(update={"name": path.stem[:200]})
