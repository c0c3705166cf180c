"""Suites that somebody brings: folders and lines, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.protocols import Answers
from arena.store.model import AttemptKey
from arena.tracks.choices import ANSWERS
from arena.tracks.mutation.answers import read_suites
from tests.arena.mutation.stand_in import TESTS, program

PROGRAMS = {name: program(name) for name in "abc"}


def told(found: Answers) -> dict[str, tuple[bytes, str]]:
    return {key.task: (one.patch, one.note.get("state", "valid")) for key, one in found.found}


def test_a_folder_of_suites(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(TESTS, "utf-8")
    (tmp_path / "stranger.py").write_text("", "utf-8")
    found = read_suites(tmp_path, PROGRAMS)
    assert told(found) == {
        "a": (b"", "missing"), "b": (TESTS.encode(), "valid"), "c": (b"", "missing")
    }  # fmt: skip
    assert {key.column for key, _ in found.found} == {f"{ANSWERS} {tmp_path.name}"}
    assert len(found.problems) == 1 and "stranger" in found.problems[0]


LINES: list[tuple[str, str]] = [
    ('{"id": "a", "tests": "def test_a(): pass"}', ""),
    ('{"id": "a", "tests": "x = 1", "sample": 1, "prompt": "full", "model": "m"}', ""),
    ('{"id": "a", "tests": "x = 2"}', "twice"),
    ('{"id": "zz", "tests": "x"}', "no program 'zz'"),
    ('{"tests": "x"}', "id: missing"),
    ('{"id": "b"}', "tests: missing, and there is no reply"),
    ('{"id": "b", "tests": 3}', "tests: a text is expected"),
    ('{"id": "b", "tests": "x", "sample": "1"}', "sample: a whole number"),
    ("[1]", "an object is expected"),
    ("{", "line 10"),
    ("[" * 50_000, "recursion"),
]


def test_lines_of_suites_are_read_or_named(tmp_path: Path) -> None:
    path = tmp_path / "suites.jsonl"
    path.write_text("\n".join(line for line, _ in LINES) + "\n\n", "utf-8")
    found = read_suites(path, PROGRAMS)
    expected = [mistake for _, mistake in LINES if mistake]
    assert len(found.problems) == len(expected)
    for problem, mistake in zip(found.problems, expected, strict=True):
        assert mistake in problem and "\n" not in problem
    own = [(key, one.patch) for key, one in found.found if one.patch]
    assert own == [
        (AttemptKey("a", ANSWERS, "m", "full", 1), b"x = 1"),
        (AttemptKey("a", ANSWERS, "suites"), b"def test_a(): pass"),
    ]
    missing = {(key.task, key.column) for key, one in found.found if not one.patch}
    assert missing == {(id_, f"answers {who}") for id_ in "bc" for who in ("suites", "m (full)")}


REPLIES: dict[str, tuple[str, str]] = {
    "a": ("Here:\n```python\ndef test_a():\n    assert find('x')\n```\n", "ok"),
    "b": ("I cannot help with that.", "refused"),
    "c": ("```javascript\ntest('a', () => {});\n```", "other-language"),
}


def test_suites_are_taken_out_of_replies(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    lines = (json.dumps({"id": id_, "reply": reply}) for id_, (reply, _) in REPLIES.items())
    path.write_text("\n".join(lines), "utf-8")
    found = told(read_suites(path, PROGRAMS))
    assert {id_: state for id_, (_, state) in found.items()} == {
        id_: state for id_, (_, state) in REPLIES.items()
    }
    assert found["a"][0].startswith(b"def test_a")


@pytest.mark.parametrize("text", [None, "", "{}\n"])
def test_a_place_without_suites_is_a_mistake(text: Any, tmp_path: Path) -> None:
    path = tmp_path if text is None else tmp_path / "suites.jsonl"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match="neither a folder"):
        read_suites(path, PROGRAMS)
