"""How oracles say what they came to, and which steps can be judged at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from arena.tracks.dual.oracles._oracle import Judgement, OracleCase, OracleVerdict
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation

CRASHES = {
    ProcessEnded.TIMEOUT: "it ran out of time",
    ProcessEnded.MEMORY: "it ran out of memory",
    ProcessEnded.OUTPUT: "it wrote more than it may",
    ProcessEnded.DIED: "it died",
}


class JudgedPart(NamedTuple):
    """Evidence against a program: the observation, and why that is a fault."""

    observed: str
    reason: str


def pass_judgement(observed: str = "") -> Judgement:
    return Judgement(OracleVerdict.PASS, observed)


def fail_judgement(reason: str, observed: str = "") -> Judgement:
    return Judgement(OracleVerdict.FAIL, observed, reason)


def cannot(reason: str) -> Judgement:
    """Nothing was put there that this oracle could judge by, whatever the program does."""
    return Judgement(OracleVerdict.NA, "", reason)


def judgement_of(part: JudgedPart | None, observed: str = "") -> Judgement:
    return fail_judgement(part.reason, part.observed) if part else pass_judgement(observed)


def unmade(case: OracleCase) -> Judgement | None:
    """Why the step cannot be judged: the program never started, or did not get so far. None where it can."""
    step = case.examined_step
    # An error, not a failure: an oracle about an attack says nothing of a program that could not be tried.
    if case.observation.ended is ProcessEnded.NO_START or (
        step and step.ended is ProcessEnded.NO_START
    ):
        return Judgement(
            OracleVerdict.ERROR, "", f"the program did not start: {case.observation.why}"
        )
    if step is None:
        return fail_judgement(f"step {case.step} was never made")
    if step.ended is ProcessEnded.NOT_RUN:
        return fail_judgement(
            f"the step was never made: {case.observation.why or 'an earlier one ended it'}"
        )
    return None


def crash_of(step: StepObservation) -> str:
    """How the step crashed, "" where it did not."""
    return CRASHES.get(step.ended, "")


def step_oracle(
    judge: Callable[[OracleCase, StepObservation], Judgement],
) -> Callable[[OracleCase], Judgement]:
    """An oracle that needs a step which ended well: without it, it fails, and never passes by silence."""

    def judge_case(case: OracleCase) -> Judgement:
        step = case.examined_step
        if (reason := unmade(case)) or step is None:
            return reason or fail_judgement("no step was made")
        if crash := crash_of(step):
            return fail_judgement(f"{crash}: {step.text or case.observation.why or step.ended}")
        return judge(case, step)

    return judge_case


def run_oracle(judge: Callable[[OracleCase], Judgement]) -> Callable[[OracleCase], Judgement]:
    """An oracle about the state after the run: the step must have taken place, well or not."""
    return lambda case: unmade(case) or judge(case)


def absence(look: Callable[[OracleCase], JudgedPart | None]) -> Callable[[OracleCase], Judgement]:
    """An oracle that passes when it detects nothing. A detection counts even if the run went wrong; if it
    never took place, the absence of detections is no pass.
    """

    def judge_case(case: OracleCase) -> Judgement:
        judged_part = look(case)
        return judgement_of(judged_part) if judged_part else unmade(case) or pass_judgement()

    return judge_case
