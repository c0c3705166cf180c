"""What providers say instead of an answer, and what it comes to: the table as literals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.endings import Ending
from harness.gateway.provider_errors import (
    CAUSES,
    CONSEQUENCES,
    Consequence,
    ErrorCause,
    ProviderError,
    cause_of,
    ending_of_error,
    read_error,
    why_of,
)


def test_the_table_as_it_is_documented() -> None:
    """asked again, counts as a call, ends the model's part, the model's own ending."""
    found = {
        cause: (one.can_be_retried, one.counts, one.final, one.ending)
        for cause, one in CONSEQUENCES.items()
    }
    assert found == {
        ErrorCause.FILTERED: (False, True, False, Ending.FILTERED),
        ErrorCause.UNPAID: (False, False, True, None),
        ErrorCause.ITEM_GONE: (False, True, False, None),
        ErrorCause.MODEL_GONE: (False, False, True, None),
        ErrorCause.DENIED: (False, False, True, None),
        ErrorCause.TOO_LONG: (False, True, False, Ending.OUT_OF_TOKENS),
        ErrorCause.BUSY: (True, False, False, None),
        ErrorCause.PARAMETER: (False, True, False, None),
        ErrorCause.NOT_FOUND: (False, False, False, None),
        ErrorCause.REQUEST: (False, True, False, None),
        ErrorCause.FAILED: (True, False, False, None),
    }
    assert {rule.cause for rule in CAUSES} == set(ErrorCause)


OPENAI = {"error": {"message": "m", "type": "invalid_request_error", "param": None, "code": None}}


def openai(status: int, message: str, code: str | None = None, **more: Any) -> Any:
    kind = {"type": "invalid_request_error", "param": None}
    return status, {"error": {**kind, "message": message, "code": code, **more}}


def anthropic(status: int, kind: str, message: str) -> Any:
    return status, {"type": "error", "error": {"type": kind, "message": message}}


def failed(code: str, message: str) -> Any:
    error = {"code": code, "message": message}
    return 0, {"type": "response.failed", "response": {"status": "failed", "error": error}}


SAID: list[tuple[tuple[int, Any], ErrorCause]] = [
    (openai(400, "Unsupported value: 'temperature' does not support 0", "unsupported_value"), ErrorCause.PARAMETER),
    (openai(400, "Unsupported parameter: 'top_p' is not supported with this model."), ErrorCause.PARAMETER),
    (anthropic(400, "invalid_request_error", "temperature: is deprecated for this model"), ErrorCause.PARAMETER),
    (anthropic(400, "invalid_request_error", "context_management: Extra inputs are not permitted"), ErrorCause.PARAMETER),
    (openai(400, "Invalid schema for function 'f'", "invalid_function_parameters"), ErrorCause.REQUEST),
    (openai(429, "You exceeded your current quota", "insufficient_quota", type="insufficient_quota"), ErrorCause.UNPAID),
    (failed("insufficient_quota", "You exceeded your current quota"), ErrorCause.UNPAID),
    (openai(402, "Insufficient Balance", "invalid_request_error"), ErrorCause.UNPAID),
    (anthropic(400, "invalid_request_error", "Your credit balance is too low to access the API"), ErrorCause.UNPAID),
    (anthropic(402, "billing_error", "payment needed"), ErrorCause.UNPAID),
    (openai(403, "Key limit exceeded (monthly limit)."), ErrorCause.UNPAID),
    (openai(400, "Invalid tool: Your credit balance is too low"), ErrorCause.REQUEST),
    (openai(400, "unknown tool insufficient_quota"), ErrorCause.REQUEST),
    (openai(429, "Rate limit reached for gpt-5", "rate_limit_exceeded", type="tokens"), ErrorCause.BUSY),
    (anthropic(529, "overloaded_error", "Overloaded"), ErrorCause.BUSY),
    ((0, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), ErrorCause.BUSY),
    (failed("server_error", "The server had an error"), ErrorCause.FAILED),
    (failed("rate_limit_exceeded", "Rate limit reached"), ErrorCause.BUSY),
    ((429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, retry in 3s"}}]), ErrorCause.BUSY),
    ((400, {"error": {"code": 400, "status": "FAILED_PRECONDITION", "message": "User location is not supported for the API use."}}), ErrorCause.DENIED),
    (openai(401, "Incorrect API key provided", "invalid_api_key"), ErrorCause.DENIED),
    (openai(403, "Country, region, or territory not supported", "unsupported_country_region_territory"), ErrorCause.DENIED),
    (anthropic(403, "permission_error", "no access"), ErrorCause.DENIED),
    (openai(404, "The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"), ErrorCause.MODEL_GONE),
    (anthropic(404, "not_found_error", "model: claude-2"), ErrorCause.MODEL_GONE),
    (openai(400, "The model `x` has been decommissioned", "model_decommissioned"), ErrorCause.MODEL_GONE),
    ((404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist"}}), ErrorCause.MODEL_GONE),
    (openai(404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", param="input"), ErrorCause.ITEM_GONE),
    (openai(400, "Previous response with id 'resp_1' not found.", "previous_response_not_found", param="previous_response_id"), ErrorCause.ITEM_GONE),
    (openai(404, "Conversation with id 'conv_model_1' not found."), ErrorCause.ITEM_GONE),
    (openai(404, "No such File object: file-1", param="id"), ErrorCause.ITEM_GONE),
    (failed("previous_response_not_found", "Previous response with id 'resp_1' not found."), ErrorCause.ITEM_GONE),
    (openai(404, "The model `Item with id 1 not found` does not exist", "model_not_found"), ErrorCause.MODEL_GONE),
    ((404, {"detail": "Not Found"}), ErrorCause.NOT_FOUND),
    (anthropic(404, "not_found_error", "no such path"), ErrorCause.NOT_FOUND),
    (openai(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded"), ErrorCause.TOO_LONG),
    (failed("context_length_exceeded", "Your input exceeds the context window"), ErrorCause.TOO_LONG),
    (anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), ErrorCause.TOO_LONG),
    (openai(400, "maximum context length is 9 tokens, 5 in the messages, 6 in the completion", "context_length_exceeded"), ErrorCause.REQUEST),
    ((400, {"error": {"code": "content_filter", "message": "filtered", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}), ErrorCause.FILTERED),
    (openai(400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy.", "invalid_prompt"), ErrorCause.FILTERED),
    (openai(400, "blocked by our safety system"), ErrorCause.FILTERED),
    (failed("cyber_policy", "This request was flagged for possible cybersecurity risk"), ErrorCause.FILTERED),
    (failed("invalid_prompt", "flagged for possible cybersecurity risk"), ErrorCause.FILTERED),
    ((403, {"error": {"code": 403, "message": "m requires moderation. Your input was flagged", "metadata": {"reasons": ["x"]}}}), ErrorCause.FILTERED),
    (openai(500, "The content filter is down"), ErrorCause.FAILED),
    ((200, {"error": {"code": 402, "message": "no credits"}}), ErrorCause.REQUEST),
    ((0, {"error": {"code": 502, "message": "Provider returned error"}, "choices": [{"finish_reason": "error"}]}), ErrorCause.FAILED),
    ((0, {"error": {"code": 429, "message": "slow down"}, "choices": []}), ErrorCause.BUSY),
    ((0, {"error": {"code": 402, "message": "no more"}}), ErrorCause.UNPAID),
    ((400, {"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}), ErrorCause.REQUEST),
    ((413, {"error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}), ErrorCause.REQUEST),
    ((503, "down"), ErrorCause.BUSY),
    ((500, None), ErrorCause.FAILED),
]  # fmt: skip


@pytest.mark.parametrize(("said", "cause"), SAID, ids=[f"{n}-{c}" for n, (_, c) in enumerate(SAID)])
def test_what_a_provider_says_has_a_cause(said: tuple[int, Any], cause: ErrorCause) -> None:
    status, body = said
    error = read_error(body, 0 if status == 200 else status) or ProviderError("", status)
    if status == 200:
        assert error.status == 402
        return
    assert cause_of(error) is cause, error


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"choices": [{"message": {"content": "hi"}}]}, None),
        ({"type": "response.completed", "response": {"error": None, "status": "completed"}}, None),
        ({"error": None}, None),
        ({"error": {}}, None),
        ("text", None),
        ({"error": "plain"}, ProviderError("plain")),
        ({"error": {"message": "a\x1b[31m\nb"}}, ProviderError("a [31m b")),
        ({"error": {"code": "c"}}, ProviderError("c", 0, ("c",))),
        ({"error": {"message": "m", "param": "temperature"}}, ProviderError("m", 0, (), "temperature")),
        ({"choices": [{"error": {"message": "m", "code": 503}}]}, ProviderError("m", 503)),
        ({"type": "response.failed", "response": {"status": "failed"}}, ProviderError("the response failed")),
    ],
)  # fmt: skip
def test_errors_stand_in_several_places(body: Any, error: ProviderError | None) -> None:
    assert read_error(body) == error


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "message", "type", "choices", "response", "detail"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from([0, 400, 402, 404, 429, 500, 599]))
def test_no_body_of_an_error_raises(body: Any, status: int) -> None:
    error = read_error(body, status)
    if error is not None:
        assert isinstance(CONSEQUENCES[cause_of(error)], Consequence)
        assert why_of(error, True) in ("request", "busy", "spent", "provider")
    assert isinstance(ending_of_error(status, body), str)


def test_the_documents_have_the_same_table() -> None:
    text = (Path(__file__).parents[3] / "docs" / "gateway.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    told = {
        row[0].split("`")[1]: [cell.strip("` |") for cell in row[1:]]
        for row in rows
        if len(row) >= 4
    }

    def word(value: bool) -> str:
        return "yes" if value else "no"

    for cause, one in CONSEQUENCES.items():
        due = [word(one.can_be_retried), word(one.counts), word(one.final)]
        assert told[cause][:3] == due, cause
        assert ("".join(told[cause][3:]) or None) == one.ending
