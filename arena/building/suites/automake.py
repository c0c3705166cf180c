"""Automake's `TESTS`: a `.trs` file per test (the parallel harness), or the console (serial-tests).

If tests are so few that each may be the runner of many (nDPI's is a script that compares 300 captures)
the logs are read: a line for each test of theirs. Where no Makefile lists any, the rules `check-local`, of
which only the exit codes are available.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from arena.building.suites._automake import makefiles, tests_of
from arena.building.suites._build import BuildFacts
from arena.building.suites._owned import oracle_globs
from arena.building.suites._parts import BY_EXIT_CODE, run_by_exit_code
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "automake"
PARSER = "automake"
MAX_REPORTS = 40
_LOCAL = re.compile(r"^check-local[ \t]*:(?!=)", re.MULTILINE)
MAX_LOCAL = 20
FEW = 3
_PLAIN = re.compile(r"[\w.+/-]+", re.ASCII)
# Another driver than automake's own (TAP's) writes a result for each of a program's tests.
_DRIVER = re.compile(r"LOG_DRIVER\b")
# What `make` says comes behind the closing line and set off: it names the tests as well. So does the line
# that automake's driver puts behind a log, or behind what a test printed last without ending the line.
LOGS = (
    "rm -f {reports}; out=$(mktemp); code=0; {{ {run}; }} >$out 2>&1; n=0; "
    "for t in {reports}; do case $(sed -n 's/^:test-result: *//p' \"$t\" 2>/dev/null) in "
    "PASS|XFAIL) bad=0 ;; ''|SKIP) continue ;; *) bad=1 ;; esac; n=$((n+1)); "
    "sed -E '$s/(PASS|X?FAIL|XPASS|ERROR) [^ ]+ \\(exit status: [0-9]+\\)$//' \"${{t%.trs}}.log\"; "
    "printf '\\nexit code of %s: %s\\n' \"${{t%.trs}}\" $bad; done; "
    'echo "exit codes: $n"; sed "s/^/| /" $out; exit $code'
)
_SERIAL = re.compile(r"\bserial-tests\b")


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    suite = find_whole_suite(tree, build)
    if suite is None or not coarse(tree, suite):
        return suite
    return read_by_logs(suite, f"{suite.command} || code=$?")


def find_whole_suite(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    """The suite as automake reports it, however few its tests are."""
    lists = tests_of(tree)
    configure = tree.read("configure.ac") or tree.read("configure.in")
    folder = build.folder("autotools") or build.folder("make") or ""
    if not configure:
        return None
    if not lists:
        return _local(tree, build, folder)
    make = f"make -C {folder}" if folder else "make"
    # The serial harness writes no `.trs` files, and a folder outside of the repository cannot be fetched
    # from.
    serial = any(_SERIAL.search(text) for text in (configure, *makefiles(tree).values()))
    parallel = not serial and not folder.startswith("/")
    return FoundSuite(
        NAME,
        # An empty TESTS builds all that the tests need and runs none of them.
        f"{make} -j2 check TESTS=",
        f"{make} -k check",
        PARSER,
        _reports(folder, lists) if parallel else (),
        oracle_globs(tree),
        confidence(fit(build, "autotools", "make"), PARSER),
        f"TESTS in {next(iter(lists))}",
    )


def coarse(tree: SourceTree, suite: FoundSuite) -> bool:
    """Whether automake's reports are so few that each may be that of a runner of many tests."""
    listed = [word for words in tests_of(tree).values() for word in words]
    are_few = len(listed) <= FEW and all(map(_PLAIN.fullmatch, listed))
    configure = (tree.read("configure.ac"), tree.read("configure.in"))
    driven = any(_DRIVER.search(text) for text in (*configure, *makefiles(tree).values()))
    return are_few and bool(suite.report) and not driven


def read_by_logs(suite: FoundSuite, run: str) -> FoundSuite:
    """The suite with its tests' logs instead of its reports, which say no more; `run` sets `code`."""
    command = LOGS.format(reports=" ".join(suite.report), run=run)
    return replace(suite, command=command, parser=BY_EXIT_CODE, report=())


def _local(tree: SourceTree, build: BuildFacts, folder: str) -> FoundSuite | None:
    paths = [path for path in tree.find_named("Makefile.am") if _LOCAL.search(tree.read(path))]
    named = [posixpath.join(folder, posixpath.dirname(path)) or "." for path in paths]
    folders = [
        folder_name for folder_name in named if re.fullmatch(r"[\w.+/][\w.+/-]*", folder_name)
    ][:MAX_LOCAL]
    if not folders or folder.startswith("/"):
        return None
    return FoundSuite(
        NAME,
        # A part that does not build must not end the others: what is absent is a lost test anyway.
        f"make -k -j2 -C {folder or '.'}; :",
        run_by_exit_code(
            {folder_name: f"make -s -C {folder_name} check" for folder_name in folders}
        ),
        BY_EXIT_CODE,
        (),
        oracle_globs(tree),
        confidence(fit(build, "autotools", "make"), BY_EXIT_CODE),
        f"check-local in {paths[0]}, of which only the exit code tells",
    )


