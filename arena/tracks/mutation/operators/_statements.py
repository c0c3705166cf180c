"""SQL statements that a program runs with bound parameters, and putting the parameters into their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from arena.tracks.mutation.operators._literals import Expr, Piece, literal, pieces_of, plain_text
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    descendants,
    nodes,
    remove_argument,
)
from arena.tracks.mutation.operators._scopes import definition, parameters, source

VERBS = re.compile(
    r"\s*(select|insert|update|delete|replace|with|merge|upsert|call)\b", re.IGNORECASE
)
POSITIONAL = re.compile(r"\?|%s")
# Not after a colon or a word: `::` is PostgreSQL's cast, and `12:30` a time.
NAMED = re.compile(r"(?<![:\w]):(\w+)|%\((\w+)\)s")
# The column before the placeholder, with the closing quote of any dialect.
COLUMN = re.compile(r"(\w+)[\"`\]]?\s*(?:=|<>|!=|<=|>=|<|>)\s*$")
COUNTS = re.compile(r"\b(limit|offset)\s*$", re.IGNORECASE)
NUMBERS = re.compile(
    r"(^|_)(id|ids|num|number|count|age|limit|offset|qty|quantity|amount|price|year|page|size|total)$"
)
CONVERTED = re.compile(r"^(int|float|bool|Decimal|UUID|uuid\.UUID|date|datetime)\(")


@dataclass(frozen=True, eq=False)
class Slot:
    """A placeholder: its text, the value bound to it, and whether a number belongs there."""

    text: str
    value: cst.BaseExpression
    number: bool

    @property
    def open(self) -> bool:
        """Whether an attacker may choose what comes in: no constant, and not converted to a number."""
        constant = isinstance(self.value, cst.SimpleString | cst.Integer | cst.Float)
        return not constant and not CONVERTED.match(source(self.value))


Part = str | Expr | Slot


@dataclass(frozen=True, eq=False)
class StatementRun:
    """A call that runs a statement. `literal` is the statement's node, `values` that of the parameters;
    `parts` is the statement in order; `bound` the argument that carries the parameters.
    """

    call: cst.Call
    literal: cst.BaseExpression
    values: cst.Tuple | cst.List | cst.Dict
    parts: tuple[Part, ...]
    bound: cst.Arg
    view: View

    @property
    def slots(self) -> list[Slot]:
        """The placeholders in order."""
        return [part for part in self.parts if isinstance(part, Slot)]

    @property
    def text(self) -> str:
        """The statement's text, a NUL for what an f-string puts in."""
        return "".join(
            p if isinstance(p, str) else p.text if isinstance(p, Slot) else "\0" for p in self.parts
        )


def statements_run(view: View) -> Iterator[StatementRun]:
    """All calls that run a literal SQL statement with a literal collection of parameters."""
    for call in nodes(view.module, cst.Call):
        if not isinstance(call.func, cst.Attribute) or not call.args or call.args[0].star:
            continue
        bound = _bound(call)
        literal = _literal(view, call.args[0].value)
        values = _follow_name(view, bound.value) if bound is not None else None
        if (
            bound is None
            or literal is None
            or not isinstance(values, cst.Tuple | cst.List | cst.Dict)
        ):
            continue
        parts = _parts(pieces_of(literal), values)
        if parts is not None:
            yield StatementRun(call, literal, values, parts, bound, view)


def _bound(call: cst.Call) -> cst.Arg | None:
    for keyword in ("params", "parameters", "args", "vars"):
        arg = argument(call, 1, keyword)
        if arg is not None:
            return arg
    return None


def _follow_name(view: View, node: cst.BaseExpression) -> cst.BaseExpression | None:
    return definition(view, node) if isinstance(node, cst.Name) else node


