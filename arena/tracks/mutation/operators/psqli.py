"""PSQLI: bound parameters are put into the text of SQL statements.

SecMutBench extends this operator from the Java operators of Loise et al. (Section 3.2, Figure 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _queries
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._literals import (
    Expr,
    f_string,
    pieces_of,
    render_format_call,
    render_literal,
)
from arena.tracks.mutation.operators._names import Change, View, each, expression, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting
from arena.tracks.mutation.operators._scopes import source
from arena.tracks.mutation.operators._statements import (
    POSITIONAL,
    Render,
    Slot,
    Wrap,
    inline_values,
    statements_run,
)


def all_inlined(render: Render, wrap: Wrap | None = None, quoted: bool = True) -> Rewriting:
    """All parameters of a statement in its text; with `quoted` False only where numbers belong."""

    def find(view: View) -> Iterator[Change]:
        for run in statements_run(view):
            # A statement into which only constants and converted numbers go cannot be attacked.
            slots = [slot for slot in run.slots if slot.open]
            if slots and (quoted or any(slot.number for slot in slots)):
                change = inline_values(run, run.slots, render, wrap)
                if change is not None:
                    yield change

    return each(find)


def one_inlined(view: View) -> Iterator[Change]:
    """Finds: a parameter of several in the text, the rest bound."""
    for run in statements_run(view):
        for slot in run.slots:
            if slot.open and len(run.slots) > 1:
                change = inline_values(run, [slot], f_string)
                if change is not None:
                    yield change


def _wrap_by_template(template: str) -> Wrap:
    return lambda value: expression(template, value=value)


quotes_doubled = _wrap_by_template("""str({value}).replace("'", "''")""")
quotes_escaped = _wrap_by_template(r"""str({value}).replace("'", "\\'")""")
comments_stripped = _wrap_by_template("""str({value}).replace("--", "").replace(";", "")""")


def added_inlined(view: View) -> Iterator[Change]:
    """Finds: `query += " AND a = ?"` with `values.append(a)`, put together into the text."""
    for added in nodes(view.module, cst.AugAssign):
        line = view.parents[added]
        block = view.parents.get(line)
        if not isinstance(added.operator, cst.AddAssign) or not isinstance(
            block, cst.IndentedBlock
        ):
            continue
        for statement in block.body:
            value = _appended_value(statement)
            placeholder = _one_placeholder(added.value)
            if value is not None and placeholder is not None:
                before, after = placeholder
                node = f_string([before + "'", Expr(value), "'" + after])
                if node is not None:
                    yield Change(((added.value, node), (statement, None)))


def _one_placeholder(node: cst.BaseExpression) -> tuple[str, str] | None:
    if not isinstance(node, cst.SimpleString) or not isinstance(node.evaluated_value, str):
        return None
    parts = POSITIONAL.split(node.evaluated_value)
    return (parts[0], parts[1]) if len(parts) == 2 else None


def _appended_value(statement: cst.CSTNode) -> cst.BaseExpression | None:
    """x of the line `values.append(x)`."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        return None
    # By the list's name: nothing else in the text distinguishes the list of parameters.
    bound = re.search(r"(par|arg|val|bind)\w*\.append$", source(call.func).lower())
    return call.args[0].value if bound else None


def named_parameters(view: View) -> Iterator[Change]:
    """Finds: `?` and a tuple become names and a mapping."""
    for run in statements_run(view):
        # Only sqlite3 among the usual drivers takes both `?` and `:name`.
        if isinstance(run.values, cst.Dict) or any(slot.text != "?" for slot in run.slots):
            continue
        names = {slot: f"p{number}" for number, slot in enumerate(run.slots, 1)}
        pieces = [f":{names[p]}" if isinstance(p, Slot) else p for p in run.parts]
        statement = render_literal(pieces)
        values = ", ".join(f'"{names[s]}": {source(s.value)}' for s in run.slots)
        if statement is not None:
            yield Change(
                ((run.literal, statement), (run.values, cst.parse_expression(f"{{{values}}}")))
            )


def add_semicolon(view: View) -> Iterator[Change]:
    """Finds: a semicolon at the statement's end."""
    for run in statements_run(view):
        pieces = list(pieces_of(run.literal))
        if pieces and isinstance(pieces[-1], str) and not pieces[-1].rstrip().endswith(";"):
            pieces[-1] = pieces[-1].rstrip() + ";"
            node = render_literal(pieces)
            if node is not None:
                yield Change(((run.literal, node),))


