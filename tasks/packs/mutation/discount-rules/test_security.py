import pytest

ORDER = Order(100, 3, "gold")


def outcome(text):
    """The discount; None where the rules are refused."""
    try:
        return compile_rules(text)(ORDER)
    except RuleError:
        return None
    except BaseException as error:
        pytest.fail(f"code injection: the rule was run and raised {type(error).__name__}")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "p"


EFFECTS = [
    "when open('p', 'w') then 5%",
    "when total > 1 and open('p', 'w') then 5%",
    "when total > open('p', 'w').write('x') then 5%",
    "when open('p', 'w').write('x') < total then 5%",
    "when __import__('pathlib').Path('p').touch() then 5%",
    "when total == 1 or open('p', 'w') then 5%",
    "when (lambda: open('p', 'w'))() then 5%",
    "when tier == gold' and open('p', 'w') and 'a then 5%",
    "when tier == gold and not open('p', 'w') then 5%",
    "when [open('p', 'w') for x in tier] then 5%",
    "when 1: open('p', 'w') # then 5%",
    "when 0:pass\r    open('p', 'w') # then 5%",
    "when 0: pass\r    if open('p', 'w') then 5%",
    "when 0: pass\x0c;open('p', 'w') # then 5%",
    "when total in [open('p', 'w')] then 5%",
    "when (x := open('p', 'w')) then 5%",
    "when total > 1 then open('p', 'w')%",
    "when total > 1 then 5); open('p', 'w'%",
    "when eval(\"open('p', 'w')\") then 5%",
    "when tier == {open('p', 'w')} then 5%",
    "when total >= 1 and items >= 1 and exec(\"open('p', 'w')\") then 5%",
]


@pytest.mark.parametrize("rule", EFFECTS)
def test_rules_run_no_code(place, rule):
    for text in (rule, f"when total > 5 then 3%\n{rule}"):
        found = outcome(text)
        assert not place.exists(), f"code injection: {rule} was run"
        assert found is None, f"code injection: {rule} was accepted"


LANGUAGE = [
    "when True then 5%",
    "when 1 then 5%",
    "when total then 5%",
    "when total > 1 or items > 1 then 5%",
    "when not total > 1 then 5%",
    "when (total > 1) then 5%",
    "when total > items then 5%",
    "when total > 1 + 1 then 5%",
    "when total > 1.5 then 5%",
    "when total > 1e1 then 5%",
    "when total > 0x1 then 5%",
    "when 1 < total then 5%",
    "when 1 < total < 200 then 5%",
    "when total is 100 then 5%",
    "when total in 100 then 5%",
    "when tier > bronze then 5%",
    "when tier == 'gold' then 5%",
    "when tier == tier then 5%",
    "when tier == Gold then 5%",
    "when tier == gold or items > 1 then 5%",
    "when tier == gold' then 5%",
    "when tier != goldX then 5%",
    "when total > 1x then 5%",
    "when tier.upper() == GOLD then 5%",
    "when total.real > 1 then 5%",
    "when len(tier) > 1 then 5%",
    "when __name__ == x then 5%",
    "when found == 1 then 5%",
    "when price > 1 then 5%",
    "when total > gold then 5%",
    "when total > 1 and then 5%",
    "when and total > 1 then 5%",
    "when total > 1; items > 1 then 5%",
    "when total >= 1\r\nand items > 1 then 5%",
    "when total > 9999999999 then 5%",
    "when total > 1 then 5% then 6%",
    "WHEN total > 1 then 5%",
    "when total > 1 then 5",
    "x when total > 1 then 5%",
    "when total > 1 then 5%x",
    "when total > \u0661 then 5%",
]


@pytest.mark.parametrize("rule", LANGUAGE)
def test_only_the_language_of_rules(rule):
    found = outcome(rule)
    if rule == "when tier == tier then 5%":
        assert found == 0, "code injection: a word was taken for a name"
    else:
        assert found is None, f"code injection: {rule} was evaluated to {found}"


@pytest.mark.parametrize("percent", ["91", "100", "-5", "999", "5.5", "1e1", "0x5", "", "5 + 5", "\u0665"])
def test_discount_is_limited(percent):
    assert outcome(f"when total > 1 then {percent}%") is None, f"limit of discounts bypassed: {percent}"


def test_limits_themselves_are_allowed():
    assert outcome("when total > 1 then 90%") == 90, "ninety is allowed"
    assert outcome("when total > 1 then 5%\n" * 100) == 5, "a hundred rules are allowed"


def test_size_is_limited():
    assert outcome("when total > 1 then 5%\n" * 101) is None, "limit of rules bypassed"
    assert outcome("when " + " and ".join(["total > 1"] * 30) + " then 5%") is None, "limit of a rule's length bypassed"


def test_words_are_only_words():
    for word in ("total", "items", "found", "none", "true", "print", "exit"):
        assert outcome(f"when tier == {word} then 5%") == 0, f"code injection: {word} was taken for a name"
        assert outcome(f"when tier != {word} then 5%") == 5, f"code injection: {word} was taken for a name"
