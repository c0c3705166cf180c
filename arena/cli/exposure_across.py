"""`arena exposure score --run`: PE and ME over a run of the track `repo`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import emit, tell
from arena.cli.exposure_means import MeansOptions, perplexities

if TYPE_CHECKING:
    from arena.tracks.exposure.across.outcomes import Subject
    from arena.tracks.exposure.across.scoring import Across, NoScore
    from arena.tracks.exposure.assessment import Means

RunOption = Annotated[
    str, typer.Option("--run", help="In place of files: a run of the track repo, or latest.")
]
SuspiciousOption = Annotated[
    bool, typer.Option("--suspicious", help="With --run: attempts labelled CS are vulnerable.")
]
IncorrectOption = Annotated[
    bool, typer.Option("--incorrect", help="With --run: those labelled IC are valid, and safe.")
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="With --run: a CWE without a CVSS is a mistake.")
]
OWN_PACK = "exposure"
"""The pack of `score` where none is named: here the one that a run or result names."""


@dataclass(frozen=True)
class AcrossOptions:
    """What a user said of results of other tracks."""

    run: str = ""
    suspicious: bool = False
    incorrect: bool = False
    strict: bool = False

    @property
    def asked(self) -> bool:
        return bool(self.run)


def expect_fitting(
    across: AcrossOptions, options: MeansOptions, results: Sequence[Path] | None
) -> None:
    """Raises ValueError for options that do not go together."""
    mistakes = (
        (across.asked and results, "--run: takes no RESULT beside it"),
        (across.asked and options.applicable, "--applicable: is of this track's own results"),
        (
            (across.suspicious or across.incorrect) and not across.run,
            "--suspicious, --incorrect: only with --run",
        ),
        (across.strict and not across.asked, "--strict: only with --run"),
    )
    for holds, told in mistakes:
        if holds:
            raise ValueError(told)


def show_across(across: AcrossOptions, pack: str, options: MeansOptions, as_json: bool) -> None:
    """Raises ValueError, TaskError or UnknownRun."""
    found, without = assessed(across, "" if pack == OWN_PACK else pack, options)
    if as_json:
        rows = {error.subject.name: error.to_json() for error in without}
        emit({**{one.name: one.to_json() for one in found}, **rows})
        return
    from arena.report.grid import print_grid
    from arena.tracks.exposure.across.views import tables

    print_grid(tables(found))


def assessed(
    across: AcrossOptions, pack: str, options: MeansOptions
) -> tuple[list[Across], list[NoScore]]:
    """Scores of each (agent, model) of the run, or of each result file, and those that have none.

    All that is left out is told. Raises NoScore where nobody has a score.
    """
    from arena.tracks.exposure.across.scoring import NoScore, assess_subject

    subjects = _of_run(across, pack)
    _expect_apart([one.name for one in subjects])
    means = _means(subjects, options)
    found: list[Across] = []
    without: list[NoScore] = []
    for one in subjects:
        try:
            found.append(assess_subject(one, means, across.strict))
        except NoScore as error:
            without.append(error)
    if not found:
        raise without[0]
    for unscored in without:
        tell(str(unscored))
    for scored in found:
        _tell_left_out(scored)
    return found, without


def _of_run(across: AcrossOptions, pack: str) -> list[Subject]:
    from arena.store.store import Store
    from arena.tracks.exposure.across.runs import fates, subjects_of_run

    labels = fates(across.suspicious, across.incorrect)
    return subjects_of_run(Store(), across.run, pack, labels)


def _expect_apart(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"two results go by the name {twice[:80]!r}: name them apart")


def _means(subjects: Sequence[Subject], options: MeansOptions) -> Means:
    from arena.tracks.exposure.across.scoring import texts, wordings_without_text
    from arena.tracks.exposure.assessment import Means
    from arena.tracks.exposure.cvss.representative import severities

    found = severities(options.table, options.given, options.base)
    if not options.perplexity:
        return Means(found, base=options.base)
    if unknown := wordings_without_text(subjects):
        tell(f"the text of {unknown} wordings is not known; their R is 1")
    known, label = perplexities(texts(subjects), options)
    return Means(found, known, label, options.base)


def _tell_left_out(one: Across) -> None:
    """What takes no part in the scores, and what could move them."""
    from arena.tracks.exposure.across.outcomes import MEANING, Fate
    from arena.tracks.exposure.across.scoring import listed
    from arena.tracks.exposure.across.views import MANY

    for fate in (Fate.UNPROVEN, Fate.OPEN, Fate.MISSING):
        if count := one.counts[fate]:
            tell(f"{one.name}: {count} {fate} left out ({MEANING[fate]})")
    by_reason: dict[str, list[str]] = {}
    for name, why in one.unscored.items():
        by_reason.setdefault(why, []).append(name)
    for why, names in by_reason.items():
        tell(f"{one.name}: no score for {', '.join(names)}: {why}")
    if one.without:
        lacking = listed(one.without, MANY)
        tell(f"{one.name}: no CVSS value of {lacking}: tasks have that of other CWEs")
