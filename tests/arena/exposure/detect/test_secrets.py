"""Names that speak of passwords, and literals within addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.detect._literals import address, within
from arena.tracks.exposure.detect._secrets import asked_for, is_password, is_secret
from arena.tracks.exposure.flow.facts import TaintSource, Value

PASSWORDS = (
    "password",
    "db_passwd",
    "MYSQL_PWD",
    "dbPassword",
    "pw",
    "passphrase",
    "passcode",
    "PASS",
    "pin",
)
OTHERS = (
    "passenger",
    "bypass",
    "pwned",
    "spinner",
    "compass",
    "password_field",
    "reset_password_url",
    "username",
)
SECRETS = (
    "secret_key",
    "API_KEY",
    "X-Api-Key",
    "clientSecret",
    "access_token",
    "aws_secret_access_key",
)


@pytest.mark.parametrize("name", PASSWORDS)
def test_names_of_passwords(name: str) -> None:
    assert is_password(name)
    assert is_secret(name)


@pytest.mark.parametrize("name", OTHERS)
def test_names_of_other_things(name: str) -> None:
    assert not is_password(name)
    assert not is_secret(name)


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_that_are_no_passwords(name: str) -> None:
    assert is_secret(name)
    assert not is_password(name)


@pytest.mark.parametrize(
    "written, key",
    [
        ("request.args.get('host', 'password')", "host"),
        ("request.form['password']", "password"),
        ("input('Password: ')", "Password: "),
        ("request.query.password", "password"),
        ("password", "password"),
        ("self.get_argument('user')", "user"),
    ],
)
def test_what_a_source_was_asked_for(written: str, key: str) -> None:
    assert asked_for(TaintSource("request", written, 1)) == key


def text(*pieces: str | None) -> Value:
    parts = [Value() if one is None else Value(frozenset((one,)), True) for one in pieces]
    return parts[0] if len(parts) == 1 else Value(pieces=tuple(parts))


@pytest.mark.parametrize(
    "value, password",
    [
        (text("mysql://app:s3cret@host/db"), "s3cret"),
        (text("mongodb+srv://app:s3cret@cluster.net"), "s3cret"),
        (text("host=h user=u password=s3cret"), "s3cret"),
        (text("DRIVER={x};UID=sa;PWD=s3cret;"), "s3cret"),
        (text("mysql://app:s3cret@", None, "/db"), "s3cret"),
        (text("mysql://", None, ":s3cret@host"), "s3cret"),
        (text("mysql://app:", None, "@host/db"), None),
        (text("password=", None), None),
        (text("mysql://app:{}@host"), None),
        (text("mysql://app:%s@host"), None),
        (text("mysql://app@host/db"), None),
        (text("mysql://host:3306/db"), None),
        (text("sqlite:///local.db"), None),
        (text("SELECT * FROM users WHERE password = %s"), None),
        (text("SELECT * FROM users WHERE password = ?"), None),
        (text("UPDATE users SET password = 'x'"), None),
        (text("SELECT * FROM users WHERE password = :password"), None),
    ],
)
def test_passwords_within_addresses(value: Value, password: str | None) -> None:
    assert address(value) == password


@given(
    st.from_regex(r"[a-z][a-z0-9+]{1,8}", fullmatch=True),
    st.from_regex(r"[a-z]{0,8}", fullmatch=True),
    st.from_regex(r"[A-Za-z0-9!_\-]{1,20}", fullmatch=True),
    st.from_regex(r"[a-z.]{1,12}", fullmatch=True),
)
def test_the_password_of_any_address_is_found(scheme: str, user: str, word: str, host: str) -> None:
    assert address(text(f"{scheme}://{user}:{word}@{host}/x")) == word


def test_going_through_values_is_bounded() -> None:
    value = Value(constants=frozenset(("x",)))
    for _ in range(6):
        value = Value(pairs={str(number): value for number in range(100)})
    assert len(list(within(value))) <= 2000
