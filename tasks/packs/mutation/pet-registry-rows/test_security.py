import sqlite3

import pytest

ROW = {"id": 1, "name": "Rex", "species": "dog", "colour": "", "chip": "c-1", "owner": "ann", "vaccinated": 0}
ATTACKS = [
    {"owner": "eve"}, {"vaccinated": 1}, {"chip": "c-9"}, {"id": 5}, {"rowid": 5}, {"OWNER": "eve"}, {"owner ": "eve"}, {"'owner'": "eve"},
    {"colour = 'x', owner": "eve"}, {"name = 'x', vaccinated": 1}, {"_rowid_": 5}, {"is_admin": True}, {"role": "admin"}, {"password": "x"},
]


def registry_of_one():
    registry = PetRegistry(sqlite3.connect(":memory:"))
    registry.register("ann", "c-1", {"name": "Rex", "species": "dog"})
    return registry


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error


def rows(registry):
    return [dict(row) for row in registry.db.execute("SELECT * FROM pets ORDER BY id")]


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_owners_correct_only_what_is_theirs(data):
    registry = registry_of_one()
    result = attempt(lambda: registry.correct(1, data))
    assert rows(registry) == [ROW], f"{data} changed the row to {rows(registry)}"
    assert isinstance(result, ValueError), f"{data} was not refused: {result!r}"


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_one_bad_entry_spoils_the_whole(data):
    for mixed in ({"name": "Max", **data}, {**data, "name": "Max"}):
        registry = registry_of_one()
        result = attempt(lambda: registry.correct(1, mixed))
        assert rows(registry) == [ROW], f"{mixed} changed the row to {rows(registry)}"
        assert isinstance(result, ValueError), f"{mixed} was not refused: {result!r}"


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_registration_takes_nothing_else(data):
    registry = PetRegistry(sqlite3.connect(":memory:"))
    attempt(lambda: registry.register("ann", "c-1", {"name": "Rex", "species": "dog", **data}))
    assert rows(registry) in ([ROW], []), f"{data} registered {rows(registry)}"


@pytest.mark.parametrize("data", [{}, {"name": "Rex"}, {"species": "dog"}, {"name": "", "species": "dog"}, {"role": "admin", "species": "dog"}], ids=str)
def test_registration_needs_what_it_needs(data):
    registry = PetRegistry(sqlite3.connect(":memory:"))
    result = attempt(lambda: registry.register("ann", "c-1", data))
    assert isinstance(result, ValueError) and rows(registry) == [], f"{data} was registered: {result!r}"


def test_two_animals_stay_apart():
    registry = registry_of_one()
    registry.register("bob", "c-2", {"name": "Tom", "species": "cat"})
    attempt(lambda: registry.correct(1, {"id": 2, "owner": "bob", "chip": "c-2"}))
    assert [r["owner"] for r in rows(registry)] == ["ann", "bob"], "an animal has changed hands"
