"""Automake's `TESTS` in a separate build, without programs that do not build.

A recipe configures what a fuzz target needs, as a static library with all names visible: tests that take in
some of its sources again do not link with it (harfbuzz). And a library present in the image may turn on a
helper that does not link, and no test needs it. `distclean` may remove files that are of the sources
(libcoap's list of symbols), so what was built is only cleaned before it is configured again. What a patch
prevents from being built is a lost test all the same.

`make check` ends in a folder in which any program does not link, before it runs a test there. Its target
`check-TESTS` needs of each test that test alone (the parallel harness).
"""

from __future__ import annotations

import posixpath
from dataclasses import replace

from arena.building.suites import automake
from arena.building.suites._automake import tests_of
from arena.building.suites._build import BuildFacts
from arena.building.suites._system import FoundSuite, SuiteExample, System
from arena.building.suites._tree import SourceTree

NAME = "automake-anew"
_OF_THE_RECIPE = (
    r"""sed -E "s/'([A-Z][A-Z0-9_]*=([^']|'\\\\'')*|--(disable|without)-[a-z-]*tests?)'//g; """
    r'''s/(^| )([A-Z][A-Z0-9_]*=[^ ']*|--(disable|without)-[a-z-]*tests?)//g"'''
)
_ITS_FLAGS = (
    r"""grep -oE "'[A-Z][A-Z0-9_]*=([^']|'\\\\'')*'|(^| )[A-Z][A-Z0-9_]*=[^ ']*" | tr '\n' ' '"""
)
# With the recipe's options where a plain configuration ends: libcoap's asks for what makes its manual. With
# its compilers and flags where that ends as well: they made a library with a sanitizer, and nothing else
# links with that (nDPI's libpcap). The compiler is today's and not the recipe's: C may define a variable in
# several files, as it could until 2020, and what it warns of besides is no error, as harfbuzz's pragmas
# make it.
ANEW = (
    f"as=$(./config.status --config 2>/dev/null | {_OF_THE_RECIPE}); "
    f"by=$(./config.status --config 2>/dev/null | {_ITS_FLAGS}); make clean >/dev/null 2>&1; "
    'export CFLAGS="-g -O2 -fcommon -w" CXXFLAGS="-g -O2 -w"; '
    '{{ ./configure --enable-tests || eval "./configure $as --enable-tests" || '
    'eval "./configure $by --enable-tests"; }} && '
    "{{ make -k -j2; {programs}:; }}"
)

# Where a recipe's script configured the project, what is built anew comes before what it left.
BEFORE = 0.001
# A folder that is not configured is passed over, as `make check` does.
_RUN = "[ ! -f {folder}/Makefile ] || make -k -C {folder} check-TESTS || code=$?; "


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    suite = automake.find_whole_suite(tree, build)
    # Where the shipped command configures by itself, its build folder is used and nothing is built anew.
    if suite is None or build.folder("autotools") or build.folder("make"):
        return None
    listed = suite.parser == automake.PARSER
    programs = f"{suite.build.replace(' -j2', ' -k -j2')}; " if listed else ""
    anew = replace(suite, system=NAME, build=ANEW.format(programs=programs))
    folders = sorted({posixpath.dirname(path) or "." for path in tests_of(tree)})
    if suite.report:
        runs = "".join(_RUN.format(folder=folder) for folder in folders)
        anew = replace(anew, command=f"code=0; {runs}exit $code")
        if automake.coarse(tree, suite):
            anew = automake.read_by_logs(anew, runs.rstrip("; "))
    if build.script & {"autotools", "make"}:
        anew = replace(anew, confidence=anew.confidence + BEFORE)
    return anew


EXAMPLES = (
    SuiteExample(
        {"configure.ac": "AM_INIT_AUTOMAKE([foreign])\n", "t/Makefile.am": "check-local:\n"},
        {"build": ANEW.format(programs=""), "parser": "exit-codes"},
        "compile target",
        why="tests that find a weakness in what is built with a sanitizer, and end there (file)",
    ),
    SuiteExample(
        {"configure.ac": "AM_INIT_AUTOMAKE([foreign])\n", "Makefile.am": "TESTS = a b c d\n"},
        {
            "build": ANEW.format(programs="make -k -j2 check TESTS=; "),
            "command": "code=0; [ ! -f ./Makefile ] || make -k -C . check-TESTS || code=$?; exit $code",
            "parser": "automake",
            "report": ("*.trs",),
            "confidence": 0.95,
        },
        "./configure --disable-shared && make",
        why="the same tests, behind the whole suite",
    ),
    SuiteExample(
        {
            "configure.ac": "AM_INIT_AUTOMAKE([serial-tests])\n",
            "Makefile.am": "TESTS = a\n",
            "t/Makefile.am": "TESTS = b\n",
        },
        {"command": "make -k check", "report": ()},
        why="the serial harness tells on the console, of all folders",
    ),
    SuiteExample(
        {
            "configure.ac": "AM_INIT_AUTOMAKE([foreign])\n",
            "src/Makefile.am": "TESTS = a c\n",
            "test/api/Makefile.am": "TESTS = b d\n",
        },
        {
            "command": "code=0; [ ! -f src/Makefile ] || make -k -C src check-TESTS || code=$?; "
            "[ ! -f test/api/Makefile ] || make -k -C test/api check-TESTS || code=$?; exit $code",
            "report": ("src/*.trs", "test/api/*.trs"),
        },
        why="a program in one folder that does not link",
    ),
    SuiteExample(
        {"configure.ac": "AM_INIT_AUTOMAKE([foreign])\n", "tests/Makefile.am": "TESTS = do.sh\n"},
        {
            "command": automake.LOGS.format(
                reports="tests/*.trs",
                run="[ ! -f tests/Makefile ] || make -k -C tests check-TESTS || code=$?",
            ),
            "parser": "exit-codes",
        },
        why="one test that runs many",
    ),
    SuiteExample(
        {"configure.ac": "AM_INIT_AUTOMAKE([foreign])\n", "Makefile.am": "TESTS = a\n"},
        None,
        "mkdir obj && (cd obj && ../configure) && make -C obj",
        why="a build folder is beside the sources already",
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
