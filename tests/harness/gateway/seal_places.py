"""What the seal does at every place that `sdk_places.py` lists: the verdicts that its tests compare."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.models._seal_rules import IDENTIFIERS, LINKS, OPAQUE, RULES
from harness.gateway.models._sealed import seal_body
from tests.harness.gateway.sdk_places import KEY

ADDRESS = "https://example.org/page"
IDENTIFIER = "file-of-another"
# Fields of a request of which somebody has read that they reach out, cost more, or ask another model.
TAKEN_OUT: Mapping[str, frozenset[str]] = {
    "chat": frozenset({"service_tier", "web_search_options"}),
    "responses": frozenset(
        {"background", "background_options", "betas", "multi_agent", "service_tier"}
    ),
    "messages": frozenset(
        {
            *("betas", "billing_policy", "container", "fallback_credit_token", "fallbacks"),
            *("inference_geo", "mcp_servers", "service_tier", "speed"),
            *("user_profile_id", "workspace_id"),
        }
    ),
}
# Types of parts of which somebody has read that only a tool of the provider makes them, or that they refer
# to what it stores.
REFUSED_PARTS: Mapping[str, frozenset[str]] = {
    "chat": frozenset(),
    "responses": frozenset(
        {
            *("computer_call", "computer_call_output", "computer_screenshot"),
            *("click", "double_click", "drag", "keypress", "move", "screenshot", "scroll"),
            *("type", "wait", "file_search_call", "web_search_call", "search", "open_page"),
            *("find_in_page", "url", "image_generation_call", "code_interpreter_call", "logs"),
            *("image", "mcp_approval_request", "mcp_approval_response", "mcp_call"),
            *("mcp_list_tools", "http_error", "mcp_protocol_error", "mcp_tool_execution_error"),
            *("program", "program_output", "container_reference"),
            *("agent_message", "encrypted_content", "multi_agent_call", "multi_agent_call_output"),
        }
    ),
    "messages": frozenset(
        {
            *("advisor_redacted_result", "advisor_result", "advisor_tool_result"),
            *("advisor_tool_result_error", "bash_code_execution_output"),
            *("bash_code_execution_result", "bash_code_execution_tool_result"),
            *("bash_code_execution_tool_result_error", "browser_state", "code_execution_output"),
            *("code_execution_20250825", "code_execution_20260120", "code_execution_result"),
            *("code_execution_tool_result", "code_execution_tool_result_error"),
            *("container_upload", "download_completed", "download_failed", "download_started"),
            *("encrypted_code_execution_result", "fallback", "file", "mcp_tool_listing"),
            *("mcp_tool_reference", "mcp_tool_result", "mcp_tool_use", "mcp_toolset_reference"),
            *("refusal", "tab_opened", "text_editor_code_execution_create_result"),
            "text_editor_code_execution_str_replace_result",
            *("text_editor_code_execution_tool_result", "url"),
            "text_editor_code_execution_tool_result_error",
            *("text_editor_code_execution_view_result", "web_fetch_result"),
            *("web_fetch_tool_result", "web_fetch_tool_result_error", "web_search_result"),
            *("web_search_tool_result", "web_search_tool_result_error"),
        }
    ),
}
# Types of tools of which somebody has read that the provider runs them, or that they act on a screen.
HOSTED_TOOLS = frozenset(
    {
        *("file_search", "computer", "computer_use_preview", "web_search", "mcp"),
        *("web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"),
        *("code_interpreter", "programmatic_tool_calling", "image_generation"),
        *("code_execution_20250522", "code_execution_20250825", "code_execution_20260120"),
        *("code_execution_20260521", "browser_toolset_20260801", "computer_toolset_20260801"),
        *("computer_20241022", "computer_20250124", "computer_20251124", "advisor_20260301"),
        *("web_search_20250305", "web_search_20260209", "web_search_20260318", "mcp_toolset"),
        *("web_fetch_20250910", "web_fetch_20260209", "web_fetch_20260309"),
        "web_fetch_20260318",
    }
)

# Fields of tools that the agent runs of which somebody has read that they bring in no other.
FIELDS_OF_OWN_TOOLS = frozenset(
    {
        *("allowed_callers", "async", "cache_control", "custom", "defer_loading", "description"),
        *("eager_input_streaming", "environment", "execution", "format", "function"),
        *("input_examples", "input_schema", "max_characters", "name", "output_schema"),
        *("parameters", "strict", "tools", "type"),
    }
)
# Fields of parts that may lead elsewhere by their names, of which somebody has read to what.
REFERENCES = frozenset(
    {"id", "call_id", "tool_call_id", "tool_use_id", "path"} | set(LINKS) | set(IDENTIFIERS)
)
LEADS = re.compile(r"ur[li]|(?:^|_)(?:ids?|ref|label|path|connector|server)$")


def undecided(places: Iterable[Mapping[str, Any]]) -> list[str]:
    """Fields, parts and tools of the SDKs that no table has, one line each."""
    found: dict[str, None] = {}
    for place in places:
        dialect, path = place["dialect"], place["path"]
        rules = RULES[dialect]
        if not path:
            decided = rules.passed | rules.refused.keys() | TAKEN_OUT[dialect]
            fields = {*place["scalars"], *place["holders"]} - decided
            found |= dict.fromkeys(f"{dialect}: the field {name}" for name in sorted(fields))
        elif place["tool"]:
            tools = [kind for kind in place["types"] if kind not in HOSTED_TOOLS]
            tools = [kind for kind in tools if not rules.tools.fullmatch(kind)]
            found |= dict.fromkeys(f"{dialect}: the tool {kind}" for kind in tools)
            if any(map(rules.tools.fullmatch, place["types"])):
                fields = {*place["scalars"], *place["holders"]} - FIELDS_OF_OWN_TOOLS
                found |= dict.fromkeys(f"{dialect}: a tool's field {name}" for name in fields)
        elif _is_part(place):
            kinds = set(place["types"]) - rules.parts - REFUSED_PARTS[dialect]
            found |= dict.fromkeys(f"{dialect}: the part {kind}" for kind in sorted(kinds))
            if not _is_within_refused(place):
                fields = set(filter(LEADS.search, place["scalars"])) - REFERENCES
                found |= dict.fromkeys(f"{dialect}: a part's field {name}" for name in fields)
    return list(found)


def leaks(places: Iterable[Mapping[str, Any]]) -> list[str]:
    """Places where the seal lets through what it must not, or stops what it must let through."""
    found: dict[str, None] = {}
    for place in places:
        if place["path"]:
            found |= dict.fromkeys(_at(place))
    return list(found)


def _at(place: Mapping[str, Any]) -> Iterator[str]:
    where = f"{place['dialect']}: {'.'.join(place['path'])}"
    for kind in place["types"] or [None]:
        body, leaf = _with_leaf(place, {} if kind is None else {"type": kind})
        passed = passes(place["dialect"], body, leaf)
        if place["tool"] and kind is not None:
            if passed and kind in HOSTED_TOOLS:
                yield f"{where}: {kind} is let through"
            if not passed and kind not in HOSTED_TOOLS and not _is_within_refused(place):
                yield f"{where}: {kind} is taken out"
        elif _is_part(place) and passed and kind in REFUSED_PARTS[place["dialect"]]:
            yield f"{where}: {kind} is let through"
    for name in (*LINKS, *IDENTIFIERS):
        if name in place["scalars"] and _is_part(place):
            body, leaf = _with_leaf(place, {name: ADDRESS if name in LINKS else IDENTIFIER})
            if passes(place["dialect"], body, leaf):
                yield f"{where}: {name} is let through"


def passes(dialect: str, body: Any, leaf: Mapping[str, Any]) -> bool:
    """Whether a request comes through with this object anywhere in it."""
    try:
        return any(held == leaf for held in _objects(seal_body(body, dialect, Changes())))
    except BadRequest:
        return False


def _with_leaf(place: Mapping[str, Any], fields: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The place's body with fields added to the object at its end, and that object."""
    body = copy.deepcopy(place["body"])
    leaf = body
    for name in place["path"]:
        leaf = leaf[name]
        while isinstance(leaf, list) or (isinstance(leaf, dict) and list(leaf) == [KEY]):
            leaf = leaf[0] if isinstance(leaf, list) else leaf[KEY]
    leaf.update(fields)
    return body, leaf


def _is_part(place: Mapping[str, Any]) -> bool:
    """Whether a place is within a conversation, and not within what nobody acts upon, nor within a tool."""
    first, *rest = place["path"]
    opaque = OPAQUE | {"tools", "definition", "tool_choice"}
    return first in RULES[place["dialect"]].content and not opaque & set(rest)


def _is_within_refused(place: Mapping[str, Any]) -> bool:
    """Whether the part that holds the place is refused whole."""
    refused = REFUSED_PARTS[place["dialect"]]
    return any(held.get("type") in refused | HOSTED_TOOLS for held in _objects(place["body"]))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _objects(inner)
