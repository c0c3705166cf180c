"""`arena study exposure`: PE and ME of runs of any track, by the user's severities and perplexities."""

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
    cvss: CvssOption = None,
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
    inputs = MeansOptions(base, table, tuple(cvss or ()), perplexity, reference_model, applicable)
    beside = tools_from_options(tools or (), rules or (), how)
    from arena.report.provenance import warn_of_mixing
    from arena.store.known import known_store

    attempt_store = known_store(store)
    # `latest` and the id of the latest run are one run.
    names = list(dict.fromkeys(attempt_store.run(run).id for run in runs))
    tracks = sorted({attempt_store.run(run).track for run in names})
    if len(tracks) > 1:
        raise ValueError(f"RUN: of several tracks ({', '.join(tracks)}); name those of one")
    warn_of_mixing(attempt_store.rows(names), mix_versions, print_err)
    switches = {"--suspicious": suspicious, "--incorrect": incorrect, "--strict": strict}
    if tracks == [TRACK]:
        _expect_none(switches, "is for runs of other tracks")
        every = assessments(attempt_store, names, inputs, beside)
        facts, tables = _report_assessments(every)
        if figures is not None:
            _write_figures(figures, every)
    else:
        options_of_attempts = {"--applicable": applicable, "--with": beside, "--figures": figures}
        _expect_none(options_of_attempts, f"is for runs of the track {TRACK}")
        facts, tables = _across(attempt_store, names, inputs, (suspicious, incorrect, strict))
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
    """Assessments of each model in these runs. Prints what has no score. Raises NoScore if all have none."""
    from arena.tracks.exposure.assessment import assess_all

    results = [outcome for run in runs for outcome in _outcomes(store, run, beside)]
    if not results:
        raise ValueError(f"RUN: {runs[0]}: no attempts of a model, nor answers")
    every = _told_apart(results)
    texts = {outcomes.name: outcomes.texts for outcomes in every}
    all_texts = [text for wording_texts in texts.values() for text in wording_texts.values()]
    scored, without = assess_all(every, make_means(all_texts, options))
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
        examination = _attempts.examine_attempts(attempts, store.blob, beside.tools, beside.rules)
        print_notes(examination)
        attempts = _attempts.join_attempts(attempts, examination, beside.how)
    return outcomes_of(attempts, store.tasks(run))


def _told_apart(every: Sequence[Outcomes]) -> list[Outcomes]:
    """Outcomes with names that differ: a model in several modes gets the mode, in several runs the run."""
    names = [outcomes.name for outcomes in every]
    results = [
        replace(outcomes, name=f"{outcomes.name} ({outcomes.mode or 'given'})")
        if names.count(outcomes.name) > 1
        else outcomes
        for outcomes in every
    ]
    names = [item.name for item in results]
    return [
        replace(item, name=f"{item.name} ({item.attempts[0].run})")
        if names.count(item.name) > 1
        else item
        for item in results
    ]


def _tell_unscored(scored: Sequence[Assessment], without: Sequence[NoScore]) -> None:
    """Scenarios without a score, by what is missing."""
    by_reason: dict[str, dict[str, None]] = {}
    for assessment in scored:
        for name, why in assessment.unscored.items():
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
        for attempt in outcomes.attempts
        if (finding := finding_of(attempt))
    }
    if len(versions) > 1:
        print_err(
            f"verdicts of several versions do not compare: detection {', '.join(sorted(versions))}"
        )


def _report_assessments(every: Sequence[Assessment]) -> tuple[dict[str, Any], list[Table]]:
    from arena.tracks.exposure.ranking import kendall_tau, ranking, volatile
    from arena.tracks.exposure.views import all_tables

    ranked = ranking(every)
    pairs = [(item.me.value or 0.0, item.naive.value) for item in ranked]
    facts = {
        "models": {assessment.name: assessment.to_json() for assessment in every},
        "ranking": [item.to_json() for item in ranked],
        "kendall_tau_b": kendall_tau([(me, rate) for me, rate in pairs if rate is not None]),
        "volatile": [pair.to_json() for assessment in every if (pair := volatile(assessment))],
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
        subject
        for run in runs
        for subject in subjects_of(
            store.attempts(run), store.tasks(run), vocabulary(store.run(run).track), run, by_kind
        )
    ]
    if not subjects:
        raise ValueError(f"RUN: {runs[0]} has no attempts")
    names = [subject.name for subject in subjects]
    apart = [
        replace(subject, name=f"{subject.name} ({subject.source})")
        if names.count(subject.name) > 1
        else subject
        for subject in subjects
    ]
    result, without = assess_subjects(apart, make_means(texts(subjects), options), strict)
    for error in without:
        print_err(str(error))
    for scored in result:
        _tell_left_out(scored)
    facts = {item.name: item.to_json() for item in result}
    counts = {item.name: counts_json(item.counts) for item in apart}
    missing = {
        item.name: {"me": None, "counts": counts[item.name], "unscored": item.unscored}
        for item in without
    }
    return {"models": {**facts, **missing}}, tables(result)


def _tell_left_out(across: Across) -> None:
    """What takes no part in the scores, and what could move them."""
    from arena.tracks.exposure.across.outcomes import MEANING, Fate
    from arena.tracks.exposure.across.scoring import format_names
    from arena.tracks.exposure.across.views import MANY

    for fate in (Fate.UNPROVEN, Fate.OPEN):
        if count := across.counts[fate]:
            print_err(f"{across.name}: {count} {fate} left out ({MEANING[fate]})")
    for name, why in across.unscored.items():
        print_err(f"{across.name}: no score for {name}: {why}")
    if across.cwes_without_severity:
        lacking = format_names(across.cwes_without_severity, MANY)
        print_err(f"{across.name}: no CVSS value of {lacking}: tasks have that of other CWEs")
