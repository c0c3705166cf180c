"""What is the same in all dialects: refusals by a table, pinned parameters, and notes for what is no text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.gateway.dialects import Body, Refusal, Why
from harness.gateway.dialects._json import JsonReader, join_path, line
from harness.gateway.neutral import Reply

# 2026-01-01: the time of call 0, so that answers are the same each time; each call is a second later.
EPOCH = 1_767_225_600

# Why -> status, type, code. "spent" is what all agents of these dialects but Codex stop at (measured).
OPENAI_REFUSALS: Mapping[Why, tuple[int, str, str]] = {
    # Not 429, which clients repeat: an attempt whose budget is spent must end and not wait.
    "spent": (401, "authentication_error", "budget_spent"),
    "key": (401, "authentication_error", "invalid_api_key"),
    "request": (400, "invalid_request_error", "invalid_request"),
    "provider": (502, "api_error", "provider_failed"),
    "busy": (429, "rate_limit_error", "rate_limit_exceeded"),
}

PART_NOTES = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "computer_screenshot": "[image]",
    "input_audio": "[audio]",
    "audio": "[audio]",
    "file": "[file]",
    "input_file": "[file]",
    "document": "[document]",
}
# Type of a part -> the field that holds its text; "" for what is not said aloud.
TEXT_PARTS = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
    "thinking": "",
    "redacted_thinking": "",
}


class Played:
    """What each dialect says of answers: a reply's stream is that of its whole answer, and loses nothing."""

    # What parameters that can be pinned are called in this dialect.
    names: Mapping[str, str]
    render: Callable[[Reply, str, int], dict[str, Any]]
    stream: Callable[[Body], Iterator[bytes]]

    def events(self, reply: Reply, model: str, number: int) -> Iterator[bytes]:
        return self.stream(self.render(reply, model, number))


def openai_refusal(refusal: Refusal) -> tuple[int, dict[str, Any]]:
    status, kind, code = OPENAI_REFUSALS[refusal.why]
    code = refusal.code or code
    error = {"message": line(refusal.message), "type": kind, "param": None, "code": code}
    return status, {"error": error}


def note(kind: Any) -> str:
    """What stands for content that is no text. Unknown kinds are shown only if they are plain names."""
    if not isinstance(kind, str):
        return "[other]"
    # The word is the agent's or a provider's; it goes into texts that patterns and people read.
    plain = kind.replace("_", "").isalnum() and kind.isascii() and len(kind) <= 40
    return PART_NOTES.get(kind, f"[{kind}]" if plain else "[other]")


def text_of_content(read: JsonReader, content: Any, path: str) -> str:
    """The text of a content: text, null, or a list of parts."""
    if content is None or isinstance(content, str):
        return read.text(content, path)
    if not isinstance(content, list):
        raise read.wrong(path, "text or a list of parts")
    return "\n".join(
        text
        for i, part_of_content in enumerate(content)
        if (
            text := _part(
                read, read.object(part_of_content, join_path(path, i)), join_path(path, i)
            )
        )
    )


def _part(read: JsonReader, part: Mapping[str, Any], path: str) -> str:
    kind = part.get("type")
    field = TEXT_PARTS.get(kind) if isinstance(kind, str) else None
    if field is None:
        return note(kind)
    return read.text(part.get(field), join_path(path, field)) if field else ""


def tool_names(read: JsonReader, tools: Any, path: str) -> tuple[str, ...]:
    """Names of the tools on offer: the tool's, its function's, or, without either, its type."""
    return tuple(
        _tool_name(read, read.object(tool, join_path(path, i)), join_path(path, i))
        for i, tool in enumerate(read.list(tools, path))
    )


def _tool_name(read: JsonReader, tool: Mapping[str, Any], path: str) -> str:
    for key in ("function", "custom"):
        if key in tool:
            return read.name(
                read.object(tool[key], join_path(path, key)).get("name"), join_path(path, key)
            )
    return read.name(tool.get("name") or tool.get("type"), join_path(path, "name"))


def pin_parameters(
    body: Body, parameters: Mapping[str, Any], names: Mapping[str, str]
) -> dict[str, Any]:
    """The body with those of the parameters that have a name in this dialect: `a.b` is the field b of a."""
    changed = dict(body)
    for name, value in parameters.items():
        if name not in names:
            continue
        outer, _, inner = names[name].partition(".")
        if not inner:
            merged = value
        else:
            held = changed.get(outer)
            fields = dict(held) if isinstance(held, dict) else {}
            fields.pop(inner, None)
            merged = fields if value is None else {**fields, inner: value}
        # An empty object would be a field that the agent never sent, which some providers refuse.
        if merged is None or merged == {}:
            changed.pop(outer, None)
        else:
            changed[outer] = merged
    return changed
