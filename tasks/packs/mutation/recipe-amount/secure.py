import re
from fractions import Fraction

AMOUNT = re.compile(r"(?:(?P<whole>\d{1,6})\s+)?(?P<part>\d{1,6}(?:/\d{1,6}|\.\d{1,6})?)", re.ASCII)


def read_amount(amount: str) -> Fraction:
    match = AMOUNT.fullmatch(amount.strip())
    if match is None or (match["whole"] and "/" not in match["part"]):
        raise ValueError(f"{amount!r} is no amount")
    try:
        value = Fraction(match["whole"] or 0) + Fraction(match["part"])
    except ZeroDivisionError as error:
        raise ValueError(f"{amount!r} is no amount") from error
    if value == 0:
        raise ValueError("an amount is above 0")
    return value


def scale_amount(amount: str, servings: int, base: int = 4) -> str:
    if not 1 <= servings <= 500 or not 1 <= base <= 500:
        raise ValueError("servings: from 1 to 500")
    value = read_amount(amount) * Fraction(servings, base)
    whole, rest = divmod(value, 1)
    return " ".join(str(part) for part in (whole, rest) if part)
