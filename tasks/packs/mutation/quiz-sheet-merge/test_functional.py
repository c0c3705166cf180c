import pytest


@pytest.fixture
def store():
    store = SheetStore()
    store.open_sheet()
    return store


def test_answers_come_one_by_one(store):
    store.merge(1, {"answers": {"1": "Paris"}})
    assert store.merge(1, {"answers": {"2": "1789"}, "notes": "hm"})["answers"] == {"1": "Paris", "2": "1789"}, "both"
    assert store.sheet(1)["notes"] == "hm", "the notes"


def test_player(store):
    store.merge(1, {"player": {"alias": "ann"}})
    assert store.merge(1, {"player": {"team": "owls"}})["player"] == {"alias": "ann", "team": "owls"}, "both"


def test_grading_ends_it(store):
    assert store.grade(1, 7)["score"] == 7, "points"
    with pytest.raises(ValueError):
        store.merge(1, {"notes": "more"})


def test_sheets_are_apart(store):
    assert store.open_sheet() == 2, "the next number"
    store.merge(2, {"notes": "x"})
    assert store.sheet(1)["notes"] == "", "the first one is as it was"
    with pytest.raises(LookupError):
        store.sheet(3)
