"""An answer that reveals no internals of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    example,
    raising_step,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import flag
from arena.tracks.dual.oracles._texts import answers
from arena.tracks.dual.oracles._verdicts import JudgedPart, absence

AROUND = 200
# The reported name, a text without which the pattern is not tried, the pattern. All take linear time.
_TELLING = (
    ("a Python traceback", "Traceback (most", r"Traceback \(most recent call last\)"),
    ("a Python traceback", 'File "', r"^[ \t]{0,99}File \"[^\"\n]{1,300}\", line \d"),
    ("a frame of the interpreter", "<frozen ", r"<frozen [\w.]"),
    ("a frame of the interpreter", "<module>", "<module>"),
    ("a file of a library", "site-packages/", r"\bsite-packages/"),
    ("a file of a library", "/lib/python3", "/lib/python3"),
    ("a file of a library", "node_modules/", r"\bnode_modules/"),
    (
        "a Node.js stack",
        "at ",
        r"^ {1,8}at [^\n]{0,300}?[\w/>):.-]:\d{1,7}:\d{1,7}\)?[ \t\r]{0,9}$",
    ),
    ("a Node.js stack", "node:internal/", r"\bnode:internal/"),
    ("a debugger", "Werkzeug Debugger", "Werkzeug Debugger"),
    ("a debugger", "__debugger__", "__debugger__"),
    ("a sanitizer's report", "Sanitizer", r"\bERROR: \w{1,30}Sanitizer\b"),
    ("a native stack", " 0x", r"^[ \t]{0,99}#\d{1,3} 0x[0-9a-f]{4,16} in "),
    ("a C++ abort", "terminate called ", "terminate called "),
    ("a C++ abort", "what():", r"^[ \t]{0,99}what\(\):  "),
    ("a C++ abort", "core dumped", r"\bcore dumped\b"),
    ("a database's error", "sqlite3.", r"\bsqlite3\.\w{0,30}Error\b"),
    ("a database's error", "SQLITE_", r"\bSQLITE_[A-Z]{3,}"),
    ("a database's error", ": syntax error", r"near \"[^\"\n]{0,200}\": syntax error"),
    ("a database's error", "no such ", r"\bno such (?:table|column): "),
    ("a database's error", "unrecognized token: ", "unrecognized token: "),
    ("an object's address", "at 0x", r"\bat 0x[0-9a-f]{6,16}>"),
    ("a path of the working folder", "/srv/app", r"/srv/app(?![\w-])"),
)
_PATTERNS = tuple(
    (name, text, re.compile(pattern, re.MULTILINE)) for name, text, pattern in _TELLING
)


def _texts(case: OracleCase) -> Iterator[tuple[str, str]]:
    step = case.examined_step
    if step is None:
        return
    texts = answers(step, stderr=False)
    if case.parameters.get("stderr") and step.stderr:
        texts["stderr"] = step.stderr
    yield from texts.items()


@absence
def _judge(case: OracleCase) -> JudgedPart | None:
    for channel, text in _texts(case):
        for name, literal, pattern in _PATTERNS:
            if literal in text and (match := pattern.search(text)):
                start = max(0, match.start() - AROUND)
                return JudgedPart(text[start : match.end() + AROUND], f"{name} is in the {channel}")
    return None


_DEBUGGER = "<title>KeyError // Werkzeug Debugger</title>"

PLUGIN = Oracle(
    name="no-traceback",
    title="the answer reveals no traceback, path or internal error",
    kind="security",
    judge=_judge,
    parameters={"stderr": flag("standard error is checked too")},
    examples=(
        example("a plain error message", PASS, response_step(400, '{"error": "no such note"}')),
        example("a traceback", FAIL, response_step(500, "Traceback (most recent call last):\n")),
        example("Flask's debugger", FAIL, response_step(500, _DEBUGGER)),
        example(
            "a stack of Node.js", FAIL, response_step(500, "Error: x\n    at go (/srv/a.js:3:9)\n")
        ),
        example("a database's error", FAIL, call_step({"error": 'near "OR": syntax error'})),
        example("the working folder", FAIL, ran("cannot open /srv/app/notes/x")),
        example("an object's address", FAIL, call_step("<Note object at 0x7f1c2a3b4c5d>")),
        example("times are not frames", PASS, ran("meet me at 10:30:00")),
        example("on standard error only", PASS, ran("", 1, "Traceback (most recent call last):")),
        example(
            "on standard error, which counts", FAIL, ran("", 1, "  what():  x"), {"stderr": True}
        ),
        example("an exception is not the answer", PASS, raising_step("OSError", "/srv/app/x")),
        example("never started", ERROR, NEVER),
    ),
)
