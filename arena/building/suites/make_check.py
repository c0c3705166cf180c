"""A hand-written Makefile with a target `check` or `test`."""

from __future__ import annotations

import posixpath
import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import ENVIRONMENT, framework
from arena.building.suites._makefile import Makefile, read_makefile
from arena.building.suites._owned import MAKEFILES, folders, oracle_globs
from arena.building.suites._parts import BY_EXIT_CODE, run_by_exit_code
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "make-check"
RUNNING = ("check", "test", "tests", "runtests", "run-tests", "run_tests", "unittest", "unittests")
BUILDING = ("tests", "test-programs", "build-tests", "build_tests", "testprogs", "unittests")
_OTHER_CHECKS = re.compile(
    r"pre-?commit|\bprek\b|\blint|clang-(?:tidy|format)|cppcheck|codespell|\bformat"
)
# Only a plain relative path at a word's start; a path of variables cannot be fetched by its name.
_REPORT = re.compile(r"(?<![\w$@/.*-])([\w.+-]+(?:/[\w.+*?-]+)*\.(?:tap|xml))(?![\w.])")
_PLAIN = re.compile(r"(?!-)[A-Za-z0-9_.+/-]{1,100}")
_TESTS = re.compile(r"test|check|spec", re.IGNORECASE)
MAX_PARTS = 60
_FORMATS = {".tap": "tap", ".xml": "junit"}


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    located = _makefile(tree, build.folder("make") or "")
    if located is None:
        return None
    folder, path, makefile, target = located
    make = f"make -C {folder}" if folder else "make"
    parser, report = _format(tree, makefile, target, folder)
    builds = next((name for name in BUILDING if _builds(makefile, name, target)), "")
    command, why = f"{ENVIRONMENT.get(parser, '')}{make} -s {target}", f"target {target} in {path}"
    if parser == BY_EXIT_CODE:
        parts, others = _parts(makefile, target)
        command = run_by_exit_code({part: f"{make} -s {part}" for part in parts})
        builds = builds or " ".join(others)
        why = f"{why}, of which only exit codes tell ({len(parts)})"
    return FoundSuite(
        NAME,
        f"{make} -j2 {builds}" if builds else "",
        command,
        parser,
        report,
        oracle_globs(tree),
        confidence(fit(build, "make"), parser),
        why,
    )


def _makefile(tree: SourceTree, folder: str) -> tuple[str, str, Makefile, str] | None:
    """The folder, path, content and target of the first Makefile that runs tests, or None.

    It is the project's, or beside the
    tests. `configure` creates a Makefile from a Makefile.in.
    """
    for at in (folder, *folders(tree, *MAKEFILES)):
        # An automake project commits or generates a Makefile.in whose targets are automake's own: another
        # reader has it.
        made_of_am = posixpath.join(at, "Makefile.am") in tree
        for name in (*MAKEFILES, *(() if made_of_am else ("Makefile.in",))):
            path = posixpath.join(at, name)
            makefile = read_makefile(tree.read(path))
            target = _target(makefile)
            if target is not None:
                return at, path, makefile, target
    return None


def _parts(makefile: Makefile, target: str) -> tuple[list[str], list[str]]:
    """The targets that `target` only gathers, or itself; and what else it needs, to be built before."""
    for _ in range(MAX_PARTS):  # `check: test`
        needs = [need for need in makefile.targets[target].needs if _PLAIN.fullmatch(need)]
        if makefile.targets[target].recipe or len(needs) != 1 or needs[0] not in makefile.targets:
            break
        (target,) = needs
    parts = [
        n
        for n in needs
        if _TESTS.search(n) and n in makefile.targets and makefile.targets[n].recipe
    ]
    if makefile.targets[target].recipe or len(set(parts)) < 2:
        return [target], []
    others = [need for need in needs if need not in parts and need in makefile.targets]
    return list(dict.fromkeys(parts))[:MAX_PARTS], list(dict.fromkeys(others))


def _target(makefile: Makefile) -> str | None:
    """The target that runs tests: it has something to do, and is no check of the sources' form."""
    for name in RUNNING:
        target = makefile.targets.get(name)
        if target is None or not (target.recipe or target.needs):
            continue
        # `make check` is a linter in some projects: it would pass for every patch that is formatted well.
        if not _OTHER_CHECKS.search(makefile.recipe(name) + " " + " ".join(target.needs)):
            alone = name in BUILDING and not target.recipe
            if not alone or any(need in RUNNING for need in target.needs):
                return name
    return None


