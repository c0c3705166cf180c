"""A dialect that a model's endpoint does not speak, brought to chat completions and back.

The one dialect that is never brought there is `completions`: a chat model that is told a text answers it, and
does not go on with it.

The answer is put together before it is given in the dialect that was asked: its stream begins when the
model has ended. Reasoning is not carried back to the model, which chat completions have no place for.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Protocol

from harness.gateway.dialects import BadRequest, Call, Dialect
from harness.gateway.dialects._json import line
from harness.gateway.models import Answer, LanguageModel, ProviderFault, Stream, Whole
from harness.gateway.neutral import Reply
from parsers.registry import lookup

COMPLETIONS = "completions"
_SAME = ("temperature", "top_p", "seed", "user", "parallel_tool_calls")
_OUTPUT = ("max_tokens", "max_output_tokens")
Items = Iterator[dict[str, Any]]


class Speaker(LanguageModel, Protocol):
    """A model of which it is known what its endpoint speaks, by the dialects' names."""

    @property
    def speaks(self) -> frozenset[str]: ...


class TranslatedModel:
    """Passes on what the endpoint speaks, and brings the rest to chat."""

    def __init__(self, model: Speaker) -> None:
        self.name, self._model = model.name, model

    async def answer(self, call: Call) -> Answer:
        """Raises ProviderFault, BadRequest."""
        spoken = call.dialect.name in self._model.speaks
        if call.dialect.name == COMPLETIONS:
            _ = call.parsed  # raises BadRequest: several prompts in one call would pass the cap
            if not spoken:
                raise BadRequest(f"{self.name}: this provider goes on with no text, it only chats")
        if spoken:
            return await self._model.answer(call)
        _ = call.parsed  # raises BadRequest, which says where the form is not right
        chat: Dialect = lookup("harness.gateway.dialects", "chat")
        try:
            body = CHATTED[call.dialect.name](call.body)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise BadRequest(
                line(f"the request has no form in chat completions: {error!r}")
            ) from error
        answer = await self._model.answer(Call(chat, body, call.number))
        if isinstance(answer, Stream):
            raise ProviderFault("a stream where none was asked for")
        if isinstance(answer.body, bytes) or answer.status != 200:
            return answer
        reply = chat.read(answer.body)
        if call.body.get("stream") is not True:
            rendered = call.dialect.render(reply, self.name, call.number)
            return Whole(rendered, finish=reply.finish)
        return Stream(_each(call, reply, self.name), reply.finish)

    async def close(self) -> None:
        await self._model.close()


async def _each(call: Call, reply: Reply, name: str) -> AsyncIterator[bytes]:
    for event in call.dialect.events(reply, name, call.number):
        yield event


# requests


def from_messages(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request of Anthropic's messages as one of chat completions."""
    messages = []
    if body.get("system"):
        messages.append({"role": "system", "content": _text(body["system"])})
    for message in body["messages"]:
        messages += _of_blocks(message["role"], message["content"])
    chat = {**_shared(body), "messages": messages}
    if body.get("stop_sequences"):
        chat["stop"] = body["stop_sequences"]
    tools = [
        _function(tool["name"], tool.get("description"), tool["input_schema"])
        for tool in body.get("tools") or ()
        if "input_schema" in tool
    ]
    return chat | _offered(tools, _choice(body.get("tool_choice")))


def _of_blocks(role: str, content: Any) -> Items:
    if isinstance(content, str):
        yield {"role": role, "content": content}
        return
    for block in content:
        if block.get("type") == "tool_result":
            result = _text(block.get("content") or "")
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": result}
    calls = [
        _called(block["id"], block["name"], json.dumps(block.get("input") or {}))
        for block in content
        if block.get("type") == "tool_use"
    ]
    parts = [part for block in content if (part := _part(block))]
    if parts or calls:
        plain = all(part["type"] == "text" for part in parts)
        said = "\n".join(part["text"] for part in parts) or None if plain else parts
        yield {"role": role, "content": said, **({"tool_calls": calls} if calls else {})}


def from_responses(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request of OpenAI's responses as one of chat completions."""
    messages: list[dict[str, Any]] = []
    if body.get("instructions"):
        messages.append({"role": "system", "content": body["instructions"]})
    given = body.get("input") or ""
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    for item in items:
        _add_item(messages, item)
    tools = [
        _function(tool["name"], tool.get("description"), tool.get("parameters") or _TEXT_INPUT)
        for tool in body.get("tools") or ()
        if tool.get("type") in ("function", "custom")
    ]
    chat = {**_shared(body), "messages": messages}
    effort = (body.get("reasoning") or {}).get("effort")
    if effort:
        chat["reasoning_effort"] = effort
    return chat | _offered(tools, _choice(body.get("tool_choice")))


_TEXT_INPUT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def _add_item(messages: list[dict[str, Any]], item: Mapping[str, Any]) -> None:
    kind = item.get("type", "message")
    if kind == "message":
        role = {"developer": "system"}.get(item["role"], item["role"])
        messages.append({"role": role, "content": _text(item.get("content") or "")})
    elif kind in ("function_call", "custom_tool_call"):
        own = json.dumps({"input": item.get("input", "")})
        call = _called(item["call_id"], item["name"], item.get("arguments", own))
        if not (messages and messages[-1]["role"] == "assistant"):
            messages.append({"role": "assistant", "content": None})
        messages[-1].setdefault("tool_calls", []).append(call)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        output = _text(item.get("output") or "")
        messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": output})


def _shared(body: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: body[name] for name in _SAME if body.get(name) is not None}
    for name in _OUTPUT:
        if body.get(name) is not None:
            kept["max_tokens"] = body[name]
    return kept


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [part for block in content if (part := _part(block))]
    return "\n".join(part.get("text", "[image]") for part in parts)


def _part(block: Mapping[str, Any]) -> dict[str, Any] | None:
    if isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    source = block.get("source")
    if block.get("type") == "image" and isinstance(source, dict) and "data" in source:
        link = f"data:{source.get('media_type', 'image/png')};base64,{source['data']}"
        return {"type": "image_url", "image_url": {"url": link}}
    return None


def _called(number: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


def _function(name: str, about: Any, parameters: Any) -> dict[str, Any]:
    function = {"name": name, "parameters": parameters}
    return {
        "type": "function",
        "function": function | ({"description": about} if about else {}),
    }


def _choice(choice: Any) -> Any:
    """`auto`, `none`, `required`, or a function by name, in chat's form."""
    words = {"any": "required", "auto": "auto", "none": "none", "required": "required"}
    if isinstance(choice, str):
        return words.get(choice)
    if isinstance(choice, dict) and choice.get("name"):
        return {"type": "function", "function": {"name": choice["name"]}}
    return words.get(str(choice.get("type"))) if isinstance(choice, dict) else None


def _offered(tools: list[dict[str, Any]], choice: Any) -> dict[str, Any]:
    if not tools:
        return {}
    return {"tools": tools, **({"tool_choice": choice} if choice else {})}


CHATTED: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "messages": from_messages,
    "responses": from_responses,
}
"""A dialect's name -> its request as one of chat completions."""
