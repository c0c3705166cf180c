"""Guards: where they are found, and what is left when they are taken away or made weaker."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.operators import _cleaning
from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._access import but_scheme
from arena.tracks.mutation.operators._alternatives import named_test
from arena.tracks.mutation.operators._calls import checked_late, constants_raised, denied_dropped
from arena.tracks.mutation.operators._guards import (
    Rule,
    guards,
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import each, view


def found(source: str, topic: str = "") -> int:
    return len(guards(view(cst.parse_module(source)), topic))


def without(source: str) -> list[str]:
    return [m.code for m in each(removed_each(""))(cst.parse_module(source))]


def weaker(rule: Rule, test: str, refusing: bool = True) -> list[str]:
    """Tests that a rule makes of a guard's test."""
    body = "raise E" if refusing else "return work()"
    source = f"def f(a, b, c, user):\n    if {test}:\n        {body}\n    return None\n"
    modules = each(weaken_guards(rule))(cst.parse_module(source))
    return [
        ast.unparse(n.test)
        for m in modules
        for n in ast.walk(ast.parse(m.code))
        if isinstance(n, ast.If)
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if a:\n        raise E",
        "if a:\n        return None",
        "if a:\n        return {'error': 'no'}, 400",
        "if a:\n        abort(403)",
        "if a: return False",
        "assert a",
        "check_owner(a)",
        "for b in a:\n        if b:\n            continue\n        use(b)",
        "if a:\n        use(a)\n        return True\n    return False",
        "if a:\n        use(a)",
        "return use(a) if a else None",
    ],
)
def test_a_guard_is_found(body: str) -> None:
    assert found(f"def f(a):\n    {body}\n") == 1


@pytest.mark.parametrize(
    "body",
    [
        "if a:\n        b = 1\n    else:\n        b = 2\n    return b",
        "if a == 1:\n        return a\n    return 2 * a",
        "use(a)",
        "return a and 1",
        "if (b := a):\n        raise E(b)",
        "return a if a else 7",
        "return f'?{a}' if a else ''",
    ],
)
def test_no_guard_is_found(body: str) -> None:
    assert found(f"def f(a):\n    {body}\n") == 0


def test_a_guard_is_known_by_what_its_names_stand_for() -> None:
    source = "def f(u):\n    host = parse(u).hostname\n    if host in D:\n        raise E\n    return u\n"
    assert found(source, "hostname") == 1
    assert found(source, "owner") == 0


@pytest.mark.parametrize(
    "before, after",
    [
        ("if a:\n    raise E\nelse:\n    use(a)\n", "use(a)\n"),
        ("if a:\n    raise E\nelif b:\n    use(b)\n", "if b:\n    use(b)\n"),
        ("if c:\n    use(c)\nelif a:\n    raise E\n", "if c:\n    use(c)\n"),
        ("while c:\n    if a:\n        continue\n", "while c:\n    pass\n"),
        ("x = use(a) if a else None\n", "x = use(a)\n"),
    ],
)
def test_what_is_left_without_a_guard(before: str, after: str) -> None:
    assert after in without(before)


def test_a_guard_tells_when_it_only_measures() -> None:
    source = "def f(a):\n    if a.x {} a.y:\n        raise E\n    return a\n"
    assert [found(source.format(sign), "^magnitude:") for sign in ("<", ">=", "==", "in")] == [
        1,
        1,
        0,
        0,
    ]


def test_a_validator_says_yes() -> None:
    source = "def is_owner(u, d):\n    return u == d.owner\n"
    assert without(source) == [source.replace("u == d.owner", "True")]


def test_removing_all_needs_several_in_one_function() -> None:
    one = "def f(a):\n    if a: raise E\ndef g(b):\n    if b: raise E\n"
    two = "def f(a, b):\n    if a: raise E\n    if b: raise E\n    return a\n"
    assert list(each(removed_all(""))(cst.parse_module(one))) == []
    assert [m.code for m in each(removed_all(""))(cst.parse_module(two))] == [
        "def f(a, b):\n    return a\n"
    ]


