"""Scripts: turns, rules, faults, and mistakes in their files."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from harness.gateway.dialects import BadRequest, Call
from harness.gateway.models import ConnectionDropped, ProviderFault, Stream, Unseen, Whole
from harness.gateway.models._script_file import ScriptFile
from harness.gateway.models.script import KINDS, Script
from harness.gateway.neutral import Reply, Tokens, ToolCall
from tests.harness.gateway.dialect_cases import DIALECTS, dialect

DOCS = Path(__file__).parents[3] / "docs/scripts.md"
each_dialect = pytest.mark.parametrize("name", DIALECTS)
TOOLS = {
    "chat": [{"type": "function", "function": {"name": "t"}}],
    "responses": [{"type": "function", "name": "t"}],
    "messages": [{"name": "t"}],
}


def script(text: str) -> Script:
    return Script(ScriptFile.model_validate(tomllib.loads(text)))


def call(name: str = "chat", said: str = "hello", number: int = 0, **more: Any) -> Call:
    key = "input" if name == "responses" else "messages"
    body = {"model": "m", key: [{"role": "user", "content": said}], **more}
    return Call(dialect(name), body, number)


async def heard(model: Script, asked: Call) -> tuple[bytes, Exception | None]:
    """What a client gets, and what breaks it off."""
    answer = await model.answer(asked)
    if isinstance(answer, Whole):
        body = answer.body
        return (body if isinstance(body, bytes) else json.dumps(body).encode()), None
    got = b""
    try:
        async for event in answer.events:
            got += event
    except (ProviderFault, ConnectionDropped) as error:
        return got, error
    return got, None


async def reply(model: Script, asked: Call) -> Reply:
    data, error = await heard(model, asked)
    assert error is None
    if not asked.parsed_request.streams:
        return asked.dialect.read(json.loads(data))
    fold = asked.dialect.fold()
    fold.feed(data)
    assert fold.complete
    return fold.reply()


def replies(model: Script, *calls: Call) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        return [await reply(model, one) for one in calls]

    return asyncio.run(all_of_them())


def texts(model: Script, *calls: Call) -> list[str]:
    return [one.text for one in replies(model, *calls)]


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("responses", {"previous_response_id": "resp_0"}),
        ("responses", {"conversation": "conv_0"}),
        ("responses", {"prompt": {"id": "p"}}),
        ("responses", {"input": [{"type": "item_reference", "id": "rs_0"}]}),
        ("chat", {"n": 2}),
        ("chat", {"n": "many"}),
    ],
)
def test_what_a_script_cannot_play_is_refused_by_its_name(name: str, more: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match=next(iter(more))):
        texts(script("[[turns]]\ntext = 'x'"), call(name, **more))


def test_one_answer_and_no_reference_are_played() -> None:
    model = script("[[turns]]\ntext = 'x'\n[[turns]]\ntext = 'y'")
    calls = (call("chat", n=1), call("responses", previous_response_id=None))
    assert texts(model, *calls) == ["x", "y"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("arguments", ["[1]", '{"a": ', "nonsense"])
def test_broken_arguments_are_an_object_in_messages(arguments: str, stream: bool) -> None:
    text = f"[[turns]]\ntools = [{{ name = 't', arguments = '{arguments}' }}]"
    asked = call("messages", tools=TOOLS["messages"], max_tokens=9, stream=stream)
    (reply_read,) = replies(script(text), asked)
    assert reply_read.tool_calls[0].arguments == arguments
    if not stream:
        data, _ = asyncio.run(heard(script(text), asked))
        assert json.loads(data)["content"][-1]["input"] == {"INVALID_JSON": arguments}


# turns and rules


@each_dialect
@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_says_and_calls_on_every_wire(name: str, stream: bool) -> None:
    model = script(
        """[[turns]]
        text = "I look."
        reasoning = "Where?"
        tokens = { input = 100, cached = 60, written = 10, output = 20, reasoning = 5 }
        tools = [{ name = "bash", arguments = { command = "ls ü" } }, { name = "x" }]"""
    )
    (said,) = replies(model, call(name, number=4, stream=stream))
    calls = (
        ToolCall("call_0004_0", "bash", '{"command": "ls ü"}'),
        ToolCall("call_0004_1", "x", "{}"),
    )
    assert said == Reply("I look.", calls, "Where?", "tools", Tokens(100, 20, 60, 10, 5))


@each_dialect
def test_arguments_that_are_no_json_reach_the_agent(name: str) -> None:
    model = script('[[turns]]\ntools = [{ name = "bash", arguments = "{half" }]')
    (said,) = replies(model, call(name))
    assert said.tool_calls[0].arguments == "{half"


def test_tokens_are_estimated_by_length() -> None:
    model = script(f'[[turns]]\ntext = "{"x" * 400}"\n[[turns]]\ntokens = {{ cached = 7 }}')
    first, second = replies(model, call(said="y" * 800), call(said="y"))
    assert first.tokens == Tokens(200, 100)
    assert second.tokens == Tokens(7, 1, 7)


@pytest.mark.parametrize(
    ("then", "after"), [("end", ["b", "Done.", "Done."]), ("repeat", ["b", "b", "b"])]
)
def test_after_the_last_turn(then: str, after: list[str]) -> None:
    model = script(f'then = "{then}"\n[[turns]]\ntext = "a"\n[[turns]]\ntext = "b"')
    assert texts(model, *[call()] * 4) == ["a", *after]


def test_a_script_may_stop() -> None:
    model = script('then = "stop"\n[[turns]]\ntext = "a"')
    assert texts(model, call()) == ["a"]
    with pytest.raises(ProviderFault, match="the script is over") as raised:
        asyncio.run(model.answer(call()))
    assert not raised.value.passing


def test_rules_come_before_turns_and_use_none_up() -> None:
    model = script(
        """[[rules]]
        match = "er+or"
        times = 2
        text = "rule"
        [[turns]]
        text = "a"
        [[turns]]
        text = "b" """
    )
    said = ["an error", "fine", "errror", "error", "x"]
    assert texts(model, *(call(said=one) for one in said)) == ["rule", "a", "rule", "b", "Done."]


def test_a_rule_fits_when_all_that_it_states_holds() -> None:
    model = script(
        """[[rules]]
        offered = false
        text = "title"
        [[rules]]
        system = "^You are"
        match = "x"
        text = "both" """
    )
    system = [{"role": "system", "content": "You are"}, {"role": "user", "content": "x"}]
    offered = {"tools": TOOLS["chat"]}
    calls = (call(said="x"), call(said="x", **offered), call(messages=system, **offered))
    assert texts(model, *calls) == ["title", "Done.", "both"]


@each_dialect
def test_a_rule_sees_what_came_since_the_last_answer(name: str) -> None:
    said: dict[str, list[Any]] = {
        "chat": [
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "t"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "new result"},
            {"role": "tool", "tool_call_id": "2", "content": "other"},
        ],
        "responses": [
            {"type": "function_call", "call_id": "1", "name": "t", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "new result"},
            {"type": "function_call_output", "call_id": "2", "output": "other"},
        ],
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "t"}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": "new result"},
                    {"type": "tool_result", "tool_use_id": "2", "content": "other"},
                ],
            },
        ],
    }
    model = script('[[rules]]\nmatch = "old"\ntext = "no"\n[[rules]]\nmatch = "new"\ntext = "yes"')
    key = "input" if name == "responses" else "messages"
    assert texts(model, call(name, **{key: [{"role": "user", "content": "old"}, *said[name]]})) == [
        "yes"
    ]


def test_a_pattern_sees_the_end_of_a_long_text_only() -> None:
    model = script(
        '[[rules]]\nmatch = "start"\ntext = "no"\n[[rules]]\nmatch = "end"\ntext = "yes"'
    )
    assert texts(model, call(said="start" + "x" * 30_000 + "end")) == ["yes"]


@pytest.mark.slow
def test_parallel_calls_get_a_turn_each() -> None:
    model = script("".join(f'[[turns]]\nwait = 1\ntext = "{i}"\n' for i in range(9)))

    async def together() -> list[Reply]:
        return await asyncio.gather(*(reply(model, call()) for _ in range(9)))

    start = time.monotonic()
    assert sorted(one.text for one in asyncio.run(together())) == [str(i) for i in range(9)]
    assert 1 <= time.monotonic() - start < 8  # nine, one after the other


@pytest.mark.slow
def test_pace_is_kept_between_pieces() -> None:
    model = script('[[turns]]\npace = 0.02\ntext = "some words that are said"')

    async def times() -> list[float]:
        answer = await model.answer(call(stream=True))
        assert isinstance(answer, Stream)
        return [time.monotonic() async for _ in answer.events]

    at = asyncio.run(times())
    assert min(b - a for a, b in itertools.pairwise(at)) >= 0.015


def test_a_bad_request_uses_no_turn_up() -> None:
    model = script('[[turns]]\ntext = "a"')
    with pytest.raises(BadRequest, match="messages: must be"):
        asyncio.run(model.answer(call(messages=5)))
    assert texts(model, call()) == ["a"]


@pytest.mark.parametrize("asks", [False, True])
def test_the_usage_is_hidden_from_a_chat_that_did_not_ask(asks: bool) -> None:
    model = script('[[turns]]\ntext = "a \\"choices\\":[],\\"usage\\": b"')
    options = {"stream_options": {"include_usage": True}} if asks else {}

    async def events() -> list[bytes]:
        answer = await model.answer(call(stream=True, **options))
        assert isinstance(answer, Stream)
        return [event async for event in answer.events]

    hidden = [event for event in asyncio.run(events()) if isinstance(event, Unseen)]
    assert len(hidden) == (0 if asks else 1)
    assert all(b'"prompt_tokens"' in event for event in hidden)


# faults


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", [fault for fault in KINDS if fault != "hang"])
def test_the_gateway_sees_a_failure(fault: str, stream: bool) -> None:
    model = script(f'[[turns]]\nfault = "{fault}"\ntext = "never whole"\n[[turns]]\ntext = "next"')
    asked = call(stream=stream)
    if fault == "half" and stream:
        got, failure = asyncio.run(heard(model, asked))
        assert got.startswith(b"data: ")
    else:
        with pytest.raises(ProviderFault) as raised:
            asyncio.run(model.answer(asked))
        failure = raised.value
    assert isinstance(failure, ProviderFault)
    assert failure.status == (int(fault) if fault.isdigit() else 0)
    assert failure.passing == (fault not in ("400", "401", "402"))
    assert texts(model, call()) == ["next"]


RAW = {
    "429": (429, rb'"too many requests"'),
    "500": (500, rb'"internal error"'),
    "401": (401, rb'"the key is wrong"'),
    "402": (402, rb'"there is no credit left"'),
    "400": (400, rb'"the request is wrong"'),
    "html": (200, rb"<html>"),
    "empty": (200, rb"^$"),
}


@each_dialect
@pytest.mark.parametrize("fault", RAW)
def test_a_raw_fault_is_the_agents_to_see(name: str, fault: str) -> None:
    model = script(f'[[turns]]\nraw = true\nfault = "{fault}"')
    answer = asyncio.run(model.answer(call(name, stream=True)))
    assert isinstance(answer, Whole)
    body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
    status, pattern = RAW[fault]
    assert answer.status == status
    assert re.search(pattern, body)


@each_dialect
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("fault", "drops"), [("malformed", False), ("half", True)])
def test_a_raw_half_is_no_answer(name: str, stream: bool, fault: str, drops: bool) -> None:
    model = script(f'[[turns]]\nraw = true\nfault = "{fault}"\ntext = "{"words " * 20}"')
    asked = call(name, stream=stream)
    got, failure = asyncio.run(heard(model, asked))
    assert isinstance(failure, ConnectionDropped if drops else type(None))
    assert b"words" in got or not stream
    with pytest.raises(ValueError, match=r"Expecting|Unterminated|Invalid"):
        json.loads(got)
    fold = asked.dialect.fold()
    fold.feed(got)
    assert not fold.complete
    assert fold.garbage == int(stream and fault == "malformed")


def test_a_raw_drop_breaks_the_connection_at_once() -> None:
    model = script('[[turns]]\nraw = true\nfault = "drop"')
    with pytest.raises(ConnectionDropped):
        asyncio.run(model.answer(call()))


@pytest.mark.slow
@pytest.mark.parametrize(("raw", "error"), [("false", ProviderFault), ("true", ConnectionDropped)])
def test_a_hang_is_silence_for_its_time(raw: str, error: type[Exception]) -> None:
    model = script(
        f'[[turns]]\nfault = "hang"\nwait = 0.05\nraw = {raw}\n[[turns]]\nfault = "hang"'
    )
    start = time.monotonic()
    with pytest.raises(error):
        asyncio.run(model.answer(call()))
    assert time.monotonic() - start >= 0.05
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(model.answer(call()), 0.1))


# files
