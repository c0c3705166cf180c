"""A revision that the fix's recipe does not build is built by that of its own day."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import tomli_w

from arena.building import confirm as confirming
from arena.building.cases.importing import import_cases
from arena.building.cases.loader import LoadedCase
from arena.building.cases.store import find
from arena.building.confirm import confirm
from arena.building.oss_fuzz import bases, dated_recipe
from arena.building.oss_fuzz.attach import attach, keep_folder
from arena.building.oss_fuzz.checkout import Checkout, ProjectFolder, RecipeLost
from arena.building.oss_fuzz.dated_recipe import DatedRecipeWitness, recipe_at_commit
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend, ImageMissing
from szz.observation import Observation
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from tasks.loader import TaskError, load_pack
from tests.arena.building.oss_fuzz.form import BUILD, EARLY, FOLDER, checkout, git, mirror, records

pytestmark = pytest.mark.rotating(3)

SOURCE = load_pack("starter").task("brook-include").spec.source
PVIC, VIC, FIX = SOURCE.pvic, SOURCE.vic, SOURCE.vfc
# Between the VIC and the fix: the recipe wants a file that the VIC lacks; crashes are mailed to others.
MOVED, TOLD = 1_616_000_000, 1_620_000_000
WANTS = BUILD.replace(
    "$CC $CFLAGS -Iinclude -Isrc", "[ -f src/expand.c ] || exit 9\n$CC $CFLAGS -Iinclude -Isrc", 1
)
TILL = "by OSS-Fuzz's recipe as it was till 2021-03-17"
Versions = dict[int, dict[str, str]]
Stored = Callable[..., Path]


@pytest.fixture
def versions() -> Versions:
    return {
        EARLY: {f"projects/brook/{name}": text for name, text in FOLDER.items()},
        MOVED: {"projects/brook/build.sh": WANTS},
        TOLD: {"projects/brook/project.yaml": "language: c\nprimary_contact: a@localhost\n"},
    }


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    """Makes a store of one case from a checkout."""

    def make(versions: Versions) -> Path:
        source = records(
            tmp_path / "records", "brook-include", targets={"brook-include": "fuzz_load"}
        )
        ids = import_cases(source, tmp_path / "cases").imported
        made = Checkout(checkout(tmp_path / "checkout", versions))
        attach(tmp_path / "cases", ids, made, mirror(tmp_path / "mirrors"))
        return tmp_path / "cases"

    return make


def at(store: Path, commit: str) -> LoadedCase | None:
    return recipe_at_commit(find(store, "10101"), commit, Checkout(store / "oss-fuzz"))


def test_what_changes_no_build_is_no_change(tmp_path: Path, versions: Versions) -> None:
    found = Checkout(checkout(tmp_path / "checkout", versions))
    assert found.changes("brook") == [EARLY, MOVED]
    assert found.changes("other") == found.changes("*") == []


def test_the_recipe_of_a_commits_day(stored: Stored, versions: Versions) -> None:
    store = stored(versions)
    there = at(store, VIC)
    assert there is not None
    where, own = there.spec.environment, find(store, "10101").spec.environment
    assert where and own and where.recipe != own.recipe
    assert (where.date, where.meant_for, own.meant_for) == (MOVED - 1, VIC, "")
    assert b"expand.c" not in (store / "recipes" / where.recipe / "build.sh").read_bytes()
    assert (where.build, there.spec.poc) == (own.build, find(store, "10101").spec.poc)


def test_none_where_it_is_the_fixs(stored: Stored, versions: Versions) -> None:
    """Nor for a commit that nobody knows."""
    store = stored(versions)
    assert [at(store, commit) for commit in (FIX, "0" * 40)] == [None, None]


@pytest.mark.rotating(3)
@pytest.mark.parametrize(
    ("first", "code"),
    [
        ({"projects/other/Dockerfile": "FROM x\n"}, ""),
        ({"projects/brook/build.sh": BUILD}, "recipe-unreadable"),
        (
            {"projects/brook/Dockerfile": "FROM elsewhere\n", "projects/brook/build.sh": BUILD},
            "recipe-base",
        ),
    ],
)
def test_none_where_there_was_none_and_a_loss_where_it_cannot_be_followed(
    stored: Stored, versions: Versions, first: dict[str, str], code: str
) -> None:
    store = stored({EARLY: first, MOVED: versions[EARLY] | versions[MOVED]})
    assert find(store, "10101").spec.environment
    if not code:
        assert at(store, VIC) is None
        return
    with pytest.raises(RecipeLost) as lost:
        at(store, VIC)
    assert lost.value.code == code


def test_an_environment_of_ones_own_has_no_days(stored: Stored, versions: Versions) -> None:
    store = stored(versions)
    path = store / "10101/case.toml"
    case = tomllib.loads(path.read_text())
    case["environment"] = {"image": "mine", "workdir": "/src/brook", "build": "make"}
    path.write_text(tomli_w.dumps(case))
    assert at(store, VIC) is None


def test_the_base_is_asked_with_what_the_recipe_is_meant_for(
    stored: Stored, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = Mock()
    witness.__enter__ = lambda self: self
    witness.__exit__ = lambda *_: None
    witness.fix_and_parent.return_value = (FIX, "")
    monkeypatch.setattr(bases, "SandboxWitness", lambda *_: witness)
    store = stored(versions)
    for case in (find(store, "10101"), at(store, VIC)):
        assert case
        bases._builds(case, Mock(), Mock(), print)
    assert [call.args for call in witness.build_commit.call_args_list] == [(FIX,), (VIC,)]


FAILURES = {
    "fails": TaskError("a clone lacks an object"),
    "has no image": ImageMissing("no such image"),
    "is gone": FileNotFoundError("the clone"),
}


class Fake:
    """Stands for SandboxWitness: what it sees goes by the day of the recipe, MOVED being the VIC's."""

    stated_crash: Any = {"kind": "k", "frames": ["brook::load", "main"]}  # noqa: RUF012
    same = staticmethod(lambda one, other: one == other)

    def __init__(self, seen: Mapping[int, Mapping[str, str]], case: LoadedCase) -> None:
        assert case.spec.environment
        self.seen = seen[MOVED if case.spec.environment.date < MOVED else TOLD]

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_: object) -> None: ...

    def close(self) -> None: ...

    def observe(self, commit: str) -> Observation:
        state: Any = self.seen.get(commit, "crash")
        if state == "stranger":
            return Observation(commit, "crash", {"kind": state}, seconds=3, cpu=2)
        if state == "lacks a module":
            return Observation(commit, "unbuilt", reason=state)
        if state in FAILURES:
            raise FAILURES[state]
        known = {"kind": "k", "frames": ["brook::load", "main"]} if state == "crash" else None
        lacks = {"lacks the way": ("load",), "lacks another": ("main", "x")}.get(state, (state,))
        state = "unbuilt" if state.startswith("lacks") else state
        return Observation(commit, state, known, seconds=3, cpu=2, reason="why", lacks=lacks)


