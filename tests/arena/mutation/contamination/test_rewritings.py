"""Every rewriting does what its examples say, and keeps what small programs work out."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.contamination.rewritings._rewriting import Rewriting, RewritingExample
from parsers.registry import lookup, names

PACKAGE = "arena.tracks.mutation.contamination.rewritings"
REWRITINGS: dict[str, Rewriting] = {name: lookup(PACKAGE, name) for name in names(PACKAGE)}
EXAMPLES = [(name, example) for name, one in REWRITINGS.items() for example in one.examples]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_examples_come_out_as_they_say(name: str, example: RewritingExample) -> None:
    made = REWRITINGS[name].rewrite(cst.parse_module(example.before)).code
    assert made == (example.after or example.before)
    ast.parse(made)


@pytest.mark.parametrize("name", REWRITINGS)
def test_each_has_examples_of_both_sorts(name: str) -> None:
    assert any(example.after for example in REWRITINGS[name].examples)
    assert any(not example.after for example in REWRITINGS[name].examples)


PIECES = [
    "if a > b:\n    c = a\nelse:\n    c = 30\n",
    "if not a:\n    c = 1\nelif b:\n    c = 2\nelse:\n    c = 3\n",
    "if a in (1, 2, 3):\n    raise ValueError(a)\n",
    "if b == 7:\n    return c + 40\nelse:\n    c = 5\n",
    "found = []\nfor n in range(a):\n    if n % 2:\n        found.append(n * b)\nc = found\n",
    "d = 1\ne = 'x'\nc = (d, e, a)\n",
    "d = c\nc = b\n",
    "if b is None:\n    c = 1\nelse:\n    c = [x for x in range(4)]\n",
    "for n in range(3):\n    if n == a:\n        break\nelse:\n    c = 9\n",
    "try:\n    c = a // b\nexcept ZeroDivisionError:\n    c = None\n",
]
ENDS = ["return c\n", "return 5 if a else 6\n", "return str(c) + str(a)\n", "return a < b\n", ""]


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(PIECES), max_size=5),
    st.sampled_from(ENDS),
    st.lists(st.sampled_from(sorted(REWRITINGS)), min_size=1, max_size=9),
)
def test_programs_work_as_before(pieces: list[str], end: str, chosen: list[str]) -> None:
    body = "".join(["c = 0\n", *pieces, end])
    source = "def f(a, b):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    module = cst.parse_module(source)
    for name in chosen:
        module = REWRITINGS[name].rewrite(module)
    before, after = _results(source), _results(module.code)
    assert before == after, module.code


def _results(source: str) -> list[str]:
    space: dict[str, object] = {}
    exec(source, space)
    function = space["f"]
    assert callable(function)
    told = []
    for arguments in ((0, 0), (1, 7), (3, 2), (5, 7), (9, 9)):
        try:
            told.append(repr(function(*arguments)))
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            told.append(f"raised {type(error).__name__}: {error}")
    return told
