"""Parts of requests for the tests of translation, and how a request is compared with what it becomes."""

from __future__ import annotations

from typing import Any

from harness.gateway.changes import Changes

PIXEL = "data:image/png;base64,AA=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
CHAT_IMAGE = {"type": "image_url", "image_url": {"url": PIXEL}}
USER = {"role": "user", "content": "hi"}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
HI = [USER]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def function(name: str, parameters: Any = SCHEMA, **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters, **more}}


def called(number: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {
        "id": number,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


GROUPED = {
    "type": "namespace",
    "name": "crm",
    "description": "customers",
    "tools": [{"type": "function", "name": "get", "description": "gets", "parameters": SCHEMA}],
}
PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "edits",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"},
}


def message(role: str, content: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


def check(bring: Any, body: dict[str, Any], expected: dict[str, Any], reported: list[str]) -> None:
    changes = Changes()
    brought = bring(body, changes)
    assert getattr(brought, "body", brought) == expected
    assert sorted(changes.to_json()) == reported