def _literal(view: View, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The statement's literal, through a name and through SQLAlchemy's text()."""
    name = _follow_name(view, node)
    if isinstance(name, cst.Call) and source(name.func).rpartition(".")[2] == "text" and name.args:
        name = _follow_name(view, name.args[0].value)
    texts = cst.SimpleString | cst.ConcatenatedString | cst.FormattedString
    if not isinstance(name, texts) or not VERBS.match(plain_text(pieces_of(name))):
        return None
    return name


def _parts(
    pieces: Sequence[Piece], values: cst.Tuple | cst.List | cst.Dict
) -> tuple[Part, ...] | None:
    """Texts, interpolated expressions and placeholders; None when the placeholders do not fit the values."""
    named = _values_by_key(values) if isinstance(values, cst.Dict) else None
    positional = [] if isinstance(values, cst.Dict) else [e.value for e in values.elements]
    # A driver takes one of the two styles at a time, decided by the type of the parameters.
    pattern = POSITIONAL if named is None else NAMED
    parts: list[Part] = []
    count = 0
    for piece in pieces:
        if isinstance(piece, Expr):
            parts.append(piece)
            continue
        end = 0
        for placeholder in pattern.finditer(piece):
            value = _value(placeholder, named, positional, count)
            if value is None:
                return None
            count += 1
            before = piece[end : placeholder.start()]
            parts += [before, Slot(placeholder.group(), value, _is_number(before, value))]
            end = placeholder.end()
        parts.append(piece[end:])
    # A dictionary may hold more values than the statement uses, a sequence may not.
    fits = count == len(positional) if named is None else count > 0
    return tuple(parts) if fits and count else None


def _value(
    match: re.Match[str],
    named: dict[str, cst.BaseExpression] | None,
    positional: Sequence[cst.BaseExpression],
    index: int,
) -> cst.BaseExpression | None:
    if named is not None:
        return named.get(match.group(1) or match.group(2))
    return positional[index] if index < len(positional) else None


def _values_by_key(values: cst.Dict) -> dict[str, cst.BaseExpression]:
    return {
        str(e.key.evaluated_value): e.value
        for e in values.elements
        if isinstance(e, cst.DictElement) and isinstance(e.key, cst.SimpleString)
    }


def _is_number(before: str, value: cst.BaseExpression) -> bool:
    """Whether a number belongs in a place: by the column it is compared with, or else by the value's name."""
    if COUNTS.search(before):
        return True
    column = COLUMN.search(before)
    # The column first: it says what the database compares with, whatever the program calls the value.
    name = column.group(1) if column else re.sub(r"\W+$", "", source(value)).rpartition(".")[2]
    return bool(NUMBERS.search(name.lower())) and not isinstance(value, cst.FormattedString)


Render = Callable[[Sequence[Piece]], cst.BaseExpression | None]
Wrap = Callable[[cst.BaseExpression], cst.BaseExpression]


def inline_values(
    run: StatementRun, chosen: Collection[Slot], render: Render, wrap: Wrap | None = None
) -> Change | None:
    """The statement with some placeholders' values in its text, in quotes where no number belongs."""
    pieces: list[Piece] = []
    for part in run.parts:
        if isinstance(part, Slot):
            pieces += _inside(part, wrap) if part in chosen else [part.text]
        else:
            pieces.append(part)
    statement = render(pieces)
    bound_slots = [slot for slot in run.slots if slot not in chosen]
    return replace_statement(run, statement, bound_slots) if statement is not None else None


def _inside(slot: Slot, wrap: Wrap | None) -> list[Piece]:
    """What stands in the text in a placeholder's place."""
    value = slot.value
    inner: list[Piece]
    if isinstance(value, cst.SimpleString | cst.ConcatenatedString | cst.FormattedString):
        # A literal's text goes in directly and not as an expression, whose quotes would clash with the
        # statement's.
        inner = list(pieces_of(value))
    else:
        inner = [Expr(value)]
    if wrap is not None:
        inner = [Expr(wrap(p.node)) if isinstance(p, Expr) else p for p in inner]
    return inner if slot.number else ["'", *inner, "'"]


def replace_statement(
    run: StatementRun, statement: cst.BaseExpression, slots: Sequence[Slot]
) -> Change | None:
    """The program with another statement, and with the parameters that are still bound."""
    call, changes = _with_statement(run, statement)
    is_inline = run.values in set(descendants(run.bound))
    if not slots:
        bound = next(a for a in call.args if source(a.value) == source(run.bound.value))
        call = remove_argument(call, bound)
        if not is_inline:
            changes += _remove_unused_assignment(run.view, run.values, run.bound.value)
    # A dictionary may keep values that the statement no longer uses; a sequence must have exactly as many.
    elif len(slots) < len(run.slots) and not isinstance(run.values, cst.Dict):
        fewer = _fewer(run.values, slots)
        if is_inline:
            call = cst.ensure_type(call.deep_replace(run.values, fewer), cst.Call)
        else:
            changes.append((run.values, fewer))
    return Change(((run.call, call), *changes))


def _with_statement(
    run: StatementRun, statement: cst.BaseExpression
) -> tuple[cst.Call, list[tuple[cst.CSTNode, New]]]:
    """The call with another statement, or the assignment where the statement stands, as a change."""
    call = run.call
    if run.literal in set(descendants(call)):
        return cst.ensure_type(call.deep_replace(run.literal, statement), cst.Call), []
    if _known_early(run.view, run):
        return call, [(run.literal, statement)]
    first = call.args[0]
    call = call.with_changes(args=[first.with_changes(value=statement), *call.args[1:]])
    return call, [*_remove_unused_assignment(run.view, run.literal, first.value)]


def _fewer(values: cst.Tuple | cst.List, slots: Sequence[Slot]) -> cst.Tuple | cst.List:
    still = {slot.value for slot in slots}
    elements = [e for e in values.elements if e.value in still]
    plain = [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in elements]
    return values.with_changes(elements=plain)


def _known_early(view: View, run: StatementRun) -> bool:
    """Whether a statement that is assigned to a name may read the values there: all are parameters, and
    the name is read once, in the same function.
    """
    function = view.enclosing_node(run.literal, cst.FunctionDef)
    if function is None or function is not view.enclosing_node(run.call, cst.FunctionDef):
        return False
    early_names = {*parameters(function), "str", "self"}
    read = {n.value for slot in run.slots for n in nodes(slot.value, cst.Name)}
    stored = {
        t.target.value for t in nodes(function, cst.AssignTarget) if isinstance(t.target, cst.Name)
    }
    first = run.call.args[0].value
    once = isinstance(first, cst.Name) and _reads(function, first.value) == 1
    return once and read <= early_names and not read & stored


def _reads(function: cst.CSTNode, name: str) -> int:
    stored = sum(
        isinstance(t.target, cst.Name) and t.target.value == name
        for t in nodes(function, cst.AssignTarget)
    )
    return sum(n.value == name for n in nodes(function, cst.Name)) - stored


def _remove_unused_assignment(
    view: View, value: cst.CSTNode, name: cst.BaseExpression
) -> list[tuple[cst.CSTNode, New]]:
    """The line that assigns `value` to a name that is read nowhere else, to be removed."""
    line = view.enclosing_node(value, cst.SimpleStatementLine)
    function = view.enclosing_node(value, cst.FunctionDef)
    if line is None or function is None or not isinstance(name, cst.Name) or len(line.body) != 1:
        return []
    assign = view.parents.get(value)
    alone = isinstance(assign, cst.Assign) and len(assign.targets) == 1
    return [(line, None)] if alone and _reads(function, name.value) == 1 else []


def remove_parameter(run: StatementRun, start: int, end: int, text: str) -> Change | None:
    """The statement without its text from `start` to `end`, which holds a single placeholder."""
    # NUL stands for what an f-string puts in: the text alone would lose it.
    if "\0" in run.text or run.text[start:end].count(text) != 1:
        return None
    position = 0
    for slot in run.slots:
        # From the last one on: placeholders such as `?` are all alike.
        position = run.text.index(slot.text, position)
        if start <= position < end:
            bound_slots = [bound_slot for bound_slot in run.slots if bound_slot is not slot]
            return replace_statement(run, literal(run.text[:start] + run.text[end:]), bound_slots)
        position += len(slot.text)
    return None
