"""`arena cases`: the shapes of its JSON, what it prints, and which store it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.arena.conftest import Arena

pytestmark = pytest.mark.slow

FIX = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def no_store_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_CASES", raising=False)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Two good records, one on a host without git, and one that is no JSON."""
    folder = tmp_path / "records"
    folder.mkdir()
    for id_, changes in (
        (738, {}),
        (5296, {"fix_commit": [FIX, FIX[::-1]]}),
        (6, {"repo_addr": "http://hg.x.org/y"}),
    ):
        content = {
            "localId": id_,
            "project": "brook",
            "fix_commit": FIX,
            "sanitizer": "asan",
            "crash_type": "Heap-buffer-overflow READ 1",
            "repo_addr": "https://example.org/brook.git",
            **changes,
        }
        (folder / f"{id_}.json").write_text(json.dumps(content))
    (folder / "7.json").write_text("{")
    return folder


def listed(arena: Arena, *args: str) -> list[Any]:
    cases = arena("cases", "list", "--json", *args).json["cases"]
    assert isinstance(cases, list)
    return cases


def test_import_reports_what_came_in_and_what_did_not(arena: Arena, records: Path) -> None:
    done = arena("cases", "import", records, "--out", "store", "--json")
    assert done.status == 0
    assert done.json["imported"] == 2
    assert [entry["id"] for entry in done.json["rejected"]] == ["6", "7"]
    assert done.json["rejected"][0] == {
        "id": "6",
        "reason": "repository is Mercurial, not git: http://hg.x.org/y",
    }
    assert Path("store", "5296", "case.toml").is_file()
    again = arena("cases", "import", records, "--out", "store", "--json").json
    assert (again["imported"], again["kept"]) == (2, 2)


def test_import_for_people_groups_the_reasons(arena: Arena, records: Path) -> None:
    done = arena("cases", "import", records, "--out", "store")
    assert "2 imported into store" in done.out
    assert "2 rejected:" in done.out
    assert "1 repository is Mercurial" in done.out
    assert "(6)" in done.out
    assert "2 of them crash in a read, and have the CWE of the buffer" in done.err
    assert "kept" in arena("cases", "import", records, "--out", "store").out
    assert "kept" not in arena("cases", "import", records, "--out", "store", "--replace").out


def test_list_tells_what_each_case_lacks(arena: Arena, records: Path) -> None:
    arena("cases", "import", records, "--out", "store")
    first, second = listed(arena)
    assert (first["case"], first["project"], first["crash"], first["cwe"], first["fixes"]) == (
        "738",
        "brook",
        "Heap-buffer-overflow READ 1",
        ["CWE-122"],
        1,
    )
    assert second["fixes"] == 2
    assert len(first["lacks"]) == 3
    (Path("clones") / "brook").mkdir(parents=True)
    assert len(listed(arena, "--repositories", "clones")[0]["lacks"]) == 2
    table = arena("cases", "list").out.splitlines()
    assert table[0].split() == ["case", "project", "crash", "cwe", "fixes", "lacks"]
    assert table[1].startswith("738   brook    Heap-buffer-overflow READ 1  CWE-122  1")


def test_a_case_that_is_wrong_does_not_hide_the_others(arena: Arena, records: Path) -> None:
    arena("cases", "import", records, "--out", "store")
    Path("store", "738", "case.toml").write_text("id = ")
    done = arena("cases", "list", "--json")
    assert done.status == 1
    assert [case["case"] for case in done.json["cases"]] == ["5296"]
    assert "not TOML" in done.json["problems"][0]
    assert "738/case.toml" in done.err


def test_show_prints_the_whole_case(arena: Arena, records: Path) -> None:
    arena("cases", "import", records, "--out", "store")
    found = arena("cases", "show", "5296", "--json").json
    assert (found["id"], found["schema"], found["fix"]) == ("5296", 1, [FIX, FIX[::-1]])
    assert found["crash"]["sanitizer"] == "address"
    assert found["folder"].endswith("store/5296")
    assert found["lacks"][0] == "a local clone of https://example.org/brook.git"
    shown = arena("cases", "show", "5296").out
    assert "[crash]\n  type = Heap-buffer-overflow READ 1\n" in shown


def test_an_unknown_case_is_a_mistake_with_similar_ids(arena: Arena, records: Path) -> None:
    arena("cases", "import", records, "--out", "store")
    done = arena("cases", "show", "5295")
    assert done.status == 2
    assert "no case '5295'; there are 2, such as 5296" in done.err
    assert done.err.count("\n") == 1


def test_terminal_escapes_are_not_passed_on(arena: Arena, tmp_path: Path) -> None:
    folder = tmp_path / "store" / "7"
    folder.mkdir(parents=True)
    (folder / "case.toml").write_text(
        f'id = "7"\nproject = "brook"\nrepository = "x"\nfix = "{FIX}"\n'
        'title = "a\\u001b[31m"\n[crash]\ntype = "b\\u001b[31m\\nc"\n'
    )
    for args in (("list",), ("show", "7")):
        assert "\x1b" not in arena("cases", *args, "--store", "store").out
    assert len(arena("cases", "list", "--store", "store").out.splitlines()) == 2


@pytest.mark.parametrize("source", ["nothing", "records/none.json"])
def test_a_source_that_is_not_there_is_a_mistake(arena: Arena, records: Path, source: str) -> None:
    done = arena("cases", "import", source, "--out", "store")
    assert (done.status, done.out) == (2, "")
    assert "no such file or folder" in done.err
    assert not Path("store").exists()


# which store


@pytest.mark.slow
def test_the_store_imported_to_last_is_taken(arena: Arena, records: Path) -> None:
    arena("cases", "import", records / "738.json", "--out", "one")
    arena("cases", "import", records / "5296.json", "--store", "two")
    assert [case["case"] for case in listed(arena)] == ["5296"]
    assert [case["case"] for case in listed(arena, "--store", "one")] == ["738"]


def test_the_variable_goes_before_the_last_and_the_option_before_both(
    arena: Arena, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("cases", "import", records / "738.json", "--out", "one")
    arena("cases", "import", records / "5296.json", "--out", "two")
    monkeypatch.setenv("ARENA_CASES", "one")
    assert [case["case"] for case in listed(arena)] == ["738"]
    assert [case["case"] for case in listed(arena, "--store", "two")] == ["5296"]


@pytest.mark.slow
def test_without_any_it_is_the_folder_cases(arena: Arena, records: Path) -> None:
    missing = arena("cases", "list")
    assert missing.status == 2
    assert "cases: no case store there" in missing.err
    arena("cases", "import", records)
    assert Path("cases", "738", "case.toml").is_file()


def test_an_import_that_rejected_everything_leaves_the_default_store(
    arena: Arena, records: Path, tmp_path: Path
) -> None:
    assert arena("cases", "import", records, "--out", "store").status == 0
    (tmp_path / "deep.json").write_text("{")
    rejected = arena("cases", "import", tmp_path / "deep.json", "--out", "empty", "--json").json
    assert (rejected["imported"], len(rejected["rejected"])) == (0, 1)
    assert len(listed(arena)) == 2
    shown = arena("cases", "list")
    assert shown.err.endswith("store: 2\n")


def test_clone_of_an_empty_store_says_that_nothing_is_missing(arena: Arena) -> None:
    Path("empty").mkdir()
    cloned = arena("cases", "clone", "--all", "--into", "clones", "--store", "empty")
    assert cloned.err == "nothing to clone: 0 cases in empty lack no clone\n"
