"""An entry of the starter pack's brook, with the clone and the recipe that it states."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.building.cases.importing import import_cases
from arena.building.cases.proof import ExpectedLabels, ExpectedSpec, ProofSpec
from arena.building.cases.schema import Case
from arena.building.cases.store import find, to_toml
from arena.building.catalogue.entries import INSTRUCTION, CatalogueEntry, load_entry
from arena.building.catalogue.parts import PartSources
from arena.building.oss_fuzz.attach import attach
from arena.building.oss_fuzz.checkout import Checkout
from tasks.loader import load_pack
from tests.arena.building.oss_fuzz.form import LATE, git, mirror, recipes, records

ID = "10101"
POC_PATH = f"fuzz/regression/{ID}"


@dataclass(frozen=True)
class MadeCatalogue:
    """folder: of the catalogue with one entry. sources: what the entry is built from."""

    folder: Path
    entry: CatalogueEntry
    sources: PartSources


def write_entry(catalogue: Path, case: Case, instruction: str) -> Path:
    folder = catalogue / case.project / case.id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.toml").write_text(to_toml(case))
    (folder / INSTRUCTION).write_text(instruction)
    return folder


def made_catalogue(place: Path) -> MadeCatalogue:
    """A mirror whose later history has the PoC, a checkout of recipes, and the entry that names both."""
    task = load_pack("starter").task("brook-include")
    source = task.spec.source
    mirrors = mirror(place / "mirrors")
    clone = mirrors / "arena+brook/repo"
    (clone / POC_PATH).parent.mkdir(parents=True)
    (clone / POC_PATH).write_bytes(task.poc or b"")
    git(clone, "add", "-A", date=LATE)
    git(clone, "commit", "-qm", "A regression", date=LATE)
    checkout = Checkout(recipes(place / "checkout"))
    found = records(place / "records", "brook-include", targets={"brook-include": "fuzz_load"})
    store = place / "store"
    attach(store, import_cases(found, store).imported, checkout, mirrors)
    case = find(store, ID).spec
    assert case.poc and case.poc.origin.commit
    stated = case.model_copy(
        update={
            "poc": case.poc.model_copy(update={"file": None}),
            "proof": ProofSpec(
                vic=source.vic,
                pvic=source.pvic,
                vfc=source.vfc,
                how="b-szz",
                signature=task.spec.poc.signature,
                read_by="a reader",
                conclusion="right",
            ),
            "tests": task.spec.tests,
            "expected": ExpectedSpec(
                labels=ExpectedLabels(gold="CV", fixed="C&S", empty="NO"),
                fixed="needed",
                tests=177,
                lines=77,
                minutes=1.5,
            ),
        }
    )
    folder = write_entry(place / "catalogue", stated, task.instruction)
    return MadeCatalogue(place / "catalogue", load_entry(folder), PartSources(checkout, mirrors))
