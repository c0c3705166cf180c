"""What a call may not make a provider do: an agent without network must not use the provider's.

Providers run tools of their own (search, fetching, code) and fetch files by URL; either is a way out of
the seal, for reading as for telling. Tiers that cost more than the price known for a model go too, and
answers that are paid for but not given (`best_of`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadRequest

RUN_BY_AGENT = frozenset(
    {"", "function", "custom", "local_shell", "shell", "apply_patch", "namespace", "computer"}
)
RUN_BY_AGENT_STEMS = ("bash_", "text_editor_", "memory_", "computer_")
"""Types of tools that a model only names and the agent runs; Anthropic's end in a date."""
TAKEN_AWAY = frozenset(
    {
        "background",
        "best_of",
        "container",
        "mcp_servers",
        "plugins",
        "service_tier",
        "speed",
        "web_search_options",
    }
)
_LINKS = ("image_url", "file_url", "video_url", "audio_url", "url")
_DEEPEST = 6


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without what reaches out. Raises BadRequest where content is to be fetched by URL."""
    kept = {name: value for name, value in body.items() if name not in TAKEN_AWAY}
    tools = kept.get("tools")
    if isinstance(tools, list):
        kept["tools"] = [tool for tool in tools if _run_by_agent(tool)]
        if not kept["tools"]:
            kept.pop("tools")
            kept.pop("tool_choice", None)
    for name in ("messages", "input", "system"):
        for part in _parts(kept.get(name), 0):
            _no_link(part)
    return kept


def _run_by_agent(tool: Any) -> bool:
    if not isinstance(tool, dict):
        return True  # malformed: the provider says so better
    kind = tool.get("type", "")
    if kind == "shell" and str(tool.get("environment") or {"type": ""}).find("container") >= 0:
        return False
    return isinstance(kind, str) and (kind in RUN_BY_AGENT or kind.startswith(RUN_BY_AGENT_STEMS))


def _parts(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Messages, their parts, and the parts of tools' results."""
    if not isinstance(value, list) or depth > _DEEPEST:
        return
    for item in value:
        if isinstance(item, dict):
            yield item
            for name in ("content", "output", "source", "file"):
                inner = item.get(name)
                yield from _parts([inner] if isinstance(inner, dict) else inner, depth + 1)


def _no_link(part: Mapping[str, Any]) -> None:
    for name in _LINKS:
        link = part.get(name)
        if isinstance(link, dict):
            link = link.get("url")
        if isinstance(link, str) and not link.startswith("data:"):
            raise BadRequest(f"{name}: nothing is fetched by URL here; send the content as data:")
