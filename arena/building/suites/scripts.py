"""A script that runs the tests, by its name; the last resort before a recipe."""

from __future__ import annotations

import posixpath
import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import framework
from arena.building.suites._owned import oracle_globs
from arena.building.suites._parts import BY_EXIT_CODE, run_by_exit_code
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence
from arena.building.suites._tree import SourceTree

NAME = "scripts"
_NAME = re.compile(
    r"(?:run[-_]?(?:[a-z]{1,20}[-_])?(?:all|unit)?tests?|test[-_]?run(?:ner)?|tests?|all[-_]tests|run)"
    r"\.(sh|py|pl)"
)
_FOLDERS = frozenset({"", "test", "tests", "scripts", "script", "tools", "ci", "testing"})
_RUN_ONLY_IN = frozenset({"test", "tests", "testing"})
# Scripts of one suite.
MAX_SCRIPTS = 5
INTERPRETER = {"sh": "sh", "py": "python3", "pl": "perl"}
_BASH = re.compile(r"#![^\n]*\bbash\b")
_UNITTEST = re.compile(r"\bunittest\.main\(")
# It names the built programs as seen from its own folder.
_FROM_ITS_FOLDER = re.compile(r"[\"'= ]\.\./build/")
_KNOWS_ITS_PLACE = re.compile(r"__file__|argv\[0\]|argv0|BASH_SOURCE|dirname[ \"(]*\$\{?0")


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    scripts_found = sorted(filter(_fits, tree.first_party_paths), key=_rank)
    if not scripts_found:
        return None
    script = scripts_found[0]
    parser, text = _parser(tree, script), tree.read(script)
    # Scripts of the same rank may each be a part of the suite; a further report format could not be read
    # beside it.
    beside = [each for each in scripts_found[1:MAX_SCRIPTS] if _rank(each)[:2] == _rank(script)[:2]]
    scripts = [script, *(each for each in beside if parser == _parser(tree, each) == BY_EXIT_CODE)]
    patterns = (_KNOWS_ITS_PLACE, _FROM_ITS_FOLDER)
    knowing = any(pattern.search(tree.read(each)) for each in scripts for pattern in patterns)
    builds, folder = _place(tree, build) if knowing else ("", "")
    commands = {each: _command(tree, each, folder) for each in scripts}
    command, why = commands[script], f"the script {script}"
    if parser == BY_EXIT_CODE:
        command = run_by_exit_code(commands)
        named = f"the scripts {', '.join(scripts)}" if scripts[1:] else why
        why = f"{named}, of which only the exit code tells"
    elif _UNITTEST.search(text):
        command = f"{command} -v"
    return FoundSuite(
        NAME,
        builds,
        command,
        parser,
        (),
        oracle_globs(tree, scripts),
        confidence("guess", parser),
        why,
    )


def _parser(tree: SourceTree, script: str) -> str:
    text = tree.read(script)
    return "tap" if "not ok" in text else framework(tree, f"{script}\n{text}") or BY_EXIT_CODE


def _place(tree: SourceTree, build: BuildFacts) -> tuple[str, str]:
    """The command that builds the programs first, and their folder."""
    build_folder = build.folder("cmake") or build.folder("meson")
    if (
        build_folder
        or "CMakeLists.txt" not in tree
        or any(map(build.uses, ("cmake", "meson", "make")))
    ):
        return "", build_folder or ""
    return "cmake -S . -B build && cmake --build build -j2", "build"


