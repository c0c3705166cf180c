"""What the commands of `arena dual` share: the stand, a scorer, scoring with progress."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from arena.cli.dual_models import Asked, Wanted
    from arena.store.store import Store
    from arena.tracks.dual.results import Result, SampleResult
    from arena.tracks.dual.samples import Sample, Samples
    from arena.tracks.dual.score import Scorer
    from harness.executor.plan import Means
    from harness.stand.stand import Stand
    from tasks.dual.pack import DualPack


def workers(jobs: int) -> int:
    return jobs or len(os.sched_getaffinity(0))


@contextmanager
def open_stand(jobs: int) -> Iterator[Stand]:
    """The stand. Raises EngineUnavailable with what is missing."""
    from harness.sandbox.base import EngineUnavailable
    from harness.stand.stand import Stand

    if missing := Stand.available():
        raise EngineUnavailable(missing)
    with Stand(workers=workers(jobs)) as stand:
        yield stand


def make_means(stand: Stand, home: Path, install: bool, coverage: bool) -> Means:
    """Compiled programs and installed packages lie below `home`, the store's folder."""
    from harness.executor.kits import Kits
    from harness.executor.plan import Means

    built = home / "built"
    built.mkdir(parents=True, exist_ok=True)
    kits = Kits(home / "kits")
    return Means(stand, built, kits.install if install else None, coverage)


def make_scorer(
    means: Means, store: Store, asked: Asked | None = None, remember: bool = True
) -> Scorer:
    """`asked`: the models that may be asked; that one does not answer is the machine's fault."""
    from arena.cli.dual_models import Asked
    from arena.tracks.asking import Unanswered
    from arena.tracks.dual.score import Scorer
    from harness.executor.kits import KitFault
    from harness.stand.stand import StandFault

    asked, faults = asked or Asked(), (StandFault, KitFault, Unanswered)
    return Scorer(means, store, faults, asked.judge, asked.agentic, asked.names, remember)


def score_samples(scorer: Scorer, samples: Sequence[Sample], jobs: int) -> list[SampleResult]:
    from arena.cli.counting import Counting
    from arena.tracks.pool import each

    def told(sample: Sample, found: SampleResult) -> None:
        parts = [f"{kind} {_passed(found, kind)}" for kind in ("functional", "security")]
        how = "infra" if found.health == "infra" else str(found.state)
        bar.step(f"{sample.task.id}/{sample.name}: {how}, {', '.join(parts)}")

    with Counting(len(samples), "score") as bar:
        return each(samples, scorer.score, workers(jobs), told)


def _passed(found: SampleResult, kind: str) -> str:
    verdicts = [str(test.verdict) for test in found.tests if test.kind == kind]
    return f"{verdicts.count('pass')}/{len(verdicts)}"


def score_all(
    pack: DualPack, found: Samples, wanted: Wanted, jobs: int, install: bool, coverage: bool
) -> Result:
    """Score all samples in one stand, with the models that are wanted."""
    from arena.cli.dual_models import open_models
    from arena.store.store import Store
    from arena.tracks.dual.results import Result

    started, store = time.monotonic(), Store()
    with open_stand(jobs) as stand, open_models(wanted, store) as asked:
        scorer = make_scorer(make_means(stand, store.folder, install, coverage), store, asked)
        results = score_samples(scorer, found.samples, jobs)
    return Result(
        pack=pack.spec.name,
        version=pack.spec.version,
        samples_of=found.name[:500],
        k=found.k,
        seconds=round(time.monotonic() - started, 3),
        samples=tuple(results),
        problems=found.problems,
    )
