import math

import pytest

CASES = [("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("-7 // 2", -4), ("7 % 4 - +1", 2), ("2 ** 10", 1024), ("1 / 4", 0.25), (" max(1, 5, 3) ", 5), ("min(4)", 4), ("round(2.6)", 3), ("abs(-3) + sqrt(16)", 7.0)]


@pytest.mark.parametrize("expression, expected", CASES)
def test_values(expression, expected):
    assert calculate(expression) == expected, f"{expression} is {expected}"


def test_names():
    assert calculate("2 * pi") == 2 * math.pi and calculate("e") == math.e, "the known names"


@pytest.mark.parametrize("expression", ["", "1 +", "1 / 0", "x", "sqrt(-1)", "two", "1 2"])
def test_errors(expression):
    with pytest.raises(CalculatorError):
        calculate(expression)
