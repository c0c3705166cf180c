"""One stand for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tracks.dual.languages.plan import Means
from arena.tracks.dual.runner.pool import ProgramRunner, ProgramRunnerFault
from arena.tracks.dual.score import Scorer
from harness.grade.ports import MemoryKeeper


@pytest.fixture(scope="session")
def runner() -> Iterator[ProgramRunner]:
    with ProgramRunner(workers=1) as one:
        yield one


@pytest.fixture
def means(runner: ProgramRunner, tmp_path: Path) -> Means:
    built = tmp_path / "built"
    built.mkdir()
    return Means(runner, built)


@pytest.fixture
def scorer(means: Means) -> Scorer:
    return Scorer(means, MemoryKeeper(), (ProgramRunnerFault,))
