"""A target of CMake that runs the tests by a custom command: `add_custom_target(check COMMAND ...)`."""

from __future__ import annotations

import posixpath
import re

from arena.building.suites import cmake_ctest
from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import library
from arena.building.suites._owned import oracle_globs
from arena.building.suites._parts import BY_EXIT_CODE, run_by_exit_code
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "cmake-target"
_TARGET = re.compile(
    r"^[ \t]*add_custom_target[ \t]*\(\s{0,99}"
    r"(check|tests?|test-?suite|(?:run|all)[-_]?tests?|unit-?tests?)\s"
    r"([^()]{0,2000})\)",
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_COMMAND = re.compile(
    r"\bCOMMAND\b(.*?)(?=\b(?:COMMAND|DEPENDS|COMMENT|BYPRODUCTS|SOURCES|VERBATIM|WORKING_DIRECTORY|USES_TERMINAL)\b|$)",
    re.DOTALL,
)
_OTHERS = re.compile(
    r"(?<![a-z])ctest|_CTEST_|--target\b|clang-(?:tidy|format)|cppcheck|valgrind|(?<![a-z])[gl]?cov\b|flake8|astyle",
    re.IGNORECASE,
)
# What runs nothing.
_IDLE = re.compile(r'\s*(?:\$\{CMAKE_COMMAND\}\s+-E\b.*|true|""|)\s*', re.DOTALL)
_SCRIPT = re.compile(r"[\w./${}+-]+\.(?:py|sh|pl)\b")
_HERE = re.compile(r"\$\{(?:CMAKE_CURRENT_(?:SOURCE|LIST)_DIR)\}/")
_ROOT = re.compile(r"\$\{(?:CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR|\w+_SOURCE_DIR)\}/")
_VERBOSE = re.compile(r"[\s\"](?:-v|--verbose)(?![\w-])")


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    for path, text in cmake_ctest.texts(tree).items():
        for target in _TARGET.finditer(text):
            commands = [
                command for command in _COMMAND.findall(target[2]) if not _IDLE.fullmatch(command)
            ]
            if not commands or any(map(_OTHERS.search, commands)):
                continue
            suite = _suite(tree, build, path, target[1], commands)
            if suite.files:  # of what no oracle owns, a patch could change the tests
                return suite
    return None


def _suite(
    tree: SourceTree, build: BuildFacts, path: str, target: str, commands: list[str]
) -> FoundSuite:
    parser, scripts = "", []
    for command in commands:
        for script in _scripts(tree, posixpath.dirname(path), command):
            name = library(tree.read(script))
            scripts.append(script)
            if name != "python-unittest" or _VERBOSE.search(command):
                parser = parser or name
    parser = parser or BY_EXIT_CODE
    folder, line = cmake_ctest.build(tree, build)
    run = f"cmake --build {folder} --target {target}"
    return FoundSuite(
        NAME,
        line,
        run_by_exit_code({target: run}) if parser == BY_EXIT_CODE else run,
        parser,
        (),
        oracle_globs(tree, scripts),
        confidence(fit(build, "cmake"), parser),
        f"the target {target} in {path}",
    )


def _scripts(tree: SourceTree, folder: str, command: str) -> list[str]:
    """The scripts of the repository that a command runs."""
    named = (
        _ROOT.sub("", _HERE.sub(f"{folder}/" if folder else "", m[0]))
        for m in _SCRIPT.finditer(command)
    )
    return [path for path in map(posixpath.normpath, named) if path in tree]


_SUITE = (
    "add_custom_target(testsuite\n COMMAND ${PYTHON} ${PROJECT_SOURCE_DIR}/src/scripts/suite.py -v "
    "${CMAKE_BINARY_DIR}\n DEPENDS runner)\n"
)
_CASES = "import unittest\nclass Serves(unittest.TestCase):\n    pass\n"
EXAMPLES = (
    SuiteExample(
        {"CMakeLists.txt": _SUITE, "src/scripts/suite.py": _CASES},
        {
            "build": "cmake --build b -j2",
            "command": "cmake --build b --target testsuite",
            "parser": "python-unittest",
            "files": ("src/scripts/suite.py",),
        },
        "cmake -B b",
        why="a script that is told to name its tests",
    ),
    SuiteExample(
        {"CMakeLists.txt": _SUITE.replace(" -v", ""), "src/scripts/suite.py": _CASES},
        {
            "command": "bad=0; err=$(mktemp); "
            "( cmake --build build --target testsuite ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' testsuite $code; [ $code = 0 ] || bad=$code; "
            "echo 'exit codes: 1'; exit $bad",
            "parser": "exit-codes",
        },
        why="one that prints dots",
    ),
    SuiteExample(
        {
            "CMakeLists.txt": "add_custom_target(check COMMAND ${CMAKE_CTEST_COMMAND})\n"
            "add_custom_target(tests DEPENDS a)\nadd_custom_target(format COMMAND clang-format)\n"
            'message("add_custom_target(check COMMAND ./a)")\n'
            "add_custom_target(test COMMAND ${CMAKE_COMMAND} -E echo hello)\n"
            "add_custom_target(unittests COMMAND ./of-no-oracle)\n"
        },
        None,
        why="CTest's, one that only builds, and one that is no test",
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
