"""A hand-written Makefile with a target `check` or `test`."""

from __future__ import annotations

import posixpath
import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import ENVIRONMENT, framework
from arena.building.suites._makefile import Makefile, read_makefile
from arena.building.suites._owned import owned
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "make-check"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
RUNNING = ("check", "test", "tests", "runtests", "run-tests", "run_tests", "unittest", "unittests")
BUILDING = ("tests", "test-programs", "build-tests", "build_tests", "testprogs", "unittests")
_OTHER_CHECKS = re.compile(
    r"pre-?commit|\bprek\b|\blint|clang-(?:tidy|format)|cppcheck|codespell|\bformat"
)
_REPORT = re.compile(r"(?<![\w$@/.*-])([\w.+-]+(?:/[\w.+*?-]+)*\.(?:tap|xml))(?![\w.])")
_FORMATS = {".tap": "tap", ".xml": "junit"}


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    folder = build.folder("make") or ""
    names = (posixpath.join(folder, name) for name in MAKEFILES)
    path = next((name for name in names if name in tree), None)
    if path is None or folder.startswith("/"):
        return None
    made = read_makefile(tree.read(path))
    target = _target(made)
    if target is None:
        return None
    make = f"make -C {folder}" if folder else "make"
    parser, report = _format(tree, made, target, folder)
    builds = next((name for name in BUILDING if _builds(made, name, target)), "")
    return FoundSuite(
        NAME,
        f"{make} -j2 {builds}" if builds else "",
        f"{ENVIRONMENT.get(parser, '')}{make} -s {target}",
        parser,
        report,
        owned(tree),
        confidence(fit(build, "make"), parser),
        f"target {target} in {path}",
    )


def _target(made: Makefile) -> str | None:
    """The target that runs tests: one with something to do, that is no check of the sources' form."""
    for name in RUNNING:
        target = made.targets.get(name)
        if target is None or not (target.recipe or target.needs):
            continue
        if not _OTHER_CHECKS.search(made.recipe(name) + " " + " ".join(target.needs)):
            alone = name in BUILDING and not target.recipe
            if not alone or any(need in RUNNING for need in target.needs):
                return name
    return None


def _builds(made: Makefile, name: str, running: str) -> bool:
    """Whether `name` only builds what `running` runs."""
    target = made.targets.get(name)
    return target is not None and name != running and not target.recipe and bool(target.needs)


def _format(
    tree: SourceTree, made: Makefile, target: str, folder: str
) -> tuple[str, tuple[str, ...]]:
    """Parser and report files: those that the recipe writes or removes, else what is printed."""
    found: dict[str, None] = {}
    steps = [target, *(need for need in made.targets[target].needs if need in made.targets)]
    for step in steps:
        for match in _REPORT.finditer(made.recipe(step)):
            if ".." not in match[1].split("/"):
                found[posixpath.join(folder, match[1])] = None
    for ending, parser in _FORMATS.items():
        files = tuple(name for name in found if name.endswith(ending))[:20]
        if files:
            return parser, files
    return framework(tree) or "exit-status", ()


EXAMPLES = (
    SuiteExample(
        {
            "Makefile": "B = build\nall: lib\ntests: $(BIN)\n\n$(BIN): lib\n\tcc -o $@\ncheck: all tests\n"
            "\t@rm -f $(B)/tests/*.tap\n\t@for t in $(BIN); do $$t > $$t.tap; done\n",
            "tests/test_a.c": "",
            "fuzz/fuzz_a.c": "",
        },
        {
            "build": "make -j2 tests",
            "command": "make -s check",
            "parser": "tap",
            "report": ("build/tests/*.tap",),
            "files": ("fuzz/**", "tests/**"),
            "confidence": 0.95,
        },
        "make -j2",
        why="reports in files whose folder is in a variable",
    ),
    SuiteExample(
        {"Makefile": "check: build/tool\n\tsh tests/run.sh > build/results.tap\n"},
        {"build": "", "parser": "tap", "report": ("build/results.tap",)},
        why="a report that the output is sent to",
    ),
    SuiteExample(
        {
            "Makefile": "tests: $(BIN)\ncheck: tests\n\tsh tests/run.sh $(BIN)\n",
            "tests/test_a.c": "#include <cmocka.h>\n",
        },
        {"build": "make -j2 tests", "command": "make -s check", "parser": "cmocka", "report": ()},
        "make",
        why="a library's own output",
    ),
    SuiteExample(
        {"Makefile": "test: all\n\t./t\n", "tests/a.c": "#include <check.h>\n"},
        {"command": "CK_VERBOSITY=verbose make -s test", "parser": "check"},
        why="a library that must be told to name each test",
    ),
    SuiteExample(
        {"Makefile": "P = prek\ntest: all\n\trake test\ncheck: c\n\t$(P) run --all-files\n"},
        {"command": "make -s test", "parser": "exit-status"},
        why="a check that is no test",
    ),
    SuiteExample(
        {"src/Makefile": "test:\n\t./t\n"},
        {"command": "make -C src -s test"},
        "make -C src",
        why="a Makefile in a folder",
    ),
    SuiteExample({"Makefile": "all:\n\tcc -o a a.c\ncheck := 1\n"}, None, why="no such target"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
