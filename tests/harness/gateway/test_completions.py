"""The dialect for base models: written, streamed and read; asked directly, by LiteLLM and of a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.dialects import BadAnswer, BadRequest, Refusal
from harness.gateway.models.direct import open_direct
from harness.gateway.models.litellm import open_litellm
from harness.gateway.models.script import open_script
from harness.gateway.neutral import Message, Reply, Tokens
from harness.gateway.record import RecordWriter, read_record
from harness.gateway.upstream import Patience
from tests.harness.gateway.dialect_cases import JSON, TEXT, cut, dialect, tokens
from tests.harness.gateway.providers import REPLY, provider
from tests.harness.gateway.serving import Plain, capped, serving

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore:.*:UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211"),
    pytest.mark.slow,
]
WIRE = dialect("completions")
SIZES = st.lists(st.integers(1, 200), min_size=1, max_size=5)
replies = st.builds(
    lambda text, stop, told: Reply(text, stop=stop, tokens=told),
    TEXT,
    st.sampled_from(["end", "length"]),
    tokens(),
)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-canary-fedcba9876543210")
    yield


def post(asking: httpx.Client, path: str = "/v1/completions", **more: Any) -> httpx.Response:
    return asking.post(path, json={"model": "any", "prompt": "def f():\n", **more})


@given(reply=replies, sizes=SIZES)
def test_an_answer_reads_back_whole_and_streamed_however_it_is_cut(
    reply: Reply, sizes: list[int]
) -> None:
    body = json.loads(json.dumps(WIRE.render(reply, "m", 3)))
    assert WIRE.read(body) == reply
    fold = WIRE.fold()
    for chunk in cut(b"".join(WIRE.stream(body)), sizes):
        fold.feed(chunk)
    assert (fold.complete, fold.garbage, fold.error) == (True, 0, None)
    assert fold.body() == body
    assert fold.reply() == reply


@given(body=st.dictionaries(st.sampled_from(["prompt", "stream", "choices", "error", "x"]), JSON))
def test_hostile_bodies_raise_what_is_told_and_nothing_else(body: dict[str, Any]) -> None:
    for read, fault in ((WIRE.parse_request, BadRequest), (WIRE.read, BadAnswer)):
        try:
            read(body)
        except fault as error:
            assert "\n" not in str(error)
    fold = WIRE.fold()
    fold.feed(b"data: " + json.dumps(body).encode() + b"\n\n")
    fold.body()


@pytest.mark.parametrize("prompt", ["", None, ["a", "b"], [1, 2], 5])
def test_one_prompt_is_asked_for_and_no_more(prompt: Any) -> None:
    with pytest.raises(BadRequest, match=r"^prompt: must be one text"):
        WIRE.parse_request({"prompt": prompt})


def test_a_request_is_its_prompt_and_takes_pins() -> None:
    asked = WIRE.parse_request({"prompt": "a\ud83d", "stream": True})
    assert asked.messages == (Message("user", "a\ufffd"),) and asked.streams
    body = {"prompt": "a", "seed": 1}
    pins = {"temperature": 0.2, "max_tokens": 9, "seed": None, "tools": 1}
    assert WIRE.apply_parameters(body, pins) == {"prompt": "a", "temperature": 0.2, "max_tokens": 9}
    assert WIRE.refusal(Refusal("spent", "x"))[0] == 401
    assert b"authentication_error" in WIRE.failure(Refusal("spent", "x"))


# LiteLLM's first call imports for seconds, on a busy machine for many.
PATIENT = Patience(silence=60, total=60, tries=3, step=0.01, longest_wait=1)


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "make", [(open_direct, "openai/x"), (open_litellm, "text-completion-openai/x")]
)
def test_an_endpoint_goes_on_with_the_text_as_it_was_sent(make: Any, stream: bool) -> None:
    with (
        provider("status:429", "ok") as there,
        serving(make[0](make[1], there.base), patience=PATIENT, pinned={"temperature": 0.2}) as (
            opened,
            asking,
        ),
    ):
        answer = post(asking, stream=stream, best_of=20)
        assert answer.status_code == 200, answer.text
        if stream:
            fold = WIRE.fold()
            fold.feed(answer.content)
            assert fold.complete and fold.reply().text == REPLY.text
        else:
            assert WIRE.read(answer.json()).text == REPLY.text
        (path, _, body), (row,) = there.asked[-1], opened.account.calls
        assert path == "/v1/completions"
        assert (body["prompt"], body["temperature"], body["model"]) == ("def f():\n", 0.2, "x")
        assert "best_of" not in body and "messages" not in body
        assert (row.wire, row.estimated) == ("completions", False)
        assert (row.tokens.input, row.tokens.output) == (100, 20)
        assert row.usd == pytest.approx(100e-6 + 200e-6)


@pytest.mark.slow
@pytest.mark.parametrize("make", [open_direct, open_litellm])
def test_a_provider_that_only_chats_is_never_asked_to_chat_instead(make: Any) -> None:
    with provider() as there, serving(make("anthropic/x", there.base)) as (_, asking):
        answer = post(asking)
        assert answer.status_code == 400
        assert "it only chats" in answer.json()["error"]["message"]
        assert there.asked == []


def test_several_prompts_are_refused_before_they_are_sent() -> None:
    with provider() as there, serving(open_direct("openai/x", there.base)) as (_, asking):
        answer = post(asking, prompt=["a", "b"])
        assert answer.status_code == 400 and "prompt: must be one text" in answer.text
        assert there.asked == []


def test_a_script_goes_on_with_a_text(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    told = {"turns": [{"text": "other"}], "rules": [{"match": "def f", "text": "    return 1\n"}]}
    path.write_text(json.dumps(told))
    with serving(open_script(str(path))) as (_, asking):
        body = post(asking, "/completions").json()
        assert body["object"] == "text_completion"
        assert body["choices"][0]["text"] == "    return 1\n"
        assert post(asking, prompt="x").json()["choices"][0]["text"] == "other"


def test_the_cap_holds_and_what_was_asked_is_recorded(tmp_path: Path) -> None:
    model = Plain(Reply("    return 1\n", stop="length", tokens=Tokens(10, 5)))
    recorder = RecordWriter(tmp_path / "r")
    with serving(model, capped(None, 1), recorder=recorder) as (_, asking):
        first = post(asking)
        assert first.json()["choices"][0]["finish_reason"] == "length"
        assert post(asking).status_code == 401
    recorder.close()
    call, refused = read_record(tmp_path / "r").calls
    assert (call.wire, call.request["prompt"]) == ("completions", "def f():\n")
    assert call.answer == first.json()
    assert refused.error.startswith("spent")
