"""SQL that is put together: conditions in lists, columns from a table, statements for many rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from arena.tracks.mutation.operators._calls import receiver
from arena.tracks.mutation.operators._constants import resolve_expression, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import guards
from arena.tracks.mutation.operators._literals import Expr, Piece, f_string, pieces_of
from arena.tracks.mutation.operators._names import Change, New, View, expression, nodes
from arena.tracks.mutation.operators._scopes import source
from arena.tracks.mutation.operators._statements import POSITIONAL, VERBS

ADDING = re.compile(r"\.(append|extend)$")


def conditions_inlined(view: View) -> Iterator[Change]:
    """Finds: `parts.append("a = ?")` with `values.append(a)` behind it, put together into the text."""
    for line in nodes(view.module, cst.SimpleStatementLine):
        block = view.parents.get(line)
        literal = _added_text(line)
        if literal is None or not isinstance(block, cst.IndentedBlock | cst.Module):
            continue
        place = list(block.body).index(line)
        for following in block.body[place + 1 : place + 3]:
            values = _added_values(following)
            node = _fill_placeholders(literal, values) if values else None
            if node is not None:
                yield Change(((literal, node), (following, None)))
                break


def _added_text(line: cst.SimpleStatementLine) -> cst.BaseExpression | None:
    """The literal of the line `parts.append("... ?")`."""
    small = line.body[0]
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or not source(call.func).endswith(".append"):
        return None
    texts = cst.SimpleString | cst.ConcatenatedString
    value = call.args[0].value if len(call.args) == 1 else None
    match = POSITIONAL.search(text_of(value) or "") if isinstance(value, texts) else None
    return value if match else None


def _added_values(line: cst.CSTNode) -> Sequence[cst.BaseExpression]:
    """Values of `values.append(x)`, `values.extend([x, y])` or `values += [x, y]`."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if isinstance(small, cst.AugAssign) and isinstance(small.operator, cst.AddAssign):
        return _elements(small.value)
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1 or call.args[0].star:
        return ()
    value = call.args[0].value
    named = ADDING.search(source(call.func))
    if named is None:
        return ()
    return [value] if named.group(1) == "append" else _elements(value)


def _elements(node: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
    plain = isinstance(node, cst.List | cst.Tuple)
    return (
        [e.value for e in node.elements] if isinstance(node, cst.List | cst.Tuple) and plain else ()
    )


def _fill_placeholders(
    literal: cst.BaseExpression, arguments: Sequence[cst.BaseExpression]
) -> cst.BaseExpression | None:
    """An f-string with the values in the placeholders' places; None where they do not fit."""
    parts = POSITIONAL.split("".join(p for p in pieces_of(literal) if isinstance(p, str)))
    if len(parts) != len(arguments) + 1:
        return None
    pieces: list[Piece] = [parts[0]]
    for value, after in zip(arguments, parts[1:], strict=True):
        inner: list[Piece] = [Expr(value)]
        if isinstance(value, cst.FormattedString):
            inner = list(pieces_of(value))
        # In quotes for every value: SQLite and others convert a quoted number where the column is numeric.
        pieces += ["'", *inner, "'" + after]
    return f_string(pieces)


def table_bypassed(view: View) -> Iterator[Change]:
    """Finds: `f"... ORDER BY {ORDERS[key]}"` takes the key itself, and the key is no longer checked."""
    for text in nodes(view.module, cst.FormattedString):
        if not _is_statement(text):
            continue
        for part in nodes(text, cst.FormattedStringExpression):
            lookup_table = looked_up(view, part.expression)
            if lookup_table is not None:
                table, key = lookup_table
                yield Change(((part.expression, key), *_remove_table_guards(view, text, table)))


def _is_statement(text: cst.FormattedString) -> bool:
    first = "".join(p.value for p in text.parts if isinstance(p, cst.FormattedStringText))
    return bool(VERBS.match(first) or re.search(r"(?i)\b(order by|from|where)\b", first))


def looked_up(
    view: View, node: cst.BaseExpression
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """(table, key) of `TABLE[key]` or `TABLE.get(key)`, also by a name, where the table holds texts only."""
    value = resolve_expression(view, node)
    table: cst.BaseExpression | None = None
    key: cst.BaseExpression | None = None
    if isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Index):
        table, key = value.value, value.slice[0].slice.value
    elif isinstance(value, cst.Call) and source(value.func).endswith(".get") and value.args:
        table, key = receiver(value), value.args[0].value
    definition_of_table = resolve_expression(view, table)
    if key is None or table is None or not isinstance(definition_of_table, cst.Dict):
        return None
    # A key written in the program cannot be chosen by an attacker.
    return (table, key) if not isinstance(key, cst.SimpleString) else None


def _remove_table_guards(
    view: View, near: cst.CSTNode, table: cst.BaseExpression
) -> Iterator[tuple[cst.CSTNode, New]]:
    """Removals of the guards in the same function that look into a table."""
    function = view.enclosing_node(near, cst.FunctionDef)
    for guard in guards(view):
        here = view.enclosing_node(guard.node, cst.FunctionDef) is function
        if (
            here
            and guard.test is not None
            and any(
                source(c.comparator) == source(table)
                for comparison in nodes(guard.test, cst.Comparison)
                for c in comparison.comparisons
            )
        ):
            yield from guard.removal


def one_by_one(view: View) -> Iterator[Change]:
    """Finds: `executemany` as a loop that puts each row's values into the text."""
    for line in nodes(view.module, cst.SimpleStatementLine):
        small = line.body[0]
        call = small.value if isinstance(small, cst.Expr) else None
        if not isinstance(call, cst.Call) or len(call.args) != 2 or len(line.body) != 1:
            continue
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "executemany":
            continue
        text = text_of(resolve_expression(view, call.args[0].value))
        if text is None or not POSITIONAL.search(text) or '"' in text or "{" in text:
            continue
        marked = POSITIONAL.sub("'{}'", text)
        run = call.func.with_changes(attr=cst.Name("execute"))
        inside = expression('{run}(""' + f'"{marked}"' + '"".format(*values))', run=run)
        body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Expr(inside)])])
        loop = cst.For(cst.Name("values"), call.args[1].value, body)
        yield Change(((line, loop.with_changes(leading_lines=line.leading_lines)),))


