"""Providers that fail, in each way, and what an agent and its bill see of it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.gateway.dialects import Call
from harness.gateway.models._make import make_model
from harness.gateway.record import RecordWriter
from harness.gateway.redact import Redactor, redact
from harness.gateway.upstream import Patience
from tests.harness.gateway.providers import REPLY, dialect, provider
from tests.harness.gateway.serving import DIALECTS, IMPATIENT, QUICK, Kept, ask, capped, serving

pytestmark = pytest.mark.slow

CANARY = "canary.0123456789.abcdef"
PASSING = ["status:429", "status:500", "html", "malformed", "empty", "junk", "drop"]
WHOLE = [("half", False)]
BEFORE_FIRST_BYTE = [(fault, stream) for fault in PASSING for stream in (False, True)] + WHOLE


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", DIALECTS)
def test_an_answer_goes_through_on_each_wire(name: str, stream: bool) -> None:
    """Messages are brought to chat and back, as the endpoint speaks OpenAI's dialects."""
    with provider() as there, serving(make_model("openai/x", there.base)) as (opened, asking):
        answer = ask(asking, name, stream)
        assert answer.status_code == 200, answer.text
        if stream:
            fold = dialect(name).fold()
            fold.feed(answer.content)
            assert fold.complete
            assert fold.reply().text == REPLY.text
        else:
            assert dialect(name).read(answer.json()).text == REPLY.text
        (row,) = opened.account.calls
        assert (row.tokens, row.estimated, row.status) == (REPLY.tokens, False, 200)
        assert there.asked[0][2]["model"] == "x"
        assert there.asked[0][1]["authorization"] == f"Bearer {CANARY}"


def test_the_provider_s_bytes_are_passed_on_as_they_are() -> None:
    with provider() as there, serving(make_model("openai/x", there.base)) as (_, asking):
        assert ask(asking).content == there.render("/chat/completions")
        streamed = ask(asking, "responses", stream=True).content
        assert streamed == b"".join(there.events("/responses"))


@pytest.mark.parametrize("wanted", [False, True])
def test_tokens_of_a_stream_are_metered_and_shown_only_to_who_asked(wanted: bool) -> None:
    options = {"stream_options": {"include_usage": True}} if wanted else {}
    with provider() as there, serving(make_model("openai/x", there.base)) as (opened, asking):
        text = ask(asking, stream=True, **options).text
        assert ('"prompt_tokens"' in text) is wanted
        assert "[DONE]" in text
        assert opened.account.calls[0].tokens == REPLY.tokens
        assert there.asked[0][2]["stream_options"] == {"include_usage": True}


def patience(fault: str) -> Patience:
    return IMPATIENT if fault in ("silence", "stall") else QUICK


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_is_silent_for_longer_than_its_patience_is_not_asked_again(
    stream: bool,
) -> None:
    with (
        provider("silence", "ok") as there,
        serving(make_model("openai/x", there.base), patience=IMPATIENT) as (opened, asking),
    ):
        answer = ask(asking, stream=stream)
        assert answer.status_code == 502 and "silence" in answer.text
        assert (opened.account.usage.retries, len(there.asked)) == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "stream"), [*BEFORE_FIRST_BYTE, ("early", True)])
def test_a_passing_fault_is_retried_and_costs_nothing(fault: str, stream: bool) -> None:
    with (
        provider(fault, fault, "ok") as there,
        serving(make_model("openai/x", there.base), patience=patience(fault)) as (opened, asking),
    ):
        assert ask(asking, stream=stream).status_code == 200
        usage = opened.account.usage
        assert (usage.calls, usage.retries, len(there.asked)) == (1, 2, 3)
        assert usage.output_tokens == (REPLY.tokens or REPLY).output  # type: ignore[union-attr]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_never_answers_is_unavailable(name: str, stream: bool) -> None:
    kept = Kept()
    with (
        provider("status:500") as there,
        serving(make_model("openai/x", there.base), recorder=kept) as (opened, asking),
    ):
        answer = ask(asking, name, stream)
        assert answer.status_code == 502
        assert "error" in answer.json()
        usage = opened.account.usage
        assert (usage.calls, usage.usd, usage.retries) == (0, 0, 2)
        assert opened.account.stop_reason == "model-unavailable"
        assert len(there.asked) == 3
        assert kept.rows[1][3] == 500


