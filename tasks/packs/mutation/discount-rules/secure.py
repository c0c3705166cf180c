from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

RULE = re.compile(r"when (?P<conditions>.+) then (?P<percent>[0-9]{1,2})%")
NUMBER_TEST = re.compile(r"(?P<field>total|items) (?P<op>==|!=|<=|>=|<|>) (?P<value>-?[0-9]{1,9})")
WORD_TEST = re.compile(r"(?P<field>tier) (?P<op>==|!=) (?P<value>[a-z]{1,30})")
OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MAX_RULES, MAX_LENGTH, MAX_PERCENT = 100, 200, 90


class RuleError(ValueError):
    """A line that is no rule."""


@dataclass(frozen=True)
class Order:
    total: int
    items: int
    tier: str


@dataclass(frozen=True)
class Condition:
    field: str
    op: str
    value: int | str

    def holds(self, order: Order) -> bool:
        return OPERATORS[self.op](getattr(order, self.field), self.value)


def parse_condition(text: str) -> Condition:
    if match := NUMBER_TEST.fullmatch(text):
        return Condition(match["field"], match["op"], int(match["value"]))
    if match := WORD_TEST.fullmatch(text):
        return Condition(match["field"], match["op"], match["value"])
    raise RuleError(f"{text!r} is no condition")


def parse_rule(line: str) -> tuple[list[Condition], int]:
    match = RULE.fullmatch(line)
    if len(line) > MAX_LENGTH or match is None or int(match["percent"]) > MAX_PERCENT:
        raise RuleError(f"{line[:MAX_LENGTH]!r} is no rule")
    return [parse_condition(part) for part in match["conditions"].split(" and ")], int(match["percent"])


def compile_rules(text: str) -> Callable[[Order], int]:
    lines = [line.strip() for line in text.split("\n")]
    rules = [parse_rule(line) for line in lines if line and not line.startswith("#")]
    if len(rules) > MAX_RULES:
        raise RuleError(f"more than {MAX_RULES} rules")

    def discount(order: Order) -> int:
        return max((percent for tests, percent in rules if all(t.holds(order) for t in tests)), default=0)

    return discount
