"""The driver of the Agent Client Protocol against an agent that plays a script, over real pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.agents.acp import DRIVER

PLAYED = Path(__file__).with_name("acp_agent.py")
OPTIONS = [
    {"optionId": "no", "name": "No", "kind": "reject_once"},
    {"optionId": "once", "name": "Yes", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
]


@dataclass(frozen=True)
class Driven:
    status: int
    output: str
    log: list[Any]
    updates: list[Any]
    outcome: Any

    def answers(self) -> list[Any]:
        """What the agent was answered, in order."""
        return [entry for entry in self.log if "method" not in entry]


Drive = Callable[..., Driven]


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    def run(argv: list[str] | None = None, **script: Any) -> Driven:
        names = ("script.json", "log", "updates.jsonl", "outcome.json", "prompt.md")
        played, log, updates, outcome, prompt = (tmp_path / name for name in names)
        played.write_text(json.dumps(script))
        prompt.write_text("Do it.\n'\"$(x)")
        log.touch()
        settings = {
            "argv": argv or [sys.executable, str(PLAYED), str(played), str(log)],
            "cwd": str(tmp_path),
            "prompt": str(prompt),
            "updates": str(updates),
            "outcome": str(outcome),
        }
        (tmp_path / "settings.json").write_text(json.dumps(settings))
        command = [sys.executable, "-I", "-S", DRIVER, tmp_path / "settings.json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return Driven(
            done.returncode,
            done.stdout + done.stderr,
            [json.loads(line) for line in log.read_text().splitlines()],
            [json.loads(line)["update"] for line in updates.read_text().splitlines()],
            json.loads(outcome.read_text()),
        )

    return run


def test_one_prompt_in_one_session(drive: Drive, tmp_path: Path) -> None:
    driven = drive()
    assert [(entry["method"], entry["id"]) for entry in driven.log] == [
        ("initialize", 1),
        ("session/new", 2),
        ("session/prompt", 3),
    ]
    begun, session, prompt = (entry["params"] for entry in driven.log)
    assert begun["protocolVersion"] == 1
    assert begun["clientCapabilities"] == {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": False,
    }
    assert session == {"cwd": str(tmp_path), "mcpServers": []}
    assert prompt == {
        "sessionId": "s-1",
        "prompt": [{"type": "text", "text": "Do it.\n'\"$(x)"}],
    }
    assert (driven.status, driven.output) == (0, "ended: end_turn\n")
    assert driven.outcome == {
        "protocol": 1,
        "agent": {"name": "played", "version": "7"},
        "stop_reason": "end_turn",
        "usage": {"inputTokens": 5, "outputTokens": 2},
    }


def test_each_update_is_a_line(drive: Drive) -> None:
    updates = [{"sessionUpdate": "agent_message_chunk", "content": {"text": "a"}}, {"x": [1]}, None]
    assert drive(updates=updates).updates == updates


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        (OPTIONS, {"outcome": "selected", "optionId": "always"}),
        (OPTIONS[:2], {"outcome": "selected", "optionId": "once"}),
        (OPTIONS[:1], {"outcome": "cancelled"}),
        ([], {"outcome": "cancelled"}),
    ],
)
def test_permissions_are_given(drive: Drive, options: list[Any], outcome: dict[str, str]) -> None:
    driven = drive(requests=[("session/request_permission", {"options": options})])
    assert driven.answers() == [{"jsonrpc": "2.0", "id": "r0", "result": {"outcome": outcome}}]
    assert driven.status == 0


def test_files_are_read_and_written_for_it(drive: Drive, tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "file.c")
    requests = [
        ("fs/write_text_file", {"path": path, "content": "one\ntwo\nthree\n"}),
        ("fs/read_text_file", {"path": path}),
        ("fs/read_text_file", {"path": path, "line": 2, "limit": 1}),
        ("fs/read_text_file", {"path": path, "line": None, "limit": None}),
    ]
    results = [answer["result"] for answer in drive(requests=requests).answers()]
    assert results == [
        {},
        {"content": "one\ntwo\nthree\n"},
        {"content": "two\n"},
        {"content": "one\ntwo\nthree\n"},
    ]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("terminal/create", {"command": "sh"}, -32601),
        ("elicitation/create", {}, -32601),
        ("fs/read_text_file", {"path": "/nonexistent/file"}, -32603),
        ("fs/read_text_file", {"path": 7}, -32603),
        ("fs/write_text_file", {"path": "/proc/none", "content": 7}, -32603),
        ("session/request_permission", {}, -32603),
        ("session/request_permission", [], -32603),
    ],
)
def test_what_cannot_be_done_is_an_error_that_it_survives(
    drive: Drive, method: str, params: Any, code: int
) -> None:
    driven = drive(requests=[(method, params)])
    assert [answer["error"]["code"] for answer in driven.answers()] == [code]
    assert driven.status == 0


def test_an_agent_that_wants_a_login_is_told_to_take_its_key(drive: Drive) -> None:
    driven = drive(login=True)
    methods = [entry["method"] for entry in driven.log]
    assert methods == [
        "initialize",
        "session/new",
        "authenticate",
        "session/new",
        "session/prompt",
    ]
    assert driven.log[2]["params"] == {"methodId": "api-key"}
    assert driven.status == 0


@pytest.mark.parametrize(
    ("reason", "status"),
    [("max_tokens", 3), ("max_turn_requests", 3), ("refusal", 3), ("cancelled", 3), (None, 3)],
)
def test_another_end_than_of_its_turn(drive: Drive, reason: str | None, status: int) -> None:
    driven = drive(answers={"session/prompt": {"result": {"stopReason": reason}}})
    assert (driven.status, driven.outcome["stop_reason"]) == (status, reason)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            {"answers": {"session/prompt": {"error": {"code": -32603, "message": "spent"}}}},
            "RequestRefused: session/prompt: spent (-32603)",
        ),
        (
            {"answers": {"session/new": {"error": "none"}}},
            "RequestRefused: session/new: no message (None)",
        ),
        (
            {"answers": {"initialize": {"result": {"protocolVersion": 2}}}},
            "ValueError: it speaks version 2 of the protocol",
        ),
        ({"answers": {"session/new": {"result": {}}}}, "KeyError: 'sessionId'"),
        ({"gone": "initialize"}, "AgentGone: it closed its output"),
        ({"gone": "session/prompt"}, "AgentGone: it closed its output"),
    ],
)
def test_an_agent_that_cannot_be_driven(drive: Drive, script: dict[str, Any], said: str) -> None:
    driven = drive(**script)
    assert (driven.status, driven.outcome["error"]) == (1, said)
    assert driven.output.endswith(f"ended: {said}\n")


def test_lines_that_are_no_messages_go_to_the_output(drive: Drive) -> None:
    driven = drive(noise="Warning: an older node\x1b[0m")
    assert driven.status == 0
    assert driven.output.startswith("Warning: an older node")


def test_a_program_that_is_not_there(drive: Drive) -> None:
    driven = drive(argv=["/nonexistent/agent"])
    assert driven.status == 1
    assert "No such file or directory: '/nonexistent/agent'" in driven.outcome["error"]
