import pytest


def attempt(text):
    try:
        return parse_preferences(text)
    except ValueError:
        return None
    except BaseException as error:
        pytest.fail(f"eval injection: the value was run and raised {type(error).__name__}")


def effects(place):
    return [
        f"open({str(place)!r}, 'w').write('x')",
        f"__import__('pathlib').Path({str(place)!r}).touch()",
        f"[open({str(place)!r}, 'w') for _ in [1]]",
        f"(lambda: open({str(place)!r}, 'w'))()",
        f"1 if open({str(place)!r}, 'w') else 2",
        f"{{'a': open({str(place)!r}, 'w')}}",
        f"f'{{open({str(place)!r}, \"w\")}}'",
        f"__builtins__['open']({str(place)!r}, 'w')",
        f"(x := open({str(place)!r}, 'w'))",
        f"eval('open({str(place)!r}, chr(119))')",
    ]


@pytest.mark.parametrize("number", range(10))
def test_values_are_not_run(tmp_path, number):
    place = tmp_path / "pwned"
    code = effects(place)[number]
    assert attempt(f"zoom = {code}") is None, f"eval injection: {code} gave a value"
    assert not place.exists(), f"eval injection: {code} was run"


def test_later_lines_are_not_run_either(tmp_path):
    place = tmp_path / "pwned"
    assert attempt(f"zoom = 1\n\nlast = open({str(place)!r}, 'w')") is None, "eval injection in a later line"
    assert not place.exists(), "eval injection in a later line"


EXPRESSIONS = [
    "().__class__.__base__.__subclasses__()",
    "[].__class__",
    "globals()",
    "locals()",
    "len('abc')",
    "'a' * 3",
    "2 ** 8",
    "[x for x in (1, 2)]",
    "(lambda: 0)",
    "'abc'.upper()",
    "'abc'[0]",
    "1 < 2",
    "True and False",
    "zoom",
    "1/0",
    "raise SystemExit",
    "exit()",
    "f'{1}'",
]


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_expressions_are_no_literals(code):
    assert attempt(f"zoom = 1\nlast = {code}") is None, f"eval injection: {code} was evaluated"


@pytest.mark.parametrize("name", ["__import__('os').x", "a.b", "a[0]", "", "a b", "a:int", "a,b", "f()"])
def test_names_are_identifiers(name):
    assert attempt(f"{name} = 1") is None, f"code injection by the name {name!r}"


def test_deep_literals_are_refused():
    assert attempt("zoom = " + "(" * 5000 + ")" * 5000) is None, "a literal too deep for the parser is refused"
