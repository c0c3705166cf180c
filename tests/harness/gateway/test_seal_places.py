"""No place of the installed SDKs' types lets a tool of the provider, a link or a stored thing through the seal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness.gateway import sdk_places
from tests.harness.gateway.seal_places import leaks, undecided

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sdk_places")]


@pytest.fixture(scope="module")
def places() -> list[dict[str, Any]]:
    return list(sdk_places.places())


def test_every_field_part_and_tool_of_the_sdks_is_decided(places: list[dict[str, Any]]) -> None:
    assert undecided(places) == []


def test_the_seal_keeps_to_what_is_decided_at_every_place(places: list[dict[str, Any]]) -> None:
    assert leaks(places) == []


@pytest.mark.parametrize(
    ("dialect", "path", "kind"),
    [
        ("responses", ["tools"], "web_search"),
        ("responses", ["input", "tools"], "mcp"),
        ("responses", ["input", "tools", "tools"], "function"),
        ("chat", ["tools"], "function"),
        ("messages", ["tools"], "web_search_20260318"),
        ("messages", ["messages", "content", "tool", "definition"], "mcp_toolset"),
        ("messages", ["messages", "content", "tool_changes", "tool", "definition"], "mcp_toolset"),
    ],
)
def test_the_walk_reaches_tools_wherever_they_stand(
    places: list[dict[str, Any]], dialect: str, path: list[str], kind: str
) -> None:
    reached = [one for one in places if (one["dialect"], one["path"]) == (dialect, path)]
    assert any(one["tool"] and kind in one["types"] for one in reached)


NEW: list[dict[str, Any]] = [
    {"path": [], "types": [], "tool": False, "scalars": ["reach"], "body": {}},
    {"path": ["input"], "types": ["web_agent_call"], "tool": False, "body": {"input": [{}]}},
    {"path": ["tools"], "types": ["web_agent"], "tool": True, "body": {"tools": [{}]}},
    {"path": ["tools"], "types": ["function"], "tool": True, "scalars": ["server"], "body": {}},
    {
        "path": ["input"],
        "types": ["message"],
        "tool": False,
        "scalars": ["page_url"],
        "body": {"input": [{"type": "message"}]},
    },
]


@pytest.mark.parametrize(
    ("place", "line"),
    list(
        zip(
            NEW,
            [
                "responses: the field reach",
                "responses: the part web_agent_call",
                "responses: the tool web_agent",
                "responses: a tool's field server",
                "responses: a part's field page_url",
            ],
            strict=True,
        )
    ),
)
def test_what_a_release_adds_is_reported(place: dict[str, Any], line: str) -> None:
    new = {"dialect": "responses", "scalars": [], "holders": [], **place}
    assert undecided([new]) == [line]
