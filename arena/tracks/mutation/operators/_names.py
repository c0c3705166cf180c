"""What names mean in a program, and changing it: dotted names through imports, nodes, changes.

A `Change` says which nodes are replaced (or removed) and what the program then has to import; `each` makes a
`Rewriting` of a function that finds changes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import libcst as cst
from libcst.helpers import get_full_name_for_node, parse_template_expression

from arena.tracks.mutation.operators._operator import Rewriting

Node = TypeVar("Node", bound=cst.CSTNode)
# What stands in a node's place: another one, several statements, or nothing.
New = cst.CSTNode | tuple[cst.BaseStatement, ...] | None

ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString, cst.FormattedString)
ENCLOSED = (
    cst.Integer,
    cst.Float,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.ListComp,
    cst.DictComp,
    cst.SetComp,
)


@dataclass(frozen=True)
class Change:
    """Nodes to replace, each with what comes in its place; imports and helper functions to be added."""

    nodes: tuple[tuple[cst.CSTNode, New], ...]
    imports: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class View:
    """A program with what its names are bound to: `imported` maps a local name to a dotted name."""

    module: cst.Module
    imported: Mapping[str, str]

    def dotted_name(self, node: cst.CSTNode | None) -> str:
        """The full dotted name of an expression, through imports; "" when it is not a name."""
        name = get_full_name_for_node(node) if isinstance(node, cst.Name | cst.Attribute) else None
        if not name:
            return ""
        first, dot, rest = name.partition(".")
        return f"{self.imported.get(first, first)}{dot}{rest}"

    def called_name(self, call: cst.Call) -> str:
        """The dotted name of what is called, or "*.method" for a method of an unnamed object."""
        name = self.dotted_name(call.func)
        return name or (f"*.{call.func.attr.value}" if isinstance(call.func, cst.Attribute) else "")

    def calls(self, *names: str, within: cst.CSTNode | None = None) -> Iterator[cst.Call]:
        """Calls of any of these dotted names, in order; "*.chmod" stands for any object's method."""
        for call in nodes(within or self.module, cst.Call):
            if matches(self.called_name(call), names):
                yield call

    @functools.cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """Each node's parent."""
        return {child: node for node in descendants(self.module) for child in node.children}

    def enclosing_node(self, node: cst.CSTNode, kind: type[Node]) -> Node | None:
        """The nearest node of a kind that holds `node`."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(parent, kind):
            parent = self.parents.get(parent)
        return parent

    @functools.cached_property
    def bound(self) -> frozenset[str]:
        """All names that stand anywhere in the program, those behind a dot and of keywords apart."""
        apart = {node.attr for node in nodes(self.module, cst.Attribute)}
        apart |= {arg.keyword for arg in nodes(self.module, cst.Arg) if arg.keyword is not None}
        return frozenset(n.value for n in nodes(self.module, cst.Name) if n not in apart)


def matches(dotted: str, names: Iterable[str]) -> bool:
    """Whether a dotted name is among `names`, or ends as an entry that begins with "*."."""
    return any(dotted == n or (n.startswith("*.") and dotted.endswith(n[1:])) for n in names)


@functools.lru_cache(maxsize=1 << 15)
def _children(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """A node's children; libcst finds them by a visit, which is dear."""
    return tuple(node.children)


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and all below it, in order of the source; without recursion."""
    stack: list[cst.CSTNode] = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(_children(current)))


def nodes(root: cst.CSTNode, kind: type[Node]) -> Iterator[Node]:
    """All nodes of a kind at or below `root`, in order."""
    return (node for node in descendants(root) if isinstance(node, kind))


@functools.lru_cache(maxsize=4)
def view(module: cst.Module) -> View:
    """A program's view; many rewritings look at the same module in turn."""
    imported: dict[str, str] = {}
    for node in descendants(module):
        if isinstance(node, cst.Import):
            imported |= _import_aliases(node)
        elif isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar):
            origin = "." * len(node.relative) + (get_full_name_for_node(node.module or "") or "")
            imported |= {
                alias.evaluated_alias or alias.evaluated_name: f"{origin}.{alias.evaluated_name}"
                for alias in node.names
            }
    return View(module, imported)


def _import_aliases(node: cst.Import) -> dict[str, str]:
    aliases = {}
    for alias in node.names:
        # `import a.b` binds `a` alone, `import a.b as c` binds the inner module.
        first = alias.evaluated_name.partition(".")[0]
        aliases[alias.evaluated_alias or first] = (
            alias.evaluated_name if alias.evaluated_alias else first
        )
    return aliases


