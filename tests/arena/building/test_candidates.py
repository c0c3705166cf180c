"""What is asked of a history before it is searched."""

from __future__ import annotations

import pytest

from arena.building.candidates import oldest_harness
from szz.repository import Repository
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("carry", "first"),
    [
        (("fuzz/*.c",), 1),
        (("test/fuzz_[a-z]*.c", "fuzz/b.c"), 2),
        (("nowhere/**",), None),
        ((), None),
    ],
)
def test_the_first_commit_that_has_the_fuzz_target(
    history: Maker,  # noqa: F811
    carry: tuple[str, ...],
    first: int | None,
) -> None:
    path, ids = history(
        {b"f.c": b"1\n"},
        {b"f.c": b"1\n", b"fuzz/a.c": b"a\n"},
        {b"f.c": b"1\n", b"fuzz/a.c": b"a\n", b"fuzz/b.c": b"b\n"},
        {b"f.c": b"1\n", b"test/fuzz_a.c": b"a\n"},
    )
    with Repository(path) as repository:
        assert oldest_harness(repository, ids[3], carry) == ("" if first is None else ids[first])
        assert oldest_harness(repository, "0" * 40, carry) == ""
