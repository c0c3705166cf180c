"""Programs written otherwise: what is renamed and what must not be, and the proof by their own tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

import pytest

from arena.tracks.mutation.contamination.names import naming
from arena.tracks.mutation.contamination.perturbing import Unfit, perturb_program
from arena.tracks.mutation.contamination.proof import (
    ProofOutcome,
    behaviour,
    difference,
    perturb_all,
    prove_perturbation,
    record_of,
)
from arena.tracks.mutation.contamination.renaming import rename_identifiers
from arena.tracks.mutation.runner.facts import EndOfTest as Ended
from arena.tracks.mutation.runner.facts import RunResult, Stopped, TestOutcome
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.program import Program, StoredMutant

SECURE = '''\
"""Looks up rows."""
import os
from typing import Any

MAX_ROWS = 50
ROLE = "admin"


class Store:
    rows = []

    def find_row(self, wanted_key):
        return [row for row in self.rows if row == wanted_key]


def route(rule):
    return lambda function: function


@route("/u/<user_id>")
def show(user_id, **more):
    return helper_of(user_id)


def helper_of(text: Any, limit=10):
    id = text
    return f"{id=}" if limit > 3 else os.path.join(text, "x")


def find_user(user_name, table, sep=","):
    # find_user is slow
    """find_user looks in user_table."""
    if not user_name:
        raise ValueError("no name")
    user_table = Store()
    user_table.rows = table
    rows = []
    for one in user_table.find_row(user_name):
        rows.append(one.split(sep))
    return rows[:MAX_ROWS]
'''
INSECURE = SECURE.replace("if not user_name:", "if False:")
SECURITY = """\
import pytest
import target_module
from target_module import find_user as fu

def test_empty_is_refused(monkeypatch):
    monkeypatch.setattr("target_module.MAX_ROWS", 5)
    with pytest.raises(ValueError):
        find_user("", [""])
    assert target_module.find_user("a", ["a"], sep="-") == [["a"]]
    assert fu("a", ["a"]) and getattr(target_module, "ROLE")
"""
FUNCTIONAL = "def test_found():\n    assert find_user('a', ['a', 'b']) == [['a']]\n"
PROGRAM = Program(
    "p1",
    "CWE-20",
    "find_user",
    SECURE,
    INSECURE,
    "Write `find_user`.",
    functional_tests=FUNCTIONAL,
    security_tests=SECURITY,
    mutants=(
        StoredMutant("m1", "INPUTVAL", INSECURE),
        StoredMutant("m2", "X", SECURE + "# twin\n"),
    ),
)


def test_what_others_reach_by_name_keeps_it() -> None:
    names = naming(PROGRAM).everywhere
    kept = {
        "Any", "os", "find_row", "user_id", "id", "sep", "ROLE", "self", "rows"
    }  # fmt: skip
    assert not kept & names.keys()
    assert names.keys() >= {
        "find_user",
        "Store",
        "MAX_ROWS",
        "user_table",
        "user_name",
        "helper_of",
        "show",
    }
    assert names["user_name"].endswith("_user_name")
    assert not set(names.values()) & naming(PROGRAM).everywhere.keys()


def test_tests_see_only_names_of_the_module() -> None:
    new = naming(PROGRAM)
    assert new.tests.keys() <= new.everywhere.keys()
    assert "user_table" not in new.tests
    assert new.tests["find_user"] == new.everywhere["find_user"]


def test_names_are_written_everywhere_alike() -> None:
    new = naming(PROGRAM)
    find, most = new.everywhere["find_user"], new.everywhere["MAX_ROWS"]
    source = rename_identifiers(SECURE, new.everywhere)
    assert f"# {find} is slow" in source
    assert f'"""{find} looks in' in source
    assert ".find_row(" in source
    tests = rename_identifiers(SECURITY, new.tests)
    assert f"import {find} as fu" in tests
    assert f"target_module.{find}(" in tests
    assert f'"target_module.{most}"' in tests
    assert 'getattr(target_module, "ROLE")' in tests


@pytest.mark.parametrize(
    "body",
    [
        "return globals()['other']",
        "return locals()",
        "return eval(a)",
        "return [].__class__.__init__.__globals__",
    ],
)
def test_programs_that_reach_names_as_texts_keep_them(body: str) -> None:
    source = f"other = 1\ndef find_user(a):\n    {body}\n"
    assert naming(replace(PROGRAM, secure=source, insecure=source, mutants=())).everywhere == {}


def test_a_name_that_is_not_bound_here_is_not_ours() -> None:
    source = "def find_user(a):\n    def inner():\n        db = a\n        return db\n    return db.execute(a)\n"
    program = replace(PROGRAM, secure=source, insecure=source, mutants=())
    assert "db" not in naming(program).everywhere
    assert "inner" in naming(program).everywhere


def test_a_name_that_a_test_binds_itself_stays() -> None:
    program = replace(PROGRAM, functional_tests="def find_user(x): return 1\n")
    assert "find_user" not in naming(program).everywhere


@pytest.mark.slow
def test_the_same_seed_gives_the_same_program_and_another_another() -> None:
    assert perturb_program(PROGRAM, 3) == perturb_program(PROGRAM, 3)
    assert perturb_program(PROGRAM, 3).program.secure != perturb_program(PROGRAM, 4).program.secure


