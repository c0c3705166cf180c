"""`arena study exposure`: PE and ME of runs of any track, by severities and perplexities of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.output import emit, print_err
from arena.tracks.exposure.studies._means import (
    ApplicableOption,
    BaseOption,
    CvssOption,
    MeansOptions,
    PerplexityOption,
    ReferenceOption,
    TableOption,
    make_means,
)
from arena.tracks.exposure.studies._programs import (
    JoinOption,
    RuleOption,
    WithOption,
    print_notes,
    tools_from_options,
)

if TYPE_CHECKING:
    from arena.report.grid import Table
    from arena.store.store import Store
    from arena.tracks.exposure.across.scoring import Across
    from arena.tracks.exposure.assessment import Assessment, NoScore
    from arena.tracks.exposure.outcomes import Outcomes
    from arena.tracks.exposure.studies._programs import Beside

HELP = """Track exposure: compute PE and ME of runs of any track, with your own severities and perplexities.

`arena report` prints them for one run with the paper's severities and R = 1. In other tracks, the prompts are
the wordings of a task, and the labels define what is vulnerable.
"""
TRACK = "exposure"


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs of a single track.")],
    table: TableOption = None,
    given: CvssOption = None,
    perplexity: PerplexityOption = "",
    reference_model: ReferenceOption = "",
    applicable: ApplicableOption = False,
    base: BaseOption = 2.0,
    tools: WithOption = None,
    how: JoinOption = "",
    rules: RuleOption = None,
    suspicious: Annotated[
        bool,
        typer.Option("--suspicious", help="Other tracks: count suspicious attempts as vulnerable."),
    ] = False,
    incorrect: Annotated[
        bool,
        typer.Option(
            "--incorrect", help="Other tracks: count incorrect attempts as valid and safe."
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Other tracks: a CWE without a CVSS score is an error.")
    ] = False,
    store: options.StoreAt = "",
    mix_versions: options.MixVersions = False,
    as_json: options.Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print tables as CSV.")] = False,
    as_md: Annotated[bool, typer.Option("--md", help="Print tables in Markdown.")] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder to write SVG figures to.")
    ] = None,
) -> None:
    if sum((as_json, as_csv, as_md)) > 1:
        raise ValueError("--csv, --md, --json: one of them")
    inputs = MeansOptions(base, table, tuple(given or ()), perplexity, reference_model, applicable)
    beside = tools_from_options(tools or (), rules or (), how)
    from arena.report.provenance import warn_of_mixing
    from arena.store.store import known_store

    kept = known_store(store)
    names = list(dict.fromkeys(kept.run(run).id for run in runs))
    tracks = sorted({kept.run(run).track for run in names})
    if len(tracks) > 1:
        raise ValueError(f"RUN: of several tracks ({', '.join(tracks)}); name those of one")
    warn_of_mixing(kept.rows(names), mix_versions, print_err)
    switches = {"--suspicious": suspicious, "--incorrect": incorrect, "--strict": strict}
    if tracks == [TRACK]:
        _expect_none(switches, "is for runs of other tracks")
        every = assessments(kept, names, inputs, beside)
        facts, tables = _report_assessments(every)
        if figures is not None:
            _write_figures(figures, every)
    else:
        own = {"--applicable": applicable, "--with": beside, "--figures": figures}
        _expect_none(own, f"is for runs of the track {TRACK}")
        facts, tables = _across(kept, names, inputs, (suspicious, incorrect, strict))
    _print(facts, tables, as_json, as_csv, as_md)


def _expect_none(switches: Mapping[str, object], why: str) -> None:
    named = [name for name, value in switches.items() if value]
    if named:
        raise ValueError(f"{named[0]}: {why}")


def _print(
    facts: Mapping[str, Any], tables: Sequence[Table], as_json: bool, as_csv: bool, as_md: bool
) -> None:
    """Numbers are not rounded in JSON; tables are as they are shown."""
    from arena.report.grid import print_grid, to_csv, to_markdown

    if as_json:
        emit({**facts, "tables": [asdict(table) for table in tables]})
    elif as_csv or as_md:
        print(to_csv(tables) if as_csv else to_markdown(tables), end="")
    else:
        print_grid(tables, wrap=True)


def assessments(
    store: Store, runs: Sequence[str], options: MeansOptions, beside: Beside | None = None
) -> list[Assessment]:
    """Of each model of these runs of the track. What has no score is told. Raises NoScore for nobody."""
    from arena.tracks.exposure.assessment import assess_all

    found = [one for run in runs for one in _outcomes(store, run, beside)]
    if not found:
        raise ValueError(f"RUN: {runs[0]}: no attempts of a model, nor answers")
    every = _told_apart(found)
    texts = {one.name: one.texts for one in every}
    known = [text for own in texts.values() for text in own.values()]
    scored, without = assess_all(every, make_means(known, options))
    if not scored:
        raise without[0]
    _tell_unscored(scored, without)
    _tell_detectors(every)
    return scored


def _outcomes(store: Store, run: str, beside: Beside | None) -> list[Outcomes]:
    from arena.tracks.exposure.outcomes import outcomes_of
    from arena.tracks.exposure.tools import _attempts

    attempts = store.attempts(run)
    if beside is not None:
        found = _attempts.examine_attempts(attempts, store.blob, beside.tools, beside.rules)
        print_notes(found)
        attempts = _attempts.join_attempts(attempts, found, beside.how)
    return outcomes_of(attempts, store.tasks(run))


def _told_apart(every: Sequence[Outcomes]) -> list[Outcomes]:
    """One model in several modes goes by both, and in several runs by these."""
    names = [one.name for one in every]
    found = [
        replace(one, name=f"{one.name} ({one.mode or 'given'})")
        if names.count(one.name) > 1
        else one
        for one in every
    ]
    names = [one.name for one in found]
    return [
        replace(one, name=f"{one.name} ({one.attempts[0].run})")
        if names.count(one.name) > 1
        else one
        for one in found
    ]


def _tell_unscored(scored: Sequence[Assessment], without: Sequence[NoScore]) -> None:
    """Scenarios without a score, by what is missing."""
    by_reason: dict[str, dict[str, None]] = {}
    for one in scored:
        for name, why in one.unscored.items():
            by_reason.setdefault(why, {})[name] = None
    for why, names in by_reason.items():
        print_err(f"no score for {', '.join(names)}: {why}")
    for error in without:
        print_err(str(error))


def _tell_detectors(every: Sequence[Outcomes]) -> None:
    """Verdicts of another version of our detectors do not compare."""
    from arena.tracks.exposure.tools._attempts import finding_of

    versions = {
        str(finding.get("detection"))
        for outcomes in every
        for one in outcomes.attempts
        if (finding := finding_of(one))
    }
    if len(versions) > 1:
        print_err(
            f"verdicts of several versions do not compare: detection {', '.join(sorted(versions))}"
        )


def _report_assessments(every: Sequence[Assessment]) -> tuple[dict[str, Any], list[Table]]:
    from arena.tracks.exposure.ranking import kendall_tau, ranking, volatile
    from arena.tracks.exposure.views import all_tables

    ranked = ranking(every)
    pairs = [(one.me.value or 0.0, one.naive.value) for one in ranked]
    facts = {
        "models": {one.name: one.to_json() for one in every},
        "ranking": [one.to_json() for one in ranked],
        "kendall_tau_b": kendall_tau([(me, rate) for me, rate in pairs if rate is not None]),
        "volatile": [pair.to_json() for one in every if (pair := volatile(one))],
    }
    return facts, all_tables(every)


def _write_figures(folder: Path, every: Sequence[Assessment]) -> None:
    from arena.tracks.exposure.figures import all_figures
    from tasks.writing import write_whole

    try:
        folder.mkdir(exist_ok=True)
        for number, figure in enumerate(all_figures(every), 1):
            write_whole(folder / f"{number}.svg", figure.svg.encode())
            print_err(f"{folder / f'{number}.svg'}: {figure.title}")
    except OSError as error:
        raise ValueError(f"--figures: {folder}: {error.strerror}") from error


def _across(
    store: Store, runs: Sequence[str], options: MeansOptions, switches: tuple[bool, bool, bool]
) -> tuple[dict[str, Any], list[Table]]:
    from arena.tracks.exposure.across.outcomes import counts_json, fates, subjects_of
    from arena.tracks.exposure.across.scoring import assess_subjects, texts
    from arena.tracks.exposure.across.views import tables
    from arena.vocabulary import vocabulary

    suspicious, incorrect, strict = switches
    by_kind = fates(suspicious, incorrect)
    subjects = [
        one
        for run in runs
        for one in subjects_of(
            store.attempts(run), store.tasks(run), vocabulary(store.run(run).track), run, by_kind
        )
    ]
    if not subjects:
        raise ValueError(f"RUN: {runs[0]} has no attempts")
    names = [one.name for one in subjects]
    apart = [
        replace(one, name=f"{one.name} ({one.source})") if names.count(one.name) > 1 else one
        for one in subjects
    ]
    found, without = assess_subjects(apart, make_means(texts(subjects), options), strict)
    for error in without:
        print_err(str(error))
    for scored in found:
        _tell_left_out(scored)
    facts = {one.name: one.to_json() for one in found}
    counts = {one.name: counts_json(one.counts) for one in apart}
    missing = {
        one.name: {"me": None, "counts": counts[one.name], "unscored": one.unscored}
        for one in without
    }
    return {"models": {**facts, **missing}}, tables(found)


def _tell_left_out(one: Across) -> None:
    """What takes no part in the scores, and what could move them."""
    from arena.tracks.exposure.across.outcomes import MEANING, Fate
    from arena.tracks.exposure.across.scoring import format_names
    from arena.tracks.exposure.across.views import MANY

    for fate in (Fate.UNPROVEN, Fate.OPEN):
        if count := one.counts[fate]:
            print_err(f"{one.name}: {count} {fate} left out ({MEANING[fate]})")
    for name, why in one.unscored.items():
        print_err(f"{one.name}: no score for {name}: {why}")
    if one.cwes_without_severity:
        lacking = format_names(one.cwes_without_severity, MANY)
        print_err(f"{one.name}: no CVSS value of {lacking}: tasks have that of other CWEs")
