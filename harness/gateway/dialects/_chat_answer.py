"""Answers of chat completions: written, streamed, read and folded.

Reasoning is carried as `reasoning_content`, which the format itself lacks: DeepSeek, vLLM and LiteLLM name
it so. `reasoning`, OpenRouter's name, is read as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadAnswer, Body
from harness.gateway.dialects._dialect import EPOCH, text_of_content
from harness.gateway.dialects._json import (
    JsonReader,
    clean,
    ending,
    join_path,
    part,
    stop_of,
    word,
)
from harness.gateway.dialects._sse import EventFold, pieces, write
from harness.gateway.dialects._usage import billed_field, terms_of, tokens_of
from harness.gateway.neutral import FILTERED, REFUSED, Reply, Tokens, ToolCall
from harness.gateway.provider_errors import read_error

FINISH = {"end": "stop", "tools": "tool_calls", "length": "length"}
# Reasons to finish of OpenRouter and DeepSeek that are faults.
FAILED_FINISH = ("error", "insufficient_system_resource")
DONE = b"data: [DONE]\n\n"

answer = JsonReader(BadAnswer)


def render_reply(reply: Reply, model: str, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        # As OpenAI writes it: an empty text beside calls is null, which clients check for.
        "content": None if reply.tool_calls and not reply.text else reply.text,
        "refusal": None,
    }
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = [_call(call) for call in reply.tool_calls]
    if reply.finish == REFUSED:
        message |= {"content": None, "refusal": reply.text}
    finish = FILTERED if reply.finish == FILTERED else FINISH[ending(reply)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {
        "id": f"chatcmpl-{number:024d}",
        "object": "chat.completion",
        "created": EPOCH + number,
        "model": model,
        "choices": [choice],
    } | ({"usage": usage(reply.tokens)} if reply.tokens else {})


def _call(call: ToolCall) -> dict[str, Any]:
    field = "input" if call.kind == "custom" else "arguments"
    what = {"name": call.name, field: call.arguments}
    return {"id": call.id, "type": call.kind, call.kind: what}


def stream(body: Body) -> Iterator[bytes]:
    """A whole answer as the stream that would contain it, the usage's chunk included."""
    head = {key: body.get(key) for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return write(head | {"choices": [choice]})

    choice = _choice(body)
    yield chunk({"role": "assistant", "content": ""})
    for delta in _deltas(choice["message"]):
        yield chunk(delta)
    yield chunk({}, choice.get("finish_reason") or "stop")
    if body.get("usage"):
        yield write(head | {"choices": [], "usage": body["usage"]})
    yield DONE


def read(body: Body) -> Reply:
    choice = _choice(answer.object(body, ""))
    message = choice["message"]
    calls = tuple(calls_of(answer, message, "choices.0.message"))
    finish = choice.get("finish_reason")
    return Reply(
        _message_text(message),
        calls,
        clean(_text(message.get("reasoning_content")) or _text(message.get("reasoning"))),
        stop_of(calls, cut=finish == "length"),
        tokens_of(usage_of(body)),
        "refusal" if _text(message.get("refusal")) and finish in (None, "stop") else word(finish),
        terms_of(body),
    )


def calls_of(read: JsonReader, message: Mapping[str, Any], path: str) -> Iterator[ToolCall]:
    """Calls of an assistant's message. A legacy function call has no id: its name serves as its id."""
    path_of_calls = join_path(path, "tool_calls")
    for i, value in enumerate(read.list(message.get("tool_calls"), path_of_calls)):
        where = join_path(path_of_calls, i)
        call = read.object(value, where)
        kind, field = ("custom", "input") if "custom" in call else ("function", "arguments")
        what = read.object(call.get(kind), join_path(where, kind))
        name = read.name(what.get("name"), f"{where}.{kind}.name")
        arguments = read.json(what.get(field), f"{where}.{kind}.{field}")
        number = read.text(call.get("id"), join_path(where, "id"))
        yield ToolCall(number, name, arguments, "custom" if kind == "custom" else "function")
    legacy = message.get("function_call")
    if legacy is not None:
        where = join_path(path, "function_call")
        what = read.object(legacy, where)
        name = read.name(what.get("name"), join_path(where, "name"))
        yield ToolCall(name, name, read.json(what.get("arguments"), join_path(where, "arguments")))


def first_choice(body: Body) -> Mapping[str, Any]:
    """Of an answer of either of OpenAI's completions. Raises BadAnswer."""
    error = read_error(body)
    if error is not None:
        raise BadAnswer(f"error: {error.message}")
    choices = answer.list(body.get("choices"), "choices")
    if not choices:
        raise answer.wrong("choices", "a list that is not empty")
    choice = answer.object(choices[0], "choices.0")
    # A fault of the provider in a body of status 200; taken for an answer, the model would be blamed.
    if choice.get("finish_reason") in FAILED_FINISH:
        raise BadAnswer(f"the model ended with {choice['finish_reason']!r}")
    return choice


def usage_of(body: Body) -> Any:
    """The counts of an answer; Moonshot reports those of a stream within its choice."""
    usage = body.get("usage")
    choices = body.get("choices")
    inner = part(choices[0], "usage") if isinstance(choices, list) and choices else None
    return inner if not usage and isinstance(inner, dict) else usage


def _choice(body: Body) -> Mapping[str, Any]:
    choice = first_choice(body)
    answer.object(choice.get("message"), "choices.0.message")
    return choice


def _message_text(message: Mapping[str, Any]) -> str:
    text = text_of_content(answer, message.get("content"), "choices.0.message.content")
    return text or clean(_text(message.get("refusal")))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key in ("reasoning_content", "reasoning", "content", "refusal"):
        value = message.get(key)
        text = text_of_content(answer, value, key) if key == "content" else _text(value)
        yield from ({key: piece} for piece in pieces(text))
    for i, call in enumerate(message.get("tool_calls") or ()):
        kind, field = ("custom", "input") if "custom" in call else ("function", "arguments")
        what = {**call[kind], field: ""}
        yield {"tool_calls": [{"index": i, **call, kind: what}]}
        for piece in pieces(answer.json(call[kind].get(field), "arguments")):
            yield {"tool_calls": [{"index": i, kind: {field: piece}}]}
    if message.get("function_call"):
        yield {"function_call": message["function_call"]}


def usage(tokens: Tokens) -> dict[str, Any]:
    """Counts as both of OpenAI's completions report them."""
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {
            "cached_tokens": tokens.cached,
            "cache_write_tokens": tokens.written,
        },
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
        **billed_field(tokens),
    }


