"""An answer that tells nothing of the program's inside."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    answered,
    called,
    example,
    raised,
    ran,
)
from arena.tracks.dual.oracles._oracle import Case, Oracle
from arena.tracks.dual.oracles._parameters import flag
from arena.tracks.dual.oracles._texts import answers
from arena.tracks.dual.oracles._verdicts import Found, absence

AROUND = 200
_TELLING = {
    "a Python traceback": r"Traceback \(most recent call last\)|^[ \t]{0,99}File \"[^\"\n]{1,300}\", line \d",
    "a frame of the interpreter": r"<frozen [\w.]|<module>|\bsite-packages/|/lib/python3",
    "a Node.js stack": r"^ {1,8}at [^\n]{0,300}?[\w/>):.-]:\d{1,7}:\d{1,7}\)?[ \t\r]{0,9}$"
    r"|\bnode:internal/|\bnode_modules/",
    "a debugger": r"Werkzeug Debugger|__debugger__|werkzeug/debug/|EVALEX",
    "a sanitizer's report": r"\bERROR: \w{1,30}Sanitizer\b|^[ \t]{0,99}#\d{1,3} 0x[0-9a-f]{4,16} in ",
    "a C++ abort": r"terminate called |^[ \t]{0,99}what\(\):  |core dumped|\*\*\* stack smashing",
    "a database's error": r"\bsqlite3\.\w{0,30}Error\b|\bSQLITE_[A-Z]{3,}"
    r"|near \"[^\"\n]{0,200}\": syntax error"
    r"|\bunrecognized token: |\bno such (?:table|column): ",
    "an address of an object": r"\bat 0x[0-9a-f]{6,16}>",
    "a path of the working folder": r"/srv/app(?![\w-])",
}
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _TELLING.items()}


def _texts(case: Case) -> Iterator[tuple[str, str]]:
    step = case.at
    if step is None:
        return
    found = answers(step, stderr=False)
    if case.parameters.get("stderr") and step.stderr:
        found["stderr"] = step.stderr
    yield from found.items()


@absence
def _judge(case: Case) -> Found | None:
    for channel, text in _texts(case):
        for name, pattern in _PATTERNS.items():
            if found := pattern.search(text):
                start = max(0, found.start() - AROUND)
                return Found(text[start : found.end() + AROUND], f"{name} is in the {channel}")
    return None


_DEBUGGER = "<title>KeyError // Werkzeug Debugger</title>"

PLUGIN = Oracle(
    name="no-traceback",
    title="the answer tells no traceback, path or error of the inside",
    kind="security",
    judge=_judge,
    parameters={"stderr": flag("standard error is looked at too")},
    examples=(
        example("a plain refusal", PASS, answered(400, '{"error": "no such note"}')),
        example("a traceback", FAIL, answered(500, "Traceback (most recent call last):\n")),
        example("Flask's debugger", FAIL, answered(500, _DEBUGGER)),
        example("a stack of Node.js", FAIL, answered(500, "Error: x\n    at go (/srv/a.js:3:9)\n")),
        example("a database's error", FAIL, called({"error": 'near "OR": syntax error'})),
        example("the working folder", FAIL, ran("cannot open /srv/app/notes/x")),
        example("an object's address", FAIL, called("<Note object at 0x7f1c2a3b4c5d>")),
        example("times are no frames", PASS, ran("meet me at 10:30:00")),
        example("on standard error only", PASS, ran("", 1, "Traceback (most recent call last):")),
        example(
            "on standard error, which counts", FAIL, ran("", 1, "  what():  x"), {"stderr": True}
        ),
        example("an exception is not the answer", PASS, raised("OSError", "/srv/app/x")),
        example("never started", ERROR, NEVER),
    ),
)
