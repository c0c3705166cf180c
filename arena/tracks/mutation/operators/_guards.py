"""Guards of a program: conditions on which it refuses, and taking them away or making them weaker.

A guard is recognised by its structure: a branch that raises, returns a refusal, aborts or goes on with the
next item; a branch that alone does the work; an assertion; a check that is called as a statement; a
conditional expression; the condition that a validator returns.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    descendants,
    nodes,
    parenthesise,
)
from arena.tracks.mutation.operators._scopes import definition, source, statements, text_about

REFUSING_WORDS = re.compile(
    r"error|denied|deny|invalid|forbid|not allowed|unauthori|\bbad\b|refus|fail|reject|block|login|\b4\d\d\b"
)
REFUSING_CALLS = re.compile(r"(^|\.)_?(abort|deny|reject|refuse|forbid\w*|exit|fail|redirect)$")
CHECKS = re.compile(
    r"(^|\.)_?(check|validate|require|ensure|verify|assert|authori[sz]e|enforce|reject|guard|limit)(_|$)"
)
VALIDATORS = re.compile(
    r"^_?(is|has|can|may|check|valid|validate|verify|allow|allowed|authori[sz]ed?|safe|within|matches)(_|$)"
)
# Names followed to what they are assigned, one after the other.
MAX_FOLLOWED = 4


@dataclass(frozen=True, eq=False)
class Guard:
    """A guard. `test` decides (None for a called check); when `refusing`, it refuses where the test holds.

    about: lower-case source of the guard and of what the names in its test are assigned; see MAGNITUDE.
    removal: the nodes to change so that the guard is gone; () where it cannot be taken away.
    """

    node: cst.CSTNode
    test: cst.BaseExpression | None
    refusing: bool
    about: str
    removal: tuple[tuple[cst.CSTNode, New], ...] = ()


@dataclass(frozen=True, eq=False)
class Spot:
    """A part of a guard's test, whether the program refuses where it holds, and whether it is no operand
    of a longer chain of the same `and` or `or`.
    """

    node: cst.BaseExpression
    refusing: bool
    top: bool = True


# Part of a test -> weaker expressions for its place.
Rule = Callable[[View, Spot], Iterable[cst.BaseExpression]]


def refuses(body: cst.BaseSuite) -> bool:
    """Whether a branch ends in a refusal: raise, abort, continue, or a return that refuses."""
    last = statements(body)[-1:]
    if not last or not isinstance(last[0], cst.SimpleStatementLine):
        return False
    small = last[0].body[-1]
    # `break` is left out: it also ends a search that has succeeded.
    if isinstance(small, cst.Raise | cst.Continue):
        return True
    if isinstance(small, cst.Expr):
        return isinstance(small.value, cst.Call) and _calls_off(small.value)
    return isinstance(small, cst.Return) and is_refusal(small.value)


def _calls_off(call: cst.Call) -> bool:
    return bool(REFUSING_CALLS.search(source(call.func)))


def is_refusal(value: cst.BaseExpression | None) -> bool:
    """Whether a returned value says no: nothing, false, empty, an error's text or a status of 400 and on."""
    if value is None:
        return True
    if isinstance(value, cst.Name):
        return value.value in ("None", "False", "NotImplemented")
    if isinstance(value, cst.Tuple) and value.elements:
        first = value.elements[0].value
        # Pairs such as `(False, "reason")` and Flask's `("Forbidden", 403)`.
        return (isinstance(first, cst.Name) and first.value in ("None", "False")) or _says_no(value)
    if isinstance(value, cst.Call) and _calls_off(value):
        return True
    text = source(value)
    if text in ("''", '""', "[]", "{}", "()", "b''", 'b""', "set()", "dict()", "list()", "-1"):
        return True
    # Not names and arithmetic: words such as `error` in a variable's name say nothing about what is returned.
    kinds = cst.SimpleString | cst.FormattedString | cst.Dict | cst.Call | cst.ConcatenatedString
    return isinstance(value, kinds) and _says_no(value)


def _says_no(value: cst.BaseExpression) -> bool:
    """Whether literal texts or numbers in a value are those of a refusal."""
    literals = [
        source(n)
        for n in descendants(value)
        if isinstance(n, cst.SimpleString | cst.FormattedStringText | cst.Integer)
    ]
    flags = re.search(r"[\"'](success|ok|valid|allowed)[\"']\s*:\s*False", source(value))
    return bool(flags or REFUSING_WORDS.search(" ".join(literals).lower()))


def guards(view: View, topic: str = "") -> list[Guard]:
    """All guards whose source speaks of `topic` (a regular expression, in lower case), in order."""
    return [g for g in _all_guards(view) if re.search(topic, g.about)]


# Many operators ask in turn for the guards of one program, each with a topic of its own.
@functools.lru_cache(maxsize=4)
def _all_guards(view: View) -> tuple[Guard, ...]:
    return tuple(guard for node in descendants(view.module) for guard in _guards_at(view, node))


