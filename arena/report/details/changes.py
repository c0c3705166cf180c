"""The patch of an attempt: its text, and where files and hunks are in it."""

from __future__ import annotations

from typing import Any

from arena.report.details.bounds import clean
from arena.report.details.colours import colour_patch, colour_program
from parsers.patch import FileChange, hazards, parse_patch

# Bytes of a patch or a program that are shown; the whole is an artefact.
LONGEST = 1 << 20
MAX_FILES = 300
MAX_HUNKS = 2_000


def shown_patch(data: bytes) -> dict[str, Any]:
    """{"text", "bytes", "cut", "problems", "hazards", "files", "more_files", "colours"}.

    bytes: of the whole; cut: bytes that are not in `text`, which ends with a whole line where it is cut.
    A file's hunks are numbers: `at` is the index of its header among the lines of `text` (split at LF),
    `lines` how many lines after it are its content, `old` and `new` the numbers of its first lines.
    """
    whole = _cut_to_lines(data)
    facts = parse_patch(whole)
    left = MAX_HUNKS
    files = []
    for change in facts.files[:MAX_FILES]:
        files.append(_file(change, left))
        left -= len(files[-1]["hunks"])
    text = whole.decode("utf-8", "replace")
    return {
        "text": text,
        "bytes": len(data),
        "cut": len(data) - len(whole),
        "problems": [clean(problem) for problem in facts.problems],
        "hazards": [clean(hazard) for hazard in hazards(facts)],
        "files": files,
        "more_files": max(0, len(facts.files) - MAX_FILES),
        "colours": colour_patch(text, files),
    }


def shown_program(data: bytes, language: str) -> dict[str, Any]:
    """{"text", "bytes", "cut", "colours"}: a program or a suite, as `shown_patch` shows its text."""
    whole = _cut_to_lines(data)
    text = whole.decode("utf-8", "replace")
    output = {"text": text, "bytes": len(data), "cut": len(data) - len(whole)}
    return output | {"colours": colour_program(text, language)}


def _cut_to_lines(data: bytes) -> bytes:
    if len(data) <= LONGEST:
        return data
    # The latter if the first line alone is too long.
    return data[: data.rfind(b"\n", 0, LONGEST) + 1] or data[:LONGEST]


def _file(change: FileChange, max_hunks: int) -> dict[str, Any]:
    hunks = change.hunks[: max(0, max_hunks)]
    return {
        "old": None if change.old is None else clean(change.old),
        "new": None if change.new is None else clean(change.new),
        "status": change.status,
        "binary": change.binary,
        "modes": [change.old_mode, change.new_mode],
        "added": len(change.added),
        "deleted": len(change.deleted),
        "hunks": [
            {"at": hunk.at - 1, "lines": hunk.lines, "old": hunk.old, "new": hunk.new}
            for hunk in hunks
        ],
        "more_hunks": len(change.hunks) - len(hunks),
    }
