"""A value that cannot be foretold: it differs in a second run from the same state and seed."""

from __future__ import annotations

import posixpath

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    example,
    make_observation,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import integer_value
from arena.tracks.dual.oracles._picking import MissingValue, pick_text, pointer
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, unmade

# Differing characters: fewer, within values that are alike for the most part, are a counter or a clock.
FEW = 12


def alike(first: str, second: str) -> bool:
    """Whether two values share over half of their characters at both ends, and differ in few."""
    ahead = len(posixpath.commonprefix([first, second]))
    behind = len(posixpath.commonprefix([first[ahead:][::-1], second[ahead:][::-1]]))
    longest = max(len(first), len(second))
    return ahead + behind > longest / 2 and longest - ahead - behind < FEW


def _judge(case: OracleCase) -> Judgement:
    if case.twin is None:
        raise ValueError("unpredictable: there was no second run to compare with")
    if reason := unmade(case):
        return reason
    twin = OracleCase(case.twin, case.parameters, case.step)
    where = case.parameters.get("pointer")
    try:
        first, second = pick_text(case.examined_step, where), pick_text(twin.examined_step, where)
    except MissingValue as error:
        return fail_judgement(str(error))
    observed = f"{first[:500]}\n{second[:500]}"
    least = case.parameters.get("length", 0)
    if min(len(first), len(second)) < least:
        return fail_judgement(
            f"{min(len(first), len(second))} characters, at least {least} are expected", observed
        )
    if first == second:
        return fail_judgement("a second run with the same seed gave the same", observed)
    if alike(first, second):
        return fail_judgement(
            "a second run gave nearly the same, as a counter or a clock does", observed
        )
    return pass_judgement(observed)


_FIRST_TOKEN, _SECOND_TOKEN = "5f1d0c9a7be24380", "c07be5519ad0f2e6"

PLUGIN = Oracle(
    name="unpredictable",
    title="a second run with the same seed gives another value",
    kind="security",
    judge=_judge,
    twin=True,
    parameters={"pointer": pointer(), "length": integer_value("minimum length of the value")},
    examples=(
        example(
            "another",
            PASS,
            call_step(_FIRST_TOKEN),
            twin=make_observation(call_step(_SECOND_TOKEN)),
        ),
        example(
            "the same",
            FAIL,
            call_step(_FIRST_TOKEN),
            twin=make_observation(call_step(_FIRST_TOKEN)),
        ),
        example(
            "a clock",
            FAIL,
            call_step(1730000000123),
            twin=make_observation(call_step(1730000000981)),
        ),
        example(
            "a counter behind a name",
            FAIL,
            call_step("session-00041"),
            twin=make_observation(call_step("session-00042")),
        ),
        example(
            "a time-based UUID",
            FAIL,
            call_step("c9a646d3-9c61-11ec-8d3d-0242ac120002"),
            twin=make_observation(call_step("d1b75fe4-9c61-11ec-8d3d-0242ac120002")),
        ),
        example(
            "a long name before a random part",
            PASS,
            call_step("reset-token-for-ada-" + _FIRST_TOKEN),
            twin=make_observation(call_step("reset-token-for-ada-" + _SECOND_TOKEN)),
        ),
        example(
            "too short",
            FAIL,
            call_step("a1b2"),
            {"length": 16},
            twin=make_observation(call_step("x9y8")),
        ),
        example(
            "within JSON",
            FAIL,
            response_step(200, '{"token": "1", "at": 1}'),
            {"pointer": "/token"},
            twin=make_observation(response_step(200, '{"token": "1", "at": 2}')),
        ),
        example(
            "in a cookie",
            PASS,
            response_step(200, set_cookie=f"sid={_FIRST_TOKEN}; Path=/"),
            {"pointer": "cookie:sid"},
            twin=make_observation(response_step(200, set_cookie=f"sid={_SECOND_TOKEN}; Path=/")),
        ),
        example("none came", FAIL, call_step(None), twin=make_observation(call_step(None))),
        example("never started", ERROR, NEVER, twin=NEVER),
    ),
    weaknesses=("a hash of a clock, or of a counter that the seed does not control, looks random",),
)
