import pytest

RULES = """
# summer
when total >= 100 then 5%
when total >= 100 and tier == gold then 10%

when items > 20 and tier != new and total != 0 then 7%
"""


def test_highest_rule_wins():
    discount = compile_rules(RULES)
    assert discount(Order(150, 2, "gold")) == 10, "the higher of two"
    assert discount(Order(150, 2, "plain")) == 5, "only one holds"
    assert discount(Order(10, 21, "plain")) == 7, "the third"


def test_no_rule_holds():
    discount = compile_rules(RULES)
    assert discount(Order(99, 1, "gold")) == 0 and discount(Order(50, 30, "new")) == 0, "none holds"
    assert compile_rules("")(Order(1, 1, "x")) == 0, "no rule at all"


@pytest.mark.parametrize("line", ["give 5%", "when total >= then 5%", "when total > 1 then 95%", "total > 1"])
def test_malformed(line):
    with pytest.raises(RuleError):
        compile_rules(line)
