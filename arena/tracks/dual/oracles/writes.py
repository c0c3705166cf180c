"""A file as the program left it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from arena.tracks.dual.oracles import _parameters
from arena.tracks.dual.oracles._changes import absolute
from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    a_file,
    call_step,
    example,
    make_observation,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import brief, search
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, run_oracle
from arena.tracks.dual.oracles.prints import json_differs, text_differs
from arena.tracks.dual.runner.observation import FileObservation
from arena.tracks.dual.runner.tree import MAX_CONTENT


def _text(expected: Any, file: FileObservation) -> str:
    if (
        isinstance(expected, str)
        and hashlib.sha256(expected.encode("utf-8", "replace")).hexdigest() == file.sha256
    ):
        return ""
    return _cut(file) or text_differs(expected, file.content, False)


def _cut(file: FileObservation) -> str:
    cut = file.size > MAX_CONTENT or (file.size > 0 and not file.content)
    return f"is longer ({file.size} bytes) than what could be compared" if cut else ""


def _contains(expected: Any, file: FileObservation) -> str:
    lacking = next((text for text in expected if text not in file.content), None)
    return f"lacks {brief(lacking)}" if lacking is not None else ""


def _lacks(expected: Any, file: FileObservation) -> str:
    present = next((text for text in expected if text in file.content), None)
    return f"holds {brief(present)}" if present is not None else _cut(file)


def _mode(expected: Any, file: FileObservation) -> str:
    bits = file.mode & 0o7777
    return "" if bits == int(expected, 8) else f"has mode {bits:04o}, expected {expected}"


def _size(expected: Any, file: FileObservation) -> str:
    return "" if file.size == expected else f"has {file.size} bytes, expected {expected}"


def _executable(expected: Any, file: FileObservation) -> str:
    executable = bool(file.mode & 0o111)
    return "" if executable == expected else f"has mode {file.mode & 0o7777:04o}"


_CONTENT: dict[str, Callable[[Any, FileObservation], str]] = {
    "text": _text,
    "json": lambda expected, file: _cut(file) or json_differs(expected, file.content),
    "pattern": lambda expected, file: search(expected, file.content),
    "contains": _contains,
    "lacks": _lacks,
    "size": _size,
    "executable": _executable,
}


@run_oracle
def _judge(case: OracleCase) -> Judgement:
    parameters, path = case.parameters, case.parameters["path"]
    file = case.observation.after.get(absolute(path))
    if not parameters.get("exists", True):
        return (
            fail_judgement(f"{path}: is there", file.content)
            if file
            else pass_judgement(f"no {path}")
        )
    if file is None:
        return fail_judgement(f"{path}: is not there")
    content = [name for name in _CONTENT if name in parameters]
    if content and file.kind != "file":
        return fail_judgement(f"{path}: is a {file.kind}, and a file is expected")
    for name in content:
        if wrong := _CONTENT[name](parameters[name], file):
            return fail_judgement(f"{path}: {wrong}", file.content)
    wrong = _mode(parameters["mode"], file) if "mode" in parameters else ""
    return fail_judgement(f"{path}: {wrong}") if wrong else pass_judgement(file.content)


_NOTE = {"/srv/app/note.txt": a_file("tide 3\n", 0o600)}
_LINK = {"/srv/app/note.txt": a_file(kind="link", target="/srv/secret.txt")}

PLUGIN = Oracle(
    name="writes",
    title="after the run a file has these properties",
    kind="both",
    judge=_judge,
    parameters={
        "path": _parameters.text("relative to the working folder, or absolute", needed=True),
        "exists": _parameters.flag("false: nothing is there"),
        "text": _parameters.matched_text(
            "its whole text; white space at the ends of lines is ignored"
        ),
        "json": _parameters.expectation("it is JSON of this value"),
        "pattern": _parameters.regex("found in it"),
        "contains": _parameters.texts("all of these are in it"),
        "lacks": _parameters.texts("none of these is"),
        "mode": _parameters.mode('its permission bits, such as "0600"'),
        "size": _parameters.integer_value("its bytes"),
        "executable": _parameters.flag("somebody, or nobody, may execute it"),
    },
    examples=(
        example(
            "not executable",
            FAIL,
            make_observation(call_step(), after=_NOTE),
            {"path": "note.txt", "executable": True},
        ),
        example(
            "a text",
            PASS,
            make_observation(call_step(), after=_NOTE),
            {"path": "note.txt", "text": "tide 3"},
        ),
        example(
            "another text",
            FAIL,
            make_observation(call_step(), after=_NOTE),
            {"path": "note.txt", "text": "tide"},
        ),
        example(
            "an absolute path",
            PASS,
            make_observation(call_step(), after=_NOTE),
            {"path": "/srv/app/note.txt", "mode": "0600"},
        ),
        example(
            "another mode",
            FAIL,
            make_observation(call_step(), after=_NOTE),
            {"path": "note.txt", "mode": "0644"},
        ),
        example("missing", FAIL, make_observation(call_step()), {"path": "note.txt"}),
        example(
            "absent, as required",
            PASS,
            make_observation(call_step()),
            {"path": "note.txt", "exists": False},
        ),
        example(
            "present, but forbidden",
            FAIL,
            make_observation(call_step(), after=_NOTE),
            {"path": "note.txt", "exists": False},
        ),
        example(
            "a link has no text",
            FAIL,
            make_observation(call_step(), after=_LINK),
            {"path": "note.txt", "contains": ["t"]},
        ),
        example("the program never ran", ERROR, NEVER, {"path": "x", "exists": False}),
    ),
)
