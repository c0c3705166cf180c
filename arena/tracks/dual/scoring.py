"""Resources for scoring programs: the runner, folders for builds, the models that may be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.models.completion import ModelSettings
from arena.models.completion_session import CompletionSession
from arena.models.no_completion import NoCompletion
from arena.protocols import Setup
from arena.tracks.dual.agentic import loop
from arena.tracks.dual.agentic.loop import Agentic
from arena.tracks.dual.judge import judge
from arena.tracks.dual.judge.judge import Judge
from arena.tracks.dual.languages.kits import KitFault, Kits
from arena.tracks.dual.languages.plan import RunnerResources
from arena.tracks.dual.runner.pool import ProgramRunner, ProgramRunnerFault
from arena.tracks.dual.score import ProgramScorer
from harness.extras import need
from harness.grade.ports import ResultCache
from harness.sandbox.base import EngineUnavailable

# The models that may be asked, with their sampling parameters.
PINS: Mapping[str, Mapping[str, Any]] = {
    "judge": judge.PINS,
    "resolver": judge.PINS,
    "agentic": loop.PINS,
}


@dataclass(frozen=True)
class OpenModels:
    """Values for a `ProgramScorer`'s parameters `assess`, `fallback` and `model_names`."""

    judge: Judge | None = None
    agentic: Agentic | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What of the models makes a result, for its key."""
        judge = ("judge", *self.judge.names) if self.judge else ()
        return (*judge, *(("agentic", *self.agentic.names) if self.agentic else ()))


def read_model_settings(setup: Setup, options: Mapping[str, Any]) -> dict[str, ModelSettings]:
    """The models that the options name, each with a separate cap. Raises ValueError."""
    if options["resolver"] and not options["judge"]:
        raise ValueError(
            "options.resolver: it tells what a judge does not know; judge=MODEL is needed"
        )
    prices = Path(setup.prices) if setup.prices else None
    cap, unpriced = options["models_usd"] or None, setup.allow_unknown_price
    return {
        name: ModelSettings(options[name], pins, setup.api_base, prices, unpriced, cap)
        for name, pins in PINS.items()
        if options[name]
    }


@contextmanager
def open_models(
    settings_by_name: Mapping[str, ModelSettings], cache: ResultCache
) -> Iterator[OpenModels]:
    """The models, closed at the end. Raises ValueError for a model that cannot be opened."""
    with ExitStack() as stack:
        sessions = {
            name: stack.enter_context(CompletionSession(item, cache))
            for name, item in settings_by_name.items()
        }
        light, executor = sessions.get("judge"), sessions.get("agentic")
        yield OpenModels(
            Judge(light, sessions.get("resolver")) if light else None,
            Agentic(executor) if executor else None,
        )


@contextmanager
def open_runner(workers: int) -> Iterator[ProgramRunner]:
    """The runner. Raises MissingExtra, and EngineUnavailable with what is missing."""
    need("dual")  # or programs would be said to lack what they import
    if missing := ProgramRunner.available():
        raise EngineUnavailable(missing)
    with ProgramRunner(workers=workers) as runner:
        yield runner


def make_means(runner: ProgramRunner, home: Path, install: bool, coverage: bool) -> RunnerResources:
    """Compiled programs and installed packages lie below `home`, the store's folder."""
    built = home / "built"
    built.mkdir(parents=True, exist_ok=True)
    kits = Kits(home / "kits")
    return RunnerResources(runner, built, kits.install if install else None, coverage)


def make_scorer(
    means: RunnerResources,
    cache: ResultCache,
    judge_models: OpenModels | None = None,
    remember: bool = True,
) -> ProgramScorer:
    """`judge_models`: the models that may be used; a model that does not answer is the machine's fault."""
    judge_models, faults = (
        judge_models or OpenModels(),
        (ProgramRunnerFault, KitFault, NoCompletion),
    )
    return ProgramScorer(
        means, cache, faults, judge_models.judge, judge_models.agentic, judge_models.names, remember
    )
