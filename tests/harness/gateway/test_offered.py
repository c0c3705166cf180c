"""A script's tools by what they do: found among those of any dialect and any agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.dialects import Call
from harness.gateway.models import _offered
from harness.gateway.models._script_file import load_script, script_file
from parsers.registry import lookup

LINE = "echo 'hi' > f"
TEXT = {"type": "string"}


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def call(tools: Any, dialect: str = "chat") -> Call:
    return Call(lookup("harness.gateway.dialects", dialect), {"tools": tools})


def chat(*tools: tuple[str, dict[str, Any]]) -> Call:
    told = [{"name": name, "parameters": parameters} for name, parameters in tools]
    return call([{"type": "function", "function": one} for one in told])


def made(found: Any) -> tuple[str, Any]:
    return found.name, json.loads(found.arguments)


@pytest.mark.parametrize(
    ("offered", "due"),
    [
        (chat(("bash", schema("command", command=TEXT))), ("bash", {"command": LINE})),
        (
            chat(("read", schema(path=TEXT)), ("run_shell", schema("cmd", cmd=TEXT))),
            ("run_shell", {"cmd": LINE}),
        ),
        (
            call([{"type": "function", "name": "exec_command", "parameters": schema(cmd=TEXT)}]),
            ("exec_command", {"cmd": LINE}),
        ),
        (
            call([{"name": "Bash", "input_schema": schema(command=TEXT)}], "messages"),
            ("Bash", {"command": LINE}),
        ),
        (
            chat(("shell", schema(command={"type": "array", "items": TEXT}))),
            ("shell", {"command": ["sh", "-c", LINE]}),
        ),
        (
            chat(
                (
                    "terminal",
                    schema(
                        *("command", "security_risk", "summary", "background"),
                        command=TEXT,
                        security_risk={"type": "string", "enum": ["LOW", "HIGH"]},
                        summary=TEXT,
                        background={"type": "boolean"},
                    ),
                )
            ),
            (
                "terminal",
                {"command": LINE, "security_risk": "LOW", "summary": "hello", "background": False},
            ),
        ),
        (chat(("bash", {"type": "object"})), ("bash", {"command": LINE})),
        (chat(("do_it", schema("command", command=TEXT))), ("do_it", {"command": LINE})),
    ],
)
def test_the_shell_is_found_whatever_it_is_called(offered: Call, due: tuple[str, Any]) -> None:
    assert made(_offered.shell(offered, LINE)) == due


FUNCTION = {"type": "function", "name": "exec_command", "parameters": schema(cmd=TEXT)}
CUSTOM = {"type": "custom", "name": "shell", "description": "runs a command line"}
PROGRAM = {"type": "custom", "name": "exec", "description": "Runs JavaScript."}


def brought_in(*tools: Any, kind: str = "additional_tools") -> Call:
    item = {"type": kind, "tools": list(tools)}
    body = {"input": [item, {"role": "user", "content": "hi"}]}
    return Call(lookup("harness.gateway.dialects", "responses"), body)


def group(*tools: Any) -> dict[str, Any]:
    return {"type": "namespace", "name": "own", "tools": list(tools)}


@pytest.mark.parametrize(
    ("offered", "kind", "namespace", "arguments"),
    [
        (brought_in(FUNCTION), "function", "", f'{{"cmd": "{LINE}"}}'),
        (brought_in(FUNCTION, kind="tool_search_output"), "function", "", f'{{"cmd": "{LINE}"}}'),
        (brought_in(group(FUNCTION)), "function", "own", f'{{"cmd": "{LINE}"}}'),
        (call([group("junk", CUSTOM)], "responses"), "custom", "own", LINE),
        (brought_in(CUSTOM, FUNCTION), "custom", "", LINE),
        (call([{"type": "custom", "custom": CUSTOM}]), "custom", "", LINE),
        (brought_in(PROGRAM, FUNCTION), "function", "", f'{{"cmd": "{LINE}"}}'),
    ],
)
def test_the_shell_is_found_wherever_it_stands(
    offered: Call, kind: str, namespace: str, arguments: str
) -> None:
    made_call = _offered.shell(offered, LINE)
    assert made_call is not None
    assert (made_call.kind, made_call.namespace) == (kind, namespace)
    assert made_call.arguments == arguments


def test_a_tool_for_programs_is_no_shell() -> None:
    assert _offered.shell(brought_in(PROGRAM), LINE) is None


def test_tools_that_items_bring_in_are_on_offer() -> None:
    assert brought_in(group(FUNCTION), CUSTOM).parsed_request.tools == ("exec_command", "shell")


@pytest.mark.parametrize(
    ("name", "kind", "namespace"),
    [("shell", "custom", ""), ("exec_command", "function", "own"), ("other", "function", "")],
)
def test_a_tool_by_name_is_called_as_it_is_offered(name: str, kind: str, namespace: str) -> None:
    made_call = _offered.make_tool_call(brought_in(CUSTOM, group(FUNCTION)), name, "{}")
    assert (made_call.name, made_call.kind, made_call.namespace) == (name, kind, namespace)


EDITOR = ("str_replace_editor", schema("command", command={"type": "string", "enum": ["view"]}))


def test_an_editor_is_no_shell_and_a_shell_before_others() -> None:
    assert _offered.shell(chat(EDITOR), LINE) is None
    other = ("note", schema(input=TEXT))
    bash = ("bash", schema(command=TEXT))
    found = _offered.shell(chat(EDITOR, other, bash), LINE)
    assert found is not None and found.name == "bash"


@pytest.mark.parametrize("name", ["finish", "submit", "Finish"])
def test_the_end_is_found_where_there_is_one(name: str) -> None:
    found = _offered.end(chat(EDITOR, (name, schema("message", message=TEXT))))
    assert made(found) == (name, {"message": "hello"})
    assert _offered.end(chat(EDITOR)) is None


@pytest.mark.slow
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: (
    st.lists(x) | st.dictionaries(st.sampled_from(
        ["function", "name", "parameters", "input_schema", "properties", "required", "command", "type", "enum"]
    ), x))))  # fmt: skip
def test_whatever_is_offered_is_looked_through(tools: Any) -> None:
    for found in (_offered.shell(call(tools), LINE), _offered.end(call([tools]))):
        assert found is None or json.loads(found.arguments) is not None


def test_hello_ships_and_a_file_of_that_name_goes_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_script(script_file("hello")).turns
    assert script_file("nobody") == Path("nobody")
    assert script_file("../scripts/hello") == Path("../scripts/hello")
    Path("hello").write_text("")
    assert not load_script(script_file("hello")).turns


@pytest.mark.parametrize(
    "tool",
    ["", "name = 'a'\nshell = 'b'", "shell = 'b'\nends = true", "ends = true\narguments = {}"],
)
def test_a_tool_is_named_once(tool: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f"[[turns]]\n[[turns.tools]]\n{tool}\n")
    with pytest.raises(ValueError, match=r"s\.toml: turns\.0\.tools\.0"):
        load_script(path)
