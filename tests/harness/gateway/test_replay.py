"""A replay answers what was recorded, to the calls that were recorded, and tells the first that differs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.account import Recorder
from harness.gateway.dialects import Call, Dialect
from harness.gateway.gateway import Gateway
from harness.gateway.models import LanguageModel, ProviderFault, Stream, Unseen, Whole
from harness.gateway.models.replay import MAX_COMPARED_CALLS, Replay, ReplayDiverged, open_replay
from harness.gateway.neutral import Reply, Tokens, ToolCall
from harness.gateway.record import Recorded, RecordedCall, RecordError, RecordWriter
from parsers.registry import lookup
from tests.harness.gateway.serving import capped

DIALECTS: dict[str, Dialect] = {
    name: lookup("harness.gateway.dialects", name) for name in ("chat", "responses", "messages")
}
CHAT = DIALECTS["chat"]


def request(dialect: str, text: str, streams: bool = False) -> dict[str, Any]:
    said = [{"role": "user", "content": text}]
    body: dict[str, Any] = {"model": "m", "stream": streams, "max_tokens": 9}
    return body | ({"input": said} if dialect == "responses" else {"messages": said})


def reply(n: int) -> Reply:
    calls = (ToolCall(f"call_{n}", "edit", '{"path": "a.c"}'),)
    return Reply(f"answer {n}", calls, stop="tools", tokens=Tokens(10, 4))


def recorded(count: int = 3, dialect: str = "chat", **more: Any) -> Recorded:
    return Recorded(
        tuple(
            RecordedCall(
                number=n,
                wire=dialect,
                request=request(dialect, f"question {n}"),
                answer=DIALECTS[dialect].render(reply(n), "m", n),
                status=200,
                answered=True,
                **more,
            )
            for n in range(count)
        )
    )


def ask(model: Replay, number: int, body: dict[str, Any], dialect: str = "chat") -> Any:
    """The whole answer, or the events of a stream."""

    async def asked() -> Any:
        answer = await model.answer(Call(DIALECTS[dialect], body, number))
        if isinstance(answer, Stream):
            return [event async for event in answer.events]
        return answer

    return asyncio.run(asked())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_call_is_answered_as_it_was(dialect: str) -> None:
    model = Replay(recorded(3, dialect))
    for n in range(3):
        answer = ask(model, n, request(dialect, f"question {n}"), dialect)
        assert answer == Whole(DIALECTS[dialect].render(reply(n), "m", n), 200)
    assert model.name == ""
    assert model.diverged is None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_gives_the_same_answer(dialect: str) -> None:
    model = Replay(recorded(1, dialect))
    events = ask(model, 0, request(dialect, "question 0", streams=True), dialect)
    fold = DIALECTS[dialect].fold()
    for event in events:
        fold.feed(event)
    assert fold.complete
    assert fold.reply() == reply(0)


def test_the_tokens_of_a_chat_are_sent_to_those_who_asked() -> None:
    body = request("chat", "question 0", streams=True)
    assert any(isinstance(event, Unseen) for event in ask(Replay(recorded()), 0, body))
    body["stream_options"] = {"include_usage": True}
    assert not any(isinstance(event, Unseen) for event in ask(Replay(recorded()), 0, body))


def test_from_a_file_as_the_gateway_wrote_it(tmp_path: Path) -> None:
    writer = RecordWriter(tmp_path / "r.gz", ())
    for one in recorded().calls:
        call = Call(CHAT, one.request, one.number)
        writer.record_request(call)
        assert isinstance(one.answer, dict)
        writer.record_answer(call, one.answer, 200)
    writer.close()
    factory = lookup("harness.gateway.models", "replay")
    model = factory(str(tmp_path / "r.gz"))
    assert ask(model, 0, request("chat", "question 0")).body == recorded().calls[0].answer
    with pytest.raises(RecordError):
        open_replay(str(tmp_path / "none.gz"))


SCRIPT = """
[[turns]]
text = "I look."
[[turns.tools]]
name = "bash"
arguments = { command = "ls" }
[[turns]]
fault = "500"
raw = true
[[turns]]
text = "Done."
"""


def through_gateway(
    model: LanguageModel, recorder: Recorder | None, path: str, dialect: str
) -> list[Any]:
    """Status and body of four calls: a fault is not counted, the last is refused by the cap."""
    bodies = [request(dialect, f"q{n}", streams=n == 2) for n in range(4)]
    with Gateway() as gateway:
        opened = gateway.open(model, capped(usd=None, calls=2), recorder=recorder)
        transport = httpx.HTTPTransport(uds=str(opened.socket))
        key = {"authorization": f"Bearer {opened.account.token}"}
        with httpx.Client(transport=transport, base_url="http://x", headers=key) as client:
            answers = [client.post(path, json=body) for body in bodies]
        opened.close()
    return [(answer.status_code, answer.content) for answer in answers]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["chat", "responses"])
def test_an_attempt_is_recorded_and_replayed_through_the_gateway(
    tmp_path: Path, dialect: str
) -> None:
    (tmp_path / "s.toml").write_text(SCRIPT)
    script = lookup("harness.gateway.models", "script")(str(tmp_path / "s.toml"))
    writer = RecordWriter(tmp_path / "r.gz")
    path = DIALECTS[dialect].paths[0]
    first = through_gateway(script, writer, path, dialect)
    writer.close()
    model = open_replay(str(tmp_path / "r.gz"))
    again = through_gateway(model, None, path, dialect)
    assert [status for status, _ in first] == [200, 500, 200, 401]
    assert again == first
    assert model.diverged is None


def test_what_differs_from_run_to_run_does_not_matter() -> None:
    call = RecordedCall(0, "chat", request("chat", "at 2026-11-21 took 0.12s in /tmp/ab"), {}, 200)
    call = RecordedCall(**{**vars(call), "answer": CHAT.render(reply(0), "m", 0), "answered": True})
    body = request("chat", "at 2027-01-02 took 1.3s in /tmp/cd") | {"user": "u"}
    assert ask(Replay(Recorded((call,))), 0, body).status == 200


def test_the_first_call_that_differs_ends_the_replay() -> None:
    model = Replay(recorded())
    ask(model, 0, request("chat", "question 0"))
    with pytest.raises(ReplayDiverged) as caught:
        ask(model, 1, request("chat", "something else\x1b[2J"))
    fault = caught.value
    assert str(fault) == "replay diverged at call 1: messages[0].content is not what was recorded"
    assert (fault.number, fault.path, fault.passing) == (1, "messages[0].content", False)
    assert "-question 1" in fault.difference
    assert "+something else" in fault.difference
    assert "\x1b" not in fault.difference
    with pytest.raises(ReplayDiverged) as again:
        ask(model, 2, request("chat", "question 2"))
    assert again.value is fault
    assert model.diverged is fault


def test_a_call_too_many_is_told() -> None:
    model = Replay(Recorded(recorded(1).calls, "r.gz: not closed: it ends after 1 calls"))
    ask(model, 0, request("chat", "question 0"))
    with pytest.raises(ReplayDiverged, match=r"call 1 is not in the record \(r.gz: not closed"):
        ask(model, 1, request("chat", "question 1"))


def test_another_wire_is_another_call() -> None:
    with pytest.raises(ReplayDiverged):
        ask(Replay(recorded()), 0, request("messages", "question 0"), "messages")


def test_a_lenient_replay_goes_on_by_number() -> None:
    model = Replay(recorded(), lenient=True)
    assert ask(model, 0, request("chat", "else")).body["id"] == recorded().calls[0].answer["id"]  # type: ignore[index, call-overload]
    assert ask(model, 1, request("chat", "question 1")).status == 200
    assert ask(model, 2, request("chat", "else again")).status == 200
    assert model.diverged is not None
    assert model.diverged.number == 0
    with pytest.raises(ReplayDiverged):
        ask(model, 3, request("chat", "more"))


@given(st.permutations(range(MAX_COMPARED_CALLS)))
def test_calls_side_by_side_may_come_in_any_order(order: list[int]) -> None:
    model = Replay(recorded(MAX_COMPARED_CALLS))
    for number, question in enumerate(order):
        answer = ask(model, number, request("chat", f"question {question}"))
        assert CHAT.read(answer.body).text == f"answer {question}"


def test_equal_calls_are_answered_by_their_numbers() -> None:
    calls = tuple(
        RecordedCall(**{**vars(call), "request": request("chat", "same")})
        for call in recorded().calls
    )
    model = Replay(Recorded(calls))
    for number in (1, 0, 2):
        answer = ask(model, number, request("chat", "same"))
        assert CHAT.read(answer.body).text == f"answer {number}"


def faulty(**told: Any) -> Replay:
    call = RecordedCall(0, "chat", request("chat", "question 0"), answered=True)
    return Replay(Recorded((RecordedCall(**{**vars(call), **told}),)))


@pytest.mark.parametrize("streams", [False, True])
def test_a_providers_fault_is_raised_again(streams: bool) -> None:
    model = faulty(status=503, error="overloaded")
    with pytest.raises(ProviderFault, match="overloaded") as caught:
        ask(model, 0, request("chat", "question 0", streams))
    assert (caught.value.status, caught.value.passing) == (503, False)
    assert not isinstance(caught.value, ReplayDiverged)


@pytest.mark.parametrize("streams", [False, True])
def test_a_refusal_is_told_again(streams: bool) -> None:
    told = {"error": {"message": "spent", "type": "authentication_error"}}
    model = faulty(status=401, error="spent: calls", answer=told)
    assert ask(model, 0, request("chat", "question 0", streams)) == Whole(told, 401)


def test_bytes_are_passed_on_as_they_were() -> None:
    answer = ask(faulty(status=200, answer=b"<html>"), 0, request("chat", "question 0"))
    assert answer == Whole(b"<html>", 200)


def test_a_stream_that_broke_off_breaks_off_again() -> None:
    part = CHAT.render(Reply("half"), "m", 0)
    model = faulty(status=502, error="connection lost", answer=part)

    fold = CHAT.fold()

    async def watched() -> None:
        answer = await model.answer(Call(CHAT, request("chat", "question 0", True), 0))
        assert isinstance(answer, Stream)
        async for event in answer.events:
            fold.feed(event)

    with pytest.raises(ProviderFault, match="connection lost"):
        asyncio.run(watched())
    assert fold.reply().text == "half"
    assert not fold.complete


def test_an_answer_that_cannot_be_read_is_no_stream() -> None:
    with pytest.raises(ProviderFault):
        ask(faulty(status=200, answer={"choices": 1}), 0, request("chat", "question 0", True))


def test_a_call_that_was_under_way_at_the_end_is_told() -> None:
    with pytest.raises(ReplayDiverged, match="call 0 was not answered"):
        ask(faulty(answered=False), 0, request("chat", "question 0"))


@pytest.mark.slow
def test_a_long_conversation_is_replayed_in_good_time(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    calls = []
    for n in range(60):
        messages.append({"role": "user", "content": f"{n} took 0.1s " + "word " * 500})
        body = {"model": "m", "messages": list(messages)}
        answer = CHAT.render(reply(n), "m", n)
        calls.append(RecordedCall(n, "chat", body, answer, 200, answered=True))
    model = Replay(Recorded(tuple(calls)))
    for n, call in enumerate(calls):
        body = json.loads(json.dumps(call.request).replace("took 0.1s", "took 0.2s"))
        assert ask(model, n, body).status == 200
    assert model._text.cache_info().misses <= 2 * 60 + 10  # each message is made normal once
