"""A case store: what is saved is what is loaded; order, finding, and the list of the rejected."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.cases.schema import (
    Case,
    CrashSpec,
    OssFuzz,
    ReplaySpec,
    Shipped,
    Surroundings,
    TraceSpec,
)
from arena.building.cases.store import (
    cases,
    find,
    folders,
    keep_rejected,
    load_rejected,
    save,
    to_toml,
)
from tasks import schema
from tasks.loader import TaskError

FIX = "0123456789abcdef0123456789abcdef01234567"


def case(name: str, title: str = "") -> Case:
    return Case(id=name, project="brook", title=title, repository="https://x.org/b", fix=(FIX,))


words = st.text(max_size=20)
some = st.text(min_size=1, max_size=20)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,20}", fullmatch=True)
paths = st.from_regex(r"[a-z*]{1,5}(/[a-z]{1,5})?", fullmatch=True)
seconds = st.floats(min_value=0.5, max_value=86_400)
sanitizers = st.sampled_from(("address", "memory", "undefined", "thread", "leak", "none"))
made = st.builds(
    Case,
    id=names,
    project=names,
    source=st.sampled_from(("own", "arvo", "oss-fuzz", "pack")),
    title=words,
    repository=some,
    fix=st.lists(st.from_regex(r"[0-9a-f]{40}", fullmatch=True), min_size=1, max_size=4).map(tuple),
    language=st.sampled_from(("c", "c++", "")),
    cwe=st.lists(st.just("CWE-416"), max_size=2).map(tuple),
    crash=st.builds(
        CrashSpec, type=words, sanitizer=sanitizers, state=st.lists(words, max_size=3).map(tuple)
    ),
    oss_fuzz=st.builds(OssFuzz, target=words, report=words, regressed=words),
    environment=st.none()
    | st.builds(Surroundings, image=some, workdir=st.just("/src/x"), build=some, timeout=seconds),
    poc=st.none()
    | st.builds(
        ReplaySpec,
        command=some,
        file=st.none() | words,
        carry=st.lists(paths, max_size=2).map(tuple),
        timeout=seconds,
        replays=st.integers(1, 50),
    ),
    task=st.builds(Shipped, build=words, poc_build=words),
    tests=st.none()
    | st.builds(schema.Tests, command=some, build=words, parser=some, timeout=seconds),
    limits=st.builds(schema.LimitsSpec, pids=st.integers(16, 65_536), memory=st.just("4g")),
    szz=st.builds(TraceSpec, variant=words, paths=st.sampled_from(("source", "all"))),
)


@pytest.mark.slow
@given(made)
def test_what_is_written_is_read_back(spec: Case) -> None:
    assert Case.model_validate(tomllib.loads(to_toml(spec))) == spec


def test_only_what_differs_from_the_defaults_is_written() -> None:
    assert set(tomllib.loads(to_toml(case("7")))) == {
        "schema",
        "id",
        "project",
        "repository",
        "fix",
    }


def test_saved_cases_are_found_with_their_files(tmp_path: Path) -> None:
    assert save(tmp_path / "new" / "store", case("7", "one"), {"poc": b"x", "notes/a.md": b"y"})
    loaded = find(tmp_path / "new" / "store", "7")
    assert loaded.spec == case("7", "one")
    assert (loaded.folder / "notes" / "a.md").read_bytes() == b"y"
    assert sorted(path.name for path in loaded.folder.rglob("*")) == [
        "a.md",
        "case.toml",
        "notes",
        "poc",
    ]


def test_an_existing_case_is_kept_unless_replaced(tmp_path: Path) -> None:
    save(tmp_path, case("7", "one"))
    assert not save(tmp_path, case("7", "two"), {"poc": b"x"}, replace=False)
    assert find(tmp_path, "7").spec.title == "one"
    assert not (tmp_path / "7" / "poc").exists()
    assert save(tmp_path, case("7", "two"))
    assert find(tmp_path, "7").spec.title == "two"


def test_a_case_that_was_not_written_to_the_end_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill between the PoC and the case file."""

    def dies(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", dies)
    with pytest.raises(TaskError, match="No space left"):
        save(tmp_path, case("7"), {"poc": b"x"})
    assert folders(tmp_path) == []


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "case.toml", ""])
def test_files_of_a_case_stay_in_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(TaskError, match="no path for a file of a case"):
        save(tmp_path / "store", case("7"), {name: b"x"})
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["projects", "repositories", "rejected.json"])
def test_the_stores_own_names_are_no_ids(tmp_path: Path, name: str) -> None:
    with pytest.raises(TaskError, match="no case can be named"):
        save(tmp_path, case(name))


def test_cases_come_in_order_and_only_when_asked_for(tmp_path: Path) -> None:
    for name in ("beta", "5296", "738", "alpha", "10013"):
        save(tmp_path, case(name))
    (tmp_path / "beta" / "case.toml").write_text("id = ")
    (tmp_path / "empty").mkdir()
    (tmp_path / "projects").mkdir()
    found = cases(tmp_path)
    assert [next(found).id for _ in range(4)] == ["738", "5296", "10013", "alpha"]
    with pytest.raises(TaskError, match=r"beta/case\.toml: not TOML"):
        next(found)


def test_a_case_bears_the_id_of_its_folder(tmp_path: Path) -> None:
    save(tmp_path, case("7"))
    (tmp_path / "7").rename(tmp_path / "8")
    with pytest.raises(TaskError, match="differs from the folder's name"):
        find(tmp_path, "8")


def test_an_unknown_id_brings_similar_ones(tmp_path: Path) -> None:
    for name in ("5296", "5297", "brook-include"):
        save(tmp_path, case(name))
    with pytest.raises(TaskError, match=r"no case '5295'; there are 3, such as .*529[67]"):
        find(tmp_path, "5295")
    for hostile in ("../7", "projects", "a\0b", "x" * 10_000):
        with pytest.raises(TaskError, match="no case"):
            find(tmp_path, hostile)


def test_a_store_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no case store there"):
        list(cases(tmp_path / "nothing"))


# the rejected


def entry(name: str, reason: str = "r") -> dict[str, str]:
    return {"id": name, "reason": reason}


def test_rejections_are_kept_until_their_source_or_id_comes_again(tmp_path: Path) -> None:
    keep_rejected(tmp_path, [entry("10"), entry("9")], "one", set())
    keep_rejected(tmp_path, [entry("11")], "two", {"10"})
    assert [(e["id"], e["source"]) for e in load_rejected(tmp_path)] == [
        ("9", "one"),
        ("11", "two"),
    ]
    keep_rejected(tmp_path, [entry("12")], "one", set())
    assert [e["id"] for e in load_rejected(tmp_path)] == ["11", "12"]


def test_without_rejections_there_is_no_list(tmp_path: Path) -> None:
    keep_rejected(tmp_path, [], "one", {"1"})
    assert not (tmp_path / "rejected.json").exists()
    assert load_rejected(tmp_path) == []


@pytest.mark.parametrize("content", ["{", "{}", "[1]", '[{"id": 1, "reason": ""}]', "[" * 100_000])
def test_a_list_that_was_spoilt_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "rejected.json").write_text(content)
    with pytest.raises(TaskError, match=r"rejected\.json: not"):
        load_rejected(tmp_path)
