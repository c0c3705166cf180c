"""A flag that an `if` sets says what the condition was, after the loop as well."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.flow.reading import read

LOOP = "def f(names):\n    bad = False\n    for one in names:\n"
SET = "        if one.isupper():\n            bad = True\n"
USED = "    if bad:\n        return\n    sink(names)\n"


def _asked(source: str) -> set[bool]:
    """How isupper() is known to have come out when sink is called."""
    (call,) = read(source).calls_of("?sink")
    checks = (c for c in call.checks if any(name.endswith(".isupper") for name in c.name))
    return {check.holds for check in checks if check.operator == "call"}


@pytest.mark.parametrize(
    "body",
    [
        SET,
        SET + "            break\n",
        SET + "            continue\n",
        "        if not one.isupper():\n            pass\n        else:\n            bad = True\n",
        SET + "        if one.isdigit():\n            bad = True\n",
    ],
)
def test_a_flag_that_stayed_down_says_that_no_round_raised_it(body: str) -> None:
    assert _asked(LOOP + body + USED) == {False}


def test_a_flag_that_starts_up_says_the_same() -> None:
    loop = "def f(names):\n    fine = True\n    for one in names:\n"
    body = "        if one.isupper():\n            fine = False\n"
    assert _asked(loop + body + "    if fine:\n        sink(names)\n") == {False}


@pytest.mark.parametrize(
    "body",
    [
        "        bad = False\n" + SET,
        SET + "        bad = False\n",
        SET + "            bad = False\n",
        SET + "            if one:\n                bad = False\n",
        SET + "        if one.isdigit():\n            bad = False\n",
        "        if one.isupper():\n            print(bad)\n",
    ],
)
def test_a_flag_that_is_taken_back_says_nothing_of_all_rounds(body: str) -> None:
    assert _asked(LOOP + body + USED) == set()


def test_a_flag_that_nothing_asks_says_nothing() -> None:
    assert _asked(LOOP + SET + "    if bad:\n        print(bad)\n    sink(names)\n") == set()


def test_records_of_zip_and_namedtuple_keep_their_columns() -> None:
    source = (
        "from collections import namedtuple\nPair = namedtuple('Pair', 'key, word')\n"
        "for name, word in zip(['a'], ['b']):\n    sink(name, word)\n"
        "for one in [Pair('c', word='d')]:\n    sink(one.key, one.word)\n"
    )
    given = [[a.texts for a in call.arguments] for call in read(source).calls_of("?sink")]
    assert given == [[("a",), ("b",)], [("c",), ("d",)]]


def test_what_a_flag_said_before_is_gone_where_the_other_way_set_it_anew() -> None:
    source = "def f(one):\n    bad = one.isupper()\n    if one.isdigit():\n        bad = True\n"
    assert _asked(source + "    if not bad:\n        sink(one)\n") == {False}
    anew = source + "    else:\n        bad = other()\n    if not bad:\n        sink(one)\n"
    assert _asked(anew) == set()
