"""Streams of the messages dialect: an answer sent block by block, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadAnswer, Body
from harness.gateway.dialects._json import clean, dump
from harness.gateway.dialects._messages_answer import arguments_of, arguments_text, read
from harness.gateway.dialects._sse import EventFold, pieces, write
from harness.gateway.neutral import Reply

# Kind of delta -> its own field, and the block's field that it fills.
DELTAS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
}
BLOCKS = {
    "text": ("text_delta",),
    "thinking": ("thinking_delta", "signature_delta"),
    "tool_use": ("input_json_delta",),
    "server_tool_use": ("input_json_delta",),
}


def stream(body: Body) -> Iterator[bytes]:
    usage = body.get("usage") or {}
    begun: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None}
    counts = {key: count for key, count in usage.items() if key != "output_tokens_details"}
    message = {**body, **begun, "usage": {**counts, "output_tokens": 0}}
    yield _event("message_start", message=message)
    yield _event("ping")
    for i, block in enumerate(body.get("content") or ()):
        yield from _block(i, block)
    stop = {key: body.get(key) for key in ("stop_reason", "stop_sequence")}
    yield _event("message_delta", delta=stop, usage=usage)
    yield _event("message_stop")


def _event(name: str, **fields: Any) -> bytes:
    return write({"type": name, **fields}, name)


def _block(index: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    kinds = BLOCKS.get(str(block.get("type")), ())
    empty = {DELTAS[kind][1]: {} if kind == "input_json_delta" else "" for kind in kinds}
    yield _event("content_block_start", index=index, content_block={**block, **empty})
    for kind in kinds:
        delta_field, field = DELTAS[kind]
        value = arguments_text(block.get(field))
        text = value if isinstance(value, str) else dump({} if value is None else value)
        for piece in (text,) if kind == "signature_delta" else pieces(text):
            yield _event(
                "content_block_delta", index=index, delta={"type": kind, delta_field: piece}
            )
    yield _event("content_block_stop", index=index)


class _StreamBlock:
    """A block as it comes."""

    def __init__(self, block: dict[str, Any]) -> None:
        self._block = block
        self._pieces: dict[str, list[str]] = {}
        self._citations: list[Any] = []

    def add(self, delta: Mapping[str, Any]) -> bool:
        kind = delta.get("type")
        if kind == "citations_delta":
            self._citations.append(delta.get("citation"))
            return True
        if not isinstance(kind, str) or kind not in DELTAS:
            return False
        delta_field, field = DELTAS[kind]
        if not isinstance(delta.get(delta_field), str):
            return False
        self._pieces.setdefault(field, []).append(delta[delta_field])
        return True

    def render(self) -> dict[str, Any]:
        texts = {field: clean("".join(pieces)) for field, pieces in self._pieces.items()}
        filled: dict[str, Any] = dict(texts)
        if "input" in texts:
            filled["input"] = arguments_of(texts["input"])
        if self._citations:
            filled["citations"] = self._citations
        return self._block | filled


class MessagesFold(EventFold):
    """Counts of tokens are sent as totals so far: each replaces the last.

    Those of the input are sent at the start, and hold should the answer break off; those of the output are
    the answer's only where `message_delta` has sent them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, _StreamBlock] = {}
        self._usage: dict[str, Any] = {}
        self._final = False

    def take(self, event: dict[str, Any]) -> bool:
        name = event.get("type")
        handler = TAKEN.get(name) if isinstance(name, str) else None
        return handler(self, event) if handler else name in ("ping", "content_block_stop")

    def _start(self, event: dict[str, Any]) -> bool:
        message = event.get("message")
        if not isinstance(message, dict):
            return False
        self._message = {k: v for k, v in message.items() if k not in ("error", "content", "usage")}
        self._message["type"] = "message"
        self._count(message)
        return True

    def _count(self, where: dict[str, Any]) -> None:
        usage = where.get("usage")
        if isinstance(usage, dict):
            for key, value in usage.items():
                count = self._usage.get(key)
                if isinstance(value, int) and isinstance(count, int):
                    self._usage[key] = max(count, value)  # totals so far never fall
                elif value is not None:
                    self._usage[key] = value

    def _begin(self, event: dict[str, Any]) -> bool:
        index, block = event.get("index"), event.get("content_block")
        if not isinstance(index, int) or not isinstance(block, dict) or not _readable(block):
            return False
        self._blocks[index] = _StreamBlock(block)
        self.begun = True
        return True

    def _fill(self, event: dict[str, Any]) -> bool:
        index, delta = event.get("index"), event.get("delta")
        block = self._blocks.get(index) if isinstance(index, int) else None
        return block is not None and isinstance(delta, dict) and block.add(delta)

    def _delta(self, event: dict[str, Any]) -> bool:
        delta = event.get("delta")
        if not isinstance(delta, dict):
            return False
        self._message |= {
            key: delta[key] for key in ("stop_reason", "stop_sequence") if key in delta
        }
        self._count(event)
        self._final = self._final or isinstance(event.get("usage"), dict)
        return True

    def _stop(self, event: dict[str, Any]) -> bool:
        self.complete = bool(self._message) and self.error is None
        self.begun = self.begun or self.complete
        return bool(self._message)

    @property
    def is_usage_final(self) -> bool:
        return self.complete and self._final

    def body(self) -> dict[str, Any]:
        content = [block.render() for _, block in sorted(self._blocks.items())]
        usage = {"usage": self._usage} if self._usage else {}
        return {**self._message, "content": content, **usage}

    def reply(self) -> Reply:
        return read(self.body())


def _readable(block: dict[str, Any]) -> bool:
    try:
        read({"content": [block]})
    except BadAnswer:
        return False
    return True


TAKEN: Mapping[str, Callable[[MessagesFold, dict[str, Any]], bool]] = {
    "message_start": MessagesFold._start,
    "content_block_start": MessagesFold._begin,
    "content_block_delta": MessagesFold._fill,
    "message_delta": MessagesFold._delta,
    "message_stop": MessagesFold._stop,
    "error": MessagesFold.fail,
}
