"""Rows of a database's table after the run."""

from __future__ import annotations

from typing import Any

from arena.tracks.dual.oracles import _changes, _parameters
from arena.tracks.dual.oracles._examples import FAIL, PASS, call_step, example, make_observation
from arena.tracks.dual.oracles._matching import difference
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import brief
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, run_oracle

SHOWN = 30


def _wrong(expected: Any, rows: list[Any]) -> str:
    if "count" in expected and expected["count"] != len(rows):
        return f"expected {expected['count']} rows, got {len(rows)}"
    if "rows" in expected and (wrong := difference(expected["rows"], rows, order=False)):
        return wrong
    for row in expected.get("contains", ()):
        if all(difference(row, present_row) for present_row in rows):
            return f"no row is {brief(row)}"
    for row in expected.get("lacks", ()):
        if any(not difference(row, present_row) for present_row in rows):
            return f"a row is {brief(row)}"
    return ""


@run_oracle
def _judge(case: OracleCase) -> Judgement:
    parameters = case.parameters
    where = f"{parameters['database']}: {parameters['table']}"
    tables = _changes.database_of(case.observation.databases_after, parameters["database"])
    if tables is None:
        return fail_judgement(f"{where}: no such database")
    if _changes.UNREADABLE in tables:
        return fail_judgement(f"{where}: cannot be read", brief(tables[_changes.UNREADABLE]))
    if parameters["table"] not in tables:
        return fail_judgement(f"{where}: no such table", f"tables: {', '.join(tables)}")
    rows = [_changes.row(row) for row in tables[parameters["table"]]]
    observed = f"{len(rows)} rows: {brief(rows[:SHOWN])}"
    wrong = _wrong(parameters, rows)
    return fail_judgement(f"{where}: {wrong}", observed) if wrong else pass_judgement(observed)


_AFTER = {"tides.db": {"tide": ((1, "high"), (2, "low"))}}
_AT = {"database": "tides.db", "table": "tide"}

PLUGIN = Oracle(
    name="rows",
    title="after the run a table has these rows",
    kind="both",
    judge=_judge,
    parameters={
        "database": _parameters.text("the file, as in the task's `place`", needed=True),
        "table": _parameters.text("its name", needed=True),
        "count": _parameters.integer_value("number of rows"),
        "rows": _parameters.expectations("all of them, each a list, in any order"),
        "contains": _parameters.expectations("these are among them"),
        "lacks": _parameters.expectations("none of these is"),
    },
    any_of=("count", "rows", "contains", "lacks"),
    examples=(
        example(
            "all rows, in any order",
            PASS,
            make_observation(call_step(), databases_after=_AFTER),
            {**_AT, "rows": [[2, "low"], [{"$any": True}, "high"]]},
        ),
        example(
            "not all rows",
            FAIL,
            make_observation(call_step(), databases_after=_AFTER),
            {**_AT, "rows": [[2, "low"]]},
        ),
        example(
            "a count",
            PASS,
            make_observation(call_step(), databases_after=_AFTER),
            {**_AT, "count": 2},
        ),
        example(
            "a text is not a number",
            FAIL,
            make_observation(call_step(), databases_after=_AFTER),
            {**_AT, "contains": [["1", "high"]]},
        ),
        example(
            "a forbidden row",
            FAIL,
            make_observation(call_step(), databases_after=_AFTER),
            {**_AT, "lacks": [[{"$any": True}, "low"]]},
        ),
        example(
            "the table is gone",
            FAIL,
            make_observation(call_step(), databases_after={"tides.db": {}}),
            {**_AT, "count": 0},
        ),
        example(
            "the database is broken",
            FAIL,
            make_observation(
                call_step(), databases_after={"tides.db": {"!": (("not a database",),)}}
            ),
            {**_AT, "lacks": [[1, "x"]]},
        ),
    ),
)
