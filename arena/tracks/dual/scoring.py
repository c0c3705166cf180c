"""What scoring programs takes: the stand, places for what is built, the models that may be asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.tracks.asking import Unanswered
from arena.tracks.dual.languages.kits import KitFault, Kits
from arena.tracks.dual.languages.plan import Means
from arena.tracks.dual.runner.stand import Stand, StandFault
from arena.tracks.dual.score import Scorer
from harness.extras import need
from harness.grade.ports import Keeper
from harness.sandbox.base import EngineUnavailable

if TYPE_CHECKING:
    from arena.tracks.dual.agentic.loop import Agentic
    from arena.tracks.dual.judge.judge import Judge


@dataclass(frozen=True)
class Asked:
    """What a `Scorer` takes as `assess`, `fallback` and `asked`."""

    judge: Judge | None = None
    agentic: Agentic | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What of the models makes a result, for its key."""
        judge = ("judge", *self.judge.names) if self.judge else ()
        return (*judge, *(("agentic", *self.agentic.names) if self.agentic else ()))


@contextmanager
def open_stand(workers: int) -> Iterator[Stand]:
    """The stand. Raises MissingExtra, and EngineUnavailable with what is missing."""
    need("dual")  # or programs would be said to lack what they import
    if missing := Stand.available():
        raise EngineUnavailable(missing)
    with Stand(workers=workers) as stand:
        yield stand


def make_means(stand: Stand, home: Path, install: bool, coverage: bool) -> Means:
    """Compiled programs and installed packages lie below `home`, the store's folder."""
    built = home / "built"
    built.mkdir(parents=True, exist_ok=True)
    kits = Kits(home / "kits")
    return Means(stand, built, kits.install if install else None, coverage)


def make_scorer(
    means: Means, keeper: Keeper, asked: Asked | None = None, remember: bool = True
) -> Scorer:
    """`asked`: the models that may be asked; that one does not answer is the machine's fault."""
    asked, faults = asked or Asked(), (StandFault, KitFault, Unanswered)
    return Scorer(means, keeper, faults, asked.judge, asked.agentic, asked.names, remember)
