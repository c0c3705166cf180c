"""What holds for the file of every real agent, and for declared ones; what they do when run is in the CI run."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.agents._program import AgentProgram, Launch, LaunchSetup
from harness.agents._sealed import difference
from harness.agents._settings import MAX_TRAJECTORY_BYTES, number
from harness.agents.declared import load
from harness.toolbox.recipe import NodeRecipe
from parsers.registry import names

DECLARED = """
name = "mine"
version = "1.0"
wire = "chat"
command = ["{toolbox}/bin/mine", "--task", "{prompt}", "--model={model}", "--in", "{repository}"]
stdin = "{prompt}"
collect = ["log.json"]
trajectory = "log.json"
[environment]
KEY = "{token}"
URL = "{address}/v1"
[files]
"mine.json" = '{"key": "{token}"}'
[recipe]
python = ["mine==1.0"]
[usage]
file = "log.json"
calls = "count"
input_tokens = "calls.*.usage.input"
output_tokens = "calls.-1.usage.output"
"""
TOKEN, ADDRESS, TOOLBOX = "tok-canary", "http://127.0.0.1:18791", Path("/opt/toolbox")
HARD = "-rf $(id) `id` 'a' \"b\" \\n {{ jinja }} {% raw %} {model} {env:HOME} %s\nline two\n\tend"
WEB = re.compile(r"(?i)web_?(search|fetch)|playwright|browser")


def found() -> dict[str, AgentProgram]:
    modules = [
        importlib.import_module(f"harness.agents.{name.replace('-', '_')}")
        for name in names("harness.agents")
    ]
    return {m.__name__.rpartition(".")[2]: m.PROGRAM for m in modules if hasattr(m, "PROGRAM")}


PROGRAMS = found()


@pytest.fixture
def mine(tmp_path: Path) -> AgentProgram:
    return declared(tmp_path, DECLARED)


def declared(folder: Path, text: str) -> AgentProgram:
    path = folder / "mine.toml"
    path.write_text(text)
    return load(path)


def setup(prompt: str = HARD, **more: Any) -> LaunchSetup:
    facts: dict[str, Any] = {
        "toolbox": TOOLBOX,
        "home": "/tmp/.home",
        "repository": "/src/project",
        "prompt": prompt,
        "address": ADDRESS,
        "token": TOKEN,
        "model": "arena-x",
        "calls": 75,
        "usd": 2.0,
        "seconds": 1800.0,
    }
    return LaunchSetup(**{**facts, **more})


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [s for pair in value.items() for part in pair for s in strings(part)]
    if isinstance(value, list):
        return [s for part in value for s in strings(part)]
    return [value] if isinstance(value, str) else []


def texts_told(launch: Launch) -> list[str]:
    """All texts that reach the agent, as it reads them: arguments, input, files parsed by their kind."""
    read = {
        ".json": json.loads,
        ".yaml": yaml.safe_load,
        ".yml": yaml.safe_load,
        ".toml": tomllib.loads,
    }
    texts = [*launch.argv, launch.stdin.decode()]
    for name, content in launch.files.items():
        texts += strings(read.get(Path(name).suffix, str)(content.decode()))
    return texts


def everything(launch: Launch) -> str:
    return "\n".join([*texts_told(launch), *(f"{k}={v}" for k, v in launch.env.items())])


EVERY = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())


def test_the_agents_of_the_design_are_there() -> None:
    listed = {"mini-swe-agent", "aider", "openhands", "openhands-cli", "swe-agent", "codex"}
    assert {p.name for p in PROGRAMS.values()} >= listed | {"opencode", "claude-code"}


def test_names_are_unique_and_those_of_the_files() -> None:
    assert {module.replace("_", "-") for module in PROGRAMS} == {p.name for p in PROGRAMS.values()}


@EVERY
def test_packages_are_pinned(program: AgentProgram) -> None:
    pinned = r".+@\d[\w.-]*" if isinstance(program.recipe, NodeRecipe) else r"[\w-]+==\d[\w.]*"
    assert program.recipe.packages
    for package in program.recipe.packages:
        assert re.fullmatch(pinned, package), package
    own = [p for p in program.recipe.packages if p.endswith(program.version)]
    source = getattr(program.recipe, "source", None)
    assert own or program.version in (source.description if source else "")


@EVERY
def test_the_token_is_in_no_argument(program: AgentProgram) -> None:
    launch = program.launch(setup())
    assert not any(TOKEN in argument for argument in launch.argv)
    assert TOKEN in [*launch.env.values()] or any(
        TOKEN.encode() in f for f in launch.files.values()
    )


@EVERY
def test_the_address_is_told_and_is_the_only_one(program: AgentProgram) -> None:
    launch = program.launch(setup("prompt"))
    code = {name for name in launch.files if name.endswith(".py")}
    plain = Launch(
        launch.argv, launch.env, {k: v for k, v in launch.files.items() if k not in code}
    )
    assert ADDRESS in everything(plain)
    assert not any(ADDRESS in argument for argument in launch.argv)
    assert set(re.findall(r"https?://[^\s\"'/]+", everything(plain))) == {ADDRESS}


@EVERY
def test_what_is_started_lies_in_the_toolbox(program: AgentProgram) -> None:
    launch = program.launch(setup())
    assert Path(launch.argv[0]).is_relative_to(TOOLBOX / "bin")
    known = (TOOLBOX, Path("/tmp/.home"), Path("/src/project"))
    for argument in launch.argv:
        if argument.startswith("/"):
            assert any(Path(argument).is_relative_to(place) for place in known), argument


@EVERY
def test_files_stay_below_home(program: AgentProgram) -> None:
    launch = program.launch(setup())
    for path in (*launch.files, *launch.collect):
        assert not Path(path).is_absolute()
        assert ".." not in Path(path).parts
    assert launch.env["HOME"] == "/tmp/.home"


@pytest.mark.slow
@EVERY
@given(prompt=st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_prompt_is_given_whole(program: AgentProgram, prompt: str) -> None:
    assert prompt in texts_told(program.launch(setup(prompt)))


@EVERY
@pytest.mark.parametrize("prompt", [HARD, "--version", "-", "@file", "x" * 200_000])
def test_a_hard_prompt_is_given_whole_and_is_no_argument(
    program: AgentProgram, prompt: str
) -> None:
    launch = program.launch(setup(prompt))
    assert prompt in texts_told(launch)
    assert not [argument for argument in launch.argv if argument == prompt and prompt != "-"]


@EVERY
def test_caps_are_passed_on_where_it_knows_them(program: AgentProgram) -> None:
    """Aider, Codex and OpenHands' command line have none: there the gateway's alone hold."""
    told = [program.launch(setup(calls=calls)) for calls in (75, 41)]
    assert (told[0] != told[1]) is (program.name not in {"aider", "codex", "openhands-cli"})


@EVERY
def test_nothing_of_the_web_is_left_on(program: AgentProgram) -> None:
    """Each word about the web that an agent is told stands beside its being switched off."""
    launch = program.launch(setup("prompt"))
    texts = [f"{k}={v}" for k, v in launch.env.items()] + list(launch.argv)
    code = {name for name in launch.files if name.endswith(".py")}
    texts += [f.decode() for name, f in launch.files.items() if name not in code]
    for line in "\n".join(texts).splitlines():
        if WEB.search(line):
            assert re.search(r"(?i)disable|disallow|deny|false|\bno-", line), line
    for name in code:
        told = launch.files[name].decode()
        assert "browser" not in told or "enable_browser=False" in told
    assert launch.env["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert launch.env["GIT_CONFIG_VALUE_0"] == "*"


SWITCHED_OFF = {
    "aider": ["--no-analytics", "--no-check-update", "--no-detect-urls", "--disable-playwright"],
    "claude_code": [
        "DISABLE_TELEMETRY=1",
        "DISABLE_UPDATES=1",
        "--disallowedTools=WebFetch,WebSearch",
    ],
    "codex": ["web_search", "disabled", "check_for_update_on_startup"],
    "opencode": ["OPENCODE_DISABLE_AUTOUPDATE=true", "OPENCODE_DISABLE_SHARE=true", "webfetch"],
    "openhands": ["enable_browser=False", "load_public_skills=False"],
}


@pytest.mark.parametrize("module", SWITCHED_OFF)
def test_what_an_agent_does_unasked_is_off(module: str) -> None:
    told = everything(PROGRAMS[module].launch(setup()))
    for switch in SWITCHED_OFF[module]:
        assert switch in told


@pytest.mark.slow
@EVERY
@given(
    content=st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "usage",
                        "messages",
                        "info",
                        "model_stats",
                        "tokens",
                        "part",
                        "type",
                        "extra",
                        "response",
                    ]
                ),
                x,
            )
        ),
    ).map(lambda x: json.dumps(x).encode())
)
def test_told_survives_whatever_is_left(program: AgentProgram, content: bytes) -> None:
    files = dict.fromkeys(program.launch(setup()).collect, content)
    told = program.report(files, content)
    assert all(number(amount) == amount for amount in told.usage.values())
    assert len(told.trajectory) <= MAX_TRAJECTORY_BYTES


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b'{"type":"result","usage":' + b"[" * 100_000,
        b"Tokens: 9" * 100_000,
        b'{"info":{"model_stats":{"api_calls":1e999,"instance_cost":-1}}}',
        b'{"calls":' + b"9" * 10_000 + b"}",
        b"{}\n" * 100_000,
    ],
)
def test_told_survives_what_is_made_to_hurt(program: AgentProgram, content: bytes) -> None:
    files = dict.fromkeys(program.launch(setup()).collect, content)
    assert set(program.report(files, content).usage) <= {
        "calls",
        "input_tokens",
        "output_tokens",
        "usd",
    }


def test_a_long_trajectory_is_cut_and_said_to_be() -> None:
    told = PROGRAMS["openhands_cli"].report({}, b"x" * (MAX_TRAJECTORY_BYTES + 1))
    assert len(told.trajectory) == MAX_TRAJECTORY_BYTES
    assert "cut" in told.note


# What each prints or writes at its end, as seen when it was run: (files, output) -> usage.
LEFT: dict[str, tuple[dict[str, str], str, dict[str, float]]] = {
    "aider": (
        {
            "history.md": "#### do it\n> Tokens: 2.3k sent, 87 received.\n> Tokens: 1,200 sent, 13 received.\n"
        },
        "",
        {"calls": 2, "input_tokens": 3500, "output_tokens": 100},
    ),
    "claude_code": (
        {},
        '{"type":"assistant"}\n{"type":"result","num_turns":2,"total_cost_usd":0.5,"usage":'
        '{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":1,"output_tokens":7}}\n',
        {"calls": 2, "input_tokens": 16, "output_tokens": 7, "usd": 0.5},
    ),
    "codex": (
        {},
        'WARNING: x\n{"type":"turn.completed","usage":{"input_tokens":200,"output_tokens":40}}\n',
        {"input_tokens": 200, "output_tokens": 40},
    ),
    "mini_swe_agent": (
        {
            "trajectory.json": json.dumps(
                {
                    "info": {"model_stats": {"api_calls": 2, "instance_cost": 0.0}},
                    "messages": [
                        {
                            "extra": {
                                "response": {"usage": {"prompt_tokens": 9, "completion_tokens": 3}}
                            }
                        },
                        {},
                    ],
                }
            )
        },
        "",
        {"calls": 2, "usd": 0.0, "input_tokens": 9, "output_tokens": 3},
    ),
    "opencode": (
        {},
        '{"type":"step_finish","part":{"tokens":{"input":100,"output":20},"cost":0}}\n' * 2,
        {"calls": 2, "input_tokens": 200, "output_tokens": 40, "usd": 0},
    ),
    "openhands": (
        {
            "usage.json": '{"calls": 2, "input_tokens": 200, "output_tokens": 40, "usd": 0.0, "status": "finished"}'
        },
        "",
        {"calls": 2, "input_tokens": 200, "output_tokens": 40, "usd": 0.0},
    ),
    "openhands_cli": ({}, '{"kind": "MessageEvent"}\n', {}),
    "swe_agent": (
        {
            "out/task/task.traj": '{"info": {"model_stats": {"api_calls": 3, "tokens_sent": 504, "tokens_received": 11, "instance_cost": 0}}}'
        },
        "",
        {"calls": 3, "input_tokens": 504, "output_tokens": 11, "usd": 0},
    ),
}


@EVERY
def test_its_own_claim_is_read(program: AgentProgram) -> None:
    files, output, usage = LEFT[program.name.replace("-", "_")]
    assert set(files) <= set(program.launch(setup()).collect)
    told = program.report({name: text.encode() for name, text in files.items()}, output.encode())
    assert dict(told.usage) == usage


@EVERY
@pytest.mark.parametrize("amount", [f"{10**400}", f"-{10**400}", "1e400", "NaN", "-Infinity", "-1"])
def test_claims_that_are_no_amounts_are_ignored(program: AgentProgram, amount: str) -> None:
    files, output, _ = LEFT[program.name.replace("-", "_")]
    absurd = [re.sub(r"\d+(\.\d+)?", amount, text) for text in (output, *files.values())]
    left = {name: text.encode() for name, text in zip(files, absurd[1:], strict=True)}
    told = program.report(left, absurd[0].encode())
    assert set(told.usage) <= {"calls"}, "a number of lines, which are there"
    assert difference({"usd": json.loads(amount), "calls": 3}, {"usd": 1.0, "calls": 1}) == {"calls": 2}  # fmt: skip


# declared ones
