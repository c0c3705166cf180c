"""Filters: any of the values of a field, all of the fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.selection import FIELDS, Selection
from arena.store.model import Row
from tests.arena.report.made import row

A = row("CV", agent="a", cwes=("CWE-20", "CWE-22"), language="c")
B = row(None, agent="b", health="", language="c")
C = row("C&S", agent="c", cwes=("CWE-79",), language="cpp")


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({}, [A, B, C]),
        ({"agent": ["a", "c"]}, [A, C]),
        ({"agent": ["a", "c"], "language": ["c"]}, [A]),
        ({"cwe": ["CWE-22", "CWE-79"]}, [A, C]),
        ({"label": [""]}, [B]),
        ({"label": ["", "CV"]}, [A, B]),
        ({"health": [""]}, [B]),
        ({"agent": ["nobody"]}, []),
        ({"project": []}, [A, B, C]),
    ],
)
def test_what_is_selected(query: dict[str, list[str]], wanted: list[Row]) -> None:
    chosen = Selection.from_query(query)
    assert [one for one in (A, B, C) if chosen.matches(one)] == wanted


def test_fields_are_those_of_the_interface() -> None:
    assert FIELDS == ("run", "track", "agent", "model", "prompt", "language", "project", "cwe", "domain", "label", "health")  # fmt: skip


@given(name=st.text(max_size=8).filter(lambda name: name not in FIELDS))
def test_an_unknown_field_lists_the_known(name: str) -> None:
    with pytest.raises(ValueError, match="known: run, track, agent, model"):
        Selection.from_query({name: ["x"]})


def test_from_the_command_line() -> None:
    found = Selection.parse(["agent=command:a=b", "agent=c", "model="])
    assert found == Selection(agent=("command:a=b", "c"), model=("",))
    with pytest.raises(ValueError, match="--where 'agent': not FIELD=VALUE"):
        Selection.parse(["agent"])
