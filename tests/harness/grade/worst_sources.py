"""The worst texts that are known for what reads sources before and after a scanner."""

from __future__ import annotations

from harness.grade.sast.blind import not_scanned
from harness.grade.sast.compare import read_first_scan, stage_files
from harness.grade.sast.diff import clip, normalise
from harness.grade.sast.expand import expand_files
from harness.grade.sast.files import ScanFiles, added_lines
from harness.grade.sast.languages import kinds
from harness.grade.sast.logs import compare_logs
from harness.grade.sast.piecewise import stage_pieces
from harness.grade.sast.readings import Readings
from harness.grade.sast.scanner import PARTIAL, ScanError, ScanOutput, Span
from harness.grade.sast.stage import Staging, splice_lines
from parsers.sarif import Finding
from tests.harness.grade.worst_makers import Maker, Reader, numbered, repeated


def sources(data: bytes) -> ScanFiles:
    """A patch that adds these bytes to a source, in files of the size that is scanned."""
    parts = [data[at : at + 740_000] for at in range(0, len(data), 740_000)]
    after = {f"src/a{n}.c": part for n, part in enumerate(parts)}
    return ScanFiles({"src/a0.c": b"int a;\n"}, after, {}, {})


def expansion(data: bytes) -> object:
    files = sources(data)
    return expand_files(files.after, files.after)


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
    rows = data[: len(data) // 4].decode("utf-8", "replace").split("\n")
    found = [
        Finding(rule="r", path="a.c", line=1, end_line=1, code="", message=row, severity="note")
        for row in rows
    ]
    return compare_logs(found, [*found])


def small_files(data: bytes) -> object:
    """The text as lines of many files, all of which are read as sources."""
    files = {f"a{n}.c": row + b"\n" for n, row in enumerate(data.split(b"\n")[:50_000])}
    return expand_files(files, files)


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
    "raw strings of ends": repeated(b")", b'R"a('),
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
    "pasted names": lambda size: (
        b"#define F a" + b"##a" * (size // 6) + b"\n" + b"F\n" * (size // 4)
    ),
    "strings of arguments": repeated(b"F(\\\\)\n", b"#define F(a) #a\n"),
    "includes": numbered('#include "N.h"\n'),
    "seams of strings": repeated(b'"s' + b"a" * 22 + b'%" '),
    "strings of one argument": repeated(
        b"#a ", b"#define F(a) ", b"\n" + b"F(" + b"b " * 100_000 + b")\n"
    ),
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
    "prototype of spaces": repeated(
        b"a" + b" " * 98 + b"b" + b" " * 98 + b"(" + b"a" * 399 + b"\n"
    ),
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
    "small files": small_files,
    "staged": staged,
    "readings": expanded_stage,
    "pieces": pieces,
    "blind": blind_spans,
    "logs": marked_logs,
    "normalise": lambda data: normalise(data.decode("utf-8", "replace")),
    "clip": lambda data: clip(data.decode("utf-8", "replace")),
    "added lines": lambda data: added_lines(b"a\n", data),
    "spliced": splice_lines,
    "kinds": lambda data: kinds({"a.c": data, "x.txt": b""}),
}
