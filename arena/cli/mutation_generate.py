"""`arena mutation generate|judge`: tests from a model, and a model that judges kills.

The group `mutation` takes these, and `perturb` and `audit`, from COMMANDS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import OK, UNLABELLED, JsonOption, emit, tell
from arena.cli.mutation_contamination import (
    DatasetOption,
    LimitOption,
    audit,
    expect_writable,
    perturb,
    write_out,
)
from arena.cli.mutation_session import load_usable
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.tracks.asking import Asking
    from arena.tracks.mutation.agreement import Agreement, Ratings
    from arena.tracks.mutation.generate.generation import Generated
    from arena.tracks.mutation.judge import Judged
    from arena.tracks.mutation.results import Result

ModelOption = Annotated[str, typer.Option("--model", help="PROVIDER/NAME or script:FILE.")]
UsdOption = Annotated[
    float | None, typer.Option("--max-usd", min=0, help="Cap in USD on what is asked now.")
]
CallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Cap in calls on what is asked now.")
]
TokensOption = Annotated[int, typer.Option("--max-tokens", min=1, help="Of each answer.")]
TemperatureOption = Annotated[float, typer.Option("--temperature", min=0)]
PinsOption = Annotated[
    list[str] | None,
    typer.Option("--pin", help="NAME=VALUE for all calls (seed=1); null: left out."),
]
ApiBaseOption = Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")]
PricesOption = Annotated[
    Path | None, typer.Option("--prices", help="A TOML file with prices and limits of your own.")
]
UnknownPriceOption = Annotated[
    bool, typer.Option("--allow-unknown-price", help="A model without a price costs nothing.")
]
AtATimeOption = Annotated[int, typer.Option("--jobs", min=1, help="Calls at a time.")]
TOLD = 20


def _asking(
    model: str,
    temperature: float,
    tokens: int,
    pin: list[str] | None,
    **more: Any,
) -> Asking:
    from arena.options import pins as pins_from
    from arena.tracks.asking import Asking

    pins = {"temperature": temperature, "max_tokens": tokens, **pins_from(pin or [])}
    return Asking(model, pins, **more)


def _money(ledger: Any) -> str:
    if not ledger:
        return "nothing was asked: all answers were in the store"
    tokens = f"{ledger['input_tokens']} + {ledger['output_tokens']} tokens"
    return f"{ledger['calls']} calls, {tokens}, {ledger['usd']:.4f} USD"


def generate(
    model: ModelOption,
    out: Annotated[Path, typer.Option("--out", help="The JSONL file to write.")],
    dataset: DatasetOption = "mutation",
    prompt: Annotated[str, typer.Option("--prompt", help="full, cwe-id or no-hint.")] = "full",
    samples: Annotated[int, typer.Option("--samples", min=1, help="Of each program.")] = 1,
    temperature: TemperatureOption = 0.0,
    max_tokens: TokensOption = 2048,
    max_usd: UsdOption = None,
    max_calls: CallsOption = None,
    jobs: AtATimeOption = 8,
    limit: LimitOption = 0,
    api_base: ApiBaseOption = "",
    prices: PricesOption = None,
    allow_unknown_price: UnknownPriceOption = False,
    pin: PinsOption = None,
    as_json: JsonOption = False,
) -> None:
    from arena.cli.counting import Counting
    from arena.store.store import Store
    from arena.tracks.mutation.generate.generation import generate as ask

    expect_writable(out)
    data = load_usable(dataset, limit)
    asking = _asking(
        model,
        temperature,
        max_tokens,
        pin,
        api_base=api_base,
        prices=prices,
        allow_unknown_price=allow_unknown_price,
        max_usd=max_usd,
        max_calls=max_calls,
        jobs=jobs,
    )
    spent = 0.0

    def told(program: str, state: str, usd: float) -> None:
        nonlocal spent
        spent += usd
        bar.step(f"{program}: {state or 'no answer'}{f', {spent:.4f} USD so far' if spent else ''}")

    with Counting(len(data.programs) * samples, f"generate {prompt}") as bar:
        made = ask(data.programs, prompt, samples, asking, Store(), told)
    write_out(out, made.lines())
    _show_generated(made, out, as_json)
    raise typer.Exit(UNLABELLED if made.missing else OK)


def _show_generated(made: Generated, out: Path, as_json: bool) -> None:
    states = Counter(row["state"] for row in made.rows)
    if as_json:
        facts = {"out": str(out), "rows": len(made.rows), "states": dict(sorted(states.items()))}
        emit({**facts, "missing": list(made.missing), "usage": dict(made.ledger)})
    else:
        counted = ", ".join(f"{n} {state}" for state, n in states.most_common()) or "none"
        print(f"{out}: {len(made.rows)} replies: {counted}; {_money(made.ledger)}")
    _tell_missing(made.missing)


def _tell_missing(missing: Any) -> None:
    for why in list(missing)[:TOLD]:
        tell(f"no answer: {why}")
    if missing:
        tell(f"{len(missing)} questions have no answer; the same command goes on with them")


def judge(
    results: Annotated[list[Path], typer.Argument(help="Files that `score` wrote.")],
    model: ModelOption,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="CSV or JSONL with id and category.")
    ] = None,
    max_tokens: TokensOption = 512,
    max_usd: UsdOption = None,
    max_calls: CallsOption = None,
    jobs: AtATimeOption = 8,
    api_base: ApiBaseOption = "",
    prices: PricesOption = None,
    allow_unknown_price: UnknownPriceOption = False,
    pin: PinsOption = None,
    as_json: JsonOption = False,
) -> None:
    from arena.store.store import Store
    from arena.tracks.mutation.agreement import agreements, load_labels

    loaded = [_scored(path) for path in results]
    people: dict[str, Ratings] = {"labels": load_labels(labels)} if labels else {}
    asking = _asking(
        model,
        0.0,
        max_tokens,
        pin,
        api_base=api_base,
        prices=prices,
        allow_unknown_price=allow_unknown_price,
        max_usd=max_usd,
        max_calls=max_calls,
        jobs=jobs,
    )
    found = _judged(loaded, asking, Store())
    raters = {"judge": found.categories, **_classified(loaded), **people}
    _show_judged(found, agreements(raters), as_json)
    raise typer.Exit(UNLABELLED if found.missing else OK)


def _scored(path: Path) -> Result:
    from arena.tracks.mutation.results import Baseline, load_result

    result = load_result(path)
    if isinstance(result, Baseline):
        raise ValueError(f"{path}: a baseline has no kills")
    return result


def _classified(results: list[Result]) -> dict[str, Ratings]:
    """The category of each kill by each result's classifier."""
    from arena.tracks.mutation.judge import key_of

    raters: dict[str, Ratings] = {}
    for number, result in enumerate(results, 1):
        name = result.classifier or f"result {number}"
        name = name if name not in raters else f"{name} ({number})"
        raters[name] = {
            key_of(sample, mutant.id): mutant.category
            for sample in result.samples
            for mutant in sample.mutants
            if mutant.category is not None
        }
    return raters


