"""How calls end by the model's own doing, and accounts without money, as the ledger tells them."""

from __future__ import annotations

import pytest

from harness.gateway.gateway import Gateway
from harness.gateway.limits import CallLimits
from harness.gateway.models._make import make_model
from tests.harness.gateway.providers import provider
from tests.harness.gateway.serving import DIALECTS, IMPATIENT, PRICE, ask, client, serving

pytestmark = pytest.mark.slow

KEY = "canary.0123456789.abcdef"
FINISHED = [
    ("chat", "content_filter", "filtered"),
    ("chat", "length", "out-of-tokens"),
    ("chat", "stop", "empty"),
    ("chat", "stop:I cannot help with that.", "refused"),
    ("chat", "stop:All is done.", ""),
    ("responses", "content_filter", "filtered"),
    ("responses", "max_output_tokens", "out-of-tokens"),
    ("messages", "content_filter", "filtered"),  # brought from chat, where the reason stands
]
NO_MONEY = [
    "error:429:insufficient_quota:You exceeded your current quota, please check your plan.",
    "error:402::Insufficient Balance",
    "error:400::Your credit balance is too low to access the Anthropic API.",
    "error:403::Key limit exceeded (monthly limit).",
]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("name", "finish", "due"), FINISHED)
def test_the_reason_to_finish_is_kept_for_each_call(
    name: str, finish: str, due: str, stream: bool
) -> None:
    with (
        provider(f"finish:{finish}") as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        assert ask(asking, name, stream).status_code == 200
        (row,) = opened.account.calls
    assert (row.finish, row.ending) == (finish.partition(":")[0], due)
    assert row.to_json()["finish"] == row.finish


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_of_anthropic_s_is_one(stream: bool) -> None:
    with (
        provider("finish:refusal") as there,
        serving(make_model("anthropic/x", there.address)) as (opened, asking),
    ):
        ask(asking, "messages", stream)
        (row,) = opened.account.calls
    assert (row.finish, row.ending) == ("refusal", "refused")


@pytest.mark.parametrize("told", NO_MONEY)
@pytest.mark.parametrize("name", DIALECTS)
def test_an_account_without_money_takes_one_call(name: str, told: str) -> None:
    with (
        provider(told) as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        assert ask(asking, name).status_code in (401, 402)
        account = opened.account
        assert (len(there.asked), account.stop_reason) == (1, "model-unavailable")
        assert told.rpartition(":")[2] in account.ended


def test_what_an_agent_asked_for_cannot_look_like_an_account_without_money() -> None:
    """A request's own words come back in errors about it: `insufficient_quota` as a tool's name."""
    with (
        provider(
            "error:400::Invalid tool: insufficient_quota. Your credit balance is too low"
        ) as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        assert ask(asking).status_code == 400
    assert (opened.account.ended, opened.account.ended_by) == ("", None)


def test_a_limit_of_calls_alone_is_waited_for() -> None:
    with (
        provider("error:429:rate_limit_exceeded:Slow down", "ok") as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        assert ask(asking).status_code == 200
    assert opened.account.usage.retries == 1


def test_a_silent_model_is_asked_once_for_as_long_as_the_user_says() -> None:
    with (
        provider("silence:100") as there,
        Gateway({"openai/x": CallLimits(silence=1)}, patience=IMPATIENT) as gateway,
        client(gateway.open(make_model("openai/x", there.base), price=PRICE)) as asking,
    ):
        answer = ask(asking)
        assert (answer.status_code, len(there.asked)) == (502, 1)
        assert "for 1 s (`silence`)" in answer.text
