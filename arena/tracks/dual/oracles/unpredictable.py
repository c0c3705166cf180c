"""A value that cannot be foretold: it differs in a second run from the same state and seed."""

from __future__ import annotations

import posixpath

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    answered,
    called,
    example,
    seen,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import whole
from arena.tracks.dual.oracles._picking import MissingValue, picked, pointer
from arena.tracks.dual.oracles._verdicts import failed, passed, unmade

FEW = 12
"""Differing characters: fewer, within values that are alike for the most part, are a counter or a clock."""


def alike(one: str, other: str) -> bool:
    """Whether two values have most of their characters in common at both ends, and differ in few."""
    ahead = len(posixpath.commonprefix([one, other]))
    behind = len(posixpath.commonprefix([one[ahead:][::-1], other[ahead:][::-1]]))
    longest = max(len(one), len(other))
    return ahead + behind > longest / 2 and longest - ahead - behind < FEW


def _judge(case: OracleCase) -> Judgement:
    if case.twin is None:
        raise ValueError("unpredictable: there was no second run to compare with")
    if reason := unmade(case):
        return reason
    twin = OracleCase(case.twin, case.parameters, case.step)
    where = case.parameters.get("pointer")
    try:
        one, other = picked(case.at, where), picked(twin.at, where)
    except MissingValue as error:
        return failed(str(error))
    observed = f"{one[:500]}\n{other[:500]}"
    least = case.parameters.get("length", 0)
    if min(len(one), len(other)) < least:
        return failed(
            f"{min(len(one), len(other))} characters, at least {least} are expected", observed
        )
    if one == other:
        return failed("a second run with the same seed gave the same", observed)
    if alike(one, other):
        return failed("a second run gave nearly the same, as a counter or a clock does", observed)
    return passed(observed)


_ONE, _OTHER = "5f1d0c9a7be24380", "c07be5519ad0f2e6"

PLUGIN = Oracle(
    name="unpredictable",
    title="a second run with the same seed gives another value",
    kind="security",
    judge=_judge,
    twin=True,
    parameters={"pointer": pointer(), "length": whole("minimum length of the value")},
    examples=(
        example("another", PASS, called(_ONE), twin=seen(called(_OTHER))),
        example("the same", FAIL, called(_ONE), twin=seen(called(_ONE))),
        example("a clock", FAIL, called(1730000000123), twin=seen(called(1730000000981))),
        example(
            "a counter behind a name",
            FAIL,
            called("session-00041"),
            twin=seen(called("session-00042")),
        ),
        example(
            "a time-based UUID",
            FAIL,
            called("c9a646d3-9c61-11ec-8d3d-0242ac120002"),
            twin=seen(called("d1b75fe4-9c61-11ec-8d3d-0242ac120002")),
        ),
        example(
            "a long name before a random part",
            PASS,
            called("reset-token-for-ada-" + _ONE),
            twin=seen(called("reset-token-for-ada-" + _OTHER)),
        ),
        example("too short", FAIL, called("a1b2"), {"length": 16}, twin=seen(called("x9y8"))),
        example(
            "within JSON",
            FAIL,
            answered(200, '{"token": "1", "at": 1}'),
            {"pointer": "/token"},
            twin=seen(answered(200, '{"token": "1", "at": 2}')),
        ),
        example(
            "in a cookie",
            PASS,
            answered(200, set_cookie=f"sid={_ONE}; Path=/"),
            {"pointer": "cookie:sid"},
            twin=seen(answered(200, set_cookie=f"sid={_OTHER}; Path=/")),
        ),
        example("none came", FAIL, called(None), twin=seen(called(None))),
        example("never started", ERROR, NEVER, twin=NEVER),
    ),
    weaknesses=("a hash of a clock, or of a counter that the seed does not control, looks random",),
)
