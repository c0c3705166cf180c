"""The result of a call: its tokens, and who is responsible where it failed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from harness.gateway.account import BYTES_A_TOKEN, Kind
from harness.gateway.models import ProviderFault
from harness.gateway.models._provider import provider_fault
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.pins import is_named
from harness.gateway.provider_errors import ErrorCause, ProviderError, cause_of, consequence_of

# Characters of a message in which a provider names what is wrong; the rest may be the request's own.
FIRST_CHARACTERS = 300


def measure_tokens(reply: Reply, size: int, whole: bool, doubt: str) -> tuple[Tokens, bool]:
    """The tokens of a call, and whether they are estimated: by length where the provider reported none.

    size: bytes of the request. whole: the counts are those of the whole answer. doubt: of counts that were
    translated from a different dialect.
    """
    tokens = reply.tokens
    if tokens is not None and doubt:
        tokens = replace(tokens, doubt=tokens.doubt or doubt)
    if tokens is not None and whole:
        return tokens, False
    characters = len(reply.text) + len(reply.reasoning)
    characters += sum(len(call.name) + len(call.arguments) for call in reply.tool_calls)
    guess = Tokens(size // BYTES_A_TOKEN, characters // BYTES_A_TOKEN)
    if tokens is None:
        return guess, True
    # A stream that broke off reported a part of the output, and at least what was received counts.
    corrected = replace(
        tokens, input=tokens.input or guess.input, output=max(tokens.output, guess.output)
    )
    return corrected, True


def kind_of(error: ProviderError) -> Kind:
    """Whether an error counts as a call of the attempt, or is the provider's fault."""
    return "call" if consequence_of(error).counts else "fault"


def broken_stream(error: ProviderError | None) -> ProviderFault:
    """The fault of a stream that ended before its answer did."""
    if error is None:
        return ProviderFault("the model's answer broke off", passing=True)
    return provider_fault(error, "the model's answer broke off: ")


def refused_pins(
    fault: ProviderFault, pinned: Mapping[str, Any], refused_before: Collection[str]
) -> dict[str, str]:
    """Of the parameters that are put in, those which the provider refuses for the model.

    refused_before: the names refused before.
    """
    error = fault.error
    if cause_of(error) not in (ErrorCause.PARAMETER, ErrorCause.REQUEST):
        return {}
    return {
        name: str(fault)
        for name, value in pinned.items()
        if value is not None and name not in refused_before and _blames(error, name)
    }


def _blames(error: ProviderError, parameter: str) -> bool:
    """Whether an error says that a parameter is not taken: by name, or in the provider's words."""
    if error.param:
        return is_named(parameter, error.param)
    words = error.message[:FIRST_CHARACTERS]
    return cause_of(error) is ErrorCause.PARAMETER and is_named(parameter, words)
