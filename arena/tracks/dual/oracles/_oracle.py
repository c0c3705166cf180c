"""What an oracle is: a name, its parameters, and a judgement about what the runner observed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.tracks.dual.runner.observation import RunObservation, StepObservation


class OracleVerdict(StrEnum):
    """Verdict on a test, or of an oracle.

    error: the program could not be tried (it does not compile, import, or listen): not passed. na: nothing
    here can judge, whatever the program does, so the test counts for no sample.
    """

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    ERROR = "error"
    NA = "na"


@dataclass(frozen=True)
class Judgement:
    """`observed` is the evidence, cut; `reason` is a line for people, "" where it passes."""

    verdict: OracleVerdict
    observed: str = ""
    reason: str = ""


@dataclass(frozen=True)
class OracleCase:
    """What an oracle may look at.

    observation: of the test's run. twin: of a second run from the same state and with the same seed, for
    oracles that need it. parameters: as in `tests.json`. step: the step it looks at; -1 is the last.
    allowed: globs of what may change in the tree, absolute. hooked: hooks looked into the program.
    """

    observation: RunObservation
    parameters: Mapping[str, Any]
    step: int = -1
    twin: RunObservation | None = None
    allowed: tuple[str, ...] = ()
    language: str = "python"
    hooked: bool = True

    @property
    def examined_step(self) -> StepObservation | None:
        """The step it looks at, or None where that step never took place."""
        steps = self.observation.steps
        return steps[self.step] if -len(steps) <= self.step < len(steps) else None


@dataclass(frozen=True)
class Parameter:
    """Of an oracle: what it is for, the types it may have, whether it must be there.

    check: what is wrong with a value of these types, "" where nothing is; `_parameters.py` makes such.
    """

    meaning: str
    types: tuple[type, ...] = (object,)
    needed: bool = False
    check: Callable[[Any], str] | None = None


@dataclass(frozen=True)
class OracleExample:
    """A case with an expected verdict. It is both a test and the documentation."""

    title: str
    case: OracleCase
    verdict: OracleVerdict


@dataclass(frozen=True)
class Oracle:
    """kind: "functional", "security" or "both". twin: it needs a second run with the same seed.

    any_of: parameters, some of which must be present, as the oracle would check nothing without any.
    """

    name: str
    title: str
    kind: str
    judge: Callable[[OracleCase], Judgement]
    examples: tuple[OracleExample, ...]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    any_of: tuple[str, ...] = ()
    twin: bool = False
    weaknesses: tuple[str, ...] = ()
