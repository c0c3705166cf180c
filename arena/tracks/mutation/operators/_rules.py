"""Rules that make a part of a guard's test weaker: it refuses less than before.

Each is a `Rule` of `_guards.py`. Where a part holds and the program refuses, the new part holds less often;
where it holds and the program goes on, more often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from arena.tracks.mutation.operators._guards import Rule, Spot
from arena.tracks.mutation.operators._names import View, expression, parenthesise
from arena.tracks.mutation.operators._scopes import definition, source

MAKERS = ("frozenset", "set", "tuple", "list")
COLLECTIONS = cst.Tuple | cst.List | cst.Set
UPPER = (cst.GreaterThan, cst.GreaterThanEqual)
LOWER = (cst.LessThan, cst.LessThanEqual)


def operands(
    chain: cst.BaseExpression, operator: type[cst.BaseBooleanOp]
) -> list[cst.BaseExpression]:
    """The operands of a chain of a boolean operator, from left to right."""
    nodes: list[cst.BaseExpression] = []
    while isinstance(chain, cst.BooleanOperation) and isinstance(chain.operator, operator):
        nodes.append(chain.right)
        # Parentheses that somebody set mark a unit of its own, which is not taken apart.
        if chain.left.lpar:
            chain = chain.left
            break
        chain = chain.left
    return [chain, *reversed(nodes)]


def join_operands(
    parts: Sequence[cst.BaseExpression], operator: cst.BaseBooleanOp, like: cst.BaseExpression
) -> cst.BaseExpression:
    """Operands joined by an operator, in parentheses if `like` is."""
    result = parts[0]
    for part in parts[1:]:
        result = cst.BooleanOperation(result, operator, part)
    if like.lpar and not result.lpar:
        return result.with_changes(lpar=like.lpar, rpar=like.rpar)
    return result


def chain_of(spot: Spot, weak_when_refusing: bool = True) -> list[cst.BaseExpression]:
    """Operands of the chain that a program weakens by dropping any: `or` where it refuses, else `and`."""
    node = spot.node
    if not spot.top or not isinstance(node, cst.BooleanOperation):
        return []
    wanted = cst.Or if spot.refusing is weak_when_refusing else cst.And
    return operands(node, wanted) if isinstance(node.operator, wanted) else []


def condition_dropped(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """A condition of several is dropped."""
    parts = chain_of(spot)
    operator = cst.Or() if spot.refusing else cst.And()
    for index in range(len(parts) if len(parts) > 1 else 0):
        yield join_operands([*parts[:index], *parts[index + 1 :]], operator, spot.node)


def connective_swapped(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """`and` for `or` where it refuses, `or` for `and` where it goes on."""
    parts = chain_of(spot)
    if len(parts) > 1:
        operator = cst.And() if spot.refusing else cst.Or()
        yield join_operands([_group_for_and(p) for p in parts], operator, spot.node)


def _group_for_and(part: cst.BaseExpression) -> cst.BaseExpression:
    loose = isinstance(part, cst.BooleanOperation) and isinstance(part.operator, cst.Or)
    return parenthesise(part) if loose and not part.lpar else part


def only_when_present(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """What is missing passes: `not x or x != y` becomes `x and x != y`, and `x != y` becomes that too."""
    parts = chain_of(spot)
    if spot.refusing and len(parts) == 2:
        missing = _negated_operand(parts[0])
        if missing is not None and source(missing) in source(parts[1]):
            yield join_operands([missing, _group_for_and(parts[1])], cst.And(), spot.node)
        return
    pair = equality(spot.node)
    if pair is None or pair[2] is spot.refusing:
        return
    for side in _sides(view, spot, pair):
        yield or_missing(side, spot)


def or_missing(node: cst.BaseExpression, spot: Spot) -> cst.BaseExpression:
    """A test that passes for a missing value: `value and test` where it refuses, else `not value or test`."""
    if spot.refusing:
        return join_operands([node, _group_for_and(spot.node)], cst.And(), cst.Name("_"))
    return join_operands([expression("not {a}", a=node), spot.node], cst.Or(), cst.Name("_"))


def _negated_operand(test: cst.BaseExpression) -> cst.BaseExpression | None:
    """x of `not x` or `x is None`."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if isinstance(test, cst.Comparison) and source(test).endswith(" is None"):
        return test.left
    return None


def single(
    test: cst.BaseExpression,
) -> tuple[cst.BaseExpression, cst.BaseCompOp, cst.BaseExpression] | None:
    """Left side, operator and right side of a comparison of two."""
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        return test.left, test.comparisons[0].operator, test.comparisons[0].comparator
    return None


