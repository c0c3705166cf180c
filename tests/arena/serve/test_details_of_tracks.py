"""Attempts of the tracks of programs and suites, with the evidence that their own verdicts hold."""

from __future__ import annotations

from typing import Any

import pytest

from arena.protocols import Matrix
from arena.report.detail import artefacts, detail
from arena.store.model import AttemptKey, AttemptUpdate, Spent
from arena.store.solutions import keep
from arena.store.store import Store
from arena.tracks.dual.verdicts import verdict_of as dual_verdict
from arena.tracks.mutation.verdicts import verdict_of as mutation_verdict
from harness.grade.verdict import Verdict
from tests.arena.dual.scored import row
from tests.arena.mutation.stand_in import sample
from tests.arena.serve.making import finish
from tests.arena.tracks.opening import made, opened


def graded(store: Store, track: str, verdict: Verdict, work: bytes) -> str:
    """The id of an attempt that has this verdict."""
    store.open_run("pack", [AttemptKey("one", "direct", "m")], {}, f"of-{track}", track)
    (stored,) = store.rows([f"of-{track}"])
    finish(store, stored.id, verdict.label, work, verdict.evidence, score=verdict.score)
    return stored.id


def tables_of(told: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Rows by column, for each table by its title."""
    return {
        one["title"]: [dict(zip(one["columns"], cells, strict=True)) for cells in one["rows"]]
        for one in told["tables"]
    }


def test_tests_of_a_program_tell_no_digests_but_can_be_downloaded(store: Store) -> None:
    found = row("one", "0", "pp", "fp", cwe="CWE-78")
    report = store.keep(b"what was seen")
    tests = tuple(test.model_copy(update={"evidence": report}) for test in found.tests)
    verdict = dual_verdict(found.model_copy(update={"tests": tests}))
    id_ = graded(store, "dual", verdict, b"print()\n")
    tables = tables_of(detail(store, id_))
    assert [one["verdict"] for one in tables["tests"]].count("fail") == 1
    assert all("report" not in one for one in tables["tests"])
    assert tables["suites"] == [
        {"": "functional", "passed": 2, "tests": 2},
        {"": "security", "passed": 1, "tests": 2},
    ]
    named = artefacts(store.attempt(id_))
    assert {f"tests/{test.id}" for test in tests} <= named.keys()
    assert named[f"tests/{tests[0].id}"] == report


def test_kills_of_a_suite_are_told_beside_its_mutants(store: Store) -> None:
    id_ = graded(store, "mutation", mutation_verdict(sample("one", "sc-")), b"def test(): ...\n")
    tables = tables_of(detail(store, id_))
    assert len(tables["mutants"]) == 3
    assert tables["kills"] == [
        {"semantic": 1, "functional": 0, "incidental": 0, "crash": 1, "other": 0}
    ]
    assert tables["suite"][0]["state"] == "valid"


@pytest.mark.slow
def test_the_finding_of_a_scenario_stands_at_its_line(store: Store) -> None:
    with opened("exposure", "exposure", store) as track:
        (key, safe) = (track.attempts(Matrix([agent]))[0] for agent in ("vulnerable", "safe"))
        run = store.open_run("exposure", [key, safe], {}, "real", "exposure")
        for stored in store.open_attempts(run):
            solution, verdict = made(track, stored.key)
            store.write([AttemptUpdate(stored.id, Spent(), keep(store, solution), verdict)])
    told = {one.label: detail(store, one.id) for one in store.rows([run])}
    (finding,) = told["vulnerable"]["program"]["findings"]
    evidence = told["vulnerable"]["evidence"]["finding"]
    assert (finding["line"], finding["message"]) == (evidence["line"], evidence["why"])
    assert finding["rule"] == evidence["detector"] and finding["cwe"] == [evidence["cwe"]]
    assert told["safe"]["program"]["findings"] == []
