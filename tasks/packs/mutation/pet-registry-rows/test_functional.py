import sqlite3

import pytest


@pytest.fixture
def registry():
    registry = PetRegistry(sqlite3.connect(":memory:"))
    registry.register("ann", "c-1", {"name": "Rex", "species": "dog"})
    return registry


ROW = {"id": 1, "name": "Rex", "species": "dog", "colour": "", "chip": "c-1", "owner": "ann", "vaccinated": 0}


def test_registered(registry):
    assert registry.pet(1) == ROW, "all of the row"
    assert registry.register("bob", "c-2", {"name": "Tom", "species": "cat", "colour": "red"}) == 2, "the next number"


def test_corrected(registry):
    assert registry.correct(1, {"colour": "black", "name": "Max"}) == {**ROW, "colour": "black", "name": "Max"}, "changed"
    assert registry.correct(1, {})["name"] == "Max", "nothing given, nothing changed"
    with pytest.raises(ValueError):
        registry.correct(1, {"weight": 3})


def test_vaccinated(registry):
    assert registry.mark_vaccinated(1) == {**ROW, "vaccinated": 1}, "by a vet"


def test_bad_calls(registry):
    for call, error in ((lambda: registry.register("ann", "c-3", {"name": "X"}), ValueError), (lambda: registry.pet(9), LookupError),
                        (lambda: registry.correct(9, {"name": "X"}), LookupError)):
        with pytest.raises(error):
            call()
