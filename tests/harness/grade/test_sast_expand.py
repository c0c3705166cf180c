"""What a compiler sees and a scanner does not: macros, odd includes, split strings."""

from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grade.sast import SastEvidence, compare, load_scanner
from harness.grade.sast.expand import MAX_BYTES, Expanded, expand_files
from harness.grade.sast.languages import LanguageKind, kinds
from harness.grade.sast.macros import token_lines


def reading(code: str, number: int = 0, **files: str) -> str:
    """The text of one reading of a file, on one line; "" where there is none."""
    given = {name.replace("_", "."): text.encode() for name, text in files.items()}
    readings = expand_files({"a.c": code.encode(), **given}, ["a.c"])["a.c"]
    if len(readings) <= number or not readings[number].changed:
        return ""
    return " ".join(readings[number].text.decode().split())


@pytest.mark.parametrize(
    ("definitions", "code", "seen"),
    [
        ("#define ID(x) x", "ID(strcpy)(a, b);", "strcpy(a, b);"),
        ("#define cp(d, s) strcpy(d, s)", "cp(a, (b, c));", "strcpy(a, (b, c));"),
        ("#define OPEN {", "int f(void) OPEN }", "int f(void) { }"),
        ("#define J(a, b) a##b", "J(str, cpy)(a, b);", "strcpy(a, b);"),
        ("#define J(a, b) a%:%:b", "J(str, cpy)(a, b);", "strcpy(a, b);"),
        ("#define K(a) J(a)\n#define J(a) #a", "K(x y);", '"x y";'),
        ("#define F(...) printf(__VA_ARGS__)", 'F("a", b, c);', 'printf("a", b, c);'),
        ("#define F(f, a...) g(f, ## a)", "F(x); F(x, y);", "g(x); g(x, y);"),
        ("#define a b\n#define b a", "a b;", "a b;"),
        ("#define f(x) x f", "f(1)(2);", "1 f(2);"),
        ("#define f(x) [x]", "f;\nf(\n1\n);", "f; [ 1 ] ;"),
        ("#define LONG \\\n  strcpy(a, \\\n  b)", "LONG;", "strcpy(a, b);"),
        ("#define F \"hello %s\"", "sprintf(l, F, n);", 'sprintf(l, "hello %s", n);'),
        ("", 'sprintf(l, "hello %" "s", n);', 'sprintf(l, "hello %s", n);'),
        ("", 'getenv("ASAN" "_OPTIONS");', 'getenv("ASAN_OPTIONS");'),
        ("", 'asm(".inc" "bin \\"x\\"");', 'asm(".incbin \\"x\\"");'),
        ("", 'puts("hello " "s" "%d" PRId64 "%" PRIu32 "s %s" "%s");', ""),
        ("#define safe strcpy\n#undef safe", "safe(a, b);", ""),
        ("#define unused 1", "f(a, b); /* unused */ \"unused\";", ""),
    ],
)  # fmt: skip
def test_macros_are_expanded(definitions: str, code: str, seen: str) -> None:
    assert reading(f"{definitions}\n{code}\n") == seen


@pytest.mark.parametrize(
    "line",
    [
        '#include "notes.txt"',
        '#/**/include "notes.txt"',
        '#include "../odd/notes.txt"',
        "%: include <notes.txt>",
        "#define S(x) #x\n#include S(notes.txt)",
        '#define WHAT "notes.txt"\n#include WHAT',
        "#define S(x) #x\n#define T(a, b) S(a##b)\n#include T(notes, .txt)",
    ],
)
def test_what_is_included_is_read_in_place(line: str) -> None:
    seen = reading(f"int f(void)\n{line}\n", notes_txt="{ strcpy(a, b); }\n")
    assert seen == "int f(void) { strcpy(a, b); }"


@pytest.mark.parametrize(
    "line", ['#/* why */include "notes.txt"', "#define S(x) #x\n#include S(notes.txt)"]
)
def test_what_is_included_is_c_whatever_its_name(line: str) -> None:
    assert kinds({"a.c": line.encode(), "notes.txt": b""})["notes.txt"] is LanguageKind.HEADER


def test_each_definition_of_a_branch_has_its_reading() -> None:
    code = "#ifdef X\n#define c strcpy\n#elif Y\n#define c gets\n#else\n#define c safe\n#endif\nc(a);\n"
    seen = {reading(code, number)[len("#ifdef X #elif Y #else #endif ") :] for number in range(3)}
    assert seen == {"strcpy(a);", "gets(a);", "safe(a);"}


def test_every_line_knows_whence_it_is() -> None:
    code = b'/* 1\n2 */\n#define ID(x) x\n#include "b.inc"\nf(ID(a),\n  b);\nint x; \\\nint y;\nint z;\n'
    (found,) = expand_files({"src/a.c": code, "src/b.inc": b"\nint b;\n"}, ["src/a.c"])["src/a.c"]
    rows = zip(found.places, found.text.decode().splitlines(), strict=True)
    assert [(*place, row.strip()) for place, row in rows if row.strip()] == [
        ("src/b.inc", 2, "int b;"),
        ("src/a.c", 5, "f( a,"),
        ("src/a.c", 6, "b);"),
        ("src/a.c", 7, "int x; int y;"),
        ("src/a.c", 9, "int z;"),
    ]


def test_guards_and_circles_end_an_include() -> None:
    header = '#ifndef H\n#define H\n#include "h.h"\nint h;\n#endif\n'
    seen = reading('#include "h.h"\n#include "h.h"\n#include "a.c"\n', h_h=header)
    assert seen.count("int h;") == 1


