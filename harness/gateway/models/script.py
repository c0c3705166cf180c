"""Answers from a file, by turn and by pattern: for tests and demonstrations (`docs/scripts.md`)."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from harness.gateway.dialects import Call, Refusal, Why
from harness.gateway.dialects.chat import usage_is_hidden
from harness.gateway.models import (
    Answer,
    ConnectionDropped,
    ProviderFault,
    Stream,
    Unseen,
    Whole,
    _offered,
)
from harness.gateway.models._playable import expect_playable
from harness.gateway.models._script_file import (
    Fault,
    ScriptFile,
    ScriptRule,
    ScriptTool,
    ScriptTurn,
    TokenCounts,
    load_script,
    script_file,
)
from harness.gateway.neutral import Message, ParsedRequest, Reply, Tokens, ToolCall

BYTES_A_TOKEN = 4
# Characters of a conversation that a pattern sees; an expression may be slow on longer text.
MAX_SEARCHED_CHARACTERS = 20_000
END = ScriptTurn(text="Done.")
# Status that a script gives once it is over: it says to agents that no retry helps.
OVER_STATUS = 403
HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
BROKEN_EVENT = b'data: {"choices": [{"del\n\n'


@dataclass(frozen=True)
class FaultKind:
    """A provider's failure: its status (0: none), whether it may pass, and its message."""

    status: int
    passing: bool
    message: str
    why: Why = "provider"


KINDS: Mapping[Fault, FaultKind] = {
    "429": FaultKind(429, True, "too many requests", "busy"),
    "500": FaultKind(500, True, "internal error"),
    "401": FaultKind(401, False, "the key is wrong", "key"),
    "402": FaultKind(402, False, "there is no credit left", "spent"),
    "400": FaultKind(400, False, "the request is wrong", "request"),
    "html": FaultKind(0, True, "the answer is HTML"),
    "empty": FaultKind(0, True, "the answer is empty"),
    "malformed": FaultKind(0, True, "the answer is malformed JSON"),
    "half": FaultKind(0, True, "the answer broke off"),
    "hang": FaultKind(0, True, "no answer came"),
    "drop": FaultKind(0, True, "the connection was dropped"),
}


class Script:
    """Plays a script for a single attempt. Choosing a turn does not wait: parallel calls get a turn each."""

    name = ""

    def __init__(self, script: ScriptFile) -> None:
        self._script = script
        self._next = 0
        self._used: Counter[int] = Counter()

    async def answer(self, call: Call) -> Answer:
        """Raises BadRequest, ProviderFault, and ConnectionDropped where a fault is raw."""
        expect_playable(call)
        turn = self._choose(call.parsed_request)
        if turn.fault == "hang":
            # Without a `wait` it never answers: the gateway's patience is what such a script tests.
            await (asyncio.sleep(turn.wait) if turn.wait else asyncio.Event().wait())
            raise _failure(turn.fault, turn.raw)
        await asyncio.sleep(turn.wait)
        if turn.fault is not None:
            return _faulty(turn, turn.fault, call)
        if call.parsed_request.streams:
            return Stream(_play_events(_events(turn, call), turn.pace))
        return Whole(call.dialect.render(_reply(turn, call), _model(call), call.number))

    async def close(self) -> None:
        """A script holds nothing."""

    def _choose(self, request: ParsedRequest) -> ScriptTurn:
        for i, rule in enumerate(self._script.rules):
            if (rule.times is None or self._used[i] < rule.times) and _fits(rule, request):
                self._used[i] += 1
                return rule
        turns, place = self._script.turns, self._next
        self._next += 1
        if place < len(turns):
            return turns[place]
        if self._script.then == "stop":
            raise ProviderFault("the script is over", OVER_STATUS)
        return turns[-1] if self._script.then == "repeat" else END


def _fits(rule: ScriptRule, request: ParsedRequest) -> bool:
    if rule.offered is not None and rule.offered != bool(request.tools):
        return False
    system = [message for message in request.messages if message.role == "system"]
    return _matches(rule.match, _latest(request)) and _matches(rule.system, system)


def _latest(request: ParsedRequest) -> list[Message]:
    """The messages since the model's last answer: dialects divide them in different ways."""
    latest: list[Message] = []
    for message in reversed(request.messages):
        if message.role == "assistant":
            break
        if message.role != "system":
            latest.append(message)
    return latest[::-1]


