"""What of a request reaches a provider: what the agent runs and sends itself, and nothing that reaches out."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.changes import MAX_CHANGES, MAX_LENGTH, REST, Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.models._seal_rules import RULES
from harness.gateway.models._sealed import seal_body

BASH = {"type": "function", "name": "bash", "parameters": {"type": "object"}}
CHAT_BASH = {"type": "function", "function": {"name": "bash"}}
SEARCH = {"type": "web_search"}
MCP = {"type": "mcp", "server_label": "x", "server_url": "https://example.org"}
USER = {"role": "user", "content": "hi"}
CLAUDE = {"name": "Bash", "input_schema": {"type": "object"}}
CLAUDE_SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def group(*tools: Any) -> dict[str, Any]:
    return {"type": "namespace", "name": "crm", "description": "d", "tools": list(tools)}


def added(*tools: Any) -> dict[str, Any]:
    return {"type": "additional_tools", "role": "developer", "tools": list(tools)}


def addition(tool: Any) -> dict[str, Any]:
    return {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": tool}}


def reference(kind: str, name: str, change: str = "tool_addition") -> dict[str, Any]:
    return {"type": change, "tool": {"type": kind, "name": name}}


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        ("responses", {"tools": [BASH, SEARCH, MCP]}, {"tools": [BASH]}),
        ("responses", {"tools": [SEARCH], "tool_choice": "auto"}, {}),
        ("responses", {"tools": [group(BASH, SEARCH)]}, {"tools": [group(BASH)]}),
        ("responses", {"tools": [group(MCP), BASH]}, {"tools": [BASH]}),
        ("responses", {"input": [added(SEARCH, BASH), USER]}, {"input": [added(BASH), USER]}),
        ("responses", {"input": [added(SEARCH, MCP), USER]}, {"input": [USER]}),
        ("responses", {"input": [added(group(MCP)), USER]}, {"input": [USER]}),
        (
            "responses",
            {"input": [{"type": "tool_search_output", "call_id": "c", "tools": [MCP]}]},
            {"input": [{"type": "tool_search_output", "call_id": "c", "tools": []}]},
        ),
        (
            "responses",
            {"tools": [{"type": "shell"}, {"type": "shell", "environment": {"type": "local"}}]},
            {"tools": [{"type": "shell"}, {"type": "shell", "environment": {"type": "local"}}]},
        ),
        (
            "responses",
            {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]},
            {},
        ),
        ("responses", {"tools": [{"type": "computer_use_preview"}, BASH]}, {"tools": [BASH]}),
        ("responses", {"tools": [{"type": ["function"]}, BASH]}, {"tools": [BASH]}),
        ("responses", {"tools": [{"name": "untyped"}, BASH]}, {"tools": [BASH]}),
        (
            "responses",
            {"tools": [{**BASH, "allowed_callers": ["programmatic"]}]},
            {"tools": [BASH]},
        ),
        ("responses", {"background": True, "service_tier": "flex", "multi_agent": {}}, {}),
        ("responses", {"background": None, "client_metadata": {}}, {"client_metadata": {}}),
        ("chat", {"tools": [CHAT_BASH, {"googleSearch": {}}]}, {"tools": [CHAT_BASH]}),
        ("chat", {"tools": [{**CHAT_BASH, "urlContext": {}}]}, {"tools": [CHAT_BASH]}),
        ("chat", {"web_search_options": {}, "plugins": [{"id": "web"}], "models": ["b"]}, {}),
        ("chat", {"top_k": 5, "n": 1, "best_of": 3}, {"top_k": 5, "n": 1}),
        (
            "chat",
            {"functions": [], "tool_choice": "auto"},
            {"functions": [], "tool_choice": "auto"},
        ),
        ("completions", {"prompt": "x", "best_of": 3, "tools": []}, {"prompt": "x"}),
        ("messages", {"tools": [CLAUDE, CLAUDE_SEARCH]}, {"tools": [CLAUDE]}),
        ("messages", {"tools": [{"type": "mcp_toolset"}], "mcp_servers": [{}]}, {}),
        (
            "messages",
            {"tools": [{"type": "bash_20250124", "name": "bash"}]},
            {"tools": [{"type": "bash_20250124", "name": "bash"}]},
        ),
        ("messages", {"tools": [{"type": "bash_code_execution_20270101", "name": "b"}]}, {}),
        ("messages", {"tools": [{"type": "browser_toolset_20260801"}]}, {}),
        (
            "messages",
            {"messages": [USER, {"role": "system", "content": [addition(CLAUDE_SEARCH)]}]},
            {"messages": [USER]},
        ),
        (
            "messages",
            {
                "messages": [
                    {"role": "system", "content": [addition(CLAUDE_SEARCH), addition(CLAUDE)]}
                ]
            },
            {"messages": [{"role": "system", "content": [addition(CLAUDE)]}]},
        ),
        (
            "messages",
            {
                "tools": [CLAUDE, CLAUDE_SEARCH],
                "messages": [
                    {
                        "role": "system",
                        "content": [
                            reference("tool_reference", "web_search"),
                            reference("tool_reference", "Bash", "tool_removal"),
                            reference("mcp_toolset_reference", "x"),
                        ],
                    }
                ],
            },
            {
                "tools": [CLAUDE],
                "messages": [
                    {
                        "role": "system",
                        "content": [reference("tool_reference", "Bash", "tool_removal")],
                    }
                ],
            },
        ),
        (
            "messages",
            {"container": "c", "fallbacks": [], "speed": "fast", "inference_geo": "us"},
            {},
        ),
    ],
)
def test_what_reaches_out_is_taken_out_and_reported(
    dialect: str, body: dict[str, Any], expected: dict[str, Any]
) -> None:
    before, changes = copy.deepcopy(body), Changes()
    assert seal_body(body, dialect, changes) == expected
    assert body == before
    sent = {name: value for name, value in body.items() if value is not None}
    assert bool(changes.to_json()) == (expected != sent)


@pytest.mark.parametrize(
    ("dialect", "tools", "choice", "expected"),
    [
        ("responses", [BASH, SEARCH], "required", "required"),
        ("responses", [BASH, SEARCH], {"type": "web_search_preview"}, None),
        ("responses", [BASH, MCP], {"type": "mcp", "server_label": "x", "name": "bash"}, None),
        ("responses", [BASH], {"type": "function", "name": "bash"}, "same"),
        ("responses", [BASH, {"type": "shell"}], {"type": "shell"}, "same"),
        (
            "responses",
            [BASH, {"type": "shell", "environment": {"type": "container_auto"}}],
            {"type": "shell"},
            None,
        ),
        (
            "responses",
            [BASH, SEARCH],
            {"type": "allowed_tools", "mode": "auto", "tools": [BASH, SEARCH]},
            {"type": "allowed_tools", "mode": "auto", "tools": [BASH]},
        ),
        ("responses", [BASH], {"type": "allowed_tools", "mode": "auto", "tools": [MCP]}, None),
        (
            "chat",
            [CHAT_BASH],
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [CHAT_BASH, SEARCH]},
            },
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [CHAT_BASH]}},
        ),
        ("chat", [CHAT_BASH], {"type": "function", "function": {"name": "bash"}}, "same"),
        ("messages", [CLAUDE, CLAUDE_SEARCH], {"type": "tool", "name": "web_search"}, None),
        ("messages", [CLAUDE, CLAUDE_SEARCH], {"type": "tool", "name": "Bash"}, "same"),
        (
            "messages",
            [{**CLAUDE, "name": "web_search"}, CLAUDE_SEARCH],
            {"type": "tool", "name": "web_search"},
            "same",
        ),
        ("messages", [CLAUDE], {"type": "any", "disable_parallel_tool_use": True}, "same"),
    ],
)
def test_a_choice_keeps_to_the_tools_that_are_left(
    dialect: str, tools: list[Any], choice: Any, expected: Any
) -> None:
    left = seal_body({"tools": tools, "tool_choice": choice}, dialect).get("tool_choice")
    assert left == (choice if expected == "same" else expected)


def test_a_choice_holds_for_tools_that_only_the_input_brings() -> None:
    body = {"input": [added(BASH), USER], "tool_choice": "auto"}
    assert seal_body(body, "responses") == body
    assert "tool_choice" not in seal_body(
        {"input": [added(MCP)], "tool_choice": "auto"}, "responses"
    )


KEYS = st.sampled_from(
    *[["input", "messages", "system", "tools", "tool", "definition", "content", "type", "tool_choice",
       "url", "file_id", "name", "role", "id", "allowed_tools", "environment", "previous_response_id"]]
)  # fmt: skip
WORDS = st.sampled_from(
    ["function", "namespace", "mcp", "tool_addition", "tool_definition", "message", "data:", "x"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(one for inner in value.values() for one in objects(inner))]
    return [one for inner in value for one in objects(inner)] if isinstance(value, list) else []


@pytest.mark.slow
@pytest.mark.parametrize("dialect", RULES)
@given(body=st.dictionaries(KEYS, JSON, max_size=5))
def test_any_body_is_sealed_or_refused(dialect: str, body: dict[str, Any]) -> None:
    before = copy.deepcopy(body)
    try:
        through = seal_body(body, dialect)
    except BadRequest:
        through = {}
    assert body == before
    places = ["tools", *RULES[dialect].content]
    assert not [
        one for name in places for one in objects(through.get(name)) if one.get("type") == "mcp"
    ]


def test_changes_are_counted_and_bounded() -> None:
    changes = Changes()
    for i in range(MAX_CHANGES + 5):
        changes.add(f"tools: x{i} taken out")
    changes.add("tools: x0 taken out")
    changes.add("y\n" * 500)
    counts = changes.to_json()
    assert counts["tools: x0 taken out"] == 2
    assert counts[REST] == 6
    assert len(counts) == MAX_CHANGES + 1
    assert all(len(line) <= MAX_LENGTH and "\n" not in line for line in counts)
