"""One set of substitutes for all tests of this folder: putting them together takes a second."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.mutation.runner.mocks.inprocess import Place, folder


@pytest.fixture(scope="session")
def assembled() -> Place:
    return Place()


@pytest.fixture
def place(assembled: Place, tmp_path: Path) -> Iterator[Place]:
    """The substitutes, in place and with nothing seen, in a folder of their own."""
    with folder(tmp_path), assembled.here():
        assembled.reset()
        yield assembled
