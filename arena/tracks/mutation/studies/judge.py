"""`arena study judge`: how far classifiers, a model and people agree on why mutants were killed."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import OK, UNLABELLED, emit, print_err, print_first
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.models.completion import ModelSettings
    from arena.report.grid import Table
    from arena.store.store import Store
    from arena.tracks.mutation.agreement import JudgeAgreement
    from arena.tracks.mutation.judge import Judged
    from arena.tracks.mutation.lines import SuiteLine

LEAST = 2
HELP = """Track mutation: pairwise agreement (Cohen's kappa) on why mutants were killed.

The raters are the classifiers of RUNS (the same suites, graded with several), a model (--model), and people
(--labels). With several classifiers, also the paper's Table 6.
"""


def command(
    runs: Annotated[list[str], typer.Argument(help="Runs of this track: ids, or latest.")],
    model: Annotated[str, typer.Option("--model", "-m", help="PROVIDER/NAME or script:FILE.")] = "",
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="Human labels: CSV or JSONL with id and category."),
    ] = None,
    max_usd: Annotated[
        float | None,
        typer.Option("--max-usd", min=0, help="Cap on this command's requests, in USD."),
    ] = None,
    max_calls: Annotated[
        int | None,
        typer.Option("--max-calls", min=0, help="Cap on this command's requests, in calls."),
    ] = None,
    workers: options.Workers = 8,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    pin: options.Pins = None,
    mix_versions: options.MixVersions = False,
    as_json: options.Json = False,
) -> None:
    from arena.models.completion import ModelSettings
    from arena.tracks.mutation.agreement import agreements, load_labels
    from arena.tracks.mutation.judge import ratings
    from arena.tracks.mutation.studies._runs import lines_of_runs
    from arena.tracks.mutation.tables import agreement

    store, suite_lines = lines_of_runs(runs, mix_versions)
    lines = [line for line in suite_lines if not line.trivial]
    people = {"labels": load_labels(labels)} if labels else {}
    judged = None
    if model:
        pins = {"temperature": 0.0, "max_tokens": 512, **options.pins(pin or ())}
        caps = (max_usd, max_calls, max(1, workers))
        judged = _judge_kills(
            lines, ModelSettings(model, pins, api_base, prices, allow_unknown_price, *caps), store
        )
    raters = {**({"judge": judged.categories} if judged else {}), **ratings(lines), **people}
    if len(raters) < LEAST:
        raise ValueError(
            f"{', '.join(runs)}: only {', '.join(raters) or 'nobody'}: see --model, --labels"
        )
    tables = agreement([sample for line in lines for sample in line.samples])
    _print(judged, agreements(raters), tables, as_json)
    raise typer.Exit(UNLABELLED if judged and judged.missing else OK)


def _judge_kills(lines: list[SuiteLine], settings: ModelSettings, store: Store) -> Judged:
    from arena.models.completion import complete_all
    from arena.tracks.mutation.judge import judge, kills_of

    # Runs graded by several classifiers hold the same kills.
    kills = {kill.key: kill for kill in kills_of(lines, store)}
    if not kills:
        raise ValueError("no kill in these runs")
    print_err(
        f"{len({kill.digest for kill in kills.values()})} kills to be judged by {settings.model}"
    )
    return judge(list(kills.values()), lambda questions: complete_all(questions, settings, store))


def _print(
    judged: Judged | None, agreed: list[JudgeAgreement], tables: list[Table], as_json: bool
) -> None:
    from arena.report.grid import print_grid

    if as_json:
        json = _judged_json(judged) if judged else {}
        emit(
            {
                **json,
                "agreement": [agreement.to_json() for agreement in agreed],
                "tables": [asdict(table) for table in tables],
            }
        )
    else:
        if judged:
            counted = Counter(str(category) for category in judged.categories.values())
            words = ", ".join(f"{n} {name}" for name, n in counted.most_common()) or "none"
            print(f"judged: {words}; {len(judged.unparsed)} unparsed; {_money(judged)}")
        for agreement in agreed:
            kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.3f}"
            same = f"{agreement.same} of {agreement.n}"
            print(
                one_line(f"{agreement.first} and {agreement.second}: kappa {kappa}, {same} alike")
            )
        print_grid(tables)
    if judged and judged.missing:
        print_first("no answer", [f"{key}: {why}" for key, why in judged.missing.items()])
        print_err("the same command goes on with these")


def _judged_json(judged: Judged) -> dict[str, object]:
    return {
        "categories": dict(judged.categories),
        "unparsed": list(judged.unparsed),
        "missing": dict(judged.missing),
        "usage": dict(judged.ledger),
    }


def _money(judged: Judged) -> str:
    ledger = judged.ledger
    if not ledger:
        return "nothing was asked now"
    tokens = f"{ledger['input_tokens']} + {ledger['output_tokens']} tokens"
    return f"{ledger['calls']} calls, {tokens}, {ledger['usd']:.4f} USD"
