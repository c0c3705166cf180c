"""From a case's id to its crash: what is found, brought and told. Nothing is built here."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.building import reproducing
from arena.building.cases import importers
from arena.building.cases.cloning import CloneFailed
from arena.building.cases.importers import Imported, recognise
from arena.building.cases.loader import LoadedCase
from arena.building.feasibility import ReplayedCase
from arena.building.reproducing import CaseSources, reproduce
from harness.sandbox.base import ImageMissing, SandboxFault
from parsers import registry
from szz.observation import Observation
from tasks.loader import TaskError, load_pack
from tests.arena.building.oss_fuzz.form import git, mirror, recipes, records
from tests.arena.conftest import Arena

pytestmark = pytest.mark.slow

TARGETS = {"brook-include": "fuzz_load"}
ID = "10101"
STATED = {"kind": "heap-buffer-overflow", "access": "read", "size": None, "frames": ["f", "g"]}
CRASH = {**STATED, "size": 4}


class NoImages:
    """A backend that has no image."""

    name = "fake"

    def resolve(self, image: str) -> str:
        raise ImageMissing(f"{image}: no such image")


class AllImages(NoImages):
    def resolve(self, image: str) -> str:
        return image


Replays = list[tuple[LoadedCase, bool]]


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> Replays:
    """The cases that were replayed, and whether the fix was wanted: the parent crashes, the fix is clean."""
    done: Replays = []

    def replay(case: LoadedCase, _backend: Any, _cache: Any, _say: Any, fix: bool) -> ReplayedCase:
        done.append((case, fix))
        after = Observation("b" * 40, "clean") if fix else None
        return ReplayedCase(Observation("a" * 40, "crash", CRASH), after, STATED, True, fix)

    monkeypatch.setattr(reproducing, "replay_case", replay)
    return done


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    """Clones of OSS-Fuzz, of ARVO-Meta and of brook, with the PoC of its case in brook's history."""
    folder = mirror(tmp_path / "mirrors")
    poc = load_pack("starter").task("brook-include").poc
    assert poc is not None
    brook = folder / "arena+brook/repo"
    (brook / "fuzz").mkdir(exist_ok=True)
    (brook / f"fuzz/{ID}.bin").write_bytes(poc)
    git(brook, "add", "-A")
    git(brook, "commit", "-qm", "a PoC")
    recipes(folder / "google+oss-fuzz/repo")
    meta = folder / "n132+ARVO-Meta/repo"
    records(meta / "meta", "brook-include", targets=TARGETS)
    (meta / "meta/10102.json").write_text("{")
    git(meta, "init", "-q")
    git(meta, "add", "-A")
    git(meta, "commit", "-qm", "records")
    return folder


def reproduced(sources: CaseSources, backend: Any = None, **more: Any) -> reproducing.Reproduction:
    return reproduce(
        ID,
        sources,
        backend or NoImages(),
        None,
        more.pop("say", lambda _: None),
        **more,  # type: ignore[arg-type]
    )


# the record


def test_a_record_is_read_without_the_others(tmp_path: Path) -> None:
    folder = records(tmp_path / "meta", "brook-include", targets=TARGETS)
    (folder / "10102.json").write_text("{")
    (found,) = recognise(tmp_path).read_one(tmp_path, ID)
    assert isinstance(found, Imported)
    assert found.case.id == ID


def test_a_bare_clone_gives_a_record_without_the_others(tmp_path: Path) -> None:
    importer = registry.lookup(importers.PACKAGE, "arvo-clone")
    source = importer.examples[0].write(tmp_path)
    assert [found.case.id for found in importer.read_one(source, "17")] == ["17"]
    assert list(importer.read_one(source, "99")) == []


@pytest.mark.parametrize(
    ("id_", "part"),
    [
        ("10102", "10102: the record is no case: 10102.json: not JSON"),
        ("10103", "no record '10103' among 2, such as "),
        ("../10101", "'../10101' is no id of a case"),
        ("x" * 5000, "is no id of a case"),
    ],
)
def test_an_id_without_a_case_is_a_mistake(tmp_path: Path, id_: str, part: str) -> None:
    folder = records(tmp_path / "records", "brook-include", targets=TARGETS)
    (folder / "10102.json").write_text("{")
    sources = CaseSources(tmp_path / "cases", folder)
    with pytest.raises(TaskError, match=re.escape(part)):
        reproduce(id_, sources, NoImages(), None, lambda _: None)  # type: ignore[arg-type]
    assert not (tmp_path / "cases").exists()


def test_without_a_source_an_id_that_the_store_has_not_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no case '10101' among 0; `--source` names records"):
        reproduced(CaseSources(tmp_path / "cases"))


