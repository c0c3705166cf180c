"""Calls of a test, written so that they can be made again."""

from __future__ import annotations

import pytest

from arena.tracks.mutation.oracle.remade import sources
from arena.tracks.mutation.runner.facts import EndOfTest, MockCall, TestOutcome


@pytest.mark.parametrize(
    ("calls", "due"),
    [
        ([("find", "(('a', 1), {'k': [2]})")], ["find('a', 1, k=[2])"]),
        ([("Store.find", "((<Store {'n': 1}>, 'x'), {})")], ["Store().find('x')"]),
        ([("Store.all", "((<a.Store object at 0x1>,), {})")], ["Store().all()"]),
        ([("Store.make", "((<class 'a.Store'>, 'b'), {})")], ["Store.make('b')"]),
        (
            [
                ("S.__init__", "((<S object>, 'a'), {'k': 1})"),
                ("S.get", "((<S {'u': '>, '}>, 'x'), {})"),
            ],
            ["S('a', k=1).get('x')"],
        ),
        ([("find", "((<object object at 0x1>, open), {})")], []),
        ([("find", "(('a...")], []),
        ([("find", "1")], []),
        ([("find", "((<object object at 0x1>, 'x'), {})")], []),
        ([("GET /x", "(('a',), {})")], []),
    ],
)
def test_sources(calls: list[tuple[str, str]], due: list[str]) -> None:
    test = TestOutcome("t", EndOfTest.FAILED, calls=tuple(MockCall(*call) for call in calls))
    assert list(sources(test)) == due
