"""Changes that many operators share: calls dropped, lists changed, late checks, loose patterns.

Each makes a function for `_names.each`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import libcst as cst

from arena.tracks.mutation.operators._guards import Guard, guards, refuses, spots_of
from arena.tracks.mutation.operators._literals import bare
from arena.tracks.mutation.operators._names import Change, View, descendants, expression, nodes
from arena.tracks.mutation.operators._rules import membership, single, text_node, texts_of
from arena.tracks.mutation.operators._scopes import definition, source, statements, text_about

Finder = Callable[[View], Iterable[Change]]

PLAIN_NAMES = ("result", "outcome", "answer")


def several(*finders: Finder) -> Finder:
    """A finder that yields the changes of several finders in turn."""
    return lambda view: (change for find in finders for change in find(view))


def operand(call: cst.Call) -> cst.BaseExpression | None:
    """What a call works on: its first argument, or the object of a method that takes none."""
    if call.args:
        first = call.args[0]
        return None if first.star or first.keyword else first.value
    return call.func.value if isinstance(call.func, cst.Attribute) else None


def receiver(call: cst.Call) -> cst.BaseExpression | None:
    """The object whose method is called."""
    return call.func.value if isinstance(call.func, cst.Attribute) else None


def fits(view: View, old: cst.CSTNode, value: cst.BaseExpression) -> cst.BaseExpression:
    """A value as it may stand in a node's place, in parentheses where it needs them."""
    around = view.parents.get(old)
    if isinstance(around, cst.Assign | cst.AnnAssign | cst.Return | cst.Arg):
        return bare(value) if not isinstance(value, cst.Tuple) else value
    return expression("{value}", value=value)


def weaker(
    template: str, inner: cst.BaseExpression, call: cst.BaseExpression
) -> cst.BaseExpression:
    """A template's expression, with {x} for what a call works on and {whole} for the call itself."""
    parts = {"x": inner, "whole": call}
    return expression(template, **{k: v for k, v in parts.items() if "{" + k + "}" in template})


def drop_calls(
    *names: str, of: Callable[[cst.Call], cst.BaseExpression | None] = operand
) -> Finder:
    """Finds: each call of these names replaced by what it works on."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls(*names):
            inner = of(call)
            # A literal is the program's own: nobody can attack by it.
            if inner is not None and not isinstance(inner, cst.SimpleString):
                yield Change(((call, fits(view, call, inner)),))

    return find


def combine_changes(find: Finder) -> Finder:
    """Finds: all that `find` finds in a single change, where it finds several."""

    def joint(view: View) -> Iterator[Change]:
        changes = list(find(view))
        if len(changes) > 1:
            yield join_changes(changes)

    return joint


def join_changes(changes: Iterable[Change]) -> Change:
    """Join several changes into a single change."""
    parts = list(changes)
    return Change(
        tuple(node for change in parts for node in change.nodes),
        tuple(dict.fromkeys(i for change in parts for i in change.imports)),
        tuple(dict.fromkeys(h for change in parts for h in change.helpers)),
    )


# Decorators that are there for other reasons, whatever they are called.
ROUTES = re.compile(r"(^|\.)(route|get|post|put|patch|delete|head|errorhandler|\w*cache\w*|wraps)$")


def decorators_removed(topic: str) -> Finder:
    """Finds: each decorator on a topic removed."""

    def find(view: View) -> Iterator[Change]:
        for decorator in nodes(view.module, cst.Decorator):
            named = decorator.decorator
            called = source(named.func if isinstance(named, cst.Call) else named).lower()
            if re.search(topic, called) and not ROUTES.search(called):
                yield Change(((decorator, None),))

    return find


def denied_dropped(topic: str, number: int = 4) -> Finder:
    """Finds: each of the first entries of a deny list forgotten."""

    def find(view: View) -> Iterator[Change]:
        for listed in _lists(view, topic, "", denied=True):
            if len(listed.elements) > 1:
                for element in listed.elements[:number]:
                    remaining = [e for e in listed.elements if e is not element]
                    yield Change(((listed, with_elements(listed, remaining)),))

    return find


def allowed_widened(topic: str, part: str, *entries: str) -> Finder:
    """Finds: an entry more in an allow list of texts, for each of `entries`; `part` as in `weaken_guards`."""

    def find(view: View) -> Iterator[Change]:
        for listed in _lists(view, topic, part, denied=False):
            for entry in entries:
                added = cst.Element(text_node(entry))
                yield Change(((listed, with_elements(listed, [*listed.elements, added])),))

    return find


def with_elements(
    listed: cst.Tuple | cst.List | cst.Set, elements: Iterable[cst.BaseElement]
) -> cst.Tuple | cst.List | cst.Set:
    """A collection with new elements, their commas as needed."""
    plain = [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in elements]
    return listed.with_changes(elements=plain)


def _lists(
    view: View, topic: str, part: str, denied: bool
) -> Iterator[cst.Tuple | cst.List | cst.Set]:
    """Literal collections of texts that guards on a topic look into, directly or in a loop."""
    visited: set[cst.CSTNode] = set()
    for collection in _looked_into(view, topic, part, denied):
        listed = texts_of(view, collection)
        if listed is not None and listed not in visited:
            visited.add(listed)
            yield listed


def _looked_into(view: View, topic: str, part: str, denied: bool) -> Iterator[cst.BaseExpression]:
    for guard in guards(view, topic):
        for spot in spots_of(view, guard):
            member = membership(spot)
            if member is None or (member[2] is spot.refusing) is not denied:
                continue
            if re.search(part, text_about(view, spot.node)):
                yield member[1]
        loop = view.enclosing_node(guard.node, cst.For)
        if denied and guard.refusing and loop is not None:
            yield loop.iter


def checked_late(topic: str, use: str) -> Finder:
    """Finds: each guard on a topic moved behind what it guards, where that calls something on `use`."""

    def find(view: View) -> Iterator[Change]:
        for guard in guards(view, topic):
            yield from _late(view, guard, use)

    return find


def _late(view: View, guard: Guard, use: str) -> Iterator[Change]:
    node, block = guard.node, view.parents.get(guard.node)
    if not isinstance(block, cst.IndentedBlock) or not _movable(guard):
        return
    if not isinstance(node, cst.If | cst.SimpleStatementLine):
        return
    rest = list(block.body)[list(block.body).index(node) + 1 :]
    # A guard that reads a new value later checks something else, so no late check of the same value is left.
    if not rest or any(_rebinds(s, guard) for s in rest):
        return
    called = [source(call.func) for statement in rest for call in nodes(statement, cst.Call)]
    if not any(re.search(use, name) for name in called):
        return
    last = _append_check(view, rest[-1], node.with_changes(leading_lines=[]))
    if last is not None:
        yield Change(((node, None), (rest[-1], last)))


def _movable(guard: Guard) -> bool:
    if isinstance(guard.node, cst.If):
        return guard.refusing and guard.node.orelse is None
    return guard.test is None and isinstance(guard.node, cst.SimpleStatementLine)


def _rebinds(statement: cst.CSTNode, guard: Guard) -> bool:
    """Whether a statement gives a new value to a name that the guard reads."""
    read = {name.value for name in nodes(guard.node, cst.Name)}
    targets = (n.target for n in nodes(statement, cst.AssignTarget))
    return any(isinstance(t, cst.Name) and t.value in read for t in targets)


def _append_check(
    view: View, last: cst.CSTNode, check: cst.BaseStatement
) -> tuple[cst.BaseStatement, ...] | None:
    """The block's last statement, followed by the guard; a returned value is stored in a name until then."""
    if isinstance(last, cst.With) and isinstance(last.body, cst.IndentedBlock):
        ending = _append_check(view, last.body.body[-1], check)
        if ending is None or not _returns(last.body.body[-1]):
            return (last, check)
        body = last.body.with_changes(body=[*last.body.body[:-1], ending[0]])
        return (last.with_changes(body=body), *ending[1:])
    if not isinstance(last, cst.SimpleStatementLine):
        return None
    small = last.body[-1]
    if not isinstance(small, cst.Return):
        return None if isinstance(small, cst.Raise) else (last, check)
    # Without a call the returned value has no effect, and a check behind it would come just as early.
    if small.value is None or not any(nodes(small.value, cst.Call)):
        return (check, last)
    name = next((n for n in PLAIN_NAMES if n not in view.bound), None)
    if name is None:
        return None
    assignment = last.with_changes(
        body=[*last.body[:-1], cst.Assign([cst.AssignTarget(cst.Name(name))], small.value)]
    )
    return (assignment, check, cst.SimpleStatementLine([cst.Return(cst.Name(name))]))


