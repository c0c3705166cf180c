"""An entry's parts come from the user's clones, and each that is absent or another is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.building.cases.schema import Case
from arena.building.catalogue.building import build_entries, verify_entries
from arena.building.catalogue.entries import CatalogueEntry
from arena.building.catalogue.parts import PartMissing, PartSources, place_case
from arena.building.funnel import CaseProgress
from arena.building.fuzzing.campaign import FuzzOutcome
from arena.building.oss_fuzz.checkout import Checkout
from tasks.loader import TaskError
from tests.arena.building.catalogue.made import ID, MadeCatalogue, made_catalogue
from tests.arena.building.oss_fuzz.form import recipes
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeCatalogue:
    return made_catalogue(tmp_path_factory.mktemp("made"))


def _table(case: Case, name: str, **facts: Any) -> Case:
    table = getattr(case, name)
    return case.model_copy(update={name: table.model_copy(update=facts)})


def _origin(case: Case, **facts: Any) -> Case:
    assert case.poc
    return _table(case, "poc", origin=case.poc.origin.model_copy(update=facts))


def test_the_case_of_an_entry_lacks_nothing(made: MadeCatalogue, tmp_path: Path) -> None:
    case = place_case(made.entry, tmp_path, made.sources)
    assert case.lacks == () and case.folder == tmp_path / ID
    assert case.poc and case.spec.proof == made.entry.case.proof
    assert (tmp_path / ID / "instruction.md").read_text() == made.entry.instruction
    assert place_case(made.entry, tmp_path, made.sources).digest == case.digest


@pytest.mark.parametrize(
    ("change", "part", "told"),
    [
        (lambda c: c.model_copy(update={"repository": "https://example.org/a/absent"}), "clone",
         "no clone of https://example.org/a/absent"),
        (lambda c: _table(c, "proof", vic="a" * 40), "commit", f"proof.vic: .* lacks {'a' * 40}"),
        (lambda c: c.model_copy(update={"fix": (*c.fix, "a" * 40)}), "commit", f"fix: .* lacks {'a' * 40}"),
        (lambda c: _table(c, "environment", recipe="brook/" + "a" * 12), "recipe", "environment.recipe: brook/a{12} is stated; .* is brook/"),
        (lambda c: _table(c, "proof", pvic=c.proof.vfc, vfc=c.proof.pvic), "commit", "is stated; parents of VIC: 39ac0a4e"),
        (lambda c: _origin(c, sha256="0" * 64), "poc", f"has the digest [0-9a-f]{{64}}, stated is {'0' * 64}"),
        (lambda c: _origin(c, path="fuzz/none"), "poc", "has no file fuzz/none at"),
        (lambda c: _origin(c, repository="https://example.org/a/corpora"), "clone", "no clone of .*corpora"),
        (lambda c: _table(c, "environment", origin=c.environment.origin.model_copy(update={"sha256": "0" * 64})),
         "recipe", "projects/brook at [0-9a-f]{12} has the digest"),
        (lambda c: _table(c, "environment", origin=c.environment.origin.model_copy(update={"path": "projects/no"})),
         "recipe", "OSS-Fuzz has no projects/no"),
    ],
)  # fmt: skip
def test_a_part_that_is_not_as_stated_is_named(
    made: MadeCatalogue, tmp_path: Path, change: Callable[[Case], Case], part: str, told: str
) -> None:
    entry = replace(made.entry, case=change(made.entry.case))
    with pytest.raises(PartMissing, match=told) as missing:
        place_case(entry, tmp_path / "store", made.sources)
    assert missing.value.part == part
    assert not (tmp_path / "store" / ID / "case.toml").exists()
    (found,) = verify_entries([entry], tmp_path / "other", made.sources)
    assert (found.lost, found.reason.partition(": ")[0]) == ("part", part)


def test_without_sources_what_to_give_is_told(made: MadeCatalogue, tmp_path: Path) -> None:
    with pytest.raises(PartMissing, match=r"any folder \(--mirrors\)"):
        place_case(made.entry, tmp_path, PartSources(made.sources.checkout, None))
    with pytest.raises(PartMissing, match=r"no clone of OSS-Fuzz is given \(--oss-fuzz\)"):
        place_case(made.entry, tmp_path, PartSources(None, made.sources.mirrors))


def test_another_checkout_with_the_commit_absent(made: MadeCatalogue, tmp_path: Path) -> None:
    other = Checkout(recipes(tmp_path / "checkout", Dockerfile="FROM x\n"))
    with pytest.raises(PartMissing, match=r"lacks commit [0-9a-f]{40}; an older or shallow"):
        place_case(made.entry, tmp_path / "store", PartSources(other, made.sources.mirrors))


def _ended(case: Any) -> CaseProgress:
    return CaseProgress(case.id, case.spec.project, checked=True)


def test_what_lacks_a_part_does_not_keep_the_others(made: MadeCatalogue, tmp_path: Path) -> None:
    lacking = _origin(made.entry.case, sha256="0" * 64).model_copy(update={"id": "7"})
    steps: list[tuple[str, str]] = []
    found = build_entries(
        [replace(made.entry, case=lacking), made.entry],
        tmp_path,
        made.sources,
        lambda case, minutes: pytest.fail("its PoC is in a commit"),
        lambda cases: [_ended(case) for case in cases],
        lambda progress, step: steps.append((progress.case, step)),
    )
    assert [(one.case, one.lost, one.checked) for one in found] == [
        ("7", "part", False),
        (ID, "", True),
    ]
    assert steps == [("7", "parts"), ("7", "done"), (ID, "parts")]
    assert (tmp_path / ".cases/brook" / ID / "poc").is_file()


@pytest.mark.parametrize(
    "link",
    [".cases", ".cases/brook", ".cases/brook/recipes", f".cases/brook/{ID}", f".cases/brook/{ID}/poc"],
)  # fmt: skip
def test_a_pack_with_a_link_is_not_written_to(
    made: MadeCatalogue, tmp_path: Path, link: str
) -> None:
    elsewhere, place = tmp_path / "elsewhere", tmp_path / "pack" / link
    elsewhere.mkdir()
    place.parent.mkdir(parents=True)
    place.symlink_to(elsewhere)
    with pytest.raises(TaskError, match=r"is a link; a pack keeps its cases"):
        build_entries(
            [made.entry],
            tmp_path / "pack",
            made.sources,
            lambda case, minutes: pytest.fail("its PoC is in a commit"),
            lambda cases: pytest.fail("nothing is built"),
            lambda *_: None,
        )
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("finds", [True, False])
def test_a_campaign_finds_the_poc_again_or_the_entry_is_lost(
    made: MadeCatalogue, tmp_path: Path, finds: bool
) -> None:
    origin = {"commit": "", "path": "", "sha256": "", "fuzzing": {"budget": 90}}
    case = made.entry.case
    assert case.poc
    stated = type(case.poc.origin).model_validate(origin)
    entry: CatalogueEntry = replace(made.entry, case=_table(case, "poc", origin=stated))
    asked = []

    def fuzz(case: Any, minutes: float) -> FuzzOutcome:
        asked.append(minutes)
        if finds:
            (case.folder / "poc").write_bytes(b"found")
        return FuzzOutcome(case.id, finds, executions=5, reason="nothing crashed")

    def run() -> CaseProgress:
        (found,) = build_entries(
            [entry],
            tmp_path,
            made.sources,
            fuzz,
            lambda cases: [_ended(c) for c in cases],
            lambda *_: None,
        )
        return found

    found = run()
    assert asked == [1.5] and found.checked == finds
    told = "poc: the stated campaign of 90 CPU seconds found none (5 executions): nothing crashed"
    assert found.reason == ("" if finds else told)
    run()
    assert len(asked) == (1 if finds else 2), "a PoC that was found stays"