# what is brought


def test_mirrors_alone_bring_record_clone_recipe_and_poc(
    tmp_path: Path, mirrors: Path, replays: Replays
) -> None:
    lines: list[str] = []
    store = tmp_path / "cases"
    found = reproduced(CaseSources(store, mirrors=mirrors), say=lines.append)
    ((case, fix_wanted),) = replays
    where = case.spec.environment
    assert where is not None
    assert case.poc == load_pack("starter").task("brook-include").poc
    assert (found.state, found.environment, fix_wanted) == (
        "crashes",
        f"OSS-Fuzz's recipe {where.recipe}",
        False,
    )
    assert any("importing its record" in line for line in lines)
    assert sorted(path.name for path in store.iterdir() if path.name.isdigit()) == [ID]


def test_a_second_call_needs_no_source(tmp_path: Path, mirrors: Path, replays: Replays) -> None:
    reproduced(CaseSources(tmp_path / "cases", mirrors=mirrors))
    shutil.rmtree(mirrors / "n132+ARVO-Meta")
    found = reproduced(CaseSources(tmp_path / "cases"), fix_wanted=True)
    assert (found.state, [wanted for _, wanted in replays]) == ("reproduced", [False, True])


def test_what_no_mirror_has_is_cloned_only_where_that_is_allowed(
    tmp_path: Path, mirrors: Path, replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: list[str] = []
    names = {
        "https://github.com/n132/ARVO-Meta": "n132+ARVO-Meta",
        "https://example.org/arena/brook.git": "arena+brook",
        "https://github.com/google/oss-fuzz": "google+oss-fuzz",
    }

    def clone(url: str, into: Path, _say: Callable[[str], None]) -> Path:
        urls.append(url)
        into.mkdir(parents=True, exist_ok=True)
        (into / names[url]).symlink_to(mirrors / names[url])
        return into / names[url] / "repo"

    monkeypatch.setattr(reproducing, "clone_repository", clone)
    store, folder = tmp_path / "cases", mirrors / "n132+ARVO-Meta/repo/meta"
    lacking = reproduced(CaseSources(store, folder))
    assert (lacking.state, urls, replays) == ("clone", [], [])
    assert "a local clone of https://example.org/arena/brook.git" in lacking.reason
    assert "--clone" in lacking.hint
    shutil.rmtree(store)
    found = reproduced(CaseSources(store, may_clone=True))
    assert (found.state, urls, len(replays)) == ("crashes", list(names), 1)


def test_a_clone_that_fails_is_what_is_lacking(
    tmp_path: Path, mirrors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clone(url: str, *_: object) -> Path:
        raise CloneFailed(f"{url}: repository not found")

    monkeypatch.setattr(reproducing, "clone_repository", clone)
    folder = mirrors / "n132+ARVO-Meta/repo/meta"
    found = reproduced(CaseSources(tmp_path / "cases", folder, may_clone=True))
    told = "https://example.org/arena/brook.git: repository not found"
    assert (found.state, found.reason, found.is_success) == ("clone", told, False)


def test_a_case_without_a_poc_says_so_and_what_brings_one(
    tmp_path: Path, mirrors: Path, replays: Replays
) -> None:
    git(mirrors / "arena+brook/repo", "reset", "-q", "--hard", "HEAD~")
    found = reproduced(CaseSources(tmp_path / "cases", mirrors=mirrors))
    assert (found.state, replays) == ("poc", [])
    assert "arena cases fuzz" in found.hint


@pytest.mark.parametrize(
    ("engine", "environment"),
    [
        (AllImages(), r"ARVO's image n132/arvo:10101-brook-vul"),
        (NoImages(), r"OSS-Fuzz's recipe brook/[0-9a-f]{12}"),
    ],
)
def test_an_image_of_arvos_goes_before_the_recipe_where_it_is_to_be_had(
    tmp_path: Path, mirrors: Path, replays: Replays, engine: Any, environment: str
) -> None:
    sources = CaseSources(
        tmp_path / "cases", mirrors=mirrors, images="n132/arvo:{id}-{project}-vul"
    )
    found = reproduced(sources, engine)
    assert re.fullmatch(environment, found.environment)
    ((case, _),) = replays
    assert case.spec.environment and case.spec.poc
    is_arvo = case.spec.environment.form == "arvo"
    assert is_arvo == isinstance(engine, AllImages)
    assert (case.spec.poc.command == "cp {poc} /tmp/poc && arvo") == is_arvo


def test_a_fault_of_the_machine_is_told_as_one(
    tmp_path: Path, mirrors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replay(*_: object) -> ReplayedCase:
        raise SandboxFault("the engine is gone")

    monkeypatch.setattr(reproducing, "replay_case", replay)
    found = reproduced(CaseSources(tmp_path / "cases", mirrors=mirrors))
    assert (found.state, found.reason) == ("infra", "SandboxFault: the engine is gone")


# the state


@pytest.mark.parametrize(
    ("before", "after", "is_stated", "fix_wanted", "state"),
    [
        ("crash", None, True, False, "crashes"),
        ("crash", None, False, False, "other-crash"),
        ("clean", None, True, False, "not-reproduced"),
        ("unclear", None, True, False, "unclear"),
        ("unbuilt", None, True, True, "unbuilt"),
        ("crash", "clean", True, True, "reproduced"),
        ("crash", "clean", False, True, "other-crash"),
        ("crash", "crash", True, True, "fix-crashes"),
        ("crash", "unbuilt", True, True, "unbuilt"),
        ("crash", "unclear", True, True, "unclear"),
        ("clean", "clean", True, True, "not-reproduced"),
    ],
)
def test_both_observations_give_the_state(
    before: Any, after: Any, is_stated: bool, fix_wanted: bool, state: str
) -> None:
    fix = Observation("b" * 40, after) if after else None
    replayed = ReplayedCase(Observation("a" * 40, before), fix, None, is_stated, fix_wanted)
    assert replayed.state == state


# the command


@pytest.fixture
def no_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.case_reproduce.choose_backend", lambda _: NoImages())
    monkeypatch.delenv("ARENA_CASES", raising=False)


@pytest.mark.usefixtures("no_backend")
def test_the_command_prints_both_crashes_beside_the_reports(
    arena: Arena, mirrors: Path, replays: Replays
) -> None:
    done = arena("cases", "reproduce", ID, "--mirrors", mirrors, "--with-fix")
    assert done.status == 0
    first, environment, *rows = done.out.splitlines()
    assert first == "10101: reproduced: the PoC crashes the fix's parent, and not the fix"
    assert environment.startswith("    in OSS-Fuzz's recipe brook/")
    assert rows == [
        "    report                heap-buffer-overflow read    f < g",
        "    parent  aaaaaaaaaaaa  heap-buffer-overflow read 4  f < g",
        "    fix     bbbbbbbbbbbb  clean",
    ]
    assert "10101: importing its record from" in done.err
    again = arena("cases", "reproduce", ID, "--json").json  # the store is remembered
    assert (again["state"], again["report"], again["fix"]) == ("crashes", STATED, None)
    assert again["parent"]["signature"] == CRASH


@pytest.mark.usefixtures("no_backend")
def test_the_command_says_in_one_line_what_is_lacking(arena: Arena, mirrors: Path) -> None:
    folder = mirrors / "n132+ARVO-Meta/repo/meta"
    done = arena("cases", "reproduce", ID, "--source", folder)
    assert (done.status, done.out.count("\n")) == (1, 1)
    assert done.out.startswith("10101: clone: a local clone of https://example.org/arena/brook.git")
    unknown = arena("cases", "reproduce", "77")
    assert (unknown.status, unknown.out) == (2, "")


@pytest.mark.usefixtures("no_backend")
def test_a_fault_of_the_machine_ends_the_command_with_3(
    arena: Arena, mirrors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replay(*_: object) -> ReplayedCase:
        raise SandboxFault("the engine is gone")

    monkeypatch.setattr(reproducing, "replay_case", replay)
    assert arena("cases", "reproduce", ID, "--mirrors", mirrors).status == 3


def test_the_text_of_a_report_reaches_no_terminal(
    arena: Arena, mirrors: Path, replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.case_reproduce.choose_backend", lambda _: NoImages())
    monkeypatch.setitem(STATED, "frames", ["f\x1b[31m\nparent"])
    done = arena("cases", "reproduce", ID, "--mirrors", mirrors)
    assert "\x1b" not in done.out
    assert len(done.out.splitlines()) == 4


def test_a_record_that_the_store_has_is_left_as_it_is(tmp_path: Path, mirrors: Path) -> None:
    store = tmp_path / "cases"
    reproduced(CaseSources(store, mirrors / "n132+ARVO-Meta/repo/meta"))
    text = (store / ID / "case.toml").read_text()
    (store / ID / "case.toml").write_text(text.replace('project = "brook"', 'project = "mine"'))
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / f"{ID}.json").write_text(json.dumps({}))
    assert reproduced(CaseSources(store, broken)).state == "clone"
    assert 'project = "mine"' in (store / ID / "case.toml").read_text()
