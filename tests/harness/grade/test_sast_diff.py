"""The parts of the SAST step that need no scanner: keys, lines, names, pieces."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grade.sast.diff import clip, new_findings, normalise
from harness.grade.sast.evidence import ranges
from harness.grade.sast.files import ScanFiles, added_lines
from harness.grade.sast.languages import LanguageKind, kind_of, kinds
from harness.grade.sast.piecewise import _directives, _parts, _pieces, stage_pieces
from harness.grade.sast.stage import StagedSide, Staging, safe_name, splice_lines
from parsers.sarif import Finding


def at(line: int, code: str = "f(a)", path: str = "a.c", rule: str = "r") -> Finding:
    return Finding(rule, path, line, line, code, "m", "error", ())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("strcpy( a,  b )", "strcpy(a, b)"),
        ("if (x)\n\t\treturn  y;", "if(x) return y;"),
        ("f(a /* why */, b) // nosemgrep", "f(a, b)"),
        ("int/**/x", "int x"),
        ("a + \\\n b", "a+b"),
    ],
)
def test_layout_and_comments_make_no_difference(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [('f("a  b")', 'f("a b")'), ('f("/* a */")', 'f("")'), ("int x", "intx"), ("a", "b")],
)
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(st.text(alphabet="ab \n\t/*\"'\\;(", max_size=40))
def test_normal_form_is_stable(code: str) -> None:
    assert normalise(clip(normalise(code))) == normalise(normalise(code))


@pytest.mark.parametrize("piece", ["/*", '"', "'", "\\", "//", "*/ /*", '"\\'])
def test_normalising_is_linear(piece: str) -> None:
    started = time.process_time()
    normalise(piece * 100_000)
    assert time.process_time() - started < 5


def test_long_code_keeps_its_identity_but_not_its_length() -> None:
    long, other = "a" * 5000, "a" * 4999 + "b"
    assert len(clip(long)) < 600
    assert clip(long) != clip(other)
    assert clip("x  " * 3000) == clip("x " * 3000)


def test_moved_findings_are_not_new() -> None:
    assert new_findings([at(3), at(9)], [at(30), at(90)], {}) == []


def test_renamed_findings_are_not_new_and_others_are() -> None:
    before, after = [at(1, path="old.c")], [at(1, path="new.c"), at(2, path="third.c")]
    assert new_findings(before, after, {"old.c": "new.c"}) == after[1:]
    assert new_findings(before, after, {}) == after


def test_swapped_files_keep_their_findings() -> None:
    before = [at(1, "f(a)", "a.c"), at(1, "f(b)", "b.c")]
    after = [at(1, "f(a)", "b.c"), at(1, "f(b)", "a.c")]
    assert new_findings(before, after, {"a.c": "b.c", "b.c": "a.c"}) == []


def test_the_surplus_of_a_grown_count_is_new_and_the_added_line_is_it() -> None:
    after = [at(1), at(5), at(9)]
    assert new_findings([at(1), at(5)], after, {}) == [at(9)]
    assert new_findings([at(1), at(5)], after, {}, {"a.c": frozenset({5})}) == [at(5)]


def test_without_code_the_message_tells_findings_apart() -> None:
    one = Finding("r", "a.c", 1, 1, "", "unused x", "note", ())
    other = Finding("r", "a.c", 1, 1, "", "unused y", "note", ())
    assert new_findings([one], [one, other], {}) == [other]


FINDINGS = st.lists(
    st.builds(at, st.integers(1, 50), st.sampled_from(["f(a)", "f( a )", "g(b)"])), max_size=8
)


@given(FINDINGS, FINDINGS)
def test_new_findings_are_a_difference_of_multisets(
    before: list[Finding], after: list[Finding]
) -> None:
    new = new_findings(before, after, {})
    for code in ("f(a)", "g(b)"):
        counts = [sum(normalise(f.code) == code for f in group) for group in (before, after, new)]
        assert counts[2] == max(0, counts[1] - counts[0])
    assert new_findings(after, after, {}) == []


def test_added_lines_are_those_that_were_not_there() -> None:
    assert added_lines(b"a\nb\nc\n", b"c\nx\na\nb\nb\n") == {2, 5}
    assert added_lines(b"", b"a\nb\n") == {1, 2}


def test_ranges() -> None:
    assert ranges([5, 1, 2, 3, 9]) == [[1, 3], [5, 5], [9, 9]]
    assert ranges([]) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.c", LanguageKind.C),
        ("A.CPP", LanguageKind.CPP),
        ("a.C", LanguageKind.CPP),
        ("a.h", LanguageKind.HEADER),
        ("config.h.in", LanguageKind.HEADER),
        ("x.inc", LanguageKind.FRAGMENT),
        ("a.c.orig", LanguageKind.NOT_C_FAMILY),
        ("Makefile", LanguageKind.NOT_C_FAMILY),
        ("d.c/notes", LanguageKind.NOT_C_FAMILY),
    ],
)
def test_kind_by_name(path: str, kind: LanguageKind) -> None:
    assert kind_of(path) is kind


def test_what_c_includes_is_c_whatever_its_name() -> None:
    files = {
        "src/a.c": b'#define BODY "body.txt"\n#include BODY\n# include \\\n "table.x"\n',
        "src/body.txt": b'#include "deep.dat"\n',
        "deep.dat": b"",
        "src/table.x": b"",
        "other.txt": b'#include "never.txt"\n',
        "never.txt": b"",
        "data.bin": b"",
    }
    assert {path for path, kind in kinds(files).items() if kind is LanguageKind.HEADER} == {
        "src/body.txt",
        "deep.dat",
        "src/table.x",
    }


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("src/a.c", LanguageKind.C, "src/a.c"),
        ("src/a.cc", LanguageKind.CPP, "src/a.cc~.cpp"),
        ("notes.txt", LanguageKind.HEADER, "notes.txt~.h"),
        (".semgrepignore", LanguageKind.NOT_C_FAMILY, "~/file"),
        (".git/x.c", LanguageKind.C, "~/file.c"),
        ("../x.c", LanguageKind.C, "~/file.c"),
        ("-x/a.c", LanguageKind.C, "~/file.c"),
        ("a\nb.c", LanguageKind.C, "~/file.c"),
        ("\udcff.c", LanguageKind.C, "~/file.c"),
        ("a/" * 50 + "b.c", LanguageKind.C, "~/file.c"),
    ],
)
def test_staged_names_are_harmless(path: str, kind: LanguageKind, name: str) -> None:
    assert safe_name(path, kind) == name


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True))
def test_every_file_gets_a_place_of_its_own(paths: list[str]) -> None:
    stage = Staging(marked=True)
    for path in paths:
        stage.add(StagedSide.AFTER, path, b"", LanguageKind.C)
    assert sorted(entry.path for entry in stage.entries.values()) == sorted(paths)
    names = set(stage.entries)
    assert not any(name.startswith(other + "/") for name in names for other in names)


def test_a_word_that_a_backslash_splits_is_joined_and_lines_stay() -> None:
    source = b"void f(void) {\n str\\\ncpy(a,\\\nb);\n g();\n}\n"
    joined = splice_lines(source)
    assert b" strcpy(a,b);\n\n\n g();" in joined
    assert joined.count(b"\n") == source.count(b"\n")


@pytest.mark.parametrize(
    "source",
    [b"#define F(a) \\\n  do { g(a); \\\n  } while (0)\n", b"a\nb\n", b"", b"\\", b"x \\\ny"],
)
def test_ordinary_macros_keep_their_lines(source: bytes) -> None:
    assert splice_lines(source) == source


@given(st.text(alphabet="ab \\\n\r\t", max_size=60))
def test_joining_never_changes_the_number_of_lines(text: str) -> None:
    source = text.encode()
    assert splice_lines(source).count(b"\n") == source.count(b"\n")


CONDITIONAL = b"""\
int a;
#if X
int b;
# ifdef Y
int c;
# endif
#elif Z || \\
   W