def allowed_raw(view: View) -> Iterator[Change]:
    """Finds: the check of a name that becomes part of a statement taken away."""
    for guard in guards(view, r"order|sort|column|field|table|direction|asc\b|key"):
        if guard.test is None or not guard.removal:
            continue
        members = [m for c in nodes(guard.test, cst.Comparison) if (m := _member(c)) is not None]
        function = view.enclosing_node(guard.node, cst.FunctionDef)
        if function is None or not members:
            continue
        used = {
            source(part.expression)
            for text in nodes(function, cst.FormattedString)
            if _is_statement(text)
            for part in nodes(text, cst.FormattedStringExpression)
        }
        if any(source(item) in used for item in members):
            yield Change(guard.removal)


def _member(comparison: cst.Comparison) -> cst.BaseExpression | None:
    last = comparison.comparisons[-1]
    return comparison.left if isinstance(last.operator, cst.In | cst.NotIn) else None


EXAMPLES = examples('''
=== conditions_inlined
  ORDERS = {"name": "name", "age": "born DESC"}

  def search(db, name, order):
      if order not in ORDERS:
          raise ValueError("no such order")
      parts, values = ["active"], []
      if name:
-         parts.append("name = ?")
-         values.append(name)
+         parts.append(f"name = '{name}'")
      where = " AND ".join(parts)
      return db.execute(f"SELECT * FROM users WHERE {where} ORDER BY {ORDERS[order]}", values)
=== table_bypassed of the same
-     if order not in ORDERS:
-         raise ValueError("no such order")
...
-     return db.execute(f"SELECT * FROM users WHERE {where} ORDER BY {ORDERS[order]}", values)
+     return db.execute(f"SELECT * FROM users WHERE {where} ORDER BY {order}", values)
=== allowed_raw
  def listed(db, column):
-     if column not in ("name", "age"):
-         raise ValueError("no such column")
      return db.execute(f"SELECT * FROM users ORDER BY {column}")
=== one_by_one
  def store(db, rows):
-     db.executemany("INSERT INTO users VALUES (?, ?)", rows)
+     for values in rows:
+         db.execute("""INSERT INTO users VALUES ('{}', '{}')""".format(*values))
''')
