"""Commits of a formatter change no code; all else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from szz.formatting import changes_no_code, same_code
from szz.repository import Repository
from tests.szz.conftest import Maker

SPACE = st.sampled_from([" ", "\n", "\t", "\r\n", " /* c */ ", " // c\n", "\\\n ", "\n\n"])
TOKENS = st.sampled_from(["a", "b", "(", ")", "{", "}", ";", "+", "1.5e3", "'x'", "if", "*", "#"])


@given(st.lists(TOKENS, max_size=20), st.data())
def test_how_tokens_are_spaced_is_no_code(tokens: list[str], data: st.DataObject) -> None:
    def spaced() -> bytes:
        gaps = data.draw(st.lists(SPACE, min_size=len(tokens), max_size=len(tokens)))
        # a directive ends with its line, so `#` stands where it can begin none
        words = (f"x {t}" if t == "#" else t for t in tokens)
        return "".join(w + g for w, g in zip(words, gaps, strict=True)).encode()

    assert same_code(spaced(), spaced())


@given(st.lists(TOKENS, min_size=1, max_size=20), st.data())
def test_another_token_is_other_code(tokens: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(tokens) - 1))
    other = [*tokens[:place], "other", *tokens[place + 1 :]]
    assert not same_code(" ".join(tokens).encode(), " ".join(other).encode())


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ('#include "b.h"\n#include <a.h>\nx\n', '#include <a.h>\n#include "b.h"\nx\n', True),
        (
            '#include "b.h"\n#if A\n#include "a.h"\n',
            '#include "a.h"\n#if A\n#include "b.h"\n',
            False,
        ),
        ('#include "a.h"\n', '#include "b.h"\n', False),
        ('#include "b.def"\n#include "a.def"\n', '#include "a.def"\n#include "b.def"\n', False),
        ("#include <map>\n#include <a/b.h>\n", "#include <a/b.h>\n#include <map>\n", True),
        ("#include_next <b.h>\n#include <a.h>\n", "#include <a.h>\n#include_next <b.h>\n", False),
        ("#  include <a.h>\n", "#include <a.h>", True),
        ("#define A b\nc\n", "#define A\nb c\n", False),
        ("#define A(x) x\n", "#define A(x) \\\n  x\n", True),
        ("#define A 1\n#define B 2\n", "#define B 2\n#define A 1\n", False),
        ('p("ab" "cd");', 'p("abcd");', True),
        ('p("ab", "cd");', 'p("abcd");', False),
        ('#define A "a" "b" c', '#define A "ab" c', True),
        ('p("a b");', 'p("ab");', False),
        ("a // b\nc", "a c // b", True),
        ("a // b \\\nc", "a", True),
        ("a // b\nc", "a // b c", False),
        ("x; y;", "y; x;", False),
        ("intx;", "int x;", False),
        ("a + ++b;", "a++ + b;", False),
        ("a++ + b;", "a ++ +b;", True),
        ("a & &b;", "a && b;", False),
        ("a&&b;", "a && b;", True),
        ("#define f (x)\n", "#define f(x)\n", False),
        ("#define f(x) g (x)\n", "#define f(x) g(x)\n", True),
        (r'p("\x1" "2");', r'p("\x12");', False),
        ("", "// only a comment\n", True),
    ],
)
def test_what_is_the_same(before: str, after: str, same: bool) -> None:
    assert same_code(before.encode(), after.encode()) is same


def test_which_commits_change_no_code(history: Maker) -> None:
    code, other = b"int f(int a,\n      int b);\n", b"all:\n\tcc f.c\n"
    more = b"int g;\nint h;\nint i;\n"
    path, ids = history(
        {b"f.c": code, b"Makefile": other},
        {b"f.c": b"int f(int a, int b);\n", b"Makefile": other},
        {b"f.c": b"int f(int a, int b);\n", b"Makefile": b"all: \n\tcc f.c\n\n"},
        {b"f.c": b"int f(int a, int b);\n", b"Makefile": b"all: cc f.c\n"},
        {b"f.c": b"int f(int a, int b);\n", b"Makefile": b"all: cc f.c\n", b"g.c": more},
        {
            b"f.c": b"int f(int a, int b);\n",
            b"Makefile": b"all: cc f.c\n",
            b"h.c": b"// of g\n" + more,
        },
    )
    with Repository(path) as repository:
        plain = [changes_no_code(repository, commit) for commit in ids]
    assert plain == [False, True, True, False, False, True]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (b"f.cc", b'/*!re2c "a" { return 1; } */\n', b'/*!re2c "a" { return 2; } */\n'),
        (b"f.c", b"/*!rules:re2c a = 1; */\n", b"/*!rules:re2c a = 2; */\n"),
        (b"lib/Makefile.inc", b"AA = b\nCC = d\n", b"AA = b CC = d\n"),
    ],
)
def test_what_c_takes_for_space_may_be_code(
    history: Maker, name: bytes, before: bytes, after: bytes
) -> None:
    path, ids = history({name: before}, {name: after})
    with Repository(path) as repository:
        assert not changes_no_code(repository, ids[1])


def test_what_git_shows_no_lines_of_may_be_code(history: Maker) -> None:
    one, other = b"int a;\n\0", b"int b;\n\0"
    path, ids = history(
        {b"f.c": one, b"p/x.c": b"int g;\n" * 9, b"q/y.c": b"int g;\n" * 9},
        {b"f.c": other, b"p/x.c": b"int g;\n" * 9, b"q/y.c": b"int g;\n" * 9},
        {b"f.c": other, b"d/y.c": b"int g;\n" * 9},
        {b"f.c": other, b"d/y.c": b"intg;\n" + b"int g;\n" * 8},
    )
    with Repository(path) as repository:
        assert not any(changes_no_code(repository, commit) for commit in ids)
