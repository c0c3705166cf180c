"""Reproduces a case's crash from its id: record, clone, environment, and the PoC at the fix's parent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.building.cases.cloning import CloneFailed, clone_repository
from arena.building.cases.importing import import_record
from arena.building.cases.loader import CASE_FILE, LoadedCase, find_clone
from arena.building.cases.schema import ARVO_REPLAY, ReplaySpec, Surroundings
from arena.building.cases.store import find, folders
from arena.building.confirm import CASE_ERRORS, loss_of
from arena.building.feasibility import HINTS, ReplayedCase, replay_case
from arena.building.oss_fuzz.attach import CHECKOUT, attach
from arena.building.oss_fuzz.checkout import Checkout
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend, ImageMissing
from szz.observation import Observation
from tasks.loader import TaskError
from tasks.schema import NAME

ARVO_META = "https://github.com/n132/ARVO-Meta"
OSS_FUZZ = "https://github.com/google/oss-fuzz"
# What brings that which a case lacks.
LACKING_HINTS: Mapping[str, str] = {
    "clone": "`--clone` makes one, `--mirrors` takes one that is there",
    "build": "`--oss-fuzz` names a clone of OSS-Fuzz, `--images` images of ARVO's",
    "recipe": "`--oss-fuzz` names a clone of OSS-Fuzz",
    "poc": "`arena cases fuzz` looks for one, images of ARVO's (`--images`) have it",
}
# States of a case whose crash was seen.
SUCCESSES = frozenset(("reproduced", "crashes"))

Say = Callable[[str], None]


@dataclass(frozen=True)
class CaseSources:
    """Where a case's parts come from.

    records, oss_fuzz: a source of records and a clone of OSS-Fuzz; None: those that lie in `mirrors`, a
    folder of clones. may_clone: whether git clones what is absent. images: names of images in ARVO's form,
    with `{id}` and `{project}` in them; "" for none.
    """

    store: Path
    records: Path | None = None
    oss_fuzz: Path | None = None
    mirrors: Path | None = None
    may_clone: bool = False
    images: str = ""

    @property
    def clones(self) -> Path:
        """The folder of clones that is looked into, and that new ones go to."""
        return self.mirrors or self.store / "repositories"


@dataclass(frozen=True)
class Reproduction:
    """The result of reproducing a case. state: of `feasibility.STATES`, or a code of what it lacks or lost.

    environment: what it was built in, in words. replayed: None where nothing was.
    """

    case: str
    state: str
    reason: str = ""
    hint: str = ""
    environment: str = ""
    replayed: ReplayedCase | None = None

    @property
    def is_success(self) -> bool:
        return self.state in SUCCESSES

    def to_json(self) -> dict[str, Any]:
        """The contract of `arena cases reproduce --json`."""
        replayed = self.replayed
        fix = replayed.after if replayed else None
        return {
            **{name: getattr(self, name) for name in ("case", "state", "reason", "hint")},
            "environment": self.environment,
            "report": dict(replayed.stated) if replayed and replayed.stated else None,
            "parent": replayed.before.to_json() if replayed else None,
            "fix": fix.to_json() if fix else None,
        }


def reproduce(
    id_: str,
    sources: CaseSources,
    backend: Backend,
    cache: ResultCache,
    say: Say,
    fix_wanted: bool = False,
) -> Reproduction:
    """Find the case, bring what it lacks, and replay its PoC at the fix's parent, and at the fix if wanted.

    The store has the case afterwards, with its environment. Raises TaskError where no record is of that id.
    """
    try:
        case = with_clone(obtain_record(id_, sources, say), sources, say)
        pulled = use_arvo_image(case, sources.images, backend, say)
        case = pulled or with_recipe(case, sources, say)
    except CloneFailed as error:
        return Reproduction(id_, "clone", str(error))
    if case.lacks:
        code = next(iter(case.lacking))
        return Reproduction(id_, code, "; ".join(case.lacks), LACKING_HINTS.get(code, ""))
    environment = environment_of(case)
    say(f"environment: {environment}")
    try:
        replayed = replay_case(case, backend, cache, say, fix_wanted)
    except CASE_ERRORS as error:
        return Reproduction(id_, *loss_of(error), environment=environment)
    hint = HINTS.get(replayed.state, "")
    return Reproduction(id_, replayed.state, replayed.reason, hint, environment, replayed)


def obtain_record(id_: str, sources: CaseSources, say: Say) -> LoadedCase:
    """The case as the store has it, else imported from the source of records.

    Raises TaskError and CloneFailed.
    """
    store = sources.store
    # The id becomes a folder of the store, and may come from a link that somebody pasted.
    if not re.fullmatch(NAME, id_):
        raise TaskError(f"{id_[:100]!r} is no id of a case")
    if not (store / id_ / CASE_FILE).is_file():
        records = sources.records or _clone_of(ARVO_META, sources, say)
        if records is None:
            count = len(folders(store)) if store.is_dir() else 0
            absent = f"{store}: no case {id_[:100]!r} among {count}"
            raise TaskError(f"{absent}; `--source` names records, such as a clone of {ARVO_META}")
        say(f"importing its record from {records}")
        import_record(records, store, id_)
    return find(store, id_, sources.clones)


def with_clone(case: LoadedCase, sources: CaseSources, say: Say) -> LoadedCase:
    """The case with a clone of its repository, if cloning is allowed. Raises CloneFailed and TaskError."""
    if case.repository is not None or not sources.may_clone:
        return case
    clone_repository(case.spec.repository, sources.clones, say)
    return find(sources.store, case.id, sources.clones)


def use_arvo_image(case: LoadedCase, images: str, backend: Backend, say: Say) -> LoadedCase | None:
    """The case in its image of ARVO's form; None where none is named, or it is not to be had."""
    if not images or case.repository is None:
        return None
    image = images.replace("{id}", case.id).replace("{project}", case.spec.project)
    say(f"looking for the image {image}")
    try:
        backend.resolve(image)
    except ImageMissing as error:
        say(f"{image} is not to be had, so OSS-Fuzz's recipe is taken: {error}")
        return None
    spec = case.spec
    facts = spec.poc.model_dump(exclude={"command"}) if spec.poc else {}
    # The image has its own `arvo` command; a command that was written for a recipe's paths would not run in
    # it.
    update = {
        "environment": Surroundings.model_validate({"form": "arvo", "image": image}),
        "poc": ReplaySpec.model_validate({**facts, "command": ARVO_REPLAY}),
    }
    return replace(case, spec=spec.model_copy(update=update))


