"""What is known of data when one of several tests was passed, and when only one branch was taken."""

from __future__ import annotations

import textwrap

from arena.tracks.exposure.flow.facts import CallFact, Check
from arena.tracks.exposure.flow.reading import read


def used(program: str) -> CallFact:
    (call,) = read(textwrap.dedent(program)).calls_of("?use")
    return call


def ways(program: str) -> list[set[str]]:
    (either,) = (check for check in used(program).checks if check.operator == "either")
    return [{_named(check) for check in way} for way in either.alternatives]


def _named(check: Check) -> str:
    return min(name.rpartition(".")[2] for name in check.name) if check.name else check.operator


def test_either_of_two_conditions() -> None:
    found = ways(
        """
        x = input()
        if x == "a" or x.startswith("b"):
            use(x)
        """
    )
    assert found == [{"=="}, {"startswith"}]


def test_either_of_a_helpers_returns() -> None:
    found = ways(
        """
        def fine(x):
            if x.isdigit():
                return True
            return x.endswith("c") or x.startswith("b")
        y = input()
        if not fine(y):
            exit(1)
        use(y)
        """
    )
    assert found == [{"isdigit", "truth"}, {"isdigit", "endswith"}, {"isdigit", "startswith"}]


def test_an_either_in_an_either_is_taken_apart() -> None:
    found = ways(
        """
        x = input()
        if (x.isdigit() or x.endswith("a")) or (x.startswith("b") or x == "c"):
            use(x)
        """
    )
    assert found == [{"isdigit"}, {"endswith"}, {"startswith"}, {"=="}]


def test_a_check_outlasts_a_default_where_a_part_is_still_named() -> None:
    call = used(
        """
        from urllib.parse import urlparse
        url = input()
        parts = urlparse(url)
        if parts.netloc != "example.com":
            url = "/"
        use(url)
        """
    )
    assert "==" in [check.operator for check in call.checks]


def test_a_header_is_assigned_under_checks() -> None:
    (assignment,) = (
        one
        for one in read("if a == 1:\n    r['Location'] = b\n").assignments
        if "Location" in one.target
    )
    assert [check.operator for check in assignment.checks] == ["=="]
