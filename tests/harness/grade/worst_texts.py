"""The worst texts that are known for each reader of hostile text, of any size.

One row for each pair: the reader as a function of the text, and what makes a text of so many bytes. A text is
the worst by what it makes a reader do again: openers that nothing closes, prefixes of a match at each place,
names that repeat.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass

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
from harness.grade.sast.blind import not_scanned
from harness.grade.sast.compare import read_first_scan, stage_files
from harness.grade.sast.diff import clip, normalise
from harness.grade.sast.expand import expanded
from harness.grade.sast.files import ScanFiles, added_lines
from harness.grade.sast.languages import kinds
from harness.grade.sast.logs import compare_logs
from harness.grade.sast.piecewise import stage_pieces
from harness.grade.sast.readings import Readings
from harness.grade.sast.scanner import PARTIAL, ScanError, ScanOutput, Span
from harness.grade.sast.stage import Staging, spliced
from parsers import reports
from parsers.crashes import parse_crash
from parsers.registry import names
from parsers.sarif import Finding

Reader = Callable[[bytes], object]
Maker = Callable[[int], bytes]


@dataclass(frozen=True)
class WorstText:
    """A reader, and what makes its worst text of so many bytes.

    most: bytes that this reader is given at most, where that is less than 16 MiB.
    """

    read: Reader
    make: Maker
    most: int = 16 << 20


def repeated(part: bytes, before: bytes = b"", after: bytes = b"") -> Maker:
    """`part` again and again."""
    return lambda size: before + part * (size // len(part)) + after


def numbered(part: str, before: bytes = b"") -> Maker:
    """`part` again and again with a number in place of N and the next one in place of M."""

    def make(size: int) -> bytes:
        length = len(part) + 5
        lines = (
            part.replace("N", f"{n:06}").replace("M", f"{n + 1:06}") for n in range(size // length)
        )
        return before + "".join(lines).encode()

    return make


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
    "one line of the oracle's again and again": repeated(
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


def sources(data: bytes) -> ScanFiles:
    """A patch that adds these bytes to a source, in files of the size that is scanned."""
    parts = [data[at : at + 740_000] for at in range(0, len(data), 740_000)]
    after = {f"src/a{n}.c": part for n, part in enumerate(parts)}
    return ScanFiles({"src/a0.c": b"int a;\n"}, after, {}, {})


def expansion(data: bytes) -> object:
    files = sources(data)
    return expanded(files.after, files.after)


def staged(data: bytes) -> object:
    files = sources(data)
    return stage_files(files, frozenset(), True)


def expanded_stage(data: bytes) -> object:
    files = sources(data)
    return Readings(files, stage_files(files, frozenset(), True))


def pieces(data: bytes) -> object:
    stage = stage_files(sources(data), frozenset(), True)
    made = Staging(marked=True)
    for entry in stage.entries.values():
        stage_pieces(made, entry, entry.content)
    return made


def blind_spans(data: bytes) -> object:
    """A scan that could not read the text, nor any single line of it."""
    files = sources(data)
    stage = stage_files(files, frozenset(), True)
    errors = []
    for name, entry in stage.entries.items():
        text = entry.content.decode("utf-8", "replace")
        rows = text.split("\n")
        spans = (Span(1, len(rows), text), *(Span(n, n, row) for n, row in enumerate(rows, 1)))
        errors.append(ScanError(name, PARTIAL, "syntax", spans))
    output = ScanOutput((), frozenset(stage.entries), tuple(errors), 1)
    sides, _ = read_first_scan(files, stage, output, "canary")
    for side in sides.values():
        side.read.update(side.broken)
        side.broken.clear()
    return not_scanned(files, sides, [*files.after])


def marked_logs(data: bytes) -> object:
    """Two logs of equal findings with these words, by lines."""
    rows = data.decode("utf-8", "replace").split("\n")
    found = [Finding(rule="r", path="a.c", line=1, end_line=1, code="", message=row, severity="note") for row in rows]
    return compare_logs(found, [*found])


SOURCES: dict[str, Maker] = {
    "newlines": repeated(b"\n"),
    "lines": repeated(b"a\n"),
    "one line": repeated(b"a "),
    "words": repeated(b"ab;"),
    "opening comments": repeated(b"/* "),
    "comments": repeated(b"/**/"),
    "stars": repeated(b"*", b"/*"),
    "opening strings": repeated(b'"\n'),
    "strings": repeated(b'""'),
    "strings side by side": repeated(b'"a" '),
    "telling strings": repeated(b'"%" '),
    "one string of percents": repeated(b"%-", b'"'),
    "backslashes": repeated(b"\\"),
    "spliced lines": repeated(b"a\\\n"),
    "spliced words": repeated(b"\\\n"),
    "spliced with spaces": repeated(b"\\" + b" " * 300 + b"x"),
    "one splice of spaces": repeated(b" ", b"\\"),
    "raw strings": repeated(b'R"('),
    "raw strings with marks": repeated(b'R"aaaaaaaaaaaaaaaa('),
    "raw strings of ends": repeated(b')', b'R"a('),
    "braces": repeated(b"{"),
    "braces of lines": repeated(b"{\n"),
    "closing braces": repeated(b"}\n"),
    "brackets": repeated(b"("),
    "conditions": repeated(b"#if 1\n"),
    "branches": repeated(b"#else\n", b"#if 1\n"),
    "endings": repeated(b"#endif\n"),
    "defines": numbered("#define aN aM\n"),
    "one name defined again": numbered("#define A aN\n"),
    "a macro in itself": numbered("#define aN aM aM\n", b"int x = a000000;\n"),
    "calls that do not end": repeated(b"F(\n", b"#define F(a) a a\n"),
    "calls in calls": repeated(b"F(", b"#define F(a) a a\n"),
    "calls in lines of directives": repeated(b"F(\n#pragma x\n", b"#define F(a) a a\n"),
    "arguments": repeated(b"a,", b"#define F(a,...) a __VA_ARGS__\nF(", b")\n"),
    "pasted": repeated(b"## a ", b"#define F(a) a "),
    "pasted names": lambda size: b"#define F a" + b"##a" * (size // 6) + b"\n" + b"F\n" * (size // 4),
    "strings of arguments": repeated(b"F(\\\\)\n", b"#define F(a) #a\n"),
    "includes": numbered('#include "N.h"\n'),
    "includes of itself": repeated(b'#include "a0.c"\n'),
    "includes of others": repeated(b'#include "a1.c"\n'),
    "includes of open names": repeated(b'#include "'),
    "include of spaces": repeated(b" ", b"#include"),
    "hash and spaces": repeated(b"# "),
    "hash and comments": repeated(b"/**/", b"#"),
    "many hashes and comments": repeated(b"/*" + b"a" * 400 + b"*/ ", b"#"),
    "opening comments before a hash": repeated(b"/*" + b"*" * 490 + b"\n"),
    "names of files": repeated(b"a.", b"#define A "),
    "words of names": repeated(b"a" * 199 + b" ", b"#define A "),
    "arrays": repeated(b"char a[1];\n"),
    "array openers": repeated(b"a ", b"char "),
    "arrays open": repeated(b"a[1]" * 40 + b"\n"),
    "array spaces": repeated(b"a" + b" " * 190 + b"[" + b"x" * 190 + b"]" + b"y" * 190 + b"\n"),
    "namespaces": repeated(b"namespace a {\n"),
    "one namespace": repeated(b"a ", b"namespace "),
    "spaces": repeated(b" "),
    "prototypes": repeated(b"a b("),
    "prototype of spaces": repeated(b"a" + b" " * 98 + b"b" + b" " * 98 + b"(" + b"a" * 399 + b"\n"),
    "prototype words": repeated(b"a ", b"int f("),
    "numbers": repeated(b"1e+", b""),
    "digits": repeated(b"1"),
    "dots": repeated(b"."),
    "carriage returns": repeated(b"\r"),
    "assignments": repeated(b"a=1;\n"),
    "line words": repeated(b"line "),
    "lines of numbers": repeated(b"line 1:1", b""),
    "colons of numbers": repeated(b"a:1:1"),
    "sarif": repeated(b"(sarif:"),
    "brackets of numbers": repeated(b"[(1"),
    "parameters": repeated(b"a * b,", b"int f("),
    "not utf-8": repeated(b"\xff"),
}
SAST: dict[str, Reader] = {
    "expanded": expansion,
    "staged": staged,
    "readings": expanded_stage,
    "pieces": pieces,
    "blind": blind_spans,
    "logs": marked_logs,
    "normalise": lambda data: normalise(data.decode("utf-8", "replace")),
    "clip": lambda data: clip(data.decode("utf-8", "replace")),
    "added lines": lambda data: added_lines(b"a\n", data),
    "spliced": spliced,
    "kinds": lambda data: kinds({"a.c": data, "x.txt": b""}),
}