def parenthesise(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression, in parentheses unless it holds together without."""
    if node.lpar or isinstance(node, ATOMS + ENCLOSED):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def expression(source: str, /, **parts: cst.BaseExpression) -> cst.BaseExpression:
    """An expression from source in which `{name}` stands for a node."""
    held: dict[str, Any] = {name: parenthesise(part) for name, part in parts.items()}
    return parse_template_expression(source, **held)


class _Replace(cst.CSTTransformer):
    """Puts new nodes in old ones' places, and `pass` into a block that is left empty."""

    def __init__(self, changes: Mapping[cst.CSTNode, New]) -> None:
        super().__init__()
        self.changes = changes

    def on_leave(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        if original_node in self.changes:
            new = self.changes[original_node]
            if new is None:
                return cst.RemovalSentinel.REMOVE
            return cst.FlattenSentinel(new) if isinstance(new, tuple) else new
        updated = super().on_leave(original_node, updated_node)
        if isinstance(updated, cst.IndentedBlock) and not updated.body:
            return updated.with_changes(body=[cst.parse_statement("pass")])
        return updated


def apply(parsed: View, change: Change) -> cst.Module | None:
    """The program with a change applied; None when a name that it imports means something else there."""
    additions = []
    for source in change.imports:
        statement = cst.ensure_type(cst.parse_statement(source), cst.SimpleStatementLine)
        needed = view(cst.Module([statement])).imported
        if all(parsed.imported.get(name) == full for name, full in needed.items()):
            continue
        # The program uses this name for something of its own; the import would replace it.
        if any(name in parsed.bound for name in needed):
            return None
        additions.append(statement)
    fitted = {old: _fit_replacement(parsed, old, new) for old, new in change.nodes}
    if any(isinstance(new, cst.MaybeSentinel) for new in fitted.values()):
        return None
    changed = parsed.module.visit(_Replace(fitted))
    return with_statements(changed, additions, [cst.parse_statement(h) for h in change.helpers])


def _fit_replacement(parsed: View, old: cst.CSTNode, new: New) -> Any:
    """What can stand in `old`'s place: inside an f-string (before Python 3.12) without its quotes.

    MaybeSentinel.DEFAULT when it cannot stand there.
    """
    around = parsed.enclosing_node(old, cst.FormattedString)
    if around is None or not isinstance(new, cst.BaseExpression):
        return new
    code = parsed.module.code_for_node(new)
    # No backslash may stand in an f-string's expression before Python 3.12.
    if "\\" in code:
        return cst.MaybeSentinel.DEFAULT
    if around.quote[0] not in code:
        return new
    # Text inside may hold the other quote as well: then nothing fits, and the check below says so.
    swapped = code.translate(str.maketrans("'\"", "\"'"))
    return (
        cst.MaybeSentinel.DEFAULT if around.quote[0] in swapped else cst.parse_expression(swapped)
    )


def with_statements(
    module: cst.Module,
    imports: Iterable[cst.BaseStatement],
    helpers: Iterable[cst.BaseStatement],
) -> cst.Module:
    """The program with imports after its leading ones, and helper functions after those."""
    body = list(module.body)
    place = 0
    # `from __future__` must stay first, and the helpers may use any import of the program.
    for index, statement in enumerate(body):
        if not _is_prologue(statement, index):
            break
        place = index + 1
    blank = cst.EmptyLine(indent=False)
    functions = [h.with_changes(leading_lines=[blank, blank]) for h in helpers]
    return module.with_changes(body=[*body[:place], *imports, *functions, *body[place:]])


def _is_prologue(statement: cst.BaseStatement, index: int) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    small = statement.body[0]
    if isinstance(small, cst.Expr):
        return index == 0 and isinstance(small.value, cst.SimpleString | cst.ConcatenatedString)
    return isinstance(small, cst.Import | cst.ImportFrom)


def each(find: Callable[[View], Iterable[Change]]) -> Rewriting:
    """A rewriting that yields a program for each change."""

    def rewriting(module: cst.Module) -> Iterator[cst.Module]:
        parsed = view(module)
        for change in find(parsed):
            changed = apply(parsed, change)
            if changed is not None:
                yield changed

    return rewriting


def rewrite_calls(
    rewrite: Callable[[View, cst.Call], cst.BaseExpression | None],
    *names: str,
    imports: tuple[str, ...] = (),
    helpers: tuple[str, ...] = (),
) -> Rewriting:
    """A rewriting of each call of these `names` into what `rewrite` returns for it (None: leave it)."""

    def find(parsed: View) -> Iterator[Change]:
        for call in parsed.calls(*names):
            new = rewrite(parsed, call)
            if new is not None:
                yield Change(((call, new),), imports, helpers)

    return each(find)


def argument(call: cst.Call, position: int | None, keyword: str = "") -> cst.Arg | None:
    """A call's argument by position or keyword; None where it is absent or hidden in a star."""
    for index, arg in enumerate(call.args):
        # How many positions or which keywords a star holds is known only when the program runs.
        if arg.star:
            return None
        if arg.keyword is not None and arg.keyword.value == keyword and keyword:
            return arg
        if arg.keyword is None and index == position:
            return arg
    return None


def with_keyword(call: cst.Call, keyword: str, value: cst.BaseExpression) -> cst.Call:
    """The call with a keyword argument set, in its place if it was there."""
    arg = argument(call, None, keyword)
    if arg is not None:
        return call.with_deep_changes(arg, value=value)
    plain = cst.AssignEqual(
        whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace("")
    )
    return call.with_changes(
        args=[*call.args, cst.Arg(value, keyword=cst.Name(keyword), equal=plain)]
    )


def remove_argument(call: cst.Call, arg: cst.Arg) -> cst.Call:
    """The call without this argument."""
    args = [a for a in call.args if a is not arg]
    if args and arg is call.args[-1]:
        # The comma belongs to the argument before the removed one, and would stand before the closing
        # parenthesis.
        args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(args=args)


def some(*rewritings: Rewriting) -> Rewriting:
    """All programs that several rewritings yield, in turn."""

    def rewriting(module: cst.Module) -> Iterator[cst.Module]:
        for part in rewritings:
            yield from part(module)

    return rewriting
