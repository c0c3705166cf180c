"""Scripts in files: what is wrong in one, and what the document shows."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from harness.gateway.models import ProviderFault
from harness.gateway.models._script_file import ScriptFile, ScriptRule, ScriptTurn
from harness.gateway.models.script import KINDS, Script
from parsers.registry import lookup
from tests.harness.gateway.test_script import DOCS, TOOLS, call, replies, script, texts


def opened(path: Path) -> Script:
    model: Script = lookup("harness.gateway.models", "script")(str(path))
    return model


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.toml", b"turns = 5", r"a\.toml: turns: Input should be a valid tuple"),
        (
            "a.toml",
            b"[[turns]]\ntxt = 'x'",
            r"a\.toml: turns\.0\.txt: no such field; did you mean 'text'",
        ),
        (
            "a.toml",
            b"[[turns]]\nshell = 'make'",
            r"a\.toml: turns\.0\.shell: no such field; it belongs into 'tools'; known: ",
        ),
        ("a.toml", b"[[turns]]\nfault = '418'", r"a\.toml: turns\.0\.fault: Input should be '429'"),
        ("a.toml", b"[[turns]]\nwait = inf", r"turns\.0\.wait: Input should be"),
        ("a.toml", b"[[turns]]\nwait = -1", r"turns\.0\.wait: Input should be greater"),
        ("a.toml", b"[[turns]]\nraw = true", r"turns\.0: raw is for a fault"),
        (
            "a.toml",
            b"[[turns]]\ntools = [{arguments = '{}'}]",
            r"turns\.0\.tools\.0: needs one of name",
        ),
        (
            "a.toml",
            b"[[turns]]\ntools = [{name = 'x', arguments = {a = 2026-01-01}}]",
            r"turns\.0\.tools\.0\.arguments.*: cannot be written as JSON",
        ),
        (
            "a.toml",
            b"[[turns]]\ntokens = {input = 1, cached = 2}",
            r"tokens: cached and",
        ),
        (
            "a.toml",
            b"[[turns]]\ntokens = {output = 1, reasoning = 2}",
            r"tokens: reason",
        ),
        (
            "a.toml",
            b"[[rules]]\nmatch = '('",
            r"rules\.0\.match: no regular expression",
        ),
        (
            "a.toml",
            b"[[rules]]\ntext = 'x'",
            r"rules\.0: needs match, system or offered",
        ),
        ("a.toml", b"then = 'repeat'", r"script: then = \"repeat\" needs a turn"),
        ("a.toml", b"[[turns]", r"a\.toml: not TOML"),
        ("a.toml", b"\xff", r"a\.toml: not TOML"),
        ("a.json", b"[1", r"a\.json: not JSON"),
        ("a.json", b"[" * 100_000, r"a\.json: not JSON"),
        ("a.json", b"[]", r"a\.json: script: Input should be"),
    ],
)
def test_mistakes_in_a_file(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        opened(tmp_path / name)
    assert "\n" not in str(raised.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.toml: No such file"):
        opened(tmp_path / "none.toml")


def test_json_says_the_same_as_toml(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"turns": [{"text": "a", "tools": [{"name": "t", "arguments": {"k": 1}}]}]}')
    (said,) = replies(opened(path), call())
    assert (said.text, said.tool_calls[0].arguments) == ("a", '{"k": 1}')


# the document


def examples() -> list[str]:
    return re.findall(r"^```toml\n(.*?)^```$", DOCS.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_examples_of_the_document_play() -> None:
    hello, shells, rules, fault = examples()
    first, second, third = replies(script(hello), *[call()] * 3)
    assert (first.text, first.tool_calls[0].name) == ("I look around.", "bash")
    assert (second.text, third.text) == ("There is nothing to do.", "Done.")
    offered = {"tools": TOOLS["chat"]}
    command = {"type": "object", "properties": {"command": {"type": "string"}}}
    bash = {"type": "function", "function": {"name": "bash", "parameters": command}}
    (building,) = replies(script(shells), call(tools=[bash]))
    assert [tool.name for tool in building.tool_calls] == ["bash", "bash"]
    calls = (call(), call(**offered), call(said="error: x undeclared", **offered), call(**offered))
    said = ["A title", "I compile.", "I forgot the header.", "It is done."]
    assert texts(script(rules), *calls) == said
    with pytest.raises(ProviderFault):
        asyncio.run(script(fault).answer(call()))


def test_every_field_and_fault_is_in_the_document() -> None:
    cells = re.findall(r"^\| (.+?) \|", DOCS.read_text(), re.MULTILINE)
    listed = {name.strip('"') for cell in cells for name in re.findall(r"`(.+?)`", cell)}
    fields = {*ScriptFile.model_fields, *ScriptTurn.model_fields, *ScriptRule.model_fields}
    assert listed == fields | set(KINDS)