def _matches(expression: str | None, messages: list[Message]) -> bool:
    if expression is None:
        return True
    text = "\n".join(message.text for message in messages)
    return re.search(expression, text[-MAX_SEARCHED_CHARACTERS:]) is not None


def _reply(turn: ScriptTurn, call: Call) -> Reply:
    tool_calls = [each for tool in turn.tools if (each := _tool(tool, call))]
    calls = tuple(
        replace(each, id=f"call_{call.number:04d}_{i}") for i, each in enumerate(tool_calls)
    )
    texts = [turn.text, turn.reasoning, *(c.name + c.arguments for c in calls)]
    tokens = _tokens(turn.tokens, call.parsed_request, sum(len(text) for text in texts))
    return Reply(turn.text, calls, turn.reasoning, "tools" if calls else "end", tokens)


def _tool(tool: ScriptTool, call: Call) -> ToolCall | None:
    """None for a tool by what it does that the call does not offer."""
    if tool.shell:
        return _offered.shell(call, tool.shell)
    if tool.ends:
        return _offered.end(call)
    return _offered.make_tool_call(call, tool.name, str(tool.arguments))


def _tokens(counts: TokenCounts, request: ParsedRequest, output_length: int) -> Tokens:
    """The script's counts; else by length, and never less than the parts that the script states."""
    input_length = sum(
        len(message.text) + sum(len(c.name) + len(c.arguments) for c in message.tool_calls)
        for message in request.messages
    )
    inward = counts.cached + counts.written
    return Tokens(
        max(inward, 1, input_length // BYTES_A_TOKEN) if counts.input is None else counts.input,
        max(counts.reasoning, 1, output_length // BYTES_A_TOKEN)
        if counts.output is None
        else counts.output,
        counts.cached,
        counts.written,
        counts.reasoning,
    )


def _model(call: Call) -> str:
    model = call.body.get("model")
    return model if isinstance(model, str) else "script"


def _events(turn: ScriptTurn, call: Call) -> list[bytes]:
    events = call.dialect.events(_reply(turn, call), _model(call), call.number)
    if call.dialect.name != "chat":
        return list(events)
    return [Unseen(event) if usage_is_hidden(call.body, event) else event for event in events]


async def _play_events(
    events: list[bytes], pace: float, failure: Exception | None = None
) -> AsyncIterator[bytes]:
    for i, event in enumerate(events):
        if pace and i:
            await asyncio.sleep(pace)
        yield event
    if failure is not None:
        raise failure


# faults


def _failure(fault: Fault, raw: bool) -> Exception:
    kind = KINDS[fault]
    if raw:
        return ConnectionDropped(kind.message)
    return ProviderFault(kind.message, kind.status, kind.passing)


def _faulty(turn: ScriptTurn, fault: Fault, call: Call) -> Answer:
    """A raw fault as the agent sees it; else as the gateway does, which may ask again."""
    half_a_stream = fault == "half" and (turn.raw or call.parsed_request.streams)
    if half_a_stream:
        events = _events(turn, call) if call.parsed_request.streams else _lines(turn, call)
        half = events[: max(1, len(events) // 2)]
        return Stream(_play_events(half, turn.pace, _failure(fault, turn.raw)))
    if not turn.raw or fault == "drop":
        raise _failure(fault, turn.raw)
    if fault == "malformed" and call.parsed_request.streams:
        events = _events(turn, call)
        return Stream(_play_events([*events[: len(events) // 2], BROKEN_EVENT], turn.pace))
    return _bad_whole(turn, fault, call)


def _bad_whole(turn: ScriptTurn, fault: Fault, call: Call) -> Whole:
    kind = KINDS[fault]
    if kind.status:
        _, body = call.dialect.refusal(Refusal(kind.why, kind.message))
        return Whole(body, kind.status)
    if fault == "html":
        return Whole(HTML, headers={"content-type": "text/html"})
    return Whole(_lines(turn, call)[0] if fault == "malformed" else b"")


def _lines(turn: ScriptTurn, call: Call) -> list[bytes]:
    """The whole answer in two halves, neither of which is JSON."""
    body = call.dialect.render(_reply(turn, call), _model(call), call.number)
    data = json.dumps(body).encode()
    return [data[: len(data) // 2], data[len(data) // 2 :]]


def open_script(argument: str) -> Script:
    """A script that starts from its first turn: a file, or a script of the project by its name.

    Raises ValueError naming the file and the field.
    """
    return Script(load_script(script_file(argument)))


PLUGIN = open_script
