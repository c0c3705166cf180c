"""The steps to a normal form that keep meaning: constant conditions, empty branches, dead code, defaults."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from arena.tracks.mutation.normal_calls import drop_defaults

ENDING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = ("body", "orelse", "finalbody")
LOOKS_AT_NAMES = frozenset({"locals", "vars", "dir", "eval", "exec", "globals"})


def pure(node: ast.AST | None) -> bool:
    """Whether evaluating an expression has no effect (reading a name or attribute counts as having none)."""
    if node is None or isinstance(node, ast.Constant | ast.Name | ast.Lambda):
        return True
    if isinstance(node, ast.Attribute | ast.UnaryOp | ast.Starred):
        return pure(node.operand if isinstance(node, ast.UnaryOp) else node.value)
    kinds = ast.Tuple | ast.List | ast.Set | ast.Dict | ast.BoolOp | ast.Compare | ast.IfExp
    return isinstance(node, kinds) and all(
        pure(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
    )


def truth(node: ast.expr) -> bool | None:
    """What a condition always is; None where that depends."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth(node.operand)
        return None if inner is None else not inner
    return None


class Expressions(ast.NodeTransformer):
    """Expressions in normal form; `condition` is for places where only the truth of a value counts."""

    def condition(self, node: ast.expr) -> ast.expr:
        """A test without double negation, bool() or operands that decide nothing."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
                return inner.operand
            always = truth(inner)
            return _fold_negation(inner) if always is None else ast.Constant(not always)
        if isinstance(node, ast.BoolOp):
            return self._operands(node)
        if isinstance(node, ast.Call) and ast.dump(node.func) == BOOL and len(node.args) == 1:
            return self.condition(node.args[0])
        always = truth(node)
        return node if always is None else ast.Constant(always)

    def _operands(self, node: ast.BoolOp) -> ast.expr:
        """`x and True` is x, and what comes after `False and` is never reached."""
        neutral = isinstance(node.op, ast.And)
        nodes: list[ast.expr] = []
        for value in map(self.condition, node.values):
            always = truth(value)
            if always is neutral:
                continue
            nodes.append(value)
            if always is not None:
                break
        if not nodes:
            return ast.Constant(neutral)
        return nodes[0] if len(nodes) == 1 else ast.BoolOp(node.op, nodes)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        node.operand = self.condition(node.operand)
        always = truth(node)
        return _fold_negation(node.operand) if always is None else ast.Constant(always)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """`True and x` is x, wherever it stands."""
        self.generic_visit(node)
        neutral = isinstance(node.op, ast.And)
        while len(node.values) > 1 and truth(node.values[0]) is neutral:
            del node.values[0]
        if truth(node.values[0]) is (not neutral) or len(node.values) == 1:
            return node.values[0]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self.condition(node.test)
        always = truth(node.test)
        if always is not None:
            return node.body if always else node.orelse
        return node.body if pure(node.test) and _same(node.body, node.orelse) else node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [c for c in map(self.condition, node.ifs) if truth(c) is not True]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """An f-string without values is a string."""
        self.generic_visit(node)
        texts = [v.value for v in node.values if isinstance(v, ast.Constant)]
        if len(texts) == len(node.values):
            return ast.Constant("".join(str(t) for t in texts))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if all(keyword.arg is not None and pure(keyword.value) for keyword in node.keywords):
            # Only pure values may change places: calls would run in another order.
            node.keywords.sort(key=lambda keyword: keyword.arg or "")
        return drop_defaults(node)


BOOL = ast.dump(ast.Name("bool", ast.Load()))


def _fold_negation(node: ast.expr) -> ast.expr:
    """Fold `not` before a comparison by `in` or `is` into the opposite operator."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        opposite = OPPOSITE.get(type(node.ops[0]))
        if opposite is not None:
            return ast.Compare(node.left, [opposite()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def _same(first: ast.AST, second: ast.AST) -> bool:
    return ast.dump(first) == ast.dump(second)


class Statements(Expressions):
    """Blocks in normal form. Takes the whole tree, so that uses of names elsewhere are counted."""

    def __init__(self, tree: ast.AST) -> None:
        super().__init__()
        self.functions: list[Counter[tuple[str, str]]] = [uses(tree)]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        inside = isinstance(node, FUNCTIONS)
        if inside:
            self.functions.append(uses(node))
        super().generic_visit(node)
        for field in BLOCKS:
            block = getattr(node, field, None)
            if isinstance(block, list) and (not block or isinstance(block[0], ast.stmt)):
                setattr(node, field, self._block(block, node))
        if inside:
            self.functions.pop()
        _fill_empty_body(node)
        return node

    def _block(self, block: Sequence[ast.stmt], owner: ast.AST) -> list[ast.stmt]:
        """A block's statements, flat, without what has no effect and what is not reached."""
        statements: list[ast.stmt] = []
        flat = [s for statement in block for s in self._simple(statement)]
        for index, statement in enumerate(flat):
            statements.append(statement)
            if isinstance(statement, ENDING) and self._can_go(flat[index + 1 :]):
                break
        return _fold_return(statements, self.functions[-1])

    def _simple(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """What stands for a statement: itself, nothing, or several."""
        if isinstance(statement, ast.If):
            yield from self._branch(statement)
        elif isinstance(statement, ast.While):
            statement.test = self.condition(statement.test)
            unreached = truth(statement.test) is False and self._can_go(statement.body)
            yield from statement.orelse if unreached else [statement]
        elif isinstance(statement, ast.Assert) and truth(statement.test) is True:
            return
        elif not self._idle(statement):
            yield statement

    def _branch(self, node: ast.If) -> Iterator[ast.stmt]:
        node.test = self.condition(node.test)
        always = truth(node.test)
        taken, left = (node.body, node.orelse) if always else (node.orelse, node.body)
        if always is not None and self._can_go(left):
            yield from taken
            return
        if _empty(node.body) and node.orelse:
            node.test, node.body, node.orelse = _opposite(self, node.test), node.orelse, []
        if _empty(node.body) and not node.orelse:
            if not pure(node.test):
                yield ast.Expr(node.test)
            return
        rest: list[ast.stmt] = []
        if node.orelse and isinstance(node.body[-1], ENDING):
            rest, node.orelse = node.orelse, []
        yield node
        yield from rest

    def _idle(self, node: ast.stmt) -> bool:
        """Whether a statement does nothing: `pass`, a constant, `x = x`, an assignment that nothing reads."""
        if isinstance(node, ast.Pass):
            return True
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Constant | ast.Name)
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return False
        target = node.targets[0]
        # At the module's level others may read the name.
        if not isinstance(target, ast.Name) or len(self.functions) == 1:
            return False
        if isinstance(node.value, ast.Name) and node.value.id == target.id:
            return True
        counts = self.functions[-1]
        unread = not counts["load", target.id] and not counts["outer", target.id]
        return unread and pure(node.value) and not any(counts["load", n] for n in LOOKS_AT_NAMES)

    def _can_go(self, dead: Sequence[ast.stmt]) -> bool:
        """Whether code that is not reached may go: it makes no generator, and no name local."""
        gone: Counter[tuple[str, str]] = Counter()
        for statement in dead:
            gone.update(uses(statement))
        if gone["yield", ""]:
            return False
        counts = self.functions[-1]
        return all(
            counts["store", name] > count or counts["load", name] <= gone["load", name]
            for (kind, name), count in gone.items()
            if kind == "store"
        )


def uses(tree: ast.AST) -> Counter[tuple[str, str]]:
    """How often each name is read ("load"), bound ("store") or declared another's ("outer") in a tree."""
    result: Counter[tuple[str, str]] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            result["load" if isinstance(node.ctx, ast.Load) else "store", node.id] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            result.update(("outer", name) for name in node.names)
        elif isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            result["yield", ""] += 1
        elif isinstance(node, ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            # `x += 1` and `del x` also need the name's value, although the tree says only that they store.
            result.update(("load", t.id) for t in targets if isinstance(t, ast.Name))
    return result


def _opposite(steps: Expressions, test: ast.expr) -> ast.expr:
    return steps.condition(ast.UnaryOp(ast.Not(), test))


def _empty(body: Sequence[ast.stmt]) -> bool:
    return all(isinstance(s, ast.Pass) for s in body)


def _fold_return(block: list[ast.stmt], counts: Counter[tuple[str, str]]) -> list[ast.stmt]:
    """Fold `x = f()` and then `return x`, if x has no further use, into `return f()`."""
    if (
        len(block) < 2
        or not isinstance(block[-1], ast.Return)
        or not isinstance(block[-2], ast.Assign)
    ):
        return block
    assign, value = block[-2], block[-1].value
    target = assign.targets[0]
    if (
        len(assign.targets) != 1
        or not isinstance(target, ast.Name)
        or not isinstance(value, ast.Name)
    ):
        return block
    once = counts["load", target.id] == 1 and counts["store", target.id] == 1
    if target.id != value.id or not once or counts["outer", target.id]:
        return block
    return [*block[:-2], ast.Return(assign.value)]


def _fill_empty_body(node: Any) -> None:
    """A body that is left empty holds `pass`."""
    needs = (
        *FUNCTIONS,
        ast.ClassDef,
        ast.If,
        ast.For,
        ast.AsyncFor,
        ast.While,
        ast.With,
        ast.AsyncWith,
    )
    if isinstance(node, (*needs, ast.Try, ast.ExceptHandler)) and not node.body:
        node.body = [ast.Pass()]
    if isinstance(node, ast.Try) and not node.handlers and not node.finalbody:
        node.finalbody = [ast.Pass()]
