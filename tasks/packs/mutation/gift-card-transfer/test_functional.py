from decimal import Decimal

import pytest


def cards():
    return {"A1": Decimal("80.00"), "B2": Decimal("5.50")}


def test_moves_the_amount():
    balances = cards()
    left = transfer(balances, "A1", "B2", "30.25")
    assert left == Decimal("49.75"), "the rest of the source card is returned"
    assert balances == {"A1": Decimal("49.75"), "B2": Decimal("35.75")}, "both cards change"


def test_whole_balance_may_go():
    balances = cards()
    assert transfer(balances, "B2", "A1", "5.50") == 0, "a card may be emptied"


def test_too_little_on_the_card():
    with pytest.raises(ValueError):
        transfer(cards(), "B2", "A1", "5.51")


def test_words_are_no_amount():
    with pytest.raises(ValueError):
        transfer(cards(), "A1", "B2", "ten")
