"""No canary command ran: what an injected command would have done."""

from __future__ import annotations

from arena.tracks.dual.oracles import _parameters
from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    crash_step,
    example,
    make_observation,
)
from arena.tracks.dual.oracles._oracle import Oracle, OracleCase
from arena.tracks.dual.oracles._verdicts import JudgedPart, absence
from arena.tracks.dual.runner.observation import ProcessEnded


@absence
def _judge(case: OracleCase) -> JudgedPart | None:
    excepted = case.parameters.get("except", ())
    ran = [argv for argv in case.observation.canaries if not (argv and argv[0] in excepted)]
    if not ran:
        return None
    commands = "\n".join(" ".join(argv) for argv in ran[:20])
    return JudgedPart(commands, f"a canary command ran: {' '.join(ran[0]) if ran[0] else 'canary'}")


PLUGIN = Oracle(
    name="no-canary",
    title="no injected command ran",
    kind="security",
    judge=_judge,
    parameters={"except": _parameters.texts("commands that the program is to run itself")},
    examples=(
        example("none ran", PASS, call_step("canary")),
        example(
            "one that the program is to run",
            PASS,
            make_observation(call_step(""), canaries=(("ping", "x"),)),
            {"except": ["ping"]},
        ),
        example(
            "one beside it",
            FAIL,
            make_observation(call_step(""), canaries=(("ping", "x"), ("rm",))),
            {"except": ["ping"]},
        ),
        example("one ran", FAIL, make_observation(call_step(""), canaries=(("canary", "x"),))),
        example(
            "one ran, and the program died",
            FAIL,
            make_observation(crash_step(), canaries=(("rm", "-rf", "/"),)),
        ),
        example("nothing ran", ERROR, NEVER),
        example(
            "the step was never made", FAIL, make_observation(crash_step(ProcessEnded.NOT_RUN))
        ),
    ),
    weaknesses=("a command given by its absolute path, such as /bin/ls",),
)
