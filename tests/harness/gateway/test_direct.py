"""An endpoint asked directly: as the agent asks, in what dialect, and what it is not sent."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.models._make import make_model
from tests.harness.gateway.providers import REPLY, dialect, provider
from tests.harness.gateway.serving import DIALECTS, ask, serving

pytestmark = pytest.mark.slow

CANARY = "canary.0123456789.abcdef"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)


CLAUDE_CODE = {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "claude-code-20250219, mcp-client-2026-09-15,effort-2025-11-24,nonsense,",
}


@pytest.mark.parametrize(
    ("asked", "path", "sent", "changed"),
    [
        ({}, "/v1/messages", {"anthropic-version": "2023-06-01", "x-api-key": CANARY}, []),
        (
            {"anthropic-version": "2024-01-01, x: y"},
            "/v1/messages",
            {"anthropic-version": "2023-06-01"},
            [],
        ),
        (
            CLAUDE_CODE,
            "/v1/messages?beta=true",
            {
                "anthropic-version": "2026-10-21",
                "anthropic-beta": "claude-code-20250219,effort-2025-11-24",
                "authorization": f"Bearer {CANARY}",
            },
            ["mcp-client-2026-09-15", "nonsense"],
        ),
        ({"anthropic-beta": "files-api-2025-04-14"}, "/v1/messages", {}, ["files-api-2025-04-14"]),
    ],
)
def test_anthropic_is_asked_as_the_agent_asks(
    asked: dict[str, str],
    path: str,
    sent: dict[str, str],
    changed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    with (
        provider() as there,
        serving(make_model("anthropic/claude", there.address)) as (opened, asking),
    ):
        asked_body: Any = DIALECTS["messages"][1]
        answer = asking.post("/v1/messages", json={**asked_body, "stream": True}, headers=asked)
        assert answer.status_code == 200
        asked_path, headers, sent_body = there.asked[0]
        assert (asked_path, sent_body["model"]) == (path, "claude")
        assert sent.items() <= headers.items()
        names = {"anthropic-beta", "authorization", "x-api-key"}
        assert names & headers.keys() <= sent.keys() | {"x-api-key"}
        assert opened.account.calls[0].tokens == REPLY.tokens
        lines = {f"anthropic-beta: {name} not passed on": 1 for name in changed}
        assert opened.changes == lines


def test_openai_is_sent_no_header_of_the_agent_s(monkeypatch: pytest.MonkeyPatch) -> None:
    with provider() as there, serving(make_model("openai/x", there.base)) as (_, asking):
        asking.post(
            "/v1/responses",
            json=DIALECTS["responses"][1],
            headers={**CLAUDE_CODE, "openai-beta": "x", "x-secret": "y"},
        )
        assert not {*CLAUDE_CODE, "openai-beta", "x-secret"} & there.asked[0][1].keys()


@pytest.mark.parametrize("stream", [False, True])
def test_an_attempt_may_go_on_from_its_own_answer_alone(stream: bool) -> None:
    with (
        provider() as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
        serving(make_model("openai/x", there.base)) as (_, another),
    ):
        assert ask(asking, "responses", stream).status_code == 200
        given = dialect("responses").render(REPLY, "m", 0)
        more = {
            "previous_response_id": given["id"],
            "input": [{"type": "item_reference", "id": given["output"][0]["id"]}],
        }
        assert ask(asking, "responses", stream, **more).status_code == 200
        assert there.asked[-1][2]["previous_response_id"] == given["id"]
        refused = ask(another, "responses", stream, **more)
        assert refused.status_code == 400
        assert "previous_response_id" in refused.json()["error"]["message"]
        assert len(there.asked) == 2
    assert opened.changes == {}


@pytest.mark.parametrize("stream", [False, True])
def test_chat_with_tools_goes_as_responses_where_a_model_takes_them_only_there(
    stream: bool,
) -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    with (
        provider() as there,
        serving(make_model("openai/gpt-6-astra", there.base)) as (opened, asking),
    ):
        answer = ask(asking, stream=stream, tools=tools)
        assert answer.status_code == 200
        assert ask(asking, stream=stream).status_code == 200
        assert [path for path, _, _ in there.asked] == ["/v1/responses", "/v1/chat/completions"]
        assert there.asked[0][2]["tools"][0]["name"] == "f"
        if stream:
            fold = dialect("chat").fold()
            fold.feed(answer.content)
            assert fold.complete and fold.reply().text == REPLY.text
            assert b'"usage":{' not in answer.content
        else:
            assert dialect("chat").read(answer.json()).text == REPLY.text
        assert [row.tokens for row in opened.account.calls] == [REPLY.tokens] * 2
        assert [row.wire for row in opened.account.calls] == ["chat", "chat"]


def test_what_was_taken_out_of_requests_is_counted() -> None:
    with provider() as there, serving(make_model("openai/x", there.base)) as (opened, asking):
        for _ in range(2):
            ask(asking, "responses", tools=[{"type": "web_search"}], background=True)
        assert "tools" not in there.asked[0][2]
    assert opened.changes == {"background: not passed on": 2, "tools: web_search taken out": 2}
