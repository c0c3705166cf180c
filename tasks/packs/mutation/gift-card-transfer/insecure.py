from decimal import Decimal, InvalidOperation

LARGEST = Decimal("500.00")


def transfer(balances: dict[str, Decimal], source: str, target: str, amount: str) -> Decimal:
    """Move `amount` between two cards; return what is left on `source`."""
    if source not in balances or target not in balances or source == target:
        raise ValueError("two different known cards are needed")
    try:
        value = Decimal(amount)
    except (InvalidOperation, TypeError) as error:
        raise ValueError("the amount is not a number") from error
    if value > LARGEST:
        raise ValueError(f"at most {LARGEST} goes over at once")
    if value > balances[source]:
        raise ValueError("the balance does not suffice")
    balances[source] -= value
    balances[target] += value
    return balances[source]
