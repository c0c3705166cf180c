"""Modes as numbers, as words of chmod, and as masks; and that many files cost no more than their number."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.detect._modes import (
    changes_of,
    mode_of_number,
    mode_of_word,
    widest_mode,
)
from arena.tracks.exposure.detect.file_mode import PLUGIN
from arena.tracks.exposure.flow.facts import UNKNOWN
from arena.tracks.exposure.flow.reading import read


@given(st.integers(0, 0o7777))
def test_a_number_and_its_word_are_one_mode(number: int) -> None:
    assert mode_of_word(f"{number:o}") == mode_of_number(number)
    assert mode_of_number(number).others == any(digit != "0" for digit in f"{number:04o}"[-2:])


@pytest.mark.parametrize(
    "word, others",
    [
        ("go-rwx", False),
        ("u=rw,go=", False),
        ("og=,u+x", False),
        ("a-rwx,u+rw", False),
        ("=r", True),
        ("+x", True),
        ("o-rwx", True),
        ("u+rw", True),
    ],
)
def test_a_symbolic_mode_changes_a_plain_new_file(word: str, others: bool) -> None:
    found = mode_of_word(word)
    assert found is not None and found.others is others


@pytest.mark.parametrize("word", ["", "secret.txt", "u+q", "888", "u=rw;id"])
def test_what_is_no_mode_is_none(word: str) -> None:
    assert mode_of_word(word) is None


@pytest.mark.parametrize(
    "expression, others",
    [
        ("st.st_mode & ~0o077", False),
        ("st.st_mode & ~(stat.S_IRWXG | stat.S_IRWXO)", False),
        ("st.st_mode & ~stat.S_IRWXO", True),
        ("st.st_mode | 0o600", True),
        ("(st.st_mode & 0o700) | stat.S_IRGRP", True),
        ("masked", False),
    ],
)
def test_masks_of_a_mode_that_is_not_known(expression: str, others: bool) -> None:
    tree = ast.parse(f"masked = os.stat(p).st_mode\nmasked &= 0o700\nx = {expression}")
    node = tree.body[-1]
    assert isinstance(node, ast.Assign)
    assert widest_mode(UNKNOWN, node.value, changes_of(tree)).others is others


@pytest.mark.slow
def test_many_files_are_judged_in_linear_time() -> None:
    lines = "".join(f"open('f{n}', 'w')\nos.chmod('f{n}', mode)\n" for n in range(1500))
    facts = read("import os\nmode = os.stat('x').st_mode & 0o700\n" + lines)
    begun = time.process_time()
    PLUGIN.judge(facts)
    assert time.process_time() - begun < 8
