"""Entries of a catalogue -> tasks, built from the user's clones and compared with what is stated.

The cases that the entries become stay in the pack's `.cases`, for `arena cases log` and `shell`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from arena.building.cases.loader import LoadedCase, load_case
from arena.building.cases.recipes import RECIPES
from arena.building.catalogue.entries import CatalogueEntry
from arena.building.catalogue.parts import PartMissing, PartSources, place_case
from arena.building.funnel import CaseProgress
from arena.building.fuzzing.campaign import FuzzOutcome
from arena.building.pipeline import OnStep
from tasks.loader import TaskError

# Folder of a pack: the case stores, by project, of the entries that it was made from.
CASES = ".cases"
SECONDS_PER_MINUTE = 60

# A case and how many CPU minutes of fuzzing are allowed -> what the campaign came to.
Fuzz = Callable[[LoadedCase, float], FuzzOutcome]
Build = Callable[[Sequence[LoadedCase]], list[CaseProgress]]


def build_entries(
    chosen: Sequence[CatalogueEntry],
    pack: Path,
    sources: PartSources,
    fuzz: Fuzz,
    build: Build,
    on_step: OnStep,
) -> list[CaseProgress]:
    """The progress of each entry, in order. An entry whose parts differ from its facts is lost as `part`.

    Raises TaskError where the pack cannot be written, and as `build`.
    """
    lost_progress: dict[tuple[str, str], CaseProgress] = {}
    placed: list[LoadedCase] = []
    for entry in chosen:
        progress = CaseProgress(entry.case.id, entry.case.project)
        on_step(progress, "parts")
        try:
            store = pack / CASES / entry.case.project  # two projects may number theirs alike
            _expect_no_link(pack, store, store / entry.case.id)
            placed.append(_complete_case(entry, store, sources, fuzz, progress, on_step))
        except PartMissing as missing:
            progress.lose("part", f"{missing.part}: {missing.reason}")
            lost_progress[progress.project, progress.case] = progress
            on_step(progress, "done")
    built = build(placed) if placed else []
    progress_by_case = lost_progress | {
        (progress.project, progress.case): progress for progress in built
    }
    return [progress_by_case[entry.case.project, entry.case.id] for entry in chosen]


def _expect_no_link(pack: Path, store: Path, folder: Path) -> None:
    """Raise TaskError for a link, so that files of a case stay below the pack, which may be a stranger's."""
    inside = folder.iterdir() if folder.is_dir() else ()
    links = [p for p in (pack / CASES, store, store / RECIPES, folder, *inside) if p.is_symlink()]
    if links:
        raise TaskError(f"{links[0]}: is a link; a pack keeps its cases in folders of its own")


def _complete_case(
    entry: CatalogueEntry,
    store: Path,
    sources: PartSources,
    fuzz: Fuzz,
    progress: CaseProgress,
    on_step: OnStep,
) -> LoadedCase:
    """The entry's case with its PoC, which its stated campaign finds where no commit has it."""
    case = place_case(entry, store, sources)
    campaign = case.spec.poc.origin.fuzzing if case.spec.poc else None
    if campaign is None or "poc" not in case.lacking:
        return case
    on_step(progress, "fuzz")
    poc_found = fuzz(case, campaign.budget / SECONDS_PER_MINUTE)
    if not poc_found.is_found:
        failure = f"the stated campaign of {campaign.budget:g} CPU seconds found none"
        raise PartMissing(
            "poc", f"{failure} ({poc_found.executions} executions): {poc_found.reason}"
        )
    return load_case(case.folder, sources.mirrors)


def verify_entries(
    chosen: Sequence[CatalogueEntry], store: Path, sources: PartSources
) -> list[CaseProgress]:
    """Whether each entry's parts are at hand and as stated; nothing is built. Raises TaskError."""
    problems = []
    for entry in chosen:
        progress = CaseProgress(entry.case.id, entry.case.project)
        try:
            case = place_case(entry, store / entry.case.project, sources)
            lacking = {code: lack for code, lack in case.lacking.items() if code != "poc"}
            if lacking:
                progress.lose("part", "; ".join(lacking.values()))
        except PartMissing as missing:
            progress.lose("part", f"{missing.part}: {missing.reason}")
        except TaskError as error:
            progress.lose("unreadable", str(error))
        problems.append(progress)
    return problems
