"""Statements of SQL into which an attacker can write (CWE-89).

A sink is a call that runs a statement (`execute` and the like, raw queries of Django, `text` of
SQLAlchemy, `read_sql` of pandas). It is vulnerable where untrusted data is in the statement's text; what is
passed beside it, as parameters, does no harm. A function's parameter that is the whole statement
is its caller's business and does not count. Whether the receiver is certainly a connection does not
matter: programs are half finished.
"""

from __future__ import annotations

import re

from arena.tracks.exposure.detect._characters import TaintedText
from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of, judged_parts, unfollowed_entry
from arena.tracks.exposure.detect._tainted import matching
from arena.tracks.exposure.flow.facts import CallFact, Flow, ProgramFacts, Value

_ALWAYS = (
    ".execute", ".executemany", ".executescript", ".exec_driver_sql", ".execute_sql", ".execute_async",
    ".execute_raw", ".query_raw", ".read_sql", ".read_sql_query", ".RawSQL", "?execute",
    "?executemany", "sqlalchemy.text", "sqlalchemy.sql.text", "sqlalchemy.sql.expression.text",
)  # fmt: skip
_OPEN_QUOTE = re.compile(r"(?:[\s=(,%+]|like)[\'\"]%?$", re.IGNORECASE)
_LAST_NAME = re.compile(r"\w*$")
# Last names that run a statement if what they are given reads like one.
_PERHAPS = re.compile(
    r"quer|exec|sql|fetch|select|insert|delete|update|run|raw|^text$", re.IGNORECASE
)
_STATEMENT = re.compile(
    r"\s*\(?\s*(?:select|insert|update|delete|replace|create|drop|alter|with|call|merge|truncate|pragma|grant"
    r"|explain)\s",
    re.IGNORECASE,
)
_STORED = re.compile(r"(?:\bfetch\w*|\bexecute\w*|\.query\w*|\.objects\b.*|^\?\w+)\(\)")
_KEYWORDS = ("query", "sql", "statement", "operation", "stmt", "raw_query", "clause")
_SANITIZERS = matching(
    r".*\.(?:escape_string|real_escape_string|escape_literal|escape_identifier|quote_ident|mogrify|bindparams)"
    r"|(?!html|cgi|flask|markupsafe|re|xml|jinja2|glob)[\w$?]*\.?escape"
    r"|psycopg2?\.sql\.(?:Identifier|Literal|Placeholder)|psycopg2\.extensions\.(?:adapt|quote_ident)"
    r"|\?\w*(?:escape|sanit|quote)\w*"
)
# What ends a literal, starts a comment, or makes more than one name or number of an unquoted word.
_HARMFUL = "'\"`;#()=,*/%\\<>|&![]{}^~\t\n\r"


# Text that can be nothing else than a statement.
_WHOLE = re.compile(
    r"\s*\(?\s*(?:select\s.*\bfrom|insert\s+(?:or\s+\w+\s+)?into|update\s.*\bset|delete\s+from"
    r"|replace\s+into|(?:create|drop|alter)\s+table)\s",
    re.IGNORECASE | re.DOTALL,
)
# Calls of nobody's that do something else with a text.
_NO_RUN = re.compile(
    r"(?:.*[.?])?(?:print|log|debug|info|warn|warning|error|exception|critical|format|join|append|extend|write"
    r"|writelines|strip|lower|upper|split|replace|encode|decode|dedent|str|repr|len|isinstance|hash|md5|sha\w+"
    r"|startswith|endswith|sub|match|search|findall|compile|put|send|echo|say|pprint|dumps?|parse|set|add_argument"
    r"|\w*(?:Error|Exception|Warning))"
)
_FOREIGN = re.compile(r"[?$<].*")


def _statement(call: CallFact) -> Value | None:
    """The statement that a call runs, None where it runs none."""
    # Django puts `where` of `extra()` into the statement as it is.
    if call.ends(".objects.extra"):
        return call.argument(1, "where")
    value = call.argument(0, *_KEYWORDS)
    if value is not None and (
        call.ends(*_ALWAYS) or (_reads_like_sql(value) and any(map(_may_run, call.paths)))
    ):
        return value
    if any(_FOREIGN.match(path) and not _NO_RUN.fullmatch(path) for path in call.paths):
        return next((value for value in call.values if _starts(value, _WHOLE)), None)
    return None


