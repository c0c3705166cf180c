"""One verdict of several detectors, and the panel that it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.tools._joining import JOINS, join
from arena.tracks.exposure.tools._panel import (
    BUILTIN,
    UNSCANNED,
    Examination,
    Opinion,
    examine,
    place,
)
from arena.tracks.exposure.tools._tool import Alert, Scan, Staged, Tool, ToolProgram
from tests.arena.exposure.tools.making import BROKEN, NO_SQL, SQL, SQL_BOUND, SQL_BUILT

V, S, N, X, U = "vulnerable", "safe", "not-applicable", "invalid", UNSCANNED


def opinions(*verdicts: str) -> dict[str, Opinion]:
    """Ours, then tools a, b, ..."""
    return {
        name: Opinion(verdict, number, f"why {name}")
        for number, (name, verdict) in enumerate(zip((BUILTIN, *"abcdef"), verdicts, strict=False))
    }


@pytest.mark.parametrize(
    ("verdicts", "any_", "all_", "replace"),
    [
        ((V, V), V, V, V),
        ((V, S), V, S, S),
        ((S, V), V, S, V),
        ((S, S), S, S, S),
        ((N, S), N, N, S),
        ((N, V), V, N, V),
        ((V, U), V, V, U),
        ((S, U), S, S, U),
        ((N, U), N, N, U),
        ((V, V, S), V, S, V),
        ((V, V, U), V, V, V),
        ((S, U, V), V, S, V),
        ((S, U, S), S, S, S),
        ((X, X), X, X, X),
    ],
)
def test_joined(verdicts: tuple[str, ...], any_: str, all_: str, replace: str) -> None:
    found = [join(opinions(*verdicts), how).verdict for how in ("any", "all", "replace")]
    assert found == [any_, all_, replace]


def test_the_reason_names_who_says_so_and_who_could_not_look() -> None:
    found = join(opinions(S, V, U), "any")
    assert (found.line, found.why) == (1, "a: why a; b: unscanned: why b")
    assert join(opinions(S, U), "replace").why == "a: unscanned: why a"


@given(st.lists(st.sampled_from([V, S, N, U]), min_size=2, max_size=5), st.sampled_from(JOINS))
def test_a_joined_verdict_is_one_that_somebody_gave(verdicts: list[str], how: str) -> None:
    verdicts = [V if verdicts[0] == U else verdicts[0], *(S if v == N else v for v in verdicts[1:])]
    found = join(opinions(*verdicts), how).verdict
    assert found in verdicts
    assert found != U or (how == "replace" and set(verdicts[1:]) == {U})
    if how == "any":
        assert (found == V) == (V in verdicts)
    if how == "all":
        assert (found == V) == ({V} == set(verdicts) - {U})


@dataclass(frozen=True)
class Marks:
    """A tool that reports a rule where a word is, and counts how often it is started."""

    word: str
    rules: Mapping[str, tuple[str, ...]] | None = None
    starts: list[int] | None = None

    def scan(self, staged: Staged) -> Scan:
        if self.starts is not None:
            self.starts.append(len(staged.programs))
        alerts = [
            Alert(name, 2, "R", ("CWE-89",), "two\nlines")
            for name in staged.programs
            if self.word in (staged.root / name).read_text("utf-8")
        ]
        return Scan(tuple(alerts), {}, self.rules, "marks 1", ("a note",))


def panel(
    *texts: str, rules: Mapping[str, tuple[str, ...]] | None = None, **tools: Tool
) -> Examination:
    sources = [
        (ToolProgram(f"{number}.py", (), "cwe-89-0", SQL), text.encode())
        for number, text in enumerate(texts)
    ]
    return examine(sources, tools, rules or {})


def test_each_tool_scans_all_programs_that_compile_once() -> None:
    starts: list[int] = []
    found = panel(SQL_BUILT, BROKEN, SQL_BOUND, NO_SQL, marks=Marks("%", starts=starts))
    assert starts == [3]
    said = [
        [str(one.opinions[name].verdict) for name in (BUILTIN, "marks")] for one in found.programs
    ]
    assert said == [[V, V], [X, X], [S, S], [N, S]]
    assert found.programs[0].opinions["marks"] == Opinion(V, 2, "R: two lines")
    assert found.versions["marks"] == "marks 1"
    assert found.notes == ("marks: a note",)


def test_no_tool_is_started_where_nothing_compiles() -> None:
    starts: list[int] = []
    found = panel(BROKEN, marks=Marks("%", starts=starts))
    assert starts == []
    assert found.programs[0].opinions["marks"].verdict == X


def test_the_users_table_counts_in_the_panel() -> None:
    assert (
        panel(SQL_BUILT, marks=Marks("%"), rules={"R": ()}).programs[0].opinions["marks"].verdict
        == S
    )
    blind = panel(SQL_BOUND, marks=Marks("%", {"R": ("CWE-1",)})).programs[0].opinions["marks"]
    assert (blind.verdict, blind.why) == (U, "marks has no rule for this weakness (CWE-89)")


def test_staged_names_are_plain() -> None:
    assert place(12) == "programs/program_12.py"
