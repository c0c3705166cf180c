"""The models that `arena dual score` may ask: a judge with its resolver, and the agentic executor's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.tracks.asker import Asker
    from arena.tracks.asking import Keeper
    from arena.tracks.dual.scoring import Asked


@dataclass(frozen=True)
class Wanted:
    """Models by name, "" for none; caps are for each of them. See `arena.tracks.asking.Asking`."""

    judge: str = ""
    resolver: str = ""
    executor: str = ""
    api_base: str = ""
    prices: Path | None = None
    allow_unknown_price: bool = False
    max_usd: float | None = None
    max_calls: int | None = None


@contextmanager
def open_models(wanted: Wanted, keeper: Keeper) -> Iterator[Asked]:
    """The models, closed at the end. Raises ValueError for one that cannot be, before anything is run."""
    from arena.tracks.dual.agentic import loop
    from arena.tracks.dual.judge import judge
    from arena.tracks.dual.scoring import Asked

    if wanted.resolver and not wanted.judge:
        raise ValueError("--resolver: it tells what a judge does not know; --judge MODEL is needed")
    with ExitStack() as stack:

        def opened(model: str, pins: dict[str, Any]) -> Asker | None:
            return stack.enter_context(_asker(model, pins, wanted, keeper)) if model else None

        light = opened(wanted.judge, judge.PINS)
        resolver = opened(wanted.resolver, judge.PINS)
        executor = opened(wanted.executor, loop.PINS)
        yield Asked(
            judge.Judge(light, resolver) if light else None,
            loop.Agentic(executor) if executor else None,
        )


def _asker(model: str, pins: dict[str, Any], wanted: Wanted, keeper: Keeper) -> Asker:
    from arena.tracks.asker import Asker
    from arena.tracks.asking import Asking

    return Asker(
        Asking(
            model,
            pins,
            wanted.api_base,
            wanted.prices,
            wanted.allow_unknown_price,
            wanted.max_usd,
            wanted.max_calls,
        ),
        keeper,
    )
