"""Twins have one normal form; programs that mean something else have not."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.bindings import lost_names, unbound
from arena.tracks.mutation.normal import normal_form, plain_form


def inside(body: str) -> str:
    """A function of two parameters with this body."""
    return "def f(a, b):\n" + "".join(f"    {line}\n" for line in body.splitlines())


ALIKE = [
    ("if a:\n    pass\nreturn b", "return b"),
    ("if False:\n    raise ValueError(a)\nreturn b", "return b"),
    ("if True:\n    return a\nelse:\n    return b", "return a"),
    ("if not True:\n    b()\nreturn a", "return a"),
    ("while False:\n    b()\nreturn a", "return a"),
    ("return a\nprint(b)", "return a"),
    ("raise a\nreturn b", "raise a"),
    ("pass\nreturn a", "return a"),
    ("'a text'\nreturn a", "return a"),
    ("if not not a:\n    b()", "if a:\n    b()"),
    ("if bool(a):\n    b()", "if a:\n    b()"),
    ("if a and True:\n    b()", "if a:\n    b()"),
    ("if a or False:\n    b()", "if a:\n    b()"),
    ("if False and a:\n    b()\nreturn a", "return a"),
    ("if a:\n    pass\nelse:\n    b()", "if not a:\n    b()"),
    ("if a:\n    return 1\nelse:\n    return 2", "if a:\n    return 1\nreturn 2"),
    (
        "if a:\n    return 1\nelif b:\n    return 2\nreturn 3",
        "if a:\n    return 1\nif b:\n    return 2\nreturn 3",
    ),
    ("return a if True else b", "return a"),
    ("return (a)", "return a"),
    ("c = 1\nreturn a", "return a"),
    ("c = a\nd = c\nreturn b", "return b"),
    ("a = a\nreturn a", "return a"),
    ("c = b()\nc.x()\nreturn c", "d = b()\nd.x()\nreturn d"),
    ("for c in a:\n    b(c)", "for d in a:\n    b(d)"),
    ("try:\n    a()\nexcept E as c:\n    b(c)", "try:\n    a()\nexcept E as d:\n    b(d)"),
    ("c = a()\nreturn c", "return a()"),
    ("return f'text'", "return 'text'"),
    ("if not (a in b):\n    b()", "if a not in b:\n    b()"),
    ("return g(x=a, y=b)", "return g(y=b, x=a)"),
    ("return requests.get(a, verify=True)", "return requests.get(a)"),
    ("return html.escape(a, quote=True)", "return html.escape(a)"),
    ("return html.escape(a, True)", "return html.escape(a)"),
    ("return subprocess.run(a, shell=False)", "return subprocess.run(a)"),
    ("assert True\nreturn a", "return a"),
    ("if a:\n    if False:\n        b()\nreturn b", "return b"),
]

UNLIKE = [
    ("if a():\n    pass\nreturn b", "return b"),
    ("if a:\n    b()", "if not a:\n    b()"),
    ("if a and b:\n    b()", "if a or b:\n    b()"),
    ("return a and True", "return a"),
    ("return bool(a)", "return a"),
    ("return not not a", "return a"),
    ("return a\nyield b", "return a"),
    ("if False:\n    yield a\nreturn b", "return b"),
    ("print(x)\nreturn a\nx = 1", "print(x)\nreturn a"),
    ("c = a()\nreturn b", "return b"),
    ("global c\nc = 1\nreturn b", "return b"),
    ("c = 1\nreturn eval(a)", "return eval(a)"),
    ("c = 1\nd = 2\nreturn (c, d)", "c = 2\nd = 1\nreturn (c, d)"),
    ("return g(x=a(), y=b())", "return g(y=b(), x=a())"),
    ("return requests.get(a, verify=False)", "return requests.get(a)"),
    ("return html.escape(a, quote=False)", "return html.escape(a)"),
    ("return html.escape(a, quote=0)", "return html.escape(a)"),
    ("return re.sub(a, b, a, count=False)", "return re.sub(a, b, a)"),
    ("return a", "return b"),
    ("while True:\n    a()", "a()"),
    ("x.c = 1\nreturn a", "return a"),
    ("if a:\n    return 1\nelse:\n    b()\nreturn 2", "if a:\n    return 1\nreturn 2"),
    ("for a in b:\n    continue\n    yield", "for a in b:\n    continue"),
    ("if not (a == b):\n    b()", "if a == b:\n    b()"),
    ("return [c for c in a if b]", "return [c for c in a]"),
    ("try:\n    a()\nexcept E:\n    pass", "a()"),
    (
        "c = a\ndef g():\n    nonlocal c\n    c = b\ng()\nreturn c",
        "def g():\n    c = b\ng()\nreturn a",
    ),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_means_the_same_has_one_form(one: str, other: str) -> None:
    assert normal_form(inside(one)) == normal_form(inside(other))


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_what_means_something_else_has_another_form(one: str, other: str) -> None:
    assert normal_form(inside(one)) != normal_form(inside(other))


def test_parameters_and_globals_keep_their_names() -> None:
    assert normal_form("def f(a): return a") != normal_form("def f(b): return b")
    assert normal_form("x = 1") != normal_form("y = 1")


def test_the_plain_form_overlooks_words_only() -> None:
    said = '"""All."""\ndef f(a):\n    """One."""\n    # a comment\n    return (a)\n'
    assert plain_form(said) == plain_form("def f(a): return a")
    assert plain_form(said) != plain_form("def f(a):\n    if a: pass\n    return a\n")


STATEMENTS = st.sampled_from(
    [
        "x = 1",
        "x = a",
        "y = x",
        "a = a",
        "out.append(a)",
        "pass",
        "if a: out.append(1)",
        "if not not a: out.append(2)",
        "if a and True: out.append(b)\n    else: out.append(3)",
        "if False: out.append(4)",
        "if b:\n        pass\n    else:\n        out.append(5)",
        "if a or False: return out",
        "while False: out.append(6)",
        "out.append(7 if True else 8)",
        "out.append(not (a in [1]))",
        "return (out, a)",
        "x = b\n    if x: out.append(x)",
    ]
)


@given(st.lists(STATEMENTS, max_size=8), st.integers(0, 1), st.integers(0, 1))
def test_a_normal_form_behaves_as_the_program(body: list[str], a: int, b: int) -> None:
    code = "def f(a, b, out):\n    x = y = 0\n" + "".join(f"    {line}\n" for line in body)
    code += "    return (out, b)\n"
    form = normal_form(code)
    rebuilt = ast.fix_missing_locations(
        eval(form, {**vars(ast)})  # the dump of our own tree
    )
    source = ast.unparse(rebuilt).replace("local ", "local_")
    assert run(code, a, b) == run(source, a, b)
    assert normal_form(source.replace("local_", "v")) == form


def run(code: str, a: int, b: int) -> object:
    space: dict[str, object] = {}
    exec(code, space)
    function = space["f"]
    assert callable(function)
    return function(a, b, [])


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import os\nprint(os.sep, __name__)", set()),
        ("def f(a):\n    return [b for b in a if c]", {"c"}),
        ("class A:\n    x = 1\n    y = x\n    def m(self): return x", {"x"}),
        ("class A:\n    y = z", {"z"}),
        ("def f():\n    global g\n    g = 1\ndef h(): return g", set()),
        ("def f():\n    x = 1\n    def g(): return x\n    return g", set()),
        ("def f(a: Unknown) -> None: ...", {"Unknown"}),
        ("from os import *\nprint(anything)", set()),
        ("# from os import *\nprint(anything)", {"anything"}),
        ("try: pass\nexcept E as e: print(e)", {"E"}),
        ("print(late)\nlate = 1", set()),
        ("f = lambda a, *b, **c: (a, b, c, d)", {"d"}),
    ],
)
def test_names_that_nothing_binds(code: str, names: set[str]) -> None:
    assert unbound(code) == names


def test_a_local_that_is_only_read_any_more_is_lost() -> None:
    before = "x = 0\ndef f(a):\n    x = a\n    return x\n"
    assert lost_names(before, "x = 0\ndef f(a):\n    return x\n") == {"x"}
    assert not lost_names(before, "x = 0\ndef f(a):\n    return a\n")
