import pytest


def attempt(amount, servings=4, base=4):
    try:
        return scale_amount(amount, servings, base)
    except (ValueError, TypeError):
        return None
    except BaseException as error:
        pytest.fail(f"eval injection: the amount was run and raised {type(error).__name__}")


def effects(place):
    return [
        f"open({place!r},'w').write('x')",
        f"__import__('pathlib').Path({place!r}).touch()",
        f"[open({place!r},'w'),1][1]",
        f"(open({place!r},'w')and(1))",
        f"1/len([open({place!r},'w')])",
        f"1 [open({place!r},'w'),2][1]",
        f"exec(\"open({place!r},'w')\")",
        f"3/int(bool(open({place!r},'w')))",
        f"(lambda:open({place!r},'w'))()",
    ]


@pytest.mark.parametrize("number", range(9))
def test_amount_is_not_run(tmp_path, number):
    place = tmp_path / "pwned"
    code = effects(str(place))[number]
    assert attempt(code) is None, f"eval injection: {code} gave an amount"
    assert not place.exists(), f"eval injection: {code} was run"


EXPRESSIONS = [
    "1+1",
    "2*3",
    "2**3",
    "7%4",
    "8//3",
    "(3)",
    "len('abc')",
    "int('3')",
    "True",
    "0x10",
    "1e3",
    "1_000",
    "max(1,2)",
    "3if 1else 2",
    "[3][0]",
    "-(-3)",
    "1/2/3",
    "().__class__.__base__.__subclasses__().__len__()",
    "base",
    "exit()",
    "1\n+1",
    "1/2 1/2",
]


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_expressions_are_no_amounts(code):
    assert attempt(code) is None, f"eval injection: {code} was evaluated"


@pytest.mark.parametrize("amount", ["-1", "+1", "1/-2", "-1/2", "1/0", "0/5", "0 0/3", "1 0/0", "nan", "inf", "1.", ".5", "1 2", "1 0.5", "\u0663", "\u00bd"])
def test_odd_amounts(amount):
    assert attempt(amount) is None, f"invalid amount accepted: {amount}"


def test_huge_numbers_are_refused():
    assert attempt("9" * 5000) is None, "a number of 5000 digits is no amount"
    assert attempt("1/" + "9" * 5000) is None, "a number of 5000 digits is no amount"


@pytest.mark.parametrize("servings, base", [(0, 4), (4, 0), (501, 4), (4, 501), (-4, 4), (4, -4)])
def test_servings_are_limited(servings, base):
    assert attempt("3", servings, base) is None, f"servings {servings} of {base} accepted"
