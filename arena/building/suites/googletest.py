"""GoogleTest's own report where the build system tells one bit a program (c-ares: one of several minutes).

Every program of GoogleTest writes XML into the folder that GTEST_OUTPUT names, however it is started
(docs/advanced.md of googletest). Where CTest knows each test by itself, it is asked instead.
"""

from __future__ import annotations

import re

from arena.building.suites import automake, cmake_ctest, meson
from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import framework
from arena.building.suites._system import DETAIL, FoundSuite, SuiteExample, System
from arena.building.suites._tree import SourceTree

NAME = "googletest"
PARSER = "gtest-xml"
FOLDER = "arena-googletest"
_RUNNERS = (cmake_ctest, automake, meson)
_EACH_KNOWN = re.compile(r"\bgtest_(?:discover|add)_tests[ \t]*\(", re.IGNORECASE)
_BEFORE = f'export GTEST_OUTPUT="xml:$PWD/{FOLDER}/"; '


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    found = [suite for runner in _RUNNERS if (suite := runner.PLUGIN.find(tree, build))]
    if not found or framework(tree, "") != "gtest":
        return None
    suite = max(found, key=lambda one: one.confidence)
    cmake = cmake_ctest.texts(tree) if suite.system == cmake_ctest.NAME else {}
    if any(_EACH_KNOWN.search(text) for text in cmake.values()):
        return None
    return FoundSuite(
        NAME,
        suite.build,
        _BEFORE + suite.command,
        PARSER,
        (f"{FOLDER}/*.xml",),
        suite.files,
        round(suite.confidence * DETAIL[PARSER], 3),
        f"GoogleTest in {suite.why}",
    )


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
            "parser": "gtest-xml",
            "report": ("arena-googletest/*.xml",),
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
    SuiteExample(_TEST, None, why="nothing that runs them"),
    SuiteExample({**_CMAKE, "test/a.cc": "int main() {}\n"}, None, why="no GoogleTest"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
