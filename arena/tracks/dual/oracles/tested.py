"""What a suite that is code says itself: a test of it holds, or a security test finds none of the CWEs."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    crash_step,
    example,
)
from arena.tracks.dual.oracles._oracle import (
    Judgement,
    Oracle,
    OracleCase,
    OracleVerdict,
    Parameter,
)
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    report = step.value if isinstance(step.value, dict) else {}
    why, cwes = str(report.get("why", "")), report.get("cwes")
    cwe = case.parameters.get("cwe")
    if report.get("passed") is None or not isinstance(cwes, list):
        return Judgement(OracleVerdict.ERROR, why, f"the test could not be completed: {why}")
    if report["passed"] is True or (cwe and cwe not in cwes):
        return pass_judgement(f"found: {', '.join(cwes)}" if cwes else "it holds")
    if cwes:
        return fail_judgement(f"{', '.join(cwes)}: {why}" if why else ", ".join(cwes), why)
    return fail_judgement(why or "it does not hold", why)


def _test_report(passed: bool | None, why: str = "", *cwes: str) -> StepObservation:
    return call_step({"passed": passed, "why": why, "cwes": list(cwes)})


PLUGIN = Oracle(
    name="tested",
    title="a test of the task's own test module holds",
    kind="both",
    judge=_judge,
    parameters={"cwe": Parameter("of a test that tells CWEs: only this one counts", (str,))},
    examples=(
        example("it holds", PASS, _test_report(True)),
        example(
            "another CWE was found", PASS, _test_report(False, "", "CWE-89"), {"cwe": "CWE-22"}
        ),
        example("it does not hold", FAIL, _test_report(False, "AssertionError: 3 is not 4")),
        example("this CWE was found", FAIL, _test_report(False, "a", "CWE-22"), {"cwe": "CWE-22"}),
        example("any CWE was found", FAIL, _test_report(False, "", "CWE-22")),
        example("the program died", FAIL, crash_step()),
        example("out of time", FAIL, crash_step(ProcessEnded.TIMEOUT)),
        example("it could not be completed", ERROR, _test_report(None, "no answer")),
        example("the suite told nothing", ERROR, call_step()),
        example("never started", ERROR, NEVER),
    ),
)
