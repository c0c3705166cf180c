"""A wording in a prefix stays a comment, whatever it holds."""

from __future__ import annotations

import ast
import io
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.tasks.prefix import fill, inner_indent, problem_of

BLOCK = "import os\n\n\ndef f(a):\n    b = a\n    {task}\n    if b:\n"
UTF8 = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.mark.slow
@given(UTF8.filter(str.strip))
def test_no_wording_leaves_its_comment(wording: str) -> None:
    filled = fill(BLOCK, wording)
    expected = ast.dump(ast.parse(BLOCK.replace("{task}", "") + "        pass"))
    assert ast.dump(ast.parse(filled + "\n        pass")) == expected
    tokens = tokenize.generate_tokens(io.StringIO(filled + "\n        pass\n").readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    assert "".join(" ".join(one[1:] for one in comments).split()) == "".join(wording.split())


def test_a_long_wording_is_wrapped_and_keeps_its_words_and_its_indentation() -> None:
    filled = fill(BLOCK, "word-by-word " * 40)
    comments = [line for line in filled.splitlines() if "#" in line]
    assert len(comments) > 3
    assert all(line.startswith("    # word-by-word") and len(line) <= 96 for line in comments)
    assert " ".join(comments).count("word-by-word") == 40


@pytest.mark.parametrize(
    ("prefix", "indent"),
    [
        ("def f():", "    "),
        ("def f():\n    x = 1", "    "),
        ("with a:\n    if b:", "        "),
        ("x = 1", ""),
    ],
)
def test_the_line_that_follows_is_one_step_deeper_after_a_colon(prefix: str, indent: str) -> None:
    assert inner_indent(prefix) == indent


@pytest.mark.parametrize(
    ("template", "suffix", "problem"),
    [
        ("{task}\nvalue =", "", ""),
        ("{task}\nvalue =\n\n", "print(value)\n", ""),
        ("{task}\nvalue = (", "", "must end right after"),
        ("{task}\nvalue = 1 =", "", "does not compile"),
        ("{task}\nvalue =", "return\n", "does not compile"),
    ],
)
def test_a_prefix_before_an_assignment(template: str, suffix: str, problem: str) -> None:
    found = problem_of(template, "assignment", suffix)
    assert found.startswith(problem) if problem else not found


def test_all_white_space_of_a_wording_counts_as_one_space() -> None:
    filled = fill("{task}\nx =", "  one\n\n two\u2028three\x0bfour  five ")
    assert filled == "# one two three four five\nx ="
