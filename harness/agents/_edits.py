"""What a step of an agent changes in files, as diffs, where its form shows it: edit tools, Aider's blocks.

A shell command shows nothing of it. A model that edits by text has no line numbers, so there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Characters of one diff.
MAX_DIFF_CHARACTERS = 1 << 16
MAX_DIFFS = 100
PATHS = ("path", "file_path", "filePath")
# Arguments of the editors of OpenHands and SWE-agent, of Claude Code, and of opencode.
REPLACED = (("old_str", "new_str"), ("old_string", "new_string"), ("oldString", "newString"))
WHOLE = ("file_text", "content")
INSERTED = ("insert_text", "new_str")
# How the input of Codex' `apply_patch` begins.
PATCH = "*** Begin Patch"
# The lines around the two halves of a block of Aider's.
MARKS = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")


def diffs_of(message: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """The edits of a step, in their order. calls: as `tool_calls` of a trajectory."""
    diffs = [diff for call in calls for diff in _edits_of_call(call["arguments"])]
    diffs += _edits_of_blocks(message.split("\n"))
    return [diff[:MAX_DIFF_CHARACTERS] for diff in diffs[:MAX_DIFFS]]


def _edits_of_call(arguments: Mapping[str, Any]) -> Iterator[str]:
    for text in arguments.values():
        if isinstance(text, str) and text.lstrip().startswith(PATCH):
            yield text
    path = next((p for name in PATHS if isinstance(p := arguments.get(name), str)), None)
    if path is None:
        return
    for place in (arguments, *_mappings_in(arguments.get("edits"))):
        for old, new in REPLACED:
            if isinstance(place.get(old), str) and isinstance(place.get(new), str):
                yield _diff(path, place[old], place[new])
    if arguments.get("command") == "insert" or "insert_line" in arguments:
        yield from (_diff(path, "", text) for text in _texts(arguments, INSERTED))
    elif arguments.get("command") in (None, "create"):
        yield from (_diff(path, "", text) for text in _texts(arguments, WHOLE))


def _edits_of_blocks(lines: Sequence[str]) -> Iterator[str]:
    """A block names its file above the fence that it stands in."""
    path, half = "", -1
    halves: tuple[list[str], list[str]] = ([], [])
    for number, line in enumerate(lines):
        if line == MARKS[0]:
            path, halves, half = lines[max(0, number - 2)].strip(), ([], []), 0
        elif half == 0 and line == MARKS[1]:
            half = 1
        elif half == 1 and line == MARKS[2]:
            yield _diff(path, "\n".join(halves[0]), "\n".join(halves[1]))
            half = -1
        elif half >= 0:
            halves[half].append(line)


def _mappings_in(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _texts(arguments: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [text for name in names if isinstance(text := arguments.get(name), str)][:1]


def _diff(path: str, old: str, new: str) -> str:
    lines = [f"--- a/{path.lstrip('/')}", f"+++ b/{path.lstrip('/')}", "@@ ... @@"]
    lines += [f"-{line}" for line in old.splitlines()]
    return "\n".join([*lines, *(f"+{line}" for line in new.splitlines())]) + "\n"
