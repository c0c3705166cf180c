import pytest

CASES = [("3", 4, "3"), ("3", 8, "6"), ("3/4", 2, "3/8"), ("1 1/2", 6, "2 1/4"), ("0.5", 4, "1/2"), (" 2 ", 2, "1"), ("2/4", 4, "1/2")]


@pytest.mark.parametrize("amount, servings, expected", CASES)
def test_scaled(amount, servings, expected):
    assert scale_amount(amount, servings) == expected, f"{amount} for {servings}"


def test_base():
    assert scale_amount("1", 1, base=2) == "1/2", "for two at first"


@pytest.mark.parametrize("amount", ["", "some", "1/0", "0", "1 2 /"])
def test_no_amount(amount):
    with pytest.raises(ValueError):
        scale_amount(amount, 4)


def test_servings_out_of_range():
    with pytest.raises(ValueError):
        scale_amount("1", 0)
