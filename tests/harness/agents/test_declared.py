"""Programs that a user declares in a file."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents._declaration import PLACEHOLDER, values_at
from harness.agents._named import Settings
from harness.agents._program import AgentProgram
from harness.agents.declared import load
from tests.harness.agents.test_programs import (
    ADDRESS,
    DECLARED,
    HARD,
    TOKEN,
    declared,
    mine,
    setup,
)

__all__ = ["mine"]  # a fixture, which tests take by its name


def test_a_declared_program_is_as_any_other(mine: AgentProgram) -> None:
    launch = mine.launch(setup())
    assert launch.argv == (
        "/opt/toolbox/bin/mine", "--task", HARD, "--model=arena-x", "--in", "/src/project",
    )  # fmt: skip
    assert launch.stdin.decode() == HARD
    assert launch.env["KEY"] == TOKEN
    assert launch.env["URL"] == f"{ADDRESS}/v1"
    assert launch.files["mine.json"] == b'{"key": "tok-canary"}'
    assert mine.recipe.packages == ("mine==1.0",)


def test_a_value_is_never_taken_for_a_placeholder(mine: AgentProgram) -> None:
    assert mine.launch(setup("{token} {home}")).argv[2] == "{token} {home}"


def test_a_declared_claim_is_read(mine: AgentProgram) -> None:
    log = {"count": 2, "calls": [{"usage": {"input": 3}}, {"usage": {"input": 4, "output": 5}}]}
    told = mine.report({"log.json": json.dumps(log).encode()}, b"")
    assert dict(told.usage) == {"calls": 2, "input_tokens": 7, "output_tokens": 5}
    assert json.loads(told.trajectory) == log


def test_a_declared_claim_by_lines(tmp_path: Path) -> None:
    text = DECLARED.replace('file = "log.json"', "lines = true").replace("calls.*", "*")
    told = declared(tmp_path, text).report(
        {}, b'noise\n{"usage": {"input": 3}}\n{"usage": {"input": 4}}\n'
    )
    assert told.usage["input_tokens"] == 7


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"{prompt}", "--model', '"{token}", "--model', "command: .*token"),
        (
            '"{prompt}", "--model',
            '"{nonsense}", "--model',
            "command: .*unknown placeholder {nonsense}",
        ),
        ('"{toolbox}/bin/mine"', '"bin/mine"', "command: .*absolute"),
        ('version = "1.0"', "", "version: .*required"),
        ('wire = "chat"', 'wire = "morse"', "wire: "),
        ('"mine==1.0"', '"mine"', "recipe: .*pinned"),
        ('collect = ["log.json"]', 'collect = ["../log.json"]', "collect: .*below"),
        ('"mine.json" =', '"/etc/mine" =', "files: .*below"),
        ('name = "mine"', 'name = "Mine!"', "name: "),
        ('name = "mine"', "name = ", "not TOML"),
        ("[usage]", "[usages]", "usages: "),
    ],
)
def test_a_wrong_declaration_is_told_in_one_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in DECLARED
    with pytest.raises(ValueError, match=rf"mine\.toml: {said}") as raised:
        declared(tmp_path, DECLARED.replace(old, new, 1))
    assert "\n" not in str(raised.value)


def test_a_missing_declaration_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.toml: No such file"):
        load(tmp_path / "none.toml")


@pytest.mark.slow
@given(
    content=st.recursive(
        st.none() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.sampled_from("abc"), x),
    ),
    path=st.lists(st.sampled_from(["a", "b", "*", "0", "-1", "²", "9" * 30])).map(".".join),
)
def test_any_path_in_any_content_leads_somewhere_or_nowhere(content: Any, path: str) -> None:
    assert isinstance(list(values_at(content, path)), list)


def test_what_the_documents_declare_and_set_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/agents.md").read_text()
    shown = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    settings = [text for text in shown if "wire" not in text]
    declarations = [text for text in shown if "wire" in text]
    assert settings and declarations
    for text in settings:
        assert Settings.model_validate(tomllib.loads(text)).system
    for text in declarations:
        launch = declared(tmp_path, text).launch(setup())
        assert not PLACEHOLDER.search(" ".join(launch.env.values()))
