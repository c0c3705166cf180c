"""What scores are made with: options for severities and perplexities, and results -> assessments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import tell

if TYPE_CHECKING:
    from arena.tracks.exposure.assessment import Assessment, Means
    from arena.tracks.exposure.results import Judged
    from arena.tracks.exposure.tasks.pack import ExposurePack

BaseOption = Annotated[float, typer.Option("--base", help="Of the powers; above 1.")]
TableOption = Annotated[
    Path | None, typer.Option("--cvss-table", help="Severities, as `arena exposure cvss --json`.")
]
CvssOption = Annotated[
    list[str] | None, typer.Option("--cvss", help="A severity, as CWE-327=7.5; may be repeated.")
]
PerplexityOption = Annotated[
    str, typer.Option("--perplexity", help="KIND:WHERE, such as table:FILE; default: R is 1.")
]
ReferenceOption = Annotated[
    str, typer.Option("--reference-model", help="The model's name at that endpoint.")
]
ApplicableOption = Annotated[
    bool, typer.Option("--applicable", help="P over applicable programs, in place of valid ones.")
]
PackOption = Annotated[str, typer.Option("--pack", help="A pack's folder, or its name.")]
KEY = "ARENA_PERPLEXITY_KEY"
"""The environment variable with the reference endpoint's key."""


@dataclass(frozen=True)
class MeansOptions:
    """What a user said of severities and perplexities."""

    base: float = 2.0
    table: Path | None = None
    given: Sequence[str] = ()
    perplexity: str = ""
    reference_model: str = ""
    applicable: bool = False


def assessments(paths: Sequence[Path], pack: str, options: MeansOptions) -> list[Assessment]:
    """Scores of each result file, in their order. Raises ValueError, TaskError or UnknownName."""
    from arena.tracks.exposure.assessment import assess
    from arena.tracks.exposure.results import load_judged
    from arena.tracks.exposure.tasks.pack import load_exposure

    if not paths:
        raise ValueError("RESULT: name at least one file of `arena exposure detect --samples`")
    loaded = load_exposure(pack)
    named = list(dict.fromkeys(paths))
    every = _told_apart([load_judged(path) for path in named])
    _expect_one_pack(every, loaded)
    _tell_detectors(every)
    means = make_means(every, loaded, options)
    found = []
    for path, judged in zip(named, every, strict=True):
        try:
            found.append(assess(judged, loaded, means))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    _tell_unscored(found)
    return found


def _tell_unscored(found: Sequence[Assessment]) -> None:
    """Scenarios without a score, by what is missing."""
    by_reason: dict[str, dict[str, None]] = {}
    for one in found:
        for name, why in one.unscored.items():
            by_reason.setdefault(why, {})[name] = None
    for why, names in by_reason.items():
        tell(f"no score for {', '.join(names)}: {why}")


def _told_apart(every: list[Judged]) -> list[Judged]:
    """One model in several modes goes by both. Raises ValueError where that is not enough."""
    names = [one.model for one in every]
    found = [
        one.model_copy(update={"model": f"{one.model} ({one.mode or 'given'})"})
        if names.count(one.model) > 1
        else one
        for one in every
    ]
    told = [one.model for one in found]
    twice = next((name for name in told if told.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"RESULT: two of {twice}; name them apart by `detect --model`")
    return found


def _expect_one_pack(every: Sequence[Judged], pack: ExposurePack) -> None:
    digests = {one.id: one.digest for one in pack.scenarios}
    for judged in every:
        if judged.pack != pack.spec.name:
            raise ValueError(
                f"{judged.model}: results of the pack {judged.pack}: name it by --pack"
            )
        for name, digest in judged.scenarios.items():
            if digests.get(name, digest) != digest:
                tell(f"{judged.model}: {name} has changed in the pack since it was asked")


def _tell_detectors(every: Sequence[Judged]) -> None:
    """Verdicts of other detectors do not compare, nor do those of another version of ours."""
    judges = {f"{one.detector}, detection {one.detection}": one.model for one in every}
    if len(judges) > 1:
        told = "; ".join(f"{model}: {judge}" for judge, model in judges.items())
        tell(f"verdicts are not of the same detectors, and do not compare: {told}")


def make_means(every: Sequence[Judged], pack: ExposurePack, options: MeansOptions) -> Means:
    """Severities, and perplexities of all wordings that the results have. Raises ValueError."""
    from arena.tracks.exposure.assessment import Means
    from arena.tracks.exposure.cvss.representative import severities

    found = severities(options.table, options.given, options.base)
    if not options.perplexity:
        if options.reference_model:
            raise ValueError("--reference-model: only with --perplexity")
        return Means(found, base=options.base, applicable=options.applicable)
    asked = {(row.scenario, row.wording) for judged in every for row in judged.rows}
    texts = [
        text
        for scenario in pack.scenarios
        for number, text in enumerate(scenario.wordings)
        if (scenario.id, number) in asked
    ]
    known, label = perplexities(texts, options)
    return Means(found, known, label, options.base, applicable=options.applicable)


def perplexities(texts: Sequence[str], options: MeansOptions) -> tuple[dict[str, float], str]:
    """Perplexities by text, and where they come from; texts without one are told. Raises ValueError."""
    import os

    from arena.cli.counting import Counting
    from arena.store.store import Store
    from arena.tracks.exposure.perplexity._source import by_text, open_perplexities

    key = os.environ.get(KEY, "")
    source = open_perplexities(options.perplexity, Store(), options.reference_model, key)
    with Counting(len(set(texts)), "perplexity") as bar:
        found = by_text(texts, source, done=lambda text: bar.step(text[:60]))
    for why in list(found.missing.values())[:3]:
        tell(f"no perplexity: {why}")
    if found.missing:
        tell(f"{len(found.missing)} of {len(set(texts))} wordings have no perplexity; their R is 1")
    return dict(found.values), source.label
