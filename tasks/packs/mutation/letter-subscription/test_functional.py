import json

import pytest

ANN = Subscriber(1, "ann@example.com", "Ann")


@pytest.fixture
def letters():
    letters = Subscriptions({"basic": 300, "full": 900})
    letters.sign_up({"email": " ann@example.com ", "name": "Ann"})
    return letters


def test_signed_up(letters):
    assert letters.find(1) == ANN, "with what the form does not have at its beginning"
    assert letters.sign_up({"email": "b@x.de", "language": "de"}) == Subscriber(2, "b@x.de", language="de"), "the next"


def test_edit_and_verify(letters):
    assert letters.verify(1).verified, "verified"
    assert letters.edit(1, {"name": "Anna"}).verified, "still"
    assert not letters.edit(1, {"email": "new@example.com"}).verified, "a new address is not"


def test_plans(letters):
    changed = letters.choose_plan(1, "full")
    assert (changed.plan, changed.price_cents) == ("full", 900), "with its price"
    with pytest.raises(ValueError):
        letters.choose_plan(1, "gold")


def test_import_is_all_or_none(letters):
    assert len(letters.import_json('[{"email": "c@x.de"}, {"email": "d@x.de"}]')) == 2, "both"
    with pytest.raises(ValueError):
        letters.import_json('[{"email": "e@x.de"}, {"email": "nowhere"}]')
    assert len(json.loads(letters.export_json())) == 3, "none of the bad list"


@pytest.mark.parametrize("form", [{}, {"email": "x"}, {"email": "a@b", "language": "xx"}, {"email": "a@b", "colour": "red"}, {"email": 5}])
def test_bad_forms(letters, form):
    with pytest.raises(ValueError):
        letters.sign_up(form)
