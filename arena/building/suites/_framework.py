"""Which format a suite writes on its output, by the library that its sources name."""

from __future__ import annotations

import re

from arena.building.suites._owned import FOLDERS
from arena.building.suites._tree import SourceTree

MAX_READ = 60
HEAD = 16 << 10
_SOURCE = re.compile(r".*\.(?:c|cc|cpp|cxx|h|hpp|sh|py|pl|rb|t)|.*/[^./]+")
_MARKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r'#[ \t]*include[ \t]*[<"][^>"\n]{0,80}cmocka\.h'), "cmocka"),
    (re.compile(r'#[ \t]*include[ \t]*[<"](?:gtest/gtest|gmock/gmock)\.h'), "gtest"),
    (re.compile(r'#[ \t]*include[ \t]*[<"]check\.h'), "check"),
    (re.compile(r'#[ \t]*include[ \t]*[<"]CUnit/'), "cunit"),
    (re.compile(r'\bnot ok\b|\bdone_testing\b|#[ \t]*include[ \t]*[<"][^>"\n]{0,80}tap\.h'), "tap"),
    (re.compile(r"\bpassed, (?:%d|\{\w{0,40}\}) failed\b"), "spec-tests"),
    (re.compile(r"^class \w+\([^)\n]{0,99}\bTestCase\b", re.MULTILINE), "python-unittest"),
    (re.compile(r"^\$ok_test\b", re.MULTILINE), "mruby-test"),
)
# Formats of tests that a suite may lie beside: only a command that names their language runs them.
_RUN_BY = {"python-unittest": re.compile(r"\bpython|\.py\b|\bunittest\b")}
# What makes a library name every test, put before the command.
ENVIRONMENT = {"check": "CK_VERBOSITY=verbose "}


def framework(tree: SourceTree, running: str) -> str:
    """The report format that the files of the tests point to, the commonest; "" when none does.

    running: the recipe or script that runs them.
    """
    votes: dict[str, int] = {}
    for path in _test_files(tree):
        name = library(tree.read(path, HEAD))
        if name and (name not in _RUN_BY or _RUN_BY[name].search(running)):
            votes[name] = votes.get(name, 0) + 1
    return max(votes, key=lambda name: votes[name], default="")


def library(text: str) -> str:
    """The report format of the library that a test's source names; "" when it names none."""
    return next((name for mark, name in _MARKS if mark.search(text)), "")


def _test_files(tree: SourceTree) -> list[str]:
    paths = [
        path
        for path in tree.first_party_paths
        if FOLDERS & {part.lower() for part in path.split("/")[:-1]} and _SOURCE.fullmatch(path)
    ]
    # A fuzz target may name a test library too, but no suite runs it.
    fuzz = [path for path in paths if "fuzz" in path]
    outermost = sorted(paths, key=lambda path: (path.count("/"), path))
    return [path for path in outermost if path not in set(fuzz)][:MAX_READ]
