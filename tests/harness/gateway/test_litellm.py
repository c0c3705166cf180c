"""Any provider through LiteLLM: answers, faults and keys. LiteLLM is imported once, which takes seconds."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.models._responses_only import needs_responses
from harness.gateway.models.litellm import FIELDS, open_litellm
from harness.gateway.price import UNKNOWN
from tests.harness.gateway.provider_edges import DONE, USAGE, body, chunk, head, raw
from tests.harness.gateway.providers import REPLY, dialect, provider
from tests.harness.gateway.serving import DIALECTS, ask, serving
from tests.harness.gateway.test_said_by_providers import events

pytestmark = [  # LiteLLM's own
    pytest.mark.xdist_group("litellm"),  # importing it takes seconds: one worker does
    pytest.mark.filterwarnings("ignore:.*:UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211"),
    pytest.mark.slow,
]

CANARY = "sk-canary-fedcba9876543210"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, CANARY)


@pytest.mark.slow
@pytest.mark.parametrize("maker", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", DIALECTS)
def test_an_answer_on_each_wire(name: str, stream: bool, maker: str) -> None:
    with provider() as there, serving(open_litellm(f"{maker}/x", there.base)) as (opened, asking):
        answer = ask(asking, name, stream)
        assert answer.status_code == 200, answer.text
        if stream:
            fold = dialect(name).fold()
            fold.feed(answer.content)
            assert fold.complete
            assert fold.reply().text == REPLY.text
        else:
            assert dialect(name).read(answer.json()).text == REPLY.text
        assert REPLY.tokens is not None
        (row,) = opened.account.calls
        assert (row.estimated, row.tokens.input, row.tokens.output) == (False, 100, 20)
        assert row.tokens.cached == 10
        if name == "chat" and stream:
            assert '"prompt_tokens"' not in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "fault", ["status:429", "status:500", "html", "malformed", "drop", "empty"]
)
def test_a_passing_fault_is_retried_and_costs_nothing(fault: str, stream: bool) -> None:
    with (
        provider(fault, fault, "ok") as there,
        serving(open_litellm("openai/x", there.base)) as (opened, asking),
    ):
        assert ask(asking, stream=stream).status_code == 200
        assert (opened.account.usage.calls, opened.account.usage.retries) == (1, 2)


@pytest.mark.slow
def test_a_key_is_told_to_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        provider("echo:400", "echo:401") as there,
        serving(open_litellm("openai/x", there.base)) as (opened, asking),
    ):
        answers = [ask(asking, stream=stream) for stream in (False, True)]
        assert [answer.status_code for answer in answers] == [400, 401]
        said = "".join(answer.text for answer in answers) + str(opened.account.to_json())
        assert "***" in said
        assert CANARY not in said
    out, err = capfd.readouterr()
    assert CANARY not in out + err
    assert "litellm" not in (out + err).lower()


def test_an_agent_cannot_set_where_it_goes() -> None:
    """LiteLLM takes addresses, keys and mock answers as parameters of a call."""
    more = {"api_base": "http://127.0.0.1:1", "mock_response": "free", "custom_llm_provider": "x"}
    with provider() as there, serving(open_litellm("openai/x", there.base)) as (_, asking):
        assert REPLY.text in ask(asking, **more).text
        assert len(there.asked) == 1
    assert not FIELDS & {*more, "api_key", "base_url", "extra_headers", "model", "metadata"}


@pytest.mark.parametrize(
    ("name", "said"), [("nosuchprovider/x", "nosuchprovider"), ("gemini/x", "GEMINI_API_KEY")]
)
def test_a_missing_provider_or_key_is_one_line(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ValueError, match=said) as error:
        open_litellm(name)
    assert "\n" not in str(error.value)


FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {}}}
CUSTOM = {"type": "custom", "custom": {"name": "p"}}


@pytest.mark.parametrize("tools", [None, [FUNCTION], [CUSTOM], [CUSTOM, FUNCTION]])
@pytest.mark.parametrize("effort", [None, "none", "high"])
def test_models_are_asked_in_responses_where_litellm_asks_them_so(
    tools: list[Any] | None, effort: str | None
) -> None:
    import litellm
    from litellm.main import responses_api_bridge_check

    body = {"tools": tools, "reasoning_effort": effort}
    differing = []
    for name, entry in litellm.model_cost.items():
        if entry.get("litellm_provider") != "openai" or entry.get("mode") not in (
            "chat",
            "responses",
        ):
            continue
        theirs = responses_api_bridge_check(name, "openai", tools=tools, reasoning_effort=effort)
        if (theirs[0].get("mode") == "responses") != needs_responses(f"openai/{name}", body):
            differing.append(name)
    assert differing == []


def test_what_litellm_is_not_given_is_reported() -> None:
    with provider() as there, serving(open_litellm("openai/x", there.base)) as (opened, asking):
        more: Any = {"metadata": {"a": "b"}, "api_base": "http://127.0.0.1:1", "logit_bias": None}
        ask(asking, **more)
    assert opened.changes == {
        "api_base: not passed on": 1,
        "metadata: not passed on to LiteLLM": 1,
    }


@pytest.mark.parametrize("stream", [False, True])
def test_what_openrouter_billed_is_charged_where_no_price_is_known(
    stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", CANARY)
    usage = {**USAGE, "cost": 0.125, "is_byok": False}
    said = {"id": "x", "created": 1, "model": "m", "object": "chat.completion", "usage": usage}
    message = {"role": "assistant", "content": "hi"}
    plan = body({**said, "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    if stream:
        pieces = events(
            chunk({"role": "assistant", "content": "hi"}, created=1, model="m"),
            chunk({}, "stop", created=1, model="m"),
            {**said, "object": "chat.completion.chunk", "choices": []},
        )
        plan = [head() + pieces + DONE]
    model = "openrouter/x/y"
    with raw(plan) as server, serving(open_litellm(model, server["base"]), price=UNKNOWN) as (opened, asking):  # fmt: skip
        ask(asking, stream=stream)
    (row,) = opened.account.calls
    assert (row.usd, row.usd_source, row.tokens.input) == (0.125, "provider", 90000)
