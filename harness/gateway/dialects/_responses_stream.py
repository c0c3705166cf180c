"""Streams of the responses dialect: an answer written item by item, and assembled again.

Every item is added, filled by deltas, and done; the closing event holds the whole answer once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadAnswer, Body
from harness.gateway.dialects._json import clean, part
from harness.gateway.dialects._responses_answer import read
from harness.gateway.dialects._sse import EventFold, pieces, write
from harness.gateway.neutral import Reply

# Items that are filled by one text: kind -> its field.
FIELDS = {"function_call": "arguments", "custom_tool_call": "input"}
# Kind of part -> the item that has it, the item's list, and the part's field of text.
PARTS = {
    "output_text": ("message", "content", "text"),
    "refusal": ("message", "content", "refusal"),
    "summary_text": ("reasoning", "summary", "text"),
    "reasoning_text": ("reasoning", "content", "text"),
}
EVENTS = {
    "response.output_text.delta": "output_text",
    "response.refusal.delta": "refusal",
    "response.reasoning_summary_text.delta": "summary_text",
    "response.reasoning_text.delta": "reasoning_text",
    "response.function_call_arguments.delta": "function_call",
    "response.custom_tool_call_input.delta": "custom_tool_call",
}
EVENT_OF = {kind: name.removesuffix(".delta") for name, kind in EVENTS.items()}
CLOSING = {"response.completed": "completed", "response.incomplete": "incomplete"}
# How the names of events begin that hold a part of the answer.
SAYING = (
    "response.output_item",
    "response.content_part",
    "response.output_text",
    *EVENTS,
    *CLOSING,
)
Event = tuple[str, dict[str, Any]]


def stream(body: Body) -> Iterator[bytes]:
    for number, (name, event) in enumerate(_events(body)):
        yield write({"type": name, "sequence_number": number, **event}, name)


def _events(body: Body) -> Iterator[Event]:
    begun = {**body, "status": "in_progress", "output": [], "usage": None}
    begun |= {"incomplete_details": None}
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for i, item in enumerate(body.get("output") or ()):
        yield "response.output_item.added", {"output_index": i, "item": _empty(item)}
        at = {"output_index": i, "item_id": item.get("id") or ""}
        for name, event in _filling(item):
            yield name, at | event
        yield "response.output_item.done", {"output_index": i, "item": item}
    status = "incomplete" if body.get("status") == "incomplete" else "completed"
    yield f"response.{status}", {"response": {**body, "status": status}}


def _empty(item: Mapping[str, Any]) -> dict[str, Any]:
    kind = item.get("type")
    bare = dict(item)
    if "status" in item:
        bare["status"] = "in_progress"
    if kind in FIELDS:
        bare[FIELDS[kind]] = ""
    for owner, place, _ in PARTS.values():
        if owner == kind and place in item:
            bare[place] = []
    return bare


def _filling(item: Mapping[str, Any]) -> Iterator[Event]:
    kind = item.get("type")
    if kind in FIELDS:
        text, base = item.get(FIELDS[kind]) or "", EVENT_OF[kind]
        for piece in pieces(text):
            yield f"{base}.delta", {"delta": piece}
        done = {FIELDS[kind]: text} | ({"name": item["name"]} if kind == "function_call" else {})
        yield f"{base}.done", done
    for place in ("summary", "content"):
        parts = item.get(place) if kind in ("message", "reasoning") else None
        for i, each in enumerate(parts if isinstance(parts, list) else ()):
            if each.get("type") in EVENTS.values():
                yield from _part(each, i)


def _part(part: Mapping[str, Any], index: int) -> Iterator[Event]:
    kind = part["type"]
    _, place, field = PARTS[kind]
    text, base = part.get(field) or "", EVENT_OF[kind]
    at = {"summary_index" if place == "summary" else "content_index": index}
    around = "response.reasoning_summary_part" if place == "summary" else "response.content_part"
    logprobs: dict[str, Any] = {"logprobs": []} if kind == "output_text" else {}
    yield f"{around}.added", at | {"part": {**part, field: ""}}
    for piece in pieces(text):
        yield f"{base}.delta", at | {"delta": piece} | logprobs
    yield f"{base}.done", at | {field: text} | logprobs
    yield f"{around}.done", at | {"part": dict(part)}


class _Item:
    """An item of the output as it comes."""

    def __init__(self) -> None:
        self.item: dict[str, Any] = {}
        self.done = False
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def add(self, kind: str, index: int, piece: str) -> None:
        self.item.setdefault("type", PARTS[kind][0] if kind in PARTS else kind)
        self._pieces.setdefault((index, kind), []).append(piece)

    def render(self) -> dict[str, Any]:
        if self.done:
            return self.item
        item = dict(self.item)
        lists: dict[str, list[dict[str, str]]] = {}
        for (_, kind), text_pieces in sorted(self._pieces.items()):
            text = clean("".join(text_pieces))
            if kind in FIELDS:
                item[FIELDS[kind]] = text
                continue
            _, place, field = PARTS[kind]
            lists.setdefault(place, []).append({"type": kind, field: text})
        return item | lists


class ResponsesFold(EventFold):
    """What the closing event holds is believed; until it comes, the items are put together."""

    def __init__(self) -> None:
        super().__init__()
        self._response: dict[str, Any] = {}
        self._items: dict[int, _Item] = {}
        # Counts that were reported so far, and whether they are a failed answer's own.
        self._usage: Any = None
        self._final = False

    @property
    def is_usage_final(self) -> bool:
        return self.complete or self._final

    def take(self, event: dict[str, Any]) -> bool:
        name = event.get("type")
        if not isinstance(name, str):
            return self._take_failure(event)
        self.begun = self.begun or name.startswith(SAYING)
        if isinstance(usage := part(event.get("response"), "usage"), dict):
            self._usage = usage
        if name in EVENTS:
            return self._delta(EVENTS[name], event)
        handler = TAKEN.get(name)
        if handler is not None:
            return handler(self, event)
        return name.startswith(("response.", "keepalive"))

    def _take_failure(self, event: dict[str, Any]) -> bool:
        error = event.get("error") or part(event.get("response"), "error")
        if not error and "message" not in event and event.get("type") != "response.failed":
            return False
        self._final = isinstance(self._usage, dict)
        return self.fail(event)

    def _take_start(self, event: dict[str, Any]) -> bool:
        response = event.get("response")
        if not isinstance(response, dict):
            return False
        self._response = response
        return True

    def _take_end(self, event: dict[str, Any]) -> bool:
        response = event.get("response")
        if not isinstance(response, dict):
            return False
        if not response.get("output"):  # left out by some, who told the items before
            response = {**response, "output": self._output()}
        # Checked before it is believed: a closing event that cannot be read leaves what was put together.
        try:
            read(response)
        except BadAnswer:
            return False
        self._response, self.complete = response, True
        return True

    def _item(self, event: dict[str, Any]) -> bool:
        index, item = event.get("output_index"), event.get("item")
        if not isinstance(index, int) or not isinstance(item, dict):
            return False
        done = event["type"].endswith(".done")
        try:
            # An item that was only added may lack its name yet.
            read({"output": [item]} if done else {"output": [{**item, "name": "-"}]})
        except BadAnswer:
            return False
        state = self._items.setdefault(index, _Item())
        state.item, state.done = item, done
        return True

    def _delta(self, kind: str, event: dict[str, Any]) -> bool:
        index, piece = event.get("output_index"), event.get("delta")
        place = event.get("summary_index" if kind == "summary_text" else "content_index", 0)
        if not isinstance(index, int) or not isinstance(piece, str) or not isinstance(place, int):
            return False
        self._items.setdefault(index, _Item()).add(kind, place, piece)
        return True

    def _output(self) -> list[dict[str, Any]]:
        items = (each.render() for _, each in sorted(self._items.items()))
        return [item for item in items if _readable(item)]

    def body(self) -> dict[str, Any]:
        if self.complete:
            return self._response
        so_far = {"error": None, "status": "incomplete", "output": self._output()}
        return self._response | so_far | {"usage": self._usage}

    def reply(self) -> Reply:
        return read(self.body())


def _readable(item: dict[str, Any]) -> bool:
    """A call whose name has not come cannot be reported."""
    try:
        read({"output": [item]})
    except BadAnswer:
        return False
    return True


TAKEN: Mapping[str, Callable[[ResponsesFold, dict[str, Any]], bool]] = {
    "response.created": ResponsesFold._take_start,
    "response.in_progress": ResponsesFold._take_start,
    "response.output_item.added": ResponsesFold._item,
    "response.output_item.done": ResponsesFold._item,
    "response.failed": ResponsesFold._take_failure,
    "error": ResponsesFold._take_failure,
    **dict.fromkeys(CLOSING, ResponsesFold._take_end),
}
