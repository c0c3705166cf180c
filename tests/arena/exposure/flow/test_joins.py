"""What is still known after two branches of a program joined."""

from __future__ import annotations

import textwrap

import pytest

from arena.tracks.exposure.flow.facts import CallFact
from arena.tracks.exposure.flow.reading import read


def used(program: str) -> CallFact:
    (call,) = read(textwrap.dedent(program)).calls_of("?use")
    return call


@pytest.mark.parametrize(
    ("condition", "operator"),
    [("x not in KNOWN", "in"), ("x != 'a'", "=="), ("not x.isdigit()", "call"), ("not (x == 'a' or x.isdigit())", "either")],
)  # fmt: skip
def test_a_check_lasts_where_the_other_way_takes_a_constant(condition: str, operator: str) -> None:
    call = used(
        f"""
        KNOWN = ("a", "b")
        x = input()
        if {condition}:
            x = "a"
        use(x)
        """
    )
    assert operator in {check.operator for check in call.checks}


def test_a_check_does_not_last_where_the_other_way_keeps_the_data() -> None:
    call = used(
        """
        x = y = input()
        if x not in ("a", "b"):
            x = "a"
        use(y)
        """
    )
    assert not call.checks


@pytest.mark.parametrize(
    ("expression", "open_"),
    [
        ("x if x in ('a', 'b') else 'a'", False),
        ("'a' if x not in KNOWN else x", False),
        ("x if x in FOUND else 'a'", True),
        ("x if 'a' in x else 'a'", True),
        ("x if y in KNOWN else 'a'", True),
    ],
)
def test_one_of_some_constants_is_no_data_of_anybody(expression: str, open_: bool) -> None:
    call = used(
        f"KNOWN = ['a', 'b']\nFOUND = load()\nx = input()\ny = input('')\nuse({expression})"
    )
    assert bool(call.arguments[0].untrusted_flows) is open_


def test_lists_of_dicts_come_together() -> None:
    call = used(
        """
        rows = [({"name": "a"},)]
        for word in input().split():
            rows = [({"name": word},), *rows]
        use(rows[0][0]["name"])
        """
    )
    assert [flow.source.kind for flow in call.arguments[0].untrusted_flows] == ["input"]


@pytest.mark.parametrize(("other", "lasts"), [("raise ValueError", True), ("z = x", False)])
def test_the_only_case_that_goes_on_tells_what_matched(other: str, lasts: bool) -> None:
    call = used(
        f"""
        x = input()
        match x:
            case "a" | "b":
                z = x
            case _:
                {other}
        use(z)
        """
    )
    assert any(check.operator == "in" for check in call.checks) is lasts
