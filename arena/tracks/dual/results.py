"""What `score` found, as data: a record for each sample and each of its tests.

A result file is checked when it is read: it may have been made elsewhere.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from arena.tracks.dual.oracles._oracle import Verdict
from arena.tracks.dual.version import SCORER

MAX_FILE = 256 << 20
MAX_K = 10_000
MAX_SAMPLES = 200_000
"""Of a result, missing ones included."""


T = TypeVar("T")


class State(StrEnum):
    """What became of a sample as a whole. Only `usable` ones are tried on each test."""

    USABLE = "usable"
    MISSING = "missing"
    NO_CODE = "no-code"
    OTHER_LANGUAGE = "other-language"
    SYNTAX = "syntax-error"
    NOT_COMPILED = "does-not-compile"
    DEPENDENCY = "missing-dependency"
    IMPORT = "import-error"
    NO_ENTRY = "no-entry-point"
    NEVER_LISTENS = "never-listens"
    PORT_TAKEN = "port-taken"
    NOT_EXECUTABLE = "not-executable"


MEANING: dict[State, str] = {
    State.USABLE: "can be run",
    State.MISSING: "there is no program for the task",
    State.NO_CODE: "the reply holds no code",
    State.OTHER_LANGUAGE: "the code is in another language",
    State.SYNTAX: "the program does not parse",
    State.NOT_COMPILED: "the program does not compile",
    State.DEPENDENCY: "the program imports a package that is not there",
    State.IMPORT: "the program raises when it is imported",
    State.NO_ENTRY: "the program does not define what the task asks for",
    State.NEVER_LISTENS: "the service never listens",
    State.PORT_TAKEN: "the service takes a port that it was not given, and which is taken",
    State.NOT_EXECUTABLE: "the program ends before it can be tried",
}

SURVIVES = "survives"
WORST_FIRST = (Verdict.ERROR, Verdict.FAIL, Verdict.NA, Verdict.PASS)
"""The first of these that any of several oracles came to is theirs together."""

Short = Annotated[str, StringConstraints(max_length=500)]
Text = Annotated[str, StringConstraints(max_length=20_000)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class OracleResult(Record):
    """One oracle of a test. judge: a model's verdict, not what was seen."""

    oracle: Short
    verdict: Verdict
    observed: Text = ""
    reason: Text = ""
    judge: bool = False


class TestResult(Record):
    """One test of one sample. `oracle`, `observed` and `reason` are those of the oracle that decided."""

    __test__ = False

    id: Short
    kind: Literal["functional", "security"]
    verdict: Verdict
    oracle: Text = ""
    observed: Text = ""
    reason: Text = ""
    cwe: Short = ""
    oracles: tuple[OracleResult, ...] = ()
    evidence: Short = ""
    seconds: float = 0.0

    @property
    def deterministic(self) -> Verdict | None:
        """What the oracles say together that are no model's; None where there is none but `survives`."""
        own = [oracle for oracle in self.oracles if not oracle.judge]
        if all(oracle.oracle == SURVIVES for oracle in own):
            return None
        return next((v for v in WORST_FIRST if any(o.verdict is v for o in own)), None)

    @property
    def judge(self) -> OracleResult | None:
        """The first verdict that a model gave, or None."""
        said = (one for one in self.oracles if one.judge and one.verdict != Verdict.NA)
        return next(said, None)

    @property
    def by_judge(self) -> bool:
        """Whether a model's verdict decided. That the program survived as well is no verdict of its own."""
        agreeing = [oracle for oracle in self.oracles if oracle.verdict is self.verdict]
        passed = self.verdict is Verdict.PASS
        others = [o for o in agreeing if not o.judge and not (passed and o.oracle == SURVIVES)]
        return any(oracle.judge for oracle in agreeing) and not others


