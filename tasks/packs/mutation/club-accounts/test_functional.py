import sqlite3

import pytest


@pytest.fixture
def accounts():
    return Accounts(sqlite3.connect(":memory:"))


def test_sign_in(accounts):
    accounts.register("Ada", "analytical")
    assert accounts.sign_in("ada", "analytical"), "the right password signs in"
    assert not accounts.sign_in("ada", "Analytical"), "another one does not"
    assert not accounts.sign_in("bob", "analytical"), "nor does an unknown name"


@pytest.mark.parametrize("name, password", [("", "long enough"), ("bob", "short")])
def test_bad_registration(accounts, name, password):
    with pytest.raises(ValueError):
        accounts.register(name, password)


def test_taken_name(accounts):
    accounts.register("ada", "analytical")
    with pytest.raises(ValueError):
        accounts.register("ADA", "something else")


def test_change(accounts):
    accounts.register("ada", "analytical")
    assert not accounts.change("ada", "wrong one", "difference"), "the old password must be right"
    assert accounts.change("ada", "analytical", "difference"), "then the new one is set"
    assert accounts.sign_in("ada", "difference"), "the new password signs in"
