"""The seal: what an agent in its container can reach, what it may spend, and what is brought back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.agents import NotInstalled
from harness.agents._at_pvic import workspace_of
from harness.agents._program import AgentReport
from harness.agents._sealed import Sealed
from harness.command import Command, ExecResult
from harness.gateway.access import ModelAccess
from harness.gateway.gateway import Gateway
from harness.gateway.models._make import make_model
from harness.gateway.price import FREE, Price
from harness.gateway.record import RecordBounds
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.protocols import Budget, Ended, Job, Solution
from harness.sandbox.base import Backend, SandboxDied, SandboxEnded
from harness.sandbox.container import DockerSandbox
from tasks.loader import Task, load_pack
from tests.harness.agents import looping
from tests.harness.agents.looping import Looping, script
from tests.harness.toolbox.conftest import Place
from tests.mini import Mini

pytestmark = [pytest.mark.docker, pytest.mark.rotating(3)]
PER_CALL = Price(input=0.0, output=0.01)
Solve = Callable[..., Solution]


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as running:
        yield running


@pytest.fixture
def task(mini: Mini) -> Task:
    return load_pack(mini.folder).tasks[0]


@pytest.fixture
def solve(docker: Backend, gateway: Gateway, place: Place, task: Task, tmp_path: Path) -> Solve:
    """Let the looping agent work to a script (or to any model), with an account of its own."""
    program = Looping((str(place.wheel),))
    place.boxes.install(program)
    grader = Grader(docker, MemoryCache())

    def run(
        report: str, budget: Budget | None = None, price: Price = FREE, charge: Any = None
    ) -> Solution:
        if not report.startswith("replay:"):
            path = tmp_path / "script.toml"
            path.write_text(report)
            report = f"script:{path}"
        agent = Sealed(program, place.boxes)
        model = ModelAccess(gateway, make_model(report), price, {"temperature": 0}, charge)
        workspace = workspace_of(grader.backend, task)
        try:
            return agent.solve(Job(workspace, "Do it.\n'\"$(x)", budget or Budget(600), model))
        finally:
            workspace.close()

    return run


def said(solution: Solution) -> list[str]:
    return [str(text) for text in json.loads(solution.trajectory)]


def ledger(solution: Solution) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(solution.artefacts["ledger"])
    return found


def test_work_bill_and_trajectory_come_back(solve: Solve) -> None:
    heard: list[tuple[float, int]] = []
    report = script("echo '/* new */' >> src/text.c; echo $HOME")
    solution = solve(report, charge=lambda *cost: heard.append(cost))
    assert solution.ended is Ended.FINISHED
    assert b"+/* new */" in solution.patch
    assert solution.usage["calls"] == 2 == len(ledger(solution)["calls"])
    billed = [
        (row["usd"], row["tokens"]["input"] + row["tokens"]["output"])
        for row in ledger(solution)["calls"]
    ]
    assert heard == billed, "told as they were made"
    assert solution.usage["claimed"] == {"calls": 1}
    assert solution.usage["difference"] == {"calls": -1}
    assert solution.note["status"] == 0 and solution.note["program"]["name"] == "looping"
    atif = json.loads(solution.artefacts["atif"])
    assert [step["source"] for step in atif["steps"]] == ["user", "agent", "agent"]
    assert atif["steps"][1]["tool_calls"][0]["function_name"] == "bash"


def test_a_recorded_attempt_replays_to_the_identical_patch(solve: Solve, tmp_path: Path) -> None:
    first = solve(script("date +%s%N > now; rm now; echo 1 > new.c", "ls"))
    record = tmp_path / "record"
    record.write_bytes(first.artefacts["record"])
    again = solve(f"replay:{record}")
    assert (again.patch, again.ended) == (first.patch, Ended.FINISHED)
    assert again.usage["calls"] == first.usage["calls"] and again.usage["usd"] == 0


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_a_replay_that_differs_says_where(solve: Solve, tmp_path: Path) -> None:
    first = solve(script("echo same; head -c 8 /dev/urandom | base64"))
    record = tmp_path / "record"
    record.write_bytes(first.artefacts["record"])
    again = solve(f"replay:{record}")
    assert again.ended is Ended.DIVERGED
    assert "call 1" in again.note["diverged"] and "messages" in again.note["diverged"]
    assert "-" in again.note["difference"] and "+" in again.note["difference"]


# caps


def test_calls_are_capped_and_the_work_so_far_is_kept(solve: Solve) -> None:
    solution = solve(script("echo x >> new.c", then="repeat"), Budget(600, calls=5))
    assert solution.ended is Ended.CAPPED_CALLS
    assert solution.usage["calls"] == 5 and solution.patch.count(b"\n+x") == 5
    assert b"401" in solution.artefacts["output"]


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_money_is_capped_with_at_most_one_call_above_it(solve: Solve) -> None:
    solution = solve(script("echo x >> new.c", then="repeat"), Budget(600, usd=1.0), PER_CALL)
    calls = [row["usd"] for row in ledger(solution)["calls"]]
    assert solution.ended is Ended.CAPPED_USD and calls
    assert sum(calls[:-1]) < 1.0
    assert round(sum(calls), 2) == round(solution.usage["usd"], 2)


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_tokens_are_capped_with_at_most_one_call_above_them(solve: Solve) -> None:
    solution = solve(script("echo x >> new.c", then="repeat"), Budget(600, tokens=1000))
    calls = [row["tokens"] for row in ledger(solution)["calls"]]
    sums = [one["input"] + one["output"] for one in calls]
    assert solution.ended is Ended.CAPPED_TOKENS and len(calls) > 1
    assert sum(sums[:-1]) < 1000 <= sum(sums)


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_what_the_model_cost_before_the_sandbox_died_is_told(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(*_: Any) -> None:
        raise SandboxDied("the engine was lost")

    monkeypatch.setattr("harness.agents._workspace.patch_between", died)
    with pytest.raises(SandboxDied) as fault:
        solve(script("echo x > new.c"), price=PER_CALL)
    assert fault.value.usage["calls"] == 2 and fault.value.usage["usd"] > 0


def test_what_an_agent_says_and_asks_cannot_take_its_label(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may write what its reader does not expect, and ask more than is read again."""

    def report(*_: object) -> AgentReport:
        raise RecursionError

    monkeypatch.setattr(Looping, "report", report)
    monkeypatch.setattr("harness.gateway.record.RecordBounds", lambda: RecordBounds(plain=100))
    solution = solve(script("echo 1 > new.c"))
    assert solution.ended is Ended.FINISHED and b"new.c" in solution.patch
    assert (solution.usage["claimed"], solution.usage["difference"]) == ({}, {})
    assert solution.note["told"] == "not readable: RecursionError"
    assert "atif" not in solution.artefacts and solution.artefacts["record"]


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_a_claim_that_is_no_amount_is_not_kept(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = {
        "calls": 10**400,
        "usd": float("inf"),
        "input_tokens": float("nan"),
        "output_tokens": 7,
    }
    monkeypatch.setattr(Looping, "report", lambda *_: AgentReport(claims))
    usage = solve(script("ls")).usage
    assert usage["claimed"] == {"output_tokens": 7} and set(usage["difference"]) == {
        "output_tokens"
    }


@pytest.mark.nightly("test_own_sandbox.py has the same by day, without a model")
@pytest.mark.parametrize(
    "line",
    [
        'rm -rf "$PWD"; :',
        "ln -s b a; ln -s a b; ln -P a h",
        "echo 1 > new.c; head -c 900M /dev/zero > big",
        "echo 1 > new.c; kill -9 -1",
        "echo 1 > new.c; kill -STOP -1 $PPID",
    ],
)
def test_what_it_does_to_its_sandbox_leaves_an_attempt_that_can_be_graded(
    line: str, solve: Solve
) -> None:
    solution = solve(script(line), Budget(20))
    assert bool(solution.patch) != bool("problem" in solution.note)
    assert solution.ended in (Ended.FINISHED, Ended.CRASHED, Ended.CAPPED_TIME)


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_an_agent_that_ends_its_own_sandbox_was_killed(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = DockerSandbox.exec

    def ending(self: DockerSandbox, command: Command) -> ExecResult:
        done = run(self, command)
        if "forwarder" not in command.line:
            return done
        self._container.kill()
        raise SandboxEnded("by itself")

    monkeypatch.setattr(DockerSandbox, "exec", ending)
    solution = solve(script("echo 1 > new.c"))
    assert solution.ended is Ended.KILLED and solution.note["stopped"] == "sandbox"
    assert b"new.c" in solution.patch and solution.usage["calls"] == 2


@pytest.mark.nightly
def test_time_is_capped_although_the_agent_sleeps(solve: Solve) -> None:
    started = time.monotonic()
    solution = solve(script("echo x > new.c", "sleep 900"), Budget(12))
    assert solution.ended is Ended.CAPPED_TIME and b"new.c" in solution.patch
    assert time.monotonic() - started < 300


# the seal


OUT_OF_REACH = (
    "exec 3<>/dev/tcp/192.0.2.1/80",
    "exec 3<>/dev/tcp/172.17.0.1/22",
    "exec 3<>/dev/tcp/127.0.0.1/22",
    "getent hosts example.com",
    "ip route 2>/dev/null | grep default",
    "test -e /var/run/docker.sock || test -e /run/docker.sock",
    "touch /arena/gate/x",
    "touch $(dirname $(dirname $(readlink -f /proc/$PPID/exe)))/x",
    "find / -xdev \\( -name '*.toml' -o -name gold.patch -o -name poc \\) -path '*mini*' | grep .",
    "git log --all --oneline | grep -i 'room for'",
    "git remote -v | grep .",
    "git fsck --unreachable --no-progress | grep .",
    "test $(id -u) = 0",
    "grep -E '^CapEff:.*[1-9a-f]' /proc/self/status",
)


@pytest.mark.nightly
def test_an_agent_that_is_slow_to_start_is_not_taken_for_dead(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a busy machine: only the cap on time ends an agent that has not asked anything yet."""
    monkeypatch.setattr(looping, "CODE", "import time; time.sleep(30)\n" + looping.CODE)
    made = solve(script("echo late > late.txt"))
    assert made.ended is Ended.FINISHED and b"+late" in made.patch
    assert ledger(made)["calls"][0]["began"] > 30


def test_what_cannot_be_reached(solve: Solve) -> None:
    tries = [
        f"timeout 10 bash -c {json.dumps(attempt)} >/dev/null 2>&1 && echo {number}"
        for number, attempt in enumerate(OUT_OF_REACH)
    ]
    reached = said(solve(script("; ".join([*tries, "echo all tried"]))))[0].split("\n")
    assert [OUT_OF_REACH[int(number)] for number in reached[: reached.index("all tried")]] == []


def test_the_gate_holds_one_socket_and_another_token_is_refused(solve: Solve) -> None:
    ask = (
        "ls /arena/gate; exec 3<>/dev/tcp/127.0.0.1/8791; "
        "printf 'GET /v1/models HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: Bearer other\\r\\n"
        "Connection: close\\r\\n\\r\\n' >&3; head -1 <&3"
    )
    listed, answer = said(solve(script(f"bash -c {json.dumps(ask)}")))[0].split("\n", 1)
    assert listed == "model.sock" and " 401 " in answer


@pytest.mark.nightly("waits for a limit to end it")
def test_what_an_agent_leaves_running_ends_with_it(solve: Solve) -> None:
    solve(script("(setsid sh -c 'sleep 61.07' >/dev/null 2>&1 &) ; echo"))
    second = solve(script("ps ax 2>/dev/null || cat /proc/[0-9]*/cmdline | tr '\\0' ' '"))
    assert "61.07" not in said(second)[0]


# how it ends


def test_an_agent_that_crashes_leaves_its_work(solve: Solve) -> None:
    solution = solve(script("echo x > new.c", "kill -SEGV $PPID"))
    assert solution.ended is Ended.CRASHED and b"new.c" in solution.patch


def test_a_model_that_was_never_there_is_told(solve: Solve) -> None:
    solution = solve("[[turns]]\nfault = '401'\n")
    assert solution.ended is Ended.MODEL_UNAVAILABLE


@pytest.mark.nightly
def test_a_disk_that_is_filled_ends_it_with_the_work_kept(solve: Solve) -> None:
    fill = (
        "echo x > new.c; for i in 1 2 3 4 5 6; do head -c 1G /dev/zero > /tmp/f$i; done; sleep 500"
    )
    solution = solve(script(fill), Budget(600))
    assert solution.ended is Ended.KILLED and solution.note["stopped"] == "disk"
    assert b"new.c" in solution.patch


@pytest.mark.nightly("an attempt of an agent in its sandbox: five of its kinds run by day")
def test_an_agent_without_toolbox_is_named_with_the_command(solve: Solve, place: Place) -> None:
    program = replace_name(Looping((str(place.wheel),)), "nobody")
    with pytest.raises(NotInstalled, match="arena agents install nobody"):
        Sealed(program, place.boxes).expect()


def replace_name(program: Looping, name: str) -> Looping:
    program.name = name
    return program
