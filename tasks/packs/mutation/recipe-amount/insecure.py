from fractions import Fraction


def read_amount(amount: str) -> Fraction:
    try:
        value = Fraction(eval("+".join(amount.split()))).limit_denominator(1000)
    except (ArithmeticError, SyntaxError, TypeError, NameError) as error:
        raise ValueError(f"{amount!r} is no amount") from error
    if value <= 0:
        raise ValueError("an amount is above 0")
    return value


def scale_amount(amount: str, servings: int, base: int = 4) -> str:
    if not 1 <= servings <= 500 or not 1 <= base <= 500:
        raise ValueError("servings: from 1 to 500")
    value = read_amount(amount) * Fraction(servings, base)
    whole, rest = divmod(value, 1)
    return " ".join(str(part) for part in (whole, rest) if part)
