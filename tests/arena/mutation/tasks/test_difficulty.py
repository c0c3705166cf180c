"""Difficulty: counted by hand, and blind to what does not run."""

from __future__ import annotations

import pytest

from arena.tracks.mutation.tasks.difficulty import Shape, difficulty_of, shape_of

PLAIN = "def f(a):\n    return g(a)\n"
BRANCHED = """
def f(a, b):
    '''Text.'''
    if a and b:
        for x in a:
            if x:
                g(x)
    elif b:
        h()
    return [y for y in a if y]
"""


def test_counts_by_hand() -> None:
    assert shape_of(PLAIN) == Shape(lines=2, branches=0, calls=1, depth=0)
    # if, and, for, if, elif, the comprehension's if; lines: def, if, for, if, g, elif, h, return
    assert shape_of(BRANCHED) == Shape(lines=8, branches=6, calls=2, depth=3)


def test_a_chain_of_elif_is_not_deep() -> None:
    chain = "if a:\n    pass\n" + "elif b:\n    pass\n" * 30
    assert shape_of(chain).depth == 1


@pytest.mark.parametrize(
    ("source", "level"),
    [(PLAIN, "easy"), (BRANCHED, "medium"), (BRANCHED * 3, "hard")],
)
def test_levels(source: str, level: str) -> None:
    assert difficulty_of(source) == level


def test_docstrings_and_comments_do_not_count() -> None:
    wordy = '"""Module."""\n# words\ndef f(a):\n    """Much\n    text."""\n    return g(a)\n'
    assert shape_of(wordy) == shape_of(PLAIN)


def test_more_branches_are_never_easier() -> None:
    points = [shape_of(PLAIN + "if a: b()\n" * n).points for n in range(20)]
    assert points == sorted(points)
