"""`acp:COMMAND`: which program it is, how it is started, and what it says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.cli.agents import find_program
from harness.agents._make import make_agent
from harness.agents._sealed import Sealed
from harness.agents.acp import AcpProgram, read_command
from harness.agents.declared import open_declared
from harness.agents.opencode import PROGRAM as OPENCODE
from tasks.loader import load_pack
from tests.harness.agents.test_programs import DECLARED, setup
from tests.mini import Mini


def test_an_installed_agent_keeps_its_toolbox_and_settings() -> None:
    program = read_command("opencode acp --print-logs")
    plain, launch = OPENCODE.launch(setup()), program.launch(setup(python="/opt/py/bin/python"))
    assert (program.name, program.version, program.recipe) == (
        "opencode",
        OPENCODE.version,
        OPENCODE.recipe,
    )
    assert launch.argv == (
        "/opt/py/bin/python",
        *("-I", "-S", "/tmp/.home/acp_driver.py", "/tmp/.home/acp.json"),
    )
    assert json.loads(launch.files["acp.json"]) == {
        "argv": ["/opt/toolbox/bin/opencode", "acp", "--print-logs"],
        "cwd": "/src/project",
        "prompt": "/tmp/.home/acp-prompt.md",
        "updates": "/tmp/.home/updates.jsonl",
        "outcome": "/tmp/.home/outcome.json",
    }
    assert launch.files["opencode.json"] == plain.files["opencode.json"]
    assert (launch.env, launch.stdin) == (plain.env, b"")
    assert launch.files["acp-prompt.md"].decode() == setup().prompt
    assert launch.facts == {
        "protocol": "acp",
        "command": "/opt/toolbox/bin/opencode acp --print-logs",
    }


def test_a_program_of_the_image_gets_the_usual_variables() -> None:
    program = read_command("/usr/bin/my-agent --acp 'a b'")
    launch = program.launch(setup())
    argv = json.loads(launch.files["acp.json"])["argv"]
    assert argv == ["/usr/bin/my-agent", "--acp", "a b"]
    assert launch.env["OPENAI_BASE_URL"] == f"{setup().address}/v1"
    assert launch.env["ANTHROPIC_BASE_URL"] == setup().address
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LLM_API_KEY"):
        assert launch.env[name] == setup().token
    assert setup().token not in repr(launch.argv) + str(launch.facts)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("", "needs a command: acp:COMMAND"),
        ("'open", "No closing quotation"),
        ("nobody acp", "'nobody' is no installed agent and no absolute path; others are declared"),
        ("gold", "'gold' is no program with a toolbox"),
        ("command ls", "'command' is no program with a toolbox"),
    ],
)
def test_a_command_that_means_no_program(command: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_command(command)


def test_it_is_installed_as_the_agent_that_it_names() -> None:
    program = find_program("acp:opencode acp")
    assert (program.name, program.recipe) == ("opencode", OPENCODE.recipe)
    assert find_program("acp:/usr/bin/x").name == "acp"


def test_it_is_made_by_its_name(mini: Mini) -> None:
    agent = make_agent("mine=acp:opencode acp", load_pack(mini.folder).tasks[0])
    assert isinstance(agent, Sealed) and isinstance(agent.program, AcpProgram)


def test_a_declaration_names_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(f'protocol = "acp"\n{DECLARED}')
    agent = open_declared(str(tmp_path / "mine.toml"))
    assert isinstance(agent, Sealed) and isinstance(agent.program, AcpProgram)
    launch = agent.program.launch(setup())
    assert json.loads(launch.files["acp.json"])["argv"][0] == "/opt/toolbox/bin/mine"
    assert launch.files["mine.json"] and launch.collect[-2:] == ("updates.jsonl", "outcome.json")
    (tmp_path / "mine.toml").write_text(f'protocol = "lsp"\n{DECLARED}')
    with pytest.raises(ValueError, match="protocol: Input should be '' or 'acp'"):
        open_declared(str(tmp_path / "mine.toml"))


def test_its_updates_are_the_trajectory_and_its_counts_are_claims() -> None:
    updates = b"".join(
        json.dumps({"at": 1.5, "update": update}).encode() + b"\n"
        for update in (
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}},
            {"sessionUpdate": "usage_update", "cost": {"amount": 0.25, "currency": "USD"}},
            {"sessionUpdate": "usage_update", "cost": {"amount": 0.5, "currency": "USD"}},
            {"sessionUpdate": "usage_update", "cost": {"amount": 9, "currency": "EUR"}},
        )
    )
    outcome = {"stop_reason": "end_turn", "usage": {"inputTokens": 7, "outputTokens": 2}}
    files = {"updates.jsonl": updates, "outcome.json": json.dumps(outcome).encode()}
    told = read_command("opencode acp").report(files, b"")
    assert told.trajectory == updates and told.note == "end_turn"
    assert told.usage == {"input_tokens": 7, "output_tokens": 2, "usd": 0.5}


@pytest.mark.parametrize("outcome", [b"", b"[]", b'{"usage": 7, "error": "x"}', b"\xff{"])
def test_what_it_leaves_may_be_anything(outcome: bytes) -> None:
    files = {"updates.jsonl": b'{"update": 7}\n[]\n', "outcome.json": outcome}
    told = read_command("opencode acp").report(files, b"")
    assert told.usage == {} and told.trajectory == b'{"update": 7}\n[]\n'