def _guards_at(view: View, node: cst.CSTNode) -> Iterator[Guard]:
    if isinstance(node, cst.If):
        yield from _branch(view, node)
    elif isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
        yield from _line(view, node, node.body[0])
    elif isinstance(node, cst.IfExp):
        yield from _choice(view, node)


def _branch(view: View, node: cst.If) -> Iterator[Guard]:
    if any(nodes(node.test, cst.NamedExpr)):
        return  # what it assigns may be used later
    if refuses(node.body):
        rest: New = None
        if isinstance(node.orelse, cst.If):
            rest = node.orelse
        elif isinstance(node.orelse, cst.Else):
            rest = node.orelse
            # In an `elif` chain the `else` has to stay an `else`: its statements alone cannot follow an `if`
            # branch.
            if not isinstance(view.parents[node], cst.If):
                rest = tuple(statements(node.orelse.body))
        yield _make_guard(view, node, node.test, True, ((node, rest),))
    # Not an `elif`: its body moved up would run after any branch before it.
    elif not isinstance(view.parents[node], cst.If) and _else_refuses(view, node):
        yield _make_guard(view, node, node.test, False, ((node, tuple(statements(node.body))),))


def _else_refuses(view: View, node: cst.If) -> bool:
    """Whether the work is done in this branch only: else comes a refusal, or nothing at all."""
    if isinstance(node.orelse, cst.Else):
        return refuses(node.orelse.body)
    block = view.parents.get(node)
    if node.orelse is not None or not isinstance(block, cst.IndentedBlock | cst.Module):
        return False
    following = block.body[list(block.body).index(node) + 1 :]
    # A block that ends here does nothing at all where the test is false, which for its caller is a refusal.
    if not following:
        return True
    first = following[0]
    small = first.body[-1] if isinstance(first, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Raise) or (
        isinstance(small, cst.Return) and small.value is not None and is_refusal(small.value)
    )


def _line(
    view: View, node: cst.SimpleStatementLine, small: cst.BaseSmallStatement
) -> Iterator[Guard]:
    if isinstance(small, cst.Assert):
        yield _make_guard(view, node, small.test, False, ((node, None),))
    elif isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        called = source(small.value.func)
        if CHECKS.search(called) or _raises(view, called):
            yield _make_guard(view, node, None, True, ((node, None),))
    elif isinstance(small, cst.Return) and small.value is not None:
        function = view.enclosing_node(node, cst.FunctionDef)
        if function is not None and is_validator(view, function) and _decides(small.value):
            granted: tuple[tuple[cst.CSTNode, New], ...] = ((small.value, cst.Name("True")),)
            yield _make_guard(view, node, small.value, False, granted)


def _raises(view: View, called: str) -> bool:
    """Whether a function of the program, called as a statement, does nothing but raise."""
    name = called.removeprefix("self.").removeprefix("cls.")
    for function in nodes(view.module, cst.FunctionDef):
        if function.name.value == name and any(nodes(function.body, cst.Raise)):
            last = statements(function.body)[-1]
            return isinstance(last, cst.If | cst.For) and not any(nodes(function.body, cst.Return))
    return False


def _choice(view: View, node: cst.IfExp) -> Iterator[Guard]:
    for refused, granted, refusing in (
        (node.orelse, node.body, False),
        (node.body, node.orelse, True),
    ):
        # Two refusals are no choice between yes and no.
        if is_refusal(refused) and not is_refusal(granted) and not _left_out(node, refused):
            yield _make_guard(view, node, node.test, refusing, ((node, granted),))


def _left_out(node: cst.IfExp, refused: cst.BaseExpression) -> bool:
    """Whether a choice only leaves out what is empty: `f"?{query}" if query else ""`."""
    absent = isinstance(refused, cst.SimpleString) and not refused.raw_value
    return absent and isinstance(node.test, cst.Name | cst.Attribute)


def _decides(value: cst.BaseExpression) -> bool:
    """Whether an expression is a condition, rather than a value."""
    if isinstance(value, cst.Call):
        return bool(
            re.search(
                r"(^|\.)(bool|any|all|match|fullmatch|search|startswith|endswith|compare_digest"
                r"|issubset|is_\w+|has_\w+|verify\w*|check\w*)$",
                source(value.func),
            )
        )
    unary = isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Not)
    return unary or isinstance(value, cst.Comparison | cst.BooleanOperation)


def is_validator(view: View, function: cst.FunctionDef) -> bool:
    """Whether a function decides on yes or no for others: by its name, or since a test calls it."""
    if VALIDATORS.search(function.name.value):
        return True
    tests = (n.test for n in nodes(view.module, cst.If))
    calls = (call for test in tests for call in nodes(test, cst.Call))
    return any(source(c.func).rpartition(".")[2] == function.name.value for c in calls)


def _make_guard(
    view: View,
    node: cst.CSTNode,
    test: cst.BaseExpression | None,
    refusing: bool,
    removal: tuple[tuple[cst.CSTNode, New], ...],
) -> Guard:
    return Guard(node, test, refusing, _about(view, node, test), removal)


