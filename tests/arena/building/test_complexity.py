"""How much a commit changes, and what is more than was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.complexity import Complexity, complexity_of
from szz.repository import GitFailed, Repository
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

BEFORE = b"""\
int one(int a)
{
    return a;
}

int two(int a)
{
    if (a > 2 && a < 9)
        return 1;
    return 0;
}
"""
AFTER = BEFORE.replace(b"    return a;", b"    if (a)\n        return 1;\n    return a;").replace(
    b"    return 0;", b"    return 3;"
)


@pytest.mark.slow
def test_sources_are_counted_and_tests_are_not(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"src/a.c": BEFORE, b"tests/t.c": b"int t;\n"},
        {b"src/a.c": AFTER, b"tests/t.c": b"int u;\n", b"README": b"more\n"},
    )
    with Repository(path) as repository:
        assert complexity_of(repository, ids[1]) == Complexity(1, 4, 2, 2 + 3)
        assert complexity_of(repository, ids[0]).files == 1  # a root is all new
        with pytest.raises(GitFailed, match="pydriller"):
            complexity_of(repository, "0" * 40)


@pytest.mark.slow
def test_no_setting_of_the_repository_is_asked(history: Maker, tmp_path: Path) -> None:  # noqa: F811
    path, ids = history({b"a.c": BEFORE}, {b"a.c": AFTER})
    (path / "config").write_text(
        f"[diff]\n\texternal = touch {tmp_path}/ran; true\n[core]\n\tfsmonitor = touch {tmp_path}/ran\n"
    )
    (path / "info").mkdir(exist_ok=True)
    (path / "info/attributes").write_text("* diff=evil\n")
    with Repository(path) as repository:
        assert complexity_of(repository, ids[1]).functions == 2
    assert not (tmp_path / "ran").exists()


counts = st.builds(Complexity, *(st.integers(0, 5) for _ in range(4)))


@given(counts, counts)
def test_what_is_beyond_a_bound_is_named(seen: Complexity, bounds: Complexity) -> None:
    pairs = zip(seen.to_json().items(), bounds.to_json().values(), strict=True)
    over = [name for (name, count), bound in pairs if bound and count > bound]
    said = seen.beyond(bounds)
    assert [part.split(",")[0].split()[1] for part in said.split("; ") if part] == over
