"""`arena study filing`: a report of a scenario and a model, to be filed with a vendor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
)

if TYPE_CHECKING:
    from arena.tracks.exposure.assessment import Assessment

HELP = "Track exposure: write a vendor report on one scenario and one model."


def command(
    run: Annotated[str, typer.Argument(help="A run's id, a sweep's name, or latest.")],
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="A scenario's id, such as cwe-89-1.")
    ],
    model: Annotated[
        str, typer.Option("--model", "-m", help="The model, if the run has several.")
    ] = "",
    table: TableOption = None,
    cvss: CvssOption = None,
    perplexity: PerplexityOption = "",
    reference_model: ReferenceOption = "",
    applicable: ApplicableOption = False,
    base: BaseOption = 2.0,
    store: options.StoreAt = "",
    mix_versions: options.MixVersions = False,
    as_json: options.Json = False,
) -> None:
    from arena.report.provenance import warn_of_mixing
    from arena.tracks.exposure.filing import example_of, filing_facts
    from arena.tracks.exposure.filing_text import to_text
    from arena.tracks.exposure.studies.exposure import assessments

    inputs = MeansOptions(base, table, tuple(cvss or ()), perplexity, reference_model, applicable)
    from arena.store.known import known_store

    attempt_store = known_store(store)
    result = attempt_store.run(run)
    assessment = _choose_assessment(assessments(attempt_store, [result.id], inputs), model)
    taken = {attempt.id for attempt in assessment.outcomes.attempts}
    rows = [row for row in attempt_store.rows([result.id]) if row.id in taken]
    warn_of_mixing(rows, mix_versions, print_err)
    example = example_of(assessment, scenario, attempt_store.blob)
    mixed = ["--mix-versions"] if mix_versions else []
    arguments = [*means_arguments(inputs), *(["--model", model] if model else []), *mixed]
    facts = filing_facts(assessment, scenario, example, arguments, result)
    if as_json:
        emit(facts)
    else:
        print(to_text(facts), end="")


def _choose_assessment(every: list[Assessment], model: str) -> Assessment:
    results = [
        assessment
        for assessment in every
        if model in ("", assessment.name, assessment.outcomes.attempts[0].key.model)
    ]
    if len(results) != 1:
        names = ", ".join(assessment.name for assessment in every)
        raise ValueError(f"--model: {model[:80]!r}: one of {names} is needed")
    return results[0]


def means_arguments(inputs: MeansOptions) -> list[str]:
    """The user's options for severities and perplexities, as on the command line."""
    named = (
        ("--cvss-table", inputs.table and str(inputs.table)),
        *(("--cvss", text) for text in inputs.assignments),
        ("--perplexity", inputs.perplexity),
        ("--reference-model", inputs.reference_model),
        ("--base", f"{inputs.base:g}"),
    )
    words = [word for option, value in named if value for word in (option, value)]
    return words + (["--applicable"] if inputs.applicable else [])