def _reports(folder: str, lists: dict[str, list[str]]) -> tuple[str, ...]:
    """Globs of the `.trs` files: beside each test, in the folder of its Makefile."""
    formats: dict[str, None] = {}
    for makefile, words in lists.items():
        build_folder = posixpath.join(folder, posixpath.dirname(makefile))
        inner = {posixpath.dirname(word) for word in words if re.fullmatch(r"[\w.+/-]+", word)}
        for below in sorted(inner) or [""]:
            glob = posixpath.normpath(posixpath.join(build_folder, below, "*.trs"))
            if not glob.startswith((".", "/")):
                formats[glob] = None
    return tuple(formats)[:MAX_REPORTS]


_CONFIGURE = {"configure.ac": "AM_INIT_AUTOMAKE([foreign])\n"}
EXAMPLES = (
    SuiteExample(
        {
            **_CONFIGURE,
            "Makefile.am": "SUBDIRS = src tests\n",
            "tests/Makefile.am": "TESTS = @CASES@\n",
        },
        {
            "build": "make -j2 check TESTS=",
            "command": "make -k check",
            "parser": "automake",
            "report": ("tests/*.trs",),
            "files": ("tests/**",),
        },
        "./autogen.sh && make -j2",
        why="tests in a folder of their own",
    ),
    SuiteExample(
        {**_CONFIGURE, "Makefile.am": "TESTS = tests/a \\\n tests/b d\nif X\nTESTS += c\nendif\n"},
        {"report": ("*.trs", "tests/*.trs"), "confidence": 0.75},
        why="tests listed by path in the outer Makefile",
    ),
    SuiteExample(
        {
            **_CONFIGURE,
            "Makefile.am": "include t/include.am\n",
            "t/include.am": "TESTS += %D%/a %D%/b %D%/c\n",
            "test/data/Makefile.am": "include $(srcdir)/Makefile.sources\n-include $(top_srcdir)/git.mk\n",
            "test/data/Makefile.sources": "TESTS = \\\n tests/a.tests\n",
        },
        {"report": ("t/*.trs", "test/data/tests/*.trs")},
        why="lists in files that are included",
    ),
    SuiteExample(
        {**_CONFIGURE, "Makefile.am": "check_PROGRAMS = a b c d\nTESTS = $(check_PROGRAMS)\n"},
        {"command": "make -C obj -k check", "report": ("obj/*.trs",)},
        "mkdir obj && (cd obj && ../configure) && make -C obj",
        why="a build folder",
    ),
    SuiteExample(
        {"configure.ac": "AM_INIT_AUTOMAKE([serial-tests])", "Makefile.am": "TESTS = a\n"},
        {"report": (), "parser": "automake"},
        why="the serial harness writes no .trs",
    ),
    SuiteExample(
        {**_CONFIGURE, "Makefile.am": "AUTOMAKE_OPTIONS = serial-tests\nTESTS = a\n"},
        {"report": (), "parser": "automake"},
        why="and is chosen in either file",
    ),
    SuiteExample(
        {**_CONFIGURE, "tests/Makefile.am": "T = 1\ncheck-local:\n\t./test\n", "Makefile.am": ""},
        {
            "build": "make -k -j2 -C .; :",
            "command": "bad=0; err=$(mktemp); ( make -s -C tests check ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' tests $code; [ $code = 0 ] || bad=$code; "
            "echo 'exit codes: 1'; exit $bad",
            "parser": "exit-codes",
            "files": ("tests/**",),
        },
        "./configure && make -j2",
        why="a rule of its own, as file has it",
    ),
    SuiteExample(
        {**_CONFIGURE, "$(x)/Makefile.am": "check-local:\n", "a/Makefile.am": "check-local:=1\n"},
        None,
        why="a folder that is a command, and no rule",
    ),
    SuiteExample(
        {
            **_CONFIGURE,
            "Makefile.am": "include t/include.am # the tests\n",
            "t/include.am": "check_PROGRAMS = %D%/a $(builddir)/b c d # u/c\n"
            "TESTS := $(check_PROGRAMS) # v/d\n",
        },
        {"report": ("*.trs", "t/*.trs")},
        why="tests through a variable, and comments",
    ),
    SuiteExample(
        {**_CONFIGURE, "tests/Makefile.am": "TESTS = do.sh\n"},
        {
            "command": LOGS.format(reports="tests/*.trs", run="make -k check || code=$?"),
            "parser": "exit-codes",
            "report": (),
            "confidence": 0.95,
        },
        "./configure && make",
        why="a test that runs many, as nDPI has it",
    ),
    SuiteExample(
        {
            **_CONFIGURE,
            "Makefile.am": "TESTS = a b\nLOG_DRIVER = $(srcdir)/build-aux/tap-driver.sh\n",
        },
        {"parser": "automake", "report": ("*.trs",)},
        why="few programs, of which TAP tells each test",
    ),
    SuiteExample(
        {
            **_CONFIGURE,
            "Makefile.am": "TEST_EXTENSIONS = .test\nTESTS = a.test\nTEST_LOG_DRIVER = $(TAP)\n",
        },
        {"parser": "automake", "report": ("*.trs",)},
        why="a driver for an extension",
    ),
    SuiteExample(
        {
            "configure.ac": "AM_INIT_AUTOMAKE([foreign])\nAC_SUBST([LOG_DRIVER], [tap-driver.sh])\n",
            "Makefile.am": "TESTS = a\n",
        },
        {"parser": "automake", "report": ("*.trs",)},
        why="a driver that configure names",
    ),
    SuiteExample(
        {**_CONFIGURE, "Makefile.am": "XFAIL_TESTS = a\nTESTS =\n"}, None, why="an empty list"
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
