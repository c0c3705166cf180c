"""What an attempt's model has cost is told however the attempt ends; no container engine is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import httpx
import pytest

from harness.agents import GatewayFault
from harness.agents._sealed import GATE, Sealed
from harness.agents._unasked import expect_asked
from harness.agents._workspace import SandboxWorkspace
from harness.agents._worktree import WorkTreePatch
from harness.command import Command, ExecResult
from harness.gateway.access import ModelAccess
from harness.gateway.gateway import Gateway, OpenAccount
from harness.gateway.models import LanguageModel
from harness.gateway.models._make import make_model
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.price import Price
from harness.protocols import Budget, Ended, Job, Solution
from harness.sandbox.base import SandboxDied, SandboxFault
from harness.toolbox import Toolbox
from tests.harness.agents.looping import Looping
from tests.harness.gateway.providers import provider
from tests.harness.gateway.serving import Plain

PRICE = Price(input=0.0, output=0.01)
WHOLE = ExecResult(0, b"", 0.1)
# What the agent asks each time.
BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 8}


class Box:
    """A sandbox in which the agent asks its model until it is refused or has asked `times`."""

    image = ""

    def __init__(
        self, workspace: SandboxWorkspace, times: int, end: ExecResult | SandboxFault
    ) -> None:
        self.workspace, self.times, self.end = workspace, times, end

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None: ...

    def take_tree(self, folder: str, into: IO[bytes], limit: int) -> bool:
        return False

    def exec(self, command: Command) -> ExecResult:
        (gate,) = [one.host for one in self.workspace.mounts if one.inside == GATE]
        transport = httpx.HTTPTransport(uds=f"{gate}/model.sock")
        head = {"authorization": f"Bearer {command.env['TOKEN']}"}
        body = BODY
        with httpx.Client(transport=transport, base_url="http://model", headers=head) as client:
            for _ in range(self.times):
                if client.post("/v1/chat/completions", json=body).status_code != httpx.codes.OK:
                    break
        if isinstance(self.end, SandboxFault):
            raise self.end
        return self.end


class Toolboxes:
    def find(self, program: Looping) -> Toolbox:
        facts = {"interpreter": {"executable": sys.executable, "path": sys.prefix}}
        return Toolbox(Path("/toolbox"), program.name, program.version, facts=facts)


Attempt = Callable[..., Solution]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary.0123456789")


@pytest.fixture
def attempt(monkeypatch: pytest.MonkeyPatch) -> Attempt:
    monkeypatch.setattr(SandboxWorkspace, "take_patch", lambda *_: WorkTreePatch(b"patch"))

    def run(
        budget: Budget,
        end: ExecResult | SandboxFault = WHOLE,
        times: int = 3,
        model: LanguageModel | None = None,
        patch: bytes | None = None,
    ) -> Solution:
        if patch is not None:
            monkeypatch.setattr(SandboxWorkspace, "take_patch", lambda *_: WorkTreePatch(patch))
        workspace = SandboxWorkspace(lambda *_: box, "/repository")
        box: Any = Box(workspace, times, end)
        with Gateway() as gateway:
            boxes: Any = Toolboxes()
            access = ModelAccess(gateway, model or Plain(), PRICE, {})  # each call: 10 + 5 tokens
            return Sealed(Looping(()), boxes).solve(Job(workspace, "Do it.", budget, access))

    return run


@pytest.mark.slow
def test_a_cap_on_tokens_ends_an_attempt_and_is_told(attempt: Attempt) -> None:
    made = attempt(Budget(60, tokens=30), times=9)
    assert made.ended is Ended.CAPPED_TOKENS
    assert (made.usage["calls"], made.usage["refused"]) == (2, 1)
    assert attempt(Budget(60), times=9).ended is Ended.FINISHED


ENDINGS = [
    ("finish:content_filter", Ended.FILTERED),
    ("finish:length:half of it", Ended.OUT_OF_TOKENS),
    ("finish:stop", Ended.EMPTY),
    (
        "error:400:context_length_exceeded:Your input exceeds the context window.",
        Ended.OUT_OF_TOKENS,
    ),
    ("error:400:content_filter:The response was filtered.", Ended.FILTERED),
]


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "due"), ENDINGS)
def test_what_the_model_s_last_answer_came_to_is_how_the_agent_ended(
    attempt: Attempt, plan: str, due: Ended
) -> None:
    """And never the machine's fault: the patch is graded, whatever the agent's status was."""
    with provider("ok", plan) as there:
        model = make_model("openai/x", there.base)
        made = attempt(Budget(60), ExecResult(1, b"", 0.1), 2, model)
    assert made.ended is due
    expect_asked("agent", made)
    (first, last) = json.loads(made.artefacts["ledger"])["calls"]
    assert (first["ending"], last["ending"]) == ("", due)


@pytest.mark.slow
def test_words_that_decline_end_an_attempt_only_where_nothing_was_done(attempt: Attempt) -> None:
    declines = Plain(Reply("I'm sorry, but I can't help with that.", tokens=Tokens(10, 5)))
    assert attempt(Budget(60), times=1, model=declines, patch=b"").ended is Ended.REFUSED
    made = attempt(Budget(60), times=1, model=declines, patch=b"patch")
    assert made.ended is Ended.FINISHED


def test_an_account_without_money_is_nobody_s_result(attempt: Attempt) -> None:
    with provider("ok", "error:429:insufficient_quota:You exceeded your current quota.") as there:
        made = attempt(Budget(60), times=9, model=make_model("openai/x", there.base))
        assert len(there.asked) == 2
    assert made.ended is Ended.MODEL_UNAVAILABLE
    assert "insufficient_quota" in made.note["model_ended"]


def test_a_sandbox_that_dies_leaves_with_the_bill(attempt: Attempt) -> None:
    with pytest.raises(SandboxDied, match="lost") as fault:
        attempt(Budget(60), SandboxDied("the engine was lost"))
    assert fault.value.usage["calls"] == 3
    assert fault.value.usage["usd"] == pytest.approx(0.15)


def test_a_work_tree_that_cannot_be_taken_leaves_with_the_bill(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(*_: object) -> WorkTreePatch:
        raise SandboxDied("git in a fresh sandbox: 128")

    monkeypatch.setattr(SandboxWorkspace, "take_patch", died)
    with pytest.raises(SandboxDied) as fault:
        attempt(Budget(60), times=2)
    assert (fault.value.usage["calls"], fault.value.usage["output_tokens"]) == (2, 10)


def test_a_gateway_that_broke_leaves_with_the_bill(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = OpenAccount.close

    def broken(opened: OpenAccount) -> None:
        opened.account.broken = "a record could not be written"
        close(opened)

    monkeypatch.setattr(OpenAccount, "close", broken)
    with pytest.raises(GatewayFault, match="record") as fault:
        attempt(Budget(60), times=1)
    assert fault.value.usage["calls"] == 1


def test_a_fault_before_anything_was_asked_has_an_empty_bill(attempt: Attempt) -> None:
    with pytest.raises(SandboxDied) as fault:
        attempt(Budget(60), SandboxDied("never up"), times=0)
    assert (fault.value.usage["calls"], fault.value.usage["usd"]) == (0, 0)
    assert SandboxDied("another").usage == {}


@pytest.mark.parametrize("searches", [False, True])
def test_what_was_taken_out_of_requests_is_in_the_notes(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch, searches: bool
) -> None:
    if searches:
        monkeypatch.setitem(BODY, "web_search_options", {"search_context_size": "low"})
    with provider() as there:
        made = attempt(Budget(60), times=2, model=make_model("openai/x", there.base))
        assert "web_search_options" not in there.asked[0][2]
    changed = {"web_search_options: not passed on": 2} if searches else None
    assert made.note.get("changed") == changed
