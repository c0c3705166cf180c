"""One stand for all tests of this room: its worker stays warm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tracks.dual.runner.stand import Stand


@pytest.fixture(scope="session")
def stand() -> Iterator[Stand]:
    with Stand() as stand:
        yield stand