@pytest.mark.slow
def test_all_versions_change_alike() -> None:
    made = perturb_program(PROGRAM, 1)
    assert made.rewritings
    assert made.program.entry_point == made.names["find_user"]
    assert made.program.instruction == f"Write `{made.program.entry_point}`."
    assert ast.dump(ast.parse(made.program.insecure)) == ast.dump(
        ast.parse(made.program.mutants[0].code)
    )
    assert made.program.secure != made.program.insecure


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("x = " + "-" * 90 + "1\n", "nested too deeply"),
        ("x = 1\n" * 20_000, "longer than"),
        ("def f(:\n", "no Python"),
    ],
)
def test_what_cannot_be_perturbed_is_said(source: str, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        perturb_program(replace(PROGRAM, secure=source))


# the proof, first with a runner that is made up


class Bed:
    """Runs nothing: every test ends as a function of the job says."""

    def __init__(self, passes: dict[str, bool], fault: bool = False) -> None:
        self.passes, self.fault = passes, fault

    def run(self, job: SuiteJob) -> RunResult:
        if self.fault:
            raise OSError("no runner")
        good = all(ok for part, ok in self.passes.items() if part in job.program + job.tests)
        ended = Ended.PASSED if good else Ended.FAILED
        return RunResult(Stopped.FINISHED, (TestOutcome("test_a", ended),))


def test_an_original_that_proves_nothing_is_kept_and_told() -> None:
    found = prove_perturbation(PROGRAM, Bed({}))
    assert (found.how, found.program) == ("", PROGRAM)
    assert found.why == "insecure, security_tests: the original's do not fail"
    assert (
        "no security tests" in prove_perturbation(replace(PROGRAM, security_tests=""), Bed({})).why
    )


@pytest.mark.slow
def test_a_perturbation_that_changes_an_end_is_not_taken() -> None:
    """Tests of the renamed program pass where they failed: only the one with the old names holds."""
    found = prove_perturbation(
        PROGRAM, Bed({"if False": False, "find_user(": True, "def find_row": True})
    )
    assert found.how == "structure and names"
    runner = Bed({"if False": False, "given_": False, "wanted_": False, "asked_": False})
    runner.passes |= {"sent_": False, "this_": False}
    without = replace(PROGRAM, secure=SECURE.replace("wanted_key", "key"))
    without = replace(without, insecure=INSECURE.replace("wanted_key", "key"), mutants=())
    found = prove_perturbation(without, runner)
    assert found.how == "structure"
    assert found.why.startswith("structure and names: secure, functional_tests: ")
    assert found.program.entry_point == "find_user"


def test_a_fault_of_the_bed_is_no_verdict() -> None:
    found = perturb_all([PROGRAM], Bed({}, fault=True), faults=(OSError,))
    assert (found[0].health, found[0].how) == ("infra", "")
    assert found[0].to_json()["why"] == "OSError: no runner"


def test_difference_names_what_ends_otherwise() -> None:
    assert difference({"a": ("x", "y")}, {"a": ("x", "y"), "b": ()}) == ""
    assert difference({"a": ("x", "y")}, {"a": ("x", "z")}) == "a: y became z"
    assert difference({"a": ("x",)}, {"a": ("x", "z")}) == "a: other tests ran"


# and with the real one


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=1) as opened:
        yield opened


@pytest.mark.nightly("each perturbation of the pack")
def test_the_perturbed_program_behaves_as_before(runner: TestRunner) -> None:
    seen: list[ProofOutcome] = []
    (found,) = perturb_all([PROGRAM], runner, seed=2, done=seen.append)
    assert found.how == "structure and names", found.why
    assert seen == [found]
    after = behaviour(found.program, runner)
    assert after["secure, security_tests"][-1] == "all: passed"
    assert after["insecure, security_tests"][-1] != "all: passed"
    assert (after["mutant 0"], after["mutant 1"]) == (("killed",), ("survived",))
    assert "find_user" not in found.program.secure


def test_a_renaming_that_breaks_a_test_is_found_out(runner: TestRunner) -> None:
    """A test that looks for a word of the source: structure may change, the name may not."""
    looks = "import inspect, target_module\n\ndef test_word():\n    text = inspect.getsource(target_module)\n"
    looks += "    assert 'user_' + 'table' in text\n    assert 'if not user' in text.replace('user_name', 'user')\n"
    program = replace(PROGRAM, functional_tests=looks, mutants=())
    found = prove_perturbation(program, runner, seed=2)
    assert found.how != "structure and names"
    assert "test_word: passed became test_word: failed AssertionError" in found.why


def test_records_are_read_back_as_they_were(tmp_path_factory: pytest.TempPathFactory) -> None:
    import json

    from arena.tracks.mutation.tasks.secmutbench import load_dataset

    path = tmp_path_factory.mktemp("data") / "d.json"
    program = replace(PROGRAM, difficulty="easy", origin="own")
    path.write_text(json.dumps({"samples": [record_of(program)]}))
    read = load_dataset(path)
    assert (read.programs, read.problems) == ((program,), ())
