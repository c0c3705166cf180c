"""The worst texts that are known for the readers of patches, build files, preprocessors' output and names.

Readers by name, and what makes a text of so many bytes. A text is the worst by what it makes a reader do again:
openers that nothing closes, prefixes of a match at each place, names that repeat.
"""

from __future__ import annotations

import gzip

from harness.grade import symbols
from harness.grade.build_files import BY_NAME, find_included, new_command
from harness.grade.candidate import read_candidate, read_input
from harness.grade.decide import Decided
from harness.grade.expansions import (
    OwnedTree,
    PreprocessedUnit,
    Suspicion,
    compare_units,
    find_macros,
    read_units,
)
from harness.grade.imports import LibcExports
from tests.harness.grade.worst_makers import Maker, Reader, numbered, repeated


def patch(data: bytes) -> object:
    try:
        return read_candidate(data)
    except Decided as decided:
        return decided.reason


def input_patch(data: bytes) -> object:
    try:
        return read_input(data, "poc")
    except Decided as decided:
        return decided.reason


HEAD = b"diff --git a/x b/x\n"
RENAME = "diff --git a/fN b/fM\nsimilarity index 100%\nrename from fN\nrename to fM\n"
PATCHES: dict[str, Maker] = {
    "a chain of renames": numbered(RENAME),
    "lines of one character": repeated(b"+\n", HEAD + b"--- a/x\n+++ b/x\n@@ -1 +1,99999999 @@\n"),
    "only newlines": repeated(b"\n"),
    "one line": repeated(b"a", HEAD),
    "one name of folders": repeated(b"a/", b"diff --git "),
    "one name of spaces": repeated(b" a", b"diff --git "),
    "one name of tabs": repeated(b"\ta", b"diff --git "),
    "quotes": repeated(b'"\\', b"diff --git "),
    "many headers with spaces": repeated(b"diff --git " + b"a " * 5000 + b"\n"),
    "many headers with slashes": repeated(b"diff --git a/" + b"a/ " * 3000 + b"\n"),
    "headers twice the same": repeated(b"diff --git " + b"a" * 4000 + b" " + b"a" * 3999 + b"b\n"),
    "equal sections": repeated(HEAD + b"new file mode 100644\n"),
    "files": numbered("diff --git a/N b/N\nnew file mode 100644\n"),
    "hunks": repeated(b"@@ -1 +1 @@\n-a\n+b\n", HEAD + b"--- a/x\n+++ b/x\n"),
    "carriage returns": repeated(b"\r\n", HEAD.replace(b"\n", b"\r\n")),
    "one line of carriage returns": repeated(b"\r", b"+++ b/"),
    "one line with no end": repeated(b"\\n--- ", b"diff --git "),
    "dates": repeated(b" 2020-01-01", b"--- a/x"),
    "names with dates": repeated(
        b"--- a/x" + b" 1111-11-11" * 50 + b"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    ),
    "a binary part": repeated(b"zcmZ" + b"a" * 63 + b"\n", HEAD + b"GIT binary patch\nliteral 9\n"),
    "binary starts": repeated(b"GIT binary patch\nliteral 0\n\n", HEAD),
    "spaces": repeated(b"--- a/" + b" " * 4000 + b"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
    "dots": numbered(
        "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/"
        + "a. ." * 900
        + "/N\n@@ -0,0 +1 @@\n+a\n"
    ),
    "modes": repeated(HEAD + b"old mode " + b"0" * 5000 + b"\nnew mode 1\n"),
}


def build_lines(kind: str) -> Reader:
    return lambda data: new_command(b"", data, BY_NAME[kind], frozenset())


def includes(kind: str) -> Reader:
    return lambda data: find_included({"a/Makefile": (kind, data)}, {"", ".", "..", "a"})


LINES: dict[str, Maker] = {
    "equals signs": repeated(b"="),
    "words and equals signs": repeated(b"a= "),
    "names": repeated(b"LIBTOOL"),
    "underscores": repeated(b"_"),
    "letters": repeated(b"a"),
    "dollars": repeated(b"$("),
    "recipe of one letter": repeated(b"a", b"\t$(CC) "),
    "recipe of variables": repeated(b"$(a)", b"\t$(CC) ", b";"),
    "recipe of words in brackets": repeated(b"a", b"\t$(CC) $("),
    "colons": repeated(b":"),
    "colons and spaces": repeated(b": "),
    "spaces": repeated(b" "),
    "tabs": repeated(b"\t"),
    "spaces before a letter": repeated(b" ", b"", b"x"),
    "file": repeated(b"file "),
    "file and spaces": repeated(b"file" + b" " * 200),
    "one file and spaces": repeated(b" ", b"file"),
    "one copy and spaces": repeated(b" ", b"copy"),
    "one command and spaces": repeated(b" ", b"command"),
    "one import and spaces": repeated(b" ", b"import"),
    "one run and spaces": repeated(b" ", b".run"),
    "add_": repeated(b"add_"),
    "add_ with spaces": repeated(b"add_a "),
    "cmake_": repeated(b"cmake_"),
    "output": repeated(b"output:'"),
    "output .c": repeated(b".c", b"output:'"),
    "output .c many": repeated(b"output:'.c.c.c"),
    "launcher": repeated(b"rule_launch _launche"),
    "externalproject": repeated(b"externalprojec"),
    "newlines": repeated(b"\n"),
    "lines": repeated(b"a\n"),
    "continued": repeated(b"a\\\n"),
    "comments": repeated(b"#\n"),
    "included": repeated(b"include a"),
    "include lines": repeated(b"include a\n"),
    "include words": repeated(b" a", b"include"),
    "include folders": repeated(b"a/", b"include "),
    "include ups": repeated(b"../a/", b"include "),
    "dashes": repeated(b"-"),
    "include open": repeated(b"include("),
    "include open and spaces": repeated(b" ", b"include("),
    "include spaces": repeated(b" ", b"include"),
    "m4": repeated(b"m4_include("),
    "SConscript": repeated(b"SConscript("),
    "SConscript open": repeated(b"SConscript('"),
    "import": repeated(b'import("'),
    "import and spaces": repeated(b" ", b"import("),
    "subninja": repeated(b"\tsubninja"),
    "lines of tabs": repeated(b"\t" * 3000 + b"\n"),
}

TREE = OwnedTree("/src", ("tests/**",))
MARK = b'# 1 "/src/tests/a.c"\n'


def preprocessed(data: bytes) -> object:
    return read_units([PreprocessedUnit("a.c", "/src", gzip.compress(data, 1))], TREE)


def compared(data: bytes) -> object:
    units = [PreprocessedUnit("a.c", "/src", gzip.compress(data, 1))]
    gold = read_units([PreprocessedUnit("a.c", "/src", gzip.compress(MARK + b"int a;\n", 1))], TREE)
    return compare_units([each for each in gold if each], units, TREE, {"printf"})


def macros(data: bytes) -> object:
    lines = frozenset(range(1, data.count(b"\n") + 1))
    suspicion = Suspicion({"a"}, {"x": lines}, {"a": "b", "b": "a"})
    return find_macros([suspicion], {"x": data})


TEXTS: dict[str, Maker] = {
    "newlines": repeated(b"\n"),
    "lines": repeated(b"a\n"),
    "lines of the oracle's": repeated(b"a\n", MARK),
    "one line of the oracle's again": repeated(MARK + b"a\n"),
    "one line of the oracle's, at length": repeated(
        b'# 1 "/src/tests/a.c"\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'
    ),
    "words": repeated(b"a ", MARK),
    "markers": repeated(b'# 1 "'),
    "marker lines": repeated(b'# 1 "x"\n'),
    "markers of files": numbered('# 1 "/src/N.h"\n'),
    "one long name": repeated(b"a/", b'# 1 "/src/', b'"\n'),
    "long names": numbered('# 1 "/src/' + "tests/../" * 400 + 'N"\n'),
    "backslashes": repeated(b"\\", b'# 1 "'),
    "digits": repeated(b"1", b"# "),
    "hash signs": repeated(b"#\n"),
    "hash and spaces": repeated(b" ", b"#"),
    "defines": numbered("#define N M\n", b'# 1 "/usr/a.h"\n'),
    "defines of the project": numbered("#define aN M\n", b'# 1 "/src/a.h"\n'),
    "define and spaces": repeated(b" ", b"#define"),
    "pragmas": numbered("#pragma N\n", b'# 1 "/src/a.h"\n'),
    "form feeds": repeated(b"\f", MARK),
}


def rows_of_names(data: bytes) -> object:
    return symbols.compare_names(data.decode(), ["outside a"], LibcExports({"b": ("b",)}), [])


NAMES: dict[str, Maker] = {
    "imports": numbered("o U fork a/N.o\n"),
    "bare objects": numbered("u - - a/N.o\n"),
    "runs": numbered("r - - a/N.o\n"),
    "needs": numbered("d U aN -\n"),
    "one long name": lambda size: b"d U " + b"_chk" * (size // 4) + b" -\n",
    "one name of underscores": lambda size: b"d U " + b"_" * size + b" -\n",
    "one name of numbers": lambda size: b"d U " + b"64" * (size // 2) + b"x -\n",
    "one name of l": lambda size: b"d U a" + b"_l" * (size // 2) + b" -\n",
    "one name of isoc": lambda size: b"d U _isoc" + b"1" * size + b" -\n",
    "one operator's name": lambda size: b"d U __u" + b"a" * size + b" -\n",
    "one path": lambda size: b"u - - " + b"a/" * (size // 2) + b"b.o\n",
    "one path of dots": lambda size: b"o U fork " + b"./" * (size // 2) + b"b.o\n",
}
PATCH_READERS: dict[str, Reader] = {"patch": patch, "input": input_patch}
BUILD_READERS: dict[str, Reader] = {
    **{f"command of {kind}": build_lines(kind) for kind in ("make", "cmake", "meson")},
    **{f"includes of {kind}": includes(kind) for kind in BY_NAME},
}
TEXT_READERS: dict[str, Reader] = {"gold": preprocessed, "patch": compared, "macros": macros}
NAME_READERS: dict[str, Reader] = {"names": rows_of_names}