INJECTIONS = (
    "\"' OR '1'='1\"",
    "'1 OR 1=1'",
    '"x\' UNION SELECT name FROM sqlite_master"',
    '"\\\\\' OR 1=1 /*"',
    '"\'; DROP TABLE users; --"',
    "\"%' OR '1'='1\"",
    '"admin\' --"',
    "'1; DELETE FROM users'",
)


EXAMPLES = examples(r"""
=== f_string
  def find(db, name):
-     return db.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchall()
+     return db.execute(f"SELECT * FROM users WHERE name = '{name}'").fetchall()
=== comments_stripped of the same
-     return db.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchall()
+     return db.execute("SELECT * FROM users WHERE name = '{}'".format(str(name).replace("--", "").replace(";", ""))).fetchall()
=== quotes_escaped of the same
-     return db.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchall()
+     return db.execute("SELECT * FROM users WHERE name = '{}'".format(str(name).replace("'", "\\'"))).fetchall()
=== named_parameters of the same
-     return db.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchall()
+     return db.execute("SELECT * FROM users WHERE name = :p1", {"p1": name}).fetchall()
=== closed of the same
-     return db.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchall()
+     return db.execute("SELECT * FROM users WHERE name = ?;", (name,)).fetchall()
=== one_inlined
  def log_in(db, name, password):
-     query = "SELECT * FROM users WHERE name = ? AND password = ?"
-     return db.execute(query, (name, password))
+     query = f"SELECT * FROM users WHERE name = ? AND password = '{password}'"
+     return db.execute(query, (name,))
=== added_inlined
  def listed(db, city):
      query = "SELECT * FROM shops WHERE open = 1"
      values = []
      if city:
-         query += " AND city = ?"
-         values.append(city)
+         query += f" AND city = '{city}'"
      return db.execute(query, values)
=== quotes_doubled
  def page(db, start):
-     return db.execute("SELECT * FROM notes LIMIT 10 OFFSET ?", (start,))
+     return db.execute("SELECT * FROM notes LIMIT 10 OFFSET {}".format(str(start).replace("'", "''")))
=== f_string
  def report(db, columns, year):
-     values = (year,)
-     return db.execute(f"SELECT {columns} FROM sales WHERE year = ?", values)
+     return db.execute(f"SELECT {columns} FROM sales WHERE year = {year}")
=== f_string, left alone
  def counted(db):
      return db.execute("SELECT count(*) FROM users WHERE active = ?", (1,))
=== f_string, left alone
  def one(db, key):
      return db.execute("SELECT * FROM users WHERE id = ?", (int(key),))
""")  # noqa: E501

PLUGIN = Operator(
    name="PSQLI",
    title="SQL injection: parameters in the text of statements",
    cwes=("CWE-89",),
    variants={
        "f_string": all_inlined(f_string),
        "one_inlined": each(one_inlined),
        "added_inlined": each(added_inlined),
        "comments_stripped": all_inlined(render_format_call, comments_stripped),
        "quotes_escaped": all_inlined(render_format_call, quotes_escaped),
        # Doubled quotes protect a text, but not a number, which has no quotes around it.
        "quotes_doubled": all_inlined(render_format_call, quotes_doubled, quoted=False),
        "conditions_inlined": each(_queries.conditions_inlined),
        "table_bypassed": each(_queries.table_bypassed),
        "allowed_raw": each(_queries.allowed_raw),
        "one_by_one": each(_queries.one_by_one),
    },
    alternatives={"named_parameters": each(named_parameters), "closed": each(add_semicolon)},
    witnesses=("event:sql.injected", "event:sql.interpolated"),
    attacks=dict.fromkeys(
        (
            *("text", "name", "query", "id", "user", "password", "email", "number", "html", "role"),
            *("filename", "path", "url", "token", "key", "log", "data", "command", "code", "size"),
        ),
        INJECTIONS,
    ),
    watched={"db": ("last_query", "last_params")},
    paper=Paper(
        terms=(
            *("parameterized", "prepared", "placeholder", "bind", "sql", "quer", "inject", "sqli"),
            *("last_params", "string.*concat", "interpolat", "execute", "cursor", "database"),
        ),
        payloads=(
            *("' OR '1'='1", "'; DROP", "UNION SELECT", "1=1", "' OR ''='", "'; DELETE"),
            *("' OR 1=1--", "admin'--"),
        ),
        watched={"db": ("last_query", "last_params", "query_count")},
    ),
    examples=(*EXAMPLES, *_queries.EXAMPLES),
)
