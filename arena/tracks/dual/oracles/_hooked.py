"""What the oracles about calls that hooks see have in common."""

from __future__ import annotations

import re

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    example,
    make_observation,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import regex
from arena.tracks.dual.oracles._texts import SEARCHED
from arena.tracks.dual.oracles._verdicts import JudgedPart, absence, cannot
from arena.tracks.dual.runner.observation import ObservedCall

SHOWN = 20


def none_of(kind: str, title: str, what: str, harmless: str) -> Oracle:
    """The oracle `no-<kind>`: the hooks saw no call of that kind. what, harmless: example calls."""

    @absence
    def unseen(case: OracleCase) -> JudgedPart | None:
        pattern = re.compile(case.parameters.get("what", ""))
        calls = [
            call
            for call in case.observation.calls
            if call.kind == kind and pattern.search(call.what[:SEARCHED])
        ]
        if not calls:
            return None
        observed = "\n".join(f"{call.what} {call.detail}" for call in calls[:SHOWN])
        return JudgedPart(
            observed, f"{kind}: {calls[0].what} at {calls[0].detail or 'a place unknown'}"
        )

    def judge(case: OracleCase) -> Judgement:
        return unseen(case) if case.hooked else cannot("no hook looked into the program")

    call_seen = make_observation(call_step(), calls=(ObservedCall(kind, what, "solution.py:3"),))
    foreign = make_observation(call_step(), calls=(ObservedCall("connect", what),))
    narrow = {"what": re.escape(harmless)}
    return Oracle(
        name=f"no-{kind}",
        title=title,
        kind="security",
        judge=judge,
        parameters={"what": regex("only calls with a matching name count")},
        examples=(
            example("none", PASS, call_step()),
            example("one", FAIL, call_seen),
            example("one of another kind", PASS, foreign),
            example("one that does not count", PASS, call_seen, narrow),
            example(
                "one that counts",
                FAIL,
                make_observation(call_step(), calls=(ObservedCall(kind, harmless),)),
                narrow,
            ),
            example("never started", ERROR, NEVER),
        ),
        weaknesses=(
            "hooks observe honest code; a hostile program can bypass them",
            "what a library does for itself is not recorded",
        ),
    )
