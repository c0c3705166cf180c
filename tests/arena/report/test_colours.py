"""Syntax colours change no character, and hostile code costs no time."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.details.changes import shown_patch
from arena.report.details.colours import (
    LEXERS,
    LONGEST_LINE,
    colour_lines,
    colour_patch,
    colour_program,
)

pytestmark = pytest.mark.slow

CODE = st.text(
    "int/*\"'#\\ \n\t\r(){};0x9ab\u0000\u202e\U0001f600\ud800\u00e4@`\u2028", max_size=80
)


@given(CODE, st.sampled_from(sorted(LEXERS)))
def test_the_runs_of_a_line_are_as_long_as_the_line(code: str, language: str) -> None:
    lines = list(enumerate(code.split("\n"), 5))
    found = colour_lines(lines, language, time.monotonic() + 60)
    for number, line in lines:
        if runs := found.get(str(number)):
            units = len(line.encode("utf-16-le", "surrogatepass")) // 2
            assert sum(length for length, _ in runs) == units


def test_both_sides_of_a_hunk_are_read_as_one_text() -> None:
    """The comment begins in the context: it colours what is added, and not what was deleted after it ended."""
    patch = (
        b"--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n /* a\n-b */ int old;\n+b int new;\n */ int c;\n"
    )
    told = shown_patch(patch)
    kinds = {n: [kind for _, kind in runs] for n, runs in told["colours"].items()}
    assert kinds["5"] == ["c"], "added, inside the comment"
    assert kinds["4"][0] == "c" and "k" in kinds["4"], "deleted: the comment ends there"


@pytest.mark.parametrize("code", ["(" * 300, "/*" * 200, '"\\' * 200, "R\"(" * 100, "a" * (LONGEST_LINE + 1), "//" + "\\\n" * 3000])  # fmt: skip
def test_hostile_code_is_bounded(code: str) -> None:
    begun = time.process_time()
    for language in LEXERS:
        colour_program(code, language)
    assert time.process_time() - begun < 30
    assert colour_lines([(0, "int a;")], ".c", deadline=0.0) == {}, "no time is left"
    assert colour_program("x" * (LONGEST_LINE + 1), "c") == {}


@pytest.mark.parametrize("code", ["a " + "//\\\n" * 60 + "!", "a " + "\n" * 50_000 + "!"])
def test_code_that_holds_up_the_highlighter_holds_up_nobody_else(code: str) -> None:
    """One expression of Pygments' C needs exponential or cubic time for these, and looks at no clock."""
    ticks: list[float] = []
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(0.05):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick, daemon=True)
    other.start()
    begun = time.monotonic()
    assert colour_program(code, "c") == {}
    took = time.monotonic() - begun
    ended.set()
    assert took < 20 and len(ticks) >= 5
    assert colour_program("int a;", "c") == {"0": [[3, "k"], [3, ""]]}, "the next one is coloured"


def test_an_unknown_language_has_no_colours() -> None:
    assert colour_program("int a;", "cobol") == {}
    assert colour_patch("", [{"old": None, "new": None, "hunks": []}]) == {}