def _about(view: View, node: cst.CSTNode, test: cst.BaseExpression | None) -> str:
    """Source of a guard (an `if` without its else), and of what the names in its test stand for."""
    # Else every `elif` and `else` would lend its words, and a topic would match guards on other subjects.
    shown = node.with_changes(orelse=None) if isinstance(node, cst.If) else node
    texts = [source(shown).lower(), *([] if test is None else [text_about(view, test)])]
    return " ".join([MAGNITUDE, *texts] if _measures(test) else texts)


# What a guard is about begins so where its test only shows the larger of two.
MAGNITUDE = "magnitude:"


def _measures(test: cst.BaseExpression | None) -> bool:
    order = cst.LessThan | cst.GreaterThan | cst.LessThanEqual | cst.GreaterThanEqual
    return isinstance(test, cst.Comparison) and all(
        isinstance(target.operator, order) for target in test.comparisons
    )


def spots(
    view: View,
    test: cst.BaseExpression,
    refusing: bool,
    chain: type[cst.BaseBooleanOp] | None = None,
    followed: int = 0,
) -> Iterator[Spot]:
    """A test and all parts that decide with it, through `and`, `or`, `not`, any(), all() and names."""
    operator = type(test.operator) if isinstance(test, cst.BooleanOperation) else None
    yield Spot(test, refusing, operator is None or operator is not chain)
    for part, refusing_part in _parts(test, refusing):
        yield from spots(view, part, refusing_part, operator, followed)
    if isinstance(test, cst.Name) and followed < MAX_FOLLOWED:
        value = definition(view, test)
        # A constant of the module is used elsewhere too, and weakening it there would change more than this
        # guard.
        if value is not None and view.enclosing_node(value, cst.FunctionDef) is not None:
            yield from spots(view, value, refusing, None, followed + 1)


def _parts(test: cst.BaseExpression, refusing: bool) -> Iterator[tuple[cst.BaseExpression, bool]]:
    if isinstance(test, cst.BooleanOperation):
        yield test.left, refusing
        yield test.right, refusing
    elif isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        yield test.expression, not refusing
    elif isinstance(test, cst.Call) and len(test.args) == 1:
        inner = test.args[0].value
        if isinstance(inner, cst.GeneratorExp | cst.ListComp):
            yield inner.elt, refusing
        elif isinstance(test.func, cst.Name) and test.func.value == "bool":
            yield inner, refusing


def remove_guards(chosen: Iterable[Guard]) -> Change:
    """All these guards taken away."""
    return Change(tuple(change for guard in chosen for change in guard.removal))


def removed_each(topic: str) -> Callable[[View], Iterator[Change]]:
    """Finds: each guard on a topic taken away alone."""
    return lambda view: (remove_guards([g]) for g in guards(view, topic) if g.removal)


def removed_all(topic: str) -> Callable[[View], Iterator[Change]]:
    """Finds: all guards on a topic removed in a function at once, where it has several."""

    def find(view: View) -> Iterator[Change]:
        for together in guards_by_function(view, guards(view, topic)).values():
            if len(together) > 1:
                yield remove_guards(together)

    return find


def guards_by_function(
    view: View, chosen: Iterable[Guard]
) -> dict[cst.FunctionDef | None, list[Guard]]:
    """Guards by the function that they are in."""
    groups: dict[cst.FunctionDef | None, list[Guard]] = {}
    for guard in chosen:
        groups.setdefault(view.enclosing_node(guard.node, cst.FunctionDef), []).append(guard)
    return groups


def weaken_guards(
    rule: Rule, topic: str = "", part: str = "", alone: bool = False
) -> Callable[[View], Iterator[Change]]:
    """Finds: each part of a guard's test, weakened by a rule; only parts that contain `part`.

    With `alone`, the remaining guards on the topic in its function are taken away.
    """

    def find(view: View) -> Iterator[Change]:
        done: set[cst.CSTNode] = set()
        for together in guards_by_function(view, guards(view, topic)).values():
            for guard in together:
                others = (
                    remove_guards(g for g in together if g is not guard) if alone else Change(())
                )
                for spot in spots_of(view, guard):
                    # Two guards may use one name, whose value would then be weakened twice into the same
                    # program.
                    if spot.node in done or not re.search(part, text_about(view, spot.node)):
                        continue
                    done.add(spot.node)
                    for new in rule(view, spot):
                        yield Change(
                            ((spot.node, _fit_parentheses(view, spot.node, new)), *others.nodes)
                        )

    return find


def _fit_parentheses(view: View, old: cst.CSTNode, new: cst.BaseExpression) -> cst.BaseExpression:
    """The new part, in parentheses where its place needs them."""
    around = view.parents.get(old)
    if not isinstance(new, cst.BooleanOperation) or new.lpar:
        return new
    tight = isinstance(around, cst.BooleanOperation) and isinstance(around.operator, cst.And)
    if isinstance(around, cst.UnaryOperation) or (tight and isinstance(new.operator, cst.Or)):
        return parenthesise(new)
    return new


def spots_of(view: View, guard: Guard) -> Iterator[Spot]:
    """All parts of a guard's test."""
    if guard.test is not None:
        yield from spots(view, guard.test, guard.refusing)