class ChoiceFold(EventFold):
    """What streams of both of OpenAI's completions share: a head, counts, and pieces of the first choice.

    Further choices are not followed: no agent requests several.
    """

    def __init__(self) -> None:
        super().__init__()
        self._head: dict[str, Any] = {}
        self._finish = ""
        self._usage: Any = None

    @abstractmethod
    def piece(self, choice: dict[str, Any]) -> bool:
        """Adds a piece of the first choice; False when the piece is not part of it."""

    def close_stream(self) -> bool:
        self.complete = self.begun = self.error is None
        return True

    def end(self) -> None:
        """A reason to finish says that the answer is whole, though `[DONE]` never came."""
        self.complete = self.complete or (bool(self._finish) and self.error is None)

    def take(self, event: dict[str, Any]) -> bool:
        # Chunks may repeat the field with null or zeros: only counts that say something replace earlier ones.
        if isinstance(usage := usage_of(event), dict) and tokens_of(usage) is not None:
            self._usage = usage
        if read_error(event) is not None:
            return self.fail(event)
        choices = event.get("choices")
        if not isinstance(choices, list):
            return "usage" in event
        for key in ("id", "created", "model"):
            self._head.setdefault(key, event.get(key))
        if isinstance(event.get("service_tier"), str):
            self._head["service_tier"] = event["service_tier"]
        choice = choices[0] if choices else {}
        if not isinstance(choice, dict):
            return False
        if part(choice, "index") not in (0, None):
            return True
        self._finish = _text(choice.get("finish_reason")) or self._finish
        if self._finish in FAILED_FINISH:
            return self.fail({"error": f"the model ended with {self._finish!r}"})
        self.begun = self.begun or bool(self._finish) or self._speaks(choice)
        return self.piece(choice)

    def _speaks(self, choice: dict[str, Any]) -> bool:
        """Whether a piece holds more than who speaks."""
        delta = choice.get("delta")
        deltas = delta.items() if isinstance(delta, dict) else ()
        return bool(choice.get("text")) or any(value for key, value in deltas if key != "role")

    def render_choice(self, kind: str, choice: dict[str, Any]) -> dict[str, Any]:
        """The answer of a choice, with what the stream reported besides."""
        choice_body = {
            "index": 0,
            **choice,
            "logprobs": None,
            "finish_reason": self._finish or None,
        }
        body = {**self._head, "object": kind, "choices": [choice_body]}
        return body | ({"usage": self._usage} if self._usage is not None else {})


