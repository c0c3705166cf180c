"""What the commands of `arena dual` share: scoring with progress."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.telling import tell

if TYPE_CHECKING:
    from arena.cli.dual_models import Wanted
    from arena.tracks.dual.results import Result, SampleResult
    from arena.tracks.dual.samples import Sample, Samples
    from arena.tracks.dual.score import Scorer
    from arena.tracks.dual.tasks.pack import DualPack


def workers(jobs: int) -> int:
    return jobs or len(os.sched_getaffinity(0))


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
    from arena.tracks.dual.scoring import make_means, make_scorer, open_stand

    started, store = time.monotonic(), Store()
    with open_stand(workers(jobs)) as stand, open_models(wanted, store) as asked:
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


TOLD_PROBLEMS = 20


def tell_problems(problems: Sequence[str]) -> None:
    for problem in problems[:TOLD_PROBLEMS]:
        tell(f"problem: {problem}")
    if len(problems) > TOLD_PROBLEMS:
        tell(f"problems: {len(problems)} in all; the first {TOLD_PROBLEMS} are shown")


def write_json(value: dict[str, Any], out: Path | None) -> None:
    """JSON on stdout, or in a file that is written whole or not at all."""
    if out is None or out == Path("-"):
        json.dump(value, sys.stdout)
        print()
        return
    half = out.with_name(out.name + ".half")
    half.write_text(json.dumps(value), "utf-8")
    half.replace(out)
