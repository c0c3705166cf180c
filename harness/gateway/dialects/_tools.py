"""The tools of a request of any dialect, wherever in it they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import Body

# Items of OpenAI's responses that bring in tools; Codex 0.171 offers all of its tools to some models so.
ITEMS_WITH_TOOLS = ("additional_tools", "tool_search_output")
PlacedTool = tuple[Mapping[str, Any], str]


def every_tool(body: Body) -> Iterator[PlacedTool]:
    """Each tool on offer with its namespace, "" for none. What is no object is passed over."""
    for name in ("tools", "functions"):
        yield from _tools(body.get(name))
    yield from tools_of_items(body.get("input"))


def tools_of_items(items: Any) -> Iterator[PlacedTool]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, Mapping) and item.get("type") in ITEMS_WITH_TOOLS:
            yield from _tools(item.get("tools"))


def _tools(tools: Any, namespace: str = "") -> Iterator[PlacedTool]:
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, Mapping):
            continue
        if tool.get("type") == "namespace" and not namespace:
            name = tool.get("name")
            yield from _tools(tool.get("tools"), name if isinstance(name, str) else "")
        else:
            yield tool, namespace
