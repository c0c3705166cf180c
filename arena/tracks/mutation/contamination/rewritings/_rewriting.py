"""What a rewriting is, and what several of them ask about code."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

Leaving = cst.Return | cst.Raise | cst.Continue | cst.Break

# `yield` and `await` may not move into another function, `:=` would bind in another scope, and a lambda reads
# its names later.
SUSPENDING = m.OneOf(m.Yield(), m.Await(), m.NamedExpr(), m.Lambda())
REFLECTIVE = frozenset(("locals", "vars", "globals", "eval", "exec", "dir", "super"))
BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class RewritingExample:
    """`before` becomes `after`; with `after` "" it stays as it is."""

    before: str
    after: str


@dataclass(frozen=True)
class Rewriting:
    """`rewrite` changes every place where it applies, and nothing where it does not. It must not raise."""

    title: str
    rewrite: Callable[[cst.Module], cst.Module]
    examples: tuple[RewritingExample, ...]


def contains(node: cst.CSTNode, matcher: m.BaseMatcherNode | m.OneOf[m.BaseMatcherNode]) -> bool:
    return bool(m.findall(node, matcher))


def names_in(node: cst.CSTNode | Sequence[cst.CSTNode]) -> set[str]:
    """All identifiers but attributes and keywords of calls."""
    nodes = [node] if isinstance(node, cst.CSTNode) else node
    collected = _Names()
    for root in nodes:
        root.visit(collected)
    return collected.names


class _Names(cst.CSTVisitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)


def leaves(body: cst.BaseSuite) -> bool:
    """Whether a block surely does not reach its end."""
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, Leaving)


def negate_test(test: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that is true where `test` is false; orders are not turned round, because of NaN."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    turned = _turn_comparison(test)
    if turned is not None:
        return turned
    simple = isinstance(test, cst.Name | cst.Attribute | cst.Call | cst.Subscript) or test.lpar
    # `not a == b or c` would bind to the first operand alone.
    inner = test if simple else add_parentheses(test)
    return cst.UnaryOperation(cst.Not(), inner)


def _turn_comparison(test: cst.BaseExpression) -> cst.BaseExpression | None:
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    operator = test.comparisons[0].operator
    for first, second in ((cst.In, cst.NotIn), (cst.Is, cst.IsNot)):
        for kind, opposite in ((first, second), (second, first)):
            if isinstance(operator, kind):
                changed = test.comparisons[0].with_changes(operator=opposite())
                return test.with_changes(comparisons=[changed])
    return None


def add_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    """In parentheses, unless it is already."""
    if node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def line(text: str) -> cst.SimpleStatementLine:
    """A simple statement from source text."""
    statement = cst.parse_statement(text)
    assert isinstance(statement, cst.SimpleStatementLine)  # noqa: S101 - callers give simple statements
    return statement


def code_of(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def functions(module: cst.Module) -> Iterator[cst.FunctionDef]:
    """Functions at the top level."""
    return (node for node in module.body if isinstance(node, cst.FunctionDef))


def fresh(stem: str, taken: set[str]) -> str:
    """A name that is not taken; it is taken from then on."""
    number = 1
    while f"{stem}_{number}" in taken:
        number += 1
    taken.add(f"{stem}_{number}")
    return f"{stem}_{number}"


def simple(node: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """The small statement of a line that holds no second."""
    if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
        return node.body[0]
    return None


def header_end(module: cst.Module) -> int:
    """Where the statements begin that come after the docstring and the imports at the top."""
    at = 0
    for at, node in enumerate(module.body):
        small = simple(node)
        text = isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString)
        if not isinstance(small, cst.Import | cst.ImportFrom) and not (at == 0 and text):
            return at
    return at + 1 if module.body else 0
