import functools
import hashlib
import itertools
import sqlite3
import time

import pytest

PASSWORD = "letmein-2024"


def as_bytes(value):
    return value if isinstance(value, bytes) else str(value).encode()


@functools.cache
def stolen(names=("ada",), changed=False, copy=1, password=PASSWORD):
    db = sqlite3.connect(":memory:")
    accounts = Accounts(db)
    for name in names:
        accounts.register(name, "first password" if changed else password)
        if changed:
            assert accounts.change(name, "first password", password), "the password was changed"
    return [tuple(as_bytes(v) for v in row) for row in db.execute("SELECT * FROM accounts ORDER BY name")]


def quick_guesses(password, salt):
    secret = password.encode()
    texts = {secret, salt + secret, secret + salt, salt + b":" + secret, salt + b"$" + secret}
    for text, name in itertools.product(texts, ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")):
        digest = hashlib.new(name, text)
        yield from (digest.digest(), digest.hexdigest().encode())
    for rounds, name in itertools.product((1, 10, 100, 1000), ("md5", "sha1", "sha256", "sha512")):
        yield hashlib.pbkdf2_hmac(name, secret, salt, rounds)
    for cost in (2, 4, 16, 256):
        yield hashlib.scrypt(secret, salt=salt, n=cost, r=8, p=1, dklen=32)


@pytest.mark.parametrize("changed", [False, True])
def test_stolen_table_does_not_yield_to_quick_guesses(changed):
    row = stolen(changed=changed)[0]
    guesses = {g for salt in (b"", *row) for g in quick_guesses(PASSWORD, salt)}
    hits = [field for field in row if any(g and g in field for g in guesses)]
    assert not hits, "one quick hash of the guessed password equals what is stored"


@pytest.mark.parametrize("changed", [False, True])
def test_password_is_not_in_the_table(changed):
    for field in stolen(changed=changed)[0]:
        assert PASSWORD.encode() not in field, "the password itself is stored"
        assert PASSWORD.encode()[::-1] not in field, "the password is stored backwards"


def test_equal_passwords_look_different():
    first, second = stolen(names=("ada", "bob"))
    assert not set(first[1:]) & set(second[1:]), "equal passwords of two people can be seen"


def test_equal_passwords_look_different_in_two_clubs():
    assert stolen(copy=1)[0] != stolen(copy=2)[0], "what is stored follows from name and password alone"


def test_a_guess_costs_real_work():
    accounts = Accounts(sqlite3.connect(":memory:"))
    accounts.register("ada", PASSWORD)
    begun = time.process_time()
    accounts.sign_in("ada", "guess one")
    assert time.process_time() - begun > 0.004, "a guess takes too little work"


def test_wrong_passwords_stay_wrong():
    accounts = Accounts(sqlite3.connect(":memory:"))
    accounts.register("ada", PASSWORD)
    for wrong in (PASSWORD[:-1], PASSWORD.upper()):
        assert not accounts.sign_in("ada", wrong), f"{wrong!r} signs in"