class _Call:
    """A tool call as its pieces come."""

    def __init__(self) -> None:
        self.id = ""
        self.kind, self.field = "function", "arguments"
        self.name: list[str] = []
        self.arguments: list[str] = []

    def add(self, delta: Mapping[str, Any]) -> None:
        self.id = self.id or _text(delta.get("id"))
        if "custom" in delta:
            self.kind, self.field = "custom", "input"
        what = delta.get(self.kind)
        self.name.append(_text(part(what, "name")))
        self.arguments.append(_text(part(what, self.field)))

    def render(self) -> dict[str, Any]:
        what = {"name": clean("".join(self.name)), self.field: clean("".join(self.arguments))}
        return {"id": self.id, "type": self.kind, self.kind: what}


class ChatFold(ChoiceFold):
    """A message: texts by kind, and calls of tools by index."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, _Call] = {}
        self._legacy = _Call()

    def piece(self, choice: dict[str, Any]) -> bool:
        delta = choice.get("delta")
        return delta is None or (isinstance(delta, dict) and self._delta(delta))

    def _delta(self, delta: dict[str, Any]) -> bool:
        for key in ("content", "refusal", "reasoning_content", "reasoning"):
            if isinstance(delta.get(key), str):
                self._texts.setdefault(key, []).append(delta[key])
        if isinstance(delta.get("function_call"), dict):
            self._legacy.add({"function": delta["function_call"]})
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if not isinstance(call, dict):
                return False
            self._calls.setdefault(self._index(call), _Call()).add(call)
        return calls is None or isinstance(calls, list)

    def _index(self, call: dict[str, Any]) -> int:
        """Gemini has no index: there a call with an id is a new call."""
        # Pieces of parallel calls come interleaved, and only the index says whose a piece is.
        index = call.get("index")
        if isinstance(index, int):
            return index
        last = max(self._calls, default=-1)
        return last + 1 if call.get("id") or last < 0 else last

    def body(self) -> dict[str, Any]:
        texts = {key: clean("".join(pieces)) for key, pieces in self._texts.items()}
        calls = [
            call
            for _, index_call in sorted(self._calls.items())
            if _has_name(call := index_call.render())
        ]
        message: dict[str, Any] = {"role": "assistant"}
        message |= {"content": texts.pop("content", ""), "refusal": None}
        message |= {key: text for key, text in texts.items() if text}
        if calls:
            message["tool_calls"] = calls
            message["content"] = message["content"] or None
        legacy = self._legacy.render()["function"]
        if legacy["name"]:
            message["function_call"] = legacy
        return self.render_choice("chat.completion", {"message": message})

    def reply(self) -> Reply:
        return read(self.body())


def _has_name(call: dict[str, Any]) -> bool:
    """A call whose name has not come yet cannot be reported."""
    return bool(call[call["type"]]["name"])
