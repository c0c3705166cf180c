"""What a suite that is code says itself: a test of it holds, or a security test finds none of the CWEs."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import ERROR, FAIL, NEVER, PASS, called, crashed, example
from arena.tracks.dual.oracles._oracle import (
    Judgement,
    Oracle,
    OracleCase,
    OracleVerdict,
    Parameter,
)
from arena.tracks.dual.oracles._verdicts import failed, of_step, passed
from arena.tracks.dual.runner.seen import ProcessEnded, StepSeen


@of_step
def _judge(case: OracleCase, step: StepSeen) -> Judgement:
    told = step.value if isinstance(step.value, dict) else {}
    why, found = str(told.get("why", "")), told.get("cwes")
    cwe = case.parameters.get("cwe")
    if told.get("passed") is None or not isinstance(found, list):
        return Judgement(OracleVerdict.ERROR, why, f"the test could not be completed: {why}")
    if told["passed"] is True or (cwe and cwe not in found):
        return passed(f"found: {', '.join(found)}" if found else "it holds")
    if found:
        return failed(f"{', '.join(found)}: {why}" if why else ", ".join(found), why)
    return failed(why or "it does not hold", why)


def _told(passed: bool | None, why: str = "", *cwes: str) -> StepSeen:
    return called({"passed": passed, "why": why, "cwes": list(cwes)})


PLUGIN = Oracle(
    name="tested",
    title="a test of the task's own test module holds",
    kind="both",
    judge=_judge,
    parameters={"cwe": Parameter("of a test that tells CWEs: only this one counts", (str,))},
    examples=(
        example("it holds", PASS, _told(True)),
        example("another CWE was found", PASS, _told(False, "", "CWE-89"), {"cwe": "CWE-22"}),
        example("it does not hold", FAIL, _told(False, "AssertionError: 3 is not 4")),
        example("this CWE was found", FAIL, _told(False, "a", "CWE-22"), {"cwe": "CWE-22"}),
        example("any CWE was found", FAIL, _told(False, "", "CWE-22")),
        example("the program died", FAIL, crashed()),
        example("out of time", FAIL, crashed(ProcessEnded.TIMEOUT)),
        example("it could not be completed", ERROR, _told(None, "no answer")),
        example("the suite told nothing", ERROR, called()),
        example("never started", ERROR, NEVER),
    ),
)