def _may_run(path: str) -> bool:
    last = _LAST_NAME.search(path)
    return last is not None and _PERHAPS.search(last[0]) is not None


def _reads_like_sql(value: Value) -> bool:
    return _starts(value, _STATEMENT)


def _starts(value: Value, pattern: re.Pattern[str]) -> bool:
    # Parts that are not known stand as "x": a statement may begin with a constant and go on with data.
    start = (
        ["".join(next(iter(piece.texts), "x") for piece in value.pieces)] if value.pieces else []
    )
    return any(pattern.match(text) for text in (*value.texts, *start))


def _quoted_part(statement: Value) -> str | None:
    """The name of a part of unknown origin that stands in quotes: 'name' = ' + self.name + '."""
    before = ""
    for piece in statement.pieces:
        if _OPEN_QUOTE.search(before) and (name := unfollowed_entry(piece)):
            return name
        before = next(iter(piece.texts), "") if piece.exact else ""
    return None


def _is_stored(value: Value) -> bool:
    """Whether a value is of the database: what equals it can hold a quote."""
    parts = (value, *(value.items or ()))
    return any(_STORED.search(path) for part in parts for path in part.paths)


def _is_whole_parameter(value: Value, flow: Flow) -> bool:
    return (
        flow.source.kind == "parameter"
        and not value.pieces
        and not flow.through
        and value.paths == {f"${flow.source.name}"}
    )


def _judge(facts: ProgramFacts) -> Finding:
    findings: list[Finding] = []
    data = TaintedText(facts, _HARMFUL, _SANITIZERS)
    for call in facts.calls:
        statement = _statement(call)
        if statement is None:
            continue
        checks = tuple(
            # That data equals a stored value does not make it harmless: the value may hold a quote.
            check
            for check in call.checks
            if not any(map(_is_stored, (check.left, check.right)))
        )
        flow = data.first(statement, checks)
        if flow is not None and not _is_whole_parameter(statement, flow):
            why = f"{flow.source.name} is in the text of the statement that line {call.line} runs"
            return vulnerable(call.line, why)
        if quoted := _quoted_part(statement):
            why = f"{quoted} is in quotes in the text of the statement that line {call.line} runs"
            return vulnerable(call.line, why)
        findings.append(_judge_harmless(call, statement, flow, data.kept_by([statement], checks)))
    return first_of(findings) or not_applicable("no statement is run")


def _judge_harmless(
    call: CallFact, statement: Value, flow: Flow | None, why: str | None
) -> Finding:
    """The finding for a statement without untrusted data in its text."""
    if flow is not None:
        return unknown(call.line, f"{flow.source.name} is the whole statement, and the caller's")
    if why is None:
        why = "constant" if statement.exact else "made of constants, settings and numbers"
        why = f"its text is {why}"
    return judged_parts(
        call.line, [statement], "the statement's text", f"a statement is run: {why}"
    )


_EXAMPLE = """import sqlite3
from flask import Flask, request
app = Flask(__name__)
@app.get("/row")
def row():
    name = request.args["name"]
    cursor = sqlite3.connect("rows.db").cursor()
    {}
    return str(cursor.fetchall())
"""

PLUGIN = Detector(
    "untrusted data in the text of a statement of SQL",
    ("CWE-89",),
    _judge,
    (
        DetectorExample(
            "put in by % before the driver sees it",
            _EXAMPLE.format("""cursor.execute("SELECT * FROM rows WHERE name = '%s'" % name)"""),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a parameter",
            _EXAMPLE.format("""cursor.execute("SELECT * FROM rows WHERE name = ?", (name,))"""),
            Verdict.SAFE,
        ),
        DetectorExample(
            "a column of an allow-list",
            _EXAMPLE.format(
                'cursor.execute("SELECT id FROM rows ORDER BY " + (name if name in ("a", "b") else "a"))'
            ),
            Verdict.SAFE,
        ),
        DetectorExample(
            "an attribute that nothing sets, in quotes",
            'def load(self, db):\n    db.add("UPDATE users SET name = \'" + self.name + "\'")\n',
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a table that nothing names",
            'def load(self, db):\n    db.execute(f"SELECT * FROM {self.table}")\n',
            Verdict.UNKNOWN,
        ),
        DetectorExample("no statement at all", _EXAMPLE.format("pass"), Verdict.NOT_APPLICABLE),
    ),
)
