"""ARVO's JSON records: irregular, hostile, and what each is rejected for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.cases.importers import Rejected
from arena.building.cases.importers._facts import UnusableRecord, commits, repository_url, sanitizer
from arena.building.cases.schema import Case
from tests.arena.building.case_sources import (
    FIX,
    OTHER,
    URL,
    case_of,
    read,
    read_one,
    reason,
    record,
)

# ARVO's records


def test_a_record_becomes_a_case_with_all_its_report_tells(tmp_path: Path) -> None:
    case = case_of(read_one(tmp_path, record()))
    assert (case.id, case.project, case.source) == ("17", "brook", "arvo")
    assert (case.repository, case.fix, case.cwe) == (URL, (FIX,), ("CWE-457",))
    assert (case.crash.type, case.crash.sanitizer) == ("Use-of-uninitialized-value", "memory")
    assert case.crash.state == ("brook::Parser<int>::parse", "fixed: not a fact")
    assert case.oss_fuzz.model_dump() == {
        "project": "",  # the case's own
        "target": "fuzz_load",
        "engine": "libfuzzer",
        "job": "libfuzzer_msan_brook",
        "testcase": "5000000000000001",
        "severity": "Medium",
        "report": "https://oss-fuzz.com/testcase?key=5000000000000001",
        "reproducer": "https://oss-fuzz.com/download?testcase_id=5000000000000001",
        "regressed": "201801120659:201801140700",
        "fixed": "201801140700:201801150718",
    }


@pytest.mark.parametrize("report", [..., None, {}, [], {"comments": None}, {"comments": [1, {}]}])
def test_a_record_without_a_report_is_imported(tmp_path: Path, report: object) -> None:
    case = case_of(read_one(tmp_path, record(report=report)))
    assert (case.crash.type, case.crash.sanitizer) == ("Use-of-uninitialized-value", "memory")
    assert (case.oss_fuzz.target, case.crash.state) == ("", ())


@pytest.mark.parametrize(
    ("value", "fixes"),
    [
        (FIX, (FIX,)),
        ([FIX, OTHER], (FIX, OTHER)),
        ([OTHER, FIX, OTHER], (OTHER, FIX)),
        (FIX.upper(), (FIX,)),
        (f"{FIX}\n{OTHER}\n", (FIX, OTHER)),
        (f"['{FIX}', '{OTHER}']", (FIX, OTHER)),
        (None, (FIX,)),
        ([], (FIX,)),
    ],
)
def test_fixes_in_every_form(tmp_path: Path, value: object, fixes: tuple[str, ...]) -> None:
    assert case_of(read_one(tmp_path, record(fix_commit=value))).fix == fixes


REASONS: list[tuple[dict[str, object], str]] = [
    ({"fix_commit": FIX[:12]}, "fix commit: '0123456789ab' is not 40 hexadecimal digits"),
    ({"fix_commit": [FIX, "1895"]}, "'1895' is not 40 hexadecimal digits"),
    ({"fix_commit": [[FIX]]}, "'list' is not 40 hexadecimal digits"),
    ({"fix_commit": 7}, "'7' is not 40 hexadecimal digits"),
    ({"fix_commit": "--all"}, "'--all' is not 40 hexadecimal digits"),
    ({"fix_commit": "", "fix": ""}, "fix commit: missing"),
    ({"repo_addr": ...}, "repository: missing"),
    ({"repo_addr": None}, "repository: missing"),
    ({"repo_addr": "https://foss.heptapod.net/a/b"}, "repository is Mercurial, not git"),
    ({"repo_addr": "http://hg.example.org/a"}, "repository is Mercurial, not git"),
    ({"repo_addr": "https://hg-edge.example.org/a"}, "repository is Mercurial, not git"),
    ({"repo_addr": "https://svn.code.sf.net/p/a/svn"}, "repository is Subversion, not git"),
    ({"repo_addr": "svn+ssh://example.org/a"}, "repository is Subversion, not git"),
    ({"repo_addr": "ext::sh -c id"}, "is not a URL that git can clone"),
    ({"repo_addr": "--upload-pack=id"}, "is not a URL that git can clone"),
    ({"repo_addr": "../../secret"}, "is not a URL that git can clone"),
    ({"repo_addr": "file:///etc"}, "is not a URL that git can clone"),
    ({"repo_addr": "https://[::1/x"}, "is not a URL"),
    ({"localId": ...}, "localId: missing"),
    ({"localId": "../17"}, "localId: '../17' is not"),
    ({"localId": True}, "localId: '' is not"),
    ({"localId": 1.5}, "localId"),
    ({"project": ..., "report": None}, "project: missing"),
]


@pytest.mark.parametrize(("changes", "part"), REASONS)
def test_a_record_that_is_no_case_says_why(
    tmp_path: Path, changes: dict[str, object], part: str
) -> None:
    found = read_one(tmp_path, record(**changes))
    assert part in reason(found)
    assert isinstance(found, Rejected)
    assert found.id == "17"


def test_the_other_system_is_named_before_the_hash(tmp_path: Path) -> None:
    """Mercurial's hashes look like git's, and Subversion's revisions are numbers."""
    changes = record(repo_addr="https://svn.example.org/x", fix_commit=["1891", "1892"])
    assert reason(read_one(tmp_path, changes)) == (
        "repository is Subversion, not git: https://svn.example.org/x"
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/x/hg",
        "git://git.code.sf.net/p/svn/code",
        "https://gitlab.com/svnplus/x.git",
        "git@example.org:group/brook.git",
        "ssh://git@example.org/x",
    ],
)
def test_git_repositories_are_taken(address: str) -> None:
    assert repository_url(f" {address}\n") == address


