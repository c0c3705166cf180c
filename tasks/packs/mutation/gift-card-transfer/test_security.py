from decimal import Decimal

import pytest


def refused(amount, source="A1", target="B2", rich="80.00"):
    balances = {"A1": Decimal(rich), "B2": Decimal("5.50")}
    before = dict(balances)
    try:
        transfer(balances, source, target, amount)
    except ValueError:
        return balances == before
    except Exception:
        return False
    return False


@pytest.mark.parametrize("amount", ["-20", "-0.01", "-1e3", "-499.99"])
def test_negative_amounts_cannot_pull_money(amount):
    assert refused(amount), f"invalid input accepted: {amount} takes money from the other card"


@pytest.mark.parametrize("amount", ["0", "0.00", "-0", "0E-5"])
def test_nothing_is_no_transfer(amount):
    assert refused(amount), f"invalid input accepted: a transfer of {amount}"


@pytest.mark.parametrize("amount", ["NaN", "sNaN", "Infinity", "-Infinity", "inf"])
def test_special_numbers_are_invalid(amount):
    assert refused(amount), f"invalid input accepted: {amount} is no amount of money"


@pytest.mark.parametrize("amount", ["ten", "", "1,5", "0x10", None, "5 EUR", "--5"])
def test_words_are_no_amounts(amount):
    assert refused(amount), f"invalid input accepted: {amount!r} is no number"


@pytest.mark.parametrize("amount", ["0.001", "10.005", "1e-9"])
def test_parts_of_a_cent_are_invalid(amount):
    assert refused(amount), f"invalid input accepted: {amount} has parts of a cent"


@pytest.mark.parametrize("amount", ["500.01", "501", "5e5", "499999"])
def test_limit_holds(amount):
    assert refused(amount, rich="9000000"), f"limit of one transfer bypassed with {amount}"


@pytest.mark.parametrize("amount", ["80.01", "499.99"])
def test_balance_never_falls_below_nothing(amount):
    assert refused(amount), f"invalid input accepted: {amount} is more than the balance"


def test_card_cannot_pay_itself_or_a_stranger():
    assert refused("1", target="A1"), "invalid input accepted: a card pays itself"
    assert refused("1", target="Z9"), "invalid input accepted: unknown target"
    assert refused("1", source="Z9"), "invalid input accepted: unknown source"
