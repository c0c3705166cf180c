"""Options for severities and perplexities, and the inputs of scores from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.output import print_err

if TYPE_CHECKING:
    from arena.tracks.exposure.assessment import ScoreInputs

BaseOption = Annotated[float, typer.Option("--base", help="The base of the powers; above 1.")]
TableOption = Annotated[
    Path | None,
    typer.Option("--cvss-table", help="Severities: a file written by `arena study cvss --json`."),
]
CvssOption = Annotated[
    list[str] | None, typer.Option("--cvss", help="A severity, such as CWE-327=7.5 (repeatable).")
]
PerplexityOption = Annotated[
    str,
    typer.Option(
        "--perplexity",
        help="The source of perplexities, KIND:WHERE, such as table:FILE; default: R is 1.",
    ),
]
ReferenceOption = Annotated[
    str, typer.Option("--reference-model", help="The reference model's name at the endpoint.")
]
ApplicableOption = Annotated[
    bool,
    typer.Option("--applicable", help="Compute P over applicable programs instead of valid ones."),
]
# The environment variable with the reference endpoint's key.
KEY = "ARENA_PERPLEXITY_KEY"


@dataclass(frozen=True)
class MeansOptions:
    """A user's options for severities and perplexities."""

    base: float = 2.0
    table: Path | None = None
    assignments: Sequence[str] = ()
    perplexity: str = ""
    reference_model: str = ""
    applicable: bool = False


def make_means(texts: Sequence[str], options: MeansOptions) -> ScoreInputs:
    """Severities, and perplexities of these wordings; "" is an unknown wording. Raises ValueError."""
    from arena.tracks.exposure.assessment import ScoreInputs
    from arena.tracks.exposure.cvss.representative import severities

    result = severities(options.table, options.assignments, options.base)
    if not options.perplexity:
        if options.reference_model:
            raise ValueError("--reference-model: only with --perplexity")
        return ScoreInputs(result, base=options.base, applicable=options.applicable)
    if unknown := sum(not text for text in texts):
        print_err(f"the text of {unknown} wordings is not known; their R is 1")
    perplexity_of_text, label = perplexities(list(dict.fromkeys(filter(None, texts))), options)
    return ScoreInputs(
        result, perplexity_of_text, label, options.base, applicable=options.applicable
    )


def perplexities(texts: Sequence[str], options: MeansOptions) -> tuple[dict[str, float], str]:
    """Perplexities by text, and where they come from; prints texts without perplexity. Raises ValueError."""
    import os

    from arena.store.store import Store
    from arena.tracks.exposure.perplexity._source import measure_texts, open_perplexities

    key = os.environ.get(KEY, "")
    source = open_perplexities(options.perplexity, Store(), options.reference_model, key)
    text = measure_texts(texts, source)
    for why in list(text.missing.values())[:3]:
        print_err(f"no perplexity: {why}")
    if text.missing:
        print_err(
            f"{len(text.missing)} of {len(set(texts))} wordings have no perplexity; their R is 1"
        )
    return dict(text.values), source.label
