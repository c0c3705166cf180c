"""`arena dual generate`: programs for the tasks of a pack, from a model or an agent.

The group `dual` takes the command from COMMANDS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import OK, UNLABELLED, JsonOption, SandboxOption, asked_now, emit, tell
from arena.cli.dual_agents import Agents, TrustOption, written

if TYPE_CHECKING:
    from arena.tracks.asking import Asking
    from arena.tracks.dual.generate.generation import Generated
    from arena.tracks.dual.tasks.pack import DualTask
    from arena.tracks.dual.tasks.schema import Language

PackOption = Annotated[str, typer.Option("--pack", help="A pack's folder, or a name that ships.")]
LanguageOption = Annotated[str, typer.Option("--language", help="python, javascript or cpp.")]
SamplesOption = Annotated[int, typer.Option("--samples", min=1, help="Of each task.")]
TaskOption = Annotated[list[str] | None, typer.Option("--task", help="Only these tasks.")]
TOLD = 20


def generate(
    out: Annotated[Path, typer.Option("--out", help="The folder to write samples to.")],
    model: Annotated[str, typer.Option("--model", help="PROVIDER/NAME or script:FILE.")] = "",
    agent: Annotated[
        str, typer.Option("--agent", help="An agent writes the programs; caps are for each.")
    ] = "",
    pack: PackOption = "dual",
    language: LanguageOption = "python",
    samples: SamplesOption = 1,
    prompt: Annotated[str, typer.Option("--prompt", help="neutral or reminder.")] = "neutral",
    task: TaskOption = None,
    temperature: Annotated[float, typer.Option("--temperature", min=0)] = 0.0,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Of each answer.")] = 8192,
    max_usd: Annotated[
        float | None, typer.Option("--max-usd", min=0, help="Cap in USD on what is asked now.")
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option("--max-calls", min=0, help="Cap in calls on what is asked now.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Calls at a time.")] = 8,
    api_base: Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")] = "",
    prices: Annotated[
        Path | None, typer.Option("--prices", help="A TOML file with prices of your own.")
    ] = None,
    allow_unknown_price: Annotated[
        bool, typer.Option("--allow-unknown-price", help="A model without a price costs nothing.")
    ] = False,
    pin: Annotated[
        list[str] | None, typer.Option("--pin", help="NAME=VALUE for all calls; null: left out.")
    ] = None,
    sandbox: SandboxOption = "auto",
    trust_agents: TrustOption = False,
    max_time: Annotated[float, typer.Option("--max-time", min=1, help="Of an agent, in s.")] = 1800,
    as_json: JsonOption = False,
) -> None:
    from arena.options import pins as pins_from
    from arena.tracks.asking import Asking
    from arena.tracks.dual.generate.folder import expect_ours, write_samples

    expect_ours(out)
    chosen, wanted = chosen_tasks(pack, task or (), language)
    if samples > 1 and not temperature:
        tell("--temperature is 0: samples of one task may all be the same")
    pins = {"temperature": temperature, "max_tokens": max_tokens, **pins_from(pin or [])}
    if not model and not agent:
        raise ValueError("--model: needed, unless an --agent writes that asks none")
    asking = Asking(
        model, pins, api_base, prices, allow_unknown_price, max_usd, max_calls, jobs
    )  # fmt: skip
    if agent:
        own = Agents(agent, sandbox, trust_agents, max_time)
        made = written(chosen, wanted, samples, asking, prompt, own)
    else:
        made = _asked(chosen, wanted, samples, asking, prompt)
    write_samples(out, made.samples)
    show_generated(made, out, as_json)
    raise typer.Exit(UNLABELLED if made.missing else OK)


def chosen_tasks(pack: str, names: Sequence[str], language: str) -> tuple[list[DualTask], Language]:
    """The tasks of a pack that can be done in a language. Raises TaskError or ValueError."""
    from arena.tracks.dual.tasks.pack import load_dual
    from arena.tracks.dual.tasks.schema import LANGUAGES

    if language not in LANGUAGES:
        raise ValueError(f"--language: {language!r} is unknown; known: {', '.join(LANGUAGES)}")
    loaded = load_dual(pack)
    asked = [loaded.task(name) for name in names] or list(loaded.tasks)
    fitting = [one for one in asked if language in one.spec.languages]
    if not fitting:
        raise ValueError(f"--language: {pack}: no task of these is meant for {language}")
    if len(fitting) < len(asked):
        tell(f"{len(asked) - len(fitting)} of {len(asked)} tasks are not meant for {language}")
    return fitting, language


def _asked(
    tasks: list[DualTask], language: Language, samples: int, asking: Asking, prompt: str
) -> Generated:
    from arena.cli.counting import Counting
    from arena.store.store import Store
    from arena.tracks.dual.generate.generation import generate as ask

    spent = 0.0

    def told(name: str, state: str, usd: float) -> None:
        nonlocal spent
        spent += usd
        bar.step(f"{name}: {state or 'no answer'}{f', {spent:.4f} USD so far' if spent else ''}")

    with Counting(len(tasks) * samples, f"generate {language}") as bar:
        return ask(tasks, language, samples, asking, Store(), told, prompt)


def show_generated(made: Generated, out: Path, as_json: bool) -> None:
    """What was generated: JSON or a line on stdout, and what is missing on stderr."""
    states = Counter(row["state"] for row in made.rows)
    if as_json:
        facts = {"out": str(out), "samples": len(made.rows), "states": dict(sorted(states.items()))}
        emit({**facts, "missing": list(made.missing), "usage": dict(made.ledger)})
    else:
        counted = ", ".join(f"{n} {state}" for state, n in states.most_common()) or "none"
        print(f"{out}: {len(made.rows)} samples: {counted}; {asked_now(made.ledger)}")
    for why in made.missing[:TOLD]:
        tell(f"no answer: {why}")
    if made.missing:
        tell(f"{len(made.missing)} samples are missing; the same command goes on with them")


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "generate": (generate, "Let a model write programs for the tasks of a pack."),
}
"""Name -> function and help, for the group `dual`."""
