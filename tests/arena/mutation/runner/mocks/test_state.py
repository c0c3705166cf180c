"""Observable state: what is kept, who looked at it, and what a reset forgets."""

from __future__ import annotations

import builtins
import os
import sqlite3
import sys
from typing import Any

import pytest

from tests.arena.mutation.runner.mocks.inprocess import Place

# SecMutBench's SECURITY_ATTRS, by the name of the object.
WATCHED = {
    "db": {"last_query", "last_params", "query_count"},
    "mock_subprocess": {
        *("last_shell", "last_command", "injection_detected"),
        "dangerous_command_detected",
    },
    "fs": {"last_path", "base_dir"},
    "mock_crypto": {
        *("last_algorithm", "algorithms_used"),
        *("weak_algorithm_used", "strong_algorithm_used"),
    },
    "mock_http": {"last_url", "last_method", "last_kwargs", "ssrf_attempted"},
    "mock_xml": {"last_xml", "external_entities_resolved", "dtd_processed"},
    "auth": {"last_username", "last_password", "last_token", "auth_attempts", "failed_attempts"},
    "env": {"last_key", "sensitive_accessed", "access_log"},
    "mock_pickle": {"unsafe_load_called", "last_data", "load_count"},
    "mock_yaml": {"unsafe_load_called", "safe_loader_used", "last_data", "load_count"},
    "mock_eval": {"last_code", "unsafe_eval_called", "unsafe_exec_called", "injection_detected"},
    "mock_random": {"weak_prng_used", "secure_prng_used"},
    "mock_secrets": {"call_log"},
    "mock_marshal": {"unsafe_load_called"},
}
AREAS = {
    "fs": "fs",
    "mock_subprocess": "subprocess",
    "mock_crypto": "crypto",
    "mock_http": "http",
} | {f"mock_{a}": a for a in ("xml", "pickle", "yaml", "eval", "random", "secrets", "marshal")}


@pytest.mark.parametrize("name", WATCHED)
def test_a_look_at_the_state_is_told_with_its_area(name: str, place: Place) -> None:
    for attribute in sorted(WATCHED[name]):
        place.log.clear()
        place.look(f"{name}.{attribute}", {})
        assert place.log.reads == [(AREAS.get(name, name), attribute, True)]


def test_a_look_of_the_program_is_not_one_of_the_test(place: Place) -> None:
    place.run("def last():\n    return db.last_query\n", "last()")
    assert place.log.reads == [("db", "last_query", False)]


OWN = {
    "db.execute('SELECT 1')": {("db", "query_count")},
    "env.get('HOME')": {("env", "access_log")},
    "env['API_KEY']": {("env", "access_log"), ("env", "sensitive_accessed")},
    "mock_crypto.md5(b'')": {("crypto", "algorithms_used")},
    "mock_secrets.token_hex()": {("secrets", "call_log")},
    "fs.read_file('/x')": {("fs", "base_dir")},
    "mock_subprocess.run('ls', shell=True)": {
        ("subprocess", "injection_detected"),
        ("subprocess", "dangerous_command_detected"),
    },
    "mock_http.get('https://a.example')": set(),
    "mock_random.random()": set(),
    "mock_marshal.loads(b'N')": set(),
    "mock_yaml.safe_load('a')": {("yaml", "load_count")},
    "mock_xml.parse_unsafe('<a/>')": {("xml", "external_entities_resolved")},
    "auth.verify_password('a', 'b')": {("auth", "auth_attempts"), ("auth", "failed_attempts")},
}


@pytest.mark.parametrize("call", OWN)
def test_substitutes_look_at_their_own_state_where_the_original_does(
    call: str, place: Place
) -> None:
    place.look(call, {})
    assert {(area, attribute) for area, attribute, _ in place.log.reads} == OWN[call]
    assert not any(by_test for _, _, by_test in place.log.reads)


@pytest.mark.parametrize("name", WATCHED)
def test_reset_forgets(name: str, place: Place) -> None:
    first = {a: place.look(f"{name}.{a}", {}) for a in WATCHED[name]}
    for attribute in WATCHED[name]:
        setattr(getattr(builtins, name), attribute, "changed")
        assert place.look(f"{name}.{attribute}", {}) == "changed"
    place.look(f"{name}.reset()", {})
    assert {a: place.look(f"{name}.{a}", {}) for a in WATCHED[name]} == first


def test_an_unknown_name_is_an_attribute_error(place: Place) -> None:
    for name in WATCHED:
        with pytest.raises(AttributeError, match="nothing_of_that_name"):
            place.look(f"{name}.nothing_of_that_name", {})
        assert place.look(f"hasattr({name}, 'reset')", {})


# the database


def test_attacks_on_the_database_really_work(place: Place) -> None:
    program = (
        "def find(n):\n    return db.execute(f\"SELECT name FROM users WHERE name = '{n}'\")\n"
    )
    names = place.load(program)
    rows = place.look('find("x\' UNION SELECT value FROM secrets --")', names)
    assert [row["name"] for row in rows] == ["supersecret123"]
    place.look('find("x\'; DROP TABLE users; --")', names)
    assert not place.look("db.table_exists('users')", names)
    assert place.look("list(find('alice'))", names) == []
    assert isinstance(place.look("db.last_error", names), sqlite3.OperationalError)
    place.look("db.reset()", names)
    assert place.look("db.count_rows('users')", names) == 3