Faked = Callable[..., tuple[DatedRecipeWitness, list[str]]]


@pytest.fixture
def faked(stored: Stored, versions: Versions, monkeypatch: pytest.MonkeyPatch) -> Faked:
    """A witness that sees this by the fix's recipe and that by the VIC's, and what it says."""

    def make(
        fixs: dict[str, str],
        thens: dict[str, str],
        lost: bool = False,
        fixes: tuple[str, ...] = (),
    ) -> Any:
        def furnished(case: LoadedCase, *_: object) -> LoadedCase:
            if lost and case.spec.environment and case.spec.environment.meant_for:
                raise RecipeLost("recipe-base", "no base")
            return case

        seen, said = {MOVED: thens, TOLD: fixs}, list[str]()
        monkeypatch.setattr(dated_recipe, "with_built_image", furnished)
        monkeypatch.setattr(dated_recipe, "SandboxWitness", lambda _, case, *__: Fake(seen, case))
        case = find(stored(versions), "10101")
        return DatedRecipeWitness(Mock(), case, Mock(), said.append, fixes=fixes), said

    return make


@pytest.mark.rotating(5)
@pytest.mark.parametrize(
    ("fixs", "thens", "state", "cpu", "told", "lacks"),
    [
        ("crash", "clean", "crash", 2, "why", ("crash",)),
        ("unbuilt", "clean", "clean", 4, TILL, ("clean",)),
        ("unbuilt", "crash", "crash", 4, TILL, ("crash",)),
        ("unbuilt", "unbuilt", "unbuilt", 4, "why", ("unbuilt",)),
        ("lacks the way", "unclear", "unbuilt", 4, "why", ("load", "unclear")),
        ("lacks the way", "stranger", "unbuilt", 4, "why", ("load",)),
        ("unbuilt", "fails", "unbuilt", 2, "why", ("unbuilt",)),
        ("unbuilt", "has no image", "unbuilt", 2, "why", ("unbuilt",)),
        ("unbuilt", "is gone", "unbuilt", 2, "why", ("unbuilt",)),
        ("lacks a module", "clean", "unbuilt", 0, "lacks a module", ()),
    ],
)
def test_what_is_seen_by_either(
    faked: Faked,
    fixs: str,
    thens: str,
    state: str,
    cpu: int,
    told: str,
    lacks: tuple[str, ...],
) -> None:
    witness, _ = faked({VIC: fixs}, {VIC: thens})
    found = witness.observe(VIC)
    assert (found.state, found.cpu, found.seconds, found.lacks) == (state, cpu, cpu * 1.5, lacks)
    assert found.reason == told