def _builds(makefile: Makefile, name: str, running: str) -> bool:
    """Whether `name` only builds what `running` runs."""
    target = makefile.targets.get(name)
    return target is not None and name != running and not target.recipe and bool(target.needs)


def _format(
    tree: SourceTree, makefile: Makefile, target: str, folder: str
) -> tuple[str, tuple[str, ...]]:
    """Parser and report files: those that the recipe writes or removes, else what is printed."""
    formats: dict[str, None] = {}
    steps = [target, *(need for need in makefile.targets[target].needs if need in makefile.targets)]
    for step in steps:
        for match in _REPORT.finditer(makefile.recipe(step)):
            if ".." not in match[1].split("/"):
                formats[posixpath.join(folder, match[1])] = None
    for ending, parser in _FORMATS.items():
        files = tuple(name for name in formats if name.endswith(ending))[:20]
        if files:
            return parser, files
    ran = "\n".join(makefile.recipe(step) for step in steps)
    return framework(tree, ran) or BY_EXIT_CODE, ()


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
        {
            "build": "",
            "command": "bad=0; err=$(mktemp); ( make -s test ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' test $code; "
            "[ $code = 0 ] || bad=$code; echo 'exit codes: 1'; exit $bad",
            "parser": "exit-codes",
            "confidence": 0.375,
            "why": "target test in Makefile, of which only exit codes tell (1)",
        },
        why="a check that is no test; and only an exit code tells of the test",
    ),
    SuiteExample(
        {
            "Makefile": "test: all test-a $(X) test-b test-a\ntest-a:\n\t./a\ntest-b: lib\n\t./b\nall: lib\n"
        },
        {
            "build": "make -j2 all",
            "command": "bad=0; err=$(mktemp); "
            "( make -s test-a ) 2>$err; code=$?; cat $err; printf '\\nexit code of %s: %s\\n' test-a $code; "
            "[ $code = 0 ] || bad=$code; "
            "( make -s test-b ) 2>$err; code=$?; cat $err; printf '\\nexit code of %s: %s\\n' test-b $code; "
            "[ $code = 0 ] || bad=$code; echo 'exit codes: 2'; exit $bad",
        },
        "make",
        why="a target that gathers others",
    ),
    SuiteExample(
        {
            "Makefile": "all:\n\t-@echo run configure first\n",
            "Makefile.in": "check: test\ntest: all teststatic testshared\nteststatic: a\n\t./a\n"
            "testshared: b\n\t./b\nall: a b\n\tcc\n",
        },
        {
            "build": "make -j2 all",
            "why": "target check in Makefile.in, of which only exit codes tell (2)",
        },
        "./configure && make",
        why="a Makefile that configure makes",
    ),
    SuiteExample(
        {"Makefile.in": "check:\n\t./a\n", "Makefile.am": "SUBDIRS = src\n"},
        None,
        "./configure && make",
        why="automake's own target",
    ),
    SuiteExample(
        {
            "Makefile": "RAKE = rake\ntest: all\n\t$(RAKE) test\n",
            "test/assert.rb": "$ok_test = 0\n",
            "a/test/b.rb": "",
        },
        {"command": "make -s test", "parser": "mruby-test"},
        why="a runner that counts",
    ),
    SuiteExample(
        {
            "Makefile": "test: all\n\tpython3 -m unittest discover tests\ncheck:\n",
            "tests/test_a.py": "class A(unittest.TestCase):\n",
        },
        {"command": "make -s test", "parser": "python-unittest"},
        why="tests in another language than the program",
    ),
    SuiteExample(
        {
            "Makefile": "test: all\n\t./t\n",
            "tests/test_a.py": "class A(unittest.TestCase):\n",
        },
        {"parser": "exit-codes"},
        why="such tests, which the target does not run",
    ),
    SuiteExample(
        {"src/Makefile": "test:\n\t./t > t.tap\n"},
        {"command": "make -C src -s test", "report": ("src/t.tap",)},
        "make -C src",
        why="a Makefile in a folder",
    ),
    SuiteExample(
        {
            "Makefile": "all:\n",
            "test/Makefile": "test: a\n\t./a\n",
            "fuzz/Makefile": "test:\n\t./f\n",
        },
        {"build": "", "why": "target test in test/Makefile, of which only exit codes tell (1)"},
        "cmake -B b",
        why="a Makefile beside the tests",
    ),
    SuiteExample({"Makefile": "all:\n\tcc -o a a.c\ncheck := 1\n"}, None, why="no such target"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
