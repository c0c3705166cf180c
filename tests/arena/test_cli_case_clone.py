"""`arena cases clone`, and which cases the other commands of `arena cases` take."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.building.cases import cloning
from arena.building.cases.cloning import CloneFailed
from arena.building.feasibility import TriedCase
from tests.arena.building.oss_fuzz.form import mirror, recipes
from tests.arena.building.oss_fuzz.form import records as brook_records
from tests.arena.conftest import Arena

pytestmark = pytest.mark.slow

FIX = "0123456789abcdef0123456789abcdef01234567"
REPOSITORIES = {"1": "brook", "2": "lexis", "3": "lexis", "4": "wrong"}


@pytest.fixture
def store(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four cases of three projects, none of which has a clone."""
    monkeypatch.delenv("ARENA_CASES", raising=False)
    (tmp_path / "records").mkdir()
    for id_, name in REPOSITORIES.items():
        content = {
            "localId": id_,
            "project": name,
            "fix_commit": FIX,
            "sanitizer": "asan",
            "repo_addr": f"https://example.org/a/{name}.git",
        }
        (tmp_path / f"records/{id_}.json").write_text(json.dumps(content))
    arena("cases", "import", "records", "--out", "store")
    return tmp_path / "store"


@pytest.fixture
def cloned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were to be cloned; that of `wrong` fails."""
    urls: list[str] = []

    def clone(url: str, into: Path, _say: Callable[[str], None]) -> Path:
        urls.append(url)
        if "wrong" in url:
            raise CloneFailed(f"{url}: repository not found")
        place = into / cloning.mirror_path(url)
        place.mkdir(parents=True)
        return place

    monkeypatch.setattr(cloning, "clone_repository", clone)
    return urls


LEXIS = {
    "url": "https://example.org/a/lexis.git",
    "folder": "a+lexis/repo",
    "cases": ["2", "3"],
    "problem": "",
    "count": 2,
}


@pytest.mark.usefixtures("store")
def test_the_list_has_the_number_of_cases_that_each_clone_unlocks(
    arena: Arena, cloned: list[str]
) -> None:
    done = arena("cases", "clone", "--all", "--into", "mirrors", "--list")
    assert (done.status, cloned) == (0, [])
    assert done.out.splitlines() == [
        "     2  https://example.org/a/lexis.git",
        "     1  https://example.org/a/brook.git",
        "     1  https://example.org/a/wrong.git",
    ]
    limited = arena(
        "cases", "clone", "--all", "--into", "mirrors", "--dry-run", "--json", "--limit", 1
    )
    assert limited.json == {"missing": [LEXIS]}
    named = arena("cases", "clone", "1", "3", "--into", "mirrors", "--list", "--json").json
    assert [row["cases"] for row in named["missing"]] == [["1"], ["3"]]


@pytest.mark.usefixtures("store")
def test_one_that_fails_does_not_end_the_others(arena: Arena, cloned: list[str]) -> None:
    done = arena(
        "cases", "clone", "--all", "--into", "mirrors", "--project", "wrong", "--project", "brook"
    )
    assert done.status == 1
    assert done.out.splitlines() == [
        "https://example.org/a/brook.git: unlocks 1 case",
        "https://example.org/a/wrong.git: not cloned: https://example.org/a/wrong.git: repository not found",
    ]
    rest = arena("cases", "clone", "--all", "--into", "mirrors", "--json", "--limit", 1)
    assert (rest.status, rest.json["path"]) == (0, "mirrors/a+lexis/repo")
    assert [url.rpartition("/")[2] for url in cloned] == ["brook.git", "wrong.git", "lexis.git"]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("words", [(), ("1", "--all")])
def test_either_cases_or_all_are_named(arena: Arena, words: tuple[str, ...]) -> None:
    done = arena("cases", "clone", *words, "--into", "mirrors", "--list")
    assert (done.status, done.err) == (2, "arena: name cases, or give --all\n")


def test_with_oss_fuzz_the_cases_get_their_environments_and_recipes_name_further_clones(
    arena: Arena, tmp_path: Path
) -> None:
    source = brook_records(tmp_path / "r", "brook-include", targets={"brook-include": "fuzz_load"})
    arena("cases", "import", source, "--out", "store")
    checkout, mirrors = recipes(tmp_path / "checkout"), mirror(tmp_path / "mirrors")
    (mirrors / ".locks").mkdir()
    words = ("cases", "clone", "10101", "--into", mirrors, "--store", "store", "--json")
    done = arena(*words, "--oss-fuzz", checkout)
    assert (done.status, done.json) == (0, {"ready": 0, "pocs": 0, "lacks": {"poc": 1}})
    assert [path.name for path in Path("store/repositories").iterdir()] == ["arena+brook"]
    assert arena(*words, "--list").json == {"missing": []}
    missing = arena(*words, "--list", "--dependencies").json["missing"]
    assert [(row["url"], row["cases"]) for row in missing] == [
        ("https://example.org/arena/absent", ["10101"])
    ]


# which cases


@pytest.mark.usefixtures("store")
def test_list_filters_by_project_and_by_what_is_lacking(arena: Arena) -> None:
    def ids(*words: str) -> list[Any]:
        return [row["case"] for row in arena("cases", "list", "--json", *words).json["cases"]]

    assert ids() == ["1", "2", "3", "4"]
    assert ids("--project", "lexis", "--project", "brook") == ["1", "2", "3"]
    assert ids("--lacking", "clone", "--project", "brook") == ["1"]
    assert ids("--lacking", "unreadable") == []
    assert arena("cases", "list", "--project", "brok").status == 2
    assert arena("cases", "list", "--lacking", "nothing").status == 2


@pytest.mark.usefixtures("store")
def test_try_takes_the_cases_of_a_project(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.case_work.choose_backend", lambda _: None)
    monkeypatch.setattr(
        "arena.building.feasibility.try_case", lambda case, *_: TriedCase(case.id, "reproduced")
    )
    done = arena("cases", "try", "--project", "lexis", "--json", "--workers", 1)
    assert [row["case"] for row in done.lines] == ["2", "3"]
    assert arena("cases", "try", "--project", "nothing").status == 2