def test_what_a_record_leaves_out_comes_from_the_report(tmp_path: Path) -> None:
    bare = record(project=..., sanitizer=..., crash_type=..., severity=..., fuzzer=...)
    assert case_of(read_one(tmp_path, bare)) == case_of(read_one(tmp_path, record()))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (("asan",), "address"),
        (("msan",), "memory"),
        (("ubsan",), "undefined"),
        (("UBSAN",), "undefined"),
        (("address (ASAN)",), "address"),
        ((None, "", "libfuzzer_msan_x"), "memory"),
        ((None,), "address"),
        (("kasan",), "none"),
    ],
)
def test_sanitizers_in_every_spelling(given: tuple[object, ...], wanted: str) -> None:
    assert sanitizer(*given) == wanted


@pytest.mark.parametrize(
    ("crash_type", "cwe"),
    [
        ("Heap-buffer-overflow READ {*}", ("CWE-122",)),
        ("UNKNOWN WRITE", ("CWE-787",)),
        ("Segv on unknown address", ("CWE-476",)),
        ("Never seen", ()),
    ],
)
def test_crash_types_bring_their_cwe_or_none(
    tmp_path: Path, crash_type: str, cwe: tuple[str, ...]
) -> None:
    case = case_of(read_one(tmp_path, record(crash_type=crash_type)))
    assert (case.crash.type, case.cwe) == (crash_type, cwe)


def test_projects_get_names_that_a_file_can_have(tmp_path: Path) -> None:
    assert case_of(read_one(tmp_path, record(project="qt/qtqa"))).project == "qt-qtqa"
    assert case_of(read_one(tmp_path, record(project="../../x"))).project == "x"


def test_hostile_text_is_one_bounded_line(tmp_path: Path) -> None:
    nasty = "\x1b]0;x\x07a\n[poc]\ncommand='id'\ud800" + "y" * 100_000
    case = case_of(read_one(tmp_path, record(crash_type=nasty, severity=nasty)))
    assert case.crash.type.isprintable()
    assert len(case.crash.type) <= 200
    assert len(case.oss_fuzz.severity) <= 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "not JSON"),
        ("[1]", "an object is expected"),
        ('{"localId": 1, "x": {"a": 1, "a": 2}}', "key 'a' is given twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"localId": ' + "1" * 10_000 + "}", "not JSON"),
        ('"' + "x" * (16 << 20) + '"', "larger than 16 MiB"),
    ],
)
def test_a_file_that_is_no_record_says_why(tmp_path: Path, content: str, part: str) -> None:
    assert part in reason(read_one(tmp_path, content))


def test_a_file_may_hold_several_records(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps([record(localId=1), 2, record(localId=None)]))
    first, second, third = read(path)
    assert case_of(first).id == "1"
    assert isinstance(second, Rejected)
    assert isinstance(third, Rejected)
    assert (second.id, third.id) == ("all[1]", "all[2]")


def test_the_records_of_a_clone_of_the_release_are_found(tmp_path: Path) -> None:
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "17.json").write_text(json.dumps(record()))
    assert [case_of(found).id for found in read(tmp_path)] == ["17"]


def test_a_folder_is_read_in_order_of_ids(tmp_path: Path) -> None:
    for id_ in (10013, 738, 5296):
        (tmp_path / f"{id_}.json").write_text(json.dumps(record(localId=id_)))
    assert [case_of(found).id for found in read(tmp_path)] == ["738", "5296", "10013"]


# properties


@pytest.mark.slow
@given(st.recursive(st.none() | st.integers() | st.text() | st.booleans(), st.lists, max_leaves=5))
def test_any_value_gives_commits_or_a_reason(value: object) -> None:
    try:
        found = commits(value)
    except UnusableRecord as error:
        assert str(error).startswith("fix commit: ")
        assert str(error).isprintable()
    else:
        assert found
        assert all(len(commit) == 40 for commit in found)


@given(st.dictionaries(st.sampled_from(sorted(record())), st.none() | st.integers() | st.text()))
def test_any_record_is_a_case_or_a_reason(changes: dict[str, object]) -> None:
    from arena.building.cases.importers._arvo import from_record
    from arena.building.cases.importers._report_text import Report

    found = from_record({**record(), **changes}, Report(), "17")
    if isinstance(found, Rejected):
        assert found.reason.isprintable()
    else:
        assert Case.model_validate(found.case.model_dump(by_alias=True)) == found.case
