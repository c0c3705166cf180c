"""Data flow from a call's value through a program: names, attributes, keys and the program's functions.

It is read off the tree, statement by statement and in no order. `flow` follows the data of a `TaintSource`;
this is for values that a call makes itself, such as random numbers.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from arena.tracks.exposure.flow.names import last_name

# Of the data-flow graph, where a value is held and by which name: ("", name) of the module, (function,
# name), (ANY, attribute or key), (GIVEN_BACK, function), (LABEL, word) for a keyword or key that says what
# a value is.
Node = tuple[str, str]
ANY, GIVEN_BACK, LABEL = ".", "()", "="
_MAX_STEPS = 400_000
_ADDING = frozenset(
    ("append", "add", "extend", "insert", "update", "write", "setdefault", "appendleft")
)
# A length or a truth value says too little of a value to stand for it.
_FORGETTING = frozenset(("len", "range", "isinstance", "sleep", "bool"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LONGEST_LABEL = 40


class Reach:
    """The data flow graph of a program: which node's value goes to which nodes."""

    def __init__(self, tree: ast.Module, lists: Iterable[ast.Call] = ()) -> None:
        """lists: calls that change the list passed to them, as random.shuffle() does."""
        self._next: dict[Node | int, set[Node]] = defaultdict(set)
        self._own = {item.name: item for item in ast.walk(tree) if isinstance(item, _FUNCTIONS)}
        self._steps = 0
        self._scopes: dict[str, str] = {}
        self._scope, self._class = "", ""
        self._changing = {id(call) for call in lists}
        self._block(tree.body)

    def reachable(
        self, calls: Iterable[ast.Call], without: frozenset[Node] = frozenset()
    ) -> set[Node]:
        """All nodes that the value of any of these calls reaches, past none of `without`."""
        result: set[Node] = set()
        waiting = [node for call in calls for node in self._next.get(id(call), ())]
        while waiting:
            node = waiting.pop()
            if node not in result and node not in without:
                result.add(node)
                waiting.extend(self._next.get(node, ()))
        return result

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, _FUNCTIONS):
                self._function(statement)
            elif isinstance(statement, ast.ClassDef):
                outer, self._class = self._class, statement.name
                self._block(statement.body)
                self._class = outer
            else:
                self._statement(statement)
                for inner in _blocks(statement):
                    self._block(inner)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer = (self._scope, self._scopes)
        self._scope = node.name
        self._scopes = {**self._scopes, **dict.fromkeys(_bound(node), node.name)}
        self._block(node.body)
        self._scope, self._scopes = outer

    def _statement(self, node: ast.stmt) -> None:
        for value, targets in _givings(node):
            self._connect(value, [to for target in targets for to in self._targets(target)])
        if isinstance(node, ast.Return):
            self._connect(node.value, self._results())
        for expression in ast.iter_child_nodes(node):
            if isinstance(expression, ast.expr | ast.withitem):
                self._inside(expression)

    def _results(self) -> list[Node]:
        owner = [(LABEL, self._class)] if self._class else []
        return [(GIVEN_BACK, self._scope), *owner]

    def _inside(self, expression: ast.AST) -> None:
        """Givings within an expression: arguments, keywords, keys, loops of comprehensions, :=."""
        for node in ast.walk(expression):
            if isinstance(node, ast.Call):
                self._call(node)
            elif isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    self._connect(value, _labels([key]))
            elif isinstance(node, ast.comprehension):
                self._connect(node.iter, self._targets(node.target))
            elif isinstance(node, ast.NamedExpr):
                self._connect(node.value, self._targets(node.target))
            elif isinstance(node, ast.Yield | ast.YieldFrom):
                self._connect(node.value, self._results())

    def _call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        own_function = self._own.get(name)
        names = (
            [arg.arg for arg in own_function.args.args if arg.arg not in ("self", "cls")]
            if own_function
            else []
        )
        labels = _labels(node.args)
        for number, value in enumerate(node.args):
            values = [(name, names[number])] if number < len(names) else []
            self._connect(value, [*values, *labels])
        for keyword in node.keywords:
            labelled = [(LABEL, keyword.arg)] if keyword.arg else []
            values = [(name, keyword.arg)] if own_function and keyword.arg else []
            self._connect(keyword.value, [*values, *labelled, *labels])
        if isinstance(node.func, ast.Attribute) and name in _ADDING:
            holder = self._targets(node.func.value)
            for value in node.args:
                self._connect(value, holder)
        if id(node) in self._changing and node.args:
            self._next[id(node)] |= set(self._targets(node.args[0]))

    def _connect(self, value: ast.expr | None, targets: list[Node]) -> None:
        if value is None or not targets:
            return
        for node in self._used(value):
            self._next[node].update(targets)

    def _used(self, expression: ast.expr) -> Iterator[Node | int]:
        """Nodes and calls that contribute to an expression's value, not those that it only asks about."""
        waiting: list[ast.AST] = [expression]
        # A hostile program can nest expressions so that each part is looked at many times.
        while waiting and self._steps < _MAX_STEPS:
            self._steps += 1
            node = waiting.pop()
            if isinstance(node, ast.Name):
                yield self._node(node.id)
            elif isinstance(node, ast.Call):
                yield id(node)
                name = last_name(node.func)
                if name in self._own:
                    yield (GIVEN_BACK, name)
                elif name not in _FORGETTING:
                    waiting.extend(ast.iter_child_nodes(node))
            else:
                key = _key(node)
                if key:
                    yield (ANY, key)
                waiting.extend(_made_of(node))

    def _node(self, name: str) -> Node:
        return (self._scopes.get(name, ""), name)

    def _targets(self, node: ast.expr) -> list[Node]:
        if isinstance(node, ast.Name):
            return [self._node(node.id)]
        if isinstance(node, ast.Tuple | ast.List):
            return [to for item in node.elts for to in self._targets(item)]
        if isinstance(node, ast.Starred):
            return self._targets(node.value)
        key = _key(node)
        if key:
            return [(ANY, key)]
        return self._targets(node.value) if isinstance(node, ast.Subscript) else []


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def _givings(node: ast.stmt) -> Iterator[tuple[ast.expr | None, list[ast.expr]]]:
    """Values and what a statement gives them to."""
    if isinstance(node, ast.Assign):
        yield node.value, node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        yield node.value, [node.target]
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield node.iter, [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            yield item.context_expr, [item.optional_vars] if item.optional_vars else []


def _made_of(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of an expression that contribute to its value."""
    # A comparison gives true or false, and no part of what it compares.
    if isinstance(node, ast.Compare | ast.Constant):
        return
    # Not the test, which only chooses.
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.comprehension):
        yield node.iter
    else:
        yield from ast.iter_child_nodes(node)


def _key(node: ast.AST) -> str:
    """The attribute or the constant key that is reached for, or ""."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else ""
    return ""


def _labels(nodes: list[ast.expr | None] | list[ast.expr]) -> list[Node]:
    """Words among some expressions: the first argument in set_cookie("session", value)."""
    words = (
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return [
        (LABEL, word)
        for word in words
        # Only what could be a name: a sentence among the arguments labels nothing.
        if len(word) <= _LONGEST_LABEL and word.replace("-", "_").isidentifier()
    ]


def _bound(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Parameters and names that a function gives values to."""
    declared = node.args
    every = [
        *declared.posonlyargs,
        *declared.args,
        *declared.kwonlyargs,
        declared.vararg,
        declared.kwarg,
    ]
    names = {item.arg for item in every if item is not None}
    stores = (
        item
        for item in ast.walk(node)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    )
    shared = (item.names for item in ast.walk(node) if isinstance(item, ast.Global))
    return frozenset(names | {store.id for store in stores}) - {
        name for item in shared for name in item
    }
