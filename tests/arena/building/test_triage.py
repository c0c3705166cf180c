"""What B-SZZ says of a case before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.building import triage
from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Case
from arena.building.triage import triage_cases
from tests.arena.building.test_regression_range import a_range
from tests.szz.conftest import Made, Maker, history  # noqa: F401 - a fixture

FIX = b"int f(int a) {\n  if (a > 9) return 0;\n  return a;\n}\n"
OLD = b"int f(int a) {\n  if (a > 8) return 0;\n  return a;\n}\n"


def a_case(place: Path, id_: str, clone: Path | None, fix: str, regressed: str = "") -> LoadedCase:
    told = {"regressed": regressed}
    facts = {
        "schema": 1,
        "id": id_,
        "project": "p",
        "repository": "r",
        "fix": (fix,),
        "oss_fuzz": told,
    }
    (place / id_).mkdir()
    return LoadedCase(place / id_, Case.model_validate(facts), clone)


@pytest.mark.parametrize(
    ("files", "looks", "tests"),
    [
        ({b"f.c": OLD}, "feature", False),
        ({b"f.c": OLD, b"tests/t.c": b"1\n"}, "feature", True),
        ({b"f.c": OLD, **{b"m%d.c" % n: b"1\n" for n in range(120)}}, "import", False),
        ({b"f.c": OLD, b"kept.c": b"2\n"}, "change", False),
    ],
)
def test_what_a_likely_vic_is(
    history: Maker,  # noqa: F811
    tmp_path: Path,
    files: dict[bytes, bytes],
    looks: str,
    tests: bool,
) -> None:
    before = {b"kept.c": b"1\n" * 3} if looks != "change" else {b"kept.c": b"1\n" * 300}
    path, ids = history(before, {**before, **files}, {**before, **files, b"f.c": FIX})
    (found,) = triage_cases([a_case(tmp_path, "1", path, ids[2])])
    (candidate,) = found.candidates
    assert (candidate.commit, candidate.looks, candidate.tests) == (ids[1], looks, tests)
    assert candidate.added >= 4


def test_a_root_commit_imports(history: Maker, tmp_path: Path) -> None:  # noqa: F811
    path, ids = history({b"f.c": OLD}, {b"f.c": FIX})
    (found,) = triage_cases([a_case(tmp_path, "1", path, ids[1])])
    assert [one.looks for one in found.candidates] == ["import"]


def test_cases_with_one_likely_vic_name_each_other(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    two = {b"f.c": OLD + OLD.replace(b"f(", b"g(")}
    first = {b"f.c": FIX + OLD.replace(b"f(", b"g(")}
    second = {b"f.c": FIX + FIX.replace(b"f(", b"g(")}
    path, ids = history({b"o.c": b"1\n"}, two, {**two, b"o.c": b"2\n"}, first, second)
    cases = [a_case(tmp_path, id_, path, fix) for id_, fix in (("9", ids[4]), ("8", ids[3]))]
    cases.append(a_case(tmp_path, "1", path, ids[2]))
    found = list(triage_cases(cases))
    assert [one.same for one in found] == [("8",), ("9",), ()]


@pytest.mark.slow
def test_what_came_in_the_days_of_the_report_is_likelier(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    two = OLD + OLD.replace(b"f(", b"g(") * 2
    files = [
        {b"o.c": b""},
        {b"f.c": two},
        {b"f.c": two, b"o.c": b"1\n"},
        {b"f.c": two + OLD, b"o.c": b"1\n"},
    ]
    made = [Made(tree, day=2 * day) for day, tree in enumerate(files)]
    path, ids = history(
        *made, Made({b"f.c": two.replace(b"> 8", b"> 9") + OLD, b"o.c": b""}, day=9)
    )
    (old,) = triage_cases([a_case(tmp_path, "1", path, ids[4])])
    assert [(one.commit, one.dated) for one in old.candidates] == [(ids[1], False), (ids[2], False)]
    named = triage_cases([a_case(tmp_path, "2", path, ids[4], a_range(4, 5))])
    assert [(one.commit, one.dated) for one in next(named).candidates] == [
        (ids[2], True),
        (ids[1], False),
    ]
    none = triage_cases([a_case(tmp_path, "3", path, ids[4], a_range(6, 7))])
    assert [one.commit for one in next(none).candidates] == [ids[3], ids[1], ids[2]]


@pytest.mark.slow
def test_a_fix_before_the_fuzz_target_hides_it_from_no_later_one(
    history: Maker,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [OLD, OLD + b"1", OLD + b"2", OLD + b"3"]
    path, ids = history(*(Made({b"f.c": text}, day=2 * n) for n, text in enumerate(texts)))
    asked = iter(["", ids[2]])
    monkeypatch.setattr(triage, "oldest", lambda *_: next(asked))
    days = a_range(3, 5)
    cases = [a_case(tmp_path, str(n), path, ids[3], days) for n in range(3)]
    assert [any(one.dated for one in found.candidates) for found in triage_cases(cases)] == [
        True,
        False,
        False,
    ]


def test_a_slow_clock_hides_nothing_of_the_reports_days(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    """Of many commits: git itself looks beneath a few that are too old."""
    one = {b"f.c": OLD + b"1"}
    made = [Made({b"f.c": OLD}, day=0), Made(one, day=8)]
    made += [Made({**one, b"o.c": b"%d" % n}, day=2) for n in range(12)]
    made += [Made({**one, b"o.c": b"1"}, day=9), Made({b"f.c": FIX + b"1"}, day=10)]
    path, ids = history(*made)
    (found,) = triage_cases([a_case(tmp_path, "1", path, ids[-1], a_range(8, 9))])
    assert [one.commit for one in found.candidates if one.dated] == [ids[1]]


def test_what_cannot_be_traced_says_why(history: Maker, tmp_path: Path) -> None:  # noqa: F811
    path, _ = history({b"f.c": OLD})
    cases = [a_case(tmp_path, "1", None, "1" * 40), a_case(tmp_path, "2", path, "1" * 40)]
    first, second = triage_cases(cases)
    assert first.note == "no clone is at hand"
    assert "1111" in second.note and not second.candidates
