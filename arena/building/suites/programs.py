"""Programs in folders of tests that a plain Makefile or CMake builds and nothing runs: people do, by hand.

Their names stand in variables as often as not, so the programs that are there after the build are run, each
from the folder of its Makefile or CMakeLists.txt. What is no longer built is a lost test.
"""

from __future__ import annotations

import posixpath
import re

from arena.building.suites import cmake_ctest
from arena.building.suites._build import BuildFacts
from arena.building.suites._owned import MAKEFILES, folders, oracle_globs
from arena.building.suites._parts import BOUNDED, BY_EXIT_CODE
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence
from arena.building.suites._tree import SourceTree

NAME = "programs"
CMAKE = "CMakeLists.txt"
MAX_PROGRAMS = 60
# ELF files only: `configure` leaves shell wrappers beside programs. Sorted in the C locale, so that the parts
# and their names are the same on every machine.
RUN = (
    "set -f; root=$PWD; bad=0; err=$(mktemp); n=0; for t in $(find {places} -type f -perm -100 "
    "! -path '*/CMakeFiles/*' ! -name '*bench*' ! -name '*example*' ! -name '*.so*' "
    "2>/dev/null | LC_ALL=C sort -u); do "
    "set +f; d=${{t#{below}/}}; case $d in *[Ff]uzz*) continue ;; esac; "
    f"[ $n -lt {MAX_PROGRAMS} ] || break; "
    '[ "$(head -c 4 "$t" | tail -c 3)" = ELF ] || continue; '
    'while d=$(dirname "$d"); [ "$d" != . ] && ! ls "$d"/{file} >/dev/null 2>&1; do :; done; '
    "case $t in /*) p=$t ;; *) p=$root/$t ;; esac; "
    f'( cd "$d" && {BOUNDED} "$p" </dev/null ) 2>$err; code=$?; cat $err; n=$((n+1)); '
    "printf '\\nexit code of %s: %s\\n' \"$t\" $code; [ $code = 0 ] || bad=$code; done; "
    'echo "exit codes: $n"; exit $bad'
)
_EXECUTABLE = re.compile(r"\badd_executable[ \t]*\(", re.IGNORECASE)


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    if CMAKE in tree:
        if cmake_ctest.PLUGIN.find(tree, build) is not None:
            return None
        folders_found = [at for at in folders(tree, CMAKE) if _has_programs(tree, at)]
        below, line = cmake_ctest.build(tree, build)
        built = (posixpath.normpath(f"{below}/{at}") for at in folders_found)
        search_folders, file = dict.fromkeys([*built, *folders_found]), CMAKE
    else:
        folders_found = [at for at in folders(tree, *MAKEFILES) if f"{at}/Makefile.am" not in tree]
        below, line = ".", "".join(f"make -k -j2 -C {at}; " for at in folders_found) + ":"
        search_folders, file = dict.fromkeys(folders_found), "*[Mm]akefile"
    if not folders_found:
        return None
    return FoundSuite(
        NAME,
        line,
        RUN.format(places=" ".join(search_folders), below=below, file=file),
        BY_EXIT_CODE,
        (),
        oracle_globs(tree),
        confidence("guess", BY_EXIT_CODE),
        f"the programs of {folders_found[0]}, which nothing runs",
    )


def _has_programs(tree: SourceTree, folder: str) -> bool:
    texts = cmake_ctest.texts(tree).items()
    return any(_EXECUTABLE.search(text) for path, text in texts if path.startswith(f"{folder}/"))


EXAMPLES = (
    SuiteExample(
        {
            "Makefile": "all:\n",
            "Tests/Unit/Makefile": "all: $(T)\n",
            "Tests/Fuzz/Makefile": "",
            "a/Makefile": "",
        },
        {
            "build": "make -k -j2 -C Tests/Unit; :",
            "command": RUN.format(places="Tests/Unit", below=".", file="*[Mm]akefile"),
            "parser": "exit-codes",
            "files": ("Tests/**",),
            "confidence": 0.15,
        },
        "make fuzzers",
        why="a Makefile that names its program in a variable",
    ),
    SuiteExample(
        {
            CMAKE: "add_subdirectory(tests)\n",
            "tests/CMakeLists.txt": "add_executable(${PROJECT_NAME} a.c)\n",
        },
        {
            "build": "cmake --build /obj -j2",
            "command": RUN.format(places="/obj/tests tests", below="/obj", file=CMAKE),
        },
        "cmake -B /obj",
        why="CMake without `add_test`",
    ),
    SuiteExample(
        {
            CMAKE: "enable_testing()\nadd_test(a a)\n",
            "tests/CMakeLists.txt": "add_executable(a a.c)\n",
        },
        None,
        why="tests that CTest runs",
    ),
    SuiteExample(
        {"tests/Makefile.am": "", "tests/Makefile": "", "third_party/x/tests/Makefile": ""},
        None,
        why="automake's, and another project's",
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
