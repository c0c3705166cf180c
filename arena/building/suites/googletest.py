"""GoogleTest's reports beside the runner's, which has a bit per program (in c-ares, a program takes minutes).

Every program of GoogleTest writes XML into the folder that GTEST_OUTPUT names, however it is started
(docs/advanced.md of googletest). The runner's report stays: what it runs besides is not lost, and where a
program writes elsewhere all the same, the suite is what it was. Where CTest or Meson list each test, it has
no use.
"""

from __future__ import annotations

import re

from arena.building.suites import automake, cmake_ctest, meson
from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import framework
from arena.building.suites._system import DETAIL, FoundSuite, SuiteExample, System
from arena.building.suites._tree import SourceTree

NAME = "googletest"
# Each file in its own format.
PARSER = "auto"
FOLDER = "arena-googletest"
_RUNNERS = (cmake_ctest.PLUGIN.find, automake.find_whole_suite, meson.PLUGIN.find)
_EACH_KNOWN = re.compile(
    r"\bgtest_(?:discover|add)_tests[ \t]*\(|\bprotocol[ \t]*:[ \t]*'gtest'", re.IGNORECASE
)


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    suites_found = [suite for find in _RUNNERS if (suite := find(tree, build))]
    useful = [
        suite for suite in suites_found if suite.report and not _each_known(tree, suite.system)
    ]
    if not useful or framework(tree, "") != "gtest":
        return None
    suite = max(useful, key=lambda candidate: candidate.confidence)
    return FoundSuite(
        NAME,
        suite.build,
        # A folder, so that each program writes a file of its own name; of one file the last program's would
        # be left.
        f'export GTEST_OUTPUT="xml:$PWD/{FOLDER}/"; {suite.command}',
        PARSER,
        (*suite.report, f"{FOLDER}/*.xml"),
        suite.files,
        round(suite.confidence * DETAIL[PARSER], 3),
        f"GoogleTest in {suite.why}",
    )


def _each_known(tree: SourceTree, system: str) -> bool:
    """Whether the runner lists each test of GoogleTest by itself."""
    if system == cmake_ctest.NAME:
        texts = list(cmake_ctest.texts(tree).values())
    else:
        texts = (
            [tree.read(path) for path in tree.find_named("meson.build")]
            if system == meson.NAME
            else []
        )
    return any(_EACH_KNOWN.search(text) for text in texts)


_TEST = {"test/a.cc": '#include "gtest/gtest.h"\nTEST(A, B) {}\n'}
_CMAKE = {"CMakeLists.txt": "include(CTest)\nadd_test(NAME a COMMAND a)\n", **_TEST}
_AUTOMAKE = {"configure.ac": "AM_INIT_AUTOMAKE", "test/Makefile.am": "TESTS = a\n", **_TEST}
EXAMPLES = (
    SuiteExample(
        _CMAKE,
        {
            "build": "cmake --build out -j2",
            "command": 'export GTEST_OUTPUT="xml:$PWD/arena-googletest/"; '
            "ctest --test-dir out --output-junit junit.xml",
            "parser": "auto",
            "report": ("out/junit.xml", "arena-googletest/*.xml"),
            "files": ("test/**",),
            "confidence": 0.959,
        },
        "cmake -B out && cmake --build out",
        why="one add_test for a program of many tests",
    ),
    SuiteExample(
        _AUTOMAKE,
        {
            "command": 'export GTEST_OUTPUT="xml:$PWD/arena-googletest/"; make -k check',
        },
        "./configure && make",
        why="automake's TESTS",
    ),
    SuiteExample(
        {**_CMAKE, "test/CMakeLists.txt": "gtest_discover_tests(a)\n"},
        None,
        why="CTest knows each test",
    ),
    SuiteExample(
        {"meson.build": "test('a', b, protocol : 'gtest')\n", **_TEST},
        None,
        why="Meson knows each test",
    ),
    SuiteExample(_CMAKE, None, ctest=(3, 18), why="a runner that writes on the console"),
    SuiteExample(_TEST, None, why="nothing that runs them"),
    SuiteExample({**_CMAKE, "test/a.cc": "int main() {}\n"}, None, why="no GoogleTest"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
