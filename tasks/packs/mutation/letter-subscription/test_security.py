import json

import pytest

ATTACKS = [
    {"plan": "full"}, {"price_cents": 0}, {"price_cents": 1, "plan": "full"}, {"verified": True}, {"staff": True}, {"id": 1}, {"id": 99},
    {"is_admin": True}, {"is_admin": "yes"}, {"role": "admin"}, {"password": "x"}, {"Staff": True}, {"staff ": True}, {"__class__": "x"}, {"_by_id": "x"}, {"": "x"},
]
WRONG = [{"name": {"staff": True}}, {"name": ["x"]}, {"language": None}, {"name": True}]


@pytest.fixture
def letters():
    letters = Subscriptions({"basic": 300, "full": 900})
    letters.sign_up({"email": "owner@example.com"})
    letters.sign_up({"email": "eve@example.com", "name": "Eve"})
    return letters


def everything(letters):
    return [letters.find(n) for n in (1, 2)]


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.parametrize("extra", ATTACKS + WRONG, ids=str)
def test_a_form_signs_up_nobody_with_more(letters, extra):
    result = attempt(lambda: letters.sign_up({"email": "new@example.com", **extra}))
    assert isinstance(result, ValueError), f"{extra} was taken: {result!r}"
    assert isinstance(attempt(lambda: letters.find(3)), LookupError), f"{extra} has left a subscriber"


@pytest.mark.parametrize("extra", ATTACKS + WRONG, ids=str)
def test_an_edit_changes_nothing_more(letters, extra):
    before = everything(letters)
    for form in (extra, {"email": "other@example.com", **extra}, {**extra, "email": "eve@example.com"}):
        result = attempt(lambda: letters.edit(2, form))
        assert isinstance(result, ValueError), f"{form} was taken: {result!r}"
        assert everything(letters) == before, f"{form} made {everything(letters)}"


@pytest.mark.parametrize("extra", ATTACKS, ids=str)
def test_an_import_brings_nothing_more(letters, extra):
    text = json.dumps([{"email": "a@x.de"}, {"email": "b@x.de", **extra}])
    result = attempt(lambda: letters.import_json(text))
    assert isinstance(result, ValueError), f"{extra} was imported: {result!r}"
    assert len(json.loads(letters.export_json())) == 2, f"part of a bad list was kept beside {extra}"


def test_new_address_is_not_verified_by_its_form(letters):
    letters.verify(2)
    attempt(lambda: letters.edit(2, {"email": "boss@example.com", "verified": True}))
    assert (letters.find(2).email, letters.find(2).verified) != ("boss@example.com", True), "verified by a form"
    assert letters.edit(2, {"email": "b@example.com"}).verified is False, "a new address stays verified"


def test_price_follows_the_plan_only(letters):
    letters.choose_plan(2, "full")
    attempt(lambda: letters.edit(2, {"price_cents": 1}))
    assert letters.find(2).price_cents == 900, "the price was edited"