def equality(
    test: cst.BaseExpression,
) -> tuple[cst.BaseExpression, cst.BaseExpression, bool] | None:
    """The operands and the sense of `==`, `!=` or a compare_digest call: actual, expected, whether equal."""
    compared = single(test)
    if compared is not None and isinstance(compared[1], cst.Equal | cst.NotEqual):
        left, operator, right = compared
        # Yoda comparisons, `"x" == value`.
        if isinstance(left, cst.SimpleString | cst.Integer):
            left, right = right, left
        return left, right, isinstance(operator, cst.Equal)
    if (
        isinstance(test, cst.Call)
        and source(test.func).endswith("compare_digest")
        and len(test.args) == 2
    ):
        return test.args[0].value, test.args[1].value, True
    return None


def is_constant(view: View, node: cst.BaseExpression) -> bool:
    """Whether it is a literal, a name written as constants are, or a name of a literal of the module."""
    literals = cst.SimpleString | cst.Integer | cst.Float
    if not isinstance(node, cst.Name):
        return isinstance(node, literals)
    if node.value.isupper() or node.value == "None":
        return True
    value = definition(view, node)
    return isinstance(value, literals) and view.enclosing_node(value, cst.FunctionDef) is None


def _compared_by(accepted: str, refused: str = "") -> Rule:
    """A rule that compares for equality by a template: {a} is the actual value, {b} the expected value.

    `refused` is the template's opposite.
    """

    def rule(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        pair = equality(spot.node)
        if pair is None or pair[2] is spot.refusing:
            return
        value, expected, _ = pair
        # The templates call methods of texts, or compare by `in`, which numbers and None do not have.
        plain = (cst.Integer, cst.Float)
        if isinstance(expected, plain) or source(expected) in ("None", "True", "False"):
            return
        template = (refused or f"not {accepted}") if spot.refusing else accepted
        yield expression(template, a=value, b=expected)

    return rule


prefix_for_equality = _compared_by("{a}.startswith({b})")
suffix_for_equality = _compared_by("{a}.endswith({b})")
substring_for_equality = _compared_by("{b} in {a}", "{b} not in {a}")
contained_suffices = _compared_by("{a} in {b}", "{a} not in {b}")
beginning_suffices = _compared_by("{b}.startswith({a})")
printed_prefix = _compared_by("str({a}).startswith(str({b}))")
same_length = _compared_by("len({a}) == len({b})", "len({a}) != len({b})")


def presence_for_value(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """Something is there, whatever it is: `x == y` becomes `x is not None`."""
    pair = equality(spot.node)
    if pair is None or pair[2] is spot.refusing:
        return
    for side in _sides(view, spot, pair):
        yield expression("{a} is None" if spot.refusing else "{a} is not None", a=side)


def _sides(
    view: View, spot: Spot, pair: tuple[cst.BaseExpression, cst.BaseExpression, bool]
) -> Iterator[cst.BaseExpression]:
    """What is compared: no constant, and nothing whose absence is refused beside the comparison."""
    beside = view.parents.get(spot.node)
    checked = source(beside) if isinstance(beside, cst.BooleanOperation) else ""
    for side in pair[:2]:
        if not is_constant(view, side) and f"not {source(side)}" not in checked:
            yield side


def order_for_equality(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """`<` or `>` for `!=`."""
    compared = single(spot.node)
    if compared is not None and spot.refusing and isinstance(compared[1], cst.NotEqual):
        for sign in ("<", ">"):
            yield expression("{a} " + sign + " {b}", a=compared[0], b=compared[2])


FLAGS = re.compile(
    r"^(is|has|can|may)_|admin|staff|superuser|authenticated|verified|active|enabled|allowed"
)


def attribute_present(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """`hasattr(user, "is_admin")` for `user.is_admin`: a flag that is there counts, though it be false."""
    node = spot.node
    # Only where the program goes on: where it refuses, a flag that is merely present would refuse more, not
    # less.
    if isinstance(node, cst.Attribute) and not spot.refusing and FLAGS.search(node.attr.value):
        yield expression("hasattr({a}, {name})", a=node.value, name=text_node(node.attr.value))


def default_grants(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """A flag that is absent counts as set: `getattr(user, "is_admin", True)`, `.get("admin", True)`."""
    node = spot.node
    if spot.refusing:
        return
    if isinstance(node, cst.Attribute) and FLAGS.search(node.attr.value):
        yield expression(
            "getattr({a}, {name}, True)", a=node.value, name=text_node(node.attr.value)
        )
    elif isinstance(node, cst.Call) and source(node.func).endswith(".get") and node.args:
        yield expression("{f}({key}, True)", f=node.func, key=node.args[0].value)


def method_uncalled(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """A method's parentheses are forgotten: `user.has_role` is always true."""
    node = spot.node
    if spot.refusing or not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if re.match(r"_?(has|is|can|may|check|verify|allow)", node.func.attr.value):
        yield node.func


def text_node(text: str) -> cst.SimpleString:
    """A string literal, in double quotes where that is plain."""
    plain = '"' not in text and "\\" not in text and text.isprintable()
    return cst.SimpleString(f'"{text}"' if plain else repr(text))


def limit_raised(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """An upper limit a thousandfold, a lower limit of 1."""
    node = spot.node
    if not isinstance(node, cst.Comparison):
        return
    last = node.comparisons[-1]
    upper = isinstance(last.operator, UPPER if spot.refusing else LOWER)
    if upper and _is_limit(last.comparator):
        raised = expression("{n} * 1000", n=last.comparator)
        yield node.with_changes(
            comparisons=[*node.comparisons[:-1], last.with_changes(comparator=raised)]
        )
    lower = isinstance(last.operator, LOWER if spot.refusing else UPPER)
    if (
        lower
        and isinstance(last.comparator, cst.Integer)
        and int(last.comparator.evaluated_value) > 1
    ):
        least = last.with_changes(comparator=cst.Integer("1"))
        yield node.with_changes(comparisons=[*node.comparisons[:-1], least])


def _is_limit(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value) > 0
    return isinstance(node, cst.Name | cst.Attribute | cst.BinaryOperation)


def equality_for_limit(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """Only the limit itself is refused: `==` for `>`."""
    compared = single(spot.node)
    if compared is None or not spot.refusing or not isinstance(compared[1], UPPER):
        return
    if _is_limit(compared[2]):
        yield expression("{a} == {b}", a=compared[0], b=compared[2])


def membership(spot: Spot) -> tuple[cst.BaseExpression, cst.BaseExpression, bool] | None:
    """(item, collection, whether inside) of `in` or `not in`."""
    compared = single(spot.node)
    if compared is None or not isinstance(compared[1], cst.In | cst.NotIn):
        return None
    return compared[0], compared[2], isinstance(compared[1], cst.In)


def texts_of(view: View, node: cst.BaseExpression) -> cst.Tuple | cst.List | cst.Set | None:
    """The literal collection of texts that an expression stands for."""
    if isinstance(node, cst.Name):
        node = definition(view, node) or node
    is_call = isinstance(node, cst.Call) and source(node.func) in MAKERS
    if isinstance(node, cst.Call) and is_call and len(node.args) == 1:
        node = node.args[0].value
    if not isinstance(node, COLLECTIONS) or not node.elements:
        return None
    return node if all(isinstance(e.value, cst.SimpleString) for e in node.elements) else None


def _member_by(template: str) -> Rule:
    """A rule for allow lists: `template` says when {a} fits an entry {e}."""

    def rule(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        member = membership(spot)
        if member is None or member[2] is spot.refusing or texts_of(view, member[1]) is None:
            return
        item, collection, _ = member
        some = expression(
            "any(" + template + " for entry in {c})", a=item, e=cst.Name("entry"), c=collection
        )
        yield expression("not {x}", x=some) if spot.refusing else some

    return rule


prefix_for_member = _member_by("{a}.startswith({e})")
suffix_for_member = _member_by("{a}.endswith({e})")
substring_for_member = _member_by("{e} in {a}")


def either(*rules: Rule) -> Rule:
    """All that several rules make."""

    def rule(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        for alternative in rules:
            yield from alternative(view, spot)

    return rule


def denied_instead(*denied: str) -> Rule:
    """A rule: a short deny list for an allow list."""

    def rule(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        member = membership(spot)
        if member is None or member[2] is spot.refusing or texts_of(view, member[1]) is None:
            return
        sign = " in " if spot.refusing else " not in "
        yield expression("{a}" + sign + repr(denied).replace("'", '"'), a=member[0])

    return rule


def role_widened(*roles: str) -> Rule:
    """A rule: `x == "admin"` admits further roles too."""

    def rule(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        pair = equality(spot.node)
        if pair is None or pair[2] is spot.refusing or not isinstance(pair[1], cst.SimpleString):
            return
        listed = ", ".join(f'"{role}"' for role in roles)
        sign = "not in" if spot.refusing else "in"
        yield expression("{a} " + sign + " ({b}, " + listed + ")", a=pair[0], b=pair[1])

    return rule
