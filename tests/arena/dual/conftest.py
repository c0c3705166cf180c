"""One stand for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tracks.dual.languages.plan import RunnerResources
from arena.tracks.dual.runner.pool import ProgramRunner, ProgramRunnerFault
from arena.tracks.dual.score import ProgramScorer
from harness.grade.ports import MemoryCache


@pytest.fixture(scope="session")
def runner() -> Iterator[ProgramRunner]:
    with ProgramRunner(workers=1) as one:
        yield one


@pytest.fixture
def means(runner: ProgramRunner, tmp_path: Path) -> RunnerResources:
    built = tmp_path / "built"
    built.mkdir()
    return RunnerResources(runner, built)


@pytest.fixture
def scorer(means: RunnerResources) -> ProgramScorer:
    return ProgramScorer(means, MemoryCache(), (ProgramRunnerFault,))
