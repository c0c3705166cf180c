"""Agents by names of a user's own, and with settings that are part of their key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from arena.cli.main import app
from arena.store.model import AttemptKey
from harness.agents._make import make_agent
from harness.agents._named import Settings, expect_told_apart, read_agent
from harness.agents._program import LaunchSetup
from harness.agents._sealed import Sealed
from harness.agents.command import ShellCommand
from harness.protocols import Budget
from harness.user_names import display_name, strip_name
from parsers.registry import UnknownName
from tasks.loader import Task

NO_TASK = cast(Task, None)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("cool.toml")
    path.write_text("temperature = 0.7\ncalls = 5\ntemplate = 'First: {instruction} Then: stop.'\n")
    return path


def test_a_name_is_what_tables_show_and_the_rest_is_made() -> None:
    made = make_agent("tidy=command:A=1; sed -i s/a@b/c/ f", NO_TASK)
    assert isinstance(made, ShellCommand) and made.line == "A=1; sed -i s/a@b/c/ f"
    assert AttemptKey("t", "tidy=command:A=1", "m/x").column == "tidy m/x"
    assert AttemptKey("t", "command:A=1").column == "command:A=1"
    assert strip_name("tidy=command:A=1") == "command:A=1" == strip_name("command:A=1")


@pytest.mark.parametrize(
    "text", ["command:A=1", "pkg.mod:Class", "gold", "declared:a=b/c.toml", "=x", "x="]
)
def test_what_is_no_name_is_left_as_it_is(text: str) -> None:
    assert display_name(text) == text and read_agent(text).kind == text


def test_settings_are_part_of_the_key_and_cannot_change_under_it(file: Path) -> None:
    first = read_agent("cool=codex@cool.toml")
    assert first.key.startswith("cool=codex@cool.toml#") and display_name(first.key) == "cool"
    assert read_agent(first.key) == first
    file.write_text("temperature = 0.8\n")
    assert read_agent("cool=codex@cool.toml").key != first.key
    with pytest.raises(ValueError, match=r"'cool': cool\.toml has changed since the run was made"):
        make_agent(first.key, NO_TASK)


def test_settings_reach_the_agent(file: Path) -> None:
    made = make_agent("codex@cool.toml", NO_TASK)
    assert isinstance(made, Sealed)
    assert made.settings.render_instruction("Do it.") == "First: Do it. Then: stop."
    assert made._budget(Budget(calls=75)).calls == 5 and made._budget(Budget(calls=3)).calls == 3


@pytest.mark.parametrize("name", ["mini-swe-agent", "swe-agent", "claude-code"])
def test_a_system_prompt_reaches_those_that_take_one(name: str, file: Path) -> None:
    file.write_text("system = 'Be {{ careful }} \"always\"'\n")
    made = make_agent(f"{name}@cool.toml", NO_TASK)
    assert isinstance(made, Sealed)
    told: dict[str, Any] = {"calls": 1, "usd": 1.0, "seconds": 1.0, "system": made.settings.system}
    places = dict.fromkeys(("home", "repository", "prompt", "address", "token", "model"), "/x")
    launch = made.program.launch(LaunchSetup(Path("/t"), **places, **told))
    everything = " ".join([*launch.argv, *(f.decode() for f in launch.files.values())])
    assert "careful" in everything and "always" in everything
    with pytest.raises(ValueError, match="'aider': system: it takes no system prompt"):
        make_agent("aider@cool.toml", NO_TASK)


TOOLS = {"openhands": "terminal", "swe-agent": "bash", "claude-code": "Bash", "opencode": "bash"}


@pytest.mark.parametrize("name", TOOLS)
def test_a_choice_of_tools_reaches_those_that_have_one(name: str, file: Path) -> None:
    def launched(content: str) -> str:
        file.write_text(content)
        made = make_agent(f"{name}@cool.toml", NO_TASK)
        assert isinstance(made, Sealed)
        places = dict.fromkeys(("home", "repository", "prompt", "address", "token", "model"), "/x")
        told: dict[str, Any] = {"calls": 1, "usd": 1.0, "seconds": 1.0}
        setup = LaunchSetup(Path("/t"), **places, **told, tools=made.settings.tools)
        launch = made.program.launch(setup)
        files = (text.decode() for path, text in launch.files.items() if path != "driver.py")
        return " ".join([*launch.argv, *files])

    one, all_ = launched(f"tools = ['{TOOLS[name]}']"), launched("calls = 1")
    assert one != all_
    if name == "openhands":
        assert json.loads(one[one.index("{") : one.rindex("}") + 1])["tools"] == ["terminal"]
    if name == "swe-agent":
        assert "edit_anthropic" in all_ and "edit_anthropic" not in one
    if name == "claude-code":
        assert "--tools=Bash" in one.split()
    if name == "opencode":
        assert '"edit": false' in one and '"bash": false' not in one and '"edit": false' not in all_
    with pytest.raises(
        ValueError, match=f"'{name}': tools: no tool 'magic'; known: .*{TOOLS[name]}"
    ):
        launched("tools = ['magic']")
    with pytest.raises(ValueError, match="'aider': tools: it has no choice"):
        make_agent("aider@cool.toml", NO_TASK)


def test_an_agent_that_there_is_no_more_is_told_with_the_one_to_take() -> None:
    done = CliRunner().invoke(app, ["agents", "install", "openhands-ai"])
    with pytest.raises(UnknownName) as caught:
        make_agent("openhands-ai", NO_TASK)
    for said in (str(done.exception), str(caught.value)):
        assert "take openhands" in said and "openhands-cli" in said and "\n" not in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("speed = 1", r"cool\.toml: speed: .*known: calls, system, temperature, template, tools"),
        ("temperature = 9", r"cool\.toml: temperature: "),
        ("template = 'none'", r"cool\.toml: template: .*holds \{instruction\} once"),
        ("calls = 0", r"cool\.toml: calls: "),
        ("= 1", r"cool\.toml: not TOML"),
    ],
)
def test_a_mistake_in_settings_is_one_line(content: str, said: str, file: Path) -> None:
    file.write_text(content)
    with pytest.raises(ValueError, match=said) as caught:
        make_agent("codex@cool.toml", NO_TASK)
    assert "\n" not in str(caught.value)


def test_settings_that_nobody_takes_or_that_are_not_there(file: Path) -> None:
    with pytest.raises(ValueError, match="'gold' takes no settings"):
        make_agent("gold@cool.toml", cast(Task, object()))
    with pytest.raises(ValueError, match=r"none\.toml: No such file"):
        make_agent("codex@none.toml", NO_TASK)


def test_two_agents_of_one_name_are_refused(file: Path) -> None:
    agents = [read_agent(text) for text in ("a=command:x", "a=command:y", "b=command:x")]
    expect_told_apart([agents[0], agents[0], agents[2]])
    with pytest.raises(ValueError, match="'a' is the name of another one"):
        expect_told_apart(agents)


@pytest.mark.slow
@given(st.text())
def test_any_text_is_shown_and_any_instruction_is_worded_once(text: str) -> None:
    assert display_name(text) in text
    assert Settings(template="a{instruction}b").render_instruction(text) == f"a{text}b"