def _fits(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if folder.lower() not in _FOLDERS or not _NAME.fullmatch(name.lower()):
        return False
    # `run.sh` anywhere else runs the program and no tests.
    return not name.lower().startswith("run.") or folder.lower() in _RUN_ONLY_IN


def _rank(path: str) -> tuple[bool, int, str]:
    """Names that say "run" first, then the outermost."""
    return ("run" not in posixpath.basename(path).lower(), path.count("/"), path)


def _command(tree: SourceTree, script: str, folder: str) -> str:
    """The command that runs a script.

    If it names programs relative to its folder (`../build/`), it runs there; else in `folder`, if there is
    any, since such a script takes the built programs from the working directory.
    """
    interpreter = INTERPRETER[script.rpartition(".")[2]]
    if interpreter == "sh" and _BASH.match(tree.read(script)):
        interpreter = "bash"
    script_folder, _, name = script.rpartition("/")
    if script_folder and _FROM_ITS_FOLDER.search(tree.read(script)):
        return f"cd {script_folder} && {interpreter} {name}"
    if not folder:
        return f"{interpreter} {script}"
    if folder.startswith("/"):
        return f'root=$PWD; cd {folder} && {interpreter} "$root/{script}"'
    return f"cd {folder} && {interpreter} {posixpath.relpath(script, folder)}"


EXAMPLES = (
    SuiteExample(
        {"run-tests.sh": "#!/bin/bash\n./t || exit 1\n", "tests/a.c": ""},
        {
            "command": "bad=0; err=$(mktemp); ( bash run-tests.sh ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' run-tests.sh $code; [ $code = 0 ] || bad=$code; "
            "echo 'exit codes: 1'; exit $bad",
            "parser": "exit-codes",
            "files": ("tests/**", "run-tests.sh"),
            "confidence": 0.15,
        },
        "make",
        why="only the exit code tells",
    ),
    SuiteExample(
        {
            "scripts/run-tests.py": "import sys\nhere = sys.argv[0]\n",
            "test/spec_tests.py": "out('{pass} passed, {fail} failed')\n",
        },
        {
            "build": "",
            "command": "cd out && python3 ../scripts/run-tests.py",
            "parser": "spec-tests",
            "files": ("test/**", "scripts/run-tests.py"),
        },
        "cmake -B out && cmake --build out",
        why="a script that is called from the build folder",
    ),
    SuiteExample(
        {
            "scripts/run-tests.sh": "SELF=`dirname $0`\n",
            "CMakeLists.txt": "project(a)\n",
            "test/spec_tests.py": "print('%d passed, %d failed')\n",
        },
        {
            "build": "cmake -S . -B build && cmake --build build -j2",
            "command": "cd build && sh ../scripts/run-tests.sh",
        },
        "compile",
        why="such a script where the build command does not tell the folder",
    ),
    SuiteExample(
        {
            "tests/run-tests.py": "import unittest\nunittest.main()\n",
            "tests/a.py": "class A(unittest.TestCase):\n",
        },
        {"command": "python3 tests/run-tests.py -v", "parser": "python-unittest"},
        why="unittest, which names its tests when it is asked to",
    ),
    SuiteExample(
        {"test/run.sh": 'echo "not ok 1"\n'},
        {"command": "sh test/run.sh", "parser": "tap"},
        why="a script that writes TAP",
    ),
    SuiteExample(
        {"test/run-spec-test.py": "import sys\n", "test/run-spec-tests-of-a.py": ""},
        {
            "files": ("test/**",),
            "why": "the script test/run-spec-test.py, of which only the exit code tells",
        },
        why="a runner of one kind of tests",
    ),
    SuiteExample(
        {"test/run-a-test.py": "sys.argv[0]", "test/run-b-test.py": "", "CMakeLists.txt": ""},
        {
            "build": "cmake -S . -B build && cmake --build build -j2",
            "command": "bad=0; err=$(mktemp); "
            "( cd build && python3 ../test/run-a-test.py ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' test/run-a-test.py $code; [ $code = 0 ] || bad=$code; "
            "( cd build && python3 ../test/run-b-test.py ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' test/run-b-test.py $code; [ $code = 0 ] || bad=$code; "
            "echo 'exit codes: 2'; exit $bad",
            "files": ("test/**",),
        },
        "compile",
        why="runners beside each other: one of them may want a network",
    ),
    SuiteExample({"run.sh": "", "src/test.py": "", "latest.sh": ""}, None, why="other scripts"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