def test_too_many_requests_is_told_as_such_and_its_wait_is_kept() -> None:
    with (
        provider("status:429") as there,
        serving(make_model("openai/x", there.base)) as (_, asking),
    ):
        assert ask(asking).status_code == 429
        assert ask(asking, "messages").status_code == 529


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_at_fault_is_not_retried_and_counts(stream: bool) -> None:
    with (
        provider("status:400") as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        answer = ask(asking, stream=stream)
        assert (answer.status_code, len(there.asked)) == (400, 1)
        assert answer.json()["error"]["type"] == "invalid_request_error"
        assert (opened.account.usage.calls, opened.account.usage.usd) == (1, 0)


@pytest.mark.parametrize(("name", "told"), [("chat", 401), ("responses", 401), ("messages", 402)])
def test_a_provider_that_refuses_our_key_makes_agents_stop(name: str, told: int) -> None:
    with (
        provider("status:401") as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        assert ask(asking, name).status_code == told
        assert len(there.asked) == 1
        assert opened.account.stop_reason == "model-unavailable"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["half", "stall"])
@pytest.mark.parametrize("name", ["chat", "responses"])
def test_a_stream_that_breaks_off_ends_with_an_error_and_is_billed(name: str, fault: str) -> None:
    with (
        provider(fault) as there,
        serving(make_model("openai/x", there.base), patience=patience(fault)) as (opened, asking),
    ):
        answer = ask(asking, name, stream=True)
        assert answer.status_code == 200
        assert '"error"' in answer.text.strip().splitlines()[-1]
        (row,) = opened.account.calls
        assert row.estimated
        assert row.tokens.input > 0
        assert (opened.account.usage.calls, len(there.asked), row.status) == (1, 1, 502)
        assert opened.account.stop_reason == ""


def test_a_key_reaches_neither_agent_nor_ledger_nor_record(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The provider repeats the key in its error; what is written anywhere is searched for it."""
    caplog.set_level(0)
    writer = RecordWriter(tmp_path / "record")
    with (
        provider("echo:500", "echo:500", "echo:500", "echo:400", "echo:401", "ok") as there,
        serving(make_model("openai/x", there.base), recorder=writer) as (opened, asking),
    ):
        said = [ask(asking, stream=stream).text for stream in (False, True, False, True)]
        assert len(there.asked) >= 5
        assert "***" in said[0]
        assert CANARY not in str(opened.account.to_json()) + "".join(said)
        assert opened.account.broken == ""
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert written
    assert CANARY.encode() not in written
    out, err = capfd.readouterr()
    assert CANARY not in out + err + caplog.text


def test_keys_and_what_looks_like_one_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "inner-secret")
    monkeypatch.setenv("OTHER_SECRET", "an inner-secret and more")
    told = redact(
        f"got {CANARY}, an inner-secret and more, inner-secret\n sk-abcdefgh12 Bearer xyzxyzxyz"
    )
    assert told == "got ***, ***, *** *** ***"
    assert Redactor()(f"<{CANARY}>".encode()) == b"<***>"
    assert len(redact("x" * 10_000)) < 1000


@pytest.mark.slow
def test_retries_end_with_the_attempt_s_time() -> None:
    half, caps = replace(QUICK, silence=0.5), capped(None, None, 0.8)
    with (
        provider("silence:100") as there,
        serving(make_model("openai/x", there.base), caps, half) as (opened, asking),
    ):
        assert ask(asking).status_code in (401, 502)
        assert ask(asking).status_code == 401
        assert opened.account.usage.seconds < 50
        assert len(there.asked) <= 2


def test_no_such_host_is_a_provider_s_fault() -> None:
    with serving(make_model("openai/x", "http://127.0.0.1:9/v1")) as (opened, asking):
        assert ask(asking).status_code == 502
        assert opened.account.stop_reason == "model-unavailable"


@pytest.mark.parametrize(
    ("text", "base", "said"),
    [
        ("gpt-4o", "", "neither PROVIDER/NAME nor"),
        ("openai/", "", "neither PROVIDER/NAME nor"),
        ("hosted_vllm/x", "not-an-address", "--api-base"),
        ("anthropic/claude", "", "needs ANTHROPIC_API_KEY"),
    ],
)
def test_a_mistake_about_the_model_is_one_line(
    text: str, base: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ValueError, match=said) as error:
        make_model(text, base)
    assert "\n" not in str(error.value)


def test_a_call_is_brought_to_chat_with_its_tools_and_results() -> None:
    blocks = [
        {"role": "user", "content": "do it"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I shall"},
                {"type": "tool_use", "id": "t1", "name": "bash", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "ok"}],
                }
            ],
        },
    ]
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "do it"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I shall"}],
        },
        {"type": "function_call", "call_id": "t1", "name": "bash", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "t1", "output": "ok"},
    ]
    tool = {"name": "bash", "description": "runs"}
    asked = {
        "messages": {
            "system": [{"type": "text", "text": "be good"}],
            "messages": blocks,
            "max_tokens": 9,
            "tools": [{**tool, "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "any"},
        },
        "responses": {
            "instructions": "be good",
            "input": items,
            "max_output_tokens": 9,
            "tools": [{**tool, "type": "function", "parameters": {"type": "object"}}],
            "tool_choice": "required",
        },
    }
    got = []
    for name, body in asked.items():
        with provider() as there, serving(make_model("hosted_vllm/x", there.base)) as (_, asking):
            answer = asking.post(DIALECTS[name][0], json={"model": "m", **body})
            assert answer.status_code == 200, answer.text
            got.append(there.asked[0][2])
            neutral = Call(dialect("chat"), got[-1]).parsed_request
            assert [m.role for m in neutral.messages] == ["system", "user", "assistant", "tool"]
            assert neutral.messages[2].tool_calls[0].arguments == '{"a": 1}'
    assert got[0] == got[1]
    assert (got[0]["max_tokens"], got[0]["tool_choice"]) == (9, "required")
    assert os.environ["OPENAI_API_KEY"] == CANARY