class SampleResult(Record):
    """One program for one task.

    health is "ok", or "infra" where the machine was at fault: such a sample has no verdict, and rates are
    told with the bounds that it leaves open. A sample that is missing or cannot be used lists its task's
    tests with the verdict `error` (`na` where nothing can judge). `level` is the task's. `coverage`: the
    share of its statements that ran, by kind of suite, None where it could not be measured. `adapter`:
    what started it; `calls`: of a model, to try it.
    """

    task: Short
    sample: Short
    language: Short = ""
    domain: Short = ""
    level: Short = ""
    state: State = State.USABLE
    why: Text = ""
    health: Literal["ok", "infra"] = "ok"
    tests: tuple[TestResult, ...] = Field(default=(), max_length=100_000)
    coverage: dict[str, float | None] = Field(default_factory=dict)
    adapter: Short = ""
    tools: Short = ""
    calls: int = 0
    digest: Short = ""
    transcript: Short = ""

    def passes(self, kind: str) -> bool:
        """Whether it passes the whole suite of that kind: something was judged, and all of it passed.

        It knows only this sample; rates ask `metrics.count_task`, which knows what counts for the task.
        """
        verdicts = {test.verdict for test in self.tests if test.kind == kind} - {Verdict.NA}
        return self.health == "ok" and verdicts == {Verdict.PASS}

    @model_validator(mode="after")
    def _unique(self) -> SampleResult:
        twice = _first_twice(test.id for test in self.tests)
        if twice is not None:
            raise ValueError(f"the test {twice[:80]!r} is there twice")
        return self


class Result(Record):
    """A whole `score`: how it was made, and a record for each sample.

    k: the samples planned for each task, which is what rates divide by.
    """

    name: Short = ""
    pack: Short = ""
    version: Short = ""
    samples_of: Short = ""
    k: int = Field(default=1, ge=1, le=MAX_K)
    scorer: int = SCORER
    seconds: float = 0.0
    samples: tuple[SampleResult, ...] = Field(max_length=MAX_SAMPLES)
    problems: tuple[str, ...] = ()
    judge: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _planned(cls, value: Any) -> Any:
        """A file that does not say k planned as many as the task with the most samples has."""
        if not isinstance(value, dict) or "k" in value:
            return value
        rows = value.get("samples")
        tasks = (
            str(row.get("task")) if isinstance(row, dict) else getattr(row, "task", "")
            for row in (rows if isinstance(rows, list | tuple) else ())
        )
        return {**value, "k": max(Counter(tasks).values(), default=1)}

    @model_validator(mode="after")
    def _fixed(self) -> Result:
        twice = _first_twice((sample.task, sample.sample) for sample in self.samples)
        if twice is not None:
            raise ValueError(f"the sample {twice[1][:80]!r} of {twice[0][:80]!r} is there twice")
        numbers = Counter(sample.task for sample in self.samples)
        for task, number in numbers.items():
            if number > self.k:
                raise ValueError(f"{task[:80]!r} has {number} samples, and k is {self.k}")
        if len(numbers) * self.k > MAX_SAMPLES:
            raise ValueError(
                f"k: {self.k} for each of {len(numbers)} tasks is more than {MAX_SAMPLES}"
            )
        return self


class ResultError(ValueError):
    """A result file is wrong; the message names the file and the field."""


def _first_twice(found: Iterable[T]) -> T | None:
    seen: set[T] = set()
    for one in found:
        if one in seen:
            return one
        seen.add(one)
    return None


def load_result(path: Path) -> Result:
    """A file that `score` wrote, or one in the contract's form. Raises ResultError, one line."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise ResultError(f"{path}: larger than {MAX_FILE >> 20} MiB")
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, ResultError):
            raise
        raise ResultError(f"{path}: not JSON: {str(error)[:200]}") from error
    if not isinstance(content, dict):
        raise ResultError(f"{path}: an object is expected")
    try:
        result = Result.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part)[:80] for part in first["loc"]) or "samples"
        raise ResultError(f"{path}: {field}: {first['msg']}") from error
    return result if result.name else result.model_copy(update={"name": path.stem[:200]})
