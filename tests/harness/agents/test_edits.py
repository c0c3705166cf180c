"""The edits of a step as diffs, in the form of each agent that has one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents._atif import to_atif
from harness.agents._edits import MAX_DIFF_CHARACTERS, MAX_DIFFS, diffs_of
from harness.gateway.neutral import Reply, ToolCall
from harness.gateway.record import Recorded, RecordedCall
from parsers.registry import lookup
from tests.harness.agents.atif_format import check_trajectory

DIFF = "--- a/src/a.c\n+++ b/src/a.c\n@@ ... @@\n-int a;\n+int b;\n+int c;\n"
NEW = "--- a/src/a.c\n+++ b/src/a.c\n@@ ... @@\n+int b;\n"
OLD_TEXT, NEW_TEXT = "int a;", "int b;\nint c;"
PATCH = "*** Begin Patch\n*** Update File: a.c\n*** End Patch"
AIDER = "Like this:\n\nsrc/a.c\n```c\n<<<<<<< SEARCH\nint a;\n=======\nint b;\nint c;\n>>>>>>> REPLACE\n```\n"
CALLS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "openhands, swe-agent": (
        {"command": "str_replace", "path": "/src/a.c", "old_str": OLD_TEXT, "new_str": NEW_TEXT},
        [DIFF],
    ),
    "created": ({"command": "create", "path": "src/a.c", "file_text": "int b;\n"}, [NEW]),
    "inserted": (
        {"command": "insert", "path": "src/a.c", "insert_line": 3, "new_str": "int b;"},
        [NEW],
    ),
    "claude-code": (
        {"file_path": "/src/a.c", "old_string": OLD_TEXT, "new_string": NEW_TEXT},
        [DIFF],
    ),
    "opencode": ({"filePath": "src/a.c", "oldString": OLD_TEXT, "newString": NEW_TEXT}, [DIFF]),
    "written": ({"file_path": "src/a.c", "content": "int b;"}, [NEW]),
    "codex": ({"raw": PATCH}, [PATCH]),
    "read": ({"command": "view", "path": "src/a.c"}, []),
    "shell": ({"command": "sed -i s/a/b/ src/a.c"}, []),
}


@pytest.mark.parametrize("form", CALLS)
def test_an_edit_is_told_as_a_diff(form: str) -> None:
    arguments, due = CALLS[form]
    assert diffs_of("I edit.", [{"arguments": arguments}]) == due


def test_a_trajectory_holds_the_edits_and_the_reason_to_finish() -> None:
    chat = lookup("harness.gateway.dialects", "chat")
    body = {"model": "m", "messages": [{"role": "user", "content": "Do it."}]}
    edit = ToolCall("c0", "edit", json.dumps(CALLS["claude-code"][0]))
    answers = [Reply("", (edit,)), Reply(AIDER)]
    calls = tuple(
        RecordedCall(n, "chat", body, chat.render(reply, "m", n), 200, answered=True)
        for n, reply in enumerate(answers)
    )
    made = to_atif(Recorded(calls), agent="a", version="1", model="m", session="s")
    check_trajectory(made)
    told = [one for one in (made, *made.get("subagent_trajectories", [])) for one in one["steps"]]
    extras = [step["extra"] for step in told if step["source"] == "agent"]
    assert [extra["diffs"] for extra in extras] == [[DIFF], [DIFF]]
    assert [extra["finish_reason"] for extra in extras] == ["tool_calls", "stop"]


JSON = st.recursive(st.none() | st.integers() | st.text(), lambda one: st.lists(one), max_leaves=5)
NAMES = st.sampled_from([*"abc", "path", "file_path", "old_str", "new_str", "edits", "content"])


@pytest.mark.slow
@given(st.text(), st.lists(st.dictionaries(NAMES, JSON), max_size=4))
def test_any_arguments_can_be_read(message: str, arguments: list[dict[str, Any]]) -> None:
    found = diffs_of(message, [{"arguments": one} for one in arguments])
    assert len(found) <= MAX_DIFFS and all(len(diff) <= MAX_DIFF_CHARACTERS for diff in found)
