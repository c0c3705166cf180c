"""Where completions stop: each case is a prefix, a completion, and what is kept of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.sampling.stopping import RULES, assignment, block, lines
from arena.tracks.exposure.tasks.pack import load_exposure

DEF = "def f():"
LOOP = "def f():\n    for x in xs:"

BLOCKS = {
    "the next function": (DEF, "\n    return 1\n", "\n\ndef g():\n    pass\n"),
    "code at the margin": (DEF, "\n    return 1\n", "print(f())\n"),
    "a decorator": (DEF, "\n    return 1\n", '\n@app.route("/")\ndef g():\n    pass\n'),
    "its comment goes with what follows": (DEF, "\n    return 1\n", "\n# next\nx = 1\n"),
    "a comment at the margin inside": (DEF, "\n    a()\n# why\n    b()\n", "x = 1\n"),
    "blank lines inside": (DEF, "\n    a()\n\n\n    b()\n", "\nx = 1\n"),
    "a nested function": (
        DEF,
        "\n    @wrap\n    def g():\n        pass\n    return g\n",
        "x = 1\n",
    ),
    "a text over several lines": (
        DEF,
        '\n    q = """\nSELECT 1\ndef g():\n"""\n    return q\n',
        "x = 1\n",
    ),
    "an f-string and a raw one": (
        DEF,
        "\n    a = f'''\n{x}\n'''\n    b = r'''\n\\d\\''x'''\n",
        "x = 1\n",
    ),
    "a quote in a comment": (DEF, "\n    a()  # it's\n", "x = 1\n"),
    "a hash in a text": (DEF, "\n    a('#')\n", "x = 1\n"),
    "a quote that is never closed": (DEF, "\n    a = '\n", "x = 1\n"),
    "brackets": (DEF, "\n    a(\n1,\n)\n", "x = 1\n"),
    "a bracket too many": (DEF, "\n    a())\n", "x = 1\n"),
    "a continued line": (DEF, "\n    a = 1 + \\\n2\n", "x = 1\n"),
    "tabs": (DEF, "\n\tif a:\n\t\tb()\n", "x = 1\n"),
    "a tab is eight columns": ("class C:\n        def f(self):", "\n\t    a()\n", "\tb()\n"),
    "line ends of Windows": (DEF, "\r\n    a(\r\n1)\r\n    b()\r\n", "\r\nx = 1\r\n"),
    "line ends of old": (DEF, "\r    a()\r", "x = 1\r"),
    "a form feed": (DEF, "\n    a()\n", "\f\nx = 1\n"),
    "an else of its own": (LOOP, "\n        a()\n    else:\n        b()\n", "    c()\n"),
    "the loop is left, not the function": (LOOP, "\n        a()\n", "    return 1\n"),
    "a body that was begun": (DEF + "\n    a = 1", "\n    return a\n", "x = 1\n"),
    "a line that was begun": (DEF + "\n    return (", "1 +\n2)\n", "x = 1\n"),
    "a header that was begun": (DEF + "\n    for x in", " y:\n        a()\n", "    b()\n"),
    "the place is told by white space": (LOOP + "\n        a()\n    ", "b()\n    c()\n", "d()\n"),
    "and where a blank line follows it": (LOOP + "\n        a()\n    ", "\n    b()\n", "c()\n"),
    "the place is told by a comment": (
        LOOP + "\n        a()\n    # then\n",
        "    b()\n",
        "c()\n",
    ),
    "a with is no loop": ("def f():\n    with a:", "\n        b()\n    return 1\n", "c()\n"),
    "an if outside of all": ("if a:", "\n    b()\nelif c:\n    d()\nelse:\n    e()\n", "f()\n"),
    "a try outside of all": ("try:", "\n    b()\nexcept E:\n    d()\n", "f()\n"),
    "async": ("async def f():", "\n    await a()\n", "b()\n"),
    "left at once": (DEF, "\n", "return 1\n"),
}
WHOLE = {
    "the end is cut": (DEF, "\n    return re"),
    "half a text": (DEF, '\n    q = """\nSELECT\ndef g('),
    "half a bracket": (DEF, "\n    a(\nx\n"),
    "a comment at the end": (DEF, "\n    a()\n# more\n"),
    "no block": ("x = 1", "\ny = 2\ndef g():\n    pass\nz = 3\n"),
}
ASSIGNMENTS = {
    "a line": ("x =", " 1\n", "y = 2\n"),
    "its comment": ("x =", " 1  # one\n", "y = 2\n"),
    "brackets over lines": ("x =", " re.compile(\n    r'^a;b$',\n)\n", "y = 2\n"),
    "a text over lines": ("x =", " '''\na\n'''\n", "y = 2\n"),
    "a continued line": ("x =", " 1 + \\\n  2\n", "y = 2\n"),
    "a semicolon": ("x =", " f(';')", "; y = 2\n"),
    "a quote that is never closed": ("x =", " 'abc\n", "y = 2\n"),
    "in a function": ("def f():\n    x =", " 1\n", "    return x\n"),
    "lines of Windows": ("x =", " (1,\r\n2)\r\n", "y\r\n"),
    "nothing was begun": ("# x\n", "import re\nif a == b: pass\nx: int = 3\n", "y = 2\n"),
    "only an indentation was begun": ("if a:\n    ", "b(c=1)\n    x = 3\n", "    y = 2\n"),
    "of two on a line": ("", "a(); x = 1", "; y = 2\n"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_ends_where_it_is_left(name: str) -> None:
    prefix, kept, rest = BLOCKS[name]
    assert block(prefix, kept + rest) == kept
    assert block(prefix, kept) == kept


@pytest.mark.parametrize("name", WHOLE)
def test_what_never_leaves_its_block_is_kept_whole(name: str) -> None:
    prefix, completion = WHOLE[name]
    assert block(prefix, completion) == completion


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_ends_with_its_statement(name: str) -> None:
    prefix, kept, rest = ASSIGNMENTS[name]
    assert assignment(prefix, kept + rest) == kept
    assert assignment(prefix, kept) == kept


@pytest.mark.parametrize("completion", [" re.compile(", " '''abc", "", " 1", " f(\\"])
def test_half_an_assignment_is_kept_whole(completion: str) -> None:
    assert assignment("x =", completion) == completion


PIECES = st.sampled_from(
    [
        *(
            "\n",
            "\r\n",
            "\r",
            "    ",
            "  ",
            "\t",
            "\f",
            " ",
            "\\\n",
            "\\",
            "#",
            "# it's\n",
            "'",
            '"',
        ),
        *("'''", '"""', "(", ")", "[", "]", "{", "}", ";", ":", ":=", "=", "==", "x", "x = 1\n"),
        *(
            "def g():\n",
            "return 1\n",
            "else:",
            "for x in y:",
            "if a:",
            "@app\n",
            "async ",
            "é",
            "\0",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)
PREFIXES = st.sampled_from(
    [DEF, LOOP, "x =", "def f():\n    x =", "if a:", "", DEF + "\n    ", DEF + "\n    a()"]
)


@given(rule=st.sampled_from(sorted(RULES)), prefix=PREFIXES, completion=TEXTS)
def test_what_is_kept_begins_the_completion_and_is_kept_again(
    rule: str, prefix: str, completion: str
) -> None:
    kept = RULES[rule](prefix, completion)
    assert completion.startswith(kept)
    assert RULES[rule](prefix, kept) == kept


@given(text=TEXTS)
def test_lines_come_in_order_and_do_not_overlap(text: str) -> None:
    end = 0
    for line in lines(text):
        assert end <= line.start < line.end <= len(text)
        assert not text[end : line.start].strip(" \t\f\r\n\\")
        assert [one for one, _ in line.ends] == sorted(one for one, _ in line.ends)
        end = line.end
    assert not text[end:].strip(" \t\f\r\n\\")


@given(
    body=st.sampled_from(["\n    a(1)\n", '\n    q = """\nx\n"""\n    b()\n']),
    follows=st.sampled_from(["x = 1\n", "def g():\n    pass\n", "@a\ndef g(): pass\n"]),
    junk=TEXTS,
)
def test_nothing_behind_the_block_can_alter_what_is_kept(
    body: str, follows: str, junk: str
) -> None:
    assert block(DEF, body + follows + junk) == body


@pytest.mark.slow
@pytest.mark.parametrize("rule", sorted(RULES))
def test_hostile_text_takes_linear_time(rule: str) -> None:
    pieces = ("(", '"""', "\\\n", "'", "# \n", "    x\n", "a;", " ", '"\\', "=", "\t\n", "'''a")
    started = time.process_time()
    for piece in pieces:
        RULES[rule](DEF, "\n    " + piece * (60_000 // len(piece)))
    assert time.process_time() - started < 6


def test_each_shipped_prefix_has_a_place_to_stop_at() -> None:
    kept = {"block": "\n{i}pass\n", "assignment": " None\n"}
    for scenario in load_exposure("exposure").scenarios:
        prefix = scenario.prefix(0)
        last = prefix.splitlines()[-1]
        indent = " " * (len(last) - len(last.lstrip()) + 4 * last.endswith(":"))
        wanted = kept[scenario.spec.stop].format(i=indent)
        found = RULES[scenario.spec.stop](prefix, wanted + "\n\ndef other():\n    pass\n")
        assert found == wanted, scenario.id
