"""Finds an oracle, checks its parameters, lets it judge, and keeps secrets out of what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase, Parameter
from arena.tracks.dual.oracles._tokens import mask_tokens, tokens_of
from parsers.registry import lookup

PACKAGE = "arena.tracks.dual.oracles"
OBSERVED = 2_000
REASON = 600
# Characters beyond a cut that are masked first, so that a secret across the cut is known for one.
SLACK = 200
NAMES: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def oracle_of(name: str) -> Oracle:
    """The oracle of that name. Raises UnknownName, a LookupError, which lists the names of all oracles."""
    result: Oracle = lookup(PACKAGE, name)
    return result


def check_parameters(oracle: Oracle, parameters: Mapping[str, Any]) -> None:
    """Raises ValueError naming the parameter that is unknown, missing, of a wrong type or wrong in itself."""
    for name, value in parameters.items():
        if name not in oracle.parameters:
            choices = ", ".join(oracle.parameters) or "none"
            raise ValueError(f"{name[:80]}: unknown parameter; known: {choices}")
        if wrong := _wrong(oracle.parameters[name], value):
            raise ValueError(f"{name}: {wrong}")
    for name, parameter in oracle.parameters.items():
        if parameter.needed and name not in parameters:
            raise ValueError(f"{name}: missing")
    if oracle.any_of and not any(name in parameters for name in oracle.any_of):
        raise ValueError(f"{', '.join(oracle.any_of)}: at least one of these is needed")


def _wrong(parameter: Parameter, value: Any) -> str:
    allowed = parameter.types
    # `True` is an int in Python: a status of `true` in a task would otherwise count as 1.
    truth = isinstance(value, bool) and not {bool, object} & set(allowed)
    if truth or not isinstance(value, allowed):
        return f"{' or '.join(NAMES[kind] for kind in allowed)} is expected"
    return parameter.check(value) if parameter.check else ""


def judge(name: str, case: OracleCase) -> Judgement:
    """What the oracle `name` says of `case`; `observed` and `reason` are cut and hold no secret.

    Raises UnknownName for an oracle that there is not, and ValueError for a wrong parameter.
    """
    oracle = oracle_of(name)
    check_parameters(oracle, case.parameters)
    judgement = oracle.judge(case)
    tokens = tokens_of(case.observation)
    observed = _clean(judgement.observed, OBSERVED, tokens)
    return Judgement(
        judgement.verdict, observed, " ".join(_clean(judgement.reason, REASON, tokens).split())
    )


def _clean(text: str, length: int, tokens: tuple[str, ...]) -> str:
    """`text` cut, without secrets, as characters that can be written as UTF-8."""
    hidden = mask_tokens(text[: length + SLACK], tokens)[:length]
    # Half surrogates in a program's output could not be written into the store.
    return hidden.encode("utf-8", "backslashreplace").decode()[:length]
