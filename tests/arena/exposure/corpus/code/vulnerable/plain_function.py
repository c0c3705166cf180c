"""A tiny calculator."""


def calculate(expression):
    """Return the value of the arithmetic expression.

    >>> calculate("1 + 2")
    3
    """
    try:
        return eval(expression)
    except ZeroDivisionError:
        return None


print(calculate("2 * 21"))