BOMBS = {
    "doubling": b"".join(b"#define A%d A%d A%d\n" % (n, n + 1, n + 1) for n in range(60)) + b"A0\n",
    "nested": b"#define f(x) x\n" + b"f(" * 500 + b")" * 500 + b"\n",
    "includes": b'#include "b.h"\n#include "b.h"\n',
}


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_told_and_ends_soon(name: str) -> None:
    started = time.process_time()
    files = {"a.c": BOMBS[name]}
    if name == "includes":
        chain = [*"bcdefghijklmnopqrstu"]
        for one, other in zip(chain, [*chain[1:], "z"], strict=True):
            files[f"{one}.h"] = b'#include "%c.h"\n#include "%c.h"\n' % (ord(other), ord(other))
        files["z.h"] = b"int z;\n" * 10
    assert expand_files(files, ["a.c"])["a.c"] == [Expanded(b"", ())]
    assert time.process_time() - started < 15


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.parametrize("piece", ["f(", "/*", '"', "#define f(x) f(x", "#include", "R\"(", "##", "\\\n"])  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    expand_files({"a.c": b"#define f(x) x\n" + piece.encode() * 20_000}, ["a.c"])
    assert time.process_time() - started < 15


@given(st.text(alphabet="fx #(),\n\\\"'/*define0", max_size=60))
def test_any_text_is_read(text: str) -> None:
    code = b"#define f(x) #x x##x (x)\n#define x f(f\n" + text.encode()
    for found in expand_files({"a.c": code}, ["a.c"])["a.c"]:
        assert found.text.count(b"\n") == len(found.places)
        assert len(found.text) <= MAX_BYTES + 1


@given(st.text(alphabet="ab \n\\/*\"'\r", max_size=60))
def test_tokens_stand_in_their_lines(text: str) -> None:
    lines = text.encode().split(b"\n")
    for token in (token for line in token_lines("a.c", text.encode()) for token in line):
        assert 1 <= token.place[1] <= len(lines)
        assert token.text[:1].encode() in b"".join(lines[token.place[1] - 1 :])


CLEAN = 'void f(char *d, const char *s, size_t n)\n{\n    snprintf(d, n, "%s", s);\n}\n'
HEAD = "void g(const char *s)\n{\n    char d[8];\n"
CHANGES: dict[str, tuple[str, str, int]] = {
    # name: before, after, findings that are new
    "macro": (CLEAN, CLEAN + "#define cp(d, s) strcpy(d, s)\n" + HEAD + "    cp(d, s);\n}\n", 1),
    "identity": (CLEAN, CLEAN + "#define ID(x) x\n" + HEAD + "    ID(sprintf)(d, \"%s\", s);\n}\n", 1),
    "function": (CLEAN, CLEAN + "#define F(n) void n(char *d, char *s) { strcpy(d, s); }\nF(h)\n", 1),
    "braces": (CLEAN, CLEAN + "#define OPEN {\n#define DO(x) x\n" + HEAD.replace("{", "OPEN") + "DO(strcpy(d, s);)\n}\n", 1),
    "same-line": (HEAD + "strcpy(d, s);\n}\n", "#define cp(d, s) strcpy(d, s)\n" + HEAD + "strcpy(d, s); cp(d, s);\n}\n", 1),
    "moved": ("#define cp strcpy\n" + HEAD + "cp(d, s);\n}\n", "#define cp strcpy\n\n\n" + CLEAN + HEAD + "cp(d, s);\n}\n", 0),
    "honest": (CLEAN, "#define CHECK(x) if (!(x)) return -1\n" + CLEAN + "int h(int a)\n{\n    CHECK(a);\n    return a;\n}\n", 0),
    "no-parse": (CLEAN, "#define BEGIN static void h(\n" + CLEAN + "BEGIN int a) { g(a); }\n", 0),
    "bomb": (CLEAN, CLEAN + BOMBS["doubling"].decode(), 0),
    "bomb-before": (BOMBS["doubling"].decode(), CLEAN + BOMBS["doubling"].decode(), 0),
}  # fmt: skip
BIG = [name for name in CHANGES if name.startswith("bomb")]


@cache
def evidence(name: str = "") -> SastEvidence:
    """What one change that is a scan of its own comes to, or without a name all others in one."""
    group = [name] if name else [one for one in CHANGES if one not in BIG]
    return compare(
        {f"src/{one}.c": CHANGES[one][0].encode() for one in group},
        {f"src/{one}.c": CHANGES[one][1].encode() for one in group},
        renames={},
        added={},
        scanner=load_scanner("builtin"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CHANGES if name not in BIG])
def test_new_findings_of_expanded_code(name: str) -> None:
    found = [f for f in evidence().findings if f.path == f"src/{name}.c"]
    assert len({f.line for f in found}) == CHANGES[name][2], found


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.parametrize("name", BIG)
def test_new_findings_of_what_expands_to_much(name: str) -> None:
    found = evidence(name).findings
    assert len({f.line for f in found}) == CHANGES[name][2], found


@pytest.mark.slow
def test_a_finding_is_told_at_its_source_line() -> None:
    lines = CHANGES["braces"][1].split("\n")
    (line,) = {f.line for f in evidence().findings if f.path == "src/braces.c"}
    assert lines[line - 1] == "DO(strcpy(d, s);)"


@pytest.mark.nightly("tens of megabytes, or a time of growth")
def test_what_expands_to_too_much_is_told() -> None:
    assert any("expand" in one.reason and one.suspicious for one in evidence("bomb").not_scanned)
    assert not any("expand" in one.reason for one in evidence("bomb-before").not_scanned)