def with_recipe(case: LoadedCase, sources: CaseSources, say: Say) -> LoadedCase:
    """The case with OSS-Fuzz's recipe and a PoC of its project's history, where it lacks them.

    Raises TaskError and CloneFailed.
    """
    # A complete case is attached again only where the user names sources that the store has not seen.
    has_new_sources = sources.oss_fuzz is not None or sources.mirrors is not None
    if case.repository is None or not (case.lacking or has_new_sources):
        return case
    environment, checkout = case.spec.environment, sources.oss_fuzz
    if checkout is None and (environment is None or "recipe" in case.lacking):
        linked = sources.store / CHECKOUT
        checkout = linked if linked.is_dir() else _clone_of(OSS_FUZZ, sources, say)
    say("looking for its recipe and its PoC")
    attach(sources.store, [case.id], Checkout(checkout) if checkout else None, sources.mirrors, say)
    return find(sources.store, case.id, sources.clones)


def _clone_of(url: str, sources: CaseSources, say: Say) -> Path | None:
    """The clone among the mirrors, created where that is allowed; None where there is none."""
    if sources.may_clone:
        return clone_repository(url, sources.clones, say)
    return find_clone(url, sources.clones)


def environment_of(case: LoadedCase) -> str:
    """What the case's revisions are built in, for people."""
    environment = case.spec.environment
    if environment is None:
        return ""
    if environment.recipe:
        return f"OSS-Fuzz's recipe {environment.recipe}"
    return (
        f"ARVO's image {environment.image}"
        if environment.form == "arvo"
        else f"the image {environment.image}"
    )


def crash_facts(signature: Mapping[str, Any] | None) -> tuple[str, str]:
    """A crash in words: kind and access, and its frames, innermost first."""
    if not signature:
        return "", ""
    size = signature.get("size")
    kind = " ".join(str(part) for part in (signature["kind"], signature["access"], size) if part)
    return kind, " < ".join(signature["frames"])


def observation_facts(observation: Observation) -> tuple[str, str]:
    """As `crash_facts`, of a revision: its state where it did not crash."""
    return crash_facts(observation.signature) if observation.signature else (observation.state, "")
