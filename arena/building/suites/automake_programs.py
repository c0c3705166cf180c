"""Programs in a folder of tests that Automake builds and no `TESTS` lists: people run them by hand (libcoap).

They get a separate build: it needs the library of the tests, which fuzzing does not need.
"""

from __future__ import annotations

import posixpath
import re

from arena.building.suites._automake import makefiles, tests_of
from arena.building.suites._build import BuildFacts
from arena.building.suites._framework import ENVIRONMENT, framework
from arena.building.suites._owned import FOLDERS, oracle_globs
from arena.building.suites._parts import BOUNDED, BY_EXIT_CODE, run_by_exit_code
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree
from arena.building.suites.automake_anew import ANEW

NAME = "automake-programs"
MAX_PROGRAMS = 10
_PROGRAMS = re.compile(r"^[ \t]*+(?:noinst|check)_PROGRAMS[ \t]*\+?=[ \t]*(.*)$", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_PLAIN = re.compile(r"(?!.*(?:fuzz|bench|example))\w[\w.+-]*")
_FOLDER = re.compile(r"\w[\w.+/-]*")


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    configure = tree.read("configure.ac") or tree.read("configure.in")
    if not configure or build.folder("autotools") or build.folder("make"):
        return None
    if tests_of(tree):
        return None
    programs = [
        (posixpath.dirname(path), word)
        for path, text in makefiles(tree).items()
        if FOLDERS & set(path.lower().split("/")[:-1])
        and "fuzz" not in path.lower()
        and _FOLDER.fullmatch(path)
        for word in " ".join(_PROGRAMS.findall(_COMMENT.sub("", text.replace("\\\n", " ")))).split()
        if _PLAIN.fullmatch(word)
    ][:MAX_PROGRAMS]
    if not programs:
        return None
    commands = "".join(f"make -k -C {folder} {name}; " for folder, name in programs)
    # of several, a format that ends once would take the first for all
    is_single = len(set(programs)) == 1
    parser = (framework(tree, "") if is_single else "") or BY_EXIT_CODE
    before = ENVIRONMENT.get(parser, "")
    # No input and a limit of time: such a driver may be made for a person at a terminal.
    lines = {
        f"{folder}/{name}": f"cd {folder} && {before}{BOUNDED} ./{name} </dev/null"
        for folder, name in programs
    }
    return FoundSuite(
        NAME,
        ANEW.format(programs=commands),
        run_by_exit_code(lines),
        parser,
        (),
        oracle_globs(tree),
        confidence(fit(build, "autotools", "make"), parser),
        f"{programs[0][1]} in {programs[0][0]}, which no TESTS lists",
    )


_DRIVER = {
    "configure.ac": "AM_INIT_AUTOMAKE([foreign])\n",
    "tests/Makefile.am": "if HAVE_CUNIT\nnoinst_PROGRAMS = \\\n testdriver\nendif\n",
}
EXAMPLES = (
    SuiteExample(
        {**_DRIVER, "tests/testdriver.c": "#include <CUnit/CUnit.h>\n"},
        {
            "build": ANEW.format(programs="make -k -C tests testdriver; "),
            "command": "bad=0; err=$(mktemp); "
            "( cd tests && timeout -k 5 60 ./testdriver </dev/null ) 2>$err; code=$?; cat $err; "
            "printf '\\nexit code of %s: %s\\n' tests/testdriver $code; [ $code = 0 ] || bad=$code; "
            "echo 'exit codes: 1'; exit $bad",
            "parser": "cunit",
            "files": ("tests/**",),
        },
        "compile pdu_parse_fuzzer",
        why="a driver in the form of CUnit, as libcoap has it",
    ),
    SuiteExample(
        {**_DRIVER, "tests/testdriver.c": "int main(void) { return 0; }\n"},
        {"parser": "exit-codes"},
        why="each program one test where nothing tells more",
    ),
    SuiteExample(
        {
            **_DRIVER,
            "tests/testdriver.c": "#include <CUnit/CUnit.h>\n",
            "tests/more/Makefile.am": "check_PROGRAMS = more # the one that is run by hand\n",
            "fuzz/Makefile.am": "noinst_PROGRAMS = target\n",
        },
        {
            "build": ANEW.format(
                programs="make -k -C tests testdriver; make -k -C tests/more more; "
            ),
            "parser": "exit-codes",
        },
        why="two programs, whose outputs are not one report",
    ),
    SuiteExample(
        {**_DRIVER, "src/Makefile.am": "TESTS = a\n"}, None, why="tests that Automake runs"
    ),
    SuiteExample(
        {
            "configure.ac": "",
            "tests/Makefile.am": "noinst_PROGRAMS = $(P) load_fuzzer a;b\n",
            "src/Makefile.am": "noinst_PROGRAMS = tool\n",
            "t;x/tests/Makefile.am": "check_PROGRAMS = a\n",
        },
        None,
        why="no plain name, a fuzz target, a program that is no test, a folder that is a command",
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
