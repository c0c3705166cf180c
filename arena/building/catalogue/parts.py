"""An entry -> a case in a store with all that building it needs, each part compared with what is stated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from arena.building.cases.loader import POC_FILE, LoadedCase, find_clone
from arena.building.cases.proof import PocOrigin
from arena.building.cases.recipes import keep_recipe
from arena.building.cases.store import load_from, save
from arena.building.catalogue.entries import INSTRUCTION, CatalogueEntry
from arena.building.oss_fuzz.attach import link_sources, stated_recipe
from arena.building.oss_fuzz.checkout import Checkout
from arena.building.oss_fuzz.pocs import poc_at
from szz.repository import Repository, SzzError
from tasks.loader import TaskError


class PartMissing(Exception):
    """A part of an entry is not at hand, or is not as stated: a code of `PARTS`, and what came instead."""

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part, self.reason = part, reason


# What building an entry needs besides the entry.
PARTS = {
    "clone": "a clone of the project among the mirrors",
    "commit": "the stated commits, in that clone",
    "recipe": "the recipe at the stated commit and path of OSS-Fuzz, of the stated digest",
    "poc": "the PoC at the stated commit and path, of the stated digest",
}


@dataclass(frozen=True)
class PartSources:
    """Where an entry's parts come from: a clone of OSS-Fuzz and a folder of clones. Both are only read."""

    checkout: Checkout | None
    mirrors: Path | None


def place_case(entry: CatalogueEntry, store: Path, sources: PartSources) -> LoadedCase:
    """Put the entry's case into the store, with its instruction, recipe and PoC, but no PoC of a campaign.

    Files of the case in the store are replaced, but not a PoC of an earlier campaign. Raises PartMissing, and
    TaskError where the store cannot be written.
    """
    clone = _clone_of(entry.case.repository, sources.mirrors)
    _expect_commits(entry, clone)
    files = {INSTRUCTION: entry.instruction.encode()}
    origin = entry.case.poc.origin if entry.case.poc else PocOrigin()
    if origin.commit:
        files[POC_FILE] = _stated_poc(origin, clone, sources)
    environment = entry.case.environment
    if environment is not None and environment.recipe:
        keep_recipe(store, environment.recipe, _stated_files(entry, sources))
    link_sources(store, sources.checkout, sources.mirrors)
    save(store, entry.case, files)
    return load_from(store / entry.case.id, sources.mirrors)


def _clone_of(address: str, mirrors: Path | None) -> Path:
    """The clone of an address among the mirrors. Raises PartMissing."""
    clone = find_clone(address, mirrors) if mirrors else None
    if clone is None:
        raise PartMissing(
            "clone", f"no clone of {address} in {mirrors or 'any folder (--mirrors)'}"
        )
    return clone


def _expect_commits(entry: CatalogueEntry, clone: Path) -> None:
    """The stated commits are there, and PVIC is a parent of VIC. Raises PartMissing."""
    proof = entry.case.proof
    if proof is None:
        raise PartMissing("commit", "no VIC is stated")
    named_commits = [("proof.vic", proof.vic), ("proof.pvic", proof.pvic), ("proof.vfc", proof.vfc)]
    named_commits += [("fix", commit) for commit in entry.case.fix]
    try:
        with Repository(clone) as repository:
            for name, commit in named_commits:
                if repository.run("cat-file", "-e", f"{commit}^{{commit}}").returncode:
                    lack = f"{name}: {clone} lacks {commit}"
                    raise PartMissing("commit", f"{lack}; an older or shallow clone lacks commits")
            parents = repository.git("rev-list", "--parents", "-1", proof.vic).decode().split()[1:]
    except SzzError as error:
        raise PartMissing("clone", str(error)) from error
    if proof.pvic not in parents:
        names = ", ".join(parents) or "none"
        raise PartMissing("commit", f"proof.pvic: {proof.pvic} is stated; parents of VIC: {names}")


def _stated_poc(origin: PocOrigin, clone: Path, sources: PartSources) -> bytes:
    """The PoC's content. Raises PartMissing for a PoC that is missing or has a different digest."""
    if origin.repository:
        clone = _clone_of(origin.repository, sources.mirrors)
    try:
        poc_file = poc_at(clone, origin.commit, origin.path)
    except SzzError as error:
        raise PartMissing("poc", str(error)) from error
    if poc_file is None:
        lack = f"{clone} has no file {origin.path} at {origin.commit[:12]}"
        raise PartMissing(
            "poc", f"{lack}, or an empty or too large one; a partial clone lacks contents"
        )
    digest = hashlib.sha256(poc_file.content).hexdigest()
    if digest != origin.sha256:
        location = f"{origin.path} at {origin.commit[:12]}"
        raise PartMissing("poc", f"{location} has the digest {digest}, stated is {origin.sha256}")
    return poc_file.content


def _stated_files(entry: CatalogueEntry, sources: PartSources) -> dict[str, bytes]:
    environment = entry.case.environment
    if sources.checkout is None or environment is None:
        raise PartMissing("recipe", "no clone of OSS-Fuzz is given (--oss-fuzz)")
    try:
        return dict(stated_recipe(environment, sources.checkout))
    except TaskError as error:
        raise PartMissing("recipe", str(error)) from error
