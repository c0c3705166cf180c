"""Test scripts in `t/` that write TAP, as `prove` runs them; the output of each becomes a report."""

from __future__ import annotations

import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._owned import oracle_globs
from arena.building.suites._parts import each_into
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence
from arena.building.suites._tree import SourceTree

NAME = "tap"
REPORTS = "arena-tap"
MAX_FOLDERS = 20
_SHEBANG = re.compile(r"#![ \t]*(?:\S*/env[ \t]+)?(?:\S*/)?(sh|bash|dash|perl|python3?|ruby)\b")
_DEFAULT = "perl"


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    scripts = [
        path
        for path in tree.find_named(suffix=".t")
        if path.split("/")[0] in ("t", "test", "tests")
    ]
    if not scripts:
        return None
    globs = sorted({path.rpartition("/")[0] + "/*.t" for path in scripts})[:MAX_FOLDERS]
    match = _SHEBANG.match(tree.read(scripts[0], 200))
    interpreter = match[1] if match else _DEFAULT
    command = each_into(REPORTS, interpreter, globs, "tap")
    how = "guess" if build.line.strip() else "unknown"
    return FoundSuite(
        NAME,
        "",
        command,
        "tap",
        (f"{REPORTS}/*.tap",),
        oracle_globs(tree),
        confidence(how, "tap"),
        f"{len(scripts)} scripts such as {scripts[0]}",
    )


EXAMPLES = (
    SuiteExample(
        {"t/a.t": "#!/bin/sh\necho 1..1\necho ok 1\n", "t/sub/b.t": ""},
        {
            "command": "mkdir -p arena-tap; status=0; for t in t/*.t t/sub/*.t; do "
            'n=$(printf %s "$t" | tr / -); sh "$t" > arena-tap/${n%.t}.tap || status=1; '
            "done; exit $status",
            "parser": "tap",
            "report": ("arena-tap/*.tap",),
            "files": ("t/**",),
        },
        why="shell scripts in two folders",
    ),
    SuiteExample({"src/a.t": "", "t/a.c": ""}, None, why="other files of that ending or folder"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
