from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

RULE = re.compile(r"when (?P<conditions>.+) then (?P<percent>[0-9]+)%")
MAX_RULES, MAX_LENGTH, MAX_PERCENT = 100, 200, 90


class RuleError(ValueError):
    """A line that is no rule."""


@dataclass(frozen=True)
class Order:
    total: int
    items: int
    tier: str


def rule_source(line: str) -> str:
    match = RULE.fullmatch(line)
    if len(line) > MAX_LENGTH or match is None or int(match["percent"]) > MAX_PERCENT:
        raise RuleError(f"{line[:MAX_LENGTH]!r} is no rule")
    conditions = re.sub(r"tier (==|!=) (\w+)", r"tier \1 '\2'", match["conditions"])
    return f"    if {conditions}:\n        found.append({match['percent']})\n"


def compile_rules(text: str) -> Callable[[Order], int]:
    lines = [line.strip() for line in text.split("\n")]
    rules = [rule_source(line) for line in lines if line and not line.startswith("#")]
    if len(rules) > MAX_RULES:
        raise RuleError(f"more than {MAX_RULES} rules")
    source = "def discount(total, items, tier):\n    found = [0]\n" + "".join(rules) + "    return max(found)\n"
    namespace: dict = {}
    try:
        exec(source, namespace)
    except SyntaxError as error:
        raise RuleError(f"a rule is malformed: {error}") from error
    return lambda order: namespace["discount"](order.total, order.items, order.tier)
