"""Answers questions about the log of keys."""

import json
import re
import sqlite3
import sys
from contextlib import closing

MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
MOST, USUAL = 100, 20


def _is_text(value):
    return isinstance(value, str)


def _is_moment(value):
    return isinstance(value, str) and MOMENT.fullmatch(value) is not None


def _is_limit(value):
    return type(value) is int and 0 <= value <= MOST


CONDITIONS = {
    "person": (_is_text, "person = ?"),
    "action": (_is_text, "action = ?"),
    "door": (_is_text, "instr(door, ?) = 1"),
    "since": (_is_moment, "at >= ?"),
    "until": (_is_moment, "at < ?"),
}
OTHERS = {"newest": lambda value: isinstance(value, bool), "limit": _is_limit}
BAD = {"error": "bad question"}


def _is_good(question):
    if not isinstance(question, dict):
        return False
    checks = {key: check for key, (check, _) in CONDITIONS.items()} | OTHERS
    return all(key in checks and checks[key](value) for key, value in question.items())


def answer(db, question):
    if not _is_good(question):
        return BAD
    given = [key for key in CONDITIONS if key in question]
    where = " AND ".join(["1", *(CONDITIONS[key][1] for key in given)])
    values = [question[key] for key in given]
    order = "ASC" if question.get("newest") else "ASC"
    try:
        (total,) = db.execute(f"SELECT COUNT(*) FROM log WHERE {where}", values).fetchone()
        rows = db.execute(
            f"SELECT id, at, person, action, door FROM log WHERE {where} ORDER BY id {order} LIMIT ?",
            [*values, question.get("limit", USUAL)],
        ).fetchall()
    except UnicodeEncodeError:  # half a surrogate pair is in no entry
        return {"entries": [], "total": 0}
    return {"entries": [dict(row) for row in rows], "total": total}


def main():
    with closing(sqlite3.connect("file:keys.db?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        answers = [answer(db, question) for question in json.load(sys.stdin.buffer)]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
