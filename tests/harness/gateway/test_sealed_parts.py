"""Parts of conversations that a provider may be sent, and those that are refused by their place."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.models._seal_rules import RULES
from harness.gateway.models._sealed import seal_body
from tests.harness.gateway.test_sealed import BASH, CHAT_BASH, CLAUDE, USER, added, group

ITEMS = ("item_reference", "mcp_approval_response", "web_search_call", "program", "new_item")
BLOCKS = ("container_upload", "mcp_tool_use", "web_fetch_tool_result", "fallback", "new_block")


@pytest.mark.parametrize(
    ("dialect", "body", "message"),
    [
        *[("responses", {"input": [{"type": kind, "id": "x"}]}, "input.0") for kind in ITEMS],
        *[
            ("messages", {"messages": [{"role": "user", "content": [{"type": kind}]}]}, kind)
            for kind in BLOCKS
        ],
        ("responses", {"input": [{"id": "msg_1"}]}, "input.0.id: no answer of this attempt"),
        ("responses", {"input": [{"type": 5}]}, "input.0: 5"),
        ("responses", {"previous_response_id": "resp_1"}, "previous_response_id: no answer"),
        ("responses", {"previous_response_id": ["x"]}, "previous_response_id: no answer"),
        ("responses", {"conversation": "conv_1"}, "conversation: what is stored"),
        ("responses", {"prompt": {"id": "pmpt_1"}}, "prompt: prompts that are stored"),
        ("messages", {"thread": {"type": "continue"}}, "thread: what is stored"),
        ("responses", {"tools": "web_search"}, "tools: must be a list"),
        ("messages", {"messages": {"tool": {"type": "mcp_tool_reference"}}}, "must be a list"),
        ("responses", {"tools": ["web_search"]}, r"tools\.0: must be an object"),
        ("responses", {"input": [added("x")]}, r"input\.0\.tools\.0: must be an object"),
        ("responses", {"tools": [{"type": "namespace"}]}, r"tools\.0\.tools: must be a list"),
        (
            "messages",
            {
                "messages": [
                    {
                        "role": "assistant",
                        "content": [{"type": "server_tool_use", "name": "web_search"}],
                    }
                ]
            },
            "that the provider runs",
        ),
        (
            "chat",
            {"messages": [{"role": "assistant", "audio": {"id": "audio_1"}}]},
            "audio: what is stored",
        ),
        (
            "chat",
            {"messages": [{"role": "user", "content": [{"type": "googleSearch"}]}]},
            "googleSearch is not let through",
        ),
        (
            "responses",
            {"input": [{"type": "function_call", "caller": {"type": "program", "caller_id": "c"}}]},
            "input.0.caller: program is not let through",
        ),
    ],
)
def test_a_part_that_reaches_out_is_refused_by_its_place(
    dialect: str, body: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadRequest, match=message) as error:
        seal_body(body, dialect)
    assert "\n" not in str(error.value)


FILE = {"type": "input_file", "file_id": "file-1"}
LINKED = [
    ("chat", "messages", {"type": "image_url", "image_url": {"url": "https://example.org/?a"}}),
    ("chat", "messages", {"type": "image_url", "image_url": "http://169.254.169.254/"}),
    ("chat", "messages", {"type": "file", "file": {"file_id": "gs://bucket/object"}}),
    ("responses", "input", {"type": "input_image", "image_url": "http://169.254.169.254/"}),
    ("responses", "input", {"type": "input_file", "file_url": " data:x"}),
    ("responses", "input", FILE),
    ("messages", "messages", {"type": "image", "source": {"type": "url", "url": "file:///etc"}}),
    ("messages", "messages", {"type": "document", "source": {"type": "file", "file_id": "f"}}),
    (
        "messages",
        "messages",
        {"type": "tool_result", "content": [{"type": "image", "source": {"url": "x"}}]},
    ),
]


@pytest.mark.parametrize(("dialect", "field", "part"), LINKED)
def test_nothing_is_fetched_for_an_agent(dialect: str, field: str, part: Any) -> None:
    with pytest.raises(BadRequest, match=r"fetched by URL|stored at the provider"):
        seal_body({field: [{"role": "user", "content": [part]}]}, dialect)


def test_the_output_of_a_tool_is_looked_through_as_well() -> None:
    item = {"type": "function_call_output", "call_id": "c", "output": [FILE]}
    with pytest.raises(BadRequest, match=r"input\.0\.output\.0\.file_id"):
        seal_body({"input": [item]}, "responses")


def test_an_attempt_may_refer_to_its_own_answers() -> None:
    body = {"previous_response_id": "resp_1", "input": [{"type": "item_reference", "id": "rs_1"}]}
    assert seal_body(body, "responses", answered={"resp_1", "rs_1"}) == body
    with pytest.raises(BadRequest, match=r"input\.0\.id"):
        seal_body(body, "responses", answered={"resp_1"})


OWN_DATA = {
    "tools": [{"type": "web_search"}],
    "type": "mcp",
    "url": "https://example.org",
    "file_id": "x",
}
UNTOUCHED: list[tuple[str, dict[str, Any]]] = [
    (
        "messages",
        {
            "system": [{"type": "text", "text": "be good", "cache_control": {"type": "ephemeral"}}],
            "tools": [{**CLAUDE, "input_schema": {"properties": OWN_DATA}}],
            "messages": [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "t", "signature": "s"},
                        {"type": "tool_use", "id": "t", "name": "Bash", "input": OWN_DATA},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t",
                            "content": [
                                {
                                    "type": "image",
                                    "source": {
                                        "type": "base64",
                                        "media_type": "image/png",
                                        "data": "",
                                    },
                                },
                                {"type": "tool_reference", "tool_name": "Bash"},
                            ],
                        },
                        {"type": "tool_result", "tool_use_id": "t", "content": []},
                    ],
                },
            ],
            "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
            "tool_choice": {"type": "auto"},
        },
    ),
    (
        "responses",
        {
            "tools": [{**BASH, "parameters": {"properties": OWN_DATA}}, group(BASH)],
            "input": [
                USER,
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
                {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"},
                {"type": "tool_search_call", "call_id": "s", "arguments": OWN_DATA},
                {"type": "custom_tool_call", "call_id": "d", "name": "x", "input": "web_search"},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [
                        {
                            "type": "output_text",
                            "text": "https://example.org",
                            "annotations": [{"type": "url_citation", "url": "https://example.org"}],
                        }
                    ],
                },
            ],
        },
    ),
    (
        "chat",
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c",
                            "type": "function",
                            "function": {"name": "bash", "arguments": "{}"},
                        }
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
                    ],
                },
            ],
            "tools": [CHAT_BASH],
        },
    ),
]


@pytest.mark.parametrize(("dialect", "body"), UNTOUCHED)
def test_what_an_agent_works_with_is_passed_on_as_it_is(dialect: str, body: dict[str, Any]) -> None:
    changes = Changes()
    through = seal_body(body, dialect, changes)
    assert through == body
    assert changes.to_json() == {}
    for name in RULES[dialect].content:
        assert through.get(name) is body.get(name), "an unchanged conversation is not copied"