int d;
#else
int e;
#endif
int f;
"""


def test_branches_of_conditionals() -> None:
    lines = CONDITIONAL.split(b"\n")
    parts = _parts(lines)
    texts = [line.decode() for line in lines]
    first = [t for t, p in zip(texts, parts, strict=True) if p.first and not p.directive and t]
    last = [t for t, p in zip(texts, parts, strict=True) if p.last and not p.directive and t]
    assert first == ["int a;", "int b;", "int c;", "int f;"]
    assert last == ["int a;", "int e;", "int f;"]
    assert sum(map(bool, _directives(lines))) == 7


def test_a_piece_is_read_with_all_with_the_first_and_with_the_last_branches() -> None:
    stage = Staging(marked=True)
    entry = stage.add(StagedSide.AFTER, "a.c", CONDITIONAL, LanguageKind.C)
    pieces = Staging(marked=False)
    stage_pieces(pieces, entry, CONDITIONAL)
    names = [
        "".join(b for b in "abcdef" if f"int {b};" in e.content.decode())
        for e in pieces.entries.values()
    ]
    assert names == ["abcdef", "abcf", "aef"]


@given(st.lists(st.sampled_from(["#if 1", "#else", "#endif", "#elif 2", "x;", "}", "y \\", ""])))
def test_pieces_hold_every_line_once_and_every_plain_line_is_read(lines: list[str]) -> None:
    source = "\n".join(lines).encode()
    split = source.split(b"\n")
    pieces = list(_pieces(split))
    assert [n for start, end in pieces for n in range(start, end)] == list(range(len(split)))
    stage = Staging(marked=True)
    entry = stage.add(StagedSide.AFTER, "a.c", source, LanguageKind.C)
    pieces_stage = Staging(marked=True)
    stage_pieces(pieces_stage, entry, source)
    shown = {
        piece.first + number
        for piece in pieces_stage.entries.values()
        for number, kept in enumerate(piece.visible_lines)
        if kept
    }
    plain = {n for n, word in enumerate(_directives(split), 1) if not word}
    assert shown == plain


def test_a_line_that_was_not_there_is_added_whatever_the_patch_says() -> None:
    before, after = {"a.c": b"int a;\nint b;\n"}, {"a.c": b"int new;\nint a;\nint b;\nint b;\n"}
    files = ScanFiles(before, after, {}, {"a.c": frozenset({3})})
    assert files.added["a.c"] == {1, 3, 4}