def test_tables_and_columns_appear_when_the_program_names_them(place: Place) -> None:
    run = "db.execute('INSERT INTO notes (owner, text) VALUES (?, ?)', ('me', 'hi'))"
    place.look(run, {})
    rows = place.look(
        "db.execute('SELECT owner, text, seen FROM notes WHERE owner = %s', ('me',))", {}
    )
    assert rows == [{"owner": "me", "text": "hi", "seen": None}]
    assert (rows[0][1], rows[0].owner, rows.fetchone()[0], rows.fetchone()) == (
        "hi",
        "me",
        "me",
        None,
    )


def test_a_word_of_an_argument_makes_no_column(place: Place) -> None:
    program = "def find(n):\n    return db.execute('SELECT * FROM users WHERE id = ' + n)\n"
    result, _ = place.run(program, "find('alice_x')")
    assert result == []
    assert "no such column" in str(place.look("db.last_error", {}))


def test_a_test_can_fill_tables_in_each_way(place: Place) -> None:
    db: Any = builtins.db  # type: ignore[attr-defined]
    db.add_row("users", {"id": 9, "name": "eve", "age": 3})
    db.tables["users"].append({"id": 10, "name": "mallory"})
    assert db.get_row("users", "name", "eve")["age"] == 3
    assert [row["id"] for row in db.execute("SELECT id FROM users WHERE id > 8")] == [9, 10]
    assert (db.update_row("users", "id", 9, {"name": "eva"}), db.get_user("eva")["id"]) == (1, 9)
    assert (db.delete_row("users", "id", 9), db.get_user("eva")) == (1, None)
    db.clear_table("users")
    assert db.count_rows("users") == 0


@pytest.mark.slow
def test_methods_of_a_data_layer_do_something_useful(place: Place) -> None:
    db: Any = builtins.db  # type: ignore[attr-defined]
    assert db.get_user_by_id is not None
    assert db.delete_user(1) and db.count_rows("users") == 2
    assert db.get_resource("r1").owner_id == 1
    assert db.set_password(2, "new") and db.get_row("users", "id", 2) is not None
    assert db.get_all_users()[0]["name"] == "bob"
    assert ("stored", "delete user 1") in place.log.events


def test_an_endless_statement_is_stopped(place: Place) -> None:
    place.look(
        "db.execute('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT count(*) FROM n')",
        {},
    )
    assert "interrupted" in str(place.look("db.last_error", {}))


def test_passwords_of_the_users_hold_against_their_hashes(place: Place) -> None:
    db: Any = builtins.db  # type: ignore[attr-defined]
    bcrypt: Any = builtins.bcrypt  # type: ignore[attr-defined]
    for user in db.get_table("users"):
        assert bcrypt.checkpw(user["password"].encode(), user["password_hash"].encode())


# other areas


def test_only_the_program_and_the_test_are_seen_reading_the_environment(place: Place) -> None:
    os.environ.get("FROM_ELSEWHERE")
    assert place.look("env.access_log", {}) == []
    place.look("env.get('MINE')", {})
    assert place.look("env.access_log", {}) == ["MINE"]


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        *((f"http://{host}/", True) for host in ("127.0.0.1", "127.1", "0x7f.1", "2130706433")),
        *((f"http://{host}/", True) for host in ("[::1]", "[::ffff:10.0.0.1]", "10.1.2.3", "0")),
        *((f"http://{host}/", True) for host in ("LOCALHOST", "a.internal", "169.254.169.254")),
        ("file:///etc/passwd", True),
        ("http://user@127.0.0.1:80/", True),
        *((f"http://{host}/", False) for host in ("example.com", "10.example.com", "8.8.8.8")),
        ("http://example.com/127.0.0.1", False),
        ("http://[broken/", False),
    ],
)
def test_internal_addresses_in_all_spellings(url: str, inside: bool) -> None:
    from arena.tracks.mutation.runner.mocks._wire import internal

    assert internal(url) is inside


def test_a_web_request_is_a_call_whose_values_are_known(place: Place) -> None:
    program = (
        "from flask import Flask, request\nweb = Flask('w')\n@web.post('/find')\ndef find():\n"
        "    rows = db.execute(f\"SELECT * FROM users WHERE name = '{request.form['n']}'\")\n"
        "    return str(len(rows))\n"
    )
    names = place.load(program)
    client = names["web"].test_client()
    assert client.post("/find", data={"n": "x' OR '1'='1"}).text == "3"
    assert "sql.injected" in place.log.kinds
    assert place.log.calls == ["POST /find", "200 3"]


def test_a_loop_tells_its_event_once(place: Place) -> None:
    program = (
        "import hashlib, random\ndef work(n):\n    for _ in range(500):\n"
        "        hashlib.md5(n)\n        random.random()\n"
    )
    names = place.load(program)
    for _ in range(2):
        place.log.clear()
        place.look("work(b'abc')", names)
        assert sorted(place.log.events) == [("hash.weak", "md5"), ("random.weak", "random")]


def test_mysql_has_its_exceptions_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.tracks.mutation.runner.mocks.mysql import real_connector

    monkeypatch.setitem(sys.modules, "mysql.connector", None)
    module: Any = real_connector()
    assert issubclass(module.ProgrammingError, module.DatabaseError)
    assert issubclass(module.DatabaseError, module.Error)


def test_a_word_of_an_argument_makes_no_table(place: Place) -> None:
    place.run("def rows(t):\n    return db.execute('SELECT * FROM ' + t)\n", "rows('nowhere')")
    assert "no such table" in str(place.look("db.last_error", {}))


def test_a_reset_environment_holds_the_first_variables_only(place: Place) -> None:
    place.look("env.set('MINE', 1)", {})
    assert place.look("'MINE' in env and env.get('MINE') == '1'", {})
    place.look("env.reset()", {})
    assert not place.look("'MINE' in env", {})
    assert place.look("env['API_KEY']", {}) == "default_api_key"
