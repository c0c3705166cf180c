"""`arena exposure report` and `prompt`: tables, figures and a page of results, and what can be filed of one.

The group `exposure` takes the commands from COMMANDS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import JsonOption, emit, tell
from arena.cli.exposure_means import (
    ApplicableOption,
    BaseOption,
    CvssOption,
    MeansOptions,
    PackOption,
    PerplexityOption,
    ReferenceOption,
    TableOption,
    assessments,
)

if TYPE_CHECKING:
    from arena.tracks.exposure.assessment import Assessment
    from arena.tracks.exposure.filing import Example

HTML = (".html", ".htm")


def report(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULT...", help="Files of detect --samples.")
    ],
    html: Annotated[Path | None, typer.Option("--html", help="Write a page here.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Tables as CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables as Markdown.")] = False,
    table: TableOption = None,
    given: CvssOption = None,
    perplexity: PerplexityOption = "",
    reference_model: ReferenceOption = "",
    applicable: ApplicableOption = False,
    base: BaseOption = 2.0,
    pack: PackOption = "exposure",
    as_json: JsonOption = False,
) -> None:
    expect_one_form(as_csv, markdown, as_json)
    options = MeansOptions(base, table, given or (), perplexity, reference_model, applicable)
    every = assessments(results, pack, options)
    if html is not None:
        _write_page(html, every)
    if html is None or as_csv or markdown or as_json:
        _print(every, as_csv, markdown, as_json)


def expect_one_form(*wanted: bool) -> None:
    if sum(wanted) > 1:
        raise ValueError("--csv, --markdown, --json: one of them")


def _write_page(html: Path, every: Sequence[Assessment]) -> None:
    from arena.tracks.exposure.page import page
    from tasks.writing import write_whole

    path = html if html.suffix in HTML and not html.is_dir() else html / "index.html"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page(every).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ValueError(f"--html: {path}: {error.strerror}") from error
    tell(f"wrote {path}")


def _print(every: Sequence[Assessment], as_csv: bool, markdown: bool, as_json: bool) -> None:
    from arena.report.grid import to_csv, to_markdown
    from arena.tracks.exposure.views import all_tables

    if as_json:
        emit(_facts(every))
    elif as_csv:
        print(to_csv(all_tables(every)), end="")
    elif markdown:
        print(to_markdown(all_tables(every)), end="")
    else:
        _print_narrow(every)


def _facts(every: Sequence[Assessment]) -> dict[str, Any]:
    """Numbers are not rounded; tables are as they are shown."""
    from arena.tracks.exposure.ranking import kendall_tau, ranking, volatile
    from arena.tracks.exposure.views import all_tables

    ranked = ranking(every)
    pairs = [(one.me.value or 0.0, one.naive.value) for one in ranked]
    return {
        "models": {one.name: one.to_json() for one in every},
        "ranking": [one.to_json() for one in ranked],
        "kendall_tau_b": kendall_tau([(me, rate) for me, rate in pairs if rate is not None]),
        "volatile": [pair.to_json() for one in every if (pair := volatile(one))],
        "tables": [vars(table) for table in all_tables(every)],
    }


def _print_narrow(every: Sequence[Assessment]) -> None:
    from arena.report.grid import print_grid
    from arena.report.text import one_line
    from arena.tracks.exposure.views import narrow_tables, pair_texts

    print_grid(narrow_tables(every))
    texts = pair_texts(every)
    if texts:
        print("Texts of Table 4:")
    for (scenario, number), text in texts.items():
        print(one_line(f"{scenario}, wording {number}: {text}"))


def prompt(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="A file of detect --samples.")],
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Such as cwe-89-1.")],
    samples: Annotated[
        Path | None, typer.Option("--samples", help="The samples' folder, for an example.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown, the default.")] = False,
    table: TableOption = None,
    given: CvssOption = None,
    perplexity: PerplexityOption = "",
    reference_model: ReferenceOption = "",
    applicable: ApplicableOption = False,
    base: BaseOption = 2.0,
    pack: PackOption = "exposure",
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.exposure.filing import filed
    from arena.tracks.exposure.filing_text import to_text

    expect_one_form(markdown, as_json)
    options = MeansOptions(base, table, given or (), perplexity, reference_model, applicable)
    (one,) = assessments([result], pack, options)
    example = _example(one, scenario, samples, pack)
    facts = filed(one, scenario, example, means_arguments(options), pack)
    if as_json:
        emit(facts)
    else:
        print(to_text(facts), end="")


def _example(one: Assessment, name: str, samples: Path | None, pack: str) -> Example | None:
    from arena.tracks.exposure.filing import example_of, scenario_of
    from arena.tracks.exposure.sampling.folder import read_samples
    from arena.tracks.exposure.tasks.pack import load_exposure

    if samples is None:
        return example_of(one, name)
    scenario_of(one, name)
    found = read_samples(samples, [name])
    return example_of(one, name, found, load_exposure(pack).scenario(name).spec.detector)


def means_arguments(options: MeansOptions) -> list[str]:
    """What a user said of severities and perplexities, as it was said."""
    named = (
        ("--cvss-table", options.table and str(options.table)),
        *(("--cvss", text) for text in options.given),
        ("--perplexity", options.perplexity),
        ("--reference-model", options.reference_model),
        ("--base", f"{options.base:g}"),
    )
    words = [word for option, value in named if value for word in (option, value)]
    return words + (["--applicable"] if options.applicable else [])


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "report": (report, "Tables and figures of results, and a page."),
    "prompt": (prompt, "A report of one scenario and one model, to be filed."),
}
"""Name -> function and help, for the group `exposure`."""