def _returns(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[-1], cst.Return
    )


def swallow_refusals(topic: str = "") -> Finder:
    """Finds: a handler that refuses continues, with the raw value instead of a converted value."""

    def find(view: View) -> Iterator[Change]:
        for handler in nodes(view.module, cst.ExceptHandler):
            around = view.parents[handler]
            if not refuses(handler.body) or not isinstance(around, cst.Try):
                continue
            if not re.search(topic, source(around).lower()):
                continue
            instead = _instead(statements(around.body))
            if instead is not None:
                yield Change(((handler.body, cst.IndentedBlock([instead])),))

    return find


def _instead(tried: list[cst.BaseStatement]) -> cst.BaseStatement | None:
    """What a handler does in place of a refusal: nothing, or assign what was to be converted."""
    if len(tried) != 1 or not isinstance(tried[0], cst.SimpleStatementLine):
        return None
    small = tried[0].body[-1]
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        return cst.SimpleStatementLine([cst.Pass()])
    if not isinstance(small, cst.Assign) or not isinstance(small.value, cst.Call):
        return None
    raw = operand(small.value)
    plain = raw is not None and isinstance(small.targets[0].target, cst.Name)
    return cst.SimpleStatementLine([small.with_changes(value=raw)]) if plain else None


def constants_raised(topic: str) -> Finder:
    """Finds: a module's constant that is a guard's upper limit, a thousandfold."""

    def find(view: View) -> Iterator[Change]:
        done: set[cst.CSTNode] = set()
        for guard in guards(view, topic):
            for value in _limits(view, guard):
                if value not in done:
                    done.add(value)
                    yield Change(((value, _thousandfold(value)),))

    return find


def _thousandfold(value: cst.BaseExpression) -> cst.BaseExpression:
    product = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Multiply)
    left = value if product else expression("{n}", n=value)
    return cst.BinaryOperation(left, cst.Multiply(), cst.Integer("1000"))


def _limits(view: View, guard: Guard) -> Iterator[cst.BaseExpression]:
    for spot in spots_of(view, guard):
        compared = single(spot.node)
        names = compared is not None and isinstance(compared[2], cst.Name)
        if compared is None or not names:
            continue
        upper = (
            (cst.GreaterThan, cst.GreaterThanEqual)
            if spot.refusing
            else (cst.LessThan, cst.LessThanEqual)
        )
        value = definition(view, compared[2]) if isinstance(compared[2], cst.Name) else None
        if isinstance(compared[1], upper) and value is not None and _counts(value):
            yield value


def _counts(value: cst.BaseExpression) -> bool:
    """Whether a value consists of whole numbers only."""
    leaves = [n for n in descendants(value) if isinstance(n, cst.BaseExpression)]
    return all(isinstance(n, cst.Integer | cst.BinaryOperation) for n in leaves)