def test_a_recipe_that_cannot_be_followed_is_told(faked: Faked) -> None:
    witness, said = faked({VIC: "unbuilt"}, {}, lost=True)
    assert witness.observe(VIC).state == "unbuilt"
    assert said[-1] == f"{VIC[:12]}: the recipe of its day cannot be followed: no base"


def test_a_fix_and_its_parent_are_of_one_recipe(faked: Faked) -> None:
    """The case's, or another that is searched behind."""
    witness, said = faked({VIC: "unbuilt", PVIC: "unbuilt"}, {}, fixes=(VIC,))
    assert {witness.observe(commit).state for commit in (VIC, PVIC)} == {"unbuilt"}
    assert not said


def test_a_checkout_that_goes_leaves_the_fixs_recipe(faked: Faked, tmp_path: Path) -> None:
    """A link that goes does not: a search stays with the checkout that it began with."""
    witness, said = faked({VIC: "unbuilt"}, {VIC: "clean"})
    (tmp_path / "cases/oss-fuzz").unlink()
    assert witness.observe(VIC).state == "clean"
    (tmp_path / "checkout").rename(tmp_path / "gone")
    assert witness.observe(VIC).state == "unbuilt"
    assert "cannot be followed" in said[-1]
    again = DatedRecipeWitness(Mock(), find(tmp_path / "cases", "10101"), Mock(), said.append)
    assert again.observe(VIC).state == "unbuilt"
    assert len(said) == 2  # there is no link any more: nothing more to tell


@pytest.mark.rotating(3)
@pytest.mark.parametrize("place", ["gone", "oss-fuzz", "recipes"])
def test_a_link_that_leads_to_no_checkout_is_told(faked: Faked, tmp_path: Path, place: str) -> None:
    _, said = faked({VIC: "unbuilt"}, {VIC: "clean"})
    link = tmp_path / "cases/oss-fuzz"
    link.unlink()
    link.symlink_to(tmp_path / "cases" / place)
    witness = DatedRecipeWitness(Mock(), find(tmp_path / "cases", "10101"), Mock(), said.append)
    assert witness.observe(VIC).state == "unbuilt"
    assert len(said) == 1 and "only the recipes of the fixes' dates are known" in said[0]


@pytest.mark.rotating(5)
@pytest.mark.parametrize(
    ("fixs", "thens", "by"),
    [
        ({}, {PVIC: "clean"}, "fix's"),
        ({VIC: "unbuilt", PVIC: "unbuilt"}, {PVIC: "clean"}, "VIC's"),
        ({VIC: "unbuilt", PVIC: "clean"}, {PVIC: "clean"}, "VIC's"),
        ({VIC: "crash", PVIC: "unbuilt"}, {PVIC: "clean"}, "VIC's"),
        ({VIC: "unbuilt", PVIC: "clean"}, {PVIC: "crash"}, "none"),
        ({VIC: "crash", PVIC: "unbuilt"}, {PVIC: "clean", VIC: "clean"}, "none"),
        ({VIC: "crash", PVIC: "unbuilt"}, {PVIC: "clean", VIC: "stranger"}, "none"),
        ({VIC: "crash", PVIC: "unbuilt"}, {PVIC: "clean", VIC: "fails"}, "none"),
        ({VIC: "crash", PVIC: "unbuilt"}, {PVIC: "clean", VIC: "is gone"}, "none"),
        ({VIC: "unbuilt", PVIC: "unbuilt"}, {PVIC: "clean", FIX: "crash"}, "none"),
        ({VIC: "unbuilt", PVIC: "unbuilt"}, {PVIC: "lacks the way"}, "VIC's"),
        ({VIC: "unbuilt", PVIC: "lacks the way"}, {PVIC: "lacks another"}, "none"),
        ({VIC: "unbuilt", PVIC: "lacks the way"}, {PVIC: "unbuilt"}, "none"),
    ],
)
def test_vic_and_pvic_are_told_apart_by_one_recipe(
    faked: Faked, fixs: dict[str, str], thens: dict[str, str], by: str
) -> None:
    """A fuzz target that one recipe builds may never come to where the weakness is."""
    witness, _ = faked(fixs, {FIX: "unbuilt", **thens})
    proof = Proof(vic=VIC, pvic=PVIC, vfc=FIX, runs=(witness.observe(PVIC), witness.observe(VIC)))
    built = witness.find_agreeing_case(proof)
    where = built.spec.environment if built else None
    told = {None: "none"}.get(where, "VIC's" if where and where.meant_for else "fix's")
    assert told == by


