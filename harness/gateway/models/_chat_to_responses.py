"""A request of chat completions as a request of OpenAI's responses, for models that call tools only there.

What has no form there raises BadRequest, save for what we ourselves put into requests (`seed`): that is
reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.dialects._json import line, part
from harness.gateway.models._to_chat import each_object

SAME = (
    *("temperature", "top_p", "parallel_tool_calls", "user", "safety_identifier", "metadata"),
    *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "moderation"),
)
CARRIED = frozenset(
    {
        *SAME,
        *("messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "store"),
        *("reasoning_effort", "verbosity", "response_format", "seed"),
        *("model", "stream", "stream_options"),
    }
)
# Fields that say nothing at these values, and have no form at others.
DEFAULTS: Mapping[str, Any] = {
    "n": 1,
    "logprobs": False,
    "modalities": ["text"],
    "frequency_penalty": 0,
    "presence_penalty": 0,
}
# Fewest output tokens that responses can be limited to
# (https://platform.openai.com/docs/api-reference/responses/create).
MIN_OUTPUT_TOKENS = 16
Items = Iterator[dict[str, Any]]


def chat_to_responses(body: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    """Raises BadRequest, and what a malformed body makes Python raise."""
    _expect_carried(body)
    request = {name: body[name] for name in SAME if body.get(name) is not None}
    request["input"] = list(_items(body["messages"]))
    request["store"] = body.get("store") is True  # else it is stored unless one says not to
    request |= _limit(body, changes)
    if body.get("reasoning_effort") is not None:
        request["reasoning"] = {"effort": body["reasoning_effort"]}
    text = _format(body.get("response_format"))
    if body.get("verbosity") is not None:
        text["verbosity"] = body["verbosity"]
    request |= {"text": text} if text else {}
    if body.get("tools"):
        request["tools"] = [_tool(*tool) for tool in each_object(body["tools"], "tools")]
    if body.get("tool_choice") is not None:
        request["tool_choice"] = _choice(body["tool_choice"])
    if body.get("seed") is not None:
        changes.add("seed: not carried to responses")
    return request


def _expect_carried(body: Mapping[str, Any]) -> None:
    for name, value in body.items():
        is_default = name in DEFAULTS and value == DEFAULTS[name]
        # Refused and not dropped: the model would answer a different request than the agent's.
        if value is not None and name not in CARRIED and not is_default:
            raise _no_form(line(name), "this value")


def _no_form(path: str, what: Any) -> BadRequest:
    return BadRequest(
        f"{path}: {line(str(what))} has no form in responses, where this model calls tools"
    )


def _limit(body: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    if limit is None:
        return {}
    if limit < MIN_OUTPUT_TOKENS:
        changes.add(f"max_tokens: raised to {MIN_OUTPUT_TOKENS}, the least that responses take")
    return {"max_output_tokens": max(limit, MIN_OUTPUT_TOKENS)}


def _format(wanted: Any) -> dict[str, Any]:
    """`text.format`, in which schema and name stand on top."""
    kind = part(wanted, "type")
    if kind == "json_schema":
        return {"format": {"type": kind, **wanted["json_schema"]}}
    return {"format": wanted} if kind == "json_object" else {}


# tools


def _tool(path: str, tool: Mapping[str, Any]) -> dict[str, Any]:
    kind = tool.get("type")
    if kind == "function":
        function = tool["function"]
        # without a word on it, responses are strict where chat completions are not
        return {
            "type": kind,
            "parameters": None,
            **function,
            "strict": function.get("strict") is True,
        }
    if kind == "custom":
        custom = dict(tool["custom"])
        if (form := custom.get("format")) is not None:
            # Chat nests the grammar in an object of that name, responses have its fields beside the type.
            grammar = form.get("grammar") if isinstance(form.get("grammar"), dict) else {}
            custom["format"] = {"type": form["type"], **grammar}
        return {"type": kind, **custom}
    raise _no_form(path, kind)


def _choice(choice: Any) -> Any:
    if not isinstance(choice, dict):
        return choice
    kind = choice.get("type")
    if kind == "allowed_tools":
        allowed = choice["allowed_tools"]
        return {
            "type": kind,
            "mode": allowed["mode"],
            "tools": list(map(_choice, allowed["tools"])),
        }
    return {"type": kind, "name": choice[kind]["name"]}


# messages


def _items(messages: Any) -> Items:
    """The items of a conversation: a message of an answer with calls of tools is several."""
    # Calls of custom tools, whose outputs are items of another kind.
    custom: set[str] = set()
    for path, message in each_object(messages, "messages"):
        if message["role"] == "tool":
            yield _output(message, path, custom)
            continue
        yield from _message_items(message, path)
        for where, call in each_object(message.get("tool_calls"), f"{path}.tool_calls"):
            if call.get("type") == "custom":
                custom.add(call["id"])
            yield _call(call, where)


def _output(message: Mapping[str, Any], path: str, custom: set[str]) -> dict[str, Any]:
    number = message["tool_call_id"]
    kind = "custom_tool_call_output" if number in custom else "function_call_output"
    output = _content(message.get("content"), f"{path}.content", "input_text")
    return {"type": kind, "call_id": number, "output": output}


def _message_items(message: Mapping[str, Any], path: str) -> Items:
    role = message["role"]
    if role not in ("system", "developer", "user", "assistant") or message.get("function_call"):
        raise _no_form(path, "a function without tools")
    kind = "output_text" if role == "assistant" else "input_text"
    content = _content(message.get("content") or message.get("refusal"), f"{path}.content", kind)
    if content:
        yield {"type": "message", "role": role, "content": content}


def _call(call: Mapping[str, Any], path: str) -> dict[str, Any]:
    kind = call.get("type") or "function"
    if kind == "custom":
        custom = call["custom"]
        item = {"type": "custom_tool_call", "name": custom["name"], "input": custom["input"]}
    elif kind == "function":
        function = call["function"]
        item = {
            "type": "function_call",
            "name": function["name"],
            "arguments": function["arguments"],
        }
    else:
        raise _no_form(path, kind)
    return {**item, "call_id": call["id"]}


def _content(content: Any, path: str, kind: str) -> Any:
    """Text as it is; parts with their types named as responses do."""
    if content is None or isinstance(content, str):
        return content or ""
    return [_part(item, where, kind) for where, item in each_object(content, path)]


def _part(part: Mapping[str, Any], path: str, kind: str) -> dict[str, Any]:
    write = PARTS.get(str(part.get("type")))
    if write is None:
        raise _no_form(path, part.get("type"))
    return write(part, kind)


def _text(part: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"type": kind, "text": part["text"]}


def _refusal(part: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"type": "refusal", "refusal": part["refusal"]}


def _image(part: Mapping[str, Any], kind: str) -> dict[str, Any]:
    image = part["image_url"]
    link, detail = (image, None) if isinstance(image, str) else (image["url"], image.get("detail"))
    return {"type": "input_image", "image_url": link, "detail": detail or "auto"}


def _file(part: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"type": "input_file", **part["file"]}


PARTS: Mapping[str, Callable[[Mapping[str, Any], str], dict[str, Any]]] = {
    "text": _text,
    "refusal": _refusal,
    "image_url": _image,
    "file": _file,
}
