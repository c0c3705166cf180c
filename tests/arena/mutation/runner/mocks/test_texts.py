"""Statements and arguments: what counts as data and what as structure."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.runner.mocks._ldap import (
    FilterError,
    escape_value,
    matches,
    matching_entries,
)
from arena.tracks.mutation.runner.mocks._sql import statements
from arena.tracks.mutation.runner.mocks._text import SHELL, SQL, XPATH, command_injected, judge

TEXTS = st.text(st.characters(codec="ascii", exclude_characters="\0"), min_size=3, max_size=30)


@pytest.mark.parametrize(
    ("text", "argument", "seen", "changed"),
    [
        ("SELECT * FROM t WHERE n = 'alice'", "alice", True, False),
        ("SELECT * FROM t WHERE n = 'John Smith'", "John Smith", True, False),
        ("SELECT * FROM t WHERE n = 'x' OR '1'='1'", "x' OR '1'='1", True, True),
        ("SELECT * FROM t WHERE n = 'admin'--'", "admin'--", True, True),
        ("SELECT * FROM t WHERE id = 7", "7", True, False),
        ("SELECT * FROM t WHERE id = 7 OR 1=1", "7 OR 1=1", True, True),
        ("SELECT * FROM t LIMIT 17", "7", False, False),
        ("SELECT * FROM t WHERE n LIKE '%ali%'", "ali", True, False),
        ("SELECT * FROM t WHERE n = 'O''Brien'", "O'Brien", False, False),
        ("SELECT * FROM t WHERE n = 'O'Brien'", "O'Brien", True, True),
        ("SELECT * FROM t WHERE n = ?", "' OR 1=1", False, False),
        ("SELECT * FROM t ORDER BY name", "name", True, False),
        ("SELECT * FROM t ORDER BY name; DROP TABLE t", "name; DROP TABLE t", True, True),
        ("SELECT '/*' || 'abc' /* abc", "abc", True, False),
    ],
)
def test_sql(text: str, argument: str, seen: bool, changed: bool) -> None:
    assert judge(text, [argument], SQL) == (seen, changed)


def test_xpath() -> None:
    assert judge("//u[@n='bob']", ["bob"], XPATH) == (True, False)
    assert judge("//u[@n='' or '1'='1']", ["' or '1'='1"], XPATH) == (True, True)
    assert judge("//u[@n=$n]", ["' or '1'='1"], XPATH) == (False, False)


@given(TEXTS)
def test_a_quoted_argument_never_changes_a_line(argument: str) -> None:
    assert not command_injected(f"ping {shlex.quote(argument)}", [argument])


@pytest.mark.parametrize(
    ("line", "argument", "injected"),
    [
        ('echo "hi; there"', "hi; there", False),
        ('echo "$(id)"', "$(id)", True),
        ("echo '$(id)'", "$(id)", False),
        ('echo "x"; id; ""', 'x"; id; "', True),
        ("ls plain-word", "plain-word", False),
        ("ls $HOME", "$HOME", True),
    ],
)
def test_shell(line: str, argument: str, injected: bool) -> None:
    assert command_injected(line, [argument]) is injected


@pytest.mark.slow
@given(TEXTS)
def test_an_unquoted_one_with_a_semicolon_does(argument: str) -> None:
    assert command_injected(f"ping {argument};id", [f"{argument};id"])


@given(TEXTS)
def test_a_doubled_quote_never_changes_a_statement(argument: str) -> None:
    text = "SELECT * FROM t WHERE n = '{}'".format(argument.replace("'", "''"))
    assert not judge(text, [argument], SQL)[1] or "'" not in argument


@given(st.tuples(st.text("ab 1=-", min_size=1), st.text("ab 1=-", min_size=1)).map("'".join))
def test_an_unescaped_quote_always_does(argument: str) -> None:
    assert judge(f"SELECT n FROM t WHERE n = '{argument}'", [argument], SQL) == (True, True)


@pytest.mark.parametrize("piece", ["/*", "'", '"', "--", "`", "a", "'a", "\\", "(", ";"])
def test_hostile_statements_take_linear_time(piece: str) -> None:
    text = piece * 200_000
    start = time.process_time()
    for language in (SQL, XPATH, SHELL):
        judge(text, [piece * 100, piece * 3], language)
    statements(text)
    assert time.process_time() - start < 2


@given(TEXTS)
def test_an_escaped_value_finds_only_itself(text: str) -> None:
    assert matches(f"(cn={escape_value(text)})", {"cn": [text]})
    assert matches(f"(cn={escape_value(text)})", {"cn": ["alice"]}) is (text.lower() == "alice")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(uid=alice)", ["alice"]),
        ("(uid=*)", ["alice", "bob", "charlie", "admin"]),
        ("(&(uid=*)(memberOf=admins))", ["admin"]),
        ("(&(uid=*)(uid=*))(|(uid=*)(userPassword=x))", ["alice", "bob", "charlie", "admin"]),
        ("(!(uid=a*))", ["bob", "charlie"]),
        ("(|(uid=b*b)(mail=*charlie*))", ["bob", "charlie"]),
        ("(uid=\\2a)", []),
        ("(shoeSize=*)", []),
    ],
)
def test_filters(text: str, names: list[str]) -> None:
    assert [entry["uid"][0] for _, entry in matching_entries(text)] == names


@given(st.text("(&|!)=*a\\", max_size=40))
def test_any_filter_is_answered_or_refused(text: str) -> None:
    try:
        assert isinstance(matches(text, {"a": ["a"]}), bool)
    except FilterError as error:
        assert "filter" in str(error)