@pytest.mark.parametrize(
    "rule, test, refusing, expected",
    [
        (rules.condition_dropped, "a or b or c", True, ["b or c", "a or c", "a or b"]),
        (rules.condition_dropped, "a and b", True, []),
        (rules.condition_dropped, "a and b", False, ["b", "a"]),
        (rules.condition_dropped, "not (a and b)", True, ["not b", "not a"]),
        (rules.connective_swapped, "a or b", True, ["a and b"]),
        (rules.connective_swapped, "a and b", False, ["a or b"]),
        (
            rules.only_when_present,
            "not a or a != b",
            True,
            ["a and a != b", "not a or (b and a != b)"],
        ),
        (
            rules.only_when_present,
            "a == b and c",
            False,
            ["(not a or a == b) and c", "(not b or a == b) and c"],
        ),
        (but_scheme(rules.condition_dropped), "a != 'Bearer' or b", True, ["a != 'Bearer'"]),
        (but_scheme(rules.presence_for_value), "a != 'Bearer'", True, []),
        (but_scheme(rules.presence_for_value), "a != b", True, ["a is None", "b is None"]),
        (rules.limit_raised, "a > 10", True, ["a > 10 * 1000"]),
        (rules.limit_raised, "a < 10", True, ["a < 1"]),
        (rules.limit_raised, "a > 10", False, ["a > 1"]),
        (rules.suffix_for_equality, "a != 'x'", True, ["not a.endswith('x')"]),
        (rules.suffix_for_equality, "a == 'x'", True, []),
        (rules.attribute_present, "not user.is_admin", True, ["not hasattr(user, 'is_admin')"]),
        (rules.attribute_present, "user.is_banned", True, []),
        (rules.method_uncalled, "not user.has_role('x')", True, ["not user.has_role"]),
        (
            rules.substring_for_member,
            "a not in ('x', 'y')",
            True,
            ["not any((entry in a for entry in ('x', 'y')))"],
        ),
        (rules.substring_for_member, "a in ('x', 'y')", True, []),
        (rules.role_widened("user"), "a != 'admin'", True, ["a not in ('admin', 'user')"]),
    ],
)
def test_a_rule_refuses_less(rule: Rule, test: str, refusing: bool, expected: list[str]) -> None:
    assert weaker(rule, test, refusing) == expected


NAMES = st.sampled_from("abc")
TESTS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        inner.map(lambda t: f"(not {t})"),
    ),
    max_leaves=6,
)
WEAKENING = [rules.condition_dropped, rules.connective_swapped]


@given(TESTS, st.booleans(), st.sampled_from(WEAKENING))
def test_a_weaker_test_never_refuses_more(test: str, refusing: bool, rule: Rule) -> None:
    for made in weaker(rule, test, refusing):
        for bits in range(8):
            values = {name: bool(bits >> place & 1) for place, name in enumerate("abc")}
            before, after = (bool(eval(source, {}, values)) for source in (test, made))
            assert after <= before if refusing else after >= before, (test, made, values)


def test_a_check_comes_too_late() -> None:
    source = "def f(a):\n    if a:\n        raise E\n    with open(a) as file:\n        return file.read()\n"
    late = [m.code for m in each(checked_late("", "open"))(cst.parse_module(source))]
    assert late == [
        "def f(a):\n    with open(a) as file:\n        result = file.read()\n    if a:\n        raise E\n"
        "    return result\n"
    ]
    assert list(each(checked_late("", "save"))(cst.parse_module(source))) == []


def test_a_check_stays_where_its_names_change_later() -> None:
    source = "def f(a):\n    if a:\n        raise E\n    a = use(a)\n    return a\n"
    assert list(each(checked_late("", "."))(cst.parse_module(source))) == []


def test_lists_and_limits_are_followed_to_their_constants() -> None:
    source = "D = ['x', 'y']\nM = 10\ndef f(a):\n    if a in D or len(a) > M:\n        raise E\n    return a\n"
    module = cst.parse_module(source)
    assert [m.code.partition("\n")[0] for m in each(denied_dropped(""))(module)] == [
        "D = ['y']",
        "D = ['x']",
    ]
    assert "M = 10 * 1000\n" in next(iter(each(constants_raised(""))(module))).code


def test_a_named_test_decides_the_same() -> None:
    source = "def f(a):\n    if a:\n        raise E\n    return a\n"
    assert [m.code for m in each(named_test)(cst.parse_module(source))] == [
        "def f(a):\n    refused = a\n    if refused:\n        raise E\n    return a\n"
    ]


def test_a_literal_of_the_module_is_never_absent() -> None:
    source = "known = 's'\ndef f(a):\n    if a != known:\n        raise E\n    return a\n"
    made = [m.code for m in each(weaken_guards(rules.presence_for_value))(cst.parse_module(source))]
    assert made == [source.replace("a != known", "a is None")]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("def f(a):\n    return escape(a)\n", "def f(a):\n    return a\n"),
        ("def f(a, most=9):\n    return escape(a)\n", "def f(a, most=9):\n    return a\n"),
        ("def f(a, b):\n    return escape(a) + b\n", ""),
        ("def f(a):\n    return f'<p>{escape(a)}</p>'\n", ""),
    ],
)
def test_only_a_helper_is_made_hollow(source: str, expected: str) -> None:
    made = [m.code for m in each(_cleaning.hollow())(cst.parse_module(source))]
    assert made == ([expected] if expected else [])


@pytest.mark.parametrize(
    "joined, raw",
    [
        ("escape(c) for c in a", "a"),
        ("escape(c) for c in a.strip()", "a.strip()"),
        ("escape(line) for line in a.splitlines()", ""),
        ("f'<p>{escape(c)}</p>' for c in a", ""),
    ],
)
def test_only_characters_of_one_text_are_joined_raw(joined: str, raw: str) -> None:
    module = cst.parse_module(f"def f(a):\n    return ''.join({joined})\n")
    made = [m.code for m in each(_cleaning.joined_raw)(module)]
    assert made == ([f"def f(a):\n    return {raw}\n"] if raw else [])
