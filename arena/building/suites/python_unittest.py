"""Tests in Python's unittest, beside a program in another language; `discover` finds and names them."""

from __future__ import annotations

import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._owned import FOLDERS, oracle_globs
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence
from arena.building.suites._tree import SourceTree

NAME = PARSER = "python-unittest"
HEAD = 16 << 10
MAX_READ, MAX_FOLDERS = 100, 10
_NAME = re.compile(r"test\w*\.py")  # what `discover` looks for
_CASE = re.compile(r"^class \w+\([^)\n]{0,99}\bTestCase\b", re.MULTILINE)


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    named = [
        path
        for path in tree.find_named(suffix=".py")
        if FOLDERS & {part.lower() for part in path.split("/")[:-1]}
        and _NAME.fullmatch(path.rpartition("/")[2])
    ]
    cases = [path for path in named[:MAX_READ] if _CASE.search(tree.read(path, HEAD))]
    if not cases:
        return None
    folders = sorted({path.rpartition("/")[0] for path in cases})[:MAX_FOLDERS]
    discover = "python3 -m unittest discover -v -s"
    command = (
        f"status=0; for d in {' '.join(folders)}; do {discover} $d || status=1; done; exit $status"
    )
    return FoundSuite(
        NAME,
        "",
        f"{discover} {folders[0]}" if len(folders) == 1 else command,
        PARSER,
        (),
        oracle_globs(tree),
        confidence("guess" if build.line.strip() else "unknown", PARSER),
        f"unittest in {len(cases)} files such as {cases[0]}",
    )


_CASES = "import unittest\n\n\nclass Reads(unittest.TestCase):\n    pass\n"
EXAMPLES = (
    SuiteExample(
        {"tests/test_read.py": _CASES, "tests/helper.py": _CASES, "src/a.c": ""},
        {
            "build": "",
            "command": "python3 -m unittest discover -v -s tests",
            "parser": "python-unittest",
            "report": (),
            "files": ("tests/**",),
            "confidence": 0.27,
        },
        "make",
        why="one folder",
    ),
    SuiteExample(
        {"python/tests/test_a.py": _CASES, "tests/test_b.py": "class B(TestCase):\n    pass\n"},
        {
            "command": "status=0; for d in python/tests tests; do python3 -m unittest discover -v -s $d "
            "|| status=1; done; exit $status"
        },
        why="two folders",
    ),
    SuiteExample(
        {"tests/test_a.py": "def test_a(): pass\n", "src/test_b.py": _CASES},
        None,
        why="tests of another library, and a file that is in no folder of tests",
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
