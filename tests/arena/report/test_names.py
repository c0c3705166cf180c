"""Long names in little room: what differs stays different."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arena.report.grid import Table, print_grid
from arena.report.names import cut_apart

ALIKE = st.builds(
    lambda head, own, tail: head * 9 + own + tail * 9,
    *(st.sampled_from("ab"), st.text("ab…0", max_size=3), st.sampled_from(["", "x"])),
)


ANY = st.one_of(ALIKE, ALIKE, st.text(max_size=30))


@pytest.mark.slow
@given(st.lists(ANY, min_size=5, max_size=30), st.integers(1, 20))
def test_different_names_stay_different_at_any_width(names: list[str], width: int) -> None:
    """36 codes are enough for 30 names even where one character is all the room that there is."""
    short = cut_apart(names, width)
    assert set(short) == set(names)
    assert len(set(short.values())) == len(set(names))
    assert all(len(text) <= width for text in short.values())
    assert all(short[name] == name for name in names if len(name) <= width)


@pytest.mark.parametrize(
    ("names", "width", "due"),
    [
        (["a-very-long-name", "short"], 10, ["a-ve…-name", "short"]),
        (["agent-with-tools-careful-v1", "agent-with-tools-daring-v1"], 12, ["agent…ful-v1", "agent…ing-v1"]),
        (["openhands-careful-settings-1", "openhands-daring1-settings-1"], 10, ["…careful…", "…daring1…"]),
        (["a" * 20 + "b" + "c" * 20 + "x", "a" * 20 + "d" + "c" * 20 + "x"], 8, ["…b…", "…d…"]),
    ],
)  # fmt: skip
def test_what_names_share_is_cut(names: list[str], width: int, due: list[str]) -> None:
    assert list(cut_apart(names, width).values()) == due


def test_a_table_cuts_no_name() -> None:
    names = [f"{'x' * 170}-{n}" for n in range(2)]
    table = Table(0, "names", ("agent", "n"), tuple((name, 1) for name in names))
    out = io.StringIO()
    print_grid([table], console=narrow(Console(file=out)))
    text = "".join(line.strip("│┃ ").split("│")[0].strip() for line in out.getvalue().splitlines())
    assert all(name in text for name in names)


def narrow(console: Console) -> Console:
    console.width = 80
    return console
