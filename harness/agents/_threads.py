"""The conversations within an attempt: which call goes on with which, and what is new in each.

Agents hold several conversations through a single key: sub-agents, titles, summaries, weak models. A call
goes on with a conversation all of whose messages it has. A call with the same instructions and tools may also
have lost messages: then the conversation has the majority of its messages, or the call quotes an answer (a
summary in place of the history). All else begins a conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.gateway.dialects import BadAnswer, BadRequest, Dialect
from harness.gateway.neutral import Message, ParsedRequest, Reply
from harness.gateway.record import Recorded, RecordedCall
from parsers.registry import UnknownName, lookup

# Characters from which an answer that occurs in a later message is a quotation, and no chance.
MIN_QUOTED_CHARACTERS = 40

# Messages that show a conversation by themselves, also when tools or instructions were added to it.
MIN_SHARED_MESSAGES = 3

Key = tuple[object, ...]


@dataclass(frozen=True)
class Turn:
    """A call. `new` are the messages that its conversation did not have before.

    retained, before: how many messages of the call before are still there, of how many.
    """

    call: RecordedCall
    new: tuple[Message, ...]
    reply: Reply | None
    retained: int = 0
    before: int = 0


@dataclass
class Thread:
    """A conversation."""

    key: Key
    turns: list[Turn] = field(default_factory=list)
    message_counts: Counter[Key] = field(default_factory=Counter)
    last: Counter[Key] = field(default_factory=Counter)
    # Text of the last answer.
    last_answer: str = ""

    @property
    def rank(self) -> tuple[int, int, int]:
        """The main conversation is the greatest: by calls, then by messages, then the earliest."""
        return len(self.turns), self.message_counts.total(), -self.turns[0].call.number

    def add(self, call: RecordedCall, messages: Sequence[Message], reply: Reply | None) -> None:
        passing: Counter[Key] = Counter()
        new = []
        for message in messages:
            key = identity(message)
            passing[key] += 1
            # Counted, since a conversation may hold the same message twice ("Continue.").
            if passing[key] > self.message_counts[key]:
                new.append(message)
        retained = (self.last & passing).total()
        self.turns.append(Turn(call, tuple(new), reply, retained, self.last.total()))
        self.message_counts |= passing
        self.last = passing
        self.last_answer = " ".join(reply.text.split()) if reply is not None else ""


def threads(recorded: Recorded) -> list[Thread]:
    """All conversations in the order of their first calls. A call that cannot be read is a conversation."""
    result: list[Thread] = []
    for call in recorded.calls:
        request, reply = _read(call)
        key: Key = (call.wire, _system(request), request.tools)
        thread = _find_continued_thread(result, key, request.messages)
        if thread is None:
            thread = Thread(key)
            result.append(thread)
        thread.add(call, request.messages, reply)
    return result


def main_of(conversations: Sequence[Thread]) -> Thread | None:
    """The longest conversation."""
    return max(conversations, key=lambda thread: thread.rank, default=None)


def identity(message: Message) -> Key:
    """Equal for a message that is sent again."""
    calls = tuple((call.id, call.name, call.arguments) for call in message.tool_calls)
    return message.role, message.text, message.tool_call_id, calls


def _find_continued_thread(
    conversations: Sequence[Thread], key: Key, messages: Sequence[Message]
) -> Thread | None:
    """The conversation that the call goes on with, or None when it begins a new conversation."""
    now = Counter(identity(message) for message in messages)
    # The latest first: conversations with equal beginnings differ in what came last.
    for thread in reversed(conversations):
        if (
            thread.last
            and thread.last <= now
            and (thread.key == key or thread.last.total() >= MIN_SHARED_MESSAGES)
        ):
            return thread
    alike = [thread for thread in conversations if thread.key == key]
    if not alike:
        return None
    request_counts = Counter(identity(message) for message in messages if message.role != "system")
    best = max(
        alike,
        key=lambda thread: ((thread.last & request_counts).total(), thread.turns[-1].call.number),
    )
    if 2 * (best.last & request_counts).total() > request_counts.total():
        return best
    texts = [" ".join(message.text.split()) for message in messages]
    quoted = (
        t
        for t in conversations
        if len(t.last_answer) >= MIN_QUOTED_CHARACTERS
        and any(t.last_answer in text for text in texts)
    )
    return best if next(quoted, None) is not None else None


def _system(request: ParsedRequest) -> str:
    """The first system message: later ones may be added as the conversation goes."""
    return next((message.text for message in request.messages if message.role == "system"), "")


def _read(call: RecordedCall) -> tuple[ParsedRequest, Reply | None]:
    try:
        dialect: Dialect = lookup("harness.gateway.dialects", call.wire)
        request = dialect.parse_request(call.request)
    except (UnknownName, BadRequest):
        return ParsedRequest(()), None
    try:
        answer = call.answer
        reply = (
            dialect.read(answer) if isinstance(answer, dict) and not answer.get("error") else None
        )
    except BadAnswer:
        reply = None
    return request, reply
