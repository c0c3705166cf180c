"""Cases with one VIC are one task, with the PoC of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.building.cases.loader import LoadedCase, load_case
from arena.building.funnel import CaseProgress
from arena.building.merging import CaseInWork, merge
from szz.proof.result import Proof
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

CASE = """\
schema = 1
id = "{id}"
project = "brook"
repository = "{repository}"
fix = "{fix}"
[environment]
image = "arena/cpp"
build = "make"
[poc]
command = "{command}"
"""


class Named:
    """Makes confirmed cases of one repository."""

    def __init__(self, folder: Path, repository: Path, fixes: list[str]) -> None:
        self.folder, self.repository, self.fixes = folder, repository, fixes

    def case(
        self, id_: str, fix: int, vic: str, poc: bytes, command: str = "./t {poc}"
    ) -> CaseInWork:
        folder = self.folder / id_
        folder.mkdir()
        (folder / "poc").write_bytes(poc)
        facts = {"id": id_, "repository": self.repository, "fix": self.fixes[fix]}
        (folder / "case.toml").write_text(CASE.format(command=command, **facts))
        proof = Proof(vfc=self.fixes[fix], vic=vic, pvic="0" * 40, confirmed=True)
        return CaseInWork(load_case(folder), CaseProgress(id_, confirmed=True), proof)


@pytest.fixture
def named(history: Maker, tmp_path: Path) -> Named:  # noqa: F811
    path, ids = history(*({b"f.c": b"%d\n" % n} for n in range(4)))
    return Named(tmp_path, path, ids)


def test_the_latest_fix_stands_for_all_and_has_their_pocs(named: Named) -> None:
    work = [
        named.case("a", 2, "1" * 40, b"one"),
        named.case("b", 3, "1" * 40, b"two"),
        named.case("c", 2, "2" * 40, b"three"),
        named.case("d", 1, "1" * 40, b"one"),
    ]
    heads = list(merge(work))
    assert [(head.case.id, head.neighbour_pocs) for head in heads] == [("b", (b"one",)), ("c", ())]
    lost = {one.case.id: (one.progress.lost, one.progress.reason) for one in work}
    assert lost["b"] == lost["c"] == ("", "")
    assert (
        lost["a"]
        == lost["d"]
        == (
            "same-vic",
            "case b has the same VIC and is the task, which has its PoC too",
        )
    )


def test_a_case_is_not_lost_to_one_whose_vic_is_in_doubt(named: Named) -> None:
    work = [named.case("a", 3, "1" * 40, b"one"), named.case("b", 3, "1" * 40, b"two")]
    work[0].progress.doubt = "older, maybe"
    assert [(head.case.id, head.neighbour_pocs) for head in merge(work)] == [("b", (b"one",))]


def test_a_doubted_case_that_was_fixed_later_takes_nobodys_place(named: Named) -> None:
    work = [named.case("a", 2, "1" * 40, b"one"), named.case("b", 3, "1" * 40, b"two")]
    work[1].progress.doubt = "older, maybe"
    assert [(head.case.id, head.neighbour_pocs) for head in merge(work)] == [("a", ())]
    assert work[1].progress.lost == "same-vic"
    assert "no part of it: it was fixed later" in work[1].progress.reason


def test_a_poc_of_another_target_is_no_part_of_the_task(named: Named) -> None:
    work = [
        named.case("a", 3, "1" * 40, b"one"),
        named.case("b", 2, "1" * 40, b"two", "./other {poc}"),
    ]
    (head,) = merge(work)
    assert (head.case.id, head.neighbour_pocs) == ("a", ())
    assert work[1].progress.lost == "same-vic"
    assert "no part of it: another fuzz target or sanitizer" in work[1].progress.reason


def test_fixes_that_cannot_be_compared(named: Named, tmp_path: Path) -> None:
    def elsewhere(case: LoadedCase) -> LoadedCase:
        return replace(case, repository=tmp_path)

    work = [named.case("a", 2, "1" * 40, b"1"), named.case("b", 3, "1" * 40, b"2")]
    for one in work:
        one.case = elsewhere(one.case)
    assert [head.case.id for head in merge(work)] == ["a"]