def _judged(results: list[Result], asking: Asking, store: Store) -> Judged:
    from arena.cli.counting import Counting
    from arena.tracks.asking import ask_all
    from arena.tracks.mutation.judge import judge as ask
    from arena.tracks.mutation.judge import kills_of

    kills = {kill.key: kill for result in results for kill in kills_of(result, store)}
    if not kills:
        raise ValueError("no kill in these results")
    with Counting(len({kill.digest for kill in kills.values()}), "judge") as bar:
        return ask(
            list(kills.values()),
            lambda questions: ask_all(
                questions,
                asking,
                store,
                lambda number, answer: bar.step(answer.text[:40] if answer else "no answer"),
            ),
        )


def _show_judged(found: Judged, agreed: list[Agreement], as_json: bool) -> None:
    counted = Counter(str(category) for category in found.categories.values())
    if as_json:
        facts = {"categories": found.categories, "unparsed": list(found.unparsed)}
        pairs = [one.to_json() for one in agreed]
        missing = dict(found.missing)
        emit({**facts, "missing": missing, "agreement": pairs, "usage": dict(found.ledger)})
    else:
        told = ", ".join(f"{n} {name}" for name, n in counted.most_common()) or "none"
        print(f"judged: {told}; {len(found.unparsed)} unparsed; {_money(found.ledger)}")
        for one in agreed:
            kappa = "undefined" if one.kappa is None else f"{one.kappa:.3f}"
            print(
                one_line(f"{one.one} and {one.other}: kappa {kappa}, {one.same} of {one.n} alike")
            )
    _tell_missing([f"{key}: {why}" for key, why in found.missing.items()])


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "generate": (generate, "Let a model write tests for each program."),
    "perturb": (perturb, "Write programs otherwise, proven by their own tests."),
    "audit": (audit, "How alike programs and the documents of a corpus are."),
    "judge": (judge, "Let a model judge the kills of a result; agreement of all raters."),
}
"""Name -> function and help, for the group `mutation`."""
