"""Results of scoring, as data: a record for each program and each of its tests, checked when it is read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from arena.models import endings
from arena.tracks.dual.oracles._oracle import OracleVerdict
from harness.gateway.endings import Ending


class State(StrEnum):
    """What became of a sample as a whole. Only `usable` ones are tried on each test."""

    USABLE = "usable"
    MISSING = "missing"
    NO_CODE = "no-code"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    OUT_OF_TOKENS = "out-of-tokens"
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
    **{State(name): record for name, record in endings.MEANING.items()},
    State.OTHER_LANGUAGE: "the code is in another language",
    State.SYNTAX: "the program does not parse",
    State.NOT_COMPILED: "the program does not compile",
    State.DEPENDENCY: "the program imports a package that is not installed",
    State.IMPORT: "the program raises when it is imported",
    State.NO_ENTRY: "the program does not define what the task requires",
    State.NEVER_LISTENS: "the service never listens",
    State.PORT_TAKEN: "the service uses a port that it was not given and that is in use",
    State.NOT_EXECUTABLE: "the program ends before it can be tested",
}

WITHOUT_CODE = frozenset(State(name) for name in Ending)

SURVIVES = "survives"
# The first of these that any of several oracles came to is theirs together.
WORST_FIRST = (OracleVerdict.ERROR, OracleVerdict.FAIL, OracleVerdict.NA, OracleVerdict.PASS)

Short = Annotated[str, StringConstraints(max_length=500)]
Text = Annotated[str, StringConstraints(max_length=20_000)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class OracleResult(Record):
    """An oracle's result on a test. judge: the verdict is a model's, not based on an observation."""

    oracle: Short
    verdict: OracleVerdict
    observed: Text = ""
    reason: Text = ""
    judge: bool = False


class TestResult(Record):
    """A test of a sample. `oracle`, `observed` and `reason` are those of the oracle that decided."""

    __test__ = False

    id: Short
    kind: Literal["functional", "security"]
    verdict: OracleVerdict
    oracle: Text = ""
    observed: Text = ""
    reason: Text = ""
    cwe: Short = ""
    oracles: tuple[OracleResult, ...] = ()
    evidence: Short = ""
    seconds: float = 0.0

    @property
    def deterministic(self) -> OracleVerdict | None:
        """What the oracles say together that are no model's; None where there is none but `survives`."""
        deterministic_oracles = [oracle for oracle in self.oracles if not oracle.judge]
        # Survival is asked of every security test: alone it says nothing that a judge could agree with.
        if all(oracle.oracle == SURVIVES for oracle in deterministic_oracles):
            return None
        return next(
            (v for v in WORST_FIRST if any(o.verdict is v for o in deterministic_oracles)), None
        )

    @property
    def judge(self) -> OracleResult | None:
        """The first verdict that a model gave, or None."""
        model_verdicts = (
            oracle for oracle in self.oracles if oracle.judge and oracle.verdict != OracleVerdict.NA
        )
        return next(model_verdicts, None)

    @property
    def is_judged_by_model(self) -> bool:
        """Whether a model's verdict decided. A pass of the survival oracle does not count."""
        agreeing = [oracle for oracle in self.oracles if oracle.verdict is self.verdict]
        passed = self.verdict is OracleVerdict.PASS
        others = [o for o in agreeing if not o.judge and not (passed and o.oracle == SURVIVES)]
        return any(oracle.judge for oracle in agreeing) and not others


class SampleResult(Record):
    """A program for a task, with its results.

    health is "ok", or "infra" where the machine was at fault: such a sample has no verdict, and rates are
    reported with the bounds that it leaves open. A sample that is missing or cannot be used lists its task's
    tests with the verdict `error` (`na` where nothing can judge). `level` is the task's. `coverage`: the
    share of its statements that ran, by kind of suite, None where it could not be measured. `adapter`:
    what started it; `calls`: of a model, to try it. proof: of an imported task, whether its tests are proven.
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
    proof: Short = ""
    calls: int = 0
    digest: Short = ""
    transcript: Short = ""

    def passes(self, kind: str) -> bool:
        """Whether it passes the whole suite of that kind: something was judged, and all of it passed.

        It knows only this sample; rates ask `metrics.count_task`, which knows what counts for the task.
        """
        verdicts = {test.verdict for test in self.tests if test.kind == kind} - {OracleVerdict.NA}
        return self.health == "ok" and verdicts == {OracleVerdict.PASS}

    @model_validator(mode="after")
    def _unique(self) -> SampleResult:
        if len({test.id for test in self.tests}) < len(self.tests):
            raise ValueError("a test is there twice")
        return self