def test_a_vic_of_two_recipes_is_searched_by_the_fixs_alone(
    faked: Faked, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness, said = faked({PVIC: "unbuilt"}, {PVIC: "clean", VIC: "clean"})
    asked = list[Any]()

    def prove(*given: Any, **_: Any) -> Proof:
        asked.append(given[3])
        return Proof(vic=VIC, pvic=PVIC, runs=tuple(given[3](commit) for commit in (PVIC, VIC)))

    monkeypatch.setattr(confirming, "DatedRecipeWitness", lambda *_: witness)
    monkeypatch.setattr(confirming, "prove", prove)
    (tmp_path / "cases/10101/poc").write_bytes(b"x")
    case = find(tmp_path / "cases", "10101")
    found = confirm(case, Mock(), Mock(), BuildBudget(), say=said.append)
    assert asked == [witness.observe, witness.observe_by_fix_recipe]
    assert [run.state for run in found.proof.runs] == ["unbuilt", "crash"]
    assert found.built is None
    assert "crashes by one recipe" in said[-1]


@pytest.mark.parametrize("left", [{}, {"build.sh": b"old"}, {"Dockerfile": b""}])
def test_many_that_keep_a_recipe_at_once_all_find_it_whole(
    tmp_path: Path, left: dict[str, bytes]
) -> None:
    """Whenever one has returned; and half of one, of an import that was killed, is made whole."""
    files = {f"f{n}": b"x" for n in range(30)} | {"Dockerfile": b"FROM x", "build.sh": b"exit 0"}
    folder = ProjectFolder("p", "a" * 40, files)

    def kept(place: Path) -> dict[str, bytes]:
        keep_folder(place.parents[2], folder)
        return {path.name: path.read_bytes() for path in place.iterdir()}

    for turn in range(20):
        place = tmp_path / str(turn) / "recipes/p" / ("a" * 12)
        place.mkdir(parents=True)
        for name, text in left.items():
            (place / name).write_bytes(text)
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(kept, [place] * 8)) == [files] * 8
        assert [path.name for path in place.parent.iterdir()] == ["a" * 12]


def test_objects_that_are_missing_are_no_history_without_changes(
    tmp_path: Path, versions: Versions
) -> None:
    place = checkout(tmp_path / "checkout", versions)
    tree = git(place, "rev-parse", "HEAD~1:projects")
    (place / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(TaskError, match=tree[:12]):
        Checkout(place).changes("brook")


def test_what_a_person_set_stays(stored: Stored, versions: Versions) -> None:
    store = stored(versions)
    path = store / "10101/case.toml"
    text = path.read_text().replace("compile fuzz_load", "FLAG=1 compile fuzz_load")
    path.write_text(text.replace("timeout = 1800.0", "timeout = 7200.0"))
    there = at(store, VIC)
    assert there and there.spec.environment
    assert "FLAG=1" in there.spec.environment.build
    assert there.spec.environment.timeout == 7200


def test_a_recipe_that_came_back_is_no_other(stored: Stored, versions: Versions) -> None:
    back = versions | {
        TOLD: {"projects/brook/build.sh": BUILD, "projects/brook/project.yaml": "language: c++\n"}
    }
    assert at(stored(back), VIC) is None


@pytest.mark.docker
@pytest.mark.nightly
def test_a_vic_that_the_fixs_recipe_does_not_build_is_found(
    stored: Stored, versions: Versions, docker: Backend
) -> None:
    store, said, cache = stored(versions), list[str](), MemoryCache()
    (store / "10101/poc").write_bytes(load_pack("starter").task("brook-include").poc or b"")
    case = find(store, "10101")
    found = confirm(case, docker, cache, BuildBudget(), say=said.append)
    proof = found.proof
    assert (proof.vic, proof.pvic, proof.confirmed) == (VIC, PVIC, True), proof
    assert f"{VIC[:12]}: by OSS-Fuzz's recipe as it was till 2021-03-17" in said
    assert found.built and found.built.spec.environment
    assert found.built.spec.environment.meant_for == VIC
    assert "built by OSS-Fuzz's recipe as it was till 2021-03-17" in proof.notes
    (store / "oss-fuzz").unlink()
    lost = confirm(case, docker, cache, BuildBudget()).proof
    assert (lost.vic, lost.confirmed) == (None, False)
