"""One stand for all tests of this room: its worker stays warm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tracks.dual.runner.pool import ProgramRunner


@pytest.fixture(scope="session")
def runner() -> Iterator[ProgramRunner]:
    with ProgramRunner() as runner:
        yield runner
