"""Tables in LaTeX: no cell can say anything to LaTeX."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.report.grid import Table
from arena.report.latex import escape_latex, to_latex

# What the escaping itself writes.
OURS = re.compile(r"\\(?:[#$%&_{}]|text[a-z]+\{\}|ldots\{\})|\{\}")


@given(st.text(st.characters(codec="utf-8")))
@example("100 % & #1 $x$ _y_ {z} ~ ^ \\input{secret}")
@example("\\\\[5pt] % \n\\end{document}")
@example("--flag ?` !` `` '' << >>")
@example("\x1b[31m\u202e\u4e2d\U0001f600\ufffd")
def test_no_special_character_of_a_cell_gets_through(text: str) -> None:
    rest = OURS.sub(" ", escape_latex(text))
    assert not set(rest) & set("#$%&_{}~^\\<>|\n\r\t")
    assert all(c.isascii() or 0xC0 <= ord(c) < 0x180 for c in rest)
    assert not re.search(r"--|``|''|,,|\?`|!`", escape_latex(text))


def test_text_stays_readable() -> None:
    assert escape_latex("C&S 12.5 % of agent_1") == r"C\&S 12.5 \% of agent\_1"
    assert escape_latex("a\\b^c~d") == r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d"
    assert escape_latex("--json") == "-{}-json"
    assert escape_latex("caf\u00e9 \u4e2d") == "caf\u00e9 U+4E2D"


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(), st.text(), st.floats(0, 100) | st.none()), max_size=4))
@example([("[5pt]", "&", 1.0), ("*", "\\\\", None)])
def test_a_table_has_the_rows_and_cells_that_it_has(
    rows: list[tuple[str, str, float | None]],
) -> None:
    """Every row ends in one line with two cells' ends, and none begins as an option of the line before."""
    made = to_latex([Table(0, "a & b", ("x", "y", "z"), tuple(rows), "what % is")])
    body = made.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
    assert len(body) == len(rows)
    for line in body:
        assert len(re.findall(r"(?<!\\)&", line)) == 2
        assert line.endswith(r" \\") and not line.startswith(("[", "*"))
    assert r"\label{tab:a-b}" in made
    assert r"\caption{a \& b}" in made and r"what \% is" in made


def test_a_caption_is_in_words_and_has_a_label() -> None:
    made = to_latex([Table(0, "repo: leaderboard", ("x",), ())])
    assert r"\caption{Leaderboard, track repo}" in made
    assert r"\label{tab:repo-leaderboard}" in made
    assert r"\caption{Note: all pairs}" in to_latex([Table(0, "Note: all pairs", ("x",), ())])
