"""A script that runs the tests, by its name; the last resort before a recipe."""

from __future__ import annotations

import posixpath
import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import framework
from arena.building.suites._owned import owned
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence
from arena.building.suites._tree import SourceTree

NAME = "scripts"
_NAME = re.compile(
    r"(?:run[-_]?(?:all[-_]?)?(?:unit[-_]?)?tests?|test[-_]?run(?:ner)?|tests?|all[-_]tests|run)"
    r"\.(sh|py|pl)"
)
_FOLDERS = frozenset({"", "test", "tests", "scripts", "script", "tools", "ci", "testing"})
_RUN_ONLY_IN = frozenset({"test", "tests", "testing"})
INTERPRETER = {"sh": "sh", "py": "python3", "pl": "perl"}
_BASH = re.compile(r"#![^\n]*\bbash\b")
_KNOWS_ITS_PLACE = re.compile(r"__file__|argv\[0\]|argv0|BASH_SOURCE|dirname[ \"(]*\$\{?0")


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    found = sorted(filter(_fits, tree.own), key=_rank)
    if not found:
        return None
    script = found[0]
    text = tree.read(script)
    interpreter = INTERPRETER[script.rpartition(".")[2]]
    if interpreter == "sh" and _BASH.match(text):
        interpreter = "bash"
    folder = build.folder("cmake") or build.folder("meson") or ""
    parser = "tap" if "not ok" in text else framework(tree) or "exit-status"
    return FoundSuite(
        NAME,
        "",
        _command(interpreter, script, folder if _KNOWS_ITS_PLACE.search(text) else ""),
        parser,
        (),
        owned(tree, [script]),
        confidence("guess", parser),
        f"the script {script}",
    )


def _fits(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if folder.lower() not in _FOLDERS or not _NAME.fullmatch(name.lower()):
        return False
    return not name.lower().startswith("run.") or folder.lower() in _RUN_ONLY_IN


def _rank(path: str) -> tuple[bool, int, str]:
    """Names that say "run" first, then the outermost."""
    return ("run" not in posixpath.basename(path).lower(), path.count("/"), path)


def _command(interpreter: str, script: str, folder: str) -> str:
    """A script that finds its own place takes the built programs from where it is called."""
    if not folder:
        return f"{interpreter} {script}"
    if folder.startswith("/"):
        return f'root=$PWD; cd {folder} && {interpreter} "$root/{script}"'
    return f"cd {folder} && {interpreter} {posixpath.relpath(script, folder)}"


EXAMPLES = (
    SuiteExample(
        {"run-tests.sh": "#!/bin/bash\n./t || exit 1\n", "tests/a.c": ""},
        {
            "command": "bash run-tests.sh",
            "parser": "exit-status",
            "files": ("tests/**", "run-tests.sh"),
            "confidence": 0.15,
        },
        "make",
        why="only the exit status tells",
    ),
    SuiteExample(
        {"scripts/run-tests.py": "import sys\nhere = sys.argv[0]\n", "test/spec.txt": ""},
        {
            "command": "cd out && python3 ../scripts/run-tests.py",
            "files": ("test/**", "scripts/run-tests.py"),
        },
        "cmake -B out && cmake --build out",
        why="a script that is called from the build folder",
    ),
    SuiteExample(
        {"test/run.sh": 'echo "not ok 1"\n'},
        {"command": "sh test/run.sh", "parser": "tap"},
        why="a script that writes TAP",
    ),
    SuiteExample({"run.sh": "", "src/test.py": "", "latest.sh": ""}, None, why="other scripts"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
