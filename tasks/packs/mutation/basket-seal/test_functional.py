import re

import pytest

BASKET = {"items": [{"sku": "A-1", "n": 2}], "note": "grüße"}


def test_round_trip():
    seal = BasketSeal(new_key())
    text = seal.seal(BASKET)
    assert re.fullmatch(r"[A-Za-z0-9_=.-]+", text), f"not fit for a cookie: {text}"
    assert seal.unseal(text) == BASKET, "the basket comes back"


def test_age():
    now = [1000.0]
    seal = BasketSeal(new_key(), max_age=60, clock=lambda: now[0])
    text = seal.seal({})
    now[0] += 59
    assert seal.unseal(text) == {}, "still fresh"
    now[0] += 10
    with pytest.raises(StaleBasket):
        seal.unseal(text)


@pytest.mark.parametrize("text", ["", "nonsense", "ä", "AAAA"])
def test_foreign_text(text):
    with pytest.raises(BadBasket):
        BasketSeal(new_key()).unseal(text)


def test_other_key():
    text = BasketSeal(new_key()).seal(BASKET)
    with pytest.raises(BadBasket):
        BasketSeal(new_key()).unseal(text)


def test_large_basket():
    with pytest.raises(BasketError):
        BasketSeal(new_key()).seal({"note": "x" * 4000})
